"""Find hardware: a sentence, the limits, the ranked table, what was ruled out, price against speed, reasons."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.language.sentences import device_with_count
from core.sizing.search.explain import explain, sized_miss
from core.sizing.search.report import Answer, HardwareFound
from core.sizing.search.request import Ranking
from desktop.pages.find.answer_table import AnswerTable
from desktop.pages.find.answers import RANKED, AnswersModel, Row, hardware_columns, hardware_row
from desktop.pages.find.limits_bar import LimitsBar
from desktop.pages.find.misses import MissesLine, MissesList
from desktop.pages.find.price_chart import Point, PriceChart
from desktop.pages.find.reasons import ReasonsPanel
from desktop.pages.find.search_job import SearchJob
from desktop.pages.page import Page
from desktop.results.text import Text
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.theme import Theme
from desktop.widgets.labels import button, label, line

REASONS = 324


class FindHardwarePage(Page):
    """The page; it searches when it is shown and when the question changes."""

    def __init__(self, session: Session, theme: Theme, opened: Callable[[], object]) -> None:
        super().__init__()
        self._session, self._theme, self._opened = session, theme, opened
        self._saved = one_of(SavedScenarios, session)
        self.found: HardwareFound | None = None
        self._everything = False
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.headline = label(_("Searching the catalogue…"), "verdict", wrap=True)
        self.subline = Text(theme, "label", "text_2", lines=2)
        self.limits = LimitsBar(session, theme)
        self.answers = AnswersModel(hardware_columns(Ranking.COST), self)
        self.table = AnswerTable(theme, self.answers, _("Answers"))
        self.misses = MissesLine(theme)
        self.chart = PriceChart(theme)
        self.reasons = ReasonsPanel(theme)
        self.keep = button(_("Compare ticked"), action=self._keep)
        self.open = button(_("Open as scenario"), "primary", self._open)
        self.open.setEnabled(False)
        self._job = SearchJob(self._work, self)
        self._lay_out()
        self._connect()

    # -- building

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
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setHandleWidth(1)
        self._split.setChildrenCollapsible(False)
        upper = QWidget()
        upper_column = QVBoxLayout(upper)
        upper_column.setContentsMargins(0, 0, 0, 0)
        upper_column.setSpacing(0)
        upper_column.addWidget(self.table, 1)
        upper_column.addWidget(self.misses)
        self._split.addWidget(upper)
        self._split.addWidget(self._lower())
        self._split.setStretchFactor(0, 5)
        self._split.setStretchFactor(1, 5)
        column.addWidget(self._split, 1)

    def _lower(self) -> QWidget:
        lower = QWidget()
        row = QHBoxLayout(lower)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        chart = QVBoxLayout()
        chart.setContentsMargins(20, 10, 16, 8)
        chart.setSpacing(4)
        heading = QHBoxLayout()
        heading.addWidget(label(_("Speed per user against price, tok/s, P10–P90"), "strong"), 1)
        self._legend = label("\u25c7 " + _("best speed for its price"), "label")
        heading.addWidget(self._legend)
        chart.addLayout(heading)
        chart.addWidget(self.chart, 1)
        row.addLayout(chart, 1)
        row.addWidget(line(vertical=True))
        self.reasons.setFixedWidth(REASONS)
        row.addWidget(self.reasons)
        return lower

    def _connect(self) -> None:
        self.limits.changed.connect(self._ask)
        self.limits.all_wanted.connect(self._show_everything)
        self._session.scenario_changed.connect(self._ask)
        self._session.catalogue_changed.connect(self._ask)
        self.table.row_chosen.connect(self._choose)
        self.table.open_wanted.connect(self._open)
        self.chart.point_chosen.connect(self.table.choose)
        self.misses.all_wanted.connect(self._list_misses)
        self.answers.ticked_changed.connect(self._on_ticked)
        self._job.found.connect(self.show_found)
        self._job.refused.connect(self._refuse)
        self._on_ticked()

    # -- searching

    def _ask(self, _changed: object = None) -> None:
        self._job.ask(self.isVisible())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._job.is_stale:
            self._job.run()

    def _work(self) -> Callable[[], HardwareFound]:
        from core.sizing.search.hardware import find_hardware

        request, catalogue = self.limits.request, self._session.catalogue
        return lambda: find_hardware(request, catalogue)

    def _refuse(self, sentence: str) -> None:
        self.headline.setText(sentence)
        self.subline.setText(_("The answers below are those of the last question that could be searched."))

    # -- showing

    def show_found(self, found: HardwareFound, seconds: float) -> None:
        """Fill the page; the chosen row stays chosen while it is among the answers."""
        kept = self._current.key if self._current is not None else ""
        self.found = found
        self.headline.setText(words.headline(found))
        self.subline.setText(f"{words.cost_basis(found)} {words.searched(found, seconds)}")
        self._fill(kept)

    def _fill(self, kept: str = "") -> None:
        found = self.found
        if found is None:
            return
        ranking, target = found.request.ranking, found.request.scenario.workload.speed_target
        shown = [*(found.answers if self._everything else found.best_of_each), *found.unknown]
        rows = [hardware_row(answer, ranking) for answer in shown]
        self.answers.beginResetModel()
        self.answers.columns = hardware_columns(ranking, found.need.tokens is not None)
        self.answers.endResetModel()
        self.table.ranked_column = RANKED[ranking]
        self.answers.set_rows(rows, target)
        self.table.fit_columns()
        self._fill_chart(rows, target)
        nearest = found.nearest_misses
        exact = sized_miss(found.request, nearest[0], self._session.catalogue) if nearest else None
        miss = (words.miss_name(exact), words.ruled_out(exact, found)) if exact is not None else None
        self.misses.show_misses(len(found.ruled_out), miss)
        at = next((n for n, row in enumerate(rows) if row.key == kept), 0)
        if rows:
            self.table.setCurrentIndex(self.answers.index(at, 0))
            self._choose(at)
        else:
            self.reasons.show_nothing()
        self.open.setEnabled(bool(rows))

    def _fill_chart(self, rows: list[Row], target: float | None) -> None:
        points = [
            Point(n, _short(row.answer), float(row.answer.evaluation.supply.price), *row.speed, row.best)
            for n, row in enumerate(rows)
            if row.answer.evaluation.supply.price
        ]
        currency = next(
            (row.answer.evaluation.supply.currency for row in rows if row.answer.evaluation.supply.currency), ""
        )
        self.chart.set_points(points, target, currency or self._session.scenario.economics.currency)

    @property
    def _current(self) -> Row | None:
        row = self.table.currentIndex().row()
        return self.answers.rows[row] if 0 <= row < len(self.answers.rows) else None

    def _choose(self, row: int) -> None:
        if self.found is None or not 0 <= row < len(self.answers.rows):
            return
        answer: Answer = self.answers.rows[row].answer
        self.chart.choose(row)
        self.reasons.show_explanation(answer, explain(self.found, answer, self._session.catalogue))
        self.table.viewport().update()

    def _show_everything(self, everything: bool) -> None:
        self._everything = everything
        self._fill(self._current.key if self._current is not None else "")

    def _list_misses(self) -> None:
        if self.found is not None:
            misses = [(words.miss_name(miss), words.ruled_out(miss, self.found)) for miss in self.found.ruled_out]
            MissesList(self._theme, misses, self).open()

    # -- keeping

    def _on_ticked(self) -> None:
        self.keep.setEnabled(bool(self.answers.chosen))

    def _scenario(self, row: Row) -> Any:
        answer: Answer = row.answer
        return answer.scenario.edited(name=words.option(answer)[:200])

    def _open(self, row: int | None = None) -> None:
        chosen = self._current if row is None else self.answers.rows[row]
        if chosen is not None:
            self._session.new(self._scenario(chosen))
            self._opened()

    def _keep(self) -> None:
        """Every ticked answer becomes a scenario of the same client, beside the one on screen."""
        self._saved.compare([self._scenario(row) for row in self.answers.chosen])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.reasons.setFixedWidth(REASONS if self.width() > 940 else 264)
        self._legend.setVisible(self.width() > 900)


def _short(answer: Answer) -> str:
    """The hardware without its plan, for the chart."""
    return device_with_count(answer.kind.device.called, answer.kind.units)
