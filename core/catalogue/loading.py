"""Reading the shipped catalogue: one file per table, one file per model.

The whole tables go through pydantic as JSON text, which is several times faster than record by record in Python.
Configs of models stay plain mappings; a blueprint is made of one when it is first asked for.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.catalogue.catalogue import Catalogue, LeftOut
from core.catalogue.facts import Facts
from core.catalogue.reading import by_id, text_of, where_in
from core.catalogue.records import Device, Engine, Entry, KvFormat, Link, Model, Recipe, WeightFormat
from core.catalogue.tables import Table
from core.errors import CatalogueError

E = TypeVar("E", bound=Entry)

SCHEMA = 1


def load_shipped(folder: Path) -> Catalogue:
    """The catalogue in `folder` (`resources/catalogue`); a broken file is named with record and field."""
    manifest = _manifest(folder / "manifest.json")
    return Catalogue(
        version=str(manifest["version"]),
        devices=_table(folder, Table.DEVICES, Device),
        links=_table(folder, Table.LINKS, Link),
        weight_formats=_table(folder, Table.WEIGHT_FORMATS, WeightFormat),
        kv_formats=_table(folder, Table.KV_FORMATS, KvFormat),
        engines=_table(folder, Table.ENGINES, Engine),
        models=_models(folder / "models"),
        recipes=_recipes(folder / "recipes.json"),
        left_out=tuple(LeftOut(**entry) for entry in manifest["left_out"]),
        facts=Facts(folder),
    )


def _manifest(path: Path) -> dict[str, Any]:
    data = _parsed(path, text_of(path))
    if not isinstance(data, dict) or not {"version", "schema", "left_out"} <= data.keys():
        raise CatalogueError("{path}: version, schema or left_out is missing.", path=path.name)
    if data["schema"] != SCHEMA:
        raise CatalogueError(
            "{path}: this catalogue has form {data}, this program reads form {schema}.",
            path=path.name,
            data=data["schema"],
            schema=SCHEMA,
        )
    return data


def _table(folder: Path, table: Table, kind: type[E]) -> Mapping[str, E]:
    path = folder / f"{table.value}.json"
    text = text_of(path)
    try:
        records = TypeAdapter(tuple[kind, ...]).validate_json(text)  # type: ignore[valid-type]
    except ValidationError as error:
        raise CatalogueError(where_in(path.name, text, error)) from None
    return by_id(path.name, records)


def _recipes(path: Path) -> tuple[Recipe, ...]:
    """In the order of the file: the first that is for a checkpoint counts. A catalogue may do without."""
    if not path.is_file():
        return ()
    text = text_of(path)
    try:
        recipes = TypeAdapter(tuple[Recipe, ...]).validate_json(text)
    except ValidationError as error:
        raise CatalogueError(where_in(path.name, text, error)) from None
    by_id(path.name, recipes)
    return recipes


def _models(folder: Path) -> Mapping[str, Model]:
    if not folder.is_dir():
        raise CatalogueError("The catalogue has no folder {folder}.", folder=folder.name)
    paths = sorted(folder.glob("*.json"))
    texts = [text_of(path) for path in paths]
    try:
        records = TypeAdapter(tuple[Model, ...]).validate_json(b"[" + b",".join(texts) + b"]")
    except ValidationError:
        records = tuple(_model(path, text) for path, text in zip(paths, texts, strict=True))  # finds the broken one
    return by_id(f"{folder.name}/", records)


def _model(path: Path, text: bytes) -> Model:
    try:
        return Model.model_validate_json(text)
    except ValidationError as error:
        raise CatalogueError(where_in(f"models/{path.name}", text, error)) from None


def _parsed(path: Path, text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CatalogueError("{path} is not JSON: {reason}.", path=path.name, reason=error) from None
