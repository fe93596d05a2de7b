"""From an edit to the redrawn results, and whether repainting keeps memory."""

import os
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.sizing.examples import worked_example_in_reality
from desktop.results.panel import CAPACITY, EXPLAIN, HARDWARE, MEMORY, ROOFLINE, SPEED, ResultsPanel
from desktop.session import Session
from desktop.theme import Scheme, Theme
from tests.bench.conftest import Measure
from tests.shipped import shipped

pytestmark = pytest.mark.bench

FRAME_S = 0.016
GROWTH_BYTES = 5_000_000
#: What a hand does in one drag of the context slider.
CONTEXTS = [round(4096 * 2 ** (step / 4)) for step in range(32)]


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> ResultsPanel:
    theme = Theme(Scheme.LIGHT)
    theme.apply(qapp)
    session = Session(shipped(), worked_example_in_reality())
    session.recompute()
    panel = ResultsPanel(session, theme)
    session.setParent(panel)
    qtbot.addWidget(panel)
    panel.resize(750, 800)
    with qtbot.waitExposed(panel):
        panel.show()
    for tab in (SPEED, CAPACITY, ROOFLINE, EXPLAIN, MEMORY):
        panel.show_tab(tab)
        qtbot.wait(200)
    return panel


def editing(panel: ResultsPanel) -> Callable[[], None]:
    """One edit: the scenario, its sizing, all that is in front, and the paint."""
    contexts = cycle([*CONTEXTS, *reversed(CONTEXTS)])
    session = panel.session

    def edit() -> None:
        session.scenario = session.scenario.edited(workload__context_tokens=next(contexts))
        session._compute()
        QApplication.processEvents()  # what asked for a paint is painted here, once

    return edit


class PaintCount(QObject):
    """Counts how often a widget is painted, so that a measurement without paint is noticed."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        parts = [widget, *widget.findChildren(QWidget)]
        for part in parts:
            part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.times += event.type() is QEvent.Type.Paint
        return False


TABS = [
    (MEMORY, "Memory"),
    (SPEED, "Speed"),
    (CAPACITY, "Capacity"),
    (ROOFLINE, "Roofline"),
    (HARDWARE, "Hardware"),  # the search itself is in the background, and waits until no edit comes
    (EXPLAIN, "Explain"),
]


@pytest.mark.parametrize(("tab", "name"), TABS)
def test_an_edit_is_redrawn_within_a_frame(panel: ResultsPanel, measure: Measure, tab: int, name: str) -> None:
    panel.show_tab(tab)
    painted = PaintCount(panel if tab == HARDWARE else panel.pages)  # there old answers stay, and are not painted
    measure(f"edit to redrawn verdict and charts, {name}", FRAME_S, editing(panel))
    assert painted.times >= 200


def test_repainting_keeps_memory(panel: ResultsPanel) -> None:
    edit = editing(panel)
    for _ in range(50):
        edit()
    before = resident_bytes()
    for _ in range(250):
        edit()
    growth = resident_bytes() - before
    assert growth < GROWTH_BYTES, f"{growth:,} bytes more after 300 repaints than after 50"


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
