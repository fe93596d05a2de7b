"""The picture of each accelerator: what stands in which tier."""

from core.physics import memory as m
from core.sizing.companions import COMPANION_ITEMS
from core.sizing.draft import DRAFT
from core.sizing.report import DeviceUse, MemoryItem, MemoryKind, TierUse
from core.sizing.situation import Setup
from core.trace import Trace


def device_uses(trace: Trace, s: Setup) -> tuple[DeviceUse, ...]:
    """Every accelerator of the deployment, item by item and tier by tier; those that hold the same together."""
    if not has_others(s):
        return (DeviceUse(s.device.name, s.accelerators, _tiers(trace, s, "spill", tuple(COMPANION_ITEMS.values()))),)
    return (
        DeviceUse(s.device.name, 1, _tiers(trace, s, "spill", tuple(COMPANION_ITEMS.values()))),
        DeviceUse(s.device.name, s.accelerators - 1, _tiers(trace, s, "other_accelerator.spill", ())),
    )


def has_others(s: Setup) -> bool:
    """Do the companions stand on one of several accelerators, so that the others hold less?"""
    return s.accelerators > 1 and bool(s.companions)


def _tiers(trace: Trace, s: Setup, spill: str, companions: tuple[str, ...]) -> tuple[TierUse, ...]:
    fast, slow = _items(trace, spill, companions)
    whose = spill.removesuffix("spill")
    tiers = [_tier(trace, s, 0, "tier.0.limit_bytes", fast, whose)]
    for number in range(1, len(s.device.memory_tiers)):
        tiers.append(_tier(trace, s, number, f"tier.{number}.usable_bytes", slow if number == 1 else [], whose))
    return tuple(tiers)


def _tier(trace: Trace, s: Setup, number: int, limit: str, items: list[MemoryItem], whose: str) -> TierUse:
    tier = s.device.memory_tiers[number]
    capacity, usable = f"tier.{number}.capacity_bytes", f"tier.{number}.usable_bytes"
    sizes = trace[capacity], trace[usable], trace[limit]
    return TierUse(f"{whose}use.{number}", tier.name, tier.kind, capacity, usable, limit, tuple(items), *sizes)


def _items(trace: Trace, spill: str, companions: tuple[str, ...]) -> tuple[list[MemoryItem], list[MemoryItem]]:
    """What stands in the fast tier and what in the slower one."""
    kinds = {MemoryKind.WEIGHTS: "accelerator.weights_bytes"}
    if DRAFT in trace:
        kinds[MemoryKind.DRAFT] = DRAFT
    kinds |= {MemoryKind(role.value): key for role, key in COMPANION_ITEMS.items() if key in companions}
    kinds |= {
        MemoryKind.RUNTIME: "memory_item.framework",
        MemoryKind.KV_CACHE: "accelerator.kv_bytes",
        MemoryKind.STATE: "accelerator.state_bytes",
    }
    slow = []
    if trace[f"{spill}.weights_bytes"]:
        slow.append(MemoryKind.WEIGHTS)
        kinds[MemoryKind.WEIGHTS] = _rest(trace, f"{spill}.rest.weights_bytes", kinds[MemoryKind.WEIGHTS])
    if trace[f"{spill}.kv_bytes"]:  # cache and state leave together: they belong to the same requests
        slow.append(MemoryKind.KV_CACHE)
        trace.compute(f"{spill}.requests_bytes", m.sum_bytes, items=["accelerator.kv_bytes", "accelerator.state_bytes"])
        kinds[MemoryKind.KV_CACHE] = _rest(trace, f"{spill}.rest.kv_bytes", f"{spill}.requests_bytes")
        del kinds[MemoryKind.STATE]
    below = {MemoryKind.WEIGHTS: f"{spill}.weights_bytes", MemoryKind.KV_CACHE: f"{spill}.kv_bytes"}
    return (
        [MemoryItem(kind, key, round(trace[key])) for kind, key in kinds.items() if trace[key] > 0],
        [MemoryItem(kind, below[kind], round(trace[below[kind]])) for kind in slow],
    )


def _rest(trace: Trace, key: str, whole: str) -> str:
    trace.compute(key, m.rest_bytes, whole_bytes=whole, part_bytes=key.replace(".rest.", "."))
    return key
