"""Derives `resources/calibration/coverage.json` from the measurements: which device was measured with which engine.

Run it after the measurements or the families of devices change:  python -m tests.accuracy.coverage
"""

import json
from typing import Any

from core import RESOURCES
from tests.accuracy import formats
from tests.accuracy.cases import shipped
from tests.accuracy.records import DATA, Record, read_records
from tests.accuracy.throughput import Kind, read_task

#: What calibration calls the kinds of figures.
KINDS = {
    Kind.DECODE: "decode",
    Kind.PREFILL: "prefill",
    Kind.FIRST_TOKEN: "ttft",
    Kind.TIME_PER_TOKEN: "batched",
    Kind.TOTAL: "batched",
    Kind.SATURATED: "saturated",
}
TARGET = RESOURCES / "calibration" / "coverage.json"


def families() -> dict[str, str]:
    """Family of each device of the shipped catalogue."""
    devices = json.loads((RESOURCES / "catalogue" / "devices.json").read_text("utf-8"))
    return {device["id"]: device["family"] for device in devices}


def coverage() -> dict[str, Any]:
    """What was measured; CPU offload and the rows of least reliability do not count."""
    by_device: dict[str, dict[str, set[str]]] = {}
    by_family: dict[str, dict[str, set[str]]] = {}
    classes: dict[str, set[str]] = {}
    family_of, records = families(), list(read_records(DATA / "throughput.json"))
    for record in records:
        kind = read_task(record).kind
        if kind not in KINDS or record.text("tier") == "C":
            continue
        device, engine, figure = record.text("device_id"), record.text("engine_id"), KINDS[kind]
        by_device.setdefault(device, {}).setdefault(engine, set()).add(figure)
        by_family.setdefault(family_of[device], {}).setdefault(engine, set()).add(figure)
        classes.setdefault(record.text("engine_family"), set()).add(format_class(record))
    return {
        "schema_version": 1,
        "source": {
            "title": f"{len(records):,} public measurements of speed",
            "date": max(record.text("date") for record in records),
            "confidence": "measured",
            "note": "Derived from tests/accuracy/data/throughput.json, whose records name their sources.",
        },
        "devices": _sorted(by_device),
        "families": _sorted(by_family),
        "formats": {group: sorted(found) for group, found in sorted(classes.items())},
    }


def format_class(record: Record) -> str:
    """The class of weight format that calibration knows."""
    weights = formats.read_weights(record.text("quant"), shipped(), record.positive("bpw"))
    return (weights.made or shipped().weight_format(weights.format_id)).format_class


def _sorted(measured: dict[str, dict[str, set[str]]]) -> dict[str, dict[str, list[str]]]:
    return {
        name: {engine: sorted(kinds) for engine, kinds in sorted(engines.items())}
        for name, engines in sorted(measured.items())
    }


def text() -> str:
    """The file as it is written: one line per device or family."""
    parts = []
    for key, value in coverage().items():
        if key in ("devices", "families", "formats"):
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in value.items())
            parts.append(f" {json.dumps(key)}: {{\n{lines}\n }}")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    TARGET.write_text(text(), "utf-8")
