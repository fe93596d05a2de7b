"""Reading the files of the catalogue: their text, their records by id, and what to say of a broken one."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import ValidationError

from core.errors import CatalogueError


class Named(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Named)


def text_of(path: Path) -> bytes:
    """The text of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CatalogueError(
            "{file} cannot be read: {reason}.", file=path.name, reason=error.strerror or error
        ) from None


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
