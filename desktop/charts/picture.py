"""What a chart with curves shows, as plain values: built without a window, drawn by `base.LineChart`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop.charts.axes import Span, Tick
from desktop.tables import TableData

#: "chart:kv", "series:0" or the name of a colour of the theme.
Role = str


@dataclass(frozen=True, slots=True)
class Line:
    """A curve; `name` is written on it."""

    name: str
    y: Sequence[float]
    role: Role
    width: float = 1.6
    dash: int | None = None  # of the tokens; None is solid
    strong: bool = False
    dotted_bound: bool = False  # a physical bound only


@dataclass(frozen=True, slots=True)
class Band:
    """P10 to P90."""

    low: Sequence[float]
    high: Sequence[float]
    role: Role
    striped: bool = False  # evidence is generic


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line: a limit of the hardware, or a target of the user."""

    y: float
    text: str
    is_limit: bool


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where a curve meets the limit."""

    x: float
    y: float
    text: str
    role: Role
    strong: bool


@dataclass(frozen=True, slots=True)
class Wall:
    """An upright limit of the hardware: past it the ground is sunken. `text` is empty where another chart names it."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point beside the user's own that has a name."""

    x: float
    y: float
    text: str
    role: Role
    marker: str = "circle"
    strong: bool = False
    low: float | None = None  # P10 and P90, where it has a range
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The user's own point."""

    x: float
    y: float
    text: str
    role: Role
    marker: str = "circle"
    notes: tuple[str, ...] = ()  # below the label
    drop: bool = False  # a dashed line down to the axis, with the label beside it


@dataclass(frozen=True, slots=True)
class ReadOut:
    """The card beside the pointer: the x value, then one line for each series, then what breaks."""

    title: str
    lines: tuple[str, ...]
    alarm: str = ""

    @property
    def spoken(self) -> str:
        return ". ".join(part for part in (self.title, *self.lines, self.alarm) if part)


@dataclass(frozen=True, slots=True)
class Picture:
    """One chart: y values are in the unit that the heading names."""

    heading: str
    summary: str  # for those who hear it
    x: Sequence[float]
    x_span: Span
    x_unit: str  # on the last tick
    y_top: float
    lines: tuple[Line, ...]
    table: Callable[[], TableData]
    read_out: Callable[[int], ReadOut]
    dots: Callable[[int], Sequence[tuple[float, Role]]]  # y and colour of the dots at a point of the x axis
    band: Band | None = None
    levels: tuple[Level, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    chosen: Chosen | None = None
    mark_x: tuple[float, str] | None = None  # another length worth naming on the x axis
    wall: Wall | None = None
    points: tuple[NamedPoint, ...] = ()
    x_ticks: tuple[Tick, ...] | None = None  # None: powers of two
    y_ticks: tuple[Tick, ...] | None = None  # None: round numbers from 0 to the top
    key: str = ""  # the figure that Enter explains
