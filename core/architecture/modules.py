"""The modules that language models are built of, counted into a draft.

Each function adds the parameters of one module under the names that checkpoints use, so that quantisation configs can
be applied to them afterwards.
"""

from dataclasses import dataclass

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.architecture.draft import Draft
from core.architecture.fields import MOST_EXPERTS, Fields


@dataclass(frozen=True, slots=True)
class Heads:
    """The shape of a layer's attention, with what its family adds to the four projections."""

    query_heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: str = ""  # "head": one norm for all heads, "biased head": with a bias, "full": over all heads together
    output_gate: bool = False  # a gate as wide as the query
    own_keys: bool = True  # False: reads the cache of another layer and has no K and V projections
    own_values: bool = True  # False: the keys serve as values

    def group(self, kind: AttentionKind = AttentionKind.FULL, window: int = 0) -> AttentionGroup:
        """One layer of this shape."""
        return AttentionGroup(
            kind=kind,
            layers=1,
            query_heads=self.query_heads,
            kv_heads=self.kv_heads,
            key_dim=self.key_dim,
            value_dim=self.value_dim,
            window=window,
            caching_layers=-1 if self.own_keys else 0,
        )


def read_heads(fields: Fields, hidden: int, prefix: str = "") -> Heads:
    """Heads and their width as most configs state them; without "head_dim" the width is hidden size / heads."""
    query_heads = fields.heads(f"{prefix}num_attention_heads")
    kv_heads = fields.heads(f"{prefix}num_key_value_heads", default=query_heads)
    names = (f"{prefix}head_dim", f"{prefix}attention_head_dim")
    if fields.first(names) is None and hidden % query_heads:
        raise fields.wrong(
            "hidden_size", 'is not a multiple of "num_attention_heads" ({query_heads})', query_heads=query_heads
        )
    if query_heads % kv_heads:
        name = f"{prefix}num_key_value_heads"
        raise fields.wrong(name, "does not divide the query heads ({query_heads})", query_heads=query_heads)
    key_dim = fields.integer(*names, default=hidden // query_heads)
    return Heads(query_heads, kv_heads, key_dim, fields.integer(f"{prefix}v_head_dim", default=key_dim))


def embedding_and_head(draft: Draft, final_norm: int = 1) -> None:
    """The input table, the output projection unless it is the same tensor, and the norm before it."""
    core = draft.core
    draft.add(TensorClass.EMBEDDING, "embed_tokens", core.vocabulary * core.hidden_size)
    if not core.tied:
        draft.linear(TensorClass.HEAD, "lm_head", core.hidden_size, core.vocabulary)
    draft.vector("norm", final_norm * core.hidden_size)


def attention(draft: Draft, layer: str, heads: Heads, name: str = "self_attn") -> None:
    """Query, key, value and output projections of one layer.

    hidden * (query_heads * key_dim + kv_heads * (key_dim + value_dim)) + query_heads * value_dim * hidden
    """
    hidden, path = draft.core.hidden_size, f"{layer}{name}."
    query = heads.query_heads * heads.key_dim
    kind = TensorClass.ATTENTION
    draft.linear(kind, path + "q_proj", hidden, query * (2 if heads.output_gate else 1), heads.qkv_bias)
    if heads.own_keys:
        draft.linear(kind, path + "k_proj", hidden, heads.kv_heads * heads.key_dim, heads.qkv_bias)
        if heads.own_values:
            draft.linear(kind, path + "v_proj", hidden, heads.kv_heads * heads.value_dim, heads.qkv_bias)
    draft.linear(kind, path + "o_proj", heads.query_heads * heads.value_dim, hidden, heads.output_bias)
    if heads.qk_norm in ("head", "biased head"):
        width = heads.key_dim * (2 if heads.qk_norm == "biased head" else 1)
        draft.vector(path + "q_norm", width * (2 if heads.own_keys else 1))
    elif heads.qk_norm == "full":
        draft.vector(path + "q_norm", query + heads.kv_heads * heads.key_dim)


def feed_forward(
    draft: Draft,
    module: str,
    inner: int,
    tensor_class: TensorClass = TensorClass.FEED_FORWARD,
    bias: bool = False,
    gated: bool = True,
    hidden: int = 0,
) -> None:
    """A dense feed-forward block: up, down and, where it is gated, the gate."""
    width = hidden or draft.core.hidden_size
    if gated:
        draft.linear(tensor_class, module + ".gate_proj", width, inner, bias)
    draft.linear(tensor_class, module + ".up_proj", width, inner, bias)
    draft.linear(tensor_class, module + ".down_proj", inner, width, bias)


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of a layer, as the file states them."""

    experts: int
    per_token: int
    inner: int
    shared_inner: int = 0  # of all shared experts together
    shared_gate: bool = False
    router_bias: bool = False  # one number an expert beside the router's matrix
    biases: bool = False  # of the experts and the router
    gated: bool = True
    latent: int = 0  # experts work in this width instead of the hidden size

    @property
    def matrices(self) -> int:
        return 3 if self.gated else 2


EXPERT_COUNTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
EXPERTS_PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "moe_top_k", "top_k_experts")


def read_expert_counts(fields: Fields) -> tuple[int, int]:
    """Experts of a layer (0: none), and how many of them a token uses."""
    experts = fields.integer(*EXPERT_COUNTS, default=0, least=0, most=MOST_EXPERTS)
    if experts <= 1:
        return 0, 0
    name = fields.first(EXPERTS_PER_TOKEN)
    if name is None:
        raise fields.missing(EXPERTS_PER_TOKEN[0])
    return experts, fields.per_layer(name, 1, least=1, most=experts)[0]


def mixture(draft: Draft, layer: str, experts: Experts, name: str = "mlp") -> None:
    """Router, routed experts and shared experts of one layer."""
    hidden, path = draft.core.hidden_size, f"{layer}{name}."
    width = experts.latent or hidden
    per_expert = experts.matrices * width * experts.inner
    routed = path + "experts.0."
    for projection in ("gate_proj", "up_proj", "down_proj")[3 - experts.matrices :]:
        draft.add(TensorClass.EXPERT, routed + projection, experts.experts * width * experts.inner)
    draft.linear(TensorClass.ROUTER, path + "gate", hidden, experts.experts, experts.biases)
    if experts.biases:  # an expert's own: read only when the expert is
        biases = 2 * experts.inner + width
        draft.add(TensorClass.EXPERT, routed + "bias", experts.experts * biases)
        per_expert += biases
    draft.route(experts.experts, experts.per_token, per_expert)
    if experts.router_bias:
        draft.vector(path + "gate", experts.experts)
    if experts.latent:
        draft.linear(TensorClass.FEED_FORWARD, path + "fc1_latent_proj", hidden, width)
        draft.linear(TensorClass.FEED_FORWARD, path + "fc2_latent_proj", width, hidden)
    if experts.shared_inner:
        feed_forward(
            draft, path + "shared_experts", experts.shared_inner, TensorClass.SHARED_EXPERT, gated=experts.gated
        )
    if experts.shared_gate:
        draft.add(TensorClass.ROUTER, path + "shared_expert_gate", hidden)
