"""One figure against another: how many times more, how much apart."""

from core.trace import formula
from core.units import Unit


@formula(Unit.RATIO)
def times_more(larger: float, smaller: float) -> float:
    """How many times one figure is another of the same unit.

    ratio = larger / smaller

    Parameters
    ----------
    larger, smaller : figures of one unit

    Returns
    -------
    the ratio

    >>> times_more(32, 4)
    8.0
    """
    return larger / smaller


@formula(Unit.REQUEST)
def apart(first: int, second: int) -> int:
    """How many requests one figure is above another.

    apart = first - second

    Parameters
    ----------
    first, second : requests

    Returns
    -------
    requests; negative where the second is larger

    >>> apart(21, 12), apart(1, 3)
    (9, -2)
    """
    return first - second


@formula(Unit.FLOP_PER_SECOND)
def sparse_rate(dense: float) -> float:
    """The computing rate as a data sheet prints it, with half of the numbers left out.

    sparse = 2 * dense

    Parameters
    ----------
    dense : rate without sparsity [FLOP/s]

    Returns
    -------
    rate with 2:4 sparsity, which language models do not use [FLOP/s]

    >>> sparse_rate(1e15)
    2000000000000000.0
    """
    return 2 * dense


@formula(Unit.RATIO)
def against(figure: float, reference: float) -> float:
    """A figure of one option against that of another.

    ratio = figure / reference

    Parameters
    ----------
    figure : of the option that is looked at
    reference : of the option that it stands against, in the same unit

    Returns
    -------
    the ratio; 1 where both are alike

    >>> against(168, 74)
    2.27027027027027
    """
    return figure / reference
