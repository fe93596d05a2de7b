"""The application: folders, settings, language, theme, session and window, and what guards them."""

import desktop.early  # noqa: F401

# isort: split
import contextlib
import logging
import os
import sys
from collections.abc import Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLibraryInfo, QLocale, QLockFile, QObject, QSize, Qt, QThreadPool, QTimer, QTranslator
from PySide6.QtWidgets import QApplication

from core import RESOURCES, __version__
from core.errors import TonnageError
from core.language import sentences
from core.language.messages import best_language, language, set_language
from core.language.messages import gettext as _
from core.language.numbers import MemoryUnit, set_memory_unit
from core.scenario import Scenario
from desktop.beginnings import new_scenario
from desktop.collector import collect_here
from desktop.folders import NAME, Folders
from desktop.hand_over import FileOpenEvents, Received, hand_over
from desktop.library_store import LibraryStore
from desktop.main_window import MainWindow
from desktop.opening import Offer, fleeting_store, offer_backup, offer_read_only, open_read_only, open_store
from desktop.pack_shelf import PackShelf
from desktop.pages.pages import SIZING
from desktop.report import Excepthook
from desktop.session import Message, Session
from desktop.settings import LANGUAGE, MEMORY_UNIT, STARTED_BEFORE, THEME, Settings
from desktop.termination import end_when_asked
from desktop.theme import Scheme, Theme

if TYPE_CHECKING:
    from core.store.database import Backup
    from desktop.first_steps import FirstSteps
    from desktop.results.column import ResultsColumn

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
SETTINGS = "tonnage.ini"
LONGEST_JOB_MS = 15_000


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


def choose_memory_unit(settings: Settings) -> None:
    wanted = settings.get(MEMORY_UNIT)
    set_memory_unit(MemoryUnit(wanted) if wanted in set(MemoryUnit) else MemoryUnit.DECIMAL)


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


def shipped_without_packs() -> Any:
    from core.catalogue.loading import load_shipped

    return load_shipped(RESOURCES / "catalogue")


def shipped_catalogue(packs: Path) -> tuple[Any, TonnageError | None]:
    """The catalogue with the packs that are installed; without them where one cannot be read, and why."""
    from core.store.packs import shipped_with_packs

    return shipped_with_packs(shipped_without_packs(), packs)


def with_own_records(shipped: Any, records: Mapping[str, Mapping[str, str]]) -> Any:
    """The shipped catalogue with the user's own records and prices over it."""
    from core.catalogue.own import with_own

    return with_own(shipped, records) if any(records.values()) else shipped


def make_results(session: Session, theme: Theme) -> "ResultsColumn":
    from desktop.results.panel import ResultsPanel

    return ResultsPanel(session, theme)


class Application:
    """Everything that lives as long as the program runs."""

    def __init__(
        self, app: QApplication, folders: Folders, read_only: bool = False, offer: Offer = offer_backup
    ) -> None:
        self._unwritable: OSError | None = None
        try:
            folders.make()
            log_to_file(folders.log)
        except OSError as error:
            self._unwritable = error
        self.app, self.folders = app, folders
        self.settings = Settings(folders.config / SETTINGS)
        self._translators: list[QTranslator] = []
        choose_language(self.settings)
        choose_memory_unit(self.settings)
        translate_qt(app, self._translators)
        self.theme = Theme(_scheme(self.settings))
        self.theme.prepare(app)
        self._greeting: list[Message] = []
        self.first_start = self._finished = False
        self._first_steps: FirstSteps | None = None
        self.store = self._open_store(read_only, offer)
        self.session = self._make_session()
        self.excepthook = Excepthook(self.session.save)
        self.window = self._make_window()
        self.theme.apply(app)

    # -- session ------------------------------------------------------------------------------------------------------

    def _open_store(self, read_only: bool, offer: Offer) -> LibraryStore:
        if self._unwritable is not None:
            text = _("{folder} cannot be written ({reason}). What you do now is not kept.")
            where, reason = self._unwritable.filename, sentences.reason(self._unwritable)
            store, messages = fleeting_store(text.format(folder=where, reason=reason))
        elif read_only:
            store, messages = open_read_only(self.folders.data)
        else:
            store, messages = open_store(self.folders.data, lambda backup: self._offered(offer, backup))
        self._greeting += messages
        return store

    def _offered(self, offer: Offer, backup: "Backup") -> bool:
        """Ask before there is a window, in its looks."""
        self.theme.apply(self.app)
        return offer(backup)

    def _make_session(self) -> Session:
        shipped, problem = shipped_catalogue(self.folders.packs)
        if problem is not None:
            text = _("{problem} The shipped catalogue is used without packs.")
            said = text.format(problem=sentences.error(problem))
            self._greeting.append(Message(said, "warn", topic="packs"))
        catalogue = shipped
        last = None
        try:
            catalogue = with_own_records(shipped, self.store.records())
            last = self.store.load_last() or self._first_scenarios()
        except TonnageError as error:
            self._greeting.append(Message(sentences.error(error), "bad", topic="opening"))
        from core.language.examples import in_words
        from core.sizing.examples import worked_example

        scenario_id, scenario = last or (None, in_words(worked_example()))
        packs = PackShelf(self.folders.packs, shipped_without_packs, shipped)
        session = Session(catalogue, scenario, self.store, packs=packs)
        session.take_up(scenario_id)
        return session

    def _first_scenarios(self) -> tuple[int, Scenario] | None:
        """On the very first start, the examples are the first scenarios."""
        if self.settings.get(STARTED_BEFORE) and self.store.lasting:
            return None
        from core.language.examples import in_words
        from core.sizing.examples import examples

        ids = [self.store.save(None, in_words(scenario).edited(client=_("Examples"))) for scenario in examples()]
        self.first_start = self.store.lasting
        self.settings.set(STARTED_BEFORE, True)
        return ids[0], self.store.load(ids[0])

    def new_scenario(self) -> Scenario:
        return new_scenario(self.settings, self.session.catalogue)

    # -- window -------------------------------------------------------------------------------------------------------

    def _make_window(self) -> MainWindow:
        window = MainWindow(self.session, self.theme, self.settings, make_results, self.new_scenario)
        window.language_chosen.connect(self._speak)
        window.completed.connect(self._finish)
        if not window.restoreGeometry(self.settings.geometry()):
            window.resize(QSize(1280, 800))
        for message in self._greeting:
            window.say(message)
        if self.first_start:
            from desktop.first_steps import FirstSteps

            self._first_steps = FirstSteps(window)
            self._first_steps.show_example_line()
        if self.session.scenario_id is None:
            window.show_page(SIZING)
        self.session.recompute()
        window.complete()
        return window

    def start(self) -> None:
        """Show the window with its answer; charts and what lies behind them follow when it is painted."""
        self.excepthook.install()
        self.window.show()

    def open_file(self, path: Path) -> None:
        """Bring in a file that the system asks to open, and come to the front with it."""
        self.window.import_file(path)
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.raise_()
        self.window.activateWindow()

    def complete(self) -> None:
        """Build now what would follow the first paint, piece by piece."""
        while self.window.build_next():
            pass
        self._finish()

    def _finish(self) -> None:
        """Once, and not for a window that was closed before."""
        if not self._finished:
            self._finished = True
            self.store.prepare()
            collect_here()
            if self._first_steps is not None:
                self._first_steps.look_around()

    def _speak(self, code: str) -> None:
        """Another language: the window is built again around the same session."""
        old = self.window
        old.pages.remember()  # what is being typed is read as it was meant: with the signs of the language until now
        self.session.flush()
        set_language(code)
        translate_qt(self.app, self._translators)
        self.first_start, self._first_steps = False, None
        if self.store.lasting:
            self._greeting.clear()
        page = old.page
        self.settings.set_geometry(old.saveGeometry())
        self.window = self._make_window()
        self.window.show()
        self.window.show_page(page)
        old.hide()
        old.deleteLater()

    def close(self) -> None:
        self._finished = True
        self.session.flush()
        QThreadPool.globalInstance().waitForDone(LONGEST_JOB_MS)  # a proposal that is being written
        self.store.close()


def _scheme(settings: Settings) -> Scheme:
    value = settings.get(THEME)
    return Scheme(value) if value in set(Scheme) else Scheme.SYSTEM


def is_held(lock: QLockFile) -> bool:
    """Take the lock; whether another window has it. A folder where no lock can be written holds nobody back.

    On a full disk Qt cannot take over the lock of a program that was killed, so its process is looked for here.
    """
    if lock.tryLock(100) or lock.error() is not QLockFile.LockError.LockFailedError:
        return False
    process = int(lock.getLockInfo()[0])
    return os.name != "posix" or process <= 0 or _runs(process)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is someone else's
        return True
    return True


def run_window(arguments: list[str]) -> int:
    """Open the window; files named on the command line are brought in."""
    if sys.platform.startswith("linux") and not any(map(os.environ.get, (*DISPLAYS, "QT_QPA_PLATFORM"))):
        text = _("No window can open: there is no display. “tonnage --help” lists what works without one.")
        print(f"tonnage: {text}", file=sys.stderr)
        return 1
    app = make_application([sys.argv[0], *arguments])
    folders = Folders.of_user()
    with contextlib.suppress(OSError):
        folders.make()
    lock = QLockFile(str(folders.data / "tonnage.lock"))
    lock.setStaleLockTime(0)
    files = [Path(name) for name in arguments if Path(name).is_file()]
    held = is_held(lock)
    if held and files and hand_over(folders.requests, files):
        return 0  # the window that is open brings them in
    if held:
        choose_language(Settings(folders.config / SETTINGS))
        Theme().apply(app)
        if not offer_read_only():
            return 1
    application = Application(app, folders, read_only=held)
    received: list[QObject] = [FileOpenEvents(lambda path: application.open_file(path), app)]
    if not held:
        received.append(Received(folders.requests, lambda path: application.open_file(path), app))
    end_when_asked(app, lambda: application.window.close())
    application.start()
    for file in files:
        QTimer.singleShot(0, lambda file=file: application.window.import_file(file))
    code = app.exec()
    for one in received:
        one.deleteLater()
    application.close()
    if not held:
        lock.unlock()
    return code
