"""Files that come in, by dialog or by drop: models and scenarios. Nothing is imported by half."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from core.catalogue.own import records_in
from core.catalogue.records import Device, Engine, Entry, KvFormat, Link, Model, ModelRole, WeightFormat
from core.errors import InvalidInput, Phrase, TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from core.refusal import refusal
from core.scenario import CatalogueModel, Mode, Scenario
from core.sizing.records_used import travelling
from core.store.scenario_file import ScenarioFile, read_scenario, write_scenario
from desktop.inputs.names import OWN
from desktop.own_records import OwnRecords
from desktop.session import Message, Session, one_of

if TYPE_CHECKING:
    from core.architecture.model_file import ImportedModel

SCENARIO_ENDING = ".tonnage"
QUICK_BYTES = 2 * 10**6  # read at once; what is larger, or a folder, is read in the background
TOPIC = "import"
#: Links before the devices that name them, formats before engines.
RECORDS: Mapping[str, type[Entry]] = {
    "links": Link,
    "weight_formats": WeightFormat,
    "kv_formats": KvFormat,
    "engines": Engine,
    "devices": Device,
    "models": Model,
}
RENAMED = ("devices", "models")  # tables whose ids a scenario's file can be given anew


def import_file(session: Session, path: Path) -> bool:
    """Bring a file in; a problem is said in a line, and everything stays as it was."""
    try:
        if is_scenario(path):
            open_scenario(session, path)
        else:
            take_model(session, read_model(path), path)
    except TonnageError as error:
        refuse(session, path, error)
        return False
    session.message.emit(Message("", topic=TOPIC))
    return True


def is_scenario(path: Path) -> bool:
    return path.suffix.lower() == SCENARIO_ENDING


def is_quick(path: Path) -> bool:
    """Whether a file is small enough to be read within a frame or two."""
    return is_scenario(path) or (path.is_file() and path.stat().st_size <= QUICK_BYTES)


def refuse(session: Session, path: Path, error: TonnageError) -> None:
    """Say which file was not imported, and why."""
    session.message.emit(Message(sentences.import_failed(path.name, error), "bad", topic=TOPIC))


def read_model(path: Path) -> "ImportedModel":
    """Read a model from a file or folder; touches no Qt object, so that a job can do it."""
    from core.architecture.model_file import read_model as read

    return read(path)


def take_model(session: Session, imported: "ImportedModel", path: Path) -> None:
    """Add a model that was read to the user's catalogue, and choose it."""
    from core.catalogue.imported import model_record, weight_format

    name = imported.blueprint.name or path.stem
    record = model_record(imported, free_id(session, "models", name), path.name, session.catalogue)
    record = _known(session, record) or record
    if not one_of(OwnRecords, session).save("models", record):
        return
    if record.role is not ModelRole.GENERATOR:
        text = _("{name} was imported from {file}. It writes no text: add it under Companions.")
        session.message.emit(Message(text.format(name=record.name, file=path.name), "ok", "imported"))
        return
    weights = weight_format(imported, session.catalogue) or session.scenario.weights
    before = session.scenario
    # A model's own file stands against the article's simplifications: they do not stay in force over it.
    chosen: dict[str, Any] = {"model": CatalogueModel(id=record.id), "weights": weights, "mode": Mode.REAL}
    session.edit(_("Import of {name}").format(name=record.name), **chosen)
    text = _("{name} was imported from {file} and chosen.").format(name=record.name, file=path.name)
    if session.scenario is before:  # the same model again
        session.message.emit(Message(text, "ok", "imported"))
    else:
        session.say_with_undo(text, "imported")


def _known(session: Session, record: Model) -> Model | None:
    """The same model, where it was imported before."""
    own = (session.catalogue.models.get(key) for key in one_of(OwnRecords, session).of_table("models"))
    return next((model for model in own if model is not None and _content(model) == _content(record)), None)


def _content(model: Model) -> tuple[Any, ...]:
    return model.config, model.blueprint, [checkpoint.file_bytes for checkpoint in model.checkpoints]


def free_id(session: Session, table: str, name: str) -> str:
    """An id for a record of the user's own that takes nobody's place."""
    base = OWN + (re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:100] or "model")
    taken = {**records_in(session.catalogue, table), **one_of(OwnRecords, session).of_table(table)}
    number, candidate = 1, base
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


def open_scenario(session: Session, path: Path) -> None:
    """Show the scenario of a file with the records that travel in it, and keep it.

    A record that is not known here becomes one of the user's own. Where ours of the same id is another, the sender's
    holds for this scenario alone, as figures that it keeps.
    """
    read = read_scenario(path)
    renamed, kept = _take_records(session, read)
    session.new(_with_ids(read.scenario, renamed), kept)


def _take_records(session: Session, read: ScenarioFile) -> tuple[dict[tuple[str, str], str], dict[str, dict[str, str]]]:
    """Ids that an own record of the sender gets here, and the records that only this scenario is sized with."""
    renamed: dict[tuple[str, str], str] = {}
    kept: dict[str, dict[str, str]] = {}
    for table, record_type in RECORDS.items():
        known = records_in(session.latest, table)
        for record_id, content in read.records.get(table, {}).items():
            record = _validated(record_type, record_id, content)
            if known.get(record_id) == record:
                continue
            if record_id in known and record_id.startswith(OWN) and table in RENAMED:
                new_id = free_id(session, table, record.name)
                renamed[table, record_id] = new_id
                record = record.model_copy(update={"id": new_id})
            elif record_id in known:
                kept.setdefault(table, {})[record_id] = record.model_dump_json(exclude_defaults=True)
                continue
            if not one_of(OwnRecords, session).save(table, record):
                raise InvalidInput(_("A record of the file could not be kept."))
    return renamed, kept


def _validated(record_type: type[Entry], record_id: str, content: Any) -> Entry:
    try:
        return record_type.model_validate(content)
    except ValidationError as error:
        wrong = refusal(error)
        raise InvalidInput(
            "The record “{id}” in the file cannot be used: {which}: {problem}",
            wrong.field,
            id=record_id[:60],
            which=wrong.field or Phrase("the record"),
            problem=wrong.reason,
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
    """Write the scenario to a file that can be sent, with the catalogue records that it rests on."""
    path = path if path.suffix.lower() == SCENARIO_ENDING else path.with_name(path.name + SCENARIO_ENDING)
    try:
        write_scenario(path, session.scenario, travelling(session.scenario, session.catalogue))
    except TonnageError as error:
        session.message.emit(Message(sentences.error(error), "warn", topic="export"))
        return False
    text = _("A copy was saved as {file}.").format(file=path.name)
    session.message.emit(Message(text, "ok", topic="export"))
    return True
