"""Speculative decoding: what guesses ahead, what it takes of memory and time, and what a step gains by it."""

from collections.abc import Iterable

from core.architecture.blueprint import Blueprint, TensorClass
from core.physics import kv_cache as kv
from core.physics import operators, speculation
from core.physics import weights as w
from core.sizing.groups import cached_groups, draft_id, draft_tokens, speculates
from core.sizing.origins import METHOD, catalogue_origin, model_origin
from core.sizing.outline import Outline
from core.sizing.reservation.share import Share
from core.sizing.situation import Situation
from core.trace import CHOICE, Origin, Recipe, Trace
from core.units import Unit

DRAFT = "memory_item.draft"
_NOT_READ = (TensorClass.EMBEDDING, TensorClass.VISION, TensorClass.MTP)


def draft_items(s: Situation) -> list[str]:
    """The key of the draft model's weights on one accelerator, where there is one."""
    return [DRAFT] if draft_id(s) else []


def _blueprint(s: Situation) -> Blueprint:
    return s.catalogue.blueprint(s.catalogue.model(draft_id(s)))


def _source(s: Situation) -> Origin:
    return model_origin(s.catalogue.model(draft_id(s)))


def record_draft(trace: Trace, s: Situation) -> None:
    """Record the weights of the draft model, class by class, and on one accelerator."""
    chosen = s.scenario.deployment.speculation
    if chosen is None or not draft_id(s):
        return
    weight_format, source = s.catalogue.weight_format(chosen.draft_weights), _source(s)
    bits = s.catalogue.bits(draft_id(s), weight_format)
    sizes = {}
    for kind, number in _blueprint(s).parameters.items():
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


def _is_head(s: Situation, kind: TensorClass) -> bool:
    return kind is TensorClass.EMBEDDING and _blueprint(s).tied_embedding


def draft_share(trace: Trace, s: Situation) -> list[Share]:
    """Record the draft model's cache of one request, on one accelerator: plain, in the format of the other cache."""
    if not draft_id(s):
        return []
    trace.given("draft.stages", 1, Unit.COUNT, METHOD)  # the draft model stands whole on the last stage
    rates = []
    for number, group in cached_groups(_blueprint(s)):
        key = f"draft.kv.{number}"
        shape = {
            "layers": group.cached,
            "kv_heads": 1 if group.latent_dim else group.kv_heads,
            "key_dim": group.latent_dim or group.key_dim,
            "value_dim": 0 if group.latent_dim else group.value_dim,
        }
        for name, value in shape.items():
            trace.given(f"{key}.{name}", value, Unit.COUNT, _source(s))
        keys = {name: f"{key}.{name}" for name in shape}
        trace.compute(
            f"{key}.bytes_per_token", kv.kv_bytes_per_token, **keys, element_bytes="kv_format.bytes_per_element"
        )
        rates.append(f"{key}.rank_bytes_per_token")
        trace.compute(
            rates[-1],
            kv.rank_bytes_per_token,
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
    trace.compute("draft.kv_bytes", kv.group_cache_bytes, **tokens)
    trace.compute("draft.kv_bytes_of_copy", kv.times_ranks, whole_bytes="draft.kv_bytes", tensor="plan.tensor")
    return [Share(False, "draft.kv_bytes", "draft.kv_bytes_of_copy", "draft.kv_bytes_per_token")]


def record_gain(trace: Trace, s: Situation) -> None:
    """Record what a step gains by guessing ahead."""
    chosen = s.scenario.deployment.speculation
    if chosen is None or not speculates(s):
        return
    trace.given("speculation.acceptance", chosen.acceptance, Unit.SHARE, CHOICE)
    trace.given("engine.draft_tokens", draft_tokens(s), Unit.TOKEN, CHOICE)
    trace.compute(
        "speculation.tokens_per_step",
        speculation.tokens_per_step,
        acceptance="speculation.acceptance",
        guessed="engine.draft_tokens",
    )
    if draft_id(s):
        trace.given("draft.kernels", operators.kernels_per_step(_blueprint(s)), Unit.COUNT, _source(s))


def record_guessing(trace: Recipe, o: Outline) -> None:
    """Record the time that guessing takes."""
    if not o.speculates:
        return
    read, head, kernels = _read_by_draft_model(trace) if o.has_draft else _read_by_own_layers(trace, o)
    trace.compute(
        "speculation.guess_s",
        speculation.guess_seconds,
        guessed="engine.draft_tokens",
        read=read,
        head=head,
        ranks="plan.tensor",
        bandwidth="bandwidth.weights",
        kernels=kernels,
        per_kernel="fit.t_op",
    )


def _read_by_draft_model(trace: Recipe) -> tuple[str, str, str]:
    trace.given("speculation.no_more_bytes", 0, Unit.BYTE, METHOD)
    return "draft.read_bytes", "speculation.no_more_bytes", "draft.kernels"


def _read_by_own_layers(trace: Recipe, o: Outline) -> tuple[str, str, str]:
    """The prediction layers read the share that a layer of the model reads, and the model's head."""
    experts = "weights_bytes.expert" if o.has_experts else "nothing_bytes"
    chosen = "one_request_step_s.bytes.experts" if o.has_experts else "nothing_bytes"
    trace.compute(
        "speculation.read_bytes",
        speculation.prediction_layer_read,
        layer=f"weights_bytes.{TensorClass.MTP}",
        dense="read_bytes.layers",
        experts_read=chosen,
        experts=experts,
    )
    trace.compute(
        "speculation.kernels", speculation.kernels_of_a_layer, kernels="kernels_per_step", layers="model.layers"
    )
    return "speculation.read_bytes", "read_bytes.head", "speculation.kernels"


def record_parts_per_token(trace: Trace, s: Situation, step: str, parts: Iterable[str]) -> str:
    """Record the parts of a step as parts of a token, guessing with the engine's; return what their keys begin with."""
    if not speculates(s):
        return step
    for part in parts:
        whole, gained = f"{step}.{part}", {"tokens": "speculation.tokens_per_step"}
        if part == "engine":
            guess = {"step": whole, "guess": "speculation.guess_s"}
            trace.compute(f"{step}.per_token.{part}", speculation.seconds_per_token, **guess, **gained)
        else:
            trace.compute(f"{step}.per_token.{part}", speculation.part_per_token, part=whole, **gained)
    return f"{step}.per_token"


def seconds_per_token(trace: Recipe, o: Outline, step: str) -> str:
    """The key of the time of a token in a step: the step itself, or guessing and checking over what they gain."""
    if not o.speculates:
        return step
    key = f"{step}.per_token"
    trace.compute(
        key,
        speculation.seconds_per_token,
        step=step,
        guess="speculation.guess_s",
        tokens="speculation.tokens_per_step",
    )
    return key
