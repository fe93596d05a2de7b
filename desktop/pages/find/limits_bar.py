"""The strip of limits above the answers: what rules hardware out, and what it is ranked by."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from core import units
from core.catalogue.records import DeviceKind
from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.language.numbers import current
from core.scenario import Scenario
from core.sizing.concurrency import Redundancy
from core.sizing.search.request import Limits, Ranking, SearchRequest
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.flow import FlowRow
from desktop.widgets.labels import label
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Quantity, Value
from desktop.widgets.quantity_edit import QuantityEdit
from desktop.widgets.segments import SegmentedSwitch

ANY = "any"
#: Shares of cases in which targets are met, to choose from.
CASES = (0.5, 0.75, 0.9, 0.95, 0.99)
FIELD, PICKER = 118, 132


class LabelledField(QWidget):
    """A field with its label above it, as wide as the wider of both."""

    def __init__(self, text: str, field: QWidget, width: int) -> None:
        super().__init__()
        name = label(text, "label")
        name.setBuddy(field)
        field.setFixedWidth(max(width, name.sizeHint().width()))
        field.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(name)
        column.addWidget(field)


class LimitsBar(FlowRow):
    """The question beside the scenario. Targets and reserve are the scenario's own and change it."""

    changed = Signal()
    all_wanted = Signal(bool)

    def __init__(self, session: Session, theme: Theme, models: bool = False) -> None:
        super().__init__()
        self._session = session
        self.limits = Limits()
        self.ranking = Ranking.COST
        self.redundancy = Redundancy.NONE
        self.fields: dict[str, QuantityEdit] = {}
        if not models:
            self._limit(theme, "budget", _("Budget up to"), money(lambda: session.scenario.economics.currency))
            self._limit(theme, "power_w", _("Power up to"), kilowatts())
            self._limit(theme, "noise_dba", _("Noise up to"), quantity.plain("dB(A)", "45"))
        self._target(theme, "workload__speed_target", _("Speed at least"), quantity.speed())
        self._target(theme, "workload__ttft_target_s", _("First token within"), quantity.seconds())
        self._target(theme, "workload__reserve_share", _("Growth reserve"), quantity.share())
        self.cases = self._picker(theme, _("In how many cases"), [], "")
        self.cases.chosen.connect(self._choose_cases)
        if not models:
            self._hardware_pickers(theme)
        session.scenario_changed.connect(self.show_scenario)
        self.show_scenario(session.scenario)

    def _hardware_pickers(self, theme: Theme) -> None:
        vendors = sorted({device.vendor for device in self._session.catalogue.devices.values()})
        anything = Choice(ANY, _("Any"))
        self.vendor = self._picker(theme, _("Vendor"), [anything, *(Choice(name, name) for name in vendors)], ANY)
        self.vendor.chosen.connect(lambda key: self._set(vendors=() if key == ANY else (key,)))
        kinds = [anything, *(Choice(kind.value, words.device_kind(kind)) for kind in DeviceKind)]
        self.kind = self._picker(theme, _("Form factor"), kinds, ANY)
        self.kind.chosen.connect(lambda key: self._set(kinds=() if key == ANY else (DeviceKind(key),)))
        degrees = [Choice(degree.value, words.may_fail(degree)) for degree in Redundancy]
        self.safety = self._picker(theme, _("May fail"), degrees, self.redundancy.value)
        self.safety.chosen.connect(self._choose_safety)
        rankings = [Choice(ranking.value, words.ranking(ranking)) for ranking in Ranking]
        self.by = self._picker(theme, _("Ranked by"), rankings, self.ranking.value, 190)
        self.by.chosen.connect(self._choose_ranking)
        self.shown = SegmentedSwitch([("best", _("Best of each")), ("all", _("All"))], _("Shown"))
        self.shown.set_value("best")
        self.shown.chosen.connect(lambda key: self.all_wanted.emit(key == "all"))
        self.add(LabelledField(_("Shown"), self.shown, self.shown.sizeHint().width()))

    def _limit(self, theme: Theme, name: str, text: str, kind: Quantity) -> None:
        edit = self._edit(theme, text, kind)
        edit.value_edited.connect(lambda value, name=name: self._set(**{name: value}))
        self.fields[name] = edit

    def _target(self, theme: Theme, path: str, text: str, kind: Quantity) -> None:
        edit = self._edit(theme, text, kind, lambda value: self._session.check(**{path: value}))
        edit.value_edited.connect(lambda value: self._session.edit(text, **{path: value}))
        edit.gesture_started.connect(self._session.history.begin_gesture)
        edit.gesture_ended.connect(self._session.history.end_gesture)
        self.fields[path] = edit

    def _edit(
        self, theme: Theme, text: str, kind: Quantity, refusal: Callable[[Value], str] | None = None
    ) -> QuantityEdit:
        edit = QuantityEdit(theme, kind, text, refusal)
        edit.setPlaceholderText(_("none"))
        edit.problem_changed.connect(edit.setToolTip)
        self.add(LabelledField(text, edit, FIELD))
        return edit

    def _picker(self, theme: Theme, text: str, choices: list[Choice], current: str, width: int = PICKER) -> ComboPicker:
        picker = ComboPicker(theme, text)
        picker.set_choices(choices)
        picker.set_current(current)
        self.add(LabelledField(text, picker, width))
        return picker

    def _set(self, **changes: object) -> None:
        self.limits = self.limits.model_copy(update=changes)
        self.changed.emit()

    def _choose_ranking(self, key: str) -> None:
        self.ranking = Ranking(key)
        self.changed.emit()

    def _choose_safety(self, key: str) -> None:
        self.redundancy = Redundancy(key)
        self.changed.emit()

    def _choose_cases(self, key: str) -> None:
        self._session.edit(_("In how many cases"), workload__target_percentile=float(key))

    def _show_cases(self, share: float) -> None:
        """Half of the cases, most of them, nearly all; and what the scenario says where that is something else."""
        shares = sorted({*CASES, share})
        self.cases.set_choices([Choice(str(one), current().share(one)) for one in shares])
        self.cases.set_current(str(share))

    def show_scenario(self, scenario: Scenario) -> None:
        for path, edit in self.fields.items():
            if path.startswith("workload__"):
                edit.set_value(getattr(scenario.workload, path.removeprefix("workload__")))
        self._show_cases(scenario.workload.target_percentile)

    @property
    def request(self) -> SearchRequest:
        """The question as it stands."""
        return SearchRequest(
            scenario=self._session.scenario,
            limits=self.limits,
            ranking=self.ranking,
            redundancy=self.redundancy,
        )


def money(currency: Callable[[], str]) -> Quantity:
    """An amount of money in the scenario's currency."""
    plain = quantity.plain(currency(), "25,000", high=1e12, digits=0)
    return replace(
        plain,
        read=lambda text, comma: Decimal(str(units.parse_number(text.removesuffix(currency()).strip(), comma))),
        step=1000,
    )


def kilowatts() -> Quantity:
    """Power in kW, kept in W."""
    kind = quantity.plain("kW", "2")
    return replace(
        kind, read=lambda text, comma: kind.read(text, comma) * 1000, write=lambda w: kind.write(w / 1000), step=100
    )
