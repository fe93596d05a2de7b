"""The window: sidebar, pages, commands with their keys. No word of sizing is in here, and of no page more than its key.

What the pages are stands in `pages/registry.py`, the ways between them in `pages/pages.py`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

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
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QSplitter, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop import icons
from desktop.actions import Actions, Deed, settings_menu
from desktop.file_choice import FileChoice
from desktop.moved_on import MovedOn
from desktop.pages.page import Page
from desktop.pages.pages import SIZING, START, Pages
from desktop.pages.registry import PAGES, PageEntry, Shell
from desktop.pages.sizing_page import SizingPage
from desktop.results.column import ResultsColumn
from desktop.scenario_commands import ScenarioCommands
from desktop.session import Message, Session, one_of
from desktop.settings import NARROW_SIDEBAR, SIDEBAR_WIDTH, Settings
from desktop.sidebar.sidebar import Sidebar
from desktop.theme import Theme
from desktop.ticked import Ticked
from desktop.widgets.drop_frame import DropFrame
from desktop.widgets.focus import first_focusable
from desktop.widgets.message_bar import MessageStack
from desktop.widgets.question import Question
from desktop.window_choices import WindowChoices

SIDEBAR_LEAST, SIDEBAR_MOST = 180, 360
CHARTS_MS = 50  # after the first paint the charts come first
ResultsFactory = Callable[[Session, Theme], ResultsColumn]


class MainWindow(QMainWindow):
    """The sidebar at the left, one of the pages at the right."""

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
        self._make_results = make_results
        self._completed = False
        self._pieces: QTimer | None = None  # builds what waits for the first paint
        self._narrow: bool | None = None
        self.setWindowTitle("Tonnage")
        self.setWindowIcon(icons.app_icon())
        self.setAcceptDrops(True)
        self.files = FileChoice(session, self)
        self.choices = WindowChoices(theme, settings, self)
        self.pages = Pages(
            session,
            {entry.key: partial(self._build, entry) for entry in PAGES},
            {entry.key for entry in PAGES if entry.of_scenario},
        )
        self.scenarios = ScenarioCommands(session, self.pages, new_scenario)
        self._actions = Actions(self, self._deeds())
        self.ticked = one_of(Ticked, session)
        listed = [entry for entry in PAGES if entry.in_sidebar]
        self.sidebar = Sidebar(session, theme, self.ticked, listed, self.settings_menu)
        self.sizing = self.pages.page(SizingPage, SIZING)
        self.messages = MessageStack(theme)
        self.moved_on = MovedOn(session, self)
        self._lay_out()
        self.drop_frame = DropFrame(theme, self)
        self._connect()
        self._fit()
        self.show_page(SIZING)
        self.setFocus()  # no control has a ring before somebody has reached for it

    # -- building -----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        right = QWidget()
        right.setProperty("kind", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self.pages, 1)
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
        self.pages.shown.connect(lambda key: self.sidebar.show_page(SIZING if key == START else key))
        self.files.imports.imported.connect(self.pages.show_imported)
        self.choices.language_chosen.connect(self.language_chosen)
        self.sidebar.page_chosen.connect(self.show_page)
        self.sidebar.narrow_wanted.connect(self._set_narrow)
        self.sidebar.new_wanted.connect(self.scenarios.new)
        self.sidebar.scenario_opened.connect(self.pages.show_sizing)
        self.sidebar.record_wanted.connect(self.pages.show_record)
        self.sidebar.set_commands(self._actions.commands())
        self.session.message.connect(self.messages.show_message)
        self.moved_on.say_now()
        self.session.copy_wanted.connect(self.files.save_copy)
        self.session.scenario_changed.connect(self._on_scenario)
        self._on_scenario(self.session.scenario)

    def complete(self) -> None:
        """Build the results column; its charts wait for the first paint, since they take their time to import."""
        if not self._completed:
            self._completed = True
            results = self._make_results(self.session, self.theme)
            results.proposal_wanted.connect(self.pages.propose)
            results.hardware_wanted.connect(self.pages.search_hardware)
            results.calibration_wanted.connect(self.pages.calibrate)
            results.bill_wanted.connect(self.pages.show_bill)
            self.sizing.set_results(results)
            QWidget.setTabOrder(self.sidebar, self.sizing.inputs)

    def build_next(self) -> bool:
        """Build one of the parts that wait until the window is painted; False where none is left."""
        return self.sizing.results.build_next()

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

    # -- pages --------------------------------------------------------------------------------------------------------

    def _build(self, entry: PageEntry) -> Page:
        shell = Shell(self.session, self.theme, self.settings, self.pages, self.scenarios, self.files, self.choices)
        return entry.build(shell)

    @property
    def page(self) -> str:
        """The key of the page in front."""
        return self.pages.key

    def show_page(self, key: str) -> None:
        self.pages.show_page(key)

    # -- commands -----------------------------------------------------------------------------------------------------

    def _deeds(self) -> Sequence[Deed]:
        scenarios, files, pages = self.scenarios, self.files, self.pages
        return (
            Deed("search", _("Search, run"), "Ctrl+K", lambda: self.sidebar.open_search()),
            Deed("new", _("New scenario"), "Ctrl+N", scenarios.new, "plus"),
            Deed("duplicate", _("Duplicate scenario"), "Ctrl+D", scenarios.duplicate, "copy"),
            Deed("rename", _("Rename scenario"), "F2", self.rename, "pencil"),
            Deed("client", _("Move to client…"), "Ctrl+M", lambda: self.sidebar.list.ask_client_of_current(), "folder"),
            Deed("delete", _("Delete scenario"), "", scenarios.delete, "trash"),
            Deed("open", _("Import or open a file…"), "Ctrl+O", files.choose_file, "folder"),
            Deed("copy", _("Save a copy…"), "Ctrl+Shift+S", files.save_copy, "download"),
            Deed("undo", _("Undo"), "Ctrl+Z", self.undo, "undo"),
            Deed("redo", _("Redo"), "Ctrl+Shift+Z", self.session.redo, "redo"),
            *(
                Deed(entry.key, _(entry.title), entry.shortcut, partial(entry.run, pages, entry.key), entry.icon)
                for entry in PAGES
                if entry.title
            ),
            Deed("pack", _("Import a catalogue pack…"), "", pages.choose_pack, "book"),
            Deed("sidebar", _("Narrow or widen the sidebar"), "Ctrl+B", self._toggle_sidebar, "sidebar"),
            Deed("example", _("Open the worked example"), "", scenarios.open_example, "gauge"),
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

    def settings_menu(self, parent: QWidget) -> QMenu:
        """Theme and language, and what has no button of its own."""
        files = [self._actions[key] for key in ("settings", "help", "open", "copy", "proposal", "about")]
        choices = self.choices
        last = self._actions["quit"]
        return settings_menu(parent, self.theme.scheme, choices.set_scheme, choices.set_language, files, last)

    def show_about(self) -> None:
        from desktop.about import AboutDialog

        AboutDialog(self.theme, self.session.catalogue.version, self).exec()

    def undo(self) -> None:
        """Take back what is typed on the page in front and not kept; else the last step."""
        if not self.pages.front.undo():
            self.session.undo()

    def rename(self) -> None:
        """The name of the scenario on screen, where it stands: in the list, or above the inputs."""
        if self.sidebar.narrow and self.page == SIZING:
            self.sizing.inputs.begin_name()
        else:
            self.sidebar.list.rename_current()

    def next_scenario(self, by: int = 1) -> None:
        self.scenarios.next(list(self.sidebar.scenarios.scenarios.ids), by)

    def _on_scenario(self, scenario: Scenario) -> None:
        title = f"{scenario.name} – Tonnage"
        if title != self.windowTitle():
            self.setWindowTitle(title)

    def say(self, message: Message) -> None:
        self.messages.show_message(message)

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
        columns = [self.sidebar, *self.pages.front.columns()]
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F1 explains what has the focus."""
        if event.key() != Qt.Key.Key_F1 or not self.pages.front.explain_focused():
            super().keyPressEvent(event)

    # -- files dropped on the window ----------------------------------------------------------------------------------

    def import_file(self, path: Path) -> None:
        self.files.import_file(path)

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
        self.pages.remember()
        if not self.session.flush() and not self._close_unsaved():
            event.ignore()
            return
        self.settings.set_geometry(self.saveGeometry())
        self.settings.flush()
        super().closeEvent(event)

    def _close_unsaved(self) -> bool:
        """Whether to close although the last change cannot be saved."""
        text = _("{problem} Your last change would be lost.").format(problem=self.session.problem)
        question = Question("warn", text, parent=self)
        question.add_safe(_("Stay"))
        leave = question.add_other(_("Close without it"))
        question.exec()
        return question.clickedButton() is leave

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.session.flush()
        super().changeEvent(event)
