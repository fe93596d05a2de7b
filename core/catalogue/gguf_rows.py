"""Rows that do not divide into blocks of 256: llama.cpp keeps such tensors in the next wider format with blocks of 32.

Of a block the down-projection has rows as long as the block is wide inside; all other matrices, the table of words and
the head have rows as long as the model is wide. Which type a mixture takes for a down-projection differs by layer.

Read in ggml-org/llama.cpp: src/llama-quant.cpp (llama_tensor_get_type; what is not compatible falls back).
"""

from collections.abc import Iterator, Mapping

from core.architecture.blueprint import Blueprint, TensorClass

BLOCK = 256
#: Bits per weight of the types, and what each becomes.
_BITS = {
    "IQ1_S": 1.5625, "IQ1_M": 1.75, "IQ2_XXS": 2.0625, "IQ2_XS": 2.3125, "IQ2_S": 2.5625, "IQ3_XXS": 3.0625,
    "IQ3_S": 3.4375, "IQ4_XS": 4.25, "IQ4_NL": 4.5, "Q2_K": 2.625, "Q3_K": 3.4375, "Q4_K": 4.5, "Q5_K": 5.5,
    "Q6_K": 6.5625, "Q5_0": 5.5, "Q5_1": 6.0, "Q8_0": 8.5,
}  # fmt: skip
_WIDER = {"Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
_ELSE = "IQ4_NL"
#: Mixture: the type of most matrices, and those of down-projections with their share of the layers.
_MIXTURES: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "Q2_K": ("Q2_K", {"Q3_K": 1}),
    "Q2_K_S": ("Q2_K", {"Q4_K": 1 / 8, "Q2_K": 7 / 8}),
    "Q3_K_S": ("Q3_K", {"Q3_K": 1}),
    "Q3_K_M": ("Q3_K", {"Q5_K": 1 / 16, "Q4_K": 15 / 16}),
    "Q3_K_L": ("Q3_K", {"Q5_K": 1}),
    "Q4_K_S": ("Q4_K", {"Q5_K": 1 / 8, "Q4_K": 7 / 8}),
    "Q4_K_M": ("Q4_K", {"Q6_K": 1 / 2, "Q4_K": 1 / 2}),
    "Q5_K_S": ("Q5_K", {"Q5_K": 1}),
    "Q5_K_M": ("Q5_K", {"Q6_K": 1 / 2, "Q5_K": 1 / 2}),
    "Q6_K": ("Q6_K", {"Q6_K": 1}),
    "IQ4_XS": ("IQ4_XS", {"IQ4_XS": 1}),
    "IQ3_M": ("IQ3_S", {"IQ3_S": 1}),
    "IQ3_S": ("IQ3_S", {"IQ3_S": 1}),
    "IQ3_XS": ("IQ3_S", {"IQ3_S": 1}),
    "IQ3_XXS": ("IQ3_XXS", {"Q3_K": 1}),
    "IQ2_M": ("IQ2_S", {"IQ2_S": 1}),
    "IQ2_S": ("IQ2_XS", {"IQ2_XS": 1}),
    "IQ2_XS": ("IQ2_XS", {"IQ2_XS": 1}),
    "IQ2_XXS": ("IQ2_XXS", {"IQ2_XXS": 1}),
    "IQ1_M": ("IQ1_M", {"IQ1_M": 1}),
    "IQ1_S": ("IQ1_S", {"IQ1_S": 1}),
}
_BLOCKS = (TensorClass.FEED_FORWARD, TensorClass.EXPERT, TensorClass.SHARED_EXPERT)


def more_bits(mixture: str, kind: str) -> float:
    """Bits that a matrix of a mixture has more where its rows do not divide: "inside" a block, or "across" the model.

    >>> more_bits("Q4_K_M", "inside"), more_bits("Q4_K_M", "across"), more_bits("Q8_0", "inside")
    (1.46875, 1.0, 0.0)
    """
    if mixture not in _MIXTURES:
        return 0.0
    base, down = _MIXTURES[mixture]
    return sum(share * _wider(name) for name, share in (down if kind == "inside" else {base: 1}).items())


def _wider(name: str) -> float:
    return _BITS[_WIDER.get(name, _ELSE)] - _BITS[name]


def widened(mixture: str, blueprint: Blueprint) -> Iterator[tuple[TensorClass, float]]:
    """What classes of a model have more, on the mean of their matrices."""
    if mixture not in _MIXTURES:
        return
    across = more_bits(mixture, "across") if blueprint.hidden_size % BLOCK else 0.0
    for kind in _BLOCKS:
        inner, matrices = _inner(blueprint, kind)
        inside = more_bits(mixture, "inside") if inner % BLOCK else 0.0
        if inner and (inside or across):
            yield kind, (inside + (matrices - 1) * across) / matrices
    if across:
        yield TensorClass.RECURRENT, across
        yield TensorClass.ATTENTION, across * _entering(blueprint)


def widened_words(mixture: str, kept: float, blueprint: Blueprint) -> float:
    """Bits of the table of words and of the head, whose types a mixture chooses by themselves.

    The older formats have blocks of 32, and only their head is a type with blocks of 256.

    >>> odd = Blueprint(name="x", family="x", layers=1, hidden_size=2880, vocabulary=1, parameters={}, attention=())
    >>> widened_words("Q4_K_M", 6.5625, odd), widened_words("Q4_0", 4.5, odd)
    (8.5, 4.5)
    """
    older = mixture not in _MIXTURES
    if not blueprint.hidden_size % BLOCK or (older and kept != _BITS["Q6_K"]):
        return kept
    types = [name for name, size in _BITS.items() if size == kept and name.endswith("_K")]
    return _BITS[_WIDER.get(types[0], _ELSE)] if types else kept


def _inner(blueprint: Blueprint, kind: TensorClass) -> tuple[int, int]:
    """The width inside a block of this class, 0 where unknown, and its matrices: three with a gate, else two."""
    moe, each = blueprint.moe, 0.0
    if kind is TensorClass.EXPERT:
        each = moe.parameters_per_expert if moe else 0
    else:
        layers = moe.layers if moe else 0
        count = layers if kind is TensorClass.SHARED_EXPERT else (blueprint.layers - layers or blueprint.layers)
        each = blueprint.parameters.get(kind, 0) / count if count else 0
    for matrices in (3, 2):
        inner = each / (matrices * blueprint.hidden_size)
        if inner and inner == int(inner):
            return int(inner), matrices
    return 0, 3


def _entering(blueprint: Blueprint) -> float:
    """The share of attention's matrices whose rows are as long as the model is wide: all but the last projection."""
    whole = blueprint.parameters.get(TensorClass.ATTENTION, 0)
    last = sum(g.layers * g.query_heads * g.value_dim * blueprint.hidden_size for g in blueprint.attention)
    return max(0.0, 1 - last / whole) if whole else 0.0
