"""The application: folders, settings, language, theme, session and window, and what guards them."""

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QLibraryInfo, QLocale, QLockFile, QSize, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from core import RESOURCES, __version__
from core.errors import StoreError, TonnageError
from core.language import sentences
from core.language.messages import best_language, language, set_language
from core.language.messages import gettext as _
from core.scenario import Mode, Scenario, Workload
from desktop.library_store import LibraryStore
from desktop.main_window import MainWindow
from desktop.report import Excepthook
from desktop.session import Message, ScenarioStore, Session
from desktop.settings import LANGUAGE, STARTED_BEFORE, THEME, Settings
from desktop.theme import Scheme, Theme

NAME = "tonnage"


@dataclass(frozen=True, slots=True)
class Folders:
    """Where this user's things lie."""

    data: Path
    config: Path
    log: Path

    @classmethod
    def of_user(cls) -> "Folders":
        return cls(
            Path(platformdirs.user_data_dir(NAME, appauthor=False)),
            Path(platformdirs.user_config_dir(NAME, appauthor=False)),
            Path(platformdirs.user_log_dir(NAME, appauthor=False)),
        )

    @classmethod
    def below(cls, folder: Path) -> "Folders":
        """All in one folder: for self-tests, and for a program carried on a stick."""
        return cls(folder / "data", folder / "config", folder / "log")

    def make(self) -> None:
        for folder in (self.data, self.config, self.log):
            folder.mkdir(parents=True, exist_ok=True)


def make_application(arguments: list[str]) -> QApplication:
    """The one QApplication, in the one style that looks the same everywhere."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication(arguments)
    app.setApplicationName("Tonnage")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName(NAME)
    app.setStyle("Fusion")
    return app


def choose_language(settings: Settings) -> None:
    wanted = settings.get(LANGUAGE)
    set_language(best_language([wanted] if wanted else [QLocale.system().name()]))


def translate_qt(app: QApplication, holder: list[QTranslator]) -> None:
    """Qt's own dialogs in the language in force."""
    for old in holder:
        app.removeTranslator(old)
    holder.clear()
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if language() != "en" and translator.load(f"qtbase_{language()}", folder):
        app.installTranslator(translator)
        holder.append(translator)


def log_to_file(folder: Path) -> None:
    handler = RotatingFileHandler(folder / "tonnage.log", maxBytes=500_000, backupCount=2, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("tonnage")
    root.setLevel(logging.INFO)
    root.addHandler(handler)


def shipped_catalogue() -> Any:
    from core.catalogue.loading import load_shipped

    return load_shipped(RESOURCES / "catalogue")


def with_own_records(shipped: Any, records: Mapping[str, Mapping[str, str]]) -> Any:
    """The shipped catalogue with the user's own records over it."""
    from core.catalogue.overlay import Overlay

    return shipped.with_overlay(Overlay.from_records(records)) if any(records.values()) else shipped


def new_scenario() -> Scenario:
    """Where a scenario of one's own begins: the example's real model and card, an ordinary load."""
    from core.sizing.examples import worked_example_in_reality

    return worked_example_in_reality().edited(
        name=_("New scenario"),
        mode=Mode.REAL,
        companions=(),
        workload=Workload(users=20, active_share=0.25, prompt_tokens=8192, context_tokens=32_768),
        deployment__runtime_bytes=None,
        deployment__capacity_bytes=None,
    )


def make_results(session: Session, theme: Theme) -> QWidget:
    from desktop.results.panel import ResultsPanel

    panel: QWidget = ResultsPanel(session, theme)
    return panel


class Application:
    """Everything that lives as long as the program runs."""

    def __init__(self, app: QApplication, folders: Folders) -> None:
        folders.make()
        log_to_file(folders.log)
        self.app, self.folders = app, folders
        self.settings = Settings(folders.config / "tonnage.ini")
        self._translators: list[QTranslator] = []
        choose_language(self.settings)
        translate_qt(app, self._translators)
        self.theme = Theme(_scheme(self.settings))
        self.theme.apply(app)
        self._greeting: list[Message] = []
        self.first_start = False
        self.store = self._open_store()
        self.session = self._make_session()
        self.excepthook = Excepthook(self.session.save)
        self.window = self._make_window()

    # -- session ------------------------------------------------------------------------------------------------------

    def _open_store(self) -> ScenarioStore | None:
        from core.store.library import Library

        try:
            library = Library(self.folders.data / "tonnage.sqlite", datetime.now(UTC))
        except StoreError as error:
            text = _("{problem} What you do now is not kept.").format(problem=sentences.error(error))
            self._greeting.append(Message(text, "bad", topic="opening"))
            return None
        if library.set_aside is not None:
            text = _("The file of your scenarios was damaged. It lies beside the new one as {file}.")
            self._greeting.append(Message(text.format(file=library.set_aside.name), "warn", topic="opening"))
        return LibraryStore(library)

    def _make_session(self) -> Session:
        shipped = shipped_catalogue()
        catalogue = shipped
        last = None
        if self.store is not None:
            try:
                catalogue = with_own_records(shipped, self.store.records())
                last = self.store.load_last() or self._first_scenarios()
            except TonnageError as error:
                self._greeting.append(Message(sentences.error(error), "bad", topic="opening"))
        from core.sizing.examples import worked_example

        scenario_id, scenario = last or (None, worked_example())
        session = Session(
            catalogue, scenario, self.store, catalogue_with=lambda records: with_own_records(shipped, records)
        )
        session.scenario_id = scenario_id
        return session

    def _first_scenarios(self) -> tuple[int, Scenario] | None:
        """On the very first start, the examples are the first scenarios."""
        if self.settings.get(STARTED_BEFORE) or self.store is None:
            return None
        from core.sizing.examples import examples

        ids = [self.store.save(None, scenario.edited(client=_("Examples"))) for scenario in examples()]
        self.first_start = True
        self.settings.set(STARTED_BEFORE, True)
        return ids[0], self.store.load(ids[0])

    # -- window -------------------------------------------------------------------------------------------------------

    def _make_window(self) -> MainWindow:
        window = MainWindow(self.session, self.theme, self.settings, make_results, new_scenario)
        window.language_chosen.connect(self._speak)
        if not window.restoreGeometry(self.settings.geometry()):
            window.resize(QSize(1280, 800))
        for message in self._greeting:
            window.say(message)
        if self.first_start:
            window.show_example_line()
        if self.session.store is not None and self.session.scenario_id is None:
            window.show_page("sizing")
        return window

    def start(self) -> None:
        """Show the window, then size and build the charts."""
        self.excepthook.install()
        self.window.show()
        QTimer.singleShot(0, self.complete)

    def complete(self) -> None:
        self.session.recompute()
        self.window.complete()

    def _speak(self, code: str) -> None:
        """Another language: the window is built again around the same session."""
        set_language(code)
        translate_qt(self.app, self._translators)
        old = self.window
        self.first_start = False
        self._greeting.clear()
        page = old.page
        self.settings.set_geometry(old.saveGeometry())
        self.window = self._make_window()
        self.window.show()
        self.complete()
        self.window.complete()
        self.window.show_page(page)
        old.hide()
        old.deleteLater()

    def close(self) -> None:
        self.session.flush()
        if isinstance(self.store, LibraryStore):
            self.store.close()


def _scheme(settings: Settings) -> Scheme:
    value = settings.get(THEME)
    return Scheme(value) if value in set(Scheme) else Scheme.SYSTEM


def run_window(arguments: list[str]) -> int:
    """Open the window; files named on the command line are brought in."""
    app = make_application([sys.argv[0], *arguments])
    folders = Folders.of_user()
    folders.make()
    lock = QLockFile(str(folders.data / "tonnage.lock"))
    lock.setStaleLockTime(0)
    if not lock.tryLock(100):
        Theme().apply(app)
        text = _("Tonnage is already open. Two windows on the same scenarios would undo each other's work.")
        QMessageBox.information(None, "Tonnage", text)
        return 1
    application = Application(app, folders)
    application.start()
    for name in arguments:
        if Path(name).is_file():
            QTimer.singleShot(0, lambda name=name: application.window.import_file(Path(name)))
    code = app.exec()
    application.close()
    lock.unlock()
    return code
