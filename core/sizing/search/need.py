"""How much the client's work is, whatever the hardware: what a search divides costs by."""

from dataclasses import dataclass
from functools import lru_cache

from core.catalogue.facts import Facts
from core.scenario import Workload
from core.sizing.demand import record_volume
from core.trace import Trace
from core.units import Unit


@dataclass(frozen=True, slots=True)
class Need:
    """The demand of a workload.

    prompt, output   tokens of a request
    requests         of a year; None where nobody has said how many users there are
    tokens           of a year [million]; None likewise
    """

    prompt: float
    output: float
    requests: float | None
    tokens: float | None


@lru_cache(maxsize=16)
def need_of(workload: Workload, prompt: float, facts: Facts) -> Need:
    """The demand of a workload.

    Parameters
    ----------
    workload : what the users do
    prompt : tokens of a prompt, also where the workload leaves it open
    facts : where open figures come from

    Returns
    -------
    the demand
    """
    trace = Trace()
    trace.given("workload.users", workload.users, Unit.USER)
    trace.given("workload.active_share", workload.active_share, Unit.SHARE)
    trace.given("workload.prompt_tokens", prompt, Unit.TOKEN)
    trace.given("workload.output_tokens", workload.output_tokens, Unit.TOKEN)
    known = record_volume(trace, workload, facts)
    requests, tokens = trace.get("demand.requests_per_year"), trace.get("demand.tokens_per_year")
    return Need(prompt, float(workload.output_tokens), requests if known else None, tokens if known else None)
