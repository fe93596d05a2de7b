"""What is written over the curves: levels, the chosen point, crossings and the names of lines, none over another."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from desktop.charts.curve_points import cut
from desktop.charts.labels import Ground, beside
from desktop.charts.painting import card, load_mark, point_mark, role_color
from desktop.charts.picture import Line, Picture
from desktop.charts.plot_place import PlotPlace
from desktop.theme import Theme

LABEL_HEIGHT = 16.0
NEAR_END = 4.0
MANY = 32
MARK_GAP = 16.0  # between the load mark and a dot on its line


def clear_of(x: float, dots: Iterable[float]) -> float:
    """The place of a mark at `x`, moved to the left of the dots that it would touch.

    >>> clear_of(400, [100, 280]), clear_of(400, [404, 380])
    (400, 364.0)
    """
    for dot in sorted(dots, reverse=True):
        if abs(dot - x) < MARK_GAP:
            x = dot - MARK_GAP
    return x


def paint_read_out(painter: QPainter, theme: Theme, place: PlotPlace, at: int, with_card: bool = True) -> QRectF | None:
    """The upright line, a dot on each curve, and the card with the numbers; return where the card is."""
    picture, rect = place.picture, place.rect
    x = round(place.point(picture.x[at], 0).x()) + 0.5
    painter.setPen(QPen(theme.chart("hover"), 1))
    painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
    for y, role in picture.dots(at):
        if y <= picture.y_top:
            spot = place.point(picture.x[at], y)
            point_mark(painter, spot, 8, role_color(theme, role), theme.color("surface"), "circle")
    if not with_card:
        return None
    anchor = QPointF(x, rect.top() + rect.height() * 0.35)
    return card(painter, theme, picture.read_out(at), anchor, rect)


class PlotLabels:
    """Paints once; `labels` then says what was written where. What found no free ground is left to the read-out."""

    def __init__(self, painter: QPainter, theme: Theme, place: PlotPlace) -> None:
        self.painter, self.theme, self.place = painter, theme, place
        self.picture = place.picture
        self.ground = Ground(place.rect)
        self.labels: dict[str, QRectF] = {}

    def paint(self) -> None:
        """The user's own point first, since it must not go without its label."""
        picture = self.picture
        for line in picture.lines:
            self.ground.add_track(self._track(picture, line.y))
        self._paint_mark_line(picture)
        self._paint_wall(picture)
        self._paint_levels(picture)
        self._paint_chosen(picture)
        self._paint_points(picture)
        self._paint_crossings(picture)
        self._paint_mark(picture)
        self._paint_line_names(picture)

    def _track(self, picture: Picture, values: Sequence[float]) -> list[tuple[float, float]]:
        """The line in pixels, up to a little above the plot."""
        rect = self.place.rect
        up, bottom, most = rect.height() / picture.y_top, rect.bottom(), picture.y_top * 1.2
        return [(x, bottom - y * up) for x, y in zip(self._across, values, strict=True) if y <= most]

    @cached_property
    def _across(self) -> list[float]:
        """Where the points of all lines lie from left to right."""
        rect, span = self.place.rect, self.picture.x_span
        low, high = span.scaled(span.low), span.scaled(span.high)
        across, left = rect.width() / (high - low), rect.left()
        return [left + (span.scaled(x) - low) * across for x in self.picture.x]

    def _write(self, text: str, places: Iterable[QRectF], font: QFont, color: QColor) -> None:
        rect = self.ground.place(places)
        if rect is not None:
            if self._covers_mark(rect):
                self.painter.fillRect(rect, self.theme.color("surface"))
            self.painter.setFont(font)
            self.painter.setPen(color)
            self.painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
            self.labels[text] = rect

    def _covers_mark(self, rect: QRectF) -> bool:
        """Does a label lie on the thin line of another length? Then it gets ground of its own."""
        picture = self.picture
        if picture.mark_x is None:
            return False
        return rect.left() < self.place.point(picture.mark_x[0], 0).x() < rect.right()

    def _size(self, text: str, font: QFont) -> QSizeF:
        return QSizeF(math.ceil(self.theme.width(text, "caption", int(font.weight()))) + 1, LABEL_HEIGHT)

    def _paint_levels(self, picture: Picture) -> None:
        rect = self.place.rect
        for level in picture.levels:
            if level.y > picture.y_top:
                continue
            y = self.place.point(picture.x_span.low, level.y).y()
            self.ground.add_track([(rect.left(), y), (rect.right(), y)])
            if level.is_limit:
                self._paint_limit(picture, y)
            else:
                pen = QPen(self.theme.chart("target"), 1)
                pen.setDashPattern([4, 3])
                self.painter.setPen(pen)
                across = round(y) + 0.5
                self.painter.drawLine(QPointF(rect.left(), across), QPointF(rect.right(), across))
            font = self.theme.font("caption", 600 if level.is_limit else 500)
            size = self._size(level.text, font)
            color = self.theme.color("text" if level.is_limit else "text_3")
            lefts = (rect.left() + 8, rect.right() - size.width() - (28 if level.is_limit else 4))
            tops = (y - size.height() - 3, y + 4)
            places = [QRectF(QPointF(left, top), size) for top in tops for left in lefts]
            self._write(level.text, places, font, color)

    def _paint_wall(self, picture: Picture) -> None:
        """The upright limit, with the load mark at its top and its name beside it."""
        wall = picture.wall
        if wall is None or not picture.x_span.low <= wall.x <= picture.x_span.high:
            return
        rect, ink = self.place.rect, self.theme.chart("load_line")
        x = round(self.place.point(wall.x, 0).x())
        self.painter.setPen(QPen(ink, 2))
        self.painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        self.ground.add_track([(x, rect.top()), (x + 0.01, rect.bottom())])
        if not wall.text:
            return
        mark = QPointF(x, rect.top() + 8)
        load_mark(self.painter, mark, ink, self.theme.color("surface"))
        self.ground.take(QRectF(mark.x() - 9, mark.y() - 6, 18, 12))
        font = self.theme.font("caption", 600)
        size = self._size(wall.text, font)
        lefts = (x + 12, x - 12 - size.width())
        places = [QRectF(QPointF(left, top), size) for top in (rect.top(), rect.top() + 20) for left in lefts]
        self._write(wall.text, places, font, self.theme.color("text"))

    def _paint_points(self, picture: Picture) -> None:
        for point in picture.points:
            spot = self.place.point(point.x, point.y)
            color = role_color(self.theme, point.role)
            if point.low is not None and point.high is not None:
                ends = [self.place.point(point.x, end).y() for end in (point.low, point.high)]
                self.painter.setPen(QPen(color, 1.6))
                self.painter.drawLine(QPointF(spot.x(), ends[0]), QPointF(spot.x(), ends[1]))
                self.ground.take(QRectF(spot.x() - 2, ends[1], 4, ends[0] - ends[1]))
            point_mark(self.painter, spot, 12, color, self.theme.color("surface"), point.marker)
            self.ground.take(QRectF(spot.x() - 7, spot.y() - 7, 14, 14))
        for point in picture.points:
            spot = self.place.point(point.x, point.y)
            font = self.theme.font("caption", 600 if point.strong else 500)
            size = self._size(point.text, font)
            places = [rect for distance in (11.0, 24.0, 40.0) for rect in beside(spot, size, distance)]
            self._write(point.text, places, font, self.theme.color("text"))

    def _paint_limit(self, picture: Picture, y: float) -> None:
        """The line with the load mark near its end: left of the crossings that lie there."""
        rect, ink = self.place.rect, self.theme.chart("load_line")
        y = round(y)
        self.painter.setPen(QPen(ink, 2))
        self.painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        x = clear_of(rect.right() - 10, [self.place.point(one.x, one.y).x() for one in picture.crossings])
        load_mark(self.painter, QPointF(x, y), ink, self.theme.color("surface"))

    def _paint_mark_line(self, picture: Picture) -> None:
        """Another length that is worth a name on the x axis."""
        if picture.mark_x is None:
            return
        rect = self.place.rect
        x = round(self.place.point(picture.mark_x[0], 0).x()) + 0.5
        pen = QPen(self.theme.chart("axis"), 1)
        pen.setDashPattern([2, 3])
        self.painter.setPen(pen)
        self.painter.drawLine(QPointF(x, rect.top() + 2), QPointF(x, rect.bottom()))

    def _paint_mark(self, picture: Picture) -> None:
        if picture.mark_x is None:
            return
        at, text = picture.mark_x
        rect, font = self.place.rect, self.theme.font("caption")
        x = round(self.place.point(at, 0).x()) + 0.5
        size = self._size(text, font)
        tops = [rect.bottom() - (size.height() + 6) * row for row in (1, 2, 3)]
        places = [QRectF(QPointF(left, top), size) for top in tops for left in (x - 6 - size.width(), x + 6)]
        self._write(text, places, font, self.theme.color("text_3"))

    def _paint_chosen(self, picture: Picture) -> None:
        chosen = picture.chosen
        if chosen is None:
            return
        rect = self.place.rect
        inside = chosen.y <= picture.y_top
        spot = self.place.point(chosen.x, min(chosen.y, picture.y_top))
        if chosen.drop:
            pen = QPen(self.theme.color("text_2"), 1)
            pen.setDashPattern([4, 3])
            self.painter.setPen(pen)
            x = round(spot.x()) + 0.5
            self.painter.drawLine(QPointF(x, spot.y()), QPointF(x, rect.bottom()))
        if inside:
            color = role_color(self.theme, chosen.role)
            point_mark(self.painter, spot, 12, color, self.theme.color("surface"), chosen.marker)
            self.ground.take(QRectF(spot.x() - 7, spot.y() - 7, 14, 14))
        strong, plain = self.theme.font("caption", 600), self.theme.font("caption")
        if not chosen.drop:
            size = self._size(chosen.text, strong)
            places = [rect for distance in (11.0, 28.0, 44.0) for rect in beside(spot, size, distance)]
            self._write(chosen.text, places, strong, self.theme.color("text"))
            return
        rows = [(chosen.text, strong, self.theme.color("text"))]
        rows += [(note, plain, self.theme.color("text_3")) for note in chosen.notes]
        self._paint_beside_drop(spot, rows)

    def _paint_beside_drop(self, spot: QPointF, rows: list[tuple[str, QFont, QColor]]) -> None:
        """Labels of the chosen point at the foot of its dropped line, else closer together, else beside the point."""
        rect = self.place.rect
        for index, (text, font, color) in enumerate(rows):
            size = self._size(text, font)
            lefts = (spot.x() - 8 - size.width(), spot.x() + 8)
            tops = [rect.bottom() - base - pitch * (len(rows) - index) for pitch, base in ((22, 8), (17, 3), (22, 52))]
            places = [QRectF(QPointF(left, top), size) for left in lefts for top in tops]
            if index == 0:
                places += beside(spot, size, 11.0)
            self._write(text, places, font, color)
        self.ground.add_track([(spot.x(), spot.y()), (spot.x(), rect.bottom())])

    def _paint_crossings(self, picture: Picture) -> None:
        for crossing in sorted(picture.crossings, key=lambda one: not one.strong):
            spot = self.place.point(crossing.x, crossing.y)
            color = role_color(self.theme, crossing.role)
            point_mark(self.painter, spot, 8, color, self.theme.color("surface"), "circle")
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
            self._write(crossing.text, places, font, color)

    def _paint_line_names(self, picture: Picture) -> None:
        for line in picture.lines:
            if not line.name:
                continue
            font = self.theme.font("caption", 600 if line.strong else 500)
            size = self._size(line.name, font)
            places = self._places_on(picture, line, size)
            self._write(line.name, places, font, role_color(self.theme, line.role))

    def _places_on(self, picture: Picture, line: Line, size: QSizeF) -> Iterator[QRectF]:
        """Places for the name of a line: where it leaves the plot or ends, then back along it."""
        xs, ys = cut(picture, line.y)
        rect, span = self.place.rect, picture.x_span
        low, wide = span.scaled(span.low), span.scaled(span.high) - span.scaled(span.low)
        width, height = size.width(), size.height()
        step = -2 if len(xs) > MANY else -1  # points of a long curve lie closer than labels can
        for x, y in zip(xs[::step].tolist(), ys[::step].tolist(), strict=True):
            across = rect.left() + (x - low) / wide * rect.width()
            down = rect.bottom() - y / picture.y_top * rect.height()
            top = min(max(down - height / 2, rect.top() + 1), rect.bottom() - height)
            for gap in (6.0, 12.0, 20.0):
                yield QRectF(across - width - gap, top, width, height)
            yield QRectF(across + 4, down + NEAR_END, width, height)  # below what rises to the right
            yield QRectF(across + 6, top, width, height)
            yield QRectF(across - width / 2, down - height - NEAR_END, width, height)
            yield QRectF(across - width / 2, down + NEAR_END, width, height)
