"""Takes the pictures that README shows, from the real program: python -m tests.pictures docs/images."""

import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QEventLoop, QThreadPool, QTimer
from PySide6.QtGui import QImage, QPainter

from core.proposal.options import ProposalOptions
from desktop.app import Application, make_application
from desktop.folders import Folders
from desktop.proposal_export import write
from desktop.results.panel import CAPACITY, EXPLAIN, MEMORY, SPEED, ResultsPanel
from desktop.settings import TOUR_SEEN, Settings
from desktop.theme import Scheme
from tests.usual_scenario import scenario

TABS = {"main": MEMORY, "speed": SPEED, "capacity": CAPACITY, "explain": EXPLAIN}
PROPOSAL_PAGES = (1, 3, 5)
DPI = 72


def take(folder: Path) -> None:
    """The window in light and dark, its other tabs, and pages of the proposal, as PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        folders = Folders.below(Path(home))
        folders.make()
        settings = Settings(folders.config / "tonnage.ini")
        settings.set(TOUR_SEEN, True)
        settings.flush()
        application = Application(make_application(["tonnage"]), folders)
        application.theme.set_scheme(Scheme.LIGHT)
        application.window.resize(1280, 800)
        application.window.show()
        application.complete()
        application.session.new(scenario())
        panel = application.window.findChild(ResultsPanel)
        assert panel is not None
        for name, tab in TABS.items():
            panel.show_tab(tab)
            _grab(application, folder / f"{name}.png")
        application.window.show_page("hardware")
        _grab(application, folder / "hardware.png")
        application.window.show_page("sizing")
        panel.show_tab(MEMORY)
        application.theme.set_scheme(Scheme.DARK)
        _grab(application, folder / "main-dark.png")
        sizing = application.session.sizing
        assert sizing is not None
        options = ProposalOptions(date=date(2026, 11, 30))
        write(((sizing.scenario, application.session.catalogue),), Path(home) / "proposal.pdf", options)
        _side_by_side(Path(home), folder / "proposal.png")
        application.window.close()
        application.close()


def _grab(application: Application, path: Path) -> None:
    wait(600)  # charts are built after the first paint, and the line under a tab moves for a moment
    while QThreadPool.globalInstance().activeThreadCount():
        wait(50)
    wait(100)
    application.window.grab().save(str(path))


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _side_by_side(home: Path, path: Path) -> None:
    pages = []
    for number in PROPOSAL_PAGES:
        command = ["pdftoppm", "-r", str(DPI), "-png", "-singlefile", "-f", str(number), "-l", str(number)]
        subprocess.run([*command, "proposal.pdf", str(number)], cwd=home, check=True, stderr=subprocess.DEVNULL)
        pages.append(QImage(str(home / f"{number}.png")))
    gap = 12
    width = sum(page.width() + gap for page in pages) + gap
    picture = QImage(width, pages[0].height() + 2 * gap, QImage.Format.Format_RGB32)
    picture.fill(0xDFE4E9)
    painter = QPainter(picture)
    x = gap
    for page in pages:
        painter.drawImage(x, gap, page)
        x += page.width() + gap
    painter.end()
    picture.save(str(path))


if __name__ == "__main__":
    take(Path(sys.argv[1]))
