"""The frame that shows where a file may be dropped: everywhere."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme


class DropFrame(QWidget):
    """Covers the window while a file is dragged over it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = self._theme.color("surface")
        veil.setAlphaF(0.72)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.drawRoundedRect(self.rect().adjusted(3, 3, -3, -3), 8, 8)
        painter.setFont(self._theme.font("verdict"))
        words = painter.fontMetrics().boundingRect(_("Drop to import")).adjusted(-28, -14, 28, 14)
        words.moveCenter(self.rect().center())
        painter.setBrush(self._theme.color("raised"))
        painter.drawRoundedRect(words, 8, 8)
        painter.setPen(self._theme.color("accent"))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, _("Drop to import"))
