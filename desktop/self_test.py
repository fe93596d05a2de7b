"""`tonnage --selftest`: the whole program, driven by itself; says what failed.

It opens every page and tab and runs every action, in each language and theme. Pages, tabs and actions are found in the
window, so a new one is tried as soon as it is there. It has a time limit, within which it ends whatever hangs.
"""

import faulthandler
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.build_info import build_info

if TYPE_CHECKING:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QWidget

    from desktop.app import Application

LIMIT_S = 900
SETTLE_S = 10.0  # for what is computed in the background of one page
MOST_TOPICS = 6  # of a list beside what it shows
LEFT_OUT = ("quit",)  # an action that ends the walk


class Failed(Exception):
    """Something that the self-test looked for was not there."""


@dataclass
class Report:
    """What was opened, and what went wrong on the way."""

    opened: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)  # with the time that each took
    faults: list[str] = field(default_factory=list)

    def on_fault(self, kind: type[BaseException], error: BaseException, trace: object) -> None:
        import traceback

        self.faults.append("".join(traceback.format_exception(kind, error, error.__traceback__)))


def self_test(window: bool = False) -> int:
    """Drive the program, offscreen or in a real window; 0 when all went well, else say what failed."""
    if not window:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    begun, report = time.monotonic(), Report()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        hook, sys.excepthook = sys.excepthook, report.on_fault
        try:
            _whole(Path(folder), report)
        except Exception as error:  # whatever it is, it is what the test is for
            report.on_fault(type(error), error, None)
        finally:
            sys.excepthook = hook
            faulthandler.cancel_dump_traceback_later()
    build = build_info()
    print(f"Tonnage {build.version} {build.commit} {build.date}".rstrip())
    print("\n".join(report.stages))
    print(f"opened {len(report.opened)} pages, tabs and dialogs in {time.monotonic() - begun:.1f} s")
    for fault in report.faults:
        print(f"self-test failed: {fault}", file=sys.stderr)
    if not report.faults:
        print("self-test passed")
    return 1 if report.faults else 0


def _whole(folder: Path, report: Report) -> None:
    from core.language.messages import LANGUAGES
    from desktop.app import Application, make_application
    from desktop.folders import Folders
    from desktop.theme import Scheme

    app = make_application(["tonnage"])
    app.setAttribute(_no_native_dialogs())
    application = Application(app, Folders.below(folder / "home"))
    application.window.resize(1280, 800)
    application.window.show()
    application.complete()
    if application.session.sizing is None:
        raise Failed("the worked example was not sized")
    for code in LANGUAGES:
        application.window.choices.set_language(code)
        with _stage(report, f"actions and dialogs, {code}"):
            _act(application, code, report)
        for scheme in (Scheme.LIGHT, Scheme.DARK):
            with _stage(report, f"pages and tabs, {code}, {scheme.value}"):
                application.theme.set_scheme(scheme)
                _walk(application, f"{code}, {scheme.value}", report)
        with _stage(report, f"proposal, {code}"):
            _propose(application, folder, code)
    with _stage(report, "a scenario as a file"):
        _exchange(application, folder)
    application.window.close()
    application.close()
    _check_store(folder / "home" / "data" / "tonnage.sqlite")


@contextmanager
def _stage(report: Report, name: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    report.stages.append(f"{time.monotonic() - begun:6.1f} s  {name}")


def _no_native_dialogs() -> "Qt.ApplicationAttribute":
    from PySide6.QtCore import Qt

    return Qt.ApplicationAttribute.AA_DontUseNativeDialogs


# ---- pages and tabs


def _walk(application: "Application", state: str, report: Report) -> None:
    """Show every page, every tab and every topic on it, and see that each is painted. The actions have built them."""
    from PySide6.QtWidgets import QTabBar

    from desktop.pages.pages import START
    from desktop.widgets.choices import ChoiceList

    window = application.window
    if not set(window.sidebar.pages) <= set(window.pages.built):
        raise Failed("a page of the sidebar was not opened by any action")
    for key in dict.fromkeys((START, *window.pages.built)):
        window.show_page(key)
        _settle()
        page = window.pages.currentWidget()
        assert page is not None
        _painted(page, f"{key} ({state})", report)
        for topics in page.findChildren(ChoiceList):
            for row in range(min(topics.model().rowCount(), MOST_TOPICS)):
                topics.setCurrentIndex(topics.model().index(row, 0))
                _settle()
                _painted(page, f"{key}: topic {row + 1} ({state})", report)
        for tabs in page.findChildren(QTabBar):
            before = tabs.currentIndex()
            for index in range(tabs.count()):
                tabs.setCurrentIndex(index)
                _settle()
                _painted(page, f"{key}: {tabs.tabText(index)} ({state})", report)
            tabs.setCurrentIndex(before)


def _painted(widget: "QWidget", what: str, report: Report) -> None:
    """Paint a widget; one that comes out in a single colour shows nothing."""
    picture = widget.grab().toImage()
    first = picture.pixel(0, 0) if not picture.isNull() else 0
    step = max(1, picture.width() // 97)
    rows = range(0, picture.height(), 7)
    if not any(picture.pixel(x, y) != first for y in rows for x in range(0, picture.width(), step)):
        raise Failed(f"{what} shows nothing")
    report.opened.append(what)


def _settle() -> None:
    """Let what was asked for be computed and painted."""
    from PySide6.QtCore import QEventLoop, QThreadPool, QTimer

    until = time.monotonic() + SETTLE_S
    while True:
        loop = QEventLoop()
        QTimer.singleShot(20, loop.quit)
        loop.exec()
        if QThreadPool.globalInstance().activeThreadCount() == 0 or time.monotonic() > until:
            return


# ---- actions and dialogs


def _act(application: "Application", code: str, report: Report) -> None:
    """Run every action of the window; whatever dialog or menu it opens is painted and closed."""
    window = application.window
    with _closing_what_opens(lambda widget: _painted(widget, f"{type(widget).__name__} ({code})", report)):
        for key in window.action_keys():
            if key not in LEFT_OUT:
                window.action(key).trigger()
                _settle()
                report.opened.append(f"action {key} ({code})")


@contextmanager
def _closing_what_opens(look: "Callable[[QWidget], None]") -> Iterator[None]:
    """While this lasts, dialogs and menus are looked at and closed as soon as they are there."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QDialog

    def close() -> None:
        widget = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if widget is None or not widget.isVisible():
            return
        look(widget)
        if isinstance(widget, QDialog):
            widget.reject()
        else:
            widget.close()

    timer = QTimer()
    timer.timeout.connect(close)
    timer.start(40)
    try:
        yield
    finally:
        timer.stop()


# ---- files and store


def _propose(application: "Application", folder: Path, code: str) -> None:
    from core.proposal.options import ProposalOptions
    from desktop.proposal_export import write

    session, options = application.session, ProposalOptions(date=date.today(), language=code)
    path = write(((session.scenario, session.catalogue),), folder / f"proposal-{code}.pdf", options)
    if not path.read_bytes().startswith(b"%PDF"):
        raise Failed(f"{path.name} is no PDF")


def _exchange(application: "Application", folder: Path) -> None:
    """Save a copy as a file, and open it again."""
    from desktop.importing import save_copy
    from desktop.saved_scenarios import SavedScenarios
    from desktop.session import one_of

    session, path = application.session, folder / "copy.tonnage"
    if not save_copy(session, path):
        raise Failed("no copy of the scenario was written")
    saved = one_of(SavedScenarios, session)
    before, count = session.scenario.name, len(saved.all())
    application.window.import_file(path)
    _settle()
    if session.scenario.name != before or len(saved.all()) != count + 1:
        raise Failed("the copy was not opened")


def _check_store(path: Path) -> None:
    """The store is whole, and every scenario in it can be read."""
    from core.store.library import Library

    connection = sqlite3.connect(path)
    answer = connection.execute("pragma integrity_check").fetchone()[0]
    connection.close()
    if answer != "ok":
        raise Failed(f"the store is not whole: {answer}")
    library = Library(path, datetime.now(UTC))
    try:
        kept = library.kept()
        for one in kept:
            library.load(one.id)
    finally:
        library.close()
    if not kept:
        raise Failed("the store holds no scenario")
