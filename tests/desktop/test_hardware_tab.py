"""Hardware: the search of the catalogue for the scenario's own work, beside its other results."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.size import size
from desktop.results.core_curves import CoreCurves
from desktop.results.hardware_page import HardwarePage
from desktop.tables import NumberTableModel
from desktop.theme import Theme
from tests.core.search_cases import changed, only
from tests.shipped import shipped
from tests.usual_scenario import scenario

FEW = ("rtx-pro-6000-ws", "rtx-5090", "rtx-6000-ada", "h100-nvl", "dgx-spark", "hgx-h100-8")


@pytest.fixture(scope="module")
def few() -> Catalogue:
    return changed(only(shipped(), *FEW), "hgx-h100-8", price=None)


@pytest.fixture
def page(qtbot: QtBot, few: Catalogue, theme: Theme) -> Iterator[HardwarePage]:
    page = HardwarePage(theme, CoreCurves())
    page.resize(710, 470)
    page.set_sizing(size(scenario(), few), few)
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        page.show()
    yield page
    page.close()
    QThreadPool.globalInstance().waitForDone()
    delete(page)


def test_chart_and_table_show_the_answers_and_the_scenario_s_own_card_is_chosen(page: HardwarePage) -> None:
    assert page.found is not None
    assert page.title.text().replace("\u00a0", " ").split(" ")[1].startswith("option")
    assert len(page.answers.rows) == len(page.found.best_of_each) + len(page.found.unknown)
    priced = [row for row in page.answers.rows if row.answer.evaluation.supply.price is not None]
    assert len(page.chart.points) == len(priced)
    assert page._current is not None
    assert page._current.answer.kind.device.id == "rtx-pro-6000-ws"
    assert page.chart.chosen == page.table.currentIndex().row()
    assert not page.grab().isNull()


def test_another_question_is_searched_and_the_same_one_is_not(page: HardwarePage, few: Catalogue, qtbot: QtBot) -> None:
    asked: list[None] = []
    page._job.started.connect(lambda: asked.append(None))
    page.set_sizing(size(scenario(), few), few)
    assert asked == []
    before = page.found
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        page.set_sizing(size(scenario().edited(workload__users=60), few), few)
        assert page.found is before  # the old answer stays until the new one comes
    assert page.found is not before


def test_enter_opens_the_answer_and_space_ticks_it(page: HardwarePage, qtbot: QtBot) -> None:
    opened: list[Scenario] = []
    page.opened.connect(opened.append)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    assert page.keep.isEnabled()
    with qtbot.waitSignal(page.kept) as kept:
        page.keep.click()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert [one.deployment.device for one in opened] == ["rtx-pro-6000-ws"]
    assert kept.args is not None
    assert kept.args[0] == opened
    assert "RTX PRO 6000" in opened[0].name


def test_a_point_of_the_chart_chooses_its_row(page: HardwarePage) -> None:
    page.chart.point_chosen.emit(0)
    assert page.table.currentIndex().row() == 0
    assert page.chart.chosen == 0


def test_models_of_both_tables(page: HardwarePage, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(page.answers)  # type: ignore[no-untyped-call]
    (table,) = page.tables()
    assert [column.title for column in table.columns][:4] == [
        "Option", "Speed per user P10 [tok/s]", "Speed per user P50 [tok/s]", "Speed per user P90 [tok/s]",
    ]  # fmt: skip
    model = NumberTableModel()
    model.set_table(table)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


def test_an_export_takes_the_answers_with_it(page: HardwarePage, theme: Theme, qtbot: QtBot) -> None:
    fresh = HardwarePage(theme, CoreCurves())
    qtbot.addWidget(fresh)
    assert page.sizing is not None
    fresh.set_sizing(page.sizing, page.catalogue)
    fresh.take_over(page)
    fresh.complete()
    assert fresh.title.text() == page.title.text()
    assert len(fresh.chart.points) == len(page.chart.points)


def test_hidden_it_does_not_search(theme: Theme, few: Catalogue, qtbot: QtBot) -> None:
    page = HardwarePage(theme, CoreCurves())
    qtbot.addWidget(page)
    asked: list[None] = []
    page._job.started.connect(lambda: asked.append(None))
    page.set_sizing(size(scenario(), few), few)
    qtbot.wait(200)
    assert asked == []
