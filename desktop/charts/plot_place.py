"""Where a plot lies inside its widget, and its axes: heading, grid, ticks."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from core.language.numbers import Formatter
from desktop.charts.axes import Tick, decimals_of, token_ticks, value_ticks
from desktop.charts.picture import Picture
from desktop.theme import Theme

HEADING, BOTTOM, RIGHT, TICK_GAP = 24, 22, 8, 8


@dataclass(frozen=True, slots=True)
class PlotPlace:
    """The ground of the curves, and what the axes say."""

    picture: Picture
    rect: QRectF
    y_ticks: tuple[Tick, ...]
    x_ticks: tuple[Tick, ...]

    def point(self, x: float, y: float) -> QPointF:
        """Where a value lies on the widget."""
        across = self.rect.left() + self.picture.x_span.share(x) * self.rect.width()
        return QPointF(across, self.rect.bottom() - y / self.picture.y_top * self.rect.height())


def place_plot(picture: Picture, theme: Theme, formatter: Formatter, width: int, height: int) -> PlotPlace:
    """The plot of a widget of this size: as much room at the left as its numbers need."""
    y_ticks = picture.y_ticks or _values(picture, formatter)
    metrics = QFontMetricsF(theme.font("caption"))
    left = math.ceil(max(metrics.horizontalAdvance(tick.text) for tick in y_ticks)) + 2 * TICK_GAP
    rect = QRectF(left, HEADING, max(1.0, width - left - RIGHT), max(1.0, height - HEADING - BOTTOM))
    x_ticks = picture.x_ticks or tuple(
        token_ticks(picture.x_span, rect.width(), formatter.tokens, metrics.horizontalAdvance("512K"))
    )
    return PlotPlace(picture, rect, y_ticks, x_ticks)


def _values(picture: Picture, formatter: Formatter) -> tuple[Tick, ...]:
    """Round numbers from 0 to the top."""
    values = value_ticks(picture.y_top)
    digits = decimals_of(values)
    return tuple(Tick(value, formatter.decimal(value, digits)) for value in values)


def paint_axes(painter: QPainter, theme: Theme, place: PlotPlace, width: int) -> None:
    """Heading, horizontal grid, and the two axes."""
    painter.setFont(theme.font("label", 600))
    painter.setPen(theme.color("text_2"))
    heading = painter.fontMetrics().elidedText(place.picture.heading, Qt.TextElideMode.ElideRight, width)
    painter.drawText(QRectF(0, 0, width, 16), Qt.AlignmentFlag.AlignVCenter, heading)
    painter.setFont(theme.font("caption"))
    _paint_sunken(painter, theme, place)
    _paint_y_axis(painter, theme, place)
    _paint_x_axis(painter, theme, place, width)


def _paint_sunken(painter: QPainter, theme: Theme, place: PlotPlace) -> None:
    """The ground past an upright limit."""
    wall = place.picture.wall
    if wall is None or wall.x >= place.picture.x_span.high:
        return
    left = max(place.rect.left(), round(place.point(wall.x, 0).x()))
    ground = QRectF(left, place.rect.top(), place.rect.right() - left, place.rect.height())
    painter.fillRect(ground, theme.color("sunken"))


def _paint_y_axis(painter: QPainter, theme: Theme, place: PlotPlace) -> None:
    align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    rect = place.rect
    for tick in place.y_ticks:
        y = round(place.point(place.picture.x_span.low, tick.at).y()) + 0.5
        painter.setPen(QPen(theme.chart("axis" if tick.at == 0 else "grid"), 1))
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        painter.setPen(theme.chart("axis_text"))
        painter.drawText(QRectF(0, y - 8, rect.left() - TICK_GAP, 16), align, tick.text)


def _paint_x_axis(painter: QPainter, theme: Theme, place: PlotPlace, width: int) -> None:
    bottom, free_from = place.rect.bottom(), -math.inf
    for x, left, text_width, text in _x_labels(QFontMetricsF(painter.font()), place, width):
        painter.setPen(QPen(theme.chart("axis"), 1))
        across = round(x) + 0.5
        painter.drawLine(QPointF(across, bottom - 3), QPointF(across, bottom + 1))
        if left > free_from:
            painter.setPen(theme.chart("axis_text"))
            box = QRectF(left, bottom + 5, text_width + 2, 14)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
            free_from = left + text_width


def _x_labels(metrics: QFontMetricsF, place: PlotPlace, width: int) -> list[tuple[float, float, float, str]]:
    """Place, left edge, width and text of each label; the last one carries the unit and drives out the one before."""
    boxes = []
    for number, tick in enumerate(place.x_ticks):
        is_last = number == len(place.x_ticks) - 1
        text = f"{tick.text} {place.picture.x_unit}" if is_last else tick.text
        text_width = metrics.horizontalAdvance(text)
        x = place.point(tick.at, 0).x()
        left = x - metrics.horizontalAdvance(tick.text) / 2
        boxes.append((x, min(left, width - text_width), text_width, text))
    while len(boxes) > 1 and boxes[-2][1] + boxes[-2][2] + 6 > boxes[-1][1]:
        boxes.pop(-2)
    return boxes
