"""Figures of memory of shipped models on an engine, for tests of what engines reserve."""

from typing import Any

from core.catalogue.catalogue import Catalogue
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.memory import record_memory
from core.sizing.resolution import resolve
from core.trace import Trace
from core.units import GIB
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped

SHIPPED = shipped()
SMALL = small_catalogue()
TWO: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "link": "pcie-gen5-x16"}


def figures(chosen: Scenario, catalogue: Catalogue = SHIPPED) -> Trace:
    trace = Trace()
    record_memory(trace, resolve(chosen, catalogue))
    return trace


def served(model: str, context: int, kv_format: str = "fp16", requests: int = 1, **deployment: Any) -> Trace:
    """A model of the catalogue on a large card, as an engine keeps it."""
    return figures(
        Scenario(
            model=CatalogueModel(id=model),
            weights="Q4_K_M" if deployment.get("engine") == "llama.cpp" else "fp8",
            kv_format=kv_format,
            workload=Workload(requests_at_once=requests, prompt_tokens=1, output_tokens=1, context_tokens=context),
            deployment=Deployment(**{"device": "h200-sxm", "engine": "vllm", **deployment}),
        )
    )


def pooled(model: str, context: int, pool_gib: float, kv_format: str = "fp16", **deployment: Any) -> Trace:
    """The same with so much room for the cache on each accelerator, whatever else lies on it."""
    alone = {**deployment, "runtime_bytes": 0, "memory_share": 1.0}
    fixed = served(model, context, kv_format, capacity_bytes=10**14, **alone)["accelerator.fixed_bytes"]
    return served(model, context, kv_format, capacity_bytes=round(fixed + pool_gib * GIB), **alone)
