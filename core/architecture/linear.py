"""Linear attention hybrids: Kimi Linear, Kimi K3, Ling 3.0 and GLM-5.3-Flash (KDA beside latent attention), MiniMax M1
and MiniCPM-SALA (lightning attention).
"""

from dataclasses import replace

from core.architecture.blueprint import RecurrentGroup, RecurrentKind, TensorClass
from core.architecture.decoder import prediction_joint, read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.architecture.latent import Indexer, Latent, index_tokens, latent_attention, read_indexer, read_latent
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

#: How configs of MiniCPM-SALA call a layer with lightning attention.
LIGHTNING = ("lightning", "lightning_attn", "lightning-attn")


def read_kimi_linear(fields: Fields, family: str) -> Draft:
    """Count Kimi Linear: three layers in four with Kimi delta attention, the others latent."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    linear = fields.section("linear_attn_config")
    if linear is None:
        raise fields.missing("linear_attn_config")
    full = set(linear.integers("full_attn_layers") or [])  # counted from 1
    latent, experts = read_latent(fields), _read_experts(fields)
    first = fields.integer("first_k_dense_replace", default=0, least=0)
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        if index + 1 in full:
            latent_attention(draft, layer, latent)
            draft.attend(latent.group())
        else:
            _delta_layer(draft, layer, linear)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts is None or index < first:
            feed_forward(draft, layer + "mlp", fields.integer("intermediate_size"))
        else:
            mixture(draft, layer, experts)
            if experts.latent and fields.flag("latent_moe_use_norm"):
                draft.vector(layer + "mlp.norm", experts.latent)
    if family == "bailing_hybrid":
        _predict(draft, latent, experts)
    return draft


def _predict(draft: Draft, latent: Latent, experts: Experts | None) -> None:
    """Prediction layers are latent."""
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction, layer = draft.start_prediction(), f"layers.{index}."
        latent_attention(prediction, layer, latent)
        prediction.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts:
            mixture(prediction, layer, experts)
        prediction_joint(prediction, layer, copies=False)
        draft.predict(prediction)


def read_pooled(fields: Fields, family: str) -> Draft:
    """Count GLM-5.3-Flash: KDA, and every fourth layer latent with an indexer that keeps one key for a pool of tokens.

    Several hidden states run beside each other, as in DeepSeek V4. transformers 5.24: modeling_glm5_next.py
    """
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    layers, streams = draft.core.layers, fields.integer("hc_mult", default=1, most=64)
    linear, latent, indexer = fields.section("linear_attn_config"), read_latent(fields), read_indexer(fields)
    kinds = fields.layer_types("layer_types", layers)
    if linear is None or kinds is None or indexer is None:
        raise fields.missing("linear_attn_config" if linear is None else "index_head_dim" if kinds else "layer_types")
    pool = fields.integer("index_kpool", default=1, most=65_536)
    pooled = replace(indexer, dim=max(1, indexer.dim // pool))  # what one token adds to the keys of its pool
    experts, sparse = _read_experts(fields), fields.layer_types("mlp_layer_types", layers)
    first = fields.integer("first_k_dense_replace", default=0, least=0)
    for index, kind in enumerate(kinds):
        layer = f"layers.{index}."
        if kind == "linear_attention":
            _delta_layer(draft, layer, linear)
        else:
            _pooled_attention(draft, layer, latent, indexer, pool)
            draft.attend(latent.group(pooled, True))
        _streams(draft, layer, streams)
        if experts and (sparse[index] == "sparse" if sparse else index >= first):
            mixture(draft, layer, experts)
        else:
            feed_forward(draft, layer + "mlp", fields.integer("intermediate_size"))
    _predict_pooled(draft, latent, indexer, pool, experts)
    return draft


def _predict_pooled(draft: Draft, latent: Latent, indexer: Indexer, pool: int, experts: Experts | None) -> None:
    """Prediction layers are latent and have one hidden state. vLLM 0.33: models/glm5next/common/mtp.py"""
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction, layer = draft.start_prediction(), f"layers.{index}."
        _pooled_attention(prediction, layer, latent, indexer, pool)
        prediction.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts:
            mixture(prediction, layer, experts)
        prediction_joint(prediction, layer, copies=False)
        draft.predict(prediction)


def _pooled_attention(draft: Draft, layer: str, latent: Latent, indexer: Indexer, pool: int) -> None:
    """Latent attention, its indexer, and what makes one key of a pool: a place and a gate for each token of it."""
    latent_attention(draft, layer, latent)
    index_tokens(draft, layer, latent, indexer)
    path = layer + "self_attn.indexer."
    draft.linear(TensorClass.ATTENTION, path + "compress_gate", draft.core.hidden_size, indexer.dim)
    draft.vector(path + "compress_ape", pool * indexer.dim)


def _streams(draft: Draft, layer: str, streams: int) -> None:
    """Two norms, and for each of the two blocks the mixing of the hidden states that run beside each other."""
    hidden, mixes = draft.core.hidden_size, (2 + streams) * streams
    draft.vector(layer + "norms", 2 * hidden)
    if streams > 1:
        draft.vector(layer + "hc", 2 * (mixes * streams * hidden + mixes + 3))


def _read_experts(fields: Fields) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    inner = fields.integer("moe_intermediate_size")
    shared = fields.integer("num_shared_experts", "n_shared_experts", default=0, least=0, most=1024) * inner
    latent = fields.integer("routed_expert_hidden_size", default=0, least=0)
    return Experts(experts, per_token, inner, shared, router_bias=True, latent=latent)


def _delta_layer(draft: Draft, layer: str, linear: Fields) -> None:
    """Query, key, value and output, three short convolutions, a decay for each channel by a low rank, and a gate."""
    heads, dim = linear.heads("num_heads"), linear.integer("head_dim")
    kernel = linear.integer("short_conv_kernel_size", most=1024)
    hidden, width, kind, path = draft.core.hidden_size, heads * dim, TensorClass.RECURRENT, layer + "self_attn."
    for name in ("q_proj", "k_proj", "v_proj"):
        draft.linear(kind, path + name, hidden, width)
    draft.linear(kind, path + "o_proj", width, hidden)
    if linear.flag("use_full_rank_decay"):
        draft.linear(kind, path + "f_proj", hidden, width)
    else:
        draft.linear(kind, path + "f_a_proj", hidden, dim)
        draft.linear(kind, path + "f_b_proj", dim, width)
    draft.linear(kind, path + "b_proj", hidden, heads)
    if linear.flag("use_full_rank_gate"):
        draft.linear(kind, path + "g_proj", hidden, width)
    else:
        draft.linear(kind, path + "g_a_proj", hidden, dim)
        draft.linear(kind, path + "g_b_proj", dim, width)
    draft.vector(path + "conv1d", 3 * width * kernel)
    draft.vector(path + "decay", heads + width)
    draft.vector(path + "o_norm", dim)
    draft.recur(
        RecurrentGroup(
            kind=RecurrentKind.KDA,
            layers=1,
            heads=heads,
            key_dim=dim,
            value_dim=dim,
            convolution_elements=3 * width * (kernel - 1),
            convolution_tokens=kernel - 1,
            matrix_elements=heads * dim * dim,
        )
    )


def read_lightning(fields: Fields, family: str) -> Draft:
    """Count MiniMax M1: seven layers in eight with lightning attention, experts everywhere."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    heads = read_heads(fields, draft.core.hidden_size)
    experts, per_token = read_expert_counts(fields)
    inner = fields.integer("intermediate_size")
    shared = fields.integer("shared_intermediate_size", default=0, least=0)
    for index, full in enumerate(fields.per_layer("attn_type_list", draft.core.layers, most=1)):
        layer = f"layers.{index}."
        if full:
            attention(draft, layer, heads)
            draft.attend(heads.group())
        else:
            _lightning_layer(draft, layer, heads)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts:
            mixture(draft, layer, Experts(experts, per_token, inner, shared), "block_sparse_moe")
        else:
            feed_forward(draft, layer + "mlp", inner)
    return draft


def read_sala(fields: Fields, family: str) -> Draft:
    """Count MiniCPM-SALA: one layer in four with heads in groups, of which few blocks are read, the others lightning.

    SGLang: srt/configs/minicpm_hybrid.py. The means of keys by which blocks are picked are not kept with the cache.
    """
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    hidden, inner = draft.core.hidden_size, fields.integer("intermediate_size")
    heads = replace(read_heads(fields, hidden), output_gate=fields.flag("attn_use_output_gate"))
    count = fields.heads("lightning_nh", default=heads.query_heads)
    width = fields.integer("lightning_head_dim", default=heads.key_dim)
    if fields.heads("lightning_nkv", default=heads.kv_heads) != count:
        raise fields.wrong("lightning_nkv", "is not the number of lightning heads ({heads})", heads=count)
    linear = Heads(count, count, width, width)
    kinds = fields.layer_types("mixer_types", draft.core.layers)
    if kinds is None:
        raise fields.missing("mixer_types")
    for index, kind in enumerate(kinds):
        layer = f"layers.{index}."
        if kind == "minicpm4":
            attention(draft, layer, heads)
            draft.attend(heads.group())
        elif kind in LIGHTNING:
            gate, norm = fields.flag("use_output_gate"), fields.flag("use_output_norm")
            _lightning_layer(draft, layer, linear, gate=gate, norm=norm)
            if fields.flag("qk_norm", default=True):
                draft.vector(layer + "self_attn.qk_norm", 2 * width)
        else:
            raise fields.wrong("mixer_types", "is none of {known}", known=", ".join(("minicpm4", *LIGHTNING)))
        draft.vector(layer + "norms", 2 * hidden)
        feed_forward(draft, layer + "mlp", inner)
    return draft


def _lightning_layer(draft: Draft, layer: str, heads: Heads, gate: bool = True, norm: bool = True) -> None:
    """Query, key and value, with most a gate and a norm, and the output; its state has no convolution."""
    hidden, path, kind = draft.core.hidden_size, layer + "self_attn.", TensorClass.RECURRENT
    width = heads.query_heads * heads.key_dim
    draft.linear(kind, path + "qkv_proj", hidden, 3 * width)
    if gate:
        draft.linear(kind, path + "output_gate", hidden, width)
    draft.linear(kind, path + "out_proj", width, hidden)
    if norm:
        draft.vector(path + "norm", width)
    draft.recur(
        RecurrentGroup(
            kind=RecurrentKind.LIGHTNING,
            layers=1,
            heads=heads.query_heads,
            key_dim=heads.key_dim,
            value_dim=heads.key_dim,
            convolution_elements=0,
            convolution_tokens=0,
            matrix_elements=heads.query_heads * heads.key_dim**2,
        )
    )
