"""Labels on lines: put each where it covers neither another label nor a line, or leave it to the read-out."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF

#: Free ground round a label.
MARGIN = 2.0

#: Points of a line from left to right.
Track = Sequence[tuple[float, float]]


#: Left, top, right, bottom.
Edges = tuple[float, float, float, float]


class Ground:
    """What is already taken inside the plot. Hundreds of places are tried for a frame: plain numbers are quicker."""

    def __init__(self, bounds: QRectF) -> None:
        self.bounds = bounds
        self._edges: Edges = (bounds.left(), bounds.top(), bounds.right(), bounds.bottom())
        self._taken: list[Edges] = []
        self._tracks: list[tuple[list[float], Track]] = []

    def add_track(self, points: Track) -> None:
        """A line that no label may cover."""
        self._tracks.append(([x for x, _y in points], points))

    def take(self, rect: QRectF) -> None:
        self._taken.append((rect.left(), rect.top(), rect.right(), rect.bottom()))

    def is_free(self, rect: QRectF) -> bool:
        left, top, right, bottom = rect.left(), rect.top(), rect.right(), rect.bottom()
        first, upper, last, lower = self._edges
        if left < first or top < upper or right > last or bottom > lower:
            return False
        left, top, right, bottom = left - MARGIN, top - MARGIN / 2, right + MARGIN, bottom + MARGIN / 2
        for other_left, other_top, other_right, other_bottom in self._taken:
            if left < other_right and other_left < right and top < other_bottom and other_top < bottom:
                return False
        edges = left, top, right, bottom
        return not any(_crosses(xs, track, edges) for xs, track in self._tracks)

    def place(self, candidates: Iterable[QRectF]) -> QRectF | None:
        """The first candidate on free ground, which is then taken; None if there is none."""
        for rect in candidates:
            if self.is_free(rect):
                self.take(rect)
                return rect
        return None


def beside(point: QPointF, size: QSizeF, distance: float = 8.0) -> list[QRectF]:
    """Places beside a point: above right, above left, below right, below left, right, left, above, below."""
    w, h = size.width(), size.height()
    x, y = point.x(), point.y()
    corners = [
        (x + distance, y - distance - h),
        (x - distance - w, y - distance - h),
        (x + distance, y + distance / 2),
        (x - distance - w, y + distance / 2),
        (x + distance + 2, y - h / 2),
        (x - distance - 2 - w, y - h / 2),
        (x - w / 2, y - distance - h),
        (x - w / 2, y + distance),
    ]
    return [QRectF(left, top, w, h) for left, top in corners]


def _crosses(xs: list[float], track: Track, edges: Edges) -> bool:
    """Does the line touch the rectangle? Only the pieces above or below it are looked at, the near ones closely."""
    left, top, right, bottom = edges
    first = max(0, bisect_left(xs, left) - 1)
    last = min(len(xs) - 1, bisect_right(xs, right))
    for n in range(first, last):
        a, b = track[n], track[n + 1]
        if (a[1] < top and b[1] < top) or (a[1] > bottom and b[1] > bottom):
            continue
        if _segment_meets(a, b, edges):
            return True
    return False


def _segment_meets(a: tuple[float, float], b: tuple[float, float], edges: Edges) -> bool:
    """Does the straight piece from a to b touch the rectangle? (Liang and Barsky's clipping)"""
    left, top, right, bottom = edges
    dx, dy = b[0] - a[0], b[1] - a[1]
    enter, leave = 0.0, 1.0
    for step, room in ((-dx, a[0] - left), (dx, right - a[0]), (-dy, a[1] - top), (dy, bottom - a[1])):
        if step == 0:
            if room < 0:
                return False
            continue
        share = room / step
        if step < 0:
            enter = max(enter, share)
        else:
            leave = min(leave, share)
    return enter <= leave
