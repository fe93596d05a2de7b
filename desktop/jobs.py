"""Work that takes longer than a frame: a one-shot job in the pool, whose late answer is dropped."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from shiboken6 import isValid

from desktop.collector import collect_here


class _Answer(QObject):
    done = Signal(int, object)
    failed = Signal(int, object)


class _Job(QRunnable):
    def __init__(self, generation: int, work: Callable[[], Any], answer: _Answer) -> None:
        super().__init__()
        self._generation, self._work, self._answer = generation, work, answer

    def run(self) -> None:
        try:
            signal, result = "done", self._work()
        except Exception as error:
            signal, result = "failed", error
        if isValid(self._answer):  # nobody waits any more once the program has ended
            getattr(self._answer, signal).emit(self._generation, result)


class Jobs(QObject):
    """Runs one kind of work; only the answer to the last call counts."""

    done = Signal(object)
    failed = Signal(object)  # the exception

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        collect_here()
        self._generation = 0
        self._answer = _Answer(self)
        self._answer.done.connect(self._on_done)
        self._answer.failed.connect(self._on_failed)

    def start(self, work: Callable[[], Any]) -> None:
        """`work` gets no Qt object and touches none."""
        self._generation += 1
        QThreadPool.globalInstance().start(_Job(self._generation, work, self._answer))

    def drop(self) -> None:
        """No answer is waited for any more."""
        self._generation += 1

    def _on_done(self, generation: int, result: object) -> None:
        if generation == self._generation:
            self.done.emit(result)

    def _on_failed(self, generation: int, error: object) -> None:
        if generation == self._generation:
            self.failed.emit(error)
