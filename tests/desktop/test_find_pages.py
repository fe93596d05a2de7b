"""Find hardware and Find models: table, limits, chart, reasons and what becomes a scenario."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QThreadPool
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from core.catalogue.catalogue import Catalogue
from core.language.messages import in_language
from core.sizing.search.hardware import find_hardware
from core.sizing.search.models import find_models
from core.sizing.search.request import Ranking
from desktop.pages.find.answers import AnswersModel, hardware_columns
from desktop.pages.find.hardware_page import FindHardwarePage
from desktop.pages.find.models_page import FindModelsPage
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.theme import Scheme, Theme
from tests.core.search_cases import asked, changed, only
from tests.desktop.shell import one_theme, theme  # noqa: F401
from tests.desktop.small_catalogue import MemoryStore
from tests.shipped import shipped

FEW = ("rtx-pro-6000-ws", "rtx-5090", "rtx-6000-ada", "h100-nvl", "dgx-spark", "hgx-h100-8", "mac-studio-m4-max-128")


@pytest.fixture(scope="module")
def few() -> Catalogue:
    return changed(only(shipped(), *FEW, "rtx-4090"), "hgx-h100-8", price=None)


def make_session(few: Catalogue, need: str) -> Session:
    session = Session(few, asked(need).scenario, MemoryStore())
    session.recompute()
    return session


@pytest.fixture
def page(qtbot: QtBot, few: Catalogue, theme: Theme) -> Iterator[FindHardwarePage]:  # noqa: F811
    opened: list[str] = []
    page = FindHardwarePage(make_session(few, "job-1-what-to-buy"), theme, lambda: opened.append("sizing"))
    page.opened = opened  # type: ignore[attr-defined]
    page.resize(1050, 800)
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        page.show()
    yield page
    close(page)


def close(page: QWidget) -> None:
    """Let a search that is under way finish first."""
    page.close()
    QThreadPool.globalInstance().waitForDone()
    delete(page)


def search(qtbot: QtBot, page: Any, change: Any) -> None:
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        change()


def test_it_answers_when_it_is_shown(page: FindHardwarePage) -> None:
    found = find_hardware(page.limits.request, page._session.catalogue)
    assert page.found is not None
    wanted = [*found.best_of_each, *found.unknown]
    assert [row.answer.scenario for row in page.answers.rows] == [answer.scenario for answer in wanted]
    assert "meet the need" in page.headline.text()
    assert str(found.sized) in page.subline.text()
    assert len(page.reasons.sentences) >= 3
    assert page.misses.isVisible()


def test_a_limit_narrows_it(qtbot: QtBot, page: FindHardwarePage) -> None:
    before = len(page.answers.rows)
    budget = page.limits.fields["budget"]
    budget.setFocus()
    search(qtbot, page, lambda: (QTest.keyClicks(budget, "9,000"), QTest.keyClick(budget, Qt.Key.Key_Return)))
    assert page.found is not None
    assert page.found.request.limits.budget == 9000
    assert 0 < len(page.answers.rows) < before
    power = page.limits.fields["power_w"]
    search(qtbot, page, lambda: (QTest.keyClicks(power, "0.5"), QTest.keyClick(power, Qt.Key.Key_Return)))
    assert page.found.request.limits.power_w == 500


def test_targets_are_those_of_the_scenario(qtbot: QtBot, page: FindHardwarePage) -> None:
    speed = page.limits.fields["workload__speed_target"]
    assert speed.value == 30
    speed.selectAll()
    search(qtbot, page, lambda: (QTest.keyClicks(speed, "60"), QTest.keyClick(speed, Qt.Key.Key_Return)))
    assert page._session.scenario.workload.speed_target == 60
    page._session.undo()
    assert speed.value == 30


def test_it_ranks_by_what_is_asked(qtbot: QtBot, page: FindHardwarePage) -> None:
    search(qtbot, page, lambda: page.limits._choose_ranking("speed"))
    speeds = [row.speed[1] for row in page.answers.rows]
    assert speeds == sorted(speeds, reverse=True)
    search(qtbot, page, lambda: page.limits._choose_ranking("energy"))
    assert page.answers.columnCount() == len(hardware_columns(Ranking.ENERGY)) == 8
    assert page.answers.rows[0].cells[7].endswith(" J")


def test_all_shows_every_number_of_each(page: FindHardwarePage) -> None:
    best = len(page.answers.rows)
    page._show_everything(True)
    assert len(page.answers.rows) >= best
    assert page.found is not None
    assert len(page.answers.rows) == len(page.found.answers) + len(page.found.unknown)


def test_space_ticks_and_enter_opens(page: FindHardwarePage) -> None:
    page.table.choose(1)
    chosen = page.answers.rows[1]
    assert not page.keep.isEnabled()
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    assert page.answers.chosen == [chosen]
    assert page.keep.isEnabled()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert page._session.scenario.deployment.device == chosen.answer.kind.device.id
    assert page._session.scenario.deployment == chosen.answer.scenario.deployment
    assert page.opened == ["sizing"]  # type: ignore[attr-defined]


def test_ticked_ones_become_scenarios_to_compare_with_the_open_one(page: FindHardwarePage) -> None:
    before = page._session.scenario
    wanted: list[list[int]] = []
    one_of(SavedScenarios, page._session).comparison_wanted.connect(wanted.append)
    known = len(one_of(SavedScenarios, page._session).all())
    page.answers.toggle(0)
    page.answers.toggle(2)
    QTest.mouseClick(page.keep, Qt.MouseButton.LeftButton)
    assert len(one_of(SavedScenarios, page._session).all()) == known + 2
    assert page._session.scenario is before
    assert [len(ids) for ids in wanted] == [3 if page._session.scenario_id is not None else 2]


def test_table_chart_and_reasons_share_one_selection(page: FindHardwarePage) -> None:
    point = page.chart.points[-1]
    at = page.chart.place(point.price, point.speed).toPoint()
    QTest.mouseClick(page.chart, Qt.MouseButton.LeftButton, pos=QPoint(at.x(), at.y()))
    row = page.table.currentIndex().row()
    assert page.chart.chosen == row
    assert page.answers.rows[row].cells[0].split(",")[0] in (p.name for p in page.chart.points)


def test_the_chart_marks_the_best_speed_for_each_price(page: FindHardwarePage) -> None:
    best = sorted((p for p in page.chart.points if p.best), key=lambda p: p.price)
    assert best
    assert [p.speed for p in best] == sorted(p.speed for p in best)
    page.grab()
    boxes = list(page.chart.labels.values())
    assert all(not one.intersects(other) for n, one in enumerate(boxes) for other in boxes[n + 1 :])
    inside = page.chart.rect()
    assert all(inside.contains(box.toAlignedRect()) for box in boxes)


def test_the_chart_reads_a_point_out_by_pointer_and_by_keys(page: FindHardwarePage) -> None:
    chart = page.chart
    point = next(p for p in chart.points if p.best)
    at = chart.place(point.price, point.speed).toPoint()
    QTest.mouseMove(chart, at)
    assert chart.read_row >= 0
    chart.grab()
    assert chart.card is not None
    assert chart.rect().contains(chart.card.toAlignedRect())
    read = next(p for p in chart.points if p.row == chart.read_row)
    assert chart.accessibleDescription().startswith(read.name)
    assert "P10–P90" in chart.accessibleDescription()
    QTest.mouseMove(chart, QPoint(1, 1))
    assert chart.read_row == -1
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Home)
    cheapest = min(chart.points, key=lambda p: (p.price, p.row))
    assert (chart.read_row, chart.chosen) == (cheapest.row, cheapest.row)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.read_row != cheapest.row
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.read_row == -1


def test_the_chosen_answer_has_its_name_in_the_chart(page: FindHardwarePage) -> None:
    for row in range(0, len(page.answers.rows), 3):
        page.table.choose(row)
        page.grab()
        chosen = next((p.name for p in page.chart.points if p.row == row), "")
        assert not chosen or chosen in page.chart.labels


def test_unknown_facts_are_marked(page: FindHardwarePage) -> None:
    unknown = [row for row in page.answers.rows if row.is_unknown]
    assert [row.answer.kind.device.id for row in unknown] == ["hgx-h100-8"]
    assert unknown[0].note == "Price unknown"


def test_the_model_is_a_proper_one(page: FindHardwarePage, qtmodeltester: Any) -> None:
    model = AnswersModel(hardware_columns(Ranking.PRICE))
    model.set_rows(page.answers.rows, 30.0)
    qtmodeltester.check(model)


def test_what_cannot_be_searched_is_said_and_the_old_answer_stays(page: FindHardwarePage) -> None:
    rows = list(page.answers.rows)
    page._job.refused.emit("This model cannot be counted.")
    assert page.headline.text() == "This model cannot be counted."
    assert page.answers.rows == rows


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_it_fits_the_smallest_window(
    code: str,
    qtbot: QtBot,
    few: Catalogue,
    theme: Theme,  # noqa: F811
) -> None:
    with in_language(code):
        session = make_session(few, "job-1-what-to-buy")
        for kind, answer in ((FindHardwarePage, find_hardware), (FindModelsPage, find_models)):
            page: Any = kind(session, theme, lambda: None)
            page._job.is_stale = False  # no search in the background: the answer is given
            page.show_found(answer(page.limits.request, few), 0.2)
            page.resize(972, 640)
            page.show()
            assert page.minimumSizeHint().width() <= 972
            assert page.minimumSizeHint().height() <= 640
            for control in page.findChildren(QWidget):
                if isinstance(control, QLineEdit | QPushButton) and control.isVisible():
                    assert control.accessibleName() or getattr(control, "text", str)(), control
            assert page.table.columnWidth(0) >= 200, "names before columns that can be spared"
            page.resize(1052, 760)  # beside the sidebar of the usual window
            header = page.table.horizontalHeader()
            for column, one in enumerate(page.answers.columns):
                needed = header.fontMetrics().horizontalAdvance(one.title) + 12
                assert header.sectionSize(column) >= needed, one.title
            theme.set_scheme(Scheme.DARK)
            assert not page.grab().isNull()
            theme.set_scheme(Scheme.LIGHT)
            close(page)


def test_models_of_the_hardware_at_hand(qtbot: QtBot, few: Catalogue, theme: Theme) -> None:  # noqa: F811
    page = FindModelsPage(make_session(few, "job-2-what-runs"), theme, lambda: None)
    with qtbot.waitSignal(page._job.found, timeout=60_000):
        page.show()
    assert "RTX 4090" in page.headline.text()
    sizes = [row.answer.parameters for row in page.answers.rows]
    assert sizes == sorted(sizes, reverse=True)
    page.table.choose(3)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert page._session.scenario.model.id == page.answers.rows[3].answer.model.id  # type: ignore[union-attr]
    assert page._session.scenario.deployment.device == "rtx-4090"
    close(page)


def test_leaving_while_it_searches_is_safe(qtbot: QtBot, few: Catalogue, theme: Theme) -> None:  # noqa: F811
    for _again in range(5):
        page = FindHardwarePage(make_session(few, "job-1-what-to-buy"), theme, lambda: None)
        page.show()
        delete(page)
        del page
        QThreadPool.globalInstance().waitForDone()
        qtbot.wait(5)


def test_where_nothing_meets_the_need_the_page_says_so(qtbot: QtBot, page: FindHardwarePage) -> None:
    """And shows no empty chart."""
    assert page._below.isVisible()
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        page._session.edit("Context", workload__context_tokens=1_000_000_000, workload__prompt_tokens=500_000_000)
    assert page.answers.rows == []
    assert not page._below.isVisible()
    assert page.table.accessibleDescription().startswith("Nothing to rank.")
    page.grab()
    with qtbot.waitSignal(page._job.found, timeout=20_000):
        page._session.undo()
    assert page._below.isVisible()
    assert page.table.accessibleDescription() == ""
