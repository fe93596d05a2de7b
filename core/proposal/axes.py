"""Round marks on the axes of drawings; the only numbers on paper that are no figures."""

import math
from collections.abc import Callable

from core.proposal.values import Tick

MOST_MARKS = 6
_STEPS = (1, 2, 2.5, 3, 4, 5, 6, 8, 10)


def linear(highest: float, write: Callable[[float], str], most: int = 5) -> tuple[Tick, ...]:
    """Marks from zero to at least `highest`, three to `most`, the last one the end of the axis.

    >>> [tick.at for tick in linear(219, str)]
    [0.0, 60.0, 120.0, 180.0, 240.0]
    """
    highest = max(highest, 1e-9)
    power = 10.0 ** math.floor(math.log10(highest))
    steps = [part * scale for scale in (power / 10, power) for part in _STEPS]
    step = next(one for one in steps if math.ceil(highest / one - 1e-9) <= most - 1)
    count = math.ceil(highest / step - 1e-9)
    return tuple(Tick(n * step, write(n * step)) for n in range(count + 1))


def logarithmic(lowest: float, highest: float, write: Callable[[float], str]) -> tuple[Tick, ...]:
    """Marks at 1, 2 and 5 times powers of ten, round all values.

    >>> [tick.at for tick in logarithmic(12000, 45000, str)]
    [10000.0, 20000.0, 50000.0]
    """
    marks = [part * 10.0**power for power in range(-2, 13) for part in (1, 2, 5)]
    below = max(mark for mark in marks if mark <= lowest)
    above = min(mark for mark in marks if mark >= highest)
    if below == above:
        above = marks[marks.index(above) + 1]
    shown = [mark for mark in marks if below <= mark <= above]
    if len(shown) > MOST_MARKS:  # over many powers of ten these alone, with both ends
        shown = [mark for mark in shown if mark in (below, above) or str(mark).startswith("1")]
    return tuple(Tick(mark, write(mark)) for mark in shown)
