"""Runs a search in the background, again whenever the question changes; only the last answer counts."""

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import TonnageError
from core.language import sentences
from desktop.jobs import Jobs

PAUSE_MS = 120  # after the last change, before a search starts


class SearchJob(QObject):
    """One kind of search; `make` returns the work, ready to run without Qt."""

    started = Signal()
    found = Signal(object, float)  # the answer, seconds that it took
    refused = Signal(str)

    def __init__(self, make: Callable[[], Callable[[], Any]], parent: QObject) -> None:
        super().__init__(parent)
        self._make = make
        self.is_stale = True
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.run)
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._on_done)
        self._jobs.failed.connect(self._on_failed)

    def ask(self, visible: bool) -> None:
        """The question changed: search soon if the page is seen, else when it is shown."""
        self.is_stale = True
        if visible:
            self._pause.start()

    def run(self) -> None:
        self._pause.stop()
        self.is_stale = False
        work = self._make()
        self.started.emit()
        self._jobs.start(lambda: _timed(work))

    def _on_done(self, answer: tuple[Any, float]) -> None:
        self.found.emit(*answer)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, TonnageError):
            raise error
        self.refused.emit(sentences.error(error))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start
