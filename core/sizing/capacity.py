"""The rest of an accelerator: what the engine may use of it, and what it takes beside weights and cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.architecture.blueprint import AttentionKind, TensorClass
from core.catalogue.records import Allocator, DeviceFamily
from core.physics import activations as a
from core.physics import memory as m
from core.physics.reservation.tensorrt_llm import limit_after_loading
from core.scenario import Mode
from core.sizing.engine_defaults import (
    CONTEXT_APART_SINCE,
    GRAPHS_COUNT_SINCE,
    LARGE_EXCHANGE_SINCE,
    LIBRARIES_SINCE,
    NARROW_MASK_SINCE,
    UNFOLDS_LESS_SINCE,
    UNFOLDS_SINCE,
    UNSORTED_SINCE,
    before,
    is_vllm,
    prepared_requests,
)
from core.sizing.groups import ENGINE_DEFAULTS, given_chunk, source_of_model, usable_bytes
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin
from core.trace import CHOICE, Origin, OriginKind, Trace
from core.units import MIB, Unit

if TYPE_CHECKING:
    from core.sizing.situation import Situation

FRAMEWORK = "memory_item.framework"
LOGS = Origin(OriginKind.METHOD, "Memory that engines reported in public start-up logs", date="2026-11")
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
AMD = (DeviceFamily.AMD_CDNA, DeviceFamily.AMD_RDNA, DeviceFamily.AMD_APU)
#: Buffers of the exchange between accelerators, NCCL's and the engine's own: 0.54 GiB against 0.13 on two H100. Until
#: vLLM 0.8 all that is outside of PyTorch was 0.20 and 0.25 GiB on sixteen and two consumer cards. Two R9700 had no
#: more than one: there the buffers stand before the engine begins to count [byte].
EXCHANGE, EXCHANGE_BEFORE = 400 * MIB, 100 * MIB
#: Of one score with its copies, while words are chosen by sorting all scores, and since they are not [byte].
LOGITS_SORTED, LOGITS_EACH = 38, 16
#: Earlier tokens that latent attention unfolds at most; what of a key turns with its position.
UNFOLDED, UNFOLDED_BEFORE, ROTARY_WIDTH = 65_536, 131_072, 64
UNFOLDING = Origin(
    OriginKind.METHOD,
    "vLLM, v1/attention/backends/mla/common.py: determine_chunked_prefill_workspace_size",
    "https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/layers/attention/mla_attention.py",
    "2026-11",
)
#: Tokens that vLLM's experts take at a time, by release, newest first; the newest do not cut a chunk.
MIXTURE_MOST, MIXTURE_MOST_BEFORE = (((0, 20), 10**9), ((0, 12), 16_384)), 65_536
CUT = Origin(
    OriginKind.METHOD,
    "vLLM, vllm/envs.py: VLLM_FUSED_MOE_CHUNK_SIZE",
    "https://github.com/vllm-project/vllm/blob/v0.12.0/vllm/envs.py",
    "2025-12",
)
#: Graphs of CUDA as vLLM estimates them: 0.09 to 0.45 GiB in nine logs, half of them below 0.2 [byte].
GRAPHS = 200 * MIB
#: llama.cpp's mask for a pair of tokens, and until 2024 [byte].
MASK, MASK_BEFORE = 2, 8
#: The image tower, for the patches of one token [byte]; the towers of Qwen take images of up to so many tokens.
IMAGES_EACH, LARGEST_IMAGE, LARGE_IMAGES = 112_000, 16_384, "qwen"
#: mlx-lm beside weights, cache and scores: peak of 21.7 GB at 8,000 tokens less 19.5, 0.2 and 0.5 [byte].
MLX_BASE = 1_500_000_000
MLX_TILED_WIDTH = 128


def record_runtime(trace: Trace, s: Situation) -> None:
    """Record `memory_item.framework`: chosen, none in article mode, by the engine's form, or its usual figure."""
    chosen = s.scenario.deployment.runtime_bytes
    if chosen is not None:
        trace.given(FRAMEWORK, chosen, Unit.BYTE)
    elif s.scenario.mode is Mode.ARTICLE:
        trace.given(FRAMEWORK, 0, Unit.BYTE, ARTICLE)
    elif not s.blueprint.vocabulary or s.engine.allocator not in FORMS:
        trace.given(FRAMEWORK, s.engine.runtime_bytes, Unit.BYTE, catalogue_origin(s.engine, "runtime_bytes"))
    else:
        source = source_of_model(s)
        trace.given("model.hidden_size", s.blueprint.hidden_size, Unit.COUNT, source)
        trace.given("model.vocabulary", s.blueprint.vocabulary, Unit.COUNT, source)
        given_chunk(trace, s)
        trace.compute(FRAMEWORK, m.sum_bytes, items=FORMS[s.engine.allocator](trace, s))


def _vllm(trace: Trace, s: Situation) -> list[str]:
    """Context, the peak over reading a chunk of text or images and choosing words, graphs, and the exchange."""
    trace.given("runtime.context_bytes", _context_bytes(s), Unit.BYTE, LOGS)
    _activations(trace, s)
    prepared = s.scenario.deployment.max_requests
    usual = prepared or prepared_requests(s, usable_bytes(s))
    trace.given("engine.max_requests", usual, Unit.REQUEST, ENGINE_DEFAULTS if prepared is None else CHOICE)
    each = LOGITS_SORTED if before(s, UNSORTED_SINCE) else LOGITS_EACH
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
    phases = ["runtime.activation_bytes", "runtime.logits_bytes", *_unfolding(trace, s)]
    if s.blueprint.parameters.get(TensorClass.VISION):
        trace.given("runtime.image_bytes_per_token", IMAGES_EACH, Unit.BYTE, LOGS)
        largest = LARGEST_IMAGE if s.blueprint.family.startswith(LARGE_IMAGES) else 0
        trace.given("runtime.largest_image", largest, Unit.TOKEN, LOGS)
        tower = {"chunk": "engine.prefill_chunk", "bytes_per_token": "runtime.image_bytes_per_token"}
        tower["largest_image"] = "runtime.largest_image"
        trace.compute("runtime.image_bytes", a.image_bytes, **tower)
        phases.append("runtime.image_bytes")
    trace.compute("runtime.peak_bytes", a.peak_bytes, phases=phases)
    items = ["runtime.context_bytes", "runtime.peak_bytes"]
    if s.scenario.deployment.graphs:
        trace.given("runtime.graphs_bytes", GRAPHS, Unit.BYTE, LOGS)
    if s.scenario.deployment.graphs and not before(s, GRAPHS_COUNT_SINCE):
        items.append("runtime.graphs_bytes")
    if s.plan.copy_ranks > 1 and s.device.family not in AMD:
        exchange = EXCHANGE_BEFORE if before(s, LARGE_EXCHANGE_SINCE) else EXCHANGE
        trace.given("runtime.exchange_bytes", exchange, Unit.BYTE, LOGS)
        items.append("runtime.exchange_bytes")
    return items


def _context_bytes(s: Situation) -> int:
    """What stands outside of PyTorch, by maker and release."""
    if s.device.family in AMD:
        return ROCM_CONTEXT
    if before(s, CONTEXT_APART_SINCE):
        return WITH_CONTEXT
    return BESIDE_CONTEXT if before(s, LIBRARIES_SINCE) else VLLM_CONTEXT


def _unfolding(trace: Trace, s: Situation) -> list[str]:
    """The phase in which latent attention unfolds earlier tokens; sparse attention reads its latent as it is."""
    latent = next((group for group in s.blueprint.attention if group.kind is AttentionKind.LATENT), None)
    if latent is None or before(s, UNFOLDS_SINCE):
        return []
    most = UNFOLDED_BEFORE if before(s, UNFOLDS_LESS_SINCE) else UNFOLDED
    trace.given("runtime.context_tokens", s.scenario.workload.context_tokens, Unit.TOKEN)
    trace.given("runtime.most_unfolded_tokens", most, Unit.TOKEN, UNFOLDING)
    trace.compute(
        "runtime.unfolded_tokens",
        a.workspace_tokens,
        context="runtime.context_tokens",
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


def _activations(trace: Trace, s: Situation) -> None:
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
    )


def _llama_cpp(trace: Trace, s: Situation) -> list[str]:
    """Context, and the compute buffer of one micro-batch."""
    trace.given("runtime.context_bytes", LLAMA_CPP_CONTEXT, Unit.BYTE, LOGS)
    trace.given("runtime.context_tokens", s.scenario.workload.context_tokens, Unit.TOKEN)
    mask = MASK_BEFORE if before(s, NARROW_MASK_SINCE) else MASK
    trace.given("runtime.mask_bytes", mask, Unit.BYTE, LOGS)
    trace.compute(
        "runtime.compute_buffer_bytes",
        a.compute_buffer_bytes,
        micro_batch="engine.prefill_chunk",
        vocabulary="model.vocabulary",
        hidden_size="model.hidden_size",
        context="runtime.context_tokens",
        mask_bytes="runtime.mask_bytes",
    )
    return ["runtime.context_bytes", "runtime.compute_buffer_bytes"]


def _mlx(trace: Trace, s: Situation) -> list[str]:
    """What a chunk takes, and the scores of attention where heads are too wide for the kernels in tiles."""
    trace.given("runtime.context_bytes", MLX_BASE, Unit.BYTE, LOGS)
    wide = [group for group in s.blueprint.attention if group.key_dim > MLX_TILED_WIDTH and not group.window]
    if not wide:
        return ["runtime.context_bytes"]
    heads = max(group.query_heads for group in wide)
    trace.given("runtime.query_heads", heads, Unit.COUNT, source_of_model(s))
    trace.given("runtime.context_tokens", s.scenario.workload.context_tokens, Unit.TOKEN)
    trace.compute(
        "runtime.score_bytes",
        a.score_bytes,
        query_heads="runtime.query_heads",
        chunk="engine.prefill_chunk",
        tokens="runtime.context_tokens",
    )
    return ["runtime.context_bytes", "runtime.score_bytes"]


FORMS = {Allocator.VLLM: _vllm, Allocator.LLAMA_CPP: _llama_cpp, Allocator.MLX: _mlx}


# ---- what the engine may use


def memory_share(s: Situation) -> tuple[float, Unit, Origin]:
    """The part of the memory that the engine takes at most."""
    chosen = s.scenario.deployment.memory_share
    if chosen is not None:
        return chosen, Unit.SHARE, CHOICE
    if s.scenario.mode is Mode.ARTICLE:
        return 1.0, Unit.SHARE, ARTICLE
    return s.engine.memory_share or 1.0, Unit.SHARE, catalogue_origin(s.engine, "memory_share")


def shares_what_is_left(s: Situation) -> bool:
    """Does the engine take its share of what is left after loading, rather than of the whole memory?"""
    return s.scenario.mode is Mode.REAL and s.engine.allocator is Allocator.TENSORRT_LLM


def takes_part_of_the_whole(s: Situation) -> bool:
    """Does the engine take its share of all memory, whatever the system needs of it?"""
    return is_vllm(s) and s.device.family is DeviceFamily.NVIDIA_UNIFIED


def first_tier_limit(s: Situation, fixed_bytes: int) -> int:
    """What the engine may use of the first tier, without a trace."""
    usable, share = usable_bytes(s), memory_share(s)[0]
    if shares_what_is_left(s):
        return int(limit_after_loading(usable, share, fixed_bytes))
    if takes_part_of_the_whole(s):
        whole = s.scenario.deployment.capacity_bytes or s.device.memory_tiers[0].capacity_bytes
        return int(m.limit_of_the_whole(whole, usable, share))
    return int(m.tier_limit_bytes(usable, share))
