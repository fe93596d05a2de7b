"""A question that cannot wait: it looks like the rest of the window, and its safe answer is the one at hand."""

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget

from core.tokens import load_tokens
from desktop import icons
from desktop.theme import TONE_ICONS, Tone, restyle

ICON = 32
WIDTH = 340  # of the text, so that a sentence takes two lines at most
TITLE = "Tonnage"


class Question(QMessageBox):
    """One sentence, what is to be known before answering, and two answers."""

    def __init__(self, tone: Tone, text: str, more: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(TITLE)
        self.setText(text)
        self.setInformativeText(more)
        dark = QApplication.palette().color(QPalette.ColorRole.Window).lightness() < 128
        color = QColor(load_tokens()["color"]["dark" if dark else "light"][tone])
        self.setIconPixmap(icons.pixmap(TONE_ICONS[tone], color, ICON, self.devicePixelRatioF()))
        sizes = f"#qt_msgbox_label, #qt_msgbox_informativelabel {{ min-width: {WIDTH}px; }}"
        self.setStyleSheet(sizes + ("#qt_msgbox_label { font-weight: 600; }" if more else ""))

    def add_safe(self, text: str, role: QMessageBox.ButtonRole = QMessageBox.ButtonRole.RejectRole) -> QPushButton:
        """The answer that Enter and Escape give."""
        safe = self.addButton(text, role)
        restyle(safe, kind="primary")
        self.setDefaultButton(safe)
        self.setEscapeButton(safe)
        return safe

    def add_other(self, text: str, role: QMessageBox.ButtonRole = QMessageBox.ButtonRole.AcceptRole) -> QPushButton:
        other = self.addButton(text, role)
        other.setAutoDefault(False)
        return other
