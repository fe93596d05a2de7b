"""Axes: spans from numbers to a share of the length, and round ticks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: Steps of a value axis, times a power of ten.
_STEPS = (1, 2, 4, 5, 10)
_MOST_TICKS = 5
#: Room between two labels of an axis.
LABEL_GAP = 14
#: Round numbers keep this distance to a number that has to be named, as a share of the axis.
_APART = 0.045


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """An axis from `low` to `high`; a logarithmic one is for tokens.

    >>> Span(0, 200).share(50), Span(4096, 1048576, log=True).share(65536)
    (0.25, 0.5)
    """

    low: float
    high: float
    log: bool = False

    def scaled(self, value: float) -> float:
        """The number that a linear drawing takes: the logarithm, or the value itself."""
        return math.log2(max(value, 1e-12)) if self.log else value

    def share(self, value: float) -> float:
        low, high = self.scaled(self.low), self.scaled(self.high)
        return (self.scaled(value) - low) / (high - low)


def value_ticks(top: float, most: int = _MOST_TICKS) -> list[float]:
    """Three to five round numbers from 0 to `top`.

    >>> value_ticks(140), value_ticks(6), value_ticks(0.9)
    ([0, 40, 80, 120], [0, 2, 4, 6], [0.0, 0.2, 0.4, 0.6, 0.8])
    """
    if not (top > 0 and math.isfinite(top)):
        return [0]
    exponent = math.floor(math.log10(top)) - 1
    while True:
        for step in _STEPS:
            each = step * 10**exponent if exponent >= 0 else step / 10**-exponent
            count = math.floor(top / each * (1 + 1e-9))
            if count < most:
                return [round(n * each, max(0, -exponent)) for n in range(count + 1)]
        exponent += 1


def rounded_top(top: float) -> float:
    """The next tick at or above `top`, so that an axis ends on a number.

    >>> rounded_top(111), rounded_top(0.62)
    (120, 0.8)
    """
    ticks = value_ticks(top)
    if len(ticks) < 2 or ticks[-1] >= top:
        return float(top) if len(ticks) < 2 else ticks[-1]
    return round(ticks[-1] + ticks[1], 12)


def decimals_of(ticks: Sequence[float]) -> int:
    """Decimals that tell the ticks apart."""
    if len(ticks) < 2 or ticks[1] >= 1:
        return 0
    return max(0, -math.floor(math.log10(ticks[1]) + 1e-9))


def token_ticks(span: Span, pixels: float, write: Callable[[int], str], label_width: float) -> list[Tick]:
    """Powers of two, as many as fit: every one, every second, every third ...

    >>> [t.text for t in token_ticks(Span(4096, 1 << 20, log=True), 300, lambda n: f"{n >> 10}K", 40)]
    ['4K', '16K', '64K', '256K', '1024K']
    """
    first = math.ceil(math.log2(span.low) - 1e-9)
    last = math.floor(math.log2(span.high) + 1e-9)
    octave = pixels / max(1e-9, math.log2(span.high / span.low))
    stride = next((s for s in (1, 2, 3, 4, 6) if s * octave >= label_width + LABEL_GAP), 8)
    return [Tick(2**power, write(2**power)) for power in range(first, last + 1, stride)]


def whole_ticks(span: Span, named: Sequence[int], write: Callable[[float], str]) -> tuple[Tick, ...]:
    """Round whole numbers, and between them those that have to be named, the first of them first.

    >>> [tick.text for tick in whole_ticks(Span(1, 49), (12, 22), lambda n: f"{n:.0f}")]
    ['1', '12', '22', '30', '40']
    """
    apart = _APART * (span.high - span.low)
    kept: list[float] = []
    for at in (*named, 1.0, *(value for value in value_ticks(span.high, 7) if value > 1 and value == int(value))):
        if span.low <= at <= span.high and all(abs(at - one) >= apart for one in kept):
            kept.append(float(at))
    return tuple(Tick(at, write(at)) for at in sorted(kept))


def power_ticks(span: Span, write: Callable[[float], str]) -> tuple[Tick, ...]:
    """Powers of ten from one end to the other.

    >>> [tick.text for tick in power_ticks(Span(0.1, 100, log=True), lambda n: f"{n:g}")]
    ['0.1', '1', '10', '100']
    """
    first, last = math.ceil(math.log10(span.low) - 1e-9), math.floor(math.log10(span.high) + 1e-9)
    return tuple(Tick(10.0**power, write(10.0**power)) for power in range(first, last + 1))


def decade_ticks(foot: float, decades: float, write: Callable[[float], str]) -> tuple[Tick, ...]:
    """Ticks of an axis that counts decades above `foot`.

    >>> [(tick.at, tick.text) for tick in decade_ticks(10.0, 2.3, lambda n: f"{n:g}")]
    [(0.0, '10'), (1.0, '100'), (2.0, '1000')]
    """
    return tuple(Tick(float(n), write(foot * 10.0**n)) for n in range(math.floor(decades) + 1))
