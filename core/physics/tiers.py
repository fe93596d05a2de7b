"""Memory in tiers: each tier's bytes over that tier's own bandwidth, added, never averaged.

What does not fit into the fast memory of an accelerator lies in a slower one and is read there for every token. A
second tier that the accelerator reads itself (unified or coherent memory) is as fast as its memory; one that the CPU
reads and multiplies (layers offloaded to the CPU) reaches about half of that and costs a round trip per layer.
"""

from typing import Any

from core.trace import formula
from core.units import Unit


@formula(Unit.SHARE)
def experts_spilled_share(spilled: float, experts: float) -> float:
    """Share of the routed experts that lies in the second tier: engines move the least read first.

    share = min(1, spilled / max(experts, 1))

    Parameters
    ----------
    spilled : weights in the second tier [byte]
    experts : all routed experts [byte]

    Returns
    -------
    share of the experts

    >>> experts_spilled_share(10e9, 40e9), experts_spilled_share(50e9, 40e9)
    (0.25, 1)
    """
    return min(1, spilled / max(experts, 1))


@formula(Unit.SHARE)
def dense_spilled_share(spilled: float, experts: float, dense: float) -> float:
    """Share of all other weights that lies in the second tier: what is spilled beyond the experts.

    share = min(1, max(0, spilled - experts) / max(dense, 1))

    Parameters
    ----------
    spilled : weights in the second tier [byte]
    experts, dense : routed experts, and everything else [byte]

    Returns
    -------
    share of the other weights

    >>> dense_spilled_share(50e9, 40e9, 20e9), dense_spilled_share(10e9, 40e9, 20e9)
    (0.5, 0.0)
    """
    return min(1, max(0, spilled - experts) / max(dense, 1))


@formula(Unit.SHARE)
def cache_spilled_share(spilled: float, cache: float) -> float:
    """Share of the KV cache that lies in the second tier.

    share = min(1, spilled / max(cache, 1))

    Parameters
    ----------
    spilled : cache in the second tier [byte]
    cache : all of it [byte]

    Returns
    -------
    share

    >>> cache_spilled_share(5e9, 20e9)
    0.25
    """
    return min(1, spilled / max(cache, 1))


@formula(Unit.BYTE)
def first_tier_bytes(read: Any, spilled_share: float) -> Any:
    """Bytes of a kind that a step reads from the fast memory.

    bytes = read * (1 - spilled_share)

    Parameters
    ----------
    read : bytes of the step [byte]
    spilled_share : share of this kind in the second tier

    Returns
    -------
    bytes read from the first tier [byte]

    >>> first_tier_bytes(100.0, 0.25)
    75.0
    """
    return read * (1 - spilled_share)


@formula(Unit.BYTE)
def second_tier_bytes(
    dense: float,
    dense_share: float,
    experts: Any,
    experts_share: float,
    kv: Any,
    kv_share: float,
    batch: Any,
    ranks: int,
    expert_ranks: int,
) -> Any:
    """Bytes that one rank reads from the slower memory in a step.

    bytes = dense * dense_share / ranks + experts * experts_share / expert_ranks + batch * kv * kv_share

    Parameters
    ----------
    dense, experts : bytes of weights that the step reads, whole model [byte]
    kv : cache that one request reads, on one rank [byte]
    dense_share, experts_share, kv_share : shares that lie in the second tier
    batch : requests in the step
    ranks : that share attention
    expert_ranks : that share the experts

    Returns
    -------
    bytes read from the second tier [byte]

    >>> second_tier_bytes(100.0, 0.1, 0.0, 0.0, 10.0, 0.0, 1, 1, 1)
    10.0
    """
    return dense * dense_share / ranks + experts * experts_share / expert_ranks + batch * kv * kv_share


@formula(Unit.BYTE_PER_SECOND)
def bandwidth_each(bandwidth: float, readers: int) -> float:
    """Bandwidth of a host's memory for each of the accelerators that use it at the same time.

    each = bandwidth / readers

    Parameters
    ----------
    bandwidth : of the host's memory [byte/s]
    readers : accelerators of a machine that do not take turns

    Returns
    -------
    bandwidth [byte/s]

    >>> bandwidth_each(100e9, 2)
    50000000000.0
    """
    return bandwidth / readers


@formula(Unit.SECOND)
def second_tier_seconds(read: Any, bandwidth: float) -> Any:
    """Time of the part that the accelerator reads from a slower memory of its own.

    seconds = read / bandwidth

    Parameters
    ----------
    read : bytes in the second tier, of one rank [byte]
    bandwidth : that such reads reach [byte/s]

    Returns
    -------
    time [s]

    >>> second_tier_seconds(39.6e9, 396e9)
    0.1
    """
    return read / bandwidth


@formula(Unit.SECOND)
def offloaded_seconds(read: Any, bandwidth: float, per_layer: float, layers: int, share: float) -> Any:
    """Time of the part that the CPU computes: its reads, and a round trip for each layer that lives there.

    seconds = read / bandwidth + per_layer * layers * share

    Parameters
    ----------
    read : bytes in the CPU's memory, of one rank [byte]
    bandwidth : that the CPU reaches [byte/s]
    per_layer : round trip between accelerator and CPU [s]
    layers : of the model
    share : of the layers on the CPU

    Returns
    -------
    time [s]

    >>> round(offloaded_seconds(10e9, 40e9, 30e-6, 40, 0.5), 4)
    0.2506
    """
    return read / bandwidth + per_layer * layers * share


@formula(Unit.SECOND)
def ceiling_seconds(first: Any, first_bandwidth: float, second: Any, second_bandwidth: float) -> Any:
    """The least time of a step that physics allows: each tier's bytes over its bandwidth.

    ceiling = first / first_bandwidth + second / second_bandwidth

    Parameters
    ----------
    first, second : bytes that one tensor-parallel rank reads from each tier; the stages of a pipeline read one after
        another, so all of them count [byte]
    first_bandwidth, second_bandwidth : of one accelerator, as the vendor states them [byte/s]

    Returns
    -------
    time [s]

    >>> round(ceiling_seconds(288e9, 8e12, 117.9e9, 396e9), 3)
    0.334
    """
    return first / first_bandwidth + second / second_bandwidth


@formula(Unit.SECOND)
def one_tier_ceiling_seconds(read: Any, bandwidth: float) -> Any:
    """The least time of a step that physics allows when everything lies in the fast memory.

    ceiling = read / bandwidth

    Parameters
    ----------
    read : bytes that one tensor-parallel rank reads [byte]
    bandwidth : of one accelerator, as the vendor states it [byte/s]

    Returns
    -------
    time [s]

    >>> round(one_tier_ceiling_seconds(139e9, 273e9), 3)
    0.509
    """
    return read / bandwidth
