"""One option of a proposal with everything that its pages say of it: figures, cost, capacity, what would help.

Gathering takes a few dozen sizings; composing pages from what was gathered takes milliseconds, so a preview gathers
once for each scenario and composes as often as a word is edited.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import FactSection
from core.proposal.considered import considered
from core.proposal.load import LoadPoint, load_points
from core.scenario import CostLine, Economics, LineKind, Scenario
from core.sizing.concurrency import Capacity, capacity
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Cost
from core.sizing.levers import Lever, levers
from core.sizing.records_used import travelling
from core.sizing.report import Sizing
from core.sizing.size import size
from core.trace import Trace

#: Facts with the rate of a currency, in units for one euro.
_RATES = {"USD": "finance.fx.eur-usd"}


@dataclass(frozen=True, slots=True)
class Offer:
    """A sizing and what goes with it; what was not gathered is left out of the pages.

    sizing     the deployment
    cost       to buy and to run; its trace goes on from the sizing's
    capacity   curves over requests at once; None where the speed is unknown
    load       the deployment sized at a few numbers of requests at once
    levers     what would help, the most useful first
    records    catalogue records that the scenario rests on, for its file
    others     other hardware for the same work, where it is the only option; with figures and cost alone
    """

    sizing: Sizing
    cost: Cost | None = None
    capacity: Capacity | None = None
    load: tuple[LoadPoint, ...] = ()
    levers: tuple[Lever, ...] = ()
    records: Mapping[str, Mapping[str, Any]] | None = None
    others: "tuple[Offer, ...]" = ()

    @property
    def scenario(self) -> Scenario:
        return self.sizing.scenario

    @property
    def trace(self) -> Trace:
        """Every figure that is known of it."""
        return self.sizing.trace if self.cost is None else self.sizing.trace.joined(self.cost.trace)


def offer(
    scenario: Scenario,
    catalogue: Catalogue,
    today: str = "",
    currency: str = "",
    alone: bool = False,
) -> Offer:
    """Size a scenario and gather what a proposal says about it.

    Parameters
    ----------
    scenario : the option
    catalogue : what it is sized with
    today : ISO date of the proposal, from which the age of prices counts
    currency : of all amounts; empty: the scenario's own
    alone : it is the only option, so the catalogue is searched for others

    Returns
    -------
    the offer
    """
    sizing = size(in_currency(scenario, currency, catalogue) if currency else scenario, catalogue)
    money = cost(sizing, catalogue, today)
    budget = Decimal(money.capital.value) if money.capital.known else None
    return Offer(
        sizing,
        money,
        capacity(sizing, catalogue),
        load_points(sizing, catalogue),
        levers(sizing, catalogue),
        travelling(scenario, catalogue),
        tuple(_other(one, catalogue, today) for one in considered(sizing, catalogue, budget)) if alone else (),
    )


def _other(scenario: Scenario, catalogue: Catalogue, today: str) -> Offer:
    sizing = size(scenario, catalogue)
    return Offer(sizing, cost(sizing, catalogue, today))


def in_currency(scenario: Scenario, currency: str, catalogue: Catalogue) -> Scenario:
    """The scenario with its amounts in another currency.

    What carries a currency of its own is marked with the old one and converted while it is costed; plain amounts are
    converted here. Where no rate is known, the scenario stays as it is.
    """
    said = scenario.economics
    if said.currency == currency:
        return scenario
    first, second = (_rate(code, said, catalogue) for code in (said.currency, currency))
    if first is None or second is None:
        return scenario
    rate, old = second / first, said.currency

    def converted(amount: Decimal | None) -> Decimal | None:
        return None if amount is None else (amount * rate).quantize(Decimal("0.0001")).normalize() + 0

    def marked(items: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        if items is None:
            return None
        return tuple(one.model_copy(update={"currency": one.currency or old}) for one in items)

    lines = marked(said.lines)
    if lines is not None and said.price is not None:
        cards = CostLine(kind=LineKind.CARDS).kind
        lines = tuple(
            line.model_copy(update={"price": said.price}) if line.kind is cards and line.price is None else line
            for line in lines
        )
    changes = {
        "currency": currency,
        "price": converted(said.price),
        "electricity_price": converted(said.electricity_price),
        "colocation_price": converted(said.colocation_price),
        "staff_salary": converted(said.staff_salary),
        "lines": lines,
        "cloud": marked(said.cloud),
        "api": marked(said.api),
    }
    return scenario.model_copy(update={"economics": said.model_copy(update=changes)})


def _rate(currency: str, said: Economics, catalogue: Catalogue) -> Decimal | None:
    """What one euro costs in a currency; None where nobody says."""
    if currency == "EUR":
        return Decimal(1)
    for rate in said.exchange:
        if rate.currency == currency:
            return rate.per_euro
    fact = catalogue.facts.find(FactSection.FINANCE, _RATES.get(currency, ""))
    return fact.middle if fact is not None else None
