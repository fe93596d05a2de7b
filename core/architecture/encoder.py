"""Encoders: bidirectional attention, nothing is kept between requests. Embedding models and rerankers."""

from core.architecture.blueprint import AttentionKind, TensorClass
from core.architecture.draft import Core, Draft
from core.architecture.fields import Fields
from core.architecture.modules import Heads, attention, feed_forward, read_heads

WITHOUT_POSITIONS = frozenset({"nomic_bert", "jina_embeddings_v3"})  # rotary instead of a table
PLAIN = frozenset({"nomic_bert"})  # no biases, gated feed-forward, no pooler


def read_encoder(fields: Fields, family: str) -> Draft:
    """Count a BERT-like encoder with what its class puts on top: a pooler, or a classifier."""
    core = Core(
        layers=fields.layers("num_hidden_layers", "n_layer"),
        hidden_size=fields.integer("hidden_size", "n_embd"),
        vocabulary=fields.tokens("vocab_size"),
    )
    draft = Draft(fields, core)
    _embeddings(draft, family)
    plain = family in PLAIN
    heads = _heads(fields, core.hidden_size, bias=not plain)
    inner = fields.integer("intermediate_size", "n_inner")
    for index in range(core.layers):
        layer = f"layers.{index}."
        attention(draft, layer, heads)
        feed_forward(draft, layer + "mlp", inner, bias=not plain, gated=plain)
        draft.vector(layer + "norms", 2 * 2 * core.hidden_size)
        draft.attend(heads.group(AttentionKind.ENCODER))
    if not plain:
        _top(draft)
    return draft


def _embeddings(draft: Draft, family: str) -> None:
    """Words, positions and segments, added up and normed."""
    fields, hidden = draft.fields, draft.core.hidden_size
    rows = draft.core.vocabulary + fields.integer("type_vocab_size", default=2, least=0)
    if family not in WITHOUT_POSITIONS:
        rows += fields.tokens("max_position_embeddings")
    draft.add(TensorClass.EMBEDDING, "embeddings", rows * hidden)
    draft.vector("embeddings.norm", 2 * hidden)


def _heads(fields: Fields, hidden: int, bias: bool) -> Heads:
    if fields.has("n_head"):
        count = fields.heads("n_head")
        return Heads(count, count, hidden // count, hidden // count, bias, bias)
    found = read_heads(fields, hidden)
    return Heads(found.query_heads, found.kv_heads, found.key_dim, found.value_dim, bias, bias)


def _top(draft: Draft) -> None:
    """A pooler, or for RoBERTa's classifiers a layer in its place, and one row for each label."""
    fields, hidden = draft.fields, draft.core.hidden_size
    name = (fields.texts("architectures") or [""])[0]
    if "MaskedLM" in name or "TokenClassification" in name:
        return
    draft.linear(TensorClass.HEAD, "pooler", hidden, hidden, bias=True)
    if "SequenceClassification" in name:
        draft.linear(TensorClass.HEAD, "classifier", hidden, _labels(fields), bias=True)


def _labels(fields: Fields) -> int:
    names = fields.section("id2label")
    return fields.integer("num_labels", default=len(names.values) if names and names.values else 1, most=1_000_000)
