"""The points of a curve inside its plot: cut where it leaves, since clips are lost in an SVG."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from desktop.charts.picture import Picture

Points = NDArray[np.float64]


def cut(picture: Picture, values: Sequence[float]) -> tuple[Points, Points]:
    """The curve up to where it leaves the plot at the top; x as the axis takes it. Clips are lost in an SVG."""
    x = scaled(picture)
    y = np.asarray(values, dtype=float)
    outside = np.flatnonzero(y > picture.y_top)
    if not len(outside):
        return x, y
    first, rising = int(outside[0]), y[-1] > y[0]
    if not rising:  # falls into the plot: start where it enters
        enter = int(outside[-1])
        if enter + 1 >= len(x):
            return x[:0], y[:0]
        return _with_edge(x[enter:], y[enter:], picture.y_top, at_start=True)
    if first == 0:
        return x[:0], y[:0]
    return _with_edge(x[: first + 1], y[: first + 1], picture.y_top, at_start=False)


def scaled(picture: Picture) -> Points:
    """The x values as the axis takes them."""
    x = np.asarray(picture.x, dtype=float)
    return np.log2(x) if picture.x_span.log else x


def _with_edge(
    x: Points,
    y: Points,
    top: float,
    at_start: bool,
) -> tuple[Points, Points]:
    """Move the one point outside onto the edge."""
    x, y = x.copy(), y.copy()
    out, inner = (0, 1) if at_start else (-1, -2)
    share = (top - y[inner]) / (y[out] - y[inner])
    x[out], y[out] = x[inner] + share * (x[out] - x[inner]), top
    return x, y
