"""Records that lie over a catalogue: added ones, and changed copies of its own. The catalogue below stays as it is."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import model_validator

from core.catalogue.reading import record_from
from core.catalogue.records import (
    Device,
    Engine,
    Entry,
    KvFormat,
    Link,
    Model,
    Record,
    WeightFormat,
)
from core.catalogue.tables import KINDS, Table
from core.errors import CatalogueError, Phrase

E = TypeVar("E", bound=Entry)


class Overlay(Record):
    """What the user added or changed; goes to JSON and back without loss."""

    devices: tuple[Device, ...] = ()
    links: tuple[Link, ...] = ()
    weight_formats: tuple[WeightFormat, ...] = ()
    kv_formats: tuple[KvFormat, ...] = ()
    engines: tuple[Engine, ...] = ()
    models: tuple[Model, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "Overlay":
        for table in Table:
            twice = [id for id, times in Counter(entry.id for entry in self.table(table)).items() if times > 1]
            if twice:
                raise ValueError(f"{table.value}: “{sorted(twice)[0]}” is there twice")
        return self

    def table(self, table: Table) -> tuple[Entry, ...]:
        """The user's records of a table."""
        records: tuple[Entry, ...] = getattr(self, table.value)
        return records

    @classmethod
    def from_records(cls, records: Mapping[str, Mapping[str, Any]]) -> "Overlay":
        """The overlay of records by table and id, as the store and scenario files keep them: plain values or JSON text.

        Raises CatalogueError, with table, record and field, when one cannot be read; none is dropped silently.
        """
        tables: dict[str, tuple[Entry, ...]] = {}
        for name, entries in records.items():
            if name not in set(Table):
                raise CatalogueError("Catalogue entries of the unknown kind “{name}” cannot be read.", name=name[:40])
            tables[name] = tuple(_entry(KINDS[Table(name)], name, id, value) for id, value in entries.items())
        return cls(**tables)  # type: ignore[arg-type]

    def to_records(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The records by table and id as plain JSON values; tables without any are left out."""
        return {
            table.value: {e.id: e.model_dump(mode="json", exclude_defaults=True) for e in self.table(table)}
            for table in Table
            if self.table(table)
        }

    @property
    def is_empty(self) -> bool:
        return not any(self.table(table) for table in Table)


def _entry(kind: type[E], table: str, id: str, value: Any) -> E:
    entry = record_from(kind, table, id, value, Phrase("the record"))
    if entry.id != id:
        raise CatalogueError("The entry {table}/{id} calls itself “{entry}”.", table=table, id=id[:80], entry=entry.id)
    return entry
