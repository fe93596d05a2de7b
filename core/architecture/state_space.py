"""Mamba hybrids: state-space layers with a state of constant size, and a few layers with full attention.

Nemotron-H and Nemotron 3, Granite 4, Bamba, Falcon-H1 (both kinds side by side in every layer) and Jamba (first Mamba);
Mamba, Falcon Mamba and Mamba 2 have no attention at all.
"""

from dataclasses import dataclass, replace

from core.architecture.blueprint import RecurrentGroup, RecurrentKind, TensorClass
from core.architecture.decoder import prediction_joint, read_core
from core.architecture.draft import Core, Draft
from core.architecture.fields import MOST_LAYERS, Fields
from core.architecture.header_stream import shown
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
from core.errors import UnsupportedArchitecture

STATE_BYTES = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0}
LETTERS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E", "linear_attention": "M", "full_attention": "*"}


@dataclass(frozen=True, slots=True)
class Mamba2:
    """The shape of a second-generation state-space layer."""

    heads: int
    head_dim: int
    groups: int
    state: int  # numbers kept for each channel
    kernel: int  # width of the short convolution [tokens]
    inner: int  # heads * head_dim, unless the file says otherwise
    gated_norm: bool = True
    matrix_bytes: float = 4.0
    matrix_stated: bool = True
    chunk_tokens: int = 2048

    @property
    def channels(self) -> int:
        """Width of the convolution: the input, and both projections of every group."""
        return self.inner + 2 * self.groups * self.state

    def group(self) -> RecurrentGroup:
        return RecurrentGroup(
            kind=RecurrentKind.MAMBA2,
            layers=1,
            heads=self.heads,
            key_dim=self.state,
            value_dim=self.head_dim,
            convolution_elements=self.channels * (self.kernel - 1),
            convolution_tokens=self.kernel - 1,
            matrix_elements=self.heads * self.head_dim * self.state,
            matrix_bytes=self.matrix_bytes,
            matrix_stated=self.matrix_stated,
            chunk_tokens=self.chunk_tokens,
        )


def read_nemotron(fields: Fields, family: str) -> Draft:
    """Count Nemotron-H and Nemotron 3: each layer is one block with one norm, of the kind that a letter names."""
    letters = _letters(fields, "hybrid_override_pattern", "layers_block_type")
    core = Core(
        layers=len(letters),
        hidden_size=fields.integer("hidden_size"),
        vocabulary=fields.tokens("vocab_size"),
        tied=fields.flag("tie_word_embeddings"),
    )
    draft = Draft(fields, core)
    embedding_and_head(draft)
    heads, mamba = read_heads(fields, core.hidden_size), _read_nemotron_mamba(fields)
    experts = _read_nemotron_experts(fields) if "E" in letters else None
    for index, letter in enumerate(letters):
        _block(draft, f"layers.{index}.", letter, heads, mamba, experts)
    _predict(draft, heads, mamba, experts)
    return draft


def _letters(fields: Fields, pattern: str, kinds: str) -> str:
    """One letter for each layer: M state space, * attention, - dense, E experts."""
    if fields.has(pattern):
        letters = fields.text(pattern)
    else:
        names = fields.texts(kinds)
        if names is None:
            raise fields.missing(pattern)
        letters = "".join(LETTERS.get(name, "?") for name in names)
    if not letters or len(letters) > MOST_LAYERS or set(letters) - set(LETTERS.values()):
        raise UnsupportedArchitecture("Tonnage cannot read the layer pattern in {file} yet.", file=fields.file)
    return letters


def _block(draft: Draft, layer: str, letter: str, heads: Heads, mamba: Mamba2, experts: Experts | None) -> None:
    draft.vector(layer + "norms", draft.core.hidden_size)
    if letter == "M":
        mamba_layer(draft, layer, mamba, "mixer")
        draft.recur(mamba.group())
    elif letter == "*":
        attention(draft, layer, heads, "mixer")
        draft.attend(heads.group())
    elif letter == "-":
        feed_forward(draft, layer + "mixer", draft.fields.integer("intermediate_size"), gated=False)
    elif experts:
        mixture(draft, layer, experts, "mixer")


def _read_nemotron_mamba(fields: Fields) -> Mamba2:
    heads, head_dim = fields.heads("mamba_num_heads"), fields.integer("mamba_head_dim")
    return Mamba2(
        heads=heads,
        head_dim=head_dim,
        groups=fields.integer("n_groups", "mamba_n_groups"),
        state=fields.integer("ssm_state_size"),
        kernel=fields.integer("conv_kernel", most=1024),
        inner=heads * head_dim,
        matrix_bytes=_state_bytes(fields),
        chunk_tokens=_chunk_tokens(fields),
    )


STATE_DTYPES = ("mamba_ssm_cache_dtype", "mamba_ssm_dtype")


def _states_matrices(fields: Fields) -> bool:
    """Does the file say in which precision the state's matrices are kept?"""
    return any(fields.has(name) for name in STATE_DTYPES)


def _state_bytes(fields: Fields) -> float:
    for name in STATE_DTYPES:
        stated = fields.text(name, "float32")
        if stated not in STATE_BYTES:
            raise fields.wrong(name, "is none of {known}", known=", ".join(STATE_BYTES))
        if fields.has(name):
            return STATE_BYTES[stated]
    return 4.0


def _chunk_tokens(fields: Fields) -> int:
    """Tokens that the kernels take at a time."""
    return fields.integer("mamba_chunk_size", "chunk_size", default=2048, most=65_536)


def _read_nemotron_experts(fields: Fields) -> Experts | None:
    experts, per_token = read_expert_counts(fields)
    if not experts:
        return None
    inner = fields.integer("moe_intermediate_size")
    shared = fields.integer("n_shared_experts", default=0, least=0, most=1024)
    shared *= fields.integer("moe_shared_expert_intermediate_size", default=inner)
    latent = fields.integer("moe_latent_size", default=0, least=0)
    return Experts(experts, per_token, inner, shared, router_bias=True, gated=False, latent=latent)


def _predict(draft: Draft, heads: Heads, mamba: Mamba2, experts: Experts | None) -> None:
    fields = draft.fields
    count = fields.integer("num_nextn_predict_layers", default=0, least=0, most=64)
    if not count or fields.first(("mtp_hybrid_override_pattern", "mtp_layers_block_type")) is None:
        return
    prediction = draft.start_prediction()
    letters = _letters(fields, "mtp_hybrid_override_pattern", "mtp_layers_block_type")
    for index, letter in enumerate(letters * count):
        _block(prediction, f"mtp.layers.{index}.", letter, heads, mamba, experts)
    prediction_joint(prediction, "mtp.", copies=False)
    draft.predict(prediction)


def mamba_layer(draft: Draft, layer: str, mamba: Mamba2, name: str = "mamba", conv_bias: bool = True) -> None:
    """One projection in (gate, input, both state projections, step), a short convolution, one projection out."""
    hidden, path, kind = draft.core.hidden_size, f"{layer}{name}.", TensorClass.RECURRENT
    draft.linear(kind, path + "in_proj", hidden, mamba.inner + mamba.channels + mamba.heads)
    draft.linear(kind, path + "out_proj", mamba.inner, hidden)
    draft.vector(path + "conv1d", mamba.channels * (mamba.kernel + int(conv_bias)))
    draft.vector(path + "decay", 3 * mamba.heads)
    if mamba.gated_norm:
        draft.vector(path + "norm", mamba.inner)


def read_granite(fields: Fields, family: str) -> Draft:
    """Count Granite 4: state-space or attention, then routed experts beside a shared one, or that one alone."""
    draft = Draft(fields, read_core(fields, tied=True))
    embedding_and_head(draft)
    heads, mamba = read_heads(fields, draft.core.hidden_size), _read_mamba(fields)
    kinds = fields.layer_types("layer_types", draft.core.layers)
    if kinds is None:
        raise fields.missing("layer_types")
    experts, per_token = read_expert_counts(fields)
    shared = fields.integer("shared_intermediate_size", least=0)
    for index, kind in enumerate(kinds):
        layer = f"layers.{index}."
        _mix(draft, layer, kind, heads, mamba)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts:
            inner = fields.integer("intermediate_size")
            mixture(draft, layer, Experts(experts, per_token, inner, shared), "block_sparse_moe")
        else:
            feed_forward(draft, layer + "shared_mlp", shared)
    return draft


def _mix(draft: Draft, layer: str, kind: str, heads: Heads, mamba: Mamba2) -> None:
    if kind in ("mamba", "linear_attention"):
        mamba_layer(draft, layer, mamba, conv_bias=draft.fields.flag("mamba_conv_bias", True))
        draft.recur(mamba.group())
    elif kind in ("attention", "full_attention"):
        attention(draft, layer, heads)
        draft.attend(heads.group())
    else:
        raise UnsupportedArchitecture(
            'Tonnage cannot read the layer type "{kind}" in {file} yet.', kind=shown(kind), file=draft.fields.file
        )


def _read_mamba(fields: Fields) -> Mamba2:
    heads, head_dim = fields.heads("mamba_n_heads"), fields.integer("mamba_d_head")
    return Mamba2(
        heads=heads,
        head_dim=head_dim,
        groups=fields.integer("mamba_n_groups"),
        state=fields.integer("mamba_d_state"),
        kernel=fields.integer("mamba_d_conv", most=1024),
        inner=fields.integer("mamba_d_ssm", default=heads * head_dim),
        matrix_bytes=_state_bytes(fields),
        matrix_stated=_states_matrices(fields),
        chunk_tokens=_chunk_tokens(fields),
    )


def read_falcon_hybrid(fields: Fields, family: str) -> Draft:
    """Count Falcon-H1: attention and state space side by side in every layer."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    heads = read_heads(fields, draft.core.hidden_size)
    mamba = replace(_read_mamba(fields), gated_norm=fields.flag("mamba_rms_norm"))
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        _mix(draft, layer, "mamba", heads, mamba)
        _mix(draft, layer, "attention", heads, mamba)
        feed_forward(draft, layer + "feed_forward", fields.integer("intermediate_size"))
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
    return draft


def read_jamba(fields: Fields, family: str) -> Draft:
    """Count Jamba: Mamba of the first generation, attention in one layer of a period, experts in some."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    heads = read_heads(fields, draft.core.hidden_size)
    experts, per_token = read_expert_counts(fields)
    inner = fields.integer("intermediate_size")
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        if _in_period(fields, index, "attn_layer"):
            attention(draft, layer, heads)
            draft.attend(heads.group())
        else:
            _first_mamba(draft, layer)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        if experts and _in_period(fields, index, "expert_layer"):
            mixture(draft, layer, Experts(experts, per_token, inner), "feed_forward")
        else:
            feed_forward(draft, layer + "feed_forward", inner)
    return draft


def _in_period(fields: Fields, index: int, name: str) -> bool:
    period = fields.integer(f"{name}_period")
    return index % period == fields.integer(f"{name}_offset", least=0)


def _first_mamba(draft: Draft, layer: str) -> None:
    fields, hidden = draft.fields, draft.core.hidden_size
    automatic = fields.values.get("mamba_dt_rank") in (None, "auto")
    mamba = Mamba1(
        inner=fields.integer("mamba_expand", most=64) * hidden,
        state=fields.integer("mamba_d_state"),
        kernel=fields.integer("mamba_d_conv", most=1024),
        rank=-(-hidden // 16) if automatic else fields.integer("mamba_dt_rank"),
        norms=True,
    )
    mamba1_layer(draft, layer + "mamba.", mamba)


@dataclass(frozen=True, slots=True)
class Mamba1:
    """The shape of a first-generation state-space layer."""

    inner: int
    state: int  # numbers kept for each channel
    kernel: int  # width of the short convolution [tokens]
    rank: int  # of the step
    norms: bool = False  # of the step and both state projections
    bias: bool = False  # of the projections in and out
    conv_bias: bool = True


def mamba1_layer(draft: Draft, path: str, mamba: Mamba1) -> None:
    """A layer of the first generation: the step and both state projections come from the input, by a low rank."""
    hidden, inner, state, kind = draft.core.hidden_size, mamba.inner, mamba.state, TensorClass.RECURRENT
    draft.linear(kind, path + "in_proj", hidden, 2 * inner, mamba.bias)
    draft.linear(kind, path + "x_proj", inner, mamba.rank + 2 * state)
    draft.linear(kind, path + "dt_proj", mamba.rank, inner, bias=True)
    draft.linear(kind, path + "out_proj", inner, hidden, mamba.bias)
    draft.vector(path + "conv1d", inner * (mamba.kernel + int(mamba.conv_bias)))
    draft.vector(path + "decay", inner * state + inner)
    if mamba.norms:
        draft.vector(path + "norms", mamba.rank + 2 * state)
    draft.recur(
        RecurrentGroup(
            kind=RecurrentKind.MAMBA1,
            layers=1,
            heads=inner,  # each channel by itself; vLLM 0.33, mamba_utils.py: mamba1_state_shape divides them
            key_dim=state,
            value_dim=1,
            convolution_elements=inner * (mamba.kernel - 1),
            convolution_tokens=mamba.kernel - 1,
            matrix_elements=inner * state,
            matrix_bytes=_state_bytes(draft.fields),
            matrix_stated=_states_matrices(draft.fields),
        )
    )


def read_mamba1(fields: Fields, family: str) -> Draft:
    """Count Mamba and Falcon Mamba: layers of the first generation and nothing else."""
    draft = Draft(fields, read_core(fields, tied=True))
    embedding_and_head(draft)
    hidden = draft.core.hidden_size
    automatic = fields.values.get("time_step_rank") in (None, "auto")
    mamba = Mamba1(
        inner=fields.integer("intermediate_size", default=fields.integer("expand", default=2, most=64) * hidden),
        state=fields.integer("state_size", default=16),
        kernel=fields.integer("conv_kernel", default=4, most=1024),
        rank=-(-hidden // 16) if automatic else fields.integer("time_step_rank"),
        bias=fields.flag("use_bias"),
        conv_bias=fields.flag("use_conv_bias", True),
    )
    for index in range(draft.core.layers):
        mamba1_layer(draft, f"layers.{index}.mixer.", mamba)
        draft.vector(f"layers.{index}.norm", hidden)
    return draft


def read_mamba2(fields: Fields, family: str) -> Draft:
    """Count Mamba 2: layers of the second generation and nothing else."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    heads, head_dim = fields.heads("num_heads"), fields.integer("head_dim")
    mamba = Mamba2(
        heads=heads,
        head_dim=head_dim,
        groups=fields.integer("n_groups"),
        state=fields.integer("state_size"),
        kernel=fields.integer("conv_kernel", most=1024),
        inner=heads * head_dim,
        matrix_bytes=_state_bytes(fields),
        matrix_stated=_states_matrices(fields),
        chunk_tokens=_chunk_tokens(fields),
    )
    for index in range(draft.core.layers):
        layer = f"layers.{index}."
        mamba_layer(draft, layer, mamba, "mixer", conv_bias=fields.flag("use_conv_bias", True))
        draft.recur(mamba.group())
        draft.vector(layer + "norm", draft.core.hidden_size)
    return draft


def read_bamba(fields: Fields, family: str) -> Draft:
    """Count Bamba: Mamba 2, and full attention in the layers that the file lists."""
    draft = Draft(fields, read_core(fields))
    embedding_and_head(draft)
    heads, mamba = read_heads(fields, draft.core.hidden_size), _read_mamba(fields)
    full = set(fields.integers("attn_layer_indices") or [])
    kinds = fields.layer_types("layer_types", draft.core.layers)
    for index in range(draft.core.layers):
        layer, kind = f"layers.{index}.", "attention" if index in full else "mamba"
        _mix(draft, layer, {"hybrid": "mamba"}.get(kinds[index], kinds[index]) if kinds else kind, heads, mamba)
        draft.vector(layer + "norms", 2 * draft.core.hidden_size)
        feed_forward(draft, layer + "feed_forward", fields.integer("intermediate_size"))
    return draft
