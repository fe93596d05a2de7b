"""What an answer takes for each degree of safety: N, N + 1, two sites; units, price and cost of a year."""

from dataclasses import dataclass
from decimal import Decimal

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceKind
from core.physics.energy import energy_cost, energy_per_year
from core.scenario import Plan, Scenario
from core.sizing.concurrency import Capacity, Redundancy
from core.sizing.costs.bought import CARDS_IN_A_SERVER
from core.sizing.search.layouts import Layout
from core.sizing.search.report import Answer
from core.sizing.search.supply import supply_of


@dataclass(frozen=True, slots=True)
class Safe:
    """One degree of safety.

    units     of the device, at all sites together
    sites     over which they stand
    price     to buy; None where a price is not known
    yearly    cost of a year in which nobody asks, so that the degrees can be compared
    currency  of both
    """

    redundancy: Redundancy
    units: int
    sites: int
    price: Decimal | None
    yearly: Decimal | None
    currency: str


def degrees_of_safety(answer: Answer, capacity: Capacity, need: Scenario, catalogue: Catalogue) -> tuple[Safe, ...]:
    """What the work of an answer takes for each degree of safety, with as many copies as carry it.

    Parameters
    ----------
    answer : of a search
    capacity : of its scenario
    need : whose economics count
    catalogue : what exists

    Returns
    -------
    the degrees, the least safe first; empty where not even one request meets the targets
    """
    layout, found = answer.evaluation.candidate.layout, []
    apart = answer.evaluation.candidate.variant.apart
    for variant in capacity.variants:
        if variant.replicas is None or variant.accelerators is None:
            continue
        sites = 2 if variant.redundancy is Redundancy.TWO_SITES else 1
        units = -(-variant.accelerators // (layout.device.accelerators * sites))
        plan = layout.plan.model_copy(update={"replicas": max(1, variant.replicas // sites)})
        there = _layout(layout.device, units, plan, layout.link)
        economics = need.economics.model_copy(update={"sites": sites})
        facts = supply_of(need.model_copy(update={"economics": economics}), there, apart, catalogue)
        yearly = facts.standing
        if yearly is not None and facts.tariff is not None:
            energy = None if facts.idle_w is None else energy_per_year(facts.idle_w, facts.idle_w, 0.0, facts.pue)
            yearly = None if energy is None else yearly + energy_cost(energy, facts.tariff)
        found.append(Safe(variant.redundancy, (units + apart) * sites, sites, facts.price, yearly, facts.currency))
    return tuple(found)


def _layout(device: Device, units: int, plan: Plan, link: str) -> Layout:
    """So many units at one site: cards and modules in as few machines as hold them."""
    count, nodes = units, 1
    if device.kind in (DeviceKind.CARD, DeviceKind.MODULE) and units > CARDS_IN_A_SERVER:
        count, nodes = CARDS_IN_A_SERVER, -(-units // CARDS_IN_A_SERVER)
    return Layout(device, units, count, nodes, plan, link=link)
