"""How long the frozen program takes from its call to the painted window, and to the painted charts."""

import os
import statistics
import subprocess
import time
from pathlib import Path

import pytest

from tests.bench.conftest import ROWS

pytestmark = pytest.mark.bench

PROGRAM = Path(__file__).resolve().parents[2] / "dist" / "tonnage" / ("tonnage.exe" if os.name == "nt" else "tonnage")
PAINTED_S, CHARTS_S = 0.5, 1.2
RUNS = 10


@pytest.mark.skipif(not PROGRAM.is_file(), reason="no frozen program here; `make package` builds one")
def test_the_installed_program_starts(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    painted, complete = [], []
    for run in range(RUNS + 1):
        begun = time.time()
        command = [
            str(PROGRAM),
            "--start-times",
            str(tmp_path / "home"),
        ]  # the first run fills the store, as a first start does
        answer = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert answer.returncode == 0, answer.stderr
        window, charts, *_worked = map(float, answer.stdout.split())
        if run:  # what the first one reads from the disk the others find in memory
            painted.append(window - begun)
            complete.append(charts - begun)
    rows = pytestconfig.stash.setdefault(ROWS, [])
    for what, times, budget in (("window", painted, PAINTED_S), ("charts", complete, CHARTS_S)):
        median, worst = statistics.median(times), max(times)
        name = f"frozen program, call to painted {what}"
        rows.append(f"{name:<48} {median * 1e3:10.3f} ms {budget * 1e3:10.3f} ms {worst * 1e3:10.3f} ms {RUNS:5d}")
        assert median < 10 * budget, f"{name}: {median} s, more than ten times the budget of {budget} s"
