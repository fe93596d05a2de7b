"""A program that the system asks to end closes its window first."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
from PySide6.QtCore import QCoreApplication
from desktop.termination import end_when_asked
app = QCoreApplication([])
end_when_asked(app, lambda: print("closed", flush=True))
print("ready", flush=True)
raise SystemExit(app.exec())
"""


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems ask by a signal")
def test_the_window_is_closed_before_the_end() -> None:
    started = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    time.sleep(0.3)  # the loop waits for an event
    started.send_signal(signal.SIGTERM)
    assert started.communicate(timeout=30)[0] == "closed\n"
    assert started.returncode == 0
