"""Gemma 3n and Gemma 4: windows, layers that read another layer's cache, and a small embedding for every layer.

The head is the embedding. Where there are embeddings per layer, the tied tensor is counted as the head and the
per-layer tables as the embedding: the first is read whole for each token, the others are only looked up.
"""

from dataclasses import replace

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.decoder import layer_windows, read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
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

GLOBAL_WIDTH = 512  # transformers 5.24, configuration_gemma4.py
NORMS = 4  # before and after attention, before and after the feed-forward block


def read_gemma3n(fields: Fields, family: str) -> Draft:
    """Count Gemma 3n: alternating updates of several hidden states, and a learned residual of low rank.

    Its checkpoint keeps key and value projections also for layers that read another layer's cache.
    """
    draft = _start(fields)
    hidden, layers = draft.core.hidden_size, draft.core.layers
    states, rank = fields.integer("altup_num_inputs", most=64), fields.integer("laurel_rank")
    draft.linear(TensorClass.FEED_FORWARD, "altup_projections", hidden, hidden, copies=2 * (states - 1))
    heads = replace(read_heads(fields, hidden), qk_norm="head")
    inner = fields.per_layer("intermediate_size", layers, least=1)
    for index, window in enumerate(layer_windows(fields, layers, Habits(period=5))):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        owns = index < layers - _sharing(fields, layers)
        _attend(draft, replace(heads, own_keys=owns), window)
        feed_forward(draft, layer + "mlp", inner[index])
        draft.linear(TensorClass.FEED_FORWARD, layer + "laurel", hidden, rank, copies=2)
        draft.linear(TensorClass.FEED_FORWARD, layer + "altup.modality_router", hidden, states)
        draft.vector(layer + "altup.coefs", states**3 + states**2 + 2 * hidden)
        draft.vector(layer + "norms", (NORMS + 1) * hidden)
        _per_layer_input(draft, layer)
    return draft


def read_gemma4(fields: Fields, family: str) -> Draft:
    """Count Gemma 4: full layers have heads of their own shape, and may use keys as values."""
    draft = _start(fields)
    hidden, layers = draft.core.hidden_size, draft.core.layers
    local = replace(read_heads(fields, hidden), qk_norm="head")
    everywhere = _global_heads(fields, local)
    experts = _read_experts(fields)
    inner = fields.integer("intermediate_size")
    for index, window in enumerate(layer_windows(fields, layers, Habits(period=6))):
        layer = f"layers.{index}."
        owns = index < layers - _sharing(fields, layers)
        heads = replace(_heads_of_layer(fields, index, local if window else everywhere), own_keys=owns)
        attention(draft, layer, heads)
        _attend(draft, heads, window)
        wide = not owns and fields.flag("use_double_wide_mlp")
        feed_forward(draft, layer + "mlp", 2 * inner if wide else inner)
        draft.vector(layer + "norms", NORMS * hidden)
        if experts:  # beside the dense block, with norms and a scale of their own
            mixture(draft, layer, experts, "moe")
            draft.vector(layer + "moe.norms", 4 * hidden + experts.experts)
        _per_layer_input(draft, layer)
    return draft


def _start(fields: Fields) -> Draft:
    """Embedding and head, and where there are embeddings per layer their tables and the projection to them."""
    core = read_core(fields, tied=True, double_norms=True)
    width = _input_width(fields)
    if not width:
        draft = Draft(fields, core)
        embedding_and_head(draft)
        return draft
    draft = Draft(fields, replace(core, tied=False))
    draft.linear(TensorClass.HEAD, "lm_head", core.hidden_size, core.vocabulary)
    if not core.tied:
        draft.add(TensorClass.EMBEDDING, "embed_tokens", core.vocabulary * core.hidden_size)
    rows = fields.tokens("vocab_size_per_layer_input", default=core.vocabulary)
    draft.add(TensorClass.EMBEDDING, "embed_tokens_per_layer", rows * width * core.layers)
    draft.linear(TensorClass.FEED_FORWARD, "per_layer_model_projection", core.hidden_size, width * core.layers)
    draft.vector("norm", core.hidden_size + width)
    return draft


def _input_width(fields: Fields) -> int:
    return fields.integer("hidden_size_per_layer_input", default=0, least=0)


def _per_layer_input(draft: Draft, layer: str) -> None:
    """The gate to a layer's own embedding, the projection back, and a norm."""
    hidden, width = draft.core.hidden_size, _input_width(draft.fields)
    if width:
        draft.linear(TensorClass.FEED_FORWARD, layer + "per_layer_input_gate", hidden, width)
        draft.linear(TensorClass.FEED_FORWARD, layer + "per_layer_projection", width, hidden)
        draft.vector(layer + "norms", hidden)


def _sharing(fields: Fields, layers: int) -> int:
    """The last layers, which read the cache of an earlier one."""
    return fields.integer("num_kv_shared_layers", default=0, least=0, most=max(0, layers - 1))


def _attend(draft: Draft, heads: Heads, window: int) -> None:
    draft.attend(heads.group(AttentionKind.WINDOW if window else AttentionKind.FULL, window))


def _global_heads(fields: Fields, local: Heads) -> Heads:
    """Heads of full layers: 512 wide where the file does not say, and fewer unless it denies that keys are values."""
    width = fields.integer("global_head_dim", default=GLOBAL_WIDTH)
    shared = fields.flag("attention_k_eq_v")
    fewer = shared or not fields.has("attention_k_eq_v")
    kv_heads = fields.heads("num_global_key_value_heads", default=local.kv_heads) if fewer else local.kv_heads
    return replace(local, kv_heads=kv_heads, key_dim=width, value_dim=width, own_values=not shared)


def _heads_of_layer(fields: Fields, index: int, usual: Heads) -> Heads:
    """Files of Transformers 5 state the heads of full layers layer by layer."""
    if not fields.has("per_layer_config"):
        return usual
    stated = read_heads(fields.of_layer(index), fields.integer("hidden_size"))
    return replace(usual, kv_heads=stated.kv_heads, key_dim=stated.key_dim, value_dim=stated.value_dim)


def _read_experts(fields: Fields) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    return Experts(experts, per_token, fields.integer("moe_intermediate_size", "expert_intermediate_size"))
