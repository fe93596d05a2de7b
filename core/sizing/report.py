"""What `size()` returns: every figure in a trace, and the structure in which a person reads them.

The numbers live in `Sizing.trace`; the small records here say which of them belong together and name their keys, so
that any figure on screen or paper can be explained. Words are put to these enums in `core.language`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.architecture.blueprint import Blueprint
from core.catalogue.records import Device, Engine, Link
from core.scenario import Plan, Scenario
from core.trace import Trace


class Verdict(StrEnum):
    FITS = "fits"
    CLOSE = "close"  # fits, but not with the reserve asked for, or with less than 5 % free
    DOES_NOT_FIT = "does_not_fit"


class Cause(StrEnum):
    """What takes the time of a token, or of a prompt."""

    WEIGHTS = "weights"
    EXPERTS = "experts"
    KV_CACHE = "kv_cache"
    STATE = "state"
    COMPUTE = "compute"
    LINK = "link"
    ENGINE = "engine"  # kernel launches, host, scheduling
    SECOND_TIER = "second_tier"  # bytes in the slower memory
    PROMPTS = "prompts"  # of other users, read between the steps


class Limit(StrEnum):
    """What is the bottleneck, in one word."""

    BANDWIDTH = "bandwidth"
    COMPUTE = "compute"
    LINK = "link"
    ENGINE = "engine"
    SECOND_TIER = "second_tier"
    PROMPTS = "prompts"  # of other users


#: The bottleneck that each cause is a part of; reads from the fast memory count together.
LIMIT_OF: Mapping[Cause, Limit] = {
    Cause.WEIGHTS: Limit.BANDWIDTH,
    Cause.EXPERTS: Limit.BANDWIDTH,
    Cause.KV_CACHE: Limit.BANDWIDTH,
    Cause.STATE: Limit.BANDWIDTH,
    Cause.COMPUTE: Limit.COMPUTE,
    Cause.LINK: Limit.LINK,
    Cause.ENGINE: Limit.ENGINE,
    Cause.SECOND_TIER: Limit.SECOND_TIER,
    Cause.PROMPTS: Limit.PROMPTS,
}


class Evidence(StrEnum):
    """How sure a figure is (one set of words everywhere)."""

    EXACT = "exact"
    OWN = "own"  # narrowed by a measurement of the user's own
    MEASURED_HERE = "A"
    MEASURED_ON_RELATIVES = "B"
    OTHER_ENGINE = "C"
    GENERIC = "D"


class MemoryKind(StrEnum):
    WEIGHTS = "weights"
    DRAFT = "draft"  # the draft model of speculative decoding
    EMBEDDING = "embedding"
    RERANKER = "reranker"
    RUNTIME = "runtime"
    KV_CACHE = "kv_cache"
    STATE = "state"


class FindingKind(StrEnum):
    """A rule by its id. Each has a sentence in `core.language.finding_texts` and a function in `core.sizing.rules`."""

    # the founding article's rules for choosing
    SINGLE_GPU = "rule.single_gpu"
    LATENCY_SXM_TP = "rule.latency_sxm_tp"
    THROUGHPUT_REPLICAS_PIPELINE = "rule.throughput_replicas_pipeline"
    LONG_CONTEXT_BANDWIDTH = "rule.long_context_bandwidth"
    CAPACITY_UNIFIED_MEMORY = "rule.capacity_unified_memory"
    TP_INSIDE_PP_BETWEEN = "rule.tp_inside_pp_between"
    CO_LOCATE = "rule.co_locate"
    SPLIT_RETRIEVAL = "rule.split_retrieval"
    # traps
    ENGINE_WITHOUT_DEVICE = "trap.engine_without_device"
    ENGINE_WITHOUT_FORMAT = "trap.engine_without_format"
    HEADS_NOT_DIVISIBLE = "trap.heads_not_divisible"
    SECOND_TIER = "trap.second_tier"
    CAPACITY_WITHOUT_BANDWIDTH = "trap.capacity_without_bandwidth"
    PCIE_TENSOR_PARALLEL = "trap.pcie_tp"
    TP_WITHOUT_NEED = "trap.tp_without_need"
    SXM_MESH_UNUSED = "trap.sxm_mesh_unused"
    SPARK_CLUSTER = "trap.spark_cluster"
    KV_HEADS_REPLICATED = "trap.kv_heads_replicated"
    MLA_REPLICATED = "trap.mla_replicated"
    WEIGHT_ONLY_FORMAT = "trap.weight_only_format"
    BEYOND_TRAINED_CONTEXT = "trap.beyond_trained_context"
    MOE_ACTIVE_RESIDENT = "trap.moe_active_resident"
    HYBRID_HOLDS_LESS = "trap.hybrid_holds_less"
    WINDOWS_HOLD_LESS = "trap.windows_hold_less"
    LATENT_HOLDS_LESS = "trap.latent_holds_less"
    RECURRENT_STATE = "trap.recurrent_state"
    SPARSE_FLOPS = "trap.sparse_flops"
    BIDIRECTIONAL_LINK = "trap.bidirectional_link"
    CARD_LABEL = "trap.card_label"
    ENGINE_SHARE = "trap.engine_share"
    STATE_BLOCKS = "trap.state_blocks"
    CACHE_OF_CHECKPOINT = "trap.cache_of_checkpoint"
    QUEUE = "trap.queue"
    NO_DIRECT_EXCHANGE = "trap.no_direct_exchange"
    # why it comes out as it does
    DENSE_READS_ALL = "cause.dense_reads_all"
    MOE_READS_FEW = "cause.moe_reads_few"
    KV_QUANTISED = "cause.kv_quantised"
    GROUPED_HEADS = "cause.grouped_heads"
    CACHE_KEEPS_ITS_FORMAT = "cause.cache_keeps_its_format"
    CONTEXT_IN_USE = "cause.context_in_use"
    STATE_CHECKPOINTS = "cause.state_checkpoints"
    ACTIVATION_PEAK = "cause.activation_peak"
    WORKSPACE_GROWS = "cause.workspace_grows"
    ENGINE_TAKES_ITS_SHARE = "cause.engine_takes_its_share"
    ATTENTION_REPLICAS_FULL_CACHE = "cause.attention_replicas_full_cache"
    PIPELINE_SAME_LATENCY = "cause.pipeline_same_latency"
    MACHINES_SHARE_READS = "cause.machines_share_reads"
    # what else to know
    EVIDENCE_GENERIC = "note.evidence_generic"
    SPEED_UNKNOWN = "note.speed_unknown"
    GUARD = "note.guard"
    COLLECTIVE_FALLBACK = "note.collective_fallback"
    EXPERTS_UNEVEN = "note.experts_uneven"
    BUSIEST_ACCELERATOR = "note.busiest_accelerator"
    HOST_MEMORY = "note.host_memory"
    PREDICTION_LAYERS = "note.prediction_layers"
    IMAGES_LEFT_OUT = "note.images_left_out"
    NGRAMS_ON_HOST = "note.ngrams_on_host"
    SPECULATION_UNCALIBRATED = "note.speculation_uncalibrated"
    OWN_MEASUREMENT = "note.own_measurement"
    MODEL_READ_WITH_WARNING = "note.model_warning"
    PRICE_RANGE_WIDE = "note.price_range"
    PRICE_UNKNOWN = "note.price_unknown"
    ARTICLE_MODE = "note.article_mode"
    CLOSE_TO_LIMIT = "note.close_to_limit"
    RESERVED_BEYOND = "note.reserved_beyond"  # the engine sets far more aside than a request holds
    # the rule of thumb beside the real figure
    TEXTBOOK_KV = "note.textbook_kv"
    TEXTBOOK_WEIGHTS = "note.textbook_weights"
    CHECKPOINT_JUST_MISSES = "note.checkpoint_just_misses"


class Weight(StrEnum):
    """How loud a finding is."""

    WARNING = "warning"  # speaks against promising this
    NOTE = "note"  # to be checked
    REASON = "reason"  # why it comes out as it does


@dataclass(frozen=True, slots=True)
class Finding:
    kind: FindingKind
    weight: Weight
    figures: tuple[str, ...] = ()  # keys of the trace whose numbers the sentence needs
    subject: str = ""  # a name (format, model, warning text) that is not a number


@dataclass(frozen=True, slots=True)
class MemoryItem:
    kind: MemoryKind
    key: str  # of its bytes in the trace
    bytes: int


@dataclass(frozen=True, slots=True)
class TierUse:
    """One memory tier of one accelerator, with three sizes: label, what software reports, what the engine may use."""

    key: str  # of this memory; sums of what stands in it begin with it
    name: str
    kind: str
    capacity_key: str
    usable_key: str
    limit_key: str
    items: tuple[MemoryItem, ...]
    capacity_bytes: int  # the label
    usable_bytes: int  # what software may allocate; the label where nobody has read it out
    limit_bytes: int  # what the engine may use

    @property
    def used_bytes(self) -> int:
        return sum(item.bytes for item in self.items)

    @property
    def overflow_bytes(self) -> int:
        """What is too much for this tier."""
        return max(0, self.used_bytes - self.limit_bytes)


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """The memory of accelerators that hold the same."""

    device: str  # name to show
    count: int
    tiers: tuple[TierUse, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A speed with its range; the keys of P10, P50 and P90 are `key + '.p10'`, `key`, `key + '.p90'`."""

    key: str
    p10: float
    p50: float
    p90: float
    evidence: Evidence
    order_of_magnitude: bool = False  # the range is wider than a factor of four


@dataclass(frozen=True, slots=True)
class TimePart:
    cause: Cause
    key: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Sizing:
    """The answer for one scenario.

    trace               every figure: value, unit, formula, inputs with sources
    verdict             does the work of `required_requests` at the context limit fit?
    shortfall_bytes     what is missing on the worst accelerator; 0 when it fits
    devices             memory item by item, per accelerator and tier
    decode              tokens/s of one user at the required requests at once; like every speed None where unknown
    ttft                time to first token at the required requests at once [s]
    throughput          tokens/s of all users together
    prefill             prompt tokens/s of one request alone
    step                time of one output token of one user by cause, P50; empty where the speed is unknown
    prefill_step        time of one prompt by cause
    decode_limit, prefill_limit   the bottleneck in a word; None where the speed is unknown
    findings            warnings first
    """

    scenario: Scenario
    blueprint: Blueprint
    device: Device  # the single accelerator
    engine: Engine
    link: Link | None
    plan: Plan
    trace: Trace
    verdict: Verdict
    shortfall_bytes: int
    devices: tuple[DeviceUse, ...]
    decode: Estimate | None
    ttft: Estimate | None
    throughput: Estimate | None
    prefill: Estimate | None
    step: tuple[TimePart, ...]
    prefill_step: tuple[TimePart, ...]
    decode_limit: Limit | None
    prefill_limit: Limit | None
    findings: tuple[Finding, ...]

    @property
    def missing_bytes(self) -> int:
        """What all accelerators together lack, as the sums have it; where those suffice, what the fullest one lacks."""
        return max(self.shortfall_bytes, -int(self.trace["memory.free_bytes"]))

    @property
    def required_requests(self) -> int:
        return int(self.trace["requests_at_once"])

    @property
    def fits(self) -> bool:
        return self.verdict is not Verdict.DOES_NOT_FIT

    @property
    def speed_unknown(self) -> bool:
        """Is a figure missing without which no speed can be told? `decode_bound` is known all the same."""
        return self.decode is None

    @property
    def decode_bound(self) -> Estimate:
        """What physics allows one request alone, without a range: bytes of a token over the bandwidth [tokens/s]."""
        most = float(self.trace["decode_tok_s.ceiling"])
        return Estimate("decode_tok_s.ceiling", most, most, most, Evidence.EXACT)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The speeds that are known."""
        return tuple(one for one in (self.decode, self.ttft, self.throughput, self.prefill) if one is not None)


#: Keys of the trace that other parts rely on. Sizing may record more; it always records these, but for those of
#: `ESTIMATED_KEYS` where the speed is unknown.
KEYS = {
    # model and memory
    "model.total_parameters": "resident parameters",
    "model.active_parameters": "parameters active per token",
    "kv_bytes_per_token": "logical bytes per token of one request, all layers",
    "state_bytes_per_request": "recurrent state of one request as the engine keeps it",
    "kv_bytes_per_request": "cache of one request at the context limit, as the engine reserves it, all accelerators",
    "kv_cache_bytes": "logical cache of all requests at once at the context limit",
    "memory_item.weights": "all accelerators of one replica",
    "memory_item.embedding": "embedding model on the same card",
    "memory_item.reranker": "reranker on the same card",
    "memory_item.framework": "runtime and activations, one accelerator",
    "memory_item.kv_cache": "cache of the requests at once",
    "memory_item.state": "state of the requests at once",
    "memory.fixed_bytes": "everything that does not depend on requests",
    "memory.total_bytes": "everything",
    "memory.capacity_bytes": "all accelerators, all tiers",
    "memory.limit_bytes": "what the engine may use, all accelerators, first tier unless spilled",
    "memory.free_for_kv_bytes": "limit less fixed",
    "memory.free_bytes": "limit less everything",
    "memory.share_of_capacity": "used share",
    "max_context_tokens": "largest context of one request, memory only",
    "max_context_usable_tokens": "the smaller of that and what the model is trained for",
    "max_concurrency": "requests at the context limit that fit",
    "requests_at_once": "requests that the workload asks for",
    # speed
    "bytes_read_per_token.weights": "one token of one request",
    "bytes_read_per_token.kv": "at the depth of the workload",
    "decode_step_s": "time of one step with the requests at once",
    "decode_step_s.ceiling": "bytes over bandwidth, nothing else",
    "decode_tok_s": "per user",
    "decode_tok_s.ceiling": "at most, per user, one request alone",
    "ttft_s": "time to first token",
    "output_tok_s_total": "all users",
    "saturated_tok_s_total": "as many requests as fit",
    "prefill_tok_s": "one prompt alone",
    "arithmetic_intensity.decode": "FLOP per byte read",
    "arithmetic_intensity.prefill": "FLOP per byte read",
    "compute_utilisation.decode": "share of the peak rate",
    "messages_per_token": "exchanges between accelerators per step",
    "all_reduce_share": "of the step",
    "memory_bandwidth_bytes_per_s": "one accelerator, first tier",
}
#: Of them those that need the computing rate, or anything fitted to measurements.
ESTIMATED_KEYS = frozenset(
    {
        "decode_step_s",
        "decode_step_s.ceiling",
        "decode_tok_s",
        "ttft_s",
        "output_tok_s_total",
        "saturated_tok_s_total",
        "prefill_tok_s",
        "arithmetic_intensity.decode",
        "arithmetic_intensity.prefill",
        "compute_utilisation.decode",
        "all_reduce_share",
    }
)
