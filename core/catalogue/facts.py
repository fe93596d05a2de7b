"""Priced facts: what things cost, how people use language models, what electricity is made of.

Four tables of one record each: `prices` (devices, parts, software), `cloud` and `api` (rents), `running` (electricity,
colocation, power, finance, carbon) and `usage`. Nothing in them is converted: a fact keeps the currency, the region and
the date of its source. A fact without figures was looked for and not found; its note says so.

The tables are read when one of their facts is first asked for, so that a start which asks for none pays for none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.catalogue.fact_kinds import TABLE_OF, WORLD, Condition, Direction, FactSection, FactTable
from core.catalogue.reading import by_id, text_of, where_in
from core.errors import CatalogueError

if TYPE_CHECKING:
    from core.catalogue.fact_records import Fact

#: The region that stands between a country of the Union and the world.
UNION = "EU"
UNION_MEMBERS = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"


@dataclass(frozen=True, slots=True)
class Offer:
    """One model at one provider of an API: its prices per million tokens."""

    id: str  # "llama-3.3-70b.ovhcloud"
    model: str
    provider: str
    input: "Fact"
    output: "Fact"
    cached: "Fact | None"


@dataclass(frozen=True, eq=False)
class Facts:
    """All facts of a folder, table by table, each read when it is first needed; without a folder there are none."""

    folder: Path | None = None
    _tables: "dict[FactTable, Mapping[str, Fact]]" = field(default_factory=dict)
    _sections: "dict[FactSection, tuple[Fact, ...]]" = field(default_factory=dict)

    def table(self, table: FactTable) -> "Mapping[str, Fact]":
        """The facts of a file by id."""
        if table not in self._tables:
            self._tables[table] = {} if self.folder is None else _read(self.folder / f"{table.value}.json")
        return self._tables[table]

    def with_facts(self, facts: "Iterable[tuple[FactTable, Fact]]") -> "Facts":
        """These facts with others added, or in place of those with their ids."""
        added: dict[FactTable, dict[str, Fact]] = {}
        for table, fact in facts:
            added.setdefault(table, {})[fact.id] = fact
        return Facts(self.folder, {**self._tables, **{t: {**self.table(t), **new} for t, new in added.items()}})

    def __iter__(self) -> "Iterator[Fact]":
        for table in FactTable:
            yield from self.table(table).values()

    def section(self, section: FactSection) -> "tuple[Fact, ...]":
        """The facts about one thing, by id."""
        if section not in self._sections:
            facts = self.table(TABLE_OF[section]).values()
            self._sections[section] = tuple(fact for fact in facts if fact.section is section)
        return self._sections[section]

    def find(self, section: FactSection, id: str) -> "Fact | None":
        """A fact of a section by its id, where it has a figure."""
        fact = self.table(TABLE_OF[section]).get(id)
        return fact if fact is not None and fact.known else None

    def known(self, id: str) -> "Fact | None":
        """A fact by its id, in whatever table it stands; None where no table has it."""
        return next((fact for table in FactTable if (fact := self.table(table).get(id)) is not None), None)

    def get(self, id: str) -> "Fact":
        """A fact by its id, in whatever table it stands."""
        fact = self.known(id)
        if fact is not None:
            return fact
        raise CatalogueError("The catalogue has no price or figure called “{id}”.", id=id[:80])

    # ---- what a client in a region pays

    def device_price(self, device: str, region: str = "", condition: Condition = Condition.NEW) -> "Fact | None":
        """The newest price of a device where the client is, else in the world; None where nobody quotes one.

        New and used are never mixed; a quote for "new or used" answers for both.
        """
        wanted = (condition, Condition.NEW_OR_USED)
        quotes = [f for f in self.device_prices(device) if f.condition in wanted and f.known]
        return nearest(quotes, region)

    def device_prices(self, device: str) -> "tuple[Fact, ...]":
        """Everything that is known about the price of a device, used parts and regions included."""
        return self._by_device.get(device, ())

    @cached_property
    def _by_device(self) -> "Mapping[str, tuple[Fact, ...]]":
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.section(FactSection.DEVICE_PRICE):
            for device in fact.devices:
                found[device] = (*found.get(device, ()), fact)
        return found

    def electricity(self, region: str) -> "Fact | None":
        """The price that a small business pays for a kilowatt-hour."""
        offered = [f for f in self.section(FactSection.ELECTRICITY) if f.known]
        for kind in ("business-small", "commercial", "non-household", "business", "industry", "household"):
            for place in regions(region)[:-1]:
                found = [f for f in offered if f.region == place and f.id.endswith(f".{kind}")]
                if found:
                    return found[0]
        return None

    @cached_property
    def electricity_regions(self) -> tuple[str, ...]:
        """The regions whose price of electricity is known, but for the whole world."""
        return tuple(sorted({fact.region for fact in self.section(FactSection.ELECTRICITY)} - {"", WORLD}))

    def of_region(self, section: FactSection, prefix: str, region: str) -> "Fact | None":
        """A fact of exactly this region whose id begins with `prefix`: a rate of VAT, the carbon of a grid."""
        found = [f for f in self.section(section) if f.region == region and f.id.startswith(prefix) and f.known]
        return found[0] if found else None

    # ---- rents

    def cloud(self, devices: Iterable[str]) -> "tuple[Fact, ...]":
        """Hourly prices of the same accelerator at providers, without the bands over several, cheapest first."""
        wanted = set(devices)
        found = [
            fact
            for fact in self.section(FactSection.CLOUD)
            if fact.known and fact.provider not in ("", "band") and wanted & set(fact.devices)
        ]
        return tuple(sorted(found, key=lambda fact: (fact.middle or Decimal(0), fact.id)))

    @cached_property
    def offers(self) -> Mapping[str, Offer]:
        """Models of APIs at their providers; the row of a whole range is an offer by "range"."""
        rows: dict[str, dict[Direction, Fact]] = {}
        for fact in self.section(FactSection.API):
            if fact.direction is not None and fact.known:
                rows.setdefault(f"{fact.model}.{fact.provider}", {})[fact.direction] = fact
        return {
            id: Offer(
                id,
                row[Direction.INPUT].model,
                row[Direction.INPUT].provider,
                row[Direction.INPUT],
                row[Direction.OUTPUT],
                row.get(Direction.CACHED_INPUT),
            )
            for id, row in sorted(rows.items())
            if Direction.INPUT in row and Direction.OUTPUT in row
        }

    def offers_of(self, model: str) -> tuple[Offer, ...]:
        """Providers that serve a model of the catalogue, by price of the answer; no ranges."""
        return self._by_model.get(model, ())

    @cached_property
    def _by_model(self) -> Mapping[str, tuple[Offer, ...]]:
        served: dict[str, list[Offer]] = {}
        for offer in sorted(self.offers.values(), key=lambda offer: (offer.output.middle or Decimal(0), offer.id)):
            for model in offer.output.models if offer.provider != "range" else ():
                served.setdefault(model, []).append(offer)
        return {model: tuple(offers) for model, offers in served.items()}


NO_FACTS = Facts()


def regions(region: str) -> tuple[str, ...]:
    """Where to look for a client's price, the nearest first.

    >>> regions("FR"), regions("CH"), regions("")
    (('FR', 'EU', 'world'), ('CH', 'world'), ('world',))
    """
    own = (region,) if region and region != WORLD else ()
    union = (UNION,) if region in UNION_MEMBERS.split() else ()
    return (*own, *union, WORLD)


def nearest(facts: "Iterable[Fact]", region: str) -> "Fact | None":
    """The newest fact of the nearest region that has one."""
    known = tuple(facts)
    for place in regions(region):
        found = [fact for fact in known if fact.region == place]
        if found:
            return max(found, key=lambda fact: (fact.date, fact.since, fact.id))
    return None


def _read(path: Path) -> "Mapping[str, Fact]":
    from pydantic import TypeAdapter, ValidationError

    from core.catalogue.fact_records import Fact  # making the record's class takes longer than reading a table

    text = text_of(path)
    try:
        facts = TypeAdapter(tuple[Fact, ...]).validate_json(text)
    except ValidationError as error:
        raise CatalogueError(where_in(path.name, text, error)) from None
    return by_id(path.name, facts)
