"""The roofline: how fast an accelerator reads and multiplies, and which of the two takes longer.

A step that reads bytes and does operations is bound by the slower of the two. Where both matter they overlap only
partly, so times are joined by the 2-norm: the larger one dominates, the smaller one still shows.

References
----------
1. Williams, Waterman, Patterson: "Roofline: an insightful visual performance model", CACM 52(4), 2009.
2. Volkov: "Understanding Latency Hiding on GPUs", UC Berkeley, 2016 (bytes in flight per execution unit).
"""

from typing import Any

from core.physics.arrays import minimum, sqrt
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE_PER_SECOND)
def effective_bandwidth(bandwidth: Any, reached_share: Any, units: Any, clock: Any, bytes_per_clock: Any) -> Any:
    """Bandwidth that long reads reach on a device whose execution units can keep only so many bytes in flight.

    effective = min(
        bandwidth, 1 / sqrt(1 / (bandwidth * reached_share) ** 2 + 1 / (units * clock * bytes_per_clock) ** 2)
    )

    Parameters
    ----------
    bandwidth : of the memory, as the vendor states it [byte/s]
    reached_share : share that long reads reach
    units : execution units of 128 lanes
    clock : sustained [Hz]
    bytes_per_clock : bytes that the kernels keep in flight per unit and clock

    Returns
    -------
    effective bandwidth, never more than the memory has [byte/s]

    >>> round(effective_bandwidth(1.792e12, 0.85, 188, 2.6e9, 9.1) / 1e9)
    1441
    """
    in_flight = 1 / (units * clock * bytes_per_clock) ** 2
    return minimum(bandwidth, 1 / sqrt(1 / (bandwidth * reached_share) ** 2 + in_flight))


@formula(Unit.BYTE_PER_SECOND)
def reached_bandwidth(bandwidth: Any, share: Any, most: Any) -> Any:
    """Bandwidth that a kind of read reaches, as a share of another.

    reached = min(most, bandwidth * share)

    Parameters
    ----------
    bandwidth : that the share refers to [byte/s]
    share : of it
    most : bandwidth of the memory, the physical limit [byte/s]

    Returns
    -------
    bandwidth reached [byte/s]

    >>> reached_bandwidth(1.0e12, 0.72, 1.2e12), reached_bandwidth(1.0e12, 1.3, 1.2e12)
    (720000000000.0, 1200000000000.0)
    """
    return minimum(most, bandwidth * share)


@formula(Unit.BYTE_PER_SECOND)
def same_bandwidth(bandwidth: Any) -> Any:
    """A bandwidth that holds for another purpose as well.

    bandwidth = bandwidth

    Parameters
    ----------
    bandwidth : [byte/s]

    Returns
    -------
    the same [byte/s]

    >>> same_bandwidth(1e12)
    1000000000000.0
    """
    return bandwidth


@formula(Unit.SECOND)
def read_seconds(read: Any, ranks: float, bandwidth: float) -> Any:
    """Time to read bytes that are spread evenly over ranks.

    seconds = read / ranks / bandwidth

    Parameters
    ----------
    read : bytes [byte]
    ranks : that read their part at the same time
    bandwidth : of one rank [byte/s]

    Returns
    -------
    time [s]

    >>> read_seconds(139e9, 1, 273e9)
    0.5091575091575091
    """
    return read / ranks / bandwidth


@formula(Unit.SECOND)
def compute_excess_seconds(read_time: Any, compute_time: Any) -> Any:
    """What computing adds to the time of reading, where the two overlap.

    seconds = sqrt(read_time * read_time + compute_time * compute_time) - read_time

    Parameters
    ----------
    read_time : time of the reads alone [s]
    compute_time : time of the operations alone [s]

    Returns
    -------
    time beyond the reads; together they are the 2-norm of both [s]

    >>> compute_excess_seconds(3.0, 4.0), compute_excess_seconds(3.0, 0.0)
    (2.0, 0.0)
    """
    return sqrt(read_time * read_time + compute_time * compute_time) - read_time


@formula(Unit.FLOP_PER_BYTE)
def ridge_point(rate: float, bandwidth: float) -> float:
    """Intensity above which computing, not reading, is the limit of a device.

    ridge = rate / bandwidth

    Parameters
    ----------
    rate : dense operations per second in the format computed [FLOP/s]
    bandwidth : of the memory [byte/s]

    Returns
    -------
    ridge point [FLOP/byte]

    >>> round(ridge_point(989.5e12, 4.8e12))
    206
    """
    return rate / bandwidth


@formula(Unit.FLOP_PER_SECOND)
def attainable_rate(intensity: Any, bandwidth: float, rate: float) -> Any:
    """Operations per second that a device can reach at most with work of this intensity: the roof.

    attainable = min(rate, intensity * bandwidth)

    Parameters
    ----------
    intensity : operations per byte that is read [FLOP/byte]
    bandwidth : of the memory [byte/s]
    rate : dense operations per second in the format computed [FLOP/s]

    Returns
    -------
    attainable rate [FLOP/s]

    >>> attainable_rate(10.0, 1.792e12, 503.8e12), attainable_rate(1e4, 1.792e12, 503.8e12)
    (17920000000000.0, 503800000000000.0)
    """
    return minimum(rate, intensity * bandwidth)


@formula(Unit.FLOP_PER_SECOND)
def reached_rate(flops: Any, seconds: Any, ranks: int) -> Any:
    """Operations per second that one accelerator does on average over a step.

    reached = flops / seconds / ranks

    Parameters
    ----------
    flops : of the step [FLOP]
    seconds : that it takes [s]
    ranks : accelerators that work on it together

    Returns
    -------
    rate [FLOP/s]

    >>> reached_rate(139e9, 0.05, 2)
    1390000000000.0
    """
    return flops / seconds / ranks


@formula(Unit.FLOP_PER_SECOND)
def end_of_rate(rate: Any, end: Any, middle: Any) -> Any:
    """One end of the range of a rate that rises and falls with a speed.

    rate_at_end = rate * end / middle

    Parameters
    ----------
    rate : at the middle of the speed [FLOP/s]
    end : P10 or P90 of the speed [token/s]
    middle : its P50 [token/s]

    Returns
    -------
    the end of the range [FLOP/s]

    >>> end_of_rate(100.0, 8.0, 10.0)
    80.0
    """
    return rate * end / middle


@formula(Unit.SHARE)
def share_of_roof(reached: Any, attainable: Any) -> Any:
    """Share of what the roof allows that is reached.

    share = reached / attainable

    Parameters
    ----------
    reached : [FLOP/s]
    attainable : at the same intensity [FLOP/s]

    Returns
    -------
    share

    >>> share_of_roof(10.0, 40.0)
    0.25
    """
    return reached / attainable


@formula(Unit.SHARE)
def compute_utilisation(flops: Any, seconds: Any, ranks: int, rate: float) -> Any:
    """Share of the vendor's dense rate that a step uses; not what monitoring tools call utilisation.

    share = flops / seconds / ranks / rate

    Parameters
    ----------
    flops : of the step [FLOP]
    seconds : that it takes [s]
    ranks : accelerators that work on it together
    rate : dense rate of one [FLOP/s]

    Returns
    -------
    share of the peak rate

    >>> round(compute_utilisation(139e9, 0.03, 1, 989.5e12), 4)
    0.0047
    """
    return flops / seconds / ranks / rate
