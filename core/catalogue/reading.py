"""Reading the files of the catalogue: their text, their records by id, and what to say of a broken one."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from core.catalogue.records import Record
from core.errors import CatalogueError, Phrase, reason_of
from core.refusal import refusal


class Named(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Named)
K = TypeVar("K", bound=Record)


def text_of(path: Path) -> bytes:
    """The text of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CatalogueError("{file} cannot be read: {reason}.", file=path.name, reason=reason_of(error)) from None


def by_id(file: str, records: Iterable[R]) -> Mapping[str, R]:
    """The records of a file by id; no two have the same."""
    table: dict[str, R] = {}
    for record in records:
        if record.id in table:
            raise CatalogueError("{file}: two records are called “{record}”.", file=file, record=record.id)
        table[record.id] = record
    return table


def where_in(file: str, text: bytes, error: ValidationError) -> str:
    """File, record and field of the first error of a table or of one record, in one sentence."""
    first = error.errors(include_url=False)[0]
    place: list[int | str] = list(first["loc"])
    if first["type"] == "json_invalid":
        return f"{file} is not JSON: {first['ctx']['error']}."
    data = json.loads(text)
    record = ""
    if isinstance(data, list) and place and isinstance(place[0], int):
        entry = data[place[0]]
        del place[0]
        record = f"record “{entry['id']}”, " if isinstance(entry, dict) and "id" in entry else ""
    field = ".".join(str(part) for part in place) or "the record"
    return f"{file}: {record}{field}: {first['msg'][:1].lower()}{first['msg'][1:]}."


def record_from(kind: type[K], table: str, id: str, value: Any, whole: Phrase) -> K:
    """A record that is kept by table and id, as plain values or JSON text; `whole` is what it is called."""
    try:
        return kind.model_validate_json(value if isinstance(value, str) else json.dumps(value))
    except ValidationError as error:
        wrong = refusal(error)
        raise CatalogueError(
            "The entry {table}/{id} cannot be read: {which}: {problem}",
            table=table,
            id=id[:80],
            which=wrong.field or whole,
            problem=wrong.reason,
        ) from None
