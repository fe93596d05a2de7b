"""Find models: what the hardware at hand can run, in which format, at what context and speed.

The same question the other way round. Of each model the most exact format that meets the need is taken: the format in
which it was published, then weights with more bits before fewer, then the cache likewise. What does not fit by its
weights alone is ruled out without being sized.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Engine, Model, ModelRole
from core.errors import TonnageError
from core.physics import capacity as c
from core.physics.weights import weights_bytes
from core.scenario import CatalogueModel, Placement, Scenario
from core.sizing.memory import record_memory, verdict
from core.sizing.report import Verdict
from core.sizing.resolution import resolve
from core.sizing.search.request import SearchRequest
from core.sizing.search.variants import Variant, variants
from core.sizing.speed import speed_figures
from core.trace import Trace


class ModelExclusion(StrEnum):
    """What rules a model out on this hardware, the nearest miss first."""

    FIRST_TOKEN = "first_token"  # nosec: later than the target
    SPEED = "speed"
    RESERVE = "reserve"  # fewer requests than needed, the growth included
    MEMORY = "memory"
    CONTEXT = "context"  # trained for less than one request needs
    SOFTWARE = "software"  # no engine for the device loads a format of it
    FIGURES = "figures"  # the device has no computing rate in the catalogue
    ARCHITECTURE = "architecture"  # cannot be counted


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model that meets the need.

    context_tokens   largest context of one request that fits and was trained for
    requests         at the context of the need that fit
    speed, ttft      at P10, P50, P90
    """

    model: Model
    scenario: Scenario
    weights: str
    kv_format: str
    published: bool
    parameters: int
    weight_bytes: int
    context_tokens: int
    requests: int
    verdict: Verdict
    speed: tuple[float, float, float]
    ttft: tuple[float, float, float]
    throughput: float


@dataclass(frozen=True, slots=True)
class ModelRuledOut:
    """A model that does not: by what, what was asked, and how far its best format gets."""

    model: Model
    by: ModelExclusion
    asked: float = 0.0
    reached: float = 0.0
    weights: str = ""


@dataclass(frozen=True, slots=True)
class ModelsFound:
    """The answer to a search for models: the largest model first; and the rest with reasons."""

    request: SearchRequest
    answers: tuple[ModelAnswer, ...]
    ruled_out: tuple[ModelRuledOut, ...]
    combinations: int
    sized: int


def find_models(request: SearchRequest, catalogue: Catalogue) -> ModelsFound:
    """What the deployment of a scenario can run for its workload.

    Parameters
    ----------
    request : its scenario gives hardware and need; the model in it does not matter
    catalogue : what exists

    Returns
    -------
    models in order of size, each in the most exact format that meets the need
    """
    answers, out, tried, sized = [], [], 0, 0
    for model in generators(catalogue):
        found, combinations, sizings = _best_format(request, model, catalogue)
        tried, sized = tried + combinations, sized + sizings
        if isinstance(found, ModelAnswer):
            answers.append(found)
        else:
            out.append(found)
    answers.sort(key=lambda one: (-one.parameters, -one.speed[1], one.model.name, one.model.id))
    out.sort(key=lambda one: (list(ModelExclusion).index(one.by), _miss(one), one.model.name, one.model.id))
    return ModelsFound(request, tuple(answers), tuple(out), tried, sized)


def generators(catalogue: Catalogue) -> list[Model]:
    """The models that write text, without those that are only another model's weights in another format."""
    copies = {
        c.repository for model in catalogue.models.values() for c in model.checkpoints if c.repository != model.id
    }
    models = (m for m in catalogue.models.values() if m.role is ModelRole.GENERATOR and m.id not in copies)
    return sorted(models, key=lambda model: (model.name, model.id))


def _best_format(
    request: SearchRequest, model: Model, catalogue: Catalogue
) -> tuple[ModelAnswer | ModelRuledOut, int, int]:
    """The model in its most exact format that meets the need; combinations that were considered and sized."""
    try:
        blueprint = catalogue.blueprint(model)
    except TonnageError:
        return ModelRuledOut(model, ModelExclusion.ARCHITECTURE), 1, 0
    need = request.scenario.workload
    least = min(need.context_tokens, (need.prompt_tokens or 0) + need.output_tokens)
    if blueprint.is_encoder:
        return ModelRuledOut(model, ModelExclusion.ARCHITECTURE), 1, 0
    if 0 < blueprint.trained_context < least:
        return ModelRuledOut(model, ModelExclusion.CONTEXT, least, blueprint.trained_context), 1, 0
    asked = request.model_copy(update={"scenario": _with_model(request.scenario, model, blueprint.trained_context)})
    choices = list(_most_exact_first(asked, catalogue))
    nearest, sized = ModelRuledOut(model, ModelExclusion.SOFTWARE), 0
    for variant, stored in choices:
        short = stored - _capacity(request.scenario, catalogue)
        if short > 0:
            found: ModelAnswer | ModelRuledOut = ModelRuledOut(model, ModelExclusion.MEMORY, short, 0, variant.weights)
        else:
            sized += 1
            found = _sized(asked, model, variant, stored, catalogue)
        if isinstance(found, ModelAnswer):
            return found, len(choices), sized
        nearest = min(nearest, found, key=lambda one: (list(ModelExclusion).index(one.by), _miss(one)))
    return nearest, max(1, len(choices)), sized


def _with_model(scenario: Scenario, model: Model, trained: int) -> Scenario:
    """The need with this model, its context cut to what the model was trained for."""
    context = min(scenario.workload.context_tokens, trained or scenario.workload.context_tokens)
    return scenario.model_copy(
        update={
            "model": CatalogueModel(id=model.id),
            "workload": scenario.workload.model_copy(update={"context_tokens": context}),
        }
    )


def _most_exact_first(asked: SearchRequest, catalogue: Catalogue) -> Iterator[tuple[Variant, int]]:
    """Formats that an engine of the device loads, with the bytes of the weights; the model's own, then most bits."""
    device = catalogue.device(asked.scenario.deployment.device)
    own = next(iter(catalogue.published_formats(_id(asked.scenario))), "")
    found = []
    for place, variant in enumerate(variants(asked, catalogue)):
        if variant.apart or not _runs(variant.engine, device.family):
            continue
        bits = catalogue.bits(_id(asked.scenario), variant.weights)
        parameters = catalogue.blueprint(_id(asked.scenario)).parameters
        stored = sum(weights_bytes(number, bits[kind]) for kind, number in parameters.items())
        cache = catalogue.kv_format(variant.kv_format).bits
        weights = catalogue.weight_format(variant.weights)
        foreign = own not in (weights.id, weights.variant_of)
        found.append((foreign, -weights.bits, -cache, place, variant, stored))
    found.sort(key=lambda one: one[:4])
    for *_, variant, stored in found:
        yield variant, stored


def _runs(engine: Engine, family: object) -> bool:
    return family in engine.families


def _id(scenario: Scenario) -> str:
    assert isinstance(scenario.model, CatalogueModel)
    return scenario.model.id


def _capacity(scenario: Scenario, catalogue: Catalogue) -> int:
    """Everything that the deployment can hold, in all tiers: no format larger than this fits [byte]."""
    deployment = scenario.deployment
    device = catalogue.device(deployment.device)
    tiers = [tier.usable_bytes or tier.capacity_bytes for tier in device.memory_tiers]
    if deployment.capacity_bytes is not None:
        tiers[0] = deployment.capacity_bytes
    return sum(tiers) * device.accelerators * deployment.count * deployment.nodes


def _sized(
    asked: SearchRequest, model: Model, variant: Variant, stored: int, catalogue: Catalogue
) -> ModelAnswer | ModelRuledOut:
    """One model in one format on the hardware at hand."""
    scenario = scenario_with(asked.scenario, variant)
    try:
        situation, trace = resolve(scenario, catalogue), Trace()
        record_memory(trace, situation)
        answer = verdict(trace)
        fits, wanted = int(trace["max_concurrency"]), int(trace["requests_with_reserve"])
        if answer is Verdict.DOES_NOT_FIT and fits < 1:
            short = float(trace["accelerator.shortfall_bytes"])
            return ModelRuledOut(model, ModelExclusion.MEMORY, short, 0, variant.weights)
        if answer is Verdict.DOES_NOT_FIT or fits < wanted:
            return ModelRuledOut(model, ModelExclusion.RESERVE, wanted, fits, variant.weights)
        speed = speed_figures(trace, situation)
    except TonnageError:
        return ModelRuledOut(model, ModelExclusion.ARCHITECTURE)
    if speed.decode is None or speed.ttft is None or speed.throughput is None:
        return ModelRuledOut(model, ModelExclusion.FIGURES)
    work = scenario.workload
    deviations = c.deviations_of(work.target_percentile)
    reached = c.speed_with_certainty(speed.decode.p50, speed.decode.p10, deviations)
    waited = c.seconds_with_certainty(speed.ttft.p50, speed.ttft.p90, deviations)
    if work.speed_target is not None and reached < work.speed_target:
        return ModelRuledOut(model, ModelExclusion.SPEED, work.speed_target, reached, variant.weights)
    if work.ttft_target_s is not None and waited > work.ttft_target_s:
        return ModelRuledOut(model, ModelExclusion.FIRST_TOKEN, work.ttft_target_s, waited, variant.weights)
    return ModelAnswer(
        model=model,
        scenario=scenario,
        weights=variant.weights,
        kv_format=variant.kv_format,
        published=variant.published,
        parameters=int(trace["model.total_parameters"]),
        weight_bytes=stored,
        context_tokens=int(trace["max_context_usable_tokens"]),
        requests=fits,
        verdict=answer,
        speed=(speed.decode.p10, speed.decode.p50, speed.decode.p90),
        ttft=(speed.ttft.p10, speed.ttft.p50, speed.ttft.p90),
        throughput=speed.throughput.p50,
    )


def scenario_with(scenario: Scenario, variant: Variant) -> Scenario:
    """The hardware at hand with other formats and engine; its plan is left open: heads differ from model to model."""
    deployment = scenario.deployment
    engine = variant.engine.id
    changes = {"engine": engine, "plan": None}
    if engine != deployment.engine:
        changes |= {"memory_share": None, "runtime_bytes": None, "prefill_chunk": None}
    return scenario.model_copy(
        update={
            "weights": variant.weights,
            "kv_format": variant.kv_format,
            "companions": tuple(c for c in scenario.companions if c.placement is not Placement.CPU),
            "deployment": deployment.model_copy(update=changes),
        }
    )


def _miss(one: ModelRuledOut) -> float:
    if one.by is ModelExclusion.MEMORY:
        return one.asked
    low, high = sorted((abs(one.asked), abs(one.reached)))
    return high / low if low > 0 else float("inf")
