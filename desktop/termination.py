"""A system that ends its session asks every program to end (SIGTERM): Tonnage closes as if by hand, all work kept."""

import os
import signal
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QSocketNotifier


def end_when_asked(app: QCoreApplication, close: Callable[[], object]) -> None:
    """Close the window and end when the system asks. Elsewhere than on POSIX systems Qt is told by other means.

    Python acts on a signal only when Qt's loop gives it a turn; the pipe, into which a signal writes, makes it do so.
    """
    if os.name != "posix":
        return
    reading, writing = os.pipe()
    for side in (reading, writing):
        os.set_blocking(side, False)

    def end(_signal: int, _frame: object) -> None:
        close()
        app.quit()

    signal.signal(signal.SIGTERM, end)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read, app)
    notifier.activated.connect(lambda *_more: os.read(reading, 100))
