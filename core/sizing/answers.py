"""What follows from memory: what grouped heads save, when the cache outweighs the model, what does not fit."""

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.physics import answers as a
from core.physics import weights as w
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.origins import METHOD
from core.sizing.situation import Setup
from core.sizing.weights import EXPERTS_OF_RANK
from core.trace import Origin, Recipe, Same, Trace, recipe
from core.units import Unit


def saving(formulas: Recipe, s: Setup) -> list[Recipe]:
    """The recipe of `full_heads_ratio`: how many times more a twin with a cache for every query head would keep."""
    groups = cached_groups(s.blueprint)
    for number, group in groups:
        if group.kind is AttentionKind.COMPRESSED or not formulas[f"kv.{number}.bytes_per_token"]:
            return []
    return [_saving(Same(groups), s.model_source)] if groups else []


@recipe
def _saving(trace: Recipe, groups: Same[tuple[tuple[int, AttentionGroup], ...]], source: Origin) -> None:
    twins = []
    for number, group in groups.it:
        key = f"kv.{number}"
        trace.given(f"{key}.query_heads", group.query_heads, Unit.COUNT, source)
        trace.given(f"{key}.widths", group.key_dim + group.value_dim, Unit.COUNT, source)
        element = "kv_format.bytes_per_element" if group.kind in LATENT else f"kv_element_bytes.{number}"
        twins.append(f"{key}.full_heads_bytes")
        trace.compute(
            twins[-1],
            a.full_heads_bytes,
            logical_bytes=f"{key}.logical_bytes",
            bytes_per_token=f"{key}.bytes_per_token",
            layers=f"{key}.layers",
            query_heads=f"{key}.query_heads",
            widths=f"{key}.widths",
            element_bytes=element,
        )
    trace.compute("full_heads_ratio", a.saving, full_bytes=twins, kept_bytes="kv_logical_bytes_per_request")


def record_spill(trace: Trace, s: Setup) -> None:
    """Record how many layers, and how many experts of each, do not fit the fast memory of an accelerator."""
    spilled = "spill.weights_bytes" if trace["spill.weights_bytes"] > 0 else "accelerator.shortfall_bytes"
    if trace[spilled] <= 0:
        return
    trace.given("spill.layers_there", -(-s.blueprint.layers // s.plan.pipeline), Unit.COUNT, METHOD)
    weights = {"weights_bytes": "accelerator.weights_bytes", "layers": "spill.layers_there"}
    trace.compute("spill.layers", a.layers_that_spill, spilled_bytes=spilled, **weights)
    if s.blueprint.moe is None or not s.blueprint.parameters.get(TensorClass.EXPERT):
        return
    trace.given("spill.experts_in_a_layer", s.blueprint.moe.experts, Unit.COUNT, source_of_model(s))
    experts, tensor = "weights_bytes.expert", "plan.tensor"
    if s.plan.spreads_experts:
        experts, tensor = EXPERTS_OF_RANK, "spill.undivided"
        trace.given(tensor, 1, Unit.COUNT, METHOD)
    trace.compute(
        "spill.expert_bytes",
        w.rank_weights_bytes,
        layered=experts,
        replicated="nothing_bytes",
        first="nothing_bytes",
        last="nothing_bytes",
        layers="model.layers",
        tensor=tensor,
        pipeline="plan.pipeline",
    )
    trace.compute(
        "spill.experts",
        a.experts_that_spill,
        spilled_bytes=spilled,
        expert_bytes="spill.expert_bytes",
        experts="spill.experts_in_a_layer",
    )
