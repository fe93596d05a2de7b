"""The cache and state figures of a situation, group of layers by group of layers.

`kv.<n>.` are the figures of attention group n of the blueprint, `state.<n>.` those of recurrent group n. Under tensor
or pipeline parallelism a group also has `rank` figures, those of one accelerator. Here stands what a request holds, as
counted; what the engine reserves for it follows in `core.sizing.reservation`, by the rules of each engine.
"""

from dataclasses import replace

from core.architecture.blueprint import AttentionGroup, AttentionKind, RecurrentGroup, RecurrentKind
from core.catalogue.records import NVIDIA, Allocator
from core.physics import kv_cache as kv
from core.physics import rank_cache
from core.physics.reservation import compressed, vllm_pages
from core.scenario import Mode
from core.sizing.draft import draft_share
from core.sizing.engine_defaults import (
    INDEX_SHARED_SINCE,
    MLX_WIDE_STATES_SINCE,
    PADDED_LATENT_BYTES,
    PADS_LATENTS_SINCE,
    PADS_LATENTS_UNTIL,
    TRT_STATES_READ_SINCE,
    VALUES_AS_WIDEST_SINCE,
    before,
    block_tokens,
    page_of_compressed,
    uses_flash_attention,
)
from core.sizing.groups import LATENT, cached_groups, draft_layers, is_split
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin
from core.sizing.reservation.by_engine import reserve
from core.sizing.reservation.share import Reservation, Share
from core.sizing.situation import Setup
from core.trace import CHOICE, Origin, OriginKind, Recipe
from core.units import Unit

#: llama.cpp keeps both parts of a recurrent state in 32 bit; serving engines the convolution in 16 [byte].
CONVOLUTION_BYTES = {Allocator.LLAMA_CPP: 4}
SERVING_CONVOLUTION_BYTES = 2
#: Engines that can be told how wide matrices of states are to be (vLLM: --mamba-ssm-cache-dtype, SGLang:
#: --mamba-ssm-dtype).
STATES_CHOSEN = (Allocator.VLLM, Allocator.SGLANG)
#: States whose width SGLang does not read: its field is `mamba_ssm_dtype`, theirs `mamba_ssm_cache_dtype`.
UNREAD_BY_SGLANG = (RecurrentKind.MAMBA1, RecurrentKind.MAMBA2)
OLDER_BLOCKS = Origin(
    OriginKind.METHOD,
    "TensorRT-LLM, release notes: tokens_per_block",
    "https://github.com/NVIDIA/TensorRT-LLM/blob/main/docs/source/release-notes.md",
    "2026-11",
)
PAGE_OF_COMPRESSED = Origin(
    OriginKind.METHOD,
    "SGLang 0.5.12 to 0.5.23, arg_groups/deepseek_v4_hook.py, later overrides.py: page_size",
    "https://github.com/sgl-project/sglang",
    "2026-12",
)
#: States that mlx-lm keeps in 32 bit whatever their config says, and before in 16 (models/ssm.py, gated_delta.py).
WIDENED_BY_MLX = (RecurrentKind.GATED_DELTANET, RecurrentKind.KDA, RecurrentKind.MAMBA2)


def record_cache(trace: Recipe, s: Setup) -> Reservation:
    """Record cache and state of one request: as counted, as the engine reserves them, and on one accelerator."""
    _given_format(trace, s)
    _counted(trace, s)
    _states(trace, s)
    reserved = reserve(trace, s)
    reserved = replace(reserved, shares=(*reserved.shares, *draft_share(trace, s)))
    caches = [share for share in reserved.shares if not share.state]
    states = [share for share in reserved.shares if share.state]
    _reserved(trace, "kv_bytes_per_request", "accelerator.kv_bytes_per_request", caches)
    _reserved(trace, "state_reserved_bytes_per_request", "accelerator.state_bytes_per_request", states)
    return reserved


def _keeps_wide(s: Setup, group: RecurrentGroup) -> bool:
    """Does the engine keep the matrices in 32 bit, whatever the config says, or because it says nothing?"""
    allocator = s.engine.allocator
    if allocator is Allocator.SGLANG:
        return not group.matrix_stated or group.kind in UNREAD_BY_SGLANG
    if allocator is Allocator.TENSORRT_LLM:
        return group.kind is RecurrentKind.KDA
    if allocator is Allocator.MLX:
        return group.kind in WIDENED_BY_MLX and not before(s, MLX_WIDE_STATES_SINCE)
    return allocator is Allocator.LLAMA_CPP


def _keeps_narrow(s: Setup, group: RecurrentGroup) -> bool:
    """Does it keep them in the 16 bit of the weights, for the same reasons?"""
    allocator = s.engine.allocator
    if allocator is Allocator.TENSORRT_LLM:
        unread = not group.matrix_stated or before(s, TRT_STATES_READ_SINCE)
        return group.kind is RecurrentKind.GATED_DELTANET or (group.kind is RecurrentKind.MAMBA2 and unread)
    if allocator is Allocator.MLX:
        return group.kind in WIDENED_BY_MLX
    return allocator is Allocator.VLLM and not group.matrix_stated


def _counted(trace: Recipe, s: Setup) -> None:
    """Bytes per token of every group, and what it keeps of one request."""
    groups = [n for n, _ in cached_groups(s.blueprint)]
    for number, group in cached_groups(s.blueprint):
        _bytes_per_token(trace, s, number, group)
        _logical(trace, s, number, group)
    _sum(trace, "kv_bytes_per_token", kv.total_bytes_per_token, [f"kv.{n}.bytes_per_token" for n in groups])
    _sum(trace, "kv_logical_bytes_per_request", rank_cache.cache_bytes, [f"kv.{n}.logical_bytes" for n in groups])


def _reserved(trace: Recipe, whole: str, part: str, shares: list[Share]) -> None:
    _sum(trace, whole, rank_cache.cache_bytes, [share.whole for share in shares])
    _sum(trace, part, rank_cache.cache_bytes, [share.bytes for share in shares])


def _states(trace: Recipe, s: Setup) -> None:
    """The recurrent state of one request."""
    source, allocator = s.model_source, s.engine.allocator
    whole = []
    for number, group in enumerate(s.blueprint.recurrent):
        key = f"state.{number}"
        trace.given(f"{key}.layers", group.layers, Unit.COUNT, source)
        trace.given(f"{key}.convolution_elements", group.convolution_elements, Unit.COUNT, source)
        convolution = CONVOLUTION_BYTES.get(allocator, SERVING_CONVOLUTION_BYTES)
        trace.given(f"{key}.convolution_bytes", convolution, Unit.BYTE_PER_ELEMENT, METHOD)
        trace.given(f"{key}.matrix_elements", group.matrix_elements, Unit.COUNT, source)
        matrix, origin = group.matrix_bytes, source
        chosen = s.deployment.state_bits if allocator in STATES_CHOSEN and s.mode is Mode.REAL else None
        if chosen:
            matrix, origin = chosen / 8, CHOICE
        elif _keeps_wide(s, group):
            matrix, origin = 4.0, METHOD
        elif _keeps_narrow(s, group):
            matrix, origin = 2.0, METHOD
        trace.given(f"{key}.matrix_bytes", matrix, Unit.BYTE_PER_ELEMENT, origin)
        names = ("layers", "convolution_elements", "convolution_bytes", "matrix_elements", "matrix_bytes")
        trace.compute(f"{key}.bytes", kv.state_bytes, **{name: f"{key}.{name}" for name in names})
        whole.append(f"{key}.bytes")
        if is_split(s):
            trace.given(f"{key}.heads", group.heads, Unit.COUNT, source)
            trace.compute(
                f"{key}.rank_bytes",
                rank_cache.rank_state_bytes,
                state_bytes=f"{key}.bytes",
                layers=f"{key}.layers",
                heads=f"{key}.heads",
                tensor="plan.tensor",
                pipeline="plan.pipeline",
            )
    _sum(trace, "state_bytes_per_request", rank_cache.cache_bytes, whole, source)


def _sum(trace: Recipe, key: str, function: object, groups: list[str], source: Origin = METHOD) -> None:
    if groups:
        trace.compute(key, function, groups=groups)  # type: ignore[arg-type]
    else:
        trace.given(key, 0, Unit.BYTE, source)


def _given_format(trace: Recipe, s: Setup) -> None:
    article = s.mode is Mode.ARTICLE
    source = ARTICLE if article else catalogue_origin(s.kv_format, "bytes_per_element")
    trace.given("kv_format.bytes_per_element", s.kv_format.bytes_per_element, Unit.BYTE_PER_ELEMENT, source)
    trace.given("kv_format.per_head_bytes", s.kv_format.per_head_bytes, Unit.BYTE, source)
    if s.kv_value_format is not None:
        origin = catalogue_origin(s.kv_value_format, "bytes_per_element")
        trace.given(
            "kv_value_format.bytes_per_element", s.kv_value_format.bytes_per_element, Unit.BYTE_PER_ELEMENT, origin
        )
    chosen, page = s.deployment.kv_block_tokens, page_of_compressed(s)
    if article:
        trace.given("engine.block_tokens", 1, Unit.TOKEN, ARTICLE)
    elif page is not None:
        trace.given("engine.block_tokens", page, Unit.TOKEN, PAGE_OF_COMPRESSED)
    elif chosen is not None:
        trace.given("engine.block_tokens", chosen, Unit.TOKEN, CHOICE)
    else:
        usual = block_tokens(s)
        origin = OLDER_BLOCKS if usual else catalogue_origin(s.engine, "block_tokens")
        trace.given("engine.block_tokens", usual or s.engine.block_tokens, Unit.TOKEN, origin)


def _bytes_per_token(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> None:
    """Bytes per token and per element of one group."""
    key = f"kv.{number}"
    trace.given(f"{key}.layers", group.cached + draft_layers(s, number), Unit.COUNT, s.model_source)
    if group.kind is AttentionKind.COMPRESSED:
        _compressed_bytes_per_token(trace, s, number, group)
    elif group.kind in LATENT:
        _latent_bytes_per_token(trace, s, number, group)
    else:
        _headed_bytes_per_token(trace, s, number, group)
    if is_split(s):
        beside = bool(group.index_layers) and group.kind is not AttentionKind.COMPRESSED and group.kind not in LATENT
        trace.compute(
            f"{key}.rank_head_bytes_per_token" if beside else f"{key}.rank_bytes_per_token",
            rank_cache.rank_bytes_per_token,
            bytes_per_token=f"{key}.head_bytes_per_token" if beside else f"{key}.bytes_per_token",
            layers=f"{key}.layers",
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
            pipeline="plan.pipeline",
        )
        if beside:
            trace.compute(
                f"{key}.rank_bytes_per_token",
                rank_cache.rank_with_index_keys,
                bytes_per_token=f"{key}.rank_head_bytes_per_token",
                index_layers=f"{key}.index_layers",
                index_dim=f"{key}.index_dim",
                pipeline="plan.pipeline",
            )


def _headed_bytes_per_token(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> None:
    """A key and a value for each head, and a short key where blocks are picked by one."""
    key, source = f"kv.{number}", s.model_source
    trace.given(f"{key}.kv_heads", group.kv_heads, Unit.COUNT, source)
    trace.given(f"{key}.key_dim", group.key_dim, Unit.COUNT, source)
    value_dim = _value_dim(s, group)
    trace.given(f"{key}.value_dim", value_dim, Unit.COUNT, source if value_dim == group.value_dim else METHOD)
    shape = {name: f"{key}.{name}" for name in ("layers", "kv_heads", "key_dim", "value_dim")}
    widths = {"key_dim": f"{key}.key_dim", "value_dim": f"{key}.value_dim"}
    scales = {"bytes_per_element": "kv_format.bytes_per_element", "per_head_bytes": "kv_format.per_head_bytes"}
    element, rate = f"kv_element_bytes.{number}", f"{key}.bytes_per_token"
    plain = f"{key}.head_bytes_per_token" if group.index_layers else rate
    wide = _wide_layers(s, group)
    alike = f"{key}.alike_bytes_per_token" if wide else plain
    trace.compute(element, kv.element_bytes, **scales, **widths)
    if s.kv_value_format is not None:
        mixed = {"key_bytes": "kv_format.bytes_per_element", "value_bytes": "kv_value_format.bytes_per_element"}
        trace.compute(alike, kv.mixed_kv_bytes_per_token, **shape, **mixed)
    elif s.kv_format.per_head_bytes:
        trace.compute(alike, kv.scaled_kv_bytes_per_token, **shape, **scales)
    else:
        trace.compute(alike, kv.kv_bytes_per_token, **shape, element_bytes=element)
    if wide:
        trace.given(f"{key}.wide_layers", wide, Unit.COUNT, catalogue_origin(s.kv_format, "wide_edges"))
        trace.compute(plain, kv.with_wide_layers, bytes_per_token=alike, wide_layers=f"{key}.wide_layers", **shape)
    if group.index_layers:
        _given_index(trace, key, group, source)
        index = {"index_layers": f"{key}.index_layers", "index_dim": f"{key}.index_dim"}
        trace.compute(rate, kv.with_index_keys, bytes_per_token=plain, **index)


def _wide_layers(s: Setup, group: AttentionGroup) -> int:
    """Layers that the format leaves in 16 bit at both ends: where all layers are alike, and nothing is recurrent."""
    alike = len(cached_groups(s.blueprint)) == 1 and not s.blueprint.recurrent and s.mode is Mode.REAL
    return 2 * min(s.kv_format.wide_edges, group.layers // 2) if alike else 0


def _value_dim(s: Setup, group: AttentionGroup) -> int:
    """The width of a value; llama.cpp's without flash attention stand turned round, all as wide as the widest layer's.

    Read in src/llama-kv-cache.cpp: v_trans, n_embd_v_gqa_max.
    """
    apart = s.engine.allocator is Allocator.LLAMA_CPP and s.mode is Mode.REAL and not uses_flash_attention(s)
    if not apart or before(s, VALUES_AS_WIDEST_SINCE) or not group.kv_heads:
        return group.value_dim
    widest = max(g.kv_heads * g.value_dim for _, g in cached_groups(s.blueprint) if g.kind not in LATENT)
    return widest // group.kv_heads


def _given_index(trace: Recipe, key: str, group: AttentionGroup, source: Origin) -> None:
    trace.given(f"{key}.index_layers", group.index_layers, Unit.COUNT, source)
    trace.given(f"{key}.index_dim", group.index_dim, Unit.COUNT, source)


def _packs(s: Setup) -> bool:
    """Does the engine pack a compressed vector in 8 bit?"""
    packed = s.engine.allocator in (Allocator.VLLM, Allocator.SGLANG) and s.kv_format.bits == 8
    return packed and s.mode is Mode.REAL


def _pads_latents(s: Setup) -> bool:
    """Does this release of the engine pad the vector of latent attention?"""
    of_then = before(s, PADS_LATENTS_UNTIL) and not before(s, PADS_LATENTS_SINCE)
    return of_then and s.engine.allocator is Allocator.VLLM and s.device.family in NVIDIA


def _indexes_every_layer(s: Setup) -> bool:
    """Does this release of the engine keep index keys also in layers that use the choice of another?"""
    return s.engine.allocator is Allocator.VLLM and s.mode is Mode.REAL and before(s, INDEX_SHARED_SINCE)


def _record(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> str:
    """Record the vector that latent and compressed attention keep per token and layer; return its key."""
    key, record = f"kv.{number}", f"kv.{number}.record_bytes"
    trace.given(f"{key}.kv_heads", 1, Unit.COUNT, METHOD)
    trace.given(f"{key}.latent_dim", group.latent_dim, Unit.COUNT, s.model_source)
    own = s.kv_format.latent_bytes.get(group.latent_dim)
    if own is not None:
        trace.given(record, own, Unit.BYTE, catalogue_origin(s.kv_format, "latent_bytes"))
    elif group.kind is AttentionKind.COMPRESSED and _packs(s):
        trace.compute(record, compressed.eight_bit_record, width=f"{key}.latent_dim")
    elif group.kind is AttentionKind.LATENT and _pads_latents(s):
        trace.given("kv_pool.padded_bytes", PADDED_LATENT_BYTES, Unit.BYTE, METHOD)
        trace.compute(
            record,
            vllm_pages.padded_record_bytes,
            latent_dim=f"{key}.latent_dim",
            bytes_per_element="kv_format.bytes_per_element",
            padded_bytes="kv_pool.padded_bytes",
        )
    else:
        trace.compute(
            record,
            kv.latent_record_bytes,
            latent_dim=f"{key}.latent_dim",
            bytes_per_element="kv_format.bytes_per_element",
            per_head_bytes="kv_format.per_head_bytes",
        )
    trace.compute(
        f"kv_element_bytes.{number}", kv.latent_element_bytes, record_bytes=record, latent_dim=f"{key}.latent_dim"
    )
    return record


def _latent_bytes_per_token(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> None:
    """One vector per token and layer, the same for all heads and on every rank."""
    key = f"kv.{number}"
    indexed = group.layers if group.index_layers and _indexes_every_layer(s) else group.index_layers
    drafts = draft_layers(s, number) if group.index_layers else 0
    trace.given(f"{key}.index_layers", indexed + drafts, Unit.COUNT, s.model_source)
    trace.given(f"{key}.index_dim", group.index_dim, Unit.COUNT, s.model_source)
    parts = {"layers": f"{key}.layers", "record_bytes": _record(trace, s, number, group)}
    parts |= {"index_layers": f"{key}.index_layers", "index_dim": f"{key}.index_dim"}
    allocator = s.engine.allocator if group.index_layers and s.mode is Mode.REAL else None
    if allocator is Allocator.LLAMA_CPP:
        parts["index_element_bytes"] = "kv_format.bytes_per_element"
        trace.compute(f"{key}.bytes_per_token", kv.latent_bytes_with_plain_index, **parts)
    elif allocator is Allocator.MLX:  # models/deepseek_v32.py: an array of the model's type
        parts["index_element_bytes"] = f"{key}.index_element_bytes"
        trace.given(parts["index_element_bytes"], 2, Unit.BYTE_PER_ELEMENT, METHOD)
        trace.compute(f"{key}.bytes_per_token", kv.latent_bytes_with_plain_index, **parts)
    else:
        trace.compute(f"{key}.bytes_per_token", kv.latent_bytes_per_token, **parts)


def _compressed_bytes_per_token(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> None:
    """One vector for several tokens, and the window and the ring that do not grow."""
    key, source = f"kv.{number}", s.model_source
    record = _record(trace, s, number, group)
    trace.given(f"{key}.compression", group.compression, Unit.TOKEN, source)
    trace.given(f"{key}.window", group.window, Unit.TOKEN, source)
    _given_index(trace, key, group, source)
    index = {"index_layers": f"{key}.index_layers", "index_dim": f"{key}.index_dim"}
    layers = {"layers": f"{key}.layers", "compression": f"{key}.compression"}
    trace.compute(
        f"{key}.bytes_per_token", compressed.compressed_bytes_per_token, **layers, record_bytes=record, **index
    )
    trace.compute(
        f"{key}.window_bytes",
        compressed.window_bytes,
        layers=f"{key}.layers",
        record_bytes=record,
        context_tokens="workload.context_tokens",
        window=f"{key}.window",
    )
    trace.compute(f"{key}.ring_bytes", compressed.ring_bytes, **layers, width=f"{key}.latent_dim", **index)


def _logical(trace: Recipe, s: Setup, number: int, group: AttentionGroup) -> None:
    """Tokens that a group keeps of one request, and their bytes."""
    key, held, counted = f"kv.{number}", "workload.context_tokens", f"kv.{number}.bytes_per_token"
    if group.kind is AttentionKind.COMPRESSED:
        bounded = {"window_bytes": f"{key}.window_bytes", "ring_bytes": f"{key}.ring_bytes"}
        trace.compute(f"{key}.logical_bytes", compressed.request_bytes, bytes_per_token=counted, tokens=held, **bounded)
        return
    if group.window:
        trace.given(f"{key}.window", group.window, Unit.TOKEN, s.model_source)
        held = f"{key}.tokens_held"
        trace.compute(held, kv.tokens_held, context_tokens="workload.context_tokens", window=f"{key}.window")
    trace.compute(f"{key}.logical_bytes", rank_cache.group_cache_bytes, bytes_per_token=counted, tokens=held)
