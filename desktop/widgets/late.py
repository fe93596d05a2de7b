"""Widgets whose content waits until somebody sees it or asks for it."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget


class Late(QWidget):
    """Shown, it builds what it holds. What lays it out may ask earlier, so that it has its size at once."""

    def build(self) -> None:
        """Make the content, where it is not there yet."""

    def setVisible(self, visible: bool) -> None:
        if visible:
            self.build()
        super().setVisible(visible)

    def showEvent(self, event: QShowEvent) -> None:
        self.build()
        super().showEvent(event)


def build_visible(holder: QWidget) -> None:
    """Build what would be seen in a widget if that were shown."""
    for widget in holder.findChildren(Late):
        if widget.isVisibleTo(holder):
            widget.build()
