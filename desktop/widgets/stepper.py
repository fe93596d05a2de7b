"""A small whole number between a minus and a plus."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.quantity_edit import QuantityEdit


class Stepper(QWidget):
    """A field with a button on each side; the keys are those of any number field."""

    value_edited = Signal(object)

    def __init__(
        self, theme: Theme, quantity: Quantity, name: str, refusal: Callable[[Value], str] | None = None
    ) -> None:
        super().__init__()
        self._theme = theme
        self.field = QuantityEdit(theme, quantity, name, refusal)
        self.field.setProperty("kind", "bare")
        self.field.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.field.keep_no_place()
        self.field.value_edited.connect(self._on_edited)
        self.field.problem_changed.connect(self.update)
        self.less = self._button("minus", _("Less: {name}").format(name=name), -1)
        self.more = self._button("plus", _("More: {name}").format(name=name), +1)
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(1)
        row.addWidget(self.less)
        row.addWidget(self.field, 1)
        row.addWidget(self.more)
        self.setFixedHeight(theme.size("control"))
        self.setFocusProxy(self.field)
        theme.changed.connect(self._draw)
        for part in (self.field, self.less, self.more):
            part.installEventFilter(self)
        self._draw()

    def _button(self, icon: str, name: str, by: int) -> QPushButton:
        button = QPushButton()
        button.setProperty("kind", "icon")
        button.setProperty("glyph", icon)
        button.setAccessibleName(name)
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(28, 26)
        button.setAutoRepeat(True)
        button.clicked.connect(lambda _checked=False: self.field._step(by))
        return button

    def _draw(self) -> None:
        for button in (self.less, self.more):
            button.setIcon(self._theme.icon(button.property("glyph"), "text"))
        self.update()

    def eventFilter(self, watched: object, event: object) -> bool:
        if event.type() in (event.Type.FocusIn, event.Type.FocusOut, event.Type.Enter, event.Type.Leave):  # type: ignore[attr-defined]
            self.update()
        return False

    @property
    def value(self) -> Value:
        return self.field.value

    def set_value(self, value: Value) -> None:
        self.field.set_value(value)
        self._limit()

    def _on_edited(self, value: Value) -> None:
        self._limit()
        self.value_edited.emit(value)

    def _limit(self) -> None:
        value, quantity = self.field.value, self.field.quantity
        self.less.setEnabled(value is not None and value > quantity.low)
        self.more.setEnabled(value is not None and value < quantity.high)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus, invalid = self.field.hasFocus(), bool(self.field.problem)
        edge = "bad" if invalid else "focus" if focus else "text_3" if self.underMouse() else "border_control"
        width = 2 if focus or invalid else 1
        inset = width / 2
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.setBrush(self._theme.color("surface"))
        painter.setPen(QPen(self._theme.color(edge), width))  # type: ignore[arg-type]
        painter.drawRoundedRect(frame, self._theme.radius("control"), self._theme.radius("control"))
        painter.setPen(QPen(self._theme.color("border_control"), 1))
        for x in (self.less.geometry().right() + 1.5, self.more.geometry().left() - 0.5):
            painter.drawLine(round(x - 0.5), 1, round(x - 0.5), self.height() - 2)
