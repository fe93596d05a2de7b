"""A field for a number with its unit inside; digits of fields below one another stand in one column."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit

from core.errors import TonnageError
from desktop.theme import Theme, restyle
from desktop.widgets.quantity import Quantity, Value

UNIT_WIDTH = 48
PADDING = 9  # of the field, with its edge
PAUSE_MS = 250  # without a key, before a readable text takes effect: "25" on the way to "256K" is not meant
PATIENCE_MS = 600  # without a key, before an unreadable text is marked


class QuantityEdit(QLineEdit):
    """Shows a value, reads what is typed: a readable text takes effect at a pause, any other keeps the last value."""

    value_edited = Signal(object)
    gesture_started = Signal()
    gesture_ended = Signal()
    problem_changed = Signal(str)  # the sentence for the line under the field; empty when all is well

    def __init__(
        self, theme: Theme, quantity: Quantity, name: str, refusal: Callable[[Value], str] | None = None
    ) -> None:
        super().__init__()
        self.theme = theme
        self._refusal = refusal
        self._value: Value = None
        self._before: Value = None  # when the field got the focus
        self._problem = ""
        self._in_gesture = False
        self._unit_width = 0
        self._has_place = True
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setMaxLength(60)
        self.set_quantity(quantity, name)
        self._pause = self._timer(PAUSE_MS, self._apply)
        self._patience = self._timer(PATIENCE_MS, self._mark)
        self.textEdited.connect(self._on_text_edited)
        self.textChanged.connect(self._fit)
        self.returnPressed.connect(self._accept)

    def _timer(self, interval: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    def set_quantity(self, quantity: Quantity, name: str) -> None:
        """Hold another kind of number from now on."""
        self.quantity = quantity
        needed = self.theme.metrics("label").horizontalAdvance(quantity.unit) + 4
        self._unit_width = max(UNIT_WIDTH, needed)
        self.setAccessibleName(name)
        self._fit()

    def setPlaceholderText(self, text: str) -> None:
        super().setPlaceholderText(text)
        self._fit()

    @property
    def shows_unit(self) -> bool:
        """A word that stands for a number, such as "none", takes the place of the unit; so does a long number."""
        word = self.placeholderText()
        if not (self.text() or not word or any(sign.isdigit() for sign in word)):
            return False
        return not self._has_place or self._room >= self.fontMetrics().horizontalAdvance(self.text())

    @property
    def _room(self) -> int:
        """Of a number beside its unit."""
        return self.width() - self._unit_width - 2 * PADDING

    def keep_no_place(self) -> None:
        """No unit stands beside the number, and none is waited for: it takes the whole field."""
        self._has_place = False
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        place = self._unit_width - 2 if self._has_place and self.shows_unit else 0
        self.setTextMargins(0, 0, place, 0)

    # -- the value ----------------------------------------------------------------------------------------------------

    @property
    def value(self) -> Value:
        """The last good value."""
        return self._value

    def set_value(self, value: Value) -> None:
        """Show a value that came from outside; a text being typed that means the same stays as it is."""
        same = value == self._value
        self._value = value
        self._describe()
        if same and self.hasFocus():
            return
        self._write()

    def _write(self) -> None:
        self._pause.stop()
        self._patience.stop()
        self._set_problem("")
        text = self.quantity.written(self._value)
        if text != self.text():
            self.setText(text)

    def _describe(self) -> None:
        exact = self.quantity.full(self._value) if self.quantity.full and self._value is not None else ""
        self.setToolTip(exact)
        self.setAccessibleDescription(self._problem or " ".join(filter(None, [self.quantity.unit, exact])))

    # -- typing -------------------------------------------------------------------------------------------------------

    def _on_text_edited(self, text: str) -> None:
        self._pause.start()
        self._patience.start()
        if self._problem and not self._read(text)[1]:
            self._set_problem("")

    def settle(self) -> None:
        """Do not wait for a pause: what is on screen is about to change."""
        if self._pause.isActive():
            self._apply()

    def _apply(self) -> None:
        """Let the text take effect if it can be read."""
        self._pause.stop()
        if self.text() == self.quantity.written(self._value):
            return  # what is shown may be rounded: it is not read back
        value, problem = self._read(self.text())
        if not problem:
            self._set_problem("")
            self._take(value)

    def _read(self, text: str) -> tuple[Value, str]:
        try:
            value = self.quantity.parsed(text)
        except TonnageError:
            return None, self.quantity.sentence(self._value)
        refusal = self._refusal(value) if self._refusal else ""
        return value, refusal

    def _take(self, value: Value) -> None:
        if value == self._value:
            return
        if not self._in_gesture:
            self._in_gesture = True
            self.gesture_started.emit()
        self._value = value
        self._describe()
        self.value_edited.emit(value)

    def _mark(self) -> None:
        self._patience.stop()
        self._set_problem(self._read(self.text())[1])

    def _accept(self) -> None:
        self._apply()
        self._mark()
        self._end_gesture()
        if not self._problem:
            self._before = self._value
            self._write()
            self.selectAll()

    def _end_gesture(self) -> None:
        if self._in_gesture:
            self._in_gesture = False
            self.gesture_ended.emit()

    @property
    def problem(self) -> str:
        return self._problem

    def _set_problem(self, problem: str) -> None:
        if problem == self._problem:
            return
        self._problem = problem
        restyle(self, state="invalid" if problem else "")
        self._describe()
        self.problem_changed.emit(problem)

    # -- keys and focus -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Undo and redo are those of the scenario, not of the text."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if event.matches(undo) or event.matches(redo):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: 1.0,
            Qt.Key.Key_Down: -1.0,
        }.get(Qt.Key(event.key()))
        if steps is not None:
            self._step(steps * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1))
        elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self._value is not None:
            doubled = event.key() == Qt.Key.Key_PageUp
            self._move_to(type(self._value)(self._value * 2 if doubled else self._value / 2))
        elif event.key() == Qt.Key.Key_Escape and self._can_revert():
            self._take(self._before)
            self._end_gesture()
            self._write()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def _can_revert(self) -> bool:
        return bool(self._problem) or self._value != self._before or self.text() != self.quantity.written(self._value)

    def _step(self, steps: float) -> None:
        self._apply()
        self._move_to(self.quantity.stepped(self._value, steps))

    def _move_to(self, value: Value) -> None:
        kind = type(value)
        value = self.quantity.shown(kind(min(max(value, kind(self.quantity.low)), self.quantity.high)))
        if self._refusal and self._refusal(value):
            return
        self._take(value)
        self._write()
        self.selectAll()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._before = self._value
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._apply()
        self._end_gesture()
        if event.reason() in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            return
        self._mark()
        if not self._problem:
            self._write()

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.quantity.unit or not self.shows_unit:
            return
        painter = QPainter(self)
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_3" if self.isEnabled() else "text_disabled"))
        area = QRect(self.width() - self._unit_width, 0, self._unit_width - 2, self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.quantity.unit)
