"""What attention reads and computes for one token at a depth, group of layers by group of layers.

The depth is a key of the trace and may hold one number or an axis of them.
"""

from collections.abc import Callable
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.physics import attention, operators
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.outline import KeptGroup, Outline
from core.sizing.situation import Setup
from core.trace import Origin, Recipe, Same, Trace, recipe
from core.units import Unit

_INDEXED = (AttentionKind.SPARSE_LATENT, AttentionKind.COMPRESSED)


def record_attention(trace: Trace, situation: Setup) -> None:
    """Record what the groups are made of, beside what memory has recorded: readers, windows, operations per row."""
    trace.follow(_groups(Same(cached_groups(situation.blueprint)), source_of_model(situation)))


@recipe
def _groups(trace: Recipe, groups: Same[tuple[tuple[int, AttentionGroup], ...]], source: Origin) -> None:
    for number, group in groups.it:
        key = f"attention.{number}"
        trace.given(f"{key}.readers", group.layers, Unit.COUNT, source)
        trace.given(f"{key}.row_flops.decode", _row_flops(group, decode=True), Unit.FLOP, source)
        trace.given(f"{key}.row_flops.prefill", _row_flops(group, decode=False), Unit.FLOP, source)
        if group.kind in _INDEXED:
            trace.given(f"{key}.index_flops", _index_flops(group), Unit.FLOP, source)
            trace.given(f"{key}.top_k", group.index_top_k, Unit.TOKEN, source)


def _index_flops(group: AttentionGroup) -> int:
    """Operations to score one key: a product for each query head of the indexer; one head where a file is silent."""
    return 2 * max(1, group.index_heads) * group.index_dim * group.index_layers


def _row_flops(group: AttentionGroup, decode: bool) -> int:
    """Operations per cached token: a product with the key and one with the value, for each query head.

    While decoding, latent attention works on the latent vector itself.
    """
    width = 2 * group.latent_dim if decode and group.kind in LATENT else group.key_dim + group.value_dim
    return 2 * width * group.query_heads * group.layers


def record_cache_reads(trace: Recipe, o: Outline, prefix: str, depth: str) -> None:
    """Record `<prefix>` and `<prefix>.rank`: cache bytes that one token of one request reads at a depth."""
    groups, ranks = [], []
    for group in o.kept:
        number = group.number
        key = f"{prefix}.{number}"
        _record_group_read(trace, group, key, depth)
        groups.append(key)
        ranks.append(key)
        if o.tensor:
            ranks[-1] = f"{key}.rank"
            trace.compute(
                ranks[-1],
                attention.rank_cache_bytes,
                read=key,
                kv_heads=f"kv.{number}.kv_heads",
                ranks="plan.tensor",
            )
    trace.compute(prefix, operators.sum_of_bytes, parts=groups)
    if o.shares_context:
        trace.compute(f"{prefix}.whole", operators.sum_of_bytes, parts=ranks)
        shared = {"read": f"{prefix}.whole", "ranks": "engine.context_parallel"}
        trace.compute(f"{prefix}.rank", attention.shared_context_bytes, **shared)
    else:
        trace.compute(f"{prefix}.rank", operators.sum_of_bytes, parts=ranks)


def _record_group_read(trace: Recipe, group: KeptGroup, key: str, depth: str) -> None:
    number = group.number
    shape = {"bytes_per_token": f"kv.{number}.bytes_per_token", "layers": f"kv.{number}.layers", "depth": depth}
    readers = f"attention.{number}.readers"
    if group.kind is AttentionKind.COMPRESSED:
        _record_compressed_read(trace, number, key, depth)
    elif group.kind is AttentionKind.SPARSE_LATENT:
        record, top_k = f"kv.{number}.record_bytes", f"attention.{number}.top_k"
        trace.compute(key, attention.indexed_read_bytes, **shape, record=record, top_k=top_k)
    elif group.windowed:
        trace.compute(key, attention.window_read_bytes, **shape, readers=readers, window=f"kv.{number}.window")
    else:
        trace.compute(key, attention.cache_read_bytes, **shape, readers=readers)


def _rows(trace: Recipe, number: int, key: str, depth: str) -> str:
    """Record the vectors that compressed attention looks at; return the key."""
    parts = {name: f"kv.{number}.{name}" for name in ("window", "compression")}
    trace.compute(key, attention.compressed_rows, depth=depth, top_k=f"attention.{number}.top_k", **parts)
    return key


def _record_compressed_read(trace: Recipe, number: int, key: str, depth: str) -> None:
    parts = {name: f"kv.{number}.{name}" for name in ("layers", "compression", "index_layers", "index_dim")}
    rows = _rows(trace, number, f"{key}.rows", depth)
    record = f"kv.{number}.record_bytes"
    trace.compute(key, attention.compressed_read_bytes, record=record, rows=rows, depth=depth, **parts)


def record_held_cache(trace: Recipe, o: Outline, key: str, tokens: str) -> None:
    """Record `key`: memory that one request holds at a number of tokens, over all ranks of a replica."""
    ranks = []
    for group in o.kept:
        number = group.number
        held = f"{key}.{number}"
        layers = f"kv.{number}.layers"
        shape = {"bytes_per_token": f"kv.{number}.bytes_per_token", "layers": layers, "readers": layers}
        if group.kind is AttentionKind.COMPRESSED:
            bounded = {name: f"kv.{number}.{name}" for name in ("bytes_per_token", "window_bytes", "ring_bytes")}
            trace.compute(held, attention.compressed_held_bytes, tokens=tokens, **bounded)
        elif group.windowed:
            trace.compute(held, attention.window_read_bytes, **shape, depth=tokens, window=f"kv.{number}.window")
        else:
            trace.compute(held, attention.cache_read_bytes, **shape, depth=tokens)
        ranks.append(held)
        if o.tensor:
            ranks[-1] = f"{held}.rank"
            trace.compute(
                ranks[-1], attention.rank_cache_bytes, read=held, kv_heads=f"kv.{number}.kv_heads", ranks="plan.tensor"
            )
    trace.compute(
        key, attention.held_cache_bytes, rank_bytes=ranks, ranks="plan.tensor", state="state_bytes_per_request"
    )


def record_attention_flops(trace: Recipe, o: Outline, key: str, depth: str, phase: str) -> None:
    """Record `key`: attention operations of one token at a depth; `phase` is "decode" or "prefill"."""
    groups = []
    for group in o.kept:
        number = group.number
        groups.append(f"{key}.{number}")
        inputs = {"row_flops": f"attention.{number}.row_flops.{phase}", "depth": depth}
        function: Callable[..., Any] = attention.attention_flops
        if group.kind in _INDEXED:
            inputs["index_flops"] = f"attention.{number}.index_flops"
        if group.kind is AttentionKind.COMPRESSED:
            function, inputs["compression"] = attention.compressed_attention_flops, f"kv.{number}.compression"
            inputs["rows"] = _rows(trace, number, f"{groups[-1]}.rows", depth)
        elif group.kind is AttentionKind.SPARSE_LATENT:
            function, inputs["top_k"] = attention.indexed_attention_flops, f"attention.{number}.top_k"
        elif group.windowed:
            function, inputs["window"] = attention.window_attention_flops, f"kv.{number}.window"
        trace.compute(groups[-1], function, **inputs)
    trace.compute(key, operators.sum_of_flops, parts=groups)
