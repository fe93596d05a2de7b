"""Figures that llama.cpp alone prints, or prints in a way of its own: each from the sizing of the record's case."""

import re

from core.architecture.blueprint import TensorClass
from core.catalogue.records import Allocator
from core.sizing.report import Sizing
from core.units import MIB
from tests.accuracy.cases import Case
from tests.accuracy.records import Record, Unusable

#: "20/33 layers": how many lie on the accelerators.
_OFFLOADED = re.compile(r"\b(\d+)\s*/\s*(\d+) layers")
_APPLE = re.compile(r"\bapple\b|\bmetal\b|\bm\d (?:max|pro|ultra)\b", re.IGNORECASE)
#: Printed buffers that together exceed the file by more than this hold pages twice: mapped files are counted by span.
COUNTED_TWICE = 1.02
#: Until June 2026 the server hands masks over in 32 bit.
WIDE_UNTIL = (2026, 6)
#: Since then llama.cpp gives the accelerator the head first, and layers after it (pull request 18148); Ollama does not.
HEAD_FIRST_SINCE = (2026, 1)


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
    """The share of the layers that lie on the accelerators, as flags or the description of the hardware have it."""
    layers = case.sized().blueprint.layers
    stated = case.record.part("flags").count("n_gpu_layers")
    told = _OFFLOADED.search(case.record.text("hardware"))
    if stated is None and told:
        stated = int(told[1])
    if stated is None or stated > layers:
        return 1.0
    return max(0, stated - 1 if _head_first(case) else stated) / layers


def _head_first(case: Case) -> bool:
    release = _release(case)
    newer = release is None or release >= HEAD_FIRST_SINCE
    return newer and "ollama" not in case.record.text("engine").lower()


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
    if _APPLE.search(case.record.text("hardware")) and beside is not None:
        return whole  # the mapped file is the accelerator's, table included
    if beside is None:
        return None
    return whole if tied else whole - beside * MIB


def on_processor(case: Case, observed: Record, whole: float) -> float:
    """Weights with the processor: the table of embeddings, and what was left there."""
    sizing = case.sized()
    printed, beside = observed.number("model_buffer_mib"), observed.number("cpu_buffer_mib") or 0.0
    if not experts_share(case) and offloaded_share(case) == 1 and printed is not None:
        return _table(sizing)
    if printed is not None and case.weights_known and printed + beside > whole / MIB * COUNTED_TWICE:
        return whole  # a mapped file by its span
    return whole - (printed or 0.0) * MIB


# ---- what the host keeps


def host_compute_bytes(case: Case) -> float:
    """What is handed over: masks, and rows of hidden states, two where states recur as well."""
    trace, blueprint = case.sized().trace, case.sized().blueprint
    release = _release(case)
    pair = 4 if release is not None and release < WIDE_UNTIL else 2
    chunk, hidden = float(trace["engine.prefill_chunk"]), float(trace["model.hidden_size"])
    cells = sum(float(trace[key]) for key in ("runtime.full_cells", "runtime.window_cells") if key in trace)
    slots = int(trace["requests_at_once"]) if case.scenario.deployment.shared_slots else 1
    return chunk * (cells * slots * pair + hidden * 4 * (2 if blueprint.recurrent else 1))


def _release(case: Case) -> tuple[int, ...] | None:
    written = case.scenario.deployment.release
    return tuple(int(part) for part in written.split(".")) if written else None


def output_bytes(case: Case) -> float:
    """Scores of all words for one token of each slot, in 32 bit."""
    trace = case.sized().trace
    return 4.0 * float(trace["model.vocabulary"]) * int(trace["requests_at_once"])
