"""Decoders that are conventional but for one habit: MiMo-V2, Step 3 to 3.7, Laguna, MiniMax M3 and Nemotron Super."""

import math
from dataclasses import replace

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.decoder import layer_windows, prediction_joint, read_core
from core.architecture.draft import Draft
from core.architecture.fields import MOST_LAYERS, MOST_WIDTH, Fields
from core.architecture.habits import Habits
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
    """Count Step 3.5 and 3.7: a gate from the hidden state to each head, and mostly windows, with more query heads."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    layers = draft.core.layers
    shared = fields.integer("share_expert_dim", "share_expert_dims", default=0, least=0)
    experts, sparse = _experts(fields, shared), _step_sparse_layers(fields, layers)
    for index, window in enumerate(layer_windows(fields, layers, Habits())):
        layer, heads = f"layers.{index}.", _step_heads(fields.of_layer(index), draft.core.hidden_size, window > 0)
        _gated_attention(draft, layer, heads, fields.flag("use_head_wise_attn_gate", True), window)
        _feed(draft, layer, experts if index in sparse else None)
    _step_predict(draft)
    return draft


def _step_predict(draft: Draft) -> None:
    """Dense layers of their own kinds, each with a copy of the head. vLLM 0.33: step3p5_mtp.py"""
    fields, core = draft.fields, draft.core
    count = fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    kinds = fields.texts("mtp_layer_types") or (fields.texts("layer_types") or [])[core.layers :]
    for index in range(count):
        prediction, layer = draft.start_prediction(), f"layers.{core.layers + index}."
        windowed = index < len(kinds) and kinds[index] == "sliding_attention"
        heads = _step_heads(fields, core.hidden_size, windowed)
        _gated_attention(prediction, layer, heads, fields.flag("use_head_wise_attn_gate", True), 0)
        _feed(prediction, layer, None)
        prediction_joint(prediction, layer, copies=False)
        prediction.add(TensorClass.HEAD, layer + "shared_head.head", core.vocabulary * core.hidden_size)
        draft.predict(prediction)


def _step_heads(fields: Fields, hidden: int, windowed: bool) -> Heads:
    """Layers with a window may have more query heads. vLLM 0.33: step3p5.py, _get_num_attention_heads"""
    count = fields.heads("num_attention_heads")
    other = fields.section("attention_other_setting")
    if windowed:
        usual = other.heads("num_attention_heads", default=count) if other else count
        count = fields.heads("num_sliding_attention_heads", default=usual)
    width = fields.integer("head_dim", default=max(1, hidden // count))
    return Heads(count, fields.heads("num_key_value_heads", "num_attention_groups"), width, width, qk_norm="head")


def _gated_attention(draft: Draft, layer: str, heads: Heads, gate: bool, window: int) -> None:
    attention(draft, layer, heads)
    if gate:
        draft.linear(TensorClass.ATTENTION, layer + "self_attn.g_proj", draft.core.hidden_size, heads.query_heads)
    draft.vector(layer + "norms", 2 * draft.core.hidden_size)
    draft.attend(heads.group(AttentionKind.WINDOW if window else AttentionKind.FULL, window))


def _step_sparse_layers(fields: Fields, layers: int) -> set[int]:
    """By the kind of each layer, by their numbers in a list or a text, or from a first one on."""
    kinds = fields.layer_types("mlp_layer_types", layers)
    if kinds is not None:
        return {index for index, kind in enumerate(kinds) if kind == "sparse"}
    if isinstance(fields.values.get("moe_layers_enum"), str):
        numbers = [part.strip() for part in fields.text("moe_layers_enum").split(",")]
        return {int(number) for number in numbers if number.isdecimal() and len(number) < 6}
    stated = fields.integers("moe_layers_enum")
    return set(stated or range(fields.integer("first_k_dense_replace", default=0, least=0), layers))


def read_laguna(fields: Fields, family: str) -> Draft:
    """Count Laguna: query heads by layer, a gate to each of them, windows, and experts beside a shared one."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, layers = draft.core.hidden_size, draft.core.layers
    usual = replace(read_heads(fields, hidden), qk_norm="head")
    name = fields.first(("num_attention_heads_per_layer",)) or "num_attention_heads"
    counts = fields.per_layer(name, layers, least=1, most=65_536)
    experts = _experts(fields, fields.integer("shared_expert_intermediate_size", default=0, least=0))
    dense = set(fields.integers("mlp_only_layers") or [0])
    kinds = fields.layer_types("mlp_layer_types", layers)
    gating = fields.values.get("gating", True)
    for index, window in enumerate(layer_windows(fields, layers, Habits())):
        layer, heads = f"layers.{index}.", replace(usual, query_heads=counts[index])
        by_element = bool(gating) and gating is not True and gating != "per-head"
        if by_element:
            draft.linear(TensorClass.ATTENTION, layer + "self_attn.g_proj", hidden, counts[index] * usual.key_dim)
        _gated_attention(draft, layer, heads, bool(gating) and not by_element, window)
        sparse = kinds[index] == "sparse" if kinds else index not in dense
        _feed(draft, layer, experts if sparse else None)
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
