"""Formats, engines and devices: which go together, and what a format does not save."""

from collections.abc import Iterator

from core.physics import comparisons as c
from core.scenario import CatalogueModel
from core.sizing import engine_defaults as defaults
from core.sizing.origins import METHOD, catalogue_origin
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import is_article, note, reason, setup_rule, warning
from core.sizing.situation import Setup
from core.trace import Recipe
from core.units import Unit

SPARSE_SHEETS = ("vendor_sparse_halved",)
WIDE = 16


@setup_rule(FindingKind.ENGINE_WITHOUT_DEVICE, source="the engines' own lists of supported hardware")
def engine_without_device(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The engine does not run on the device: MLX needs Apple, TensorRT-LLM NVIDIA."""
    if not is_article(s) and s.device.family not in s.engine.families:
        yield warning(FindingKind.ENGINE_WITHOUT_DEVICE, subject=s.device.name)


@setup_rule(FindingKind.ENGINE_WITHOUT_FORMAT, source="the engines' own lists of supported formats")
def engine_without_format(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The engine does not load the weight format, or does not keep the cache format: GGUF needs llama.cpp."""
    if is_article(s):
        return
    if s.weight_format.id not in s.engine.weight_formats and not s.weight_format.flat:
        yield warning(FindingKind.ENGINE_WITHOUT_FORMAT, subject=s.weight_format.name)
    if s.kv_format.id not in s.engine.kv_formats and not s.kv_format.flat:
        yield warning(FindingKind.ENGINE_WITHOUT_FORMAT, subject=s.kv_format.name)


@setup_rule(FindingKind.WEIGHT_ONLY_FORMAT, 4, source="vllm-project/vllm#5975: FP8 weights are unpacked on Ampere")
def weight_only_format(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A format that the device cannot compute in saves memory and reads, not the time of a prompt."""
    if not s.weight_format.flat and not is_native(s):
        yield warning(FindingKind.WEIGHT_ONLY_FORMAT, "memory_item.weights", subject=s.weight_format.name)


def is_native(s: Setup) -> bool:
    """Has the device arithmetic for the rate that the format computes with?"""
    rates, compute = s.device.peak_flops, s.weight_format.compute
    if compute == "fp16" or not rates:  # every accelerator has FP16; without any rate nothing is known
        return True
    if not rates.get(compute):
        return False
    offered = s.device.fp4_format.split(";")[0].lower()
    return compute != "fp4" or not offered or s.weight_format.format_class in offered


@setup_rule(FindingKind.SPARSE_FLOPS, source="vendors' data sheets: rates marked as with sparsity")
def sparse_flops(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Data sheets print the rate with half of the numbers left out; language models compute at half of it."""
    if s.device.peak_basis in SPARSE_SHEETS and "rate.weight_format" in trace:
        trace.compute("rate.sparse", c.sparse_rate, dense="rate.weight_format")
        yield reason(FindingKind.SPARSE_FLOPS, "rate.sparse", "rate.weight_format")


@setup_rule(FindingKind.CACHE_OF_CHECKPOINT, source="vLLM, utils/torch_utils.py: resolve_kv_cache_dtype_string")
def cache_of_checkpoint(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A checkpoint's config may ask for a cache in 8 bit, which vLLM follows unless it is told otherwise."""
    asked = _asked_by_checkpoint(s)
    if asked and s.kv_format.bits >= WIDE:
        yield note(FindingKind.CACHE_OF_CHECKPOINT, "kv_bytes_per_token", subject=s.catalogue.kv_format(asked).name)


def _asked_by_checkpoint(s: Setup) -> str:
    """The cache format that the engine takes from the config of the checkpoint; empty where none."""
    if is_article(s) or not isinstance(s.model, CatalogueModel):
        return ""
    stated = s.catalogue.quantisation(s.catalogue.model(s.model.id), s.weight_format)
    asked = defaults.cache_of_checkpoint(stated, s.engine.allocator, s.deployment.release or s.engine.version)
    return asked if asked in s.catalogue.kv_formats else ""


@setup_rule(FindingKind.CACHE_KEEPS_ITS_FORMAT, 25, source="vllm-project/vllm#22291")
def cache_keeps_its_format(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Quantised weights say nothing about the cache, which keeps a format of its own."""
    if s.weight_format.bits < WIDE and s.kv_format.bits >= WIDE and not _asked_by_checkpoint(s):
        yield reason(FindingKind.CACHE_KEEPS_ITS_FORMAT, "kv_bytes_per_token", subject=s.weight_format.name)


@setup_rule(FindingKind.KV_QUANTISED, 12, 25)
def kv_quantised(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A quantised cache shrinks by its own bytes per value, scales included."""
    if s.kv_format.bits < WIDE:
        element = next((key for key in ("kv_element_bytes.0", "kv_element_bytes.1") if key in trace), "")
        if element:
            trace.given("wide_element_bytes", 2.0, Unit.BYTE_PER_ELEMENT, METHOD)
            trace.compute("kv_format.saving", c.times_more, larger="wide_element_bytes", smaller=element)
            figures = ("kv_format.saving", element, "kv_bytes_per_token")
            yield reason(FindingKind.KV_QUANTISED, *figures, subject=s.kv_format.name)


@setup_rule(FindingKind.CARD_LABEL, 15, source="memory that drivers report, beside the name of the card")
def card_label(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A “96 GB” card has three sizes: the label, what software can allocate, and what the engine may use."""
    label, usable = trace["tier.0.capacity_bytes"], trace["tier.0.usable_bytes"]
    if not is_article(s) and label != usable:
        yield reason(FindingKind.CARD_LABEL, "tier.0.capacity_bytes", "tier.0.usable_bytes", "tier.0.limit_bytes")


@setup_rule(FindingKind.BIDIRECTIONAL_LINK, 31, 36, source="vendors' data sheets: both directions added")
def bidirectional_link(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Links are sold by both directions added; an exchange waits for one."""
    link = s.link or s.network
    if s.plan.copy_ranks == 1 or link is None:
        return
    both, one = "link.bytes_per_s_bidirectional", "link.bytes_per_s_per_direction"
    if link.bytes_per_s_bidirectional <= link.bytes_per_s_per_direction:
        return
    trace.given(both, link.bytes_per_s_bidirectional, Unit.BYTE_PER_SECOND, catalogue_origin(link, both[5:]))
    trace.given(one, link.bytes_per_s_per_direction, Unit.BYTE_PER_SECOND, catalogue_origin(link, one[5:]))
    yield reason(FindingKind.BIDIRECTIONAL_LINK, both, one, subject=link.name)


RULES = (
    engine_without_device,
    engine_without_format,
    weight_only_format,
    card_label,
    bidirectional_link,
    sparse_flops,
    kv_quantised,
    cache_of_checkpoint,
    cache_keeps_its_format,
)
