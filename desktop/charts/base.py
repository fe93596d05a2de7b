"""Charts with curves. The one module that imports pyqtgraph (and with it numpy): import it after the first paint."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language.numbers import Formatter, current
from desktop.charts.axes import Span, Tick, decimals_of, token_ticks, value_ticks
from desktop.charts.labels import Ground, beside
from desktop.charts.painting import card, load_mark, point_mark, role_color, with_alpha
from desktop.charts.picture import Line, Picture
from desktop.theme import Theme

pg.setConfigOptions(antialias=True)

HEADING, BOTTOM, RIGHT, TICK_GAP = 24, 22, 8, 8
LABEL_HEIGHT = 16.0
NEAR_END = 4.0


class PlotView(pg.GraphicsView):
    """The curves alone: no axes, no mouse, no ground of its own."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, background=None)
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.box.setMenuEnabled(False)
        self.box.disableAutoRange()
        self.setCentralItem(self.box)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.setStyleSheet("background: transparent; border: 0")


class _Over(QWidget):
    """What lies over the curves: marks, labels, the read-out."""

    def __init__(self, chart: "LineChart") -> None:
        super().__init__(chart)
        self._chart = chart
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._chart.paint_over(painter)


class LineChart(QWidget):
    """Curves over tokens, with labels on the lines, a chosen point, levels, and a read-out by mouse or arrow keys."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._pen_scale = 0.0  # 0: that of the screen; an export sets its own
        self._picture: Picture | None = None
        self._formatter: Formatter = current()
        self._at = -1
        self._y_ticks: list[Tick] = []
        self._x_ticks: list[Tick] = []
        self._axis_width = 0.0
        self.card_rect: QRectF | None = None
        self.labels: dict[str, QRectF] = {}
        self._plot = PlotView(self)
        self._band = self._make_band()
        self._curves: list[pg.PlotCurveItem] = []
        self._over = _Over(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(180, 90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self._restyle)

    def _make_band(self) -> pg.FillBetweenItem:
        self._low, self._high = pg.PlotCurveItem(), pg.PlotCurveItem()
        band = pg.FillBetweenItem(self._low, self._high)
        band.setZValue(-5)
        self._plot.box.addItem(band, ignoreBounds=True)
        return band

    # -- data ---------------------------------------------------------------------------------------------------------

    @property
    def picture(self) -> Picture | None:
        return self._picture

    def set_picture(self, picture: Picture) -> None:
        """Show other numbers on the kept curves."""
        styled = self._picture is not None and _style(self._picture) == _style(picture)
        self._picture, self._formatter = picture, current()
        self.setAccessibleName(picture.heading)
        self.setAccessibleDescription(picture.summary)
        self._at = min(self._at, len(picture.x) - 1)
        self._set_curves(picture)
        if not styled:
            self._restyle()
        self._arrange()
        self.update()
        self._over.update()

    def _set_curves(self, picture: Picture) -> None:
        while len(self._curves) < len(picture.lines):
            curve = pg.PlotCurveItem()
            self._plot.box.addItem(curve, ignoreBounds=True)
            self._curves.append(curve)
        for curve, line in zip(self._curves, picture.lines, strict=False):
            curve.setData(*_cut(picture, line.y))
            curve.setVisible(True)
        for curve in self._curves[len(picture.lines) :]:
            curve.setVisible(False)
        self._band.setVisible(picture.band is not None)
        if picture.band is not None:
            x = np.log2(np.asarray(picture.x, dtype=float))
            self._low.setData(x, np.minimum(np.asarray(picture.band.low, dtype=float), picture.y_top))
            self._high.setData(x, np.minimum(np.asarray(picture.band.high, dtype=float), picture.y_top))

    def _restyle(self) -> None:
        picture = self._picture
        if picture is None:
            return
        for curve, line in zip(self._curves, picture.lines, strict=False):
            curve.setPen(self._pen(line))
            curve.setZValue(2 if line.strong else 1)
        if picture.band is not None:
            self._band.setBrush(self._band_brush())
        self.update()
        self._over.update()

    def set_pen_scale(self, scale: float) -> None:
        """How many pixels of the target one logical pixel is, where the target is not a screen."""
        self._pen_scale = scale
        self._restyle()

    def _pen(self, line: Line) -> QPen:
        """pyqtgraph's pens are cosmetic: their width is in pixels of the screen, so it grows with the scale."""
        width = line.width * (self._pen_scale or self.devicePixelRatioF())
        pen = pg.mkPen(role_color(self.theme, line.role), width=width)
        pattern = (1.0, 3.0) if line.dotted_bound else self.theme.dash(line.dash) if line.dash is not None else ()
        if pattern:
            pen.setDashPattern([part / line.width for part in pattern])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap if pattern else Qt.PenCapStyle.RoundCap)
        return pen

    def _band_brush(self) -> QBrush:
        assert self._picture is not None
        assert self._picture.band is not None
        color = with_alpha(role_color(self.theme, self._picture.band.role), self.theme.band_alpha)
        if not self._picture.band.striped:
            return QBrush(color)
        brush = QBrush(_stripes(color))
        place, span, box = self.plot_rect(), self._picture.x_span, self._picture.y_top
        across = (span.scaled(span.high) - span.scaled(span.low)) / max(1.0, place.width())
        brush.setTransform(QTransform.fromScale(across, -box / max(1.0, place.height())))
        return brush

    # -- geometry -----------------------------------------------------------------------------------------------------

    def plot_rect(self) -> QRectF:
        """The ground of the curves inside the widget."""
        left = self._axis_width
        return QRectF(left, HEADING, max(1.0, self.width() - left - RIGHT), max(1.0, self.height() - HEADING - BOTTOM))

    def point(self, x: float, y: float) -> QPointF:
        """Where a value lies on the widget."""
        assert self._picture is not None
        rect = self.plot_rect()
        across = rect.left() + self._picture.x_span.share(x) * rect.width()
        return QPointF(across, rect.bottom() - y / self._picture.y_top * rect.height())

    def _arrange(self) -> None:
        """Ticks, margins and the range of the view."""
        picture = self._picture
        if picture is None:
            return
        ticks = value_ticks(picture.y_top)
        digits = decimals_of(ticks)
        self._y_ticks = [Tick(value, self._formatter.decimal(value, digits)) for value in ticks]
        metrics = QFontMetricsF(self.theme.font("caption"))
        self._axis_width = math.ceil(max(metrics.horizontalAdvance(t.text) for t in self._y_ticks)) + 2 * TICK_GAP
        rect = self.plot_rect()
        widest = metrics.horizontalAdvance("512K")
        self._x_ticks = token_ticks(picture.x_span, rect.width(), self._formatter.tokens, widest)
        self._plot.setGeometry(rect.toRect())
        self._over.setGeometry(self.rect())
        span = picture.x_span
        self._plot.box.setRange(
            xRange=(span.scaled(span.low), span.scaled(span.high)), yRange=(0, picture.y_top), padding=0, update=True
        )
        if picture.band is not None and picture.band.striped:
            self._band.setBrush(self._band_brush())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._over.setGeometry(self.rect())
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._restyle()
        return super().event(event)

    # -- under the curves: heading, grid, axes ------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self._picture
        if picture is None:
            return
        painter = QPainter(self)
        rect = self.plot_rect()
        painter.setFont(self.theme.font("label", 600))
        painter.setPen(self.theme.color("text_2"))
        heading = painter.fontMetrics().elidedText(picture.heading, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(QRectF(0, 0, self.width(), 16), Qt.AlignmentFlag.AlignVCenter, heading)
        self._paint_y_axis(painter, rect)
        self._paint_x_axis(painter, rect)

    def _paint_y_axis(self, painter: QPainter, rect: QRectF) -> None:
        painter.setFont(self.theme.font("caption"))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for tick in self._y_ticks:
            y = round(self.point(self._picture_x_low(), tick.at).y()) + 0.5
            painter.setPen(QPen(self.theme.chart("axis" if tick.at == 0 else "grid"), 1))
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
            painter.setPen(self.theme.chart("axis_text"))
            painter.drawText(QRectF(0, y - 8, rect.left() - TICK_GAP, 16), align, tick.text)

    def _picture_x_low(self) -> float:
        return self._picture.x_span.low if self._picture else 1.0

    def _paint_x_axis(self, painter: QPainter, rect: QRectF) -> None:
        assert self._picture is not None
        metrics = QFontMetricsF(painter.font())
        free_from = -math.inf
        boxes = []
        for number, tick in enumerate(self._x_ticks):
            last = number == len(self._x_ticks) - 1
            text = f"{tick.text} {self._picture.x_unit}" if last else tick.text
            width = metrics.horizontalAdvance(text)
            x = self.point(tick.at, 0).x()
            own = metrics.horizontalAdvance(tick.text)
            left = x - own / 2 if last else x - width / 2
            boxes.append((x, min(left, self.width() - width), width, text))
        while len(boxes) > 1 and boxes[-2][1] + boxes[-2][2] + 6 > boxes[-1][1]:
            boxes.pop(-2)
        for x, left, width, text in boxes:
            painter.setPen(QPen(self.theme.chart("axis"), 1))
            across = round(x) + 0.5
            painter.drawLine(QPointF(across, rect.bottom() - 3), QPointF(across, rect.bottom() + 1))
            if left > free_from:
                painter.setPen(self.theme.chart("axis_text"))
                box = QRectF(left, rect.bottom() + 5, width + 2, 14)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
                free_from = left + width

    # -- over the curves ----------------------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        picture = self._picture
        if picture is None:
            return
        ground = Ground(self.plot_rect())
        for line in picture.lines:
            ground.add_track(self._track(picture, line.y))
        self.labels = {}
        self._paint_levels(painter, picture, ground)
        self._paint_chosen(painter, picture, ground)
        self._paint_crossings(painter, picture, ground)
        self._paint_mark(painter, picture, ground)
        self._paint_line_names(painter, picture, ground)
        self._paint_read_out(painter, picture)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("focus"), 2))
            painter.drawRoundedRect(self.plot_rect().adjusted(-3, -3, 5, 3), 4, 4)

    def _track(self, picture: Picture, values: Sequence[float]) -> list[tuple[float, float]]:
        """The line in pixels, up to a little above the plot."""
        rect, span = self.plot_rect(), picture.x_span
        low, high = span.scaled(span.low), span.scaled(span.high)
        across, up = rect.width() / (high - low), rect.height() / picture.y_top
        left, bottom, most = rect.left(), rect.bottom(), picture.y_top * 1.2
        return [
            (left + (span.scaled(x) - low) * across, bottom - y * up)
            for x, y in zip(picture.x, values, strict=True)
            if y <= most
        ]

    def _write(
        self,
        painter: QPainter,
        ground: Ground,
        name: str,
        text: str,
        places: Iterable[QRectF],
        font: QFont,
        color: QColor,
    ) -> QRectF | None:
        rect = ground.place(places)
        if rect is not None:
            painter.setFont(font)
            painter.setPen(color)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
            self.labels[name] = rect
        return rect

    def _size(self, text: str, font: QFont) -> QSizeF:
        return QSizeF(math.ceil(QFontMetricsF(font).horizontalAdvance(text)) + 1, LABEL_HEIGHT)

    def _paint_levels(self, painter: QPainter, picture: Picture, ground: Ground) -> None:
        rect = self.plot_rect()
        for level in picture.levels:
            if level.y > picture.y_top:
                continue
            y = self.point(picture.x_span.low, level.y).y()
            ground.add_track([(rect.left(), y), (rect.right(), y)])
            if level.is_limit:
                self._paint_limit(painter, y)
            else:
                pen = QPen(self.theme.chart("target"), 1)
                pen.setDashPattern([4, 3])
                painter.setPen(pen)
                across = round(y) + 0.5
                painter.drawLine(QPointF(rect.left(), across), QPointF(rect.right(), across))
            font = self.theme.font("caption", 600 if level.is_limit else 500)
            size = self._size(level.text, font)
            color = self.theme.color("text" if level.is_limit else "text_3")
            lefts = (rect.left() + 8, rect.right() - size.width() - (28 if level.is_limit else 4))
            tops = (y - size.height() - 3, y + 4)
            places = [QRectF(QPointF(left, top), size) for top in tops for left in lefts]
            self._write(painter, ground, level.text, level.text, places, font, color)

    def _paint_limit(self, painter: QPainter, y: float) -> None:
        rect, ink = self.plot_rect(), self.theme.chart("load_line")
        y = round(y)
        painter.setPen(QPen(ink, 2))
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        load_mark(painter, QPointF(rect.right() - 10, y), ink, self.theme.color("surface"))

    def _paint_mark(self, painter: QPainter, picture: Picture, ground: Ground) -> None:
        """Another length that is worth a name on the x axis."""
        if picture.mark_x is None:
            return
        at, text = picture.mark_x
        rect, font = self.plot_rect(), self.theme.font("caption")
        x = round(self.point(at, 0).x()) + 0.5
        pen = QPen(self.theme.chart("axis"), 1)
        pen.setDashPattern([2, 3])
        painter.setPen(pen)
        painter.drawLine(QPointF(x, rect.top() + 2), QPointF(x, rect.bottom()))
        size = self._size(text, font)
        tops = [rect.bottom() - (size.height() + 6) * row for row in (1, 2, 3)]
        places = [QRectF(QPointF(left, top), size) for top in tops for left in (x - 6 - size.width(), x + 6)]
        self._write(painter, ground, text, text, places, font, self.theme.color("text_3"))

    def _paint_chosen(self, painter: QPainter, picture: Picture, ground: Ground) -> None:
        chosen = picture.chosen
        if chosen is None:
            return
        rect = self.plot_rect()
        inside = chosen.y <= picture.y_top
        spot = self.point(chosen.x, min(chosen.y, picture.y_top))
        if chosen.drop:
            pen = QPen(self.theme.color("text_2"), 1)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            x = round(spot.x()) + 0.5
            painter.drawLine(QPointF(x, spot.y()), QPointF(x, rect.bottom()))
        if inside:
            color = role_color(self.theme, chosen.role)
            point_mark(painter, spot, 12, color, self.theme.color("surface"), chosen.marker)
            ground.take(QRectF(spot.x() - 7, spot.y() - 7, 14, 14))
        strong, plain = self.theme.font("caption", 600), self.theme.font("caption")
        if not chosen.drop:
            places = beside(spot, self._size(chosen.text, strong), 11.0)
            self._write(painter, ground, chosen.text, chosen.text, places, strong, self.theme.color("text"))
            return
        rows = [(chosen.text, strong, self.theme.color("text"))]
        rows += [(note, plain, self.theme.color("text_3")) for note in chosen.notes]
        self._paint_beside_drop(painter, ground, spot, rows)

    def _paint_beside_drop(
        self, painter: QPainter, ground: Ground, spot: QPointF, rows: list[tuple[str, QFont, QColor]]
    ) -> None:
        """Labels of the chosen point at the foot of its dropped line, all on the side with more free ground."""
        rect = self.plot_rect()
        pitch = LABEL_HEIGHT + 6
        for index, (text, font, color) in enumerate(rows):
            size = self._size(text, font)
            tops = [rect.bottom() - 8 - pitch * (len(rows) - index) + lift for lift in (0.0, -2 * pitch, -4 * pitch)]
            lefts = (spot.x() - 8 - size.width(), spot.x() + 8)
            places = [QRectF(QPointF(left, top), size) for left in lefts for top in tops]
            self._write(painter, ground, text, text, places, font, color)
        ground.add_track([(spot.x(), spot.y()), (spot.x(), rect.bottom())])

    def _paint_crossings(self, painter: QPainter, picture: Picture, ground: Ground) -> None:
        for crossing in sorted(picture.crossings, key=lambda one: not one.strong):
            spot = self.point(crossing.x, crossing.y)
            color = role_color(self.theme, crossing.role)
            point_mark(painter, spot, 8, color, self.theme.color("surface"), "circle")
            font = self.theme.font("caption", 600 if crossing.strong else 500)
            size = self._size(crossing.text, font)
            w, h = size.width(), size.height()
            places = [
                QRectF(spot.x() - 5 - w, spot.y() - h - 3, w, h),
                QRectF(spot.x() - 8 - w, spot.y() - h - 3, w, h),
                QRectF(spot.x() + 6, spot.y() + 4, w, h),
                QRectF(spot.x() - w / 2, spot.y() + 8, w, h),
                QRectF(spot.x() - 22 - w, spot.y() - h - 3, w, h),
                QRectF(spot.x() - 12 - w, spot.y() + 4, w, h),
                QRectF(spot.x() + 18, spot.y() + 4, w, h),
            ]
            self._write(painter, ground, crossing.text, crossing.text, places, font, color)

    def _paint_line_names(self, painter: QPainter, picture: Picture, ground: Ground) -> None:
        for line in picture.lines:
            if not line.name:
                continue
            font = self.theme.font("caption", 600 if line.strong else 500)
            size = self._size(line.name, font)
            places = self._places_on(picture, line, size)
            self._write(painter, ground, line.name, line.name, places, font, role_color(self.theme, line.role))

    def _places_on(self, picture: Picture, line: Line, size: QSizeF) -> Iterator[QRectF]:
        """Places for the name of a line: where it leaves the plot or ends, then back along it."""
        xs, ys = _cut(picture, line.y)
        rect, span = self.plot_rect(), picture.x_span
        low, wide = span.scaled(span.low), span.scaled(span.high) - span.scaled(span.low)
        width, height = size.width(), size.height()
        for x, y in zip(xs[::-1].tolist(), ys[::-1].tolist(), strict=True):
            across = rect.left() + (x - low) / wide * rect.width()
            down = rect.bottom() - y / picture.y_top * rect.height()
            top = min(max(down - height / 2, rect.top() + 1), rect.bottom() - height)
            for gap in (6.0, 12.0, 20.0):
                yield QRectF(across - width - gap, top, width, height)
            yield QRectF(across + 6, top, width, height)
            yield QRectF(across - width / 2, down - height - NEAR_END, width, height)
            yield QRectF(across - width / 2, down + NEAR_END, width, height)

    def _paint_read_out(self, painter: QPainter, picture: Picture) -> None:
        self.card_rect = None
        if not 0 <= self._at < len(picture.x):
            return
        rect = self.plot_rect()
        x = round(self.point(picture.x[self._at], 0).x()) + 0.5
        painter.setPen(QPen(self.theme.chart("hover"), 1))
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        for y, role in picture.dots(self._at):
            if y <= picture.y_top:
                spot = self.point(picture.x[self._at], y)
                point_mark(painter, spot, 8, role_color(self.theme, role), self.theme.color("surface"), "circle")
        anchor = QPointF(x, rect.top() + rect.height() * 0.35)
        self.card_rect = card(painter, self.theme, picture.read_out(self._at), anchor, rect)

    # -- reading out --------------------------------------------------------------------------------------------------

    @property
    def read_at(self) -> int:
        """The index of the point that is read out; -1 for none."""
        return self._at

    def read(self, index: int) -> None:
        picture = self._picture
        if picture is None or index == self._at:
            return
        self._at = index
        spoken = picture.read_out(index).spoken if 0 <= index < len(picture.x) else picture.summary
        self.setAccessibleDescription(spoken)
        self._over.update()

    def _nearest(self, x: float) -> int:
        assert self._picture is not None
        distances = [abs(self.point(value, 0).x() - x) for value in self._picture.x]
        return distances.index(min(distances))

    def _home(self, picture: Picture) -> int:
        """Where reading starts: at the user's own point."""
        return self._nearest(self.point(picture.chosen.x, 0).x()) if picture.chosen else 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._picture is not None:
            inside = self.plot_rect().adjusted(-6, 0, 6, 0).contains(event.position())
            self.read(self._nearest(event.position().x()) if inside else -1)

    def leaveEvent(self, event: QEvent) -> None:
        self.read(-1)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._picture is not None:
            self.explain_requested.emit(self._picture.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        picture, key = self._picture, event.key()
        if picture is None:
            super().keyPressEvent(event)
            return
        last = len(picture.x) - 1
        start = (
            self._at if self._at >= 0 else self._nearest(self.point(picture.chosen.x, 0).x()) if picture.chosen else 0
        )
        moves = {
            Qt.Key.Key_Right: min(start + (self._at >= 0), last),
            Qt.Key.Key_Left: max(start - (self._at >= 0), 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key in moves:
            self.read(moves[Qt.Key(key)])
        elif key == Qt.Key.Key_Escape and self._at >= 0:
            self.read(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            self.explain_requested.emit(picture.key)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._over.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.read(-1)
        self._over.update()
        super().focusOutEvent(event)


def _style(picture: Picture) -> object:
    band = (picture.band.role, picture.band.striped) if picture.band else None
    return band, [(line.role, line.width, line.dash, line.strong, line.dotted_bound) for line in picture.lines]


def _cut(picture: Picture, values: Sequence[float]) -> tuple["np.ndarray[tuple[int], np.dtype[np.float64]]", ...]:
    """The curve up to where it leaves the plot at the top; x as the axis takes it. Clips are lost in an SVG."""
    x = np.log2(np.asarray(picture.x, dtype=float))
    y = np.asarray(values, dtype=float)
    outside = np.flatnonzero(y > picture.y_top)
    if not len(outside):
        return x, y
    first, rising = int(outside[0]), y[-1] > y[0]
    if not rising:  # falls into the plot: start where it enters
        enter = int(outside[-1])
        if enter + 1 >= len(x):
            return x[:0], y[:0]
        return _with_edge(x[enter:], y[enter:], picture.y_top, at_start=True)
    if first == 0:
        return x[:0], y[:0]
    return _with_edge(x[: first + 1], y[: first + 1], picture.y_top, at_start=False)


def _with_edge(
    x: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    y: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    top: float,
    at_start: bool,
) -> tuple["np.ndarray[tuple[int], np.dtype[np.float64]]", ...]:
    """Move the one point outside onto the edge."""
    x, y = x.copy(), y.copy()
    out, inner = (0, 1) if at_start else (-1, -2)
    share = (top - y[inner]) / (y[out] - y[inner])
    x[out], y[out] = x[inner] + share * (x[out] - x[inner]), top
    return x, y


def _stripes(color: QColor) -> QPixmap:
    """Stripes of 3 px for a band that rests on nothing alike."""
    tile = QPixmap(6, 6)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    strong = QColor(color)
    strong.setAlphaF(min(1.0, color.alphaF() * 1.5))
    painter.fillRect(0, 0, 3, 6, strong)
    painter.end()
    return tile


def span_of(x: Sequence[float]) -> Span:
    return Span(float(x[0]), float(x[-1]), log=True)
