"""Counting: what a step reads, multiplies, launches and exchanges.

Everything here follows from the shape of the model, the precision of its tensors and the work; no fitted number enters
but the reuse of experts within a batch. Rates are applied in `core.physics.decode` and `core.physics.prefill`.
"""

from collections.abc import Sequence
from typing import Any

from core.architecture.blueprint import AttentionKind, Blueprint
from core.physics.arrays import maximum, minimum, power
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
