"""What every request asks of the embedding model and the reranker, whether they share the card or not."""

from PySide6.QtWidgets import QWidget

from core.language.messages import gettext as _
from core.scenario import Retrieval, Scenario
from desktop.inputs.rows import PickerRow, QuantityRow
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice
from desktop.widgets.picker import ComboPicker
from desktop.widgets.quantity import Value

COUNTED, LEFT_OUT = "counted", "none"
PATH = "workload__retrieval"


class RetrievalRow(QuantityRow):
    """A figure of the traffic; it can be seen while the traffic counts."""

    def __init__(self, session: Session, theme: Theme, text: str, field: str, kind: quantity.Quantity) -> None:
        self._field = field
        super().__init__(session, theme, text, PATH, kind)

    def refusal(self, value: Value) -> str:
        return self._session.check(**{PATH: self._with(value)})

    def _on_edited(self, value: Value) -> None:
        self._session.edit(self._text, **{PATH: self._with(value)})

    def _with(self, value: Value) -> dict[str, object]:
        kept = self._session.scenario.workload.retrieval or Retrieval()
        return {**kept.model_dump(), self._field: value}

    def _show(self, scenario: Scenario) -> None:
        said = scenario.workload.retrieval
        self.edit.set_value(getattr(said, self._field) if said is not None else None)


class RetrievalRows:
    """The switch and the three figures."""

    def __init__(self, session: Session, theme: Theme) -> None:
        self.picker = ComboPicker(theme, _("Retrieval traffic"))
        self.picker.set_choices([Choice(LEFT_OUT, _("not counted")), Choice(COUNTED, _("counted"))])
        self.picker.chosen.connect(
            lambda key: session.edit(_("Retrieval traffic"), **{PATH: Retrieval() if key == COUNTED else None})
        )
        self.switch = PickerRow(theme, _("Retrieval traffic"), self.picker)
        self.figures = [
            RetrievalRow(session, theme, _("Question"), "question_tokens", quantity.tokens()),
            RetrievalRow(
                session, theme, _("Passages ranked"), "passages", quantity.count(low=0, high=10_000, example="20")
            ),
            RetrievalRow(session, theme, _("Of each passage"), "passage_tokens", quantity.tokens()),
        ]
        self.rows: list[QWidget] = [self.switch, *self.figures]

    def show_scenario(self, scenario: Scenario, shows_more: bool) -> None:
        said = scenario.workload.retrieval
        counted = said is not None
        self.picker.set_current(COUNTED if counted else LEFT_OUT, _("counted") if counted else _("not counted"))
        served = bool(scenario.companions)
        self.switch.caption.set_caption("" if served or not counted else _("No embedding model or reranker runs yet."))
        for row in self.figures:
            row.setVisible(counted and shows_more)
            row.show_scenario(scenario)
        usual = Retrieval()
        alike = counted and said == usual
        self.figures[-1].set_caption(_("usual figures, an estimate: change them") if alike else "")
