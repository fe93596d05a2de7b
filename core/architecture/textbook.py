"""The model of the textbook formula: a handful of numbers, every layer with full attention."""

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

    All parameters that a token does not use are routed experts; the others are one dense block. So the total and the
    active parameters come out exactly as given, and the cache is 2 * layers * kv_heads * head_dim elements a token.

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
    idle = parameters - active_parameters
    counts = {TensorClass.FEED_FORWARD: active_parameters} | ({TensorClass.EXPERT: idle} if idle else {})
    return Blueprint(
        name=name,
        family=FAMILY,
        layers=layers,
        hidden_size=heads * head_dim,
        vocabulary=0,
        parameters=counts,
        attention=(AttentionGroup(AttentionKind.FULL, layers, heads, kv_heads, head_dim, head_dim),),
        moe=MixtureOfExperts(layers, 1, 0, idle // layers) if idle else None,
        trained_context=trained_context,
        warnings=(ReadingNote(NoteKind.TEXTBOOK),),
    )
