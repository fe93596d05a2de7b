"""The scenarios a consultant keeps, by client, and the catalogue entries of their own.

Every action is one transaction. Times come in as arguments; the store has no clock. sqlite-utils writes and SQLite
reads, since the former takes long to import and a start only reads.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from core import METHOD_VERSION, __version__
from core.errors import StoreError
from core.refusal import refusal
from core.scenario import Scenario
from core.store.database import (
    Backup,
    Offer,
    Opened,
    Repair,
    back_up_daily,
    open_copy,
    open_database,
    open_in_memory,
    take_it,
)

if TYPE_CHECKING:
    from core.store.sqlite_tools import Database


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept scenario without its content: what a list shows."""

    id: int
    name: str
    client: str
    position: float
    modified: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """Everything needed to bring a deleted scenario back."""

    row: dict[str, Any]


class Library:
    """Scenarios and own catalogue records in one SQLite file."""

    def __init__(
        self, path: Path | None, now: datetime, offer: Offer = take_it, connection: sqlite3.Connection | None = None
    ) -> None:
        """Open or create the library; without a path it is kept in memory, for when no file can be written.

        Where the file is damaged its newest backup is offered; without a yes the library begins empty.

        Raises
        ------
        StoreTooNew, StoreError : see `core.store.database.open_database`
        """
        opened = (
            Opened(connection or open_in_memory(), Repair.NONE, None)
            if path is None
            else open_database(path, now, offer)
        )
        self.backup: Backup | None = opened.backup  # that took the place of a damaged file
        self.repair: Repair = opened.repair
        self.set_aside: Path | None = opened.set_aside
        self._connection = opened.connection
        self.backup_problem = ""  # why today's backup was not made; the library is open all the same
        try:
            if path is not None:
                back_up_daily(self._connection, path, now)
        except (OSError, sqlite3.Error) as error:
            self.backup_problem = str(error)

    @classmethod
    def copy_of(cls, path: Path, now: datetime) -> "Library":
        """The library at `path` as it is now, to be looked at: nothing that is done here reaches the file.

        Raises
        ------
        StoreTooNew, StoreError : see `core.store.database.open_copy`
        """
        return cls(None, now, connection=open_copy(path))

    def prepare(self) -> None:
        """Import now what writes: the first change is then kept without a pause."""
        _ = self._database

    def close(self) -> None:
        self._connection.close()

    # ---- scenarios

    def kept(self) -> list[Kept]:
        """All scenarios, by client and position."""
        rows = self._rows("select id, name, client, position, modified from scenarios order by client, position, id")
        return [Kept(**row) for row in rows]

    def load(self, scenario_id: int) -> Scenario:
        """The content of a kept scenario.

        Raises
        ------
        StoreError : there is no such scenario, or its content cannot be read by this version
        """
        rows = self._rows("select scenario from scenarios where id = ?", scenario_id)
        if not rows:
            raise StoreError("This scenario is no longer in the library.")
        try:
            return Scenario.model_validate_json(rows[0]["scenario"])
        except ValidationError as error:
            raise StoreError("A kept scenario cannot be read: {problem}", problem=refusal(error).reason) from error

    def add(self, scenario: Scenario, now: datetime) -> int:
        """Keep a new scenario at the end of its client's list and return its id."""
        with self._action():
            last = self._rows("select max(position) as last from scenarios where client = ?", scenario.client)[0][
                "last"
            ]
            row = {**self._content(scenario, now), "created": _iso(now), "position": (last or 0.0) + 1.0}
            return int(self._database.table("scenarios").insert(row).last_rowid or 0)

    def save(self, scenario_id: int, scenario: Scenario, now: datetime) -> None:
        """Replace the content of a kept scenario."""
        with self._action():
            self._must_exist(scenario_id)
            self._database.table("scenarios").update(scenario_id, self._content(scenario, now))

    def delete(self, scenario_id: int) -> Deleted:
        """Remove a scenario; what is returned brings it back."""
        with self._action():
            self._must_exist(scenario_id)
            row = self._rows("select * from scenarios where id = ?", scenario_id)[0]
            self._database.table("scenarios").delete(scenario_id)
            return Deleted(row)

    def restore(self, deleted: Deleted) -> int:
        """Bring a deleted scenario back, at its old place and with its old id."""
        with self._action():
            self._database.table("scenarios").insert(deleted.row)
            return int(deleted.row["id"])

    def move(self, scenario_id: int, client: str, before: int | None, now: datetime) -> None:
        """Put a scenario before another one of `client`, or at the client's end."""
        with self._action():
            scenario = self.load(scenario_id).edited(client=client)
            others = [k for k in self.kept() if k.client == client and k.id != scenario_id]
            at = next((i for i, k in enumerate(others) if k.id == before), len(others))
            lower = others[at - 1].position if at > 0 else (others[0].position - 2.0 if others else 0.0)
            upper = others[at].position if at < len(others) else lower + 2.0
            row = {**self._content(scenario, now), "position": (lower + upper) / 2}
            self._database.table("scenarios").update(scenario_id, row)

    def mentioning(self, pieces: Sequence[str]) -> list[int]:
        """Ids of the scenarios whose JSON has at least one of these pieces in it."""
        if not pieces:
            return []
        found = " or ".join(["instr(scenario, ?) > 0"] * len(pieces))
        return [row["id"] for row in self._rows(f"select id from scenarios where {found}", *pieces)]

    # ---- the catalogue records that scenarios were sized with

    def kept_records(self, scenario_id: int) -> dict[str, dict[str, str]] | None:
        """The records that a scenario was sized with, by table and id, as JSON; None where none were kept yet."""
        rows = self._rows("select kept from scenarios where id = ?", scenario_id)
        if not rows or rows[0]["kept"] is None:
            return None
        found: dict[str, dict[str, str]] = {}
        kept = self._rows(
            'select "table", id, record from kept_records where key in (select value from json_each(?))',
            rows[0]["kept"],
        )
        for row in kept:
            found.setdefault(row["table"], {})[row["id"]] = row["record"]
        return found

    def keep_records(self, scenario_id: int, records: Mapping[str, Mapping[str, str]]) -> None:
        """Let a scenario keep these records as what it was sized with."""
        rows = [
            {"key": _checksum(table, id, record), "table": table, "id": id, "record": record}
            for table, entries in records.items()
            for id, record in entries.items()
        ]
        with self._action():
            self._must_exist(scenario_id)
            self._database.table("kept_records").insert_all(rows, ignore=True)
            keys = json.dumps([row["key"] for row in rows])
            self._database.table("scenarios").update(scenario_id, {"kept": keys})

    # ---- own catalogue records

    def records(self) -> dict[str, dict[str, str]]:
        """The user's own catalogue records as JSON, by table and id."""
        found: dict[str, dict[str, str]] = {}
        for row in self._rows('select "table", id, record from catalogue_records order by "table", id'):
            found.setdefault(row["table"], {})[row["id"]] = row["record"]
        return found

    def save_record(self, table: str, record_id: str, record: str, now: datetime) -> None:
        """Keep an own catalogue record, replacing one with the same id."""
        with self._action():
            self._database.table("catalogue_records").upsert(
                {"table": table, "id": record_id, "modified": _iso(now), "record": record}, pk=("table", "id")
            )

    def delete_record(self, table: str, record_id: str) -> None:
        """Forget an own catalogue record (a shipped one shows through again)."""
        with self._action():
            self._database.table("catalogue_records").delete_where('"table" = ? and id = ?', [table, record_id])

    # ---- what was open

    def state(self, key: str) -> str | None:
        """A remembered value, such as the id of the scenario that was open last."""
        rows = self._rows("select value from state where key = ?", key)
        return rows[0]["value"] if rows else None

    def remember(self, key: str, value: str) -> None:
        with self._action():
            self._database.table("state").upsert({"key": key, "value": value}, pk="key")

    # ---- inside

    @cached_property
    def _database(self) -> "Database":
        """What writes; made when something is first written."""
        from core.store.sqlite_tools import Database

        return Database(self._connection)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Many actions as one: all or none is kept."""
        with self._action():
            yield

    @staticmethod
    def _content(scenario: Scenario, now: datetime) -> dict[str, str]:
        return {
            "name": scenario.name,
            "client": scenario.client,
            "modified": _iso(now),
            "app_version": __version__,
            "method_version": METHOD_VERSION,
            "scenario": scenario.model_dump_json(),
        }

    def _must_exist(self, scenario_id: int) -> None:
        if not self._rows("select 1 as one from scenarios where id = ?", scenario_id):
            raise StoreError("This scenario is no longer in the library.")

    def _rows(self, sql: str, *arguments: object) -> list[dict[str, Any]]:
        try:
            found = self._connection.execute(sql, arguments)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]
        except sqlite3.Error as error:
            raise StoreError("The library cannot be read: {reason}.", reason=error) from error

    @contextmanager
    def _action(self) -> Iterator[None]:
        """One transaction; SQLite's errors become a sentence, and nothing is half done."""
        try:
            with self._database.atomic():
                yield
        except sqlite3.Error as error:
            reason = "the disk is full" if "full" in str(error) else str(error)
            raise StoreError("Nothing was saved: {reason}.", reason=reason) from error


def _checksum(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _iso(now: datetime) -> str:
    return now.isoformat(timespec="seconds")
