"""What a request keeps: cache that some models hold far less of, state of a fixed size, copies on several ranks."""

from collections.abc import Iterator

from core.architecture.blueprint import AttentionGroup
from core.physics import comparisons as c
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import differs, is_article, note, reason, rule, setup_rule, warning
from core.sizing.rules.thumb import full_cache_shape, record_rule_of_thumb
from core.sizing.situation import Setup, Situation
from core.trace import Recipe, Trace
from core.units import Unit

KV = "kv_logical_bytes_per_request"
#: A context of less than this part of the trained one is worth a word.
MUCH_SHORTER = 0.5


def _against_textbook(trace: Trace, s: Setup) -> str:
    """The key of the textbook's cache of one request, where it is much more than the real one; else empty."""
    key = record_rule_of_thumb(trace, s, "textbook", full_cache_shape(s))
    return key if trace[key] > trace[KV] and differs(trace[key], trace[KV]) else ""


def _largest(s: Setup) -> AttentionGroup | None:
    groups = [group for _, group in cached_groups(s.blueprint)]
    return max(groups, key=lambda group: group.cached) if groups else None


@rule(FindingKind.HYBRID_HOLDS_LESS, 25, source="the models' own configurations")
def hybrid_holds_less(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Only the attention layers of a hybrid keep a cache that grows: far less than the textbook formula says."""
    if not s.setup.blueprint.recurrent or not cached_groups(s.setup.blueprint):
        return
    trace.given("model.caching_layers", s.setup.blueprint.caching_layers, Unit.COUNT, source_of_model(s.setup))
    textbook = _against_textbook(trace, s.setup)
    if textbook:
        yield reason(FindingKind.HYBRID_HOLDS_LESS, KV, textbook, "model.caching_layers", "model.layers")


@rule(FindingKind.WINDOWS_HOLD_LESS, 25, source="vllm-project/vllm-metal#505")
def windows_hold_less(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Layers with a sliding window keep at most the window, and the chunk of a prompt while it is read."""
    windows = [(n, group) for n, group in cached_groups(s.setup.blueprint) if group.window]
    if not windows or s.scenario.workload.context_tokens <= windows[0][1].window:
        return
    textbook = _against_textbook(trace, s.setup)
    window = f"kv.{windows[0][0]}.window"
    if textbook and window in trace:
        yield reason(FindingKind.WINDOWS_HOLD_LESS, KV, textbook, window)


@rule(FindingKind.LATENT_HOLDS_LESS, 12, source="DeepSeek-V2: one latent vector per layer stands for all heads")
def latent_holds_less(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Latent attention keeps one vector per token and layer; keys and values of all heads are many times larger."""
    group = _largest(s.setup)
    if group is not None and group.kind in LATENT:
        textbook = _against_textbook(trace, s.setup)
        if textbook:
            yield reason(FindingKind.LATENT_HOLDS_LESS, KV, textbook)


@setup_rule(FindingKind.GROUPED_HEADS, 12, 66)
def grouped_heads(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The cache follows from KV heads times their width, not from the hidden width: heads in groups share it."""
    group = _largest(s)
    if group is None or group.kind in LATENT or group.kv_heads >= group.query_heads:
        return
    source = source_of_model(s)
    trace.given("model.query_heads", group.query_heads, Unit.COUNT, source)
    trace.given("model.kv_heads", group.kv_heads, Unit.COUNT, source)
    trace.compute("model.heads_per_kv_head", c.times_more, larger="model.query_heads", smaller="model.kv_heads")
    figures = ("model.heads_per_kv_head", "model.query_heads", "model.kv_heads")
    yield reason(FindingKind.GROUPED_HEADS, *figures)


@rule(FindingKind.RECURRENT_STATE, source="vllm-project/vllm: state of linear attention in its cache manager")
def recurrent_state(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A recurrent state costs each request the same, however short it is."""
    state = trace["state_bytes_per_request"]
    if state > 0:
        say = note if state > trace["kv_bytes_per_request"] else reason
        yield say(FindingKind.RECURRENT_STATE, "state_bytes_per_request", "memory_item.state")


@setup_rule(FindingKind.STATE_CHECKPOINTS, source="vllm-project/vllm#46778")
def state_checkpoints(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """With prefix caching, states are kept at block boundaries too and drawn from the same pool as the cache."""
    if "state_copies" in trace and trace["state_copies"] > 1:
        yield reason(FindingKind.STATE_CHECKPOINTS, "state_copies", "state_bytes_per_request")


@setup_rule(FindingKind.KV_HEADS_REPLICATED, source="vLLM and SGLang: KV heads are copied when ranks outnumber them")
def kv_heads_replicated(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """More tensor-parallel ranks than KV heads: the ranks beyond hold copies, so the cache per card stops falling."""
    for number, group in cached_groups(s.blueprint):
        if group.kind not in LATENT and s.plan.tensor > group.kv_heads:
            figures = (f"kv.{number}.kv_heads", "plan.tensor", "kv_bytes_per_request")
            yield warning(FindingKind.KV_HEADS_REPLICATED, *figures)
            return


@setup_rule(FindingKind.MLA_REPLICATED, source="SGLang and vLLM: the latent vector has no heads to share out")
def mla_replicated(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The cache of latent attention is whole on every tensor-parallel rank."""
    for _number, group in cached_groups(s.blueprint):
        if group.kind in LATENT and s.plan.tensor > 1:
            yield warning(FindingKind.MLA_REPLICATED, "plan.tensor", "kv_bytes_per_request", KV)
            return


@rule(FindingKind.BEYOND_TRAINED_CONTEXT, 12, source="the models' own configurations")
def beyond_trained_context(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The context limit is longer than what the model was trained for."""
    trained = s.setup.blueprint.trained_context
    if 0 < trained < s.scenario.workload.context_tokens:
        yield warning(FindingKind.BEYOND_TRAINED_CONTEXT, "workload.context_tokens", "model.trained_context")


@rule(FindingKind.CONTEXT_IN_USE, 12, source="AlexsJones/llmfit#302")
def context_in_use(trace: Trace, s: Situation) -> Iterator[Finding]:
    """What counts is the context in use, not the longest that the model allows."""
    trained = s.setup.blueprint.trained_context
    if not is_article(s.setup) and 0 < s.scenario.workload.context_tokens <= MUCH_SHORTER * trained:
        yield reason(FindingKind.CONTEXT_IN_USE, "workload.context_tokens", "model.trained_context")


RULES = (
    kv_heads_replicated,
    mla_replicated,
    beyond_trained_context,
    recurrent_state,
    hybrid_holds_less,
    windows_hold_less,
    latent_holds_less,
    grouped_heads,
    state_checkpoints,
    context_in_use,
)
