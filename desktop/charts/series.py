"""The numbers behind the curves, as the charts take them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.sizing.concurrency import Capacity
    from core.sizing.report import Sizing


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
    """A speed or time with its range, at each number of tokens or of requests at once."""

    x: Sequence[float]
    p10: Sequence[float]
    p50: Sequence[float]
    p90: Sequence[float]


@dataclass(frozen=True, slots=True)
class CapacityCurves:
    """What a deployment does with more and more requests at once, and how many it carries within the targets."""

    capacity: "Capacity"
    speed: RangeCurve  # of one user
    total: RangeCurve  # of all together
    first_token: RangeCurve
    at: "Callable[[int], Sizing]"  # the sizing with another number of requests at once

    @property
    def requests(self) -> Sequence[float]:
        return self.speed.x
