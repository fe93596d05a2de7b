"""The shares of SGLang: pools in fixed ratios, for windows and for states."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics import kv_cache as kv
from core.physics import rank_cache
from core.physics.reservation import compressed
from core.physics.reservation import sglang as rules
from core.sizing.engine_defaults import (
    COMPRESSED_BY_REQUEST_SINCE,
    RINGS_BY_REQUEST_SINCE,
    STATES_TRACKED_SINCE,
    WINDOWS_BY_REQUEST_SINCE,
    before,
)
from core.sizing.groups import cached_groups, given_draft_tokens, is_split, source_of_model
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
COMPRESSED_SOURCE = Origin(
    OriginKind.METHOD,
    "SGLang 0.5.23, model_executor/pool_configurator.py: DSV4_DEFAULT_SWA_FULL_TOKENS_RATIO",
    "https://github.com/sgl-project/sglang",
    "2026-12",
)
BY_REQUEST = Origin(
    OriginKind.METHOD,
    "SGLang 0.5.23, model_executor/pool_configurator.py: compute_swa_request_cap",
    "https://github.com/sgl-project/sglang",
    "2026-12",
)
WINDOW_RATIO, STATE_RATIO, COMPRESSED_RATIO = 0.8, 0.9, 0.1
CACHED_SLOTS = 3  # states per request with prefix caching: the one in use, and two to come back to
TRACKED_SLOTS = 2  # and two more in which the next one to come back to is tracked
LONG_SPAN = 128  # tokens: the rings of such spans stand by requests
KEPT_WINDOWS = 4  # to come back to, for each request


#: Tokens of the pool without a window that a request makes taken, by what it holds in either pool.
TOKENS_OF_REQUEST = "kv_pool.tokens_of_request"


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Tokens of every pool for one request."""
    shares = []
    mixed = any(not group.window for _, group in cached_groups(s.blueprint))
    pooled = _tokens_in_both_pools(trace, s) if mixed and not s.deployment.full_windows and not _by_request(s) else ""
    for number, group in cached_groups(s.blueprint):
        if group.kind is AttentionKind.COMPRESSED:
            shares.append(_compressed_pools(trace, s, number, group))
        elif group.window and mixed and not s.deployment.full_windows:
            shares.append((_windows_by_request if _by_request(s) else _window_pool)(trace, s, number))
        else:
            reserved = pooled or blocks.whole_blocks(trace, "workload.context_tokens", f"kv.{number}.tokens_reserved")
            shares.append(blocks.blocks_of_group(trace, s, number, (reserved, ""), group))
    rates = [share.rate for share in shares if share.rate]
    if rates:
        trace.compute("kv_pool.rate", kv.total_bytes_per_token, groups=rates)
    if not s.blueprint.recurrent:
        return Reservation(tuple(shares), "engine.block_tokens")
    if not rates:  # states alone
        return Reservation(tuple(blocks.states(trace, s)), "engine.block_tokens")
    return _with_states(trace, s, shares)


def _tokens_in_both_pools(trace: Recipe, s: Setup) -> str:
    """Record the tokens of the pool without a window that one request makes taken; "" where all have none."""
    windows = [
        group.window
        for _, group in cached_groups(s.blueprint)
        if group.window and group.kind is not AttentionKind.COMPRESSED
    ]
    if not windows:
        return ""
    trace.given("window_pool_ratio", WINDOW_RATIO, Unit.RATIO, SOURCE)
    trace.given("kv_pool.window", max(windows), Unit.TOKEN, source_of_model(s))
    tokens = blocks.whole_blocks(trace, "workload.context_tokens", "kv_pool.tokens_reserved")
    inputs = {"tokens": tokens, "window": "kv_pool.window", "ratio": "window_pool_ratio"}
    trace.compute(TOKENS_OF_REQUEST, rules.tokens_of_request, **inputs)
    return TOKENS_OF_REQUEST


def _window_pool(trace: Recipe, s: Setup, number: int) -> Share:
    """So many tokens of the window pool for each token of the other."""
    key = f"kv.{number}"
    keys, tokens = {}, TOKENS_OF_REQUEST
    for name, rate in (("whole", f"{key}.bytes_per_token"), ("part", blocks.rate_key(trace, number))):
        keys[name] = f"{key}.{name}_pool_bytes_per_token"
        trace.compute(keys[name], rules.window_pool_bytes_per_token, bytes_per_token=rate, ratio="window_pool_ratio")
    whole = part = f"{key}.reserved_bytes"
    copies = {"kv_heads": f"{key}.kv_heads", "tensor": "plan.tensor"}
    trace.compute(whole, rank_cache.group_reserved_bytes, bytes_per_token=keys["whole"], tokens=tokens, **copies)
    if is_split(s):
        part = f"{key}.rank_bytes"
        trace.compute(part, rank_cache.group_cache_bytes, bytes_per_token=keys["part"], tokens=tokens)
    return Share(False, part, whole, keys["part"])


def _by_request(s: Setup) -> bool:
    """Does the pool of windows go by the requests that may run?"""
    chosen = s.deployment.prefix_caching is False and s.deployment.max_requests is not None
    return chosen and not before(s, WINDOWS_BY_REQUEST_SINCE)


def _windows_by_request(trace: Recipe, s: Setup, number: int) -> Share:
    """As many tokens of the window pool for each request as it may hold."""
    key = f"kv.{number}"
    tokens = _window_tokens(trace, number, "engine.block_tokens", 0)
    whole, part = f"{key}.reserved_bytes", f"{key}.rank_window_bytes"
    copies = {"kv_heads": f"{key}.kv_heads", "tensor": "plan.tensor"}
    trace.compute(
        whole, rank_cache.group_reserved_bytes, bytes_per_token=f"{key}.bytes_per_token", tokens=tokens, **copies
    )
    trace.compute(part, rank_cache.group_cache_bytes, bytes_per_token=blocks.rate_key(trace, number), tokens=tokens)
    return Share(False, part, whole, constant=part)


def _window_tokens(trace: Recipe, number: int, page: str, kept: int) -> str:
    key = f"kv.{number}"
    trace.given(f"{key}.kept_windows", kept, Unit.COUNT, BY_REQUEST)
    window = {"window": f"{key}.window", "page": page, "kept": f"{key}.kept_windows"}
    trace.compute(f"{key}.window_reserved", rules.window_tokens_of_request, **window)
    return f"{key}.window_reserved"


def _compressed_pools(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> Share:
    """Vectors that grow with the tokens, and windows and rings: by tokens, whatever the window, or by requests."""
    key = f"kv.{number}"
    by_tokens = s.deployment.full_windows or before(s, COMPRESSED_BY_REQUEST_SINCE)
    rate, fixed = (_windows_by_token if by_tokens else _compressed_by_request)(trace, s, number, group)
    tokens = blocks.whole_blocks(trace, "workload.context_tokens", f"{key}.tokens_reserved")
    bounded = {"window_bytes": fixed, "ring_bytes": "nothing_bytes"}
    replica = f"{key}.replica_bytes"
    trace.compute(replica, compressed.request_bytes, bytes_per_token=rate, tokens=tokens, **bounded)
    trace.compute(f"{key}.reserved_bytes", rank_cache.times_ranks, whole_bytes=replica, tensor="plan.tensor")
    if s.plan.pipeline == 1:
        return Share(False, replica, f"{key}.reserved_bytes", rate, fixed)
    stage = {"layers": f"{key}.layers", "pipeline": "plan.pipeline"}
    trace.compute(f"{key}.rank_bytes", rank_cache.stage_bytes, whole_bytes=replica, **stage)
    trace.compute(f"{key}.rank_bounded_bytes", rank_cache.stage_bytes, whole_bytes=fixed, **stage)
    part = f"{key}.part_pool_bytes_per_token"
    heads = {"kv_heads": f"{key}.kv_heads", "tensor": "plan.tensor"}
    trace.compute(part, rank_cache.rank_bytes_per_token, bytes_per_token=rate, **heads, **stage)
    return Share(False, f"{key}.rank_bytes", f"{key}.reserved_bytes", part, f"{key}.rank_bounded_bytes")


def _compressed_by_request(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> tuple[str, str]:
    """The keys of what grows with each token, and of what a request takes beside it."""
    key, fixed, nothing = f"kv.{number}", f"kv.{number}.bounded_bytes", "nothing_bytes"
    cached = s.deployment.prefix_caching is not False
    long = group.compression == LONG_SPAN
    trace.compute(
        fixed,
        rules.compressed_windows_bytes,
        tokens=_window_tokens(trace, number, "engine.block_tokens", KEPT_WINDOWS if cached else 0),
        layers=f"{key}.layers",
        record_bytes=f"{key}.record_bytes",
        ring_bytes=nothing if long else f"{key}.ring_bytes",
        page="engine.block_tokens",
        long_ring_bytes=f"{key}.ring_bytes" if long else nothing,
    )
    return f"{key}.bytes_per_token", fixed


def _windows_by_token(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> tuple[str, str]:
    """The same of older releases; rings of long spans stood by requests before windows did."""
    key, nothing = f"kv.{number}", "nothing_bytes"
    ratio = 1.0 if s.deployment.full_windows else COMPRESSED_RATIO
    trace.given("window_pool_ratio", ratio, Unit.RATIO, CHOICE if s.deployment.full_windows else COMPRESSED_SOURCE)
    by_request = group.compression == LONG_SPAN and not before(s, RINGS_BY_REQUEST_SINCE)
    rate, fixed = f"{key}.whole_pool_bytes_per_token", f"{key}.ring_bytes" if by_request else nothing
    trace.compute(
        rate,
        rules.compressed_pool_bytes_per_token,
        bytes_per_token=f"{key}.bytes_per_token",
        layers=f"{key}.layers",
        record_bytes=f"{key}.record_bytes",
        ring_bytes=nothing if by_request else f"{key}.ring_bytes",
        window=f"{key}.window",
        ratio="window_pool_ratio",
    )
    return rate, fixed


def _slots(trace: Recipe, s: Setup) -> int:
    """States that one request occupies: one alone or with those to come back to, and those of guessed tokens."""
    cached = CACHED_SLOTS if before(s, STATES_TRACKED_SINCE) else CACHED_SLOTS + TRACKED_SLOTS
    guessed = given_draft_tokens(trace, s)
    return (cached if s.deployment.prefix_caching is not False else 1) + (guessed + 1 if guessed else 0)


def _with_states(trace: Recipe, s: Setup, shares: list[Share]) -> Reservation:
    """Both pools grow in step: what one request takes of either is what the scarcer one makes it take."""
    trace.given("state_pool_ratio", STATE_RATIO, Unit.RATIO, SOURCE)
    trace.given("state_slots", _slots(trace, s), Unit.COUNT, SOURCE if s.deployment.prefix_caching is None else CHOICE)
    kept = {"whole": [share.whole for share in shares], "part": [share.bytes for share in shares]}
    sides: dict[str, tuple[str, str]] = {}
    for name in ("whole", "part"):
        states = _states(trace, s, name)
        trace.compute(f"pools.{name}_kv_bytes", rank_cache.cache_bytes, groups=kept[name])
        pools = {"kv_bytes": f"pools.{name}_kv_bytes", "state_bytes": states, "ratio": "state_pool_ratio"}
        sides[name] = f"pools.{name}_kv_side_bytes", f"pools.{name}_state_side_bytes"
        trace.compute(sides[name][0], rules.cache_side_bytes, **pools)
        trace.compute(sides[name][1], rules.state_side_bytes, **pools)
    trace.compute(
        "pools.growth", rules.growth_with_both_pools, bytes_per_token="kv_pool.rate", ratio="state_pool_ratio"
    )
    empty = {"kv_bytes": "nothing_bytes", "state_bytes": "pools.part_state_bytes", "ratio": "state_pool_ratio"}
    trace.compute("pools.least_kv_bytes", rules.cache_side_bytes, **empty)
    trace.compute(
        "pools.least_bytes", rank_cache.cache_bytes, groups=["pools.least_kv_bytes", "pools.part_state_bytes"]
    )
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
    trace.compute(f"pools.{name}_one_state_bytes", rank_cache.cache_bytes, groups=keys)
    key = f"pools.{name}_state_bytes"
    trace.compute(key, rules.state_slots_bytes, state_bytes=f"pools.{name}_one_state_bytes", slots="state_slots")
    return key
