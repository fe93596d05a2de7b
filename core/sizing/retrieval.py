"""Embedding and ranking of every request: what it takes of the model's card, or how long the first token waits."""

from core.physics import retrieval as r
from core.scenario import Companion, CompanionRole, Placement, Retrieval
from core.sizing.efficiency import reached_key
from core.sizing.origins import model_origin
from core.sizing.outline import Outline, is_served
from core.sizing.presets import ESTIMATE
from core.sizing.prompt import prompt_beside_others
from core.sizing.situation import Setup, Situation
from core.trace import CHOICE, Recipe, Trace
from core.units import Unit

#: What a plan takes where the user has said nothing else; nobody has published such figures, so they are estimates.
USUAL = Retrieval()
_FIGURES = {"question_tokens": Unit.TOKEN, "passage_tokens": Unit.TOKEN, "passages": Unit.COUNT}
SECONDS = "retrieval.seconds"
LOADED = "prompt.with_retrieval_s"


def loaded_prompt(o: Outline) -> str:
    """The key of what a prompt takes of its accelerators beside other groups, with the retrieval that runs there."""
    return LOADED if o.retrieval_here else prompt_beside_others(o)


def record_loaded(trace: Recipe, o: Outline) -> None:
    """Record the load of a prompt on the card that serves retrieval as well."""
    if o.retrieval_here:
        trace.compute(
            LOADED,
            r.prompt_with_retrieval,
            prompt=prompt_beside_others(o),
            retrieval="retrieval.here_s",
            groups=o.groups,
        )


def record_retrieval(trace: Trace, s: Situation) -> None:
    """Record the retrieval of one request, model by model."""
    said = s.scenario.workload.retrieval
    if said is None or not is_served(s, Placement.SAME_CARD, Placement.SECOND_CARD):
        return
    for name, unit in _FIGURES.items():
        value = getattr(said, name)
        trace.given(f"retrieval.{name}", value, unit, ESTIMATE if value == getattr(USUAL, name) else CHOICE)
    parts: dict[Placement, list[str]] = {Placement.SAME_CARD: [], Placement.SECOND_CARD: []}
    for number, companion in enumerate(s.setup.companions):
        if companion.placement in parts:
            parts[companion.placement].append(_record_model(trace, s.setup, number, companion))
    keys = [*parts[Placement.SAME_CARD], *parts[Placement.SECOND_CARD]]
    trace.compute(SECONDS, r.seconds_of_all, parts=keys)
    if parts[Placement.SAME_CARD]:
        trace.compute("retrieval.here_s", r.seconds_of_all, parts=parts[Placement.SAME_CARD])
    if parts[Placement.SECOND_CARD]:
        trace.compute("retrieval.apart_s", r.seconds_of_all, parts=parts[Placement.SECOND_CARD])


def _record_model(trace: Trace, s: Setup, number: int, companion: Companion) -> str:
    """The time of one model; returns its key."""
    key = f"retrieval.{number}"
    model = s.catalogue.model(companion.model) if companion.model else None
    parameters, origin = companion.parameters or 0, CHOICE
    if model is not None:
        parameters, origin = sum(s.catalogue.blueprint(model).parameters.values()), model_origin(model)
    trace.given(f"{key}.parameters", parameters, Unit.PARAMETER, origin)
    bits = s.catalogue.weight_format(companion.weights).bits
    trace.given(f"{key}.read_bytes", parameters * bits / 8, Unit.BYTE, origin)
    tokens = "retrieval.question_tokens"
    if companion.role is CompanionRole.RERANKER:
        tokens = f"{key}.tokens"
        trace.compute(
            tokens,
            r.reranked_tokens,
            passages="retrieval.passages",
            question="retrieval.question_tokens",
            passage="retrieval.passage_tokens",
        )
    trace.compute(
        f"{key}.seconds",
        r.retrieval_seconds,
        tokens=tokens,
        parameters=f"{key}.parameters",
        rate="rate.fp16",
        efficiency=reached_key(s.device),
        read=f"{key}.read_bytes",
        bandwidth="bandwidth.weights",
    )
    return f"{key}.seconds"
