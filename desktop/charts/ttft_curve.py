"""Time to first token against prompt length."""

from dataclasses import replace

from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.sizing.report import Estimate, Sizing
from desktop.charts.axes import rounded_top
from desktop.charts.picture import Picture
from desktop.charts.range_curve import RangeWords, range_picture, range_top
from desktop.charts.series import RangeCurve

#: A long tail would press the user's own point flat: the axis ends at this many times what matters.
_TAIL = 3.0


def ttft_picture(sizing: Sizing, curve: RangeCurve, at: float, formatter: Formatter) -> Picture:
    """The chart for a sizing whose first token is known, for the prompt `at`. y is in seconds or milliseconds."""
    ttft, target = sizing.ttft, sizing.scenario.workload.ttft_target_s
    assert ttft is not None
    matters = max(target or 0.0, ttft.p90, ttft.p10)
    top = min(range_top(curve, target), rounded_top(matters * _TAIL))
    unit, factor = ("s", 1.0) if top >= 1 else ("ms", 1e3)
    scaled = RangeCurve(
        curve.x, *([value * factor for value in values] for values in (curve.p10, curve.p50, curve.p90))
    )
    words = RangeWords(
        heading=_("First token against prompt length in tokens, {unit}").format(unit=unit),
        name=_("First token against prompt"),
        tokens=_("Prompt"),
        unit=unit,
        series=1,
        marker="square",
        write=lambda value: formatter.seconds(value / factor),
        write_parts=lambda value, like: formatter.seconds_parts(value / factor, like=like / factor),
        target_text="" if target is None else _("target {time}").format(time=formatter.seconds(target)),
        bound=_("at least {value}"),
        misses=lambda value: _above(value / factor, target, formatter),
    )
    estimate = ttft if factor == 1 else _times(ttft, factor)
    return range_picture(
        scaled, estimate, at, None if target is None else target * factor, words, formatter, top * factor
    )


def _times(ttft: Estimate, factor: float) -> Estimate:
    return replace(ttft, p10=ttft.p10 * factor, p50=ttft.p50 * factor, p90=ttft.p90 * factor)


def _above(seconds: float, target: float | None, formatter: Formatter) -> str:
    if target is None or seconds <= target:
        return ""
    return _("later than your target of {time}").format(time=formatter.seconds(target))
