"""How far a speed may be from its estimate: P10, P50 and P90.

The estimate is the median of a log-normal distribution. Its spread (standard deviation of the logarithm) is what remained
between prediction and measurement when whole sources were left out, by kind of figure and grade of evidence; it widens
where measurements scatter more. No range is narrower than P90/P10 = 1.3, and none passes what physics allows.
"""

import math
from typing import Any

from core.physics.arrays import exp, maximum, minimum
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
def tenth_percentile(median: Any, spread: Any, least: Any) -> Any:
    """The value that one case in ten stays below.

    p10 = max(least, median * exp(-1.2816 * spread))

    Parameters
    ----------
    median : the estimate
    spread : standard deviation of the logarithm
    least : smallest value that physics allows

    Returns
    -------
    P10, in the unit of the estimate

    >>> round(tenth_percentile(100.0, 0.27, 0.0), 1)
    70.8
    """
    return maximum(least, median * exp(-1.2816 * spread))


@formula(Unit.RATIO)
def ninetieth_percentile(median: Any, spread: Any, most: Any) -> Any:
    """The value that nine cases in ten stay below.

    p90 = min(most, median * exp(1.2816 * spread))

    Parameters
    ----------
    median : the estimate
    spread : standard deviation of the logarithm
    most : largest value that physics allows

    Returns
    -------
    P90, in the unit of the estimate

    >>> round(ninetieth_percentile(100.0, 0.27, 120.0), 1)
    120.0
    """
    return minimum(most, median * exp(1.2816 * spread))
