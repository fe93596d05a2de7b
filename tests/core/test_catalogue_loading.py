"""A broken catalogue file is named with its record and field."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.errors import CatalogueError

SHIPPED = RESOURCES / "catalogue"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small copy: all tables, one model."""
    (tmp_path / "models").mkdir()
    for path in SHIPPED.glob("*.json"):
        shutil.copy(path, tmp_path)
    shutil.copy(SHIPPED / "models" / "openai__gpt-oss-20b.json", tmp_path / "models")
    return tmp_path


def change(path: Path, edit: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    edit(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def record(data: list[dict[str, Any]], id: str) -> dict[str, Any]:
    return next(entry for entry in data if entry["id"] == id)


def test_the_copy_is_sound(folder: Path) -> None:
    catalogue = load_shipped(folder)
    assert list(catalogue.models) == ["openai/gpt-oss-20b"]
    assert catalogue.version == load_shipped(SHIPPED).version


def test_wrong_number(folder: Path) -> None:
    def edit(data: Any) -> None:
        record(data, "dgx-spark")["memory_tiers"][0]["bandwidth_bytes_per_s"] = -1

    change(folder / "devices.json", edit)
    message = r"devices.json: record “dgx-spark”, memory_tiers.0.bandwidth_bytes_per_s: input should be greater than 0"
    with pytest.raises(CatalogueError, match=message):
        load_shipped(folder)


def test_unknown_field(folder: Path) -> None:
    change(folder / "links.json", lambda data: record(data, "nvlink3").update(colour="green"))
    with pytest.raises(CatalogueError, match=r"links.json: record “nvlink3”, colour: extra inputs are not permitted"):
        load_shipped(folder)


def test_missing_field(folder: Path) -> None:
    change(folder / "engines.json", lambda data: record(data, "vllm").pop("group"))
    with pytest.raises(CatalogueError, match=r"engines.json: record “vllm”, group: field required"):
        load_shipped(folder)


def test_address_that_does_not_open(folder: Path) -> None:
    def edit(data: Any) -> None:
        record(data, "a10")["sources"]["price"]["address"] = "github.com/some/where"

    change(folder / "devices.json", edit)
    with pytest.raises(CatalogueError, match=r"record “a10”, sources.price.address"):
        load_shipped(folder)


def test_broken_model(folder: Path) -> None:
    path = folder / "models" / "openai__gpt-oss-20b.json"
    change(path, lambda data: data.update(role="oracle"))
    with pytest.raises(CatalogueError, match=r"models/openai__gpt-oss-20b.json: role: "):
        load_shipped(folder)


def test_not_json(folder: Path) -> None:
    (folder / "kv_formats.json").write_text("[{", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"kv_formats.json is not JSON: "):
        load_shipped(folder)
    (folder / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"manifest.json is not JSON: "):
        load_shipped(folder)


def test_model_that_is_not_json(folder: Path) -> None:
    (folder / "models" / "b.json").write_text("]", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"models/b.json is not JSON: "):
        load_shipped(folder)


def test_a_table_that_is_no_list(folder: Path) -> None:
    (folder / "kv_formats.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"kv_formats.json: the record: "):
        load_shipped(folder)


def test_missing_file_and_folder(folder: Path) -> None:
    shutil.rmtree(folder / "models")
    with pytest.raises(CatalogueError, match="no folder models"):
        load_shipped(folder)
    (folder / "links.json").unlink()
    with pytest.raises(CatalogueError, match=r"links\.json cannot be read"):
        load_shipped(folder)


def test_id_twice(folder: Path) -> None:
    change(folder / "links.json", lambda data: data.append(data[0]))
    with pytest.raises(CatalogueError, match=r"links.json: two records are called “dgx-spark-cx7”"):
        load_shipped(folder)


def test_another_form(folder: Path) -> None:
    change(folder / "manifest.json", lambda data: data.update(schema=2))
    with pytest.raises(CatalogueError, match="this catalogue has form 2"):
        load_shipped(folder)
    change(folder / "manifest.json", lambda data: data.pop("version"))
    with pytest.raises(CatalogueError, match="version, schema or left_out is missing"):
        load_shipped(folder)


def test_files_are_sorted_and_indented() -> None:
    """So that a change of one figure is one changed line."""
    for name in ("devices", "links", "weight_formats", "kv_formats", "engines"):
        text = (SHIPPED / f"{name}.json").read_text(encoding="utf-8")
        data = json.loads(text)
        ids = [entry["id"].casefold() for entry in data]
        assert ids == sorted(ids), name
        assert max(map(len, text.splitlines())) < 1000, name
