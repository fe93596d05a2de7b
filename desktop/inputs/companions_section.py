"""Companions: embedding models and rerankers, and where they run."""

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.scenario import Companion, CompanionRole, Placement, Scenario
from core.sizing.report import Sizing
from core.sizing.shown import companions_bytes
from desktop.inputs import names
from desktop.inputs.explained import explains
from desktop.inputs.rows import InputRow, PickerRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.flow import FlowRow
from desktop.widgets.labels import IconButton, button, label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Value
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.section import Section

FREE = "parameters"  # key of "a number of parameters" among the models
MOST = 8


class CompanionsSection(Section):
    """The section of the companions."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(theme, _("Companions"))
        self._session, self._theme = session, theme
        self._editors: list[CompanionEditor] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self.rows.addLayout(self._list)
        self.nothing = label(_("No model shares the card."), "caption", wrap=True)
        self.rows.addWidget(self.nothing)
        foot = FlowRow(across=4, down=2)
        self.add_embedding = button(_("Add embedding"), "link", lambda: self._add(CompanionRole.EMBEDDING))
        self.add_reranker = button(_("Add reranker"), "link", lambda: self._add(CompanionRole.RERANKER))
        foot.add(self.add_embedding)
        foot.add(self.add_reranker)
        self.rows.addWidget(foot)

    def _add(self, role: CompanionRole) -> None:
        models = names.model_choices(self._session.catalogue, role)
        companion = (
            Companion(role=role, model=models[0].key) if models else Companion(role=role, parameters=4_000_000_000)
        )
        self._session.edit(names.role_name(role), companions=(*self._session.scenario.companions, companion))

    def show_scenario(self, scenario: Scenario) -> None:
        companions = scenario.companions
        if [editor.role for editor in self._editors] != [companion.role for companion in companions]:
            self._rebuild(len(companions), scenario)
        for editor in self._editors:
            editor.show_scenario(scenario)
        self.nothing.setVisible(not companions)
        for adder in (self.add_embedding, self.add_reranker):
            adder.setEnabled(len(companions) < MOST)
        self._summarise(scenario, None)

    def _rebuild(self, count: int, scenario: Scenario) -> None:
        for editor in self._editors:
            self._list.removeWidget(editor)
            editor.retire()
            editor.hide()
            editor.deleteLater()
        self._editors = [
            CompanionEditor(self._session, self._theme, at, scenario.companions[at].role) for at in range(count)
        ]
        for editor in self._editors:
            self._list.addWidget(editor)

    def show_sizing(self, sizing: Sizing) -> None:
        size = companions_bytes(sizing.trace)
        self._summarise(sizing.scenario, size)

    def _summarise(self, scenario: Scenario, size: int | None) -> None:
        count = len(scenario.companions)
        if not count:
            self.set_summary(_("none"))
            return
        models = ngettext("{number} model", "{number} models", count).format(number=count)
        self.set_summary(f"{models} · {names.number().bytes(size)}" if size else models)


class CompanionEditor(QWidget):
    """One companion: model, parameters where it is none of the catalogue, format, place."""

    def __init__(self, session: Session, theme: Theme, at: int, role: CompanionRole) -> None:
        super().__init__()
        explains(self, "companions")
        self._session, self._at, self.role = session, at, role
        name = names.role_name(role)
        self.model = ComboPicker(theme, name, searchable=True)
        self.model.set_source(self._models)
        self.model.chosen.connect(self._choose)
        self.parameters = QuantityEdit(
            theme, quantity.parameters(), _("Parameters: {name}").format(name=name), self._refusal
        )
        self.parameters.value_edited.connect(self._set_parameters)
        self.parameters.gesture_started.connect(session.history.begin_gesture)
        self.parameters.gesture_ended.connect(session.history.end_gesture)
        self.weights = ComboPicker(theme, _("Format: {name}").format(name=name), searchable=True)
        self.weights.set_source(lambda: names.weight_choices(session.catalogue, session.scenario.deployment.engine))
        self.weights.chosen.connect(lambda key: self._edit(weights=key))
        self.placement = ComboPicker(theme, _("Place: {name}").format(name=name))
        self.placement.set_choices([Choice(place.value, names.placement_name(place)) for place in Placement])
        self.placement.chosen.connect(lambda key: self._edit(placement=Placement(key)))
        remove = IconButton(theme, "close", _("Remove: {name}").format(name=name), self._remove)
        self._parameters_row = InputRow(theme, _("Parameters"), self.parameters)
        self.parameters.problem_changed.connect(self._parameters_row.caption.set_problem)
        self._lay_out(theme, name, remove)

    def _lay_out(self, theme: Theme, name: str, remove: IconButton) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(4)
        caption = label(name, "label")
        caption.setBuddy(self.model)
        top.addWidget(caption)
        top.addStretch(1)
        top.addWidget(remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.model)
        column.addWidget(self._parameters_row)
        column.addWidget(PickerRow(theme, _("Format"), self.weights))
        column.addWidget(PickerRow(theme, _("Place"), self.placement))

    def retire(self) -> None:
        """Another editor takes this place: a text that is still in the field belongs to nobody."""
        self._at = MOST

    def _models(self) -> list[Choice]:
        free = Choice(FREE, _("A number of parameters"))
        return [*names.model_choices(self._session.catalogue, self.role), free]

    def _choose(self, key: str) -> None:
        if key == FREE:
            self._edit(model=None, parameters=4_000_000_000)
        else:
            self._edit(model=key, parameters=None)

    def _changed(self, **changes: Any) -> tuple[Any, ...] | None:
        """The companions with this one changed, not yet checked; None when this one is gone."""
        companions: list[Any] = list(self._session.scenario.companions)
        if self._at >= len(companions):
            return None  # undone while its field still held a text
        companions[self._at] = {**companions[self._at].model_dump(), **changes}
        return tuple(companions)

    def _refusal(self, parameters: Value) -> str:
        companions = self._changed(model=None, parameters=parameters)
        return "" if companions is None else self._session.check(companions=companions)

    def _edit(self, **changes: Any) -> None:
        companions = self._changed(**changes)
        if companions is not None:
            self._session.edit(names.role_name(self.role), companions=companions)

    def _set_parameters(self, parameters: Value) -> None:
        """A number that was typed counts only while a number is what is chosen."""
        companions = self._session.scenario.companions
        if self._at < len(companions) and companions[self._at].model is None:
            self._edit(parameters=parameters)

    def _remove(self) -> None:
        companions = list(self._session.scenario.companions)
        del companions[self._at : self._at + 1]
        self._session.edit(_("Remove: {name}").format(name=names.role_name(self.role)), companions=tuple(companions))

    def show_scenario(self, scenario: Scenario) -> None:
        companion = scenario.companions[self._at]
        catalogue = self._session.catalogue
        if companion.model is None:
            self.model.set_current(FREE, _("A number of parameters"))
            self.parameters.set_value(companion.parameters)
        else:
            record = catalogue.models.get(companion.model)
            self.model.set_current(companion.model, record.name if record else companion.model)
        self._parameters_row.setVisible(companion.model is None)
        weights = catalogue.weight_formats.get(companion.weights)
        self.weights.set_current(companion.weights, format_name(weights.name) if weights else companion.weights)
        self.placement.set_current(companion.placement.value)
