"""The compute buffer of llama.cpp in a situation: phases of a graph, masks, and what stands several times."""

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.physics import activations as a
from core.physics import compute_buffer as c
from core.physics.reservation import llama_cpp as rules
from core.sizing.engine_defaults import (
    NARROW_MASK_SINCE,
    TWO_CROSS_SINCE,
    WINDOWS_APART_SINCE,
    before,
    uses_flash_attention,
)
from core.sizing.groups import cached_groups, draft_tokens, source_of_model
from core.sizing.placement import is_placed
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

BUFFER = "runtime.compute_buffer_bytes"
SOURCE = Origin(
    OriginKind.METHOD,
    "llama.cpp, src/llama-context.cpp and src/llama-graph.cpp; pull requests 23764 and 23861",
    "https://github.com/ggml-org/llama.cpp",
    "2026-10",
)
#: Bytes of a mask for a pair of tokens: without flash attention, with it, and with it while a wider one came first.
WIDE_MASK, MASK, BOTH_MASKS = 4, 2, 6
#: Accelerators in a row: how often masks stand where four micro-batches may be under way.
MASK_COPIES, BOTH_COPIES = 4, 3


def record_compute_buffer(trace: Recipe, s: Setup) -> str:
    """Record the compute buffer of the accelerator with the largest; return its key."""
    if not s.blueprint.attention:
        groups: list[AttentionGroup] = []
    else:
        groups = [group for _, group in cached_groups(s.blueprint)]
    flash, old = uses_flash_attention(s), before(s, NARROW_MASK_SINCE)
    _shape(trace, s, groups)
    pair = WIDE_MASK if not flash else BOTH_MASKS if old else MASK
    trace.given("runtime.mask_bytes", pair, Unit.BYTE, SOURCE)
    inputs = {"micro_batch": "engine.prefill_chunk", "hidden_size": "model.hidden_size"}
    trace.compute(
        "runtime.masks_bytes",
        c.masks_bytes,
        micro_batch="engine.prefill_chunk",
        cells=_cells(trace, s),
        pair_bytes="runtime.mask_bytes",
    )
    trace.compute(
        "runtime.word_graph_bytes",
        c.word_graph_bytes,
        outputs="runtime.outputs",
        vocabulary="model.vocabulary",
        **inputs,
    )
    phases = _phases(trace, s, inputs, flash)
    masks, words = {"masks_bytes": "runtime.masks_bytes"}, "runtime.word_graph_bytes"
    if s.plan.pipeline > 1 and not is_placed(s):
        trace.given("runtime.mask_copies", BOTH_COPIES if pair == BOTH_MASKS else MASK_COPIES, Unit.COUNT, SOURCE)
        trace.given("runtime.crossing", 1 if before(s, TWO_CROSS_SINCE) else 2, Unit.COUNT, SOURCE)
        staged = {"mask_times": "runtime.mask_copies", "tensors": "runtime.crossing"}
        trace.compute(BUFFER, c.staged_peak_bytes, phases=[*phases, words], **masks, **inputs, **staged)
    elif pair == BOTH_MASKS:
        trace.compute("runtime.row_bytes", c.row_bytes, **inputs)
        before_that = {"word_bytes": words, "row_bytes": "runtime.row_bytes", **masks}
        trace.compute(BUFFER, c.graph_peak_before_bytes, layer_bytes=phases[0], **before_that)
    else:
        trace.compute(BUFFER, c.graph_peak_bytes, phases=phases, word_bytes=words, **masks)
    return BUFFER


def _shape(trace: Recipe, s: Setup, groups: list[AttentionGroup]) -> None:
    """Record the widths of a layer, and how many words may be asked for."""
    source, moe = source_of_model(s), s.blueprint.moe
    dense = s.blueprint.parameters.get(TensorClass.FEED_FORWARD, 0)
    layers = s.blueprint.layers - (moe.layers if moe else 0) or s.blueprint.layers
    widest = max(groups, key=lambda group: group.query_heads * group.key_dim, default=None)
    widths = {
        "query_heads": widest.query_heads if widest else 0,
        "query_width": widest.query_heads * (widest.latent_dim or widest.key_dim) if widest else 0,
        "kv_width": widest.latent_dim or widest.kv_heads * widest.key_dim if widest else 0,
        "dense_layers": layers if dense else 0,
        "chosen_experts": moe.experts_per_token if moe else 0,
        "experts": 1 if moe else 0,
    }
    for name, number in widths.items():
        trace.given(f"runtime.{name}", number, Unit.COUNT, source)
    trace.given("runtime.dense_parameters", dense, Unit.PARAMETER, source)
    trace.given("runtime.expert_parameters", moe.parameters_per_expert if moe else 0, Unit.PARAMETER, source)
    for key, parameters, count in (("inner", "dense", "dense_layers"), ("expert_inner", "expert", "experts")):
        trace.compute(
            f"runtime.{key}",
            a.inner_width,
            parameters=f"runtime.{parameters}_parameters",
            layers=f"runtime.{count}",
            hidden_size="model.hidden_size",
        )
    if before(s, NARROW_MASK_SINCE):
        trace.given("runtime.outputs", trace["engine.prefill_chunk"], Unit.TOKEN, SOURCE)
        return
    trace.given("runtime.draft_tokens", draft_tokens(s), Unit.TOKEN, CHOICE)
    slots = s.deployment.max_requests
    trace.given("runtime.server_slots", slots or 1, Unit.REQUEST, CHOICE if slots else SOURCE)
    asked = {"requests": "runtime.server_slots", "draft_tokens": "runtime.draft_tokens"}
    trace.compute("runtime.outputs", c.words_asked_for, **asked)


def _cells(trace: Recipe, s: Setup) -> list[str]:
    """The keys of the cells of each length: of layers that keep every token, and of those with a window.

    They are those of the scenario's own context, for one slot: what stands beside the requests does not grow with them.
    """
    if "runtime.full_cells" in trace or "runtime.window_cells" in trace:
        return [key for key in ("runtime.full_cells", "runtime.window_cells") if key in trace]
    trace.given("runtime.one_stream", 1, Unit.COUNT, SOURCE)
    shape = {"tokens": "runtime.context_tokens", "sharing": "runtime.one_stream", "step": "cache_step_tokens"}
    whole = s.deployment.full_windows or before(s, WINDOWS_APART_SINCE)
    for number, group in cached_groups(s.blueprint):
        windowed = bool(group.window) and group.kind is not AttentionKind.COMPRESSED and not whole
        key = "runtime.window_cells" if windowed else "runtime.full_cells"
        if key in trace:
            continue
        if windowed:
            more = {"window": f"kv.{number}.window", "micro_batch": "engine.prefill_chunk"}
            trace.compute(key, rules.window_cells, **shape, **more)
        else:
            trace.compute(key, rules.full_cells, **shape)
    found = [key for key in ("runtime.full_cells", "runtime.window_cells") if key in trace]
    return found or ["nothing_bytes"]


def _phases(trace: Recipe, s: Setup, inputs: dict[str, str], flash: bool) -> list[str]:
    """Record the phases of a layer; return their keys."""
    trace.compute(
        "runtime.layer_graph_bytes",
        c.layer_graph_bytes,
        query_width="runtime.query_width",
        inner="runtime.inner",
        chosen_experts="runtime.chosen_experts",
        expert_inner="runtime.expert_inner",
        **inputs,
    )
    phases = [_with_copied_weights(trace, s, "runtime.layer_graph_bytes")]
    cells = _cells(trace, s)[0]
    if not flash and cells != "nothing_bytes":
        widths = {name: f"runtime.{name}" for name in ("query_heads", "query_width", "kv_width")}
        phases.append("runtime.score_graph_bytes")
        trace.compute(phases[-1], c.score_graph_bytes, cells=cells, **widths, **inputs)
    return phases


def _with_copied_weights(trace: Recipe, s: Setup, key: str) -> str:
    """The phase with one matrix of experts that lie with the host."""
    moe, experts = s.blueprint.moe, f"weights_bytes.{TensorClass.EXPERT}"
    if not (is_placed(s) and s.deployment.host_expert_layers and moe and experts in trace):
        return key
    trace.given("runtime.expert_matrices", 3 * moe.layers, Unit.COUNT, source_of_model(s))
    copied = {"weights_bytes": experts, "matrices": "runtime.expert_matrices"}
    trace.compute("runtime.copied_weight_bytes", c.copied_weight_bytes, **copied)
    whole = "runtime.layer_with_weight_bytes"
    trace.compute(whole, c.both_bytes, layer_bytes=key, copied_bytes="runtime.copied_weight_bytes")
    return whole
