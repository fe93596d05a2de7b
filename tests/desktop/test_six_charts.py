"""What every chart of the results promises, on the real program: message, unit, read-out, table, copy, export."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app import Application
from desktop.charts.base import LineChart
from desktop.charts.memory_bar import MemoryBar
from desktop.charts.waterfall import Waterfall
from desktop.pages.find.price_chart import PriceChart
from desktop.results.panel import CAPACITY, EXPLAIN, HARDWARE, MEMORY, ROOFLINE, SPEED, ResultsPanel
from tests.desktop import states
from tests.desktop.whole_program import program
from tests.usual_scenario import scenario

__all__ = ["program"]

CHARTS = (LineChart, MemoryBar, Waterfall, PriceChart)
UNITS = {MEMORY: "[GB]", SPEED: "[ms]", CAPACITY: "[tok/s]", ROOFLINE: "[TFLOP/s]", HARDWARE: "[tok/s]"}


@pytest.fixture
def panel(program: Application) -> ResultsPanel:
    program.window.resize(1280, 800)
    program.session.new(scenario())
    return states.panel_of(program.window)


def shown(panel: ResultsPanel, tab: int) -> Any:
    panel.show_tab(tab)
    states.settle()
    page = panel.chart_page
    assert page is not None
    return page


def charts(page: QWidget) -> list[QWidget]:
    return [one for one in page.findChildren(QWidget) if isinstance(one, CHARTS) and one.isVisible()]


@pytest.mark.parametrize("tab", UNITS)
def test_a_tab_keeps_every_promise(qtbot: Any, panel: ResultsPanel, tab: int, tmp_path: Path) -> None:
    page = shown(panel, tab)
    _reads_out(charts(page))
    _shows_a_table(page, UNITS[tab])
    _is_copied_and_saved(panel, page, UNITS[tab], tmp_path)
    before = page.title.text(), page.line.text()
    assert before[0]
    panel.session.edit("Load", workload__context_tokens=32_768, workload__prompt_tokens=4096)
    qtbot.waitUntil(lambda: (page.title.text(), page.line.text()) != before, timeout=90_000)


def _reads_out(found: list[QWidget]) -> None:
    """By keys, and aloud."""
    assert found
    for chart in found:
        assert chart.accessibleName()
        assert chart.focusPolicy() & Qt.FocusPolicy.TabFocus
        chart.setFocus()
        before = chart.accessibleDescription()
        for _time in range(2):
            QTest.keyClick(chart, Qt.Key.Key_Down if isinstance(chart, Waterfall) else Qt.Key.Key_Right)
        assert chart.accessibleDescription() not in ("", before), type(chart).__name__
        QTest.keyClick(chart, Qt.Key.Key_Escape)


def _shows_a_table(page: Any, unit: str) -> None:
    """Reached, copied and left by keys."""
    QTest.keyClick(charts(page)[0], Qt.Key.Key_T)
    table = page.table_panel.table
    assert table.isVisible()
    assert table.hasFocus()
    assert table.model().rowCount() > 2
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert unit in QGuiApplication.clipboard().text().split("\n")[0]
    QTest.keyClick(table, Qt.Key.Key_T)
    assert not table.isVisible()


def _is_copied_and_saved(panel: ResultsPanel, page: Any, unit: str, folder: Path) -> None:
    """As a picture, a drawing and numbers."""
    *_kinds, copy = panel.export_actions()
    copy.trigger()
    assert QGuiApplication.clipboard().image().width() > 1000
    for kind in ("png", "svg", "csv"):
        panel.export(folder / f"chart.{kind}")
    picture = QImage(str(folder / "chart.png"))
    assert len({picture.pixel(x, y) for x in range(60, 1900, 37) for y in range(60, 1000, 23)}) > 3  # it is drawn
    assert page.title.text().split(" ")[0] in (folder / "chart.svg").read_text(encoding="utf-8")
    assert unit in (folder / "chart.csv").read_text(encoding="utf-8-sig")


def test_explain_is_saved_as_numbers(panel: ResultsPanel, tmp_path: Path) -> None:
    panel.show_tab(EXPLAIN)
    states.settle()
    assert len(panel.export_actions()) == 1
    panel.export(tmp_path / "figures.csv")
    assert len((tmp_path / "figures.csv").read_text(encoding="utf-8-sig").splitlines()) > 100


def test_all_charts_of_a_page_follow_a_drag_in_the_same_frame(panel: ResultsPanel, program: Application) -> None:
    slider = program.window.sizing.inputs.workload.context.slider
    assert slider is not None
    for tab in (MEMORY, SPEED, CAPACITY, ROOFLINE):
        page = shown(panel, tab)
        slider.setFocus()
        before = [_seen(chart) for chart in charts(page)]
        QTest.keyClick(slider, Qt.Key.Key_Left)
        QTest.keyClick(slider, Qt.Key.Key_Left)
        program.session.settled()
        QApplication.processEvents()  # one turn of the loop: what is painted next is all of it
        after = [_seen(chart) for chart in charts(page)]
        moved = [was != now for was, now in zip(before, after, strict=True)]
        assert any(moved), tab
        assert all(one.sizing is program.session.sizing for one in panel.chart_pages)


def _seen(chart: QWidget) -> bytes:
    image = chart.grab().toImage()
    return bytes(image.constBits())
