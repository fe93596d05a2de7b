"""What would help: levers are shown with their gain, tried by pointing, and taken in one step of undo."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.scenario import Scenario
from core.sizing.examples import worked_example
from core.sizing.levers import LeverKind
from core.sizing.report import Sizing
from core.sizing.size import size
from desktop.results.levers import LeverRow
from desktop.results.panel import ResultsPanel
from desktop.session import Session
from desktop.theme import Theme
from tests.desktop.fixed_sizing import FixedCurves
from tests.shipped import shipped


def make_panel(qtbot: QtBot, theme: Theme, scenario: Scenario, width: int = 750, height: int = 800) -> ResultsPanel:
    session = Session(shipped(), scenario)
    session.recompute()
    panel = ResultsPanel(session, theme, FixedCurves())
    session.setParent(panel)
    qtbot.addWidget(panel)
    panel.resize(width, height)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.advice.find_levers()
    return panel


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> ResultsPanel:
    return make_panel(qtbot, theme, worked_example())


def context_row(panel: ResultsPanel) -> LeverRow:
    rows = panel.advice.levers.rows
    return next(row for row in rows if row.lever is not None and row.lever.kind is LeverKind.HALF_CONTEXT)


def foots(panel: ResultsPanel) -> list[str]:
    return [tile.figures.foot.replace("\u00a0", " ") for tile in panel.tiles.tiles if tile.figures is not None]


def test_the_levers_stand_beside_what_to_check(panel: ResultsPanel) -> None:
    advice = panel.advice
    assert 0 < len(advice.levers.rows) <= 3
    assert advice.levers.geometry().right() < advice.findings.geometry().left()
    row = context_row(panel)
    assert "Context limit 128K" in row.button.accessibleName()
    assert "+5 requests" in row.button.accessibleName()
    assert "Requests at once that fit: 5 now, then 10." in row.toolTip()
    assert not panel.grab().isNull()


def test_pointing_previews_and_leaving_restores(panel: ResultsPanel) -> None:
    button, before = context_row(panel).button, foots(panel)
    here = QPointF(1, 1)
    QApplication.sendEvent(button, QEnterEvent(here, here, here))
    assert "now 5 at 256K" in foots(panel)
    requests = panel.tiles.tiles[0].figures
    assert requests is not None
    assert requests.figure == "10"
    QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
    assert foots(panel) == before
    assert panel.session.scenario == worked_example()
    assert not panel.session.history.canUndo()


def test_the_keyboard_previews_too(panel: ResultsPanel) -> None:
    button, before = context_row(panel).button, foots(panel)
    QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.TabFocusReason))
    assert foots(panel) != before
    QApplication.sendEvent(button, QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.TabFocusReason))
    assert foots(panel) == before


def test_enter_takes_it_in_one_step_of_undo(panel: ResultsPanel, qtbot: QtBot) -> None:
    session = panel.session
    QTest.keyClick(context_row(panel).button, Qt.Key.Key_Return)
    assert session.scenario.workload.context_tokens == 131_072
    assert session.history.count() == 1
    assert session.history.undoText() == "Context limit 128K"
    session.undo()
    assert session.scenario == worked_example()


def test_a_lever_of_another_scenario_does_nothing(panel: ResultsPanel) -> None:
    row, before = context_row(panel), foots(panel)
    panel.session.edit("Users", workload__requests_at_once=2)
    changed = panel.session.scenario
    row.button.click()
    assert panel.session.scenario == changed
    row.button.offered.emit(True)
    assert "now 5 at 256K" not in foots(panel)
    assert before


def test_levers_come_a_moment_after_an_edit(panel: ResultsPanel, qtbot: QtBot) -> None:
    old = panel.advice.levers.levers
    panel.session.edit("Users", workload__requests_at_once=3)
    assert panel.advice.levers.levers == old
    qtbot.waitUntil(lambda: panel.advice.levers.levers[0].before.scenario == panel.session.scenario)


def test_folded_it_is_one_line_and_opens_with_what_to_check(qtbot: QtBot, theme: Theme) -> None:
    panel = make_panel(qtbot, theme, worked_example(), width=680, height=640)
    advice = panel.advice
    assert advice.levers.rows == []
    assert "changes would help" in advice.levers._title.text()
    assert advice.height() <= 36
    advice.findings._all.click()
    assert len(advice.levers.rows) == len(advice.levers.levers)
    assert advice.findings.rows
    assert advice.height() <= 0.33 * panel.height()


def test_nothing_that_helps_takes_no_room(qtbot: QtBot, theme: Theme) -> None:
    panel = make_panel(qtbot, theme, worked_example())
    panel.advice.levers.set_levers(())
    assert panel.advice.levers.isHidden()


def test_a_session_with_a_sizer_of_its_own_has_no_levers() -> None:
    def sizer(scenario: Scenario, _catalogue: object) -> Sizing:
        return size(scenario, shipped())

    session = Session(shipped(), worked_example(), size=sizer)
    session.recompute()
    assert session.levers() == ()
