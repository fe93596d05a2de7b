"""Counting: what a step reads, multiplies, launches and exchanges.

Everything here follows from the shape of the model, the precision of its tensors and the work; no fitted number enters
but the reuse of experts within a batch. Rates are applied in `core.physics.decode` and `core.physics.prefill`.
"""

from typing import Any

from core.architecture.blueprint import Blueprint
from core.physics.arrays import minimum
from core.trace import formula
from core.units import Unit

#: Kernels that engines launch per layer, gaps and small element-wise kernels included in their time.
KERNELS_PER_ATTENTION_LAYER = 9
KERNELS_PER_RECURRENT_LAYER = 12
KERNELS_PER_MOE_LAYER = 6
KERNELS_PER_DOUBLE_NORM = 3
ALL_REDUCES_PER_LAYER = 2  # after attention and after the feed-forward block, under tensor parallelism


def kernels_per_step(blueprint: Blueprint) -> int:
    """Kernels that one step launches.

    9 per attention layer, 12 per recurrent layer, 6 more per layer with experts, 3 more per layer with double norms.

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
    return (
        KERNELS_PER_ATTENTION_LAYER * attention
        + KERNELS_PER_RECURRENT_LAYER * recurrent
        + KERNELS_PER_MOE_LAYER * experts
        + KERNELS_PER_DOUBLE_NORM * norms
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
def distinct_experts(experts: int, chosen: int, tokens: Any, reuse: float) -> Any:
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
    from core.physics.arrays import maximum, power

    return experts * (1 - power(1 - chosen / experts, power(maximum(tokens, 1), min(reuse, 1))))


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
def cache_read_bytes(row_elements: int, element_bytes: float, depth: Any) -> Any:
    """Bytes of a cache that grows without bound, read for one new token.

    bytes = row_elements * element_bytes * depth

    Parameters
    ----------
    row_elements : elements kept per token, over all layers of the group
    element_bytes : size of one element, scales included [byte]
    depth : tokens in the cache

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> cache_read_bytes(2 * 80 * 8 * 128, 2, 1024.0)
    335544320.0
    """
    return row_elements * element_bytes * depth


@formula(Unit.BYTE)
def window_read_bytes(row_elements: int, element_bytes: float, depth: Any, window: int) -> Any:
    """Bytes of a cache of which only the last `window` tokens are read.

    bytes = row_elements * element_bytes * min(depth, window)

    Parameters
    ----------
    row_elements : elements kept per token, over all layers of the group
    element_bytes : size of one element, scales included [byte]
    depth : tokens before the new one
    window : tokens that attention looks back

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> window_read_bytes(24576, 2, 131072.0, 128)
    6291456
    """
    return row_elements * element_bytes * minimum(depth, window)


@formula(Unit.BYTE)
def indexed_read_bytes(
    row_elements: int, element_bytes: float, depth: Any, top_k: int, index_elements: int, window: int, compression: int
) -> Any:
    """Bytes of a cache of which an indexer picks `top_k` rows, after reading its own key of every row.

    bytes = row_elements * element_bytes * (min(depth, window) + min(depth / compression, top_k)) + index_elements * depth / compression

    Parameters
    ----------
    row_elements : elements of one row, over all layers of the group
    element_bytes : size of one element, scales included [byte]
    depth : tokens before the new one
    top_k : rows that the indexer picks
    index_elements : bytes of indexer keys per row, over all layers that keep one (8 bit each)
    window : latest tokens that are read besides, uncompressed; 0 for none
    compression : tokens that share one row; 1 for none

    Returns
    -------
    bytes read for one token of one request [byte]

    >>> indexed_read_bytes(576, 2, 10000.0, 2048, 128, 0, 1)
    3639296.0
    """
    rows = minimum(depth, window) + minimum(depth / compression, top_k)
    return row_elements * element_bytes * rows + index_elements * depth / compression


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
def attention_flops(row_flops: int, rows: Any) -> Any:
    """Operations of attention for one new token.

    flops = row_flops * rows

    Parameters
    ----------
    row_flops : operations per cached row: 2 * (key width + value width) * query heads, over all layers of the group
    rows : cached rows that attention looks at

    Returns
    -------
    operations per token [FLOP]

    >>> attention_flops(4 * 128 * 64 * 80, 1024.0)
    2684354560.0
    """
    return row_flops * rows


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
