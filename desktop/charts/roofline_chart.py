"""The roofline: attainable rate against work per byte, both logarithmic, with the two kinds of work under the roof."""

import math

from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.language.roofline_sentences import work_name
from core.sizing.report import Sizing
from core.sizing.roofline import Roofline, WorkPoint
from desktop.charts.axes import Span, decade_ticks, power_ticks
from desktop.charts.picture import Crossing, Line, NamedPoint, Picture, ReadOut
from desktop.tables import Cell, Column, TableData

_POINTS = 64
#: The axes go on from what they have to hold by this factor before they end on a power of ten.
_ROOM = 1.5
#: Above the flat part of the roof, for its name.
_ABOVE = 0.35


def roofline_picture(sizing: Sizing, found: Roofline, formatter: Formatter) -> Picture:
    """The chart for a sizing. y is the exponent of ten above the foot of the axis."""
    points = (found.decode, found.prefill)
    span = Span(
        10.0 ** math.floor(math.log10(min(found.ridge, *(one.intensity for one in points)) / _ROOM)),
        10.0 ** math.ceil(math.log10(max(found.ridge, *(one.intensity for one in points)) * _ROOM)),
        log=True,
    )
    axis = _axis(span, found.ridge)
    roof = found.roof(axis).tolist()
    foot = 10.0 ** math.floor(math.log10(min(roof[0], *(one.low for one in points))))
    lines = [Line(_roof_name(found.rate, formatter), _decades(roof, foot), "chart:load_line", 2.5, strong=True)]
    wide = found.roof(axis, wide=True).tolist() if found.wide_rate < found.rate else None
    if wide is not None:
        name = _("at 16 bit {rate}").format(rate=formatter.flops(found.wide_rate))
        lines.append(Line(name, _decades(wide, foot), "text_2", dash=1))
    top = math.log10(max(found.rate, *(one.high for one in points)) / foot) + _ABOVE
    summary = ". ".join(_spoken(one, formatter) for one in points)
    return Picture(
        heading=_("Attainable rate of one accelerator against work per byte read"),
        summary=f"{summary}. {_ridge_name(found, formatter)}",
        x=axis,
        x_span=span,
        x_unit=_("FLOP per byte"),
        x_ticks=power_ticks(span, lambda at: formatter.count(at) if at >= 1 else formatter.decimal(at, 1)),
        y_top=top,
        y_ticks=decade_ticks(foot, top, formatter.flops),
        lines=tuple(lines),
        crossings=(Crossing(found.ridge, math.log10(found.rate / foot), _ridge_name(found, formatter), "text", True),),
        points=tuple(_named(one, n, foot, formatter) for n, one in enumerate(points)),
        key=found.decode.key,
        table=lambda: roofline_table(found, formatter),
        read_out=lambda index: _read_out(found, axis[index], roof[index], wide[index] if wide else None, formatter),
        dots=lambda index: [(line.y[index], line.role) for line in lines],
    )


def _axis(span: Span, ridge: float) -> list[float]:
    """Points at equal steps of the logarithm, and the corner of the roof."""
    ratio = span.high / span.low
    return sorted({*(span.low * ratio ** (n / (_POINTS - 1)) for n in range(_POINTS)), ridge})


def _decades(values: list[float], foot: float) -> list[float]:
    return [math.log10(value / foot) for value in values]


def _roof_name(rate: float, formatter: Formatter) -> str:
    return _("peak {rate}").format(rate=formatter.flops(rate))


def _ridge_name(found: Roofline, formatter: Formatter) -> str:
    return _("ridge point {intensity} FLOP per byte").format(intensity=formatter.significant(found.ridge, 3))


def _named(point: WorkPoint, series: int, foot: float, formatter: Formatter) -> NamedPoint:
    text = _("{work}: {rate}").format(work=work_name(point), rate=formatter.flops(point.rate))
    low, high = (math.log10(end / foot) if point.low < point.high else None for end in (point.low, point.high))
    marker = ("circle", "square")[series]
    y = math.log10(point.rate / foot)
    return NamedPoint(point.intensity, y, text, f"series:{series}", marker, strong=True, low=low, high=high)


def _spoken(point: WorkPoint, formatter: Formatter) -> str:
    return _("{work}: {intensity} FLOP per byte, {rate}, {share} of the roof").format(
        work=work_name(point),
        intensity=formatter.significant(point.intensity, 3),
        rate=formatter.flops(point.rate),
        share=formatter.share(point.share),
    )


def _read_out(found: Roofline, intensity: float, roof: float, wide: float | None, formatter: Formatter) -> ReadOut:
    title = _("{intensity} FLOP per byte").format(intensity=formatter.significant(intensity, 3))
    lines = [_("at most {value}").format(value=formatter.flops(roof))]
    if wide is not None and wide < roof:
        lines.append(_("at 16 bit {rate}").format(rate=formatter.flops(wide)))
    lines.append(_("memory bandwidth decides") if intensity < found.ridge else _("the computing rate decides"))
    return ReadOut(title, tuple(lines))


def roofline_table(found: Roofline, formatter: Formatter) -> TableData:
    """Where each kind of work stands; the roof itself is two numbers, below."""
    columns = (
        Column(_("Work"), is_number=False),
        Column(_("Work per byte"), "FLOP/B"),
        Column("P10", "TFLOP/s"),
        Column("P50", "TFLOP/s"),
        Column("P90", "TFLOP/s"),
        Column(_("Attainable"), "TFLOP/s"),
        Column(_("Share of the roof")),
    )

    def tera(value: float) -> Cell:
        return Cell(formatter.significant(value / 1e12, 3), value / 1e12)

    rows = [
        (
            Cell(work_name(one)),
            Cell(formatter.significant(one.intensity, 3), one.intensity),
            tera(one.low),
            tera(one.rate),
            tera(one.high),
            tera(one.roof),
            Cell(formatter.share(one.share), one.share),
        )
        for one in (found.decode, found.prefill)
    ]
    none = Cell(formatter.none())
    ridge = Cell(formatter.significant(found.ridge, 3), found.ridge)
    rows.append((Cell(_("Ridge point")), ridge, none, none, none, tera(found.rate), none))
    return TableData(_("Roofline"), columns, tuple(rows), (found.decode.key, found.prefill.key, "ridge_flop_per_byte"))
