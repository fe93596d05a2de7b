"""How much the weights take: loaded, on the cards, with the processor."""

from core.architecture.blueprint import TensorClass
from core.catalogue.records import Allocator
from core.units import MIB
from tests.accuracy.figures import llama_cpp, sglang
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Unusable


def loaded(q: Asked) -> float:
    own = described(q)
    return float(sglang.alone(q).trace["accelerator.weights_bytes"]) if own is None else own


def described(q: Asked) -> float | None:
    """Of a model known by its layers, whose weights mean nothing: its file, evenly over the accelerators."""
    if q.record.fields.get("model_id") is not None or not q.case.file_bytes:
        return None
    return float(q.case.file_bytes / (q.sizing.trace["plan.tensor"] * q.sizing.trace["plan.pipeline"]))


def on_cards(q: Asked) -> float:
    """What lies on the cards; all of the file where it says how much the processor keeps, or no card is there."""
    trace, beside = q.sizing.trace, q.observed.number("cpu_buffer_mib")
    if q.record.fields.get("model_id") is None and q.case.file_bytes:  # known by its layers alone
        return q.case.file_bytes - (0.0 if llama_cpp.maps_for_card(q.case) else beside or 0.0) * MIB
    whole = float(trace["memory_item.weights"])
    if llama_cpp.is_llama(q.case) and q.record.count("n_gpus") != 0:
        placed = llama_cpp.on_cards(q.case, q.observed, whole)
        if placed is not None:
            return placed
    if beside is None and q.record.count("n_gpus") != 0:
        return float(trace.get("weights.loaded_bytes", trace["memory_item.weights"])) - _table_beside(q)
    return whole - (beside or 0.0) * MIB


def _table_beside(q: Asked) -> float:
    """The table of embeddings, which llama.cpp prints as a buffer of the processor, also where the memory is one."""
    trace, blueprint = q.sizing.trace, q.sizing.blueprint
    whole = float(trace.get("weights.loaded_bytes", trace["memory_item.weights"]))
    there = whole == trace["memory_item.weights"] and q.case.engine.allocator is Allocator.LLAMA_CPP
    if not there or blueprint.tied_embedding:
        return 0.0
    return float(trace[f"weights_bytes.{TensorClass.EMBEDDING}"])


def on_processor(q: Asked) -> float:
    """What the processor keeps, when the rest is known."""
    printed, whole = q.observed.number("model_buffer_mib"), float(q.sizing.trace["memory_item.weights"])
    if q.record.fields.get("model_id") is None and q.case.file_bytes:  # known by its layers alone
        if llama_cpp.maps_for_card(q.case) and printed is not None:
            raise Unusable("the table of embeddings is part of both buffers, and its size is not in the record")
        return q.case.file_bytes - (printed or 0.0) * MIB
    if llama_cpp.is_llama(q.case):
        return llama_cpp.on_processor(q.case, q.observed, whole)
    return whole - (printed or 0.0) * MIB


def of_file(q: Asked) -> float:
    return float(q.sizing.trace["memory_item.weights"])
