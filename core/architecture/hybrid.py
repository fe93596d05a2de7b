"""Gated DeltaNet hybrids: three layers in four keep a state of constant size, every fourth has full attention.

Qwen3-Next, Qwen3.5 and Qwen3.6, dense and with experts; OLMo Hybrid; Qwen3.8-Flash-Next, which mixes several hidden
states, looks up runs of tokens and picks what attention reads.
"""

from dataclasses import dataclass, replace

from core.architecture.blueprint import AttentionGroup, RecurrentGroup, RecurrentKind, TensorClass
from core.architecture.decoder import prediction_joint, read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
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

STATE_BYTES = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}
PLAIN_ATTENTION = frozenset({"olmo_hybrid"})  # no gate; keys and queries are normed over all heads together
MOST_ROWS = 10**10  # of a table of n-grams
FULL_KINDS = frozenset({"full_attention", "qwen_sparse_attention", "indexed_attention"})
PREDICTS_UNSAID = "qwen3_next"  # its checkpoint holds one prediction layer that the file does not mention


@dataclass(frozen=True, slots=True)
class DeltaNet:
    """The shape of a Gated DeltaNet layer."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int  # width of the short convolution [tokens]
    matrix_bytes: float
    matrix_stated: bool

    @property
    def keys(self) -> int:
        return self.key_heads * self.key_dim

    @property
    def values(self) -> int:
        return self.value_heads * self.value_dim

    @property
    def channels(self) -> int:
        """Width of the convolution: query, key and value side by side."""
        return 2 * self.keys + self.values

    def group(self) -> RecurrentGroup:
        """One layer: the last kernel - 1 tokens of the convolution, and one matrix for each value head."""
        return RecurrentGroup(
            kind=RecurrentKind.GATED_DELTANET,
            layers=1,
            heads=self.value_heads,
            key_dim=self.key_dim,
            value_dim=self.value_dim,
            convolution_elements=self.channels * (self.kernel - 1),
            convolution_tokens=self.kernel - 1,
            matrix_elements=self.value_heads * self.value_dim * self.key_dim,
            matrix_bytes=self.matrix_bytes,
            matrix_stated=self.matrix_stated,
        )


def read_hybrid(fields: Fields, family: str) -> Draft:
    """Count a Gated DeltaNet hybrid."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    plain = family in PLAIN_ATTENTION
    heads = replace(
        read_heads(fields, draft.core.hidden_size), qk_norm="full" if plain else "head", output_gate=not plain
    )
    heads = replace(heads, qkv_bias=fields.flag("attention_bias"), output_bias=fields.flag("attention_bias"))
    delta, experts = _read_delta(fields), _read_experts(fields)
    for index, full in enumerate(_full_layers(fields, draft.core.layers)):
        layer = f"layers.{index}."
        if full:
            attention(draft, layer, heads)
            draft.attend(heads.group())
        else:
            _delta_layer(draft, layer, delta)
            draft.recur(delta.group())
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        _feed(draft, layer, experts)
    _predict(draft, heads, experts, family)
    return draft


def _delta_layer(draft: Draft, layer: str, delta: DeltaNet) -> None:
    """Projections to query, key, value and gate, the short convolution, and two numbers for each head's decay."""
    hidden, path, kind = draft.core.hidden_size, layer + "linear_attn.", TensorClass.RECURRENT
    draft.linear(kind, path + "in_proj_qkv", hidden, delta.channels)
    draft.linear(kind, path + "in_proj_z", hidden, delta.values)
    draft.linear(kind, path + "in_proj_ba", hidden, 2 * delta.value_heads)
    draft.linear(kind, path + "out_proj", delta.values, hidden)
    draft.vector(path + "conv1d", delta.channels * delta.kernel)
    draft.vector(path + "decay", 2 * delta.value_heads)
    draft.vector(path + "norm", delta.value_dim)


def _read_delta(fields: Fields) -> DeltaNet:
    stated = fields.text("mamba_ssm_dtype", "float32")
    if stated not in STATE_BYTES:
        raise fields.wrong("mamba_ssm_dtype", "is none of {known}", known=", ".join(STATE_BYTES))
    return DeltaNet(
        key_heads=fields.heads("linear_num_key_heads"),
        value_heads=fields.heads("linear_num_value_heads"),
        key_dim=fields.integer("linear_key_head_dim"),
        value_dim=fields.integer("linear_value_head_dim"),
        kernel=fields.integer("linear_conv_kernel_dim", most=1024),
        matrix_bytes=STATE_BYTES[stated],
        matrix_stated=fields.has("mamba_ssm_dtype"),
    )


def _full_layers(fields: Fields, layers: int) -> list[bool]:
    kinds = fields.layer_types("layer_types", layers)
    if kinds is None:
        interval = fields.integer("full_attention_interval", default=4)
        return [(index + 1) % interval == 0 for index in range(layers)]
    for kind in kinds:
        if kind not in FULL_KINDS and kind != "linear_attention":
            raise UnsupportedArchitecture(
                'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=shown(kind), file=fields.file
            )
    return [kind in FULL_KINDS for kind in kinds]


def _read_experts(fields: Fields) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    shared = fields.integer("shared_expert_intermediate_size", default=0, least=0)
    inner = fields.integer("moe_intermediate_size")
    return Experts(experts, per_token, inner, shared, shared_gate=shared > 0)


def _feed(draft: Draft, layer: str, experts: Experts | None) -> None:
    if experts:
        mixture(draft, layer, experts)
    else:
        feed_forward(draft, layer + "mlp", draft.fields.integer("intermediate_size"))


def _predict(draft: Draft, heads: Heads, experts: Experts | None, family: str) -> None:
    """Prediction layers always have full attention."""
    unsaid = 1 if family == PREDICTS_UNSAID else 0
    names = ("mtp_num_hidden_layers", "num_nextn_predict_layers")
    count = draft.fields.integer(*names, default=unsaid, least=0, most=64)
    if not count:
        return
    prediction = draft.start_prediction()
    for index in range(count):
        layer = f"mtp.layers.{index}."
        attention(prediction, layer, heads)
        prediction.vector(layer + "norms", 2 * draft.core.hidden_size)
        _feed(prediction, layer, experts)
    prediction_joint(prediction, "mtp.", copies=False)
    draft.predict(prediction)


# ---- several hidden states beside each other


@dataclass(frozen=True, slots=True)
class Picker:
    """The indexer of an attention layer, whose keys are means over `pool` tokens."""

    heads: int
    dim: int
    pool: int
    reads: int  # [tokens] that a query reads

    def of(self, heads: Heads) -> AttentionGroup:
        """One layer: what one token adds to the key of its pool, beside keys and values."""
        shared = max(1, self.dim // self.pool)
        return replace(heads.group(), index_dim=shared, index_top_k=self.reads, index_layers=1, index_heads=self.heads)


@dataclass(frozen=True, slots=True)
class Streams:
    """Hidden states that run beside each other, and the rank of what mixes them."""

    count: int
    rank: int


def read_mixed_streams(fields: Fields, family: str) -> Draft:
    """Count Qwen3.8-Flash-Next (Qwen4-Exp): a hybrid with mixed hidden states, tables of n-grams and an indexer.

    Before and after each block of a layer the states are mixed by matrices that no checkpoint quantises. A layer that
    the file names (from one on) looks runs of tokens up: each of so many heads for each length has a table of its own,
    of as many rows as the first primes beyond the stated number, which is what is counted for all of them. What its
    convolution remembers, 0.2 % of the state, is not counted.

    SGLang 0.5.23: models/qwen4_exp.py, qwen4_exp_mtp.py, layers/hyperconnection.py, layers/attention/qsa
    """
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft, final_norm=0)
    heads = replace(read_heads(fields, draft.core.hidden_size), qk_norm="head", output_gate=True)
    heads = replace(heads, qkv_bias=fields.flag("attention_bias"), output_bias=fields.flag("attention_bias"))
    streams = Streams(fields.integer("hc_count", default=4, most=64), fields.integer("hc_lowrank", default=320))
    delta, experts, picker = _read_delta(fields), _read_experts(fields), _read_picker(fields)
    tables = set(fields.integers("ple_layer_ids") or ())
    for index, full in enumerate(_full_layers(fields, draft.core.layers)):
        layer = f"layers.{index}."
        if index + 1 in tables:
            _ngrams(draft, layer + "ple.", streams)
        if full:
            _picked_attention(draft, layer, heads, picker)
            draft.attend(picker.of(heads) if picker else heads.group())
        else:
            _delta_layer(draft, layer, delta)
            draft.recur(delta.group())
        _mixed_blocks(draft, layer, streams)
        _feed(draft, layer, experts)
    _mix(draft, "hyper_connection_mixer", streams, joins=False)
    _predict_mixed(draft, heads, picker, experts, streams)
    return draft


def _read_picker(fields: Fields) -> Picker | None:
    if not fields.has("indexer_head_dim"):
        return None
    return Picker(
        heads=fields.heads("indexer_n_heads"),
        dim=fields.integer("indexer_head_dim"),
        pool=fields.integer("indexer_compress_ratio", most=65_536),
        reads=fields.tokens("indexer_budget"),
    )


def _picked_attention(draft: Draft, layer: str, heads: Heads, picker: Picker | None) -> None:
    """Attention, and the queries and the key of its indexer."""
    attention(draft, layer, heads)
    if picker:
        path, hidden = layer + "self_attn.indexer.", draft.core.hidden_size
        draft.linear(TensorClass.ATTENTION, path + "index_qk_proj", hidden, (picker.heads + 1) * picker.dim)
        draft.vector(path + "norms", 2 * picker.dim)


def _mixed_blocks(draft: Draft, layer: str, streams: Streams) -> None:
    """What mixes the states before and after attention, and before and after the feed-forward block."""
    for block in ("attn_hyper_connection", "mlp_hyper_connection"):
        _mix(draft, layer + block, streams, joins=True)


def _mix(draft: Draft, path: str, streams: Streams, joins: bool) -> None:
    """A norm of all states, down to the rank and up again, and where a block joins them, a weight for each."""
    wide = streams.count * draft.core.hidden_size
    draft.vector(path, wide + 2 * wide * streams.rank + (streams.count * wide if joins else 0))


def _ngrams(draft: Draft, path: str, streams: Streams) -> None:
    """Tables, key and value of what was found, three norms of all states, and a convolution."""
    fields, hidden = draft.fields, draft.core.hidden_size
    width, wide = fields.integer("ple_embed_dim", default=hidden), streams.count * hidden
    rows = fields.integer("ngram_vocab_size_base", most=MOST_ROWS)
    draft.add(TensorClass.NGRAM, path + "ngram_embedding", rows * width)
    draft.linear(TensorClass.FEED_FORWARD, path + "key_proj", width, wide)
    draft.linear(TensorClass.FEED_FORWARD, path + "value_proj", width, hidden)
    draft.vector(path + "norms", 3 * wide)
    draft.vector(path + "conv1d", wide * fields.integer("ple_conv_kernel_size", default=4, most=1024))


def _predict_mixed(
    draft: Draft, heads: Heads, picker: Picker | None, experts: Experts | None, streams: Streams
) -> None:
    """Prediction layers have full attention, states of their own and no tables."""
    count = draft.fields.integer("mtp_num_hidden_layers", default=0, least=0, most=64)
    if not count:
        return
    prediction, hidden = draft.start_prediction(), draft.core.hidden_size
    for index in range(count):
        layer = f"mtp.layers.{index}."
        _picked_attention(prediction, layer, heads, picker)
        _mixed_blocks(prediction, layer, streams)
        _feed(prediction, layer, experts)
    _mix(prediction, "mtp.hyper_connection_mixer", streams, joins=False)
    prediction.linear(TensorClass.FEED_FORWARD, "mtp.fc_embedding", hidden, hidden)
    prediction.linear(TensorClass.FEED_FORWARD, "mtp.fc_hidden", hidden, hidden)
    prediction.vector("mtp.pre_fc_norms", (1 + streams.count) * hidden)
    draft.predict(prediction)
