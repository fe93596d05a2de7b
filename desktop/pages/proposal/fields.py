"""Fields of the proposal's choices: a text, a colour, each with what is wrong with it below."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QColorDialog, QHBoxLayout, QLineEdit, QWidget

from core.errors import ProposalError
from core.language import sentences
from core.language.messages import gettext as _
from core.proposal.options import Brand
from desktop.inputs.rows import InputRow
from desktop.theme import Theme
from desktop.widgets.labels import IconButton

COMPLAIN_AFTER_MS = 600


class TextField(QLineEdit):
    """A line of text; every key counts, Escape brings back what was there when the field was entered."""

    written = Signal(str)

    def __init__(self, name: str, most: int = 200) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMaxLength(most)
        self._kept = ""
        self.textEdited.connect(self.written)

    def show_text(self, text: str) -> None:
        """Show a text that was set elsewhere; what is being typed stays."""
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._kept = self.text()
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() != self._kept:
            self.setText(self._kept)
            self.written.emit(self._kept)
        else:
            super().keyPressEvent(event)


class TextRow(InputRow):
    """A label and a line of text."""

    def __init__(
        self, theme: Theme, text: str, written: Callable[[str], object], placeholder: str = "", most: int = 200
    ) -> None:
        self.edit = TextField(text, most)
        self.edit.setPlaceholderText(placeholder)
        self.edit.written.connect(written)
        super().__init__(theme, text, self.edit)


class Swatch(IconButton):
    """Shows a colour and opens the dialog to choose another."""

    def __init__(self, theme: Theme, name: str, choose: Callable[[], object]) -> None:
        super().__init__(theme, "dot", name, choose)
        self._theme_ = theme
        self.shown = QColor(Qt.GlobalColor.white)
        self.setIconSize(QSize(0, 0))

    def show_colour(self, colour: str) -> None:
        self.shown = QColor(colour)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self.shown)
        painter.setPen(self._theme_.color("border_control"))
        painter.drawRoundedRect(self.rect().adjusted(5, 5, -6, -6), 3, 3)


class ColourRow(InputRow):
    """A colour as text, with a patch that opens the colour dialog; empty stands for the product's own."""

    def __init__(self, theme: Theme, text: str, usual: str, written: Callable[[str], object]) -> None:
        self._usual, self._written, self._name = usual, written, text
        self.edit = TextField(text, 7)
        self.edit.setPlaceholderText(usual)
        self.edit.written.connect(self._on_text)
        self.swatch = Swatch(theme, _("Choose: {name}").format(name=text), self._choose)
        self._late = QTimer()
        self._late.setSingleShot(True)
        self._late.setInterval(COMPLAIN_AFTER_MS)
        self._late.timeout.connect(self._complain)
        field = QWidget()
        row = QHBoxLayout(field)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.edit, 1)
        row.addWidget(self.swatch)
        super().__init__(theme, text, field)
        self._late.setParent(self)
        self.label.setBuddy(self.edit)
        self.edit.editingFinished.connect(self._complain)

    def show_colour(self, colour: str) -> None:
        if not self._problem():
            self.edit.show_text(colour)
        self.swatch.show_colour(colour or self._usual)

    def _problem(self) -> str:
        try:
            replace(Brand(), primary=self.edit.text())
        except ProposalError as error:
            return sentences.error(error)
        return ""

    def _on_text(self, text: str) -> None:
        if self._problem():
            self._late.start()
            return
        self._complain()
        self.swatch.show_colour(text or self._usual)
        self._written(text)

    def _complain(self) -> None:
        problem = self._problem()
        self.caption.set_problem(problem)
        self.edit.setProperty("state", "invalid" if problem else "")
        self.edit.style().unpolish(self.edit)
        self.edit.style().polish(self.edit)

    def _choose(self) -> None:
        colour = QColorDialog.getColor(self.swatch.shown, self, self._name)
        if colour.isValid():
            self.edit.setText(colour.name().upper())
            self._on_text(self.edit.text())
