"""The shipped catalogue is sound, and the check sees each kind of fault."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.catalogue.catalogue import Catalogue
from core.catalogue.check import ARTICLE_SYSTEMS, Problem, Severity, check
from core.catalogue.records import Checkpoint, Entry, Source
from core.catalogue.tables import Table


def errors(catalogue: Catalogue) -> list[Problem]:
    return [problem for problem in check(catalogue) if problem.severity is Severity.ERROR]


def test_shipped_catalogue_has_no_errors(catalogue: Catalogue) -> None:
    assert [str(problem) for problem in errors(catalogue)] == []


def test_it_holds_what_is_promised(catalogue: Catalogue) -> None:
    assert (len(catalogue.devices), len(catalogue.links), len(catalogue.models)) == (145, 42, 299)
    assert set(ARTICLE_SYSTEMS) <= set(catalogue.devices)


def changed(catalogue: Catalogue, table: Table, id: str, **update: Any) -> Catalogue:
    """A catalogue in which one record is wrong, and with few models, to be quick."""
    records: Mapping[str, Entry] = catalogue.table(table)
    wrong = records[id].model_copy(update=update)
    changes: dict[str, Any] = {"models": {}, table.value: {**records, id: wrong}, "_blueprints": {}}
    if table is Table.MODELS:
        changes["models"] = {id: wrong}
    return replace(catalogue, **changes)


def found(catalogue: Catalogue, record: str) -> list[str]:
    return [f"{problem.field}: {problem.text}" for problem in errors(catalogue) if problem.record == record]


def tier(catalogue: Catalogue, id: str, **update: Any) -> tuple[Any, ...]:
    tiers = catalogue.device(id).memory_tiers
    return (tiers[0].model_copy(update=update), *tiers[1:])


@pytest.mark.parametrize(
    ("update", "text"),
    [
        ({"links": ("nvlink9",)}, "links: there is no link “nvlink9”"),
        ({"accelerator_id": "nothing"}, "accelerator_id: there is no device “nothing”"),
        ({"aliases": ("H100",)}, "aliases: “h100” is also a name of h100-sxm"),
        ({"peak_flops": {"fp16": 1e14, "fp8": 4e14}}, "peak_flops: fp8 is 4.0 times fp16: sparse?"),
        ({"peak_flops": {"fp12": 1e14}}, "peak_flops: “fp12” is not a rate that Tonnage knows"),
        ({"clock_hz": 1.8e12}, "clock_hz: 1800 GHz is not a plausible clock"),
        ({"sources": {}}, "memory_tiers: no source is given"),
        ({"sources": {"": Source(title="x")}}, "sources.: a source needs a title and a date"),
    ],
)
def test_faults_of_a_device(catalogue: Catalogue, update: dict[str, Any], text: str) -> None:
    assert text in found(changed(catalogue, Table.DEVICES, "h200-sxm", **update), "h200-sxm")


@pytest.mark.parametrize(
    ("update", "text"),
    [
        ({"bandwidth_bytes_per_s": 4.8e9}, "memory_tiers.0: 4.8 GB/s is not a plausible rate"),
        ({"capacity_bytes": 141}, "memory_tiers.0: 1.41e-07 GB is not a plausible size"),
        ({"usable_bytes": 70 * 10**9}, "memory_tiers.0: 70 GB usable of 141"),
    ],
)
def test_faults_of_memory(catalogue: Catalogue, update: dict[str, Any], text: str) -> None:
    wrong = changed(catalogue, Table.DEVICES, "h200-sxm", memory_tiers=tier(catalogue, "h200-sxm", **update))
    assert text in found(wrong, "h200-sxm")


def test_slow_tier_first(catalogue: Catalogue) -> None:
    tiers = catalogue.device("dgx-station-gb300").memory_tiers[::-1]
    wrong = changed(catalogue, Table.DEVICES, "dgx-station-gb300", memory_tiers=tiers)
    assert "memory_tiers: the fast tier must stand first" in found(wrong, "dgx-station-gb300")


def test_faults_of_links_formats_and_engines(catalogue: Catalogue) -> None:
    link = changed(catalogue, Table.LINKS, "nvlink3", bytes_per_s_bidirectional=300e9)
    assert "bytes_per_s_bidirectional: both directions are 1.00 times one" in found(link, "nvlink3")
    engine = changed(catalogue, Table.ENGINES, "vllm", kv_formats=("fp2",))
    assert "kv_formats: there is no format “fp2”" in found(engine, "vllm")
    weights = changed(catalogue, Table.WEIGHT_FORMATS, "fp8", compute="fp6", variant_of="x")
    assert len(found(weights, "fp8")) == 2


def test_faults_of_models(catalogue: Catalogue) -> None:
    id = "Qwen/Qwen3-4B"
    lost = changed(catalogue, Table.MODELS, id, checkpoints=(Checkpoint(weights="fp3"),))
    assert "checkpoints.0: there is no weight format “fp3”" in found(lost, id)
    config = {**catalogue.model(id).config, "intermediate_size": 10_000}
    text = found(changed(catalogue, Table.MODELS, id, config=config), id)
    assert any(line.startswith("published_parameters: the config gives") for line in text)
    broken = found(changed(catalogue, Table.MODELS, id, config={"model_type": "qwen3"}), id)
    assert any(line.startswith("config: not readable: ") for line in broken)


def test_unknown_architecture_is_a_note(catalogue: Catalogue) -> None:
    id = "Qwen/Qwen3-4B"
    strange = changed(catalogue, Table.MODELS, id, config={"model_type": "perceiver", "architectures": ["Perceiver"]})
    notes = [p.text for p in check(strange) if p.record == id and p.severity is Severity.NOTE]
    assert any(text.startswith("not yet readable: ") for text in notes)


def test_missing_records_are_named(catalogue: Catalogue) -> None:
    few = replace(catalogue, devices={}, models={}, links={})
    texts = [str(problem) for problem in errors(few)]
    assert "error: devices: 0 records where at least 145 are promised" in texts
    assert "error: devices/dgx-spark-x2: the founding article names it, the catalogue lacks it" in texts
