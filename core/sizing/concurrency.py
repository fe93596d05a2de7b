"""How many requests and users a deployment carries within the targets, what stops it, and what a failure leaves.

Speeds fall and waits grow with every further request at once. The largest number that still meets the targets is found
along the same curves that the charts draw, and the deployment is sized once more with exactly that number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from core.catalogue.catalogue import Catalogue
from core.physics import capacity as c
from core.physics import demand as d
from core.physics.memory import sum_bytes
from core.scenario import Scenario
from core.sizing.curves import Curve, along_concurrency
from core.sizing.demand import DemandAnswer, record_demand, record_service
from core.sizing.report import Limit, Sizing
from core.sizing.size import size
from core.trace import CHOICE, Origin, OriginKind, Trace
from core.units import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Axis = NDArray[Any]

POINTS = 64
KEYS = ("decode_tok_s", "output_tok_s_total", "ttft_s")
BEYOND = 2  # curves go on to so many times what there is room for, where requests queue
#: A wait for a free place that takes this part of the time to first token is its cause.
MOST_OF_IT = 0.5
SEARCH = Origin(OriginKind.METHOD, title="Largest number along the curve of speeds")


class Redundancy(StrEnum):
    """What may fail without anybody noticing."""

    NONE = "none"  # N: a recovery time is stated
    SPARE_REPLICA = "n_plus_1"
    TWO_SITES = "two_sites"


class Wall(StrEnum):
    """What stops a deployment from taking one more request within the targets."""

    MEMORY = "memory"
    BANDWIDTH = "bandwidth"
    COMPUTE = "compute"
    LINK = "link"
    ENGINE = "engine"
    SECOND_TIER = "second_tier"
    PROMPTS = "prompts"  # others' prompts are read in between
    QUEUE = "queue"  # a place has to become free, or the busiest minute fills the system


@dataclass(frozen=True, slots=True)
class Barrier:
    """A wall and the requests at once up to it; `key` is in the trace."""

    wall: Wall
    key: str
    requests: int


@dataclass(frozen=True, slots=True)
class Variant:
    """What the work needs for one degree of safety; None where no number of copies meets the targets."""

    redundancy: Redundancy
    replicas: int | None
    accelerators: int | None
    key: str  # of the accelerators


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a deployment carries within the targets.

    trace             that of the sizing, with the demand and the figures of the capacity
    requests          at once that meet the targets: "capacity.requests"; 0 where one alone does not
    users_by_share    users whose share at the peak that is: "capacity.users_by_share"
    users_by_little   users whose requests stay within it by Little's law: "capacity.users_by_little"
    wall              what is hit first
    barriers          every wall, the first one first
    demand            both roads to requests at once; None where the number of users is not known
    variants          copies and accelerators for the work: N, N + 1, two sites
    tail_fits         is the longest of a hundred requests within the context limit? None where lengths are not known
    at                the sizing with `requests` at once (with one where none meets the targets)
    speed, total, first_token   curves over requests at once
    along             the same three over other numbers of requests
    """

    trace: Trace
    requests: int
    users_by_share: int
    users_by_little: int
    wall: Wall
    barriers: tuple[Barrier, ...]
    demand: DemandAnswer | None
    variants: tuple[Variant, ...]
    tail_fits: bool | None
    at: Sizing
    speed: Curve
    total: Curve
    first_token: Curve
    along: "Callable[[Sequence[float] | Axis], tuple[Curve, ...]]"


def capacity(sizing: Sizing, catalogue: Catalogue) -> Capacity | None:
    """The largest load within the targets of a sizing's scenario, and what it needs to be safe.

    Parameters
    ----------
    sizing : the deployment
    catalogue : what it was sized with

    Returns
    -------
    the capacity; its trace goes on from the sizing's. None where the speed is unknown

    Notes
    -----
    Targets are held with the certainty of `workload.target_percentile`. Without targets memory alone is the wall.
    """
    if sizing.speed_unknown:
        return None
    scenario = with_plan(sizing)
    trace = sizing.trace.copy()
    most = _record_room(trace, "plan.groups" if sizing.plan.attention_replicas > 1 else "plan.replicas")
    search = _Search(scenario, catalogue, float(_record_certainty(trace, scenario)), max(1, most))
    barriers = sorted(
        [*_room_barriers(trace), *_target_barriers(trace, search, most)],
        key=lambda barrier: (barrier.requests, barrier.wall is not Wall.MEMORY),
    )
    requests = int(trace.compute("capacity.requests", c.fewest, walls=[barrier.key for barrier in barriers]))
    at = sized_with(sizing, catalogue, max(1, requests))
    demand = _record_users(trace, at, scenario, catalogue)
    variants = _record_variants(trace, sizing)
    return Capacity(
        trace=trace,
        requests=requests,
        users_by_share=int(trace["capacity.users_by_share"]),
        users_by_little=int(trace["capacity.users_by_little"]),
        wall=barriers[0].wall,
        barriers=tuple(barriers),
        demand=demand,
        variants=variants,
        tail_fits=_record_tail(trace, scenario),
        at=at,
        speed=search.curves[0],
        total=search.curves[1],
        first_token=search.curves[2],
        along=search.along,
    )


def sized_with(sizing: Sizing, catalogue: Catalogue, requests: int) -> Sizing:
    """The same deployment, spread as it is, with another number of requests at once.

    Parameters
    ----------
    sizing : whose scenario and plan are kept
    catalogue : what it was sized with
    requests : at once

    Returns
    -------
    its sizing
    """
    return _sized(with_plan(sizing), catalogue, requests)


def with_plan(sizing: Sizing) -> Scenario:
    """The scenario with the plan that was found for it, so that more requests do not bring another one."""
    deployment = sizing.scenario.deployment.model_copy(update={"plan": sizing.plan})
    return sizing.scenario.model_copy(update={"deployment": deployment})


def _sized(scenario: Scenario, catalogue: Catalogue, requests: int) -> Sizing:
    workload = scenario.workload.model_copy(update={"requests_at_once": requests})
    return size(scenario.model_copy(update={"workload": workload}), catalogue)


# ---- walls of memory and engine


def _record_room(trace: Trace, groups: str) -> int:
    """Record the requests that memory and engine take; return the smaller number.

    `groups` names how many parts each hold the caches of their own requests: copies, or groups of attention in them.
    """
    trace.compute("capacity.longest_bytes", sum_bytes, items=["kv_bytes_per_request", "state_bytes_per_request"])
    trace.compute(
        "capacity.requests.memory",
        c.requests_with_one_long,
        pool="memory.free_for_kv_bytes",
        replicas=groups,
        usual="serving.held_bytes",
        longest="capacity.longest_bytes",
    )
    trace.compute("capacity.requests.engine", c.requests_of_all, replicas=groups, each="engine.slots")
    return int(min(trace["capacity.requests.memory"], trace["capacity.requests.engine"]))


def _room_barriers(trace: Trace) -> tuple[Barrier, ...]:
    keys = {Wall.MEMORY: "capacity.requests.memory", Wall.ENGINE: "capacity.requests.engine"}
    return tuple(Barrier(wall, key, int(trace[key])) for wall, key in keys.items())


# ---- walls of the targets


def _record_certainty(trace: Trace, scenario: Scenario) -> float:
    trace.given("workload.target_percentile", scenario.workload.target_percentile, Unit.SHARE)
    deviations: float = trace.compute("capacity.deviations", c.deviations_of, percentile="workload.target_percentile")
    return deviations


class _Search:
    """The largest number of requests at which a speed or a wait is still good enough."""

    def __init__(self, scenario: Scenario, catalogue: Catalogue, deviations: float, most: int) -> None:
        self.scenario, self.catalogue, self.deviations, self.most = scenario, catalogue, deviations, most
        self.axis = _steps(1, BEYOND * max(most, scenario.workload.requests_at_once or 1))
        self.curves_along = along_concurrency(scenario, catalogue)
        self.curves = self.along(self.axis)

    def along(self, axis: "Sequence[float] | Axis") -> tuple[Curve, ...]:
        return self.curves_along(axis, KEYS)

    def fast_enough(self, target: float) -> int:
        return self._largest(0, lambda curve: curve.p50 * (curve.p10 / curve.p50) ** self.deviations >= target)

    def soon_enough(self, target: float) -> int:
        return self._largest(2, lambda curve: curve.p50 * (curve.p90 / curve.p50) ** self.deviations <= target)

    def _largest(self, which: int, good: "Callable[[Curve], Axis]") -> int:
        """Narrow down to neighbours: the last good number before the first bad one; `most` where none is bad."""
        axis, curve = self.axis, self.curves[which]
        low, high = 0, int(axis[-1]) + 1
        while True:
            passed = good(curve)
            bad = passed.size if passed.all() else int(passed.argmin())
            low = int(axis[bad - 1]) if bad else low
            high = int(axis[bad]) if bad < passed.size else high
            if high - low <= 1 or low >= self.most:
                return min(low, self.most)
            axis = _steps(low + 1, high - 1)
            curve = self.along(axis)[which]


def _steps(low: int, high: int) -> "Axis":
    """Whole numbers from low to high, at most `POINTS` of them, evenly spread on a logarithmic scale."""
    import numpy as np

    axis: Axis = np.unique(np.rint(np.geomspace(low, max(low, high), POINTS))).astype(np.float64)
    return axis


def _target_barriers(trace: Trace, search: _Search, most: int) -> list[Barrier]:
    """Record the requests up to each target that is not met as far as memory reaches."""
    work, found = search.scenario.workload, []
    if work.speed_target is not None and most:
        found.append(("capacity.requests.speed", search.fast_enough(work.speed_target), _wall_of_speed))
    if work.ttft_target_s is not None and most:
        found.append(("capacity.requests.first_token", search.soon_enough(work.ttft_target_s), _wall_of_wait))
    barriers = []
    for key, requests, wall_of in found:
        if requests < most:
            trace.given(key, requests, Unit.REQUEST, SEARCH)
            beyond = _sized(search.scenario, search.catalogue, requests + 1)
            barriers.append(Barrier(wall_of(beyond), key, requests))
    return barriers


def _wall_of_speed(beyond: Sizing) -> Wall:
    """Why one more request makes everybody too slow."""
    return _wall(beyond.decode_limit)


def _wall_of_wait(beyond: Sizing) -> Wall:
    """Why one more request makes the first token too late."""
    if beyond.trace["serving.slot_wait_s"] > MOST_OF_IT * beyond.trace["ttft_s"]:
        return Wall.QUEUE
    return Wall.PROMPTS if beyond.required_requests > 1 else _wall(beyond.prefill_limit)


def _wall(limit: Limit | None) -> Wall:
    """The wall that a bottleneck is."""
    return Wall(limit.value) if limit is not None else Wall.ENGINE


# ---- the longest requests


def _record_tail(trace: Trace, scenario: Scenario) -> bool | None:
    """Record how long the longest of a hundred requests is; does the context limit hold it?"""
    work = scenario.workload
    if work.prompt_tail_tokens is None or work.output_tail_tokens is None:
        return None
    trace.given("workload.prompt_tail_tokens", work.prompt_tail_tokens, Unit.TOKEN)
    trace.given("workload.output_tail_tokens", work.output_tail_tokens, Unit.TOKEN)
    longest = trace.compute(
        "capacity.tail_tokens",
        c.tail_tokens,
        prompt="workload.prompt_tail_tokens",
        output="workload.output_tail_tokens",
    )
    return bool(longest <= work.context_tokens)


# ---- users


def _record_users(trace: Trace, at: Sizing, scenario: Scenario, catalogue: Catalogue) -> DemandAnswer | None:
    """Record the users that the requests at once stand for, by both roads."""
    record_service(trace, scenario.workload)
    demand = record_demand(trace, scenario.workload, catalogue.facts)
    trace.compute(
        "capacity.requests_without_reserve",
        c.requests_without_reserve,
        requests="capacity.requests",
        reserve="workload.reserve_share",
    )
    trace.compute(
        "capacity.users_by_share",
        c.users_by_share,
        requests="capacity.requests_without_reserve",
        share="workload.active_share",
    )
    here = Origin(OriginKind.METHOD, title="Sized with as many requests at once as meet the targets")
    trace.given("capacity.ttft_s", at.trace["ttft_s"], Unit.SECOND, here)
    trace.given("capacity.decode_tok_s", at.trace["decode_tok_s"], Unit.TOKEN_PER_SECOND, here)
    trace.given("capacity.output_tok_s_total", at.trace["output_tok_s_total"], Unit.TOKEN_PER_SECOND, here)
    trace.compute(
        "capacity.seconds_in_system",
        d.seconds_in_system,
        first_token="capacity.ttft_s",
        output="workload.output_tokens",
        speed="capacity.decode_tok_s",
    )
    trace.compute("capacity.users_by_little", c.users_by_little, **_LITTLE)
    return demand


_LITTLE = {
    "requests": "capacity.requests_without_reserve",
    "daily": "demand.daily_share",
    "per_hour": "demand.requests_per_hour",
    "burst": "demand.burst_factor",
    "seconds": "capacity.seconds_in_system",
    "busy": "demand.busy_seconds",
    "load": "demand.most_load",
    "share": "demand.design_share",
}


# ---- what may fail

_SAFETY = {Redundancy.NONE: (0, 1), Redundancy.SPARE_REPLICA: (1, 1), Redundancy.TWO_SITES: (0, 2)}


def _record_variants(trace: Trace, sizing: Sizing) -> tuple[Variant, ...]:
    """Record the copies of the model that the work needs for each degree of safety."""
    for key, of_all in (("requests_of_one", "capacity.requests"), ("room_of_one", "max_concurrency")):
        trace.compute(f"capacity.{key}", c.requests_of_one, requests=of_all, replicas="plan.replicas")
    trace.given("capacity.accelerators_of_one", sizing.plan.copy_ranks, Unit.COUNT, CHOICE)
    return tuple(_variant(trace, redundancy) for redundancy in _SAFETY)


def _variant(trace: Trace, redundancy: Redundancy) -> Variant:
    prefix = f"capacity.{redundancy}"
    if not trace["capacity.requests_of_one"] or not trace["capacity.room_of_one"]:
        return Variant(redundancy, None, None, "")
    spare, sites = _SAFETY[redundancy]
    trace.given(f"{prefix}.spare", spare, Unit.COUNT)
    trace.given(f"{prefix}.sites", sites, Unit.COUNT)
    replicas = trace.compute(
        f"{prefix}.replicas",
        c.replicas_needed,
        requests="requests_at_once",
        each="capacity.requests_of_one",
        grown="requests_with_reserve",
        room="capacity.room_of_one",
        spare=f"{prefix}.spare",
        sites=f"{prefix}.sites",
    )
    accelerators = trace.compute(
        f"{prefix}.accelerators",
        c.accelerators_of,
        replicas=f"{prefix}.replicas",
        each="capacity.accelerators_of_one",
    )
    return Variant(redundancy, replicas, accelerators, f"{prefix}.accelerators")
