"""Edits and saves until it is killed: `python -m tests.core.kill_writer FOLDER KILLS SEED`.

A child adds, saves, moves and deletes scenarios as fast as it can and tells after each action what is now kept. It is
killed at a random moment, the store is opened again, and everything that was told must be there.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core.scenario import CatalogueModel, Deployment, Scenario
from core.store.database import Repair
from core.store.library import Library

MODULE = "tests.core.kill_writer"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHORTEST_S, LONGEST_S = 0.002, 0.12  # between the first action and the kill
SCENARIO = Scenario(name="", model=CatalogueModel(id="m"), weights="fp8", deployment=Deployment(device="d"))


def write_until_killed(path: Path, told: int) -> None:
    """The child: one action after another, each told once it is committed."""
    library = Library(path, NOW)
    number = 0
    kept = [(one.id, library.load(one.id).workload.users) for one in library.kept()]
    while True:
        number += 1
        if len(kept) > 12:
            library.delete(kept.pop(0)[0])
        elif number % 5 == 0 or not kept:
            kept.append((library.add(SCENARIO.edited(name=f"Scenario {number}", workload__users=1), NOW), 1))
        else:
            scenario_id, users = kept[number % len(kept)]
            library.save(scenario_id, library.load(scenario_id).edited(workload__users=users + 1), NOW)
            kept[number % len(kept)] = scenario_id, users + 1
        if number % 7 == 0:
            library.move(kept[-1][0], f"Client {number % 3}", None, NOW)
        os.write(told, (json.dumps(kept) + "\n").encode())


def one_kill(path: Path, pause_s: float) -> str:
    """Run a child, kill it after a pause, and say what is wrong with what it left; empty where nothing is."""
    heard, kill = forked(path) if hasattr(os, "fork") else started(path)
    first = os.read(heard, 1 << 16)  # it works
    time.sleep(pause_s)
    kill()
    rest = b""
    while block := os.read(heard, 1 << 16):
        rest += block
    os.close(heard)
    last = [line for line in (first + rest).split(b"\n")[:-1] if line][-1]
    return difference(path, dict(json.loads(last)))


def forked(path: Path) -> tuple[int, Callable[[], object]]:
    """A child that has imported everything already: where it is heard, and how it is killed."""
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(heard)
        write_until_killed(path, told)
    os.close(told)

    def kill() -> None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    return heard, kill


def started(path: Path) -> tuple[int, Callable[[], object]]:
    """The same where a process cannot fork."""
    child = subprocess.Popen([sys.executable, "-m", MODULE, str(path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    heard = os.dup(child.stdout.fileno())

    def kill() -> None:
        child.kill()
        child.wait()
        child.communicate()

    return heard, kill


def difference(path: Path, told: dict[int, int]) -> str:
    """What of that which was told is missing. One action more may have been committed than was told."""
    library = Library(path, NOW)
    found = {one.id: library.load(one.id).workload.users for one in library.kept()}
    repair = library.repair
    library.close()
    if repair is not Repair.NONE:
        return f"the store was {repair}"
    gone = [scenario_id for scenario_id in told if scenario_id not in found]
    if len(gone) > 1:
        return f"scenarios {gone} are gone"
    older = {one: (users, found[one]) for one, users in told.items() if one in found and found[one] < users}
    return f"edits are lost: {older}" if older else ""


def main(folder: str, kills: str = "", seed: str = "") -> int:
    if not kills:
        write_until_killed(Path(folder), sys.stdout.fileno())
    chance = random.Random(int(seed))
    path = Path(folder) / "tonnage.sqlite"
    for number in range(int(kills)):
        wrong = one_kill(path, chance.uniform(SHORTEST_S, LONGEST_S))
        if wrong:
            print(f"kill {number}: {wrong}")
            return 1
    print(f"{kills} kills, nothing lost")
    return 0


def run(folder: Path, kills: int, seed: int) -> subprocess.CompletedProcess[str]:
    """All of it in a process of its own, which has no threads that a fork could break."""
    command = [sys.executable, "-m", MODULE, str(folder), str(kills), str(seed)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
