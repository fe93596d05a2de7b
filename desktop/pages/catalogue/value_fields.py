"""The field of a figure's value: a number with its unit, a text, or one of several."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from core.language.messages import gettext as _
from desktop.pages.catalogue.figures import NO, Options
from desktop.theme import Theme
from desktop.widgets.elided_edit import paint_elided
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.quantity_edit import QuantityEdit

Refusal = Callable[[Value], str]


class WordsEdit(QuantityEdit):
    """A text that is read like a number; nothing steps."""

    def __init__(self, theme: Theme, words: Quantity, name: str, refusal: Refusal) -> None:
        super().__init__(theme, words, name, refusal)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.setMaxLength(4000)
        self.keep_no_place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in steps:
            QLineEdit.keyPressEvent(self, event)
        else:
            super().keyPressEvent(event)

    def _write(self) -> None:
        super()._write()
        self.setCursorPosition(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """An ellipsis says that there is more; the whole text is the tooltip."""
        if self.hasFocus() or not paint_elided(self):
            super().paintEvent(event)


class OptionField(ComboPicker):
    """One of several, with the signals of a field that is typed in."""

    value_edited = Signal(object)
    problem_changed = Signal(str)
    problem = ""

    def __init__(self, theme: Theme, options: Options, name: str) -> None:
        super().__init__(theme, name, options.searchable)
        self.value: Value = None
        self.set_options(options, name)
        self.chosen.connect(self._take)

    def set_options(self, options: Options, name: str) -> None:
        """Offer other choices from now on."""
        self._options = options
        self.set_name(name, options.searchable)
        self.set_choices(options.choices())

    def set_value(self, value: Value) -> None:
        self.value = value
        key = self._options.key(value) or (NO if self._options.optional else "")
        self.set_current(key, None if key else _("needed"))

    def _take(self, key: str) -> None:
        self.set_current(key)
        self.value = self._options.read(key)
        self.value_edited.emit(self.value)

    def settle(self) -> None:
        """Nothing waits here."""
