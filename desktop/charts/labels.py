"""Labels on lines: put each where it covers neither another label nor a line, or leave it to the read-out."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF

#: Free ground round a label.
MARGIN = 2.0

Track = Sequence[QPointF]


class Ground:
    """What is already taken inside the plot."""

    def __init__(self, bounds: QRectF) -> None:
        self.bounds = bounds
        self._taken: list[QRectF] = []
        self._tracks: list[Track] = []

    def add_track(self, points: Track) -> None:
        """A line that no label may cover."""
        self._tracks.append(points)

    def take(self, rect: QRectF) -> None:
        self._taken.append(rect)

    def is_free(self, rect: QRectF) -> bool:
        if not self.bounds.contains(rect):
            return False
        wide = rect.adjusted(-MARGIN, -MARGIN / 2, MARGIN, MARGIN / 2)
        if any(wide.intersects(other) for other in self._taken):
            return False
        return not any(_crosses(track, wide) for track in self._tracks)

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


def _crosses(track: Track, rect: QRectF) -> bool:
    return any(_segment_meets(a, b, rect) for a, b in pairwise(track))


def _segment_meets(a: QPointF, b: QPointF, rect: QRectF) -> bool:
    """Does the straight piece from a to b touch the rectangle? (Liang and Barsky's clipping)"""
    dx, dy = b.x() - a.x(), b.y() - a.y()
    enter, leave = 0.0, 1.0
    for step, room in (
        (-dx, a.x() - rect.left()),
        (dx, rect.right() - a.x()),
        (-dy, a.y() - rect.top()),
        (dy, rect.bottom() - a.y()),
    ):
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
