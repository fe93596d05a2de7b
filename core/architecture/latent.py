"""Multi-head latent attention (MLA): one compressed vector a token for all heads, and experts in most layers.

DeepSeek V2, V3, R1 and, with an indexer that picks the tokens to read, V3.2 and GLM-5; Kimi K2, GLM-4.7-Flash,
Mistral Small 4 and A.X K1 are of the same make, MiniCPM3 and Youtu without experts.
"""

from dataclasses import dataclass

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.architecture.decoder import prediction_joint, read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.architecture.modules import Experts, embedding_and_head, feed_forward, mixture, read_expert_counts

WITHOUT_ROUTER_BIAS = frozenset({"deepseek_v2", "mistral4"})
TIED = frozenset({"minicpm3", "youtu"})  # where the file does not say
THIRD_NORM = frozenset({"axk1"})  # behind the feed-forward block of each layer
WITH_HEAD_COPIES = frozenset({"deepseek_v3", "deepseek_v32", "kimi_k2", "glm4_moe_lite"})  # in the prediction layer


@dataclass(frozen=True, slots=True)
class Latent:
    """The shape of a latent attention layer."""

    heads: int
    query_rank: int  # 0: the query is projected in one step
    rank: int
    rotary: int
    plain: int  # key width without the rotary part
    value: int
    bias: bool = False  # of the projections down to the ranks and of the output
    output_gate: bool = False
    head_gate: bool = False  # one number for each head

    def group(self, indexer: "Indexer | None" = None, indexed: bool = False) -> AttentionGroup:
        return AttentionGroup(
            kind=AttentionKind.SPARSE_LATENT if indexer else AttentionKind.LATENT,
            layers=1,
            query_heads=self.heads,
            kv_heads=1,
            key_dim=self.plain + self.rotary,
            value_dim=self.value,
            latent_dim=self.rank + self.rotary,
            index_dim=indexer.dim if indexer else 0,
            index_top_k=indexer.top_k if indexer else 0,
            index_layers=int(indexed),
            index_heads=indexer.heads if indexer else 0,
        )


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small attention that picks which tokens a sparse layer reads."""

    heads: int
    dim: int
    top_k: int


def read_latent(fields: Fields) -> Latent:
    return Latent(
        heads=fields.heads("num_attention_heads"),
        query_rank=fields.integer("q_lora_rank", default=0, least=0),
        rank=fields.integer("kv_lora_rank"),
        rotary=fields.integer("qk_rope_head_dim", least=0),
        plain=fields.integer("qk_nope_head_dim"),
        value=fields.integer("v_head_dim"),
        bias=fields.flag("attention_bias"),
        output_gate=fields.flag("mla_use_output_gate"),
        head_gate=fields.text("gated_attention_proj_granularity_type") == "head_wise",
    )


def latent_attention(draft: Draft, layer: str, latent: Latent) -> None:
    """The projections of one layer: down to the ranks, up to the heads, and out.

    hidden * query_rank + query_rank * heads * (plain + rotary) + hidden * (rank + rotary)
    + rank * heads * (plain + value) + heads * value * hidden, and the norms of both ranks
    """
    hidden, path, kind = draft.core.hidden_size, layer + "self_attn.", TensorClass.ATTENTION
    query = latent.heads * (latent.plain + latent.rotary)
    if latent.query_rank:
        draft.linear(kind, path + "q_a_proj", hidden, latent.query_rank, latent.bias)
        draft.linear(kind, path + "q_b_proj", latent.query_rank, query)
        draft.vector(path + "q_a_layernorm", latent.query_rank)
    else:
        draft.linear(kind, path + "q_proj", hidden, query)
    draft.linear(kind, path + "kv_a_proj_with_mqa", hidden, latent.rank + latent.rotary, latent.bias)
    draft.vector(path + "kv_a_layernorm", latent.rank)
    draft.linear(kind, path + "kv_b_proj", latent.rank, latent.heads * (latent.plain + latent.value))
    draft.linear(kind, path + "o_proj", latent.heads * latent.value, hidden, latent.bias)
    if latent.output_gate:
        draft.linear(kind, path + "g_proj", hidden, latent.heads * latent.value)
    if latent.head_gate:
        draft.linear(kind, path + "g_proj", hidden, latent.heads)


def read_latent_decoder(fields: Fields, family: str) -> Draft:
    """Count a decoder with latent attention."""
    draft = Draft(fields, read_core(fields, tied=family in TIED))
    embedding_and_head(draft)
    latent, indexer = read_latent(fields), read_indexer(fields)
    experts = _read_experts(fields, family)
    sparse = _sparse_layers(fields, draft.core.layers) if experts else set()
    indexed = _indexed_layers(fields, draft.core.layers) if indexer else set()
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        _attend(draft, layer, latent, indexer if index in indexed else None)
        draft.attend(latent.group(indexer, index in indexed))
        if family in THIRD_NORM:
            draft.vector(layer + "norms", draft.core.hidden_size)
        if experts and index in sparse:
            mixture(draft, layer, experts)
        else:
            feed_forward(draft, layer + "mlp", fields.integer("intermediate_size"))
    if experts:
        _predict(draft, latent, indexer, experts, family)
    return draft


def read_double(fields: Fields, family: str) -> Draft:
    """Count LongCat Flash: two latent attentions and two dense blocks in a layer, beside one mixture of experts.

    Of the experts that a token chooses, some are the token itself and have no weights. vLLM 0.33: longcat_flash.py
    """
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    latent, hidden = read_latent(fields), draft.core.hidden_size
    experts, per_token = read_expert_counts(fields)
    mixed = Experts(experts, per_token, fields.integer("expert_ffn_hidden_size"), router_bias=True)
    idle = fields.integer("zero_expert_num", default=0, least=0)
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        for half in range(2):
            latent_attention(draft, f"{layer}{half}.", latent)
            draft.attend(latent.group())
            draft.vector(layer + "norms", 2 * hidden)
            feed_forward(draft, f"{layer}mlps.{half}", fields.integer("ffn_hidden_size"))
        mixture(draft, layer, mixed)
        draft.linear(TensorClass.ROUTER, layer + "mlp.gate", hidden, idle)
        draft.vector(layer + "mlp.gate", idle)
    _predict_dense(draft, latent)
    return draft


def _predict_dense(draft: Draft, latent: Latent) -> None:
    """The prediction layer of LongCat Flash, which its files do not mention: dense, with a copy of the embedding."""
    count = draft.fields.integer("num_nextn_predict_layers", default=1, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction, layer = draft.start_prediction(), f"layers.{index}."
        _attend(prediction, layer, latent, None)
        feed_forward(prediction, layer + "mlp", draft.fields.integer("ffn_hidden_size"))
        prediction_joint(prediction, layer, copies=False)
        prediction.add(TensorClass.EMBEDDING, layer + "embed_tokens", draft.core.vocabulary * draft.core.hidden_size)
        draft.predict(prediction)


def _attend(draft: Draft, layer: str, latent: Latent, indexer: Indexer | None) -> None:
    latent_attention(draft, layer, latent)
    draft.vector(layer + "norms", 2 * draft.core.hidden_size)
    if indexer:
        index_tokens(draft, layer, latent, indexer)


def index_tokens(draft: Draft, layer: str, latent: Latent, indexer: Indexer) -> None:
    """The indexer: queries from the query's rank, one key, a weight for each of its heads, and a norm with bias."""
    hidden, path, kind = draft.core.hidden_size, layer + "self_attn.indexer.", TensorClass.ATTENTION
    draft.linear(kind, path + "wq_b", latent.query_rank or hidden, indexer.heads * indexer.dim)
    draft.linear(kind, path + "wk", hidden, indexer.dim)
    draft.linear(kind, path + "weights_proj", hidden, indexer.heads)
    draft.vector(path + "k_norm", 2 * indexer.dim)


def read_indexer(fields: Fields) -> Indexer | None:
    if not fields.has("index_head_dim"):
        return None
    return Indexer(fields.heads("index_n_heads"), fields.integer("index_head_dim"), fields.tokens("index_topk"))


def _indexed_layers(fields: Fields, layers: int) -> set[int]:
    """Layers with an indexer of their own; the others use what a layer below them picked."""
    kinds = fields.layer_types("indexer_types", layers)
    if kinds is None:
        return set(range(layers))
    return {index for index, kind in enumerate(kinds) if kind == "full"}


def _read_experts(fields: Fields, family: str) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    inner = fields.integer("moe_intermediate_size")
    shared = fields.integer("n_shared_experts", default=0, least=0, most=1024) * inner
    return Experts(experts, per_token, inner, shared, router_bias=family not in WITHOUT_ROUTER_BIAS)


def _sparse_layers(fields: Fields, layers: int) -> set[int]:
    kinds = fields.layer_types("mlp_layer_types", layers)
    if kinds is not None:
        return {index for index, kind in enumerate(kinds) if kind == "sparse"}
    first = fields.integer("first_k_dense_replace", default=0, least=0)
    step = fields.integer("moe_layer_freq", default=1)
    return {index for index in range(first, layers) if index % step == 0}


def _predict(draft: Draft, latent: Latent, indexer: Indexer | None, experts: Experts, family: str) -> None:
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    for index in range(draft.core.layers, draft.core.layers + count):
        prediction = draft.start_prediction()
        layer = f"layers.{index}."
        _attend(prediction, layer, latent, indexer)
        mixture(prediction, layer, experts)
        prediction_joint(prediction, layer, copies=family in WITH_HEAD_COPIES)
        draft.predict(prediction)
