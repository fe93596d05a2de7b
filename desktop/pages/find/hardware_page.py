"""Find hardware: a sentence, the limits, the ranked table, what was ruled out, price against speed, reasons."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from core.language import search_sentences as words
from core.language.messages import gettext as _
from core.language.sentences import device_with_count
from core.scenario import Scenario
from core.sizing.search.explain import explain, sized_miss
from core.sizing.search.report import Answer, HardwareFound
from core.sizing.search.request import Ranking
from desktop.pages.find.answers import RANKED, Row, hardware_columns, hardware_row
from desktop.pages.find.price_chart import Point, PriceChart
from desktop.pages.find.reasons import ReasonsPanel
from desktop.pages.find.search_page import SearchPage
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.labels import label, line

REASONS = 324


class FindHardwarePage(SearchPage):
    """Beside the table, price against speed and the reasons of the answer that is chosen."""

    def __init__(self, session: Session, theme: Theme, opened: Callable[[], object]) -> None:
        super().__init__(session, theme, opened, hardware_columns(Ranking.COST), _("Answers"))
        self.found: HardwareFound | None = None
        self._everything = False
        self.chart = PriceChart(theme)
        self.reasons = ReasonsPanel(theme)
        self._lay_out()
        self.limits.all_wanted.connect(self._show_everything)
        self.table.row_chosen.connect(self._choose)
        self.chart.point_chosen.connect(self.table.choose)

    # -- building

    def _lay_out(self) -> None:
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
        self._below = self._lower()
        self._split.addWidget(self._below)
        self._split.setStretchFactor(0, 5)
        self._split.setStretchFactor(1, 5)
        self._top().addWidget(self._split, 1)

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

    # -- searching

    def _work(self) -> Callable[[], HardwareFound]:
        from core.sizing.search.hardware import find_hardware

        request, catalogue = self.limits.request, self._session.catalogue
        return lambda: find_hardware(request, catalogue)

    def _refuse(self, sentence: str) -> None:
        super()._refuse(sentence)
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
        self.table.say_empty("" if rows else words.nothing_to_rank())
        self._below.setVisible(bool(rows))
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

    def _ruled_out(self) -> list[tuple[str, str]]:
        found = self.found
        return [(words.miss_name(miss), words.ruled_out(miss, found)) for miss in found.ruled_out] if found else []

    def _scenario(self, row: Row) -> Scenario:
        answer: Answer = row.answer
        return answer.scenario.edited(name=words.option(answer)[:200])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.reasons.setFixedWidth(REASONS if self.width() > 940 else 264)
        self._legend.setVisible(self.width() > 900)


def _short(answer: Answer) -> str:
    """The hardware without its plan, for the chart."""
    return device_with_count(answer.kind.device.called, answer.kind.units)
