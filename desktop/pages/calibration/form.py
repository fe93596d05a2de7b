"""The fields of one measurement: what was measured, the figure, and the load under which it was."""

from datetime import date
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from core.language import measurements
from core.language.messages import gettext as _
from core.scenario import CatalogueModel, Measured, Measurement, Scenario
from desktop.inputs.rows import Caption
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.quantity_edit import QuantityEdit

LABEL, FIELD = 150, 210


class MeasurementForm(QWidget):
    """Says `changed` when the measurement that it describes is another one; None while it is not complete."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._at = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self.figure = ComboPicker(theme, _("What was measured"))
        self.figure.set_choices([Choice(one.value, measurements.measured(one)) for one in Measured])
        self.figure.chosen.connect(self.choose)
        self._place(_("What was measured"), self.figure)
        self.value = self._number(_("Measured"), _value_kind(Measured.DECODE))
        self.value.setPlaceholderText(_("missing"))
        self.requests = self._number(_("Requests at once"), quantity.count(high=1e7, example="1"))
        self.prompt = self._number(_("Prompt"), quantity.tokens())
        self.cached = self._number(_("Of that in the cache"), _no_or_tokens())
        self.output = self._number(_("Answer"), quantity.tokens())
        self.title = ElidedEdit(_("Measured with"), 200)
        self.title.setPlaceholderText(_("llama-bench, or by hand"))
        self._place(_("Measured with"), self.title)
        self.title.textEdited.connect(self.changed)
        self.figure.set_current(Measured.DECODE.value)

    def _number(self, text: str, kind: Quantity) -> QuantityEdit:
        edit = QuantityEdit(self._theme, kind, text)
        caption = self._place(text, edit)
        edit.problem_changed.connect(caption.set_problem)
        edit.problem_changed.connect(lambda _problem: self.changed.emit())
        edit.value_edited.connect(lambda _value: self.changed.emit())
        return edit

    def _place(self, text: str, field: QWidget) -> Caption:
        name = label(text, "label", wrap=True)
        name.setFixedWidth(LABEL)
        name.setBuddy(field)
        field.setFixedWidth(FIELD)
        caption = Caption(self._theme)
        self._grid.addWidget(name, self._at, 0)
        self._grid.addWidget(field, self._at, 1)
        self._grid.addWidget(caption, self._at + 1, 1, 1, 2)
        self._at += 2
        return caption

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_scenario(self, scenario: Scenario) -> None:
        """The load of the scenario, from which a measurement usually differs little."""
        work = scenario.workload
        self.prompt.set_value(work.prompt_tokens or work.context_tokens)
        self.output.set_value(work.output_tokens)
        self.cached.set_value(0)
        self.requests.set_value(1)
        self.value.set_value(None)
        self.changed.emit()

    def choose(self, figure: str) -> None:
        """Another figure was measured."""
        chosen = Measured(figure)
        self.figure.set_current(figure)
        self.value.set_quantity(_value_kind(chosen), _("Measured"))
        self.value.set_value(None)
        self.changed.emit()

    # -- the measurement ----------------------------------------------------------------------------------------------

    @property
    def wrong(self) -> QWidget | None:
        """The first field that cannot be read or is needed."""
        fields = (self.value, self.requests, self.prompt, self.cached, self.output)
        unread = next((field for field in fields if field.problem), None)
        return unread or (self.value if self.value.value is None else None)

    def settle(self) -> None:
        for field in (self.value, self.requests, self.prompt, self.cached, self.output):
            field.settle()

    def measurement(self, scenario: Scenario) -> Measurement | None:
        """What was typed, for the machine, engine and model of the scenario."""
        if self.wrong is not None:
            return None
        prompt = int(self.prompt.value)
        return Measurement(
            figure=Measured(self.figure.key),
            value=float(self.value.value),
            prompt_tokens=prompt,
            cached_tokens=min(int(self.cached.value or 0), prompt),
            output_tokens=int(self.output.value),
            requests_at_once=int(self.requests.value),
            title=self.title.text().strip() or _("by hand"),
            date=date.today().isoformat(),
            **conditions_of(scenario),
        )


def conditions_of(scenario: Scenario) -> dict[str, Any]:
    """The machine, engine and model that a measurement is made on, so that it counts for no other."""
    deployment = scenario.deployment
    return {
        "device": deployment.device,
        "count": deployment.count,
        "engine": deployment.engine,
        "model": scenario.model.id if isinstance(scenario.model, CatalogueModel) else None,
        "weights": scenario.weights,
    }


def _value_kind(figure: Measured) -> Quantity:
    return quantity.seconds(optional=False) if figure is Measured.FIRST_TOKEN else quantity.speed(optional=False)


def _no_or_tokens() -> Quantity:
    """A length that may be nothing."""
    tokens = quantity.tokens()

    def written(length: Value) -> str:
        return "0" if not length else tokens.write(length)

    return Quantity(
        read=tokens.read, write=written, example="8K", unit=tokens.unit, doubling=True, low=0, high=tokens.high,
        hint=tokens.hint,
    )  # fmt: skip
