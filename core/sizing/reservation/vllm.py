"""The shares of vLLM: pages of one size from one pool, in groups of layers of one size.

Three cases, as in its planner. Where every layer keeps every token, pages of different sizes stand side by side and a
request takes whole blocks. Where windows or states are among the layers, all take pages of the same size
(`vllm_paged`). DeepSeek V4 has pages of its own (`vllm_compressed`).
"""

from dataclasses import replace

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics.reservation import vllm_pool, vllm_requests
from core.sizing.engine_defaults import keeps_all_of_windows
from core.sizing.groups import cached_groups, given_draft_tokens
from core.sizing.origins import METHOD
from core.sizing.reservation import blocks
from core.sizing.reservation.share import Reservation
from core.sizing.reservation.vllm_blocks import Groups, latent_block, record_block, record_blocks
from core.sizing.reservation.vllm_compressed import reserve_compressed
from core.sizing.reservation.vllm_paged import reserve_paged
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe
from core.units import Unit


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Blocks of the pool for one request."""
    caching = cached_groups(s.blueprint)
    given_draft_tokens(trace, s)
    trace.given("engine.context_parallel", s.deployment.context_parallel, Unit.COUNT, CHOICE)
    if any(group.kind is AttentionKind.COMPRESSED for _, group in caching):
        return reserve_compressed(trace, s, caching)
    windows = [(n, group) for n, group in caching if group.window and not _promotes_window(s, group)]
    if windows or s.blueprint.recurrent:
        return reserve_paged(trace, s, caching, [n for n, _ in windows])
    return _uniform(trace, s, caching)


def _promotes_window(s: Setup, group: AttentionGroup) -> bool:
    """Do layers with a window keep every token: asked for, or by release or accelerator?"""
    return s.deployment.full_windows or keeps_all_of_windows(s, group.kind is AttentionKind.CHUNK)


def _uniform(trace: Recipe, s: Setup, caching: Groups) -> Reservation:
    record_block(trace, s, latent_block(s, caching))
    rates = [blocks.rate_key(trace, n) for n, _ in caching]
    pool = {"block_tokens": "engine.block_tokens"}
    if rates:
        trace.compute("kv_pool.block_bytes", vllm_pool.uniform_block_bytes, bytes_per_token=rates, **pool)
        trace.given("kv_pool.one_group", 1, Unit.COUNT, METHOD)
        record_blocks(
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
