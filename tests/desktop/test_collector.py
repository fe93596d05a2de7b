import gc
import threading
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication
from shiboken6 import Object, delete, isValid

from desktop.app import make_results
from desktop.collector import Collector, collect_here
from desktop.main_window import MainWindow
from desktop.session import Session
from desktop.settings import Settings
from desktop.theme import Theme
from tests.desktop.shell import Start
from tests.desktop.small_catalogue import MemoryStore, SmallCatalogue, small_scenario, small_size

WINDOWS = 12  # built and thrown away


class Knot(QObject):
    """Garbage that only a collection finds."""

    died_in: ClassVar[list[int]] = []

    def __init__(self) -> None:
        super().__init__()
        self.itself = self

    def __del__(self) -> None:
        self.died_in.append(threading.get_ident())


def test_garbage_is_collected_in_the_thread_of_the_window_only(qapp: QApplication) -> None:
    collect_here()
    Knot.died_in.clear()
    Knot()
    kept: list[object] = []
    other = threading.Thread(target=lambda: kept.extend([[n] for n in range(200_000)]))
    other.start()
    other.join()
    assert Knot.died_in == []
    collector = qapp.findChild(Collector)
    assert collector is not None
    collector.collect()
    assert Knot.died_in == [threading.get_ident()]


def test_there_is_one_collector(qapp: QApplication) -> None:
    collect_here()
    collect_here()
    application = QCoreApplication.instance()
    assert application is not None
    assert len(application.findChildren(Collector)) == 1
    assert not gc.isenabled()


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def left_of(kind: type[Object]) -> list[Any]:
    """Python's halves of windows and parts whose Qt halves are gone."""
    return [one for one in gc.get_objects() if isinstance(one, kind) and not isValid(one)]


def test_windows_that_are_thrown_away_are_collected_without_harm(
    qapp: QApplication, theme: Theme, tmp_path: Path
) -> None:
    """Deleted at once or by the event loop, with charts that wait to be built and jobs under way."""
    collect_here()
    for number in range(WINDOWS):
        session = Session(SmallCatalogue(), small_scenario(), MemoryStore(small_scenario()), small_size)
        session.scenario_id = 1
        session.recompute()
        settings = Settings(tmp_path / "tonnage.ini")
        window = MainWindow(session, theme, settings, make_results, small_scenario)
        window.complete()
        window.show()
        if number % 3 == 1:
            wait(5)
        if number % 3 == 2:
            window.show_page("catalogue")
        window.close()
        if number % 2:
            delete(window)
        else:
            window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        del window, session
        gc.collect()
    wait(20)  # what was asked for by a window that is gone does not come
    gc.collect()
    assert left_of(MainWindow) == []


def test_another_language_leaves_nothing_of_the_old_window(start: Start) -> None:
    application = start()
    application.window.show_page("catalogue")
    application.window.show_page("sizing")
    wait(30)
    for code in ("de", "fr", "en"):
        application._speak(code)
    wait(30)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert left_of(MainWindow) == []
    assert sum(isinstance(one, MainWindow) for one in gc.get_objects()) == 1
