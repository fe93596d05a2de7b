"""What an engine takes of an accelerator beside weights and cache: context, peak, graphs, exchange."""

from core.architecture.blueprint import AttentionKind, ImageTower, TensorClass
from core.catalogue.records import AMD, NVIDIA, Allocator, DeviceFamily
from core.physics import activations as a
from core.physics import memory as m
from core.scenario import Mode
from core.sizing.apple import on_metal, record_metal, record_mlx
from core.sizing.communicators import EXCHANGE, LOGS, record_communicators
from core.sizing.compute_buffer import record_compute_buffer
from core.sizing.engine_defaults import (
    CONTEXT_APART_SINCE,
    GATHERS_LESS_SINCE,
    GATHERS_SINCE,
    LIBRARIES_SINCE,
    SCORES_SINCE,
    TWO_SPACES_SINCE,
    UNFOLDS_LESS_SINCE,
    UNFOLDS_SINCE,
    UNSORTED_SINCE,
    before,
    counts_graphs,
    has_second_runner,
    tries_images,
)
from core.sizing.groups import ROTARY_WIDTH, given_chunk, given_max_requests, source_of_model
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin
from core.sizing.situation import Setup
from core.trace import Origin, OriginKind, Recipe
from core.units import MIB, Unit

FRAMEWORK = "memory_item.framework"
#: The context limit, where what the engine takes beside the cache grows with it.
RUNTIME_CONTEXT = "runtime.context_tokens"
SAMPLER = Origin(
    OriginKind.METHOD,
    "Peak memory in eight start-up logs of vLLM on H100; choosing words without sorting: vLLM pull request 33538",
    "https://github.com/llm-d/llm-d-benchmark/blob/main/config_explorer/empirical-vllm-memory-results.md",
    "2026-02",
)
#: Context and libraries beside PyTorch. vLLM 0.6 reported 0.35 GiB, context included; 0.7 from 0.03 to 0.16; since then
#: logs leave 0.1 to 0.3 on NVIDIA and 0.4 to 0.8 on AMD beside weights and peak; llama.cpp 309 MiB beside its buffers
#: [byte].
VLLM_CONTEXT, WITH_CONTEXT, BESIDE_CONTEXT, ROCM_CONTEXT = 200 * MIB, 350 * MIB, 100 * MIB, 500 * MIB
LLAMA_CPP_CONTEXT = 309 * MIB
TPU = Origin(
    OriginKind.METHOD,
    "vLLM for TPUs, tpu_inference/worker/tpu_worker.py: determine_available_memory",
    "https://github.com/vllm-project/tpu-inference/blob/main/tpu_inference/worker/tpu_worker.py",
    "2026-08",
)
#: Of one score with its copies, while words are chosen by sorting all scores, and since they are not; by the second
#: runner, which printed 1.44 GiB for 1,024 requests of Llama 3.1 8B on H100 [byte].
LOGITS_SORTED, LOGITS_EACH, LOGITS_OF_SECOND = 38, 16, 10
#: Earlier tokens that latent attention unfolds at most.
UNFOLDED, UNFOLDED_BEFORE = 65_536, 131_072
UNFOLDING = Origin(
    OriginKind.METHOD,
    "vLLM, v1/attention/backends/mla/common.py: determine_chunked_prefill_workspace_size",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/attention/mla_attention.py",
    "2026-11",
)
#: Contexts that sparse latent attention gathers, by release, and of long ones; keys of the indexer in the room of a
#: latent; scores that it sets aside [byte].
GATHERED, GATHERED_BEFORE, GATHERED_OF_LONG, GATHERED_KEYS, SPARSE_SCORES = 5, 2, 2, 8, 512 * MIB
WITH_SCALES = "fp8_ds_mla"
GATHERING = Origin(
    OriginKind.METHOD,
    "vLLM, v1/attention/backends/mla/indexer.py and flashmla_sparse.py, by release",
    "https://github.com/vllm-project/vllm/blob/main/vllm/v1/attention/backends/mla/indexer.py",
    "2026-11",
)
#: Tokens that vLLM's experts take at a time, by release, newest first; the newest do not cut a chunk.
MIXTURE_MOST, MIXTURE_MOST_BEFORE = (((0, 18), 10**9), ((0, 12), 16_384)), 65_536
CUT = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/envs.py: VLLM_FUSED_MOE_CHUNK_SIZE",
    "https://github.com/vllm-project/vllm/blob/v0.12.0/vllm/envs.py",
    "2025-12",
)
SPACES = Origin(
    OriginKind.METHOD,
    "vLLM, fused_moe/experts/triton_moe.py, deep_gemm_moe.py, cutlass_moe.py and marlin_moe.py: workspace_shapes",
    "https://github.com/vllm-project/vllm/tree/main/vllm/model_executor/layers/fused_moe/experts",
    "2026-11",
)
#: Graphs of CUDA as vLLM estimates them: the first, and a layer in each; its largest step; how many steps' tokens the
#: graphs in pieces go beyond those of whole steps.
FIRST_GRAPH, GRAPH_OF_LAYER, LARGEST_GRAPH, PIECES, WHOLE = 50 * MIB, MIB // 5, 512, 2, 1
GRAPHS = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/config/vllm.py: _set_cudagraph_sizes; estimates in public start-up logs",
    "https://github.com/vllm-project/vllm/blob/main/vllm/config/vllm.py",
    "2026-09",
)
#: A tower that nobody has read: images of one token, with patches as those of Qwen's.
USUAL_TOWER = ImageTower(tokens=1, patches=4, elements=13_600)
TOWERS = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/multimodal/encoder_budget.py, and the processors of its models",
    "https://github.com/vllm-project/vllm/blob/main/vllm/multimodal/encoder_budget.py",
    "2026-11",
)


def record_runtime(trace: Recipe, s: Setup) -> None:
    """Record `memory_item.framework`: chosen, none in article mode, by the engine's form, or its usual figure."""
    chosen = s.deployment.runtime_bytes
    if chosen is not None:
        trace.given(FRAMEWORK, chosen, Unit.BYTE)
    elif s.mode is Mode.ARTICLE:
        trace.given(FRAMEWORK, 0, Unit.BYTE, ARTICLE)
    elif not s.blueprint.vocabulary or s.engine.allocator not in FORMS:
        trace.given(FRAMEWORK, s.engine.runtime_bytes, Unit.BYTE, catalogue_origin(s.engine, "runtime_bytes"))
    else:
        source = source_of_model(s)
        trace.given("model.hidden_size", s.blueprint.hidden_size, Unit.COUNT, source)
        trace.given("model.vocabulary", s.blueprint.vocabulary, Unit.COUNT, source)
        given_chunk(trace, s)
        trace.compute(FRAMEWORK, m.sum_bytes, items=FORMS[s.engine.allocator](trace, s))


def _vllm(trace: Recipe, s: Setup) -> list[str]:
    """Context, the peak over reading a chunk of text or images and choosing words, graphs, and the exchange.

    On a TPU nothing is tried at the start: what is not weights is the cache's. On Apple's accelerators MLX computes.
    """
    if on_metal(s):
        return record_metal(trace, s)
    if s.device.family is DeviceFamily.TPU:
        trace.given("runtime.context_bytes", 0, Unit.BYTE, TPU)
        return ["runtime.context_bytes"]
    trace.given("runtime.context_bytes", _context_bytes(s), Unit.BYTE, LOGS)
    _activations(trace, s)
    given_max_requests(trace, s)
    each = LOGITS_SORTED if before(s, UNSORTED_SINCE) else LOGITS_OF_SECOND if has_second_runner(s) else LOGITS_EACH
    trace.given("runtime.bytes_per_logit", each, Unit.BYTE, SAMPLER)
    trace.compute(
        "runtime.logits_bytes",
        a.logits_bytes,
        requests="engine.max_requests",
        chunk="engine.prefill_chunk",
        vocabulary="model.vocabulary",
        bytes_each="runtime.bytes_per_logit",
        hidden_size="model.hidden_size",
    )
    latents = [*_unfolding(trace, s), *_picking(trace, s)]
    phases = _images(trace, s, ["runtime.activation_bytes", "runtime.logits_bytes", *latents])
    trace.compute("runtime.peak_bytes", a.peak_bytes, phases=phases)
    items = ["runtime.context_bytes", "runtime.peak_bytes"]
    if s.deployment.graphs:
        _graphs(trace, s)
    if s.deployment.graphs and counts_graphs(s):
        items.append("runtime.graphs_bytes")
    if s.plan.copy_ranks > 1 and s.device.family not in AMD:
        record_communicators(trace, s)
        items.append(EXCHANGE)
    return items


def _images(trace: Recipe, s: Setup, phases: list[str]) -> list[str]:
    """The phases with that of the image tower, whose outputs stand beside all others."""
    if not s.blueprint.parameters.get(TensorClass.VISION) or not tries_images(s):
        return phases
    tower = s.blueprint.tower or USUAL_TOWER
    trace.given("runtime.image_tokens", tower.tokens, Unit.TOKEN, TOWERS)
    trace.given("runtime.image_patches", tower.patches, Unit.COUNT, TOWERS)
    trace.given("runtime.image_elements", tower.elements, Unit.COUNT, source_of_model(s))
    trace.given("model.image_levels", s.blueprint.image_levels, Unit.COUNT, source_of_model(s))
    trace.compute("runtime.images", a.images_tried, chunk="engine.prefill_chunk", item_tokens="runtime.image_tokens")
    trace.compute(
        "runtime.image_bytes",
        a.image_bytes,
        images="runtime.images",
        patches="runtime.image_patches",
        elements="runtime.image_elements",
    )
    trace.compute(
        "runtime.image_outputs_bytes",
        a.image_outputs_bytes,
        images="runtime.images",
        item_tokens="runtime.image_tokens",
        hidden_size="model.hidden_size",
        image_levels="model.image_levels",
    )
    beside = []
    for phase in phases:
        beside.append(phase.replace("_bytes", "_with_images_bytes"))
        trace.compute(beside[-1], m.sum_bytes, items=[phase, "runtime.image_outputs_bytes"])
    return [*beside, "runtime.image_bytes"]


def _graphs(trace: Recipe, s: Setup) -> None:
    """Graphs in pieces for steps that also read, and whole ones for steps that only answer; guesses leave those out."""
    drafts = s.deployment.draft_tokens
    trace.given("runtime.draft_tokens", drafts, Unit.TOKEN)
    trace.given("runtime.most_graph_tokens", LARGEST_GRAPH, Unit.TOKEN, GRAPHS)
    kinds = {"pieces": PIECES} if drafts else {"pieces": PIECES, "whole": WHOLE}
    for kind, times in kinds.items():
        trace.given(f"runtime.{kind}_times", times, Unit.COUNT, GRAPHS)
        trace.compute(
            f"runtime.{kind}_largest",
            a.largest_graph,
            requests="engine.max_requests",
            draft_tokens="runtime.draft_tokens",
            times=f"runtime.{kind}_times",
            most="runtime.most_graph_tokens",
        )
        trace.compute(f"runtime.{kind}_sizes", a.graph_sizes, largest=f"runtime.{kind}_largest")
    trace.given("runtime.graph_layers", s.blueprint.layers, Unit.COUNT, source_of_model(s))
    trace.given("runtime.graph_of_layer_bytes", GRAPH_OF_LAYER, Unit.BYTE, GRAPHS)
    trace.given("runtime.first_graph_bytes", FIRST_GRAPH, Unit.BYTE, GRAPHS)
    trace.compute(
        "runtime.graphs_bytes",
        a.graphs_bytes,
        sizes=[f"runtime.{kind}_sizes" for kind in kinds],
        layers="runtime.graph_layers",
        each_bytes="runtime.graph_of_layer_bytes",
        base_bytes="runtime.first_graph_bytes",
    )


def _context_bytes(s: Setup) -> int:
    """What stands outside of PyTorch, by maker and release."""
    if s.device.family in AMD:
        return ROCM_CONTEXT
    if before(s, CONTEXT_APART_SINCE):
        return WITH_CONTEXT
    return BESIDE_CONTEXT if before(s, LIBRARIES_SINCE) else VLLM_CONTEXT


def _unfolding(trace: Recipe, s: Setup) -> list[str]:
    """The phase in which latent attention unfolds earlier tokens; sparse attention reads its latent as it is."""
    latent = next((group for group in s.blueprint.attention if group.kind is AttentionKind.LATENT), None)
    if latent is None or before(s, UNFOLDS_SINCE):
        return []
    most = UNFOLDED_BEFORE if before(s, UNFOLDS_LESS_SINCE) else UNFOLDED
    trace.given("runtime.most_unfolded_tokens", most, Unit.TOKEN, UNFOLDING)
    trace.compute(
        "runtime.unfolded_tokens",
        a.workspace_tokens,
        context=RUNTIME_CONTEXT,
        requests="engine.max_requests",
        block_tokens="engine.block_tokens",
        most="runtime.most_unfolded_tokens",
    )
    width = latent.key_dim + latent.value_dim - ROTARY_WIDTH
    trace.given("runtime.query_heads", latent.query_heads, Unit.COUNT, source_of_model(s))
    trace.given("runtime.unfolded_width", width, Unit.COUNT, source_of_model(s))
    trace.compute(
        "runtime.unfolded_bytes",
        a.latent_bytes,
        tokens="runtime.unfolded_tokens",
        heads="runtime.query_heads",
        width="runtime.unfolded_width",
        tensor="plan.tensor",
        chunk="engine.prefill_chunk",
        hidden_size="model.hidden_size",
    )
    return ["runtime.unfolded_bytes"]


def _picking(trace: Recipe, s: Setup) -> list[str]:
    """The phase in which sparse latent attention picks its tokens, on NVIDIA's accelerators."""
    sparse = next((group for group in s.blueprint.attention if group.kind is AttentionKind.SPARSE_LATENT), None)
    if sparse is None or not sparse.index_dim or s.device.family not in NVIDIA:
        return []
    old = before(s, GATHERS_SINCE)
    times = GATHERED_BEFORE if old else GATHERED
    counts = {"times": times, "times_of_long": times if before(s, GATHERS_LESS_SINCE) else GATHERED_OF_LONG}
    figures = {
        "index_bytes": (sparse.index_dim + 4) * (1 if old else GATHERED_KEYS),
        "gathered_bytes": 2 * sparse.latent_dim if s.kv_format.id == WITH_SCALES and not old else 0,
        "score_bytes": 0 if before(s, SCORES_SINCE) else SPARSE_SCORES,
    }
    for name, number in counts.items():
        trace.given(f"runtime.sparse_{name}", number, Unit.COUNT, GATHERING)
    for name, number in figures.items():
        trace.given(f"runtime.sparse_{name}", number, Unit.BYTE, GATHERING)
    kept = "runtime.mixture_tokens"
    if _least_width(s) != s.blueprint.hidden_size:  # kernels that make their own, and do not keep it
        kept = "runtime.kept_tokens"
        trace.given(kept, 0, Unit.TOKEN, SPACES)
    trace.compute(
        "runtime.work_spaces_bytes",
        a.work_spaces_bytes,
        tokens=kept,
        chosen_experts="runtime.chosen_experts",
        hidden_size="model.hidden_size",
        expert_inner="runtime.expert_inner",
        expert_tensor="runtime.expert_ranks",
        least_width="runtime.least_width",
    )
    trace.compute(
        "runtime.sparse_bytes",
        a.sparse_bytes,
        context=RUNTIME_CONTEXT,
        **{name: f"runtime.sparse_{name}" for name in (*counts, *figures)},
        experts_bytes="runtime.work_spaces_bytes",
        chunk="engine.prefill_chunk",
        hidden_size="model.hidden_size",
    )
    return ["runtime.sparse_bytes"]


def _activations(trace: Recipe, s: Setup) -> None:
    blueprint, source = s.blueprint, source_of_model(s)
    moe = blueprint.moe
    dense = blueprint.parameters.get(TensorClass.FEED_FORWARD, 0)
    layers = blueprint.layers - (moe.layers if moe else 0) or blueprint.layers
    trace.given("runtime.dense_parameters", dense, Unit.PARAMETER, source)
    trace.given("runtime.dense_layers", layers if dense else 0, Unit.COUNT, source)
    trace.given("runtime.expert_parameters", moe.parameters_per_expert if moe else 0, Unit.PARAMETER, source)
    trace.given("runtime.experts", 1 if moe else 0, Unit.COUNT, source)
    trace.given("runtime.chosen_experts", moe.experts_per_token if moe else 0, Unit.COUNT, source)
    for key, parameters, count in (("inner", "dense", "dense_layers"), ("expert_inner", "expert", "experts")):
        trace.compute(
            f"runtime.{key}",
            a.inner_width,
            parameters=f"runtime.{parameters}_parameters",
            layers=f"runtime.{count}",
            hidden_size="model.hidden_size",
        )
    most = next((tokens for since, tokens in MIXTURE_MOST if not before(s, since)), MIXTURE_MOST_BEFORE)
    trace.given("runtime.most_mixture_tokens", most, Unit.TOKEN, CUT)
    trace.given("runtime.groups", s.plan.attention_replicas, Unit.COUNT, METHOD)
    trace.compute(
        "runtime.mixture_tokens",
        a.mixture_tokens,
        chunk="engine.prefill_chunk",
        groups="runtime.groups",
        most="runtime.most_mixture_tokens",
    )
    trace.given("runtime.expert_ranks", 1 if s.plan.expert > 1 else s.plan.tensor, Unit.COUNT, METHOD)
    trace.given("runtime.least_width", _least_width(s), Unit.COUNT, SPACES)
    trace.compute(
        "runtime.activation_bytes",
        a.activation_bytes,
        chunk="engine.prefill_chunk",
        hidden_size="model.hidden_size",
        inner="runtime.inner",
        tensor="plan.tensor",
        mixture_tokens="runtime.mixture_tokens",
        chosen_experts="runtime.chosen_experts",
        expert_inner="runtime.expert_inner",
        expert_tensor="runtime.expert_ranks",
        least_width="runtime.least_width",
    )


def _least_width(s: Setup) -> int:
    """Elements of 16 bit that a token takes at least in the second work space of the experts.

    Kernels for MXFP4 hold their inner width alone, those that compute in FP4 the states in that precision.
    """
    if before(s, TWO_SPACES_SINCE) or s.weight_format.format_class == "mxfp4":
        return 0
    narrow = s.weight_format.compute == "fp4" and s.device.fp4_format.startswith("NVFP4")
    return round(s.blueprint.hidden_size * s.weight_format.bits / 16) if narrow else s.blueprint.hidden_size


def _llama_cpp(trace: Recipe, s: Setup) -> list[str]:
    """Context, and the compute buffer of one micro-batch."""
    trace.given("runtime.context_bytes", LLAMA_CPP_CONTEXT, Unit.BYTE, LOGS)
    return ["runtime.context_bytes", record_compute_buffer(trace, s)]


FORMS = {Allocator.VLLM: _vllm, Allocator.LLAMA_CPP: _llama_cpp, Allocator.MLX: record_mlx}


# ---- what the engine may use
