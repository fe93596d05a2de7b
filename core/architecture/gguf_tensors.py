"""Which class each tensor of a GGUF file belongs to, by the names that llama.cpp gives them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.architecture.blueprint import TensorClass
from core.architecture.gguf import GgufTensor

_LAYER = re.compile(r"^blk\.(\d{1,5})\.(.+)$")
_SPLIT_EXPERT = re.compile(r"^ffn_(?:gate|up|down)\.\d+\.")  # files of 2023 and 2024: one tensor for each expert

BUFFERS = ("rope_", "layer_output_scale")
EXPERT_PARTS = ("_exps.", "_chexps.")
VISION_STARTS = ("v.", "mm.", "a.", "resampler.", "model.image_newline")
VECTORS = ("ssm_conv1d", "exp_probs_b", "attn_sinks", "altup_correct", "layer_output_scale")
STATE_VECTORS = ("ssm_a", "ssm_d", "ssm_dt.bias")

# The first that fits a tensor's name within its layer; what fits none is a projection of the feed-forward block.
LAYER_CLASSES: tuple[tuple[str, TensorClass], ...] = (
    ("nextn.", TensorClass.MTP),
    ("vis_", TensorClass.VISION),
    ("ffn_gate_inp", TensorClass.ROUTER),
    ("altup_predict", TensorClass.NORM),
    ("ssm_", TensorClass.RECURRENT),
    ("shortconv.", TensorClass.RECURRENT),
    ("time_mix_", TensorClass.RECURRENT),
    ("attn_", TensorClass.ATTENTION),
    ("indexer.", TensorClass.ATTENTION),
)
OUTER_CLASSES: Mapping[str, TensorClass] = {
    "token_embd.weight": TensorClass.EMBEDDING,
    "per_layer_token_embd.weight": TensorClass.EMBEDDING,
    "position_embd.weight": TensorClass.EMBEDDING,
    "token_types.weight": TensorClass.EMBEDDING,
    "output.weight": TensorClass.HEAD,
    "cls.weight": TensorClass.HEAD,
    "cls.output.weight": TensorClass.HEAD,
    "dense_2.weight": TensorClass.HEAD,
    "dense_3.weight": TensorClass.HEAD,
}


@dataclass
class Layer:
    """The tensors of one block, by their names within it."""

    tensors: dict[str, GgufTensor] = field(default_factory=dict)

    def has(self, *starts: str) -> bool:
        return any(name.startswith(starts) for name in self.tensors)

    def width(self, name: str) -> int:
        """Numbers that come out of a projection; 0 where the block does not have it."""
        tensor = self.tensors.get(name)
        return tensor.shape[1] if tensor is not None and len(tensor.shape) > 1 else 0

    @property
    def attends(self) -> bool:
        return self.has("attn_q.", "attn_k.", "attn_qkv.", "attn_q_a.", "attn_kv_a_mqa.", "attn_q_b.")

    @property
    def recurs(self) -> bool:
        return self.has("ssm_")

    @property
    def expert_tensors(self) -> list[tuple[str, GgufTensor]]:
        """Routed experts with their biases: all in one tensor, or each in one of its own."""
        return [
            (name, tensor)
            for name, tensor in self.tensors.items()
            if (any(part in name for part in EXPERT_PARTS) and not name.endswith("scale")) or _SPLIT_EXPERT.match(name)
        ]


@dataclass
class Layout:
    """The tensors of a file, sorted into blocks and into those outside of them."""

    outer: dict[str, GgufTensor] = field(default_factory=dict)
    layers: dict[int, Layer] = field(default_factory=lambda: defaultdict(Layer))


def lay_out(tensors: Iterable[GgufTensor]) -> Layout:
    layout = Layout()
    for tensor in tensors:
        match = _LAYER.match(tensor.name)
        if match:
            layout.layers[int(match[1])].tensors[match[2]] = tensor
        else:
            layout.outer[tensor.name] = tensor
    return layout


@dataclass(frozen=True, slots=True)
class Classed:
    """A tensor with its class; scales and tables of angles are stored, but are no parameters of the model."""

    tensor_class: TensorClass
    tensor: GgufTensor
    module: str
    parameters: int


def classify(layout: Layout, layers: int, linear_attention: bool) -> Iterator[Classed]:
    """Each tensor with its class.

    `layers` is the number of layers without those for prediction, which come after them. `linear_attention` says that
    layers with a state use the names of attention for their projections.
    """
    scales = any(t.type.name == "NVFP4" for t in _all_tensors(layout))
    per_layer_tables = "per_layer_token_embd.weight" in layout.outer and "output.weight" not in layout.outer
    for name, tensor in layout.outer.items():
        kind = _outer_class(name, tensor)
        if name == "token_embd.weight" and per_layer_tables:
            kind = TensorClass.HEAD  # read whole as the head; the tables for each layer are what is looked up
        yield Classed(kind, tensor, name, 0 if name.startswith(BUFFERS) else tensor.elements)
    for index, layer in layout.layers.items():
        recurs = linear_attention and layer.recurs
        split_latent = "attn_k_b.weight" in layer.tensors  # beside which the joint tensor says the same again
        for name, tensor in layer.tensors.items():
            kind = TensorClass.MTP if index >= layers else _layer_class(name, tensor, recurs)
            stored_only = (
                name.startswith(BUFFERS)
                or (scales and name.endswith("scale"))
                or (split_latent and name.startswith("attn_kv_b."))
            )
            yield Classed(kind, tensor, f"blk.{index}.{name}", 0 if stored_only else tensor.elements)


def _all_tensors(layout: Layout) -> Iterator[GgufTensor]:
    yield from layout.outer.values()
    for layer in layout.layers.values():
        yield from layer.tensors.values()


def _outer_class(name: str, tensor: GgufTensor) -> TensorClass:
    if name in OUTER_CLASSES:
        return OUTER_CLASSES[name]
    if name.startswith(VISION_STARTS):
        return TensorClass.VISION
    if _is_vector(name, tensor):
        return TensorClass.NORM
    return TensorClass.HEAD if name.startswith("cls") else TensorClass.FEED_FORWARD


def _layer_class(name: str, tensor: GgufTensor, recurs: bool) -> TensorClass:
    if (any(part in name for part in EXPERT_PARTS) or _SPLIT_EXPERT.match(name)) and not name.endswith("scale"):
        return TensorClass.EXPERT
    if name.startswith("ffn_gate_inp_shexp."):  # a single row: one number for all shared experts
        return TensorClass.ROUTER
    if _is_vector(name, tensor):
        return TensorClass.NORM
    if "_shexp." in name:
        return TensorClass.SHARED_EXPERT
    kind = next((kind for start, kind in LAYER_CLASSES if name.startswith(start)), TensorClass.FEED_FORWARD)
    return TensorClass.RECURRENT if recurs and kind is TensorClass.ATTENTION else kind


def _is_vector(name: str, tensor: GgufTensor) -> bool:
    """Norms, biases, scales and what else is small and stays in 16 or 32 bit."""
    if name.startswith(("nextn.", "vis_")):
        return False
    return (
        name.startswith(VECTORS)
        or name in STATE_VECTORS
        or "norm" in name
        or name.endswith((".bias", "scale"))
        or sum(n > 1 for n in tensor.shape) < 2
    )
