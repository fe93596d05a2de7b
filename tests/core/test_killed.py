"""A process that edits and saves is killed at random moments: no committed edit is lost, and every store opens."""

import os
from pathlib import Path

import pytest

from core.store.library import Library
from tests.core import kill_writer

#: All of them in the full check (TONNAGE_FULL=1, see .ci/run), a sample in every other run.
KILLS = 200 if os.environ.get("TONNAGE_FULL") else 20


@pytest.mark.parametrize("seed", [1])
def test_no_kill_loses_a_committed_edit(tmp_path: Path, seed: int) -> None:
    answer = kill_writer.run(tmp_path, KILLS, seed)
    assert answer.stdout.strip() == f"{KILLS} kills, nothing lost", answer.stdout + answer.stderr


def test_a_lost_edit_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "tonnage.sqlite"
    kill_writer.one_kill(path, 0.05)
    library = Library(path, kill_writer.NOW)
    kept = library.kept()[0].id
    library.close()
    assert kill_writer.difference(path, {kept: 10**9}).startswith("edits are lost")
    assert kill_writer.difference(path, {-1: 1, -2: 1}).startswith("scenarios")
