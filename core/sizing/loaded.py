"""What engines hold of each class of weights, where it is more than the file has, or is not divided among ranks."""

from core.architecture.blueprint import TensorClass
from core.catalogue.records import AMD, NVIDIA, Allocator
from core.physics import loaded, memory, weights
from core.scenario import Mode
from core.sizing.engine_defaults import (
    ABSORBS_SINCE,
    ALLOCATED_SINCE,
    COPIES_LATENTS_SINCE,
    IN_USE_SINCE,
    SGLANG_COPIES_LATENTS_SINCE,
    SWIZZLES_SINCE,
    before,
    is_vllm,
)
from core.sizing.groups import LATENT, ROTARY_WIDTH, expert_ranks_key, given_chunk, source_of_model
from core.sizing.situation import Setup
from core.trace import Origin, OriginKind, Recipe
from core.units import Unit

EXPERTS = f"weights_bytes.{TensorClass.EXPERT}"
_OF_CLASS = {kind: f"weights_bytes.{kind}" for kind in TensorClass}
PADDED = "padded_bytes.expert"
TABLES = "weights_bytes.tables"
#: Bytes of a sine or cosine, by engine; others make them as they go.
TABLE_BYTES = {Allocator.VLLM: 2, Allocator.SGLANG: 4}
TABLES_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM 0.12 and SGLang 0.5.23, layers/rotary_embedding/base.py",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/rotary_embedding/base.py",
    "2026-11",
)
WHOLE, DIVIDED = "weights_bytes.whole_attention", "weights_bytes.divided"
SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/model_executor/layers/quantization/mxfp4.py: sizes that each kernel pads to",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/quantization/mxfp4.py",
    "2026-11",
)
HELD_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/platforms/rocm.py: from 0.7 to 0.21 all memory of the device counts as loaded; start-up logs on R9700",
    "https://github.com/kyuz0/amd-r9700-vllm-toolboxes",
    "2025-12",
)
HELD, PRODUCTS = "weights_bytes.held", "weights_bytes.products"
PRODUCTS_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM 0.7.3, attention/backends/mla/utils.py: products keep the format of the weights",
    "https://github.com/vllm-project/vllm/blob/v0.7.3/vllm/attention/backends/mla/utils.py",
    "2025-02",
)
#: Generations of NVIDIA's devices on which vLLM multiplies FP8 by Marlin, in 16 bit; the weights that it does so with,
#: and how many of a row share a scale.
MARLIN_SINCE, UNITS_SINCE = (7, 5), (8, 9)
TILED = (
    TensorClass.ATTENTION,
    TensorClass.RECURRENT,
    TensorClass.FEED_FORWARD,
    TensorClass.SHARED_EXPERT,
    TensorClass.EXPERT,
)
SCALE_GROUP, LARGEST_TILED, GROUP_SCALES = 128, 8.01, "weights_bytes.group_scales"
MARLIN_SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, layers/quantization/utils/marlin_utils_fp8.py: a scale of a square becomes one of 128 weights of each row",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/quantization/utils/marlin_utils_fp8.py",
    "2026-11",
)
#: What PyTorch keeps of the memory that loading needed for a moment, as a part of the weights: 0.5 to 0.9 % in 16 bit,
#: 1.4 to 9.5 % with FP8 and INT4, 8 to 9 % with MXFP4.
HELD_SHARES, HELD_OF_OTHERS = {"f16": 0.006, "mxfp4": 0.08}, 0.033
#: What a kernel pads the hidden size and the width inside an expert to.
MARLIN, TRITON_ON_HOPPER, FLASHINFER, TRITON_ON_AMD = (256, 128), (256, 64), (256, 256), (128, 128)


def padding(s: Setup) -> tuple[int, int] | None:
    """What vLLM pads MXFP4 experts to on this accelerator; None where it does not, or nobody has read how."""
    if not is_vllm(s) or s.weight_format.format_class != "mxfp4":
        return None
    if s.device.family in AMD:
        return TRITON_ON_AMD
    if s.device.family not in NVIDIA:
        return None
    if s.device.architecture == "blackwell-dc":
        return FLASHINFER
    if s.device.architecture == "hopper" and not before(s, SWIZZLES_SINCE):
        return TRITON_ON_HOPPER
    return MARLIN


def record_padding(trace: Recipe, s: Setup) -> None:
    """Record the experts as the engine holds them, where it pads them."""
    moe, multiples = s.blueprint.moe, padding(s)
    if multiples is None or moe is None or moe.parameters_per_expert < 96 * s.blueprint.hidden_size:
        return
    trace.given("model.hidden_size", s.blueprint.hidden_size, Unit.COUNT, source_of_model(s))
    for name, multiple in zip(("hidden", "width"), multiples, strict=True):
        trace.given(f"engine.{name}_multiple", multiple, Unit.COUNT, SOURCE)
    trace.compute(
        "engine.expert_width",
        loaded.expert_width,
        parameters="model.parameters_per_expert",
        hidden_size="model.hidden_size",
    )
    whole = s.plan.expert > 1  # whole experts are spread: their width is not divided
    if whole:
        trace.given("engine.undivided", 1, Unit.COUNT, SOURCE)
    trace.compute(
        PADDED,
        loaded.padded_expert_bytes,
        expert_bytes=EXPERTS,
        hidden_size="model.hidden_size",
        width="engine.expert_width",
        ranks="engine.undivided" if whole else expert_ranks_key(s),
        hidden_multiple="engine.hidden_multiple",
        width_multiple="engine.width_multiple",
    )


def class_key(trace: Recipe, kind: TensorClass) -> str:
    """The key of what the engine holds of a class: padded, or as the file has it."""
    return PADDED if kind is TensorClass.EXPERT and PADDED in trace else _OF_CLASS[kind]


def keeps_attention_whole(s: Setup) -> bool:
    """Has the model attention matrices that every tensor-parallel rank keeps whole?"""
    return s.plan.tensor > 1 and s.blueprint.whole_attention_parameters > 0


def record_whole_attention(trace: Recipe, s: Setup) -> None:
    """Record the down-projections of latent attention and its indexers, which are not divided, and all the rest."""
    number = s.blueprint.whole_attention_parameters
    trace.given("model.whole_attention_parameters", number, Unit.PARAMETER, source_of_model(s))
    bits = f"weights.bits.{TensorClass.ATTENTION}"
    trace.compute(WHOLE, weights.weights_bytes, parameters="model.whole_attention_parameters", bits=bits)
    trace.compute(DIVIDED, memory.rest_bytes, whole_bytes=f"weights_bytes.{TensorClass.ATTENTION}", part_bytes=WHOLE)


def record_tables(trace: Recipe, s: Setup) -> list[str]:
    """Record what the engine prepares beside the weights of the file, where it does; return the key."""
    counts = {"rotary_elements": s.blueprint.rotary_elements, "image_levels": s.blueprint.image_levels}
    each = TABLE_BYTES.get(s.engine.allocator)
    if each is None or s.mode is Mode.ARTICLE or not any(counts.values()):
        return []
    given_chunk(trace, s)
    trace.given("model.hidden_size", s.blueprint.hidden_size, Unit.COUNT, source_of_model(s))
    for name, number in counts.items():
        trace.given(f"model.{name}", number, Unit.COUNT, source_of_model(s))
    trace.given("engine.table_bytes", each, Unit.BYTE, TABLES_SOURCE)
    trace.compute(
        TABLES,
        loaded.tables_bytes,
        rotary_elements="model.rotary_elements",
        bytes_each="engine.table_bytes",
        image_levels="model.image_levels",
        chunk="engine.prefill_chunk",
        hidden_size="model.hidden_size",
    )
    return [TABLES]


def record_products(trace: Recipe, s: Setup) -> list[str]:
    """Record what the engine makes of the matrices of latent attention while it loads them; return the key.

    Releases of vLLM that multiply them ahead know FP8 and 16 bit only: with others they keep the cache head by head.
    """
    groups = [group for group in s.blueprint.attention if group.kind in LATENT]
    bits = float(s.bits[TensorClass.ATTENTION]) if groups else 0.0
    absorbs = is_vllm(s) and before(s, COPIES_LATENTS_SINCE)
    if not groups or not (_copies_in_sglang(s, bits) or _makes_products(s, bits, absorbs)):
        return []
    latent, source = groups[0], source_of_model(s)
    counts = {
        "layers": ("latent_layers", sum(group.layers for group in groups)),
        "heads": ("latent_heads", latent.query_heads),
        "width": ("unfolded_width", latent.key_dim + latent.value_dim - ROTARY_WIDTH),
        "rank": ("latent_rank", latent.latent_dim - ROTARY_WIDTH),
    }
    for key, number in counts.values():
        trace.given(f"runtime.{key}", number, Unit.COUNT, source)
    inputs = {name: f"runtime.{key}" for name, (key, _) in counts.items()}
    inputs |= {"tensor": "plan.tensor", "pipeline": "plan.pipeline"}
    if not absorbs:
        trace.compute(PRODUCTS, loaded.unfolding_copies_bytes, **inputs)
        return [PRODUCTS]
    hidden, whole = s.blueprint.hidden_size, s.blueprint.whole_attention_parameters
    queries = whole / sum(group.layers for group in groups) / hidden - latent.latent_dim
    trace.given("model.hidden_size", hidden, Unit.COUNT, source)
    trace.given("runtime.query_rank", queries if queries >= 1 else hidden, Unit.COUNT, source)
    trace.given("runtime.rotary_width", ROTARY_WIDTH, Unit.COUNT, source)
    trace.given("runtime.product_bits", min(16.0, bits), Unit.BIT_PER_WEIGHT, PRODUCTS_SOURCE)
    trace.compute(
        PRODUCTS,
        loaded.absorbed_bytes,
        **inputs,
        query_rank="runtime.query_rank",
        hidden_size="model.hidden_size",
        rotary="runtime.rotary_width",
        bits="runtime.product_bits",
    )
    return [PRODUCTS]


def _makes_products(s: Setup, bits: float, absorbs: bool) -> bool:
    """vLLM: products ahead in some releases, since then copies of what is quantised."""
    return is_vllm(s) and not before(s, ABSORBS_SINCE) and (bits >= 8 if absorbs else bits < 16)


def _copies_in_sglang(s: Setup, bits: float) -> bool:
    """SGLang copies them in any format, in 16 bit; on AMD's accelerators FP8 stays FP8, half as much, not counted."""
    is_sglang = s.engine.allocator is Allocator.SGLANG and s.mode is Mode.REAL
    keeps_fp8 = s.device.family in AMD and bits < 9  # scales of blocks included
    return is_sglang and not before(s, SGLANG_COPIES_LATENTS_SINCE) and not keeps_fp8


def _is_tiled(s: Setup, kind: TensorClass) -> bool:
    """Are these weights in FP8 with a scale for each square, by the config or the catalogue?"""
    bits = float(s.bits[kind])
    if bits != 8:
        return 8 < bits < LARGEST_TILED
    record = s.catalogue.models.get(getattr(s.model, "id", ""))
    published = None if record is None else s.catalogue.checkpoint(record, s.weight_format)
    return published is not None and published.tile > 0


def record_group_scales(trace: Recipe, s: Setup, weights: str, whole: str) -> list[str]:
    """Record the scales of Marlin, by which vLLM multiplies FP8 where no units do; return the key."""
    generation = s.device.compute_capability
    if not is_vllm(s) or s.device.family not in NVIDIA or not MARLIN_SINCE <= _number(generation) < UNITS_SINCE:
        return []
    of_format = s.weight_format.format_class == "fp8"
    tiled = [kind for kind in s.blueprint.parameters if of_format and kind in TILED and _is_tiled(s, kind)]
    if not tiled:
        return []
    trace.compute("weights_bytes.tiled", memory.sum_bytes, items=[_OF_CLASS[kind] for kind in tiled])
    trace.given("engine.scale_group", SCALE_GROUP, Unit.COUNT, MARLIN_SOURCE)
    trace.compute(
        GROUP_SCALES,
        loaded.group_scales_bytes,
        weights_bytes=weights,
        tiled_bytes="weights_bytes.tiled",
        loaded_bytes=whole,
        group="engine.scale_group",
    )
    return [GROUP_SCALES]


def _number(generation: str) -> tuple[int, ...]:
    return tuple(int(part) for part in generation.split(".") if part.isdigit())


def record_held(trace: Recipe, s: Setup, weights: str) -> list[str]:
    """Record what PyTorch still holds of loading, where vLLM counts it with the weights; return the key."""
    counts = before(s, ALLOCATED_SINCE) and not before(s, IN_USE_SINCE)
    if not is_vllm(s) or s.device.family not in AMD or not counts:
        return []
    share = HELD_SHARES.get(s.weight_format.format_class, HELD_OF_OTHERS)
    trace.given("weights.held_share", share, Unit.SHARE, HELD_SOURCE)
    trace.compute(HELD, loaded.held_bytes, weights_bytes=weights, share="weights.held_share")
    return [HELD]
