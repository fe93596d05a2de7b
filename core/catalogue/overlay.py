"""The user's own records: added ones, and changed copies of shipped ones. The shipped catalogue stays as it is."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError, model_validator

from core.catalogue.catalogue import Catalogue, table_of
from core.catalogue.naming import Table
from core.catalogue.records import (
    Confidence,
    Device,
    Engine,
    Entry,
    KvFormat,
    Link,
    Model,
    Record,
    Source,
    WeightFormat,
)
from core.errors import CatalogueError, InvalidInput

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
            if name not in _TYPES:
                raise CatalogueError("Catalogue entries of the unknown kind “{name}” cannot be read.", name=name[:40])
            tables[name] = tuple(_entry(_TYPES[name], name, id, value) for id, value in entries.items())
        return cls(**tables)  # type: ignore[arg-type]

    def to_records(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The records by table and id as plain JSON values; tables without any are left out."""
        return {
            table.value: {e.id: e.model_dump(mode="json", exclude_defaults=True) for e in self.table(table)}
            for table in Table
            if self.table(table)
        }

    def with_record(self, entry: Entry) -> "Overlay":
        """This overlay with a record added, or in place of the one with its id."""
        table = table_of(entry)
        others = tuple(e for e in self.table(table) if e.id != entry.id)
        return self.model_copy(update={table.value: (*others, entry)})

    def without(self, entry: Entry) -> "Overlay":
        """This overlay without a record; a changed shipped record is as shipped again."""
        table = table_of(entry)
        return self.model_copy(update={table.value: tuple(e for e in self.table(table) if e.id != entry.id)})

    @property
    def is_empty(self) -> bool:
        return not any(self.table(table) for table in Table)


_TYPES: dict[str, type[Entry]] = {
    "devices": Device,
    "links": Link,
    "weight_formats": WeightFormat,
    "kv_formats": KvFormat,
    "engines": Engine,
    "models": Model,
}


def _entry(kind: type[Entry], table: str, id: str, value: Any) -> Entry:
    try:
        entry = (
            kind.model_validate_json(value) if isinstance(value, str) else kind.model_validate_json(json.dumps(value))
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        raise CatalogueError(
            "The entry {table}/{id} cannot be read: {which}: {problem}.",
            table=table,
            id=id[:80],
            which=field,
            problem=first["msg"],
        ) from None
    if entry.id != id:
        raise CatalogueError("The entry {table}/{id} calls itself “{entry}”.", table=table, id=id[:80], entry=entry.id)
    return entry


def read_overlay(text: str | bytes) -> Overlay:
    """The overlay in a JSON text; what is wrong is said with its place."""
    try:
        return Overlay.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "JSON"
        raise CatalogueError(
            "Your catalogue entries cannot be read: {place}: {problem}.", place=place, problem=first["msg"]
        ) from None


def duplicated(entry: E, catalogue: Catalogue, name: str) -> E:
    """A copy under a new id and name, without the aliases, which stay with the original."""
    stem = f"{entry.id}-copy"
    taken = catalogue.table(table_of(entry))
    number = 1
    while (id := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return _validated(entry, {"id": id, "name": name, "aliases": ()})


def edited(entry: E, source: Source, **changes: object) -> E:
    """A copy with other figures, whose source is the user's; figures that stay keep theirs, inside a group too.

    Raises InvalidInput, with the field, when a figure is not possible.
    """
    changed = _validated(entry, changes)
    yours = source.model_copy(update={"confidence": Confidence.YOURS})
    figures = [name for field in changes if field not in _WORDS for name in _differing(entry, changed, field)]
    return _validated(changed, {"sources": {**entry.sources, **dict.fromkeys(figures, yours)}})


_WORDS = ("id", "name", "aliases", "notes", "sources")


def _differing(old: Record, new: Record, field: str, prefix: str = "") -> list[str]:
    """Names of the figures that differ: "tdp_w", or "memory_tiers.0.bandwidth_bytes_per_s" inside a group."""
    before, after = getattr(old, field), getattr(new, field)
    name = prefix + field
    if before == after:
        return []
    if isinstance(before, Record) and isinstance(after, Record):
        return [n for part in type(after).model_fields for n in _differing(before, after, part, f"{name}.")]
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        pairs = list(enumerate(zip(before, after, strict=True)))
        if all(isinstance(a, Record) and isinstance(b, Record) for _, (a, b) in pairs):
            parts = type(after[0]).model_fields
            return [n for i, (a, b) in pairs for part in parts for n in _differing(a, b, part, f"{name}.{i}.")]
    return [name]


def _validated(entry: E, changes: dict[str, object]) -> E:
    data = {name: getattr(entry, name) for name in entry.model_fields_set} | changes
    try:
        return type(entry).model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput("{which}: {problem}.", field, which=field, problem=first["msg"]) from None
