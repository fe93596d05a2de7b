"""The model of the textbook formula: a handful of numbers, every layer with full attention."""

from functools import lru_cache

from core.architecture.blueprint import (
    AttentionGroup,
    AttentionKind,
    Blueprint,
    MixtureOfExperts,
    NoteKind,
    ReadingNote,
    TensorClass,
)
from core.errors import InvalidInput

FAMILY = "textbook"
PER_TOKEN, FEWEST, MOST = 8, 128, 65_536  # experts of usual models


@lru_cache(maxsize=256)
def textbook_blueprint(
    name: str,
    parameters: int,
    active_parameters: int,
    layers: int,
    query_heads: int | None,
    kv_heads: int,
    head_dim: int,
    trained_context: int = 0,
) -> Blueprint:
    """A model of which only the numbers of the textbook formula are known.

    The cache is 2 * layers * kv_heads * head_dim elements a token. The parameters that a token does not use are taken
    as routed experts, of which it uses eight in 128 (or in 256, ... where the active share is smaller), so that more
    requests at once read more of them. Total and active parameters come out exactly as given.

    Parameters
    ----------
    name : what to call the model
    parameters, active_parameters : of the whole model, and those that one token is multiplied with
    layers, kv_heads, head_dim : of the attention; all layers keep a cache
    query_heads : None: as many as KV heads
    trained_context : [tokens], 0: not known

    >>> article = textbook_blueprint("Qwen 35B A3B", 35 * 10**9, 3 * 10**9, 48, 32, 4, 128)
    >>> article.total_parameters, article.active_parameters, article.caching_layers
    (35000000000, 3000000000, 48)
    """
    if not 0 < active_parameters <= parameters:
        raise InvalidInput("The active parameters exceed all parameters.", "active_parameters")
    heads = query_heads or kv_heads
    moe = _experts(parameters, active_parameters, layers) if active_parameters < parameters else None
    routed = moe.layers * moe.experts_per_token * moe.parameters_per_expert if moe else 0
    dense = active_parameters - routed
    counts = {TensorClass.FEED_FORWARD: dense, TensorClass.EXPERT: parameters - dense}
    return Blueprint(
        name=name,
        family=FAMILY,
        layers=layers,
        hidden_size=heads * head_dim,
        vocabulary=0,
        parameters={kind: count for kind, count in counts.items() if count},
        attention=(AttentionGroup(AttentionKind.FULL, layers, heads, kv_heads, head_dim, head_dim),),
        moe=moe,
        trained_context=trained_context,
        warnings=(ReadingNote(NoteKind.TEXTBOOK),),
    )


def _experts(parameters: int, active: int, layers: int) -> MixtureOfExperts:
    """The fewest experts of a usual number with which eight of them are no more than the active parameters."""
    experts = FEWEST
    while (parameters - active) * PER_TOKEN > active * (experts - PER_TOKEN) and experts < MOST:
        experts *= 2
    each = min((parameters - active) // (layers * (experts - PER_TOKEN)), active // (layers * PER_TOKEN))
    return MixtureOfExperts(layers, experts, PER_TOKEN, each)
