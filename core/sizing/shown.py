"""Figures that are shown but enter no other figure: sums of one memory, shares, changes.

They are recorded in the trace when somebody first asks for them: sizing thousands of candidates does not pay for what
only a window or a page shows, and each of them can be explained and computed again like all others.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from core.physics.comparisons import apart, times_more
from core.physics.decode import share_of_step
from core.physics.economics import more
from core.physics.memory import free_bytes, share_of_capacity, shortfall_bytes, sum_bytes, times
from core.sizing.report import DeviceUse, MemoryKind, Sizing, TierUse
from core.trace import Given, Origin, OriginKind, Trace
from core.units import Unit

#: What a request brings; all else stands there before the first one.
GROWING = frozenset({MemoryKind.KV_CACHE, MemoryKind.STATE})
_COUNTED = Origin(OriginKind.METHOD)


def share_of_token(trace: Trace, part: str) -> float:
    """Share of the time of one token that `part` takes; recorded under `tpot_share.<part>`."""
    return float(_computed(trace, f"tpot_share.{part}", share_of_step, part=part, step="tpot_s"))


def share_of_limit(trace: Trace) -> float:
    """Share of what the engine may use that is taken; recorded under `memory.share_of_limit`."""
    keys = {"used_bytes": "memory.total_bytes", "capacity_bytes": "memory.limit_bytes"}
    return float(_computed(trace, "memory.share_of_limit", share_of_capacity, **keys))


def share_of_tier(trace: Trace, tier: TierUse, figure: str) -> float | None:
    """Share of what the engine may use of one memory that `figure` takes; None where it may use nothing of it."""
    if not trace[tier.limit_key]:
        return None
    keys = {"used_bytes": figure, "capacity_bytes": tier.limit_key}
    return float(_computed(trace, f"{tier.key}.share.{figure}", share_of_capacity, **keys))


# One memory of one accelerator. Each function returns the key of its figure.


def used_of_tier(trace: Trace, tier: TierUse) -> str:
    """Everything that stands in this memory [byte]."""
    return _sum(trace, f"{tier.key}.used_bytes", [item.key for item in tier.items])


def fixed_of_tier(trace: Trace, tier: TierUse) -> str:
    """What stands there before the first request [byte]."""
    return _sum(trace, f"{tier.key}.fixed_bytes", [item.key for item in tier.items if item.kind not in GROWING])


def growing_of_tier(trace: Trace, tier: TierUse) -> str:
    """What the requests bring [byte]."""
    return _sum(trace, f"{tier.key}.growing_bytes", [item.key for item in tier.items if item.kind in GROWING])


def free_of_tier(trace: Trace, tier: TierUse) -> str:
    """What is left below the limit; negative where it is passed [byte]."""
    key, used = f"{tier.key}.free_bytes", used_of_tier(trace, tier)
    _computed(trace, key, free_bytes, limit_bytes=tier.limit_key, used_bytes=used)
    return key


def excess_of_tier(trace: Trace, tier: TierUse) -> str:
    """What is too much for this memory [byte]."""
    key, used = f"{tier.key}.excess_bytes", used_of_tier(trace, tier)
    _computed(trace, key, shortfall_bytes, limit_bytes=tier.limit_key, used_bytes=used)
    return key


# One accelerator with all its memories


def used_of_device(trace: Trace, use: DeviceUse) -> str:
    """Everything that stands on one accelerator [byte]."""
    return _sum(trace, f"{use.tiers[0].key}.all.used_bytes", [used_of_tier(trace, tier) for tier in use.tiers])


def free_of_device(trace: Trace, use: DeviceUse) -> str:
    """What is left below the limits of all its memories [byte]."""
    whole = use.tiers[0].key
    limit = _sum(trace, f"{whole}.all.limit_bytes", [tier.limit_key for tier in use.tiers])
    key = f"{whole}.all.free_bytes"
    _computed(trace, key, free_bytes, limit_bytes=limit, used_bytes=used_of_device(trace, use))
    return key


def below_of_device(trace: Trace, use: DeviceUse) -> str:
    """What stands in the slower memories of one accelerator [byte]."""
    return _sum(trace, f"{use.tiers[0].key}.slower.used_bytes", [used_of_tier(trace, tier) for tier in use.tiers[1:]])


def sums_of_device(trace: Trace, use: DeviceUse) -> list[str]:
    """All sums of one accelerator and of each of its memories."""
    sums = (used_of_tier, fixed_of_tier, growing_of_tier, free_of_tier, excess_of_tier)
    keys = [found(trace, tier) for tier in use.tiers for found in sums]
    return [*keys, used_of_device(trace, use), free_of_device(trace, use)]


# The deployment


def in_slower_memory(sizing: Sizing) -> int:
    """What stands in slower memory, on all accelerators; recorded under `memory.slower_bytes` [byte]."""
    trace, parts = sizing.trace, []
    if "memory.slower_bytes" not in trace:
        for use in sizing.devices:
            whole = use.tiers[0].key
            key, number = f"{whole}.slower.together_bytes", f"{whole}.accelerators"
            trace.given(number, use.count, Unit.COUNT, _COUNTED)
            _computed(trace, key, times, bytes_each=below_of_device(trace, use), number=number)
            parts.append(key)
    return int(trace[_sum(trace, "memory.slower_bytes", parts)])


def excess(sizing: Sizing) -> int:
    """What is more than the engine may use, on all accelerators; recorded under `memory.excess_bytes` [byte].

    Where all of them together have room, what the fullest one lacks.
    """
    keys = {"limit_bytes": "memory.limit_bytes", "used_bytes": "memory.total_bytes"}
    return int(_computed(sizing.trace, "memory.excess_bytes", shortfall_bytes, **keys)) or sizing.shortfall_bytes


def companions_bytes(trace: Trace) -> int:
    """Embedding model and reranker on the accelerators; recorded under `memory.companions_bytes` [byte]."""
    items = [key for key in ("memory_item.embedding", "memory_item.reranker") if key in trace]
    return int(trace[_sum(trace, "memory.companions_bytes", items)])


def spare_requests(trace: Trace) -> int:
    """Requests at once that fit beyond those needed; negative where they are too few."""
    return int(_computed(trace, "requests_spare", apart, first="max_concurrency", second="requests_at_once"))


# One sizing beside another


def change(before: Trace, after: Trace, key: str) -> float:
    """A figure over what it was before; recorded in the later trace under `change.<key>`."""
    _put_beside(before, after, key)
    return float(_computed(after, f"change.{key}", times_more, larger=key, smaller=f"before.{key}"))


def difference(before: Trace, after: Trace, key: str) -> int:
    """Requests that fit now and did not before; recorded in the later trace under `difference.<key>`."""
    _put_beside(before, after, key)
    return int(_computed(after, f"difference.{key}", apart, first=key, second=f"before.{key}"))


def dearer(before: Trace, after: Trace, key: str) -> Decimal:
    """How much more an amount is than before; recorded in the later trace under `difference.<key>`."""
    _put_beside(before, after, key)
    amount: Decimal = _computed(after, f"difference.{key}", more, then=key, now=f"before.{key}")
    return amount


def _put_beside(before: Trace, after: Trace, key: str) -> None:
    entry = before.entry(key)
    after.given(f"before.{key}", entry.value, entry.unit, entry.origin if isinstance(entry, Given) else _COUNTED)


def _sum(trace: Trace, key: str, items: Sequence[str]) -> str:
    _computed(trace, key, sum_bytes, items=items)
    return key


def _computed(trace: Trace, key: str, function: Callable[..., Any], **inputs: str | Sequence[str]) -> Any:
    if key in trace:
        return trace[key]
    return trace.compute(key, function, **inputs)
