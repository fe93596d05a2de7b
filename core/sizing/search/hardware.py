"""Find hardware: the whole catalogue against one need, ranked, each answer proven best of its kind.

Every candidate gets its bounds first (`survey`). What the bounds leave open is sized in full, the most
promising first, and only as long as a bound does not prove that it ranks behind what has been found already. The
result is what sizing every candidate would give, and does not depend on the order of the catalogue.
"""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.sizing.search.evaluate import Evaluation, evaluate, fast_enough, meets, soon_enough
from core.sizing.search.kinds import barred, is_barred, kind_of, lacks_more, missing_facts, unknown_facts
from core.sizing.search.least_times import MARGIN
from core.sizing.search.pareto import best_for_their_price
from core.sizing.search.rank import (
    INFINITE,
    READ_TO_THREE,
    least,
    metric,
    order,
    order_within,
    price,
    read_to_three,
    speed_of,
)
from core.sizing.search.report import Answer, Exclusion, Fact, HardwareFound, Kind, RuledOut
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.search.supply import Supply
from core.sizing.search.survey import SETUPS, Axis, Field, survey


def find_hardware(request: SearchRequest, catalogue: Catalogue, among: Field | None = None) -> HardwareFound:
    """What to buy for a need.

    Parameters
    ----------
    request : the need, the limits, the ranking
    catalogue : what exists
    among : the candidates of a survey, or some of them; None: all

    Returns
    -------
    answers in order, with what was ruled out and why

    Notes
    -----
    Raises what `size` raises for a need that cannot be sized on any hardware.
    """
    return _Search(request, catalogue, among or survey(request, catalogue)).run()


@dataclass(frozen=True, slots=True)
class _Promising:
    """Places of candidates in the field, and what their metric is at least."""

    places: Sequence[int]
    bounds: Sequence[float]


@dataclass(slots=True)
class _Search:
    request: SearchRequest
    catalogue: Catalogue
    considered: Field
    sized: int = 0
    found: list[Answer] = field(default_factory=list)
    lacking: list[Answer] = field(default_factory=list)  # that meet the need only in a way that lacks a fact
    metrics: list[float] = field(default_factory=list)  # of the answers found, the best first
    points: list[tuple[float, float]] = field(default_factory=list)  # their prices and speeds
    best_of_device: dict[str, float] = field(default_factory=dict)  # the best metric among them
    out: list[RuledOut] = field(default_factory=list)
    behind: int = 0
    too_small: dict[tuple[int, ...], float] = field(default_factory=dict)  # memory on which a part of the work failed
    promising: dict[int, "_Promising"] = field(default_factory=dict)

    def run(self) -> HardwareFound:
        self.out.extend(self.considered.without)
        ranked, missing = self._sorted_kinds()
        for bound, number in ranked:
            self._rank(bound, number)
        unknown = self._with_unknown(missing)
        return HardwareFound(
            request=self.request,
            need=self.considered.need,
            answers=self._marked(),
            unknown=tuple(sorted(unknown, key=self._order)),
            ruled_out=tuple(
                sorted(self.out, key=lambda one: (list(Exclusion).index(one.by), one.miss, one.kind.order))
            ),
            behind=self.behind,
            candidates=len(self.considered.layout),
            sized=self.sized,
        )

    def _sorted_kinds(self) -> tuple[list[tuple[float, int]], list[int]]:
        """Kinds to rank, the most promising first, and kinds of which a fact is missing, the smallest first."""
        ranked, missing = [], []
        for number, kind in enumerate(self.considered.kinds):
            start = self.considered.starts[number]
            no = barred(kind, self.request)
            if no is not None:
                self.out.append(no)
            elif not self.considered.open[start]:
                self.out.append(self._nearest(number))
            elif not (promising := self._promising(number)).places and not self._lacking(number).places:
                self.out.append(self._barred_open(number))
            elif unknown_facts(kind, self.request):
                missing.append(number)
            else:
                ranked.append((min(promising.bounds, default=INFINITE), number))
        kinds = self.considered.kinds
        ranked.sort(key=lambda one: (one[0], kinds[one[1]].order))
        missing.sort(key=lambda number: (kinds[number].units, kinds[number].order))
        return ranked, missing

    # ---- kinds that can be ranked

    def _rank(self, bound: float, number: int) -> None:
        kind, promising = self.considered.kinds[number], self._promising(number)
        if promising.places:
            fastest = float(self.considered.speed[list(promising.places)].max())
            if self._cannot_matter(kind, bound, fastest):
                self.behind += 1
                return
        best, unknown = self._best_or_out(number)
        if best is not None and unknown:  # what is known of it does not meet the need; what lacks a price does
            self.lacking.append(Answer(best, kind, unknown=unknown))
        elif best is not None:
            reached = metric(self.request.ranking, best)
            self.found.append(Answer(best, kind))
            insort(self.metrics, reached)
            self.points.append((price(best), speed_of(best)))
            self.best_of_device[kind.device.id] = min(reached, self.best_of_device.get(kind.device.id, INFINITE))

    def _best_or_out(self, number: int) -> tuple[Evaluation | None, frozenset[Fact]]:
        """The best candidate of a kind with the facts that are missing of it; ways that lack more come last."""
        best, closest = self._best_of(self._promising(number))
        if best is None:
            best, failed = self._best_of(self._lacking(number))
            closest = [*closest, *failed]
        if best is None:
            self.out.append(self._ruled_out(self.considered.kinds[number], closest))
            return None, frozenset()
        return best, missing_facts(best.supply, self.request)

    def _cannot_matter(self, kind: Kind, bound: float, fastest: float) -> bool:
        """Is it proven that a kind is not among the first, nor the best of its device, nor the best for its price?"""
        costs = _price(kind)
        if bisect_left(self.metrics, bound) < self.request.most_answers:
            return False
        if self.best_of_device.get(kind.device.id, INFINITE) >= bound:
            return False
        return costs == INFINITE or any(paid <= costs and speed > fastest for paid, speed in self.points)

    def _best_of(self, promising: "_Promising") -> tuple[Evaluation | None, list[Evaluation]]:
        """The best candidate of a kind that meets the need; and the candidates that do not."""
        ranking, speeds = self.request.ranking, self.considered.speed
        best: Evaluation | None = None
        reached, failed = INFINITE, list[Evaluation]()
        for at, bound in zip(promising.places, promising.bounds, strict=True):
            if best is not None:
                if bound > reached:
                    break
                if bound == reached and speeds[at] < speed_of(best):
                    continue
            if failed and self._fails_again(at):
                continue
            found = self._evaluated(at)
            if not meets(self.request, found):
                failed.append(found)
            elif best is None or order_within(ranking, found) < order_within(ranking, best):
                best, reached = found, metric(ranking, found)
        return best, failed

    def _promising(self, number: int) -> "_Promising":
        """The open candidates of a kind that the limits allow, the most promising first, each with its least metric."""
        if number not in self.promising:
            self.promising[number] = self._found_promising(number)
        return self.promising[number]

    def _lacking(self, number: int) -> "_Promising":
        """The same of the ways to buy a kind of which a fact is missing that is known of others."""
        return self._found_promising(number, lacking=True)

    def _found_promising(self, number: int, lacking: bool = False) -> "_Promising":
        field, start, end = self.considered, self.considered.starts[number], self.considered.starts[number + 1]
        kind, end = field.kinds[number], start + int(field.open[start:end].sum())  # the open ones stand first
        ways = {
            SETUPS.index(way): facts
            for way, facts in kind.supplies.items()
            if lacks_more(kind, facts, self.request) is lacking and not is_barred(kind, facts, self.request)
        }
        if not ways:
            return _Promising((), ())
        if len(ways) == len(kind.supplies) == 1:
            return self._in_one_way(start, end, next(iter(ways.values())))
        return self._in_several_ways(start, end, ways)

    def _in_one_way(self, start: int, end: int, facts: Supply) -> "_Promising":
        """Where all are bought alike they often differ in nothing but speed, by which they are sorted already."""
        lowest = self._least(slice(start, end), facts)
        first, last = self._compared(float(lowest.min())), self._compared(float(lowest.max()))
        if first == last:
            return _Promising(range(start, end), [first] * (end - start))
        if self.request.ranking is Ranking.SPEED:
            return _Promising(range(start, end), lowest.tolist())
        return self._sorted(range(start, end), lowest)

    def _in_several_ways(self, start: int, end: int, ways: Mapping[int, Supply]) -> "_Promising":
        import numpy as np

        here, setup = np.arange(start, end), self.considered.setup[start:end]
        lowest, allowed = np.full(end - start, INFINITE), np.isin(setup, list(ways))
        for way, facts in ways.items():
            lowest[setup == way] = self._least(here[setup == way], facts)
        return self._sorted(here[allowed], lowest[allowed])

    def _least(self, at: Any, facts: Supply) -> Axis:
        """The least metric of candidates that are bought in one way."""
        field = self.considered
        return least(self.request.ranking, field.need, facts, field.speed[at], field.saturated[at])

    def _compared(self, lowest: float) -> float:
        """A least metric as it is compared."""
        return read_to_three(lowest * (1 - MARGIN)) if self.request.ranking in READ_TO_THREE else lowest

    def _sorted(self, places: Any, lowest: Axis) -> "_Promising":
        """The most promising first; of equal ones the fastest."""
        import numpy as np

        here, bounds = np.asarray(places), np.array([self._compared(one) for one in lowest.tolist()])
        by = np.lexsort((-self.considered.speed[here], bounds))
        return _Promising(here[by].tolist(), bounds[by].tolist())

    def _barred_open(self, number: int) -> RuledOut:
        """What the limits rule out the ways to buy a kind by that its open candidates need."""
        field, start, end = self.considered, self.considered.starts[number], self.considered.starts[number + 1]
        kind = field.kinds[number]
        ways = {SETUPS[way] for way in field.setup[start:end][field.open[start:end]].tolist()}
        only = kind_of(kind.device, kind.units, {way: kind.supplies[way] for way in sorted(ways)})
        no = barred(only, self.request)
        return no or RuledOut(only, Exclusion.BUDGET)

    def _evaluated(self, at: int) -> Evaluation:
        self.sized += 1
        found = evaluate(self.request, self.considered.candidate(at), self.catalogue)
        if not found.holds:
            self.too_small[self._part(at)] = max(
                self.too_small.get(self._part(at), 0.0), float(self.considered.most_bytes[at])
            )
        return found

    def _part(self, at: int) -> tuple[int, ...]:
        """What decides how much an accelerator must hold, whatever accelerator it is."""
        layout = self.considered.layouts[self.considered.layout[at]]
        plan, tiers = layout.plan, len(layout.device.memory_tiers)
        return int(self.considered.variant[at]), plan.tensor, plan.pipeline, plan.replicas, tiers

    def _fails_again(self, at: int) -> bool:
        """Did the same part of the work fail on an accelerator that may use as much memory or more?"""
        return bool(self.considered.most_bytes[at] <= self.too_small.get(self._part(at), -1.0))

    # ---- kinds of which a fact is missing

    def _with_unknown(self, missing: Sequence[int]) -> list[Answer]:
        """The smallest number of each device that meets what is known about it."""
        answers: dict[str, Answer] = {}
        for number in missing:
            kind = self.considered.kinds[number]
            if kind.device.id in answers:
                self.behind += 1
                continue
            best, unknown = self._best_or_out(number)
            if best is not None:
                answers[kind.device.id] = Answer(best, kind, best_of_device=True, unknown=unknown)
        for answer in sorted(self.lacking, key=lambda one: one.kind.units):
            if answer.kind.device.id in answers:
                self.behind += 1
            else:
                answers[answer.kind.device.id] = replace(answer, best_of_device=True)
        return list(answers.values())

    # ---- what the answers are to one another

    def _order(self, answer: Answer) -> tuple[object, ...]:
        return order(self.request, answer.kind, answer.evaluation)

    def _marked(self) -> tuple[Answer, ...]:
        """Answers in order: the first ones, the best of each device, and every best speed for its price."""
        ranked = sorted(self.found, key=self._order)
        points = [(price(a.evaluation), speed_of(a.evaluation)) for a in ranked]
        marks, seen, kept = best_for_their_price(points), set(), []
        for place, (answer, mark) in enumerate(zip(ranked, marks, strict=True)):
            first = answer.kind.device.id not in seen
            seen.add(answer.kind.device.id)
            if mark or first or place < self.request.most_answers:
                kept.append(replace(answer, best_for_its_price=mark, best_of_device=first))
            else:
                self.behind += 1
        return tuple(kept)

    # ---- what rules a kind out

    def _nearest(self, number: int) -> RuledOut:
        """What bounds rule out a kind by: the furthest that any of its candidates gets."""
        here = slice(self.considered.starts[number], self.considered.starts[number + 1])
        kind, start, work = self.considered.kinds[number], here.start, self.request.scenario.workload
        missing = self.considered.least_bytes[here] - self.considered.most_bytes[here]
        holds = missing <= 0
        if not holds.any():
            at = int(missing.argmin())
            asked, reached = float(self.considered.least_bytes[here][at]), float(self.considered.most_bytes[here][at])
            return RuledOut(kind, Exclusion.MEMORY, asked, reached, True, self.considered.candidate(start + at))
        speeds = self.considered.speed[here] * holds
        if work.speed_target is not None and speeds.max() < work.speed_target:
            at = int(speeds.argmax())
            return RuledOut(
                kind, Exclusion.SPEED, work.speed_target, float(speeds[at]), True, self.considered.candidate(start + at)
            )
        fast = holds if work.speed_target is None else holds & (speeds >= work.speed_target)
        waits = self.considered.ttft_if_fast[here] + (~fast) * 1e30
        at = int(waits.argmin())
        asked = work.ttft_target_s or 0.0
        return RuledOut(
            kind, Exclusion.FIRST_TOKEN, asked, float(waits[at]), True, self.considered.candidate(start + at)
        )

    def _ruled_out(self, kind: Kind, failed: Sequence[Evaluation]) -> RuledOut:
        """What rules out a kind whose candidates were sized and failed: the furthest that any of them got."""
        return min(
            (failure(self.request, kind, found) for found in failed),
            key=lambda one: (list(Exclusion).index(one.by), one.miss, one.candidate.order if one.candidate else ()),
        )


def failure(request: SearchRequest, kind: Kind, found: Evaluation) -> RuledOut:
    """What a sized candidate fails by."""
    work, candidate = request.scenario.workload, found.candidate
    if not found.holds:
        if found.shortfall_bytes > 0 or found.requests_that_fit < 1:
            return RuledOut(kind, Exclusion.MEMORY, float(found.shortfall_bytes), 0.0, candidate=candidate)
        asked, reached = float(found.requests_asked), float(found.requests_that_fit)
        return RuledOut(kind, Exclusion.RESERVE, asked, reached, candidate=candidate)
    if not fast_enough(request, found):
        reached = found.speed_at(work.target_percentile)
        return RuledOut(kind, Exclusion.SPEED, work.speed_target or 0.0, reached, candidate=candidate)
    assert not soon_enough(request, found)
    waited = found.ttft_at(work.target_percentile)
    return RuledOut(kind, Exclusion.FIRST_TOKEN, work.ttft_target_s or 0.0, waited, candidate=candidate)


def _price(kind: Kind) -> float:
    return INFINITE if kind.supply.price is None else float(kind.supply.price)
