"""Find models: what the hardware of the scenario can run, with the same table the other way round."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.language import search_sentences as words
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.sentences import device_with_count
from core.sizing.search.models import ModelAnswer, ModelsFound
from desktop.pages.find.answer_table import AnswerTable
from desktop.pages.find.answers import AnswersModel, model_columns, model_row
from desktop.pages.find.limits_bar import LimitsBar
from desktop.pages.find.misses import MissesLine, MissesList
from desktop.pages.find.search_job import SearchJob
from desktop.pages.page import Page
from desktop.results.text import Text
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line


class FindModelsPage(Page):
    """The page; hardware, workload and targets are those of the scenario."""

    def __init__(self, session: Session, theme: Theme, opened: Callable[[], object]) -> None:
        super().__init__()
        self._session, self._theme, self._opened = session, theme, opened
        self._saved = one_of(SavedScenarios, session)
        self.found: ModelsFound | None = None
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.headline = label(_("Searching the catalogue…"), "verdict", wrap=True)
        self.subline = Text(theme, "label", "text_2", lines=2)
        self.limits = LimitsBar(session, theme, models=True)
        self.answers = AnswersModel(model_columns(), self)
        self.table = AnswerTable(theme, self.answers, _("Models"))
        self.misses = MissesLine(theme)
        self.keep = button(_("Compare ticked"), action=self._keep)
        self.open = button(_("Open as scenario"), "primary", self._open)
        self.open.setEnabled(False)
        self._job = SearchJob(self._work, self)
        self._lay_out()
        self.limits.changed.connect(self._ask)
        session.scenario_changed.connect(self._ask)
        session.catalogue_changed.connect(self._ask)
        self.table.open_wanted.connect(self._open)
        self.table.row_chosen.connect(lambda _row: self.table.viewport().update())
        self.misses.all_wanted.connect(self._list_misses)
        self.answers.ticked_changed.connect(lambda: self.keep.setEnabled(bool(self.answers.chosen)))
        self.keep.setEnabled(False)
        self._job.found.connect(self.show_found)
        self._job.refused.connect(self.headline.setText)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(20, 12, 20, 6)
        head.setSpacing(10)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self.headline)
        texts.addWidget(self.subline)
        head.addLayout(texts, 1)
        head.addWidget(self.keep, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.open, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        strip = QVBoxLayout()
        strip.setContentsMargins(20, 2, 20, 12)
        strip.addWidget(self.limits)
        column.addLayout(strip)
        column.addWidget(line())
        column.addWidget(self.table, 1)
        column.addWidget(line())
        column.addWidget(self.misses)

    def _ask(self, _changed: object = None) -> None:
        self._job.ask(self.isVisible())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._job.is_stale:
            self._job.run()

    def _work(self) -> Callable[[], ModelsFound]:
        from core.sizing.search.models import find_models

        request, catalogue = self.limits.request, self._session.catalogue
        return lambda: find_models(request, catalogue)

    def show_found(self, found: ModelsFound, seconds: float) -> None:
        self.found = found
        catalogue, deployment = self._session.catalogue, found.request.scenario.deployment
        device = catalogue.device(deployment.device)
        hardware = device_with_count(device.called, deployment.count * deployment.nodes)
        self.headline.setText(words.models_headline(found, hardware))
        self.subline.setText(words.models_searched(found, seconds))
        rows = [
            model_row(one, format_name(catalogue.weight_format(one.weights).name), catalogue.kv_format(one.kv_format))
            for one in found.answers
        ]
        self.answers.set_rows(rows, found.request.scenario.workload.speed_target)
        self.table.fit_columns()
        nearest = found.ruled_out[0] if found.ruled_out else None
        miss = (nearest.model.name, words.model_ruled_out(nearest)) if nearest is not None else None
        self.misses.show_misses(len(found.ruled_out), miss)
        self.open.setEnabled(bool(rows))
        if rows:
            self.table.setCurrentIndex(self.answers.index(0, 0))

    def _list_misses(self) -> None:
        if self.found is not None:
            MissesList(
                self._theme, [(m.model.name, words.model_ruled_out(m)) for m in self.found.ruled_out], self
            ).open()

    def _open(self, row: int | None = None) -> None:
        at = self.table.currentIndex().row() if row is None else row
        if 0 <= at < len(self.answers.rows):
            answer: ModelAnswer = self.answers.rows[at].answer
            self._session.new(answer.scenario.edited(name=answer.model.name[:200]))
            self._opened()

    def _keep(self) -> None:
        """Every ticked model becomes a scenario of the same client, beside the one on screen."""
        answers: list[ModelAnswer] = [row.answer for row in self.answers.chosen]
        self._saved.compare([one.scenario.edited(name=one.model.name[:200]) for one in answers])
