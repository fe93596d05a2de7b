"""What attention reads of the cache in a step, and what it multiplies: by kind of layer."""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, maximum, minimum
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def cache_read_bytes(bytes_per_token: float, layers: int, readers: int, depth: Any) -> Any:
    """Bytes of a cache that grows without bound, read for one new token.

    bytes = bytes_per_token * readers / layers * depth

    Parameters
    ----------
    bytes_per_token : cache of all layers of a shape that keep one [byte/token]
    layers : layers that keep a cache
    readers : layers that read one; more than `layers` where some read a neighbour's
    depth : tokens in the cache

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> cache_read_bytes(327680, 80, 80, 1024.0)
    335544320.0
    """
    return bytes_per_token * readers / layers * depth


@formula(Unit.BYTE)
def window_read_bytes(bytes_per_token: float, layers: int, readers: int, depth: Any, window: int) -> Any:
    """Bytes of a cache of which only the last `window` tokens are read.

    bytes = bytes_per_token * readers / layers * min(depth, window)

    Parameters
    ----------
    bytes_per_token : cache of all layers of a shape that keep one [byte/token]
    layers, readers : layers that keep a cache, and layers that read one
    depth : tokens before the new one
    window : tokens that attention looks back

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> window_read_bytes(49152, 12, 12, 131072.0, 128)
    6291456.0
    """
    return bytes_per_token * readers / layers * minimum(depth, window)


@formula(Unit.BYTE)
def indexed_read_bytes(bytes_per_token: float, layers: int, record: float, depth: Any, top_k: int) -> Any:
    """Bytes of a cache of which an indexer picks `top_k` tokens, after reading its own key of every token.

    bytes = layers * record * min(depth, top_k) + (bytes_per_token - layers * record) * depth

    Parameters
    ----------
    bytes_per_token : vectors and indexer keys of all layers [byte/token]
    layers : layers that keep a vector
    record : vector of one layer [byte]
    depth : tokens before the new one
    top_k : tokens that the indexer picks

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> indexed_read_bytes(78_324, 61, 1152, 10000.0, 2048)
    224437056.0
    """
    return layers * record * minimum(depth, top_k) + (bytes_per_token - layers * record) * depth


@formula(Unit.TOKEN)
def compressed_rows(depth: Any, window: int, compression: int, top_k: int) -> Any:
    """Vectors that compressed attention looks at: the window, and those of earlier spans, all or the best.

    rows = min(depth, window) + where(compression > 0, min(depth / max(1, compression), where(top_k > 0, top_k, depth)),
        0)

    Parameters
    ----------
    depth : tokens before the new one
    window : tokens that stay as they are
    compression : tokens per compressed vector; 0 for layers with the window alone
    top_k : compressed vectors that an indexer picks; 0 where all are read

    Returns
    -------
    vectors

    >>> compressed_rows(65_536, 128, 4, 512), compressed_rows(65_536, 128, 128, 0), compressed_rows(65_536, 128, 0, 0)
    (640, 640.0, 128)
    """
    chosen = minimum(depth / max(1, compression), top_k if top_k > 0 else depth) if compression > 0 else 0
    return minimum(depth, window) + chosen


@formula(Unit.BYTE)
def compressed_read_bytes(
    layers: int, record: float, rows: Any, depth: Any, compression: int, index_layers: int, index_dim: int
) -> Any:
    """Bytes that compressed attention reads for one token: the vectors it looks at, and every index key.

    bytes = layers * record * rows + where(compression > 0,
        index_layers * (index_dim + 4) * depth / max(1, compression), 0)

    Parameters
    ----------
    layers : layers of this ratio
    record : one vector [byte]
    rows : vectors that a layer looks at
    depth : tokens before the new one
    compression : tokens per compressed vector
    index_layers, index_dim : layers with an indexer, and the width of its key

    Returns
    -------
    bytes [byte]

    >>> compressed_read_bytes(21, 584, 640, 65_536.0, 4, 21, 128)
    53265408.0
    """
    keys = index_layers * (index_dim + 4) * depth / max(1, compression) if compression > 0 else 0
    return layers * record * rows + keys


@formula(Unit.BYTE)
def compressed_held_bytes(bytes_per_token: float, tokens: Any, window_bytes: int, ring_bytes: int) -> Any:
    """Memory that one request holds in layers of compressed attention.

    bytes = bytes_per_token * tokens + window_bytes + ring_bytes

    Parameters
    ----------
    bytes_per_token : compressed vectors and index keys [byte/token]
    tokens : of the request
    window_bytes, ring_bytes : whatever its length [byte]

    Returns
    -------
    bytes [byte]

    >>> compressed_held_bytes(3759.0, 1000, 1000, 500)
    3760500.0
    """
    return bytes_per_token * tokens + window_bytes + ring_bytes


@formula(Unit.BYTE)
def rank_cache_bytes(read: Any, kv_heads: int, ranks: int) -> Any:
    """The part of a cache that one tensor-parallel rank reads: whole heads, so several ranks read the same few.

    bytes = read * ceil(kv_heads / ranks) / kv_heads

    Parameters
    ----------
    read : by all ranks, each head once [byte]
    kv_heads : key-value heads; 1 for latent attention, which every rank reads whole
    ranks : tensor-parallel

    Returns
    -------
    bytes of one rank [byte]

    >>> rank_cache_bytes(800.0, 8, 4), rank_cache_bytes(800.0, 1, 4)
    (200.0, 800.0)
    """
    return read * ceil(kv_heads / ranks) / kv_heads


@formula(Unit.BYTE)
def shared_context_bytes(read: Any, ranks: int) -> Any:
    """The part of a cache that one accelerator reads where ranks share out the tokens of a request.

    bytes = read / ranks

    Parameters
    ----------
    read : if every rank kept all tokens [byte]
    ranks : that share out the tokens (vLLM: decode context parallelism)

    Returns
    -------
    bytes of one rank [byte]

    Notes
    -----
    The exchange of partial results, a small message for each layer, is not counted.

    >>> shared_context_bytes(800.0, 8)
    100.0
    """
    return read / ranks


@formula(Unit.BYTE)
def held_cache_bytes(rank_bytes: Sequence[Any], ranks: int, state: float) -> Any:
    """Memory that one request in flight holds, over all ranks of a replica.

    bytes = sum(rank_bytes) * ranks + state

    Parameters
    ----------
    rank_bytes : cache on one rank, group by group [byte]
    ranks : tensor-parallel
    state : recurrent state of one request [byte]

    Returns
    -------
    bytes [byte]

    >>> held_cache_bytes([100.0, 20.0], 2, 5)
    245.0
    """
    return sum(rank_bytes) * ranks + state


@formula(Unit.FLOP)
def attention_flops(row_flops: int, depth: Any) -> Any:
    """Operations of attention for one token that looks back at everything.

    flops = row_flops * depth

    Parameters
    ----------
    row_flops : operations per cached token: 2 * (key width + value width) * query heads, over all layers of the group
    depth : tokens before this one

    Returns
    -------
    operations per token [FLOP]

    >>> attention_flops(4 * 128 * 64 * 80, 1024.0)
    2684354560.0
    """
    return row_flops * depth


@formula(Unit.FLOP)
def window_attention_flops(row_flops: int, depth: Any, window: int) -> Any:
    """Operations of attention for one token that looks back at the last `window` tokens.

    flops = row_flops * min(depth, window)

    Parameters
    ----------
    row_flops : operations per cached token, over all layers of the group
    depth : tokens before this one
    window : tokens

    Returns
    -------
    operations per token [FLOP]

    >>> window_attention_flops(1000, 5000.0, 128)
    128000
    """
    return row_flops * minimum(depth, window)


@formula(Unit.FLOP)
def indexed_attention_flops(row_flops: int, index_flops: int, depth: Any, top_k: int) -> Any:
    """Operations of attention for one token that looks at `top_k` tokens, picked by an indexer from all.

    flops = row_flops * min(depth, top_k) + index_flops * depth

    Parameters
    ----------
    row_flops : operations per cached token, over all layers of the group
    index_flops : operations to score one cached token, over all layers with an indexer
    depth : tokens before this one
    top_k : tokens that the indexer picks

    Returns
    -------
    operations per token [FLOP]

    >>> indexed_attention_flops(1000, 200, 5000.0, 2048)
    3048000.0
    """
    return row_flops * minimum(depth, top_k) + index_flops * depth


@formula(Unit.FLOP)
def compressed_attention_flops(row_flops: int, rows: Any, index_flops: int, depth: Any, compression: int) -> Any:
    """Operations of compressed attention for one token: the vectors it looks at, and scoring every compressed key.

    flops = row_flops * rows + index_flops * depth / max(1, compression)

    Parameters
    ----------
    row_flops : operations per vector, over all layers of the group
    rows : vectors that a layer looks at
    index_flops : operations to score one compressed key, over all layers with an indexer; 0 without one
    depth : tokens before this one
    compression : tokens per compressed vector

    Returns
    -------
    operations per token [FLOP]

    >>> compressed_attention_flops(1000, 640, 200, 65_536.0, 4)
    3916800.0
    """
    return row_flops * rows + index_flops * depth / maximum(1, compression)
