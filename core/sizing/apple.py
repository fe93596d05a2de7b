"""Apple's accelerators: how much of their memory Metal lends, and what MLX takes beside weights and cache."""

from core.catalogue.records import DeviceFamily
from core.physics import activations as a
from core.sizing.engine_defaults import is_vllm
from core.sizing.groups import source_of_model
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
#: Parts of the memory that Metal recommends to use at most since macOS 15, by the memory [GiB] up to which they hold:
#: 12.71, 14.30 and 19.07 GB of 16, 18 and 24 GiB, 26.80 and 40.20 of 32 and 48, 55.66 of 64, 115.45 of 128, 239 of 256,
#: 498.22 of 512.
WORKING_SETS = ((24, 0.74), (48, 0.78), (64, 0.81), (192, 0.84), (256, 0.87), (10**6, 0.906))
#: Scores of a chunk's every token: 16 bit, and once more [byte]. Printed were 2.06 and 2.09 GB with 248,320 words.
SCORE_BYTES = 4
#: mlx-lm beside weights, cache and scores: peak of 21.7 GB at 8,000 tokens less 19.5, 0.2 and 0.5 [byte].
MLX_BASE = 1_500_000_000
MLX_TILED_WIDTH = 128


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
    """What a chunk takes, and the scores of attention where heads are too wide for the kernels in tiles."""
    trace.given("runtime.context_bytes", MLX_BASE, Unit.BYTE, LOGS)
    wide = [group for group in s.blueprint.attention if group.key_dim > MLX_TILED_WIDTH and not group.window]
    if not wide:
        return ["runtime.context_bytes"]
    heads = max(group.query_heads for group in wide)
    trace.given("runtime.query_heads", heads, Unit.COUNT, source_of_model(s))
    trace.compute(
        "runtime.score_bytes",
        a.score_bytes,
        query_heads="runtime.query_heads",
        chunk="engine.prefill_chunk",
        tokens="runtime.context_tokens",
    )
    return ["runtime.context_bytes", "runtime.score_bytes"]
