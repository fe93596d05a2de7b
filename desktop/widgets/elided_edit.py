"""A text field that ends in an ellipsis where its text is too long, until it is edited."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame

LEFT = 2  # of a text, from the edge of its contents


class ElidedEdit(QLineEdit):
    """A QLineEdit cuts its text; this one says that there is more."""

    def __init__(self, name: str, most: int, kind: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMaxLength(most)
        if kind:
            self.setProperty("kind", kind)

    def event(self, event: QEvent) -> bool:
        """Undo takes back what is being typed; once nothing is left of that, it is the window's."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if (event.matches(undo) and not self.isUndoAvailable()) or (
                event.matches(redo) and not self.isRedoAvailable()
            ):
                event.ignore()
                return False
        return super().event(event)

    def forget_typing(self) -> None:
        """What was typed has taken effect: to undo it is no longer a matter of this field."""
        at = self.cursorPosition()
        self.setText(self.text())
        self.setCursorPosition(at)

    def setPlaceholderText(self, text: str) -> None:
        super().setPlaceholderText(text)
        self.setToolTip(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        if (self.hasFocus() and self.text()) or not paint_elided(self):
            super().paintEvent(event)


def paint_elided(edit: QLineEdit) -> bool:
    """Paint a field whose text is too long with an ellipsis; False where the text fits, and nothing was painted."""
    option = QStyleOptionFrame()
    edit.initStyleOption(option)
    room = edit.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, edit).adjusted(LEFT, 0, 0, 0)
    shown = edit.text() or edit.placeholderText()
    if edit.fontMetrics().horizontalAdvance(shown) <= room.width():
        return False
    painter = QPainter(edit)
    edit.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, edit)
    painter.setFont(edit.font())
    role = edit.foregroundRole() if edit.text() else QPalette.ColorRole.PlaceholderText
    painter.setPen(edit.palette().color(role))
    text = edit.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    return True
