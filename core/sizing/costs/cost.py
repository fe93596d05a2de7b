"""`cost`: what a sized deployment costs to buy and to run, against the tokens that the client really sends."""

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import FactSection
from core.catalogue.records import DeviceKind
from core.physics import demand as d
from core.physics import economics as e
from core.physics import energy
from core.sizing.costs.alternatives import hosted_models, rented_clouds
from core.sizing.costs.bill import Bill
from core.sizing.costs.bought import bought_of
from core.sizing.costs.capital import RUNNING, record_capital, record_standing, record_tariff, record_terms
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.power import record_power
from core.sizing.costs.report import Cost, Missing, PricedLine, Running, RunningCost
from core.sizing.demand import DemandAnswer, demand_of
from core.sizing.presets import ESTIMATE
from core.sizing.report import Sizing
from core.trace import CHOICE, Trace
from core.units import Unit

#: Shares of the year at which the cost per million tokens is shown, in per cent.
SHARES = (1, 5, 10, 20, 50, 100)


def cost(sizing: Sizing, catalogue: Catalogue, today: str = "") -> Cost:
    """Bill of materials, yearly cost, cost per million tokens, energy, carbon and alternatives of a sizing.

    Parameters
    ----------
    sizing : the deployment, in whose scenario prices and terms stand
    catalogue : what it was sized with, and where open prices come from
    today : ISO date from which the age of prices counts, where the scenario names no day of the offer

    Returns
    -------
    the cost; its trace goes on from the sizing's. What is unknown is missing with a reason, not zero

    Notes
    -----
    Pure like `size`, and apart from it: a search that ranks by speed never pays for it.
    """
    demand, trace = demand_of(sizing, catalogue.facts)
    return cost_of(trace, demand, sizing, catalogue, today)


def cost_of(trace: Trace, demand: DemandAnswer | None, sizing: Sizing, catalogue: Catalogue, today: str = "") -> Cost:
    """The cost where the demand stands in the trace already, for instance from measured speeds.

    Parameters
    ----------
    trace : with the figures that `record_service` and `record_demand` leave; receives every amount
    demand : its summary; None where the number of users is not known
    sizing, catalogue, today : as for `cost`

    Returns
    -------
    the cost
    """
    ledger = Ledger(trace, sizing.scenario.economics, catalogue.facts)
    _lack_demand(ledger)
    bought = bought_of(sizing, catalogue)
    record_power(ledger, bought)
    lines = Bill(ledger, bought, catalogue, sizing.scenario.economics.priced_on or today).priced()
    record_terms(ledger)
    record_capital(ledger, lines)
    _record_energy(ledger)
    running = _record_running(ledger, lines)
    at_shares = _record_per_million(ledger)
    _record_carbon(ledger, sizing)
    hosted, cloud = hosted_models(ledger, sizing), rented_clouds(ledger, sizing, catalogue)
    amount = ledger.amount
    return Cost(
        sizing=sizing,
        trace=trace,
        currency=ledger.currency,
        demand=demand,
        lines=lines,
        valid_days=amount("cost.validity_days"),
        capital=amount("cost.capital"),
        capital_low=amount("cost.capital.low"),
        capital_high=amount("cost.capital.high"),
        vat=amount("cost.vat"),
        running=tuple(RunningCost(kind, amount(key)) for kind, key in running.items()),
        yearly=amount("cost.yearly"),
        total=amount("cost.total"),
        per_million=amount("cost.per_million_tokens"),
        per_million_full=amount("cost.at_share.100"),
        at_shares=tuple((share, amount(key)) for share, key in at_shares.items()),
        energy=amount("energy.year"),
        energy_per_million=amount("energy.per_million"),
        energy_per_million_full=amount("energy.per_million_full"),
        joules_per_token=amount("energy.joules_per_token"),
        carbon_of_energy=amount("carbon.of_energy"),
        carbon_of_making=amount("carbon.of_making"),
        hosted=hosted,
        cloud=cloud,
        attainable_share=amount("demand.attainable_share").value,
        not_counted=_not_counted(ledger, hosted, cloud),
    )


def _lack_demand(ledger: Ledger) -> None:
    """What of the demand is not in the trace: for want of a speed, or of a number of users."""
    timed = "demand.busy_seconds" in ledger.trace
    for name in ("busy_seconds", "busy_share", "tokens_per_year", "attainable_share"):
        key = f"demand.{name}"
        if key not in ledger.trace:
            of_speed = not timed and name.startswith("busy")
            ledger.lack(key, Missing.SPEED if of_speed else Missing.USERS)


# ---- running


def _record_energy(ledger: Ledger) -> None:
    """Record energy and its price; what a year of waiting costs, and what a year of work costs beyond it."""
    record_tariff(ledger)
    power = {"idle": "power.idle_w", "pue": "power.pue"}
    ledger.compute("energy.year", energy.energy_per_year, **power, busy="power.busy_w", share="demand.busy_share")
    ledger.compute("cost.energy", energy.energy_cost, energy="energy.year", tariff="cost.tariff")
    ledger.compute("cost.energy_of_waiting", energy.energy_cost_idle, **power, tariff="cost.tariff")
    ledger.compute("cost.energy_of_work", energy.energy_cost_more, **power, busy="power.busy_w", tariff="cost.tariff")


def _record_running(ledger: Ledger, lines: tuple[PricedLine, ...]) -> dict[Running, str]:
    """Record every yearly cost and their sums; return the keys of those that are part of the yearly cost."""
    kept = {Running.ENERGY, *record_standing(ledger, lines)}
    items = {kind: key for kind, key in RUNNING.items() if kind in kept}
    opex = [key for kind, key in items.items() if kind is not Running.ANNUITY]
    ledger.compute("cost.running", e.total, items=opex)
    ledger.compute("cost.yearly", e.total, items=["cost.annuity", "cost.running"])
    own = [items[kind] for kind in (Running.ENERGY, Running.COLOCATION, Running.MAINTENANCE) if kind in items]
    ledger.compute("cost.own_running", e.total, items=own)
    waiting = [key if kind is not Running.ENERGY else "cost.energy_of_waiting" for kind, key in items.items()]
    ledger.compute("cost.fixed", e.total, items=waiting)
    ledger.compute(
        "cost.total",
        e.total_cost,
        capital="cost.capital",
        yearly="cost.running",
        years="cost.term_years",
        residual="cost.residual",
    )
    return items


def _record_per_million(ledger: Ledger) -> dict[int, str]:
    """Record the cost per million tokens of the client's demand and along the share of the year; return the keys."""
    ledger.compute(
        "cost.tokens_while_busy",
        d.tokens_while_busy,
        prompt="workload.prompt_tokens",
        output="workload.output_tokens",
        seconds="demand.busy_seconds",
    )
    ledger.compute("cost.capacity", e.capacity_per_year, speed="cost.tokens_while_busy")
    ledger.compute("cost.per_million_tokens", e.per_million, cost="cost.yearly", tokens="demand.tokens_per_year")
    keys = {}
    for percent in SHARES:
        share = ledger.given(f"cost.share.{percent}", percent / 100, Unit.SHARE, ESTIMATE)
        keys[percent] = ledger.compute(
            f"cost.at_share.{percent}",
            e.cost_at_share,
            fixed="cost.fixed",
            variable="cost.energy_of_work",
            capacity="cost.capacity",
            share=share,
        )
    return keys


# ---- energy and carbon


def _record_carbon(ledger: Ledger, sizing: Sizing) -> None:
    """Record energy and carbon per million tokens, at full load and as they come."""
    power = {"busy": "power.busy_w", "pue": "power.pue"}
    ledger.compute("energy.joules_per_token", energy.joules_per_token, **power, speed="cost.tokens_while_busy")
    ledger.compute("energy.per_million_full", energy.energy_per_million_full, joules="energy.joules_per_token")
    tokens = {"tokens": "demand.tokens_per_year"}
    ledger.compute("energy.per_million", energy.energy_per_million, energy="energy.year", **tokens)
    said, region = ledger.economics, ledger.economics.region
    grid = ledger.facts.of_region(FactSection.CARBON, "co2.grid.", region)
    if said.grid_carbon_g is not None:
        ledger.given("carbon.grid", said.grid_carbon_g, Unit.GRAM)
    elif grid is not None and grid.middle is not None:
        ledger.given("carbon.grid", float(grid.middle), Unit.GRAM, grid.origin)
    else:
        ledger.lack("carbon.grid", Missing.CARBON, region)
    ledger.compute("carbon.of_energy", energy.carbon_of_energy, energy="energy.per_million", grid="carbon.grid")
    _record_embodied(ledger, sizing)
    years = ledger.amount("cost.term_years")
    if years.known:
        ledger.given("carbon.years", float(years.value), Unit.YEAR, CHOICE)
    else:
        ledger.lack("carbon.years", Missing.CATALOGUE)
    ledger.compute(
        "carbon.of_making", energy.carbon_of_making, embodied="carbon.embodied", years="carbon.years", **tokens
    )


def _record_embodied(ledger: Ledger, sizing: Sizing) -> None:
    """What making the machine emitted: published for an accelerator's share of a server, not for desktop machines."""
    chosen = ledger.economics.embodied_kg
    if chosen is not None:
        ledger.given("carbon.embodied", chosen, Unit.KILOGRAM)
        return
    fact = ledger.facts.find(FactSection.CARBON, "co2.embodied.a100-share")
    if fact is None or fact.middle is None or sizing.device.kind in (DeviceKind.UNIFIED, DeviceKind.CPU):
        ledger.lack("carbon.embodied", Missing.CARBON, sizing.device.name)
        return
    ledger.given("carbon.embodied_each", float(fact.middle), Unit.KILOGRAM, fact.origin)
    ledger.compute(
        "carbon.embodied", energy.embodied_carbon, accelerators="deployment.accelerators", each="carbon.embodied_each"
    )


def _not_counted(ledger: Ledger, hosted: tuple[object, ...], cloud: tuple[object, ...]) -> tuple[Missing, ...]:
    """What is in none of the sums because nobody has said or found it."""
    said, found = ledger.economics, []
    if said.staff_posts is None or said.staff_salary is None:
        found.append(Missing.STAFF)
    if not ledger.knows("cost.vat_share"):
        found.append(Missing.VAT)
    if not hosted or not cloud:
        found.append(Missing.OFFER)
    return tuple(found)
