"""What is bought: so many units of a device, what that costs, and whether the limits of a request allow it."""

from decimal import Decimal
from weakref import WeakKeyDictionary

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.sizing.search.report import Exclusion, Fact, Kind, RuledOut
from core.sizing.search.request import Limits, Ranking, SearchRequest
from core.sizing.search.supply import Supply, supply

_KNOWN: "WeakKeyDictionary[Catalogue, dict[tuple[str, int], Kind]]" = WeakKeyDictionary()


def kind_of(device: Device, units: int, catalogue: Catalogue) -> Kind:
    """So many units of a device, kept for the next search."""
    known = _KNOWN.setdefault(catalogue, {})
    key = (device.id, units)
    if key not in known:
        known[key] = Kind(device, units, supply(device, units))
    return known[key]


def is_asked(device: Device, limits: Limits) -> bool:
    """Is the device among those that the request is about?"""
    return (
        (not limits.kinds or device.kind in limits.kinds)
        and (not limits.vendors or device.vendor in limits.vendors)
        and (not limits.devices or device.id in limits.devices)
    )


def barred(kind: Kind, request: SearchRequest) -> RuledOut | None:
    """What the facts of a kind rule out, whatever it can do."""
    limits, facts = request.limits, kind.supply
    price = known_price(facts, request)
    if limits.budget is not None and price is not None and price > limits.budget:
        return RuledOut(kind, Exclusion.BUDGET, float(limits.budget), float(price))
    if limits.power_w is not None and facts.power_w is not None and facts.power_w > limits.power_w:
        return RuledOut(kind, Exclusion.POWER, limits.power_w, facts.power_w)
    if limits.noise_dba is not None and facts.noise_dba is not None and facts.noise_dba > limits.noise_dba:
        return RuledOut(kind, Exclusion.NOISE, limits.noise_dba, facts.noise_dba, facts.noise_is_least)
    return None


def unknown_facts(kind: Kind, request: SearchRequest) -> frozenset[Fact]:
    """The facts that limits or ranking need and that are not known."""
    limits, facts, ranking = request.limits, kind.supply, request.ranking
    missing = set()
    if known_price(facts, request) is None and (limits.budget is not None or ranking in (Ranking.COST, Ranking.PRICE)):
        missing.add(Fact.PRICE)
    if facts.power_w is None and (limits.power_w is not None or ranking is Ranking.ENERGY):
        missing.add(Fact.POWER)
    # "at least 60 dB(A)" passes no limit above it: how loud it really is, is not known
    if limits.noise_dba is not None and (facts.noise_dba is None or facts.noise_is_least):
        missing.add(Fact.NOISE)
    return frozenset(missing)


def known_price(facts: Supply, request: SearchRequest) -> Decimal | None:
    """The price in the currency of the request; None where there is none in it."""
    return facts.price if facts.currency == request.scenario.economics.currency else None
