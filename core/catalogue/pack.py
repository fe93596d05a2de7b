"""Catalogue packs: records and prices that travel as one file, to be laid over the shipped catalogue offline.

A pack is JSON: what it is, the records by table and id, the facts by id, and the SHA-256 of all of that. A pack of the
kind "catalogue" is a newer state of the shipped catalogue; one of the kind "records" holds what somebody added or
changed. A pack adds and replaces; it takes nothing away, since scenarios hold on to ids.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_records import Fact
from core.catalogue.loading import SCHEMA
from core.catalogue.overlay import Overlay
from core.catalogue.own import own_entries, own_facts
from core.catalogue.records import Entry, Record
from core.catalogue.tables import Table
from core.day import Day
from core.errors import CatalogueError, Phrase, StoreTooNew, reason_of
from core.refusal import refusal

FORM = 1  # of the file; a reader refuses a higher one
ENDING = ".tonnagepack"
MAX_PACK_BYTES = 20 * 10**6
_KEYS = {"tonnage_pack", "schema", "name", "kind", "version", "records", "facts", "checksum"}
_FACTS: TypeAdapter[tuple[Fact, ...]] = TypeAdapter(tuple[Fact, ...])


class PackKind(StrEnum):
    CATALOGUE = "catalogue"  # a newer state of the shipped catalogue; one that is not newer changes nothing
    RECORDS = "records"  # what somebody added or changed; holds over any shipped catalogue


class Pack(Record):
    """What a pack brings. Its version is a date, so that of two packs the newer is known."""

    name: str = Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")
    kind: PackKind
    version: Day
    records: Overlay = Overlay()
    facts: tuple[Fact, ...] = ()

    @field_validator("version")
    @classmethod
    def _is_a_day(cls, version: str) -> str:
        if len(version) != len("2026-11-20"):
            raise ValueError(Phrase("Write a date such as {example}.", {"example": "2026-11-20"}))
        return version

    @property
    def is_empty(self) -> bool:
        return self.records.is_empty and not self.facts


def pack_text(pack: Pack) -> str:
    """The text of a pack file. The same pack gives the same text."""
    content: dict[str, Any] = {
        "tonnage_pack": FORM,
        "schema": SCHEMA,
        "name": pack.name,
        "kind": pack.kind.value,
        "version": pack.version,
        "records": pack.records.to_records(),
        "facts": [fact.model_dump(mode="json", exclude_defaults=True) for fact in pack.facts],
    }
    content["checksum"] = _checksum(content)
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def parse_pack(text: str | bytes, name: str = "The file") -> Pack:
    """Read the text of a pack: its form, its checksum, then every record. Nothing is used by half.

    Raises
    ------
    StoreTooNew : written by a newer version
    CatalogueError : not a pack, damaged, or a record cannot be read; the message names it
    """
    content = _object(text, name)
    _check_form(content, name)
    if content["checksum"] != _checksum(content):
        raise CatalogueError(
            "{name} is damaged: its checksum does not fit its content. Nothing was changed.", name=name
        )
    if not isinstance(content["records"], dict) or not all(isinstance(t, dict) for t in content["records"].values()):
        raise CatalogueError("{name}: “records” is damaged.", name=name)
    records = Overlay.from_records(content["records"])
    try:
        facts = _facts(content["facts"], name)
        pack = Pack(records=records, facts=facts, **{key: content[key] for key in ("name", "kind", "version")})
    except ValidationError as error:
        wrong = refusal(error)
        place = wrong.field or "JSON"
        raise CatalogueError("{name}: {place}: {problem}", name=name, place=place, problem=wrong.reason) from None
    twice = _twice([fact.id for fact in facts])
    if twice:
        raise CatalogueError("{name}: two prices are called “{twice}”.", name=name, twice=twice)
    return pack


def read_pack(path: Path) -> Pack:
    """Read a pack file.

    Raises
    ------
    StoreTooNew, CatalogueError : see `parse_pack`; also when the file cannot be read or is too large
    """
    return parse_pack(pack_bytes(path), path.name)


def pack_bytes(path: Path) -> bytes:
    """The bytes of a pack file, which may not be larger than a pack can be."""
    try:
        if path.stat().st_size > MAX_PACK_BYTES:
            raise CatalogueError(
                "{path} is larger than a pack can be ({value} MB).", path=path.name, value=MAX_PACK_BYTES // 10**6
            )
        return path.read_bytes()
    except OSError as error:
        raise CatalogueError("{file} cannot be read: {reason}.", file=path.name, reason=reason_of(error)) from error


def file_checksum(content: bytes) -> str:
    """SHA-256 of a pack's file, as its sender can publish it and `sha256sum` prints it."""
    return hashlib.sha256(content).hexdigest()


# ---- making one


def newer_catalogue(newer: Catalogue, older: Catalogue, name: str) -> Pack:
    """The pack that brings an older shipped catalogue to the state of a newer one: what was added or changed."""
    tables: Mapping[str, tuple[Entry, ...]] = {
        table.value: tuple(e for e in newer.table(table).values() if older.table(table).get(e.id) != e)
        for table in Table
    }
    known = {fact.id: fact for fact in older.facts}
    facts = tuple(fact for fact in newer.facts if known.get(fact.id) != fact)
    overlay = Overlay.model_validate(tables)
    return Pack(name=name, kind=PackKind.CATALOGUE, version=newer.version, records=overlay, facts=facts)


def own_records(records: Mapping[str, Mapping[str, Any]], name: str, today: date) -> Pack:
    """The pack of somebody's own records and prices, by table and id as the store keeps them.

    Raises
    ------
    CatalogueError : there are none, or one cannot be read
    """
    overlay, facts = own_entries(records), own_facts(records)
    if overlay.is_empty and not facts:
        raise CatalogueError("There are no catalogue entries of your own to pack.")
    return Pack(name=name, kind=PackKind.RECORDS, version=today.isoformat(), records=overlay, facts=facts)


# ---- inside


def _checksum(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content without its checksum, in one form whatever spaces the file has."""
    covered = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(covered, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _object(text: str | bytes, name: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise CatalogueError("{name} is not a Tonnage catalogue pack.", name=name) from None
    if not isinstance(content, dict) or not isinstance(content.get("tonnage_pack"), int):
        raise CatalogueError("{name} is not a Tonnage catalogue pack.", name=name)
    return content


def _check_form(content: Mapping[str, Any], name: str) -> None:
    form, schema = content["tonnage_pack"], content.get("schema")
    if form > FORM or (isinstance(schema, int) and schema > SCHEMA):
        raise StoreTooNew("{name} was made for a newer version of Tonnage. Update Tonnage to install it.", name=name)
    if form != FORM or schema != SCHEMA or content.keys() != _KEYS:
        raise CatalogueError("{name} is not a whole Tonnage catalogue pack.", name=name)


def _facts(content: Any, name: str) -> tuple[Fact, ...]:
    """The facts of a pack.

    Raises
    ------
    CatalogueError : there is no list of them
    ValidationError : one cannot be read
    """
    if not isinstance(content, list):
        raise CatalogueError("{name}: “facts” is damaged.", name=name)
    return _FACTS.validate_json(json.dumps(content))


def _twice(ids: list[str]) -> str:
    """An id that is there more than once; empty where none is."""
    return next((id for id, count in Counter(ids).items() if count > 1), "")
