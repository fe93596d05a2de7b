"""Decoders that are conventional but for one habit: MiMo-V2, Step 3, Step 3.7, MiniMax M3 and Nemotron Super."""

import math
from dataclasses import replace

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.decoder import Habits, layer_windows, read_core
from core.architecture.draft import Draft
from core.architecture.fields import MOST_LAYERS, MOST_WIDTH, Fields
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


def read_mimo_v2(fields: Fields, family: str) -> Draft:
    """Count MiMo-V2: keys wider than values, and windows of 128 tokens with heads of their own shape."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, layers = draft.core.hidden_size, draft.core.layers
    full, local = read_heads(fields, hidden), read_heads(fields, hidden, "swa_")
    window = fields.tokens("sliding_window", "sliding_window_size")
    sinks = {True: fields.flag("add_swa_attention_sink_bias"), False: fields.flag("add_full_attention_sink_bias")}
    experts = _experts(fields)
    sparse = fields.per_layer("moe_layer_freq", layers, most=1)
    for index, windowed in enumerate(fields.per_layer("hybrid_layer_pattern", layers, most=1)):
        layer, heads = f"layers.{index}.", local if windowed else full
        attention(draft, layer, heads)
        draft.vector(layer + "norms", 2 * hidden)
        if sinks[bool(windowed)]:
            draft.vector(layer + "self_attn.sinks", heads.query_heads)
        draft.attend(heads.group(AttentionKind.WINDOW, window) if windowed else heads.group())
        _feed(draft, layer, experts if sparse[index] else None)
    return draft


def read_step3p7(fields: Fields, family: str) -> Draft:
    """Count Step 3.7: a gate from the hidden state to each head, and mostly windows."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden = draft.core.hidden_size
    heads = replace(read_heads(fields, hidden), qk_norm="head")
    experts = _experts(fields, fields.integer("share_expert_dim", default=0, least=0))
    first = fields.integer("first_k_dense_replace", default=0, least=0)
    for index, window in enumerate(layer_windows(fields, draft.core.layers, Habits())):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        draft.linear(TensorClass.ATTENTION, layer + "self_attn.g_proj", hidden, heads.query_heads)
        draft.vector(layer + "norms", 2 * hidden)
        draft.attend(heads.group(AttentionKind.WINDOW if window else AttentionKind.FULL, window))
        _feed(draft, layer, experts if index >= first else None)
    return draft


def read_step3(fields: Fields, family: str) -> Draft:
    """Count Step 3: queries by a rank, one pair of key and value for groups of heads."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, rank = draft.core.hidden_size, fields.integer("share_q_dim")
    width = fields.integer("head_dim")
    heads = Heads(fields.heads("num_attention_heads"), fields.heads("num_attention_groups"), width, width)
    shared = fields.integer("share_expert_dim", default=0, least=0)
    counts = read_expert_counts(fields)
    experts = Experts(*counts, fields.integer("moe_intermediate_size"), shared) if counts[0] else None
    sparse = set(fields.integers("moe_layers_enum") or [])
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        _ranked_attention(draft, layer + "self_attn.", heads, rank)
        draft.vector(layer + "norms", 2 * hidden)
        draft.attend(heads.group())
        _feed(draft, layer, experts if index in sparse else None)
    return draft


def _ranked_attention(draft: Draft, path: str, heads: Heads, rank: int) -> None:
    hidden, kind = draft.core.hidden_size, TensorClass.ATTENTION
    draft.linear(kind, path + "q_proj", hidden, rank)
    draft.linear(kind, path + "wq", rank, heads.query_heads * heads.key_dim)
    draft.linear(kind, path + "kv_proj", hidden, heads.kv_heads * (heads.key_dim + heads.value_dim))
    draft.linear(kind, path + "o_proj", heads.query_heads * heads.value_dim, hidden)
    draft.vector(path + "inter_norm", rank)


def read_minimax_m3(fields: Fields, family: str) -> Draft:
    """Count MiniMax M3: full caches of which most layers read the blocks that an index picks."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, layers = draft.core.hidden_size, draft.core.layers
    sparse_attention = fields.section("sparse_attention_config")
    if sparse_attention is None:
        raise fields.missing("sparse_attention_config")
    heads = replace(read_heads(fields, hidden), qk_norm="head" if fields.flag("use_qk_norm", True) else "")
    experts = _experts(fields, _shared_width(fields))
    indexed = sparse_attention.per_layer("sparse_attention_freq", layers, most=1)
    sparse = fields.per_layer("moe_layer_freq", layers, most=1)
    for index in range(layers):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        draft.vector(layer + "norms", 2 * hidden)
        _attend_blocks(draft, layer, heads, sparse_attention if indexed[index] else None)
        if experts and sparse[index]:
            mixture(draft, layer, experts)
        else:
            feed_forward(draft, layer + "mlp", fields.integer("dense_intermediate_size", "intermediate_size"))
    return draft


def _shared_width(fields: Fields) -> int:
    shared = fields.integer("n_shared_experts", default=1, least=0, most=1024)
    return shared * fields.integer("shared_intermediate_size", "intermediate_size", least=0)


def _attend_blocks(draft: Draft, layer: str, heads: Heads, sparse: Fields | None) -> None:
    if sparse is None:
        draft.attend(heads.group())
        return
    dim, index_heads = sparse.integer("sparse_index_dim"), sparse.heads("sparse_num_index_heads")
    path, hidden = layer + "self_attn.", draft.core.hidden_size
    draft.linear(TensorClass.ATTENTION, path + "index_q_proj", hidden, index_heads * dim)
    draft.linear(TensorClass.ATTENTION, path + "index_k_proj", hidden, dim)
    draft.vector(path + "index_norm", 2 * dim)
    read = sparse.tokens("sparse_topk_blocks") * sparse.tokens("sparse_block_size")
    draft.attend(replace(heads.group(), index_dim=dim, index_top_k=read, index_layers=1, index_heads=index_heads))


def _experts(fields: Fields, shared: int = 0) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    inner = fields.integer("moe_intermediate_size", "intermediate_size")
    return Experts(experts, per_token, inner, shared, router_bias=True)


def _feed(draft: Draft, layer: str, experts: Experts | None) -> None:
    if experts:
        mixture(draft, layer, experts)
    else:
        feed_forward(draft, layer + "mlp", draft.fields.integer("intermediate_size"))


def read_nemotron_nas(fields: Fields, family: str) -> Draft:
    """Count Nemotron Super: a searched Llama, in which each layer may lack attention and has its own inner width."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, count = draft.core.hidden_size, fields.heads("num_attention_heads")
    width = fields.integer("head_dim", default=max(1, hidden // count))
    blocks = fields.items("block_configs", MOST_LAYERS)
    if blocks is None:
        raise fields.missing("block_configs")
    fields.long_enough("block_configs", len(blocks), draft.core.layers)
    for index in range(draft.core.layers):
        block = Fields({"block": blocks[index]}, fields.file, f"block_configs.{index}.").section("block")
        attend, feed = (block.section("attention"), block.section("ffn")) if block else (None, None)
        if attend is None or feed is None:
            raise fields.wrong("block_configs", "has no attention or no ffn in layer {index}", index=index)
        _searched_attention(draft, f"layers.{index}.", attend, count, width)
        _searched_feed(draft, f"layers.{index}.", feed)
    return draft


def _searched_attention(draft: Draft, layer: str, block: Fields, count: int, width: int) -> None:
    hidden = draft.core.hidden_size
    if block.flag("no_op"):
        return
    draft.vector(layer + "input_layernorm", hidden)
    if block.flag("replace_with_linear"):
        draft.linear(TensorClass.ATTENTION, layer + "self_attn.linear_attn", hidden, hidden)
        return
    heads = Heads(count, max(1, count // block.heads("n_heads_in_group")), width, width)
    attention(draft, layer, heads)
    window = block.tokens("window_length", default=0)
    draft.attend(heads.group(AttentionKind.WINDOW if window else AttentionKind.FULL, window))


def _searched_feed(draft: Draft, layer: str, block: Fields) -> None:
    """The inner width is a multiple of 256 above two thirds of `ffn_mult` hidden sizes."""
    hidden = draft.core.hidden_size
    if block.flag("no_op"):
        return
    draft.vector(layer + "post_attention_layernorm", hidden)
    if block.flag("replace_with_linear"):
        draft.linear(TensorClass.FEED_FORWARD, layer + "mlp.linear_mlp", hidden, hidden)
        return
    multiple = block.values.get("ffn_mult")
    if isinstance(multiple, bool) or not isinstance(multiple, int | float) or not 0 < multiple <= 1024:
        raise block.wrong("ffn_mult", "is not a number between 0 and 1,024")
    inner = 256 * math.ceil(int(2 * multiple * hidden / 3) / 256)
    feed_forward(draft, layer + "mlp", min(inner, MOST_WIDTH))
