"""Whole blocks of tokens, and states as they are: the common ground of all engines, and the rule for unknown ones."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics import rank_cache
from core.physics.reservation import compressed
from core.sizing.groups import cached_groups, is_split
from core.sizing.reservation.share import Reservation, Share
from core.sizing.situation import Setup
from core.trace import Recipe


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Blocks of the tokens within reach."""
    shares = [
        blocks_of_group(trace, s, number, _tokens(trace, number, group), group)
        for number, group in cached_groups(s.blueprint)
    ]
    return Reservation((*shares, *states(trace, s)), "engine.block_tokens")


def _tokens(trace: Recipe, number: int, group: AttentionGroup) -> tuple[str, str]:
    """The keys of the tokens that a group reserves, at the context limit and once its window is full."""
    key = f"kv.{number}"
    if not group.window or group.kind is AttentionKind.COMPRESSED:
        return whole_blocks(trace, "workload.context_tokens", f"{key}.tokens_reserved"), ""
    held = whole_blocks(trace, f"{key}.tokens_held", f"{key}.tokens_reserved")
    return held, whole_blocks(trace, f"{key}.window", f"{key}.window_reserved")


def whole_blocks(trace: Recipe, tokens: str, key: str) -> str:
    """The key of the tokens in whole blocks; the tokens themselves where a block is one token."""
    if trace["engine.block_tokens"] == 1:
        return tokens
    trace.compute(key, rank_cache.tokens_reserved, tokens=tokens, block_tokens="engine.block_tokens")
    return key


def rate_key(trace: Recipe, group: int) -> str:
    """The key of a group's bytes per token on one accelerator."""
    key = f"kv.{group}.rank_bytes_per_token"
    return key if key in trace else f"kv.{group}.bytes_per_token"


def blocks_of_group(trace: Recipe, s: Setup, number: int, tokens: tuple[str, str], group: AttentionGroup) -> Share:
    """Record the bytes of one group for the tokens that it reserves: whole, and on one accelerator."""
    if group.kind is AttentionKind.COMPRESSED:
        return _compressed(trace, s, number, tokens[0])
    key, rate = f"kv.{number}", rate_key(trace, number)
    reserved, at_limit = tokens
    full = ""
    if at_limit:
        full = f"{key}.rank_window_bytes"
        trace.compute(full, rank_cache.group_cache_bytes, bytes_per_token=rate, tokens=at_limit)
    whole = part = f"{key}.reserved_bytes"
    counted = f"{key}.bytes_per_token"
    if s.plan.tensor > 1:
        trace.compute(
            whole,
            rank_cache.group_reserved_bytes,
            bytes_per_token=counted,
            tokens=reserved,
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
        )
    else:
        trace.compute(whole, rank_cache.group_cache_bytes, bytes_per_token=counted, tokens=reserved)
    if is_split(s):
        part = f"{key}.rank_bytes"
        trace.compute(part, rank_cache.group_cache_bytes, bytes_per_token=rate, tokens=reserved)
    return Share(False, part, whole, rate, full=full, limit=int(trace[at_limit]) if at_limit else 0)


def _compressed(trace: Recipe, s: Setup, number: int, tokens: str) -> Share:
    """Vectors that grow, and windows and rings that do not; every rank keeps them all."""
    key = f"kv.{number}"
    bounded = {"window_bytes": f"{key}.window_bytes", "ring_bytes": f"{key}.ring_bytes"}
    trace.compute(
        f"{key}.replica_bytes",
        compressed.request_bytes,
        bytes_per_token=f"{key}.bytes_per_token",
        tokens=tokens,
        **bounded,
    )
    whole = f"{key}.reserved_bytes"
    trace.compute(whole, rank_cache.times_ranks, whole_bytes=f"{key}.replica_bytes", tensor="plan.tensor")
    constant = f"{key}.bounded_bytes"
    full = {"context_tokens": f"{key}.window", "window": f"{key}.window"}
    shape = {"layers": f"{key}.layers", "record_bytes": f"{key}.record_bytes"}
    trace.compute(f"{key}.full_window_bytes", compressed.window_bytes, **shape, **full)
    trace.compute(constant, rank_cache.cache_bytes, groups=[f"{key}.full_window_bytes", f"{key}.ring_bytes"])
    part = f"{key}.replica_bytes"
    if s.plan.pipeline > 1:
        part = f"{key}.rank_bytes"
        stage = {"layers": f"{key}.layers", "pipeline": "plan.pipeline"}
        trace.compute(part, rank_cache.stage_bytes, whole_bytes=f"{key}.replica_bytes", **stage)
        trace.compute(f"{key}.rank_bounded_bytes", rank_cache.stage_bytes, whole_bytes=constant, **stage)
        constant = f"{key}.rank_bounded_bytes"
    return Share(False, part, whole, rate_key(trace, number), constant)


def states(trace: Recipe, s: Setup) -> list[Share]:
    """One state of each kind, whole and on one accelerator."""
    shares = []
    for number in range(len(s.blueprint.recurrent)):
        key = f"state.{number}"
        part = f"{key}.rank_bytes" if is_split(s) else f"{key}.bytes"
        shares.append(Share(True, part, f"{key}.bytes", constant=part))
    return shares
