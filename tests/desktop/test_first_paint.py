"""What a start does before its first paint, and what it leaves for later. How long it takes, `make bench` measures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.settings import TOUR_SEEN, Settings
from desktop.widgets.late import Late
from desktop.widgets.quantity_edit import QuantityEdit
from tests.desktop.shell import Start

ROOT = Path(__file__).resolve().parents[2]

#: Modules that no first paint needs. Each was, or would be, some hundredths of a second.
LATE = (
    "babel", "click", "core.architecture.config", "core.language.levers", "core.proposal", "core.sizing.concurrency",
    "core.sizing.curves", "core.sizing.levers", "core.sizing.search", "core.sizing.sweep", "core.store.migrations",
    "dateutil", "desktop.charts.base", "desktop.pages.catalogue", "desktop.pages.compare", "desktop.pages.find",
    "desktop.pages.help", "desktop.pages.proposal", "desktop.results.capacity_page", "desktop.results.explain",
    "desktop.results.exports", "desktop.results.hardware_page", "desktop.results.roofline_page",
    "desktop.results.speed_page", "multiprocessing", "numpy", "pyqtgraph", "sqlite_utils", "tomllib", "typst",
    "xlsxwriter",
)  # fmt: skip
#: A guard against a whole library by accident; a module of ours costs a quarter of a millisecond.
MOST_MODULES = 620

STARTED = """
import sys
from pathlib import Path
from desktop.app import Application, make_application
from desktop.folders import Folders
from PySide6.QtCore import QEvent, QObject
loaded = list(sys.modules)
early = loaded.index("core.sizing.size") < loaded.index("PySide6")


class Paint(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            verdict = application.window.sizing.results.verdict.sentence.text()
            tiles = [tile._figures.figure for tile in application.window.sizing.results.tiles.tiles]
            print(early, bool(verdict), all(tiles), len(tiles), "|", *sys.modules)
            app.exit(0)
        return False


app = make_application(["tonnage"])
application = Application(app, Folders.below(Path(sys.argv[1])))
paint = Paint()
application.window.installEventFilter(paint)
application.start()
sys.exit(app.exec())
"""


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, set[str]]:
    """What a second start says at its first paint, and the modules that are there."""
    folder = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    for _start in range(2):  # the first one fills the store
        command = [sys.executable, "-c", STARTED, str(folder)]
        answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
        assert answer.returncode == 0, answer.stderr
    said, modules = answer.stdout.splitlines()[0].split(" | ")
    return said, set(modules.split())


def test_the_first_paint_has_the_verdict_and_four_tiles(painted: tuple[str, set[str]]) -> None:
    assert painted[0] == "True True True 4"  # and what computes was imported before Qt


def test_the_first_paint_needs_few_modules(painted: tuple[str, set[str]]) -> None:
    modules = painted[1]
    assert sorted(name for name in modules if name in LATE or name.startswith(tuple(f"{n}." for n in LATE))) == []
    assert len(modules) < MOST_MODULES


class Windows(QObject):
    """Notes what is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


def test_nothing_but_the_window_is_a_window(qapp: QApplication, start: Start) -> None:
    """A part that is shown before it has its place flashes up, and takes the keyboard from the window."""
    windows = Windows()
    qapp.installEventFilter(windows)
    try:
        application = start()
        for key in ("hardware", "models", "compare", "catalogue", "proposal", "settings", "help", "sizing"):
            application.window.show_page(key)
        application._speak("de")
    finally:
        qapp.removeEventFilter(windows)
    assert windows.seen == ["MainWindow", "MainWindow"]


def test_rows_behind_more_are_built_when_they_are_seen(start: Start) -> None:
    inputs = start().window.sizing.inputs
    fields = len(inputs.findChildren(QuantityEdit))
    assert fields < len(inputs.findChildren(Late))
    for section in inputs.sections.values():
        section.set_folded(False)
        if section.more.isVisibleTo(section):
            section.more.click()
    assert len(inputs.findChildren(QuantityEdit)) > 2 * fields
    assert all(row.edit.isVisible() for row in inputs.workload._rows if row.isVisible())


def test_the_tab_key_goes_down_the_rows_however_late_they_were_built(start: Start) -> None:
    window = start().window
    workload = window.sizing.inputs.workload
    workload.more.click()
    order: list[QWidget] = []
    widget = window.nextInFocusChain()
    while widget is not None and widget is not window:
        order.append(widget)
        widget = widget.nextInFocusChain()
    rows = [row for row in workload._rows if row.isVisible()]
    places = [order.index(row.edit) for row in rows]
    assert places == sorted(places)
    tops = [row.mapTo(workload, row.rect().topLeft()).y() for row in rows]
    assert tops == sorted(tops)


def test_no_control_has_the_focus_before_somebody_reaches_for_it(start: Start, tmp_path: Path) -> None:
    """Else a ring stands about the first button of a window that nobody has touched; Tab goes to that button."""
    settings = Settings(tmp_path / "config" / "tonnage.ini")
    settings.set(TOUR_SEEN, True)
    settings.flush()
    window = start().window
    window.activateWindow()
    QApplication.processEvents()
    assert window.focusWidget() in (None, window)
    QTest.keyClick(window, Qt.Key.Key_Tab)
    assert window.focusWidget() not in (None, window)
