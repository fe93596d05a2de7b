"""DeepSeek V4: every layer keeps a short window, most keep one compressed vector for each 4 or 128 tokens.

Keys and values are one shared vector (`latent_dim`). Layers with ratio 4 have an indexer of compressed keys beside it;
layers with ratio 0 keep the window alone.
"""

from dataclasses import dataclass

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.architecture.decoder import read_core
from core.architecture.draft import Draft
from core.architecture.fields import Fields
from core.architecture.modules import Experts, embedding_and_head, mixture, read_expert_counts
from core.errors import UnsupportedArchitecture

INDEXED_RATIO = 4  # tokens for each compressed vector in layers with an indexer


@dataclass(frozen=True, slots=True)
class Compressed:
    """The shape of the attention and of the streams between layers."""

    heads: int
    width: int  # of a head, and of the shared vector
    query_rank: int
    output_groups: int
    output_rank: int
    window: int
    index_heads: int
    index_dim: int
    index_top_k: int
    streams: int  # hidden states that run beside each other

    def group(self, ratio: int) -> AttentionGroup:
        indexed = ratio == INDEXED_RATIO
        return AttentionGroup(
            kind=AttentionKind.COMPRESSED,
            layers=1,
            query_heads=self.heads,
            kv_heads=1,
            key_dim=self.width,
            value_dim=self.width,
            window=self.window,
            latent_dim=self.width,
            index_dim=self.index_dim if indexed else 0,
            index_top_k=self.index_top_k if indexed else 0,
            index_layers=int(indexed),
            index_heads=self.index_heads if indexed else 0,
            compression=ratio,
        )


def read_compressed(fields: Fields, family: str) -> Draft:
    """Count DeepSeek V4."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    shape, experts = _read_shape(fields), _read_experts(fields)
    hashed = fields.integer("num_hash_layers", default=0, least=0)
    for index, ratio in enumerate(fields.per_layer("compress_ratios", draft.core.layers)):
        layer = f"layers.{index}."
        _layer(draft, layer, shape, ratio, experts)
        draft.attend(shape.group(ratio))
        if index >= hashed:  # the first layers choose experts by a table of tokens
            draft.vector(layer + "mlp.gate", experts.experts)
    _mixing_head(draft, "hc_head", shape)
    _predict(draft, shape, experts)
    return draft


def _read_shape(fields: Fields) -> Compressed:
    return Compressed(
        heads=fields.heads("num_attention_heads"),
        width=fields.integer("head_dim"),
        query_rank=fields.integer("q_lora_rank"),
        output_groups=fields.integer("o_groups", most=65_536),
        output_rank=fields.integer("o_lora_rank"),
        window=fields.tokens("sliding_window"),
        index_heads=fields.heads("index_n_heads"),
        index_dim=fields.integer("index_head_dim"),
        index_top_k=fields.tokens("index_topk"),
        streams=fields.integer("hc_mult", most=64),
    )


def _read_experts(fields: Fields) -> Experts:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        raise fields.missing("n_routed_experts")
    inner = fields.integer("moe_intermediate_size")
    return Experts(experts, per_token, inner, fields.integer("n_shared_experts", default=0, least=0, most=1024) * inner)


def _layer(draft: Draft, layer: str, shape: Compressed, ratio: int, experts: Experts) -> None:
    hidden = draft.core.hidden_size
    _attention(draft, layer, shape)
    if ratio:
        _compressor(draft, layer + "self_attn.compressor.", shape.width, ratio)
    if ratio == INDEXED_RATIO:
        _indexer(draft, layer + "self_attn.indexer.", shape)
    mixes = (2 + shape.streams) * shape.streams
    draft.vector(layer + "hc", 2 * (mixes * shape.streams * hidden + mixes + 3))
    draft.vector(layer + "norms", 2 * hidden)
    mixture(draft, layer, experts)


def _attention(draft: Draft, layer: str, shape: Compressed) -> None:
    """Query by a rank, one shared key and value, and an output of groups by a rank; a sink for each head."""
    hidden, path, kind = draft.core.hidden_size, layer + "self_attn.", TensorClass.ATTENTION
    outputs = shape.heads * shape.width
    if outputs % shape.output_groups:
        raise UnsupportedArchitecture('Tonnage cannot read heads that do not divide into "o_groups".')
    draft.linear(kind, path + "wq_a", hidden, shape.query_rank)
    draft.linear(kind, path + "wq_b", shape.query_rank, outputs)
    draft.linear(kind, path + "wkv", hidden, shape.width)
    draft.linear(kind, path + "wo_a", outputs // shape.output_groups, shape.output_groups * shape.output_rank)
    draft.linear(kind, path + "wo_b", shape.output_groups * shape.output_rank, hidden)
    draft.vector(path + "norms", shape.query_rank + shape.width + shape.heads)


def _compressor(draft: Draft, path: str, width: int, ratio: int) -> None:
    """Two projections of the tokens of a block, a position for each of them, and a norm; overlapping where short."""
    wide = width * (2 if ratio == INDEXED_RATIO else 1)
    draft.linear(TensorClass.ATTENTION, path + "wkv", draft.core.hidden_size, wide)
    draft.linear(TensorClass.ATTENTION, path + "wgate", draft.core.hidden_size, wide)
    draft.vector(path + "ape", ratio * wide + width)


def _indexer(draft: Draft, path: str, shape: Compressed) -> None:
    draft.linear(TensorClass.ATTENTION, path + "wq_b", shape.query_rank, shape.index_heads * shape.index_dim)
    draft.linear(TensorClass.ATTENTION, path + "weights_proj", draft.core.hidden_size, shape.index_heads)
    _compressor(draft, path + "compressor.", shape.index_dim, INDEXED_RATIO)


def _mixing_head(draft: Draft, module: str, shape: Compressed) -> None:
    draft.vector(module, shape.streams * shape.streams * draft.core.hidden_size + shape.streams + 1)


def _predict(draft: Draft, shape: Compressed, experts: Experts) -> None:
    count = draft.fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    hidden = draft.core.hidden_size
    for index in range(count):
        prediction = draft.start_prediction()
        layer = f"mtp.{index}."
        _layer(prediction, layer, shape, 0, experts)
        prediction.vector(layer + "mlp.gate", experts.experts)
        prediction.linear(TensorClass.FEED_FORWARD, layer + "eh_proj", 2 * hidden, hidden)
        prediction.vector(layer + "norms", 3 * hidden)
        _mixing_head(prediction, layer + "hc_head", shape)
        draft.predict(prediction)
