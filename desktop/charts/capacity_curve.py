"""Speed of one user and of all together against requests at once: two charts that share their axis."""

import math
from collections.abc import Callable, Sequence

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter, Written
from core.sizing.report import Estimate, Evidence, Sizing
from desktop.charts.axes import Span, rounded_top, whole_ticks
from desktop.charts.picture import Band, Chosen, Level, Line, Picture, ReadOut, Wall
from desktop.charts.series import CapacityCurves, RangeCurve
from desktop.tables import Cell, Column, TableData

#: The axis goes on to so many times what there is room for or what is wanted, whichever is more.
BEYOND = 2.2
#: A wall further out than so many times what is wanted is left outside, so that the wanted part is not pressed flat.
_FAR = 3.0
#: Most points of the axis.
_POINTS = 64


def request_axis(wanted: int, carried: int, fit: int) -> list[int]:
    """Whole numbers of requests at once from 1 on, with those that matter among them.

    >>> request_axis(12, 22, 22)[-1], len(request_axis(12, 22, 22)), request_axis(4, 4, 9000)[-1]
    (49, 49, 27)
    """
    matters = max(wanted, carried, 1)
    last = max(8, math.ceil(BEYOND * max(matters, min(fit, matters * _FAR))))
    every = {round(1 + (last - 1) * n / (_POINTS - 1)) for n in range(_POINTS)}
    return sorted(every | {one for one in (wanted, carried, fit) if 1 <= one <= last})


def user_picture(sizing: Sizing, curves: CapacityCurves, formatter: Formatter) -> Picture:
    """Tokens per second of one user."""
    estimate, target = sizing.decode, sizing.scenario.workload.speed_target
    assert estimate is not None
    needed = sizing.required_requests
    text = ngettext("you: {requests} request, {speed}", "you: {requests} requests, {speed}", needed).format(
        requests=formatter.count(needed), speed=formatter.speed(estimate.p50)
    )
    top = rounded_top(max(curves.speed.p50[0] * 1.05, (target or 0.0) * 1.1))
    return _picture(
        sizing,
        curves,
        curves.speed,
        estimate,
        "series:0",
        "circle",
        formatter,
        heading=_("Tokens per second and user"),
        name=_("P50 with P10–P90") if estimate.p10 < estimate.p90 else "",
        chosen=text if estimate.p10 < estimate.p90 else _("at most {value}").format(value=text),
        top=top,
        target=target,
        wall_text=_wall_text(sizing, formatter),
    )


def total_picture(sizing: Sizing, curves: CapacityCurves, formatter: Formatter) -> Picture:
    """Tokens per second of all users together."""
    estimate = sizing.throughput
    assert estimate is not None
    text = _("{speed} together").format(speed=formatter.speed(estimate.p50))
    return _picture(
        sizing,
        curves,
        curves.total,
        estimate,
        "series:2",
        "square",
        formatter,
        heading=_("Tokens per second, all requests together"),
        name="",
        chosen=text if estimate.p10 < estimate.p90 else _("at most {value}").format(value=text),
        top=rounded_top(max(max(curves.total.p90), max(curves.total.p50))),
        target=None,
        wall_text="",
    )


def _wall_text(sizing: Sizing, formatter: Formatter) -> str:
    fit = int(sizing.trace["max_concurrency"])
    context = formatter.tokens(sizing.scenario.workload.context_tokens)
    return _("memory full: {requests} at {context} each").format(requests=formatter.count(fit), context=context)


def _picture(
    sizing: Sizing,
    curves: CapacityCurves,
    curve: RangeCurve,
    estimate: Estimate,
    role: str,
    marker: str,
    formatter: Formatter,
    *,
    heading: str,
    name: str,
    chosen: str,
    top: float,
    target: float | None,
    wall_text: str,
) -> Picture:
    needed, fit = sizing.required_requests, int(sizing.trace["max_concurrency"])
    bound = estimate.p10 == estimate.p90
    span = Span(1.0, float(curve.x[-1]))
    return Picture(
        heading=heading,
        summary=f"{heading}. {chosen}. {_wall_text(sizing, formatter)}",
        x=curve.x,
        x_span=span,
        x_unit=_("requests"),
        x_ticks=whole_ticks(span, (needed, fit), formatter.count),
        y_top=top,
        lines=(Line(name, curve.p50, role, 2.5, strong=True, dotted_bound=bound),),
        band=None if bound else Band(curve.p10, curve.p90, role, estimate.evidence is Evidence.GENERIC),
        levels=()
        if target is None
        else (Level(target, _("target {speed}").format(speed=formatter.speed(target)), False),),
        chosen=Chosen(float(needed), estimate.p50, chosen, role, marker),
        wall=Wall(fit + 0.5, wall_text),
        key=estimate.key,
        table=lambda: capacity_table(curves, formatter),
        read_out=lambda index: capacity_read_out(sizing, curves, index, formatter),
        dots=lambda index: [(curve.p50[index], role)],
    )


def capacity_read_out(sizing: Sizing, curves: CapacityCurves, index: int, formatter: Formatter) -> ReadOut:
    """Both speeds and the wait at one number of requests, and what breaks there."""
    requests = int(curves.requests[index])
    title = ngettext("{number} request at once", "{number} requests at once", requests)
    lines = (
        _("per user {speed}").format(speed=_with_range(curves.speed, index, formatter.speed_parts, formatter)),
        _("together {speed}").format(speed=_with_range(curves.total, index, formatter.speed_parts, formatter)),
        _("first token {time}").format(time=_with_range(curves.first_token, index, formatter.seconds_parts, formatter)),
    )
    return ReadOut(
        title.format(number=formatter.count(requests)), lines, _alarm(sizing, curves, index, requests, formatter)
    )


def _with_range(curve: RangeCurve, index: int, parts: Callable[..., Written], formatter: Formatter) -> str:
    """The middle with its unit, and the range in brackets."""
    digits, unit = parts(curve.p50[index])
    low, high = sorted((curve.p10[index], curve.p90[index]))
    if not low < high:
        return f"{digits}\u00a0{unit}"
    return f"{digits}\u00a0{unit} ({formatter.range(low, high, parts)})"


def _alarm(sizing: Sizing, curves: CapacityCurves, index: int, requests: int, formatter: Formatter) -> str:
    """What breaks first: the memory, then a target."""
    if requests > int(sizing.trace["max_concurrency"]):
        trace = curves.at(requests).trace
        text = _("needs {needed}: {over} too much")
        return text.format(
            needed=formatter.bytes(trace["memory.total_bytes"]), over=formatter.bytes(abs(trace["memory.free_bytes"]))
        )
    workload = sizing.scenario.workload
    speed, wait = float(curves.speed.p50[index]), float(curves.first_token.p50[index])
    if workload.speed_target is not None and speed < workload.speed_target:
        return _("below your target of {speed}").format(speed=formatter.speed(workload.speed_target))
    if workload.ttft_target_s is not None and wait > workload.ttft_target_s:
        return _("later than your target of {time}").format(time=formatter.seconds(workload.ttft_target_s))
    return ""


def capacity_table(curves: CapacityCurves, formatter: Formatter) -> TableData:
    """All curves of the page in one table."""
    groups = (
        (_("Per user"), _("tok/s"), curves.speed),
        (_("Together"), _("tok/s"), curves.total),
        (_("First token"), "s", curves.first_token),
    )
    columns = [Column(_("Requests at once"))]
    series: list[Sequence[float]] = []
    for name, unit, curve in groups:
        for level, values in (("P10", curve.p10), ("P50", curve.p50), ("P90", curve.p90)):
            columns.append(Column(f"{name} {level}", unit))
            series.append(values)
    rows = [
        (Cell(formatter.count(x), round(x)), *(Cell(formatter.significant(v, 4), float(v)) for v in values))
        for x, *values in zip(curves.requests, *series, strict=True)
    ]
    return TableData(_("Speed against requests at once"), tuple(columns), tuple(rows))
