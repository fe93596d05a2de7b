"""LFM2: most layers are a short convolution over the last few tokens, the others have full attention.

Read in transformers 5.24, models/lfm2 and models/lfm2_moe, and vLLM 0.33, mamba_utils.py: short_conv_state_shape.
"""

from dataclasses import replace

from core.architecture.blueprint import RecurrentGroup, RecurrentKind, TensorClass
from core.architecture.decoder import read_core
from core.architecture.draft import Draft
from core.architecture.fields import MOST_WIDTH, Fields
from core.architecture.header_stream import shown
from core.architecture.modules import (
    Experts,
    attention,
    embedding_and_head,
    feed_forward,
    mixture,
    read_expert_counts,
    read_heads,
)
from core.errors import UnsupportedArchitecture

ATTENTION, CONVOLUTION = ("full_attention",), ("conv", "short_conv")


def read_lfm2(fields: Fields, family: str) -> Draft:
    """Count LFM2, dense and with experts."""
    core = read_core(fields, tied=fields.flag("tie_embedding", True))
    draft = Draft(fields, core)
    embedding_and_head(draft)
    heads = replace(read_heads(fields, core.hidden_size), qk_norm="head")
    experts = _read_experts(fields)
    dense = fields.integer("num_dense_layers", default=0, least=0) if experts else core.layers
    inner = fields.integer("intermediate_size") if experts else _inner(fields)
    for index, full in enumerate(_full_layers(fields, core.layers)):
        layer = f"layers.{index}."
        if full:
            attention(draft, layer, heads)
            draft.attend(heads.group())
        else:
            _short_convolution(draft, layer)
        draft.vector(layer + "norms", 2 * core.hidden_size)
        if experts and index >= dense:
            mixture(draft, layer, experts, "feed_forward")
        else:
            feed_forward(draft, layer + "feed_forward", inner)
    return draft


def _full_layers(fields: Fields, layers: int) -> list[bool]:
    kinds = fields.layer_types("layer_types", layers)
    if kinds is None:
        stated = fields.integers("full_attn_idxs")
        full = set(range(layers) if stated is None else stated)
        return [index in full for index in range(layers)]
    for kind in kinds:
        if kind not in ATTENTION + CONVOLUTION:
            raise UnsupportedArchitecture(
                'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=shown(kind), file=fields.file
            )
    return [kind in ATTENTION for kind in kinds]


def _inner(fields: Fields) -> int:
    """The inner width of dense blocks: two thirds of what is stated, rounded up to a multiple, unless that is off."""
    stated = fields.integer("block_ff_dim", "intermediate_size")
    if not fields.flag("block_auto_adjust_ff_dim", True):
        return stated
    multiple = fields.integer("block_multiple_of", default=256)
    factor = fields.values.get("block_ffn_dim_multiplier")
    if not isinstance(factor, int | float) or isinstance(factor, bool) or not 0 < factor <= 64:
        factor = 1.0
    width = int(factor * int(2 * stated / 3))
    return min(MOST_WIDTH, multiple * -(-width // multiple))


def _read_experts(fields: Fields) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    return Experts(
        experts,
        per_token,
        fields.integer("moe_intermediate_size"),
        router_bias=fields.flag("use_expert_bias", True),
    )


def _short_convolution(draft: Draft, layer: str) -> None:
    """One projection to the input and two gates, a convolution of each channel, and one projection out."""
    fields, hidden = draft.fields, draft.core.hidden_size
    width, bias = fields.integer("conv_L_cache", default=3, most=1024), fields.flag("conv_bias")
    path = layer + "conv."
    draft.linear(TensorClass.RECURRENT, path + "in_proj", hidden, 3 * hidden, bias)
    draft.linear(TensorClass.RECURRENT, path + "out_proj", hidden, hidden, bias)
    draft.vector(path + "conv", hidden * (width + int(bias)))
    draft.recur(
        RecurrentGroup(
            kind=RecurrentKind.SHORT_CONVOLUTION,
            layers=1,
            heads=hidden,  # each channel by itself
            key_dim=1,
            value_dim=1,
            convolution_elements=hidden * (width - 1),
            convolution_tokens=width - 1,
            matrix_elements=0,
        )
    )
