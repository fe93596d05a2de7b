"""Which records of the catalogue a scenario rests on, so that they can be kept with it and named beside it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import FactSection, FactTable
from core.catalogue.own import FACT_TABLES
from core.catalogue.records import Device, Entry
from core.catalogue.tables import Table
from core.errors import CatalogueError
from core.scenario import CatalogueModel, Scenario


def records_of(scenario: Scenario, catalogue: Catalogue) -> dict[str, dict[str, Entry]]:
    """The records that the sizing of a scenario reads, by table and id; what the catalogue does not have is left out.

    A device brings its links and the accelerator it is made of, a model the records of its checkpoints.
    """
    found: dict[str, dict[str, Entry]] = {}
    for table, entry in _used(scenario, catalogue):
        found.setdefault(table, {})[entry.id] = entry
    return found


def travelling(scenario: Scenario, catalogue: Catalogue) -> dict[str, dict[str, dict[str, Any]]]:
    """What stands beside a scenario in its file, so that it gives the same figures elsewhere, as plain values."""
    return {
        table: {id: entry.model_dump(mode="json", exclude_defaults=True) for id, entry in sorted(entries.items())}
        for table, entries in sorted(records_of(scenario, catalogue).items())
    }


def mentions(catalogue: Catalogue, table: str, id: str) -> tuple[str, ...]:
    """Pieces of JSON of which at least one stands in every kept scenario that rests on a record or a price."""
    found = [_piece(field, id) for field in _FIELDS.get(table, ())]
    devices: Iterable[str] = ()
    if table == "links":
        devices = (one.id for one in catalogue.devices.values() if id in (*one.links, *one.network_links))
    elif table == "devices":
        devices = (one.id for one in catalogue.devices.values() if one.accelerator_id == id)
    elif table in FACT_TABLES:
        fact = catalogue.facts.table(FactTable(table)).get(id)
        found += [_piece("fact", id), _piece("offer", id.removeprefix("api.").rsplit(".", 1)[0])]
        devices = fact.devices if fact is not None and fact.section is FactSection.DEVICE_PRICE else ()
    return (*found, *(_piece("device", one) for one in devices))


_FIELDS = {
    "devices": ("device",),
    "links": ("link",),
    "engines": ("engine",),
    "models": ("id", "model", "draft_model"),
    "weight_formats": ("weights", "draft_weights"),
    "kv_formats": ("kv_format", "kv_value_format"),
}


def _piece(field: str, value: str) -> str:
    """A field as a kept scenario's compact JSON has it."""
    return f"{json.dumps(field)}:{json.dumps(value, ensure_ascii=False)}"


def _used(scenario: Scenario, catalogue: Catalogue) -> Iterator[tuple[str, Entry]]:
    for table, names in _named(scenario).items():
        for name in names:
            entry = _known(catalogue, table, name)
            if entry is not None:
                yield table, entry
                yield from _brought(entry, scenario, catalogue)


def _named(scenario: Scenario) -> Mapping[str, list[str]]:
    """What a scenario names itself."""
    deployment, companions, guess = scenario.deployment, scenario.companions, scenario.deployment.speculation
    model = [scenario.model.id] if isinstance(scenario.model, CatalogueModel) else []
    draft = [guess.draft_model, guess.draft_weights] if guess is not None and guess.draft_model else [None, None]
    named: dict[str, list[str | None]] = {
        "devices": [deployment.device, deployment.host.device if deployment.host else None],
        "links": [deployment.link],
        "engines": [deployment.engine],
        "models": [*model, *(one.model for one in companions), draft[0]],
        "weight_formats": [scenario.weights, *(one.weights for one in companions), draft[1]],
        "kv_formats": [scenario.kv_format, scenario.kv_value_format],
    }
    return {table: [name for name in names if name] for table, names in named.items()}


def _brought(entry: Entry, scenario: Scenario, catalogue: Catalogue) -> Iterator[tuple[str, Entry]]:
    """Records that another brings along."""
    if isinstance(entry, Device):
        wanted = [("links", id) for id in (*entry.links, *entry.network_links)]
        wanted += [("devices", entry.accelerator_id)] if entry.accelerator_id else []
    elif entry.id in catalogue.models and catalogue.models[entry.id] is entry:
        wanted = [("models", one.repository) for one in catalogue.models[entry.id].checkpoints if one.repository]
    elif entry.id in catalogue.weight_formats and catalogue.weight_formats[entry.id] is entry:
        wanted = [("weight_formats", _variant(catalogue, entry.id, scenario.deployment.engine))]
    else:
        wanted = []
    for table, id in wanted:
        records: Mapping[str, Entry] = getattr(catalogue, table)
        if id in records:
            yield table, records[id]


def _variant(catalogue: Catalogue, format_id: str, engine: str) -> str:
    try:
        return catalogue.format_for(catalogue.weight_formats[format_id], catalogue.engine(engine)).id
    except CatalogueError:
        return format_id


def _known(catalogue: Catalogue, table: str, name: str) -> Entry | None:
    records: Mapping[str, Entry] = getattr(catalogue, table)
    if name in records:
        return records[name]
    found = catalogue.names.resolve(Table(table), name)
    return records[found] if found is not None else None
