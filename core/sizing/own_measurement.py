"""Measurements of the user's own: they move and narrow the predictions for the same machine and engine.

A measurement is compared with what is predicted for its own conditions. The closer these are to the scenario's, the
more it weighs: same model and format, and the same kind of load, or not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.physics import own_measurement as own
from core.physics.uncertainty import spread_under_load
from core.scenario import CatalogueModel, Measured, Measurement, Scenario
from core.sizing.origins import METHOD
from core.sizing.situation import Situation
from core.trace import Origin, OriginKind, Trace
from core.units import Unit

Predict = Callable[[Scenario, Catalogue], Trace]

KEYS = {
    Measured.DECODE: "decode_tok_s",
    Measured.PREFILL: "prefill_tok_s",
    Measured.FIRST_TOKEN: "ttft_s",
    Measured.THROUGHPUT: "output_tok_s_total",
}
#: How far one figure of a configuration scatters, alone and under load (standard deviation of the logarithm).
NOISE = {
    Measured.DECODE: (0.08, 0.12),
    Measured.PREFILL: (0.21, 0.21),
    Measured.FIRST_TOKEN: (0.21, 0.33),
    Measured.THROUGHPUT: (0.12, 0.12),
}
#: Conditions that differ multiply the noise: another model or format, another load. On the reference rows a measurement
#: of another model took the error of decode from 17 to 13 % only, one of the same model to 4 %; prefill gained nothing.
OTHER_MODEL = 3.0
OTHER_LOAD = 3.0
PREDICTED = Origin(OriginKind.METHOD, "Predicted for the conditions of the measurement, without it")


@dataclass(frozen=True, slots=True)
class Relevant:
    """A measurement that says something about a figure of the scenario, and how far it may be off."""

    number: int
    measurement: Measurement
    noise: float


def relevant(scenario: Scenario, figure: Measured) -> Iterator[Relevant]:
    """The measurements of a figure on the scenario's machine with its engine."""
    deployment = scenario.deployment
    for number, measured in enumerate(scenario.measurements):
        here = measured.device in (None, deployment.device) and measured.count in (None, deployment.count)
        if measured.figure is not figure or not here or measured.engine not in (None, deployment.engine):
            continue
        noise = NOISE[figure][measured.requests_at_once > 1]
        if not _same_model(scenario, measured):
            if figure is Measured.PREFILL:
                continue
            noise *= OTHER_MODEL
        yield Relevant(number, measured, noise)


def _same_model(scenario: Scenario, measured: Measurement) -> bool:
    chosen = scenario.model
    same = measured.model is None or (isinstance(chosen, CatalogueModel) and chosen.id == measured.model)
    return same and measured.weights in (None, scenario.weights)


def conditions(scenario: Scenario, measured: Measurement) -> Scenario:
    """The scenario of a measurement: the machine and engine as they are, the rest as it was measured."""
    work = scenario.workload
    prompt = measured.prompt_tokens or work.prompt_tokens or 512
    output = measured.output_tokens or work.output_tokens
    return scenario.edited(
        measurements=(),
        model=CatalogueModel(id=measured.model) if measured.model else scenario.model,
        weights=measured.weights or scenario.weights,
        workload__requests_at_once=measured.requests_at_once,
        workload__prompt_tokens=prompt,
        workload__output_tokens=output,
        workload__context_tokens=prompt + output,
        workload__prefix_hit_share=measured.cached_tokens / prompt,
    )


def is_corrected(scenario: Scenario, figure: Measured) -> bool:
    """Does a measurement speak about this figure?"""
    return bool(scenario.measurements) and next(relevant(scenario, figure), None) is not None


def _record_noise(trace: Trace, at: str, one: Relevant, figure: Measured) -> None:
    """How far a measurement may be off for the load that is asked about; prompts are read one by one."""
    if figure is Measured.PREFILL:
        trace.given(f"{at}.noise", one.noise, Unit.RATIO, METHOD)
        return
    trace.given(f"{at}.noise.any", one.noise, Unit.RATIO, METHOD)
    trace.given(f"{at}.requests", one.measurement.requests_at_once, Unit.REQUEST)
    trace.given("own.other_load", OTHER_LOAD, Unit.RATIO, METHOD)
    trace.compute(
        f"{at}.noise",
        own.noise_under_load,
        noise=f"{at}.noise.any",
        other_load="own.other_load",
        measured=f"{at}.requests",
        requests="requests_at_once",
    )


def record_correction(trace: Trace, s: Situation, figure: Measured, spread: str, limit: str, predict: Predict) -> str:
    """Record the correction of a figure, the figure corrected, and its spread; return the key of the spread.

    Parameters
    ----------
    trace : holds the figure as predicted; it moves to `<key>.predicted`
    s : the situation
    figure : which one
    spread : key of its spread without measurements
    limit : key of what physics allows, at most for a speed, at least for a time
    predict : the figures of a scenario, for the conditions of a measurement

    Returns
    -------
    key of the spread with the measurements; `spread` itself where there are none
    """
    found = list(relevant(s.scenario, figure)) if s.scenario.measurements else []
    if not found:
        return spread
    key, prefix = KEYS[figure], f"own.{figure.value}"
    unit = Unit.SECOND if figure is Measured.FIRST_TOKEN else Unit.TOKEN_PER_SECOND
    pulls, weights = [], []
    for one in found:
        at = f"{prefix}.{one.number}"
        origin = Origin(OriginKind.CHOICE, one.measurement.title, date=one.measurement.date, confidence="yours")
        trace.given(f"{at}.measured", one.measurement.value, unit, origin)
        predicted = predict(conditions(s.scenario, one.measurement), s.setup.catalogue)[key]
        trace.given(f"{at}.predicted", float(predicted), unit, PREDICTED)
        _record_noise(trace, at, one, figure)
        weights.append(f"{at}.weight")
        trace.compute(weights[-1], own.weight, noise=f"{at}.noise")
        pulls.append(f"{at}.pull")
        pair = {"measured": f"{at}.measured", "predicted": f"{at}.predicted"}
        trace.compute(pulls[-1], own.pull, weight=weights[-1], **pair)
    trace.compute(f"{prefix}.factor", own.correction, pulls=pulls, weights=weights, spread=spread)
    for name, noise in zip(("alone", "batched"), NOISE[figure], strict=True):
        trace.given(f"{prefix}.noise.{name}", noise, Unit.RATIO, METHOD)
    trace.compute(
        f"{prefix}.noise",
        spread_under_load,
        alone=f"{prefix}.noise.alone",
        loaded=f"{prefix}.noise.batched",
        batch="requests_at_once",
    )
    trace.compute(
        f"spread.own.{figure.value}", own.narrowed_spread, weights=weights, spread=spread, noise=f"{prefix}.noise"
    )
    trace.move(key, f"{key}.predicted")
    if figure is Measured.FIRST_TOKEN:
        trace.compute(key, own.corrected_time, seconds=f"{key}.predicted", factor=f"{prefix}.factor", least=limit)
    else:
        trace.compute(key, own.corrected_speed, speed=f"{key}.predicted", factor=f"{prefix}.factor", most=limit)
    return f"spread.own.{figure.value}"
