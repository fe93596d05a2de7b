"""Decoders from before gated feed-forward blocks became the custom: GPT-2 and Falcon."""

from core.architecture.blueprint import TensorClass
from core.architecture.decoder import read_core
from core.architecture.draft import Core, Draft
from core.architecture.fields import Fields
from core.architecture.modules import Heads, attention, embedding_and_head, feed_forward


def read_gpt2(fields: Fields, family: str) -> Draft:
    """Count GPT-2: biases everywhere, a table of positions, the head tied to the embedding."""
    hidden = fields.integer("n_embd", "hidden_size")
    core = Core(
        layers=fields.layers("n_layer", "num_hidden_layers"),
        hidden_size=hidden,
        vocabulary=fields.tokens("vocab_size"),
        tied=fields.flag("tie_word_embeddings", True),
    )
    draft = Draft(fields, core)
    embedding_and_head(draft, final_norm=2)
    draft.add(TensorClass.EMBEDDING, "wpe", fields.tokens("n_positions", "n_ctx") * hidden)
    count = fields.heads("n_head", "num_attention_heads")
    heads = Heads(count, count, hidden // count or 1, hidden // count or 1, qkv_bias=True, output_bias=True)
    for index in range(core.layers):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        feed_forward(draft, layer + "mlp", fields.integer("n_inner", default=4 * hidden), bias=True, gated=False)
        draft.vector(layer + "norms", 4 * hidden)
        draft.attend(heads.group())
    return draft


def read_falcon(fields: Fields, family: str) -> Draft:
    """Count Falcon: attention and feed-forward side by side, few KV heads, norms with a bias."""
    draft = Draft(fields, read_core(fields, tied=True))
    embedding_and_head(draft, final_norm=2)
    hidden, bias = draft.core.hidden_size, fields.flag("bias")
    new = fields.flag("new_decoder_architecture")
    heads = _falcon_heads(fields, hidden, new, bias)
    inner = fields.integer("ffn_hidden_size", default=4 * hidden)
    norms = 2 if new or not fields.flag("parallel_attn", True) else 1
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        feed_forward(draft, layer + "mlp", inner, bias=bias, gated=False)
        draft.vector(layer + "norms", norms * 2 * hidden)
        draft.attend(heads.group())
    return draft


def _falcon_heads(fields: Fields, hidden: int, new: bool, bias: bool) -> Heads:
    count = fields.heads("num_attention_heads", "n_head")
    if new:
        kv = fields.heads("num_kv_heads", "n_head_kv", default=count)
    else:
        kv = 1 if fields.flag("multi_query", True) else count
    width = fields.integer("head_dim", default=max(1, hidden // count))
    return Heads(count, kv, width, width, bias, bias)
