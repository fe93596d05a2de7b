"""Speculative decoding: the time that guessing ahead takes, and what a step gains by it."""

from collections.abc import Iterable

from core.architecture.blueprint import TensorClass
from core.physics import operators, speculation
from core.sizing.draft import draft_blueprint, draft_source
from core.sizing.groups import draft_id, draft_tokens, speculates
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.situation import Setup
from core.trace import CHOICE, Recipe, Trace
from core.units import Unit


def record_gain(trace: Trace, s: Setup) -> None:
    """Record what a step gains by guessing ahead."""
    chosen = s.deployment.speculation
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
        trace.given("draft.kernels", operators.kernels_per_step(draft_blueprint(s)), Unit.COUNT, draft_source(s))


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


def record_parts_per_token(trace: Trace, s: Setup, step: str, parts: Iterable[str]) -> str:
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
