"""What else the catalogue holds for the work of a proposal's only option: other hardware, found by a search.

The model and its formats stay as they are, so that what is compared is hardware alone.
"""

from collections.abc import Iterator
from decimal import Decimal

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.report import Sizing
from core.sizing.search.candidates import Candidate, scenario_of
from core.sizing.search.hardware import find_hardware
from core.sizing.search.report import Answer, HardwareFound
from core.sizing.search.request import SearchRequest

#: Others that cost least, beside one that is faster by this factor and one that just fails.
CHEAPEST, FASTER = 2, 1.25


def considered(sizing: Sizing, catalogue: Catalogue, budget: Decimal | None) -> tuple[Scenario, ...]:
    """Other hardware for the same work, as scenarios that can be sized.

    Parameters
    ----------
    sizing : the option
    catalogue : what is searched
    budget : price of the option in its currency, where it is known

    Returns
    -------
    the two devices that cost least per million tokens (per year where the demand is not known), the cheapest one that
    is faster by a quarter, and the nearest miss that costs less than the option; fewer where there are none
    """
    scenario = sizing.scenario
    request = SearchRequest(scenario=scenario, weights=(scenario.weights,), kv_formats=(scenario.kv_format,))
    found = find_hardware(request, catalogue)
    answers = list(_others(found, sizing.device.id))
    chosen = answers[:CHEAPEST]
    if sizing.decode is not None:
        least = FASTER * sizing.decode.p50
        fast = [one for one in answers[CHEAPEST:] if one.evaluation.speed and one.evaluation.speed[1] >= least]
        chosen += sorted(fast, key=_price)[:1]
    scenarios = [one.scenario for one in chosen]
    missed = _nearest_miss(found, sizing.device.id, budget)
    if missed is not None:
        scenarios.append(scenario_of(request.need, missed))
    return tuple(one.edited(name=scenario.name) for one in scenarios)


def _others(found: HardwareFound, own: str) -> Iterator[Answer]:
    """The best answer of each other device, in order."""
    seen = {own}
    for answer in found.answers:
        if answer.kind.device.id not in seen:
            seen.add(answer.kind.device.id)
            yield answer


def _nearest_miss(found: HardwareFound, own: str, budget: Decimal | None) -> Candidate | None:
    """What nearly does it and costs less."""
    for miss in found.nearest_misses:
        price = miss.kind.supply.price
        if miss.kind.device.id != own and miss.candidate and price is not None and (budget is None or price < budget):
            return miss.candidate
    return None


def _price(answer: Answer) -> float:
    price = answer.evaluation.supply.price
    return float("inf") if price is None else float(price)
