"""How long a start takes: from the call of Python to the painted window, and out again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.conftest import Measure

pytestmark = pytest.mark.bench

PAINTED_S = 1.0
BYTECODE = Path(__file__).resolve().parents[2] / "build" / "bytecode"

START = """
import sys
from pathlib import Path
from desktop.app import Application, make_application
from desktop.folders import Folders
from PySide6.QtCore import QEvent, QObject


class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            if application.session.sizing is not None and application.window.sizing.results.verdict.sentence.text():
                print("painted")
            app.exit(0)
        return False


app = make_application(["tonnage"])
application = Application(app, Folders.below(Path(sys.argv[1])))
painted = Painted()
application.window.installEventFilter(painted)
application.start()
sys.exit(app.exec())
"""


def environment_of_a_start() -> dict[str, str]:
    """Offscreen, and with the bytecode that Python keeps from one start to the next, wherever the tests run."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": str(BYTECODE), **kept}


def test_the_window_is_painted_within_a_second(tmp_path: Path, measure: Measure) -> None:
    environment = environment_of_a_start()
    command = [sys.executable, "-c", START, str(tmp_path)]

    def start() -> None:
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=60)
        assert (answer.returncode, answer.stdout) == (0, "painted\n")

    measure("start to painted window, Python and its end included", PAINTED_S, start, repeats=5)
