"""Rows of the inputs column: a label, a field, and below it what follows from it or what is wrong with it."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.inputs.explained import explains
from desktop.session import Session
from desktop.theme import Theme, restyle
from desktop.widgets.labels import ToneIcon, label
from desktop.widgets.late import Late
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
        self._theme = theme
        self._caption = ""
        self._icon: ToneIcon | None = None  # few fields ever have a problem
        self._text = label("", "caption", wrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(1, 0, 0, 1)
        self._row.setSpacing(5)
        self._row.addWidget(self._text, 1)
        self.setVisible(False)

    def set_caption(self, text: str) -> None:
        self._caption = text
        if self._icon is None or self._icon.isHidden():
            self._show(text, "")

    def set_problem(self, problem: str) -> None:
        self._show(problem or self._caption, "bad" if problem else "")

    def _show(self, text: str, tone: str) -> None:
        if tone and self._icon is None:
            self._icon = ToneIcon(self._theme, "octagon", "bad", 14)
            self._row.insertWidget(0, self._icon, 0, Qt.AlignmentFlag.AlignTop)
        if self._icon is not None:
            self._icon.setVisible(bool(tone))
        if (self._text.property("tone") or "") != tone:
            restyle(self._text, tone=tone)
        if text != self._text.text():
            self._text.setText(text)
        if self.isHidden() is bool(text):
            self.setVisible(bool(text))

    @property
    def text(self) -> str:
        return self._text.text()


class InputRow(Late):
    """Label at the left, field at the right. The label wraps, it is never cut."""

    def __init__(self, theme: Theme, text: str, field: QWidget, below: QWidget | None = None) -> None:
        super().__init__()
        self._lay_out(theme, text, field, below)

    def _lay_out(self, theme: Theme, text: str, field: QWidget, below: QWidget | None = None) -> None:
        self._part = field
        self._label = label(text, "label", wrap=True)
        self._label.setFixedWidth(theme.size("label"))
        self._label.setBuddy(field)
        self._caption = Caption(theme)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(field)
        column.addWidget(self._caption)
        if below is not None:
            column.addWidget(below)
        label_box = QVBoxLayout()
        label_box.setContentsMargins(0, 0, 0, 0)
        label_box.setSpacing(0)
        label_box.addWidget(self._label)
        self._label.setMinimumHeight(theme.size("control"))
        label_box.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(ROW_GAP)
        row.addLayout(label_box)
        row.addLayout(column, 1)

    @property
    def field(self) -> QWidget:
        self.build()
        return self._part

    @property
    def label(self) -> QLabel:
        self.build()
        return self._label

    @property
    def caption(self) -> Caption:
        self.build()
        return self._caption


class QuantityRow(InputRow):
    """A number of the scenario, with a slider below where one is given.

    Its field is built when it is first shown or asked for: of some fifty rows a window shows fifteen when it opens.
    """

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
        QWidget.__init__(self)
        self._session, self._theme, self.path, self._text, self._also = session, theme, path, text, also
        self._quantity, self._slider_steps, self._placeholder = quantity, slider_steps, placeholder
        self._edit: QuantityEdit | None = None
        self._slider: LogSlider | None = None
        self._shown: Scenario | None = None
        self._words = ""  # of the caption
        explains(self, path)

    # -- building -----------------------------------------------------------------------------------------------------

    def build(self) -> None:
        if self._edit is None:
            before = _before_in_tab_order(self)
            self._edit = edit = self._make_edit()
            if self._slider_steps:
                self._slider = self._make_slider(self._slider_steps)
            self._lay_out(self._theme, self._text, edit, self._slider)
            edit.problem_changed.connect(self._caption.set_problem)
            self._caption.set_caption(self._words)
            if before is not None:
                QWidget.setTabOrder(before, edit)
                if self._slider is not None:
                    QWidget.setTabOrder(edit, self._slider)
            if self._shown is not None:
                self._show(self._shown)

    def _make_edit(self) -> QuantityEdit:
        edit = QuantityEdit(self._theme, self._quantity, self._text, self.refusal)
        edit.setPlaceholderText(self._placeholder)
        edit.value_edited.connect(self._on_edited)
        edit.gesture_started.connect(self._session.history.begin_gesture)
        edit.gesture_ended.connect(self._session.history.end_gesture)
        edit.problem_changed.connect(
            lambda problem: self._session.hold(self.path, self._quantity.in_words(edit.value) if problem else "")
        )
        return edit

    def _make_slider(self, steps: list[int]) -> LogSlider:
        slider = LogSlider(self._theme, steps, self._text)
        slider.value_edited.connect(self._on_edited)
        slider.gesture_started.connect(self._session.history.begin_gesture)
        slider.gesture_ended.connect(self._session.history.end_gesture)
        return slider

    @property
    def edit(self) -> QuantityEdit:
        self.build()
        assert self._edit is not None
        return self._edit

    @property
    def slider(self) -> LogSlider | None:
        self.build()
        return self._slider

    # -- showing ------------------------------------------------------------------------------------------------------

    def refusal(self, value: Value) -> str:
        """Why a value is refused; empty if it is fine."""
        return self._session.check(**{self.path: value, **(self._also(value) if self._also else {})})

    def show_usual(self, value: Value) -> None:
        """The figure that stands in while the field is left open, in grey in its place."""
        self.set_placeholder(self._quantity.written(value) if value is not None else _("unknown"))

    def set_placeholder(self, text: str) -> None:
        """What stands in grey while the field is left open."""
        self._placeholder = text
        if self._edit is not None and self._edit.placeholderText() != text:
            self._edit.setPlaceholderText(text)

    def set_caption(self, text: str) -> None:
        """What follows from the number, below it."""
        self._words = text
        if self._edit is not None:
            self._caption.set_caption(text)

    def _on_edited(self, value: Value) -> None:
        changes = {self.path: value, **(self._also(value) if self._also else {})}
        self._session.edit(self._text, **changes)

    def show_scenario(self, scenario: Scenario) -> None:
        self._shown = scenario
        if self._edit is not None:
            self._show(scenario)

    def _show(self, scenario: Scenario) -> None:
        value = value_at(scenario, self.path)
        self.edit.set_value(value)
        if self._slider and value is not None:
            self._slider.set_number(value)


def _before_in_tab_order(row: QWidget) -> QWidget | None:
    """What the Tab key reaches before a row whose field is not built yet."""
    widget = row.previousInFocusChain()
    while widget is not None and widget is not row and not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        widget = widget.previousInFocusChain()
    return widget if widget is not row else None


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
        self._label.setBuddy(field)
        self.stepper.value_edited.connect(
            lambda value: session.edit(text, **{path: value}, **(also(value) if also else {}))
        )
        field.gesture_started.connect(session.history.begin_gesture)
        field.gesture_ended.connect(session.history.end_gesture)
        field.problem_changed.connect(self._caption.set_problem)

    def show_scenario(self, scenario: Scenario) -> None:
        self.stepper.set_value(value_at(scenario, self._path))


class PickerRow(InputRow):
    """A choice by name."""

    def __init__(self, theme: Theme, text: str, picker: ComboPicker, field: str = "") -> None:
        super().__init__(theme, text, picker)
        self.picker = picker
        explains(self, field)
