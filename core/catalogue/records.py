"""The records of the catalogue. All figures are plain SI; every group of figures names its source.

`sources` maps a field (or a group such as "memory") to where its figure was found. A field without an entry of its own
takes the source under "" if there is one.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.architecture.blueprint import Blueprint, TensorClass
from core.architecture.plausible import impossible
from core.day import Day
from core.errors import Phrase


class Record(BaseModel):
    # some published configs hold "Infinity", which must not become null on its way through a file
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")


class Confidence(StrEnum):
    """How well a figure is supported."""

    TWO_SOURCES = "two_sources"
    ONE_SOURCE = "one_source"
    PARTLY = "partly"
    UNVERIFIED = "unverified"
    ESTIMATE = "estimate"
    MEASURED = "measured"
    YOURS = "yours"


class Reference(Record):
    """A title and, where known, an address that a client can open."""

    title: str = Field(min_length=1)
    address: str = Field(default="", pattern=r"^(https?://[^\s/]+\.[^\s/]+(/\S*)?)?$")
    note: str = ""


class Source(Reference):
    """Where a figure was found, how sure it is, and what it was checked against."""

    # of the source, ISO, as precise as known ("2026", "2026-08", "2026-08-12"); where it bears none, of reading it
    date: Day = ""
    confidence: Confidence = Confidence.UNVERIFIED
    checks: tuple[Reference, ...] = ()  # further places that give the same figure


class Entry(Record):
    """What all catalogue records share."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/+-]*$", max_length=120)
    name: str = Field(min_length=1, max_length=120)
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sources: Mapping[str, Source] = {}

    def source_of(self, field: str) -> Source | None:
        """The source of a figure: its own, or that of its last or first name ("memory_tiers.0.usable_bytes")."""
        names = (field, field.rsplit(".")[-1], field.split(".")[0], "")
        return next((self.sources[name] for name in names if name in self.sources), None)


class DeviceKind(StrEnum):
    CARD = "card"  # a PCIe card
    MODULE = "module"  # SXM, OAM and the like
    UNIFIED = "unified"  # a machine whose CPU and GPU share memory
    NODE = "node"  # a board or server with several accelerators
    RACK = "rack"
    CPU = "cpu"  # a server or desktop without accelerator


class DeviceFamily(StrEnum):
    """Devices that calibration treats alike."""

    NVIDIA_HBM = "nvidia-hbm"
    NVIDIA_GDDR = "nvidia-gddr"
    NVIDIA_UNIFIED = "nvidia-unified"
    AMD_CDNA = "amd-cdna"
    AMD_RDNA = "amd-rdna"
    AMD_APU = "amd-apu"
    APPLE = "apple"
    INTEL = "intel"
    GAUDI = "gaudi"
    TPU = "tpu"
    ASCEND = "ascend"
    CPU = "cpu"


#: Families by maker, where engines go by that.
NVIDIA = (DeviceFamily.NVIDIA_HBM, DeviceFamily.NVIDIA_GDDR, DeviceFamily.NVIDIA_UNIFIED)
AMD = (DeviceFamily.AMD_CDNA, DeviceFamily.AMD_RDNA, DeviceFamily.AMD_APU)


class MemoryTier(Record):
    """One kind of memory, per accelerator; the first tier is the fast one."""

    name: str
    kind: str  # "hbm", "gddr", "unified", "lpddr", "ddr"
    capacity_bytes: int = Field(gt=0)  # the label: 96 GB is 96 * 10**9
    usable_bytes: int | None = Field(default=None, gt=0)  # what software can allocate, where known
    bandwidth_bytes_per_s: float = Field(gt=0)
    note: str = ""


class Price(Record):
    """A range of quotes for one unit, new unless the note says otherwise."""

    low: Decimal = Field(ge=0)
    high: Decimal = Field(ge=0)
    currency: str = "USD"
    as_of: Day = ""
    note: str = ""


class Device(Entry):
    """An accelerator, or a system of several; memory and rates are per accelerator."""

    vendor: str
    kind: DeviceKind
    family: DeviceFamily
    architecture: str  # "blackwell", "hopper", "ada", "ampere", "rdna3", "m4", ...
    form_factor: str = ""
    release_year: int | None = None
    accelerators: int = Field(default=1, ge=1)  # in one unit: 8 for an HGX board, 72 for a rack
    accelerator_id: str = ""  # the record of the single accelerator, for systems
    memory_tiers: tuple[MemoryTier, ...] = Field(min_length=1)
    # dense [FLOP/s] by "fp32", "tf32", "fp16", "fp8", "int8", "fp4"; "fp16" accumulates in FP32, which GeForce cards do
    # at half rate: their "fp16_fp16_accumulate" is the full rate that llama.cpp uses
    peak_flops: Mapping[str, float] = {}
    peak_alternatives: Mapping[str, tuple[float, ...]] = {}  # what other sources say
    peak_basis: str = ""  # "vendor_dense", "vendor_sparse_halved", "third_party", "derived", "single_accelerator"
    peak_note: str = ""
    fp4_format: str = ""  # "NVFP4/MXFP4", "MXFP4 (also MXFP6); not NVFP4"; empty without FP4 units
    compute_capability: str = ""
    execution_units: int | None = None  # per accelerator
    execution_unit_kind: str = ""  # "SM", "CU", "Xe core", "Apple GPU core"
    clock_hz: float | None = None  # sustained where known, else boost
    boost_clock_hz: float | None = None
    tdp_w: float | None = None  # one accelerator
    system_power_w: float | None = None  # one unit at the wall
    links: tuple[str, ...] = ()  # links between accelerators, the best first
    network_links: tuple[str, ...] = ()  # links between units
    link_note: str = ""
    network_note: str = ""
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    pcie_bytes_per_s_per_direction: float | None = None
    price: Price | None = None
    noise_dba: float | None = None  # under load
    noise_note: str = ""
    article_name: str = ""  # as the founding article calls it
    short_name: str = ""  # as people call it where the full name would not fit; unlike that of any other device

    @property
    def name_alone(self) -> str:
        """The name without that of its vendor, who stands above or beside it."""
        return self.name.removeprefix(f"{self.vendor} ")

    @property
    def called(self) -> str:
        """What people call it: its short name where it has one."""
        return self.short_name or self.name_alone

    @property
    def capacity_bytes(self) -> int:
        """Label memory of one unit: all accelerators, all tiers."""
        return self.accelerators * sum(tier.capacity_bytes for tier in self.memory_tiers)


class AllReduceCost(Record):
    """Time of one all-reduce among `ranks`: alpha + min(bytes/beta, 1.5 alpha + 2(n-1)/n bytes/bus)."""

    ranks: int = Field(ge=2)
    alpha_s: float = Field(ge=0)
    beta_bytes_per_s: float | None = Field(default=None, gt=0)
    bus_bytes_per_s: float = Field(gt=0)
    measured: bool = False
    family: DeviceFamily | None = None  # for devices of this family only; None: for any
    note: str = ""


class AllReducePoint(Record):
    ranks: int
    message_bytes: int
    seconds: float


class AllReduceTable(Record):
    """All-reduce times as measured on one device."""

    device: str
    library: str
    version: str = ""
    points: tuple[AllReducePoint, ...]
    source: Source
    note: str = ""


class Latency(Record):
    """A latency as reported; one figure, or a range, or an upper bound alone."""

    what: str
    low_s: float | None = None
    high_s: float | None = None
    ranks: int | None = None
    message_bytes: int | None = None
    condition: str = ""
    source: Source


class LinkKind(StrEnum):
    NVLINK = "nvlink"
    C2C = "c2c"  # CPU to GPU inside one package
    PCIE = "pcie"
    FABRIC = "fabric"  # Infinity Fabric, ICI, RoCE inside one box
    NETWORK = "network"
    THUNDERBOLT = "thunderbolt"


class Link(Entry):
    """A connection between accelerators or machines; rates are per accelerator, or per port where `per` says so."""

    kind: LinkKind
    per: str = "gpu"  # "gpu", "port", "node", "superchip"
    generation: int | None = None
    lanes: int | None = None
    sublinks: int | None = None  # physical links that add up to the rate
    bytes_per_s_per_direction: float = Field(gt=0)
    bytes_per_s_bidirectional: float = Field(
        gt=0
    )  # both directions added, as the vendor prints it (PCIe: before encoding)
    peer_bytes_per_s_per_direction: float | None = None  # between two accelerators of a mesh without switch
    measured_bus_bytes_per_s: tuple[float, ...] = ()  # lowest and highest bus rate that was reported for large messages
    max_domain: int | None = Field(default=None, ge=1)  # accelerators that it can join
    switched: bool = False
    latency_s: float | None = None  # one message, for networks: half a round trip where that was reported
    latencies: tuple[Latency, ...] = ()
    all_reduce: tuple[AllReduceCost, ...] = ()
    tables: tuple[AllReduceTable, ...] = ()
    article_text: str = ""

    def all_reduce_costs(self, family: DeviceFamily | None = None) -> tuple[AllReduceCost, ...]:
        """The costs that hold for a family, by ranks: its own where there are any, else those for any device."""
        own = tuple(c for c in self.all_reduce if c.family is not None and c.family is family)
        return own or tuple(c for c in self.all_reduce if c.family is None)

    @property
    def domain_bytes_per_s_bidirectional(self) -> float | None:
        """Both directions of all accelerators of a full domain: 72 x 1.8 TB/s for an NVL72 rack."""
        return None if self.max_domain is None else self.max_domain * self.bytes_per_s_bidirectional


class WeightFormat(Entry):
    """How weights are stored."""

    bits: float = Field(gt=0)  # per quantised weight, scales included
    kept: Mapping[TensorClass, float] = {}  # bits of the classes that a usual checkpoint keeps in another precision
    compute: str  # the rate that the engine computes with where the device has it: "fp16", "fp8", "fp4", "int8"
    format_class: str  # the class that calibration knows: "f16", "fp8", "nvfp4", "mxfp4", "int4", "kquant", ...
    flat: bool = False  # every weight at `bits`, nothing kept: the rule of thumb
    container: str = (
        "safetensors"  # the kind of file that holds it: "safetensors", "gguf", "mlx", or "any" for a rule of thumb
    )
    variant_of: str = ""  # the format that people name when they mean this one or its siblings
    moe_dense_extra_bits: float = (
        0.0  # what files add to the tensors outside the experts of a mixture, taken from the experts
    )
    whole_file_bits: float | None = (
        None  # average over a whole file of Llama 3.1 8B, where the mixture is known by that
    )
    observed_bits: tuple[float, ...] = ()  # lowest, median and highest whole-file average over published models


class KvFormat(Entry):
    """How keys and values are stored: bytes per element = bytes + per_head_bytes / head width."""

    bytes_per_element: float = Field(gt=0)
    per_head_bytes: float = 0.0
    latent_bytes: Mapping[int, int] = {}  # MLA record by latent width, where the layout is special [byte/token/layer]
    bits: int = Field(default=16, gt=0)  # 16, 8 or 4, as people name it
    wide_edges: int = Field(default=0, ge=0)  # first layers, and as many last ones, that stay in 16 bit
    flat: bool = False  # a rule of thumb: nothing but `bytes_per_element`


class Allocator(StrEnum):
    """The rules by which an engine reserves cache and state; `core.sizing.reservation` has one module for each."""

    BLOCKS = "blocks"  # whole blocks of tokens, nothing else
    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMA_CPP = "llama.cpp"
    TENSORRT_LLM = "tensorrt-llm"
    MLX = "mlx"


class Engine(Entry):
    """An inference engine: what it supports, and what it reserves."""

    group: str  # "serving", "llama.cpp", "mlx"
    allocator: Allocator = Allocator.BLOCKS
    version: str = ""
    back_end: str = ""  # "cuda", "rocm", "vulkan", "metal", "sycl", "xpu"; empty: the usual one of a family of devices
    generation: str = ""  # that calibration knows: "serving-2023", "flash-attention-off"; empty: today's
    containers: tuple[str, ...] = ("safetensors",)  # kinds of file that it loads
    weight_formats: tuple[str, ...]
    kv_formats: tuple[str, ...]
    families: tuple[DeviceFamily, ...]  # devices that it runs on
    memory_share: float | None = Field(
        default=None, gt=0, le=1
    )  # of device memory that it may use (gpu_memory_utilization)
    runtime_bytes: int = Field(ge=0)  # context, workspace, graphs and activations beside weights and cache
    prefill_chunk: int = Field(gt=0)  # [tokens]
    block_tokens: int = Field(default=16, gt=0)
    tensor_parallel: bool = True
    pipeline_parallel: bool = True


class Recipe(Record):
    """What a tool leaves out when it quantises a family of models, as its publishers' checkpoints have it."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    tool: str
    weights: str  # weight format id
    publishers: tuple[str, ...] = ()  # owners of repositories in lower case; "": named without one; "*": any; none: all
    called: str = ""  # an expression that the name of the repository holds, in lower case with "-" between its words
    families: tuple[str, ...] = ()  # `model_type` of the config; none: any
    mixture: bool | None = None  # for mixtures of experts alone, or for others alone
    since: Day = ""  # of a publisher who made checkpoints anew
    config: Mapping[str, Any]  # `quantization_config` as the tool writes it, lists of modules by pattern
    kept: Mapping[TensorClass, float] = {}  # bits of classes that the tool does not load, and copies
    source: Source


class ModelRole(StrEnum):
    GENERATOR = "generator"
    EMBEDDING = "embedding"
    RERANKER = "reranker"


class Checkpoint(Record):
    """A published set of weights for a model."""

    weights: str  # weight format id
    repository: str = ""
    bits: Mapping[TensorClass, float] = {}  # per class, where this checkpoint differs from the format's usual
    file_bytes: int | None = None  # as published
    tile: int = Field(default=0, ge=0)  # weights along the side of a square that shares a scale; 0: not known, or none
    source: Source | None = None


class Model(Entry):
    """A model with the config it was published with, or with what its weight files say."""

    role: ModelRole = ModelRole.GENERATOR
    config: Mapping[str, Any] = {}  # empty where a model was read from a file that has none
    blueprint: Blueprint | None = None  # read from weight files; what they hold goes before the config
    published_parameters: int | None = None  # as the publisher counts: may hold MTP layers, scales and a second head
    counted_parameters: int | None = None  # of an independent implementation built from the config
    active_parameters: int | None = None  # as published, rounded as published
    attention: str = ""  # in words
    config_kind: str = "published"  # "published", "published-partial", "library-default", "derived", ...
    checkpoints: tuple[Checkpoint, ...] = ()
    released: str = ""

    @model_validator(mode="after")
    def _blueprint_is_possible(self) -> "Model":
        wrong = impossible(self.blueprint) if self.blueprint is not None else None
        if wrong:
            raise ValueError(Phrase("The numbers of this model contradict each other: {wrong}.", {"wrong": wrong}))
        return self
