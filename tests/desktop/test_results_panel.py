"""The results column as a whole: what it says, how it is worked by hand and by keys, and how it folds."""

import datetime
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from core.language.messages import in_language
from core.sizing.report import Sizing
from desktop.results import exports
from desktop.results.memory_page import MemoryPage
from desktop.results.panel import CAPACITY, EXPLAIN, HARDWARE, MEMORY, ROOFLINE, SPEED, ResultsPanel
from desktop.results.verdict import tone_of
from desktop.session import Message, Session
from desktop.theme import Scheme, Theme
from tests.desktop.fixed_sizing import (
    STATES,
    Card,
    FixedCurves,
    close,
    fixed_sizing,
    second_tier,
    speed_unknown,
    too_much,
)

TODAY = datetime.date(2026, 11, 30)


def make_panel(qtbot: QtBot, theme: Theme, sizing: Sizing, width: int = 750, height: int = 800) -> ResultsPanel:
    session = Session(None, sizing.scenario, size=lambda _scenario, _catalogue: sizing)
    session.sizing = sizing
    panel = ResultsPanel(session, theme, FixedCurves())
    session.setParent(panel)
    qtbot.addWidget(panel)
    panel.resize(width, height)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> ResultsPanel:
    return make_panel(qtbot, theme, fixed_sizing())


def built(panel: ResultsPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: panel.memory.slot.chart is not None)


def test_the_verdict_answers_first(panel: ResultsPanel) -> None:
    assert panel.verdict.sentence.text().startswith("Fits: 21 requests at once at 256K context")
    assert panel.verdict.icon.tone == "ok"
    for sizing, tone in ((close(), "warn"), (too_much(), "bad")):
        panel.set_sizing(sizing)
        assert panel.verdict.icon.tone == tone
        assert panel.verdict.icon.accessibleName()


def test_the_one_primary_button_asks_for_the_proposal(panel: ResultsPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.proposal_wanted):
        QTest.mouseClick(panel.verdict.proposal, Qt.MouseButton.LeftButton)
    primary = [b for b in panel.findChildren(QAbstractButton) if b.property("kind") == "primary"]
    assert primary == [panel.verdict.proposal]


def test_a_new_sizing_of_the_session_is_shown(panel: ResultsPanel) -> None:
    panel.session.sizing_changed.emit(too_much())
    assert panel.tiles.tiles[0].accessibleName().startswith("Requests at once: 10")
    assert "99.4" in panel.memory.title.text()


def test_hidden_pages_wait_until_they_are_shown(panel: ResultsPanel) -> None:
    assert panel.speed.title.text() == ""
    panel.show_tab(SPEED)
    assert panel.speed.title.text().startswith("Reading the weights takes")


def test_alt_and_a_number_choose_a_tab(panel: ResultsPanel, qtbot: QtBot) -> None:
    for key, tab in ((Qt.Key.Key_2, SPEED), (Qt.Key.Key_3, CAPACITY), (Qt.Key.Key_6, EXPLAIN), (Qt.Key.Key_1, MEMORY)):
        QTest.keyClick(panel, key, Qt.KeyboardModifier.AltModifier)
        assert panel.pages.key == tab


def test_a_tile_leads_to_its_explanation(panel: ResultsPanel, qtbot: QtBot) -> None:
    QTest.mouseClick(panel.tiles.tiles[2], Qt.MouseButton.LeftButton)
    assert panel.pages.key == EXPLAIN
    assert panel.explanation.key == "ttft_s"
    assert panel.explanation.pane.name.text() == "Time to first token"


def test_inputs_are_followed_and_left_again(panel: ResultsPanel, qtbot: QtBot) -> None:
    panel.explain("kv_bytes_per_request")
    pane = panel.explanation.pane
    pane.inputs.setCurrentIndex(pane.inputs.model().index(0, 0))
    QTest.keyClick(pane.inputs, Qt.Key.Key_Return)
    assert panel.explanation.key == "kv_bytes_per_token"
    assert panel.explanation.tree.currentIndex().data() == "KV per token"
    QTest.keyClick(panel.explanation, Qt.Key.Key_Backspace)
    assert panel.explanation.key == "kv_bytes_per_request"


def test_the_tree_is_walked_by_arrow_keys(panel: ResultsPanel, qtbot: QtBot) -> None:
    panel.show_tab(EXPLAIN)
    before = panel.explanation.key
    QTest.keyClick(panel.explanation.tree, Qt.Key.Key_Down)
    assert panel.explanation.key != before


def test_an_explanation_is_copied_as_text(panel: ResultsPanel, qtbot: QtBot) -> None:
    panel.explain("kv_bytes_per_request")
    QTest.mouseClick(panel.explanation.pane.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == panel.explanation.text()
    assert "262,144" in panel.explanation.text()


def test_explain_follows_an_edit(panel: ResultsPanel) -> None:
    panel.explain("memory_item.weights")
    panel.set_sizing(fixed_sizing(Card(weights=50e9)))
    assert panel.explanation.pane.value.text().replace("\u00a0", " ") == "50.0 GB"


def test_t_shows_the_same_numbers_as_a_table(panel: ResultsPanel, qtbot: QtBot) -> None:
    built(panel, qtbot)
    QTest.keyClick(panel.memory.bar, Qt.Key.Key_T)
    tables = panel.memory.table_panel
    assert panel.memory.shows_tables
    assert tables is not None
    assert tables.names == ["Items", "Against context"]
    tables.choose(1)
    chart = panel.memory.slot.chart
    assert chart is not None
    assert chart.picture is not None
    assert tables.table.model().rowCount() == len(chart.picture.x)
    tables.table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    assert tables.table.model().index(0, 0).data() == f"{round(chart.picture.x[-1]):,}"
    assert tables.table.copied_text().startswith("Context [tokens]\t16-bit [GB]\t")
    QTest.keyClick(tables.table, Qt.Key.Key_T)
    assert not panel.memory.shows_tables


def test_a_table_row_leads_to_its_explanation(panel: ResultsPanel, qtbot: QtBot) -> None:
    panel.toggle_table()
    assert panel.memory.table_panel is not None
    table = panel.memory.table_panel.table
    table.activated.emit(table.model().index(0, 0))
    assert panel.explanation.key == "memory_item.weights"


def test_tables_follow_an_edit(panel: ResultsPanel) -> None:
    panel.toggle_table()
    panel.set_sizing(fixed_sizing(Card(weights=50e9)))
    assert panel.memory.table_panel is not None
    assert panel.memory.table_panel.table.model().index(0, 2).data() == "50.00"


@pytest.mark.parametrize(
    ("width", "height", "folded", "list_hidden"),
    [(750, 800, False, False), (698, 640, True, True), (750, 650, True, False), (1400, 900, False, False)],
)
def test_it_folds_where_room_is_short(
    panel: ResultsPanel, width: int, height: int, folded: bool, list_hidden: bool
) -> None:
    panel.resize(width, height)
    assert (panel.advice.findings.rows == []) is folded
    assert panel.memory.items.isHidden() is list_hidden
    assert panel.memory.line.isHidden() is list_hidden


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_it_never_needs_more_than_the_smallest_window(qtbot: QtBot, theme: Theme, state: object, language: str) -> None:
    with in_language(language):
        panel = make_panel(qtbot, theme, state(), 698, 640)  # type: ignore[operator]
        assert panel.minimumSizeHint().width() <= 540
        assert panel.minimumSizeHint().height() <= 640
        assert (panel.width(), panel.height()) == (698, 640)


def test_an_unknown_speed_is_shown_as_missing_and_comes_back(panel: ResultsPanel) -> None:
    panel.show_tab(SPEED)
    panel.speed.complete()
    panel.set_sizing(speed_unknown())
    assert panel.verdict.sentence.text() == "Fits; speed unknown"
    assert panel.speed.title.text() == "The time of a token is unknown"
    assert panel.speed.ttft.missing == "The time to first token is unknown"
    assert "unknown" in panel.speed.ttft.accessibleName()
    assert shown_of_speed(panel) == ("info", False, False, ["Decode against context"])
    panel.tiles.tiles[2].click()
    assert panel.tabs.currentIndex() == SPEED  # there is nothing to explain
    panel.grab()
    panel.set_sizing(fixed_sizing())
    names = ["One token", "Decode against context", "First token against prompt"]
    assert shown_of_speed(panel) == ("ok", True, True, names)


def shown_of_speed(panel: ResultsPanel) -> tuple[str, bool, bool, list[str]]:
    """Tone of the verdict, is there a waterfall, is there a chart of the first token, names of the tables."""
    page = panel.speed
    tables = [table.name for table in page.tables()]
    return panel.verdict.icon.tone, page.waterfall.isVisible(), page.ttft.picture is not None, tables


def test_close_memory_is_louder_than_an_unknown_speed() -> None:
    assert tone_of(fixed_sizing(Card(users=70, speed_unknown=True))) == "warn"
    assert tone_of(fixed_sizing(Card(context=524_288, speed_unknown=True))) == "bad"


def test_wide_windows_leave_a_margin(panel: ResultsPanel) -> None:
    panel.resize(1600, 900)
    QGuiApplication.processEvents()
    assert panel.tiles.width() == 1060


def test_every_control_has_a_name(panel: ResultsPanel, qtbot: QtBot) -> None:
    built(panel, qtbot)
    for tab in (MEMORY, SPEED, CAPACITY, ROOFLINE, HARDWARE, EXPLAIN):
        panel.show_tab(tab)
        for button in panel.findChildren(QAbstractButton):
            if button.isVisible():
                assert button.accessibleName() or button.text()
    for chart in (panel.memory.bar, panel.memory.slot.chart, panel.speed.waterfall):
        assert chart is not None
        assert chart.accessibleName()
        assert chart.accessibleDescription()


def test_the_theme_can_change_under_it(panel: ResultsPanel, qtbot: QtBot, theme: Theme) -> None:
    built(panel, qtbot)
    light = panel.grab().toImage().pixelColor(2, panel.height() - 2)
    theme.set_scheme(Scheme.DARK)
    dark = panel.grab().toImage().pixelColor(2, panel.height() - 2)
    assert light.lightness() > 200 > 80 > dark.lightness()


def test_png_is_twice_the_size_and_on_white(panel: ResultsPanel, tmp_path: Path) -> None:
    panel.theme.set_scheme(Scheme.DARK)
    panel.export(tmp_path / "memory.png")
    image = QImage(str(tmp_path / "memory.png"))
    assert image.width() == 2 * (exports.SIZE.width() + 2 * exports.MARGIN)
    assert image.pixelColor(3, 3).name() == "#ffffff"
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert "#0072b2" in colours  # the cache as on a light ground


def test_a_picture_can_be_copied(panel: ResultsPanel) -> None:
    QGuiApplication.clipboard().clear()
    panel.copy_picture()
    assert QGuiApplication.clipboard().image().width() == 2 * (exports.SIZE.width() + 2 * exports.MARGIN)


def test_results_of_the_last_good_value_say_so(panel: ResultsPanel) -> None:
    reason = panel.verdict.reason.text()
    panel.session.hold("workload__context_tokens", "256K")
    assert panel.verdict.reason.text() == f"Results with 256K. {reason}"
    panel.session.hold("workload__context_tokens", "")
    assert panel.verdict.reason.text() == reason


def test_svg_is_a_drawing_with_title_and_source(panel: ResultsPanel, tmp_path: Path) -> None:
    for tab, word in (
        (MEMORY, "12 requests of 256K"),
        (SPEED, "Reading the weights"),
        (CAPACITY, "70 users at your targets"),
        (ROOFLINE, "Memory bandwidth bounds writing"),
    ):
        panel.show_tab(tab)
        path = tmp_path / f"{tab}.svg"
        panel.export(path)
        root = ET.parse(path).getroot()
        texts = "".join(root.itertext())
        assert word in texts
        assert "Source: Tonnage" in texts
        assert not root.findall(".//{http://www.w3.org/2000/svg}image"), "a drawing, not a picture"


def test_csv_holds_the_numbers_of_every_chart(panel: ResultsPanel, tmp_path: Path) -> None:
    panel.export(tmp_path / "memory.csv")
    text = (tmp_path / "memory.csv").read_text(encoding="utf-8-sig")
    assert "RTX PRO 6000 Workstation,Weights,23.4,21.792948" in text
    assert "Context [tokens],16-bit [GB]" in text
    panel.show_tab(EXPLAIN)
    panel.export(tmp_path / "figures.csv")
    figures = (tmp_path / "figures.csv").read_text(encoding="utf-8-sig")
    assert all(f",{key}," in figures for key in fixed_sizing().trace)


def test_a_figure_that_looks_like_a_formula_is_kept_as_text(tmp_path: Path, panel: ResultsPanel) -> None:
    panel.show_tab(EXPLAIN)
    panel.export(tmp_path / "figures.csv")
    lines = (tmp_path / "figures.csv").read_text(encoding="utf-8-sig").splitlines()
    assert not any(",=" in line for line in lines)


def test_a_folder_that_cannot_be_written_is_said_in_the_page(panel: ResultsPanel, tmp_path: Path) -> None:
    said: list[Message] = []
    panel.session.message.connect(said.append)
    for ending in ("png", "svg", "csv"):
        panel.export(tmp_path / "missing" / f"chart.{ending}")
    assert [message.tone for message in said] == ["bad"] * 3
    assert "cannot be written" in said[0].text


def test_the_export_menu_offers_what_the_tab_has(panel: ResultsPanel) -> None:
    assert [action.text() for action in panel.export_actions()] == [
        "Picture (PNG)…",
        "Drawing (SVG)…",
        "Numbers (CSV)…",
        "Copy picture",
    ]
    panel.show_tab(EXPLAIN)
    assert [action.text() for action in panel.export_actions()] == ["Numbers (CSV)…"]


def test_pyqtgraph_and_numpy_wait_for_the_first_paint() -> None:
    code = """
import sys
from PySide6.QtWidgets import QApplication
from desktop.results.panel import ResultsPanel
from desktop.session import Session
from desktop.theme import Scheme, Theme
from tests.desktop.fixed_sizing import FixedCurves, fixed_sizing
app = QApplication([])
sizing = fixed_sizing()
session = Session(None, sizing.scenario, size=lambda _s, _c: sizing)
session.sizing = sizing
panel = ResultsPanel(session, Theme(Scheme.LIGHT), FixedCurves())
panel.resize(750, 800)
panel.show()
early = [name for name in ("pyqtgraph", "numpy") if name in sys.modules]
panel.grab()
early += [name for name in ("pyqtgraph", "numpy") if name in sys.modules]
app.processEvents()
app.processEvents()
print(early, "pyqtgraph" in sys.modules, panel.memory.slot.chart is not None)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[] True True"


def test_a_second_tier_is_listed_apart(qtbot: QtBot, theme: Theme) -> None:
    page = MemoryPage(theme, FixedCurves())
    qtbot.addWidget(page)
    page.set_sizing(second_tier(), None)
    page.complete()
    names = [line.name for line in page.items.lines]
    assert "Weights, LPDDR5X" in names
