"""Files that come in, by dialog or by drop: a model's config.json, a scenario. Nothing is imported by half."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.catalogue.records import Confidence, Device, Entry, Model, Source
from core.errors import InvalidInput, TonnageError
from core.language.messages import gettext as _
from core.scenario import CatalogueModel, Scenario
from core.store.scenario_file import ScenarioFile, read_scenario, write_scenario
from desktop.session import Message, Session

SCENARIO_ENDING = ".tonnage"
RECORDS: Mapping[str, type[Entry]] = {"devices": Device, "models": Model}


def import_file(session: Session, path: Path) -> bool:
    """Bring a file in; a problem is said in a line, and everything stays as it was."""
    try:
        if path.suffix.lower() == SCENARIO_ENDING:
            open_scenario(session, path)
        elif path.suffix.lower() == ".json":
            import_config(session, path)
        else:
            raise InvalidInput(
                _("“{file}” is neither a config.json nor a .tonnage file. Nothing was imported.").format(file=path.name)
            )
    except TonnageError as error:
        session.message.emit(Message(error.message, "bad", topic="import"))
        return False
    session.message.emit(Message("", topic="import"))
    return True


def import_config(session: Session, path: Path) -> None:
    """Add the model of a config.json to the user's catalogue and choose it."""
    from core.architecture.config import read_config_file

    blueprint, config = read_config_file(path)
    record = Model(
        id=free_id(session, "models", blueprint.name or path.parent.name),
        name=blueprint.name[:120] or path.stem,
        config=config,
        sources={"": Source(title=path.name, confidence=Confidence.YOURS)},
    )
    if not session.save_record("models", record):
        return
    weights = session.scenario.weights
    if blueprint.quantisation is not None and blueprint.quantisation.format_id in session.catalogue.weight_formats:
        weights = blueprint.quantisation.format_id
    session.edit(_("Import of {name}").format(name=record.name), model=CatalogueModel(id=record.id), weights=weights)
    text = _("{name} was imported from {file} and chosen.").format(name=record.name, file=path.name)
    session.message.emit(Message(text, "ok", "imported", _("Undo"), session.undo))


def free_id(session: Session, table: str, name: str) -> str:
    """An id for a record of the user's own that takes nobody's place."""
    base = "own/" + (re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:100] or "model")
    taken = {**getattr(session.catalogue, table), **session.own_records(table)}
    number, candidate = 1, base
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


def open_scenario(session: Session, path: Path) -> None:
    """Show the scenario of a file, with the records that travel in it, and keep it."""
    read = read_scenario(path)
    renamed = _take_records(session, read)
    session.new(_with_ids(read.scenario, renamed))


def _take_records(session: Session, read: ScenarioFile) -> dict[tuple[str, str], str]:
    """Keep the sender's records; one that differs from ours of the same id gets an id of its own."""
    renamed: dict[tuple[str, str], str] = {}
    for table, record_type in RECORDS.items():
        own = session.own_records(table)
        for record_id, content in read.records.get(table, {}).items():
            record = _validated(record_type, record_id, content)
            text = record.model_dump_json(exclude_defaults=True)
            if own.get(record_id) == text:
                continue
            if record_id in own:
                new_id = free_id(session, table, record.name)
                renamed[table, record_id] = new_id
                record = record.model_copy(update={"id": new_id})
            if not session.save_record(table, record):
                raise InvalidInput(_("A record of the file could not be kept. Nothing was opened."))
    return renamed


def _validated(record_type: type[Entry], record_id: str, content: Any) -> Entry:
    try:
        return record_type.model_validate(content)
    except ValidationError as error:
        raise InvalidInput(
            _("The record “{id}” in the file cannot be used. Nothing was opened.").format(id=record_id[:60])
        ) from error


def _with_ids(scenario: Scenario, renamed: Mapping[tuple[str, str], str]) -> Scenario:
    changes: dict[str, Any] = {}
    device = renamed.get(("devices", scenario.deployment.device))
    if device:
        changes["deployment__device"] = device
    if isinstance(scenario.model, CatalogueModel) and ("models", scenario.model.id) in renamed:
        changes["model"] = CatalogueModel(id=renamed["models", scenario.model.id])
    return scenario.edited(**changes) if changes else scenario


def save_copy(session: Session, path: Path) -> bool:
    """Write the scenario to a file that can be sent, with the user's own records that it uses."""
    path = path if path.suffix.lower() == SCENARIO_ENDING else path.with_name(path.name + SCENARIO_ENDING)
    try:
        write_scenario(path, session.scenario, used_records(session))
    except TonnageError as error:
        session.message.emit(Message(error.message, "warn", topic="export"))
        return False
    text = _("A copy was saved as {file}.").format(file=path.name)
    session.message.emit(Message(text, "ok", topic="export"))
    return True


def used_records(session: Session) -> dict[str, dict[str, Any]]:
    """The user's own records that the scenario refers to, as plain values."""
    import json

    scenario = session.scenario
    wanted = {
        "devices": {scenario.deployment.device},
        "models": {c.model for c in scenario.companions if c.model},
    }
    if isinstance(scenario.model, CatalogueModel):
        wanted["models"].add(scenario.model.id)
    found: dict[str, dict[str, Any]] = {}
    for table, ids in wanted.items():
        own = {key: json.loads(text) for key, text in session.own_records(table).items() if key in ids}
        if own:
            found[table] = own
    return found
