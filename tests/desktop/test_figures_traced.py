"""Every figure that the window, the proposal and the command line write is a figure of the trace.

All numbers for people go through one formatter (`core.language.numbers`). Here its methods note what they are asked to
write and who asks. The window then shows every tab, table, tooltip and read-out of a scenario, the proposal and the
summary are written, and each noted number has to be a value of the sizing's trace, of the trace of a lever beside it,
of a drawn curve, or an input of the user; marks on an axis are the only other numbers there are.
"""

import bisect
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import QEventLoop, QThreadPool, QTimer
from PySide6.QtWidgets import QLabel

from core.language.levers import lever_gain
from core.language.numbers import Formatter
from core.language.summary import summary
from core.proposal.composition import proposal
from core.proposal.offer import Offer, offer
from core.proposal.options import ProposalOptions
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.report import Sizing
from core.sizing.size import size
from core.trace import Given, Trace
from desktop.app import Application
from desktop.charts.base import LineChart
from desktop.charts.memory_bar import MemoryBar
from desktop.charts.waterfall import Waterfall
from desktop.results.panel import ResultsPanel
from tests.desktop.shell import Start
from tests.shipped import shipped

WRITERS = (
    "about_tokens", "bytes", "bytes_both", "bytes_iec", "bytes_parts", "change", "count", "decimal", "figure",
    "flops", "flops_parts", "gibibytes", "gigabytes", "link", "memory_digits", "money", "money_range", "number",
    "parameters", "parameters_in_words", "percent", "power", "range", "rate", "rate_parts", "seconds",
    "seconds_parts", "share", "share_parts", "significant", "speed", "speed_parts", "tokens", "tokens_exact", "value",
)  # fmt: skip
#: What may stand between a figure of the trace and the number that is written: nothing, GB, GiB, ms, TFLOP/s.
SCALES = (1.0, 1e9, 1e-9, 2.0**30, 1e-3, 1e12)
#: Who writes numbers that are no figures: marks on an axis; the constants in the text of a formula, which another test
#: evaluates; the factors, kept in the calibration, whose product is the figure beside them; answers of a search, which
#: are figures of other scenarios.
NO_FIGURES = (
    "charts/axes.py:", "proposal/axes.py:", "charts/plot_place.py:", "formulas.py:_constant", "appendix.py:<lambda>",
    "/pages/find/", "search_sentences.py:", "results/hardware_page.py:",
)  # fmt: skip

#: Who writes for whoever asks: a number of devices is one of this scenario, or of a search's answer.
FOR_OTHERS = ("device_with_count",)

_DIGITS = re.compile(r"\d[\d.,]*\d|\d")

REAL = worked_example_in_reality()
PEOPLE = REAL.edited(
    workload__requests_at_once=None, workload__users=40, workload__active_share=0.3, workload__prompt_tokens=32_768,
    workload__output_tokens=600, workload__speed_target=15.0, workload__ttft_target_s=5.0,
)  # fmt: skip


def _large(model: str, weights: str, device: str, **edits: Any) -> Scenario:
    workload = Workload(requests_at_once=4, prompt_tokens=2048, context_tokens=32_768)
    scenario = Scenario(
        model=CatalogueModel(id=model), weights=weights, workload=workload, deployment=Deployment(device=device)
    )
    return scenario.edited(**edits)


CASES = {
    "the worked example": worked_example(),
    "with people and targets": PEOPLE,
    "two cards": PEOPLE.edited(deployment__count=2, workload__users=400),
    "six copies": PEOPLE.edited(deployment__count=6, deployment__plan=Plan(replicas=6)),
    "does not fit": PEOPLE.edited(workload__users=4000),
    "second tier": _large("meta-llama/Meta-Llama-3.1-405B", "fp8", "dgx-station-gb300"),
}


@dataclass(frozen=True, slots=True)
class Writing:
    number: float
    text: str
    place: str


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Writing]:
    """What the formatter is asked to write, by others than itself."""
    notes: list[Writing] = []
    depth = [0]

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def write(self: Formatter, *arguments: Any, **named: Any) -> Any:
            depth[0] += 1
            try:
                text = original(self, *arguments, **named)
            finally:
                depth[0] -= 1
            if not depth[0]:
                frame = sys._getframe(1)
                while frame.f_code.co_name in FOR_OTHERS and frame.f_back is not None:
                    frame = frame.f_back
                place = f"{frame.f_code.co_filename}:{frame.f_code.co_name}"
                notes.extend(Writing(float(n), str(text), place) for n in _numbers(original.__name__, arguments))
            return text

        return write

    for name in WRITERS:
        monkeypatch.setattr(Formatter, name, noting(getattr(Formatter, name)))
    return notes


def _numbers(writer: str, arguments: tuple[Any, ...]) -> Iterator[Any]:
    """The quantities among the arguments; digits to show, units and currencies are none."""
    count = 2 if writer in ("range", "money_range") else 1
    for argument in arguments[:count]:
        if isinstance(argument, int | float | Decimal) and not isinstance(argument, bool) and math.isfinite(argument):
            yield argument


class Known:
    """Numbers that may be written, to be found with their rounding."""

    def __init__(self, numbers: Iterator[float]) -> None:
        self._sorted = sorted({abs(number) for number in numbers if math.isfinite(number)})

    def __contains__(self, number: object) -> bool:
        assert isinstance(number, float)
        return any(self._has(abs(number * scale)) for scale in SCALES)

    def _has(self, number: float) -> bool:
        slack = 1e-9 * number
        at = bisect.bisect_left(self._sorted, number - slack)
        return at < len(self._sorted) and self._sorted[at] <= number + slack


def _values(trace: Trace) -> Iterator[float]:
    for key in trace:
        value = trace[key]
        if isinstance(value, int | float | Decimal):
            yield float(value)


def _inputs(dumped: Any) -> Iterator[float]:
    """The numbers of a scenario."""
    if isinstance(dumped, dict):
        for value in dumped.values():
            yield from _inputs(value)
    elif isinstance(dumped, list | tuple):
        for value in dumped:
            yield from _inputs(value)
    elif isinstance(dumped, int | float | Decimal) and not isinstance(dumped, bool):
        yield float(dumped)


def _wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _show_everything(application: Application, panel: ResultsPanel) -> Iterator[float]:
    """Every tab, its table and its read-outs; gives the points of the curves."""
    for tab in range(panel.pages.count()):
        panel.show_tab(tab)
        _wait(150)
        application.window.grab()
        for chart in panel.findChildren(LineChart):
            if chart.picture is None or not chart.isVisible():
                continue
            for point in range(0, len(chart.picture.x), 9):
                chart.picture.read_out(point)
            yield from map(float, chart.picture.x)
            for line in chart.picture.lines:
                yield from (float(y) for y in line.y)
            if chart.picture.band is not None:
                yield from (float(y) for y in (*chart.picture.band.low, *chart.picture.band.high))
            yield from (crossing.x for crossing in chart.picture.crossings)
        yield from _read_of_capacity(panel)
        panel.toggle_table()
        _wait(20)
        panel.toggle_table()
    for bar in panel.findChildren(MemoryBar):
        for index in range(20):
            bar.choose(index)
        bar.choose(-1)
    for drawn in panel.findChildren(Waterfall):
        drawn.table()


def _read_of_capacity(panel: ResultsPanel) -> Iterator[float]:
    """All its curves, and the sizings past the wall that its read-outs speak of."""
    found = panel.capacity.found
    if found is None:
        return
    for curve in (found.speed, found.total, found.first_token):
        yield from (*curve.p10, *curve.p50, *curve.p90)
    for point in range(0, len(found.requests), 9):
        yield from _values(found.at(int(found.requests[point])).trace)


def _roof(panel: ResultsPanel) -> Iterator[float]:
    """The rates that the roof allows at each point of its axis."""
    found, picture = panel.roofline.found, panel.roofline.slot.picture
    if found is not None and picture is not None:
        for wide in (False, True):
            yield from map(float, found.roof(picture.x, wide))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_number_in_the_window_is_a_figure_of_the_trace(
    start: Start, written: list[Writing], case: Scenario
) -> None:
    application = start()
    application.window.resize(1280, 800)
    application.session.new(case)
    _wait(50)
    panel = application.window.findChild(ResultsPanel)
    assert panel is not None
    written.clear()
    application.session.edit("Name", name="Everything shown again")
    points = list(_show_everything(application, panel))
    _wait(200)  # the levers come a moment after an edit
    sizing = application.session.sizing
    assert sizing is not None
    levers = application.session.levers()
    assert all(lever_gain(lever) for lever in levers)  # each records its gain in the later trace
    curves = panel.memory.curves.memory(sizing, application.session.catalogue)
    points += [line.fits_to for line in curves.lines if line.fits_to is not None]
    points += _roof(panel)
    whole = panel.curves.explained(sizing, application.session.catalogue, "capacity.requests")
    points += [excess for line in curves.lines for excess in line.excess_bytes]
    known = Known(
        iter(
            [
                *_values(whole.trace),
                *_inputs(case.model_dump()),
                *points,
                *(value for lever in levers for value in _values(lever.after.trace)),
                *(float(lever.subject) for lever in levers if isinstance(lever.subject, int)),
            ]
        )
    )
    seen = [note for note in written if "/desktop/inputs/" not in note.place and "/widgets/" not in note.place]
    assert len(seen) > 150
    assert not _strays(seen, known)
    assert not set(_digits_of_nobody(panel, whole, written))
    QThreadPool.globalInstance().waitForDone()  # a search is under way


def _digits_of_nobody(panel: ResultsPanel, sizing: Sizing, written: list[Writing]) -> Iterator[str]:
    """Numbers that stand in a text of the results without the formatter's having written them, nor being in a name."""
    names = [
        "P10, P50, P90",
        sizing.device.name,
        sizing.engine.name,
        sizing.scenario.name,
        sizing.plan.model_dump_json(),
    ]
    origin = (sizing.trace.entry(key) for key in sizing.trace)
    names += [entry.origin.title for entry in origin if isinstance(entry, Given)]
    accounted = set(_DIGITS.findall(" ".join([*names, *(note.text for note in written)])))
    for label in panel.findChildren(QLabel):
        text = str(getattr(label, "text", lambda: "")())
        yield from (f"{number} in “{text}”" for number in _DIGITS.findall(text) if number not in accounted)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_number_in_the_proposal_and_the_summary_is_a_figure_of_the_trace(
    written: list[Writing], case: Scenario
) -> None:
    catalogue = shipped()
    sizing, offered = size(case, catalogue), offer(case, catalogue, "2026-11-30", alone=True)
    proposal([offered], ProposalOptions(date=date(2026, 11, 30), left_out=frozenset()))
    summary(sizing)
    traces = [sizing.trace, offered.trace, *(point.sizing.trace for point in offered.load)]
    traces += [lever.after.trace for lever in offered.levers]
    traces += [other.trace for other in offered.others]
    layers = [asdict(part) for part in sizing.blueprint.attention]
    layers += [asdict(part) for part in sizing.blueprint.recurrent]
    numbers = [number for trace in traces for number in _values(trace)] + list(_inputs(case.model_dump()))
    numbers += [float(lever.subject) for lever in offered.levers if isinstance(lever.subject, int)]
    numbers += [number for part in layers for number in _inputs(part)]
    numbers += [point.requests for point in offered.load]
    numbers += [lever.after.scenario.workload.context_tokens for lever in offered.levers]
    known = Known(iter(numbers))
    assert len(written) > 150
    assert not _strays(written, known)


def _strays(written: list[Writing], known: Known) -> set[Writing]:
    figures = [note for note in written if not any(place in note.place for place in NO_FIGURES)]
    return {note for note in figures if note.number not in known}


def test_a_number_that_is_no_figure_is_found(written: list[Writing]) -> None:
    sizing = size(worked_example(), shipped())
    Formatter("en").bytes(sizing.trace["memory.total_bytes"] * 0.97)
    assert [note.number for note in written if note.number not in Known(_values(sizing.trace))]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_figures_that_are_only_shown_can_be_computed_again(case: Scenario) -> None:
    sizing = size(case, shipped())
    summary(sizing)
    proposal([Offer(sizing)], ProposalOptions(date=date(2026, 11, 30)))
    for key in sizing.trace:
        assert _same(sizing.trace.reevaluate(key), sizing.trace[key]), key


def _same(first: Any, second: Any) -> bool:
    return bool(first == second)
