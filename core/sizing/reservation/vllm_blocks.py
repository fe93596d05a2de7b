"""Blocks of vLLM's pool: how many tokens one holds, how many a request takes, and their bytes."""

from collections.abc import Callable
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.catalogue.records import DeviceFamily
from core.physics.reservation import vllm_requests
from core.sizing.engine_defaults import FLASH_LATENTS_SINCE, batches_under_way, before, prepared_requests
from core.sizing.groups import LATENT, usable_bytes
from core.sizing.origins import METHOD
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM 0.33, v1/core/kv_cache_planning.py, v1/kv_cache_interface.py and platforms/interface.py",
    "https://github.com/vllm-project/vllm",
    "2026-11",
)
FLASH_BLOCK, LATENT_BLOCK = 64, 16  # of FlashMLA, which these devices have, and of other kernels for latents
FLASH_ARCHITECTURES = ("hopper", "blackwell-dc")
TPU_BLOCKS = Origin(
    OriginKind.METHOD,
    "vLLM for TPUs, flash_attn.py: get_page_size, get_min_page_size",
    "https://github.com/vllm-project/tpu-inference/blob/main/tpu_inference/layers/vllm/backends/flash_attn.py",
    "2026-08",
)
#: Of a TPU: most pages of all requests that fit its scalar memory; the usual page, and where contexts are short.
TPU_PAGES, TPU_BLOCK, TPU_SHORT_CONTEXT, TPU_LARGEST_BLOCK = 131_072, 16, 8192, 256

Groups = tuple[tuple[int, AttentionGroup], ...]


def record_block(trace: Recipe, s: Setup, default: int) -> None:
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


def latent_block(s: Setup, caching: Groups) -> int:
    """Tokens of a block that the kernels of latent attention want; 0 without it. Sparse ones always want 64."""
    if not is_latent(caching):
        return 0
    flash = s.device.architecture in FLASH_ARCHITECTURES and not before(s, FLASH_LATENTS_SINCE)
    sparse = any(group.kind is AttentionKind.SPARSE_LATENT for _, group in caching)
    return FLASH_BLOCK if flash or sparse else LATENT_BLOCK


def is_latent(caching: Groups) -> bool:
    return any(group.kind in LATENT for _, group in caching)


def record_in_flight(trace: Recipe, s: Setup) -> None:
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


def record_blocks(trace: Recipe, key: str, rule: Callable[..., Any], block: str, groups: str, **more: str) -> None:
    """Record the blocks of a request, by the rule of its layers."""
    inputs = {"tokens": "workload.context_tokens", "block_tokens": block, "groups": groups, **more}
    if rule is vllm_requests.growing_blocks:
        inputs["context_parallel"] = "engine.context_parallel"
    trace.compute(key, rule, **inputs)


def record_bytes(trace: Recipe, s: Setup, key: str, number: str, part: str, whole: str) -> tuple[str, str]:
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
