"""All candidates of a request with their bounds, all at once, sorted by kind and within it by promise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.sizing.concurrency import Redundancy
from core.sizing.search.bounds import Bounds, bounds
from core.sizing.search.candidates import Candidate, pinned
from core.sizing.search.counted import count
from core.sizing.search.kinds import Setup, is_asked, kind_of, nothing_known
from core.sizing.search.layouts import Layout, layouts
from core.sizing.search.need import Need, need_of
from core.sizing.search.rank import READ_TO_THREE
from core.sizing.search.rates import rates
from core.sizing.search.report import Exclusion, Kind, RuledOut
from core.sizing.search.request import SearchRequest
from core.sizing.search.shapes import shapes
from core.sizing.search.supply import Supply, supply_of
from core.sizing.search.variants import Variant, variants

Axis = Any  # array, one element a candidate, layout or device
#: The bounds that a search keeps of each candidate.
COLUMNS = ("least_bytes", "most_bytes", "speed", "saturated", "ttft", "ttft_if_fast")
SETUPS: tuple[Setup, ...] = ((False, False), (False, True), (True, False), (True, True))


@dataclass(frozen=True, slots=True)
class Field:
    """All candidates of a request with their bounds, sorted by kind and within it by promise.

    need        the client's demand
    starts      where each kind begins; `kinds` names them
    setup       how the hardware of a candidate is bought: twice the units apart, and the bridges
    open        which candidates no bound rules out
    without     devices that were asked for and have no candidate, with the reason
    """

    need: Need
    kinds: tuple[Kind, ...]
    starts: tuple[int, ...]
    layouts: tuple[Layout, ...]
    variants: tuple[Variant, ...]
    layout: Axis
    variant: Axis
    setup: Axis
    least_bytes: Axis
    most_bytes: Axis
    speed: Axis
    saturated: Axis
    ttft: Axis
    ttft_if_fast: Axis
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
        columns = ("layout", "variant", "setup", *COLUMNS, "open")
        return replace(
            self,
            kinds=tuple(self.kinds[n] for n in filled),
            starts=(*(int(starts[n]) for n in filled), len(at)),
            without=(),
            **{name: getattr(self, name)[at] for name in columns},
        )


def survey(request: SearchRequest, catalogue: Catalogue) -> Field:
    """All candidates of a request, with their bounds."""
    import numpy as np

    among, shape = layouts(catalogue), shapes(catalogue)
    counted = [one for v in variants(request, catalogue) if (one := count(request, v, among, catalogue)) is not None]
    saturated = request.ranking in READ_TO_THREE
    parts = [bounds(one, shape, rates(shape.devices, one, catalogue), saturated) for one in counted]
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
    columns = {name: _joined(parts, name)[kept] for name in COLUMNS}
    _unbind(request, among, [one.variant for one in counted], layout[kept], variant[kept], columns)
    setup = (2 * apart + (shape.bridged[layout] > 0))[kept]
    layout, variant, key = layout[kept], variant[kept], (shape.device[layout] * 1000 + units)[kept]
    opened = _open(request, columns)
    by = np.lexsort((np.arange(len(key)), -columns["speed"], ~opened, key))
    names, starts = np.unique(key[by], return_index=True)
    supplies = _supplies(request, among, layout, key, setup, catalogue)
    kinds = tuple(kind_of(shape.devices[n // 1000], n % 1000, supplies[n]) for n in names.tolist())
    reached = {n // 1000 for n in names.tolist()}
    without = [device for n, device in enumerate(shape.devices) if asked[n] and n not in reached]
    prompt = counted[0]["workload.prompt_tokens"] if counted else 0
    return Field(
        need=need_of(request.scenario.workload, prompt, catalogue.facts),
        kinds=kinds,
        starts=(*starts.tolist(), len(by)),
        layouts=among,
        variants=tuple(one.variant for one in counted),
        layout=layout[by],
        variant=variant[by],
        setup=setup[by],
        open=opened[by],
        without=tuple(_without(device, request, catalogue) for device in without),
        **{name: column[by] for name, column in columns.items()},
    )


def _supplies(
    request: SearchRequest, among: Sequence[Layout], layout: Axis, key: Axis, setup: Axis, catalogue: Catalogue
) -> dict[int, dict[Setup, Supply]]:
    """What each way to buy each kind costs and draws."""
    import numpy as np

    need, found = request.need, dict[int, dict[Setup, Supply]]()
    each, first = np.unique(key * 4 + setup, return_index=True)
    for number, at in zip(each.tolist(), layout[first].tolist(), strict=True):
        way = SETUPS[number % 4]
        found.setdefault(number // 4, {})[way] = supply_of(need, among[at], way[0], catalogue)
    return found


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
        columns["speed"][here] = columns["saturated"][here] = np.inf
        columns["ttft"][here] = columns["ttft_if_fast"][here] = 0.0


def _without(device: Device, request: SearchRequest, catalogue: Catalogue) -> RuledOut:
    """Why a device has no candidate: its computing is not known, no engine runs there, or it comes alone."""
    computes = any(name in device.peak_flops for name in ("fp16", "fp32"))
    runs = any(device.family in variant.engine.families for variant in variants(request, catalogue))
    if not computes:
        by = Exclusion.FIGURES
    elif runs and request.redundancy is Redundancy.SPARE_REPLICA:
        by = Exclusion.SPARE
    else:
        by = Exclusion.SOFTWARE
    return RuledOut(nothing_known(device, request.need, catalogue), by)


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
        allowed = allowed & (columns["ttft_if_fast"] <= work.ttft_target_s)
    return allowed
