"""The bytes of the cache: of a request, of all sequences, of the tokens that were printed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.catalogue.records import Allocator
from core.physics.reservation.llama_cpp import window_cells
from core.sizing.report import Sizing
from tests.accuracy import choices
from tests.accuracy.figures import llama_cpp, sglang, states
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Unusable

#: In these releases vLLM held a request of the whole model against one stage of a pipeline (get_kv_cache_configs).
ASKED_OF_WHOLE_SINCE, ASKED_OF_WHOLE_UNTIL = (0, 14), (0, 17)


def one_request(q: Asked) -> float:
    q.needs_context()
    trace = as_asked(q).sizing.trace
    needed = trace["accelerator.bytes_per_request"] + trace.get("accelerator.kv_under_way_bytes", 0)
    return float(trace.get("kv_pool.asked_bytes", needed))


def as_asked(q: Asked) -> Asked:
    """What vLLM asks for: of one stage, but in some releases of the whole model."""
    release, plan = choices.release_of(q.record, q.case.engine), q.case.scenario.deployment.plan
    known = q.case.engine.allocator is Allocator.VLLM and release is not None
    if plan is None or not known or not ASKED_OF_WHOLE_SINCE <= (release or ()) < ASKED_OF_WHOLE_UNTIL:
        return q
    count = q.case.scenario.deployment.count // plan.pipeline
    whole = {"deployment__plan": plan.model_copy(update={"pipeline": 1}), "deployment__count": count}
    return replace(q, case=replace(q.case, scenario=q.case.scenario.edited(**whole)))


def of_sequences(q: Asked) -> float:
    """The cache of all sequences over all accelerators."""
    if q.observed.count("kv_tokens") and not q.record.count("max_model_len"):
        return of_tokens(q)
    beside = "mtp_kv_mib" in q.observed.fields  # the prediction layer's own is printed by itself
    sizing = q.case.sized(deployment__draft_tokens=0) if beside else llama_cpp.target(q.case)
    whole = float(sizing.trace["memory_item.kv_cache"]) + llama_cpp.turned_latents_bytes(q.case)
    return whole - llama_cpp.index_bytes(q.case) if "indexer_kv_mib" in q.observed.fields else whole


def of_tokens(q: Asked) -> float:
    """The cache of as many tokens as were printed, on one accelerator."""
    tokens = q.observed.count("kv_tokens")
    if not tokens:
        raise Unusable("the number of tokens is not printed")
    return tokens * _rate(sglang.alone(q), q)


def _rate(sizing: Sizing, q: Asked) -> float:
    """What a token takes on one accelerator; of SGLang's full pool, with what the other pools take for it."""
    if sglang.is_sglang(q) and "kv_pool.rate" in sizing.trace:
        return sglang.pool_rate(sizing)
    return rank_bytes_per_token(sizing)


def rank_bytes_per_token(sizing: Sizing) -> float:
    """What one more token takes on one accelerator, layers with a window included."""
    trace, total = sizing.trace, 0.0
    for number, group in enumerate(sizing.blueprint.attention):
        for key in (f"kv.{number}.rank_bytes_per_token", f"kv.{number}.bytes_per_token"):
            if group.cached and key in trace:
                total += float(trace[key])
                break
    return total


def side(side: str) -> Callable[[Asked], float]:
    """Keys or values alone: a format of their own and their part of a head's width."""

    def predict(q: Asked) -> float:
        named = {"key": q.case.cache.key, "value": q.case.cache.value}[side]
        changes = ({"kv_format": named} if named else {}) | _without_draft(q)
        sizing = q.case.sized(**changes)
        groups = [g for g in sizing.blueprint.attention if g.cached]
        shares = {(g.key_dim if side == "key" else g.value_dim) / (g.key_dim + g.value_dim) for g in groups}
        if len(shares) != 1 or any(g.latent_dim for g in groups):
            raise Unusable("keys and values are not kept apart in the same way in all layers")
        beside = sglang.index_rate(sizing) if sglang.is_sglang(q) else 0.0
        whole = tokens * (_rate(sizing, q) - beside) if (tokens := q.observed.count("kv_tokens")) else None
        if whole is None:
            whole = float(sizing.trace["memory_item.kv_cache"])
        return whole * shares.pop()

    return predict


def _without_draft(q: Asked) -> dict[str, Any]:
    """Changes to the model alone, where an engine prints what guesses ahead by itself."""
    own = llama_cpp.is_llama(q.case) and q.case.scenario.deployment.speculation is None
    return {"deployment__draft_tokens": 0} if own or sglang.is_sglang(q) else {}


def of_prediction(q: Asked) -> float:
    """What the prediction layers add to the cache of all sequences; llama.cpp keeps 16 bit for them by itself."""
    wide = {"kv_format": "fp16"} if llama_cpp.is_llama(q.case) else {}
    without = q.case.sized(deployment__draft_tokens=0, **wide).trace["memory_item.kv_cache"]
    return float(q.case.sized(**wide).trace["memory_item.kv_cache"]) - float(without)


def with_states(q: Asked) -> float:
    """Cache and states together."""
    return of_sequences(q) + (states.of_sequences(q) if q.sizing.blueprint.recurrent else 0.0)


def block_tokens(q: Asked) -> float:
    """Tokens of a block, which vLLM prints where it had to raise them for recurrent states."""
    return float(q.sizing.trace["engine.block_tokens"])


def of_layers(windowed: bool) -> Callable[[Asked], float]:
    """The cache of layers with a window, or of those without, over all accelerators."""

    def predict(q: Asked) -> float:
        sizing = q.sizing
        compressed = [group for group in sizing.blueprint.attention if group.kind is AttentionKind.COMPRESSED]
        if compressed and windowed:
            return _windows_of_compressed(q, compressed)
        if compressed:
            raise Unusable("compressed layers have no cache of full length")
        wanted = [n for n, g in enumerate(sizing.blueprint.attention) if g.cached and bool(g.window) == windowed]
        if not wanted:
            raise Unusable("the model has no such layers")
        return sum(float(sizing.trace[f"kv.{n}.reserved_bytes"]) for n in wanted) * q.sequences

    return predict


def _windows_of_compressed(q: Asked, groups: list[AttentionGroup]) -> float:
    """The windows of compressed layers in llama.cpp, which keeps them apart: keys alone, of the printed cells."""
    kept = q.observed.count("swa_cells") or _window_cells(q, groups[0])
    each = q.case.catalogue.kv_formats[q.case.scenario.kv_format].bytes_per_element
    return sum(kept * group.layers * group.key_dim * each for group in groups)


def cells(windowed: bool) -> Callable[[Asked], float]:
    def predict(q: Asked) -> float:
        sizing, shared = q.sizing, q.case.scenario.deployment.shared_slots  # else every sequence has its own
        for number, group in enumerate(sizing.blueprint.attention):
            if group.kind is AttentionKind.COMPRESSED and windowed:
                return _window_cells(q, group)
            if group.kind is AttentionKind.COMPRESSED:
                raise Unusable("compressed layers have no cache of full length")
            if group.cached and bool(group.window) == windowed:
                rate = float(sizing.trace[f"kv.{number}.bytes_per_token"])
                return float(sizing.trace[f"kv.{number}.reserved_bytes"]) / rate * (q.sequences if shared else 1)
        raise Unusable("the model has no such layers")

    return predict


def _window_cells(q: Asked, group: AttentionGroup) -> float:
    if q.case.engine.allocator is not Allocator.LLAMA_CPP:
        raise Unusable("this engine keeps the windows of compressed layers in pages")
    trace, shared = q.sizing.trace, q.case.scenario.deployment.shared_slots
    sharing = q.sequences if shared else 1
    tokens, chunk = int(trace["workload.context_tokens"]), int(trace["engine.prefill_chunk"])
    step = int(trace["cache_step_tokens"])
    return float(window_cells(tokens, sharing, group.window, chunk, step)) * (sharing if shared else 1)
