import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from core.errors import StoreError, StoreTooNew
from core.scenario import CatalogueModel, Deployment, Scenario
from core.store.database import APPLICATION_ID, BACKUPS_KEPT, SCHEMA_VERSION, Backup, Repair, open_database
from core.store.library import Library

NOON = datetime(2026, 11, 30, 12, 0)


def scenario(name: str = "Option 1", client: str = "Client A") -> Scenario:
    return Scenario(
        name=name, client=client, model=CatalogueModel(id="m"), weights="fp8", deployment=Deployment(device="d")
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "tonnage.sqlite"


@pytest.fixture
def library(path: Path) -> Iterator[Library]:
    library = Library(path, NOON)
    yield library
    library.close()


def names(library: Library) -> list[tuple[str, str]]:
    return [(kept.client, kept.name) for kept in library.kept()]


def test_keeps_scenarios_by_client_and_order(library: Library) -> None:
    for name, client in (("b", "Client B"), ("one", "Client A"), ("two", "Client A")):
        library.add(scenario(name, client), NOON)
    assert names(library) == [("Client A", "one"), ("Client A", "two"), ("Client B", "b")]


def test_a_saved_scenario_comes_back_whole_after_a_restart(path: Path) -> None:
    first = Library(path, NOON)
    kept = first.add(scenario(), NOON)
    first.save(kept, scenario("Ändern Ω").edited(workload__users=40), NOON)
    first.close()
    again = Library(path, NOON)
    assert again.load(kept) == scenario("Ändern Ω").edited(workload__users=40)
    assert [(k.name, k.modified) for k in again.kept()] == [("Ändern Ω", "2026-11-30T12:00:00")]
    again.close()


def test_delete_and_restore_bring_back_place_and_id(library: Library) -> None:
    first, second = library.add(scenario("one"), NOON), library.add(scenario("two"), NOON)
    gone = library.delete(first)
    assert [k.id for k in library.kept()] == [second]
    assert library.restore(gone) == first
    assert names(library) == [("Client A", "one"), ("Client A", "two")]


def test_move_before_another_and_to_another_client(library: Library) -> None:
    ids = [library.add(scenario(n), NOON) for n in ("one", "two", "three")]
    library.move(ids[2], "Client A", ids[1], NOON)
    assert [k.name for k in library.kept()] == ["one", "three", "two"]
    library.move(ids[1], "Client A", ids[0], NOON)
    assert [k.name for k in library.kept()] == ["two", "one", "three"]
    library.move(ids[0], "Client B", None, NOON)
    assert names(library) == [("Client A", "two"), ("Client A", "three"), ("Client B", "one")]
    assert library.load(ids[0]).client == "Client B"


def test_what_is_gone_is_said(library: Library) -> None:
    for action in (library.load, library.delete):
        with pytest.raises(StoreError, match="no longer in the library"):
            action(99)
    with pytest.raises(StoreError, match="no longer in the library"):
        library.save(99, scenario(), NOON)


def test_own_records_and_state(library: Library) -> None:
    library.save_record("devices", "my-card", '{"id": "my-card"}', NOON)
    library.save_record("devices", "my-card", '{"id": "my-card", "name": "new"}', NOON)
    assert library.records() == {"devices": {"my-card": '{"id": "my-card", "name": "new"}'}}
    library.delete_record("devices", "my-card")
    assert library.records() == {}
    assert library.state("open") is None
    library.remember("open", "1")
    library.remember("open", "2")
    assert library.state("open") == "2"


def test_the_file_says_whose_it_is(path: Path, library: Library) -> None:
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("pragma application_id").fetchone()[0] == APPLICATION_ID
        assert raw.execute("pragma user_version").fetchone()[0] == SCHEMA_VERSION
        assert raw.execute("pragma journal_mode").fetchone()[0] == "wal"


def test_the_number_of_the_schema_counts_its_steps(library: Library) -> None:
    from core.store.migrations import migrations

    assert len(migrations.applied(library._database)) == SCHEMA_VERSION


def test_a_store_whose_number_was_not_written_gets_it(path: Path) -> None:
    """The program was ended between the last step and the number."""
    first = Library(path, NOON)
    first.add(scenario("kept"), NOON)
    first.close()
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("pragma user_version = 0")
    Library(path, NOON).close()
    with closing(sqlite3.connect(path)) as raw, raw:
        assert raw.execute("pragma user_version").fetchone()[0] == SCHEMA_VERSION
        assert raw.execute("select name from scenarios").fetchall() == [("kept",)]


def test_a_store_of_today_is_read_without_what_writes(path: Path) -> None:
    """A start reads, and sqlite-utils takes long to import."""
    first = Library(path, NOON)
    kept = first.add(scenario("kept"), NOON)
    first.close()
    script = f"""
import sys
from datetime import datetime
from pathlib import Path
from core.store.library import Library
library = Library(Path({str(path)!r}), datetime(2026, 11, 30, 13))
print(library.load({kept}).name, [one.name for one in library.kept()], library.records(), "sqlite_utils" in sys.modules)
library.save({kept}, library.load({kept}), datetime(2026, 11, 30, 13))
print("sqlite_utils" in sys.modules, "numpy" in sys.modules)
"""
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "kept ['kept'] {} False\nTrue False\n"


def test_a_newer_store_is_refused_and_left_alone(path: Path, library: Library) -> None:
    library.add(scenario(), NOON)
    library.close()
    raw = sqlite3.connect(path)
    raw.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    raw.close()
    with pytest.raises(StoreTooNew, match="newer version"):
        Library(path, NOON)
    raw = sqlite3.connect(path)
    assert raw.execute("select count(*) from scenarios").fetchone()[0] == 1
    raw.close()


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, b"\0" * 4096])
def test_a_damaged_store_is_set_aside_and_the_backup_restored(path: Path, damage: bytes) -> None:
    first = Library(path, NOON)
    first.add(scenario("kept"), NOON)
    first.close()
    Library(path, datetime(2026, 12, 1)).close()  # makes the day's backup, which holds the scenario
    path.write_bytes(damage)
    again = Library(path, datetime(2026, 12, 1, 13))
    assert again.repair is Repair.RESTORED
    assert names(again) == [("Client A", "kept")]
    assert again.set_aside is not None
    assert again.set_aside.read_bytes() == damage
    again.close()


def test_a_damaged_store_without_backup_starts_anew_and_keeps_the_file(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    library = Library(path, NOON)
    assert library.repair is Repair.STARTED_ANEW
    assert library.set_aside is not None
    assert library.set_aside.read_bytes() == b"garbage" * 1000
    library.close()


def test_a_backup_that_fails_keeps_nobody_from_their_scenarios(path: Path) -> None:
    first = Library(path, NOON)
    first.add(scenario("kept"), NOON)
    first.close()
    folder = path.parent / "backups"
    folder.rename(path.parent / "elsewhere")
    folder.write_text("in the way")
    again = Library(path, datetime(2026, 12, 1))
    assert names(again) == [("Client A", "kept")]
    assert "File exists" in again.backup_problem
    again.close()


def test_a_file_that_cannot_be_opened_now_is_not_called_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Library(path, NOON).close()

    def full_disk(*_arguments: object, **_named: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    with monkeypatch.context() as patch:
        patch.setattr("core.store.database.sqlite3.connect", full_disk)
        with pytest.raises(StoreError, match="unable to open"):
            Library(path, NOON)
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["backups", path.name]


def test_without_a_file_it_lasts_until_the_end() -> None:
    library = Library(None, NOON)
    kept = library.add(scenario("fleeting"), NOON)
    assert library.load(kept).name == "fleeting"
    library.close()


def test_only_the_newest_backups_stay(path: Path) -> None:
    for day in range(1, BACKUPS_KEPT + 4):
        Library(path, datetime(2026, 12, day)).close()
    kept = sorted(b.name for b in (path.parent / "backups").iterdir())
    assert len(kept) == BACKUPS_KEPT
    assert "20261208" in kept[-1]


def test_a_failed_action_changes_nothing(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = library.add(scenario("before"), NOON)

    def full_disk(*_arguments: object, **_named: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("sqlite_utils.db.Table.update", full_disk)
    with pytest.raises(StoreError, match="Nothing was saved: the disk is full"):
        library.save(kept, scenario("after"), NOON)
    assert library.load(kept).name == "before"


def test_two_windows_on_one_store(path: Path, library: Library) -> None:
    other = Library(path, NOON)
    library.add(scenario("from one"), NOON)
    other.add(scenario("from the other"), NOON)
    assert len(library.kept()) == len(other.kept()) == 2
    other.close()


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be opened"):
        open_database(blocked / "tonnage.sqlite", NOON)


def damaged_with_backup(path: Path) -> None:
    """A store with one scenario, its backup, and then garbage in its place."""
    first = Library(path, NOON)
    first.add(scenario("kept"), NOON)
    first.close()
    Library(path, datetime(2026, 12, 1, 9, 30)).close()
    path.write_bytes(b"garbage" * 1000)


def test_the_newest_backup_is_offered_with_its_time(path: Path) -> None:
    damaged_with_backup(path)
    offered: list[Backup] = []

    def yes(backup: Backup) -> bool:
        offered.append(backup)
        return True

    library = Library(path, datetime(2026, 12, 1, 13), yes)
    assert [backup.made for backup in offered] == [datetime(2026, 12, 1, 9, 30)]
    assert (library.repair, library.backup) == (Repair.RESTORED, offered[0])
    assert names(library) == [("Client A", "kept")]
    library.close()


def test_a_backup_that_is_refused_stays_and_the_library_begins_empty(path: Path) -> None:
    damaged_with_backup(path)
    library = Library(path, datetime(2026, 12, 1, 13), lambda _backup: False)
    assert (library.repair, library.backup, names(library)) == (Repair.STARTED_ANEW, None, [])
    assert library.set_aside is not None
    assert library.set_aside.read_bytes() == b"garbage" * 1000
    library.close()
    assert any("-daily" in backup.name for backup in (path.parent / "backups").iterdir())


def test_a_disk_that_fills_up_is_said_and_survived(path: Path, library: Library) -> None:
    kept = library.add(scenario("before"), NOON)
    library._database.execute("pragma max_page_count = 1")  # SQLite takes it as: no page more

    def fill() -> None:
        for number in range(200):
            library.add(scenario(f"{number} " + "x" * 180), NOON)

    with pytest.raises(StoreError, match="Nothing was saved: the disk is full"):
        fill()
    assert library.load(kept).name == "before"
    library._database.execute("pragma max_page_count = 100000")
    library.save(kept, scenario("after"), NOON)
    assert library.load(kept).name == "after"


def test_a_copy_shows_all_and_reaches_no_file(path: Path, library: Library) -> None:
    kept = library.add(scenario("theirs"), NOON)
    copy = Library.copy_of(path, NOON)
    copy.save(kept, scenario("mine"), NOON)
    copy.add(scenario("more"), NOON)
    assert names(copy) == [("Client A", "mine"), ("Client A", "more")]
    assert names(library) == [("Client A", "theirs")]
    copy.close()


def test_a_copy_of_a_newer_store_or_of_none_is_refused(path: Path, library: Library, tmp_path: Path) -> None:
    library.close()
    raw = sqlite3.connect(path)
    raw.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    raw.close()
    with pytest.raises(StoreTooNew, match="newer version"):
        Library.copy_of(path, NOON)
    with pytest.raises(StoreError, match="cannot be opened"):
        Library.copy_of(tmp_path / "none.sqlite", NOON)
