"""Leave-one-source-out: every source predicted by a fit that never saw it, and the tables of what came out."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from core.physics.uncertainty import TENTH
from tests.accuracy.tables import quantile
from tests.calibration.fit import Fit, Fitter
from tests.calibration.observations import Observation
from tests.calibration.replay import Floats
from tests.calibration.spreads import WITH_A_HOST, grades, needed_spreads, spread_of

_shared: dict[str, Any] = {}


def leave_one_source_out(fitter: Fitter, start: Fit, processes: int = 2) -> Floats:
    """Log of predicted over measured figure, each by a fit without the figure's source; kernels always count."""
    sources = sorted({one.source for one in fitter.seen if one.cells})
    sources.sort(key=lambda name: -sum(one.source == name for one in fitter.seen))
    found: Floats = fitter.predict(start) - fitter.target
    _shared.update(fitter=fitter, start=start)
    names = np.array([one.source for one in fitter.seen])
    with ProcessPoolExecutor(processes) as pool:
        for name, ratio in zip(sources, pool.map(_without, sources), strict=True):
            found[names == name] = ratio
    return found


def _without(source: str) -> Floats:
    fitter: Fitter = _shared["fitter"]
    own = np.array([one.source == source for one in fitter.seen])
    fit = fitter.fit(~own, start=_shared["start"], rounds=8)
    ratio: Floats = (fitter.predict(fit) - fitter.target)[own]
    return ratio


@dataclass(frozen=True, slots=True)
class Cell:
    """Errors of one line of the accuracy tables, in the unit that was measured."""

    name: str
    rows: int
    sources: int
    median: float
    p90: float
    bias: float
    held: float
    width: float


def cells(seen: Sequence[Observation], log_ratio: Floats, spread: Mapping[str, Any]) -> Iterator[Cell]:
    """Every line with its errors, the share that P10 to P90 holds, and the median width."""
    members: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(seen):
        for name in one.cells if one.tier != "C" else ():
            members[name].append(place)
    evidence, needed = grades(seen), needed_spreads(seen, log_ratio)
    for name, places in sorted(members.items()):
        ratios = [float(np.exp((-1 if seen[i].inverse else 1) * log_ratio[i])) for i in places]
        errors = [abs(r - 1) for r in ratios]
        spreads = [
            spread_of(seen[i], evidence[i], spread) if seen[i].kind != "offload" else WITH_A_HOST for i in places
        ]
        held = [needed[i] <= s for i, s in zip(places, spreads, strict=True)]
        yield Cell(
            name,
            len(places),
            len({seen[i].source for i in places}),
            median(errors),
            quantile(errors, 0.9),
            median(ratios),
            sum(held) / len(held),
            float(np.exp(2 * TENTH * median(spreads))),
        )


def table(found: Sequence[Cell]) -> str:
    """The cells as a table of Markdown."""
    lines = ["| figure | rows | sources | median | P90 | P10-P90 holds | width |", "|---|--:|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {c.name} | {c.rows} | {c.sources} | {c.median:.1%} | {c.p90:.0%} | {c.held:.0%} | {c.width:.2f} |".replace(
            "%", " %"
        )
        for c in found
    ]
    return "\n".join(lines)
