"""Hardware: what else in the catalogue does this work, speed against price, and the ranked table."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.language.numbers import current
from core.language.sentences import device_with_count
from core.scenario import Scenario
from core.sizing.report import Sizing
from core.sizing.search.report import HardwareFound
from core.sizing.search.request import Ranking, SearchRequest
from desktop.pages.find.answer_table import AnswerTable
from desktop.pages.find.answers import RANKED, SPEED_COLUMN, AnswersModel, Row, hardware_columns, hardware_row
from desktop.pages.find.price_chart import Point, PriceChart
from desktop.pages.find.search_job import SearchJob
from desktop.results.curves import Curves
from desktop.results.page import ChartSlot, ResultPage
from desktop.tables import Cell, Column, TableData
from desktop.theme import Theme
from desktop.widgets.labels import button, label

CHART, TABLE = 5, 4  # shares of the height
SPARED = (2, 3, 4)  # columns of the first token, of requests and of power: names come before them
BAR, WIDE = 136, 760  # of the column of speeds; from where on all columns have room


class NarrowAnswerTable(AnswerTable):
    """The ranked table in a column: the name comes first, and what has no room is left to the table view."""

    def fit_columns(self) -> None:
        super().fit_columns()
        if self.width() < WIDE:
            title = self.answers.columns[SPEED_COLUMN].title
            heading = self.horizontalHeader().fontMetrics().horizontalAdvance(title)
            self.setColumnWidth(SPEED_COLUMN, max(BAR, heading + 24))  # a heading is never cut
        for column in SPARED:
            self.setColumnHidden(column, self.width() < WIDE)


class HardwarePage(ResultPage):
    """Searches in the background while it is in front; an answer to an older question is dropped."""

    opened = Signal(object)  # Scenario
    kept = Signal(object)  # scenarios, to be saved beside the one on screen
    more_wanted = Signal()  # the page with all limits

    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__(theme, curves)
        self.found: HardwareFound | None = None
        self.seconds = 0.0
        self.ranking = Ranking.COST
        self.answers = AnswersModel(hardware_columns(self.ranking), self)
        self.table = NarrowAnswerTable(theme, self.answers, _("Hardware for this work"))
        self.chart = PriceChart(theme)
        self.heading = label(_("Speed per user against price, tok/s, P10–P90"), "strong")
        self.legend = label("\u25c7 " + _("best speed for its price"), "label")
        self.open = button(_("Open as scenario"), "link", self._open)
        self.keep = button(_("Compare ticked"), "link", self._keep)
        self.more = button(_("Set limits"), "link", self.more_wanted.emit)
        self._job = SearchJob(self._work, self)
        self._lay_out()
        self.table.row_chosen.connect(self._choose)
        self.table.open_wanted.connect(self._open)
        self.chart.point_chosen.connect(self.table.choose)
        self.answers.ticked_changed.connect(self._on_ticked)
        self._job.found.connect(self.show_found)
        self._job.refused.connect(self._refuse)

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self.heading, 1)
        heading.addWidget(self.legend)
        foot = QHBoxLayout()
        foot.setSpacing(16)
        foot.addStretch(1)
        foot.addWidget(self.keep)
        foot.addWidget(self.open)
        foot.addWidget(self.more)
        column = QVBoxLayout(self.charts)
        column.setContentsMargins(0, 8, 0, 4)
        column.setSpacing(4)
        column.addLayout(heading)
        column.addWidget(self.chart, CHART)
        column.addWidget(self.table, TABLE)
        column.addLayout(foot)
        self.charts.setFocusProxy(self.table)
        self.open.setEnabled(False)
        self.keep.setEnabled(False)

    # -- searching ----------------------------------------------------------------------------------------------------

    def slots(self) -> list[ChartSlot]:
        return []

    def _update(self, sizing: Sizing) -> None:
        """Ask anew where the question is another one; until the answer comes, the old one stays."""
        if self.found is not None and self.found.request == self._request(sizing.scenario):
            return
        if self.found is None:
            self.title.setText(_("Searching the catalogue…"))
        self._job.ask(self.isVisible())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._job.is_stale and self.sizing is not None:
            self._job.run()

    def _request(self, scenario: Scenario) -> SearchRequest:
        return SearchRequest(scenario=scenario, ranking=self.ranking)

    def _work(self) -> Callable[[], HardwareFound]:
        assert self.sizing is not None
        request, catalogue, search = self._request(self.sizing.scenario), self.catalogue, self.curves.hardware
        return lambda: search(request, catalogue)

    def _refuse(self, sentence: str) -> None:
        self.title.setText(sentence)
        self.line.setText(_("The answers below are those of the last question that could be searched."))

    # -- showing ------------------------------------------------------------------------------------------------------

    def take_over(self, other: ResultPage) -> None:
        if isinstance(other, HardwarePage) and other.found is not None:
            self.show_found(other.found, other.seconds)

    def show_found(self, found: HardwareFound, seconds: float) -> None:
        """Fill chart and table; the chosen row stays chosen while it is among the answers, else the scenario's own."""
        kept = self._current.key if self._current is not None else ""
        self.found, self.seconds = found, seconds
        self.title.setText(words.headline(found))
        self.line.setText(f"{words.cost_basis(found)} {words.searched(found, seconds)}")
        target = found.request.scenario.workload.speed_target
        rows = [hardware_row(answer, self.ranking) for answer in (*found.best_of_each, *found.unknown)]
        self.answers.beginResetModel()
        self.answers.columns = hardware_columns(self.ranking, found.need.tokens is not None)
        self.answers.endResetModel()
        self.table.ranked_column = RANKED[self.ranking]
        self.answers.set_rows(rows, target)
        self.table.fit_columns()
        self._fill_chart(rows, target)
        at = next((n for n, row in enumerate(rows) if row.key == kept), None)
        self._select(self._own(rows) if at is None else at)
        self.open.setEnabled(bool(rows))
        self.table.say_empty("" if rows else words.nothing_to_rank())
        for widget in (self.heading, self.legend, self.chart):
            widget.setVisible(bool(rows))
        if self.shows_tables:
            self._fill_tables()

    def _fill_chart(self, rows: list[Row], target: float | None) -> None:
        supplies = [(n, row, row.answer.evaluation.supply) for n, row in enumerate(rows)]
        points = [
            Point(n, _name(row), float(supply.price), *row.speed, row.best)
            for n, row, supply in supplies
            if supply.price
        ]
        currencies = [supply.currency for _n, _row, supply in supplies if supply.currency]
        asked = self.found.request.scenario.economics.currency if self.found is not None else ""
        self.chart.set_points(points, target, currencies[0] if currencies else asked)

    def _own(self, rows: list[Row]) -> int:
        """The row of the scenario's own hardware, else the first."""
        if self.found is None:
            return 0
        deployment = self.found.request.scenario.deployment
        own = (deployment.device, deployment.count * deployment.nodes)
        return next((n for n, row in enumerate(rows) if (row.answer.kind.device.id, row.answer.kind.units) == own), 0)

    def _select(self, at: int) -> None:
        if 0 <= at < len(self.answers.rows):
            self.table.setCurrentIndex(self.answers.index(at, 0))
            self.table.scrollTo(self.answers.index(at, 0), AnswerTable.ScrollHint.PositionAtCenter)
            self._choose(at)

    def _choose(self, row: int) -> None:
        self.chart.choose(row)
        self.table.viewport().update()

    @property
    def _current(self) -> Row | None:
        row = self.table.currentIndex().row()
        return self.answers.rows[row] if 0 <= row < len(self.answers.rows) else None

    def _open(self, row: int | None = None) -> None:
        chosen = self._current if row is None else self.answers.rows[row]
        if chosen is not None:
            self.opened.emit(_scenario(chosen))

    def _on_ticked(self) -> None:
        self.keep.setEnabled(bool(self.answers.chosen))

    def _keep(self) -> None:
        self.kept.emit([_scenario(row) for row in self.answers.chosen])

    # -- tables -------------------------------------------------------------------------------------------------------

    def tables(self) -> list[TableData]:
        """The ranked table with its range of speeds."""
        first, _speed, *others = self.answers.columns
        name, unit = _("Speed per user"), _("tok/s")
        speeds = [Column(f"{name} {level}", unit) for level in ("P10", "P50", "P90")]
        rows = []
        for row in self.answers.rows:
            numbers = (Cell(*_speed_cell(value)) for value in row.speed)
            rest = (Cell(text, _finite(value)) for text, value in zip(row.cells[2:], row.values[2:], strict=True))
            rows.append((Cell(row.cells[0]), *numbers, *rest))
        return [TableData(_("Hardware for this work"), (first, *speeds, *others), tuple(rows))]


def _scenario(row: Row) -> Scenario:
    """An answer as a scenario with its name."""
    scenario: Scenario = row.answer.scenario
    return scenario.edited(name=words.option(row.answer)[:200])


def _speed_cell(value: float) -> tuple[str, float]:
    return current().speed_parts(value)[0], value


def _finite(value: object) -> object:
    return None if value == float("inf") else value


def _name(row: Row) -> str:
    """The hardware without its plan."""
    return device_with_count(row.answer.kind.device.called, row.answer.kind.units)
