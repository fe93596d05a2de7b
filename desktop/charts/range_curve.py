"""A figure with its P10 to P90 band against a number of tokens: what the charts of decode and first token share."""

from collections.abc import Callable
from dataclasses import dataclass

from core.language.messages import gettext as _
from core.language.numbers import Formatter, Written
from core.sizing.report import Estimate, Evidence
from desktop.charts.axes import Span, rounded_top
from desktop.charts.picture import Band, Chosen, Level, Line, Picture, ReadOut
from desktop.charts.series import RangeCurve
from desktop.tables import Cell, Column, TableData


@dataclass(frozen=True, slots=True)
class RangeWords:
    """What one of these charts is called and how it writes a value."""

    heading: str
    name: str  # of the table
    tokens: str  # heading of the x column
    unit: str
    series: int
    marker: str
    write: Callable[[float], str]
    write_parts: Callable[..., Written]
    target_text: str = ""
    bound: str = "{value}"  # how a physical bound is written
    misses: Callable[[float], str] = lambda _value: ""  # the alarm at a value, where it misses the target


def range_picture(
    curve: RangeCurve,
    estimate: Estimate,
    at: float,
    target: float | None,
    words: RangeWords,
    formatter: Formatter,
    y_top: float,
) -> Picture:
    """The chart of `curve` with the user's point at `at` tokens."""
    role = f"series:{words.series}"
    bound = estimate.p10 == estimate.p90
    chosen_text = _("{value} at {context}").format(value=words.write(estimate.p50), context=formatter.about_tokens(at))
    if bound:
        chosen_text = words.bound.format(value=chosen_text)
    striped = estimate.evidence is Evidence.GENERIC
    return Picture(
        heading=words.heading,
        summary=f"{words.heading}. {chosen_text}",
        x=curve.x,
        x_span=Span(float(curve.x[0]), float(curve.x[-1]), log=True),
        x_unit=_("tokens"),
        y_top=y_top,
        lines=(Line("", curve.p50, role, 2.5, strong=True, dotted_bound=bound),),
        band=None if bound else Band(curve.p10, curve.p90, role, striped),
        levels=() if target is None else (Level(target, words.target_text, False),),
        chosen=Chosen(at, estimate.p50, chosen_text, role, words.marker),
        key=estimate.key,
        table=lambda: _table(curve, words, formatter),
        read_out=lambda index: _read_out(curve, index, words, bound, formatter),
        dots=lambda index: [(curve.p50[index], role)],
    )


def range_top(curve: RangeCurve, target: float | None) -> float:
    """The top of the axis: all of the band, and the target."""
    return rounded_top(max(max(curve.p90), max(curve.p10), (target or 0.0) * 1.1))


def _read_out(curve: RangeCurve, index: int, words: RangeWords, bound: bool, formatter: Formatter) -> ReadOut:
    title = _("{context} tokens").format(context=formatter.about_tokens(curve.x[index]))
    digits, unit = words.write_parts(curve.p50[index], like=curve.p50[index])
    middle = f"{digits}\u00a0{unit}"
    low, high = sorted((curve.p10[index], curve.p90[index]))
    if bound:
        lines: tuple[str, ...] = (words.bound.format(value=middle),)
    else:
        lines = (middle, _("P10–P90: {range}").format(range=formatter.range(low, high, words.write_parts)))
    return ReadOut(title, lines, words.misses(float(curve.p50[index])))


def _table(curve: RangeCurve, words: RangeWords, formatter: Formatter) -> TableData:
    columns = (
        Column(words.tokens, _("tokens")),
        Column("P10", words.unit),
        Column("P50", words.unit),
        Column("P90", words.unit),
    )
    rows = [
        (Cell(formatter.count(x), round(x)), *(Cell(formatter.significant(v, 4), float(v)) for v in values))
        for x, *values in zip(curve.x, curve.p10, curve.p50, curve.p90, strict=True)
    ]
    return TableData(words.name, columns, tuple(rows))
