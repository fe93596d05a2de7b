"""Figures that llama.cpp alone prints, or prints in a way of its own: each from the sizing of the record's case."""

import re
from typing import Any

from core.architecture.blueprint import AttentionGroup, TensorClass
from core.catalogue.records import Allocator
from core.sizing.compute_buffer import MASK, WIDE_MASK
from core.sizing.report import Sizing
from core.units import MIB
from tests.accuracy.cases import Case
from tests.accuracy.records import Record, Unusable

#: "20/33 layers", "20 of 33 layers": how many lie on the accelerators, of how many with the head and prediction layers.
_OFFLOADED = re.compile(r"\b(\d+)\s*(?:/|\bof\b)\s*(\d+) layers")
#: Of the layers, experts apart.
_IN_LAYERS = (
    TensorClass.ATTENTION, TensorClass.RECURRENT, TensorClass.FEED_FORWARD, TensorClass.SHARED_EXPERT,
    TensorClass.ROUTER, TensorClass.NORM,
)  # fmt: skip
_APPLE = re.compile(r"\bapple\b|\bmetal\b|\bm\d (?:max|pro|ultra)\b", re.IGNORECASE)
#: Printed buffers that together exceed the file by more than this hold pages twice: mapped files are counted by span.
COUNTED_TWICE = 1.02
#: Until June 2026 the server hands masks over in 32 bit.
WIDE_UNTIL = (2026, 6)
#: Since then hidden states may be handed over beside the table's (src/llama-graph.cpp, build_inp_embd: build 8390 does,
#: 7698 does not), and places of values are (set_rows; build 6122 does, 5590 does not).
BOTH_ROWS_SINCE, PLACES_SINCE = (2026, 2), (2025, 8)
#: Since then llama.cpp gives the accelerator the head first, and layers after it (pull request 18148); in Ollama since
#: it runs llama.cpp's server in place of a runner of its own (0.30, pull request 16031).
HEAD_FIRST_SINCE, SERVER_IN_OLLAMA = (2026, 1), (2026, 6)


def is_llama(case: Case) -> bool:
    return case.engine.allocator is Allocator.LLAMA_CPP


def target(case: Case) -> Sizing:
    """The sizing without layers that guess ahead: the cache of those is printed by itself."""
    own = case.scenario.deployment.draft_tokens and case.scenario.deployment.speculation is None
    return case.sized(deployment__draft_tokens=0) if own and is_llama(case) else case.sized()


def states_bytes(case: Case) -> float:
    """The rows of all slots, over all accelerators."""
    trace = case.sized().trace
    return float(trace["state_reserved_bytes_per_request"]) * int(trace["requests_at_once"])


def index_bytes(case: Case) -> float:
    """The cache of an indexer, which stands beside that of the latents."""
    sizing = target(case)
    trace, found = sizing.trace, 0.0
    for number, group in enumerate(sizing.blueprint.attention):
        if group.index_layers and group.latent_dim:
            rate = group.index_layers * group.index_dim * float(trace["kv_format.bytes_per_element"])
            found += rate * float(trace[f"kv.{number}.tokens_reserved"])
    if not found:
        raise Unusable("the model has no indexer")
    return found * int(trace["requests_at_once"])


def turned_latents_bytes(case: Case) -> float:
    """The second copy of latents, turned round, that ik_llama.cpp keeps with `-mla 1` and without flash attention.

    Its values are the latents less their rotary part: as much as a key is wider than a value.
    """
    flags, sizing = case.record.part("flags"), case.sized()
    if flags.fields.get("mla") != 1 or flags.fields.get("flash_attn") not in (0, False):
        return 0.0
    trace, found = sizing.trace, 0.0
    for number, group in enumerate(sizing.blueprint.attention):
        if group.latent_dim:
            width = group.latent_dim - (group.key_dim - group.value_dim)
            found += group.cached * width * 2 * float(trace[f"kv.{number}.tokens_reserved"])
    return found * int(trace["requests_at_once"])


# ---- weights


def offloaded_share(case: Case) -> float:
    """The share of the layers that lie on the accelerators, as flags or the description of the hardware have it.

    The last layers do: with the head counted among them where that goes first, else without (load_tensors,
    i_gpu_start). Prediction layers come after the model's own, so that those told of may be more.
    """
    layers = case.sized().blueprint.layers
    stated = case.record.part("flags").count("n_gpu_layers")
    told = _OFFLOADED.search(case.record.text("hardware"))
    if stated is None and told:
        stated = int(told[1])
    if stated is None:
        return 1.0
    counted = layers
    if _head_first(case):
        counted = max(layers + 1, int(told[2]) if told else 0)
    return 1 - min(layers, max(0, counted - stated)) / layers


def _head_first(case: Case) -> bool:
    return _is_since(case, HEAD_FIRST_SINCE)


def _is_since(case: Case, month: tuple[int, int]) -> bool:
    """Is a build of a month or later? Ollama's own runner was older than its date."""
    release = _release(case)
    own = "ollama" in case.record.text("engine").lower()
    return release is None or release >= (max(month, SERVER_IN_OLLAMA) if own else month)


def experts_share(case: Case) -> float:
    """The share of the experts that lie with the processor; some of them, where a record does not say how many: all."""
    flags, moe = case.record.part("flags"), case.sized().blueprint.moe
    if moe is None:
        return 0.0
    layers = flags.count("n_cpu_moe")
    if layers is not None:
        return min(1.0, layers / moe.layers)
    return float(bool(flags.fields.get("experts_on_cpu")))


def works_in_turn(record: Record) -> bool:
    """Do accelerators wait for one another? Micro-batches follow each other neither over RPC nor without copies."""
    return "rpc" in record.text("hardware").lower() or record.part("flags").count("pipeline_copies") == 1


def one_stream(case: Case) -> dict[str, Any]:
    """The changes that make one slot of all cells of a stream that several slots share: its masks are as wide."""
    slots = int(case.sized().trace["slots_in_a_stream"])
    if slots == 1:
        return {}
    tokens = case.scenario.workload.context_tokens * slots
    return {"workload__requests_at_once": 1, "workload__context_tokens": tokens, "deployment__shared_slots": False}


def host_layers(case: Case) -> int:
    """Layers that lie with the processor, the head among them where it goes last."""
    share, layers = offloaded_share(case), case.sized().blueprint.layers
    return 0 if share == 1 else layers - round(share * layers) + (0 if _head_first(case) else 1)


def words_with_copied_head(case: Case) -> float:
    """Scores of words beside a copy of the head, which lies with the processor where some layers do; else nothing."""
    if offloaded_share(case) == 1 or _head_first(case):
        return 0.0
    sizing = case.sized()
    head = TensorClass.EMBEDDING if sizing.blueprint.tied_embedding else TensorClass.HEAD
    return float(sizing.trace.get("runtime.word_graph_bytes", 0)) + _class_bytes(sizing, head)


def _class_bytes(sizing: Sizing, kind: TensorClass) -> float:
    return float(sizing.trace.get(f"weights_bytes.{kind}", 0))


def _table(sizing: Sizing) -> float:
    return _class_bytes(sizing, TensorClass.EMBEDDING)


def maps_for_card(case: Case) -> bool:
    """Is the mapped file the accelerator's too, with its table? So where memory is one with the processor's (Metal)."""
    return is_llama(case) and bool(_APPLE.search(case.record.text("hardware")))


def moved_bytes(case: Case) -> float:
    """Weights and cache that lie with the processor instead of the one accelerator: layers, or experts of them."""
    if not is_llama(case) or case.record.count("n_gpus") != 1:
        return 0.0
    sizing, beside = case.sized(), 1 - offloaded_share(case)
    layers = sum(_class_bytes(sizing, kind) for kind in _IN_LAYERS)
    experts = _class_bytes(sizing, TensorClass.EXPERT)
    cache = float(sizing.trace["memory_item.kv_cache"])
    head = 0.0 if _head_first(case) or not beside else _class_bytes(sizing, TensorClass.HEAD)
    return (layers + cache) * beside + head + experts * max(beside, experts_share(case))


def on_cards(case: Case, observed: Record, whole: float) -> float | None:
    """Weights on the accelerators where something lies with the processor, or None where nothing is known to."""
    sizing, beside = case.sized(), observed.number("cpu_buffer_mib")
    printed, table = observed.number("model_buffer_mib"), _table(sizing)
    tied = sizing.blueprint.tied_embedding
    experts, layers = experts_share(case), offloaded_share(case)
    if experts or layers < 1:
        if beside is not None and printed is not None and printed + beside <= whole / MIB * COUNTED_TWICE:
            return whole - beside * MIB
        if case.record.part("flags").fields.get("experts_on_cpu") not in (None, True, False):
            raise Unusable("the record does not say how many experts lie with the processor")
        moved = _class_bytes(sizing, TensorClass.EXPERT) * experts
        rest = whole - moved - (0.0 if tied else table)
        return rest if layers == 1 else (whole - table) * layers
    if maps_for_card(case) and beside is not None:
        return whole
    if beside is None:
        return None
    return whole if tied else whole - beside * MIB


def on_processor(case: Case, observed: Record, whole: float) -> float:
    """Weights with the processor: the table of embeddings, and what was left there."""
    sizing = case.sized()
    printed, beside = observed.number("model_buffer_mib"), observed.number("cpu_buffer_mib") or 0.0
    hardware = case.record.text("hardware").lower()
    carded = printed is not None or (case.record.count("n_gpus") != 0 and "cpu" not in hardware)
    if not experts_share(case) and offloaded_share(case) == 1 and carded:
        return _table(sizing)
    if printed is not None and case.weights_known and printed + beside > whole / MIB * COUNTED_TWICE:
        return whole  # a mapped file by its span
    return whole - (printed or 0.0) * MIB


# ---- what the host keeps


def host_compute_bytes(case: Case) -> float:
    """What is handed over: masks, places of values that stand turned round, and rows of tables.

    Two rows of hidden states where the server may hand them over as well as look them up, and one of each layer.
    """
    trace, blueprint = case.sized().trace, case.sized().blueprint
    release = _release(case)
    flash = int(trace["runtime.mask_bytes"]) != WIDE_MASK
    pair = MASK if flash and not _older(release, WIDE_UNTIL) else WIDE_MASK
    chunk, hidden = float(trace["engine.prefill_chunk"]), float(trace["model.hidden_size"])
    cells = float(trace["runtime.masks_bytes"]) / int(trace["runtime.mask_bytes"]) / chunk
    slots = int(trace["slots_in_a_stream"])
    rows = hidden * (2 if _is_since(case, BOTH_ROWS_SINCE) or blueprint.recurrent else 1)
    rows += float(trace["runtime.input_width"])
    places = 0 if flash or _older(release, PLACES_SINCE) else sum(_width_of_values(g) for g in _shapes(case))
    return chunk * (cells * slots * pair + rows * 4 + places * 8)


def _shapes(case: Case) -> list[AttentionGroup]:
    """One group of those that keep every token, and one of those with a window: each cache has places of its own."""
    groups = [group for group in case.sized().blueprint.attention if group.cached]
    return list({bool(group.window): group for group in groups}.values())


def _width_of_values(group: AttentionGroup) -> int:
    return 0 if group.latent_dim else group.kv_heads * group.value_dim


def _older(release: tuple[int, ...] | None, wanted: tuple[int, ...]) -> bool:
    """Is a build older than a month? One that is not known is not."""
    return release is not None and release < wanted


def _release(case: Case) -> tuple[int, ...] | None:
    written = case.scenario.deployment.release
    return tuple(int(part) for part in written.split(".")) if written else None


def output_bytes(case: Case) -> float:
    """Scores of all words for one token of each slot, in 32 bit."""
    trace = case.sized().trace
    return 4.0 * float(trace["model.vocabulary"]) * int(trace["requests_at_once"])
