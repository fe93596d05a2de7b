"""`tonnage --start-times FOLDER`: start as always, say when the window and then the charts were painted, and end.

What it keeps lies in the given folder. `make bench` reads the times; they are those of the system's clock, so that
what comes before Python counts too. After them come the seconds of the processor until then, which say more on a
machine that is busy.
"""

import desktop.early  # noqa: F401  # as every start has it

# isort: split
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QGraphicsView

from desktop.app import Application, make_application
from desktop.folders import Folders

POLL_MS = 5


class Painted(QObject):
    """Notes the first paint of what it is installed on."""

    def __init__(self) -> None:
        super().__init__()
        self.at: float | None = None
        self.worked = 0.0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self.at is None:
            self.at, self.worked = time.time(), time.process_time()
        return False


def start_times(folder: Path) -> int:
    """Start, print both times in seconds since 1970 and both of the processor, and end with 0."""
    app = make_application(["tonnage"])
    application = Application(app, Folders.below(folder))
    window = Painted()
    application.window.installEventFilter(window)
    application.start()
    charts: dict[QGraphicsView, Painted] = {}

    def look() -> None:
        shown = [view for view in application.window.findChildren(QGraphicsView) if view.isVisible()]
        for view in shown:
            if view not in charts:
                charts[view] = Painted()
                view.viewport().installEventFilter(charts[view])
                view.viewport().update()
        times = [charts[view].at for view in shown]
        complete = [at for at in times if at is not None]
        if window.at is not None and times and len(complete) == len(times):
            worked = max(charts[view].worked for view in shown)
            print(f"{window.at:.4f} {max(complete):.4f} {window.worked:.4f} {worked:.4f}", flush=True)
            timer.stop()
            application.window.close()
            app.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(POLL_MS)
    code = app.exec()
    application.close()
    return code
