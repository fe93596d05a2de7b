"""How far a speed may be from its estimate: P10, P50 and P90.

The estimate is the median of a log-normal distribution. Its spread (standard deviation of the logarithm) is what
remained between prediction and measurement when whole sources were left out, by kind of figure and grade of evidence;
it widens where measurements scatter more. No range is narrower than P90/P10 = 1.3, and none passes what physics
allows: near that limit the upper part becomes narrow.
"""

import math
from typing import Any

from core.physics.arrays import exp, log, maximum, minimum, where
from core.trace import formula
from core.units import Unit

#: Standard deviations between the median and P10 or P90 of a normal distribution.
TENTH = 1.2816
#: A range from P10 to P90 wider than this factor tells no more than the order of magnitude.
ORDER_OF_MAGNITUDE = 4.0
#: Narrowest range.
LEAST_FACTOR = 1.3
LEAST_SPREAD = math.log(LEAST_FACTOR) / (2 * TENTH)


@formula(Unit.RATIO)
def widened_spread(spread: float, widening: Any, least: Any) -> Any:
    """Spread of a figure after widening, never below the least that its kind allows.

    spread = max(spread * widening, least)

    Parameters
    ----------
    spread : standard deviation of the logarithm, by kind of figure and evidence
    widening : factor for conditions that scatter more
    least : smallest spread allowed here

    Returns
    -------
    standard deviation of the logarithm

    >>> widened_spread(0.16, 1.0, 0.27)
    0.27
    """
    return maximum(spread * widening, least)


@formula(Unit.RATIO)
def spread_under_load(alone: float, loaded: float, batch: Any) -> Any:
    """Spread of a figure that is known better for one request alone than for many.

    spread = where(batch > 1, loaded, alone)

    Parameters
    ----------
    alone, loaded : spread for one request alone, and with others in the step
    batch : requests in the step

    Returns
    -------
    standard deviation of the logarithm

    >>> spread_under_load(0.2, 0.4, 1.0), spread_under_load(0.2, 0.4, 8.0)
    (0.2, 0.4)
    """
    return where(batch > 1, loaded, alone)


@formula(Unit.RATIO)
def spread_at_depth(spread: Any, depth: Any, short: int, deep: int, widening: float) -> Any:
    """Spread of the decode speed, which scatters more over a deep cache: it widens evenly with each doubling.

    spread = spread * (1 + (widening - 1) * min(1, log(max(depth, short) / short) / log(deep / short)))

    Parameters
    ----------
    spread : over a short cache
    depth : tokens in the cache
    short : depth up to which the spread is that of a short cache [tokens]
    deep : depth from which it is widened in full [tokens]
    widening : by this factor

    Returns
    -------
    standard deviation of the logarithm

    Notes
    -----
    Measurements tell short from deep, not where one becomes the other; a step would be a jump in every curve.

    >>> [round(spread_at_depth(0.2, depth, 4096, 16384, 1.5), 3) for depth in (512.0, 4096, 8192, 16384, 262144)]
    [0.2, 0.2, 0.25, 0.3, 0.3]
    """
    return spread * (1 + (widening - 1) * minimum(1, log(maximum(depth, short) / short) / math.log(deep / short)))


@formula(Unit.TOKEN_PER_SECOND)
def speed_p90(median: Any, spread: Any, most: Any) -> Any:
    """The speed that nine cases in ten stay below.

    p90 = min(most, median / (min(1, median / most) + (1 - min(1, median / most))
        * exp(-1.2816 * spread / max(1 - median / most, 1e-9))))

    Parameters
    ----------
    median : the estimate [token/s]
    spread : standard deviation of the logarithm, near the median
    most : what physics allows [token/s]

    Returns
    -------
    P90 [token/s]

    Notes
    -----
    The time beyond what physics asks for is what is uncertain: far below the limit this is a log-normal distribution,
    near it the upper part becomes narrow, and it never passes the limit. The minimum is the guard for an estimate that
    lies beyond the limit itself.

    >>> round(speed_p90(100.0, 0.27, 1e6), 1), round(speed_p90(100.0, 0.27, 120.0), 1), speed_p90(130.0, 0.27, 120.0)
    (141.3, 117.1, 120.0)
    """
    share = minimum(1, median / most)
    beyond = exp(-1.2816 * spread / maximum(1 - median / most, 1e-9))
    return minimum(most, median / (share + (1 - share) * beyond))


@formula(Unit.TOKEN_PER_SECOND)
def speed_p10(median: Any, spread: Any, p90: Any) -> Any:
    """The speed that one case in ten stays below.

    p10 = min(median * exp(-1.2816 * spread), p90 / 1.3)

    Parameters
    ----------
    median : the estimate [token/s]
    spread : standard deviation of the logarithm
    p90 : the speed that nine cases in ten stay below; no range is narrower than a factor of 1.3 [token/s]

    Returns
    -------
    P10 [token/s]

    >>> round(speed_p10(100.0, 0.27, 141.0), 1), speed_p10(100.0, 0.1, 104.0)
    (70.7, 80.0)
    """
    return minimum(median * exp(-1.2816 * spread), p90 / 1.3)


@formula(Unit.SECOND)
def time_p10(median: Any, spread: Any, least: Any) -> Any:
    """The time that one case in ten stays below.

    p10 = max(least, median * exp(-1.2816 * spread))

    Parameters
    ----------
    median : the estimate [s]
    spread : standard deviation of the logarithm
    least : what physics allows [s]

    Returns
    -------
    P10 [s]

    >>> round(time_p10(1.0, 0.67, 0.1), 2), time_p10(1.0, 0.67, 0.5)
    (0.42, 0.5)
    """
    return maximum(least, median * exp(-1.2816 * spread))


@formula(Unit.SECOND)
def time_p90(median: Any, spread: Any) -> Any:
    """The time that nine cases in ten stay below.

    p90 = median * exp(1.2816 * spread)

    Parameters
    ----------
    median : the estimate [s]
    spread : standard deviation of the logarithm

    Returns
    -------
    P90 [s]

    >>> round(time_p90(1.0, 0.67), 2)
    2.36
    """
    return median * exp(1.2816 * spread)
