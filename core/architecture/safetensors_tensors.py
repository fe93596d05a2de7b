"""Which class each tensor of a Hugging Face checkpoint belongs to, and what the classes weigh.

Checkpoints name tensors after the modules of their implementation, so the words in a name decide. Packed formats store
several weights in one number beside scales of their own: the bytes of both count, the scales are no parameters.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.architecture.blueprint import TensorClass
from core.architecture.header_stream import shown
from core.architecture.safetensors import SafeTensor

_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks|layer)\.(\d{1,5})\.")
_TOWER = re.compile(
    r"(?:^|\.)(?:visual|vision\w*|vit\w*|image_\w+|audio_\w+|multi_modal_projector|mm_projector|multimodal_projector"
    r"|embed_vision|embed_audio|mlp1|aligner|patch_embed\w*|sound_\w+|view_seperator|vision_tower)(?:\.|$)"
)
_PREDICTION = re.compile(r"(?:^|\.)(?:mtp\w*|nextn\w*|eh_proj)(?:\.|$)")
_SCALE = re.compile(
    r"(?:^|[._])(?:weight_scale(?:_inv|_2)?|input_scale|scales|qzeros|g_idx|weight_zero_point|weight_shape"
    r"|(?:weight|input|output)_global_scale|[qkv]_scale|kv_scale|output_scale|activation_scale|input_activation_scale"
    r"|biases|absmax|quant_map|nested_absmax|nested_quant_map|quant_state\..*|SCB|weight_format)$"
)
_NORM = re.compile(
    r"norm|(?:^|\.)ln_|layer_?scal|(?:^|[._])bias$|_bias$|A_log$|\.D$|dt_bias$|conv1d|sinks?$|\.ape$|hyper_connection"
)
_EMBEDDING = re.compile(
    r"(?:^|\.)(?:embed_tokens(?:_per_layer)?|embed_positions|wte|wpe|tok_embeddings|word_embeddings|position_embeddings"
    r"|token_type_embeddings|embed|embed_in|embeddings)\.(?:weight|scales|biases)$"
)
_HEAD = re.compile(r"(?:^|\.)(?:lm_head|embed_out|score|classifier|pooler|head)\.|^output\.")
_ROUTER = re.compile(
    r"(?:mlp|moe|block_sparse_moe|mixer|ffn|feed_forward)\.gate\.|router|shared_expert_gate|gate\.wg\."
)
_EXPERT = re.compile(r"(?:^|\.)(?:experts|switch_mlp|switch_glu|block_sparse_moe\.(?:input|output)_linear)\.")
_SHARED = re.compile(r"shared_experts?\.|shared_mlp|\.shared_experts?(?:\.|$)")
_RECURRENT = re.compile(
    r"linear_attn|mamba|(?:^|\.)ssm|mixer\.(?:in_proj|out_proj|x_proj|dt_proj)|recurrent|short_?conv|(?:^|\.)conv\."
)
_ATTENTION = re.compile(r"attn|attention|[._](?:q|k|v|o|qkv)_proj|indexer|wkv|wq_|wo_")
_FEED_FORWARD = re.compile(
    r"mlp|ffn|feed_forward|fc[12]|(?:gate|up|down)_proj|dense|intermediate|output\.|per_layer|altup|laurel"
    r"|(?:^|\.)ple\."
)
_NGRAM = re.compile(r"(?:^|\.)ngram_embedding\.")
_TABLE = re.compile(r"(?:^|\.)embed_tokens\.")
# In a layer that keeps a state, projections called as those of attention belong to the state.
_STATE_MARK = re.compile(r"self_attn\.(?:A_log|f_a_proj|output_gate)")

BUFFERS = frozenset({"I64", "BOOL", "U64"})  # positions, tables of tokens


@dataclass
class Weights:
    """What the tensors of a checkpoint weigh."""

    bytes: Counter[TensorClass] = field(default_factory=Counter)
    parameters: Counter[TensorClass] = field(default_factory=Counter)
    full_precision: Counter[TensorClass] = field(default_factory=Counter)  # bytes of matrices in 32 bit
    dtypes: Counter[str] = field(default_factory=Counter)  # bytes by type
    unknown: int = 0
    unknown_name: str = ""

    def add(self, kind: TensorClass | None, tensor: SafeTensor, parameters: int) -> None:
        """Count a tensor; one without a class goes with the feed-forward blocks, and is noted."""
        if kind is None:
            kind, self.unknown = TensorClass.FEED_FORWARD, self.unknown + 1
            self.unknown_name = self.unknown_name or shown(tensor.name)
        self.bytes[kind] += tensor.bytes
        self.parameters[kind] += parameters
        self.dtypes[tensor.dtype] += tensor.bytes
        if tensor.dtype == "F32" and len(tensor.shape) > 1:
            self.full_precision[kind] += tensor.bytes

    def move(self, stored: int, parameters: int, source: TensorClass, target: TensorClass) -> None:
        """Count in another class what a name alone had put into the first."""
        for sums, moved in ((self.bytes, stored), (self.parameters, parameters)):
            sums[source] -= moved
            sums[target] += moved


@dataclass(frozen=True, slots=True)
class Packing:
    """How a checkpoint's quantisation config says that weights share a number."""

    bits: int = 4  # of a weight in 32-bit numbers
    mlx_group: int = 0  # weights that share a scale in MLX, whose layers may differ in bits; 0: not MLX
    pairs: bool = False  # 8-bit integers are pairs of 4-bit numbers, as DeepSeek V4 stores its experts


NOT_PACKED = Packing()


def weigh(tensors: Iterable[SafeTensor], layers: int, packing: Packing = NOT_PACKED) -> Weights:
    """Add up the tensors of a checkpoint by their class.

    `layers` is the number of layers of the language model; those that come after them are for prediction.
    """
    weights = Weights()
    attention: dict[int, tuple[int, int]] = {}  # by layer: bytes and parameters
    stateful: set[int] = set()
    table, per_layer = (0, 0), False
    for tensor in tensors:
        kind, layer = tensor_class(tensor, layers)
        count = _parameters(tensor, packing)
        weights.add(kind, tensor, count)
        if kind is TensorClass.ATTENTION:
            stored, counted = attention.get(layer, (0, 0))
            attention[layer] = stored + tensor.bytes, counted + count
        if _STATE_MARK.search(tensor.name):
            stateful.add(layer)
        if _TABLE.search(tensor.name):
            table = table[0] + tensor.bytes, table[1] + count
        per_layer = per_layer or "embed_tokens_per_layer." in tensor.name
    for layer in stateful & set(attention):
        weights.move(*attention[layer], TensorClass.ATTENTION, TensorClass.RECURRENT)
    if per_layer and not weights.bytes[TensorClass.HEAD]:  # the tables for each layer are what is looked up
        weights.move(*table, TensorClass.EMBEDDING, TensorClass.HEAD)
    return weights


def _parameters(tensor: SafeTensor, packing: Packing) -> int:
    """Weights of the model that a tensor stores; bytes of unsigned integers are two nibbles each."""
    leaf = tensor.name.rpartition(".")[2]
    if leaf == "scales" and packing.mlx_group:
        return tensor.elements * packing.mlx_group
    if _is_scale(tensor, leaf) or tensor.dtype in BUFFERS:
        return 0
    if tensor.dtype == "I32":
        return tensor.elements * 32 // packing.bits if leaf in ("qweight", "weight_packed") else 0
    if tensor.dtype == "U32":  # MLX: counted by the scales
        return 0 if packing.mlx_group else tensor.elements * 32 // packing.bits
    return tensor.elements * (2 if tensor.dtype == "U8" or (tensor.dtype == "I8" and packing.pairs) else 1)


def _is_scale(tensor: SafeTensor, leaf: str) -> bool:
    if leaf == "scale":
        return tensor.dtype == "F8_E8M0" or len(tensor.shape) > 1
    return _SCALE.search(tensor.name) is not None


def tensor_class(tensor: SafeTensor, layers: int) -> tuple[TensorClass | None, int]:
    """The class of a tensor, None where its name says nothing, and its layer, -1 outside of layers."""
    name = tensor.name
    if _TOWER.search(name):
        return TensorClass.VISION, -1
    match = _LAYER.search(name)
    layer = int(match[1]) if match else -1
    if _PREDICTION.search(name) or (layers and layer >= layers):
        return TensorClass.MTP, layer
    if _NGRAM.search(name):
        return TensorClass.NGRAM, layer
    if layer < 0 and _EMBEDDING.search(name):
        return TensorClass.EMBEDDING, -1
    if layer < 0 and _HEAD.search(name) and not _NORM.search(name):
        return TensorClass.HEAD, -1
    return _layer_class(name, tensor), layer


def _layer_class(name: str, tensor: SafeTensor) -> TensorClass | None:
    if _SHARED.search(name) and not _ROUTER.search(name):
        return TensorClass.NORM if _NORM.search(name) else TensorClass.SHARED_EXPERT
    if _EXPERT.search(name):
        return TensorClass.EXPERT
    if _NORM.search(name) or (len(tensor.shape) == 1 and not _is_scale(tensor, name.rpartition(".")[2])):
        return TensorClass.NORM
    for pattern, kind in (
        (_ROUTER, TensorClass.ROUTER),
        (_RECURRENT, TensorClass.RECURRENT),
        (_ATTENTION, TensorClass.ATTENTION),
        (_FEED_FORWARD, TensorClass.FEED_FORWARD),
    ):
        if pattern.search(name):
            return kind
    return None
