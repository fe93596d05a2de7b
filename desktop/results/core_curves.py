"""The curves of the core for the charts: axes that hold the user's own point, and the core's own series."""

import math
from typing import Any

from core.sizing.report import Sizing
from core.trace import Trace
from desktop.charts.series import CacheLine, MemoryCurves, RangeCurve

POINTS = 64
_SHORTEST_CONTEXT, _LONGEST_CONTEXT = 4096, 1_048_576
_SHORTEST_PROMPT, _LONGEST_PROMPT = 1024, 131_072
#: Room beyond the last round number, for the name of a line.
_BEYOND = 1.35


class CoreCurves:
    """Asks the core for what the charts draw."""

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
