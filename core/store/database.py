"""Opening the local store: check it, back it up, bring its schema up to date, or set a damaged one aside.

The store is one SQLite file. Opening never loses data: a file that is damaged is renamed, not deleted, and the newest
backup takes its place if that is wanted; a file that a newer Tonnage wrote is refused.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sqlite_utils import Database

from core.errors import StoreError, StoreTooNew
from core.store.migrations import APPLICATION_ID, SCHEMA_VERSION, migrations
from core.store.scenario_file import write_whole

BACKUPS_KEPT = 5
_STAMP = re.compile(r"-(\d{8}T\d{6})-")


class Repair(StrEnum):
    """What had to be done to open the store."""

    NONE = "none"
    RESTORED = "restored"  # the file was damaged; the newest backup was put in its place
    STARTED_ANEW = "started_anew"  # the file was damaged, and there was no backup or none was wanted


@dataclass(frozen=True, slots=True)
class Backup:
    """A sound copy of the store."""

    path: Path
    made: datetime


Offer = Callable[[Backup], bool]  # is this backup to take the place of the damaged file?


def take_it(_backup: Backup) -> bool:
    """What answers an offer where nobody can be asked."""
    return True


@dataclass(frozen=True, slots=True)
class Opened:
    database: Database
    repair: Repair
    set_aside: Path | None  # where the damaged file lies now
    backup: Backup | None = None  # that took its place


def open_database(path: Path, now: datetime, offer: Offer = take_it) -> Opened:
    """Open the store at `path`, creating it if there is none; where it is damaged its newest backup is offered.

    Raises
    ------
    StoreTooNew : the file was written by a newer version
    StoreError : the file cannot be opened or made at all (a folder without rights, a full disk)
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        repair, set_aside, backup = _repair_if_damaged(path, now, offer)
        database = _connect(path)
        with _closed_on_failure(database):
            if _stored_version(database) > SCHEMA_VERSION:
                raise _too_new()
            _bring_up_to_date(database, path, now)
    except (OSError, sqlite3.Error) as error:
        raise _not_opened(path, error) from error
    return Opened(database, repair, set_aside, backup)


def open_copy(path: Path) -> Database:
    """The store at `path` as it is now, in memory: what is done to it reaches no file.

    Raises
    ------
    StoreTooNew : the file was written by a newer version
    StoreError : the file cannot be read
    """
    database = Database(memory=True)
    try:
        with _closed_on_failure(database):
            source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
            with closing(source):
                source.backup(database.conn)
            if _stored_version(database) > SCHEMA_VERSION:
                raise _too_new()
            migrations.apply(database)
    except sqlite3.Error as error:
        raise _not_opened(path, error) from error
    return database


@contextmanager
def _closed_on_failure(database: Database) -> Iterator[None]:
    """A store that cannot be used is not left open: a file that is open cannot be set aside everywhere."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def _too_new() -> StoreTooNew:
    return StoreTooNew("The scenarios were saved by a newer version of Tonnage. Install that version to open them.")


def _not_opened(path: Path, reason: Exception) -> StoreError:
    return StoreError("The store of scenarios cannot be opened ({path}): {reason}.", path=path, reason=reason)


def open_in_memory() -> Database:
    """A store that ends with the program."""
    database = Database(memory=True)
    migrations.apply(database)
    return database


def back_up(database: Database, path: Path, now: datetime, label: str) -> Path:
    """Copy the open store beside itself and keep the newest few copies."""
    folder = path.parent / "backups"
    folder.mkdir(exist_ok=True)
    target = folder / f"{path.stem}-{now:%Y%m%dT%H%M%S}-{label}.sqlite"
    copy = sqlite3.connect(target)
    try:
        database.conn.backup(copy)
    except sqlite3.Error:
        copy.close()
        target.unlink(missing_ok=True)  # a part of a backup is none
        raise
    copy.close()
    for old in _backups(path)[BACKUPS_KEPT:]:
        old.unlink(missing_ok=True)
    return target


def back_up_daily(database: Database, path: Path, now: datetime) -> None:
    """Make today's backup if there is none yet."""
    if not any(f"-{now:%Y%m%d}T" in backup.name for backup in _backups(path)):
        back_up(database, path, now, "daily")


def _connect(path: Path) -> Database:
    database = Database(sqlite3.connect(path, timeout=5))
    database.execute("pragma foreign_keys = on")
    database.enable_wal()
    return database


def _stored_version(database: Database) -> int:
    version: int = database.execute("pragma user_version").fetchone()[0]
    return version


def _bring_up_to_date(database: Database, path: Path, now: datetime) -> None:
    if not migrations.pending(database):
        return
    if _stored_version(database) > 0:
        back_up(database, path, now, f"before-schema-{SCHEMA_VERSION}")
    migrations.apply(database)
    database.execute(f"pragma application_id = {APPLICATION_ID}")
    database.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _repair_if_damaged(path: Path, now: datetime, offer: Offer) -> tuple[Repair, Path | None, Backup | None]:
    if not path.exists() or _is_sound(path):
        return Repair.NONE, None, None
    backups = _backups(path)
    if path.stat().st_size == 0 and not backups:
        return Repair.NONE, None, None  # an empty file that was just made is a new store
    set_aside = path.with_name(f"{path.stem}-damaged-{now:%Y%m%dT%H%M%S}{path.suffix}")
    path.rename(set_aside)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    newest = next((backup for backup in backups if _is_sound(backup)), None)
    if newest is None:
        return Repair.STARTED_ANEW, set_aside, None
    stamp = _STAMP.search(newest.name)
    made = datetime.strptime(stamp[1], "%Y%m%dT%H%M%S").replace(tzinfo=now.tzinfo) if stamp else now
    found = Backup(newest, made)
    if not offer(found):
        return Repair.STARTED_ANEW, set_aside, None
    write_whole(path, newest.read_bytes())
    return Repair.RESTORED, set_aside, found


def _is_sound(path: Path) -> bool:
    """Does SQLite read the whole file without complaint? An empty file is not a store.

    Raises
    ------
    sqlite3.OperationalError : it cannot be told (a full disk, a folder without rights), which is not damage
    """
    if path.stat().st_size == 0:
        return False
    connection = sqlite3.connect(path, timeout=5)
    try:
        return bool(connection.execute("pragma quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):  # another program is writing
            return True
        raise
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()


def _backups(path: Path) -> list[Path]:
    """Backups of this store, the newest first."""
    return sorted((path.parent / "backups").glob(f"{path.stem}-*.sqlite"), reverse=True)
