"""Exchanges between accelerators: all-reduce under tensor parallelism, hand-over in a pipeline.

An all-reduce costs a start-up time and then a time per byte: `alpha` and `beta` for the short messages of decode, the
bus rate for the long ones of prefill. The constants are records of the link; between and beyond the rank counts that a
record has, they follow the logarithm of the rank count.

References
----------
1. Hockney: "The communication challenge for MPP", Parallel Computing 20, 1994.
2. Constants: derived from aiconfigurator operator measurements, (c) NVIDIA Corporation & Affiliates, Apache-2.0.
"""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from core.catalogue.records import AllReduceCost, DeviceFamily, Link, LinkKind
from core.physics.arrays import minimum
from core.trace import formula
from core.units import MIB, Unit

#: Share of a link's rate that a ring all-reduce keeps busy where none was measured, and the start-up then assumed.
ASSUMED_BUS_SHARE = 0.5
ASSUMED_ALPHA_S = {
    LinkKind.NVLINK: 6e-6,
    LinkKind.C2C: 6e-6,
    LinkKind.FABRIC: 10e-6,
    LinkKind.PCIE: 15e-6,
    LinkKind.NETWORK: 25e-6,
    LinkKind.THUNDERBOLT: 50e-6,
}
#: Time until a pipeline stage can start on what its neighbour hands over.
HOP_S = {
    LinkKind.NVLINK: 20e-6,
    LinkKind.C2C: 20e-6,
    LinkKind.FABRIC: 20e-6,
    LinkKind.PCIE: 20e-6,
    LinkKind.THUNDERBOLT: 50e-6,
}
FAST_NETWORK_HOP_S, SLOW_NETWORK_HOP_S = 50e-6, 400e-6
FAST_NETWORK_BYTES_PER_S = 10e9
#: Messages of a prompt's chunk, of which the bus rate is taken.
LONG_MESSAGE_BYTES = (8 * MIB, 64 * MIB)


@formula(Unit.BYTE)
def activation_bytes(tokens: Any, hidden_size: int) -> Any:
    """Size of the activations that accelerators exchange: 16 bit per element.

    bytes = tokens * hidden_size * 2

    Parameters
    ----------
    tokens : in the step
    hidden_size : width of the model

    Returns
    -------
    bytes of one message [byte]

    >>> activation_bytes(1, 8192)
    16384
    """
    return tokens * hidden_size * 2


@formula(Unit.SECOND)
def all_reduce_seconds(
    message: Any, ranks: int, alpha: float, beta: float, bus: float, factor: float, slowdown: float
) -> Any:
    """Time of one all-reduce on a link with both constants: the faster of the short and the long algorithm.

    seconds = factor * alpha + min(
        slowdown * message / beta, 1.5 * factor * alpha + slowdown * 2 * (ranks - 1) / ranks * message / bus
    )

    Parameters
    ----------
    message : size of the tensor on each rank [byte]
    ranks : that take part
    alpha : start-up [s]
    beta : rate of short messages [byte/s]
    bus : bus rate of long messages [byte/s]
    factor : an engine's start-up over the bare kernel's: its ranks do not arrive at the same moment
    slowdown : of the rates; 1 where they were measured

    Returns
    -------
    time [s]

    >>> round(all_reduce_seconds(16384, 8, 25e-6, 3.5e9, 12e9, 1.0, 1.0) * 1e6, 1)
    29.7
    """
    long = 1.5 * factor * alpha + slowdown * 2 * (ranks - 1) / ranks * message / bus
    return factor * alpha + minimum(slowdown * message / beta, long)


@formula(Unit.SECOND)
def ring_all_reduce_seconds(message: Any, ranks: int, alpha: float, bus: float, factor: float, slowdown: float) -> Any:
    """Time of one all-reduce on a link of which only start-up and bus rate are known.

    seconds = factor * alpha + slowdown * 2 * (ranks - 1) / ranks * message / bus

    Parameters
    ----------
    message : size of the tensor on each rank [byte]
    ranks : that take part
    alpha : start-up [s]
    bus : bus rate [byte/s]
    factor : an engine's start-up over the bare kernel's: its ranks do not arrive at the same moment
    slowdown : of the rate; 1 where it was measured

    Returns
    -------
    time [s]

    >>> round(ring_all_reduce_seconds(16384, 2, 76e-6, 11e9, 1.0, 1.0) * 1e6, 1)
    77.5
    """
    return factor * alpha + slowdown * 2 * (ranks - 1) / ranks * message / bus


@formula(Unit.SECOND)
def repeated_seconds(count: int, seconds: Any) -> Any:
    """Time of equal things done one after another.

    total = count * seconds

    Parameters
    ----------
    count : of them
    seconds : each [s]

    Returns
    -------
    time [s]

    >>> repeated_seconds(160, 25e-6)
    0.004
    """
    return count * seconds


@formula(Unit.SECOND)
def sum_of_seconds(parts: Sequence[Any]) -> Any:
    """Times added up.

    total = sum(parts)

    Parameters
    ----------
    parts : [s]

    Returns
    -------
    sum [s]

    >>> sum_of_seconds([0.5, 0.25])
    0.75
    """
    return sum(parts)


@formula(Unit.BYTE)
def repeated_bytes(count: int, each: Any) -> Any:
    """Bytes of equal parts.

    total = count * each

    Parameters
    ----------
    count : of them
    each : [byte]

    Returns
    -------
    bytes [byte]

    >>> repeated_bytes(8, 100)
    800
    """
    return count * each


@formula(Unit.SECOND)
def hop_seconds(message: Any, latency: float, rate: float) -> Any:
    """Time to hand activations to the next stage of a pipeline.

    seconds = latency + message / rate

    Parameters
    ----------
    message : activations [byte]
    latency : until the next stage starts [s]
    rate : of the link, one way [byte/s]

    Returns
    -------
    time [s]

    >>> round(hop_seconds(16384, 20e-6, 63e9) * 1e6, 2)
    20.26
    """
    return latency + message / rate


def hop_latency_s(link: Link) -> float:
    """Time until a neighbour starts: 20 us inside a machine, 50 us over a fast network, 400 us over a slow one [s]."""
    if link.kind in HOP_S:
        return HOP_S[link.kind]
    return FAST_NETWORK_HOP_S if link.bytes_per_s_per_direction >= FAST_NETWORK_BYTES_PER_S else SLOW_NETWORK_HOP_S


def all_reduce_cost(link: Link, ranks: int, family: DeviceFamily) -> AllReduceCost:
    """The constants of an all-reduce among `ranks` accelerators on a link.

    A record for that rank count is taken as it is. Between two records each constant follows the logarithm of the rank
    count; beyond the last one the start-up grows in that proportion and the rates stay. A link without a record gets
    its start-up from its latency or its kind, and half of its rate as bus rate. Where long messages were measured on
    the link with that rank count, their bus rate is the one that counts.

    Parameters
    ----------
    link : that joins them
    ranks : accelerators, at least 2
    family : of the accelerators; a link may have records of its own for a family

    Returns
    -------
    constants; `measured` only where a record for that rank count was measured

    >>> rates = {"bytes_per_s_per_direction": 63e9, "bytes_per_s_bidirectional": 126e9}
    >>> pcie = Link(id="p", name="PCIe", kind=LinkKind.PCIE, **rates)
    >>> all_reduce_cost(pcie, 4, DeviceFamily.NVIDIA_GDDR).alpha_s
    3e-05
    """
    cost = _recorded_cost(link, ranks, family)
    bus = measured_bus_bytes_per_s(link, ranks)
    return cost if bus is None else cost.model_copy(update={"bus_bytes_per_s": bus})


def rates_hold(link: Link, cost: AllReduceCost) -> bool:
    """Do the rates of an all-reduce hold within an engine, so that only its start-up varies?

    Assumed rates vary as start-ups do, and so do those of a PCIe switch. Thunderbolt has the rate of its standard;
    exchanges from the host, as MLX makes them, cost a start-up there.

    Parameters
    ----------
    link : that ranks exchange over
    cost : of the all-reduce on it

    Returns
    -------
    whether they do
    """
    return link.kind is LinkKind.THUNDERBOLT or (cost.measured and link.kind is not LinkKind.PCIE)


def measured_bus_bytes_per_s(link: Link, ranks: int) -> float | None:
    """Median bus rate of the long messages that were measured on a link: 2 (n - 1) / n * bytes / time [byte/s]."""
    rates = [
        2 * (ranks - 1) / ranks * point.message_bytes / point.seconds
        for table in link.tables
        for point in table.points
        if point.ranks == ranks and LONG_MESSAGE_BYTES[0] <= point.message_bytes <= LONG_MESSAGE_BYTES[1]
    ]
    return median(rates) if rates else None


def _recorded_cost(link: Link, ranks: int, family: DeviceFamily) -> AllReduceCost:
    costs = sorted(link.all_reduce_costs(family), key=lambda cost: cost.ranks)
    for cost in costs:
        if cost.ranks == ranks:
            return cost
    if not costs:
        return _assumed(link, ranks)
    return _between(costs, ranks)


def _assumed(link: Link, ranks: int) -> AllReduceCost:
    alpha = link.latency_s if link.latency_s else ASSUMED_ALPHA_S[link.kind]
    bus = link.bytes_per_s_per_direction * ASSUMED_BUS_SHARE
    return AllReduceCost(ranks=ranks, alpha_s=alpha * math.log2(ranks), bus_bytes_per_s=bus)


def _between(costs: Sequence[AllReduceCost], ranks: int) -> AllReduceCost:
    below = [cost for cost in costs if cost.ranks < ranks]
    above = [cost for cost in costs if cost.ranks > ranks]
    if not below:
        return above[0].model_copy(update={"ranks": ranks, "measured": False})
    if not above:
        last = below[-1]
        growth = math.log2(ranks) / math.log2(last.ranks)
        return last.model_copy(update={"ranks": ranks, "measured": False, "alpha_s": last.alpha_s * growth})
    low, high = below[-1], above[0]
    share = math.log2(ranks / low.ranks) / math.log2(high.ranks / low.ranks)
    beta = None
    if low.beta_bytes_per_s is not None and high.beta_bytes_per_s is not None:
        beta = _blend(low.beta_bytes_per_s, high.beta_bytes_per_s, share)
    return AllReduceCost(
        ranks=ranks,
        alpha_s=_blend(low.alpha_s, high.alpha_s, share),
        beta_bytes_per_s=beta,
        bus_bytes_per_s=_blend(low.bus_bytes_per_s, high.bus_bytes_per_s, share),
    )


def _blend(low: float, high: float, share: float) -> float:
    return low + (high - low) * share
