"""Find hardware: the whole catalogue against one need, ranked, each answer proven best of its kind.

Every candidate gets its bounds first (`bounds`), all at once. What the bounds leave open is sized in full, the most
promising first, and only as long as a bound does not prove that it ranks behind what has been found already. The
result is what sizing every candidate would give, and does not depend on the order of the catalogue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.sizing.search.bounds import Bounds, bounds
from core.sizing.search.candidates import Candidate, pinned
from core.sizing.search.counted import count
from core.sizing.search.evaluate import Evaluation, evaluate, fast_enough, meets, soon_enough
from core.sizing.search.kinds import barred, is_asked, kind_of, unknown_facts
from core.sizing.search.layouts import Layout, layouts
from core.sizing.search.pareto import best_for_their_price
from core.sizing.search.rank import INFINITE, least, metric, objective, order, order_within, price
from core.sizing.search.rates import rates
from core.sizing.search.report import Answer, Exclusion, HardwareFound, Kind, RuledOut
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.search.shapes import shapes
from core.sizing.search.variants import Variant, variants

Axis = Any  # array, one element a candidate, layout or device


@dataclass(frozen=True, slots=True)
class Field:
    """All candidates of a request with their bounds, sorted by kind and within it by promise.

    starts      where each kind begins; `kinds` names them
    open        which candidates no bound rules out
    without     devices that were asked for and have no candidate, with the reason
    """

    kinds: tuple[Kind, ...]
    starts: tuple[int, ...]
    layouts: tuple[Layout, ...]
    variants: tuple[Variant, ...]
    layout: Axis
    variant: Axis
    least_bytes: Axis
    most_bytes: Axis
    speed: Axis
    throughput: Axis
    ttft: Axis
    open: Axis
    without: tuple[RuledOut, ...] = ()

    def candidate(self, at: int) -> Candidate:
        return Candidate(at, self.layouts[self.layout[at]], self.variants[self.variant[at]])

    def only(self, chosen: Sequence[int]) -> "Field":
        """Some of the candidates, by their places."""
        import numpy as np

        at = np.array(sorted(chosen), dtype=np.int64)
        starts = np.searchsorted(at, np.array(self.starts))
        filled = [n for n in range(len(self.kinds)) if starts[n] < starts[n + 1]]
        columns = ("layout", "variant", "least_bytes", "most_bytes", "speed", "throughput", "ttft", "open")
        return replace(
            self,
            kinds=tuple(self.kinds[n] for n in filled),
            starts=(*(int(starts[n]) for n in filled), len(at)),
            without=(),
            **{name: getattr(self, name)[at] for name in columns},
        )


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


def survey(request: SearchRequest, catalogue: Catalogue) -> Field:
    """All candidates of a request, with their bounds."""
    import numpy as np

    among, shape = layouts(catalogue), shapes(catalogue)
    counted = [one for v in variants(request, catalogue) if (one := count(request, v, among, catalogue)) is not None]
    parts = [bounds(one, shape, rates(shape.devices, one, catalogue)) for one in counted]
    asked = np.array([is_asked(device, request.limits) for device in shape.devices], dtype=bool)
    layout = _joined(parts, "layout").astype(np.int64)
    variant = np.repeat(np.arange(len(parts)), [len(part.layout) for part in parts])
    apart = np.array([one.variant.apart for one in counted] or [False])[variant]
    units = shape.units[layout] + apart
    kept = np.flatnonzero(
        asked[shape.device[layout]]
        & (units <= request.limits.most_units)
        & (shape.machines[layout] <= request.limits.most_machines)
    )
    columns = {
        name: _joined(parts, name)[kept] for name in ("least_bytes", "most_bytes", "speed", "throughput", "ttft")
    }
    _unbind(request, among, [one.variant for one in counted], layout[kept], variant[kept], columns)
    layout, variant, key = layout[kept], variant[kept], (shape.device[layout] * 1000 + units)[kept]
    promise = columns["throughput" if request.ranking is Ranking.ENERGY else "speed"]
    opened = _open(request, columns)
    by = np.lexsort((np.arange(len(key)), -promise, ~opened, key))
    names, starts = np.unique(key[by], return_index=True)
    kinds = tuple(kind_of(shape.devices[n // 1000], n % 1000, catalogue) for n in names.tolist())
    reached = {n // 1000 for n in names.tolist()}
    without = [device for n, device in enumerate(shape.devices) if asked[n] and n not in reached]
    return Field(
        kinds=kinds,
        starts=(*starts.tolist(), len(by)),
        layouts=among,
        variants=tuple(one.variant for one in counted),
        layout=layout[by],
        variant=variant[by],
        open=opened[by],
        without=tuple(_without(device, catalogue) for device in without),
        **{name: column[by] for name, column in columns.items()},
    )


def _unbind(
    request: SearchRequest,
    among: Sequence[Layout],
    choices: Sequence[Variant],
    layout: Axis,
    variant: Axis,
    columns: dict[str, Axis],
) -> None:
    """Take the bounds of speed off machines that the user has measured: a measurement may say more than the method."""
    import numpy as np

    for one in pinned(request.scenario):
        device = np.array([place.device.id == one.device for place in among], dtype=bool)
        engine = np.array([choice.engine.id == one.engine for choice in choices], dtype=bool)
        here = device[layout] & engine[variant]
        columns["speed"][here] = columns["throughput"][here] = np.inf
        columns["ttft"][here] = 0.0


def _without(device: Device, catalogue: Catalogue) -> RuledOut:
    """Why a device has no candidate: nothing is known of its computing, or no engine of the request runs there."""
    computes = any(name in device.peak_flops for name in ("fp16", "fp32"))
    return RuledOut(kind_of(device, 1, catalogue), Exclusion.SOFTWARE if computes else Exclusion.FIGURES)


def _joined(parts: Sequence[Bounds], name: str) -> Axis:
    import numpy as np

    return np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros(0)


def _open(request: SearchRequest, columns: dict[str, Axis]) -> Axis:
    """Candidates that no bound rules out."""
    work = request.scenario.workload
    allowed: Axis = columns["least_bytes"] <= columns["most_bytes"]
    if work.speed_target is not None:
        allowed = allowed & (columns["speed"] >= work.speed_target)
    if work.ttft_target_s is not None:
        allowed = allowed & (columns["ttft"] <= work.ttft_target_s)
    return allowed


@dataclass(slots=True)
class _Search:
    request: SearchRequest
    catalogue: Catalogue
    considered: Field
    sized: int = 0
    found: list[Answer] = field(default_factory=list)
    out: list[RuledOut] = field(default_factory=list)
    behind: int = 0
    too_small: dict[tuple[int, ...], float] = field(default_factory=dict)  # memory on which a part of the work failed

    def run(self) -> HardwareFound:
        self.out.extend(self.considered.without)
        ranked, missing = self._sorted_kinds()
        for bound, number in ranked:
            self._rank(bound, number)
        unknown = self._with_unknown(missing)
        return HardwareFound(
            request=self.request,
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
            elif unknown_facts(kind, self.request):
                missing.append(number)
            else:
                speed, throughput = float(self.considered.speed[start]), float(self.considered.throughput[start])
                ranked.append((least(self.request.ranking, kind, speed, throughput), number))
        kinds = self.considered.kinds
        ranked.sort(key=lambda one: (one[0], kinds[one[1]].order))
        missing.sort(key=lambda number: (kinds[number].units, kinds[number].order))
        return ranked, missing

    # ---- kinds that can be ranked

    def _rank(self, bound: float, number: int) -> None:
        kind, fastest = self.considered.kinds[number], float(self._most_speed(number))
        if self._cannot_matter(kind, bound, fastest):
            self.behind += 1
            return
        best, closest = self._best_of(number)
        if best is not None:
            self.found.append(Answer(best, kind))
        else:
            self.out.append(self._ruled_out(kind, closest))

    def _most_speed(self, number: int) -> Any:
        start, end = self.considered.starts[number], self.considered.starts[number + 1]
        here = slice(start, end)
        return self.considered.speed[here][self.considered.open[here]].max()

    def _cannot_matter(self, kind: Kind, bound: float, fastest: float) -> bool:
        """Is it proven that a kind is not among the first, nor the best of its device, nor the best for its price?"""
        ranking, costs = self.request.ranking, _price(kind)
        before = [answer for answer in self.found if metric(ranking, answer.evaluation) < bound]
        if len(before) < self.request.most_answers:
            return False
        if not any(answer.kind.device is kind.device for answer in before):
            return False
        return costs == INFINITE or any(
            price(answer.evaluation) <= costs and (answer.evaluation.speed or (0, 0, 0))[1] > fastest
            for answer in self.found
        )

    def _best_of(self, number: int) -> tuple[Evaluation | None, list[Evaluation]]:
        """The best candidate of a kind that meets the need; and the candidates that do not."""
        ranking = self.request.ranking
        promise = self.considered.throughput if ranking is Ranking.ENERGY else self.considered.speed
        best: Evaluation | None = None
        failed: list[Evaluation] = []
        for at in self._opened(number):
            if best is not None and promise[at] < objective(ranking, best):
                break
            if failed and self._fails_again(at):
                continue
            found = self._evaluated(at)
            if not meets(self.request, found):
                failed.append(found)
            elif best is None or order_within(ranking, found) < order_within(ranking, best):
                best = found
        return best, failed

    def _opened(self, number: int) -> Iterator[int]:
        for at in range(self.considered.starts[number], self.considered.starts[number + 1]):
            if not self.considered.open[at]:
                return
            yield at

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
            best, closest = self._best_of(number)
            if best is None:
                self.out.append(self._ruled_out(kind, closest))
            else:
                facts = unknown_facts(kind, self.request)
                answers[kind.device.id] = Answer(best, kind, best_of_device=True, unknown=facts)
        return list(answers.values())

    # ---- what the answers are to one another

    def _order(self, answer: Answer) -> tuple[object, ...]:
        return order(self.request, answer.kind, answer.evaluation)

    def _marked(self) -> tuple[Answer, ...]:
        """Answers in order: the first ones, the best of each device, and every best speed for its price."""
        ranked = sorted(self.found, key=self._order)
        points = [(price(a.evaluation), a.evaluation.speed[1] if a.evaluation.speed else 0.0) for a in ranked]
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
        waits = self.considered.ttft[here] + (~fast) * 1e30
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
        reached = found.speed_at(request.percentile)
        return RuledOut(kind, Exclusion.SPEED, work.speed_target or 0.0, reached, candidate=candidate)
    assert not soon_enough(request, found)
    return RuledOut(
        kind, Exclusion.FIRST_TOKEN, work.ttft_target_s or 0.0, found.ttft_at(request.percentile), candidate=candidate
    )


def _price(kind: Kind) -> float:
    return INFINITE if kind.supply.price is None else float(kind.supply.price)
