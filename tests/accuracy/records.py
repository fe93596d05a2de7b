"""Records of measurements as they stand in files: read, named, and asked for their fields.

A file is a list of records, or an object that holds one under "cases". What cannot be used is said in one sentence: of
a file by `InvalidInput`, of one record by `Unusable`, which becomes an entry under "skipped".
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InvalidInput

MOST_BYTES = 500 * 10**6
DATA = Path(__file__).parent / "data"


class Unusable(Exception):
    """A record, or one of its figures, cannot be compared; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its fields with the types that they must have. `id` is its own, or its number in the file."""

    id: str
    fields: Mapping[str, Any]

    def text(self, name: str, default: str = "") -> str:
        value = self.fields.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise Unusable(f"“{name}” is not a text")
        return value

    def number(self, name: str, default: float | None = None) -> float | None:
        value = self.fields.get(name)
        if value is None:
            return default
        if not is_number(value):
            raise Unusable(f"“{name}” is not a number")
        return float(value)

    def positive(self, name: str, default: float | None = None) -> float | None:
        value = self.number(name, default)
        if value is not None and value <= 0:
            raise Unusable(f"“{name}” is not above zero")
        return value

    def count(self, name: str, default: int | None = None) -> int | None:
        value = self.number(name, default)
        if value is None:
            return None
        if value != int(value) or not 0 <= value <= 10**9:
            raise Unusable(f"“{name}” is not a whole number")
        return int(value)

    def flag(self, name: str) -> bool:
        return self.fields.get(name) is True

    def part(self, name: str) -> "Record":
        """The fields of an object inside; empty where there is none."""
        value = self.fields.get(name)
        if value is None:
            return Record(self.id, {})
        if not isinstance(value, Mapping):
            raise Unusable(f"“{name}” is not an object")
        return Record(self.id, value)

    def items(self, name: str) -> list[Any]:
        value = self.fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise Unusable(f"“{name}” is not a list")
        return value


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file; one that is no object comes without fields, so that it is skipped with a reason."""
    for number, entry in enumerate(_entries(path), 1):
        fields = entry if isinstance(entry, Mapping) else {}
        name = fields.get("id")
        yield Record(name if isinstance(name, str) and name else f"record {number}", fields)


def _entries(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInput(f"{path.name} is larger than {MOST_BYTES // 10**6} MB.")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path.name} is not JSON: {error}.") from None
    entries = data.get("cases") if isinstance(data, Mapping) else data
    if not isinstance(entries, list):
        raise InvalidInput(f"{path.name} holds neither a list of records nor an object with one under “cases”.")
    return entries
