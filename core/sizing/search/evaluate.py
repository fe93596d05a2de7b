"""One candidate sized in full: the figures that decide, by the very formulas of `size()`."""

from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.memory import record_memory, verdict
from core.sizing.report import Verdict
from core.sizing.search.candidates import Candidate, scenario_of
from core.sizing.search.request import SearchRequest
from core.sizing.search.supply import Supply, supply
from core.sizing.situation import resolve
from core.sizing.speed import speed_figures
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What decides about a candidate.

    requests_that_fit    at the context limit; `requests_asked` includes the reserve
    shortfall_bytes      what is missing on the fullest accelerator [byte]
    speed, ttft          at P10, P50 and P90 [token/s], [s]; None where the work does not fit
    throughput           of all users together [token/s]
    joules_per_token     power over throughput [J]; None where either is not known
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

    @property
    def holds(self) -> bool:
        """Does memory hold the work, the reserve included?"""
        return self.verdict is not Verdict.DOES_NOT_FIT and self.requests_that_fit >= self.requests_asked

    @property
    def joules_per_token(self) -> float | None:
        if self.supply.power_w is None or not self.throughput:
            return None
        return self.supply.power_w / self.throughput

    def speed_at(self, percentile: int) -> float:
        """Speed of one user that so many of a hundred cases reach [token/s]."""
        return self.speed[0 if percentile == 90 else 1] if self.speed else 0.0

    def ttft_at(self, percentile: int) -> float:
        """First token within this time in so many of a hundred cases [s]."""
        return self.ttft[2 if percentile == 90 else 1] if self.ttft else float("inf")


def evaluate(request: SearchRequest, candidate: Candidate, catalogue: Catalogue) -> Evaluation:
    """Size one candidate; speed only where memory holds the work.

    Parameters
    ----------
    request : with the need
    candidate : what is tried
    catalogue : what exists

    Returns
    -------
    the figures; the same that `size()` gives for the candidate's scenario
    """
    scenario = scenario_of(request.scenario, candidate)
    situation, trace = resolve(scenario, catalogue), Trace()
    record_memory(trace, situation)
    found = Evaluation(
        candidate,
        scenario,
        supply(candidate.layout.device, candidate.units),
        verdict(trace),
        int(trace["max_concurrency"]),
        int(trace["requests_with_reserve"]),
        int(trace["accelerator.shortfall_bytes"]),
    )
    if not found.holds:
        return found
    speed = speed_figures(trace, situation)
    if speed.decode is None or speed.ttft is None or speed.throughput is None:
        return found
    return Evaluation(
        found.candidate,
        scenario,
        found.supply,
        found.verdict,
        found.requests_that_fit,
        found.requests_asked,
        found.shortfall_bytes,
        (speed.decode.p10, speed.decode.p50, speed.decode.p90),
        (speed.ttft.p10, speed.ttft.p50, speed.ttft.p90),
        speed.throughput.p50,
    )


def meets(request: SearchRequest, found: Evaluation) -> bool:
    """Does it hold the work and reach the targets, in the share of cases that was asked for?"""
    return found.holds and fast_enough(request, found) and soon_enough(request, found)


def fast_enough(request: SearchRequest, found: Evaluation) -> bool:
    target = request.scenario.workload.speed_target
    return target is None or found.speed_at(request.percentile) >= target


def soon_enough(request: SearchRequest, found: Evaluation) -> bool:
    target = request.scenario.workload.ttft_target_s
    return target is None or found.ttft_at(request.percentile) <= target
