"""Scenario files (`.tonnage`): what people send to each other. JSON, versioned, written whole or not at all.

A file holds the scenario and the catalogue records of the sender's own that it uses (an imported model, an edited
device), so that the receiver gets the same figures.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core import __version__
from core.errors import InvalidInput, StoreError, StoreTooNew, reason_of
from core.language.field_names import named_field
from core.refusal import refusal
from core.scenario import SCHEMA_VERSION, Scenario

FILE_VERSION = 1
MAX_FILE_BYTES = 20 * 10**6


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    scenario: Scenario
    records: Mapping[str, Mapping[str, Any]]  # own catalogue records by table and id, as plain JSON values


def dump_scenario(scenario: Scenario, records: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The text of a scenario file. The same scenario gives the same text."""
    content = {
        "tonnage": FILE_VERSION,
        "app_version": __version__,
        "scenario": scenario.model_dump(mode="json"),
        "records": records or {},
    }
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def parse_scenario(text: str, name: str = "The file") -> ScenarioFile:
    """Read the text of a scenario file.

    Raises
    ------
    StoreTooNew : written by a newer version
    InvalidInput : not a scenario file, or a field cannot be read; the message names it
    """
    content = _json_object(text, name)
    version = content.get("tonnage")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidInput("{name} is not a Tonnage scenario.", name=name)
    stated = content.get("scenario")
    if version > FILE_VERSION or (isinstance(stated, dict) and _newer(stated.get("schema_version"))):
        wrote = content.get("app_version")
        raise StoreTooNew(
            "{name} comes from a newer version of Tonnage ({text}). Update Tonnage to open it.",
            name=name,
            text=str(wrote)[:20],
        )
    records = content.get("records", {})
    if not isinstance(records, dict) or not all(isinstance(table, dict) for table in records.values()):
        raise InvalidInput("{name}: “records” is damaged.", "records", name=name)
    try:
        return ScenarioFile(Scenario.model_validate(stated), records)
    except ValidationError as error:
        wrong = refusal(error)
        raise InvalidInput(
            "{name}: {which} cannot be used: {problem}",
            wrong.field,
            name=name,
            which=named_field(wrong.field),
            problem=wrong.reason,
        ) from error


def read_scenario(path: Path) -> ScenarioFile:
    """Read a scenario file.

    Raises
    ------
    InvalidInput, StoreTooNew : see `parse_scenario`
    StoreError : the file cannot be read
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InvalidInput(
                "{path} is larger than a scenario can be ({value} MB).", path=path.name, value=MAX_FILE_BYTES // 10**6
            )
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("{path} is not a Tonnage scenario.", path=path.name) from None
    except OSError as error:
        raise StoreError(
            "{path} cannot be read: {strerror}.", path=path.name or path, strerror=reason_of(error)
        ) from error
    return parse_scenario(text, path.name)


def write_scenario(path: Path, scenario: Scenario, records: Mapping[str, Mapping[str, Any]] | None = None) -> None:
    """Write a scenario file, whole or not at all."""
    write_whole(path, dump_scenario(scenario, records).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Raises
    ------
    StoreError : the folder or disk does not allow it; nothing is left behind
    """
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise StoreError("{path} was not written: {strerror}.", path=path.name, strerror=reason_of(error)) from error


def _json_object(text: str, name: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("{name} is not a Tonnage scenario.", name=name) from None
    if not isinstance(content, dict):
        raise InvalidInput("{name} is not a Tonnage scenario.", name=name)
    return content


def _newer(version: object) -> bool:
    return isinstance(version, int) and version > SCHEMA_VERSION
