"""The numbers behind the curves, as the charts take them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CacheLine:
    """Memory with a cache of one width, at each context."""

    bits: int
    total_bytes: Sequence[float]
    excess_bytes: Sequence[float]  # above the limit
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
