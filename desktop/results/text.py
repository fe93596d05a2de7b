"""Painted text that wraps or elides by itself and never asks for a new layout while its numbers move."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop.theme import Color, TextStyle, Theme


class Text(QLabel):
    """A sentence in a text style: up to `lines` lines, then an ellipsis with the whole text as tooltip.

    It is a QLabel for those who hear the window; it paints for itself, so that a style sheet cannot change an export.
    """

    def __init__(
        self, theme: Theme, style: TextStyle, color: Color = "text", lines: int = 1, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self._style: TextStyle = style
        self._color: Color = color
        self._most = lines
        self._whole = ""
        self._shown: list[str] = []
        self._asked = -1
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.line_height(style))
        theme.changed.connect(self.update)

    def setText(self, text: str) -> None:
        if text == self._whole:
            return
        self._whole = text
        self.setAccessibleName(text)
        self._break()
        self.update()

    def text(self) -> str:
        return self._whole

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._break()

    def _break(self) -> None:
        """Break into lines; the height changes only when their number does."""
        metrics = QFontMetrics(self.theme.font(self._style))
        self._shown = broken(self._whole, metrics, self.width(), self._most)
        elided = " ".join(self._shown) != self._whole
        self.setToolTip(self._whole if elided else "")
        height = self.theme.line_height(self._style) * max(1, len(self._shown))
        if height != self.height():
            self.setFixedHeight(height)

    @property
    def is_cut(self) -> bool:
        """Does an ellipsis stand for some of the text?"""
        return " ".join(self._shown) != self._whole

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.theme.font(self._style))
        painter.setPen(self.theme.color(self._color))
        pitch = self.theme.line_height(self._style)
        for row, line in enumerate(self._shown):
            box = QRect(QPoint(0, row * pitch), QSize(self.width() + 2, pitch))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line)


def broken(text: str, metrics: QFontMetrics, width: int, most: int) -> list[str]:
    """The text in at most `most` lines of `width`; the last one ends in an ellipsis if there is more."""
    words, lines = text.split(" "), [""]
    for number, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = " ".join([lines[-1], *words[number:]])
            break
    lines[-1] = metrics.elidedText(lines[-1], Qt.TextElideMode.ElideRight, max(0, width))
    return lines
