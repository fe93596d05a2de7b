"""The numbers behind the curves, as the charts take them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.numbers import Formatter


@dataclass(frozen=True, slots=True)
class CacheLine:
    """Memory with a cache of one width, at each context."""

    bits: int
    total_bytes: Sequence[float]
    fits_to: float | None  # the longest context below the limit; None where even the shortest is too much
    is_chosen: bool
    is_offered: bool = True  # by the engine


@dataclass(frozen=True, slots=True)
class MemoryCurves:
    """Memory of one accelerator, the fullest, with caches of several widths."""

    contexts: Sequence[float]
    lines: tuple[CacheLine, ...]
    limit_bytes: float
    used_bytes: float  # at the user's own context


@dataclass(frozen=True, slots=True)
class RangeCurve:
    """A speed or time with its range, at each number of tokens."""

    tokens: Sequence[float]
    p10: Sequence[float]
    p50: Sequence[float]
    p90: Sequence[float]


def about_tokens(tokens: float, formatter: Formatter) -> str:
    """A length that is not round, rounded down so that it does not promise too much: 467K, 1.2M.

    >>> from core.language.numbers import Formatter
    >>> [about_tokens(n, Formatter("en")) for n in (478_900, 1_300_000, 900)]
    ['467K', '1.2M', '900']
    """
    if tokens >= 2**20:
        return formatter.decimal(math.floor(tokens / 2**20 * 10) / 10, 1) + "M"
    if tokens >= 1024:
        return formatter.count(math.floor(tokens / 1024)) + "K"
    return formatter.count(math.floor(tokens))
