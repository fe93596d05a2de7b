"""The shares of SGLang: pools in fixed ratios, for windows and for states."""

from core.architecture.blueprint import AttentionKind
from core.physics import kv_cache as kv
from core.physics.reservation import sglang as rules
from core.sizing.groups import cached_groups, given_draft_tokens, is_split
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation, Share
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

SOURCE = Origin(
    OriginKind.METHOD,
    "SGLang 0.5.23, arg_groups/fields/schedule.py",
    "https://github.com/sgl-project/sglang",
    "2026-11",
)
WINDOW_RATIO, STATE_RATIO = 0.8, 0.9
CACHED_SLOTS = 3  # states per request with prefix caching: the one in use, and two to come back to


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Tokens of every pool for one request."""
    shares = []
    mixed = any(not group.window for _, group in cached_groups(s.blueprint))
    for number, group in cached_groups(s.blueprint):
        windowed = group.window and mixed and group.kind is not AttentionKind.COMPRESSED
        if windowed and not s.deployment.full_windows:
            shares.append(_window_pool(trace, s, number))
        else:
            reserved = blocks.whole_blocks(trace, "workload.context_tokens", f"kv.{number}.tokens_reserved")
            shares.append(blocks.blocks_of_group(trace, s, number, (reserved, ""), group))
    rates = [share.rate for share in shares]
    if rates:
        trace.compute("kv_pool.rate", kv.total_bytes_per_token, groups=rates)
    if not s.blueprint.recurrent:
        return Reservation(tuple(shares), "engine.block_tokens")
    return _with_states(trace, s, shares)


def _window_pool(trace: Recipe, s: Setup, number: int) -> Share:
    """So many tokens of the window pool for each token of the other."""
    key = f"kv.{number}"
    trace.given("window_pool_ratio", WINDOW_RATIO, Unit.RATIO, SOURCE)
    tokens = blocks.whole_blocks(trace, "workload.context_tokens", f"{key}.tokens_reserved")
    keys = {}
    for name, rate in (("whole", f"{key}.bytes_per_token"), ("part", blocks.rate_key(trace, number))):
        keys[name] = f"{key}.{name}_pool_bytes_per_token"
        trace.compute(keys[name], rules.window_pool_bytes_per_token, bytes_per_token=rate, ratio="window_pool_ratio")
    whole = part = f"{key}.reserved_bytes"
    copies = {"kv_heads": f"{key}.kv_heads", "tensor": "plan.tensor"}
    trace.compute(whole, kv.group_reserved_bytes, bytes_per_token=keys["whole"], tokens=tokens, **copies)
    if is_split(s):
        part = f"{key}.rank_bytes"
        trace.compute(part, kv.group_cache_bytes, bytes_per_token=keys["part"], tokens=tokens)
    return Share(False, part, whole, keys["part"])


def _with_states(trace: Recipe, s: Setup, shares: list[Share]) -> Reservation:
    """Both pools grow in step: what one request takes of either is what the scarcer one makes it take."""
    cached = s.deployment.prefix_caching is not False
    trace.given("state_pool_ratio", STATE_RATIO, Unit.RATIO, SOURCE)
    slots = (CACHED_SLOTS if cached else 1) + given_draft_tokens(trace, s)
    trace.given("state_slots", slots, Unit.COUNT, SOURCE if s.deployment.prefix_caching is None else CHOICE)
    kept = {"whole": [share.whole for share in shares], "part": [share.bytes for share in shares]}
    sides: dict[str, tuple[str, str]] = {}
    for name in ("whole", "part"):
        states = _states(trace, s, name)
        trace.compute(f"pools.{name}_kv_bytes", kv.cache_bytes, groups=kept[name])
        pools = {"kv_bytes": f"pools.{name}_kv_bytes", "state_bytes": states, "ratio": "state_pool_ratio"}
        sides[name] = f"pools.{name}_kv_side_bytes", f"pools.{name}_state_side_bytes"
        trace.compute(sides[name][0], rules.cache_side_bytes, **pools)
        trace.compute(sides[name][1], rules.state_side_bytes, **pools)
    trace.compute(
        "pools.growth", rules.growth_with_both_pools, bytes_per_token="kv_pool.rate", ratio="state_pool_ratio"
    )
    empty = {"kv_bytes": "nothing_bytes", "state_bytes": "pools.part_state_bytes", "ratio": "state_pool_ratio"}
    trace.compute("pools.least_kv_bytes", rules.cache_side_bytes, **empty)
    trace.compute("pools.least_bytes", kv.cache_bytes, groups=["pools.least_kv_bytes", "pools.part_state_bytes"])
    return Reservation(
        (
            Share(False, sides["part"][0], sides["whole"][0], "pools.growth"),
            Share(True, sides["part"][1], sides["whole"][1]),
        ),
        "engine.block_tokens",
        least="pools.least_bytes",
    )


def _states(trace: Recipe, s: Setup, name: str) -> str:
    part = "rank_bytes" if name == "part" and is_split(s) else "bytes"
    keys = [f"state.{number}.{part}" for number in range(len(s.blueprint.recurrent))]
    trace.compute(f"pools.{name}_one_state_bytes", kv.cache_bytes, groups=keys)
    key = f"pools.{name}_state_bytes"
    trace.compute(key, rules.state_slots_bytes, state_bytes=f"pools.{name}_one_state_bytes", slots="state_slots")
    return key
