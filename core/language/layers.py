"""Which layers hold a cache, which a state, and what each kind takes: lines for Explain, with their numbers."""

from collections.abc import Iterator

from core.architecture.blueprint import AttentionGroup, AttentionKind
from core.language import formulas
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter
from core.sizing.report import Sizing

_CACHE = {
    AttentionKind.FULL: marked("{layers} of {all} layers keep keys and values of every token: {formula} B per token."),
    AttentionKind.WINDOW: marked(
        "{layers} of {all} layers keep keys and values of the last {window} tokens: {formula} B per token."
    ),
    AttentionKind.CHUNK: marked(
        "{layers} of {all} layers keep keys and values of a chunk of {window} tokens: {formula} B per token."
    ),
    AttentionKind.LATENT: marked(
        "{layers} of {all} layers keep one latent vector of every token: {formula} B per token."
    ),
    AttentionKind.SPARSE_LATENT: marked(
        "{layers} of {all} layers keep one latent vector of every token: {formula} B per token."
    ),
    AttentionKind.COMPRESSED: marked(
        "{layers} of {all} layers keep {window} tokens and compressed vectors: {formula} B per token."
    ),
}
_STATE = marked("{layers} of {all} layers keep a state, whatever the length: {formula} B per request.")
_WINDOW_ONLY = marked("{layers} of {all} layers keep {window} tokens and nothing that grows.")
_NOTHING = marked("{layers} of {all} layers keep nothing.")
_BORROWED = marked("{layers} of {all} layers read the cache of another.")

#: Figures that are about caches or states: their explanation says which layers keep what.
ABOUT_LAYERS = (
    "kv_bytes_per_token",
    "kv_bytes_per_request",
    "kv_logical_bytes_per_request",
    "kv_cache_bytes",
    "memory_item.kv_cache",
    "memory_item.state",
    "state_bytes_per_request",
    "state_reserved_bytes_per_request",
    "max_context_tokens",
)


def layer_lines(sizing: Sizing, write: Formatter) -> Iterator[str]:
    """One line for each kind of layers, with the formula of what it takes and its numbers."""
    blueprint, trace = sizing.blueprint, sizing.trace
    every, kept, borrowed = blueprint.layers, 0, 0
    for number, group in enumerate(blueprint.attention):
        key = f"kv.{number}.bytes_per_token"
        if group.kind is AttentionKind.ENCODER:
            continue
        if group.cached and key not in trace:
            return
        kept += group.layers
        borrowed += group.layers - group.cached
        if group.cached:
            yield _line(_cache_text(group), group.cached, every, _formula(sizing, key, write), write, group.window)
    for number, state in enumerate(blueprint.recurrent):
        kept += state.layers
        yield _line(_STATE, state.layers, every, _formula(sizing, f"state.{number}.bytes", write), write)
    if borrowed:
        yield _line(_BORROWED, borrowed, every, "", write)
    if kept < every:
        yield _line(_NOTHING, every - kept, every, "", write)


def _cache_text(group: AttentionGroup) -> str:
    if group.kind is AttentionKind.COMPRESSED and not group.compression:
        return _WINDOW_ONLY
    return _CACHE[group.kind]


def _formula(sizing: Sizing, key: str, write: Formatter) -> str:
    """The formula of a figure with its numbers and its result."""
    return f"{formulas.with_numbers(sizing.trace, key, write)} = {write.number(sizing.trace[key])}"


def _line(text: str, layers: int, every: int, formula: str, write: Formatter, window: int = 0) -> str:
    numbers = {"layers": write.count(layers), "all": write.count(every), "window": write.count(window)}
    return _(text).format(**numbers, formula=formula)
