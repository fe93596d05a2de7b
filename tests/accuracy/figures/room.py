"""The room for the cache, and what it holds: tokens, requests, blocks.

Where the engine prints how much room it found, what it prints about that room is predicted from it: that checks the
bytes of the cache without the error in what else lies on the card. How well the room itself is predicted is a kind of
figure of its own.
"""

from typing import Any

from core.catalogue.records import Allocator
from core.sizing.report import Sizing
from core.units import GIB
from tests.accuracy import choices, machines
from tests.accuracy.figures import cache, sglang, weights
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Unusable

#: Until this release of vLLM the first of several ranks alone chose words.
LAST_WITH_ONE_CHOOSER = (0, 8)
#: What engines choose by the memory of the accelerator, not by the part of it that was printed.
CHOSEN_BY_MEMORY = {"prefill_chunk": "engine.prefill_chunk", "max_requests": "engine.max_requests"}
#: By so much tokens may differ from requests times their length, which are printed with two decimals.
ROUNDED = 0.01


def printed_bytes(q: Asked) -> float | None:
    """The room for the cache on one accelerator that the engine printed."""
    found = q.observed
    parts = [found.number(name) for name in ("kv_k_gib", "kv_v_gib")]
    if parts[0] is not None and parts[1] is not None:
        return (parts[0] + parts[1]) * GIB + _beside(q)
    for name, unit in (("available_kv_gib", GIB), ("kv_gib", GIB), ("kv_bytes", 1)):
        value = found.number(name)
        if value is not None:
            return value * unit
    given = q.record.part("flags").number("kv_cache_memory_gib")  # by the user, who states no share then
    return None if given is None else given * GIB


def _beside(q: Asked) -> float:
    """Short keys of as many tokens as were printed, which stand beside keys and values."""
    tokens = q.observed.count("kv_tokens") if sglang.is_sglang(q) else None
    return tokens * sglang.index_rate(sglang.alone(q)) if tokens else 0.0


def with_printed(q: Asked, pool: float | None = None) -> Sizing:
    """The sizing with as much room for the cache as was printed, whatever else lies on the card."""
    room = printed_bytes(q) if pool is None else pool
    if room is None:
        return _with_own(q)
    room -= scores_elsewhere(q)
    if room <= 0:
        raise Unusable("there is no room for a cache")
    alone: dict[str, Any] = {"deployment__runtime_bytes": 0, "deployment__memory_share": 1.0}
    if sglang.is_sglang(q) and "available_kv_gib" not in q.observed.fields:
        alone["deployment__draft_tokens"] = 0  # the printed cache is the model's alone
    for name, key in CHOSEN_BY_MEMORY.items():
        if key in q.sizing.trace:
            alone[f"deployment__{name}"] = q.sizing.trace[key]
    unlimited = q.case.sized(deployment__capacity_bytes=machines.UNLIMITED_BYTES, **alone)
    fixed = unlimited.trace["accelerator.fixed_bytes"]
    return q.case.sized(deployment__capacity_bytes=round(fixed + room), **alone)


def _with_own(q: Asked) -> Sizing:
    if not q.case.weights_known or not q.case.device_known:
        raise Unusable("neither the room for the cache nor the device and the weights are stated")
    return q.sizing


def free(q: Asked) -> float:
    """What is free; to a worker without scores as many bytes more."""
    described, trace = weights.described(q), q.sizing.trace
    more = 0.0 if described is None else described - float(trace["accelerator.weights_bytes"])
    return float(trace["accelerator.free_for_kv_bytes"]) - more + scores_elsewhere(q)


def scores_elsewhere(q: Asked) -> float:
    """What the peak of the first rank has over that of the others.

    Until vLLM 0.8 the first of several tensor-parallel ranks alone chose words, and every worker printed its own
    account, with its peak: reports show that of another unless they say so. The engine itself takes the smallest room.
    """
    release, trace = choices.release_of(q.record, q.case.engine), q.sizing.trace
    if q.record.part("flags").flag("account_of_first_rank"):
        return 0.0
    account = q.case.engine.allocator is Allocator.VLLM and "activation_peak_gib" in q.observed.fields
    if not account or not release or release[:2] > LAST_WITH_ONE_CHOOSER or trace["plan.tensor"] < 2:
        return 0.0
    return float(trace["runtime.peak_bytes"] - trace["runtime.activation_bytes"])


def left_free(q: Asked) -> float:
    """What SGLang leaves beside its pools: all but its share, and the table of the tokens of its requests."""
    if not sglang.is_sglang(q):
        raise Unusable("this engine does not say what it leaves free")
    trace = q.sizing.trace
    return float(trace["tier.0.usable_bytes"]) - float(trace["tier.0.limit_bytes"]) - sglang.table_bytes(q)


def tokens(q: Asked) -> float:
    """Tokens that the printed room holds, as the engine's release counts them."""
    trace = with_printed(q).trace
    if "kv_pool.tokens_by_group" in trace and _counts_one_group(q):
        return float(trace["kv_pool.tokens_by_group"] * trace["engine.context_parallel"])
    if "kv_pool.tokens" in trace and (q.record.count("max_model_len") or "kv_pool.concurrency" not in trace):
        return sglang.at_most_asked(q, float(trace["kv_pool.tokens"]))
    return float(trace["accelerator.free_for_kv_bytes"]) / cache.rank_bytes_per_token(q.sizing)


def _counts_one_group(q: Asked) -> bool:
    """Are the printed tokens those of one group? Where no release is stated, all that was printed beside them tells."""
    at_once, each = q.observed.number("max_concurrency"), q.record.count("max_model_len")
    printed = q.observed.count(q.name)
    if choices.version(q.record) is None and at_once and each and printed:
        return abs(printed / (at_once * each) - 1) > ROUNDED
    release = choices.release_of(q.record, q.case.engine)
    return release is not None and release < choices.BY_REQUESTS_SINCE


def requests(q: Asked) -> float:
    """Requests of full length that the printed room holds, with the fraction that engines print."""
    q.needs_context()
    trace = with_printed(q).trace
    if "kv_pool.concurrency" in trace:
        return float(trace["kv_pool.concurrency"])
    return float(trace["accelerator.free_for_kv_bytes"] / trace["accelerator.bytes_per_request"])


def blocks_of_printed(q: Asked) -> float:
    """Blocks of the pool in the printed room."""
    trace = with_printed(q).trace
    if "kv_pool.blocks" not in trace:
        raise Unusable("this engine has no blocks")
    return float(trace["kv_pool.blocks"])


def blocks(q: Asked) -> float:
    return q.recorded("kv_pool.blocks")


def longest(q: Asked) -> float:
    """What the room holds; while vLLM asked layer by layer, what it then found by halving."""
    q = cache.as_asked(q)
    trace, room = with_printed(q).trace, printed_bytes(q)
    most = q.record.count("max_model_len")
    if "kv_pool.asked_bytes" not in trace or room is None or most is None:
        return float(trace["max_context_tokens"])
    fits, beyond = 0, most + 1
    while beyond - fits > 1:
        tried = (fits + beyond) // 2
        sizing = q.case.sized(workload__context_tokens=tried, workload__prompt_tokens=max(1, tried - 1))
        fits, beyond = (tried, beyond) if sizing.trace["kv_pool.asked_bytes"] <= room else (fits, tried)
    return float(fits)
