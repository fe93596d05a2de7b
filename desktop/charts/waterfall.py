"""The waterfall of one token: each cause starts where the one before it ended."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language import chart_sentences, sentences
from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Cause, Sizing, TimePart
from core.sizing.shown import share_of_token
from desktop.tables import Cell, Column, TableData
from desktop.theme import ChartColor, TextStyle, Theme

ROW, LOW_ROW, BAR, TOTAL_BAR = 29, 24, 18, 4
MOST_ROWS = 6  # of full height
TOTAL = "tpot_s"
NAME_WIDTH, VALUE_WIDTH = 132, 74
#: Narrower than this the reasons are in the tooltip only.
REASONS_FROM = 600
_BAR_SHARE = 0.46  # of the width left of names, where reasons are shown

_COLORS: dict[Cause, ChartColor] = {
    Cause.WEIGHTS: "weights",
    Cause.EXPERTS: "companions",
    Cause.KV_CACHE: "kv",
    Cause.STATE: "state",
    Cause.COMPUTE: "compute",
    Cause.LINK: "link",
    Cause.ENGINE: "runtime",
    Cause.SECOND_TIER: "spill",
}


@dataclass(frozen=True, slots=True)
class Row:
    part: TimePart
    start: float  # [s]
    share: float  # of the whole token
    name: str
    value: str
    reason: str


class Waterfall(QWidget):
    """Time of one decode step by cause, with the reason of each."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._rows: list[Row] = []
        self._total = 0.0
        self._total_text = ""
        self._chosen = -1
        self._pitch = ROW
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(300)
        self.setFixedHeight(6 * ROW)

    def set_sizing(self, sizing: Sizing) -> None:
        write = current()
        self._rows, start = [], 0.0
        for part in chart_sentences.token_parts(sizing):
            reason = chart_sentences.step_reason(sizing, part, write)
            value = write.seconds(part.seconds)
            share = share_of_token(sizing.trace, part.key)
            self._rows.append(Row(part, start, share, sentences.cause(part.cause), value, reason))
            start += part.seconds
        self._total = float(sizing.trace[TOTAL]) if self._rows else 0.0
        self._total_text = write.seconds(self._total)
        self._pitch = ROW if len(self._rows) < MOST_ROWS else LOW_ROW
        height = (len(self._rows) + 1) * self._pitch
        if height != self.height():
            self.setFixedHeight(height)
        self._chosen = min(self._chosen, len(self._rows))
        self.setAccessibleName(chart_sentences.step_title(sizing, write))
        self.setAccessibleDescription("; ".join(f"{row.name} {row.value}" for row in self._rows))
        self.update()

    @property
    def rows(self) -> list[Row]:
        return self._rows

    def table(self) -> TableData:
        """The same numbers as a table."""
        columns = (
            Column(_("Cause"), is_number=False),
            Column(_("Time"), "ms"),
            Column(_("Share"), "%"),
            Column(_("Reason"), is_number=False),
        )
        write, rows = current(), []
        lines = [(row.name, row.part.seconds, row.share, row.reason) for row in self._rows]
        lines.append((_("One token"), self._total, 1.0, ""))
        for name, seconds, share, reason in lines:
            cells = Cell(write.decimal(seconds * 1e3, 2), seconds * 1e3), Cell(write.percent(share), 100 * share)
            rows.append((Cell(name), *cells, Cell(reason)))
        keys = (*(row.part.key for row in self._rows), TOTAL)
        return TableData(_("One token"), columns, tuple(rows), keys)

    # -- painting -----------------------------------------------------------------------------------------------------

    def _name_width(self) -> float:
        widest = max((self.theme.width(row.name, "label") for row in self._rows), default=0.0)
        return min(max(float(NAME_WIDTH), widest + 14), self.width() * 0.4)

    def _shows_reasons(self) -> bool:
        return self.width() >= REASONS_FROM

    def _bar_width(self) -> float:
        room = self.width() - self._name_width()
        return room * _BAR_SHARE if self._shows_reasons() else room - VALUE_WIDTH

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, width = self._name_width(), self._bar_width()
        scale = width / self._total if self._total > 0 else 0.0
        for index, row in enumerate(self._rows):
            self._paint_row(painter, index, row, left, scale)
        self._paint_total(painter, left, width)

    def _paint_row(self, painter: QPainter, index: int, row: Row, left: float, scale: float) -> None:
        top = index * self._pitch
        if index == self._chosen:
            painter.setPen(QPen(self.theme.color("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.color("hover"))
            painter.drawRoundedRect(QRectF(left - 7, top + 1, self.width() - left + 6, self._pitch - 2), 4, 4)
        start = left + row.start * scale
        bar = QRectF(start, top + (self._pitch - BAR) / 2, row.part.seconds * scale, BAR)
        if bar.width() > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._color(row.part.cause))
            radius = min(2.0, bar.width() / 2)
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(1.0, bar.width()), BAR), radius, radius)
        self._paint_thread(painter, bar.right(), bar.bottom(), top + self._pitch + (self._pitch - BAR) / 2)
        self._text(painter, QRectF(0, top, left - 8, self._pitch), row.name, "label", self.theme.color("text"))
        value_left = max(bar.right(), left) + 6
        self._text(
            painter,
            QRectF(value_left, top, VALUE_WIDTH, self._pitch),
            row.value,
            "label",
            self.theme.color("text"),
            600,
        )
        if self._shows_reasons():
            at = left + self._bar_width() + VALUE_WIDTH + 8
            box = QRectF(at, top, self.width() - at, self._pitch)
            if self.theme.width(row.reason, "label") <= box.width():
                self._text(painter, box, row.reason, "label", self.theme.color("text_2"))  # else it is in the tooltip

    def _color(self, cause: Cause) -> QColor:
        """Reading prompts has the colour of the chart of first token."""
        return self.theme.series(1) if cause is Cause.PROMPTS else self.theme.chart(_COLORS[cause])

    def _paint_thread(self, painter: QPainter, x: float, top: float, bottom: float) -> None:
        """The thin line that leads from the end of one bar to the start of the next."""
        pen = QPen(self.theme.chart("axis"), 1)
        pen.setDashPattern([1, 2])
        painter.setPen(pen)
        across = round(x) - 0.5
        painter.drawLine(QPointF(across, top + 1), QPointF(across, bottom))

    def _paint_total(self, painter: QPainter, left: float, width: float) -> None:
        top = len(self._rows) * self._pitch
        if self._chosen == len(self._rows):
            painter.setPen(QPen(self.theme.color("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.color("hover"))
            painter.drawRoundedRect(QRectF(left - 7, top + 1, self.width() - left + 6, self._pitch - 2), 4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color("text"))
        painter.drawRoundedRect(QRectF(left, top + (self._pitch - TOTAL_BAR) / 2, width, TOTAL_BAR), 2, 2)
        ink = self.theme.color("text")
        self._text(painter, QRectF(0, top, left - 8, self._pitch), _("One token"), "label", ink, 600)
        self._text(
            painter, QRectF(left + width + 6, top, VALUE_WIDTH, self._pitch), self._total_text, "label", ink, 600
        )

    def _text(
        self, painter: QPainter, box: QRectF, text: str, style: TextStyle, color: QColor, weight: int | None = None
    ) -> None:
        painter.setFont(self.theme.font(style, weight))
        painter.setPen(color)
        shown = self.theme.elided(text, box.width(), style, weight)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    # -- choosing a row -----------------------------------------------------------------------------------------------

    def choose(self, index: int) -> None:
        if index == self._chosen:
            return
        self._chosen = index
        if 0 <= index < len(self._rows):
            row = self._rows[index]
            self.setAccessibleDescription(f"{row.name} {row.value}: {row.reason}")
            self.setToolTip(f"{row.name}: {row.value}\n{row.reason}")
        self.update()

    def _key(self) -> str:
        return self._rows[self._chosen].part.key if 0 <= self._chosen < len(self._rows) else TOTAL

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.choose(min(int(event.position().y() // self._pitch), len(self._rows)))

    def leaveEvent(self, event: QEvent) -> None:
        self.choose(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.explain_requested.emit(self._key())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = event.key(), len(self._rows)
        if key == Qt.Key.Key_Down:
            self.choose(min(self._chosen + 1, last))
        elif key == Qt.Key.Key_Up:
            self.choose(max(self._chosen - 1, 0))
        elif key == Qt.Key.Key_Escape and self._chosen >= 0:
            self.choose(-1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            self.explain_requested.emit(self._key())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.choose(max(self._chosen, 0))
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.choose(-1)
        super().focusOutEvent(event)
