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
        if self.hasFocus() or not paint_elided(self):
            super().paintEvent(event)


def paint_elided(edit: QLineEdit) -> bool:
    """Paint a field whose text is too long with an ellipsis; False where the text fits, and nothing was painted."""
    room = edit.rect().adjusted(LEFT, 0, -RIGHT, 0)
    if edit.fontMetrics().horizontalAdvance(edit.text()) <= room.width():
        return False
    option = QStyleOptionFrame()
    edit.initStyleOption(option)
    painter = QPainter(edit)
    edit.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, edit)
    painter.setFont(edit.font())
    painter.setPen(edit.palette().color(edit.foregroundRole()))
    text = edit.fontMetrics().elidedText(edit.text(), Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    return True
