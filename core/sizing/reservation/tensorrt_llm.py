"""The shares of TensorRT-LLM: blocks of the tokens within reach, as far as its release lets go of the others."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics.reservation import tensorrt_llm as rules
from core.sizing.engine_defaults import keeps_all_in_tensorrt_llm
from core.sizing.groups import cached_groups
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation
from core.sizing.situation import Setup
from core.trace import Recipe


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Blocks of the tokens within reach of each group of layers."""
    shares = [
        blocks.blocks_of_group(trace, s, number, _tokens(trace, s, number, group), group)
        for number, group in cached_groups(s.blueprint)
    ]
    return Reservation((*shares, *blocks.states(trace, s)), "engine.block_tokens")


def _tokens(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> tuple[str, str]:
    key = f"kv.{number}"
    reserved, full = f"{key}.tokens_reserved", f"{key}.window_reserved"
    kept = s.deployment.full_windows or keeps_all_in_tensorrt_llm(s, group.kind is AttentionKind.CHUNK)
    if not group.window or group.kind is AttentionKind.COMPRESSED or kept:
        return blocks.whole_blocks(trace, "workload.context_tokens", reserved), ""
    rule = {"window": f"{key}.window", "block_tokens": "engine.block_tokens"}
    trace.compute(reserved, rules.window_tokens, tokens="workload.context_tokens", **rule)
    trace.compute(full, rules.window_tokens, tokens=f"{key}.window", **rule)
    return reserved, full
