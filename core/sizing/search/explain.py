"""Why an answer is one: three reasons with their numbers, what speaks against it, and what the next one lacks.

Reasons are read from the full sizing of the answer, so every number in them is a figure that can be explained.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.sizing.concurrency import Capacity, capacity
from core.sizing.rates import exchange_link, hop_link
from core.sizing.report import Evidence, FindingKind, Sizing, Verdict
from core.sizing.resolution import resolve
from core.sizing.search.evaluate import evaluate
from core.sizing.search.hardware import failure
from core.sizing.search.rank import metric, price, speed_of
from core.sizing.search.report import Answer, HardwareFound, RuledOut
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.search.safety import Safe, degrees_of_safety
from core.sizing.situation import Setup
from core.sizing.size import size


class ReasonKind(StrEnum):
    """A sentence of `core.language.search_sentences`."""

    # for
    ONE_ACCELERATOR = "one_accelerator"
    COPIES = "copies"
    SPLIT = "split"
    EXPERTS = "experts"
    STAGES = "stages"
    SPEED = "speed"
    SPEED_WITH_TARGET = "speed_with_target"
    ROOM = "room"
    ROOM_WITH_RESERVE = "room_with_reserve"
    # against
    EXCHANGE = "exchange"
    SECOND_MEMORY = "second_memory"
    LITTLE_ROOM = "little_room"
    NOT_PUBLISHED = "not_published"
    PRICE_RANGE = "price_range"
    SERVER_NOISE = "server_noise"
    GENERIC = "generic"
    MANY_DEVICES = "many_devices"
    POWER = "power"
    # against the runner-up
    COSTS_MORE = "costs_more"
    COSTS_MORE_PER_MILLION = "costs_more_per_million"
    COSTS_MORE_PER_YEAR = "costs_more_per_year"
    SLOWER = "slower"
    MORE_ENERGY = "more_energy"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: its kind, the numbers of its sentence by name, and names that are no numbers."""

    kind: ReasonKind
    figures: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for an answer, against it, and for it against the runner-up.

    capacity   how many requests and users it carries within the targets, and which wall is hit first
    safety     what the work takes so that a copy, or a site, may fail
    """

    sizing: Sizing
    reasons: tuple[Reason, ...]
    against: tuple[Reason, ...]
    before_runner_up: Reason | None
    capacity: Capacity | None = None
    safety: tuple[Safe, ...] = ()


#: Many machines are many things that break.
MANY = 8
#: A link takes a share of the step that is worth a word from here on.
WORTH_A_WORD = 0.1
WIDE_PRICE = 1.5
MUCH_POWER_W = 1500.0


def explain(found: HardwareFound, answer: Answer, catalogue: Catalogue) -> Explanation:
    """Why this answer, in numbers.

    Parameters
    ----------
    found : the search
    answer : one of its answers
    catalogue : what was searched

    Returns
    -------
    three reasons for it, up to three against, the one that puts it before the next, and how far it goes
    """
    sizing = size(answer.scenario, catalogue)
    carries = capacity(sizing, catalogue)
    link = _link_name(resolve(answer.scenario, catalogue).setup)
    reasons = (_topology(sizing, link), _speed(found.request, sizing, answer), _room(sizing))
    weights = catalogue.weight_format(answer.scenario.weights).name
    against = tuple(_against(answer, sizing, link, weights))[:3]
    safety = degrees_of_safety(answer, carries, found.request.scenario, catalogue) if carries is not None else ()
    return Explanation(sizing, reasons, against, _before_next(found, answer), carries, safety)


def _link_name(s: Setup) -> str:
    link = exchange_link(s) if s.plan.stage_ranks > 1 else hop_link(s)
    return link.name if link is not None else ""


def _topology(sizing: Sizing, link: str) -> Reason:
    """What crosses a link, and how much of the step that takes."""
    plan, trace = sizing.plan, sizing.trace
    if plan.ranks == 1:
        return Reason(ReasonKind.ONE_ACCELERATOR, {"companions": len(sizing.scenario.companions)})
    if plan.ranks == plan.replicas:
        return Reason(ReasonKind.COPIES, {"copies": plan.replicas})
    if plan.spreads_experts:
        share = trace["decode_step_s.link"] / trace["decode_step_s"]
        return Reason(ReasonKind.EXPERTS, {"ranks": plan.stage_ranks, "share": share}, {"link": link})
    if plan.tensor > 1:
        figures = {"ranks": plan.tensor, "stages": plan.pipeline, "share": trace["all_reduce_share"]}
        return Reason(ReasonKind.SPLIT, figures, {"link": link})
    share = trace["decode_step_s.link"] / trace["decode_step_s"]
    return Reason(ReasonKind.STAGES, {"stages": plan.pipeline, "share": share}, {"link": link})


def _speed(request: SearchRequest, sizing: Sizing, answer: Answer) -> Reason:
    """Bandwidth, and the speed that follows, beside what was asked for."""
    work = sizing.scenario.workload
    figures = {
        "bandwidth": sizing.trace["memory_bandwidth_bytes_per_s"],
        "speed": answer.evaluation.speed_at(request.scenario.workload.target_percentile),
        "target": work.speed_target,
    }
    return Reason(ReasonKind.SPEED if work.speed_target is None else ReasonKind.SPEED_WITH_TARGET, figures)


def _room(sizing: Sizing) -> Reason:
    """Requests that fit beside those that are needed, and the cache in the room there is for it."""
    trace = sizing.trace
    figures = {
        "cache": trace["memory_item.kv_cache"] + trace["memory_item.state"],
        "room": trace["memory.free_for_kv_bytes"],
        "requests": trace["max_concurrency"],
        "needed": trace["requests_with_reserve"],
        "reserve": sizing.scenario.workload.reserve_share,
    }
    return Reason(ReasonKind.ROOM_WITH_RESERVE if figures["reserve"] else ReasonKind.ROOM, figures)


def _against(answer: Answer, sizing: Sizing, link: str, weights: str) -> Iterator[Reason]:
    trace, facts, candidate = sizing.trace, answer.evaluation.supply, answer.evaluation.candidate
    kinds = {finding.kind for finding in sizing.findings}
    if sizing.plan.tensor > 1 and trace["all_reduce_share"] >= WORTH_A_WORD:
        yield Reason(ReasonKind.EXCHANGE, {"share": trace["all_reduce_share"]}, {"link": link})
    if FindingKind.SECOND_TIER in kinds:
        spilled = trace["spill.weights_bytes"] + trace["spill.kv_bytes"]
        rate = trace["tier.1.bandwidth_bytes_per_s"]
        yield Reason(ReasonKind.SECOND_MEMORY, {"spilled": spilled, "rate": rate})
    if sizing.verdict is Verdict.CLOSE:
        yield Reason(ReasonKind.LITTLE_ROOM, {"free": trace["memory.free_bytes"]})
    if not candidate.variant.published:
        yield Reason(ReasonKind.NOT_PUBLISHED, names={"weights": weights})
    if candidate.units >= MANY:
        yield Reason(ReasonKind.MANY_DEVICES, {"units": candidate.units})
    if facts.noise_is_least:
        yield Reason(ReasonKind.SERVER_NOISE, {"noise": facts.noise_dba})
    if facts.price_low and facts.price_high and facts.price_high >= WIDE_PRICE * float(facts.price_low):
        quotes = {"low": facts.price_low, "high": facts.price_high}
        yield Reason(ReasonKind.PRICE_RANGE, quotes, {"currency": facts.currency})
    if sizing.decode is not None and sizing.decode.evidence is Evidence.GENERIC:
        yield Reason(ReasonKind.GENERIC, {"low": sizing.decode.p10, "high": sizing.decode.p90})
    if facts.power_w is not None and facts.power_w >= MUCH_POWER_W:
        yield Reason(ReasonKind.POWER, {"power": facts.power_w})


def _before_next(found: HardwareFound, answer: Answer) -> Reason | None:
    """What the next answer of another device has less of."""
    after = found.answers[found.answers.index(answer) + 1 :] if answer in found.answers else ()
    other = next((one for one in after if one.kind.device is not answer.kind.device), None)
    if other is None:
        return None
    ranking, ours, theirs = found.request.ranking, answer.evaluation, other.evaluation
    names = {
        "device": other.kind.device.called,
        "currency": ours.supply.currency,
    }
    figures: dict[str, Any] = {"units": other.kind.units}
    if metric(ranking, ours) == metric(ranking, theirs):
        if speed_of(theirs) < speed_of(ours):
            figures |= {"ours": speed_of(ours), "theirs": speed_of(theirs)}
            return Reason(ReasonKind.SLOWER, figures, names)
        return Reason(ReasonKind.EQUAL, figures, names)
    if ranking is Ranking.SPEED:
        figures |= {"ours": speed_of(ours), "theirs": speed_of(theirs)}
        return Reason(ReasonKind.SLOWER, figures, names)
    if ranking is Ranking.ENERGY:
        figures |= {"ours": ours.joules_per_token, "theirs": theirs.joules_per_token}
        return Reason(ReasonKind.MORE_ENERGY, figures, names)
    if ranking is Ranking.COST:
        by_token = ours.per_million is not None
        kind = ReasonKind.COSTS_MORE_PER_MILLION if by_token else ReasonKind.COSTS_MORE_PER_YEAR
        first, second = (one.per_million if by_token else one.yearly for one in (ours, theirs))
        return Reason(kind, figures | {"ours": first, "theirs": second}, names)
    figures |= {"ours": price(ours), "theirs": price(theirs)}
    return Reason(ReasonKind.COSTS_MORE, figures, names)


def sized_miss(request: SearchRequest, miss: RuledOut, catalogue: Catalogue) -> RuledOut:
    """What rules hardware out, by the full sizing of its nearest candidate in place of a bound.

    Parameters
    ----------
    request : the search
    miss : as a search returned it
    catalogue : what was searched

    Returns
    -------
    the same hardware with the number that it really reaches
    """
    if not miss.at_best or miss.candidate is None:
        return miss
    found = evaluate(request, miss.candidate, catalogue)
    return failure(request, miss.kind, found)
