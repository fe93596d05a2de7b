"""The blueprint of a model: everything that memory and speed depend on, and nothing else.

Readers (`core.architecture.config` and others) make a `Blueprint` from a model file; physics only ever sees this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class TensorClass(StrEnum):
    """Tensors that a checkpoint keeps in one precision and that an engine reads in one way."""

    EMBEDDING = "embedding"  # input table: looked up, never read whole
    NGRAM = "ngram"  # tables of short runs of tokens, looked up as well; far larger than the former
    HEAD = "head"  # output projection; none of its own when tied to the embedding
    ATTENTION = "attention"
    RECURRENT = "recurrent"  # linear attention and state-space projections
    FEED_FORWARD = "feed_forward"  # dense layers
    EXPERT = "expert"  # routed experts, all of them
    SHARED_EXPERT = "shared_expert"
    ROUTER = "router"
    NORM = "norm"  # norms, biases and other vectors
    VISION = "vision"  # image tower and projector
    MTP = "mtp"  # multi-token prediction, loaded for speculative decoding only


class AttentionKind(StrEnum):
    FULL = "full"  # cache grows with every token
    WINDOW = "window"  # the last `window` tokens
    CHUNK = "chunk"  # the current chunk of `window` tokens
    LATENT = "latent"  # MLA: one latent vector a token, the same for all heads
    SPARSE_LATENT = "sparse_latent"  # MLA with an indexer that picks `index_top_k` tokens
    COMPRESSED = "compressed"  # DeepSeek V4: a short window and one compressed vector per `compression` tokens
    ENCODER = "encoder"  # bidirectional, nothing is kept


class RecurrentKind(StrEnum):
    GATED_DELTANET = "gated_deltanet"
    KDA = "kda"
    LIGHTNING = "lightning"
    MAMBA1 = "mamba1"
    MAMBA2 = "mamba2"
    SHORT_CONVOLUTION = "short_convolution"  # the convolution alone, no matrix


@dataclass(frozen=True, slots=True)
class AttentionGroup:
    """Attention layers of one shape."""

    kind: AttentionKind
    layers: int
    query_heads: int
    kv_heads: int
    key_dim: int  # width of one key head
    value_dim: int  # width of one value head
    window: int = 0  # [tokens]; WINDOW and CHUNK only
    latent_dim: int = 0  # KV rank + rotary width; LATENT kinds, and the shared vector of COMPRESSED
    index_dim: int = (
        0  # width of the indexer key; SPARSE_LATENT, COMPRESSED, and FULL where blocks are picked (MiniMax M3)
    )
    index_top_k: int = 0  # [tokens] read by a sparse layer
    index_layers: int = 0  # layers that keep an indexer key
    index_heads: int = 0  # query heads of the indexer; 0 where a file does not say
    compression: int = 0  # [tokens] per compressed vector; COMPRESSED only, 0: the window alone
    caching_layers: int = -1  # layers with a cache of their own; -1: all of them

    @property
    def cached(self) -> int:
        """Layers that own a cache (the others read a neighbour's)."""
        return self.layers if self.caching_layers < 0 else self.caching_layers


@dataclass(frozen=True, slots=True)
class RecurrentGroup:
    """Layers with a state of constant size instead of a cache."""

    kind: RecurrentKind
    layers: int
    heads: int
    key_dim: int
    value_dim: int
    convolution_elements: int  # per layer and request, 16-bit in vLLM
    matrix_elements: int  # per layer and request, see matrix_bytes
    matrix_bytes: float = 4.0  # [byte/element] as the model's config asks for; 4 unless it says otherwise
    convolution_tokens: int = 3  # that the convolution remembers: its width less one
    chunk_tokens: int = 2048  # that its kernels take at a time, in vLLM; 2,048 where the config says nothing
    matrix_stated: bool = True  # False: the config leaves the matrices to the engine, and vLLM takes the weights' dtype


@dataclass(frozen=True, slots=True)
class MixtureOfExperts:
    """Routed experts: `layers` layers with `experts` each, of which a token uses `experts_per_token`."""

    layers: int
    experts: int
    experts_per_token: int
    parameters_per_expert: int  # one expert in one layer


@dataclass(frozen=True, slots=True)
class ImageTower:
    """The largest input of a tower.

    tokens      that it may become in the language model
    patches     that the tower computes for it
    elements    of intermediate results that stand at the same time for each patch
    whole       its tokens look at each other, so that they are read in one chunk
    """

    tokens: int
    patches: int
    elements: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Quantisation:
    """Bits per weight that a checkpoint's own quantisation config states, by class of tensor."""

    method: str  # as the config calls it: "modelopt", "fp8", "awq", "mxfp4", ...
    format_id: str  # the weight format of the catalogue that fits: "nvfp4", "fp8", "int4", "mxfp4", ...
    bits: Mapping[TensorClass, float]
    cache: str = ""  # the format that it asks to keep keys and values in: "fp8", "nvfp4"


class NoteKind(StrEnum):
    """What a reader was not certain of; `core.architecture.notes` has the sentences."""

    UNKNOWN_ARCHITECTURE = "unknown_architecture"  # read as a conventional decoder; subject: its name
    UNKNOWN_WRAPPER = "unknown_wrapper"  # only the language model inside was read; subject: the name of the whole
    VISION_NOT_COUNTED = "vision_not_counted"  # subject: the tower's model_type
    AUDIO_NOT_COUNTED = "audio_not_counted"
    UNKNOWN_QUANTISATION = "unknown_quantisation"  # subject: quant_method
    CONTEXT_NOT_STATED = "context_not_stated"
    ASSUMED_FIELD = "assumed_field"  # subject: field and value that the file does not state
    LATENT_AS_FULL = "latent_as_full"  # a GGUF of before April 2025, with which engines keep full heads
    STORED_TWICE = "stored_twice"  # a shared tensor that engines do not load again; subject: its name
    UNKNOWN_TENSORS = "unknown_tensors"  # counted with the feed-forward block; subject: how many, and one of them
    FULL_PRECISION = "full_precision"  # stored in 32 bit, which engines load in 16
    FILES_DISAGREE = (
        "files_disagree"  # config.json against the weight files; subject: parameters by the files, and by config.json
    )
    TEXTBOOK = "textbook"  # typed in: one class of parameters, every layer with full attention


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """Something that was read with less than full certainty; written for people by the language layer."""

    kind: NoteKind
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A model as Tonnage counts it."""

    name: str
    family: str  # model_type of the config, "textbook" for one typed in
    layers: int
    hidden_size: int
    vocabulary: int
    parameters: Mapping[TensorClass, int]  # resident, whole model
    attention: tuple[AttentionGroup, ...]
    recurrent: tuple[RecurrentGroup, ...] = ()
    moe: MixtureOfExperts | None = None
    whole_attention_parameters: int = 0  # of attention, that tensor parallelism does not divide: see `Draft`
    tied_embedding: bool = False  # head and embedding are one tensor, counted under EMBEDDING
    double_norms: bool = False  # norms before and after each block (Gemma)
    trained_context: int = 0  # [tokens]; 0 when the file does not say
    rotary_elements: int = 0  # sines and cosines of all positions, which engines prepare and no checkpoint holds
    image_levels: int = 0  # layers that receive features of images beside the first
    tower: ImageTower | None = None  # None also where nobody has read what its images may be
    tower_size: int = 0  # layers times squared width of the image tower, as SGLang reads them
    quantisation: Quantisation | None = None
    warnings: tuple[ReadingNote, ...] = ()  # what was read with less than full certainty

    @property
    def total_parameters(self) -> int:
        """All parameters of the language model with vision tower, without MTP layers."""
        return sum(n for kind, n in self.parameters.items() if kind is not TensorClass.MTP)

    @property
    def active_parameters(self) -> int:
        """Parameters that one token is multiplied with: no input table, no vision, only the chosen experts."""
        idle = {TensorClass.NGRAM, TensorClass.EXPERT, TensorClass.VISION, TensorClass.MTP}
        if not self.tied_embedding:
            idle.add(TensorClass.EMBEDDING)
        dense = sum(n for kind, n in self.parameters.items() if kind not in idle)
        routed = self.moe.layers * self.moe.experts_per_token * self.moe.parameters_per_expert if self.moe else 0
        return dense + routed

    @property
    def caching_layers(self) -> int:
        """Layers that keep a cache which grows or is bounded by a window."""
        return sum(g.cached for g in self.attention if g.kind is not AttentionKind.ENCODER)

    @property
    def is_encoder(self) -> bool:
        return bool(self.attention) and all(g.kind is AttentionKind.ENCODER for g in self.attention)
