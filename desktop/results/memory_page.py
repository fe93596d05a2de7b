"""Memory: what stands on each accelerator, and how it grows with context."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.errors import TonnageError
from core.language import chart_sentences, sentences
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.numbers import Formatter, current
from core.sizing.report import MemoryKind, Sizing
from core.sizing.shown import excess_of_tier, free_of_device, used_of_device
from desktop.charts.memory_bar import COLORS, MemoryBar
from desktop.charts.memory_curve import memory_picture
from desktop.charts.picture import Picture
from desktop.results.curves import Curves
from desktop.results.page import ChartSlot, ResultPage, slot_tables
from desktop.tables import TableData
from desktop.theme import Theme

LIST_WIDTH, ROW, HEAD = 212, 24, 26
LINE = 15  # of a name that takes a second one


@dataclass(frozen=True, slots=True)
class ItemLine:
    name: str
    value: str
    key: str
    kind: MemoryKind | None = None
    is_slow: bool = False
    is_sum: bool = False
    is_alarm: bool = False


class ItemList(QWidget):
    """The items of one accelerator in GB; a row explains its figure."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.lines: list[ItemLine] = []
        self._names: list[tuple[str, ...]] = []  # of each line, in one row or two
        self._tops = [HEAD]  # of each line, and the end of the last
        self._at = -1
        self.setFixedWidth(LIST_WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def set_lines(self, lines: list[ItemLine]) -> None:
        self.lines = lines
        self._names = [self._broken(line) for line in lines]
        heights = (ROW + LINE * (len(name) - 1) for name in self._names)
        self._tops = list(accumulate(heights, initial=HEAD))
        self.setAccessibleName(_("Items of memory in {unit}").format(unit=current().memory_unit))
        self.setAccessibleDescription("; ".join(f"{line.name} {line.value}" for line in lines))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        unit = current().memory_unit
        self._row(painter, (0, HEAD), (_("Item"),), unit, self.theme.color("text_3"), 400, 0)
        painter.fillRect(QRectF(0, HEAD - 1, self.width(), 1), self.theme.color("text_3"))
        for index, (line, (top, end)) in enumerate(zip(self.lines, pairwise(self._tops), strict=True)):
            if index == self._at:
                painter.fillRect(QRectF(0, top, self.width(), end - top - 1), self.theme.color("hover"))
            ink = self.theme.color("bad" if line.is_alarm else "text")
            self._row(painter, (top, end), self._names[index], line.value, ink, _weight(line), _indent(line))
            if line.kind is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self.theme.chart("spill" if line.is_slow else COLORS[line.kind]))
                painter.drawRoundedRect(QRectF(0, top + 7, 10, 10), 2, 2)
            before_sum = index + 1 < len(self.lines) and self.lines[index + 1].is_sum
            rule = self.theme.color("text_3" if before_sum else "border")
            painter.fillRect(QRectF(0, end - 1, self.width(), 1), rule)
            if index == self._at and self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self.theme.color("focus"), 2))
                painter.drawRoundedRect(QRectF(1, top + 1, self.width() - 2, end - top - 3), 3, 3)

    def _row(
        self,
        painter: QPainter,
        place: tuple[int, int],
        name: tuple[str, ...],
        value: str,
        ink: QColor,
        weight: int,
        indent: int,
    ) -> None:
        """Paint a row between a top and an end; its number stands beside the first line of its name."""
        painter.setFont(self.theme.font("label", weight))
        painter.setPen(ink)
        top, end = place
        height = end - top - LINE * (len(name) - 1) - 1
        number = self.theme.width(value, "label", weight)
        centre = Qt.AlignmentFlag.AlignVCenter
        for at, text in enumerate(name):
            painter.drawText(QRectF(indent, top + at * LINE, self.width() - indent, height), centre, text)
        painter.drawText(QRectF(self.width() - number - 1, top, number + 2, height), centre, value)

    def _broken(self, line: ItemLine) -> tuple[str, ...]:
        """The name of a row, in two lines where it is too long for one."""
        weight = _weight(line)
        room = self.width() - self.theme.width(line.value, "label", weight) - _indent(line) - 8
        if self.theme.width(line.name, "label", weight) <= room:
            return (line.name,)
        words, first = line.name.split(" "), ""
        while len(words) > 1 and self.theme.width(f"{first} {words[0]}".strip(), "label", weight) <= room:
            first = f"{first} {words.pop(0)}".strip()
        second = self.theme.elided(" ".join(words), self.width() - _indent(line), "label", weight)
        return (first, second) if first else (self.theme.elided(line.name, room, "label", weight),)

    def _choose(self, index: int) -> None:
        if index != self._at:
            self._at = index
            if 0 <= index < len(self.lines):
                line = self.lines[index]
                self.setAccessibleDescription(f"{line.name} {line.value} {current().memory_unit}")
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = bisect_right(self._tops, event.position().y()) - 1
        self._choose(index if 0 <= index < len(self.lines) else -1)

    def leaveEvent(self, event: QEvent) -> None:
        self._choose(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._at >= 0:
            self.explain_requested.emit(self.lines[self._at].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = event.key(), len(self.lines) - 1
        if key == Qt.Key.Key_Down:
            self._choose(min(self._at + 1, last))
        elif key == Qt.Key.Key_Up:
            self._choose(max(self._at - 1, 0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1) and self._at >= 0:
            self.explain_requested.emit(self.lines[self._at].key)
        else:
            super().keyPressEvent(event)


def _weight(line: ItemLine) -> int:
    return 600 if line.is_sum or line.is_alarm else 400


def _indent(line: ItemLine) -> int:
    return 16 if line.kind else 0


class MemoryPage(ResultPage):
    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__(theme, curves)
        self.bar = MemoryBar(theme)
        self.bar.explain_requested.connect(self.explain_requested)
        self.slot = ChartSlot(theme, _("Memory against context"), self._picture)
        self.slot.explain_requested.connect(self.explain_requested)
        self.items = ItemList(theme)
        self.items.explain_requested.connect(self.explain_requested)
        lower = QHBoxLayout()
        lower.setSpacing(20)
        lower.addWidget(self.slot, 1)
        lower.addWidget(self.items)
        column = QVBoxLayout(self.charts)
        column.setContentsMargins(0, 6, 0, 6)
        column.setSpacing(12)
        column.addWidget(self.bar)
        column.addLayout(lower, 1)
        self.charts.setFocusProxy(self.bar)

    def slots(self) -> list[ChartSlot]:
        return [self.slot]

    def tables(self) -> list[TableData]:
        return [self.bar.table(), *slot_tables([self.slot])]

    def set_compact(self, compact: bool) -> None:
        super().set_compact(compact)
        self.items.setHidden(compact)

    def _update(self, sizing: Sizing) -> None:
        write = current()
        self.title.setText(chart_sentences.memory_title(sizing, write))
        self.line.setText(chart_sentences.memory_line(sizing, write))
        self.bar.set_sizing(sizing)
        self.items.set_lines(item_lines(sizing, self._names(sizing), write))
        self.slot.refresh()

    def _picture(self) -> Picture | None:
        if self.sizing is None:
            return None
        return memory_picture(self.sizing, self.curves.memory(self.sizing, self.catalogue), current())

    def _names(self, sizing: Sizing) -> dict[MemoryKind, str]:
        """What is said beside an item: the format of the weights."""
        try:
            return {MemoryKind.WEIGHTS: format_name(self.catalogue.weight_format(sizing.scenario.weights).name)}
        except (AttributeError, TonnageError):
            return {}


def small_digits(amount: int, write: Formatter) -> str:
    """Digits in the unit of memory; a small amount is not rounded away."""
    if amount >= 50_000_000 or amount == 0:
        return write.memory_digits(amount)
    return write.significant(amount / write.memory_factor, 1)


def item_lines(sizing: Sizing, names: dict[MemoryKind, str], write: Formatter) -> list[ItemLine]:
    """The items of the first accelerator, then their sum, then what is free or too much."""
    use = sizing.devices[0]
    here = int(sizing.trace.get("accelerator.requests", sizing.required_requests))
    requests, lines = write.count(here), []
    context = write.tokens(sizing.scenario.workload.context_tokens)
    for place, tier in enumerate(use.tiers):
        for item in tier.items:
            name = sentences.memory_kind(item.kind)
            if item.kind in names:
                name = _("{item}, {detail}").format(item=name, detail=names[item.kind])
            elif item.kind is MemoryKind.KV_CACHE:
                name = _("{item}, {detail}").format(item=name, detail=f"{requests} × {context}")
            if place:
                name = _("{item}, {detail}").format(item=sentences.memory_kind(item.kind), detail=tier.name)
            lines.append(ItemLine(name, small_digits(item.bytes, write), item.key, item.kind, is_slow=place > 0))
    trace = sizing.trace
    used, free = used_of_device(trace, use), free_of_device(trace, use)
    worst = max(use.tiers, key=lambda tier: tier.overflow_bytes)
    lines.append(ItemLine(_("Used"), write.memory_digits(trace[used]), used, is_sum=True))
    if worst.overflow_bytes:
        over = excess_of_tier(trace, worst)
        lines.append(ItemLine(_("Too much"), write.memory_digits(trace[over]), over, is_alarm=True))
    else:
        lines.append(ItemLine(_("Free below the limit"), write.memory_digits(trace[free]), free))
    return lines
