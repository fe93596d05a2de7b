"""Speed against price: every answer with its range, and the line of the best speed for its price."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from desktop.charts.axes import rounded_top, value_ticks
from desktop.charts.painting import card, point_mark
from desktop.charts.picture import ReadOut
from desktop.theme import Theme

LEFT, RIGHT, TOP, BOTTOM = 44, 24, 12, 24
NEAR = 14.0  # of the pointer to a point
FAR = 26.0  # of a name from its point: then a line leads there
FIRST = 10  # rows of the table that are always drawn
REACH = 10.0  # times the lowest price: what costs more than that and than the first rows is counted, not drawn


@dataclass(frozen=True, slots=True)
class Point:
    """One answer in the chart; `row` is its place in the table."""

    row: int
    name: str
    price: float
    low: float
    speed: float
    high: float
    best: bool


class PriceChart(QWidget):
    """Shares its selection with the table; a click on a point chooses its row."""

    point_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.points: list[Point] = []
        self.target: float | None = None
        self.currency = "USD"
        self.chosen = -1
        self.read_row = -1  # the point that is read out; -1 for none
        self.card: QRectF | None = None
        self.setMouseTracking(True)
        self.labels: dict[str, QRectF] = {}
        self._target = QRectF()  # where the target is named
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(_("Speed per user against price"))
        theme.changed.connect(self.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 120)

    def set_points(self, points: list[Point], target: float | None, currency: str) -> None:
        self.points, self.target, self.currency = points, target, currency
        self.read_row = -1
        self._describe()
        self.update()

    def choose(self, row: int) -> None:
        self.chosen = row
        self.update()

    @property
    def drawn(self) -> list[Point]:
        """The answers within reach of the cheapest, of the first rows, or of the one that is chosen."""
        lowest = min((p.price for p in self.points), default=0.0)
        reach = max((p.price for p in self.points if p.row < FIRST or p.row == self.chosen), default=0.0)
        return [p for p in self.points if p.price <= max(REACH * lowest, reach)]

    # -- reading out

    def read(self, row: int) -> None:
        """Show the numbers of one answer beside its point."""
        if row != self.read_row:
            self.read_row = row
            self._describe()
            self.update()

    def read_out(self, point: Point) -> ReadOut:
        write = current()
        speed = write.range(point.low, point.high, write.speed_parts)
        lines = [
            _("{speed} per user, P10–P90 {range}").format(speed=write.speed(point.speed), range=speed),
            write.money(point.price, self.currency),
        ]
        if point.best:
            lines.append(_("best speed for its price"))
        below = self.target is not None and point.speed < self.target
        return ReadOut(point.name, tuple(lines), _("below your target") if below else "")

    def _describe(self) -> None:
        """What those hear who cannot see: the point that is read out, else the best ones."""
        read = next((p for p in self.points if p.row == self.read_row), None)
        best = ", ".join(f"{p.name} {current().speed(p.speed)}" for p in self.points if p.best)
        self.setAccessibleDescription(self.read_out(read).spoken if read is not None else best)

    # -- geometry

    def _plot(self) -> QRectF:
        return QRectF(LEFT, TOP, max(10, self.width() - LEFT - RIGHT), max(10, self.height() - TOP - BOTTOM))

    def _top(self) -> float:
        return rounded_top(max([p.high for p in self.drawn] + [self.target or 0.0, 1.0]))

    def _span(self) -> tuple[float, float]:
        prices = [p.price for p in self.drawn if p.price > 0] or [1000.0, 10_000.0]
        low, high = math.log10(min(prices)), math.log10(max(prices))
        pad = max(0.06, (high - low) * 0.06)
        return low - pad, high + pad

    def place(self, price: float, speed: float) -> QPointF:
        """Where a price and a speed lie on the widget."""
        plot, (low, high) = self._plot(), self._span()
        x = plot.left() + (math.log10(max(price, 1e-9)) - low) / (high - low) * plot.width()
        return QPointF(x, plot.bottom() - speed / self._top() * plot.height())

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.points:
            return
        self._axes(painter)
        self._front(painter)
        for point in self.drawn:
            self._point(painter, point)
        self._names(painter)
        self._card(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def _axes(self, painter: QPainter) -> None:
        theme, plot, write = self._theme, self._plot(), current()
        painter.setFont(theme.font("caption"))
        for value in value_ticks(self._top()):
            y = self.place(1, value).y()
            painter.setPen(theme.chart("axis" if value == 0 else "grid"))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right() + RIGHT - 8, y))
            painter.setPen(theme.chart("axis_text"))
            area = QRectF(0, y - 8, LEFT - 8, 16)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, write.count(value))
        taken, end = -1e9, self._dearer(painter)
        for price in _price_ticks(*self._span()):
            text = write.money(price, self.currency)
            wide = painter.fontMetrics().horizontalAdvance(text)
            x = self.place(price, 0).x()
            if x - wide / 2 > taken and x + wide / 2 < end:
                painter.drawText(QRectF(x - wide / 2 - 2, plot.bottom() + 5, wide + 4, 16), 0, text)
                taken = x + wide / 2 + 14
        if self.target is not None:
            y = self.place(1, self.target).y()
            pen = QPen(theme.chart("target"), 1)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right() + RIGHT - 8, y))
            painter.setPen(theme.chart("axis_text"))
            text = _("target {speed}").format(speed=write.speed(self.target))
            self._target = self._free_for_target(painter.fontMetrics().horizontalAdvance(text) + 4, y)
            painter.drawText(self._target, Qt.AlignmentFlag.AlignCenter, text)

    def _free_for_target(self, wide: float, y: float) -> QRectF:
        """Where the target is named: above or below its line, from the right to the left, where no point lies."""
        plot, right = self._plot(), self._plot().right() + RIGHT - 10
        marks = [QRectF(at.x() - 5, at.y() - 5, 10, 10) for at in (self.place(p.price, p.speed) for p in self.drawn)]
        lefts = [right - wide - step * wide / 2 for step in range(int(2 * (right - plot.left()) / wide) - 1)]
        places = [QRectF(left, top, wide, 15) for top in (y - 17, y + 2) for left in lefts]
        places = [one for one in places if plot.top() <= one.top() and one.bottom() <= plot.bottom()]
        free = (one for one in places if not any(one.intersects(mark) for mark in marks))
        return next(free, QRectF(right - wide, y - 17, wide, 15))

    def _dearer(self, painter: QPainter) -> float:
        """How many lie beyond the axis, at its end; and where the room for its numbers ends."""
        number = len(self.points) - len(self.drawn)
        if not number:
            return self.width()
        text = ngettext("{number} dearer", "{number} dearer", number).format(number=current().count(number))
        wide = painter.fontMetrics().horizontalAdvance(text)
        area = QRectF(self.width() - wide - 8, self._plot().bottom() + 5, wide + 4, 16)
        painter.drawText(area, 0, text)
        return area.left() - 14

    def _front(self, painter: QPainter) -> None:
        """Steps: for this money, this speed at most."""
        best = sorted((p for p in self.drawn if p.best), key=lambda p: (p.price, p.speed))
        line = QPolygonF()
        for point in best:
            here = self.place(point.price, point.speed)
            if not line.isEmpty():
                line.append(QPointF(here.x(), line.last().y()))
            line.append(here)
        painter.setPen(QPen(self._theme.series(0), 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)

    def _point(self, painter: QPainter, point: Point) -> None:
        theme = self._theme
        color = theme.series(0) if point.best or point.row == self.chosen else theme.color("text_3")
        at = self.place(point.price, point.speed)
        if point.best or point.row == self.chosen:
            painter.setPen(QPen(color, 1.2))
            painter.drawLine(self.place(point.price, point.low), self.place(point.price, point.high))
        painter.setPen(QPen(theme.color("surface"), 1.5))
        painter.setBrush(color)
        if point.row == self.chosen:
            painter.drawEllipse(at, 6.5, 6.5)
        elif point.best:
            painter.drawPolygon(
                QPolygonF([at + QPointF(0, -5.5), at + QPointF(5.5, 0), at + QPointF(0, 5.5), at + QPointF(-5.5, 0)])
            )
        else:
            painter.drawEllipse(at, 3, 3)

    def _card(self, painter: QPainter) -> None:
        self.card = None
        read = next((p for p in self.points if p.row == self.read_row), None)
        if read is not None:
            at = self.place(read.price, read.speed)
            point_mark(painter, at, 10, self._theme.series(0), self._theme.color("surface"), "circle")
            self.card = card(painter, self._theme, self.read_out(read), at, self._plot())

    def _names(self, painter: QPainter) -> None:
        """The chosen one and the best ones by name, where no other name or point lies."""
        theme = self._theme
        taken = [QRectF(at.x() - 6, at.y() - 6, 12, 12) for at in (self.place(p.price, p.speed) for p in self.drawn)]
        self.labels = {}
        if self.target is not None:
            taken.append(self._target)
        for point in self.drawn:
            if point.best or point.row == self.chosen:
                top, foot = self.place(point.price, point.high), self.place(point.price, point.low)
                taken.append(QRectF(top.x() - 2, top.y(), 4, foot.y() - top.y()))
        named = sorted((p for p in self.drawn if p.best or p.row == self.chosen), key=lambda p: p.row != self.chosen)
        for point in named:
            bold = point.row == self.chosen
            painter.setFont(theme.font("caption", 600 if bold else 500))
            wide = QFontMetricsF(painter.font()).horizontalAdvance(point.name)
            at = self.place(point.price, point.speed)
            area = next((one for one in self._beside(at, wide, far=bold) if self._is_free(one, taken)), None)
            if area is not None:
                painter.setPen(theme.color("text" if bold else "text_2"))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, point.name)
                if abs(area.center().y() - at.y()) > FAR:
                    self._leader(painter, at, area)
                taken.append(area)
                self.labels[point.name] = area

    def _beside(self, at: QPointF, wide: float, far: bool) -> Iterator[QRectF]:
        """Places for a name, the nearest first; the chosen one may stand further off, on a leader."""
        for x, y in ((-wide - 10, -18), (10, -18), (-wide - 10, 6), (10, 6), (-wide / 2, -24), (-wide / 2, 12)):
            yield QRectF(at.x() + x, at.y() + y, wide, 14)
        tall = int(self.height())
        for y in (*range(-36, -tall, -12), *range(24, tall, 12)) if far else ():
            for x in (-wide / 2, -wide - 6, 6, -1.5 * wide, 0.5 * wide):
                yield QRectF(at.x() + x, at.y() + y, wide, 14)

    def _is_free(self, area: QRectF, taken: Sequence[QRectF]) -> bool:
        plot = self._plot()  # the numbers of its axis stand left of it
        inside = area.left() > plot.left() and area.right() < self.width() - 4 and 2 < area.top() < plot.bottom() - 14
        return inside and not any(area.adjusted(-3, -1, 3, 1).intersects(other) for other in taken)

    def _leader(self, painter: QPainter, at: QPointF, area: QRectF) -> None:
        painter.setPen(QPen(self._theme.chart("axis"), 1))
        above = area.bottom() < at.y()
        foot = QPointF(min(max(at.x(), area.left()), area.right()), area.bottom() if above else area.top())
        painter.drawLine(foot, at - QPointF(0, 7 if above else -7))

    # -- choosing

    def mousePressEvent(self, event: QMouseEvent) -> None:
        near = [(self._distance(event.position(), p), p.row) for p in self.drawn]
        if near and min(near)[0] <= NEAR:
            self.point_chosen.emit(min(near)[1])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        near = min(((self._distance(event.position(), p), p.row) for p in self.drawn), default=(NEAR + 1, -1))
        self.read(near[1] if near[0] <= NEAR else -1)

    def leaveEvent(self, event: QEvent) -> None:
        self.read(-1)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.read(-1)
        super().focusOutEvent(event)

    def _distance(self, at: QPointF, point: Point) -> float:
        there = self.place(point.price, point.speed)
        return math.hypot(at.x() - there.x(), at.y() - there.y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go from price to price, Home and End to the ends; Escape hides the card."""
        order = [p.row for p in sorted(self.points, key=lambda p: (p.price, p.row))]
        key, last = Qt.Key(event.key()), len(order) - 1
        at = order.index(self.chosen) if self.chosen in order else 0
        moves = {
            Qt.Key.Key_Right: min(at + 1, last),
            Qt.Key.Key_Left: max(at - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key is Qt.Key.Key_Escape and self.read_row >= 0:
            self.read(-1)
        elif key in moves and order:
            self.point_chosen.emit(order[moves[key]])
            self.read(order[moves[key]])
        else:
            super().keyPressEvent(event)


def _price_ticks(low: float, high: float) -> list[float]:
    """Round prices in a span of powers of ten: 1, 1.5, 2, 3, 5, 7 of each.

    >>> _price_ticks(3.0, 4.0)
    [1000, 1500, 2000, 3000, 5000, 7000, 10000]
    """
    steps = (1, 1.5, 2, 3, 5, 7)
    found = [round(step * 10.0**power) for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return [price for price in found if low - 1e-9 <= math.log10(max(price, 1)) <= high + 1e-9]
