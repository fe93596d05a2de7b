"""The shares of llama.cpp: cells for every slot, a shorter cache for windows, rows for states."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics.reservation import llama_cpp as rules
from core.sizing.engine_defaults import CELLS_ALIKE_SINCE, WINDOWS_APART_SINCE, before, uses_flash_attention
from core.sizing.groups import cached_groups, given_chunk, given_draft_tokens, is_split
from core.sizing.origins import METHOD
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation, Share
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import Unit

SHARING = "slots_in_a_stream"


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Cells of one slot."""
    shared = s.deployment.shared_slots
    trace.given(SHARING, s.sharing, Unit.COUNT, CHOICE if shared else METHOD)
    fewer = before(s, CELLS_ALIKE_SINCE) and not uses_flash_attention(s)
    trace.given("cache_step_tokens", rules.FEWER_CELLS if fewer else rules.CELLS, Unit.TOKEN, METHOD)
    given_chunk(trace, s)
    shares = [
        blocks.blocks_of_group(trace, s, number, _cells(trace, s, number, group), group)
        for number, group in cached_groups(s.blueprint)
    ]
    return Reservation((*shares, *_rows(trace, s)), "cache_step_tokens")


def _cells(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> tuple[str, str]:
    key = f"kv.{number}"
    reserved, full = f"{key}.tokens_reserved", f"{key}.window_reserved"
    whole = s.deployment.full_windows or before(s, WINDOWS_APART_SINCE)
    if not group.window or group.kind is AttentionKind.COMPRESSED or whole:
        trace.compute(
            reserved, rules.full_cells, tokens="workload.context_tokens", sharing=SHARING, step="cache_step_tokens"
        )
        return reserved, ""
    rule = {"sharing": SHARING, "window": f"{key}.window", "micro_batch": "engine.prefill_chunk"}
    rule["step"] = "cache_step_tokens"
    trace.compute(reserved, rules.window_cells, tokens="workload.context_tokens", **rule)
    trace.given("longest_request_tokens", 10**9, Unit.TOKEN, METHOD)
    trace.compute(full, rules.window_cells, tokens="longest_request_tokens", **rule)
    return reserved, full


def _rows(trace: Recipe, s: Setup) -> list[Share]:
    if not given_draft_tokens(trace, s):
        return blocks.states(trace, s)
    shares = []
    for number in range(len(s.blueprint.recurrent)):
        key, keys = f"state.{number}", []
        for part in ("bytes", "rank_bytes") if is_split(s) else ("bytes",):
            keys.append(f"{key}.rows_{part}")
            trace.compute(
                keys[-1], rules.state_rows_bytes, state_bytes=f"{key}.{part}", draft_tokens="engine.draft_tokens"
            )
        shares.append(Share(True, keys[-1], keys[0], constant=keys[-1]))
    return shares
