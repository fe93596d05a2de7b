"""Decode speed of one user against context."""

from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.sizing.report import Sizing
from desktop.charts.picture import Picture
from desktop.charts.range_curve import RangeWords, range_picture, range_top
from desktop.charts.series import RangeCurve


def decode_picture(sizing: Sizing, curve: RangeCurve, at: float, formatter: Formatter) -> Picture:
    """The chart for a sizing; `at` is the context at which its speed, or its bound, was computed."""
    target = sizing.scenario.workload.speed_target
    words = RangeWords(
        heading=_("Decode against context, tok/s per user"),
        name=_("Decode against context"),
        tokens=_("Context"),
        unit=_("tok/s"),
        series=0,
        marker="circle",
        write=lambda value: formatter.speed_parts(value)[0],
        write_parts=formatter.speed_parts,
        target_text="" if target is None else _("target {speed}").format(speed=formatter.speed_parts(target)[0]),
        bound=_("at most {value}"),
        misses=lambda value: _below(value, target, formatter),
    )
    return range_picture(
        curve, sizing.decode or sizing.decode_bound, at, target, words, formatter, range_top(curve, target)
    )


def _below(value: float, target: float | None, formatter: Formatter) -> str:
    if target is None or value >= target:
        return ""
    return _("below your target of {speed}").format(speed=formatter.speed(target))
