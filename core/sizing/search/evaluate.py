"""One candidate sized in full: the figures that decide, by the very formulas of `size()`."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.physics import capacity as c
from core.physics import demand as d
from core.physics import economics as e
from core.physics.energy import (
    energy_cost,
    energy_per_million,
    energy_per_million_full,
    energy_per_year,
    joules_per_token,
)
from core.scenario import Scenario
from core.sizing.costs.bought import MOSTLY
from core.sizing.memory import record_memory, verdict
from core.sizing.report import Verdict
from core.sizing.resolution import resolve
from core.sizing.search.candidates import Candidate, scenario_of
from core.sizing.search.failure import with_a_failure
from core.sizing.search.need import Need, need_of
from core.sizing.search.request import SearchRequest
from core.sizing.search.supply import Supply, supply_of
from core.sizing.speed import speed_figures
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What decides about a candidate.

    requests_that_fit    at the context limit; `requests_asked` includes the reserve
    shortfall_bytes      what is missing on the fullest accelerator [byte]
    speed, ttft          at P10, P50 and P90 [token/s], [s]; None where the work does not fit
    throughput           of all users together [token/s]
    saturated            of all users together when there are always more requests than fit [token/s]
    yearly               cost of a year; without electricity where its price is not known, and of a year of waiting
                         where nobody has said how many users there are
    per_million          of that, for a million tokens of the client's own demand
    energy_per_million   of the client's own demand, or where it is not known at full load [kWh]
    """

    candidate: Candidate
    scenario: Scenario
    supply: Supply
    verdict: Verdict
    requests_that_fit: int
    requests_asked: int
    shortfall_bytes: int
    speed: tuple[float, float, float] | None = None
    ttft: tuple[float, float, float] | None = None
    throughput: float | None = None
    saturated: float | None = None
    yearly: Decimal | None = None
    per_million: Decimal | None = None
    energy_per_million: float | None = None

    @property
    def holds(self) -> bool:
        """Does memory hold the work, the reserve included?"""
        return self.verdict is not Verdict.DOES_NOT_FIT and self.requests_that_fit >= self.requests_asked

    @property
    def joules_per_token(self) -> float | None:
        """Of energy, where a million tokens take so many kilowatt-hours."""
        return None if self.energy_per_million is None else 3.6 * self.energy_per_million

    def speed_at(self, certainty: float) -> float:
        """Speed of one user that this share of cases reaches [token/s]."""
        if self.speed is None:
            return 0.0
        return c.speed_with_certainty(self.speed[1], self.speed[0], c.deviations_of(certainty))

    def ttft_at(self, certainty: float) -> float:
        """First token within this time in this share of cases [s]."""
        if self.ttft is None:
            return float("inf")
        return c.seconds_with_certainty(self.ttft[1], self.ttft[2], c.deviations_of(certainty))


def evaluate(request: SearchRequest, candidate: Candidate, catalogue: Catalogue) -> Evaluation:
    """Size one candidate; speed only where memory holds the work.

    Parameters
    ----------
    request : with the need
    candidate : what is tried
    catalogue : what exists

    Returns
    -------
    the figures; the same that `size()` and `cost()` give for the candidate's scenario
    """
    scenario = scenario_of(request.need, candidate)
    situation, trace = resolve(with_a_failure(scenario, request.redundancy, candidate), catalogue), Trace()
    record_memory(trace, situation)
    found = Evaluation(
        candidate,
        scenario,
        supply_of(request.need, candidate.layout, candidate.variant.apart, catalogue),
        verdict(trace),
        int(trace["max_concurrency"]),
        int(trace["requests_with_reserve"]),
        int(trace["accelerator.shortfall_bytes"]),
    )
    if not found.holds:
        return found
    speed = speed_figures(trace, situation)
    need = need_of(request.scenario.workload, trace["workload.prompt_tokens"], catalogue.facts)
    if speed.decode is None or speed.ttft is None or speed.throughput is None:
        return found
    return replace(
        found,
        speed=(speed.decode.p10, speed.decode.p50, speed.decode.p90),
        ttft=(speed.ttft.p10, speed.ttft.p50, speed.ttft.p90),
        throughput=speed.throughput.p50,
        saturated=float(trace["saturated_tok_s_total"]),
        **_running(trace, need, found.supply),
    )


def _running(trace: Trace, need: Need, facts: Supply) -> dict[str, Any]:
    """What the year costs, and what a million tokens cost and take of energy."""
    seconds = d.busy_seconds(trace["workload.output_tokens"], trace["saturated_tok_s_total"])
    watts = facts.reading_w if trace["saturated.prompt_share"] > MOSTLY else facts.busy_w
    yearly, energy = facts.standing, None
    if facts.idle_w is not None and watts is not None:
        share = 0.0 if need.requests is None else d.busy_share(need.requests, seconds)
        energy = energy_per_year(facts.idle_w, watts, share, facts.pue)
    if yearly is not None and facts.tariff is not None:
        yearly = None if energy is None else yearly + energy_cost(energy, facts.tariff)
    per_million = None if yearly is None or need.tokens is None else e.per_million(yearly, need.tokens)
    if energy is None or watts is None:
        taken = None
    elif need.tokens is not None:
        taken = energy_per_million(energy, need.tokens)
    else:
        speed = d.tokens_while_busy(need.prompt, need.output, seconds)
        taken = energy_per_million_full(joules_per_token(watts, facts.pue, speed))
    return {"yearly": yearly, "per_million": per_million, "energy_per_million": taken}


def meets(request: SearchRequest, found: Evaluation) -> bool:
    """Does it hold the work and reach the targets, in the share of cases that was asked for?"""
    return found.holds and fast_enough(request, found) and soon_enough(request, found)


def fast_enough(request: SearchRequest, found: Evaluation) -> bool:
    target = request.scenario.workload.speed_target
    return target is None or found.speed_at(request.scenario.workload.target_percentile) >= target


def soon_enough(request: SearchRequest, found: Evaluation) -> bool:
    target = request.scenario.workload.ttft_target_s
    return target is None or found.ttft_at(request.scenario.workload.target_percentile) <= target
