"""Conventional decoders: full or windowed attention, dense or with routed experts.

Most language models are this, and differ in a few habits: which projections have a bias, what is normed, which layers
have a window, where the experts begin. `HABITS` states them by model_type; everything else comes from the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.draft import Core, Draft
from core.architecture.fields import Fields
from core.architecture.modules import (
    Experts,
    Heads,
    attention,
    embedding_and_head,
    feed_forward,
    mixture,
    read_expert_counts,
    read_heads,
)
from core.errors import UnsupportedArchitecture


@dataclass(frozen=True, slots=True)
class Habits:
    """What the files of a family do not say, because its program knows it."""

    qkv_bias: bool | None = None  # None: as "attention_bias" says
    output_bias: bool | None = None  # None: as "attention_bias" says
    qk_norm: str = ""
    qk_norm_flag: bool | None = None  # what a missing "use_qk_norm" means; None: there is no such field
    output_gate: bool = False
    norms: int = 2  # norms of hidden size in a layer
    tied: bool = False  # where the file does not say
    period: int = 0  # every how many layers one has full attention, where the file does not say; 1: all have a window
    window_flag: bool = False  # "use_sliding_window" must be true
    sinks: bool = False  # one number a query head
    expert_biases: bool = False
    router_bias: bool = False
    shared_field: str = ""  # number of shared experts
    shared_width: str = ""  # width of the shared expert, which then has a gate
    dense_field: str = "first_k_dense_replace"  # layers before the first one with experts
    predicts: bool = False  # the checkpoint keeps the layers of "num_nextn_predict_layers"


_QWEN2 = Habits(qkv_bias=True, output_bias=False, window_flag=True)
_QWEN3 = Habits(qk_norm="head", window_flag=True)
_GEMMA3 = Habits(qk_norm="head", norms=4, tied=True, period=6)
_COHERE = Habits(norms=1, tied=True, qk_norm="full", qk_norm_flag=False)
_HUNYUAN = Habits(qk_norm="head", qk_norm_flag=True, tied=True, shared_field="num_shared_expert")

HABITS: dict[str, Habits] = {
    "llama": Habits(),
    "mistral": Habits(qkv_bias=False, output_bias=False, period=1),
    "ministral": Habits(qkv_bias=False, output_bias=False, period=1),
    "ministral3": Habits(qkv_bias=False, output_bias=False, period=1),
    "mixtral": Habits(qkv_bias=False, output_bias=False, period=1),
    "qwen2": _QWEN2,
    "qwen2_moe": Habits(
        qkv_bias=True, output_bias=False, window_flag=True, shared_width="shared_expert_intermediate_size"
    ),
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "phi3": Habits(qkv_bias=False, output_bias=False, period=1),
    "gemma": Habits(tied=True),
    "gemma2": Habits(norms=4, tied=True, period=2),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gpt_oss": Habits(sinks=True, expert_biases=True, period=2),
    "glm": Habits(output_bias=False),
    "glm4": Habits(output_bias=False, norms=4),
    "glm4_moe": Habits(
        output_bias=False,
        qk_norm="head",
        qk_norm_flag=False,
        router_bias=True,
        shared_field="n_shared_experts",
        predicts=True,
    ),
    "olmo2": Habits(qk_norm="full"),
    "olmo3": Habits(qk_norm="full", period=4),
    "exaone4": Habits(qkv_bias=False, output_bias=False, qk_norm="head", period=4),
    "granite": Habits(tied=True),
    "minimax_m2": Habits(qkv_bias=False, output_bias=False, qk_norm="full", router_bias=True),
    "cohere": _COHERE,
    "cohere2": replace(_COHERE, period=4, qk_norm=""),
    "cohere2_moe": replace(_COHERE, period=4, qk_norm="", shared_field="num_shared_experts"),
    "hunyuan_v1_dense": _HUNYUAN,
    "hunyuan_v1_moe": _HUNYUAN,
    "smollm3": Habits(tied=True, window_flag=True),
    "dots1": Habits(qk_norm="head", router_bias=True, shared_field="n_shared_experts"),
    "ernie4_5": Habits(qkv_bias=False, output_bias=False, tied=True),
    "ernie4_5_moe": Habits(
        qkv_bias=False,
        output_bias=False,
        tied=True,
        router_bias=True,
        shared_field="moe_num_shared_experts",
    ),
    "seed_oss": Habits(output_bias=False),
    "mimo": Habits(output_bias=False, window_flag=True, predicts=True),
    "afmoe": Habits(
        qkv_bias=False,
        output_bias=False,
        qk_norm="head",
        output_gate=True,
        norms=4,
        period=4,
        router_bias=True,
        shared_field="num_shared_experts",
        dense_field="num_dense_layers",
    ),
}

CONVENTIONAL = Habits()


def read_decoder(fields: Fields, family: str) -> Draft:
    """Count a conventional decoder by the habits of its family."""
    habits = HABITS.get(family, CONVENTIONAL)
    draft = Draft(fields, read_core(fields, habits.tied, habits.norms > 2))
    embedding_and_head(draft)
    heads = _with_habits(read_heads(fields, draft.core.hidden_size), fields, habits)
    windows = layer_windows(fields, draft.core.layers, habits)
    experts = _read_experts(fields, habits)
    sparse = _sparse_layers(fields, draft.core.layers, habits) if experts else set()
    dense_inner = _dense_inner(fields, draft.core.layers, sparse)
    for index, window in enumerate(windows):
        layer = f"layers.{index}."
        _attend(draft, layer, heads, window, habits)
        if experts and index in sparse:
            mixture(draft, layer, experts)
        else:
            feed_forward(draft, layer + "mlp", dense_inner[index], bias=fields.flag("mlp_bias"))
    if habits.predicts:
        _predict(draft, heads, experts, habits)
    return draft


def read_core(fields: Fields, tied: bool = False, double_norms: bool = False) -> Core:
    """Layers, hidden size, vocabulary, and whether the head is the embedding."""
    return Core(
        layers=fields.layers("num_hidden_layers", "n_layer", "n_layers"),
        hidden_size=fields.integer("hidden_size", "n_embd", "d_model"),
        vocabulary=fields.tokens("vocab_size"),
        tied=fields.flag("tie_word_embeddings", tied),
        double_norms=double_norms,
    )


def layer_windows(fields: Fields, layers: int, habits: Habits) -> list[int]:
    """The window of each layer in tokens, 0 for full attention.

    "layer_types" wins; then "sliding_window_pattern"; then the family's habit. A window as long as the trained context
    is none.
    """
    kinds = fields.layer_types("layer_types", layers)
    windowed = _windowed(kinds, fields) if kinds is not None else _windowed_by_habit(fields, layers, habits)
    if not any(windowed):
        return [0] * layers
    window = fields.tokens("sliding_window", "sliding_window_size")
    if window >= fields.tokens("max_position_embeddings", default=window + 1):
        return [0] * layers
    return [window if w else 0 for w in windowed]


def _windowed(kinds: Sequence[str], fields: Fields) -> list[bool]:
    for kind in kinds:
        if kind not in ("sliding_attention", "full_attention"):
            raise UnsupportedArchitecture(
                'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=kind[:80], file=fields.file
            )
    return [kind == "sliding_attention" for kind in kinds]


def _windowed_by_habit(fields: Fields, layers: int, habits: Habits) -> list[bool]:
    if fields.first(("sliding_window", "sliding_window_size")) is None:
        return [False] * layers
    if habits.window_flag:
        first = fields.integer("max_window_layers", default=layers, least=0)
        return [fields.flag("use_sliding_window") and index >= first for index in range(layers)]
    for name in ("sliding_window_pattern", "_sliding_window_pattern"):
        if isinstance(fields.values.get(name), str):
            letters = fields.text(name) or "G"
            return [letters[index % len(letters)] == "L" for index in range(layers)]
    period = fields.integer(
        "sliding_window_pattern",
        "_sliding_window_pattern",
        "global_attn_every_n_layers",
        default=habits.period,
        least=0,
    )
    if period == 1:
        return [True] * layers
    return [period > 0 and (index + 1) % period != 0 for index in range(layers)]


def _with_habits(heads: Heads, fields: Fields, habits: Habits) -> Heads:
    stated = fields.flag("attention_bias")
    normed = habits.qk_norm_flag is None or fields.flag("use_qk_norm", habits.qk_norm_flag)
    output_bias = stated if habits.output_bias is None else habits.output_bias
    return replace(
        heads,
        qkv_bias=stated if habits.qkv_bias is None else habits.qkv_bias,
        output_bias=fields.flag("attention_out_bias", output_bias),
        qk_norm=habits.qk_norm if normed else "",
        output_gate=habits.output_gate,
    )


def _attend(draft: Draft, layer: str, heads: Heads, window: int, habits: Habits) -> None:
    attention(draft, layer, heads)
    if habits.sinks:
        draft.vector(layer + "self_attn.sinks", heads.query_heads)
    draft.vector(layer + "norms", habits.norms * draft.core.hidden_size)
    draft.attend(heads.group(AttentionKind.WINDOW if window else AttentionKind.FULL, window))


def _read_experts(fields: Fields, habits: Habits) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    inner_name = fields.first(("moe_intermediate_size", "intermediate_size")) or "moe_intermediate_size"
    inner = fields.per_layer(inner_name, 1, least=1)[0]
    shared = 0
    if habits.shared_field and fields.has(habits.shared_field):
        shared = fields.per_layer(habits.shared_field, 1)[0] * inner
    if habits.shared_width:
        shared = fields.integer(habits.shared_width, least=0)
    return Experts(
        experts,
        per_token,
        inner,
        shared,
        shared_gate=bool(habits.shared_width),
        router_bias=habits.router_bias,
        biases=habits.expert_biases,
    )


def _sparse_layers(fields: Fields, layers: int, habits: Habits) -> set[int]:
    """The layers with routed experts, by whichever of the known fields says so."""
    kinds = fields.layer_types("mlp_layer_types", layers)
    if kinds is not None:
        return {index for index, kind in enumerate(kinds) if kind == "sparse"}
    if fields.has("moe_layer_start_index"):
        return _sparse_between(fields, layers)
    dense = set(fields.integers("mlp_only_layers") or [])
    first = fields.integer(habits.dense_field, default=0, least=0)
    step = fields.integer("decoder_sparse_step", default=1)
    return {index for index in range(first, layers) if index not in dense and (index + 1) % step == 0}


def _sparse_between(fields: Fields, layers: int) -> set[int]:
    first = fields.integer("moe_layer_start_index", least=0)
    last = fields.integer("moe_layer_end_index", default=-1, least=-1)
    step = fields.integer("moe_layer_interval", default=1)
    end = layers - 1 if last < 0 else min(last, layers - 1)
    return {index for index in range(first, end + 1) if (index + 1) % step == 0}


def _dense_inner(fields: Fields, layers: int, sparse: set[int]) -> list[int]:
    if len(sparse) == layers:
        return [0] * layers
    return fields.per_layer("intermediate_size", layers, least=1)


def _predict(draft: Draft, heads: Heads, experts: Experts | None, habits: Habits) -> None:
    """The layers of multi-token prediction: a decoder layer each, two norms and the projection that joins them."""
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction = draft.start_prediction()
        layer = f"layers.{index}."
        attention(prediction, layer, heads)
        prediction.vector(layer + "norms", habits.norms * draft.core.hidden_size)
        if experts:
            mixture(prediction, layer, experts)
        else:
            feed_forward(prediction, layer + "mlp", draft.fields.integer("intermediate_size"))
        prediction_joint(prediction, layer, copies=experts is not None)
        draft.predict(prediction)


def prediction_joint(draft: Draft, layer: str, copies: bool) -> None:
    """What joins a prediction layer to the model: projection of two hidden states, three norms, and the embedding
    and head where the checkpoint stores them again."""
    hidden, vocabulary = draft.core.hidden_size, draft.core.vocabulary
    draft.linear(TensorClass.FEED_FORWARD, layer + "eh_proj", 2 * hidden, hidden)
    draft.vector(layer + "norms", 3 * hidden)
    if copies:
        draft.add(TensorClass.EMBEDDING, layer + "embed_tokens", vocabulary * hidden)
        draft.add(TensorClass.HEAD, layer + "shared_head.head", vocabulary * hidden)
