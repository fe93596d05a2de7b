"""A row of fields that goes on in a next row where there is no room."""

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class FlowRow(QWidget):
    """Widgets from left to right, then below; every row is as high as its highest one.

    Not a layout of Qt's: one written in Python leaves items behind that outlive their widgets.
    """

    def __init__(self, across: int = 10, down: int = 8) -> None:
        super().__init__()
        self._widgets: list[QWidget] = []
        self._across, self._down = across, down
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget) -> None:
        widget.setParent(self)
        self._widgets.append(widget)
        self._place(self.width(), move=True)
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(width, move=False)

    def sizeHint(self) -> QSize:
        return QSize(sum(w.sizeHint().width() + self._across for w in self._widgets), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        widest = max((widget.sizeHint().width() for widget in self._widgets), default=0)
        return QSize(widest, self.heightForWidth(max(widest, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(self.width(), move=True)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _place(self, width: int, move: bool) -> int:
        """Put the widgets into rows of this width; the height that they take."""
        x = y = height = 0
        for widget in self._widgets:
            size = widget.sizeHint()
            if x and x + size.width() > width:
                x, y, height = 0, y + height + self._down, 0
            if move:
                widget.move(QPoint(x, y))
                widget.resize(size)
            x, height = x + size.width() + self._across, max(height, size.height())
        return y + height
