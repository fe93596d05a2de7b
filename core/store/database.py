"""Opening the local store: check it, back it up, bring its schema up to date, or set a damaged one aside.

The store is one SQLite file. Opening never loses data: a file that is damaged is renamed, not deleted, and the newest
backup takes its place if that is wanted; a file that a newer Tonnage wrote is refused.

A store whose schema is today's opens as a plain connection: sqlite-utils takes a tenth of a second to import, which
waits until something is written.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.errors import StoreError, StoreTooNew
from core.store.scenario_file import write_whole

APPLICATION_ID = 0x546F6E6E  # "Tonn", so that `file` and a hex dump know whose file it is
SCHEMA_VERSION = 2  # number of the last step in `core.store.migrations`; kept in `pragma user_version`
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
    connection: sqlite3.Connection
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
        connection = _connect(path)
        with _closed_on_failure(connection):
            if _stored_version(connection) > SCHEMA_VERSION:
                raise _too_new()
            _bring_up_to_date(connection, path, now)
    except (OSError, sqlite3.Error) as error:
        raise _not_opened(path, error) from error
    return Opened(connection, repair, set_aside, backup)


def open_copy(path: Path) -> sqlite3.Connection:
    """The store at `path` as it is now, in memory: what is done to it reaches no file.

    Raises
    ------
    StoreTooNew : the file was written by a newer version
    StoreError : the file cannot be read
    """
    copy = sqlite3.connect(":memory:")
    try:
        with _closed_on_failure(copy):
            source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
            with closing(source):
                source.backup(copy)
            if _stored_version(copy) > SCHEMA_VERSION:
                raise _too_new()
            _bring_up_to_date(copy)
    except sqlite3.Error as error:
        raise _not_opened(path, error) from error
    return copy


@contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    """A store that cannot be used is not left open: a file that is open cannot be set aside everywhere."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _too_new() -> StoreTooNew:
    return StoreTooNew("The scenarios were saved by a newer version of Tonnage. Install that version to open them.")


def _not_opened(path: Path, reason: Exception) -> StoreError:
    return StoreError("The store of scenarios cannot be opened ({path}): {reason}.", path=path, reason=reason)


def open_in_memory() -> sqlite3.Connection:
    """A store that ends with the program."""
    connection = sqlite3.connect(":memory:")
    _bring_up_to_date(connection)
    return connection


def back_up(connection: sqlite3.Connection, path: Path, now: datetime, label: str) -> Path:
    """Copy the open store beside itself and keep the newest few copies."""
    folder = path.parent / "backups"
    folder.mkdir(exist_ok=True)
    target = folder / f"{path.stem}-{now:%Y%m%dT%H%M%S}-{label}.sqlite"
    copy = sqlite3.connect(target)
    try:
        connection.backup(copy)
    except sqlite3.Error:
        copy.close()
        target.unlink(missing_ok=True)  # a part of a backup is none
        raise
    copy.close()
    for old in _backups(path)[BACKUPS_KEPT:]:
        old.unlink(missing_ok=True)
    return target


def back_up_daily(connection: sqlite3.Connection, path: Path, now: datetime) -> None:
    """Make today's backup if there is none yet."""
    if not any(f"-{now:%Y%m%d}T" in backup.name for backup in _backups(path)):
        back_up(connection, path, now, "daily")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5)
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma journal_mode = wal")
    return connection


def _stored_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("pragma user_version").fetchone()[0]
    return version


def _bring_up_to_date(connection: sqlite3.Connection, path: Path | None = None, now: datetime | None = None) -> None:
    """Take the steps that are missing; a store in a file is backed up before. The number is written after the last."""
    version = _stored_version(connection)
    if version == SCHEMA_VERSION:
        return
    from core.store.migrations import migrations
    from core.store.sqlite_tools import Database

    database = Database(connection)
    if version > 0 and path is not None and now is not None and migrations.pending(database):
        back_up(connection, path, now, f"before-schema-{SCHEMA_VERSION}")
    migrations.apply(database)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute(f"pragma user_version = {SCHEMA_VERSION}")


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
