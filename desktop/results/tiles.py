"""The four key figures: each with its unit, its range, its target, and a way to its formula."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.language import chart_sentences
from core.language.messages import gettext as _
from core.language.numbers import EN_DASH, Formatter, Written, current
from core.sizing.report import Estimate, Sizing
from core.sizing.shown import excess, share_of_limit, spare_requests
from desktop.charts.painting import with_alpha
from desktop.theme import Color, TextStyle, Theme
from desktop.widgets.figure_button import FigureButton

if TYPE_CHECKING:
    from core.sizing.costs.report import Cost

PADDING = 12
TRACK_Y, TRACK_H, DOT, TICK_H = 64.0, 4.0, 9.0, 14.0
_ABOVE = 1.25


@dataclass(frozen=True, slots=True)
class TileFigures:
    """What a tile shows. `low`, `value`, `high` and `target` are on one scale from 0 to `top`."""

    caption: str
    figure: str
    unit: str
    foot: str
    key: str  # of the figure that the tile explains; empty for one that is unknown
    value: float | None = None  # None: no track
    low: float | None = None
    high: float | None = None
    target: float | None = None
    top: float = 1.0
    tone: Color = "text_2"  # of the foot
    short_foot: str = ""  # where the foot has no room
    remark: str = ""  # said in the tooltip, and to those who hear it

    @property
    def spoken(self) -> str:
        figure = f"{self.figure} {self.unit}".strip()
        return f"{self.caption}: {figure}. {self.foot}. {self.remark}".strip(" .")


def tile_figures(sizing: Sizing, formatter: Formatter, cost: "Cost | None" = None) -> tuple[TileFigures, ...]:
    """The four tiles of a sizing, in order; the last one is the cost where that is known, else the memory."""
    return (
        _requests(sizing, formatter),
        _speed(sizing, formatter),
        _first_token(sizing, formatter),
        _memory(sizing, formatter) if cost is None or not cost.per_million.known else _cost(cost, formatter),
    )


MANY = 100_000  # requests
LEAST_FIGURE = 18  # size of a figure that makes room for its unit


def _requests(sizing: Sizing, formatter: Formatter) -> TileFigures:
    fits, needed = int(sizing.trace["max_concurrency"]), sizing.required_requests
    context = formatter.tokens(sizing.scenario.workload.context_tokens)
    amounts = {"needed": formatter.count(needed), "rest": formatter.count(abs(spare_requests(sizing.trace)))}
    foot = _("needed {needed}, spare {rest}") if fits >= needed else _("needed {needed}, {rest} too few")
    if max(fits, needed) >= MANY:  # the rest is as long a number, and there is no room for both
        foot = _("needed {needed}")
    return TileFigures(
        _("Requests at once"),
        formatter.count(fits),
        _("at {context}").format(context=context),
        foot.format(**amounts),
        "max_concurrency",
        value=fits,
        target=needed,
        top=max(fits, needed) * _ABOVE,
        tone="text_2" if fits >= needed else "bad",
    )


def _speed(sizing: Sizing, formatter: Formatter) -> TileFigures:
    target = sizing.scenario.workload.speed_target
    text = "" if target is None else formatter.speed_parts(target)[0]
    speed = sizing.decode or sizing.decode_bound
    misses = target is not None and speed.p50 < target
    return _estimate(
        _("Speed per user"),
        speed,
        formatter.speed_parts,
        formatter,
        target,
        _("target {target}").format(target=text) if target else "",
        _("at most"),
        misses,
        sizing.fits,
    )


def _first_token(sizing: Sizing, formatter: Formatter) -> TileFigures:
    target = sizing.scenario.workload.ttft_target_s
    if sizing.ttft is None:
        foot = "" if target is None else _("limit {target}").format(target=formatter.seconds(target))
        remark = chart_sentences.no_rate(sizing)
        return TileFigures(_("First token"), formatter.unknown(), "", foot, "", remark=remark)
    text = "" if target is None else _target_seconds(target, sizing.ttft.p50, formatter)
    misses = target is not None and sizing.ttft.p50 > target
    return _estimate(
        _("First token"),
        sizing.ttft,
        formatter.seconds_parts,
        formatter,
        target,
        _("limit {target}").format(target=text) if target else "",
        _("at least"),
        misses,
        sizing.fits,
    )


def _target_seconds(target: float, value: float, formatter: Formatter) -> str:
    """The target, without its unit where that already stands beside the figure."""
    digits, unit = formatter.seconds_parts(target)
    return digits if unit == formatter.seconds_parts(value)[1] else formatter.seconds(target)


def _estimate(
    caption: str,
    estimate: Estimate,
    parts: Callable[..., Written],
    formatter: Formatter,
    target: float | None,
    target_text: str,
    bound: str,
    misses: bool,
    fits: bool,
) -> TileFigures:
    """A tile for a figure with a range; of a mere bound the dot only, of nothing the word."""
    if not (math.isfinite(estimate.p50) and estimate.p50 > 0):
        return TileFigures(caption, formatter.unknown(), "", target_text, estimate.key)
    figure, unit = parts(estimate.p50)
    low, high = sorted((estimate.p10, estimate.p90))
    has_range = low < high
    first = _range(low, high, unit, parts, formatter) if has_range else bound
    second = target_text if fits else _("if it fitted")
    foot = ", ".join(part for part in (first, second) if part)
    return TileFigures(
        caption,
        figure,
        unit,
        foot,
        estimate.key,
        value=estimate.p50,
        low=low if has_range else None,
        high=high if has_range else None,
        target=target,
        top=max(high, target or 0.0) * _ABOVE,
        tone="warn" if misses and fits else "text_2",
        short_foot="" if fits else second,
        remark=_("The range is wide: read it as an order of magnitude") if estimate.order_of_magnitude else "",
    )


def _range(low: float, high: float, unit: str, parts: Callable[..., Written], formatter: Formatter) -> str:
    """The range, without its unit where that already stands beside the figure."""
    first, _unit = parts(low, like=high)
    second, range_unit = parts(high, like=high)
    return f"{first}{EN_DASH}{second}" if range_unit == unit else formatter.range(low, high, parts)


def _cost(cost: "Cost", formatter: Formatter) -> TileFigures:
    """A million tokens of the client's own demand, with what they would cost at full load."""
    full, foot, busy = cost.per_million_full, "", ""
    if full.known:
        foot = _("{amount} at full load").format(amount=formatter.money(full.value, cost.currency))
    if cost.demand is not None:
        busy = _("At work {share} of the year").format(share=formatter.share(cost.demand.busy))
    return TileFigures(
        _("Cost per M tokens"),
        formatter.money(cost.per_million.value, cost.currency),
        "",
        foot,
        cost.per_million.key,
        remark=busy,
    )


def _memory(sizing: Sizing, formatter: Formatter) -> TileFigures:
    trace = sizing.trace
    used, limit = float(trace["memory.total_bytes"]), float(trace["memory.limit_bytes"])
    free = float(trace["memory.free_bytes"])
    over = _("{over} too much") if sizing.plan.ranks == 1 else _("{over} too much in all")
    text = _("{share}, {free} free") if free >= 0 else over
    return TileFigures(
        _("Memory"),
        *_used_of(used, limit, formatter),
        text.format(
            share=formatter.share(share_of_limit(trace) if limit else 0.0),
            free=formatter.bytes(max(0.0, free)),
            over=formatter.bytes(excess(sizing)),
        ),
        "memory.total_bytes",
        value=used,
        target=limit,
        top=max(used, limit) * 1.1,
        tone="text_2" if free >= 0 else "bad",
    )


def _used_of(used: float, limit: float, formatter: Formatter) -> Written:
    """Figure and unit, "67.2" and "of 92.4 GB"; from 100 GB on without decimals, since a tile is narrow."""
    size = max(used, limit) / formatter.memory_factor
    if size < 10_000:
        digits = 0 if size >= 100 else 1
        bound = f"{formatter.memory_digits(limit, digits)}\u00a0{formatter.memory_unit}"
        return formatter.memory_digits(used, digits), _("of {limit}").format(limit=bound)
    figure, unit = formatter.bytes_parts(used)
    return figure, _("{unit} of {limit}").format(unit=unit, limit=formatter.bytes(limit))


class Tile(FigureButton):
    """One key figure; click, Enter, Space or F1 explains it."""

    def __init__(self, theme: Theme, explain: Callable[[str], None]) -> None:
        super().__init__(theme, theme.size("tile_h"))
        self._figures: TileFigures | None = None
        self.setMinimumWidth(110)
        self._explain = explain
        self.clicked.connect(self._on_clicked)
        theme.changed.connect(self.update)

    def _on_clicked(self) -> None:
        if self._figures is not None and self._figures.key:
            self._explain(self._figures.key)

    @property
    def figures(self) -> TileFigures | None:
        return self._figures

    def set_figures(self, figures: TileFigures) -> None:
        if figures == self._figures:
            return
        self._figures = figures
        self.setAccessibleName(figures.spoken)
        text = _("{figure}\nClick to see how it was found") if figures.key else "{figure}"
        self.setToolTip(text.format(figure=figures.spoken))
        self.setCursor(Qt.CursorShape.PointingHandCursor if figures.key else Qt.CursorShape.ArrowCursor)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(172, self.theme.size("tile_h"))

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        if self._figures is None:
            return
        width = self.width() - 2.0 * PADDING
        self._line(painter, self._figures.caption, 16, width, "text_2", "label")
        self._paint_figure(painter, self._figures, width)
        foot, short = self._figures.foot, self._figures.short_foot
        shown = short if short and self.theme.width(foot, "caption") > width else foot
        self._line(painter, shown, 78, width, self._figures.tone, "caption")
        if self._figures.value is not None:
            self._paint_track(painter, self._figures, width)

    def _paint_ground(self, painter: QPainter) -> None:
        radius = self.theme.radius("card")
        ground: Color = "pressed" if self.isDown() else "hover" if self._hovered else "sunken"
        painter.setPen(QPen(self.theme.color("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color(ground))
        inset = 1.0 if self.hasFocus() else 0.0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)

    def _line(self, painter: QPainter, text: str, middle: float, width: float, color: Color, style: TextStyle) -> None:
        painter.setFont(self.theme.font(style))
        painter.setPen(self.theme.color(color))
        shown = self.theme.elided(text, width, style)
        painter.drawText(QRectF(PADDING, middle - 9, width, 18), Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_figure(self, painter: QPainter, figures: TileFigures, width: float) -> None:
        """The figure and its unit stand on one base line; the unit shrinks, then the figure, then the unit is cut."""
        font = self.theme.font("figure")
        while QFontMetricsF(font).horizontalAdvance(figures.figure) > width and font.pixelSize() > 12:
            font.setPixelSize(font.pixelSize() - 1)
        beside = width - 5 - self.theme.width(figures.unit, "caption")
        while QFontMetricsF(font).horizontalAdvance(figures.figure) > beside and font.pixelSize() > LEAST_FIGURE:
            font.setPixelSize(font.pixelSize() - 1)
        base = 50.0
        painter.setFont(font)
        painter.setPen(self.theme.color("text_3" if figures.figure == current().unknown() else "text"))
        painter.drawText(QPointF(PADDING, base), figures.figure)
        left = QFontMetricsF(font).horizontalAdvance(figures.figure) + 5
        unit: TextStyle = "body" if self.theme.width(figures.unit, "body") <= width - left else "caption"
        painter.setFont(self.theme.font(unit))
        painter.setPen(self.theme.color("text_2"))
        shown = self.theme.elided(figures.unit, max(0.0, width - left), unit)
        painter.drawText(QPointF(PADDING + left, base), shown)

    def _paint_track(self, painter: QPainter, figures: TileFigures, width: float) -> None:
        def at(value: float) -> float:
            return PADDING + min(max(value / figures.top, 0.0), 1.0) * width if figures.top > 0 else PADDING

        accent = self.theme.color("accent")
        self._bar(painter, PADDING, PADDING + width, self.theme.color("pressed"))
        if figures.low is not None and figures.high is not None:
            self._bar(painter, at(figures.low), at(figures.high), with_alpha(accent, 0.5))
        if figures.target is not None:
            painter.setPen(QPen(self.theme.color("text"), 2))
            x = round(at(figures.target))
            painter.drawLine(QPointF(x, TRACK_Y - TICK_H / 2), QPointF(x, TRACK_Y + TICK_H / 2))
        assert figures.value is not None
        painter.setPen(QPen(self.theme.color("sunken"), 1.5))
        painter.setBrush(accent)
        painter.drawEllipse(QPointF(at(figures.value), TRACK_Y), DOT / 2 + 0.5, DOT / 2 + 0.5)

    def _bar(self, painter: QPainter, left: float, right: float, color: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(left, TRACK_Y - TRACK_H / 2, max(right - left, 1.0), TRACK_H), 2, 2)


class TileRow(QWidget):
    """The tiles side by side, all of one width."""

    def __init__(self, theme: Theme, explain: Callable[[str], None]) -> None:
        super().__init__()
        self.tiles = [Tile(theme, explain) for _number in range(4)]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.space("s2"))
        for tile in self.tiles:
            row.addWidget(tile, 1)

        self._figures: tuple[TileFigures, ...] = ()

    def set_sizing(self, sizing: Sizing, cost: "Cost | None" = None) -> None:
        self._figures = tile_figures(sizing, current(), cost)
        self._show(self._figures)

    def preview(self, sizing: Sizing | None, cost: "Cost | None" = None) -> None:
        """Show the figures of another sizing with those of now beside them; without one, those of now."""
        if sizing is None:
            self._show(self._figures)
        else:
            self._show(tuple(map(compared, self._figures, tile_figures(sizing, current(), cost))))

    def _show(self, figures: tuple[TileFigures, ...]) -> None:
        for tile, shown in zip(self.tiles, figures, strict=bool(figures)):
            tile.set_figures(shown)


def compared(now: TileFigures, then: TileFigures) -> TileFigures:
    """A tile as it would be, with what it shows now at its foot; what stays the same stays as it is."""
    if (now.figure, now.unit) == (then.figure, then.unit):
        return now
    text = _("now {figure}").format(figure=f"{now.figure}\u00a0{now.unit}".strip())
    top = max(now.top, then.top)
    return replace(then, foot=text, tone="accent", top=top)
