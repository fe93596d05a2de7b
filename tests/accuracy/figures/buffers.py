"""What lies beside weights and cache, and everything together."""

from typing import Any

from core.scenario import Host
from core.units import GB
from tests.accuracy import machines
from tests.accuracy.figures import llama_cpp, room
from tests.accuracy.figures.asked import Asked


def graphs(q: Asked) -> float:
    return q.recorded("runtime.graphs_bytes")


def peak(q: Asked) -> float:
    return q.recorded("runtime.peak_bytes") - room.scores_elsewhere(q)


def outside_torch(q: Asked) -> float:
    """Context, libraries and the buffers of the exchange."""
    return q.recorded("runtime.context_bytes") + float(q.sizing.trace.get("runtime.exchange_bytes", 0))


def compute(q: Asked) -> float:
    """Of one accelerator; with experts beside it where the record says so, alone where rows are split."""
    flags = q.record.part("flags")
    llama = llama_cpp.is_llama(q.case)
    changes: dict[str, Any] = llama_cpp.one_stream(q.case) if llama else {}
    if flags.text("split_mode") == "row" or llama_cpp.works_in_turn(q.record):
        changes |= {"deployment__count": 1, "deployment__plan": None, "deployment__link": None}
    host = Host(bandwidth_bytes_per_s=GB, capacity_bytes=machines.UNLIMITED_BYTES)
    if llama and llama_cpp.host_layers(q.case):
        changes |= {"deployment__host": host, "deployment__host_layers": llama_cpp.host_layers(q.case)}
    if flags.fields.get("experts_on_cpu"):
        changes |= {"deployment__host": host, "deployment__host_expert_layers": q.sizing.blueprint.layers}
    trace = (q.case.sized(**changes) if changes else q.sizing).trace
    found = float(trace.get("runtime.compute_buffer_bytes", trace["memory_item.framework"]))
    return max(found, llama_cpp.words_with_copied_head(q.case)) if llama else found


def total(q: Asked) -> float:
    return float(q.sizing.trace["accelerator.total_bytes"]) - llama_cpp.moved_bytes(q.case)
