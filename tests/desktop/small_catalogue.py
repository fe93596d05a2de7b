"""A catalogue of a few records, and a store in memory, for tests of the window."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar

from core.architecture.blueprint import Blueprint
from core.catalogue.facts import NO_FACTS
from core.catalogue.overlay import Overlay
from core.catalogue.records import (
    Device,
    DeviceFamily,
    DeviceKind,
    Engine,
    Entry,
    KvFormat,
    Link,
    LinkKind,
    MemoryTier,
    Model,
    ModelRole,
    Price,
    Source,
    WeightFormat,
)
from core.catalogue.tables import Table
from core.errors import CatalogueError, StoreError
from core.scenario import CatalogueModel, Companion, CompanionRole, Deployment, Scenario, Workload
from core.sizing.report import Sizing
from desktop.scenario_store import StoredScenario
from tests.desktop.fixed_sizing import Card, fixed_sizing


def device(name: str, gigabytes: int, rate: float, watts: float | None = None, **more: Any) -> Device:
    tier = MemoryTier(name="GDDR7", kind="gddr", capacity_bytes=gigabytes * 10**9, bandwidth_bytes_per_s=rate * 1e9)
    known: dict[str, Any] = {
        "id": name.lower().replace(" ", "-"),
        "name": name,
        "vendor": "NVIDIA",
        "kind": DeviceKind.CARD,
        "family": DeviceFamily.NVIDIA_GDDR,
        "architecture": "blackwell",
        "memory_tiers": (tier,),
        "tdp_w": watts,
        "sources": {"": Source(title="Datasheet", date="2025-03")},
    }
    return Device(**{**known, **more})


DEVICES = [
    device("RTX PRO 6000 Blackwell Workstation", 96, 1792, 600, id="rtx-pro-6000-ws",
           price=Price(low=Decimal(8565), high=Decimal(16000), as_of="2026-08"),
           peak_flops={"fp16": 503.8e12, "fp8": 1007.6e12}),
    device("RTX 4090", 24, 1008, 450),
    device("RTX 5090", 32, 1792, 575),
    device("H200 NVL", 141, 4800, 600),
    device("DGX Spark", 128, 273, vendor="NVIDIA", kind=DeviceKind.UNIFIED),
    device("MI300X", 192, 5300, 750, vendor="AMD"),
    device("Mac Studio M3 Ultra", 512, 819, vendor="Apple", kind=DeviceKind.UNIFIED, family=DeviceFamily.APPLE),
]  # fmt: skip

MODELS = [
    Model(id="Qwen/Qwen3.6-35B-A3B", name="Qwen3.6-35B-A3B", config={}),
    Model(id="Qwen/Qwen3-32B", name="Qwen3-32B", config={}),
    Model(id="meta-llama/Llama-3.1-70B", name="Llama-3.1-70B", config={}),
    Model(id="openai/gpt-oss-20b", name="gpt-oss-20b", config={}),
    Model(id="Qwen/Qwen3-Embedding-4B", name="Qwen3-Embedding-4B", role=ModelRole.EMBEDDING, config={}),
    Model(id="BAAI/bge-reranker-v2-m3", name="bge-reranker-v2-m3", role=ModelRole.RERANKER, config={}),
]

WEIGHTS = [
    WeightFormat(id=key, name=name, bits=bits, compute="fp16", format_class=key)
    for key, name, bits in [("nvfp4", "NVFP4", 4.5), ("fp8", "FP8", 8), ("fp16", "FP16", 16)]
]
KV = [
    KvFormat(id=key, name=name, bytes_per_element=size, bits=int(size * 8))
    for key, name, size in [("fp16", "FP16", 2), ("fp8", "FP8", 1), ("nvfp4", "NVFP4", 0.5)]
]
ENGINES = [
    Engine(id="vllm", name="vLLM", version="0.14", group="serving", weight_formats=("nvfp4", "fp8", "fp16"),
           kv_formats=("fp16", "fp8"), families=tuple(DeviceFamily), runtime_bytes=4 * 10**9, prefill_chunk=8192),
    Engine(id="mlx", name="MLX", group="mlx", weight_formats=("fp16",), kv_formats=("fp16",),
           families=(DeviceFamily.APPLE,), runtime_bytes=10**9, prefill_chunk=512),
]  # fmt: skip
LINKS = [
    Link(id="pcie5", name="PCIe 5.0 × 16", kind=LinkKind.PCIE, bytes_per_s_per_direction=63e9,
         bytes_per_s_bidirectional=126e9),
]  # fmt: skip


E = TypeVar("E", bound=Entry)


class OwnNames:
    """Records go by their ids alone."""

    def __init__(self, catalogue: "SmallCatalogue") -> None:
        self._catalogue = catalogue

    def resolve(self, table: Table, name: str) -> str | None:
        return name if name in getattr(self._catalogue, table.value) else None


class SmallCatalogue:
    """What the window asks of a catalogue."""

    facts = NO_FACTS

    def __init__(self, devices: Sequence[Device] = (), models: Sequence[Model] = ()) -> None:
        self.shipped = SmallCatalogue() if devices or models else None
        self.devices = {d.id: d for d in [*DEVICES, *devices]}
        self.models = {m.id: m for m in [*MODELS, *models]}
        self.weight_formats = {f.id: f for f in WEIGHTS}
        self.kv_formats = {f.id: f for f in KV}
        self.engines = {e.id: e for e in ENGINES}
        self.links = {x.id: x for x in LINKS}
        self.names = OwnNames(self)

    def with_kept(self, kept: Overlay) -> "SmallCatalogue":
        devices = {**self.devices, **{one.id: one for one in kept.devices}}
        models = {**self.models, **{one.id: one for one in kept.models}}
        return SmallCatalogue(list(devices.values()), list(models.values()))

    def device(self, key: str) -> Device:
        return self._found(self.devices, key)

    def model(self, key: str) -> Model:
        return self._found(self.models, key)

    def weight_format(self, key: str) -> WeightFormat:
        return self._found(self.weight_formats, key)

    def format_for(self, wanted: WeightFormat, _engine: Engine) -> WeightFormat:
        return wanted

    def kv_format(self, key: str) -> KvFormat:
        return self._found(self.kv_formats, key)

    def engine(self, key: str) -> Engine:
        return self._found(self.engines, key)

    def link(self, key: str) -> Link:
        return self._found(self.links, key)

    def blueprint(self, key: str) -> Blueprint:
        return replace(fixed_sizing().blueprint, name=self.model(key).name)

    @staticmethod
    def _found(table: Mapping[str, E], key: str) -> E:
        if key not in table:
            raise CatalogueError(f"“{key}” is not in the catalogue.")
        return table[key]


def with_records(records: Mapping[str, Mapping[str, str]]) -> SmallCatalogue:
    """The catalogue with a user's own records over it."""
    devices = [Device.model_validate_json(text) for text in records.get("devices", {}).values()]
    models = [Model.model_validate_json(text) for text in records.get("models", {}).values()]
    return SmallCatalogue(devices, models)


def small_scenario(**changes: Any) -> Scenario:
    scenario = Scenario(
        name="RAG platform, one card",
        client="Hafen Logistik AG",
        model=CatalogueModel(id="Qwen/Qwen3.6-35B-A3B"),
        weights="nvfp4",
        kv_format="fp8",
        companions=(
            Companion(role=CompanionRole.EMBEDDING, model="Qwen/Qwen3-Embedding-4B"),
            Companion(role=CompanionRole.RERANKER, model="BAAI/bge-reranker-v2-m3"),
        ),
        workload=Workload(
            users=40,
            active_share=0.3,
            prompt_tokens=32_768,
            output_tokens=600,
            context_tokens=262_144,
            prefix_hit_share=0.6,
            ttft_target_s=2.0,
            speed_target=30.0,
        ),
        deployment=Deployment(device="rtx-pro-6000-ws"),
    )
    return scenario.edited(**changes)


def small_size(scenario: Scenario, catalogue: SmallCatalogue) -> Sizing:
    """A sizing that follows users, share and context; everything else is fixed."""
    catalogue.device(scenario.deployment.device)
    workload = scenario.workload
    sizing = fixed_sizing(
        Card(
            users=workload.users,
            active=workload.active_share,
            context=workload.context_tokens,
            prompt=workload.prompt_tokens or workload.context_tokens,
        )
    )
    return replace(sizing, scenario=scenario)


class MemoryStore:
    """A store that forgets; `broken` makes every action fail."""

    def __init__(self, *scenarios: Scenario) -> None:
        self.kept = dict(enumerate(scenarios, start=1))
        self.own: dict[str, dict[str, str]] = {}
        self.figures: dict[int, dict[str, dict[str, str]]] = {}  # what scenarios were sized with
        self.last: int | None = None
        self.ticks: list[int] = []
        self.order: list[int] = list(self.kept)
        self.broken = False
        self.lasting = True
        self.saves = 0

    def _check(self) -> None:
        if self.broken:
            raise StoreError("Nothing was saved: the disk is full.")

    def load_last(self) -> tuple[int, Scenario] | None:
        return (self.last, self.kept[self.last]) if self.last in self.kept and self.last is not None else None

    def remember_last(self, scenario_id: int | None) -> None:
        self.last = scenario_id

    def load(self, scenario_id: int) -> Scenario:
        self._check()
        if scenario_id not in self.kept:
            raise StoreError("This scenario is no longer in the library.")
        return self.kept[scenario_id]

    def save(self, scenario_id: int | None, scenario: Scenario) -> int:
        self._check()
        self.saves += 1
        at = scenario_id if scenario_id is not None else max(self.kept, default=0) + 1
        self.kept[at] = scenario
        if at not in self.order:
            self.order.append(at)
        return at

    def scenarios(self) -> Sequence[StoredScenario]:
        rows = [StoredScenario(at, one.name, one.client) for at, one in self.kept.items()]
        return sorted(rows, key=lambda row: (row.client, self.order.index(row.id)))

    def move(self, scenario_id: int, client: str, before: int | None) -> None:
        self._check()
        self.kept[scenario_id] = self.kept[scenario_id].edited(client=client)
        self.order.remove(scenario_id)
        self.order.insert(len(self.order) if before is None else self.order.index(before), scenario_id)

    def ticked(self) -> Sequence[int]:
        return self.ticks

    def remember_ticked(self, ids: Sequence[int]) -> None:
        self.ticks = list(ids)

    def delete(self, scenario_id: int) -> tuple[int, Scenario]:
        self._check()
        return scenario_id, self.kept.pop(scenario_id)

    def restore(self, deleted: Any) -> int:
        scenario_id, scenario = deleted
        self.kept[scenario_id] = scenario
        return int(scenario_id)

    def kept_records(self, scenario_id: int) -> Mapping[str, Mapping[str, str]] | None:
        return self.figures.get(scenario_id)

    def keep_records(self, scenario_id: int, records: Mapping[str, Mapping[str, str]]) -> None:
        self._check()
        self.figures[scenario_id] = {table: dict(entries) for table, entries in records.items()}

    def mentioning(self, pieces: Sequence[str]) -> Sequence[int]:
        texts = {at: one.model_dump_json() for at, one in self.kept.items()}
        return [at for at, text in texts.items() if any(piece in text for piece in pieces)]

    def save_record(self, table: str, record_id: str, record: str) -> None:
        self._check()
        json.loads(record)
        self.own.setdefault(table, {})[record_id] = record

    def delete_record(self, table: str, record_id: str) -> None:
        self._check()
        self.own.get(table, {}).pop(record_id, None)

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return self.own
