"""What a variant has to hold, read and compute, whatever the hardware: counted once, on one accelerator."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.architecture.blueprint import AttentionKind
from core.catalogue.calibration import shipped_calibration
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Allocator, Device
from core.physics.retrieval import retrieval_seconds
from core.scenario import Mode, Scenario
from core.sizing.concurrency import Redundancy
from core.sizing.engine_defaults import CHUNK_ON_LARGE
from core.sizing.memory import record_memory
from core.sizing.placement import loaded_classes
from core.sizing.resolution import PLAIN, resolve
from core.sizing.search.candidates import Candidate, scenario_of
from core.sizing.search.layouts import Layout
from core.sizing.search.request import SearchRequest
from core.sizing.search.variants import Variant
from core.sizing.situation import Situation
from core.sizing.speed import record_counts_of_work
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Counted:
    """The situation and the figures of a variant on one accelerator that can hold or not hold it."""

    variant: Variant
    situation: Situation
    trace: Trace
    redundancy: Redundancy

    def __getitem__(self, key: str) -> Any:
        return self.trace[key]

    def get(self, key: str) -> Any:
        """A figure that not every model has; 0 where it has none."""
        return self.trace.get(key, 0)

    @property
    def may_read_more(self) -> bool:
        """Is there more in the cache on some devices?"""
        return _scales_depend(self.situation)

    @property
    def state_bytes(self) -> int:
        """Recurrent state of one request, without what an engine pads it with [byte]."""
        return sum(self.get(f"state.{number}.bytes") for number in range(len(self.situation.setup.blueprint.recurrent)))

    @property
    def loaded_bytes(self) -> int:
        """Weights that every device has in its memory, without what some kernels pad them with [byte]."""
        return sum(self[f"weights_bytes.{kind}"] for kind in loaded_classes(self.situation.setup))

    @property
    def companions_bytes(self) -> int:
        """Retrieval models that stand on the card beside the model [byte]."""
        return int(self["memory_item.embedding"] + self["memory_item.reranker"])

    def retrieval_seconds(self, number: int, rate: Any, efficiency: Any, bandwidth: Any) -> Any:
        """Retrieval of one request by the companion of a number, on a card with these rates [s]."""
        key = f"retrieval.{number}"
        return retrieval_seconds(
            self.trace.get(f"{key}.tokens", self.trace["retrieval.question_tokens"]),
            self[f"{key}.parameters"],
            rate,
            efficiency,
            self[f"{key}.read_bytes"],
            bandwidth,
        )

    @property
    def heads(self) -> list[int]:
        """What tensor parallelism must divide."""
        return [group.query_heads for group in self.situation.setup.blueprint.attention if group.query_heads]


def count(request: SearchRequest, variant: Variant, among: Sequence[Layout], catalogue: Catalogue) -> Counted | None:
    """Count a variant on the first device that its engine runs on; None where no device is.

    Parameters
    ----------
    request : with the need
    variant : engine and formats
    among : layouts; one accelerator of one of them is taken
    catalogue : what exists

    Returns
    -------
    figures of weights, cache, reads and operations, which do not depend on the device
    """
    for layout in among:
        device = layout.device
        if layout.plan.ranks == 1 and device.family in variant.engine.families and _is_plain(device):
            scenario = scenario_of(request.need, Candidate(0, layout, variant))
            situation, trace = _with_least_cache(resolve(_with_largest_chunk(scenario, variant), catalogue)), Trace()
            record_memory(trace, situation)
            record_counts_of_work(trace, situation, shipped_calibration())
            return Counted(variant, situation, trace, request.redundancy)
    return None


def _with_largest_chunk(scenario: Scenario, variant: Variant) -> Scenario:
    """Where the engine's chunk depends on the device, the largest: prompts take no longer with it."""
    if scenario.deployment.prefill_chunk or variant.engine.allocator is not Allocator.VLLM:
        return scenario
    return scenario.edited(deployment__prefill_chunk=CHUNK_ON_LARGE)


def _with_least_cache(s: Situation) -> Situation:
    """Where it depends on the device whether scales stand beside 8 bit: without them, which is the least."""
    if not _scales_depend(s):
        return s
    plain = s.setup.catalogue.kv_format(s.scenario.kv_format)
    return replace(s, setup=replace(s.setup, kv_format=plain))


def _scales_depend(s: Situation) -> bool:
    sparse = any(group.kind is AttentionKind.SPARSE_LATENT for group in s.setup.blueprint.attention)
    return sparse and s.scenario.mode is Mode.REAL and s.scenario.kv_format == PLAIN


def _is_plain(device: Device) -> bool:
    return len(device.memory_tiers) == 1 and ("fp16" in device.peak_flops or "fp32" in device.peak_flops)
