"""The compute buffer of llama.cpp in a situation: phases of a graph, masks, and what stands several times."""

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.catalogue.calibration import back_end
from core.physics import activations as a
from core.physics import compute_buffer as c
from core.physics.reservation import llama_cpp as rules
from core.sizing.engine_defaults import (
    CACHE_COPIED_SINCE,
    GATED_IN_ONE_SINCE,
    HEAD_FIRST_SINCE,
    INDEXED_SINCE,
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
#: Keys and values of a layer with the host, and the half of them that comes next.
COPIES_OF_CACHE = 1.5
LATENT = (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT)
#: Families whose layers have no norms but one before each block, and no mixture: see `lifted_word_bytes`.
PLAIN_LAYERS = ("llama", "mistral", "qwen2")
#: Back ends whose kernels read the cache in 16 bit (ggml/src/ggml-cuda/fattn.cu, which HIP builds share).
READS_SIXTEEN_BIT = ("-cuda", "-rocm")
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
    phases = _phases(trace, s, inputs, flash, groups)
    masks, words = {"masks_bytes": "runtime.masks_bytes"}, _words(trace, s)
    if is_placed(s) and s.deployment.host_layers and groups:
        phases.append(_attention_with_host(trace, s, inputs, flash, groups))
    if s.plan.pipeline > 1 and not is_placed(s):
        trace.given("runtime.mask_copies", BOTH_COPIES if pair == BOTH_MASKS else MASK_COPIES, Unit.COUNT, SOURCE)
        trace.given("runtime.crossing", 1 if before(s, TWO_CROSS_SINCE) else 2, Unit.COUNT, SOURCE)
        staged = {"mask_times": "runtime.mask_copies", "tensors": "runtime.crossing"}
        trace.compute(BUFFER, c.staged_peak_bytes, phases=[*phases, words], **masks, **inputs, **staged)
    elif pair == BOTH_MASKS:
        latent = "runtime.latent_graph_bytes"
        _attended(trace, inputs, "nothing_bytes")
        rows = "runtime.host_attention_bytes"
        rows = rows if rows in phases else "runtime.attended_graph_bytes"
        beside = {"rows_bytes": rows, "early_bytes": latent if latent in phases else "nothing_bytes", **masks}
        words = _lifted(trace, s, inputs, words) if words == "runtime.word_graph_bytes" else words
        trace.compute("runtime.inner_bytes", c.inner_bytes, micro_batch=inputs["micro_batch"], inner="runtime.inner")
        beside |= {"inner_bytes": "runtime.inner_bytes", "inner_times": "runtime.inner_times"}
        trace.compute(BUFFER, c.graph_peak_before_bytes, layer_bytes=phases[0], word_bytes=words, **beside)
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
        "attended_width": widest.query_heads * widest.value_dim if widest else 0,
        "kv_width": widest.latent_dim or widest.kv_heads * widest.key_dim if widest else 0,
        "dense_layers": layers if dense else 0,
        "chosen_experts": moe.experts_per_token if moe else 0,
        "experts": 1 if moe else 0,
    }
    for name, number in widths.items():
        trace.given(f"runtime.{name}", number, Unit.COUNT, source)
    trace.given("runtime.inner_times", 2 if before(s, GATED_IN_ONE_SINCE) else 3, Unit.COUNT, SOURCE)
    found = _tables_of_layers(s)
    if found:
        trace.given("runtime.table_parameters", found, Unit.PARAMETER, source)
        tables = {"parameters": "runtime.table_parameters", "vocabulary": "model.vocabulary"}
        trace.compute("runtime.input_width", c.input_width, **tables)
    else:
        trace.given("runtime.input_width", 0, Unit.COUNT, source)
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


def _tables_of_layers(s: Setup) -> int:
    """Parameters of tables that give each layer an input: in models of Gemma that have them, the other is the head."""
    apart = s.blueprint.family.startswith("gemma") and not s.blueprint.tied_embedding
    return s.blueprint.parameters.get(TensorClass.EMBEDDING, 0) if apart else 0


def _cells(trace: Recipe, s: Setup) -> list[str]:
    """The keys of the cells of each length: of layers that keep every token, and of those with a window.

    They are those of the scenario's own context, for one slot: what stands beside the requests does not grow with them.
    """
    if "runtime.full_cells" in trace or "runtime.window_cells" in trace:
        return _masked(trace, s)
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
    return _masked(trace, s) or ["nothing_bytes"]


def _masked(trace: Recipe, s: Setup) -> list[str]:
    """Cells of each mask: layers with a window have one of their own, also where they keep every token."""
    found = [key for key in ("runtime.full_cells", "runtime.window_cells") if key in trace]
    kinds = {bool(group.window) for _, group in cached_groups(s.blueprint)}
    apart = s.deployment.full_windows and not before(s, WINDOWS_APART_SINCE)
    return found * 2 if apart and len(kinds) > 1 and len(found) == 1 else found


def _words(trace: Recipe, s: Setup) -> str:
    """The scores of words, with a copy of the head where that lies with the host."""
    words, head = "runtime.word_graph_bytes", f"weights_bytes.{TensorClass.HEAD}"
    if s.blueprint.tied_embedding:
        head = f"weights_bytes.{TensorClass.EMBEDDING}"
    kept = not (is_placed(s) and s.deployment.host_layers) or not before(s, HEAD_FIRST_SINCE)
    if kept or head not in trace:
        return words
    trace.compute("runtime.word_with_head_bytes", c.with_copy_bytes, phase_bytes=words, copied_bytes=head)
    return "runtime.word_with_head_bytes"


def _attention_with_host(
    trace: Recipe, s: Setup, inputs: dict[str, str], flash: bool, groups: list[AttentionGroup]
) -> str:
    """Record attention of a layer that lies with the host; return its key."""
    widest = max((g for g in groups if not g.window), key=_cached_width, default=groups[0])
    trace.given("runtime.host_layer_width", _cached_width(widest), Unit.COUNT, source_of_model(s))
    trace.given("runtime.score_heads", 0 if flash else widest.query_heads, Unit.COUNT, source_of_model(s))
    once = flash and before(s, NARROW_MASK_SINCE)
    trace.given("runtime.cache_copies", 1 if once else COPIES_OF_CACHE, Unit.COUNT, SOURCE)
    trace.compute(
        "runtime.host_attention_bytes",
        c.host_attention_bytes,
        query_width="runtime.query_width",
        cells=_cells(trace, s)[0],
        score_heads="runtime.score_heads",
        layer_width="runtime.host_layer_width",
        element_bytes="kv_format.bytes_per_element",
        copies="runtime.cache_copies",
        **inputs,
    )
    return "runtime.host_attention_bytes"


def _lifted(trace: Recipe, s: Setup, inputs: dict[str, str], words: str) -> str:
    """The scores of words, which lay over a gap in plain layers once gated units were one operation."""
    if before(s, GATED_IN_ONE_SINCE) or s.blueprint.moe or s.blueprint.family not in PLAIN_LAYERS:
        return words
    lifted = {"inner": "runtime.inner", "word_bytes": words, "masks_bytes": "runtime.masks_bytes"}
    trace.compute("runtime.lifted_word_bytes", c.lifted_word_bytes, **lifted, **inputs)
    return "runtime.lifted_word_bytes"


def _attended(trace: Recipe, inputs: dict[str, str], copy: str) -> None:
    """Record what stands while queries look at the cache."""
    rows = {"query_width": "runtime.query_width", "copy_bytes": copy, **inputs}
    trace.compute("runtime.attended_graph_bytes", c.attended_graph_bytes, **rows)


def _phases(trace: Recipe, s: Setup, inputs: dict[str, str], flash: bool, groups: list[AttentionGroup]) -> list[str]:
    """Record the phases of a layer; return their keys."""
    trace.compute(
        "runtime.layer_graph_bytes",
        c.layer_graph_bytes,
        attended_width="runtime.attended_width",
        inner="runtime.inner",
        chosen_experts="runtime.chosen_experts",
        expert_inner="runtime.expert_inner",
        inner_times="runtime.inner_times",
        more_width="runtime.input_width",
        **inputs,
    )
    phases = [_with_copied_weights(trace, s, inputs, "runtime.layer_graph_bytes")]
    cells = _cells(trace, s)[0]
    if not flash and cells != "nothing_bytes":
        widths = {name: f"runtime.{name}" for name in ("query_heads", "query_width", "kv_width")}
        phases.append("runtime.score_graph_bytes")
        widths["more_width"] = "runtime.input_width"
        trace.compute(phases[-1], c.score_graph_bytes, cells=cells, **widths, **inputs)
    latent = next((group for group in groups if group.kind in LATENT and group.latent_dim), None)
    if flash and latent:
        phases.append("runtime.latent_graph_bytes")
        for name, number in (("latent_key_dim", latent.key_dim), ("latent_dim", latent.latent_dim)):
            trace.given(f"runtime.{name}", number, Unit.COUNT, source_of_model(s))
        widths = {"key_dim": "runtime.latent_key_dim", "latent_dim": "runtime.latent_dim"}
        heads = "runtime.query_heads"
        trace.compute(phases[-1], c.latent_graph_bytes, query_heads=heads, **widths, **inputs)
        if latent.index_top_k and not before(s, INDEXED_SINCE):
            trace.given("runtime.sparse_layers", latent.layers, Unit.COUNT, source_of_model(s))
            trace.given("runtime.top_k", latent.index_top_k, Unit.TOKEN, source_of_model(s))
            trace.compute(
                "runtime.index_graph_bytes",
                c.index_graph_bytes,
                micro_batch=inputs["micro_batch"],
                latent_bytes=phases[-1],
                layers="runtime.sparse_layers",
                top_k="runtime.top_k",
                cells=cells,
                query_heads=heads,
                key_dim="runtime.latent_key_dim",
            )
            phases.append("runtime.index_graph_bytes")
    if flash and cells != "nothing_bytes" and _copies_cache(s):
        phases.append("runtime.attended_graph_bytes")
        widest = max((g for g in groups if not g.window), key=_cached_width, default=groups[0])
        trace.given("runtime.cached_width", _cached_width(widest), Unit.COUNT, source_of_model(s))
        copied = {"cells": cells, "width": "runtime.cached_width"}
        trace.compute("runtime.copied_cache_bytes", c.copied_cache_bytes, **copied)
        _attended(trace, inputs, "runtime.copied_cache_bytes")
    return phases


def _cached_width(group: AttentionGroup) -> int:
    """Elements that a layer keeps of a token; values of latents are a part of their keys."""
    return group.latent_dim or group.kv_heads * (group.key_dim + group.value_dim)


def _copies_cache(s: Setup) -> bool:
    """Do kernels read a 16-bit copy of the cache, for which the buffer has room?"""
    made = back_end(s.engine, s.device.family).endswith(READS_SIXTEEN_BIT)
    return made and s.kv_format.bits < 16 and not before(s, CACHE_COPIED_SINCE)


def _with_copied_weights(trace: Recipe, s: Setup, inputs: dict[str, str], key: str) -> str:
    """The phase with one matrix of experts that lie with the host."""
    moe, experts = s.blueprint.moe, f"weights_bytes.{TensorClass.EXPERT}"
    if not (is_placed(s) and s.deployment.host_expert_layers and moe and experts in trace):
        return key
    trace.given("runtime.expert_matrices", 3 * moe.layers, Unit.COUNT, source_of_model(s))
    copied = {"weights_bytes": experts, "matrices": "runtime.expert_matrices"}
    trace.compute("runtime.copied_weight_bytes", c.copied_weight_bytes, **copied)
    whole = "runtime.layer_with_weight_bytes"
    widths = {name: f"runtime.{name}" for name in ("attended_width", "chosen_experts", "expert_inner")}
    trace.compute(whole, c.layer_with_weight_bytes, copied_bytes="runtime.copied_weight_bytes", **widths, **inputs)
    return whole
