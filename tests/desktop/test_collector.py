import gc
import threading
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QApplication

from desktop.collector import Collector, collect_here


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
