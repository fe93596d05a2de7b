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
from statistics import NormalDist

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
