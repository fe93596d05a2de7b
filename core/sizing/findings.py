"""What a person should know about a sizing: named rules, each with the numbers that its sentence needs.

A rule is a function of the trace and the situation that returns its findings. None of them changes a figure; some
record the figure that they compare with (`textbook.`, `checkpoint.`).
"""

from collections.abc import Callable, Iterator, Mapping

from core.architecture.blueprint import NoteKind, TensorClass
from core.catalogue.precision import compose_bits
from core.catalogue.records import DeviceKind, LinkKind, WeightFormat
from core.physics import kv_cache as kv
from core.physics import memory as m
from core.physics import weights as w
from core.scenario import CatalogueModel, Mode
from core.sizing.findings_placement import RULES as PLACEMENT_RULES
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin
from core.sizing.placement import is_placed
from core.sizing.precision import plain_bits
from core.sizing.report import Finding, FindingKind, Verdict, Weight
from core.sizing.situation import Situation
from core.trace import Trace
from core.units import Unit

Rule = Callable[[Trace, Situation], Iterator[Finding]]

#: A model that writes slower than people read is slow, whatever fits [tok/s].
READING_SPEED = 7.0
#: Two figures that differ by more than this are worth a line.
WORTH_A_LINE = 0.05
#: A rule of thumb that is off by more than this is named: below, it serves.
THUMB_IS_OFF = 0.20
WIDE_PRICE = 1.5
FAR_MORE = 1.2
#: The article's example: a mixture of this size "of this type" has 48 layers, 4 KV heads of 128.
ARTICLE_PARAMETERS = (33e9, 38e9)
ARTICLE_ACTIVE = (2.5e9, 3.5e9)
ARTICLE_GEOMETRY = {"layers": 48, "kv_heads": 4, "key_dim": 128, "value_dim": 128}
#: The format whose published checkpoints stand for "4 bit" on current hardware.
FOUR_BIT_CHECKPOINT = "nvfp4"


def find(trace: Trace, s: Situation, verdict: Verdict, more: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    """All findings, warnings first.

    Parameters
    ----------
    trace : with the figures of memory and speed
    s : the situation
    verdict : of the memory
    more : findings made elsewhere, by the speed side

    Returns
    -------
    findings in the order in which they should be read
    """
    found = [finding for rule in RULES for finding in rule(trace, s)]
    if verdict is Verdict.CLOSE:
        found.append(_note(FindingKind.CLOSE_TO_LIMIT, "memory.free_bytes", "max_concurrency"))
    found.extend(more)
    return tuple(sorted(found, key=lambda finding: finding.weight is not Weight.WARNING))


def _warning(kind: FindingKind, *figures: str, subject: str = "") -> Finding:
    return Finding(kind, Weight.WARNING, figures, subject)


def _note(kind: FindingKind, *figures: str, subject: str = "") -> Finding:
    return Finding(kind, Weight.NOTE, figures, subject)


def _article(s: Situation) -> bool:
    return s.scenario.mode is Mode.ARTICLE


def _differs(one: float, other: float) -> bool:
    return abs(one - other) > WORTH_A_LINE * max(one, other)


def second_tier(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Part of weights or cache stands in the slower memory."""
    if not is_placed(s) and (trace["spill.weights_bytes"] > 0 or trace["spill.kv_bytes"] > 0):
        figures = (
            "spill.weights_bytes",
            "spill.kv_bytes",
            "tier.0.bandwidth_bytes_per_s",
            "tier.1.bandwidth_bytes_per_s",
        )
        yield _warning(FindingKind.SECOND_TIER, *figures)


def beyond_trained_context(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The context limit is longer than what the model was trained for."""
    trained = s.blueprint.trained_context
    if 0 < trained < s.scenario.workload.context_tokens:
        yield _warning(FindingKind.BEYOND_TRAINED_CONTEXT, "workload.context_tokens", "model.trained_context")


def format_not_native(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The device cannot compute in the format: it saves memory, not prompt time."""
    if not s.weight_format.flat and not is_native(s):
        yield _warning(FindingKind.FORMAT_NOT_NATIVE, subject=s.weight_format.name)


def is_native(s: Situation) -> bool:
    """Has the device arithmetic for the rate that the format computes with?"""
    rates, compute = s.device.peak_flops, s.weight_format.compute
    if compute == "fp16" or not rates:  # every accelerator has FP16; without any rate nothing is known
        return True
    if not rates.get(compute):
        return False
    offered = s.device.fp4_format.split(";")[0].lower()
    return compute != "fp4" or not offered or s.weight_format.format_class in offered


def engine_without_format(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine does not load the weight format or keep the cache format."""
    if _article(s):
        return
    if s.weight_format.id not in s.engine.weight_formats and not s.weight_format.flat:
        yield _warning(FindingKind.ENGINE_WITHOUT_FORMAT, subject=s.weight_format.name)
    if s.kv_format.id not in s.engine.kv_formats and not s.kv_format.flat:
        yield _warning(FindingKind.ENGINE_WITHOUT_FORMAT, subject=s.kv_format.name)


def engine_without_device(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine does not run on the device."""
    if not _article(s) and s.device.family not in s.engine.families:
        yield _warning(FindingKind.ENGINE_WITHOUT_DEVICE, subject=s.device.name)


def kv_heads_replicated(trace: Trace, s: Situation) -> Iterator[Finding]:
    """More tensor-parallel ranks than KV heads: copies. The latent vector of MLA is copied on every rank."""
    for number, group in cached_groups(s.blueprint):
        heads = 1 if group.kind in LATENT else group.kv_heads
        if s.plan.tensor > heads:
            yield _warning(
                FindingKind.KV_HEADS_REPLICATED, f"kv.{number}.kv_heads", "plan.tensor", "kv_bytes_per_request"
            )
            return


def heads_not_divisible(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Tensor parallelism cannot share the query heads out evenly; engines refuse that."""
    for group in s.blueprint.attention:
        if group.query_heads % s.plan.tensor:
            trace.given("model.query_heads", group.query_heads, Unit.COUNT, source_of_model(s))
            yield _warning(FindingKind.HEADS_NOT_DIVISIBLE, "model.query_heads", "plan.tensor")
            return


def capacity_without_bandwidth(trace: Trace, s: Situation) -> Iterator[Finding]:
    """It fits the fast memory and is slower than reading, because that memory is slow."""
    fast = trace["accelerator.total_bytes"] <= trace["tier.0.limit_bytes"]
    if fast and trace["decode_tok_s.ceiling"] < READING_SPEED:
        trace.given("reading_speed_tok_s", READING_SPEED, Unit.TOKEN_PER_SECOND, METHOD)
        figures = ("memory_bandwidth_bytes_per_s", "decode_tok_s.ceiling", "reading_speed_tok_s")
        yield _warning(FindingKind.CAPACITY_WITHOUT_BANDWIDTH, *figures)


def pcie_tensor_parallel(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Every layer is split over PCIe."""
    told = "all_reduce_share" in trace  # not where the speed is unknown
    if told and s.plan.stage_ranks > 1 and s.link is not None and s.link.kind is LinkKind.PCIE:
        yield _warning(FindingKind.PCIE_TENSOR_PARALLEL, "all_reduce_share", "messages_per_token", subject=s.link.name)


def spark_cluster(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Desktop machines in a row: room for a larger model, not more speed."""
    between = s.network or s.link
    if s.device.kind is not DeviceKind.UNIFIED or s.plan.copy_ranks == 1 or between is None:
        return
    rate = catalogue_origin(between, "bytes_per_s_per_direction")
    trace.given("link.bytes_per_s_per_direction", between.bytes_per_s_per_direction, Unit.BYTE_PER_SECOND, rate)
    trace.compute(
        "memory_to_link_ratio",
        m.rate_ratio,
        memory_bytes_per_s="memory_bandwidth_bytes_per_s",
        link_bytes_per_s="link.bytes_per_s_per_direction",
    )
    yield _warning(FindingKind.SPARK_CLUSTER, "memory_to_link_ratio", "link.bytes_per_s_per_direction")


def moe_active_resident(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A mixture computes with few of its parameters and holds all of them."""
    if s.blueprint.moe is not None:
        figures = ("model.active_parameters", "model.total_parameters", "memory_item.weights")
        yield _note(FindingKind.MOE_ACTIVE_RESIDENT, *figures)


def queue(trace: Trace, s: Situation) -> Iterator[Finding]:
    """More requests at once than there is room for: some wait."""
    if 0 < trace["max_concurrency"] < trace["requests_at_once"]:
        yield _note(FindingKind.QUEUE, "max_concurrency", "requests_at_once")


def reserved_beyond(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The engine sets far more aside for a request than it holds; copies on several ranks are left out."""
    if _article(s) or s.plan.tensor > 1:
        return
    reserved = trace["kv_bytes_per_request"] + trace["state_reserved_bytes_per_request"]
    held = trace["kv_logical_bytes_per_request"] + trace["state_bytes_per_request"]
    if held and reserved > FAR_MORE * held:
        for name, parts in (
            ("reserved", ("kv_bytes_per_request", "state_reserved_bytes_per_request")),
            ("held", ("kv_logical_bytes_per_request", "state_bytes_per_request")),
        ):
            trace.compute(f"request_{name}_bytes", m.sum_bytes, items=list(parts))
        yield _note(FindingKind.RESERVED_BEYOND, "request_reserved_bytes", "request_held_bytes")


def article_mode(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The founding article's simplifications are in force."""
    if _article(s):
        yield _note(FindingKind.ARTICLE_MODE)


def textbook_kv(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A cache of every head in every layer, the rule of thumb, would be another figure; so would the article's example.

    The article's figure stands third where the model is of the size that it speaks of. Copies on several ranks are left
    out: they are the plan's, not the model's.
    """
    caching = cached_groups(s.blueprint)
    if _article(s) or not caching:
        return
    _, group = max(caching, key=lambda numbered: numbered[1].cached)
    heads = group.query_heads if group.kind in LATENT else group.kv_heads
    shapes = {"textbook": {"layers": s.blueprint.layers, "kv_heads": heads}}
    shapes["textbook"] |= {"key_dim": group.key_dim, "value_dim": group.value_dim}
    if is_of_the_article(s):
        shapes["article"] = ARTICLE_GEOMETRY
    element, tokens = s.kv_format.bits / 8, trace["workload.context_tokens"]
    others = [kv.kv_bytes_per_token(**shape, element_bytes=element) * tokens for shape in shapes.values()]
    held = trace["kv_logical_bytes_per_request"]
    if any(abs(other - held) > THUMB_IS_OFF * held for other in others):
        compared = [_rule_of_thumb(trace, s, name, shape) for name, shape in shapes.items()]
        figures = ("kv_logical_bytes_per_request", *compared, "kv_bytes_per_token", "state_bytes_per_request")
        yield _note(FindingKind.TEXTBOOK_KV, *figures)


def is_of_the_article(s: Situation) -> bool:
    """Is this a mixture of the size that the article's example speaks of?"""
    (low, high), (few, many) = ARTICLE_PARAMETERS, ARTICLE_ACTIVE
    return low <= s.blueprint.total_parameters <= high and few <= s.blueprint.active_parameters <= many


def _rule_of_thumb(trace: Trace, s: Situation, name: str, shape: dict[str, int]) -> str:
    """Record the cache of one request by 2 x layers x KV heads x width, with plain elements; return its key."""
    source = ARTICLE if name == "article" else source_of_model(s)
    for part, number in shape.items():
        trace.given(f"{name}.{part}", number, Unit.COUNT, source)
    trace.given(f"{name}.element_bytes", s.kv_format.bits / 8, Unit.BYTE_PER_ELEMENT, METHOD)
    trace.compute(
        f"{name}.kv_bytes_per_token",
        kv.kv_bytes_per_token,
        **{part: f"{name}.{part}" for part in shape},
        element_bytes=f"{name}.element_bytes",
    )
    trace.compute(
        f"{name}.kv_bytes_per_request",
        kv.group_cache_bytes,
        bytes_per_token=f"{name}.kv_bytes_per_token",
        tokens="workload.context_tokens",
    )
    return f"{name}.kv_bytes_per_request"


def textbook_weights(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Parameters times the bits that people say would be another figure than the checkpoint."""
    if not (_article(s) or s.weight_format.flat) and _differs(trace["memory_item.weights"], _flat_weights(trace, s)):
        yield _note(FindingKind.TEXTBOOK_WEIGHTS, "memory_item.weights", _record_flat_weights(trace, s))


def _flat_weights(trace: Trace, s: Situation) -> float:
    return float(w.weights_bytes(trace["model.total_parameters"], plain_bits(s.weight_format)))


def _record_flat_weights(trace: Trace, s: Situation) -> str:
    """Record all parameters at the format's plain bits; return the key."""
    trace.given("textbook.bits", plain_bits(s.weight_format), Unit.BIT_PER_WEIGHT, METHOD)
    trace.compute("textbook.weights_bytes", w.weights_bytes, parameters="model.total_parameters", bits="textbook.bits")
    return "textbook.weights_bytes"


def checkpoint_just_misses(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Flat bits per weight fit the usable memory; the checkpoint as it is published does not."""
    tier = s.device.memory_tiers[0]
    each = s.scenario.deployment.capacity_bytes or tier.usable_bytes or tier.capacity_bytes
    usable = each * s.plan.copy_ranks
    weights = trace["memory_item.weights"]
    if len(s.device.memory_tiers) > 1:
        return
    if not (_article(s) or s.weight_format.flat):
        if _flat_weights(trace, s) <= usable < weights:
            figures = "memory_item.weights", _record_usable(trace, s, each), _record_flat_weights(trace, s)
            yield _note(FindingKind.CHECKPOINT_JUST_MISSES, *figures, subject=s.weight_format.name)
        return
    published = _published_format(s)
    if published is None or weights > usable:
        return
    bits = _published_bits(s, published)
    if usable < sum(w.weights_bytes(number, bits[kind]) for kind, number in s.blueprint.parameters.items()):
        key = _record_checkpoint(trace, s, published, bits)
        figures = key, _record_usable(trace, s, each), "memory_item.weights"
        yield _note(FindingKind.CHECKPOINT_JUST_MISSES, *figures, subject=published.name)


def _record_usable(trace: Trace, s: Situation, each: int) -> str:
    """Record what software can allocate on the accelerators of one replica; return the key."""
    source = catalogue_origin(s.device, "memory_tiers.0.usable_bytes")
    trace.given("device.usable_bytes", each, Unit.BYTE, source)
    trace.given("replica.accelerators", s.plan.copy_ranks, Unit.COUNT, METHOD)
    trace.compute("memory.usable_bytes", m.times, bytes_each="device.usable_bytes", number="replica.accelerators")
    return "memory.usable_bytes"


def _published_format(s: Situation) -> WeightFormat | None:
    """The format whose checkpoints a flat one stands for; None where there is none to compare with."""
    four_bit = s.weight_format.flat and s.weight_format.bits == 4
    if four_bit and FOUR_BIT_CHECKPOINT not in s.catalogue.weight_formats:
        return None
    weight_format = s.catalogue.weight_format(FOUR_BIT_CHECKPOINT) if four_bit else s.weight_format
    return None if weight_format.flat else weight_format


def _published_bits(s: Situation, weight_format: WeightFormat) -> Mapping[TensorClass, float]:
    chosen = s.scenario.model
    if isinstance(chosen, CatalogueModel):
        return s.catalogue.bits(chosen.id, weight_format)
    return compose_bits(weight_format, s.blueprint)


def _record_checkpoint(
    trace: Trace, s: Situation, weight_format: WeightFormat, bits: Mapping[TensorClass, float]
) -> str:
    """Record the weights as they are published in a format; return the key."""
    source, keys = catalogue_origin(weight_format, "bits"), []
    for kind in s.blueprint.parameters:
        keys.append(f"checkpoint.weights_bytes.{kind}")
        trace.given(f"checkpoint.bits.{kind}", bits[kind], Unit.BIT_PER_WEIGHT, source)
        trace.compute(keys[-1], w.weights_bytes, parameters=f"model.parameters.{kind}", bits=f"checkpoint.bits.{kind}")
    trace.compute("checkpoint.weights_bytes", w.total_weights_bytes, classes=keys)
    return "checkpoint.weights_bytes"


def price(trace: Trace, s: Situation) -> Iterator[Finding]:
    """No price is known, or the quotes lie far apart."""
    if s.scenario.economics.price is not None:
        return
    quoted = s.device.price
    if quoted is None:
        yield _note(FindingKind.PRICE_UNKNOWN, subject=s.device.name)
        return
    source = catalogue_origin(s.device, "price")
    trace.given("price.low", quoted.low, Unit.MONEY, source)
    trace.given("price.high", quoted.high, Unit.MONEY, source)
    if float(quoted.high) > WIDE_PRICE * float(quoted.low):
        yield _note(FindingKind.PRICE_RANGE_WIDE, "price.low", "price.high", subject=s.device.name)


def model_read_with_warning(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The model's file left something open; `subject` is "kind:subject" of the reader's note."""
    for note in s.blueprint.warnings:
        if not (_article(s) and note.kind is NoteKind.TEXTBOOK):
            yield _note(FindingKind.MODEL_READ_WITH_WARNING, subject=f"{note.kind.value}:{note.subject}")


RULES: tuple[Rule, ...] = (
    engine_without_device,
    engine_without_format,
    heads_not_divisible,
    second_tier,
    capacity_without_bandwidth,
    pcie_tensor_parallel,
    spark_cluster,
    kv_heads_replicated,
    format_not_native,
    beyond_trained_context,
    checkpoint_just_misses,
    textbook_kv,
    textbook_weights,
    queue,
    reserved_beyond,
    moe_active_resident,
    article_mode,
    *PLACEMENT_RULES,
    model_read_with_warning,
    price,
)
