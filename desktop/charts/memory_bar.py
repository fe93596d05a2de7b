"""The memory bar: what stands on an accelerator, item by item, against what the engine may use."""

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language import chart_sentences, sentences
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter, current
from core.sizing.report import MemoryItem, MemoryKind, Sizing
from core.sizing.shown import (
    excess_of_tier,
    fixed_of_tier,
    free_of_tier,
    growing_of_tier,
    share_of_tier,
    used_of_tier,
)
from core.trace import Trace
from desktop.charts.memory_parts import Bar, Segment, bars, items_table, segments
from desktop.charts.painting import card, hatched, load_mark, readable_on
from desktop.charts.picture import ReadOut
from desktop.tables import TableData
from desktop.theme import ChartColor, Theme

HEADER, FOOTER, GAP = 24, 26, 4
TALL, LOW = 30, 20
NAME_GAP = 12
LOAD_MARK = 9.0  # how far the load mark reaches beyond its line
SEGMENT_GAP = 2.0

COLORS: dict[MemoryKind, ChartColor] = {
    MemoryKind.WEIGHTS: "weights",
    MemoryKind.DRAFT: "companions",
    MemoryKind.EMBEDDING: "companions",
    MemoryKind.RERANKER: "companions",
    MemoryKind.RUNTIME: "runtime",
    MemoryKind.KV_CACHE: "kv",
    MemoryKind.STATE: "state",
}


class MemoryBar(QWidget):
    """Bars of memory with names, brackets, the load line and what is too much."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._sizing: Sizing | None = None
        self._bars: list[Bar] = []
        self._formatter: Formatter = current()
        self._places: list[tuple[QRectF, Segment, Bar]] = []
        self._chosen = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(240)
        self.setFixedHeight(HEADER + TALL + FOOTER)

    # -- data ---------------------------------------------------------------------------------------------------------

    def set_sizing(self, sizing: Sizing) -> None:
        self._sizing, self._formatter = sizing, current()
        self._bars = bars(sizing)
        height = sum(self._bar_height() + HEADER * b.has_header + (FOOTER if b.has_footer else GAP) for b in self._bars)
        if height != self.height():
            self.setFixedHeight(height)
        self._chosen = min(self._chosen, sum(len(b.tier.items) for b in self._bars) - 1)
        self.setAccessibleName(chart_sentences.memory_title(sizing, self._formatter))
        self.setAccessibleDescription(self._summary())
        self._show_sizes()
        self.update()

    def _summary(self) -> str:
        parts = []
        for bar in self._bars:
            items = [
                f"{sentences.memory_kind(i.kind)} {self._formatter.bytes(i.bytes)}" for i in bar.tier.items if i.bytes
            ]
            parts.append(" ".join([bar.name, "; ".join(items)]).strip())
        return ". ".join(parts)

    def table(self) -> TableData:
        """The same numbers as a table."""
        trace = self._sizing.trace if self._sizing else Trace()
        device = self._sizing.devices[0].device if self._sizing else ""
        return items_table(trace, self._bars, device, self._formatter)

    # -- geometry -----------------------------------------------------------------------------------------------------

    def _bar_height(self) -> int:
        return TALL if len(self._bars) <= 2 else LOW

    def _name_width(self) -> float:
        widest = max((self.theme.width(bar.name, "label") for bar in self._bars), default=0.0)
        return min(widest + NAME_GAP, 150.0) if widest else 0.0

    def _scale(self) -> float:
        """Pixels a byte: every bar has the same scale."""
        tiers = [bar.tier for bar in self._bars]
        longest = max((max(t.usable_bytes, t.used_bytes, t.limit_bytes) for t in tiers), default=1)
        room = self.width() - self._name_width() - 1
        scale = room / max(1, longest)
        overhang = max((t.limit_bytes for t in tiers), default=0) * scale + LOAD_MARK - room
        return scale * (1 - max(0.0, min(overhang, LOAD_MARK)) / room)

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._places = []
        if self._sizing is None:
            self._paint_empty(painter)
            return
        left, top = self._name_width(), 0.0
        for bar in self._bars:
            top += HEADER * bar.has_header
            self._paint_bar(painter, bar, QRectF(left, top, self.width() - left, self._bar_height()))
            top += self._bar_height() + (FOOTER if bar.has_footer else GAP)
        self._paint_chosen(painter)

    def _paint_empty(self, painter: QPainter) -> None:
        self._paint_free(painter, QRectF(0, HEADER, self.width() - 1, TALL))

    def _paint_bar(self, painter: QPainter, bar: Bar, rect: QRectF) -> None:
        tier, scale = bar.tier, self._scale()
        self._paint_name(painter, bar, rect)
        limit = tier.limit_bytes
        if tier.usable_bytes > min(tier.used_bytes, limit):
            start = rect.left() + min(tier.used_bytes, tier.usable_bytes) * scale
            self._paint_free(
                painter, QRectF(start, rect.top(), rect.left() + tier.usable_bytes * scale - start, rect.height())
            )
        for segment in segments(tier):
            self._paint_segment(painter, bar, segment, rect, scale)
        if tier.overflow_bytes:
            over = QRectF(rect.left() + limit * scale, rect.top(), tier.overflow_bytes * scale, rect.height())
            hatched(painter, over.adjusted(1, 0, 0, 0), self.theme.chart("spill"), self.theme.color("surface"), 2)
        self._paint_free_label(painter, bar, rect, scale)
        self._paint_limit(painter, bar, rect, scale)
        if bar.has_footer:
            self._paint_brackets(painter, bar, rect, scale)

    def _paint_name(self, painter: QPainter, bar: Bar, rect: QRectF) -> None:
        if not bar.name:
            return
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_2"))
        room = rect.left() - NAME_GAP
        text = QFontMetricsF(painter.font()).elidedText(bar.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(0, rect.top(), room, rect.height()), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_free(self, painter: QPainter, rect: QRectF) -> None:
        if rect.width() < 2:
            return
        pen = QPen(self.theme.chart("axis"), 1)
        pen.setDashPattern([1.5, 2.5])
        painter.setPen(pen)
        painter.setBrush(self.theme.chart("free"))
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_segment(self, painter: QPainter, bar: Bar, segment: Segment, rect: QRectF, scale: float) -> None:
        end = min(segment.end, bar.tier.limit_bytes)
        if segment.end <= segment.start or segment.start >= end:
            return
        left, right = rect.left() + segment.start * scale, rect.left() + end * scale
        box = QRectF(left, rect.top(), max(1.0, right - left - SEGMENT_GAP), rect.height())
        self._places.append((box, segment, bar))
        if bar.is_slow:
            hatched(painter, box, self.theme.chart("spill"), self.theme.color("surface"), 2)
            return
        color = self.theme.chart(COLORS[segment.item.kind])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        radius = min(2.0, box.width() / 2)
        painter.drawRoundedRect(box, radius, radius)
        self._paint_segment_text(painter, segment.item, box, color)

    def _paint_segment_text(self, painter: QPainter, item: MemoryItem, box: QRectF, ground: QColor) -> None:
        value = self._digits(item.bytes)
        name = sentences.memory_kind(item.kind)
        for text, padding in ((f"{name}  {value}", 12), (value, 4)):
            if self.theme.width(text, "caption", 600) + padding <= box.width():
                painter.setFont(self.theme.font("caption", 600))
                painter.setPen(readable_on(ground, self.theme))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                return

    def _paint_free_label(self, painter: QPainter, bar: Bar, rect: QRectF, scale: float) -> None:
        assert self._sizing is not None
        trace = self._sizing.trace
        free = trace[free_of_tier(trace, bar.tier)]
        if free <= 0:
            return
        box = QRectF(rect.left() + bar.tier.used_bytes * scale, rect.top(), free * scale, rect.height())
        text = _("Free  {amount}").format(amount=self._digits(free))
        painter.setFont(self.theme.font("caption"))
        if self.theme.width(text, "caption") + 16 <= box.width():
            painter.setPen(self.theme.color("text_3"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_limit(self, painter: QPainter, bar: Bar, rect: QRectF, scale: float) -> None:
        tier = bar.tier
        if bar.is_slow and tier.limit_bytes >= tier.usable_bytes:
            return
        x = rect.left() + tier.limit_bytes * scale
        ink = self.theme.chart("load_line")
        top = rect.top() - (12 if bar.has_header else GAP)
        painter.setPen(QPen(ink, 2))
        painter.drawLine(QPointF(x, top), QPointF(x, rect.bottom() + 5))
        if not bar.has_header:
            return
        load_mark(painter, QPointF(max(x, 9.0), top), ink, self.theme.color("surface"))
        whole = tier.limit_bytes >= tier.usable_bytes
        text = (_("Memory {amount}") if whole else _("Engine limit {amount}")).format(
            amount=self._formatter.bytes(tier.limit_bytes)
        )
        width = self.theme.width(text, "caption", 600)
        left = x - 14 - width if x - 14 - width >= 0 else max(x, 9.0) + 14
        painter.setFont(self.theme.font("caption", 600))
        painter.setPen(self.theme.color("text"))
        painter.drawText(QRectF(left, top - 9, width + 2, 18), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_brackets(self, painter: QPainter, bar: Bar, rect: QRectF, scale: float) -> None:
        assert self._sizing is not None
        tier, trace = bar.tier, self._sizing.trace
        moved, fixed = trace[growing_of_tier(trace, tier)], trace[fixed_of_tier(trace, tier)]
        write = self._formatter.bytes
        ink, alarm = self.theme.color("text_2"), self.theme.color("bad")
        parts: list[tuple[int, int, str, QColor]] = []
        if bar.is_slow:
            text = _("In the slower memory {amount}").format(amount=write(trace[used_of_tier(trace, tier)]))
            parts.append((0, tier.used_bytes, text, ink))
        else:
            parts.append((0, min(fixed, tier.limit_bytes), _("Fixed {amount}").format(amount=write(fixed)), ink))
            if moved and fixed < tier.limit_bytes:
                parts.append((fixed, min(fixed + moved, tier.limit_bytes), self._requests_text(moved), ink))
        if tier.overflow_bytes:
            text = _("Too much: {amount}").format(amount=write(trace[excess_of_tier(trace, tier)]))
            parts.append((tier.limit_bytes, tier.used_bytes, text, alarm))
        self._paint_bracket_row(painter, bar, rect, scale, parts)

    def _requests_text(self, amount: int) -> str:
        sizing = self._sizing
        requests = int(sizing.trace.get("accelerator.requests", sizing.required_requests)) if sizing else 0
        text = ngettext("{requests} request {amount}", "{requests} requests {amount}", requests)
        return text.format(requests=self._formatter.count(requests), amount=self._formatter.bytes(amount))

    def _paint_bracket_row(
        self, painter: QPainter, bar: Bar, rect: QRectF, scale: float, parts: list[tuple[int, int, str, QColor]]
    ) -> None:
        assert self._sizing is not None
        painter.setFont(self.theme.font("caption"))
        y, free_from, free_to = rect.bottom(), rect.left(), float(self.width())
        alarm = self.theme.color("bad")
        for start, end, text, color in reversed(parts):  # what is too much is said first
            if color != alarm:
                continue
            width = self.theme.width(text, "caption", 600)
            left = min(rect.left() + start * scale, self.width() - width - 2)
            self._paint_bracket(painter, rect, start, end, scale)
            self._paint_bracket_text(painter, QRectF(left, y + 8, width + 2, 18), text, color, strong=True)
            free_to = left - 10
        for start, end, text, color in parts:
            if color == alarm:
                continue
            self._paint_bracket(painter, rect, start, end, scale)
            width = self.theme.width(text, "caption")
            left = max(rect.left() + start * scale + 1, free_from)
            if left + width <= free_to:
                self._paint_bracket_text(painter, QRectF(left, y + 8, width + 2, 18), text, color)
                free_from = left + width + 14
        size = chart_sentences.capacity_label(self._sizing, bar.tier, self._formatter)
        width = self.theme.width(size, "caption")
        left = max(rect.left(), rect.left() + bar.tier.usable_bytes * scale - width)
        sizes = {bar.tier.limit_bytes, bar.tier.usable_bytes, bar.tier.capacity_bytes}
        is_apart = len(sizes) > 1 or bar.is_slow
        if is_apart and left >= free_from and left + width <= free_to + 10:
            box = QRectF(left, y + 8, width + 2, 18)
            self._paint_bracket_text(painter, box, size, self.theme.color("text_3"))

    def _paint_bracket(self, painter: QPainter, rect: QRectF, start: int, end: int, scale: float) -> None:
        left, right = rect.left() + start * scale + 0.5, rect.left() + end * scale - SEGMENT_GAP + 0.5
        if right - left < 3:
            return
        painter.setPen(QPen(self.theme.chart("axis"), 1))
        y = rect.bottom() + 7.5
        painter.drawPolyline([QPointF(left, y - 4), QPointF(left, y), QPointF(right, y), QPointF(right, y - 4)])

    def _paint_bracket_text(
        self, painter: QPainter, box: QRectF, text: str, color: QColor, strong: bool = False
    ) -> None:
        painter.setFont(self.theme.font("caption", 600 if strong else 500))
        painter.setPen(color)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _digits(self, amount: int) -> str:
        """Digits in the one unit of all bars."""
        longest = max((b.tier.usable_bytes for b in self._bars), default=amount)
        if longest < 10**12 and 0 < amount < 50_000_000:
            return self._formatter.significant(amount / self._formatter.memory_factor, 1)  # not rounded away
        return self._formatter.bytes_parts(amount, like=max(longest, self._formatter.memory_factor))[0]

    def _paint_chosen(self, painter: QPainter) -> None:
        if not 0 <= self._chosen < len(self._places):
            return
        box, segment, bar = self._places[self._chosen]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.theme.color("text"), 2))
        painter.drawRect(box.adjusted(-1, -1, 1, 1))
        bounds = QRectF(self.rect())
        card(painter, self.theme, self.read_out(segment, bar), QPointF(box.center().x(), bounds.center().y()), bounds)

    # -- reading out --------------------------------------------------------------------------------------------------

    def read_out(self, segment: Segment, bar: Bar) -> ReadOut:
        assert self._sizing is not None
        amount, write = segment.item.bytes, self._formatter
        share = share_of_tier(self._sizing.trace, bar.tier, segment.item.key)
        lines = [write.bytes_both(amount)]
        if share is not None:
            lines.append(_("{share} of the engine limit").format(share=write.share(share)))
        return ReadOut(sentences.memory_kind(segment.item.kind), tuple(lines))

    def choose(self, index: int) -> None:
        """Read out one segment; -1 for none."""
        if index != self._chosen:
            self._chosen = index
            if 0 <= index < len(self._places):
                _box, segment, bar = self._places[index]
                self.setAccessibleDescription(self.read_out(segment, bar).spoken)
            self._show_sizes()
            self.update()

    def _show_sizes(self) -> None:
        """Beside the segments the tooltip tells the sizes of the memory apart; on one its own card speaks."""
        if self._sizing is None or self._chosen >= 0:
            self.setToolTip("")
            return
        tiers, write = self._sizing.devices[0].tiers, self._formatter
        parts = [chart_sentences.sizes_of_memory(tier, write) for tier in tiers]
        if len(tiers) > 1:
            parts = [f"{tier.name}\n{part}" for tier, part in zip(tiers, parts, strict=True)]
        self.setToolTip("\n\n".join(parts))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.choose(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.choose(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position())
        if place >= 0:
            self.explain_requested.emit(self._places[place][1].item.key)

    def _at(self, point: QPointF) -> int:
        for index, (box, _segment, _bar) in enumerate(self._places):
            if box.adjusted(-1, 0, 1, 0).contains(point):
                return index
        return -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = event.key(), len(self._places) - 1
        if key == Qt.Key.Key_Right:
            self.choose(min(self._chosen + 1, last))
        elif key == Qt.Key.Key_Left:
            self.choose(max(self._chosen - 1, 0))
        elif key == Qt.Key.Key_Home:
            self.choose(0)
        elif key == Qt.Key.Key_End:
            self.choose(last)
        elif key == Qt.Key.Key_Escape and self._chosen >= 0:
            self.choose(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            key_name = self._places[self._chosen][1].item.key if self._chosen >= 0 else "memory.total_bytes"
            self.explain_requested.emit(key_name)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.choose(max(self._chosen, 0))
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.choose(-1)
        super().focusOutEvent(event)
