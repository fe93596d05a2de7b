"""The results column: verdict first, then four figures, then the picture, then what to check.

The tab in front is built with the column, the others when they are first shown, or after the first paint.
"""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from core.errors import TonnageError
from core.language.messages import gettext as _
from core.sizing.report import Sizing
from desktop.results.advice import AdviceStrip
from desktop.results.column import ResultsColumn
from desktop.results.curves import Curves
from desktop.results.export_actions import ask_for_file, export_actions
from desktop.results.page import ResultPage
from desktop.results.tabs import TabLine
from desktop.results.tiles import TileRow
from desktop.results.verdict import VerdictBlock
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Message, Session, one_of
from desktop.theme import Theme
from desktop.widgets.labels import IconButton
from desktop.widgets.page_stack import PageStack

if TYPE_CHECKING:
    from desktop.results.capacity_page import CapacityPage
    from desktop.results.explain import ExplainPage
    from desktop.results.hardware_page import HardwarePage
    from desktop.results.memory_page import MemoryPage
    from desktop.results.roofline_page import RooflinePage
    from desktop.results.speed_page import SpeedPage

#: Narrower than this, second lines and lists go and the strip at the foot folds.
COMPACT_BELOW = 720
#: Lower than this, the strip at the foot folds.
LOW_BELOW = 720
WIDEST = 1100
#: Of the height, for what would help and what to check, when all of it is shown.
ADVICE_SHARE = 0.32
SIDE = 20
ICON_REACH = 6  # an icon's own margin inside its button, so that the drawing ends where the text ends
MEMORY, SPEED, CAPACITY, ROOFLINE, HARDWARE, EXPLAIN = range(6)


class ResultsPanel(ResultsColumn):
    """Shows a sizing. Every figure in it leads to Explain."""

    def __init__(self, session: Session, theme: Theme, curves: Curves | None = None) -> None:
        super().__init__()
        self.session, self.theme = session, theme
        self.curves = curves or _core_curves(session)
        self.setProperty("kind", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.verdict = VerdictBlock(theme)
        self.tiles = TileRow(theme, self.explain)
        self.tabs = TabLine(theme)
        self.pages = PageStack(
            {
                MEMORY: self._make_memory,
                SPEED: self._make_speed,
                CAPACITY: self._make_capacity,
                ROOFLINE: self._make_roofline,
                HARDWARE: self._make_hardware,
                EXPLAIN: self._make_explanation,
            }
        )
        self.advice = AdviceStrip(session, theme)
        self._table_button = IconButton(theme, "table", _("Table of the same numbers"), self.toggle_table, "T")
        self._save_button = IconButton(theme, "download", _("Save chart"), self.show_export_menu, "Ctrl+E")
        self._narrow = True
        self._fill_tabs()
        self._lay_out()
        self._connect()
        self.pages.show_page(MEMORY)
        self._fold(narrow=True, low=True)  # the smallest form decides the window's minimum
        if session.sizing is not None:
            self.set_sizing(session.sizing)

    # -- building -----------------------------------------------------------------------------------------------------

    def _fill_tabs(self) -> None:
        self.tabs.setAccessibleName(_("Results"))
        names = (_("Memory"), _("Speed"), _("Capacity"), _("Roofline"), _("Hardware"), _("Explain"))
        for number, name in enumerate(names):
            self.tabs.add(name, f"Alt+{number + 1}")
            shortcut = QShortcut(QKeySequence(f"Alt+{number + 1}"), self)
            shortcut.activated.connect(lambda number=number: self.show_tab(number))

    def _lay_out(self) -> None:
        self._top = QVBoxLayout()
        self._top.setSpacing(0)
        self._top.addWidget(self.verdict)
        self._top.addWidget(self.tiles)
        self._top.addSpacing(10)
        line = QHBoxLayout()
        line.setSpacing(14)
        line.addWidget(self.tabs, 1)
        line.addWidget(self._table_button)
        line.addWidget(self._save_button)
        self._line = line
        self._foot = QVBoxLayout()
        self._foot.addWidget(self.advice)
        self._foot_rule = _rule()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addLayout(self._line)
        column.addWidget(_rule())
        column.addWidget(self.pages, 1)
        column.addWidget(self._foot_rule)
        column.addLayout(self._foot)

    def _connect(self) -> None:
        self.session.sizing_changed.connect(self.set_sizing)
        self.session.held_changed.connect(self.verdict.set_held)
        self.verdict.proposal_wanted.connect(self.proposal_wanted)
        self.tabs.currentChanged.connect(self._on_tab)
        self.pages.built.connect(self._on_built)
        self.advice.explain_requested.connect(self.explain)
        self.verdict.hardware_wanted.connect(self.hardware_wanted)
        self.advice.previewed.connect(self._preview)
        self._add_shortcut("Ctrl+E", self.show_export_menu)
        self._add_shortcut("T", self.toggle_table).setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _add_shortcut(self, keys: str, action: Callable[[], object]) -> QShortcut:
        shortcut = QShortcut(QKeySequence(keys), self)
        shortcut.activated.connect(action)
        return shortcut

    # -- tabs ---------------------------------------------------------------------------------------------------------

    def _make_memory(self) -> QWidget:
        from desktop.results.memory_page import MemoryPage

        return MemoryPage(self.theme, self.curves)

    def _make_speed(self) -> QWidget:
        from desktop.results.speed_page import SpeedPage

        page = SpeedPage(self.theme, self.curves)
        page.calibration_wanted.connect(self.calibration_wanted)
        return page

    def _make_capacity(self) -> QWidget:
        from desktop.results.capacity_page import CapacityPage

        return CapacityPage(self.theme, self.curves)

    def _make_roofline(self) -> QWidget:
        from desktop.results.roofline_page import RooflinePage

        return RooflinePage(self.theme, self.curves)

    def _make_hardware(self) -> QWidget:
        from desktop.results.hardware_page import HardwarePage

        page = HardwarePage(self.theme, self.curves)
        page.opened.connect(self.session.new)
        page.kept.connect(one_of(SavedScenarios, self.session).compare)
        page.more_wanted.connect(self.hardware_wanted)
        return page

    def _make_explanation(self) -> QWidget:
        from desktop.results.explain import ExplainPage

        page = ExplainPage(self.theme, self.curves)
        page.bill_wanted.connect(self.bill_wanted)
        if self.session.sizing is not None:
            page.set_sizing(self.session.sizing, self.session.catalogue)
        return page

    def _on_built(self, page: QWidget) -> None:
        """A chart page takes its form from the column, and shows what the others show."""
        if isinstance(page, ResultPage):
            page.explain_requested.connect(self.explain)
            page.set_margins(SIDE, self._right)
            page.set_compact(self._narrow)
            if self.session.sizing is not None:
                page.set_sizing(self.session.sizing, self.session.catalogue)

    def build_next(self) -> bool:
        """Build one of the tabs that were not shown yet; False where there is none."""
        return self.pages.build_next()

    @property
    def memory(self) -> "MemoryPage":
        return cast("MemoryPage", self.pages.page(MEMORY))

    @property
    def speed(self) -> "SpeedPage":
        return cast("SpeedPage", self.pages.page(SPEED))

    @property
    def capacity(self) -> "CapacityPage":
        return cast("CapacityPage", self.pages.page(CAPACITY))

    @property
    def roofline(self) -> "RooflinePage":
        return cast("RooflinePage", self.pages.page(ROOFLINE))

    @property
    def hardware(self) -> "HardwarePage":
        return cast("HardwarePage", self.pages.page(HARDWARE))

    @property
    def explanation(self) -> "ExplainPage":
        return cast("ExplainPage", self.pages.page(EXPLAIN))

    @property
    def chart_pages(self) -> list[ResultPage]:
        """The pages with charts that are built."""
        pages = (self.pages.widget(index) for index in range(self.pages.count()))
        return [page for page in pages if isinstance(page, ResultPage)]

    # -- showing ------------------------------------------------------------------------------------------------------

    def set_sizing(self, sizing: Sizing) -> None:
        """Show a sizing: words, tiles and the page in front now, the hidden pages when they are shown."""
        self.verdict.set_sizing(sizing)
        self.tiles.set_sizing(sizing, self.curves.cost(sizing, self.session.catalogue))
        self.advice.set_sizing(sizing)
        self._foot_rule.setVisible(bool(sizing.findings))
        for page in self.chart_pages:
            page.set_sizing(sizing, self.session.catalogue)
        if self.pages.known(EXPLAIN) is not None:
            self.explanation.set_sizing(sizing, self.session.catalogue)

    def _preview(self, sizing: Sizing | None) -> None:
        """What a lever would bring, in the tiles."""
        self.tiles.preview(sizing, self.curves.cost(sizing, self.session.catalogue) if sizing is not None else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold(self.width() < COMPACT_BELOW, self.height() < LOW_BELOW)
        right = self._right
        self._line.setContentsMargins(SIDE, 0, right - ICON_REACH, 0)
        for layout in (self._top, self._foot):
            layout.setContentsMargins(SIDE, 0, right, 0)
        for page in self.chart_pages:
            page.set_margins(SIDE, right)

    @property
    def _right(self) -> int:
        """The margin at the right: what is wider than can be read well stays empty."""
        return max(SIDE, self.width() - WIDEST + SIDE)

    def _fold(self, narrow: bool, low: bool) -> None:
        self._narrow = narrow
        self.advice.set_most(round(ADVICE_SHARE * self.height()))
        self.advice.set_compact(narrow or low)
        self.verdict.set_compact(narrow)
        for page in self.chart_pages:
            page.set_compact(narrow)

    def show_tab(self, index: int) -> None:
        self.tabs.setCurrentIndex(index)

    def _on_tab(self, index: int) -> None:
        self.pages.show_page(index)
        self._table_button.setEnabled(index != EXPLAIN)

    def explain(self, key: str) -> None:
        """Show how a figure was found."""
        self.explanation.explain(key)
        self.show_tab(EXPLAIN)
        self.explanation.setFocus()

    def show_explanations(self) -> None:
        """All figures, with how each was found."""
        self.show_tab(EXPLAIN)
        self.explanation.setFocus()

    @property
    def chart_page(self) -> ResultPage | None:
        """The page with charts in front, if it is one."""
        page = self.pages.currentWidget()
        return page if isinstance(page, ResultPage) else None

    def toggle_table(self) -> None:
        page = self.chart_page
        if page is not None:
            page.show_tables(not page.shows_tables)

    # -- saving charts ------------------------------------------------------------------------------------------------

    def show_export_menu(self) -> None:
        """Offer the ways to save what is in front."""
        menu = QMenu(self)
        menu.addActions(self.export_actions())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        corner = self._save_button.mapToGlobal(self._save_button.rect().bottomRight())
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    def export_actions(self) -> list[QAction]:
        """What can be saved of the tab in front: a chart as a picture, a drawing or numbers; Explain as numbers."""
        return export_actions(self, self._ask_and_export, self.copy_picture if self.chart_page is not None else None)

    def _ask_and_export(self, kind: str) -> None:
        name = f"{self.session.scenario.name} {self.tabs.tabText(self.tabs.currentIndex())}"
        path = ask_for_file(self, name, kind)
        if path is not None:
            self.export(path)

    def export(self, path: Path) -> None:
        """Save what is in front as the ending of the path says; a failure is said in the page."""
        from desktop.results import exports

        name, today = self.session.scenario.name, datetime.date.today()
        page = self.pages.currentWidget()
        try:
            if path.suffix.lower() == ".csv":
                exports.save_tables(page.tables(), name, path, today)  # type: ignore[union-attr]
            elif isinstance(page, ResultPage):
                exports.save_chart(lambda theme: self._fresh(page, theme), self.theme, name, path, today)
        except TonnageError as error:
            self.session.message.emit(Message(error.message, "bad", topic="export"))

    def copy_picture(self) -> None:
        """Put the picture of the tab in front on the clipboard, as it would be saved."""
        from desktop.results import exports

        page = self.chart_page
        if page is not None:
            name, today = self.session.scenario.name, datetime.date.today()
            drawn = exports.chart_image(lambda theme: self._fresh(page, theme), self.theme, name, today)
            QGuiApplication.clipboard().setImage(drawn)

    def _fresh(self, page: ResultPage, theme: Theme) -> ResultPage:
        """The same page with the same numbers, in another theme."""
        fresh = type(page)(theme, self.curves)
        assert page.sizing is not None
        fresh.set_sizing(page.sizing, page.catalogue)
        fresh.take_over(page)
        return fresh


def _rule() -> QFrame:
    frame = QFrame()
    frame.setProperty("kind", "line")
    frame.setFixedHeight(1)
    return frame


def _core_curves(session: Session) -> Curves:
    from desktop.results.core_curves import CoreCurves

    return CoreCurves(session.cost)
