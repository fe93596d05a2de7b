"""Memory of an accelerator: what is there, what is fixed, what is left for requests, and how far that goes.

Everything that shares an accelerator is either fixed (weights, companions, runtime) or belongs to requests (KV cache
and recurrent state). What is left of the limit after the fixed part decides both answers: how long one request may be,
and how many requests fit.
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def tier_limit_bytes(usable_bytes: int, memory_share: float) -> Any:
    """What an engine may use of a memory tier.

    tier_limit_bytes = floor(usable_bytes * memory_share)

    Parameters
    ----------
    usable_bytes : what software can allocate [byte]
    memory_share : part that the engine takes at most (vLLM: gpu_memory_utilization)

    Returns
    -------
    bytes [byte]

    >>> tier_limit_bytes(96_000_000_000, 0.9)
    86400000000
    """
    return floor(usable_bytes * memory_share)


@formula(Unit.BYTE)
def limit_of_the_whole(capacity_bytes: int, usable_bytes: int, memory_share: float) -> Any:
    """What an engine may use of a memory that it shares with the system: a part of the whole, if that much is free.

    limit_of_the_whole = min(floor(capacity_bytes * memory_share), usable_bytes)

    Parameters
    ----------
    capacity_bytes : of the memory: CUDA reports all of it where CPU and GPU share it [byte]
    usable_bytes : what the system leaves [byte]
    memory_share : part that the engine takes (vLLM: gpu_memory_utilization)

    Returns
    -------
    bytes [byte]

    Notes
    -----
    DGX Spark: PyTorch reports 119.6 to 119.7 GiB of the 119.2 that 128 GB are, though the system needs some of it.

    >>> limit_of_the_whole(128_000_000_000, 116_000_000_000, 0.8)
    102400000000
    >>> limit_of_the_whole(128_000_000_000, 116_000_000_000, 1)
    116000000000
    """
    return minimum(floor(capacity_bytes * memory_share), usable_bytes)


@formula(Unit.BYTE)
def sum_bytes(items: Sequence[int]) -> int:
    """Several things that stand in the same memory.

    sum_bytes = sum(items)

    Parameters
    ----------
    items : bytes of each [byte]

    Returns
    -------
    bytes together [byte]

    >>> sum_bytes([17_500_000_000, 4_000_000_000, 2_000_000_000, 4_000_000_000])
    27500000000
    """
    return sum(items)


@formula(Unit.BYTE)
def times(bytes_each: int, number: int) -> int:
    """Bytes of all requests or accelerators, each of which takes as many.

    times = bytes_each * number

    Parameters
    ----------
    bytes_each : of one [byte]
    number : how many

    Returns
    -------
    bytes together [byte]

    >>> times(12_884_901_888, 5)
    64424509440
    """
    return bytes_each * number


@formula(Unit.BYTE)
def times_and_once(bytes_each: int, number: int, once: int) -> int:
    """Bytes of all requests, each of which takes as many, and what is there once beside them.

    times_and_once = bytes_each * number + once

    Parameters
    ----------
    bytes_each : of one [byte]
    number : how many
    once : for all of them together [byte]

    Returns
    -------
    bytes together [byte]

    >>> times_and_once(540_000_000, 8, 6_700_000_000)
    11020000000
    """
    return bytes_each * number + once


@formula(Unit.BYTE)
def free_bytes(limit_bytes: int, used_bytes: int) -> int:
    """What is left below the limit; negative when it is too much.

    free_bytes = limit_bytes - used_bytes

    Parameters
    ----------
    limit_bytes : what may be used [byte]
    used_bytes : what is used [byte]

    Returns
    -------
    bytes [byte]

    >>> free_bytes(96_000_000_000, 27_500_000_000)
    68500000000
    """
    return limit_bytes - used_bytes


@formula(Unit.BYTE)
def shortfall_bytes(limit_bytes: int, used_bytes: int) -> Any:
    """What is missing; 0 when everything fits.

    shortfall_bytes = max(0, used_bytes - limit_bytes)

    Parameters
    ----------
    limit_bytes : what may be used [byte]
    used_bytes : what is wanted [byte]

    Returns
    -------
    bytes [byte]

    >>> shortfall_bytes(128_000_000_000, 202_900_000_000)
    74900000000
    """
    return maximum(0, used_bytes - limit_bytes)


@formula(Unit.SHARE)
def share_of_capacity(used_bytes: int, capacity_bytes: int) -> float:
    """Used part of the memory that is installed.

    share_of_capacity = used_bytes / capacity_bytes

    Parameters
    ----------
    used_bytes, capacity_bytes : [byte]

    Returns
    -------
    share; above 1 when it does not fit

    >>> share_of_capacity(48_000_000_000, 96_000_000_000)
    0.5
    """
    return used_bytes / capacity_bytes


@formula(Unit.REQUEST)
def requests_at_the_peak(users: int, active_share: float) -> Any:
    """Requests in flight at the peak: the share of users who wait for an answer at the same moment.

    requests_at_the_peak = max(1, ceil(users * active_share - 1e-9))

    Parameters
    ----------
    users : people with access
    active_share : of them, at the peak, with a request in flight

    Returns
    -------
    requests

    Notes
    -----
    The subtraction keeps 30 users at 10 % at three requests, although 30 * 0.1 is a little above 3 in binary.

    >>> requests_at_the_peak(40, 0.3), requests_at_the_peak(30, 0.1)
    (12, 3)
    """
    return max(1, ceil(users * active_share - 1e-9))


@formula(Unit.REQUEST)
def requests_with_reserve(requests: int, reserve_share: float) -> Any:
    """Requests at once with the growth reserve added.

    requests_with_reserve = ceil(requests * (1 + reserve_share) - 1e-9)

    Parameters
    ----------
    requests : at once
    reserve_share : growth to be ready for, 0.3 for 30 %

    Returns
    -------
    requests

    >>> requests_with_reserve(10, 0.3)
    13
    """
    return ceil(requests * (1 + reserve_share) - 1e-9)


@formula(Unit.REQUEST)
def requests_per_replica(requests: int, replicas: int) -> Any:
    """Requests that the fullest copy of the model serves, spread evenly.

    requests_per_replica = ceil(requests / replicas)

    Parameters
    ----------
    requests : at once
    replicas : independent copies of the model

    Returns
    -------
    requests

    >>> requests_per_replica(10, 4)
    3
    """
    return ceil(requests / replicas)


@formula(Unit.REQUEST)
def requests_that_fit(free_bytes: int, bytes_per_request: int, replicas: int) -> Any:
    """Requests for which there is room.

    requests_that_fit = replicas * max(0, floor(free_bytes / bytes_per_request))

    Parameters
    ----------
    free_bytes : left for requests on one accelerator, the one that also holds the companions [byte]
    bytes_per_request : cache and state of one request on that accelerator [byte]
    replicas : independent copies of the model, served evenly

    Returns
    -------
    requests

    >>> requests_that_fit(68_500_000_000, 12_884_901_888, 1)
    5
    """
    return replicas * maximum(0, floor(free_bytes / bytes_per_request))


@formula(Unit.REQUEST)
def requests_that_fit_beside(free_bytes: int, once: int, bytes_per_request: int, replicas: int) -> Any:
    """Requests for which there is room beside what is there once for all of them.

    requests_that_fit_beside = replicas * max(0, floor((free_bytes - once) / bytes_per_request))

    Parameters
    ----------
    free_bytes : left for requests on one accelerator, the one that also holds the companions [byte]
    once : for all requests together [byte]
    bytes_per_request : cache and state of one request on that accelerator [byte]
    replicas : independent copies of the model, served evenly

    Returns
    -------
    requests

    >>> requests_that_fit_beside(34_000_000_000, 6_700_000_000, 540_000_000, 1)
    50
    """
    return replicas * maximum(0, floor((free_bytes - once) / bytes_per_request))


@formula(Unit.BYTE)
def limit_over_tiers(first_bytes: int, lower_bytes: int, wanted_bytes: int) -> Any:
    """What may be used: the fast tier alone, or all tiers when it is not enough.

    limit_over_tiers = first_bytes + where(wanted_bytes > first_bytes, lower_bytes, 0)

    Parameters
    ----------
    first_bytes : limit of the fast tier [byte]
    lower_bytes : limit of the slower tiers; 0 where there is none [byte]
    wanted_bytes : everything that must be held [byte]

    Returns
    -------
    bytes [byte]

    >>> limit_over_tiers(288, 496, 200), limit_over_tiers(288, 496, 406)
    (288, 784)
    """
    return first_bytes + where(wanted_bytes > first_bytes, lower_bytes, 0)


@formula(Unit.BYTE)
def spilled_weights_bytes(weights_bytes: int, fixed_bytes: int, first_bytes: int, lower_bytes: int) -> Any:
    """Weights that stand in the slower memory, because the fixed part alone is more than the fast tier.

    spilled_weights_bytes = where(lower_bytes > 0, min(weights_bytes, max(0, fixed_bytes - first_bytes)), 0)

    Parameters
    ----------
    weights_bytes : of the model on this accelerator [byte]
    fixed_bytes : weights, companions and runtime [byte]
    first_bytes : limit of the fast tier [byte]
    lower_bytes : limit of the slower tiers; 0 where there is none [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    The fixed part is placed first and the cache behind it, as engines do. Each tier is then read at its own speed.

    >>> spilled_weights_bytes(405_900, 405_900, 288_000, 496_000)
    117900
    """
    return where(lower_bytes > 0, minimum(weights_bytes, maximum(0, fixed_bytes - first_bytes)), 0)


@formula(Unit.BYTE)
def spilled_kv_bytes(wanted_bytes: int, spilled_weights_bytes: int, first_bytes: int, lower_bytes: int) -> Any:
    """Cache and state that stand in the slower memory.

    spilled_kv_bytes = where(lower_bytes > 0, max(0, wanted_bytes - spilled_weights_bytes - first_bytes), 0)

    Parameters
    ----------
    wanted_bytes : everything that must be held [byte]
    spilled_weights_bytes : weights that are there already [byte]
    first_bytes : limit of the fast tier [byte]
    lower_bytes : limit of the slower tiers; 0 where there is none [byte]

    Returns
    -------
    bytes [byte]

    >>> spilled_kv_bytes(300, 0, 288, 496), spilled_kv_bytes(300, 0, 288, 0)
    (12, 0)
    """
    return where(lower_bytes > 0, maximum(0, wanted_bytes - spilled_weights_bytes - first_bytes), 0)


@formula(Unit.BYTE)
def rest_bytes(whole_bytes: int, part_bytes: int) -> int:
    """What stays of something when a part stands elsewhere.

    rest_bytes = whole_bytes - part_bytes

    Parameters
    ----------
    whole_bytes, part_bytes : [byte]

    Returns
    -------
    bytes [byte]

    >>> rest_bytes(405_900, 117_900)
    288000
    """
    return whole_bytes - part_bytes


@formula(Unit.RATIO)
def rate_ratio(memory_bytes_per_s: float, link_bytes_per_s: float) -> float:
    """How many times faster the memory is than the link between accelerators.

    rate_ratio = memory_bytes_per_s / link_bytes_per_s

    Parameters
    ----------
    memory_bytes_per_s : bandwidth of one accelerator's memory [byte/s]
    link_bytes_per_s : of the link, one direction [byte/s]

    Returns
    -------
    ratio

    >>> rate_ratio(273e9, 25e9)
    10.92
    """
    return memory_bytes_per_s / link_bytes_per_s
