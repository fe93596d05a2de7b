"""Speed of one user against requests at once: one small chart an option, all on the same axes."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter, current
from core.sizing.comparison import Comparison, Option
from core.sizing.report import Evidence
from desktop.charts.axes import rounded_top, value_ticks
from desktop.charts.painting import card, point_mark, stripes, with_alpha
from desktop.charts.picture import ReadOut
from desktop.tables import Cell, Column, TableData
from desktop.theme import Theme

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 176, 36, 14, 8, 22
WIDE = 230  # from here on the read-out has room to name its range


@dataclass(frozen=True, slots=True)
class Axes:
    """What all small charts of the page share."""

    x: tuple[float, ...]
    top: float

    @property
    def last(self) -> float:
        return self.x[-1]


def axes_of(found: Comparison) -> Axes:
    """The axis of requests, and a top that shows every option at its own point."""
    highest = 1.0
    for option in found.options:
        target = option.scenario.workload.speed_target or 0.0
        at = _nearest(found.axis, option.sizing.required_requests)
        chosen = float(option.curve.p90[at]) if option.curve is not None else option.sizing.decode_bound.p50
        highest = max(highest, chosen * 1.35, target * 1.3)
    return Axes(found.axis, rounded_top(highest))


def curve_table(found: Comparison) -> TableData:
    """The numbers of all the charts."""
    write, unit = current(), _("tok/s")
    columns = [Column(_("Requests at once"))]
    curves = [(option.letter, option.curve) for option in found.options if option.curve is not None]
    for letter, _curve in curves:
        columns += [Column(f"{letter} P10", unit), Column(f"{letter} P50", unit), Column(f"{letter} P90", unit)]
    rows = []
    for at, requests in enumerate(found.axis):
        values = [float(line[at]) for _letter, curve in curves for line in (curve.p10, curve.p50, curve.p90)]
        cells = (Cell(write.decimal(value, 1), value) for value in values)
        rows.append((Cell(write.count(requests), requests), *cells))
    return TableData(_("Speed per user"), tuple(columns), tuple(rows))


class CapacityMultiple(QWidget):
    """One of the small charts; arrow keys and the pointer read it out, together with its neighbours."""

    read = Signal(int)  # index on the axis; -1 for none

    def __init__(self, theme: Theme, series: int) -> None:
        super().__init__()
        self._theme, self._series = theme, series
        self._option: Option | None = None
        self._axes = Axes((1.0, 2.0), 1.0)
        self._at = -1
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def set_option(self, option: Option, axes: Axes) -> None:
        self._option, self._axes, self._at = option, axes, -1
        self.setAccessibleName(f"{option.letter}: " + _("Speed per user against requests at once"))
        self._describe()
        self.update()

    # -- reading out --------------------------------------------------------------------------------------------------

    def show_at(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self._describe()
            self.update()

    @property
    def read_at(self) -> int:
        return self._at

    def _describe(self) -> None:
        if self._option is not None:
            need = _nearest(self._axes.x, self._option.sizing.required_requests)
            self.setAccessibleDescription(self.read_out(self._at if self._at >= 0 else need).spoken)

    def read_out(self, at: int) -> ReadOut:
        option, write = self._option, current()
        assert option is not None
        requests = round(self._axes.x[at])
        text = ngettext("{number} request at once", "{number} requests at once", requests)
        title = text.format(number=write.count(requests))
        if option.curve is None:
            bound = _("at most {value}").format(value=write.speed(option.sizing.decode_bound.p50))
            return ReadOut(title, (write.unknown(), bound), self._alarm(requests, None, write))
        middle, low, high = (float(line[at]) for line in (option.curve.p50, option.curve.p10, option.curve.p90))
        band = write.range(low, high, write.speed_parts)
        if self.width() >= WIDE:
            band = _("P10–P90: {range}").format(range=band)
        return ReadOut(title, (write.speed(middle), band), self._alarm(requests, middle, write))

    def _alarm(self, requests: int, speed: float | None, write: Formatter) -> str:
        assert self._option is not None
        if requests > self._option.room:
            return _("more than the memory holds")
        target = self._option.scenario.workload.speed_target
        if speed is not None and target is not None and speed < target:
            return _("below your target of {speed}").format(speed=write.speed(target))
        return ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plot = self._plot()
        if plot.adjusted(-6, 0, 6, 0).contains(event.position()):
            share = (event.position().x() - plot.left()) / plot.width()
            last = len(self._axes.x) - 1
            self.read.emit(min(max(round(share * last), 0), last))
        else:
            self.read.emit(-1)

    def leaveEvent(self, event: QEvent) -> None:
        self.read.emit(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._axes.x) - 1
        home = _nearest(self._axes.x, self._option.sizing.required_requests) if self._option else 0
        moves = {
            Qt.Key.Key_Right: home if self._at < 0 else min(self._at + 1, last),
            Qt.Key.Key_Left: home if self._at < 0 else max(self._at - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if event.key() in moves:
            self.read.emit(moves[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self._at >= 0:
            self.read.emit(-1)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.read.emit(-1)
        self.update()

    # -- painting -----------------------------------------------------------------------------------------------------

    def _plot(self) -> QRectF:
        return QRectF(LEFT, TOP, max(1.0, self.width() - LEFT - RIGHT), HEIGHT - TOP - BOTTOM)

    def _x(self, requests: float) -> float:
        plot, first = self._plot(), self._axes.x[0]
        return plot.left() + (requests - first) / (self._axes.last - first) * plot.width()

    def _y(self, speed: float) -> float:
        plot = self._plot()
        return plot.bottom() - min(speed, self._axes.top) / self._axes.top * plot.height()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._option is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_wall_ground(painter, self._option)
        self._paint_axes(painter, self._option)
        self._paint_target(painter, self._option)
        if self._option.curve is None:
            self._paint_bound(painter, self._option)
        else:
            self._paint_curve(painter, self._option)
        self._paint_wall(painter, self._option)
        self._paint_read_out(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def _paint_wall_ground(self, painter: QPainter, option: Option) -> None:
        """Past the memory wall the ground is sunken."""
        if option.room < self._axes.last:
            plot, x = self._plot(), self._x(max(option.room, self._axes.x[0]))
            painter.fillRect(QRectF(x, plot.top(), plot.right() - x, plot.height()), self._theme.color("sunken"))

    def _paint_axes(self, painter: QPainter, option: Option) -> None:
        theme, plot, write = self._theme, self._plot(), current()
        painter.setFont(theme.font("caption"))
        ticks = value_ticks(self._axes.top)
        for value in ticks:
            y = round(self._y(value)) + 0.5
            painter.setPen(QPen(theme.chart("axis" if value == 0 else "grid"), 1))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(theme.chart("axis_text"))
            box = QRectF(0, y - 8, plot.left() - 7, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, write.count(value))
        need = option.sizing.required_requests
        taken: list[QRectF] = []
        for requests in (1, need, round(self._axes.last), 2 * need, round(self._axes.last / 2)):
            text = write.count(requests)
            width = painter.fontMetrics().horizontalAdvance(text)
            x = self._x(requests)
            left = min(max(x - width / 2, plot.left() - 4), self.width() - width - 2)
            box = QRectF(left, plot.bottom() + 5, width + 1, 14)
            if requests > self._axes.last or any(box.adjusted(-8, 0, 8, 0).intersects(other) for other in taken):
                continue
            taken.append(box)
            painter.setPen(theme.chart("axis_text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_target(self, painter: QPainter, option: Option) -> None:
        target = option.scenario.workload.speed_target
        if target is None or target > self._axes.top:
            return
        pen = QPen(self._theme.chart("target"), 1)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        plot, y = self._plot(), round(self._y(target)) + 0.5
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))

    def _paint_curve(self, painter: QPainter, option: Option) -> None:
        theme, curve, color = self._theme, option.curve, self._theme.series(self._series)
        assert curve is not None
        xs = [self._x(value) for value in self._axes.x]
        low = [QPointF(x, self._y(float(v))) for x, v in zip(xs, curve.p10, strict=True)]
        high = [QPointF(x, self._y(float(v))) for x, v in zip(xs, curve.p90, strict=True)]
        generic = option.sizing.decode is not None and option.sizing.decode.evidence is Evidence.GENERIC
        ground = with_alpha(color, theme.band_alpha)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(stripes(ground)) if generic else QBrush(ground))
        painter.drawPolygon(QPolygonF([*low, *reversed(high)]))
        pen = QPen(color, 2.5)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pattern = theme.dash(self._series)
        if pattern:
            pen.setDashPattern([part / 2.5 for part in pattern])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        plot = self._plot()
        painter.setClipRect(plot.adjusted(0, 0, 2, 2))  # what is faster than the axis leaves through its top
        points = [
            QPointF(x, plot.bottom() - float(v) / self._axes.top * plot.height())
            for x, v in zip(xs, curve.p50, strict=True)
        ]
        painter.drawPolyline(QPolygonF(points))
        painter.setClipping(False)
        at = _nearest(self._axes.x, option.sizing.required_requests)
        speed = option.sizing.decode.p50 if option.sizing.decode is not None else float(curve.p50[at])
        if speed <= self._axes.top:
            spot = QPointF(self._x(option.sizing.required_requests), self._y(speed))
            point_mark(painter, spot, 11, color, theme.color("surface"), theme.marker(self._series))

    def _paint_bound(self, painter: QPainter, option: Option) -> None:
        """Nobody knows the speed: the word, and the bound of physics as a dotted line."""
        theme, plot = self._theme, self._plot()
        pen = QPen(theme.series(self._series), 1.6)
        pen.setDashPattern([1, 2.5])
        painter.setPen(pen)
        y = self._y(option.sizing.decode_bound.p50)
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setFont(theme.font("label"))
        painter.setPen(theme.color("text_2"))
        painter.drawText(plot, Qt.AlignmentFlag.AlignCenter, _("Speed unknown"))

    def _paint_wall(self, painter: QPainter, option: Option) -> None:
        if self._axes.x[0] <= option.room < self._axes.last:
            plot, x = self._plot(), round(self._x(option.room))
            painter.setPen(QPen(self._theme.chart("load_line"), 2))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    def _paint_read_out(self, painter: QPainter) -> None:
        if not 0 <= self._at < len(self._axes.x) or self._option is None:
            return
        theme, plot = self._theme, self._plot()
        x = round(self._x(self._axes.x[self._at])) + 0.5
        painter.setPen(QPen(theme.chart("hover"), 1))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        if self._option.curve is not None and float(self._option.curve.p50[self._at]) <= self._axes.top:
            spot = QPointF(x, self._y(float(self._option.curve.p50[self._at])))
            point_mark(painter, spot, 8, theme.series(self._series), theme.color("surface"), "circle")
        read_out = self.read_out(self._at)
        if self.underMouse() or self.hasFocus():
            bounds = QRectF(self.rect()).adjusted(2, 2, -2, -2)
            card(painter, theme, read_out, QPointF(x, plot.top() + plot.height() * 0.4), bounds)
        else:
            self._paint_value(painter, read_out, x)

    def _paint_value(self, painter: QPainter, read_out: ReadOut, x: float) -> None:
        """The neighbours of the chart that is read say their value only, on the side that has room."""
        theme, plot = self._theme, self._plot()
        painter.setFont(theme.font("label", 600))
        painter.setPen(theme.color("bad" if read_out.alarm else "text"))
        width = painter.fontMetrics().horizontalAdvance(read_out.lines[0])
        left = x + 8 if x + 8 + width <= plot.right() else x - 8 - width
        box = QRectF(left, plot.top() + 2, width + 1, 18)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, read_out.lines[0])


def _nearest(axis: tuple[float, ...], value: float) -> int:
    return min(range(len(axis)), key=lambda at: abs(axis[at] - value))
