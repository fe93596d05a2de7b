"""What `cost()` returns: amounts with the keys of their figures, or the reason why there is none.

An amount that nobody knows is `None` with a reason, never zero, and whatever is added up from it is unknown as well.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from core.catalogue.fact_kinds import Condition
from core.catalogue.fact_records import Fact
from core.catalogue.records import Confidence
from core.scenario import LineKind
from core.sizing.demand import DemandAnswer
from core.sizing.report import Sizing
from core.trace import Trace


class Missing(StrEnum):
    """Why there is no figure."""

    PRICE = "price"  # nobody quotes one
    EXCHANGE_RATE = "exchange_rate"
    USERS = "users"  # how many people there are was not said
    SPEED = "speed"  # of the accelerator: a figure is not known that every speed needs
    POWER = "power"
    TARIFF = "tariff"  # of electricity in the client's region
    CARBON = "carbon"  # of the grid, or of making the machine
    STAFF = "staff"
    VAT = "vat"
    OFFER = "offer"  # nobody rents this accelerator or serves this model
    CATALOGUE = "catalogue"  # a figure that the method takes from the catalogue is not in it


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure of the trace, or why there is none; `subject` names what it is missing for."""

    key: str
    value: Any = None  # Decimal for money, float for all else
    missing: Missing | None = None
    subject: str = ""

    @property
    def known(self) -> bool:
        return self.missing is None


@dataclass(frozen=True, slots=True)
class Quote:
    """A price as it was found: in its own currency, with its date and age.

    low, high      range of quotes; alike for a single price
    age_months     full months between the price and the offer; None where one of the dates is not known
    before_rise    has memory in it and is older than the rise of memory prices: too cheap today
    confidence     of its source, lowered by its age
    """

    low: Decimal
    high: Decimal
    currency: str
    date: str = ""
    age_months: int | None = None
    before_rise: bool = False
    confidence: Confidence = Confidence.YOURS
    condition: Condition | None = None
    fact: str = ""

    @property
    def is_estimate(self) -> bool:
        return self.confidence is Confidence.ESTIMATE


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A line of the bill of materials with what it costs in the currency of the offer.

    name     of the thing; empty where its fact or its kind says enough
    fact     id of the price in the catalogue that was asked for, found or not
    key      of its figures: ".quantity", ".price", ".amount", and ".amount.low", ".amount.high" of a range
    """

    kind: LineKind
    name: str
    quantity: Decimal
    quote: Quote | None
    key: str
    amount: Amount
    yearly: bool = False
    by_rule: bool = False  # proposed, not entered
    fact: str = ""

    @property
    def has_range(self) -> bool:
        """Are there several quotes? A single price stands for the lowest and the highest as well."""
        return self.quote is not None and self.quote.low != self.quote.high

    def amount_key(self, end: str = "") -> str:
        """The key of its amount: in the middle, or at an end of the quotes (".low", ".high")."""
        return f"{self.key}.amount{end}" if self.has_range else f"{self.key}.amount"


class Running(StrEnum):
    """What costs money every year."""

    ANNUITY = "annuity"
    ENERGY = "energy"
    COLOCATION = "colocation"
    MAINTENANCE = "maintenance"
    LICENCES = "licences"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class RunningCost:
    kind: Running
    amount: Amount


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A model at a provider of an API, against the own system.

    price        of a million tokens in the shape of the scenario
    bill         for the client's tokens of a year
    volume       tokens of a year at which both cost the same [million]
    share        of the year for which the own system must work for that; infinite where no load is enough
    reachable    can the client's rhythm of work reach that share? None where the rhythm is not known
    users        who would send as much
    """

    name: str
    provider: str
    date: str
    price: Amount
    bill: Amount
    volume: Amount
    share: Amount
    reachable: bool | None
    users: Amount


@dataclass(frozen=True, slots=True)
class RentedCloud:
    """The same accelerators by the hour, against the own system.

    price     of an accelerator and hour, in the currency of the offer
    bill      of a year
    month     after which owning has cost less; infinite where renting is cheaper to run
    in_term   is that within the term?
    """

    name: str
    billing: str
    date: str
    hours: Decimal
    price: Amount
    bill: Amount
    month: Amount
    in_term: bool | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a deployment costs to buy and to run, over the client's own demand and at full load.

    trace               that of the sizing, with the demand and every amount
    currency            of all amounts
    lines               bill of materials and yearly lines
    valid_days          for which the prices are held
    capital             purchase with installation and contingency, and its range over the quotes
    vat                 value-added tax on it, apart
    running             yearly cost, item by item
    yearly, total       cost of a year, and of the term
    per_million         tokens of the client's own demand; at full load beside it
    at_shares           cost per million tokens against the share of the year, in per cent
    energy              of a year [kWh]; per million tokens as they come, and at full load [kWh]
    joules_per_token    at full load [J]
    carbon              of energy, and of making the machine, per million tokens [g]
    hosted, cloud       alternatives with their break-even
    attainable_share    of the year, at most, with the client's rhythm of work
    not_counted         what is left out of the sums because nobody has said it
    """

    sizing: Sizing
    trace: Trace
    currency: str
    demand: DemandAnswer | None
    lines: tuple[PricedLine, ...]
    valid_days: Amount
    capital: Amount
    capital_low: Amount
    capital_high: Amount
    vat: Amount
    running: tuple[RunningCost, ...]
    yearly: Amount
    total: Amount
    per_million: Amount
    per_million_full: Amount
    at_shares: tuple[tuple[int, Amount], ...]
    energy: Amount
    energy_per_million: Amount
    energy_per_million_full: Amount
    joules_per_token: Amount
    carbon_of_energy: Amount
    carbon_of_making: Amount
    hosted: tuple[HostedModel, ...]
    cloud: tuple[RentedCloud, ...]
    attainable_share: float | None
    not_counted: tuple[Missing, ...]

    @property
    def price_known(self) -> bool:
        return self.capital.known

    @property
    def open_lines(self) -> tuple[PricedLine, ...]:
        """Lines without a price: the reason why a sum is unknown."""
        return tuple(line for line in self.lines if not line.amount.known)


#: A price older than this counts one step less; older than the second it is not to be relied on [months].
AGEING, OLD = 6, 12
#: Memory rose fivefold within a year; a price of something with memory in it from before is too low.
MEMORY_RISE = "2026"
_HOLD_MEMORY = (LineKind.CARDS, LineKind.HOST, LineKind.MEMORY, LineKind.STORAGE)
#: Parts of a host that have none in them.
_WITHOUT_MEMORY = ("bom.chassis.", "bom.board.", "bom.cpu.")


def age_in_months(date: str, today: str) -> int | None:
    """Full months from a date to another, both ISO and as precise as they are known; a year counts from its end.

    >>> age_in_months("2026-08", "2026-11-30"), age_in_months("2026", "2026-11"), age_in_months("", "2026-11")
    (3, 0, None)
    """
    if not date or not today:
        return None
    return max(0, _months(today, 1) - _months(date, 12))


def _months(date: str, open_month: int) -> int:
    parts = date.split("-")
    return 12 * int(parts[0]) + (int(parts[1]) if len(parts) > 1 else open_month)


def quote_of(fact: Fact, kind: LineKind, today: str) -> Quote | None:
    """The price that a fact quotes, with its age; None where it has no figure."""
    if fact.low is None or not fact.currency:
        return None
    age = age_in_months(fact.date, today)
    holds = kind in _HOLD_MEMORY and not fact.id.startswith(_WITHOUT_MEMORY)
    rise = holds and bool(fact.date) and (fact.since or fact.date) < MEMORY_RISE
    return Quote(
        low=fact.low,
        high=fact.high if fact.high is not None else fact.low,
        currency=fact.currency,
        date=fact.date,
        age_months=age,
        before_rise=rise,
        confidence=aged(fact.source.confidence, age, rise),
        condition=fact.condition,
        fact=fact.id,
    )


def aged(confidence: Confidence, age_months: int | None, before_rise: bool) -> Confidence:
    """How well a price is supported, after so many months.

    >>> aged(Confidence.TWO_SOURCES, 8, False).value, aged(Confidence.TWO_SOURCES, 2, True).value
    ('one_source', 'unverified')
    """
    if confidence in (Confidence.ESTIMATE, Confidence.YOURS):
        return confidence
    if before_rise or (age_months is not None and age_months > OLD):
        return Confidence.UNVERIFIED
    if age_months is not None and age_months > AGEING and confidence is Confidence.TWO_SOURCES:
        return Confidence.ONE_SOURCE
    return confidence
