"""The window: sidebar, pages, actions and their keys. No word of sizing is in here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QMainWindow,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.language.messages import gettext as _
from core.language.messages import language
from core.language.numbers import MemoryUnit, memory_unit, set_memory_unit
from core.scenario import CatalogueModel, Scenario
from desktop import icons
from desktop.actions import Actions, Deed, settings_menu
from desktop.import_job import Imports
from desktop.importing import save_copy
from desktop.inputs.explained import figure_of
from desktop.inputs.panel import InputsPanel
from desktop.moved_on import MovedOn
from desktop.pages.sizing_page import SizingPage
from desktop.pages.start_page import StartPage, Way
from desktop.proposal_export import ProposalExport
from desktop.session import Message, Session, one_of
from desktop.settings import LANGUAGE, MEMORY_UNIT, NARROW_SIDEBAR, SIDEBAR_WIDTH, THEME, TOUR_SEEN, Settings
from desktop.sidebar.sidebar import Page, Sidebar
from desktop.theme import Scheme, Theme
from desktop.ticked import Ticked
from desktop.widgets.drop_frame import DropFrame
from desktop.widgets.focus import first_focusable
from desktop.widgets.message_bar import MessageBar, MessageStack
from desktop.widgets.question import Question
from desktop.widgets.tour import Hint, Tour

if TYPE_CHECKING:
    from desktop.pages.calibration.page import CalibrationPage
    from desktop.pages.catalogue.page import CataloguePage

SIZING, HARDWARE, MODELS, COMPARE, CATALOGUE, START = "sizing", "hardware", "models", "compare", "catalogue", "start"
PROPOSAL = "proposal"
SETTINGS, HELP = "settings", "help"
CALIBRATION = "calibration"
BILL = "bill"
SIDEBAR_LEAST, SIDEBAR_MOST = 180, 360
CHARTS_MS = 50  # after the first paint the charts come first
EXAMPLE = "example"  # topic of the line about the worked example
ResultsFactory = Callable[[Session, Theme], QWidget]


class MainWindow(QMainWindow):
    """Three columns; the middle and right one change with the page."""

    language_chosen = Signal(str)
    completed = Signal()  # everything is built that waits for the first paint

    def __init__(
        self,
        session: Session,
        theme: Theme,
        settings: Settings,
        make_results: ResultsFactory,
        new_scenario: Callable[[], Scenario],
    ) -> None:
        super().__init__()
        self.session, self.theme, self.settings = session, theme, settings
        self._make_results, self._new_scenario = make_results, new_scenario
        self._completed = False
        self._pieces: QTimer | None = None  # builds what waits for the first paint
        self._narrow: bool | None = None
        self._example_id: int | None = None
        self._catalogue: CataloguePage | None = None  # once it has been shown
        self._calibration: CalibrationPage | None = None
        self._built: dict[str, QWidget] = {}  # pages that have been shown, by key
        self.setWindowTitle("Tonnage")
        self.setWindowIcon(icons.app_icon())
        self.setAcceptDrops(True)
        self._actions = Actions(self, self._deeds())
        self.ticked = one_of(Ticked, session)
        self.sidebar = Sidebar(session, theme, self.ticked, self._pages(), self._settings_menu)
        self.inputs = InputsPanel(session, theme, settings, self.choose_file, self.show_device, self.show_bill)
        self.sizing = SizingPage(theme, settings, self.inputs, QWidget())
        self.start = StartPage(theme, self._ways(), self.choose_file)
        self.messages = MessageStack(theme)
        self.proposals = one_of(ProposalExport, session)
        self.moved_on = MovedOn(session, self)
        self.imports = one_of(Imports, session)
        self.imports.imported.connect(self._on_imported)
        self._lay_out()
        self.drop_frame = DropFrame(theme, self)
        self._connect()
        self._fit()
        self.show_page(SIZING)
        self.setFocus()  # no control has a ring before somebody has reached for it

    # -- building -----------------------------------------------------------------------------------------------------

    def _pages(self) -> Sequence[Page]:
        return (
            Page(SIZING, _("Sizing"), "gauge", "Ctrl+1"),
            Page(HARDWARE, _("Find hardware"), "chip", "Ctrl+2"),
            Page(MODELS, _("Find models"), "layers", "Ctrl+3"),
            Page(COMPARE, _("Compare"), "columns", "Ctrl+4"),
            Page(CATALOGUE, _("Catalogue"), "book", "Ctrl+5"),
        )

    def _ways(self) -> Sequence[Way]:
        return (
            Way("plus", _("Start a scenario"), _("Choose a model, a workload and a device."), "Ctrl+N", self.new),
            Way(
                "layers",
                _("Import a model"),
                _("From config.json, GGUF or safetensors: no guess."),
                "Ctrl+O",
                self.choose_file,
            ),
            Way(
                "gauge",
                _("Open the worked example"),
                _("A 35B model on one 96 GB card, ready to change."),
                "",
                self.open_example,
            ),
        )

    def _lay_out(self) -> None:
        self.stack = QStackedWidget()
        self.stack.addWidget(self.sizing)
        self.stack.addWidget(self.start)
        right = QWidget()
        right.setProperty("kind", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self.stack, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.sidebar)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.splitterMoved.connect(self._remember_width)
        self.setCentralWidget(self.splitter)
        self.setMinimumSize(self.theme.least_window)

    def _connect(self) -> None:
        self.sidebar.page_chosen.connect(self.show_page)
        self.sidebar.narrow_wanted.connect(self._set_narrow)
        self.sidebar.new_wanted.connect(self.new)
        self.sidebar.scenario_opened.connect(lambda: self.show_page(SIZING))
        self.sidebar.record_wanted.connect(self.show_record)
        self.sidebar.set_commands(self._actions.commands())
        self.session.message.connect(self.messages.show_message)
        self.moved_on.say_now()
        self.session.sizing_lost.connect(self.sizing.hide_results)
        self.session.sizing_changed.connect(self.sizing.show_results)
        self.session.copy_wanted.connect(self.save_copy)
        self.session.scenario_changed.connect(self._on_scenario)
        self.session.scenarios_changed.connect(self._on_scenarios)
        self.session.comparison_wanted.connect(self._compare)
        self._on_scenario(self.session.scenario)

    def complete(self) -> None:
        """Build the results column; its charts wait for the first paint, since they take their time to import."""
        if not self._completed:
            self._completed = True
            results = self._make_results(self.session, self.theme)
            wanted = getattr(results, "proposal_wanted", None)
            calibration = getattr(results, "calibration_wanted", None)
            bill = getattr(results, "bill_wanted", None)
            if bill is not None:
                bill.connect(self.show_bill)
            if calibration is not None:
                calibration.connect(self.calibrate)
            if wanted is not None:
                wanted.connect(self.propose)
            searched = getattr(results, "hardware_wanted", None)
            if searched is not None:
                searched.connect(lambda: self.show_page(HARDWARE))
            self.sizing.set_results(results)
            results.setVisible(self.session.sizing is not None)
            self._order_tabs()

    def build_next(self) -> bool:
        """Build one of the pages that wait until the window is painted; False where none is left."""
        build = getattr(self.sizing.results, "build_next", None)
        return build is not None and build()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._pieces is None:
            self._pieces = QTimer(self)
            self._pieces.timeout.connect(self._build_piece)
            self._pieces.start(CHARTS_MS)

    def _build_piece(self) -> None:
        """One after the other: a key that is pressed meanwhile is answered in between."""
        assert self._pieces is not None
        self._pieces.setInterval(0)
        if not self.build_next():
            self._pieces.stop()
            self.completed.emit()

    def _order_tabs(self) -> None:
        QWidget.setTabOrder(self.sidebar, self.inputs)
        QWidget.setTabOrder(self.inputs, self.sizing.results)

    # -- actions ------------------------------------------------------------------------------------------------------

    def _deeds(self) -> Sequence[Deed]:
        return (
            Deed("search", _("Search, run"), "Ctrl+K", lambda: self.sidebar.open_search()),
            Deed("new", _("New scenario"), "Ctrl+N", self.new, "plus"),
            Deed("duplicate", _("Duplicate scenario"), "Ctrl+D", self.duplicate, "copy"),
            Deed("rename", _("Rename scenario"), "F2", self.rename, "pencil"),
            Deed("client", _("Move to client…"), "Ctrl+M", lambda: self.sidebar.list.ask_client_of_current(), "folder"),
            Deed("delete", _("Delete scenario"), "", self.delete, "trash"),
            Deed("open", _("Import or open a file…"), "Ctrl+O", self.choose_file, "folder"),
            Deed("copy", _("Save a copy…"), "Ctrl+Shift+S", self.save_copy, "download"),
            Deed("proposal", _("Proposal…"), "Ctrl+P", self._propose_here, "document"),
            Deed("undo", _("Undo"), "Ctrl+Z", self.undo, "undo"),
            Deed("redo", _("Redo"), "Ctrl+Shift+Z", self.session.redo, "redo"),
            Deed("sizing", _("Sizing"), "Ctrl+1", lambda: self.go(SIZING), "gauge"),
            Deed("hardware", _("Find hardware"), "Ctrl+2", lambda: self.go(HARDWARE), "chip"),
            Deed("models", _("Find models"), "Ctrl+3", lambda: self.go(MODELS), "layers"),
            Deed("compare", _("Compare"), "Ctrl+4", lambda: self.go(COMPARE), "columns"),
            Deed("catalogue", _("Catalogue"), "Ctrl+5", lambda: self.go(CATALOGUE), "book"),
            Deed("calibrate", _("Calibrate with your own measurement…"), "Ctrl+Shift+M", self.calibrate, "calculator"),
            Deed("bill", _("Bill of materials…"), "Ctrl+Shift+B", self.show_bill, "table"),
            Deed("pack", _("Import a catalogue pack…"), "", self._choose_pack, "book"),
            Deed("sidebar", _("Narrow or widen the sidebar"), "Ctrl+B", self._toggle_sidebar, "sidebar"),
            Deed("settings", _("Settings"), "Ctrl+,", lambda: self.show_page(SETTINGS), "gear"),
            Deed("help", _("Help"), "Shift+F1", lambda: self.show_page(HELP), "info-circle"),
            Deed("example", _("Open the worked example"), "", self.open_example, "gauge"),
            Deed("next", _("Next scenario"), "Ctrl+Tab", self.next_scenario),
            Deed("previous", _("Previous scenario"), "Ctrl+Shift+Tab", lambda: self.next_scenario(-1)),
            Deed("column", _("Next column"), "F6", lambda: self._focus_column(1)),
            Deed("back", _("Previous column"), "Shift+F6", lambda: self._focus_column(-1)),
            Deed("about", _("About Tonnage"), "", self.show_about, "info-circle"),
            Deed("quit", _("Quit"), "Ctrl+Q", self.close),
        )

    def action_keys(self) -> Sequence[str]:
        return self._actions.keys()

    def action(self, key: str) -> QAction:
        return self._actions[key]

    def _settings_menu(self, parent: QWidget) -> QMenu:
        files = [self._actions[key] for key in ("settings", "help", "open", "copy", "proposal", "about")]
        return settings_menu(
            parent, self.theme.scheme, self.set_scheme, self._choose_language, files, self._actions["quit"]
        )

    def _choose_memory_unit(self, unit: str) -> None:
        """Everything is written again: the window is built anew, as for another language."""
        if unit != memory_unit().value:
            self.settings.set(MEMORY_UNIT, unit)
            set_memory_unit(MemoryUnit(unit))
            self.language_chosen.emit(language())

    def show_about(self) -> None:
        from desktop.about import AboutDialog

        AboutDialog(self.theme, self.session.catalogue.version, self).exec()

    def set_scheme(self, scheme: str) -> None:
        self.settings.set(THEME, scheme)
        self.theme.set_scheme(Scheme(scheme))

    def _choose_language(self, code: str) -> None:
        if code != language():
            self.settings.set(LANGUAGE, code)
            self.language_chosen.emit(code)

    # -- pages --------------------------------------------------------------------------------------------------------

    @property
    def page(self) -> str:
        current = self.stack.currentWidget()
        built = next((key for key, page in self._built.items() if page is current), "")
        return built or (START if current is self.start else SIZING)

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The pages that have been built so far."""
        return (SIZING, START, *self._built)

    def show_page(self, key: str) -> None:
        """Show a page; all but the first two are built when they are first asked for."""
        if key in (SIZING, HARDWARE, MODELS, PROPOSAL, CALIBRATION, BILL) and not self._has_scenario():
            key = START
        if key not in (SIZING, START) and key not in self._built:
            self._built[key] = self._build(key)
            self.stack.addWidget(self._built[key])
        widgets = {SIZING: self.sizing, START: self.start, **self._built}
        self.stack.setCurrentWidget(widgets[key])
        self.sidebar.show_page(SIZING if key == START else key)

    def _compare(self, ids: list[int]) -> None:
        self.ticked.set_ids(ids)
        self.go(COMPARE)

    def go(self, key: str) -> None:
        """Show a page and put the focus into it: the way of the keyboard."""
        self.show_page(key)
        page = self.stack.currentWidget()
        first = first_focusable(page) if page is not None else None
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _build(self, key: str) -> QWidget:
        if key == CATALOGUE:
            return self._build_catalogue()
        if key == CALIBRATION:
            return self._build_calibration()
        if key == COMPARE:
            return self._build_compare()
        if key == BILL:
            from desktop.pages.bill.page import BillPage

            return BillPage(self.session, self.theme, lambda: self.show_page(SIZING))
        if key == PROPOSAL:
            from desktop.pages.proposal.proposal_page import ProposalPage

            return ProposalPage(
                self.session,
                self.theme,
                self.settings,
                self.proposals,
                lambda: self.show_page(SIZING),
                self.show_device,
            )
        if key == SETTINGS:
            from desktop.pages.settings_page import SettingsPage, WindowChoices

            choices = WindowChoices(self.set_scheme, self._choose_language, self._choose_memory_unit)
            return SettingsPage(self.session, self.theme, self.settings, choices)
        if key == HELP:
            from desktop.pages.help.page import HelpPage

            return HelpPage(self.session, self.theme, self._actions.all(), self._open_answer)
        from desktop.pages.find.hardware_page import FindHardwarePage
        from desktop.pages.find.models_page import FindModelsPage

        page = FindHardwarePage if key == HARDWARE else FindModelsPage
        return page(self.session, self.theme, lambda: self.show_page(SIZING))

    def _build_catalogue(self) -> QWidget:
        from desktop.pages.catalogue.page import CataloguePage

        page = CataloguePage(self.session, self.theme)
        page.import_wanted.connect(self.choose_file)
        page.folder_wanted.connect(self.choose_folder)
        page.scenario_wanted.connect(self._open_scenario)
        page.calibration_wanted.connect(self.calibrate)
        self._catalogue = page
        return page

    def _build_calibration(self) -> QWidget:
        from desktop.pages.calibration.page import CalibrationPage

        page = CalibrationPage(self.session, self.theme, lambda: self.show_page(SIZING))
        self._calibration = page
        return page

    def calibrate(self) -> None:
        """Let a measurement of the user's own narrow the predictions of the scenario on screen."""
        self.show_page(CALIBRATION)
        if self.page == CALIBRATION and self._calibration is not None:
            self._calibration.begin()

    def show_bill(self) -> None:
        """The lines of what is bought, to be changed."""
        self.show_page(BILL)
        begin = getattr(self._built.get(BILL), "begin", None)
        if begin is not None and self.page == BILL:
            begin()

    def _choose_pack(self) -> None:
        self.show_page(CATALOGUE)
        if self._catalogue is not None:
            self._catalogue.choose_pack()

    def _build_compare(self) -> QWidget:
        from desktop.pages.compare.compare_page import ComparePage

        page = ComparePage(self.session, self.theme, self.ticked, self.settings)
        page.opened.connect(lambda: self.show_page(SIZING))
        page.explain_requested.connect(self._explain)
        page.propose.connect(self._propose_saved)
        return page

    def _explain(self, key: str) -> None:
        """Show how a figure of the scenario on screen was found."""
        explain = getattr(self.sizing.results, "explain", None)
        if explain is not None:
            explain(key)

    def _propose_here(self) -> None:
        """A proposal of what is on screen: the compared scenarios, else the one that is sized."""
        compared = self._built.get(COMPARE)
        propose = getattr(compared, "propose_shown", None)
        if self.page != COMPARE or propose is None or not propose():
            self.propose()

    def _propose_saved(self, ids: Sequence[int]) -> None:
        """A proposal with these saved scenarios, the first one recommended."""
        found = (self.session.scenario_of(one) for one in ids)
        self.propose([scenario for scenario in found if scenario is not None])

    def propose(self, scenarios: Sequence[Scenario] = ()) -> None:
        """Show the proposal: of these scenarios, the first one recommended, else of what was chosen last."""
        self.session.settled()
        self.show_page(PROPOSAL)
        page = self._built.get(PROPOSAL)
        show = getattr(page, "show_scenarios", None)
        if scenarios and show is not None:
            show(scenarios)
        save = getattr(page, "save", None)
        if isinstance(save, QWidget):
            save.setFocus(Qt.FocusReason.ShortcutFocusReason)  # one more key, and it is written

    @property
    def catalogue_page(self) -> "CataloguePage | None":
        return self._catalogue

    def show_device(self, device_id: str) -> None:
        self.show_record("devices", device_id)

    def show_record(self, table: str, record_id: str) -> None:
        """Turn to a record of the catalogue."""
        self.show_page(CATALOGUE)
        if self.catalogue_page is not None:
            self.catalogue_page.show_record(table, record_id)

    def _open_scenario(self, scenario_id: int) -> None:
        if self.session.open(scenario_id):
            self.show_page(SIZING)

    def undo(self) -> None:
        """Take back what is typed into the catalogue's form and not saved; else the last step."""
        typing = self.catalogue_page if self.page == CATALOGUE else None
        if typing is None or not typing.undo():
            self.session.undo()

    def _has_scenario(self) -> bool:
        return self.session.store is None or self.session.scenario_id is not None or bool(self.session.scenarios())

    def _on_scenario(self, scenario: Scenario) -> None:
        title = f"{scenario.name} – Tonnage"
        if title != self.windowTitle():
            self.setWindowTitle(title)

    def _on_scenarios(self) -> None:
        if self.session.scenario_id != self._example_id:
            self.messages.remove(EXAMPLE)  # it speaks of a scenario that is no longer shown
        if not self._has_scenario():
            self.show_page(START)
        elif self.page == START:
            self.show_page(SIZING)

    # -- doing --------------------------------------------------------------------------------------------------------

    def new(self) -> None:
        self.session.new(self._new_scenario().edited(client=self.session.scenario.client))
        self.show_page(SIZING)
        self.inputs.name.setFocus()
        self.inputs.name.selectAll()

    def duplicate(self) -> None:
        if self.session.scenario_id is not None:
            name = _("{name}, copy").format(name=self.session.scenario.name)
            self.session.duplicate(self.session.scenario_id, name)

    def open_example(self) -> None:
        from core.language.examples import in_words
        from core.sizing.examples import worked_example

        self.session.new(in_words(worked_example()))
        self.show_page(SIZING)

    def choose_file(self) -> None:
        kinds = _("Models and scenarios (*.json *.gguf *.safetensors *.tonnage);;All files (*)")
        name, _kind = QFileDialog.getOpenFileName(self, _("Import or open a file"), "", kinds)
        if name:
            self.import_file(Path(name))

    def choose_folder(self) -> None:
        """A model from the folder that its files lie in."""
        name = QFileDialog.getExistingDirectory(self, _("Import the folder of a model"))
        if name:
            self.import_file(Path(name))

    def import_file(self, path: Path) -> None:
        """Bring in a model or a scenario."""
        self.imports.add(path)

    def _on_imported(self) -> None:
        """Show the scenario that the file went into, or, where it was asked for in the catalogue, the model."""
        model = self.session.scenario.model
        if self.page == CATALOGUE and isinstance(model, CatalogueModel):
            self.show_record("models", model.id)
        else:
            self.show_page(SIZING)

    def save_copy(self) -> None:
        name = "".join(c for c in self.session.scenario.name if c.isalnum() or c in " -_.,") or "scenario"
        kinds = _("Scenarios (*.tonnage)")
        path, _kind = QFileDialog.getSaveFileName(self, _("Save a copy"), f"{name}.tonnage", kinds)
        if path:
            save_copy(self.session, Path(path))

    def rename(self) -> None:
        """The name of the scenario on screen, where it stands: in the list, or above the inputs."""
        if self.sidebar.narrow and self.page == SIZING:
            self.inputs.name.setFocus()
            self.inputs.name.selectAll()
        else:
            self.sidebar.list.rename_current()

    def delete(self) -> None:
        if self.session.scenario_id is not None:
            self.session.delete(self.session.scenario_id)

    def next_scenario(self, by: int = 1) -> None:
        ids = list(self.sidebar.scenarios.scenarios.ids)
        if ids:
            at = ids.index(self.session.scenario_id) + by if self.session.scenario_id in ids else 0
            self.session.open(ids[at % len(ids)])

    def _open_answer(self, scenario: Scenario) -> None:
        self.session.new(scenario)
        self.show_page(SIZING)

    def look_around(self) -> None:
        """The hints of the first start, once."""
        if self.settings.get(TOUR_SEEN) or self.page != SIZING:
            return
        hints = (
            Hint(_("Change anything here: model, context, people, device. The answer follows at once."), self.inputs),
            Hint(
                _("The first line answers. Click any figure to see its formula, its numbers and their sources."),
                self.sizing.results,
            ),
            Hint(
                _("Find hardware lists everything that would do this work, with reasons. Ctrl+P writes the proposal."),
                self.sidebar,
            ),
        )
        tour = Tour(self.theme, hints, self)
        tour.ended.connect(lambda: self.settings.set(TOUR_SEEN, True))
        self.stack.currentChanged.connect(tour.end)  # it speaks of what is on this page
        tour.setFocus()

    def show_example_line(self) -> None:
        """The line of the first start, with three ways from here."""
        bar = MessageBar(self.theme, _("This is the worked example: change anything."))
        bar.add_action(_("Import a model…"), self.choose_file)
        bar.add_action(_("See the catalogue"), lambda: self.show_page(CATALOGUE))
        bar.add_action(_("Start a scenario"), self.new)
        bar.closed.connect(lambda: self.messages.remove(EXAMPLE))
        self.messages.add(EXAMPLE, bar)
        self._example_id = self.session.scenario_id

    # -- sidebar and columns ------------------------------------------------------------------------------------------

    def _toggle_sidebar(self) -> None:
        self._set_narrow(not self.sidebar.narrow)

    def _set_narrow(self, narrow: bool) -> None:
        self.settings.set(NARROW_SIDEBAR, narrow)
        self._fit()

    def _fit(self) -> None:
        """Below the limit the sidebar is a rail, whatever was chosen."""
        small = self.width() < self.theme.size("rail_below")
        narrow = small or self.settings.get(NARROW_SIDEBAR)
        self.sizing.set_narrow(small)
        if narrow is self._narrow:
            return
        self._narrow = narrow
        self.sidebar.set_narrow(narrow)
        rail = self.theme.size("rail")
        self.sidebar.setMinimumWidth(rail if narrow else SIDEBAR_LEAST)
        self.sidebar.setMaximumWidth(rail if narrow else SIDEBAR_MOST)
        self.splitter.setSizes([rail if narrow else self.settings.get(SIDEBAR_WIDTH), 4000])

    def _remember_width(self) -> None:
        if not self._narrow:
            self.settings.set(SIDEBAR_WIDTH, self.sidebar.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self.drop_frame.setGeometry(self.rect())

    def _focus_column(self, by: int) -> None:
        """Sidebar, inputs, results, and round again."""
        columns: list[QWidget] = [self.sidebar, self.inputs, self.sizing.results]
        if self.page in self._built:
            columns = [self.sidebar, self._built[self.page]]
        focused = QApplication.focusWidget()
        at = next(
            (i for i, c in enumerate(columns) if focused is not None and c.isAncestorOf(focused)), -by % len(columns)
        )
        for step in range(1, len(columns) + 1):
            target = columns[(at + by * step) % len(columns)]
            first = first_focusable(target)
            if first is not None:
                first.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    # -- files dropped on the window ----------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.drop_frame.setGeometry(self.rect())
            self.drop_frame.raise_()
            self.drop_frame.show()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_frame.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_frame.hide()
        event.acceptProposedAction()
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.import_file(Path(url.toLocalFile()))

    # -- the end ------------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        self.keep_record()
        if not self.session.flush() and not self._close_unsaved():
            event.ignore()
            return
        self.settings.set_geometry(self.saveGeometry())
        self.settings.flush()
        super().closeEvent(event)

    def keep_record(self) -> None:
        """Keep what was changed in the catalogue's form."""
        if self.catalogue_page is not None:
            self.catalogue_page.keep()
        keep = getattr(self._built.get(PROPOSAL), "remember", None)
        if keep is not None:
            keep()

    def _close_unsaved(self) -> bool:
        """Whether to close although the last change cannot be saved."""
        text = _("{problem} Your last change would be lost.").format(problem=self.session.problem)
        question = Question("warn", text, parent=self)
        question.add_safe(_("Stay"))
        leave = question.add_other(_("Close without it"))
        question.exec()
        return question.clickedButton() is leave

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F1 explains what has the focus; where that has nothing to explain, all figures are at hand."""
        if event.key() == Qt.Key.Key_F1 and self.page == SIZING:
            sizing = self.session.sizing
            key = figure_of(QApplication.focusWidget(), sizing.trace) if sizing is not None else ""
            if key:
                self._explain(key)
            else:
                self.show_explanations()
        else:
            super().keyPressEvent(event)

    def show_explanations(self) -> None:
        show = getattr(self.sizing.results, "show_explanations", None)
        if show is not None:
            show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.session.flush()
        super().changeEvent(event)

    def say(self, message: Message) -> None:
        self.messages.show_message(message)
