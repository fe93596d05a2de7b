"""Compare: follows the ticks, columns with letters, rows with change and star, everything by keyboard."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from core.language.messages import LANGUAGES, set_language
from core.sizing.standing import Standing
from desktop.main_window import MainWindow
from desktop.pages.compare.compare_page import ComparePage
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.settings import Settings
from desktop.theme import Scheme, Theme
from tests.core.test_comparison import CARD, H200, SMALL, SPARKS
from tests.desktop.shell import make_window
from tests.desktop.small_catalogue import MemoryStore
from tests.shipped import shipped


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(CARD, H200, SPARKS, SMALL, CARD.edited(name="Other client", client="Zoo"))


@pytest.fixture
def session(qapp: QApplication, store: MemoryStore) -> Session:
    session = Session(shipped(), CARD, store)
    session.scenario_id = 1
    session.recompute()
    return session


@pytest.fixture
def page(qtbot: Any, window: MainWindow) -> ComparePage:
    window.resize(1280, 800)
    window.ticked.set_ids([1, 2, 3])
    window.action("compare").trigger()
    page = window.pages.built["compare"]
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page.found is not None, timeout=10_000)
    return page


def standings(page: ComparePage) -> list[Standing]:
    return [option.standing for option in page.found.options] if page.found else []


def shown(page: ComparePage) -> list[str]:
    return [line.name for line in page.body.table.rows.lines]


def test_two_to_four_ticked_scenarios_stand_side_by_side(qtbot: Any, page: ComparePage, window: MainWindow) -> None:
    assert page.found is not None
    assert [option.scenario.name for option in page.found.options] == ["One card", "H200", "Sparks"]
    assert page.headline.text().startswith("B is ")
    assert [head.isVisible() for head in page.body.heads] == [True, True, True, False]
    window.ticked.toggle(4)
    qtbot.waitUntil(lambda: standings(page)[3:] == [Standing.DOES_NOT_FIT], timeout=10_000)
    assert not page.add.isEnabled()


def test_fewer_than_two_show_what_will_be_here(qtbot: Any, window: MainWindow, store: MemoryStore) -> None:
    window.action("compare").trigger()
    page = window.pages.built["compare"]
    assert isinstance(page, ComparePage)
    assert page.pages.currentWidget() is page.empty
    assert page.empty.title.text() == "Two to four scenarios side by side"
    page.empty.client.click()
    assert window.ticked.ids == (1, 2, 3, 4)
    qtbot.waitUntil(lambda: page.found is not None, timeout=10_000)
    window.ticked.set_ids([2])
    assert page.pages.currentWidget() is page.empty


def test_rows_that_are_alike_hide_until_they_are_asked_for(page: ComparePage, settings: Settings) -> None:
    assert page.only.isChecked()
    assert "Inputs that differ" in shown(page)
    assert "Users" not in shown(page)
    page.only.click()
    assert "Users" in shown(page)
    assert "Inputs" in shown(page)
    assert page.body.table.height() == page.body.table.content_height()


def test_a_cell_says_figure_range_change_and_star(page: ComparePage) -> None:
    model = page.body.table.rows
    row = shown(page).index("At 12 requests")
    best = model.lines[row].best
    assert best is not None
    spoken = model.index(row, best + 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("At 12 requests, B: ")
    assert spoken.endswith("best of its row")
    assert "tok/s" in model.index(row, 1).data()


def test_the_model_is_sound(page: ComparePage, qtmodeltester: Any) -> None:
    qtmodeltester.check(page.body.table.rows)


def test_drawings_and_rows_stand_under_one_another(page: ComparePage, window: MainWindow) -> None:
    for width in (1280, 1024):
        window.resize(width, 700)
        table = page.body.table
        for at, head in enumerate(page.body.heads[:3], start=1):
            assert head.x() == table.x() + table.columnViewportPosition(at)
            assert page.body.charts[at - 1].x() == page.body.strips[at - 1].x() == head.x()


def test_one_chart_reads_out_all(qtbot: Any, page: ComparePage) -> None:
    chart = page.body.charts[0]
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    at = chart.read_at
    assert round(page.found.axis[at]) == 12 if page.found else False
    assert {other.read_at for other in page.body.charts[:3]} == {at}
    assert "requests at once" in chart.accessibleDescription()
    qtbot.keyClick(chart, Qt.Key.Key_End)
    assert "more than the memory holds" in chart.accessibleDescription()
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert {other.read_at for other in page.body.charts[:3]} == {-1}


def test_the_charts_have_a_table(qtbot: Any, page: ComparePage) -> None:
    page.body.table.setFocus()
    page.toggle_table()
    assert page.numbers.isVisible()
    assert page.numbers.table.numbers.columnCount() == 1 + 3 * 3
    page.toggle_table()
    assert page.body.isVisible()


def test_a_head_opens_takes_out_and_makes_a(
    qtbot: Any, page: ComparePage, window: MainWindow, session: Session
) -> None:
    page.body.heads[2].made_first.emit()
    assert list(window.ticked.ids) == [3, 1, 2]
    qtbot.waitUntil(lambda: page.found is not None and page.found.options[0].scenario.name == "Sparks")
    page.body.heads[1].setFocus()
    qtbot.keyClick(page.body.heads[1], Qt.Key.Key_Delete)
    assert list(window.ticked.ids) == [3, 2]
    qtbot.waitUntil(lambda: page.found is not None and len(page.found.options) == 2)
    qtbot.keyClick(page.body.heads[1], Qt.Key.Key_Return)
    assert (session.scenario_id, window.page) == (2, "sizing")


def test_a_figure_leads_to_its_explanation(qtbot: Any, page: ComparePage, session: Session) -> None:
    asked: list[str] = []
    page.explain_requested.connect(asked.append)
    table = page.body.table
    table.setFocus()
    table.setCurrentIndex(table.rows.index(shown(page).index("First token"), 2))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert asked == ["ttft_s"]
    assert session.scenario_id == 2


def test_everything_can_be_copied(qtbot: Any, page: ComparePage) -> None:
    table = page.body.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "\tA\tB\tC"
    assert len(lines) == 1 + table.rows.rowCount()


def test_an_edit_is_in_the_comparison_when_it_is_seen_again(
    qtbot: Any, page: ComparePage, window: MainWindow, session: Session
) -> None:
    window.show_page("sizing")
    session.edit("Users", workload__users=10)
    window.show_page("compare")
    qtbot.waitUntil(lambda: page.found is not None and page.found.options[0].scenario.workload.users == 10)
    assert "the work is not the same" in page.subline.text()


def test_what_cannot_be_sized_is_named_and_left_out(
    qtbot: Any, page: ComparePage, window: MainWindow, session: Session
) -> None:
    one_of(SavedScenarios, session).keep([CARD.edited(name="Lost", deployment__device="sold-out")])
    window.ticked.set_ids([1, 6, 2])
    qtbot.waitUntil(lambda: page.found is not None and len(page.found.options) == 2)
    bar = window.messages.bar("compare")
    assert bar is not None
    assert bar.text.text() == "“Lost” cannot be sized: it is left out."


def test_one_click_leads_to_the_proposal(page: ComparePage) -> None:
    wanted: list[list[int]] = []
    page.propose.disconnect()
    page.propose.connect(wanted.append)
    page.proposal.click()
    assert wanted == [[1, 2, 3]]


def test_every_part_has_a_name(page: ComparePage) -> None:
    parts = [*page.body.heads[:3], *page.body.charts[:3], page.body.table, page.only, page.add, page.proposal]
    for part in parts:
        interface = QAccessible.queryAccessibleInterface(part)
        assert interface.text(QAccessible.Text.Name).strip(), part


@pytest.fixture
def english_again() -> Iterator[None]:
    yield
    set_language("en")


@pytest.mark.usefixtures("english_again")
@pytest.mark.parametrize("code", LANGUAGES)
def test_no_language_needs_more_than_1024_by_640(
    qtbot: Any, session: Session, theme: Theme, settings: Settings, code: str
) -> None:
    set_language(code)
    window = make_window(session, theme, settings)
    window.resize(1024, 640)
    window.show()
    window.ticked.set_ids([1, 2, 3, 4])
    window.show_page("compare")
    page = window.pages.built["compare"]
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page.found is not None, timeout=10_000)
    assert window.minimumSizeHint().width() <= 1024
    assert (window.width(), window.height()) == (1024, 640)
    assert page.body.width() <= page.scroll_area.viewport().width()
    window.close()
    delete(window)


def test_an_answer_that_comes_after_the_ticks_are_gone_is_dropped(
    qtbot: Any, page: ComparePage, window: MainWindow
) -> None:
    page.refresh()  # an answer is under way
    window.ticked.set_ids([])
    assert page.pages.currentWidget() is page.empty
    QThreadPool.globalInstance().waitForDone()
    QApplication.processEvents()
    assert page.pages.currentWidget() is page.empty


def test_a_step_taken_back_here_leaves_the_scenario_in(qtbot: Any, page: ComparePage, session: Session) -> None:
    session.edit("Users", workload__users=session.scenario.workload.users + 1)
    session.undo()  # within the same frame: what is on screen is not sized yet
    qtbot.waitUntil(lambda: len(standings(page)) == 3, timeout=10_000)
    bar = page.window().messages.bar("compare")  # type: ignore[attr-defined]
    assert bar is None


def test_the_comparison_is_saved_as_picture_drawing_and_numbers(
    page: ComparePage, window: MainWindow, tmp_path: Path
) -> None:
    assert [action.text() for action in page.export_actions()][-1] == "Copy picture"
    for kind in ("png", "svg", "csv"):
        page.export(tmp_path / f"compared.{kind}")
    image = QImage(str(tmp_path / "compared.png"))
    assert image.width() > 2000
    assert image.pixelColor(2, 2) == QColor("white")
    drawing = (tmp_path / "compared.svg").read_text(encoding="utf-8")
    assert "Sparks" in drawing
    numbers = (tmp_path / "compared.csv").read_text(encoding="utf-8-sig")
    assert numbers.startswith("Compare\nItem,A: One card,B: H200,C: Sparks\n")
    assert "Speed per user\n" in numbers
    page.export_actions()[-1].trigger()
    assert QGuiApplication.clipboard().image().size() == image.size()
    page.export(tmp_path / "nowhere" / "x.png")
    bar = window.messages.bar("export")
    assert bar is not None
    assert "cannot be written" in bar.text.text()


def test_an_export_is_light_in_a_dark_window(page: ComparePage, theme: Theme, tmp_path: Path) -> None:
    page.export(tmp_path / "light.png")
    theme.set_scheme(Scheme.DARK)
    page.export(tmp_path / "dark.png")
    light, dark = (QImage(str(tmp_path / f"{name}.png")) for name in ("light", "dark"))
    assert light.size() == dark.size()
    grounds = [
        sum(one.pixelColor(x, one.height() - 120).lightness() for x in range(60, 2000, 20)) for one in (light, dark)
    ]
    assert grounds[0] == grounds[1]


def test_each_option_is_sized_with_the_figures_that_it_keeps(qtbot: Any, page: ComparePage, store: MemoryStore) -> None:
    """The catalogue has moved on since: an option and its line in the list say the same."""
    session = page._session
    device = session.catalogue.device(H200.deployment.device)
    tier = device.memory_tiers[0]
    slower = device.model_copy(
        update={"memory_tiers": (tier.model_copy(update={"bandwidth_bytes_per_s": tier.bandwidth_bytes_per_s / 2}),)}
    )
    before = page.found
    assert before is not None
    store.keep_records(2, {"devices": {device.id: slower.model_dump_json(exclude_defaults=True)}})
    page._ask()
    qtbot.waitUntil(lambda: page.found is not None and page.found is not before, timeout=10_000)
    own = one_of(SavedScenarios, session).sizing_of(2)
    assert page.found is not None
    then, now = before.options[1].sizing, page.found.options[1].sizing
    assert own is not None
    assert then.decode is not None
    assert now.decode is not None
    assert now.decode == own.decode
    assert now.decode.p50 < then.decode.p50
    assert page.found.options[0].sizing.decode == before.options[0].sizing.decode
