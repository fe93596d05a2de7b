"""Apple's accelerators: how much of their memory Metal lends, and what MLX takes beside weights and cache."""

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.catalogue.records import DeviceFamily
from core.physics import activations as a
from core.physics import rank_cache
from core.physics.reservation import mlx
from core.sizing.engine_defaults import (
    MLX_SPLIT_CHUNK,
    MLX_SPLIT_WIDTH,
    MLX_SPLITS_SINCE,
    MLX_TILES_SINCE,
    before,
    is_vllm,
)
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.situation import Setup
from core.trace import Origin, OriginKind, Recipe
from core.units import GB, GIB, Unit

LOGS = Origin(OriginKind.METHOD, "Memory that engines reported in public start-up logs", date="2026-11")
METAL = Origin(
    OriginKind.METHOD,
    "vLLM for Apple, vllm_metal/v1/cache_policy.py; budgets that it prints",
    "https://github.com/vllm-project/vllm-metal/issues/398",
    "2026-05",
)
ATTENTION = Origin(
    OriginKind.METHOD,
    "mlx-lm 0.32.0, models/base.py: quantized_scaled_dot_product_attention",
    "https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/models/base.py",
    "2026-08",
)
#: Parts of the memory that Metal recommends to use at most since macOS 15, by the memory [GiB] up to which they hold:
#: 12.71, 14.30 and 19.07 GB of 16, 18 and 24 GiB, 26.80 and 40.20 of 32 and 48, 55.66 of 64, 115.45 of 128, 239 of 256,
#: 498.22 of 512.
WORKING_SETS = ((24, 0.74), (48, 0.78), (64, 0.81), (192, 0.84), (256, 0.87), (10**6, 0.906))
#: Scores of a chunk's every token: 16 bit, and once more [byte]. Printed were 2.06 and 2.09 GB with 248,320 words.
SCORE_BYTES = 4
#: mlx-lm beside weights, cache and scores: peak of 21.7 GB at 8,000 tokens less 19.5, 0.2 and 0.5 [byte].
MLX_BASE = 1_500_000_000
MLX_TILED_WIDTH = 128
#: Accelerators whose matrix units MLX uses ("NAX"), and what of a latent key turns with its position.
SPLITTING, ROTARY_WIDTH = ("m5", "m6"), 64


def on_metal(s: Setup) -> bool:
    """Does vLLM run on an accelerator of Apple?"""
    return is_vllm(s) and s.device.family is DeviceFamily.APPLE


def first_capacity_bytes(s: Setup) -> int:
    """What is installed in the first tier."""
    return s.deployment.capacity_bytes or s.device.memory_tiers[0].capacity_bytes


def working_set_bytes(s: Setup) -> int:
    """What Metal lends at most: what was chosen as usable, else by the label of the Mac, which counts in GiB."""
    if s.deployment.capacity_bytes is not None:
        return s.deployment.capacity_bytes
    label = s.device.memory_tiers[0].capacity_bytes / GB
    part = next(part for most, part in WORKING_SETS if label <= most)
    return round(part * label * GIB)


def record_metal(trace: Recipe, s: Setup) -> list[str]:
    """What stays in MLX's cache of buffers after a chunk was tried: the scores of its tokens, for the most part."""
    trace.given("runtime.bytes_per_logit", SCORE_BYTES, Unit.BYTE, METAL)
    trace.compute(
        "runtime.logits_bytes",
        a.logits_bytes,
        requests="engine.prefill_chunk",
        chunk="engine.prefill_chunk",
        vocabulary="model.vocabulary",
        bytes_each="runtime.bytes_per_logit",
        hidden_size="model.hidden_size",
    )
    return ["runtime.logits_bytes"]


def record_mlx(trace: Recipe, s: Setup) -> list[str]:
    """What a chunk takes, the scores of attention where no kernel in tiles fits, and rings that it fills beyond."""
    trace.given("runtime.context_bytes", MLX_BASE, Unit.BYTE, LOGS)
    return ["runtime.context_bytes", *_scores(trace, s), *_rings(trace, s)]


def _scores(trace: Recipe, s: Setup) -> list[str]:
    """Scores of one layer: of latent attention, of a quantised cache, or of heads wider than the kernels in tiles."""
    latent = next((group for group in s.blueprint.attention if group.kind in LATENT), None)
    written = [group for group in s.blueprint.attention if _writes_scores(s, group)]
    if latent is None and not written:
        return []
    heads = latent.query_heads if latent else max(group.query_heads for group in written)
    trace.given("runtime.query_heads", heads, Unit.COUNT, source_of_model(s))
    shape = {
        "query_heads": "runtime.query_heads",
        "chunk": "engine.prefill_chunk",
        "tokens": "runtime.context_tokens",
    }
    if latent is None:
        trace.given("runtime.score_copies", 2 if _is_quantised(s) else 1, Unit.COUNT, ATTENTION)
        trace.compute("runtime.score_bytes", a.score_bytes, **shape, copies="runtime.score_copies")
        return ["runtime.score_bytes"]
    width = latent.key_dim + latent.value_dim - ROTARY_WIDTH
    trace.given("runtime.unfolded_width", width, Unit.COUNT, source_of_model(s))
    trace.compute("runtime.score_bytes", mlx.latent_score_bytes, **shape, width="runtime.unfolded_width")
    return ["runtime.score_bytes"]


def _is_quantised(s: Setup) -> bool:
    return s.kv_format.bits < 16


def _writes_scores(s: Setup, group: AttentionGroup) -> bool:
    """Does a layer of full attention write its scores: read from a quantised cache, by an old release, or too wide?

    The matrix units of the M5 split heads of 256, in long chunks.
    """
    if group.window or group.kind in LATENT or not group.cached:
        return False
    if _is_quantised(s) or before(s, MLX_TILES_SINCE):
        return True
    if group.key_dim <= MLX_TILED_WIDTH:
        return False
    long_chunk = (s.deployment.prefill_chunk or s.engine.prefill_chunk or 0) >= MLX_SPLIT_CHUNK
    splits = s.device.architecture in SPLITTING and not before(s, MLX_SPLITS_SINCE)
    return not (splits and long_chunk and group.key_dim == group.value_dim == MLX_SPLIT_WIDTH)


def _rings(trace: Recipe, s: Setup) -> list[str]:
    """What the rings of windows hold beyond their width while one request's prompt is read."""
    keys = []
    for number, group in cached_groups(s.blueprint):
        if not group.window or group.kind is AttentionKind.COMPRESSED:
            continue
        key = f"runtime.ring.{number}"
        trace.compute(
            f"{key}.tokens_beyond",
            mlx.tokens_beyond,
            tokens="runtime.context_tokens",
            window=f"kv.{number}.window",
            chunk="engine.prefill_chunk",
        )
        trace.compute(
            f"{key}.beyond_bytes",
            rank_cache.group_cache_bytes,
            bytes_per_token=f"kv.{number}.bytes_per_token",
            tokens=f"{key}.tokens_beyond",
        )
        keys.append(f"{key}.beyond_bytes")
    return keys
