"""Memory against context with a cache of 16, 8 and 4 bit: where each meets the limit, and where the user stands."""

from collections.abc import Sequence

from core.language import chart_sentences
from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.sizing.report import Sizing
from desktop.charts.axes import Span
from desktop.charts.picture import Chosen, Crossing, Level, Line, Picture, ReadOut, Role
from desktop.charts.series import CacheLine, MemoryCurves
from desktop.tables import Cell, Column, TableData

#: Dashes of the tokens for the lines that are not chosen.
_DASHES = {16: 1, 8: 3, 4: 2}
_HEADROOM = 1.5
_ABOVE_CHOSEN = 1.15


def memory_picture(sizing: Sizing, curves: MemoryCurves, formatter: Formatter) -> Picture:
    """The chart for a sizing; y is in the unit that fits its largest number."""
    limit, used = curves.limit_bytes, curves.used_bytes
    top = max(limit * _HEADROOM, used * _ABOVE_CHOSEN)
    unit, factor = formatter.memory_scale(top)
    lines = tuple(_line(line, factor) for line in curves.lines)
    return Picture(
        heading=chart_sentences.memory_curve_heading(sizing, unit, formatter),
        summary=_summary(sizing, curves, formatter),
        x=curves.contexts,
        x_span=Span(float(curves.contexts[0]), float(curves.contexts[-1]), log=True),
        x_unit=_("tokens"),
        y_top=top / factor,
        lines=lines,
        levels=(Level(limit / factor, limit_text(sizing, limit, formatter), True),),
        crossings=tuple(_crossings(curves, limit / factor, formatter)),
        chosen=_chosen(sizing, used, factor, formatter),
        mark_x=_trained(sizing, curves, formatter),
        key="memory.total_bytes",
        table=lambda: _table(curves, limit, formatter),
        read_out=lambda index: _read_out(curves, index, limit, formatter),
        dots=lambda index: [(line.y[index], line.role) for line in lines],
    )


def limit_text(sizing: Sizing, limit: float, formatter: Formatter) -> str:
    """The name of the limit: what the engine may use, or all of the memory."""
    tiers = sizing.devices[0].tiers
    if len(tiers) > 1:
        text = _("Fast memory {amount}")
    else:
        text = _("Memory {amount}") if tiers[0].limit_bytes >= tiers[0].usable_bytes else _("Engine limit {amount}")
    return text.format(amount=formatter.bytes(limit))


def line_name(line: CacheLine) -> str:
    """The name of a line; a width that the engine does not keep says so."""
    text = _("{bits}-bit") if line.is_offered else _("{bits}-bit, not offered")
    return text.format(bits=line.bits)


def _role(line: CacheLine) -> Role:
    return "chart:kv" if line.is_chosen else "text_2"


def _line(line: CacheLine, factor: int) -> Line:
    values = [value / factor for value in line.total_bytes]
    if line.is_chosen:
        return Line(line_name(line), values, "chart:kv", 2.5, strong=True)
    return Line(line_name(line), values, "text_2", dash=_DASHES.get(line.bits, 1))


def _crossings(curves: MemoryCurves, limit: float, formatter: Formatter) -> list[Crossing]:
    last = curves.contexts[-1]
    return [
        Crossing(line.fits_to, limit, formatter.about_tokens(line.fits_to), _role(line), line.is_chosen)
        for line in curves.lines
        if line.fits_to is not None and curves.contexts[0] <= line.fits_to < last
    ]


def _chosen(sizing: Sizing, used: float, factor: int, formatter: Formatter) -> Chosen:
    context = sizing.scenario.workload.context_tokens
    text = _("your limit {context}: {amount}").format(context=formatter.tokens(context), amount=formatter.bytes(used))
    notes = (_("longest the model is trained for"),) if context == sizing.blueprint.trained_context else ()
    return Chosen(context, used / factor, text, "chart:kv", notes=notes, drop=True)


def _trained(sizing: Sizing, curves: MemoryCurves, formatter: Formatter) -> tuple[float, str] | None:
    trained = sizing.blueprint.trained_context
    differs = trained != sizing.scenario.workload.context_tokens
    if differs and curves.contexts[0] < trained < curves.contexts[-1]:
        return trained, _("trained for {context}").format(context=formatter.tokens(trained))
    return None


def _summary(sizing: Sizing, curves: MemoryCurves, formatter: Formatter) -> str:
    parts = [chart_sentences.memory_title(sizing, formatter)]
    for line in curves.lines:
        if line.fits_to is not None:
            text = _("{bits}: fits up to {context}")
            parts.append(text.format(bits=line_name(line), context=formatter.about_tokens(line.fits_to)))
    return ". ".join(parts)


def _read_out(curves: MemoryCurves, index: int, limit: float, formatter: Formatter) -> ReadOut:
    title = _("{context} tokens").format(context=formatter.about_tokens(curves.contexts[index]))
    rows = [f"{line_name(line)}  {formatter.bytes(line.total_bytes[index])}" for line in curves.lines]
    return ReadOut(title, tuple(rows), _alarm(curves, index, formatter))


def _alarm(curves: MemoryCurves, index: int, formatter: Formatter) -> str:
    chosen = next((line for line in curves.lines if line.is_chosen), None)
    if chosen is None or not chosen.excess_bytes[index]:
        return ""
    return _("needs {needed}: {over} too much").format(
        needed=formatter.bytes(chosen.total_bytes[index]), over=formatter.bytes(chosen.excess_bytes[index])
    )


def _table(curves: MemoryCurves, limit: float, formatter: Formatter) -> TableData:
    columns = (
        Column(_("Context"), _("tokens")),
        *(Column(line_name(line), formatter.memory_unit) for line in curves.lines),
        Column(_("Engine limit"), formatter.memory_unit),
    )
    rows = []
    for index, context in enumerate(curves.contexts):
        amounts = [line.total_bytes[index] for line in curves.lines]
        rows.append((Cell(formatter.count(context), round(context)), *_cells([*amounts, limit], formatter)))
    return TableData(_("Against context"), columns, tuple(rows))


def _cells(amounts: Sequence[float], formatter: Formatter) -> list[Cell]:
    factor = formatter.memory_factor
    return [Cell(formatter.memory_digits(amount, 2), round(float(amount) / factor, 6)) for amount in amounts]
