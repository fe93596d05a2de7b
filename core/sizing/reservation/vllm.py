"""The shares of vLLM: pages of one size from one pool, in groups of layers of one size.

Three cases, as in its planner. Where every layer keeps every token, pages of different sizes stand side by side and a
request takes whole blocks. Where windows or states are among the layers, all take pages of the same size. DeepSeek V4
has pages of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import lcm
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind, RecurrentKind
from core.catalogue.records import DeviceFamily
from core.physics import kv_cache as kv
from core.physics.memory import largest_block
from core.physics.reservation import compressed, vllm_pages, vllm_pool, vllm_requests
from core.sizing.engine_defaults import (
    ASKED_BY_GROUP_SINCE,
    BLOCKS_COUNTED_SINCE,
    BUCKETS_SINCE,
    FLASH_LATENTS_SINCE,
    ONE_LAYOUT_SINCE,
    PAGES_FILLED_UP_SINCE,
    STATES_COME_BACK_SINCE,
    batches_under_way,
    before,
    groups_as_largest,
    keeps_all_of_windows,
    prepared_requests,
)
from core.sizing.groups import (
    LATENT,
    cached_groups,
    given_chunk,
    given_draft_tokens,
    guesses_with_own_layers,
    source_of_model,
    usable_bytes,
)
from core.sizing.origins import METHOD
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation, Share
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM 0.33, v1/core/kv_cache_planning.py, v1/kv_cache_interface.py and platforms/interface.py",
    "https://github.com/vllm-project/vllm",
    "2026-11",
)
PREFIX_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, engine/arg_utils.py, default_prefix_caching: on by default since 0.28 for models with recurrent states",
    "https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py",
    "2026-08",
)
FLASH_BLOCK, LATENT_BLOCK = 64, 16  # of FlashMLA, which these devices have, and of other kernels for latents
FLASH_ARCHITECTURES = ("hopper", "blackwell-dc")
ALIGNMENT, LATENT_ALIGNMENT = 16, 128  # of a hybrid's block
COMPRESSED_BLOCK = 256
RING_BLOCKS = (4, 8)  # of what waits where 4 tokens become one vector, and where 128 do
WINDOWS = "kv_pool.window_bytes"  # of all layers of DeepSeek V4, in the trace
UNDER_WAY = "accelerator.kv_under_way_bytes"  # what the prompt chunks take that are being read
#: In these releases models of these kinds keep the state at the end of every block where prefixes are cached
#: (models/config.py, mamba_cache_mode "all").
STATES_KEPT_SINCE, STATES_KEPT_UNTIL = (0, 12), (0, 28)
KEPT_KINDS = (RecurrentKind.MAMBA1, RecurrentKind.MAMBA2)
#: Since this release prefixes of all kinds of states can be come back to, at the ends of blocks ("align"); before,
#: nothing is kept of others whatever is asked for.
ALIGNED_SINCE = (0, 15)
#: Since these releases one state more is kept to come back to, which is written from within a prompt chunk
#: (num_prefill_checkpoint_blocks): of Mamba-2, and of gated DeltaNet where FlashInfer's kernels read prompts.
WRITTEN_WITHIN_SINCE = {RecurrentKind.MAMBA2: (0, 32), RecurrentKind.GATED_DELTANET: (0, 33)}
#: The generations of NVIDIA's devices that these kernels are for.
FLASHINFER_GENERATIONS = ("9", "10", "12")

TPU_BLOCKS = Origin(
    OriginKind.METHOD,
    "vLLM for TPUs, flash_attn.py: get_page_size, get_min_page_size",
    "https://github.com/vllm-project/tpu-inference/blob/main/tpu_inference/layers/vllm/backends/flash_attn.py",
    "2026-08",
)
#: Of a TPU: most pages of all requests that fit its scalar memory; the usual page, and where contexts are short.
TPU_PAGES, TPU_BLOCK, TPU_SHORT_CONTEXT, TPU_LARGEST_BLOCK = 131_072, 16, 8192, 256

Groups = tuple[tuple[int, AttentionGroup], ...]


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Blocks of the pool for one request."""
    caching = cached_groups(s.blueprint)
    given_draft_tokens(trace, s)
    trace.given("engine.context_parallel", s.deployment.context_parallel, Unit.COUNT, CHOICE)
    if any(group.kind is AttentionKind.COMPRESSED for _, group in caching):
        return _compressed(trace, s, caching)
    windows = [(n, group) for n, group in caching if group.window and not _promotes_window(s, group)]
    if windows or s.blueprint.recurrent:
        return _paged(trace, s, caching, [n for n, _ in windows])
    return _uniform(trace, s, caching)


def _promotes_window(s: Setup, group: AttentionGroup) -> bool:
    """Do layers with a window keep every token: asked for, or by release or accelerator?"""
    return s.deployment.full_windows or keeps_all_of_windows(s, group.kind is AttentionKind.CHUNK)


def keeps_every_state(s: Setup) -> bool:
    """Is the state at the end of every block kept, so that prefixes of any length can be come back to?"""
    if before(s, STATES_KEPT_SINCE) or not before(s, STATES_KEPT_UNTIL) or not _comes_back(s):
        return False
    return any(group.kind in KEPT_KINDS for group in s.blueprint.recurrent)


def _comes_back(s: Setup) -> bool:
    """Are prefixes of a model with recurrent states cached? Older releases do so for some kinds of them only."""
    chosen = s.deployment.prefix_caching
    if chosen is None:
        return not before(s, STATES_COME_BACK_SINCE)
    if not before(s, ALIGNED_SINCE):
        return chosen
    kept = any(group.kind in KEPT_KINDS for group in s.blueprint.recurrent)
    return chosen and kept and not before(s, STATES_KEPT_SINCE)


def _state_copies(s: Setup) -> int:
    """How many of each state a request holds: those that prefixes are come back to by stand beside the one in use."""
    return 2 + _writes_within(s) if _comes_back(s) else 1


def _writes_within(s: Setup) -> bool:
    """Is a state to come back to written in the midst of a prompt chunk, into a block of its own?"""
    generation, _, _ = s.device.compute_capability.partition(".")
    kinds = [group.kind for group in s.blueprint.recurrent if group.kind in WRITTEN_WITHIN_SINCE]
    return any(
        not before(s, WRITTEN_WITHIN_SINCE[kind])
        and (kind is RecurrentKind.MAMBA2 or generation in FLASHINFER_GENERATIONS)
        for kind in kinds
    )


def _block(trace: Recipe, s: Setup, default: int) -> None:
    """Record the tokens of a block: chosen, what the kernels need, or the engine's."""
    chosen = s.deployment.kv_block_tokens
    if chosen is not None:
        trace.given("engine.block_tokens", chosen, Unit.TOKEN, CHOICE)
    elif s.device.family is DeviceFamily.TPU:
        trace.given("engine.block_tokens", tpu_block_tokens(s), Unit.TOKEN, TPU_BLOCKS)
    elif default:
        trace.given("engine.block_tokens", default, Unit.TOKEN, SOURCE)


def tpu_block_tokens(s: Setup) -> int:
    """A block on a TPU: long enough that the pages of all requests at full length fit its scalar memory."""
    context = s.context_tokens
    requests = s.deployment.max_requests or prepared_requests(s, usable_bytes(s))
    least = _next_power(-(-context // max(1, TPU_PAGES // requests)))
    usual = _next_power(context) // 16 if context <= TPU_SHORT_CONTEXT else TPU_BLOCK
    return max(least, min(max(usual, TPU_BLOCK), TPU_LARGEST_BLOCK))


def _next_power(number: int) -> int:
    return 1 << (number - 1).bit_length()


def _latent_block(s: Setup, caching: Groups) -> int:
    """Tokens of a block that the kernels of latent attention want; 0 without it. Sparse ones always want 64."""
    if not _is_latent(caching):
        return 0
    flash = s.device.architecture in FLASH_ARCHITECTURES and not before(s, FLASH_LATENTS_SINCE)
    sparse = any(group.kind is AttentionKind.SPARSE_LATENT for _, group in caching)
    return FLASH_BLOCK if flash or sparse else LATENT_BLOCK


def _is_latent(caching: Groups) -> bool:
    return any(group.kind in LATENT for _, group in caching)


# ---- every layer keeps every token


def _uniform(trace: Recipe, s: Setup, caching: Groups) -> Reservation:
    _block(trace, s, _latent_block(s, caching))
    rates = [blocks.rate_key(trace, n) for n, _ in caching]
    pool = {"block_tokens": "engine.block_tokens"}
    if rates:
        trace.compute("kv_pool.block_bytes", vllm_pool.uniform_block_bytes, bytes_per_token=rates, **pool)
        trace.given("kv_pool.one_group", 1, Unit.COUNT, METHOD)
        _blocks(
            trace,
            "kv_pool.blocks_per_request",
            vllm_requests.growing_blocks,
            "engine.block_tokens",
            "kv_pool.one_group",
        )
    if s.deployment.context_parallel > 1:
        return _shared_out(trace, s, caching)
    shares = []
    for number, group in caching:
        reserved = blocks.whole_blocks(trace, "workload.context_tokens", f"kv.{number}.tokens_reserved")
        shares.append(blocks.blocks_of_group(trace, s, number, (reserved, ""), group))
    return Reservation(tuple(shares), "engine.block_tokens")


def _shared_out(trace: Recipe, s: Setup, caching: Groups) -> Reservation:
    """Ranks share out the context of a request: each keeps its part of the tokens."""
    ranks, tokens = {"ranks": "engine.context_parallel"}, "kv_pool.tokens_of_a_rank"
    trace.compute(tokens, vllm_requests.tokens_of_a_rank, tokens="workload.context_tokens", **ranks)
    shares = []
    for number, group in caching:
        reserved = blocks.whole_blocks(trace, tokens, f"kv.{number}.tokens_reserved")
        share = blocks.blocks_of_group(trace, s, number, (reserved, ""), group)
        growth = f"kv.{number}.growth"
        trace.compute(growth, vllm_requests.growth_of_a_rank, bytes_per_token=share.rate, **ranks)
        shares.append(replace(share, rate=growth))
    trace.compute("kv_pool.step_tokens", vllm_requests.tokens_of_all_ranks, block_tokens="engine.block_tokens", **ranks)
    return Reservation(tuple(shares), "kv_pool.step_tokens")


def _blocks(trace: Recipe, key: str, rule: Callable[..., Any], block: str, groups: str, **more: str) -> None:
    inputs = {"tokens": "workload.context_tokens", "block_tokens": block, "groups": groups, **more}
    if rule is vllm_requests.growing_blocks:
        inputs["context_parallel"] = "engine.context_parallel"
    trace.compute(key, rule, **inputs)


# ---- windows or states among the layers


def _paged(trace: Recipe, s: Setup, caching: Groups, windows: list[int]) -> Reservation:
    given_chunk(trace, s)
    numbers = tuple(number for number, _ in caching)
    _layer_caches(trace, numbers)
    states = _layer_states(trace, s)
    _hybrid_block(trace, s, caching, windows, states)
    trace.given("kv_pool.most_times", groups_as_largest(s), Unit.RATIO, SOURCE)
    _pages(trace, numbers, len(states), not before(s, PAGES_FILLED_UP_SINCE))
    shares = [_cache_share(trace, s, n, group, n in windows) for n, group in caching]
    shares += _state_shares(trace, s)
    _total_blocks(trace, s, [f"kv.{n}.blocks" for n, _ in caching])
    if before(s, ASKED_BY_GROUP_SINCE):
        _asked(trace, [f"kv.{n}" for n, _ in caching] + [f"state.{n}" for n in range(len(states))])
    if windows:
        steady = [f"kv.{n}.{'steady_bytes' if n in windows else 'rank_bytes'}" for n, _ in caching]
        trace.compute("accelerator.kv_steady_bytes_per_request", kv.cache_bytes, groups=steady)
    return Reservation(tuple(shares), _step(trace, caching))


def _layer_caches(trace: Recipe, numbers: tuple[int, ...]) -> None:
    """One layer's cache of each kind on one accelerator."""
    for number in numbers:
        key = f"kv.{number}"
        trace.compute(
            f"{key}.layer_bytes_per_token",
            vllm_pages.layer_bytes_per_token,
            bytes_per_token=f"{key}.bytes_per_token",
            layers=f"{key}.layers",
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
        )


def _layer_states(trace: Recipe, s: Setup) -> list[str]:
    """Record one layer's state of each kind on one accelerator; return the keys."""
    keys = []
    for number, group in enumerate(s.blueprint.recurrent):
        key = f"state.{number}"
        trace.given(f"{key}.convolution_tokens", group.convolution_tokens, Unit.TOKEN, source_of_model(s))
        trace.given(f"{key}.heads", group.heads, Unit.COUNT, source_of_model(s))
        parts = ("convolution_elements", "convolution_bytes", "convolution_tokens", "matrix_elements", "matrix_bytes")
        inputs = {name: f"{key}.{name}" for name in (*parts, "heads")}
        keys.append(f"{key}.layer_bytes")
        trace.compute(
            keys[-1], vllm_pages.layer_state_bytes, **inputs, draft_tokens="engine.draft_tokens", tensor="plan.tensor"
        )
    return keys


def _hybrid_block(trace: Recipe, s: Setup, caching: Groups, windows: list[int], states: list[str]) -> None:
    """Record the block: with states, as long as one of them is large; one that is chosen is what it is counted in."""
    if not states or not caching:
        _block(trace, s, _latent_block(s, caching))
        return
    chosen = s.deployment.kv_block_tokens
    alignment = max(LATENT_ALIGNMENT if _is_latent(caching) else ALIGNMENT, chosen or 0)
    if keeps_every_state(s):
        alignment = lcm(alignment, *(group.chunk_tokens for group in s.blueprint.recurrent))
    trace.given("engine.block_alignment", alignment, Unit.TOKEN, CHOICE if chosen == alignment else SOURCE)
    trace.compute("largest_state_bytes", vllm_pages.largest_state, states=states)
    first = next((n for n, _ in caching if n not in windows), caching[0][0])
    trace.compute(
        "engine.block_tokens",
        vllm_pages.hybrid_block_tokens,
        alignment="engine.block_alignment",
        state_bytes="largest_state_bytes",
        bytes_per_token=f"kv.{first}.layer_bytes_per_token",
    )


def _pages(trace: Recipe, numbers: tuple[int, ...], states: int, fills_up: bool) -> None:
    """The page of all layers, how many tokens of each kind go into it, and the groups that share the pool."""
    for number in numbers:
        key = f"kv.{number}"
        trace.compute(
            f"{key}.own_page_bytes",
            vllm_pages.block_of_layer,
            block_tokens="engine.block_tokens",
            bytes_per_token=f"{key}.layer_bytes_per_token",
        )
    pages = [f"kv.{n}.own_page_bytes" for n in numbers]
    pages += [f"state.{n}.layer_bytes" for n in range(states)]
    trace.compute("kv_pool.page_bytes", vllm_pages.page_bytes, pages=pages)
    for number in numbers:
        trace.compute(
            f"kv.{number}.block_tokens",
            vllm_pages.tokens_in_filled_page if fills_up else vllm_pages.tokens_in_page,
            page_bytes="kv_pool.page_bytes",
            own_bytes=f"kv.{number}.own_page_bytes",
            block_tokens="engine.block_tokens",
        )
    _write_grouping(trace, [f"kv.{n}" for n in numbers] + [f"state.{n}" for n in range(states)])


def _write_grouping(trace: Recipe, kinds: list[str]) -> None:
    """The groups, what a block of the pool takes, and the layers that do not exist."""
    layers = [f"{kind}.layers" for kind in kinds]
    trace.compute("kv_pool.group_size", vllm_pages.group_size, layers=layers, most_times="kv_pool.most_times")
    for kind in kinds:
        size = {"group_size": "kv_pool.group_size"}
        trace.compute(f"{kind}.groups", vllm_pages.groups_of, layers=f"{kind}.layers", **size)
    trace.compute("kv_pool.groups", vllm_requests.all_blocks, groups=[f"{kind}.groups" for kind in kinds])
    trace.compute(
        "kv_pool.phantom_layers",
        vllm_pages.phantom_layers,
        groups=[f"{kind}.groups" for kind in kinds],
        group_size="kv_pool.group_size",
        layers=layers,
    )
    trace.compute(
        "kv_pool.block_bytes",
        vllm_pool.pool_block_bytes,
        page_bytes="kv_pool.page_bytes",
        group_size="kv_pool.group_size",
        pipeline="plan.pipeline",
    )


def _cache_share(trace: Recipe, s: Setup, number: int, group: AttentionGroup, windowed: bool) -> Share:
    key = f"kv.{number}"
    block, groups = f"{key}.block_tokens", f"{key}.groups"
    more: dict[str, str] = {}
    rule: Callable[..., Any] = vllm_requests.growing_blocks
    if windowed:
        _in_flight(trace, s)
        rule = vllm_requests.chunk_blocks if group.kind is AttentionKind.CHUNK else vllm_requests.window_blocks
        more = {"window": f"{key}.window", "in_flight": "engine.tokens_in_flight"}
    _blocks(trace, f"{key}.blocks", rule, block, groups, **more)
    part, whole = _bytes(trace, s, key, "blocks", "rank_bytes", "reserved_bytes")
    trace.compute(
        f"{key}.growth",
        vllm_requests.growth_per_token,
        groups=groups,
        block_bytes="kv_pool.block_bytes",
        block_tokens=block,
        context_parallel="kv_pool.undivided" if windowed else "engine.context_parallel",
    )
    if not windowed:
        return Share(False, part, whole, f"{key}.growth")
    trace.given("longest_request_tokens", 10**9, Unit.TOKEN, METHOD)
    full = {"tokens": "longest_request_tokens", "block_tokens": block, "groups": groups, **more}
    trace.compute(f"{key}.full_blocks", rule, **full)
    at_limit, _ = _bytes(trace, s, key, "full_blocks", "full_bytes", "")
    trace.given("kv_pool.one_batch", 1, Unit.TOKEN, METHOD)
    trace.compute(f"{key}.steady_blocks", rule, **{**full, "in_flight": "kv_pool.one_batch"})
    _bytes(trace, s, key, "steady_blocks", "steady_bytes", "")
    limit = int(trace[f"{key}.window"] + trace["engine.tokens_in_flight"])
    extra = ""
    if rule is vllm_requests.window_blocks:
        extra = f"{key}.start_bytes"
        trace.compute(extra, vllm_requests.blocks_bytes, blocks=groups, block_bytes="kv_pool.block_bytes")
    return Share(False, part, whole, f"{key}.growth", full=at_limit, extra=extra, limit=limit)


def _in_flight(trace: Recipe, s: Setup) -> None:
    """Record the prompt tokens that may be under way at the same time."""
    if "engine.tokens_in_flight" in trace:
        return
    chosen = s.deployment.batches_in_flight
    batches = chosen or batches_under_way(s)
    trace.given("engine.batches_in_flight", batches, Unit.COUNT, SOURCE if chosen is None else CHOICE)
    trace.given("kv_pool.undivided", 1, Unit.COUNT, METHOD)
    trace.compute(
        "engine.tokens_in_flight",
        vllm_requests.tokens_in_flight,
        chunk="engine.prefill_chunk",
        batches="engine.batches_in_flight",
    )


def _bytes(trace: Recipe, s: Setup, key: str, number: str, part: str, whole: str) -> tuple[str, str]:
    """Record the bytes of a number of blocks, on one accelerator and over all; return the keys."""
    trace.compute(
        f"{key}.{part}", vllm_requests.blocks_bytes, blocks=f"{key}.{number}", block_bytes="kv_pool.block_bytes"
    )
    if whole:
        trace.compute(
            f"{key}.{whole}",
            vllm_requests.replica_bytes,
            blocks=f"{key}.{number}",
            page_bytes="kv_pool.page_bytes",
            group_size="kv_pool.group_size",
            tensor="plan.tensor",
        )
    return f"{key}.{part}", f"{key}.{whole}"


def _state_shares(trace: Recipe, s: Setup) -> list[Share]:
    """States take pages like anyone else; prefix caching keeps one more of each."""
    if not s.blueprint.recurrent:
        return []
    origin = PREFIX_SOURCE if s.deployment.prefix_caching is None else CHOICE
    if not keeps_every_state(s):
        trace.given("state_copies", _state_copies(s), Unit.COUNT, origin)
    shares = []
    for number in range(len(s.blueprint.recurrent)):
        key = f"state.{number}"
        if keeps_every_state(s):
            shares.append(_kept_states(trace, s, key))
            continue
        trace.compute(
            f"{key}.blocks",
            vllm_requests.state_pages,
            copies="state_copies",
            draft_tokens="engine.draft_tokens",
            groups=f"{key}.groups",
        )
        part, whole = _bytes(trace, s, key, "blocks", "rank_reserved_bytes", "set_aside_bytes")
        shares.append(Share(True, part, whole, constant=part))
    return shares


def _kept_states(trace: Recipe, s: Setup, key: str) -> Share:
    """The state at the end of every block: states grow with the request as its cache does."""
    inputs = {"block_tokens": "engine.block_tokens", "draft_tokens": "engine.draft_tokens", "groups": f"{key}.groups"}
    trace.compute(f"{key}.blocks", vllm_requests.kept_state_pages, tokens="workload.context_tokens", **inputs)
    trace.given("kv_pool.no_tokens", 0, Unit.TOKEN, METHOD)
    trace.compute(f"{key}.bounded_blocks", vllm_requests.kept_state_pages, tokens="kv_pool.no_tokens", **inputs)
    part, whole = _bytes(trace, s, key, "blocks", "rank_reserved_bytes", "set_aside_bytes")
    constant, _ = _bytes(trace, s, key, "bounded_blocks", "rank_bounded_bytes", "")
    trace.given("kv_pool.undivided", 1, Unit.COUNT, METHOD)
    trace.compute(
        f"{key}.growth",
        vllm_requests.growth_per_token,
        groups=f"{key}.groups",
        block_bytes="kv_pool.block_bytes",
        block_tokens="engine.block_tokens",
        context_parallel="kv_pool.undivided",
    )
    return Share(True, part, whole, f"{key}.growth", constant=constant)


def _asked(trace: Recipe, kinds: list[str]) -> None:
    """Record what the engine said that one request needs, where that is not what it takes."""
    for kind in kinds:
        trace.compute(
            f"{kind}.layers_bytes",
            vllm_requests.layers_bytes,
            layers=f"{kind}.layers",
            blocks=f"{kind}.blocks",
            groups=f"{kind}.groups",
            page_bytes="kv_pool.page_bytes",
            pipeline="plan.pipeline",
        )
    trace.compute("kv_pool.asked_bytes", vllm_requests.asked_bytes, pages=[f"{kind}.layers_bytes" for kind in kinds])


def _total_blocks(trace: Recipe, s: Setup, keys: list[str]) -> None:
    keys = keys + [f"state.{n}.blocks" for n in range(len(s.blueprint.recurrent))]
    trace.compute("kv_pool.blocks_per_request", vllm_requests.all_blocks, groups=keys)


def _step(trace: Recipe, caching: Groups) -> str:
    if not caching:
        return "engine.block_tokens"
    trace.compute("kv_pool.step_tokens", largest_block, blocks=[f"kv.{n}.block_tokens" for n, _ in caching])
    return "kv_pool.step_tokens"


# ---- DeepSeek V4


@dataclass(frozen=True, slots=True)
class _Following:
    """Blocks that follow the last tokens: the windows of all layers, or what waits in the layers of one ratio.

    name     in the trace
    window   key of the tokens that it follows
    block    key of the tokens in one of its blocks
    groups   key of the groups
    """

    name: str
    window: str
    block: str
    groups: str


def _compressed(trace: Recipe, s: Setup, caching: Groups) -> Reservation:
    """Pages of vectors, of index keys, of windows and of rings, side by side in blocks of 256 tokens."""
    _block(trace, s, COMPRESSED_BLOCK)
    given_chunk(trace, s)
    _in_flight(trace, s)
    ratios = [number for number, group in caching if group.compression]
    _compressed_block(trace, s, caching, ratios)
    trace.given("kv_pool.one_group", 1, Unit.COUNT, METHOD)
    _blocks(trace, "kv_pool.growing_blocks", vllm_requests.growing_blocks, "engine.block_tokens", "kv_pool.one_group")
    following = [_Following(WINDOWS, f"kv.{caching[0][0]}.window", "kv_pool.window_slots", "kv_pool.window_groups")]
    following += [_ring(trace, number, group.compression) for number, group in caching if group.compression]
    groups = ["kv_pool.one_group", *(kind.groups for kind in following)]
    trace.compute("kv_pool.groups", vllm_requests.all_blocks, groups=groups)
    trace.given("kv_pool.tokens_by_group.block_tokens", RING_BLOCKS[0], Unit.TOKEN, SOURCE)
    for kind in following:
        _following_blocks(trace, kind)
    counted = ["kv_pool.growing_blocks", *(f"{kind.name}.blocks" for kind in following)]
    trace.compute("kv_pool.blocks_per_request", vllm_requests.all_blocks, groups=counted)
    if before(s, ONE_LAYOUT_SINCE):
        asked = {"blocks": "kv_pool.blocks_per_request", "block_bytes": "kv_pool.asked_bytes.block_bytes"}
        trace.compute("kv_pool.asked_bytes", vllm_requests.blocks_bytes, **asked)
    if before(s, BLOCKS_COUNTED_SINCE):
        _weighed(trace, ratios)
    steady = [f"{kind.name}.steady_blocks" for kind in following]
    trace.compute(
        UNDER_WAY,
        compressed.bytes_under_way,
        blocks=[f"{kind.name}.blocks" for kind in following],
        steady=steady,
        block_bytes="kv_pool.block_bytes",
    )
    trace.compute("kv_pool.bounded_blocks", vllm_requests.all_blocks, groups=steady)
    trace.compute(
        "kv_pool.bounded_bytes",
        vllm_requests.blocks_bytes,
        blocks="kv_pool.bounded_blocks",
        block_bytes="kv_pool.block_bytes",
    )
    _over_all(trace, WINDOWS, "kv_pool.bounded_blocks")
    bounded = Share(False, "kv_pool.bounded_bytes", f"{WINDOWS}.all_bytes", constant="kv_pool.bounded_bytes")
    return Reservation((_grown_share(trace), bounded), "engine.block_tokens")


def _ring(trace: Recipe, number: int, ratio: int) -> _Following:
    """What waits until a span is complete; spans of four overlap."""
    name = f"kv.{number}.ring_bytes"
    trace.given(f"{name}.window", 2 * ratio if ratio == 4 else ratio, Unit.TOKEN, SOURCE)
    trace.given(f"{name}.block_tokens", RING_BLOCKS[ratio != 4], Unit.TOKEN, SOURCE)
    return _Following(name, f"{name}.window", f"{name}.block_tokens", "kv_pool.one_group")


def _compressed_block(trace: Recipe, s: Setup, caching: Groups, ratios: list[int]) -> None:
    """Record a block of the pool, and the groups that the windows of all layers make."""
    trace.compute("kv_pool.full_bytes", kv.cache_bytes, groups=[_ratio_block(trace, number) for number in ratios])
    layers = sum(group.layers for _, group in caching) + guesses_with_own_layers(s)
    trace.given("kv_pool.layers", layers, Unit.COUNT, source_of_model(s))
    trace.given("kv_pool.window_slots", 64, Unit.TOKEN, SOURCE)
    record = {"slots": "kv_pool.window_slots", "record_bytes": f"kv.{caching[0][0]}.record_bytes"}
    trace.compute("kv_pool.window_page_bytes", compressed.rounded_page_bytes, **record)
    page = {"page_bytes": "kv_pool.window_page_bytes"}
    trace.compute(
        "kv_pool.window_groups",
        compressed.window_groups,
        layers="kv_pool.layers",
        block_bytes="kv_pool.full_bytes",
        **page,
    )
    stage = {"layers": "kv_pool.layers", "pipeline": "plan.pipeline"}
    whole = "kv_pool.full_bytes"
    if before(s, ONE_LAYOUT_SINCE):
        windows = {"window_layers": "kv_pool.layers", "window_groups": "kv_pool.window_groups"}
        trace.compute(
            "kv_pool.page_bytes",
            compressed.tuple_block_bytes,
            layers=[f"kv.{number}.layers" for number in ratios],
            pages=[f"kv.{number}.{kind}" for number in ratios for kind in ("page_bytes", "index_page_bytes")],
            **windows,
        )
        trace.compute("kv_pool.asked_bytes.block_bytes", kv.stage_bytes, whole_bytes="kv_pool.page_bytes", **stage)
        whole = "kv_pool.page_bytes"
        if not before(s, BUCKETS_SINCE):
            whole = "kv_pool.block_bytes_of_model"
            alike = f"kv.{ratios[0]}.layers"
            trace.compute(
                whole, compressed.bucket_block_bytes, full_bytes="kv_pool.full_bytes", layers=alike, **windows, **page
            )
    trace.compute("kv_pool.block_bytes", kv.stage_bytes, whole_bytes=whole, **stage)


def _ratio_block(trace: Recipe, number: int) -> str:
    """Record the pages of one block of tokens in the layers of one ratio; return the key."""
    key = f"kv.{number}"
    trace.compute(
        f"{key}.slots", vllm_pages.slots_in_block, block_tokens="engine.block_tokens", compression=f"{key}.compression"
    )
    slots = {"slots": f"{key}.slots"}
    trace.compute(f"{key}.page_bytes", compressed.rounded_page_bytes, **slots, record_bytes=f"{key}.record_bytes")
    trace.compute(f"{key}.index_record_bytes", vllm_pages.index_record_bytes, index_dim=f"{key}.index_dim")
    index = {"record_bytes": f"{key}.index_record_bytes"}
    trace.compute(f"{key}.index_page_bytes", compressed.rounded_page_bytes, **slots, **index)
    trace.compute(
        f"{key}.block_bytes",
        compressed.ratio_block_bytes,
        layers=f"{key}.layers",
        vector_page_bytes=f"{key}.page_bytes",
        index_layers=f"{key}.index_layers",
        index_page_bytes=f"{key}.index_page_bytes",
    )
    return f"{key}.block_bytes"


def _grown_share(trace: Recipe) -> Share:
    """The compressed vectors of a request and their index keys."""
    blocks, block = {"blocks": "kv_pool.growing_blocks"}, {"block_bytes": "kv_pool.block_bytes"}
    trace.compute("kv_pool.request_bytes", vllm_requests.blocks_bytes, **blocks, **block)
    _over_all(trace, "kv_pool", "kv_pool.growing_blocks")
    trace.compute(
        "kv_pool.growth",
        vllm_requests.growth_per_token,
        groups="kv_pool.one_group",
        **block,
        block_tokens="engine.block_tokens",
        context_parallel="engine.context_parallel",
    )
    return Share(False, "kv_pool.request_bytes", "kv_pool.all_bytes", "kv_pool.growth")


def _over_all(trace: Recipe, name: str, blocks: str) -> None:
    """Record the bytes of blocks over all accelerators: every rank keeps them whole."""
    block = {"block_bytes": "kv_pool.block_bytes", "pipeline": "plan.pipeline"}
    trace.compute(f"{name}.replica_bytes", compressed.bytes_of_stages, blocks=blocks, **block)
    trace.compute(f"{name}.all_bytes", kv.times_ranks, whole_bytes=f"{name}.replica_bytes", tensor="plan.tensor")


def _following_blocks(trace: Recipe, kind: _Following) -> None:
    """Blocks of the last tokens: as many as the prompt tokens under way need, and few once it is read."""
    shape = {"window": kind.window, "block_tokens": kind.block, "groups": kind.groups}
    trace.given("longest_request_tokens", 10**9, Unit.TOKEN, METHOD)
    trace.given("kv_pool.one_batch", 1, Unit.TOKEN, METHOD)
    for part, tokens, under_way in (
        ("blocks", "workload.context_tokens", "engine.tokens_in_flight"),
        ("steady_blocks", "longest_request_tokens", "kv_pool.one_batch"),
    ):
        trace.compute(f"{kind.name}.{part}", vllm_requests.window_blocks, tokens=tokens, in_flight=under_way, **shape)


def _weighed(trace: Recipe, ratios: list[int]) -> None:
    """Record the blocks of a request as the engine counted them: each kind by the bytes of its own layers."""
    for number in ratios:
        key = f"kv.{number}"
        trace.compute(
            f"{key}.ring_bytes.page_bytes",
            compressed.ratio_block_bytes,
            layers=f"{key}.layers",
            vector_page_bytes="kv_pool.window_page_bytes",
            index_layers=f"{key}.index_layers",
            index_page_bytes=f"{key}.index_page_bytes",
        )
    trace.compute(
        "kv_pool.concurrency.blocks",
        compressed.weighed_blocks,
        full_blocks="kv_pool.growing_blocks",
        full_bytes="kv_pool.full_bytes",
        window_blocks=f"{WINDOWS}.blocks",
        window_groups="kv_pool.window_groups",
        window_layers="kv_pool.layers",
        window_page_bytes="kv_pool.window_page_bytes",
        ring_blocks=[f"kv.{number}.ring_bytes.blocks" for number in ratios],
        ring_bytes=[f"kv.{number}.ring_bytes.page_bytes" for number in ratios],
    )
