"""From a system to people: how many requests and users it carries, with certainty, in reserve and after a failure."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from core.physics.arrays import ceil
from core.physics.demand import active_users, concurrency, load_share, peak_rate
from core.trace import expression_name, formula
from core.units import Unit


@formula(Unit.USER)
def users_by_share(requests: float, share: float) -> int:
    """Users whose share at the peak makes no more than so many requests at once.

    users = floor(requests / share)

    Parameters
    ----------
    requests : at once
    share : of the users with a request under way at the peak

    Returns
    -------
    users

    >>> users_by_share(30, 0.1)
    300
    """
    return math.floor(requests / share)


@expression_name
def most_users(
    requests: float, daily: float, per_hour: float, burst: float, seconds: float, busy: float, load: float, share: float
) -> int:
    """The largest number of users with no more than `requests` under way and no more than `load` of the system taken.

    Search by halves over `concurrency`, which never falls as users are added.

    >>> most_users(7, 0.34, 4.0, 3, 8.0, 0.249, 0.7, 0.99)
    320
    """

    def holds(users: int) -> bool:
        active = active_users(users, daily)
        rate = peak_rate(active, per_hour, burst)
        return load_share(rate, busy) <= load and concurrency(active, rate, seconds, share) <= requests

    if not holds(1):
        return 0
    low, high = 1, 2
    while high < 10**9 and holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@formula(Unit.USER)
def users_by_little(
    requests: float, daily: float, per_hour: float, burst: float, seconds: float, busy: float, load: float, share: float
) -> int:
    """Users whose requests, counted by Little's law with the chance of coincidence, stay within a number at once.

    users = most_users(requests, daily, per_hour, burst, seconds, busy, load, share)

    Parameters
    ----------
    requests : at once that meet the targets
    daily : share of the users who ask on a day
    per_hour : requests of each of them in the busiest hour
    burst : busiest minute against the mean of that hour
    seconds : that a request takes [s]
    busy : of them, of the whole system [s]
    load : most of the system that the busiest minute may take
    share : of the busy minutes in which the number is not exceeded

    Returns
    -------
    users

    >>> users_by_little(7, 0.34, 4.0, 3, 8.0, 0.249, 0.7, 0.99)
    320
    """
    return most_users(requests, daily, per_hour, burst, seconds, busy, load, share)


@formula(Unit.TOKEN_PER_SECOND)
def speed_with_certainty(median: float, slow: float, deviations: float) -> float:
    """A speed that is reached with a chosen certainty, between the median and the speed of the slowest case in ten.

    speed = median * exp(log(slow / median) * deviations)

    Parameters
    ----------
    median : reached in half of the cases [token/s]
    slow : reached in nine cases of ten [token/s]
    deviations : standard deviations of the certainty, against those of nine in ten

    Returns
    -------
    speed [token/s]

    >>> speed_with_certainty(100.0, 80.0, 0.0), round(speed_with_certainty(100.0, 80.0, 1.0), 9)
    (100.0, 80.0)
    """
    return median * math.exp(math.log(slow / median) * deviations)


@formula(Unit.SECOND)
def seconds_with_certainty(median: float, late: float, deviations: float) -> float:
    """A time that is kept with a chosen certainty, between the median and the time of the latest case in ten.

    seconds = median * exp(log(late / median) * deviations)

    Parameters
    ----------
    median : kept in half of the cases [s]
    late : kept in nine cases of ten [s]
    deviations : standard deviations of the certainty, against those of nine in ten

    Returns
    -------
    time [s]

    >>> seconds_with_certainty(2.0, 3.0, 0.0), round(seconds_with_certainty(2.0, 3.0, 1.0), 9)
    (2.0, 3.0)
    """
    return median * math.exp(math.log(late / median) * deviations)


@expression_name
def normal_deviations(share: float) -> float:
    """Standard deviations from the middle of a normal distribution below which a share of it lies, to four digits.

    >>> normal_deviations(0.5), normal_deviations(0.9)
    (0.0, 1.2816)
    """
    return round(NormalDist().inv_cdf(share), 4) + 0.0


@formula(Unit.RATIO)
def deviations_of(percentile: float) -> float:
    """How far out a certainty lies, measured by the case of nine in ten.

    deviations = normal_deviations(percentile) / normal_deviations(0.9)

    Parameters
    ----------
    percentile : the certainty, as a share of cases

    Returns
    -------
    ratio

    >>> deviations_of(0.5), deviations_of(0.9)
    (0.0, 1.0)
    """
    return normal_deviations(percentile) / normal_deviations(0.9)


@formula(Unit.TOKEN)
def tail_tokens(prompt: int, output: int) -> int:
    """Tokens of a request whose prompt and answer are both as long as one in a hundred.

    tokens = prompt + output

    Parameters
    ----------
    prompt, output : 99 of 100 are shorter [tokens]

    Returns
    -------
    tokens

    >>> tail_tokens(4142, 601)
    4743
    """
    return prompt + output


@formula(Unit.REQUEST)
def requests_with_one_long(pool: float, replicas: int, usual: float, longest: float) -> int:
    """Requests that the cache holds when one of them, in each copy of the model, is as long as the limit allows.

    requests = replicas * max(0, floor((pool / replicas - longest) / usual) + 1)

    Parameters
    ----------
    pool : memory for cache and state, over all copies of the model [byte]
    replicas : copies of the model
    usual : cache and state of a request in flight, on average [byte]
    longest : cache and state of a request at the context limit [byte]

    Returns
    -------
    requests

    >>> requests_with_one_long(40e9, 2, 1e9, 5e9)
    32
    """
    return replicas * max(0, math.floor((pool / replicas - longest) / usual) + 1)


@formula(Unit.REQUEST)
def requests_of_all(replicas: int, each: int) -> int:
    """Requests that all copies of the model take.

    requests = replicas * each

    Parameters
    ----------
    replicas : copies of the model
    each : requests that one takes

    Returns
    -------
    requests

    >>> requests_of_all(2, 2048)
    4096
    """
    return replicas * each


@formula(Unit.REQUEST)
def fewest(walls: Sequence[int]) -> int:
    """Requests at once up to the wall that is hit first.

    requests = min(walls)

    Parameters
    ----------
    walls : requests up to each wall

    Returns
    -------
    requests

    >>> fewest([40, 12])
    12
    """
    return min(walls)


@formula(Unit.REQUEST)
def requests_without_reserve(requests: int, reserve: float) -> int:
    """Requests at once that leave the reserve for growth free.

    requests = floor(requests / (1 + reserve))

    Parameters
    ----------
    requests : that meet the targets
    reserve : share kept for growth

    Returns
    -------
    requests

    >>> requests_without_reserve(13, 0.3)
    10
    """
    return math.floor(requests / (1 + reserve))


@formula(Unit.REQUEST)
def requests_of_one(requests: int, replicas: int) -> int:
    """Requests at once that one copy of the model takes: within the targets, or that its memory holds.

    each = floor(requests / replicas)

    Parameters
    ----------
    requests : of all copies
    replicas : copies

    Returns
    -------
    requests

    >>> requests_of_one(25, 2)
    12
    """
    return requests // replicas


@formula(Unit.COUNT)
def replicas_needed(requests: int, each: int, grown: int, room: int, spare: int, sites: int) -> int:
    """Copies of the model that the work needs, with spare ones, on each of several sites.

    replicas = sites * (max(ceil(requests / each), ceil(grown / room)) + spare)

    The reserve is room for growth: today's requests meet the targets, and memory holds those of tomorrow.

    Parameters
    ----------
    requests : at once, today
    each : that one copy takes within the targets
    grown : requests at once with the reserve
    room : requests that the memory of one copy holds
    spare : copies that may fail
    sites : places that each can do all the work

    Returns
    -------
    copies of the model

    >>> replicas_needed(30, 12, 30, 40, 1, 1), replicas_needed(30, 12, 90, 20, 0, 2)
    (4, 10)
    """
    return sites * (max(math.ceil(requests / each), math.ceil(grown / room)) + spare)


@formula(Unit.COUNT)
def accelerators_of(replicas: int, each: int) -> int:
    """Accelerators of several copies of the model.

    accelerators = replicas * each

    Parameters
    ----------
    replicas : copies
    each : accelerators of one

    Returns
    -------
    accelerators

    >>> accelerators_of(3, 2)
    6
    """
    return replicas * each


@formula(Unit.REQUEST)
def requests_with_a_copy_down(requests: Any, replicas: Any) -> Any:
    """Requests under which all copies would be as full as the rest is while one of them is down.

    requests_down = ceil(requests / (replicas - 1)) * replicas

    Parameters
    ----------
    requests : at once
    replicas : copies of the model, at least two

    Returns
    -------
    requests

    >>> requests_with_a_copy_down(12, 2), requests_with_a_copy_down(12, 4)
    (24, 16)
    """
    return ceil(requests / (replicas - 1)) * replicas
