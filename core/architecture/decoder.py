"""Conventional decoders: full or windowed attention, dense or with routed experts.

Most language models are this, and differ in a few habits: which projections have a bias, what is normed, which layers
have a window, where the experts begin. `core.architecture.habits` states them by model_type; everything else comes from
the file.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.draft import Core, Draft
from core.architecture.fields import Fields
from core.architecture.habits import HABITS, Habits
from core.architecture.header_stream import shown
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

CONVENTIONAL = Habits()


def read_decoder(fields: Fields, family: str) -> Draft:
    """Count a conventional decoder by the habits of its family."""
    habits = HABITS.get(family, CONVENTIONAL)
    draft = Draft(fields, read_core(fields, habits.tied, _norms(fields, habits) > 2))
    _frame(draft, habits)
    heads = [_heads_of_layer(fields.of_layer(index), habits) for index in range(draft.core.layers)]
    windows = layer_windows(fields, draft.core.layers, habits)
    experts = _read_experts(fields, habits)
    sparse = _sparse_layers(fields, draft.core.layers, habits) if experts else set()
    dense_inner = _dense_inner(draft, sparse, habits)
    bias = fields.flag("mlp_bias") if habits.mlp_bias is None else habits.mlp_bias
    for index, window in enumerate(windows):
        layer = f"layers.{index}."
        _attend(draft, layer, heads[index], window, habits)
        if experts and index in sparse:
            mixture(draft, layer, experts)
        else:
            feed_forward(draft, layer + "mlp", dense_inner[index], bias=bias, gated=habits.gated)
            draft.vector(layer + "mlp", habits.activation + (dense_inner[index] if habits.sub_norms else 0))
    if habits.predicts:
        _predict(draft, heads[-1], experts, habits)
    return draft


def _frame(draft: Draft, habits: Habits) -> None:
    """What stands before and behind the layers: words, positions where they are learned, the last norm and the head."""
    fields, core = draft.fields, draft.core
    parts = 2 if habits.norm_bias else 1
    embedding_and_head(draft, final_norm=parts * (int(habits.norms > 0) + int(habits.embedding_norm)))
    if habits.positions >= 0:
        rows = fields.tokens("max_position_embeddings") + habits.positions
        draft.add(TensorClass.EMBEDDING, "embed_positions", rows * core.hidden_size)
    if fields.flag("lm_head_bias") if habits.head_bias is None else habits.head_bias:
        draft.vector("lm_head", core.vocabulary)


def _norms(fields: Fields, habits: Habits) -> int:
    """Norms of hidden size in a layer."""
    if habits.single_norm and fields.flag(habits.single_norm):
        return 1
    return habits.norms + (2 if habits.post_norms and fields.flag(habits.post_norms) else 0)


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
                'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=shown(kind), file=fields.file
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


def _heads_of_layer(fields: Fields, habits: Habits) -> Heads:
    stated = fields.flag("attention_bias")
    normed = habits.qk_norm_flag is None or fields.flag("use_qk_norm", habits.qk_norm_flag)
    output_bias = stated if habits.output_bias is None else habits.output_bias
    return replace(
        read_heads(fields, fields.integer("hidden_size", "n_embd", "d_model")),
        qkv_bias=stated if habits.qkv_bias is None else habits.qkv_bias,
        output_bias=fields.flag("attention_out_bias", output_bias),
        qk_norm=habits.qk_norm if normed else "",
        output_gate=habits.output_gate,
    )


def _attend(draft: Draft, layer: str, heads: Heads, window: int, habits: Habits) -> None:
    attention(draft, layer, heads)
    if habits.sinks:
        draft.vector(layer + "self_attn.sinks", heads.query_heads)
    norms = _norms(draft.fields, habits) * (2 if habits.norm_bias else 1)
    draft.vector(layer + "norms", norms * draft.core.hidden_size)
    if habits.sub_norms:
        draft.vector(layer + "self_attn.norm", draft.core.hidden_size)
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
        shared = fields.integer(habits.shared_width, default=None if habits.shared_gate else 0, least=0)
    return Experts(
        experts,
        per_token,
        inner,
        shared,
        shared_gate=habits.shared_gate,
        router_bias=habits.router_bias or (habits.router_bias_flag != "" and fields.flag(habits.router_bias_flag)),
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


def _dense_inner(draft: Draft, sparse: set[int], habits: Habits) -> list[int]:
    fields, layers = draft.fields, draft.core.layers
    if len(sparse) == layers:
        return [0] * layers
    if habits.inner_multiple and not fields.has("intermediate_size"):
        return [habits.inner_multiple * draft.core.hidden_size] * layers
    if "intermediate_size" in fields.stated_by_layer():
        return [fields.of_layer(index).integer("intermediate_size") for index in range(layers)]
    return fields.per_layer("intermediate_size", layers, least=1)


def _predict(draft: Draft, heads: Heads, experts: Experts | None, habits: Habits) -> None:
    """The layers of multi-token prediction: a decoder layer each, two norms and the projection that joins them."""
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction = draft.start_prediction()
        layer = f"layers.{index}."
        attention(prediction, layer, heads)
        prediction.vector(layer + "norms", habits.norms * draft.core.hidden_size)
        if experts and not habits.predicts_dense:
            mixture(prediction, layer, experts)
        else:
            feed_forward(prediction, layer + "mlp", draft.fields.integer("intermediate_size"))
        prediction_joint(prediction, layer, copies=habits.head_copies)
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
