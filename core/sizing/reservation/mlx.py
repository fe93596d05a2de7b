"""The shares of mlx-lm: steps of 256 tokens, and rings."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics.reservation import mlx as rules
from core.sizing.groups import cached_groups
from core.sizing.origins import METHOD
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation
from core.sizing.situation import Setup
from core.trace import Recipe
from core.units import Unit


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """What the caches have grown to."""
    trace.given("cache_step_tokens", rules.STEP, Unit.TOKEN, METHOD)
    shares = [
        blocks.blocks_of_group(trace, s, number, _tokens(trace, number, group), group)
        for number, group in cached_groups(s.blueprint)
    ]
    return Reservation((*shares, *blocks.states(trace, s)), "cache_step_tokens")


def _tokens(trace: Recipe, number: int, group: AttentionGroup) -> tuple[str, str]:
    key = f"kv.{number}"
    reserved = f"{key}.tokens_reserved"
    if not group.window or group.kind is AttentionKind.COMPRESSED:
        trace.compute(reserved, rules.grown_tokens, tokens="workload.context_tokens")
        return reserved, ""
    trace.compute(reserved, rules.rotating_tokens, tokens="workload.context_tokens", window=f"{key}.window")
    return reserved, f"{key}.window"
