"""What SGLang prints beside the figures of all engines: pools by themselves, requests at once, drafts.

Read in SGLang's sources of 0.3.6 to 0.5.23: model_executor/model_runner.py and managers/tp_worker.py, later
mem_cache/kv_cache_configurator.py and model_executor/pool_configurator.py (max_num_reqs, resolve_max_num_reqs,
_calculate_mamba_ratio), mem_cache/memory_pool.py (ReqToTokenPool).
"""

from collections.abc import Callable
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.catalogue.records import Allocator
from core.sizing.report import Sizing
from core.units import GIB
from tests.accuracy import choices
from tests.accuracy.figures.asked import Asked
from tests.accuracy.records import Unusable

#: Requests for which SGLang prepares where nobody says: so many for a pool of one context, within these.
PER_CONTEXT, LEAST_REQUESTS, MOST_REQUESTS = 512, 2048, 4096
#: Where tokens are guessed ahead, or of DeepSeek V4, and nobody says.
REQUESTS_WITH_DRAFT, REQUESTS_OF_COMPRESSED = 48, 256
#: Before this release the pool of requests had one more, which was printed.
ONE_MORE_BEFORE = (0, 4, 7)
#: Positions beyond the context in the table of a request's tokens, and bytes of each entry.
BEYOND_CONTEXT, ENTRY_BYTES = 4, 4
#: Before this release a request has fewer states to come back to.
STATES_TRACKED_SINCE, CACHED_STATES, TRACKED_STATES = (0, 5, 14), 3, 2
WINDOW_RATIO = 0.8
#: The first release that counts the cache of prediction layers.
COUNTS_DRAFTS = "0.5.14"


def is_sglang(q: Asked) -> bool:
    return q.case.engine.allocator is Allocator.SGLANG


def alone(q: Asked, **changes: object) -> Sizing:
    """The sizing without what guesses ahead: SGLang prints the model by itself, and its draft by itself."""
    if is_sglang(q) and q.case.scenario.deployment.draft_tokens > 0:
        changes["deployment__draft_tokens"] = 0
    return q.case.sized(**changes)


def index_rate(sizing: Sizing) -> float:
    """What short keys to pick by take for a token beside keys and values, in a pool that is not printed."""
    groups, stages = sizing.blueprint.attention, int(sizing.trace["plan.pipeline"])
    headed = [g for g in groups if g.index_layers and not g.latent_dim]
    return float(sum(-(-g.index_layers // stages) * g.index_dim * 2 for g in headed))


def pool_rate(sizing: Sizing) -> float:
    """What a token of the full pool takes on one accelerator, all pools together."""
    return float(sizing.trace["kv_pool.rate"])


def at_most_asked(q: Asked, tokens: float) -> float:
    """No more tokens than were asked for (--max-total-tokens)."""
    asked = q.record.part("flags").count("max_total_tokens") if is_sglang(q) else None
    return min(tokens, float(asked)) if asked else tokens


# ---- requests at once


def states_of_a_request(q: Asked) -> int:
    """States that one request occupies (_calculate_mamba_ratio)."""
    if q.case.scenario.deployment.prefix_caching is False:
        return 1
    release = choices.release_of(q.record, q.case.engine)
    old = release is not None and release < STATES_TRACKED_SINCE
    return CACHED_STATES + (0 if old else TRACKED_STATES)


def requests_at_once(q: Asked) -> float:
    """What SGLang prints as max_running_requests."""
    tokens = q.observed.count("kv_tokens")
    if not is_sglang(q) or not tokens:
        raise Unusable("the number of tokens is not printed")
    wanted, slots = _wanted(q), q.observed.count("mamba_slots")
    release = choices.release_of(q.record, q.case.engine)
    pool = _prepared(q, tokens) + int(release is not None and release < ONE_MORE_BEFORE)
    most = min(pool if wanted is None else wanted, tokens // 2)
    return float(min(most, slots // states_of_a_request(q)) if slots else most)


def _wanted(q: Asked) -> int | None:
    flags = q.record.part("flags")
    chosen = flags.count("max_running_requests")
    drafts = q.case.scenario.deployment.draft_tokens > 0 or bool(flags.fields.get("speculative"))
    if chosen is None and (drafts or _is_compressed(q)):
        chosen = REQUESTS_WITH_DRAFT if drafts else REQUESTS_OF_COMPRESSED
    plan = q.case.scenario.deployment.plan
    return max(1, chosen // (plan.attention_replicas if plan else 1)) if chosen else None


def _is_compressed(q: Asked) -> bool:
    return any(group.kind is AttentionKind.COMPRESSED for group in q.sizing.blueprint.attention)


def _prepared(q: Asked, tokens: int) -> int:
    """Places in the pool of requests where nobody says."""
    return max(min(int(tokens / _context(q) * PER_CONTEXT), MOST_REQUESTS), LEAST_REQUESTS)


def _context(q: Asked) -> int:
    context = q.record.count("max_model_len") or q.sizing.blueprint.trained_context
    if not context:
        raise Unusable("the record does not say how long a request may be")
    return context


def table_bytes(q: Asked) -> float:
    """The table of every request's tokens, which stands beside the pools."""
    unknown = bool(q.sizing.blueprint.recurrent) and not q.observed.count("mamba_slots")
    if unknown or not q.observed.count("kv_tokens"):
        return 0.0
    return float(requests_at_once(q) * (_context(q) + BEYOND_CONTEXT) * ENTRY_BYTES)


# ---- pools by themselves


def _ratio(q: Asked) -> float:
    return 1.0 if q.case.scenario.deployment.full_windows else WINDOW_RATIO


def window_tokens(q: Asked) -> float:
    """Tokens of the pool of the layers with a window."""
    tokens = q.observed.count("kv_tokens")
    if not tokens:
        raise Unusable("the number of tokens is not printed")
    ratio = _ratio(q)
    if _is_compressed(q):
        if "window_pool_ratio" not in q.sizing.trace:
            raise Unusable("the pool of windows goes by requests")
        ratio = float(q.sizing.trace["window_pool_ratio"])
    return _whole_pages(ratio * tokens, int(q.sizing.trace["engine.block_tokens"]))


def _whole_pages(tokens: float, page: int) -> float:
    """SGLang cuts each pool to whole pages (pool_configurator.py, align_page_size, _compute_dsv4_sizes)."""
    return float(int(tokens) // page * page)


def pool_side(side: str, windowed: bool) -> Callable[[Asked], float]:
    """Keys or values of the pool of layers with a window, or of the others, on one accelerator."""

    def predict(q: Asked) -> float:
        tokens = q.observed.count("swa_kv_tokens") if windowed else q.observed.count("kv_tokens")
        if tokens is None and windowed:
            tokens = round(window_tokens(q))
        if not tokens:
            raise Unusable("the number of tokens is not printed")
        sizing = alone(q)
        groups = [(n, g) for n, g in enumerate(sizing.blueprint.attention) if g.cached and bool(g.window) == windowed]
        if not groups:
            raise Unusable("the model has no such layers")
        return tokens * sum(_rate(sizing, n) * _part(group, side) for n, group in groups)

    return predict


def _rate(sizing: Sizing, number: int) -> float:
    whole, part = f"kv.{number}.bytes_per_token", f"kv.{number}.rank_bytes_per_token"
    return float(sizing.trace[part if part in sizing.trace else whole])


def _part(group: AttentionGroup, side: str) -> float:
    return (group.key_dim if side == "key" else group.value_dim) / (group.key_dim + group.value_dim)


# ---- what guesses ahead


def _needs_own_layers(q: Asked) -> None:
    if not q.case.scenario.deployment.draft_tokens or TensorClass.MTP not in q.sizing.blueprint.parameters:
        raise Unusable("the draft is not described")


def draft_cache(q: Asked) -> float:
    """The pool of the prediction layer, keys and values as printed: the tokens of the model's, and a page."""
    _needs_own_layers(q)
    tokens = q.observed.count("kv_tokens")
    if not tokens:
        raise Unusable("the number of tokens is not printed")
    counted = {"deployment__release": COUNTS_DRAFTS}  # the same bytes, also where they are not part of the share
    rate = pool_rate(q.case.sized(**counted)) - pool_rate(alone(q, **counted))
    half = (tokens + int(q.sizing.trace["engine.block_tokens"])) * rate / 2
    return 2 * round(half / GIB, 2) * GIB


def draft_weights(q: Asked) -> float:
    """Prediction layers with an embedding and a head, which are read before those of the model take their place."""
    _needs_own_layers(q)
    trace, blueprint = q.sizing.trace, q.sizing.blueprint
    kinds = (TensorClass.MTP, TensorClass.EMBEDDING, TensorClass.HEAD)
    whole = sum(float(trace[f"weights_bytes.{kind}"]) for kind in kinds if kind in blueprint.parameters)
    return whole / float(trace["plan.tensor"])


def states_of_guesses(part: str) -> Callable[[Asked], float]:
    """States after each guessed token of every request, and of one place more."""

    def predict(q: Asked) -> float:
        flags, slots = q.record.part("flags"), q.observed.count("mamba_slots")
        guessed = flags.count("speculative_num_draft_tokens") or q.case.scenario.deployment.draft_tokens + 1
        requests = flags.count("max_running_requests")
        if not slots or guessed < 2:
            raise Unusable("the number of state slots or of guessed tokens is not stated")
        if not requests:
            raise Unusable("how many requests run at once is not stated")
        requests = min(requests, slots // states_of_a_request(q))
        return (requests + 1) * guessed * state_bytes(q, part)

    return predict


def state_bytes(q: Asked, part: str = "") -> float:
    """One state on one accelerator, or a part of it: "matrix" or "convolution"."""
    sizing = q.sizing
    return sum(_group_state_bytes(q, sizing, n, part) for n in range(len(sizing.blueprint.recurrent)))


def _group_state_bytes(q: Asked, sizing: Sizing, number: int, part: str) -> float:
    trace, key = sizing.trace, f"state.{number}"
    sizes = {name: float(trace[f"{key}.{name}_elements"] * _width(q, trace, number, name)) for name in PARTS}
    counted = {name: float(trace[f"{key}.{name}_elements"] * trace[f"{key}.{name}_bytes"]) for name in PARTS}
    on_rank = float(trace[f"{key}.rank_bytes" if f"{key}.rank_bytes" in trace else f"{key}.bytes"])
    whole = sum(counted.values())
    chosen = sizes[part] if part else sum(sizes.values())
    return on_rank * chosen / whole if whole else 0.0


PARTS = ("convolution", "matrix")
WIDTHS = {"bfloat16": 2, "float16": 2, "float32": 4}


def _width(q: Asked, trace: Any, number: int, part: str) -> float:
    """Bytes of an element; matrices as the start asks for (--mamba-ssm-dtype)."""
    asked = WIDTHS.get(q.record.part("flags").text("mamba_ssm_dtype")) if part == "matrix" else None
    return float(asked or trace[f"state.{number}.{part}_bytes"])
