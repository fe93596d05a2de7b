"""Charts with curves. The one module that imports pyqtgraph (and with it numpy): import it after the first paint."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language.numbers import Formatter, current
from desktop.charts.curve_points import cut, scaled
from desktop.charts.painting import role_color, stripes, with_alpha
from desktop.charts.picture import Line, Picture
from desktop.charts.plot_labels import PlotLabels, paint_read_out
from desktop.charts.plot_place import PlotPlace, paint_axes, place_plot
from desktop.theme import Theme

pg.setConfigOptions(antialias=True)


class PlotView(pg.GraphicsView):
    """The curves alone: no axes, no mouse, no ground of its own.

    It is painted when the chart asks for it: left to itself, it notices what has changed only after the first paint of
    a change, and everything is painted once more.
    """

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
        self.setViewportUpdateMode(pg.GraphicsView.ViewportUpdateMode.NoViewportUpdate)


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
    reading = Signal(int)  # the point that is read out now; -1 for none

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._is_export = False
        self._picture: Picture | None = None
        self._formatter: Formatter = current()
        self._at = -1
        self._led = False  # another chart with the same x axis has the pointer, and shows the card
        self._place: PlotPlace | None = None
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
        self._paint_again()

    def _paint_again(self) -> None:
        """Ground, curves and what lies over them, in one go."""
        self.update()
        self._plot.viewport().update()
        self._over.update()

    def _set_curves(self, picture: Picture) -> None:
        while len(self._curves) < len(picture.lines):
            curve = pg.PlotCurveItem()
            self._plot.box.addItem(curve, ignoreBounds=True)
            self._curves.append(curve)
        for curve, line in zip(self._curves, picture.lines, strict=False):
            curve.setData(*cut(picture, line.y))
            curve.setVisible(True)
        for curve in self._curves[len(picture.lines) :]:
            curve.setVisible(False)
        self._band.setVisible(picture.band is not None)
        if picture.band is not None:
            x = scaled(picture)
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
        self._paint_again()

    def prepare_export(self) -> None:
        """Paint for a file: the curves as shapes of this widget, since the view of pyqtgraph becomes an image there."""
        self._is_export = True
        self._plot.hide()

    def _paint_curves(self, painter: QPainter, picture: Picture) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if picture.band is not None:
            low, high = (self._pixels(picture, values) for values in (picture.band.low, picture.band.high))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(with_alpha(role_color(self.theme, picture.band.role), self.theme.band_alpha))
            painter.drawPolygon(QPolygonF([*low, *reversed(high)]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in picture.lines:
            pen = QPen(role_color(self.theme, line.role), line.width)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            if pattern := self._dashes(line):
                pen.setDashPattern(pattern)
            painter.setPen(pen)
            xs, ys = cut(picture, line.y)
            painter.drawPolyline(QPolygonF(self._pixels(picture, ys.tolist(), xs.tolist())))

    def _pixels(
        self, picture: Picture, values: Sequence[float], scaled_x: Sequence[float] | None = None
    ) -> list[QPointF]:
        """Points of a line; above the plot they lie on its edge."""
        rect, span = self.plot_rect(), picture.x_span
        low, wide = span.scaled(span.low), span.scaled(span.high) - span.scaled(span.low)
        across = [span.scaled(x) for x in picture.x] if scaled_x is None else scaled_x
        return [
            QPointF(
                rect.left() + (x - low) / wide * rect.width(),
                rect.bottom() - min(float(y), picture.y_top) / picture.y_top * rect.height(),
            )
            for x, y in zip(across, values, strict=True)
        ]

    def _pen(self, line: Line) -> QPen:
        """pyqtgraph's pens are cosmetic: their width is in pixels of the screen, so it grows with the scale."""
        width = line.width * self.devicePixelRatioF()
        pen: QPen = pg.mkPen(role_color(self.theme, line.role), width=width)
        pattern = self._dashes(line)
        if pattern:
            pen.setDashPattern(pattern)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap if pattern else Qt.PenCapStyle.RoundCap)
        return pen

    def _dashes(self, line: Line) -> list[float]:
        """The dashes of a line in widths of its pen; none for a solid one."""
        pattern = (1.0, 3.0) if line.dotted_bound else self.theme.dash(line.dash) if line.dash is not None else ()
        return [part / line.width for part in pattern]

    def _band_brush(self) -> QBrush:
        assert self._picture is not None
        assert self._picture.band is not None
        color = with_alpha(role_color(self.theme, self._picture.band.role), self.theme.band_alpha)
        if not self._picture.band.striped:
            return QBrush(color)
        brush = QBrush(stripes(color))
        place, span, box = self.plot_rect(), self._picture.x_span, self._picture.y_top
        across = (span.scaled(span.high) - span.scaled(span.low)) / max(1.0, place.width())
        brush.setTransform(QTransform.fromScale(across, -box / max(1.0, place.height())))
        return brush

    # -- geometry -----------------------------------------------------------------------------------------------------

    def plot_rect(self) -> QRectF:
        """The ground of the curves inside the widget."""
        return QRectF() if self._place is None else self._place.rect

    def point(self, x: float, y: float) -> QPointF:
        """Where a value lies on the widget."""
        return QPointF() if self._place is None else self._place.point(x, y)

    def _arrange(self) -> None:
        """Ticks, margins and the range of the view."""
        picture = self._picture
        if picture is None:
            return
        self._place = place_plot(picture, self.theme, self._formatter, self.width(), self.height())
        self._plot.setGeometry(self._place.rect.toRect())
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

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._place is None:
            return
        painter = QPainter(self)
        paint_axes(painter, self.theme, self._place, self.width())
        if self._is_export:
            self._paint_curves(painter, self._place.picture)

    def paint_over(self, painter: QPainter) -> None:
        """Marks, labels, the read-out and the focus, over the curves."""
        self.card_rect = None
        if self._place is None:
            return
        written = PlotLabels(painter, self.theme, self._place)
        written.paint()
        self.labels = written.labels
        if 0 <= self._at < len(self._place.picture.x):
            self.card_rect = paint_read_out(painter, self.theme, self._place, self._at, with_card=not self._led)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("focus"), 2))
            painter.drawRoundedRect(self._place.rect.adjusted(-3, -3, 5, 3), 4, 4)

    # -- reading out --------------------------------------------------------------------------------------------------

    @property
    def read_at(self) -> int:
        """The index of the point that is read out; -1 for none."""
        return self._at

    def read(self, index: int) -> None:
        picture = self._picture
        if picture is None or index == self._at:
            return
        self._at, self._led = index, False
        spoken = picture.read_out(index).spoken if 0 <= index < len(picture.x) else picture.summary
        self.setAccessibleDescription(spoken)
        self._over.update()
        self.reading.emit(index)

    def follow(self, index: int) -> None:
        """Show the line and the dots of a point that another chart reads out."""
        if index != self._at:
            self._at, self._led = index, index >= 0
            self._over.update()

    def _nearest(self, x: float) -> int:
        assert self._picture is not None
        distances = [abs(self.point(value, 0).x() - x) for value in self._picture.x]
        return distances.index(min(distances))

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
