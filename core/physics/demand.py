"""From people to load: how many requests come, how many are under way at once, and how busy that keeps a system.

Two roads lead from people to requests at once. One takes a share of all users for the peak. The other counts what they
send and how long an answer takes (Little's law), and adds what chance adds to a mean. They differ tenfold: someone who
works with an assistant for an hour waits for it during a few minutes of it.

References
----------
1. Little: "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.
2. Engset: "Die Wahrscheinlichkeitsrechnung zur Bestimmung der Wählerzahl in automatischen Fernsprechämtern", 1918.
3. Wang et al.: "BurstGPT: A Real-world Workload Dataset to Optimize LLM Serving Systems", 2024.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from core.physics.arrays import ceil
from core.trace import expression_name, formula
from core.units import Unit

SECONDS_PER_YEAR = 31_536_000
#: From this mean on, the quantile of a Poisson distribution is taken from its expansion around the normal one.
MANY = 500.0


@expression_name
def poisson_quantile(mean: float, share: float) -> int:
    """The smallest number that a Poisson distributed one stays within, in a share of cases.

    >>> poisson_quantile(2.72, 0.99), poisson_quantile(0.0, 0.99), poisson_quantile(10_000.0, 0.99)
    (7, 0, 10233)
    """
    if mean > MANY:
        z = NormalDist().inv_cdf(share)
        return math.ceil(mean + z * math.sqrt(mean) + (z * z - 1) / 6 - 0.5)
    chance = total = math.exp(-mean)
    number = 0
    while total < share and number < 10 * MANY:
        number += 1
        chance *= mean / number
        total += chance
    return number


@expression_name
def binomial_quantile(sources: int, probability: float, share: float) -> int:
    """The smallest number of busy sources that is not exceeded in a share of cases.

    >>> binomial_quantile(12, 0.2, 0.99), binomial_quantile(5, 1.0, 0.99)
    (6, 5)
    """
    total = 0.0
    for number in range(sources):
        total += math.comb(sources, number) * probability**number * (1 - probability) ** (sources - number)
        if total >= share:
            return number
    return sources


@formula(Unit.USER)
def active_users(users: int, share: float) -> float:
    """People who use the system on a working day.

    active = users * share

    Parameters
    ----------
    users : everybody who may
    share : of them, on a day

    Returns
    -------
    people

    >>> active_users(300, 0.34)
    102.00000000000001
    """
    return users * share


@formula(Unit.REQUEST)
def requests_per_hour(per_day: float, busy_share: float) -> float:
    """Requests that one active person sends in the busiest hour.

    requests = per_day * busy_share

    Parameters
    ----------
    per_day : requests of one active person
    busy_share : of a day's requests in its busiest hour

    Returns
    -------
    requests per hour

    >>> requests_per_hour(20, 0.2)
    4.0
    """
    return per_day * busy_share


@formula(Unit.REQUEST)
def requests_per_year(active: float, per_day: float, days: float) -> float:
    """Requests of a year.

    requests = active * per_day * days

    Parameters
    ----------
    active : people on a working day
    per_day : requests of each
    days : working days of a year

    Returns
    -------
    requests

    >>> requests_per_year(102.0, 20, 220)
    448800.0
    """
    return active * per_day * days


@formula(Unit.REQUEST_PER_SECOND)
def peak_rate(active: float, per_hour: float, burst: float) -> float:
    """Requests per second in the busiest minute.

    rate = active * per_hour / 3600 * burst

    Parameters
    ----------
    active : people on a working day
    per_hour : requests of each in the busiest hour
    burst : busiest minute against the mean of that hour

    Returns
    -------
    requests per second

    >>> round(peak_rate(102.0, 4.0, 3), 6)
    0.34
    """
    return active * per_hour / 3600 * burst


@formula(Unit.SECOND)
def seconds_in_system(first_token: float, output: float, speed: float) -> float:
    """Time from sending a request to the last token of its answer.

    seconds = first_token + output / speed

    Parameters
    ----------
    first_token : time to the first token, waiting included [s]
    output : tokens of the answer
    speed : at which one user gets them [token/s]

    Returns
    -------
    time [s]

    >>> seconds_in_system(0.5, 300, 40.0)
    8.0
    """
    return first_token + output / speed


@formula(Unit.REQUEST)
def in_flight(rate: float, seconds: float) -> float:
    """Requests under way on average in the busiest minute (Little's law).

    requests = rate * seconds

    Parameters
    ----------
    rate : requests per second
    seconds : that each takes [s]

    Returns
    -------
    requests

    >>> round(in_flight(0.34, 8.0), 6)
    2.72
    """
    return rate * seconds


@formula(Unit.SHARE)
def busy_probability(rate: float, seconds: float, active: float) -> float:
    """Share of their time in which the people of a small group wait for an answer (Engset): who waits does not ask.

    probability = rate * seconds / (active + rate * seconds)

    Parameters
    ----------
    rate : requests per second of the group, if nobody ever waited
    seconds : that each request takes [s]
    active : people of the group

    Returns
    -------
    probability

    >>> round(busy_probability(0.1, 10.0, 4.0), 6)
    0.2
    """
    return rate * seconds / (active + rate * seconds)


@formula(Unit.REQUEST)
def concurrency_of_many(mean: float, share: float, active: float) -> int:
    """Requests under way that are not exceeded in a share of busy minutes, when many people ask independently.

    requests = min(poisson_quantile(mean, share), ceil(active))

    Parameters
    ----------
    mean : requests under way on average
    share : of the busy minutes
    active : people; nobody waits for two answers

    Returns
    -------
    requests

    >>> concurrency_of_many(2.72, 0.99, 102.0)
    7
    """
    return min(poisson_quantile(mean, share), math.ceil(active))


@formula(Unit.REQUEST)
def concurrency_of_few(active: float, probability: float, share: float) -> int:
    """Requests under way that are not exceeded in a share of busy minutes, in a small group.

    requests = binomial_quantile(ceil(active), probability, share)

    Parameters
    ----------
    active : people of the group
    probability : that one of them waits for an answer
    share : of the busy minutes

    Returns
    -------
    requests

    >>> concurrency_of_few(12.0, 0.2, 0.99)
    6
    """
    return binomial_quantile(math.ceil(active), probability, share)


@formula(Unit.SECOND)
def busy_seconds(output: float, speed: float) -> float:
    """Time of the whole system that one request takes, when the system is kept full.

    seconds = output / speed

    Parameters
    ----------
    output : tokens of an answer; its prompt is in the speed
    speed : output tokens per second of all users together, memory full [token/s]

    Returns
    -------
    time [s]

    >>> busy_seconds(300, 1206.0)
    0.24875621890547264
    """
    return output / speed


@formula(Unit.SHARE)
def load_share(rate: float, seconds: float) -> float:
    """Share of the system that the busiest minute takes.

    share = rate * seconds

    Parameters
    ----------
    rate : requests per second
    seconds : of the whole system that one takes [s]

    Returns
    -------
    share; above 1 the queue grows without end

    >>> round(load_share(0.34, 0.25), 6)
    0.085
    """
    return rate * seconds


@formula(Unit.SECOND)
def queue_seconds(seconds: float, load: float) -> float:
    """Wait in front of a system that serves one request after another, in the busiest minute (M/M/1).

    wait = seconds * where(load < 1, load / where(load < 1, 1 - load, 1), 1e999)

    Parameters
    ----------
    seconds : of the whole system that one request takes [s]
    load : share of the system that the busiest minute takes

    Returns
    -------
    time [s]; infinite where the minute brings more than the system can do

    Notes
    -----
    Engines serve many at once, so that users feel slower tokens before this queue; it says how near the edge is.

    >>> queue_seconds(2.0, 0.5), queue_seconds(2.0, 0.75), queue_seconds(2.0, 1.5)
    (2.0, 6.0, inf)
    """
    return seconds * (load / (1 - load) if load < 1 else math.inf)


@formula(Unit.SHARE)
def busy_share(requests: float, seconds: float) -> float:
    """Share of the year in which the system works.

    share = requests * seconds / 31536000

    Parameters
    ----------
    requests : of a year
    seconds : of the whole system that one takes [s]

    Returns
    -------
    share of the year

    >>> round(busy_share(448_800, 0.249), 5)
    0.00354
    """
    return requests * seconds / SECONDS_PER_YEAR


@formula(Unit.SHARE)
def attainable_share(most_load: float, requests: float, peak: float) -> float:
    """The highest share of the year that this rhythm of work can reach: then its busiest minute fills the system.

    share = most_load * requests / 31536000 / peak

    Parameters
    ----------
    most_load : of the system in the busiest minute
    requests : of a year
    peak : requests per second in the busiest minute

    Returns
    -------
    share of the year

    >>> round(attainable_share(0.7, 448_800, 0.34), 4)
    0.0293
    """
    return most_load * requests / SECONDS_PER_YEAR / peak


@formula(Unit.MILLION_TOKENS)
def tokens_per_year(requests: float, prompt: float, output: float) -> float:
    """Tokens of a year, read and written counted alike.

    tokens = requests * (prompt + output) / 1000000

    Parameters
    ----------
    requests : of a year
    prompt, output : tokens of each

    Returns
    -------
    million tokens

    >>> tokens_per_year(448_800, 3000, 300)
    1481.04
    """
    return requests * (prompt + output) / 1_000_000


@formula(Unit.TOKEN_PER_SECOND)
def tokens_while_busy(prompt: float, output: float, seconds: float) -> float:
    """Tokens per second of a full system, read and written counted alike.

    speed = (prompt + output) / seconds

    Parameters
    ----------
    prompt, output : tokens of a request
    seconds : of the whole system that one takes [s]

    Returns
    -------
    tokens per second

    >>> tokens_while_busy(3000, 300, 0.25)
    13200.0
    """
    return (prompt + output) / seconds


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


#: Groups smaller than this are counted person by person.
FEW_PEOPLE = 50


def concurrency(active: float, rate: float, seconds: float, share: float) -> int:
    """Requests under way that are not exceeded in a share of busy minutes: by Engset for a small group, else Poisson.

    >>> concurrency(102.0, 0.34, 8.0, 0.99), concurrency(12.0, 0.3, 10.0, 0.99)
    (7, 6)
    """
    if active < FEW_PEOPLE:
        return concurrency_of_few(active, busy_probability(rate, seconds, active), share)
    return concurrency_of_many(in_flight(rate, seconds), share, active)


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
