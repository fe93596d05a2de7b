"""The weights of a situation: class by class, of the whole file, as loaded, and on one accelerator."""

from core.architecture.blueprint import Blueprint, TensorClass
from core.physics import expert_parallel as ep
from core.physics import memory as m
from core.physics import weights as w
from core.scenario import Mode
from core.sizing.loaded import (
    DIVIDED,
    PADDED,
    WHOLE,
    class_key,
    keeps_attention_whole,
    record_group_scales,
    record_held,
    record_padding,
    record_products,
    record_tables,
    record_whole_attention,
)
from core.sizing.origins import ARTICLE, catalogue_origin
from core.sizing.placement import loaded_classes
from core.sizing.plan import FIRST_STAGE, LAST_STAGE, REPLICATED
from core.sizing.situation import Setup
from core.trace import Origin, Recipe, Recorder, Same, recipe
from core.units import Unit

#: The keys of each class, made once: a sizing asks for them often.
_KEYS = {kind: (f"model.parameters.{kind}", f"weights.bits.{kind}", f"weights_bytes.{kind}") for kind in TensorClass}
RANK, OF_RANK = "accelerator.weights_bytes", "weights_bytes.of_rank"
EXPERTS_OF_RANK = "weights_bytes.experts_on_rank"
_PARAMETERS = {kind: keys[0] for kind, keys in _KEYS.items()}


def bits_origin(s: Setup) -> Origin:
    """Where the bits per weight come from: the format's record, or the article's rule."""
    return ARTICLE if s.mode is Mode.ARTICLE else catalogue_origin(s.weight_format, "bits")


def record_weights(trace: Recipe, s: Setup) -> None:
    classes = tuple(s.blueprint.parameters)
    bits = tuple(s.bits[kind] for kind in classes)
    trace.follow(_classes(Same(s.blueprint), s.model_source, bits, bits_origin(s)))
    loaded = loaded_classes(s)
    record_padding(trace, s)
    keys = [class_key(trace, kind) for kind in loaded]
    if len(loaded) < len(classes) or PADDED in keys:
        trace.compute("weights.loaded_bytes", w.total_weights_bytes, classes=keys)
    _rank_weights(trace, s, loaded)


@recipe
def _classes(
    trace: Recipe, model: Same[Blueprint], source: Origin, bits_each: tuple[float, ...], bits_source: Origin
) -> None:
    """Every class of tensors, their sums, and what the model says of itself."""
    blueprint = model.it
    classes = list(blueprint.parameters)
    for (kind, number), bits_of_kind in zip(blueprint.parameters.items(), bits_each, strict=True):
        counted, bits, size = _KEYS[kind]
        trace.given(counted, number, Unit.PARAMETER, source)
        trace.given(bits, bits_of_kind, Unit.BIT_PER_WEIGHT, bits_source)
        trace.compute(size, w.weights_bytes, parameters=counted, bits=bits)
    trace.compute("model.total_parameters", w.total_parameters, classes=[_PARAMETERS[kind] for kind in classes])
    _active(trace, blueprint, source)
    trace.given("model.layers", blueprint.layers, Unit.COUNT, source)
    trace.given("model.trained_context", blueprint.trained_context, Unit.TOKEN, source)
    trace.compute("memory_item.weights", w.total_weights_bytes, classes=[_KEYS[kind][2] for kind in classes])


def loaded_key(trace: Recorder) -> str:
    """The key of what the engine loads of the model: the whole file, or all but what it has no use for."""
    return "weights.loaded_bytes" if "weights.loaded_bytes" in trace else "memory_item.weights"


def _active(trace: Recipe, blueprint: Blueprint, source: Origin) -> None:
    idle = {TensorClass.NGRAM, TensorClass.EXPERT, TensorClass.VISION, TensorClass.MTP}
    if not blueprint.tied_embedding:
        idle.add(TensorClass.EMBEDDING)
    moe = blueprint.moe
    trace.given("model.moe_layers", moe.layers if moe else 0, Unit.COUNT, source)
    if moe:
        trace.given("model.experts_per_layer", moe.experts, Unit.COUNT, source)
    trace.given("model.experts_per_token", moe.experts_per_token if moe else 0, Unit.COUNT, source)
    trace.given("model.parameters_per_expert", moe.parameters_per_expert if moe else 0, Unit.PARAMETER, source)
    trace.compute(
        "model.active_parameters",
        w.active_parameters,
        dense=[_PARAMETERS[kind] for kind in blueprint.parameters if kind not in idle],
        layers="model.moe_layers",
        experts_per_token="model.experts_per_token",
        parameters_per_expert="model.parameters_per_expert",
    )


def _rank_weights(trace: Recipe, s: Setup, classes: list[TensorClass]) -> None:
    if s.plan.copy_ranks == 1:
        _beside(trace, s, loaded_key(trace))
        return
    apart = {*REPLICATED, *FIRST_STAGE, *LAST_STAGE}
    if s.plan.spreads_experts:
        apart.add(TensorClass.EXPERT)
    parts = {
        "layered": [c for c in classes if c not in apart],
        "replicated": [c for c in classes if c in REPLICATED],
        "first": [c for c in classes if c in FIRST_STAGE],
        "last": [c for c in classes if c in LAST_STAGE],
    }
    items = {name: [class_key(trace, kind) for kind in members] for name, members in parts.items()}
    if keeps_attention_whole(s):
        record_whole_attention(trace, s)
        place = items["layered"].index(f"weights_bytes.{TensorClass.ATTENTION}")
        items["layered"][place] = DIVIDED
        items["replicated"].append(WHOLE)
    for name, members in items.items():
        trace.compute(f"weights_bytes.{name}", m.sum_bytes, items=members)
    plan = {"layers": "model.layers", "tensor": "plan.tensor", "pipeline": "plan.pipeline"}
    keys = {name: f"weights_bytes.{name}" for name in parts}
    if s.plan.spreads_experts:
        keys["experts"] = _rank_experts(trace, s)
        trace.compute(OF_RANK, ep.rank_weights_beside_experts, **keys, **plan)
    else:
        trace.compute(OF_RANK, w.rank_weights_bytes, **keys, **plan)
    _beside(trace, s, OF_RANK)


def _beside(trace: Recipe, s: Setup, weights: str) -> None:
    """Record what lies on one accelerator: its weights, and what the engine prepares or holds beside them."""
    scales = record_group_scales(trace, s, weights, loaded_key(trace))
    beside = [*record_tables(trace, s), *scales, *record_products(trace, s), *record_held(trace, s, weights)]
    trace.compute(RANK, m.sum_bytes, items=[weights, *beside])


def _rank_experts(trace: Recipe, s: Setup) -> str:
    """Record the experts of one accelerator; return the key."""
    trace.compute(
        EXPERTS_OF_RANK,
        ep.expert_rank_bytes,
        expert_bytes=class_key(trace, TensorClass.EXPERT),
        experts="model.experts_per_layer",
        spread="plan.expert",
        ranks="plan.stage_ranks",
    )
    return EXPERTS_OF_RANK
