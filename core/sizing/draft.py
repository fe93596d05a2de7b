"""Speculative decoding: what guesses ahead, and what it takes of memory."""

from core.architecture.blueprint import Blueprint, TensorClass
from core.physics import kv_cache as kv
from core.physics import operators, rank_cache
from core.physics import weights as w
from core.sizing.groups import cached_groups, draft_id
from core.sizing.origins import METHOD, catalogue_origin, model_origin
from core.sizing.reservation.share import Share
from core.sizing.situation import Setup
from core.trace import Origin, Recipe
from core.units import Unit

DRAFT = "memory_item.draft"
_NOT_READ = (TensorClass.EMBEDDING, TensorClass.NGRAM, TensorClass.VISION, TensorClass.MTP)


def draft_items(s: Setup) -> list[str]:
    """The key of the draft model's weights on one accelerator, where there is one."""
    return [DRAFT] if draft_id(s) else []


def draft_blueprint(s: Setup) -> Blueprint:
    """What the draft model is made of."""
    return s.catalogue.blueprint(s.catalogue.model(draft_id(s)))


def draft_source(s: Setup) -> Origin:
    """Where the counts of the draft model come from."""
    return model_origin(s.catalogue.model(draft_id(s)))


def record_draft(trace: Recipe, s: Setup) -> None:
    """Record the weights of the draft model, class by class, and on one accelerator."""
    chosen = s.deployment.speculation
    if chosen is None or not draft_id(s):
        return
    weight_format, source = s.catalogue.weight_format(chosen.draft_weights), draft_source(s)
    bits = s.catalogue.bits(draft_id(s), weight_format)
    sizes = {}
    for kind, number in draft_blueprint(s).parameters.items():
        if kind is TensorClass.MTP:
            continue
        sizes[kind] = f"draft.weights_bytes.{kind}"
        trace.given(f"draft.parameters.{kind}", number, Unit.PARAMETER, source)
        trace.given(f"draft.bits.{kind}", bits[kind], Unit.BIT_PER_WEIGHT, catalogue_origin(weight_format, "bits"))
        trace.compute(sizes[kind], w.weights_bytes, parameters=f"draft.parameters.{kind}", bits=f"draft.bits.{kind}")
    trace.compute("draft.weights_bytes", w.total_weights_bytes, classes=list(sizes.values()))
    trace.compute(DRAFT, w.part_of_ranks, whole="draft.weights_bytes", tensor="plan.tensor")
    read = [key for kind, key in sizes.items() if kind not in _NOT_READ or _is_head(s, kind)]
    trace.compute("draft.read_bytes", operators.sum_of_bytes, parts=read)


def _is_head(s: Setup, kind: TensorClass) -> bool:
    return kind is TensorClass.EMBEDDING and draft_blueprint(s).tied_embedding


def draft_share(trace: Recipe, s: Setup) -> list[Share]:
    """Record the draft model's cache of one request, on one accelerator: plain, in the format of the other cache."""
    if not draft_id(s):
        return []
    trace.given("draft.stages", 1, Unit.COUNT, METHOD)  # the draft model stands whole on the last stage
    rates = []
    for number, group in cached_groups(draft_blueprint(s)):
        key = f"draft.kv.{number}"
        shape = {
            "layers": group.cached,
            "kv_heads": 1 if group.latent_dim else group.kv_heads,
            "key_dim": group.latent_dim or group.key_dim,
            "value_dim": 0 if group.latent_dim else group.value_dim,
        }
        for name, value in shape.items():
            trace.given(f"{key}.{name}", value, Unit.COUNT, draft_source(s))
        keys = {name: f"{key}.{name}" for name in shape}
        trace.compute(
            f"{key}.bytes_per_token", kv.kv_bytes_per_token, **keys, element_bytes="kv_format.bytes_per_element"
        )
        rates.append(f"{key}.rank_bytes_per_token")
        trace.compute(
            rates[-1],
            rank_cache.rank_bytes_per_token,
            bytes_per_token=f"{key}.bytes_per_token",
            layers=keys["layers"],
            kv_heads=keys["kv_heads"],
            tensor="plan.tensor",
            pipeline="draft.stages",
        )
    if not rates:
        return []
    trace.compute("draft.kv_bytes_per_token", kv.total_bytes_per_token, groups=rates)
    tokens = {"bytes_per_token": "draft.kv_bytes_per_token", "tokens": "workload.context_tokens"}
    trace.compute("draft.kv_bytes", rank_cache.group_cache_bytes, **tokens)
    trace.compute("draft.kv_bytes_of_copy", rank_cache.times_ranks, whole_bytes="draft.kv_bytes", tensor="plan.tensor")
    return [Share(False, "draft.kv_bytes", "draft.kv_bytes_of_copy", "draft.kv_bytes_per_token")]
