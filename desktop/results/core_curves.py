"""The curves of the core for the charts: axes that hold the user's own point, and the core's own series."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.sizing.report import Sizing
from core.trace import Trace
from desktop.charts.series import CacheLine, CapacityCurves, MemoryCurves, RangeCurve

if TYPE_CHECKING:
    from core.sizing.costs.report import Cost
    from core.sizing.roofline import Roofline
    from core.sizing.search.report import HardwareFound
    from core.sizing.search.request import SearchRequest

POINTS = 64
_SHORTEST_CONTEXT, _LONGEST_CONTEXT = 4096, 1_048_576
_SHORTEST_PROMPT, _LONGEST_PROMPT = 1024, 131_072
#: Room beyond the last round number, for the name of a line.
_BEYOND = 1.35


class CoreCurves:
    """Asks the core for what the charts draw."""

    def __init__(self, cost: "Callable[[Sizing], Cost | None]" = lambda _sizing: None) -> None:
        self._cost = cost  # of the session, which asks once for each sizing
        self._carried: tuple[Sizing, CapacityCurves | None] | None = None  # the last answer, and what it belongs to

    def memory(self, sizing: Sizing, catalogue: Any) -> MemoryCurves:
        from core.sizing.sweep import memory_against_context

        chosen = sizing.scenario.workload.context_tokens
        axis = lengths(_SHORTEST_CONTEXT, _LONGEST_CONTEXT, chosen, _BEYOND)
        found = memory_against_context(sizing.scenario, catalogue, axis)
        bits = _bits(sizing, catalogue)
        lines = []
        for curve in found.curves:
            fits_to = float(curve.crossing_tokens) or None
            values, excess = curve.total_bytes.tolist(), curve.excess_bytes.tolist()
            lines.append(CacheLine(curve.bits, values, excess, fits_to, curve.bits == bits, curve.supported))
        used = float(_first(sizing.trace, "accelerator.total_bytes", "memory.total_bytes"))
        return MemoryCurves(axis, tuple(lines), float(found.limit_bytes), used)

    def decode(self, sizing: Sizing, catalogue: Any) -> tuple[RangeCurve, float]:
        from core.sizing.curves import decode_against_context, decode_bound

        at = float(_first(sizing.trace, "workload.depth_tokens", "workload.context_tokens"))
        longest = max(_LONGEST_PROMPT, sizing.scenario.workload.context_tokens)
        axis = lengths(_SHORTEST_CONTEXT, longest, at, 1.0)
        along = decode_bound if sizing.speed_unknown else decode_against_context
        return _plain(axis, along(sizing.scenario, catalogue, axis)), at

    def ttft(self, sizing: Sizing, catalogue: Any) -> tuple[RangeCurve, float]:
        from core.sizing.curves import ttft_against_prompt

        at = float(sizing.trace["workload.prompt_tokens"])
        axis = lengths(_SHORTEST_PROMPT, _LONGEST_PROMPT, at, 1.0)
        curve = ttft_against_prompt(sizing.scenario, catalogue, axis)
        return _plain(axis, curve), at

    def capacity(self, sizing: Sizing, catalogue: Any) -> CapacityCurves | None:
        from core.sizing.concurrency import capacity, sized_with
        from desktop.charts.capacity_curve import request_axis

        if self._carried is not None and self._carried[0] is sizing:
            return self._carried[1]
        answer = capacity(sizing, catalogue)
        found = None
        if answer is not None:
            fit = int(sizing.trace["max_concurrency"])
            axis = request_axis(sizing.required_requests, answer.requests, fit)
            numbers = [float(at) for at in axis]
            one, together, first = (_plain(numbers, curve) for curve in answer.along(numbers))
            found = CapacityCurves(
                answer, one, together, first, lambda requests: sized_with(sizing, catalogue, requests)
            )
        self._carried = (sizing, found)
        return found

    def roofline(self, sizing: Sizing) -> "Roofline | None":
        from core.sizing.roofline import roofline

        return roofline(sizing)

    def hardware(self, request: "SearchRequest", catalogue: Any) -> "HardwareFound":
        from core.sizing.search.hardware import find_hardware

        return find_hardware(request, catalogue)

    def cost(self, sizing: Sizing, catalogue: Any) -> "Cost | None":
        return self._cost(sizing)

    def explained(self, sizing: Sizing, catalogue: Any, key: str = "") -> Sizing:
        """Capacity takes half a frame: it is asked for where its tab or one of its figures is."""
        answers: list[Any] = [self.cost(sizing, catalogue), self.roofline(sizing)]
        carried = self._carried is not None and self._carried[0] is sizing
        if carried or key.startswith("capacity."):
            found = self.capacity(sizing, catalogue)
            answers.append(found.capacity if found is not None else None)
        traces = [answer.trace for answer in answers if answer is not None]
        return replace(sizing, trace=sizing.trace.joined(*traces))


def lengths(shortest: float, longest: float, chosen: float, beyond: float) -> list[float]:
    """Whole lengths at equal steps of the logarithm, from a power of two at or below `chosen` to beyond it.

    >>> x = lengths(4096, 1048576, 262144, 1.0)
    >>> x[0], x[-1], len(x)
    (4096.0, 1048576.0, 64)
    >>> lengths(4096, 1048576, 1000, 1.0)[0]
    512.0
    """
    low = min(shortest, 2 ** math.floor(math.log2(max(1.0, chosen))))
    high = max(longest, 2 ** math.ceil(math.log2(max(1.0, chosen)))) * beyond
    ratio = high / low
    return [float(round(low * ratio ** (n / (POINTS - 1)))) for n in range(POINTS)]


def _bits(sizing: Sizing, catalogue: Any) -> int:
    return int(catalogue.kv_format(sizing.scenario.kv_format).bits)


def _first(trace: Trace, *keys: str) -> Any:
    return next(trace[key] for key in keys if key in trace)


def _plain(axis: list[float], curve: Any) -> RangeCurve:
    return RangeCurve(axis, curve.p10.tolist(), curve.p50.tolist(), curve.p90.tolist())
