"""Gated DeltaNet hybrids: three layers in four keep a state of constant size, every fourth has full attention.

Qwen3-Next, Qwen3.5 and Qwen3.6, dense and with experts; OLMo Hybrid.
"""

from dataclasses import dataclass, replace

from core.architecture.blueprint import RecurrentGroup, RecurrentKind, TensorClass
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
        if kind not in ("full_attention", "linear_attention"):
            raise UnsupportedArchitecture(
                'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=shown(kind), file=fields.file
            )
    return [kind == "full_attention" for kind in kinds]


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
