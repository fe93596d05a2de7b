"""A text field that ends in an ellipsis where its text is too long, until it is edited."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame

LEFT, RIGHT = 11, 9


class ElidedEdit(QLineEdit):
    """A QLineEdit cuts its text; this one says that there is more."""

    def __init__(self, name: str, most: int, kind: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMaxLength(most)
        if kind:
            self.setProperty("kind", kind)

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.rect().adjusted(LEFT, 0, -RIGHT, 0)
        if self.hasFocus() or self.fontMetrics().horizontalAdvance(self.text()) <= room.width():
            super().paintEvent(event)
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
