"""The memory of an option as one bar, on the scale that all options share."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language import comparison as words
from core.language import sentences
from core.language.numbers import current
from core.sizing.comparison import Comparison, Option
from core.sizing.report import MemoryKind
from desktop.charts.memory_bar import COLORS
from desktop.charts.painting import hatched, load_mark
from desktop.theme import Theme

HEIGHT, TOP, BAR, SIDE = 58, 14, 18, 8
MARK = 8  # the load mark reaches beyond its line


class MemoryStrip(QWidget):
    """All accelerators of an option together."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._option: Option | None = None
        self._longest = 1.0
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def set_option(self, option: Option, found: Comparison) -> None:
        self._option = option
        self._longest = max(max(_sizes(one)) for one in found.options)
        write = current()
        parts = [f"{sentences.memory_kind(kind)} {write.bytes(amount)}" for kind, amount in _amounts(option).items()]
        self.setAccessibleName(f"{option.letter}: {words.memory_use(option)}")
        self.setAccessibleDescription("; ".join(parts))
        self.setToolTip("\n".join([f"{option.letter}: {words.memory_use(option)}", *parts]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._option is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, option = self._theme, self._option
        scale = (self.width() - 2 * SIDE - MARK) / self._longest
        used, limit, whole = _sizes(option)
        self._paint_free(painter, min(used, whole) * scale, whole * scale)
        left = 0.0
        for kind, amount in _amounts(option).items():
            end = min(left + amount, limit)
            if end > left:
                box = QRectF(SIDE + left * scale, TOP, max(1.0, (end - left) * scale - 1.5), BAR)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.chart(COLORS[kind]))
                painter.drawRoundedRect(box, min(2.0, box.width() / 2), min(2.0, box.width() / 2))
            left += amount
        if used > limit:
            over = QRectF(SIDE + limit * scale + 1, TOP, (used - limit) * scale - 1, BAR)
            hatched(painter, over, theme.chart("spill"), theme.color("surface"), 2)
        x = SIDE + limit * scale
        painter.setPen(QPen(theme.chart("load_line"), 2))
        painter.drawLine(QPointF(x, TOP - 6), QPointF(x, TOP + BAR + 4))
        load_mark(painter, QPointF(x, TOP - 7), theme.chart("load_line"), theme.color("surface"), 3.5)
        short = option.sizing.shortfall_bytes > 0
        painter.setFont(theme.font("label", 600 if short else 400))
        painter.setPen(theme.color("bad" if short else "text_2"))
        room = QRectF(SIDE, TOP + BAR + 5, self.width() - 2 * SIDE, 18)
        shown = painter.fontMetrics().elidedText(
            words.memory_use(option), Qt.TextElideMode.ElideRight, int(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_free(self, painter: QPainter, start: float, end: float) -> None:
        if end - start < 2:
            return
        pen = QPen(self._theme.chart("axis"), 1)
        pen.setDashPattern([1.5, 2.5])
        painter.setPen(pen)
        painter.setBrush(self._theme.chart("free"))
        painter.drawRect(QRectF(SIDE + start, TOP, end - start, BAR).adjusted(0.5, 0.5, -0.5, -0.5))


def _amounts(option: Option) -> dict[MemoryKind, float]:
    """What stands in the memory of all accelerators, kind by kind."""
    found: dict[MemoryKind, float] = {}
    for use in option.sizing.devices:
        for tier in use.tiers:
            for item in tier.items:
                found[item.kind] = found.get(item.kind, 0.0) + item.bytes * use.count
    return dict(sorted(found.items(), key=lambda item: list(MemoryKind).index(item[0])))


def _sizes(option: Option) -> tuple[float, float, float]:
    """Used, usable by the engine, and there, of all accelerators."""
    trace = option.sizing.trace
    used, limit = float(trace["memory.total_bytes"]), float(trace["memory.limit_bytes"])
    return used, limit, max(float(trace["memory.capacity_bytes"]), limit)
