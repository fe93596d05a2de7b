"""Llama 4: three layers in four attend to the current chunk only, and experts alternate with dense layers."""

from dataclasses import replace

from core.architecture.blueprint import AttentionKind
from core.architecture.decoder import read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.architecture.modules import (
    Experts,
    attention,
    embedding_and_head,
    feed_forward,
    mixture,
    read_expert_counts,
    read_heads,
)

BLOCK = "feed_forward"  # what its checkpoints call the block


def read_chunked(fields: Fields, family: str) -> Draft:
    """Count a decoder with chunked attention."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    bias = fields.flag("attention_bias")
    heads = replace(read_heads(fields, draft.core.hidden_size), qkv_bias=bias, output_bias=bias)
    chunk = fields.tokens("attention_chunk_size", default=8192)
    experts, sparse = _read_experts(fields), _sparse_layers(fields, draft.core.layers)
    for index, chunked in enumerate(_chunked_layers(fields, draft.core.layers)):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        draft.attend(heads.group(AttentionKind.CHUNK, chunk) if chunked else heads.group())
        if experts and index in sparse:
            mixture(draft, layer, experts, BLOCK)
        else:
            feed_forward(draft, layer + BLOCK, fields.integer("intermediate_size_mlp", "intermediate_size"))
    return draft


def _chunked_layers(fields: Fields, layers: int) -> list[bool]:
    """Layers with rotary positions are chunked; those without see everything."""
    kinds = fields.layer_types("layer_types", layers)
    if kinds is not None:
        return [kind == "chunked_attention" for kind in kinds]
    if fields.integers("no_rope_layers"):
        return [rotary == 1 for rotary in fields.per_layer("no_rope_layers", layers)]
    interval = fields.integer("no_rope_layer_interval", default=4)
    return [(index + 1) % interval != 0 for index in range(layers)]


def _read_experts(fields: Fields) -> Experts | None:
    """One shared expert as wide as each routed one."""
    experts, per_token = read_expert_counts(fields)
    inner = fields.integer("intermediate_size")
    return Experts(experts, per_token, inner, shared_inner=inner) if experts else None


def _sparse_layers(fields: Fields, layers: int) -> set[int]:
    stated = fields.integers("moe_layers")
    if stated is not None:
        return set(stated)
    step = fields.integer("interleave_moe_layer_step", default=1)
    return set(range(step - 1, layers, step))
