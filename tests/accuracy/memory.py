"""Records of what engines print about memory: start-up logs, buffer sizes, processes.

Each printed figure is predicted by a function of its own (`figures`), from the sizing of the record's scenario
(`start`). A new figure is a line in `FIGURES`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from core.units import GB, GIB, MIB
from tests.accuracy import printed
from tests.accuracy.cases import Case, refusals
from tests.accuracy.figures import buffers, cache, llama_cpp, room, sglang, states, weights
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Record, Unusable, is_number
from tests.accuracy.results import Outcome, Result, Skip
from tests.accuracy.start import memory_case

#: Printed beside the figures, but telling the circumstances: they are not predicted.
CIRCUMSTANCES = (
    "n_seqs", "prompt_tokens", "mamba_layers", "swa_layers", "mamba_slots", "kv_layers", "rs_layers", "total_layers",
)  # fmt: skip


def compare(records: Iterable[Record]) -> Outcome:
    """Every figure of every record, predicted or skipped with its reason."""
    outcome = Outcome()
    for record in records:
        outcome.add(_compare(record))
    return outcome


def _compare(record: Record) -> Outcome:
    outcome = Outcome()
    try:
        observed = record.part("observed")
        if not observed.fields:
            raise Unusable("the record holds no observed figures")
        with refusals():
            case = memory_case(printed.with_usual_names(record))
    except Unusable as reason:
        figures = record.fields.get("observed")
        names = list(figures) if isinstance(figures, dict) and figures else ["all"]
        names = [name for name in names if printed.figure_name(name) not in CIRCUMSTANCES]
        scoreable = record.fields.get("scoreable") is not False
        skips = [Skip(record.id, name, str(reason), _kind(name), _family(record), scoreable) for name in names]
        outcome.skipped += skips
        return outcome
    for name, value in observed.fields.items():
        if printed.figure_name(name, value) in CIRCUMSTANCES:
            continue
        try:
            with refusals():
                outcome.results.append(_figure(case, name, value))
        except Unusable as reason:
            outcome.skipped.append(Skip(record.id, name, str(reason), _kind(name), _family(record)))
    return outcome


def _family(record: Record) -> str:
    """The family of models, as the record calls it."""
    family = record.fields.get("kind")
    return family if isinstance(family, str) and family else "not stated"


def _kind(name: str) -> str:
    found = FIGURES.get(name) or FIGURES.get(printed.figure_name(name, []))
    return found.kind if found else "other"


def _figure(case: Case, name: str, value: Any) -> Result:
    figure = FIGURES.get(usual := printed.figure_name(name, value))
    if figure is None:
        raise Unusable("no rule predicts this figure")
    listed, value = isinstance(value, list), printed.figure_value(usual, value)
    if not is_number(value):
        raise Unusable("the observed value is not a number")
    if figure.needs_weights and not case.weights_known and not case.weights_usual:
        raise Unusable("the record does not say how the weights are stored")
    if figure.needs_device and not case.device_known:
        raise Unusable("the record does not name the device")
    predicted = figure.predict(Asked(case, usual)) / figure.unit
    if listed and figure.kind in ("cache", "state") and llama_cpp.is_llama(case):
        predicted *= llama_cpp.offloaded_share(case)  # a list of the accelerators
    if figure.decimals is not None:
        predicted = round(predicted, figure.decimals)
    kind = _kind_here(case, name, figure)
    groups = (f"{kind}, {case.engine.id}", f"family {_family(case.record)}")
    source = case.record.text("source")
    return Result(
        case.record.id, name, float(value), predicted, predicted, predicted, kind, groups, source, case.scenario.weights
    )


def _kind_here(case: Case, name: str, figure: "Figure") -> str:
    """The kind of a figure, apart where more or less than usual was known."""
    if figure.kind == "weights" and case.file_known:  # a model known by its layers has no other weights
        return "weights, file size stated"
    if figure.needs_weights and not case.weights_known:
        return f"{figure.kind}, format not stated"
    if figure.from_pool and room.printed_bytes(Asked(case, name)) is None:
        return "room for the cache, in tokens"
    return figure.kind


@dataclass(frozen=True, slots=True)
class Figure:
    """How a printed figure is predicted: its kind, the bytes of its unit, and from what."""

    kind: str
    unit: float
    predict: Callable[[Asked], float]
    needs_weights: bool = False
    needs_device: bool = False
    decimals: int | None = None  # that the engine prints
    from_pool: bool = False  # predicted from the printed room for the cache where there is one


FIGURES: dict[str, Figure] = {
    "weights_gib_per_gpu": Figure("weights", GIB, weights.loaded, needs_weights=True),
    "engine_mib": Figure("weights", MIB, weights.loaded, needs_weights=True),
    "model_buffer_mib": Figure("weights", MIB, weights.on_cards, needs_weights=True),
    "model_buffer_mib_per_gpu": Figure("weights", MIB, weights.loaded, needs_weights=True),
    "cpu_buffer_mib": Figure("weights on the processor", MIB, weights.on_processor, needs_weights=True),
    "available_kv_gib": Figure("room for the cache", GIB, room.free, needs_weights=True, needs_device=True),
    "kv_gib_for_context": Figure("cache", GIB, cache.one_request),
    "kv_mib": Figure("cache", MIB, cache.of_sequences, decimals=2),
    "kv_mib_gpu0": Figure("cache", MIB, cache.of_sequences, decimals=2),
    "kv_gib": Figure("cache", GIB, cache.of_tokens),
    "kv_bytes": Figure("cache", 1, cache.of_tokens),
    "kv_k_mib": Figure("cache", MIB, cache.side("key"), decimals=2),
    "kv_v_mib": Figure("cache", MIB, cache.side("value"), decimals=2),
    "kv_k_gib": Figure("cache", GIB, cache.side("key"), decimals=2),
    "kv_v_gib": Figure("cache", GIB, cache.side("value"), decimals=2),
    "kv_full_mib": Figure("cache", MIB, cache.of_layers(windowed=False), decimals=2),
    "kv_swa_mib": Figure("cache", MIB, cache.of_layers(windowed=True), decimals=2),
    "full_cells": Figure("cache", 1, cache.cells(windowed=False)),
    "swa_cells": Figure("cache", 1, cache.cells(windowed=True)),
    "kv_tokens": Figure("cache", 1, room.tokens, from_pool=True),
    "max_concurrency": Figure("cache", 1, room.requests, from_pool=True),
    "num_gpu_blocks": Figure("cache", 1, room.blocks_of_printed, from_pool=True),
    "estimated_max_model_len": Figure("cache", 1, room.longest, from_pool=True),
    "attention_block_tokens": Figure("cache", 1, cache.block_tokens),
    "recurrent_state_mib": Figure("state", MIB, states.of_sequences, decimals=2),
    "r_state_mib": Figure("state", MIB, states.part_of_rows("convolution"), decimals=2),
    "s_state_mib": Figure("state", MIB, states.part_of_rows("matrix"), decimals=2),
    "context_mib": Figure("cache", MIB, cache.with_states),
    "indexer_kv_mib": Figure("cache", MIB, lambda q: llama_cpp.index_bytes(q.case), decimals=2),
    "kv_gpu_mib": Figure("cache", MIB, lambda q: cache.of_sequences(q) * llama_cpp.offloaded_share(q.case), decimals=2),
    "kv_cpu_mib": Figure(
        "cache", MIB, lambda q: cache.of_sequences(q) * (1 - llama_cpp.offloaded_share(q.case)), decimals=2
    ),
    "kv_bytes_per_token": Figure("cache", 1, lambda q: cache.rank_bytes_per_token(llama_cpp.target(q.case))),
    "file_size_gib": Figure("weights", GIB, weights.of_file, needs_weights=True),
    "total_mib": Figure("total", MIB, buffers.total, needs_weights=True),
    "host_compute_buffer_mib": Figure(
        "compute buffer of the host", MIB, lambda q: llama_cpp.host_compute_bytes(q.case)
    ),
    "output_buffer_mib": Figure("compute buffer of the host", MIB, lambda q: llama_cpp.output_bytes(q.case)),
    "mtp_kv_mib": Figure("cache", MIB, cache.of_prediction, decimals=2),
    "mamba_state_bytes_per_layer_slot": Figure("state", 1, states.per_layer),
    "mamba_total_gb": Figure("state", GB, states.of_slots),
    "ssm_state_gib": Figure("state", GIB, states.part_of_slots("matrix"), decimals=2),
    "conv_state_gib": Figure("state", GIB, states.part_of_slots("convolution"), decimals=2),
    "total_gib": Figure("total", GIB, buffers.total, needs_weights=True),
    "process_mib": Figure("total", MIB, buffers.total, needs_weights=True),
    "peak_memory_gb": Figure("total", GB, buffers.total, needs_weights=True),
    "cuda_graph_gib": Figure("graphs", GIB, buffers.graphs),
    "activation_peak_gib": Figure("activation peak", GIB, buffers.peak),
    "non_torch_gib": Figure("outside of PyTorch", GIB, buffers.outside_torch),
    "free_after_pool_gib": Figure("left free", GIB, room.left_free, needs_device=True),
    "max_running_requests": Figure("requests at once", 1, sglang.requests_at_once),
    "swa_kv_tokens": Figure("cache", 1, sglang.window_tokens),
    "full_kv_k_gib": Figure("cache", GIB, sglang.pool_side("key", windowed=False), decimals=2),
    "full_kv_v_gib": Figure("cache", GIB, sglang.pool_side("value", windowed=False), decimals=2),
    "swa_kv_k_gib": Figure("cache", GIB, sglang.pool_side("key", windowed=True), decimals=2),
    "swa_kv_v_gib": Figure("cache", GIB, sglang.pool_side("value", windowed=True), decimals=2),
    "draft_kv_gib": Figure("draft", GIB, sglang.draft_cache, decimals=2),
    "draft_weights_gib": Figure("draft", GIB, sglang.draft_weights, needs_weights=True),
    "intermediate_ssm_state_gib": Figure("state", GIB, sglang.states_of_guesses("matrix"), decimals=2),
    "intermediate_conv_window_gib": Figure("state", GIB, sglang.states_of_guesses("convolution"), decimals=2),
    "mamba_blocks": Figure("blocks of the room", 1, room.blocks, needs_weights=True, needs_device=True),
    "compute_buffer_mib": Figure("compute buffer", MIB, buffers.compute),
}
