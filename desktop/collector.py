"""Garbage collection in the window's thread only.

Python collects garbage in whatever thread happens to allocate. A job in the pool would so tear down parts of the window
that are no longer needed, and a Qt object that dies in another thread leaves its timers behind: the program crashes.
"""

import gc

from PySide6.QtCore import QCoreApplication, QObject, QTimer

EVERY_MS = 1000


class Collector(QObject):
    """Does what Python's own collection does, at the same thresholds, from a timer of the window's thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    def collect(self) -> None:
        """Collect the oldest generation that is due, as Python would."""
        due = [
            n for n, (count, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if count > most
        ]
        if due:
            gc.collect(max(due))


def collect_here() -> None:
    """From now on garbage is collected in this thread; called again, nothing changes."""
    application = QCoreApplication.instance()
    if application is not None and application.findChild(Collector) is None:
        Collector(application)
