"""Two to four scenarios side by side: their figures, what is best in each row, how each stands against the first."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from core.catalogue.catalogue import Catalogue
from core.errors import TonnageError
from core.physics.comparisons import against
from core.scenario import Scenario
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Amount, Cost
from core.sizing.report import Estimate, Sizing
from core.sizing.size import size
from core.sizing.standing import Standing, standing
from core.trace import Origin, OriginKind, Trace
from core.units import Unit

if TYPE_CHECKING:
    from core.sizing.curves import Curve

MOST = 4
POINTS = 64
#: The axis of requests reaches so far beyond what is needed, and beyond where the memory ends.
_BEYOND_NEED, _BEYOND_WALL = 2.0, 1.3
_LONGEST_AXIS = 4.0  # times the need: a wall further out is not drawn
#: Ratios this close to one are "the same".
ALIKE = 0.005
LETTERS = "ABCD"


class Row(StrEnum):
    """A figure of every option, with the direction that is better."""

    SPEED = "speed"
    FIRST_TOKEN = "first_token"
    REQUESTS = "requests"
    THROUGHPUT = "throughput"
    POWER = "power"
    PURCHASE = "purchase"
    PER_MILLION = "per_million"


_MORE_IS_BETTER = {Row.SPEED, Row.REQUESTS, Row.THROUGHPUT}
_MONEY = {Row.PURCHASE, Row.PER_MILLION}


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of one option; without a value it is unknown.

    is_bound   only a physical bound is known
    counts     can the figure be had at all? Not where the scenario does not fit
    """

    key: str
    unit: Unit
    value: Any = None
    low: Any = None
    high: Any = None
    is_bound: bool = False
    counts: bool = True

    @property
    def has_range(self) -> bool:
        return self.low is not None and self.low != self.high


@dataclass(frozen=True, slots=True)
class Figures:
    """One row: a cell for each option, the change against the first, and which is best."""

    row: Row
    cells: tuple[Cell, ...]
    changes: tuple[float | None, ...]  # figure over that of the first; None for the first and where one is unknown
    best: int | None

    @property
    def differs(self) -> bool:
        known = {cell.value for cell in self.cells}
        return len(known) > 1 and any(change is None or abs(change - 1) > ALIKE for change in self.changes[1:])


@dataclass(frozen=True, slots=True)
class Option:
    """A scenario with its letter, its answer and what it costs."""

    letter: str
    scenario: Scenario
    sizing: Sizing
    cost: Cost
    standing: Standing
    curve: "Curve | None"  # speed of one user against requests at once; None where nobody knows the speed

    @property
    def room(self) -> int:
        """Requests at once that the memory holds."""
        return int(self.sizing.trace["max_concurrency"])


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` returns. Changes stand in the trace as "change.b.speed"."""

    options: tuple[Option, ...]
    rows: tuple[Figures, ...]
    axis: tuple[float, ...]  # requests at once, for the curves of all options
    trace: Trace

    def figures(self, row: Row) -> Figures:
        return next(found for found in self.rows if found.row is row)


def compare(cases: Sequence[tuple[Scenario, Catalogue]], today: str = "") -> Comparison:
    """Size, price and compare scenarios; the first is A, against which the others stand.

    Parameters
    ----------
    cases : two to four scenarios, each with the catalogue that it is sized with
    today : ISO date from which the age of prices counts

    Returns
    -------
    the comparison

    Raises
    ------
    TonnageError : one of them cannot be sized
    """
    sizings = [size(scenario, catalogue) for scenario, catalogue in cases]
    axis = _axis(sizings)
    options = tuple(
        Option(letter, one.scenario, one, cost(one, catalogue, today), standing(one), _curve(one, catalogue, axis))
        for letter, one, (_scenario, catalogue) in zip(LETTERS, sizings, cases, strict=False)
    )
    trace = Trace()
    rows = tuple(_row(trace, row, options) for row in Row)
    return Comparison(options, rows, axis, trace)


def _axis(sizings: Sequence[Sizing]) -> tuple[float, ...]:
    """Whole requests at once from one to beyond what is needed and, where that is near, where the memory ends."""
    need = max(one.required_requests for one in sizings)
    walls = [float(one.trace["max_concurrency"]) * _BEYOND_WALL for one in sizings]
    end = max(need * _BEYOND_NEED, *(min(wall, need * _LONGEST_AXIS) for wall in walls), 4.0)
    last = math.ceil(end)
    step = max(1.0, (last - 1) / (POINTS - 1))
    return tuple(float(round(1 + step * n)) for n in range(min(POINTS, last)))


def _curve(sizing: Sizing, catalogue: Catalogue, axis: tuple[float, ...]) -> "Curve | None":
    if sizing.speed_unknown:
        return None
    from core.sizing.curves import against_concurrency

    try:
        return against_concurrency(sizing.scenario, catalogue, axis, ("decode_tok_s",))[0]
    except TonnageError:
        return None


def _row(trace: Trace, row: Row, options: tuple[Option, ...]) -> Figures:
    cells = tuple(_CELLS[row](option) for option in options)
    if row in _MONEY and len({option.cost.currency for option in options}) > 1:
        return Figures(row, cells, (None,) * len(cells), None)  # money of several currencies is not compared
    return Figures(row, cells, _changes(trace, row, options, cells), _best(row, cells))


def _changes(trace: Trace, row: Row, options: tuple[Option, ...], cells: tuple[Cell, ...]) -> tuple[float | None, ...]:
    keys = []
    for option, cell in zip(options, cells, strict=True):
        key = f"{option.letter.lower()}.{row}"
        if _is_known(cell):
            origin = Origin(OriginKind.CHOICE, option.scenario.name)
            trace.given(key, float(cell.value), cell.unit, origin)
        keys.append(key)
    changes: list[float | None] = [None]
    for letter, key in zip(LETTERS[1:], keys[1:], strict=False):
        if keys[0] in trace and key in trace and trace[keys[0]] > 0:
            changes.append(trace.compute(f"change.{letter.lower()}.{row}", against, figure=key, reference=keys[0]))
        else:
            changes.append(None)
    return tuple(changes)


def _is_known(cell: Cell) -> bool:
    return cell.value is not None and cell.counts and not cell.is_bound and math.isfinite(float(cell.value))


def _best(row: Row, cells: tuple[Cell, ...]) -> int | None:
    """The one option that is better than all others; nobody where two share the place or one alone is known."""
    known = [(float(cell.value), at) for at, cell in enumerate(cells) if _is_known(cell)]
    if len(known) < 2:
        return None
    known.sort(reverse=row in _MORE_IS_BETTER)
    (first, at), (second, _other) = known[:2]
    return at if abs(first - second) > ALIKE * max(abs(first), abs(second)) else None


# ---- the cells


def _estimate(option: Option, found: Estimate | None, key: str, unit: Unit) -> Cell:
    if found is None:
        return Cell(key, unit)
    low, high = sorted((found.p10, found.p90))
    return Cell(found.key, unit, found.p50, low, high, counts=option.sizing.fits)


def _speed(option: Option) -> Cell:
    if option.sizing.decode is None:
        bound = option.sizing.decode_bound
        return Cell(bound.key, Unit.TOKEN_PER_SECOND, bound.p50, is_bound=True, counts=option.sizing.fits)
    return _estimate(option, option.sizing.decode, "decode_tok_s", Unit.TOKEN_PER_SECOND)


def _traced(option: Option, key: str, unit: Unit) -> Cell:
    return Cell(key, unit, option.sizing.trace[key])


def _power(option: Option) -> Cell:
    key = "power.busy_w"
    return Cell(key, Unit.WATT, option.cost.trace.get(key))


def _money(amount: Amount, low: Amount | None = None, high: Amount | None = None) -> Cell:
    if not amount.known:
        return Cell(amount.key, Unit.MONEY)
    ends = (low.value, high.value) if low and high and low.known and high.known else (None, None)
    return Cell(amount.key, Unit.MONEY, amount.value, *ends)


_CELLS: dict[Row, Callable[[Option], Cell]] = {
    Row.SPEED: _speed,
    Row.FIRST_TOKEN: lambda option: _estimate(option, option.sizing.ttft, "ttft_s", Unit.SECOND),
    Row.REQUESTS: lambda option: _traced(option, "max_concurrency", Unit.REQUEST),
    Row.THROUGHPUT: lambda option: _estimate(
        option, option.sizing.throughput, "output_tok_s_total", Unit.TOKEN_PER_SECOND
    ),
    Row.POWER: _power,
    Row.PURCHASE: lambda option: _money(option.cost.capital, option.cost.capital_low, option.cost.capital_high),
    Row.PER_MILLION: lambda option: _money(option.cost.per_million),
}
