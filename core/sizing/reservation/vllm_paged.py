"""vLLM's pool where windows or states are among the layers: pages of one size, in groups with as many layers each."""

from collections.abc import Callable
from math import lcm
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics import rank_cache
from core.physics.contexts import largest_block
from core.physics.reservation import vllm_pages, vllm_pool, vllm_requests
from core.sizing.engine_defaults import ASKED_BY_GROUP_SINCE, PAGES_FILLED_UP_SINCE, before, groups_as_largest
from core.sizing.groups import given_chunk
from core.sizing.origins import METHOD
from core.sizing.reservation.share import Reservation, Share
from core.sizing.reservation.vllm_blocks import (
    SOURCE,
    Groups,
    is_latent,
    latent_block,
    record_block,
    record_blocks,
    record_bytes,
    record_in_flight,
)
from core.sizing.reservation.vllm_states import keeps_every_state, record_layer_states, state_shares
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import Unit

ALIGNMENT, LATENT_ALIGNMENT = 16, 128  # of a hybrid's block


def reserve_paged(trace: Recipe, s: Setup, caching: Groups, windows: list[int]) -> Reservation:
    """Pages of all kinds of layers, and the blocks of a request in each group."""
    given_chunk(trace, s)
    numbers = tuple(number for number, _ in caching)
    _layer_caches(trace, numbers)
    states = record_layer_states(trace, s)
    _hybrid_block(trace, s, caching, windows, states)
    trace.given("kv_pool.most_times", groups_as_largest(s), Unit.RATIO, SOURCE)
    _pages(trace, numbers, len(states), not before(s, PAGES_FILLED_UP_SINCE))
    shares = [_cache_share(trace, s, n, group, n in windows) for n, group in caching]
    shares += state_shares(trace, s)
    _total_blocks(trace, s, [f"kv.{n}.blocks" for n, _ in caching])
    if before(s, ASKED_BY_GROUP_SINCE):
        _asked(trace, [f"kv.{n}" for n, _ in caching] + [f"state.{n}" for n in range(len(states))])
    if windows:
        steady = [f"kv.{n}.{'steady_bytes' if n in windows else 'rank_bytes'}" for n, _ in caching]
        trace.compute("accelerator.kv_steady_bytes_per_request", rank_cache.cache_bytes, groups=steady)
    return Reservation(tuple(shares), _step(trace, caching))


def _layer_caches(trace: Recipe, numbers: tuple[int, ...]) -> None:
    """One layer's cache of each kind on one accelerator."""
    for number in numbers:
        key, rate = f"kv.{number}", f"kv.{number}.layer_bytes_per_token"
        picks = f"{key}.head_bytes_per_token" in trace
        trace.compute(
            f"{key}.layer_head_bytes_per_token" if picks else rate,
            vllm_pages.layer_bytes_per_token,
            bytes_per_token=f"{key}.head_bytes_per_token" if picks else f"{key}.bytes_per_token",
            layers=f"{key}.layers",
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
        )
        if picks:
            inputs = {"bytes_per_token": f"{key}.layer_head_bytes_per_token", "index_dim": f"{key}.index_dim"}
            trace.compute(rate, vllm_pages.layer_with_index_key, **inputs)


def _hybrid_block(trace: Recipe, s: Setup, caching: Groups, windows: list[int], states: list[str]) -> None:
    """Record the block: with states, as long as one of them is large; one that is chosen is what it is counted in."""
    if not states or not caching:
        record_block(trace, s, latent_block(s, caching))
        return
    chosen = s.deployment.kv_block_tokens
    alignment = max(LATENT_ALIGNMENT if is_latent(caching) else ALIGNMENT, chosen or 0)
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
        record_in_flight(trace, s)
        rule = vllm_requests.chunk_blocks if group.kind is AttentionKind.CHUNK else vllm_requests.window_blocks
        more = {"window": f"{key}.window", "in_flight": "engine.tokens_in_flight"}
    record_blocks(trace, f"{key}.blocks", rule, block, groups, **more)
    part, whole = record_bytes(trace, s, key, "blocks", "rank_bytes", "reserved_bytes")
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
    at_limit, _ = record_bytes(trace, s, key, "full_blocks", "full_bytes", "")
    trace.given("kv_pool.one_batch", 1, Unit.TOKEN, METHOD)
    trace.compute(f"{key}.steady_blocks", rule, **{**full, "in_flight": "kv_pool.one_batch"})
    record_bytes(trace, s, key, "steady_blocks", "steady_bytes", "")
    limit = int(trace[f"{key}.window"] + trace["engine.tokens_in_flight"])
    extra = ""
    if rule is vllm_requests.window_blocks:
        extra = f"{key}.start_bytes"
        trace.compute(extra, vllm_requests.blocks_bytes, blocks=groups, block_bytes="kv_pool.block_bytes")
    return Share(False, part, whole, f"{key}.growth", full=at_limit, extra=extra, limit=limit)


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
