"""A process that edits and saves is killed at random moments: no committed edit is lost, and every store opens."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core.store.library import Library
from tests.core import kill_writer

KILLS = 200
STORES = 4  # killed side by side: most of the time a writer is waited for


def test_no_kill_loses_a_committed_edit(tmp_path: Path) -> None:
    kills = KILLS // STORES
    folders = [tmp_path / f"store {number}" for number in range(STORES)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(STORES) as side_by_side:
        answers = list(side_by_side.map(kill_writer.run, folders, [kills] * STORES, range(STORES)))
    for answer in answers:
        assert answer.stdout.strip() == f"{kills} kills, nothing lost", answer.stdout + answer.stderr


def test_a_lost_edit_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "tonnage.sqlite"
    kill_writer.one_kill(path, 0.05)
    library = Library(path, kill_writer.NOW)
    kept = library.kept()[0].id
    library.close()
    assert kill_writer.difference(path, {kept: 10**9}).startswith("edits are lost")
    assert kill_writer.difference(path, {-1: 1, -2: 1}).startswith("scenarios")
