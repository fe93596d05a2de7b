"""The whole program is killed while it edits and saves: what it had saved is there at the next start."""

import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from core.store.database import Repair
from core.store.library import Library
from desktop.folders import Folders

KILLS = 10
LONGEST_S = 0.6  # between the first save and the kill


def kill_while_it_edits(folder: Path, pause_s: float) -> tuple[int, int]:
    """Start the program, kill it after a pause, and return the scenario and users that it told last."""
    command = [sys.executable, "-m", "tests.desktop.edit_until_killed", str(folder)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as program:
        assert program.stdout is not None
        told = [program.stdout.readline()]
        time.sleep(pause_s)
        program.kill()
        told += program.stdout.readlines()
    whole = [line.split() for line in told if line.endswith("\n") and len(line.split()) == 2]
    scenario_id, users = whole[-1]
    return int(scenario_id), int(users)


def test_no_kill_of_the_program_loses_a_saved_edit(tmp_path: Path) -> None:
    chance = random.Random(3)
    for _number in range(KILLS):
        scenario_id, users = kill_while_it_edits(tmp_path, chance.uniform(0.0, LONGEST_S))
        library = Library(Folders.below(tmp_path).data / "tonnage.sqlite", datetime.now(UTC))
        kept = library.load(scenario_id).workload.users
        library.close()
        assert library.repair is Repair.NONE
        assert kept >= users
