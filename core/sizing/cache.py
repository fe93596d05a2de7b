"""The cache and state figures of a situation, group of layers by group of layers.

`kv.<n>.` are the figures of attention group n of the blueprint, `state.<n>.` those of recurrent group n. Under tensor
or pipeline parallelism a group also has `rank` figures, those of one accelerator.
"""

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint
from core.physics import kv_cache as kv
from core.scenario import Mode
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin, model_origin
from core.sizing.plan import CONVOLUTION_BYTES, LATENT, SERVING_CONVOLUTION_BYTES
from core.sizing.situation import Situation
from core.trace import Origin, Trace
from core.units import Unit


def cached_groups(blueprint: Blueprint) -> list[tuple[int, AttentionGroup]]:
    """The attention groups that keep a cache, with their numbers."""
    return [
        (n, group)
        for n, group in enumerate(blueprint.attention)
        if group.kind is not AttentionKind.ENCODER and group.cached > 0
    ]


def is_split(s: Situation) -> bool:
    """Is the model spread over several accelerators, so that one of them has figures of its own?"""
    return s.plan.tensor * s.plan.pipeline > 1


def rate_key(trace: Trace, group: int) -> str:
    """The key of a group's bytes per token on one accelerator."""
    key = f"kv.{group}.rank_bytes_per_token"
    return key if key in trace else f"kv.{group}.bytes_per_token"


def source_of_model(s: Situation) -> Origin:
    """Where the counts of the model come from."""
    chosen = s.scenario.model
    return model_origin(s.catalogue.model(chosen.id) if chosen.kind == "catalogue" else None)


def record_cache(trace: Trace, s: Situation) -> None:
    """Record the cache of one request: logical, as the engine reserves it, and on one accelerator."""
    _given_format(trace, s)
    source = source_of_model(s)
    groups = [n for n, _ in cached_groups(s.blueprint)]
    for number, group in cached_groups(s.blueprint):
        _bytes_per_token(trace, s, number, group, source)
        _held(trace, s, number, group, source)
    _sum(trace, "kv_bytes_per_token", kv.total_bytes_per_token, [f"kv.{n}.bytes_per_token" for n in groups])
    _sum(trace, "kv_logical_bytes_per_request", kv.cache_bytes, [f"kv.{n}.logical_bytes" for n in groups])
    _sum(trace, "kv_bytes_per_request", kv.cache_bytes, [f"kv.{n}.reserved_bytes" for n in groups])
    part = "rank_bytes" if is_split(s) else "reserved_bytes"
    _sum(trace, "accelerator.kv_bytes_per_request", kv.cache_bytes, [f"kv.{n}.{part}" for n in groups])


def record_state(trace: Trace, s: Situation) -> None:
    """Record the recurrent state of one request."""
    source, whole, ranks = source_of_model(s), [], []
    for number, group in enumerate(s.blueprint.recurrent):
        key = f"state.{number}"
        trace.given(f"{key}.layers", group.layers, Unit.COUNT, source)
        trace.given(f"{key}.convolution_elements", group.convolution_elements, Unit.COUNT, source)
        convolution = CONVOLUTION_BYTES.get(s.engine.group, SERVING_CONVOLUTION_BYTES)
        trace.given(f"{key}.convolution_bytes", convolution, Unit.BYTE_PER_ELEMENT, METHOD)
        trace.given(f"{key}.matrix_elements", group.matrix_elements, Unit.COUNT, source)
        trace.given(f"{key}.matrix_bytes", group.matrix_bytes, Unit.BYTE_PER_ELEMENT, source)
        names = ("layers", "convolution_elements", "convolution_bytes", "matrix_elements", "matrix_bytes")
        trace.compute(f"{key}.bytes", kv.state_bytes, **{name: f"{key}.{name}" for name in names})
        whole.append(f"{key}.bytes")
        ranks.append(f"{key}.bytes")
        if is_split(s):
            ranks[-1] = f"{key}.rank_bytes"
            trace.given(f"{key}.heads", group.heads, Unit.COUNT, source)
            trace.compute(
                ranks[-1],
                kv.rank_state_bytes,
                state_bytes=f"{key}.bytes",
                layers=f"{key}.layers",
                heads=f"{key}.heads",
                tensor="plan.tensor",
                pipeline="plan.pipeline",
            )
    _sum(trace, "state_bytes_per_request", kv.cache_bytes, whole, source)
    _sum(trace, "accelerator.state_bytes_per_request", kv.cache_bytes, ranks, source)


def _sum(trace: Trace, key: str, function: object, groups: list[str], source: Origin = METHOD) -> None:
    if groups:
        trace.compute(key, function, groups=groups)  # type: ignore[arg-type]
    else:
        trace.given(key, 0, Unit.BYTE, source)


def _given_format(trace: Trace, s: Situation) -> None:
    article = s.scenario.mode is Mode.ARTICLE
    source = ARTICLE if article else catalogue_origin(s.kv_format, "bytes_per_element")
    trace.given("kv_format.bytes_per_element", s.kv_format.bytes_per_element, Unit.BYTE_PER_ELEMENT, source)
    trace.given("kv_format.per_head_bytes", s.kv_format.per_head_bytes, Unit.BYTE, source)
    blocks = (1, ARTICLE) if article else (s.engine.block_tokens, catalogue_origin(s.engine, "block_tokens"))
    trace.given("engine.block_tokens", blocks[0], Unit.TOKEN, blocks[1])


def _bytes_per_token(trace: Trace, s: Situation, number: int, group: AttentionGroup, source: Origin) -> None:
    """Bytes per token and per element of one group."""
    key = f"kv.{number}"
    trace.given(f"{key}.layers", group.cached, Unit.COUNT, source)
    if group.kind in LATENT:
        _latent_bytes_per_token(trace, s, key, number, group, source)
    else:
        trace.given(f"{key}.kv_heads", group.kv_heads, Unit.COUNT, source)
        trace.given(f"{key}.key_dim", group.key_dim, Unit.COUNT, source)
        trace.given(f"{key}.value_dim", group.value_dim, Unit.COUNT, source)
        shape = {name: f"{key}.{name}" for name in ("layers", "kv_heads", "key_dim", "value_dim")}
        widths = {"key_dim": f"{key}.key_dim", "value_dim": f"{key}.value_dim"}
        scales = {
            "bytes_per_element": "kv_format.bytes_per_element",
            "per_head_bytes": "kv_format.per_head_bytes",
        }
        element = f"kv_element_bytes.{number}"
        trace.compute(element, kv.element_bytes, **scales, **widths)
        if s.kv_format.per_head_bytes:
            trace.compute(f"{key}.bytes_per_token", kv.scaled_kv_bytes_per_token, **shape, **scales)
        else:
            trace.compute(f"{key}.bytes_per_token", kv.kv_bytes_per_token, **shape, element_bytes=element)
    if is_split(s):
        trace.compute(
            f"{key}.rank_bytes_per_token",
            kv.rank_bytes_per_token,
            bytes_per_token=f"{key}.bytes_per_token",
            layers=f"{key}.layers",
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
            pipeline="plan.pipeline",
        )


def _latent_bytes_per_token(
    trace: Trace, s: Situation, key: str, number: int, group: AttentionGroup, source: Origin
) -> None:
    """One vector per token and layer, the same for all heads and on every rank."""
    trace.given(f"{key}.kv_heads", 1, Unit.COUNT, METHOD)
    trace.given(f"{key}.latent_dim", group.latent_dim, Unit.COUNT, source)
    trace.given(f"{key}.index_layers", group.index_layers, Unit.COUNT, source)
    trace.given(f"{key}.index_dim", group.index_dim, Unit.COUNT, source)
    record = f"{key}.record_bytes"
    own = s.kv_format.latent_bytes.get(group.latent_dim)
    if own is not None:
        trace.given(record, own, Unit.BYTE, catalogue_origin(s.kv_format, "latent_bytes"))
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
    trace.compute(
        f"{key}.bytes_per_token",
        kv.latent_bytes_per_token,
        layers=f"{key}.layers",
        record_bytes=record,
        index_layers=f"{key}.index_layers",
        index_dim=f"{key}.index_dim",
    )


def _held(trace: Trace, s: Situation, number: int, group: AttentionGroup, source: Origin) -> None:
    """Tokens that a group keeps of one request, and their bytes: logical, reserved, on one accelerator."""
    key, held = f"kv.{number}", "workload.context_tokens"
    rate = rate_key(trace, number)
    if group.window:
        trace.given(f"{key}.window", group.window, Unit.TOKEN, source)
        held = f"{key}.tokens_held"
        trace.compute(held, kv.tokens_held, context_tokens="workload.context_tokens", window=f"{key}.window")
        full = _reserved(trace, f"{key}.window", f"{key}.window_reserved")
        trace.compute(f"{key}.rank_window_bytes", kv.group_cache_bytes, bytes_per_token=rate, tokens=full)
    counted = f"{key}.bytes_per_token"
    trace.compute(f"{key}.logical_bytes", kv.group_cache_bytes, bytes_per_token=counted, tokens=held)
    reserved = _reserved(trace, held, f"{key}.tokens_reserved")
    if s.plan.tensor > 1:
        trace.compute(
            f"{key}.reserved_bytes",
            kv.group_reserved_bytes,
            bytes_per_token=counted,
            tokens=reserved,
            kv_heads=f"{key}.kv_heads",
            tensor="plan.tensor",
        )
    else:
        trace.compute(f"{key}.reserved_bytes", kv.group_cache_bytes, bytes_per_token=counted, tokens=reserved)
    if is_split(s):
        trace.compute(f"{key}.rank_bytes", kv.group_cache_bytes, bytes_per_token=rate, tokens=reserved)


def _reserved(trace: Trace, tokens: str, key: str) -> str:
    """The key of the tokens in whole blocks; the tokens themselves where a block is one token."""
    if trace["engine.block_tokens"] == 1:
        return tokens
    trace.compute(key, kv.tokens_reserved, tokens=tokens, block_tokens="engine.block_tokens")
    return key
