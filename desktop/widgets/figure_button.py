"""A painted button behind which a figure is explained."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from desktop.theme import Theme


class FigureButton(QAbstractButton):
    """Click, Enter, Space or F1 asks for its figure; it knows whether it is pointed at."""

    def __init__(self, theme: Theme, height: int) -> None:
        super().__init__()
        self.theme = theme
        self._hovered = False
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()
