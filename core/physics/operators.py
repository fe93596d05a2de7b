"""Counting: what a step reads, multiplies, launches and exchanges.

Everything here follows from the shape of the model, the precision of its tensors and the work; no fitted number enters
but the reuse of experts within a batch. Rates are applied in `core.physics.decode` and `core.physics.prefill`.
"""

from collections.abc import Sequence
from typing import Any

from core.architecture.blueprint import AttentionKind, Blueprint
from core.physics.arrays import ceil, maximum, minimum, power
from core.trace import formula
from core.units import Unit

#: Kernels that engines launch per layer, gaps and small element-wise kernels included in their time.
KERNELS_PER_ATTENTION_LAYER = 9
KERNELS_PER_RECURRENT_LAYER = 12
KERNELS_PER_MOE_LAYER = 6
KERNELS_PER_DOUBLE_NORM = 3
#: Further kernels of sparse and compressed attention: an indexer with its choice of rows, the compression of blocks,
#: and the streams that run beside each other. By the times of whole attention modules on a B200 with one request,
#: latent attention (89 us) being the measure of nine: 134 us with compressed blocks of 128 tokens, 151 to 217 us with
#: blocks of 4 and an indexer, 27 us for the streams of a layer; operator tables of aiconfigurator.
KERNELS_PER_INDEXER = 5
KERNELS_PER_COMPRESSOR = 5
KERNELS_PER_STREAMS = 3
ALL_REDUCES_PER_LAYER = 2  # after attention and after the feed-forward block, under tensor parallelism


def kernels_per_step(blueprint: Blueprint) -> int:
    """Kernels that one step launches.

    9 per attention layer, 12 per recurrent layer, 6 more per layer with experts, 3 more per layer with double norms; 5
    more per layer with an indexer, 5 for compressing blocks, and 3 for parallel streams.

    Parameters
    ----------
    blueprint : the model

    Returns
    -------
    kernels per step, whole model
    """
    attention = sum(group.layers for group in blueprint.attention)
    recurrent = sum(group.layers for group in blueprint.recurrent)
    experts = blueprint.moe.layers if blueprint.moe else 0
    norms = blueprint.layers if blueprint.double_norms else 0
    compressed = [group for group in blueprint.attention if group.kind is AttentionKind.COMPRESSED]
    indexed = (AttentionKind.COMPRESSED, AttentionKind.SPARSE_LATENT)
    return (
        KERNELS_PER_ATTENTION_LAYER * attention
        + KERNELS_PER_RECURRENT_LAYER * recurrent
        + KERNELS_PER_MOE_LAYER * experts
        + KERNELS_PER_DOUBLE_NORM * norms
        + KERNELS_PER_INDEXER * sum(group.index_layers for group in blueprint.attention if group.kind in indexed)
        + KERNELS_PER_COMPRESSOR * sum(group.layers for group in compressed if group.compression)
        + KERNELS_PER_STREAMS * sum(group.layers for group in compressed)
    )


@formula(Unit.COUNT)
def messages_per_token(layers: int, tensor: int, pipeline: int) -> int:
    """Exchanges between accelerators in one step of one replica.

    messages = where(tensor > 1, 2 * layers, 0) + pipeline - 1

    Parameters
    ----------
    layers : of the model
    tensor, pipeline : ranks of each kind

    Returns
    -------
    all-reduces (two a layer) and hand-overs between pipeline stages

    >>> messages_per_token(80, 8, 1), messages_per_token(80, 1, 8), messages_per_token(80, 1, 1)
    (160, 7, 0)
    """
    return (2 * layers if tensor > 1 else 0) + pipeline - 1


@formula(Unit.COUNT)
def all_reduces_per_step(layers: int, per_layer: int) -> int:
    """All-reduces in one step under tensor parallelism.

    count = layers * per_layer

    Parameters
    ----------
    layers : of the model
    per_layer : after attention and after the feed-forward block

    Returns
    -------
    all-reduces per step

    >>> all_reduces_per_step(80, 2)
    160
    """
    return layers * per_layer


@formula(Unit.COUNT)
def distinct_experts(experts: Any, chosen: Any, tokens: Any, reuse: Any) -> Any:
    """Experts of one layer that a batch of tokens needs at least once.

    distinct = experts * (1 - (1 - chosen / experts) ** (max(tokens, 1) ** min(reuse, 1)))

    Parameters
    ----------
    experts : in one layer
    chosen : per token
    tokens : in the step
    reuse : 1 for independent routing; below 1 because the tokens of a batch share experts

    Returns
    -------
    expected number of different experts, between `chosen` and `experts`

    >>> distinct_experts(128, 8, 1, 0.87), round(distinct_experts(128, 8, 64, 1.0), 1)
    (8.0, 125.9)
    """
    return experts * (1 - power(1 - chosen / experts, power(maximum(tokens, 1), minimum(reuse, 1))))


@formula(Unit.BYTE)
def expert_bytes_read(all_experts: float, experts: int, distinct: Any) -> Any:
    """Bytes of routed experts that one step reads, over all layers.

    bytes = all_experts / experts * distinct

    Parameters
    ----------
    all_experts : resident bytes of all routed experts [byte]
    experts : in one layer
    distinct : different experts of one layer that the step needs

    Returns
    -------
    bytes read in one step [byte]

    >>> expert_bytes_read(12.8e9, 128, 8)
    800000000.0
    """
    return all_experts / experts * distinct


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


@formula(Unit.BYTE)
def sum_of_bytes(parts: Sequence[Any]) -> Any:
    """Bytes added up.

    bytes = sum(parts)

    Parameters
    ----------
    parts : [byte]

    Returns
    -------
    sum [byte]

    >>> sum_of_bytes([1, 2])
    3
    """
    return sum(parts)


@formula(Unit.BYTE)
def bytes_per_rank(dense: Any, experts: Any, state: Any, batch: Any, cache: Any, ranks: int, expert_ranks: int) -> Any:
    """Bytes that one rank reads in a step.

    bytes = (dense + batch * state) / ranks + experts / expert_ranks + batch * cache

    Parameters
    ----------
    dense, experts : weights of the step, whole model [byte]
    state : recurrent state of one request, read and written [byte]
    batch : requests in the step
    cache : of one request, on one rank [byte]
    ranks : that share attention
    expert_ranks : that share the experts

    Returns
    -------
    bytes [byte]

    >>> bytes_per_rank(100.0, 20.0, 0.0, 2.0, 5.0, 4, 4)
    40.0
    """
    return (dense + batch * state) / ranks + experts / expert_ranks + batch * cache


@formula(Unit.BYTE)
def state_traffic_bytes(state: float) -> float:
    """Bytes of recurrent state that one token of one request moves.

    bytes = 2 * state

    Parameters
    ----------
    state : what one request keeps [byte]

    Returns
    -------
    read and written [byte]

    >>> state_traffic_bytes(64e6)
    128000000.0
    """
    return 2 * state


@formula(Unit.FLOP)
def matrix_flops(parameters: int) -> int:
    """Operations of multiplying one token with matrices of so many parameters.

    flops = 2 * parameters

    Parameters
    ----------
    parameters : in the matrices

    Returns
    -------
    operations per token, a multiplication and an addition each [FLOP]

    >>> matrix_flops(69_500_000_000)
    139000000000
    """
    return 2 * parameters


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


@formula(Unit.FLOP)
def sum_of_flops(parts: Sequence[Any]) -> Any:
    """Operations added up.

    flops = sum(parts)

    Parameters
    ----------
    parts : [FLOP]

    Returns
    -------
    sum [FLOP]

    >>> sum_of_flops([1, 2])
    3
    """
    return sum(parts)


@formula(Unit.FLOP)
def step_flops(low: float, wide: float, experts: float, attention: Any, tokens: Any) -> Any:
    """Operations of a step or of a prompt.

    flops = tokens * (low + wide + experts + attention)

    Parameters
    ----------
    low, wide, experts : per token: matrices in the weight format, those kept at 16 bit, chosen experts [FLOP]
    attention : per token [FLOP]
    tokens : requests in the step, or tokens of the prompt

    Returns
    -------
    operations [FLOP]

    >>> step_flops(100.0, 10.0, 0.0, 5.0, 2)
    230.0
    """
    return tokens * (low + wide + experts + attention)


@formula(Unit.FLOP_PER_BYTE)
def arithmetic_intensity(flops: Any, read: Any) -> Any:
    """Operations per byte that is read.

    intensity = flops / read

    Parameters
    ----------
    flops : of the step [FLOP]
    read : bytes of the step [byte]

    Returns
    -------
    intensity; below the ridge point of a device, memory is the limit [FLOP/byte]

    >>> arithmetic_intensity(139e9, 139e9)
    1.0
    """
    return flops / read


@formula(Unit.BYTE)
def step_bytes(first: Any, second: Any, ranks: int) -> Any:
    """Bytes that a step reads, over all tensor-parallel ranks and both memories.

    bytes = (first + second) * ranks

    Parameters
    ----------
    first, second : bytes of one rank, from the fast and the slow memory [byte]
    ranks : tensor-parallel

    Returns
    -------
    bytes [byte]

    >>> step_bytes(10.0, 2.0, 4)
    48.0
    """
    return (first + second) * ranks
