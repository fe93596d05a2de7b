"""The system's libraries that dev.py asks for are enough for a window on a display, not only offscreen."""

import os
import shutil
import subprocess
import sys

import pytest

OPEN_A_WINDOW = """
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel("Tonnage")
label.show()
assert QTest.qWaitForWindowExposed(label, 20000)
print(app.platformName())
"""


@pytest.mark.skipif(
    shutil.which("xvfb-run") is None and "CI" not in os.environ,
    reason="no virtual display here; the full check has one",
)
def test_window_opens_on_a_display() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    command = ["xvfb-run", "--auto-servernum", sys.executable, "-c", OPEN_A_WINDOW]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["xcb"]
