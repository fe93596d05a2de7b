"""From the header of a GGUF file to a blueprint.

The metadata say how layers attend, the tensors say which layers do: their names and shapes decide where the two can be
compared, and a file whose halves contradict each other is refused. Parameters and bytes are those of the tensors, to
the last one. Which layers have a window is built into llama.cpp for most architectures; the periods here are those of
`src/llama-model.cpp` in ggml-org/llama.cpp.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.architecture.blueprint import (
    AttentionGroup,
    AttentionKind,
    Blueprint,
    NoteKind,
    Quantisation,
    RecurrentGroup,
    RecurrentKind,
    TensorClass,
)
from core.architecture.draft import Core, Draft
from core.architecture.fields import MOST_EXPERTS, Fields
from core.architecture.gguf import GgufFile, Unkept
from core.architecture.gguf_architectures import (
    DELTA_NETS,
    ENCODERS,
    FAMILIES,
    FORMATS,
    KDA,
    MAMBA_1,
    NO_WINDOWS,
    OWN_CACHES,
    SUPPORTED,
    WINDOWS,
)
from core.architecture.gguf_tensors import Classed, Layer, Layout, classify, lay_out
from core.architecture.header_stream import shown
from core.architecture.weight_bits import exact_bits
from core.errors import InvalidInput, Phrase, UnsupportedArchitecture


def read_gguf_blueprint(file: GgufFile, name: str = "") -> Blueprint:
    """Make a blueprint from the header of a GGUF model.

    Raises `InvalidInput` for fields that are missing, absurd or contradicted by a tensor, and
    `UnsupportedArchitecture` for what Tonnage cannot count, by its name.
    """
    architecture = _supported(file)
    fields = _fields(file, architecture)
    layout = lay_out(file.tensors)
    draft = _start(file, fields, layout)
    classed = list(classify(layout, draft.core.layers, architecture in DELTA_NETS or architecture == KDA))
    for one in classed:
        if one.parameters:
            draft.add(one.tensor_class, one.module, one.parameters)
    for index in range(draft.core.layers):
        layer = layout.layers[index]
        _cache(draft, architecture, index, layer)
        _experts(draft, layer, index)
    context = fields.tokens("context_length", default=0, least=0)
    if not context:
        draft.note(NoteKind.CONTEXT_NOT_STATED)
    family = FAMILIES.get(architecture, architecture)
    return draft.blueprint(name or _title(file), family, context, _quantisation(file, draft, classed))


def _supported(file: GgufFile) -> str:
    kind = file.metadata.get("general.type", "model")
    if kind in ("adapter", "imatrix", "mmproj") or file.architecture == "clip":
        said = {"adapter": Phrase("an adapter"), "imatrix": Phrase("a table of importances")}.get(
            str(kind), Phrase("the image part of a model")
        )
        raise UnsupportedArchitecture(
            "{file} is {said}, not a model; open the model's own file.", file=file.name, said=said
        )
    if not file.architecture:
        raise InvalidInput('{file} has no "general.architecture".', "general.architecture", file=file.name)
    if file.architecture not in SUPPORTED:
        raise UnsupportedArchitecture(
            "Tonnage cannot read the architecture {shown} of {file} yet.",
            shown=shown(file.architecture),
            file=file.name,
        )
    return file.architecture


def _fields(file: GgufFile, architecture: str) -> Fields:
    """The fields of the architecture, without its name in front of each."""
    start = architecture + "."
    values = {
        name[len(start) :]: value
        for name, value in file.metadata.items()
        if name.startswith(start) and not isinstance(value, Unkept)
    }
    return Fields(values, file.name, start)


def _title(file: GgufFile) -> str:
    value = file.metadata.get("general.name")
    return shown(value.strip(), 120) if isinstance(value, str) and value.strip() else file.path.stem


def _start(file: GgufFile, fields: Fields, layout: Layout) -> Draft:
    """The first numbers, compared with the tensors."""
    blocks = fields.layers("block_count")
    predicting = fields.integer("nextn_predict_layers", default=0, least=0, most=max(blocks - 1, 0))
    hidden = fields.integer("embedding_length")
    table = layout.outer.get("token_embd.weight")
    if table is None or len(table.shape) != 2:
        raise InvalidInput("{file} holds no table of tokens (token_embd.weight); it is no whole model.", file=file.name)
    if table.shape[0] != hidden:
        raise fields.wrong(
            "embedding_length",
            "is {hidden:,}, but token_embd.weight has {found:,}",
            hidden=hidden,
            found=table.shape[0],
        )
    _check_blocks(fields, layout, blocks, blocks - predicting)
    tied = "output.weight" not in layout.outer and "per_layer_token_embd.weight" not in layout.outer
    double = any("post_ffw_norm.weight" in layer.tensors for layer in layout.layers.values())
    return Draft(fields, Core(blocks - predicting, hidden, table.shape[1], tied and not _encodes(file), double))


def _encodes(file: GgufFile) -> bool:
    return file.architecture in ENCODERS


def _check_blocks(fields: Fields, layout: Layout, blocks: int, layers: int) -> None:
    beyond = max(layout.layers, default=-1)
    if beyond >= blocks:
        raise fields.wrong(
            "block_count", "is {blocks:,}, but there are tensors of layer {beyond:,}", blocks=blocks, beyond=beyond
        )
    missing = next((index for index in range(layers) if index not in layout.layers), None)
    if missing is not None:
        raise fields.wrong(
            "block_count", "is {blocks:,}, but layer {missing:,} has no tensors", blocks=blocks, missing=missing
        )


# ---------------------------------------------------------------------------------------------------------- layers


def _cache(draft: Draft, architecture: str, index: int, layer: Layer) -> None:
    """What one layer keeps of the tokens it has seen."""
    if layer.recurs:
        draft.recur(_state(draft.fields, architecture, layer))
        if architecture != "falcon-h1":  # both kinds side by side
            return
    if not layer.attends:
        return
    if draft.fields.has("attention.kv_lora_rank") and "attn_kv_a_mqa.weight" in layer.tensors:
        draft.attend(_latent(draft, layer))
    else:
        draft.attend(_attention(draft, architecture, index, layer))


def _attention(draft: Draft, architecture: str, index: int, layer: Layer) -> AttentionGroup:
    fields, layers = draft.fields, draft.core.layers
    windowed = _windowed(fields, architecture, index, layers)
    window = fields.tokens("attention.sliding_window", default=WINDOWS.get(architecture, NO_WINDOWS).window, least=0)
    windowed = windowed and window > 0
    queries = _of_layer(fields, "attention.head_count", index, layers)
    keys = _kv_heads(fields, index, layers, queries)
    usual = _key_width(draft, index, queries)
    ending = "_swa" if windowed and fields.has("attention.key_length_swa") else ""
    key_dim = fields.integer(f"attention.key_length{ending}", default=usual)
    value_dim = fields.integer(f"attention.value_length{ending}", default=usual)
    _check_width(fields, layer, index, keys, key_dim)
    kind = WINDOWS.get(architecture, NO_WINDOWS).kind if windowed else AttentionKind.FULL
    if architecture in ENCODERS:
        kind, window = AttentionKind.ENCODER, 0
    return AttentionGroup(
        kind=kind,
        layers=1,
        query_heads=queries,
        kv_heads=keys,
        key_dim=key_dim,
        value_dim=value_dim,
        window=window if windowed else 0,
        caching_layers=-1 if _owns_cache(fields, architecture, index, layers, layer) else 0,
    )


def _windowed(fields: Fields, architecture: str, index: int, layers: int) -> bool:
    """Whether a layer sees the last tokens only."""
    usual = WINDOWS.get(architecture)
    if usual is None:
        return False  # llama.cpp gives such architectures no window, whatever the file says
    if architecture in ("olmo2", "exaone4") and not fields.has("attention.sliding_window"):
        return False
    if architecture == "llama4" and fields.values.get("attention.sliding_window") == 0:
        return False
    name = "attention.sliding_window_pattern"
    if not fields.has(name):
        return usual.has(index)
    if isinstance(fields.values[name], list):
        return bool(fields.per_layer(name, layers, most=1)[index])
    return replace(usual, period=fields.integer(name, least=0, most=layers)).has(index)


def _of_layer(fields: Fields, name: str, index: int, layers: int) -> int:
    return fields.per_layer(name, layers, least=0, most=65_536)[index]


def _kv_heads(fields: Fields, index: int, layers: int, queries: int) -> int:
    name = "attention.head_count_kv"
    keys = _of_layer(fields, name, index, layers) if fields.has(name) else queries
    if not queries or not keys:
        raise fields.wrong(
            name if queries else "attention.head_count",
            "has no head for layer {index}, whose tensors attend",
            index=index,
        )
    return keys


def _key_width(draft: Draft, index: int, queries: int) -> int:
    """Width of a head where the file does not state it: hidden size / heads."""
    first = queries
    if isinstance(draft.fields.values.get("attention.head_count"), list):
        counts = draft.fields.per_layer("attention.head_count", draft.core.layers, most=65_536)
        first = next((count for count in counts if count), queries)
    return max(draft.core.hidden_size // first, 1)


def _check_width(fields: Fields, layer: Layer, index: int, keys: int, key_dim: int) -> None:
    stated, found = keys * key_dim, layer.width("attn_k.weight")
    if found and found != stated:
        raise fields.wrong(
            "attention.head_count_kv",
            "makes {keys} heads of {key_dim} for layer {index}, but blk.{index}.attn_k.weight is {found:,} wide",
            keys=keys,
            key_dim=key_dim,
            index=index,
            found=found,
        )


def _owns_cache(fields: Fields, architecture: str, index: int, layers: int, layer: Layer) -> bool:
    if architecture in OWN_CACHES:
        return index < OWN_CACHES[architecture]
    shared = fields.integer("attention.shared_kv_layers", default=0, least=0, most=layers)
    return index < layers - shared and layer.has("attn_k.", "attn_qkv.", "attn_kv_")


def _latent(draft: Draft, layer: Layer) -> AttentionGroup:
    """Latent attention: one vector for all heads; files of before April 2025 make engines keep full heads instead."""
    fields = draft.fields
    queries = fields.heads("attention.head_count")
    rank, joint = fields.integer("attention.kv_lora_rank"), layer.width("attn_kv_a_mqa.weight")
    rotary = fields.integer("rope.dimension_count", default=max(joint - rank, 0), least=0)
    if joint != rank + rotary:
        raise fields.wrong(
            "attention.kv_lora_rank",
            "is {rank:,} beside {rotary:,} rotary ones, but attn_kv_a_mqa.weight is {joint:,} wide",
            rank=rank,
            rotary=rotary,
            joint=joint,
        )
    if "attn_k_b.weight" not in layer.tensors:
        return _latent_as_full(draft, queries)
    indexed = "indexer.attn_k.weight" in layer.tensors
    sparse = fields.has("attention.indexer.key_length")
    return AttentionGroup(
        kind=AttentionKind.SPARSE_LATENT if sparse else AttentionKind.LATENT,
        layers=1,
        query_heads=queries,
        kv_heads=1,
        key_dim=fields.integer("attention.key_length_mla"),
        value_dim=fields.integer("attention.value_length_mla"),
        latent_dim=rank + rotary,
        index_dim=fields.integer("attention.indexer.key_length") if sparse else 0,
        index_top_k=fields.tokens("attention.indexer.top_k") if sparse else 0,
        index_layers=int(indexed),
        index_heads=fields.integer("attention.indexer.head_count", default=0, least=0) if sparse else 0,
    )


def _latent_as_full(draft: Draft, queries: int) -> AttentionGroup:
    fields = draft.fields
    if all(note.kind is not NoteKind.LATENT_AS_FULL for note in draft.notes):
        draft.note(NoteKind.LATENT_AS_FULL)
    key_dim = fields.integer("attention.key_length")
    value_dim = fields.integer("attention.value_length")
    return AttentionGroup(AttentionKind.FULL, 1, queries, queries, key_dim, value_dim)


def _state(fields: Fields, architecture: str, layer: Layer) -> RecurrentGroup:
    """The state of one recurrent layer: the last tokens of its short convolution, and its matrix."""
    kernel = fields.integer("ssm.conv_kernel", most=1024)
    if architecture == KDA:
        return _kda_state(fields, kernel)
    inner, state = fields.integer("ssm.inner_size"), fields.integer("ssm.state_size")
    if architecture in MAMBA_1:
        width = inner * (kernel - 1)
        return RecurrentGroup(
            RecurrentKind.MAMBA1, 1, inner, state, 1, width, inner * state, convolution_tokens=kernel - 1
        )  # each channel by itself
    heads, groups = fields.heads("ssm.time_step_rank"), fields.heads("ssm.group_count")
    if inner % heads:
        raise fields.wrong("ssm.inner_size", "is not a multiple of “ssm.time_step_rank” ({heads})", heads=heads)
    channels = inner + 2 * groups * state
    if layer.width("ssm_conv1d.weight") not in (0, channels):
        raise fields.wrong(
            "ssm.inner_size",
            "makes a convolution of {channels:,}, but ssm_conv1d.weight has another width",
            channels=channels,
        )
    kind = RecurrentKind.GATED_DELTANET if architecture in DELTA_NETS else RecurrentKind.MAMBA2
    width = channels * (kernel - 1)
    return RecurrentGroup(kind, 1, heads, state, inner // heads, width, inner * state, convolution_tokens=kernel - 1)


def _kda_state(fields: Fields, kernel: int) -> RecurrentGroup:
    heads = max(fields.per_layer("attention.head_count", 1, least=1, most=65_536))
    dim = fields.integer("kda.head_dim")
    width = 3 * heads * dim * (kernel - 1)
    return RecurrentGroup(
        RecurrentKind.KDA, 1, heads, dim, dim, width, heads * dim * dim, convolution_tokens=kernel - 1
    )


def _experts(draft: Draft, layer: Layer, index: int) -> None:
    """Routed experts: how many, how many a token uses, and the parameters of one."""
    tensors = layer.expert_tensors
    if not tensors:
        return
    fields = draft.fields
    experts = fields.integer("expert_count", most=MOST_EXPERTS)
    used = fields.per_layer("expert_used_count", 1, least=1, most=experts)[0]
    for name, tensor in tensors:
        if "_exps." in name and tensor.shape[-1] != experts:
            raise fields.wrong(
                "expert_count",
                "is {experts:,}, but blk.{index}.{name} holds {found:,}",
                experts=experts,
                index=index,
                name=name,
                found=tensor.shape[-1],
            )
    total = sum(tensor.elements for _, tensor in tensors)
    draft.route(experts, used, total // experts)


# -------------------------------------------------------------------------------------------------------- weights


def _quantisation(file: GgufFile, draft: Draft, classed: Sequence[Classed]) -> Quantisation:
    """Bits per parameter in each class, so that parameters * bits / 8 are the bytes of the tensors."""
    sums: Counter[TensorClass] = Counter()
    for one in classed:
        sums[one.tensor_class] += one.tensor.bytes
    bits = {kind: exact_bits(sums[kind], count) for kind, count in draft.totals().items()}
    return Quantisation("gguf", FORMATS.get(file.file_type, file.file_type), bits)
