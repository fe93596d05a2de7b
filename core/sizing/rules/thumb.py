"""The rule of thumb beside the real figure: cache, weights, and the checkpoint that just misses."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from core.architecture.blueprint import AttentionGroup, Blueprint, TensorClass
from core.catalogue.precision import compose_bits
from core.catalogue.records import WeightFormat
from core.physics import kv_cache as kv
from core.physics import memory as m
from core.physics import rank_cache
from core.physics import weights as w
from core.scenario import CatalogueModel
from core.sizing.groups import LATENT, cached_groups, source_of_model
from core.sizing.origins import ARTICLE, METHOD, catalogue_origin
from core.sizing.precision import plain_bits
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import differs, is_article, note, rule, setup_rule
from core.sizing.situation import Setup, Situation
from core.trace import Origin, Recipe, Same, Trace, recipe
from core.units import Unit

#: The article's example: a mixture of this size "of this type" has 48 layers, 4 KV heads of 128.
ARTICLE_PARAMETERS = (33e9, 38e9)
ARTICLE_ACTIVE = (2.5e9, 3.5e9)
ARTICLE_GEOMETRY = {"layers": 48, "kv_heads": 4, "key_dim": 128, "value_dim": 128}
#: A rule of thumb for the cache that is off by more than this is named: below, it serves.
THUMB_IS_OFF = 0.20
#: The format whose published checkpoints stand for "4 bit" on current hardware.
FOUR_BIT_CHECKPOINT = "nvfp4"


@rule(FindingKind.TEXTBOOK_KV, 25)
def textbook_kv(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A cache of every head in every layer, the rule of thumb, would be another figure; so would the article's example.

    The article's figure stands third where the model is of the size that it speaks of. Copies on several ranks are left
    out: they are the plan's, not the model's.
    """
    caching = cached_groups(s.setup.blueprint)
    if is_article(s.setup) or not caching:
        return
    shapes = {"textbook": full_cache_shape(s.setup)}
    if is_of_the_article(s.setup):
        shapes["article"] = ARTICLE_GEOMETRY
    element, tokens = s.setup.kv_format.bits / 8, trace["workload.context_tokens"]
    others = [kv.kv_bytes_per_token(**shape, element_bytes=element) * tokens for shape in shapes.values()]
    held = trace["kv_logical_bytes_per_request"]
    if any(abs(other - held) > THUMB_IS_OFF * held for other in others):
        compared = [record_rule_of_thumb(trace, s.setup, name, shape) for name, shape in shapes.items()]
        figures = ("kv_logical_bytes_per_request", *compared, "kv_bytes_per_token", "state_bytes_per_request")
        yield note(FindingKind.TEXTBOOK_KV, *figures)


def full_cache_shape(s: Setup) -> Mapping[str, int]:
    """The cache that the textbook formula gives: every layer of the model like its most common one."""
    return _full_cache_shape(Same(cached_groups(s.blueprint)), s.blueprint.layers)


@lru_cache(maxsize=1024)
def _full_cache_shape(groups: Same[tuple[tuple[int, AttentionGroup], ...]], layers: int) -> Mapping[str, int]:
    _, group = max(groups.it, key=lambda numbered: numbered[1].cached)
    heads = group.query_heads if group.kind in LATENT else group.kv_heads
    return {"layers": layers, "kv_heads": heads, "key_dim": group.key_dim, "value_dim": group.value_dim}


def is_of_the_article(s: Setup) -> bool:
    """Is this a mixture of the size that the article's example speaks of?"""
    return _is_of_the_article(Same(s.blueprint))


@lru_cache(maxsize=1024)
def _is_of_the_article(model: Same[Blueprint]) -> bool:
    (low, high), (few, many) = ARTICLE_PARAMETERS, ARTICLE_ACTIVE
    return low <= model.it.total_parameters <= high and few <= model.it.active_parameters <= many


def record_rule_of_thumb(trace: Trace, s: Setup, name: str, shape: Mapping[str, int]) -> str:
    """Record the cache of one request by 2 x layers x KV heads x width, with plain elements; return its key."""
    request = f"{name}.kv_bytes_per_request"
    if request in trace:
        return request
    source = ARTICLE if name == "article" else source_of_model(s)
    trace.follow(_rule_of_thumb(name, tuple(shape.items()), s.kv_format.bits / 8, source))
    return request


@recipe
def _rule_of_thumb(
    trace: Recipe, name: str, shape: tuple[tuple[str, int], ...], element_bytes: float, source: Origin
) -> None:
    for part, number in shape:
        trace.given(f"{name}.{part}", number, Unit.COUNT, source)
    trace.given(f"{name}.element_bytes", element_bytes, Unit.BYTE_PER_ELEMENT, METHOD)
    trace.compute(
        f"{name}.kv_bytes_per_token",
        kv.kv_bytes_per_token,
        **{part: f"{name}.{part}" for part, _ in shape},
        element_bytes=f"{name}.element_bytes",
    )
    per_token = f"{name}.kv_bytes_per_token"
    trace.compute(
        f"{name}.kv_bytes_per_request",
        rank_cache.group_cache_bytes,
        bytes_per_token=per_token,
        tokens="workload.context_tokens",
    )


@setup_rule(FindingKind.TEXTBOOK_WEIGHTS, 18)
def textbook_weights(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Parameters times the bits that people say would be another figure than the checkpoint."""
    if not (is_article(s) or s.weight_format.flat) and differs(trace["memory_item.weights"], _flat_weights(trace, s)):
        yield note(FindingKind.TEXTBOOK_WEIGHTS, "memory_item.weights", _record_flat_weights(trace, s))


def _flat_weights(trace: Recipe, s: Setup) -> float:
    return float(w.weights_bytes(trace["model.total_parameters"], plain_bits(s.weight_format)))


def _record_flat_weights(trace: Recipe, s: Setup) -> str:
    """Record all parameters at the format's plain bits; return the key."""
    trace.given("textbook.bits", plain_bits(s.weight_format), Unit.BIT_PER_WEIGHT, METHOD)
    trace.compute("textbook.weights_bytes", w.weights_bytes, parameters="model.total_parameters", bits="textbook.bits")
    return "textbook.weights_bytes"


@setup_rule(FindingKind.CHECKPOINT_JUST_MISSES, 47)
def checkpoint_just_misses(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Flat bits per weight fit the usable memory; the checkpoint as it is published does not."""
    tier = s.device.memory_tiers[0]
    each = s.deployment.capacity_bytes or tier.usable_bytes or tier.capacity_bytes
    usable = each * s.plan.copy_ranks
    weights = trace["memory_item.weights"]
    if len(s.device.memory_tiers) > 1:
        return
    if not (is_article(s) or s.weight_format.flat):
        if _flat_weights(trace, s) <= usable < weights:
            figures = "memory_item.weights", _record_usable(trace, s, each), _record_flat_weights(trace, s)
            yield note(FindingKind.CHECKPOINT_JUST_MISSES, *figures, subject=s.weight_format.name)
        return
    published = _published_format(s)
    if published is None or weights > usable:
        return
    bits = _published_bits(s, published)
    if usable < sum(w.weights_bytes(number, bits[kind]) for kind, number in s.blueprint.parameters.items()):
        key = _record_checkpoint(trace, s, published, bits)
        figures = key, _record_usable(trace, s, each), "memory_item.weights"
        yield note(FindingKind.CHECKPOINT_JUST_MISSES, *figures, subject=published.name)


def _record_usable(trace: Recipe, s: Setup, each: int) -> str:
    """Record what software can allocate on the accelerators of one replica; return the key."""
    source = catalogue_origin(s.device, "memory_tiers.0.usable_bytes")
    trace.given("device.usable_bytes", each, Unit.BYTE, source)
    trace.given("replica.accelerators", s.plan.copy_ranks, Unit.COUNT, METHOD)
    trace.compute("memory.usable_bytes", m.times, bytes_each="device.usable_bytes", number="replica.accelerators")
    return "memory.usable_bytes"


def _published_format(s: Setup) -> WeightFormat | None:
    """The format whose checkpoints a flat one stands for; None where there is none to compare with."""
    four_bit = s.weight_format.flat and s.weight_format.bits == 4
    if four_bit and FOUR_BIT_CHECKPOINT not in s.catalogue.weight_formats:
        return None
    weight_format = s.catalogue.weight_format(FOUR_BIT_CHECKPOINT) if four_bit else s.weight_format
    return None if weight_format.flat else weight_format


def _published_bits(s: Setup, weight_format: WeightFormat) -> Mapping[TensorClass, float]:
    chosen = s.model
    if isinstance(chosen, CatalogueModel):
        return s.catalogue.bits(chosen.id, weight_format)
    return compose_bits(weight_format, s.blueprint)


def _record_checkpoint(trace: Recipe, s: Setup, weight_format: WeightFormat, bits: Mapping[TensorClass, float]) -> str:
    """Record the weights as they are published in a format; return the key."""
    source, keys = catalogue_origin(weight_format, "bits"), []
    for kind in s.blueprint.parameters:
        keys.append(f"checkpoint.weights_bytes.{kind}")
        trace.given(f"checkpoint.bits.{kind}", bits[kind], Unit.BIT_PER_WEIGHT, source)
        trace.compute(keys[-1], w.weights_bytes, parameters=f"model.parameters.{kind}", bits=f"checkpoint.bits.{kind}")
    trace.compute("checkpoint.weights_bytes", w.total_weights_bytes, classes=keys)
    return "checkpoint.weights_bytes"


RULES = (checkpoint_just_misses, textbook_kv, textbook_weights)
