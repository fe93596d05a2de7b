"""Rows of the inputs column: a label, a field, and below it what follows from it or what is wrong with it."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.inputs.explained import explains
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.labels import ToneIcon, label
from desktop.widgets.log_slider import LogSlider
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.stepper import Stepper

ROW_GAP = 8  # between label and field


def value_at(scenario: Scenario, path: str) -> Any:
    """The value of `section__field`."""
    value: Any = scenario
    for name in path.split("__"):
        value = getattr(value, name)
    return value


class Caption(QWidget):
    """The line under a field: a derived value in grey, or the problem in red with its icon."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._caption = ""
        self._icon = ToneIcon(theme, "octagon", "bad", 14)
        self._text = label("", "caption", wrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 0, 0, 1)
        row.setSpacing(5)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self._show("", "")

    def set_caption(self, text: str) -> None:
        self._caption = text
        if self._icon.isHidden():
            self._show(text, "")

    def set_problem(self, problem: str) -> None:
        self._show(problem or self._caption, "bad" if problem else "")

    def _show(self, text: str, tone: str) -> None:
        self._icon.setVisible(bool(tone))
        if self._text.property("tone") != tone:
            self._text.setProperty("tone", tone)
            self._text.style().unpolish(self._text)
            self._text.style().polish(self._text)
        self._text.setText(text)
        self.setVisible(bool(text))

    @property
    def text(self) -> str:
        return self._text.text()


class InputRow(QWidget):
    """Label at the left, field at the right. The label wraps, it is never cut."""

    def __init__(self, theme: Theme, text: str, field: QWidget, below: QWidget | None = None) -> None:
        super().__init__()
        self.field = field
        self.label = label(text, "label", wrap=True)
        self.label.setFixedWidth(theme.size("label"))
        self.label.setBuddy(field)
        self.caption = Caption(theme)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(field)
        column.addWidget(self.caption)
        if below is not None:
            column.addWidget(below)
        label_box = QVBoxLayout()
        label_box.setContentsMargins(0, 0, 0, 0)
        label_box.setSpacing(0)
        label_box.addWidget(self.label)
        self.label.setMinimumHeight(theme.size("control"))
        label_box.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(ROW_GAP)
        row.addLayout(label_box)
        row.addLayout(column, 1)


class QuantityRow(InputRow):
    """A number of the scenario, with a slider below where one is given."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        text: str,
        path: str,
        quantity: Quantity,
        *,
        slider_steps: list[int] | None = None,
        placeholder: str = "",
        also: Callable[[Value], dict[str, Any]] | None = None,
    ) -> None:
        self._session, self.path, self._text, self._also = session, path, text, also
        edit = QuantityEdit(theme, quantity, text, self.refusal)
        edit.setPlaceholderText(placeholder)
        self.slider = LogSlider(theme, slider_steps, text) if slider_steps else None
        super().__init__(theme, text, edit, self.slider)
        self.edit = edit
        explains(self, path)
        edit.value_edited.connect(self._on_edited)
        edit.gesture_started.connect(session.begin_gesture)
        edit.gesture_ended.connect(session.end_gesture)
        edit.problem_changed.connect(self.caption.set_problem)
        edit.problem_changed.connect(
            lambda problem: session.hold(path, quantity.in_words(edit.value) if problem else "")
        )
        if self.slider:
            self.slider.value_edited.connect(self._on_edited)
            self.slider.gesture_started.connect(session.begin_gesture)
            self.slider.gesture_ended.connect(session.end_gesture)

    def refusal(self, value: Value) -> str:
        """Why a value is refused; empty if it is fine."""
        return self._session.check(**{self.path: value, **(self._also(value) if self._also else {})})

    def show_usual(self, value: Value) -> None:
        """The figure that stands in while the field is left open, in grey in its place."""
        kind = self.edit.quantity
        self.edit.setPlaceholderText(kind.written(value) if value is not None else _("unknown"))

    def _on_edited(self, value: Value) -> None:
        changes = {self.path: value, **(self._also(value) if self._also else {})}
        self._session.edit(self._text, **changes)

    def show_scenario(self, scenario: Scenario) -> None:
        value = value_at(scenario, self.path)
        self.edit.set_value(value)
        if self.slider and value is not None:
            self.slider.set_number(value)


class StepperRow(InputRow):
    """A small whole number of the scenario."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        text: str,
        path: str,
        quantity: Quantity,
        also: Callable[[Value], dict[str, Any]] | None = None,
    ) -> None:
        self._path = path
        self.stepper = Stepper(theme, quantity, text, lambda value: session.check(**{path: value}))
        super().__init__(theme, text, self.stepper)
        explains(self, path)
        field = self.stepper.field
        self.label.setBuddy(field)
        self.stepper.value_edited.connect(
            lambda value: session.edit(text, **{path: value}, **(also(value) if also else {}))
        )
        field.gesture_started.connect(session.begin_gesture)
        field.gesture_ended.connect(session.end_gesture)
        field.problem_changed.connect(self.caption.set_problem)

    def show_scenario(self, scenario: Scenario) -> None:
        self.stepper.set_value(value_at(scenario, self._path))


class PickerRow(InputRow):
    """A choice by name."""

    def __init__(self, theme: Theme, text: str, picker: ComboPicker, field: str = "") -> None:
        super().__init__(theme, text, picker)
        self.picker = picker
        explains(self, field)
