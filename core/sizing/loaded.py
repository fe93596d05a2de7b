"""What engines hold of each class of weights, where it is more than the file has, or is not divided among ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.architecture.blueprint import TensorClass
from core.catalogue.records import DeviceFamily
from core.physics import loaded, memory, weights
from core.sizing.engine_defaults import SWIZZLES_SINCE, before, is_vllm
from core.sizing.groups import expert_ranks_key, source_of_model
from core.trace import Origin, OriginKind, Trace
from core.units import Unit

if TYPE_CHECKING:
    from core.sizing.situation import Situation

EXPERTS = f"weights_bytes.{TensorClass.EXPERT}"
_OF_CLASS = {kind: f"weights_bytes.{kind}" for kind in TensorClass}
PADDED = "padded_bytes.expert"
WHOLE, DIVIDED = "weights_bytes.whole_attention", "weights_bytes.divided"
SOURCE = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/model_executor/layers/quantization/mxfp4.py: sizes that each kernel pads to",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/quantization/mxfp4.py",
    "2026-11",
)
NVIDIA = (DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_GDDR, DeviceFamily.NVIDIA_UNIFIED)
#: What a kernel pads the hidden size and the width inside an expert to.
MARLIN, TRITON_ON_HOPPER, FLASHINFER = (256, 128), (256, 64), (256, 256)


def padding(s: Situation) -> tuple[int, int] | None:
    """What vLLM pads MXFP4 experts to on this accelerator; None where it does not, or nobody has read how."""
    if not is_vllm(s) or s.weight_format.format_class != "mxfp4" or s.device.family not in NVIDIA:
        return None
    if s.device.architecture == "blackwell-dc":
        return FLASHINFER
    if s.device.architecture == "hopper" and not before(s, SWIZZLES_SINCE):
        return TRITON_ON_HOPPER
    return MARLIN


def record_padding(trace: Trace, s: Situation) -> None:
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


def class_key(trace: Trace, kind: TensorClass) -> str:
    """The key of what the engine holds of a class: padded, or as the file has it."""
    return PADDED if kind is TensorClass.EXPERT and PADDED in trace else _OF_CLASS[kind]


def keeps_attention_whole(s: Situation) -> bool:
    """Has the model attention matrices that every tensor-parallel rank keeps whole?"""
    return s.plan.tensor > 1 and s.blueprint.whole_attention_parameters > 0


def record_whole_attention(trace: Trace, s: Situation) -> None:
    """Record the down-projections of latent attention and its indexers, which are not divided, and all the rest."""
    number = s.blueprint.whole_attention_parameters
    trace.given("model.whole_attention_parameters", number, Unit.PARAMETER, source_of_model(s))
    bits = f"weights.bits.{TensorClass.ATTENTION}"
    trace.compute(WHOLE, weights.weights_bytes, parameters="model.whole_attention_parameters", bits=bits)
    trace.compute(DIVIDED, memory.rest_bytes, whole_bytes=f"weights_bytes.{TensorClass.ATTENTION}", part_bytes=WHOLE)
