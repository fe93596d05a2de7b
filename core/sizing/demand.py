"""How many requests the users send: both roads from people to requests at once, side by side, and the load of a year.

Recorded into a copy of a sizing's trace, so that every figure of the demand can be followed back to the sizing and to
what the user said.
"""

from dataclasses import dataclass
from enum import StrEnum

from core.catalogue.facts import Facts
from core.physics import demand as d
from core.physics.memory import requests_at_the_peak, requests_with_reserve
from core.physics.retrieval import retrieval_load
from core.scenario import Workload
from core.sizing.presets import (
    BURST_FACTOR,
    BUSY_HOUR_SHARE,
    DAILY_SHARE,
    DAYS_PER_YEAR,
    ESTIMATE,
    REQUESTS_PER_DAY,
    Taken,
    origin_of,
    rhythm_of,
)
from core.sizing.report import Sizing
from core.trace import CHOICE, Trace
from core.units import Unit

#: In this share of busy minutes no more requests are under way than the design counts with.
DESIGN_SHARE = 0.99
#: The busiest minute may take this share of the system; beyond it the queue grows out of hand.
MOST_LOAD = 0.7


class Road(StrEnum):
    """How the requests at once of a sizing were found."""

    GIVEN = "given"  # typed in
    SHARE = "share"  # a share of the users at the peak


@dataclass(frozen=True, slots=True)
class DemandAnswer:
    """Requests at once by both roads, and how busy they keep the system; the keys are in the trace.

    by_share    "demand.by_share": users times the share active at the peak
    by_little   "demand.by_little": Little's law, not exceeded in 99 of 100 busy minutes
    in_flight   "demand.in_flight": its mean
    load        "demand.load_share": of the system in the busiest minute
    queue       "demand.queue_seconds": wait in front of it then [s]
    busy        "demand.busy_share": of the year
    sized_by    which road the sizing took
    """

    by_share: int
    by_little: int
    in_flight: float
    load: float
    queue: float
    busy: float
    sized_by: Road


def knows_users(workload: Workload) -> bool:
    """Has the user said how many people there are? One user beside a number of requests means: not said."""
    return workload.requests_at_once is None or workload.users > 1


def record_rhythm(trace: Trace, workload: Workload, facts: Facts) -> None:
    """Record how often one person asks, and when: what does not depend on the number of people."""
    _taken(trace, facts, workload, "daily_share", DAILY_SHARE, Unit.SHARE)
    _taken(trace, facts, workload, "requests_per_day", REQUESTS_PER_DAY, Unit.REQUEST)
    _taken(trace, facts, workload, "days_per_year", DAYS_PER_YEAR, Unit.COUNT)
    _taken(trace, facts, workload, "busy_hour_share", BUSY_HOUR_SHARE, Unit.SHARE)
    _taken(trace, facts, workload, "burst_factor", BURST_FACTOR, Unit.RATIO)
    trace.compute(
        "demand.requests_per_hour",
        d.requests_per_hour,
        per_day="demand.requests_per_day",
        busy_share="demand.busy_hour_share",
    )
    trace.given("demand.design_share", DESIGN_SHARE, Unit.SHARE, ESTIMATE)
    trace.given("demand.most_load", MOST_LOAD, Unit.SHARE, ESTIMATE)


def _taken(trace: Trace, facts: Facts, workload: Workload, name: str, usual: Taken, unit: Unit) -> None:
    """A figure of the user's, with its source where it is still the one of the preset; else the usual one."""
    said, preset = getattr(workload.demand, name), rhythm_of(workload.use).get(name)
    if said is None:
        trace.given(f"demand.{name}", usual.value, unit, origin_of(usual, facts))
    elif preset is not None and preset.value == said:
        trace.given(f"demand.{name}", said, unit, origin_of(preset, facts))
    else:
        trace.given(f"demand.{name}", said, unit, CHOICE)


def record_service(trace: Trace, workload: Workload) -> None:
    """Record how long a request takes, for its user and of the whole system.

    Users are promised the targets, where there are any; else the sizing's own speed counts.
    """
    first, speed = "ttft_s", "decode_tok_s"
    if workload.ttft_target_s is not None:
        first = "workload.ttft_target_s"
        trace.given(first, workload.ttft_target_s, Unit.SECOND)
    if workload.speed_target is not None:
        speed = "workload.speed_target"
        trace.given(speed, workload.speed_target, Unit.TOKEN_PER_SECOND)
    trace.compute(
        "demand.seconds_in_system", d.seconds_in_system, first_token=first, output="workload.output_tokens", speed=speed
    )
    trace.compute("demand.busy_seconds", d.busy_seconds, output="workload.output_tokens", speed="saturated_tok_s_total")


def demand_of(sizing: Sizing, facts: Facts) -> tuple[DemandAnswer | None, Trace]:
    """The demand of a sizing's users by both roads, and the trace with its figures.

    Parameters
    ----------
    sizing : whose speeds and workload hold
    facts : where open figures come from

    Returns
    -------
    the answer, None where the speed or the number of users is not known; the sizing's trace with what was found
    """
    trace, workload = sizing.trace.copy(), sizing.scenario.workload
    if sizing.speed_unknown:
        record_volume(trace, workload, facts)
        return None, trace
    record_service(trace, workload)
    return record_demand(trace, workload, facts), trace


def record_demand(trace: Trace, workload: Workload, facts: Facts) -> DemandAnswer | None:
    """Record the demand of all users; None where nobody has said how many there are.

    Parameters
    ----------
    trace : holds "workload.users", "demand.seconds_in_system" and "demand.busy_seconds"; receives the demand
    workload : what the users do
    facts : where open figures come from

    Returns
    -------
    the answer
    """
    if not record_volume(trace, workload, facts):
        return None
    _record_in_flight(trace)
    _record_load(trace)
    return DemandAnswer(
        by_share=int(trace["demand.by_share"]),
        by_little=int(trace["demand.by_little"]),
        in_flight=float(trace["demand.in_flight"]),
        load=float(trace["demand.load_share"]),
        queue=float(trace["demand.queue_seconds"]),
        busy=float(trace["demand.busy_share"]),
        sized_by=Road.SHARE if workload.requests_at_once is None else Road.GIVEN,
    )


def record_volume(trace: Trace, workload: Workload, facts: Facts) -> bool:
    """Record what the users send, which no speed changes; is their number known?"""
    record_rhythm(trace, workload, facts)
    if not knows_users(workload):
        return False
    trace.compute("demand.by_share", requests_at_the_peak, users="workload.users", active_share="workload.active_share")
    trace.compute("demand.active_users", d.active_users, users="workload.users", share="demand.daily_share")
    trace.compute(
        "demand.requests_per_year",
        d.requests_per_year,
        active="demand.active_users",
        per_day="demand.requests_per_day",
        days="demand.days_per_year",
    )
    trace.compute(
        "demand.peak_rate",
        d.peak_rate,
        active="demand.active_users",
        per_hour="demand.requests_per_hour",
        burst="demand.burst_factor",
    )
    trace.compute(
        "demand.attainable_share",
        d.attainable_share,
        most_load="demand.most_load",
        requests="demand.requests_per_year",
        peak="demand.peak_rate",
    )
    trace.compute(
        "demand.tokens_per_year",
        d.tokens_per_year,
        requests="demand.requests_per_year",
        prompt="workload.prompt_tokens",
        output="workload.output_tokens",
    )
    return True


def _record_in_flight(trace: Trace) -> None:
    """Little's law: the mean, and the number that chance does not exceed in a share of busy minutes."""
    rate = {"rate": "demand.peak_rate", "seconds": "demand.seconds_in_system"}
    trace.compute("demand.in_flight", d.in_flight, **rate)
    people = {"active": "demand.active_users", "share": "demand.design_share"}
    if trace["demand.active_users"] < d.FEW_PEOPLE:
        trace.compute("demand.waiting_probability", d.busy_probability, **rate, active="demand.active_users")
        trace.compute("demand.by_little", d.concurrency_of_few, **people, probability="demand.waiting_probability")
    else:
        trace.compute("demand.by_little", d.concurrency_of_many, **people, mean="demand.in_flight")
    trace.compute(
        "demand.by_little_with_reserve",
        requests_with_reserve,
        requests="demand.by_little",
        reserve_share="workload.reserve_share",
    )


def _record_load(trace: Trace) -> None:
    """How busy the demand keeps the system: in the busiest minute, over the year, and at most."""
    busy = {"seconds": "demand.busy_seconds"}
    trace.compute("demand.load_share", d.load_share, rate="demand.peak_rate", **busy)
    trace.compute("demand.queue_seconds", d.queue_seconds, seconds="demand.busy_seconds", load="demand.load_share")
    trace.compute("demand.busy_share", d.busy_share, requests="demand.requests_per_year", **busy)
    if "retrieval.apart_s" in trace:
        trace.compute(
            "demand.retrieval_load_share", retrieval_load, rate="demand.peak_rate", seconds="retrieval.apart_s"
        )
