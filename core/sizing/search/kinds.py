"""What is bought: so many units of a device, what that costs, and whether the limits of a request allow it."""

from collections.abc import Mapping

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.scenario import Plan, Scenario
from core.sizing.search.layouts import Layout
from core.sizing.search.report import Exclusion, Fact, Kind, RuledOut
from core.sizing.search.request import Limits, Ranking, SearchRequest
from core.sizing.search.supply import Supply, supply_of

Setup = tuple[bool, bool]  # retrieval models apart, cards joined by a bridge that is bought


def kind_of(device: Device, units: int, supplies: Mapping[Setup, Supply]) -> Kind:
    """So many units of a device; where they can be bought in several ways, the cheapest speaks for them."""
    cheapest = min(supplies, key=lambda setup: (supplies[setup].price is None, supplies[setup].price or 0, setup))
    return Kind(device, units, supplies[cheapest], supplies)


def nothing_known(device: Device, need: Scenario, catalogue: Catalogue) -> Kind:
    """One unit of a device that nothing can be put on."""
    layout = Layout(device, 1, 1, 1, Plan())
    return kind_of(device, 1, {(False, False): supply_of(need, layout, False, catalogue)})


def is_asked(device: Device, limits: Limits) -> bool:
    """Is the device among those that the request is about?"""
    return (
        (not limits.kinds or device.kind in limits.kinds)
        and (not limits.vendors or device.vendor in limits.vendors)
        and (not limits.devices or device.id in limits.devices)
    )


def barred(kind: Kind, request: SearchRequest) -> RuledOut | None:
    """What the facts of a kind rule out, whatever it can do and however it is bought."""
    found = [no for facts in kind.supplies.values() if (no := _barred(kind, facts, request)) is not None]
    if len(found) < len(kind.supplies):
        return None
    return min(found, key=lambda one: (list(Exclusion).index(one.by), one.reached))


def is_barred(kind: Kind, facts: Supply, request: SearchRequest) -> bool:
    """Do the limits rule out this way to buy a kind?"""
    return _barred(kind, facts, request) is not None


def lacks_more(kind: Kind, facts: Supply, request: SearchRequest) -> bool:
    """Is a fact missing of this way to buy a kind that is known of another?"""
    return bool(missing_facts(facts, request) - missing_facts(kind.supply, request))


def _barred(kind: Kind, facts: Supply, request: SearchRequest) -> RuledOut | None:
    limits = request.limits
    if limits.budget is not None and facts.price is not None and facts.price > limits.budget:
        return RuledOut(kind, Exclusion.BUDGET, float(limits.budget), float(facts.price))
    if limits.budget is not None and facts.price is None and facts.least_price > limits.budget:
        return RuledOut(kind, Exclusion.BUDGET, float(limits.budget), float(facts.least_price), True)
    if limits.power_w is not None and facts.power_w is not None and facts.power_w > limits.power_w:
        return RuledOut(kind, Exclusion.POWER, limits.power_w, facts.power_w)
    if limits.noise_dba is not None and facts.noise_dba is not None and facts.noise_dba > limits.noise_dba:
        return RuledOut(kind, Exclusion.NOISE, limits.noise_dba, facts.noise_dba, facts.noise_is_least)
    return None


def unknown_facts(kind: Kind, request: SearchRequest) -> frozenset[Fact]:
    """The facts that limits or ranking need and that are not known."""
    return missing_facts(kind.supply, request)


def missing_facts(facts: Supply, request: SearchRequest) -> frozenset[Fact]:
    """The same for one way to buy a kind."""
    limits, ranking, missing = request.limits, request.ranking, set()
    if facts.price is None and (limits.budget is not None or ranking in (Ranking.COST, Ranking.PRICE)):
        missing.add(Fact.PRICE)
    draws = ranking is Ranking.ENERGY or (ranking is Ranking.COST and facts.tariff is not None)
    if facts.idle_w is None and (limits.power_w is not None or draws):
        missing.add(Fact.POWER)
    # "at least 60 dB(A)" passes no limit above it: how loud it really is, is not known
    if limits.noise_dba is not None and (facts.noise_dba is None or facts.noise_is_least):
        missing.add(Fact.NOISE)
    return frozenset(missing)
