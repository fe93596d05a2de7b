"""The record of a priced fact; its class is made when the first table of facts is read."""

from decimal import Decimal

from pydantic import Field, model_validator

from core.catalogue.fact_kinds import TABLE_OF, WORLD, Condition, Direction, FactSection
from core.catalogue.records import Confidence, Record, Source
from core.errors import Phrase
from core.trace import Origin, OriginKind


class Fact(Record):
    """One figure with its source: a value (low and high alike), a range of quotes, or nothing that was found."""

    id: str = Field(pattern=r"^[a-z0-9][A-Za-z0-9._/+-]*$", max_length=120)
    section: FactSection
    low: Decimal | None = None
    high: Decimal | None = None  # None beside a low: "from" that price
    unit: str = Field(min_length=1)  # "per device", "per kWh", "fraction of hardware"
    currency: str = Field(default="", pattern=r"^([A-Z]{3})?$")  # empty: not money
    region: str = WORLD
    since: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")  # start of the time that the figure spans
    source: Source  # its date is the date of the figure
    note: str = ""
    devices: tuple[str, ...] = ()
    models: tuple[str, ...] = ()  # of the catalogue that an API serves
    condition: Condition | None = None
    provider: str = ""
    provider_class: str = ""  # "specialist", "hyperscaler", "marketplace", "long_tail"
    billing: str = ""  # "on_demand", "spot", "reserved", ...
    model: str = ""  # as the API calls it
    model_class: str = ""  # "open_model", "frontier"
    direction: Direction | None = None

    @model_validator(mode="after")
    def _low_below_high(self) -> "Fact":
        if self.low is None and self.high is not None:
            raise ValueError(Phrase("A range needs its low end."))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(Phrase("The low end is above the high end."))
        return self

    @property
    def known(self) -> bool:
        return self.low is not None

    @property
    def middle(self) -> Decimal | None:
        """The figure to compute with: the value, or the geometric middle of a range; None where nothing was found.

        A range that begins at nothing has no geometric middle; the arithmetic one stands in its place.
        """
        if self.low is None or self.high is None or self.low == self.high:
            return self.low
        return (self.low * self.high).sqrt() if self.low > 0 else (self.low + self.high) / 2

    @property
    def date(self) -> str:
        return self.source.date

    @property
    def is_estimate(self) -> bool:
        return self.source.confidence is Confidence.ESTIMATE

    @property
    def origin(self) -> Origin:
        """The origin of the figure for a trace."""
        source = self.source
        record = f"{TABLE_OF[self.section].value}/{self.id}"
        return Origin(OriginKind.CATALOGUE, source.title, source.address, source.date, source.confidence.value, record)
