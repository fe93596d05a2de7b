"""The values of a proposal: everything that its pages say, as frozen records of text and of numbers to draw.

`core.proposal.composition` makes them from sizings, the typst template in `resources/proposal` lays them out. Numbers
in texts are already written by the formatter of the proposal's language; raw numbers stand only where something is
drawn.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    align: str = "left"  # "left" or "right"
    width: str = "auto"  # "auto", or a share of what is left such as "1fr"


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[str, ...]
    strong: bool = False
    swatch: str = ""  # colour name of the data before the first cell


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    summary: str = ""  # for those who hear the page


@dataclass(frozen=True, slots=True)
class Party:
    """A heading and lines on the cover."""

    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar."""

    colour: str  # "weights", "companions", "runtime", "kv", "state"
    amount: float
    label: str
    value: str
    fixed: bool  # does not grow with use


@dataclass(frozen=True, slots=True)
class Bar:
    """One memory, drawn to scale: `amount`s, `limit` and `capacity` in GB."""

    name: str
    segments: tuple[Segment, ...]
    limit: float
    capacity: float
    limit_label: str
    capacity_label: str
    fixed_label: str
    use_label: str
    free_label: str  # "" where nothing is free
    spill_label: str  # "" where everything fits


@dataclass(frozen=True, slots=True)
class Step:
    """One bar of the waterfall of a token's time."""

    colour: str
    seconds: float
    label: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Heading of a numbered drawing."""

    number: str
    message: str
    conditions: str
    source: str
    alternative: str  # what the drawing shows, for those who hear the page


@dataclass(frozen=True, slots=True)
class Tile:
    label: str
    digits: str
    unit: str
    note: str


@dataclass(frozen=True, slots=True)
class Point:
    """A reason for or against: a bold lead and a sentence."""

    lead: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A tinted box."""

    lead: str
    text: str


@dataclass(frozen=True, slots=True)
class Cover:
    brand: str
    kicker: str
    title: str
    summary: str
    caption: str
    parties: tuple[Party, ...]
    legal: str
    mode: str  # says so when figures are simplified


@dataclass(frozen=True, slots=True)
class Page:
    """Title that says the finding, and the sentence below it."""

    title: str
    lead: str


@dataclass(frozen=True, slots=True)
class Need:
    page: Page
    table: Table
    model_heading: str
    model: str
    granted_heading: str
    granted: tuple[str, ...]  # what was taken for granted
    correct: Note
    answers_heading: str
    question_heading: str
    answer_heading: str
    page_heading: str
    answers: tuple[tuple[str, str, str], ...]  # question, short answer, label of the page


@dataclass(frozen=True, slots=True)
class Recommendation:
    page: Page
    tiles: tuple[Tile, ...]
    ranges: str
    for_heading: str
    points_for: tuple[Point, ...]
    against_heading: str
    points_against: tuple[Point, ...]
    options_heading: str
    options: Table | None
    others_heading: str
    others: Table | None  # other hardware, where there is one option


@dataclass(frozen=True, slots=True)
class Memory:
    page: Page
    exhibit: Exhibit
    bars: tuple[Bar, ...]
    heading: str
    table: Table
    note: Note | None


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class CurvePoint:
    x: float
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class SpeedCurve:
    """Speed of one user against requests at once, with what bounds it."""

    points: tuple[CurvePoint, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    wall: Tick | None  # from there memory is full
    target: Tick | None  # on the y axis
    chosen: CurvePoint
    chosen_label: str
    name: str


@dataclass(frozen=True, slots=True)
class Speed:
    page: Page
    exhibit: Exhibit | None  # None where the speed is unknown
    curve: SpeedCurve | None
    table: Table
    reading: str
    token: Exhibit | None
    steps: tuple[Step, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class OptionColumn:
    """An option in the comparison: letter, hardware, one word, and the colour of its series."""

    letter: str
    name: str
    note: str
    colour: str


@dataclass(frozen=True, slots=True)
class ComparedCell:
    text: str
    best: bool = False
    bad: bool = False


@dataclass(frozen=True, slots=True)
class ComparedRow:
    label: str
    note: str
    cells: tuple[ComparedCell, ...]


@dataclass(frozen=True, slots=True)
class PricePoint:
    """An option in the drawing of speed against price."""

    letter: str
    name: str
    colour: str
    price: float
    low: float
    middle: float
    high: float
    meets: bool


@dataclass(frozen=True, slots=True)
class PriceChart:
    points: tuple[PricePoint, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    target: Tick | None


@dataclass(frozen=True, slots=True)
class OptionsCompared:
    """The options side by side; with more than four they stand below one another."""

    page: Page
    columns: tuple[OptionColumn, ...]
    bars: tuple[Bar, ...]
    bars_in_words: tuple[str, ...]
    bars_label: str
    bars_note: str
    heading: str
    rows: tuple[ComparedRow, ...]
    caption: str
    exhibit: Exhibit | None
    chart: PriceChart | None


@dataclass(frozen=True, slots=True)
class CostBar:
    letter: str
    name: str
    parts: tuple[Segment, ...]
    total: str


@dataclass(frozen=True, slots=True)
class CostPages:
    page: Page
    exhibit: Exhibit | None
    bars: tuple[CostBar, ...]
    legend: tuple[tuple[str, str], ...]  # colour and name of each part
    bill_heading: str
    bill: Table
    steps_heading: str
    steps: Table
    even_heading: str
    even: tuple[Point, ...]  # break-even against hosted models and rented accelerators
    caption: str


@dataclass(frozen=True, slots=True)
class Risks:
    page: Page
    heading: str
    points: tuple[Point, ...]
    change_heading: str
    changes: Table
    next_heading: str
    next_steps: Table
    left_out: str  # what is not included


@dataclass(frozen=True, slots=True)
class AppendixFigure:
    """One figure, line by line."""

    number: str  # "A12"
    name: str
    value: str
    words: str
    numbers: str


@dataclass(frozen=True, slots=True)
class AppendixChapter:
    title: str
    figures: tuple[AppendixFigure, ...]


@dataclass(frozen=True, slots=True)
class AppendixInput:
    """A number that was given."""

    name: str
    value: str
    kind: str  # what sort of origin: "your choice", "catalogue", ...
    source: str  # "S3", or empty where there is none to cite
    detail: str  # how a fitted number is made up


@dataclass(frozen=True, slots=True)
class AppendixSource:
    number: str
    title: str
    address: str  # "" or an address on the web
    date: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Appendix:
    """Every figure shown with the way to it, in chapters; then what was given."""

    page: Page
    chapters: tuple[AppendixChapter, ...]
    everything_page: Page
    everything: tuple[AppendixChapter, ...]
    layers_heading: str
    layers: Table
    inputs_page: Page
    headings: tuple[str, ...]
    inputs_note: str
    inputs: tuple[AppendixInput, ...]
    sources_heading: str
    source_headings: tuple[str, ...]
    sources: tuple[AppendixSource, ...]
    glossary_heading: str
    glossary: tuple[Point, ...]

    @property
    def figures(self) -> list[AppendixFigure]:
        return [figure for chapter in (*self.chapters, *self.everything) for figure in chapter.figures]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands on every page."""

    language: str
    region: str
    document_title: str
    author: str
    head_left: str
    head_right: str
    foot: str
    page_of: str  # "{page} of {pages}"
    mode: str
    paper: str
    typeface: str
    logo: str  # "png", "svg" or empty
    sections: tuple[str, ...]  # that are printed


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside the file."""

    name: str
    content: str
    note: str


@dataclass(frozen=True, slots=True)
class Proposal:
    frame: Frame
    cover: Cover
    need: Need
    recommendation: Recommendation
    memory: Memory
    speed: Speed
    options: OptionsCompared | None
    cost: CostPages | None
    risks: Risks
    appendix: Appendix
    colours: dict[str, str]
    attachments: tuple[Attachment, ...]
    logo: bytes = b""
