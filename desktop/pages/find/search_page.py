"""What the two searches have in common: a sentence, the limits, the table of answers, what was ruled out."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.pages.find.answer_table import AnswerTable
from desktop.pages.find.answers import AnswersModel, Row
from desktop.pages.find.limits_bar import LimitsBar
from desktop.pages.find.misses import MissesLine, MissesList
from desktop.pages.find.search_job import SearchJob
from desktop.pages.page import Page
from desktop.results.text import Text
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.tables import Column
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line


class SearchPage(Page):
    """Searches when it is shown and when the question changes; an answer becomes a scenario."""

    def __init__(
        self, session: Session, theme: Theme, opened: Callable[[], object], columns: Sequence[Column], answers: str
    ) -> None:
        super().__init__()
        self._session, self._theme, self._opened = session, theme, opened
        self._saved = one_of(SavedScenarios, session)
        self.headline = label(_("Searching the catalogue…"), "verdict", wrap=True)
        self.subline = Text(theme, "label", "text_2", lines=2)
        self.limits = LimitsBar(session, theme, models=self.finds_models)
        self.answers = AnswersModel(list(columns), self)
        self.table = AnswerTable(theme, self.answers, answers, self.spared)
        self.misses = MissesLine(theme)
        self.keep = button(_("Compare ticked"), action=self._keep)
        self.keep.setEnabled(False)
        self.open = button(_("Open as scenario"), "primary", self._open)
        self.open.setEnabled(False)
        self._job = SearchJob(self._work, self)
        self.limits.changed.connect(self._ask)
        session.scenario_changed.connect(self._ask)
        session.catalogue_changed.connect(self._ask)
        self.table.open_wanted.connect(self._open)
        self.misses.all_wanted.connect(self._list_misses)
        self.answers.ticked_changed.connect(lambda: self.keep.setEnabled(bool(self.answers.chosen)))
        self._job.found.connect(self.show_found)
        self._job.refused.connect(self._refuse)

    # -- what each of them says for itself

    finds_models = False
    spared: tuple[int, ...] = ()  # columns that a narrow window does without, the first of them first

    def _work(self) -> Callable[[], Any]:
        """The search for what the limits ask."""
        raise NotImplementedError

    def show_found(self, found: Any, seconds: float) -> None:
        """Fill the page."""
        raise NotImplementedError

    def _scenario(self, row: Row) -> Scenario:
        """The scenario that an answer stands for."""
        raise NotImplementedError

    def _ruled_out(self) -> list[tuple[str, str]]:
        """Everything that was ruled out, with the reason."""
        raise NotImplementedError

    def _refuse(self, sentence: str) -> None:
        self.headline.setText(sentence)

    # -- building

    def _top(self) -> QVBoxLayout:
        """The column of the page, begun with the sentence and the limits."""
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
        return column

    # -- searching

    def _ask(self, _changed: object = None) -> None:
        self._job.ask(self.isVisible())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._job.is_stale:
            self._job.run()

    def _list_misses(self) -> None:
        MissesList(self._theme, self._ruled_out(), self).open()

    # -- keeping

    @property
    def _current(self) -> Row | None:
        row = self.table.currentIndex().row()
        return self.answers.rows[row] if 0 <= row < len(self.answers.rows) else None

    def _open(self, row: int | None = None) -> None:
        chosen = self._current if row is None else self.answers.rows[row]
        if chosen is not None:
            self._session.new(self._scenario(chosen))
            self._opened()

    def _keep(self) -> None:
        """Every ticked answer becomes a scenario of the same client, beside the one on screen."""
        self._saved.compare([self._scenario(row) for row in self.answers.chosen])
