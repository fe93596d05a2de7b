"""What a pack would change, record by record and figure by figure, before anything is changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import TABLE_OF
from core.catalogue.fact_records import Fact
from core.catalogue.pack import Pack
from core.catalogue.records import Entry, Record
from core.catalogue.tables import Table


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A figure that becomes another; None is a figure that is not there."""

    name: str  # "tdp_w", or "memory_tiers.0.bandwidth_bytes_per_s" inside a group
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A record that is added, or figures of one that change."""

    table: str
    id: str
    name: str
    fields: tuple[FieldChange, ...]  # empty: the record is new

    @property
    def is_new(self) -> bool:
        return not self.fields


def changes(pack: Pack, catalogue: Catalogue) -> tuple[RecordChange, ...]:
    """What installing a pack over a catalogue changes: tables in their order, records by id, prices last."""
    return (*_of_records(pack, catalogue), *_of_facts(pack, catalogue))


def between(table: str, before: Record, after: Record) -> RecordChange:
    """What became of one record, figure by figure."""
    id = str(getattr(after, "id", ""))
    return RecordChange(table, id, str(getattr(after, "name", id)), tuple(_differences(before, after)))


def _of_records(pack: Pack, catalogue: Catalogue) -> Iterator[RecordChange]:
    for table in Table:
        known = catalogue.table(table)
        for entry in sorted(pack.records.table(table), key=lambda entry: entry.id):
            before = known.get(entry.id)
            if before is None or before != entry:
                yield RecordChange(table.value, entry.id, entry.name, _fields(before, entry))


def _of_facts(pack: Pack, catalogue: Catalogue) -> Iterator[RecordChange]:
    for fact in sorted(pack.facts, key=lambda fact: (TABLE_OF[fact.section], fact.id)):
        table = TABLE_OF[fact.section]
        before = catalogue.facts.table(table).get(fact.id)
        if before is None or before != fact:
            yield RecordChange(table.value, fact.id, fact.id, _fields(before, fact))


def _fields(before: Entry | Fact | None, after: Entry | Fact) -> tuple[FieldChange, ...]:
    return () if before is None else tuple(_differences(before, after))


def _differences(before: Record, after: Record, prefix: str = "") -> Iterator[FieldChange]:
    for field in type(after).model_fields:
        old, new = getattr(before, field, None), getattr(after, field)
        if old != new:
            yield from _difference(prefix + field, old, new)


def _difference(name: str, old: Any, new: Any) -> Iterator[FieldChange]:
    """One figure, or those inside a group that has the same shape as before."""
    if isinstance(old, Record) and type(old) is type(new):
        yield from _differences(old, new, f"{name}.")
    elif isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            if one != other:
                yield from _difference(f"{name}.{number}", one, other)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}, key=str):
            if old.get(key) != new.get(key):
                yield from _difference(f"{name}.{key}", old.get(key), new.get(key))
    else:
        yield FieldChange(name, old, new)
