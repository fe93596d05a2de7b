"""The sidebar: scenarios by client with their verdicts, search, narrow and wide."""

from typing import Any

from PySide6.QtCore import Qt

from core.scenario import CatalogueModel
from core.sizing.report import Verdict
from desktop.main_window import MainWindow
from desktop.session import Session
from desktop.settings import SIDEBAR_WIDTH, Settings
from desktop.sidebar.scenario_list import Row, ScenarioListModel
from tests.desktop.small_catalogue import MemoryStore


def rows(model: ScenarioListModel) -> list[Row]:
    return [model.index(at).data(ScenarioListModel.RowRole) for at in range(model.rowCount())]


def test_scenarios_stand_under_their_clients(window: MainWindow) -> None:
    model = window.sidebar.scenarios.scenarios
    names = [model.index(at).data() for at in range(model.rowCount())]
    assert names == [
        "Hafen Logistik AG", "RAG platform, one card", "Two DGX Sparks", "Kanzlei Brandt", "Contract search",
    ]  # fmt: skip


def test_verdicts_follow_in_their_own_time(qtbot: Any, window: MainWindow) -> None:
    model = window.sidebar.scenarios.scenarios
    qtbot.waitUntil(lambda: all(row.verdict for row in rows(model) if row.scenario), timeout=3000)
    assert [row.verdict for row in rows(model) if row.scenario] == [
        Verdict.FITS, Verdict.DOES_NOT_FIT, Verdict.CLOSE,
    ]  # fmt: skip
    at = model.row_of(2)
    assert model.index(at or 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Two DGX Sparks, does not fit"


def test_the_verdict_of_the_scenario_on_screen_is_live(qtbot: Any, window: MainWindow, session: Session) -> None:
    model = window.sidebar.scenarios.scenarios
    with qtbot.waitSignal(session.sizing_changed):
        session.edit("Context", workload__context_tokens=1_048_576)
    assert rows(model)[1].verdict is Verdict.DOES_NOT_FIT


def test_the_model_is_sound(qtbot: Any, window: MainWindow, qtmodeltester: Any) -> None:
    qtmodeltester.check(window.sidebar.scenarios.scenarios)


def test_enter_opens_and_delete_deletes_with_undo(
    qtbot: Any, window: MainWindow, session: Session, store: MemoryStore
) -> None:
    view = window.sidebar.scenarios
    view.setFocus()
    view.setCurrentIndex(view.scenarios.index(2))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert session.scenario_id == 2
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert 2 not in store.kept
    bar = window.messages.bar("delete")
    assert bar is not None
    assert bar.text.text() == "“Two DGX Sparks” was deleted."
    session._restore((2, store.kept[1].edited(name="Two DGX Sparks")))
    assert view.scenarios.row_of(2) is not None


def test_renaming_in_place(window: MainWindow, session: Session, store: MemoryStore) -> None:
    model = window.sidebar.scenarios.scenarios
    index = model.index(model.row_of(3) or 0)
    assert model.setData(index, "  Search in contracts ")
    assert store.kept[3].name == "Search in contracts"
    assert not model.setData(index, "")
    at = model.row_of(1)
    assert model.setData(model.index(at or 0), "First")
    assert session.scenario.name == "First"


def test_moving_to_another_client(window: MainWindow, store: MemoryStore) -> None:
    view = window.sidebar.scenarios
    view.setCurrentIndex(view.scenarios.index(view.scenarios.row_of(2) or 0))
    view._move_to("Kanzlei Brandt")
    assert store.kept[2].client == "Kanzlei Brandt"
    assert view.scenarios.clients == ["Hafen Logistik AG", "Kanzlei Brandt"]


def test_the_menu_offers_what_can_be_done(window: MainWindow) -> None:
    menu = window.sidebar.scenarios.menu()
    assert [action.text() for action in menu.actions() if action.text()] == [
        "Rename", "Duplicate", "Move to client", "Delete",
    ]  # fmt: skip


def test_search_finds_scenarios_models_devices_and_commands(qtbot: Any, window: MainWindow, session: Session) -> None:
    window.action("search").trigger()
    popup = window.sidebar.search_popup
    assert popup is not None
    assert popup.isVisible()
    for query, key in [
        ("two dgx", "scenario:2"),
        ("gpt-oss", "model:openai/gpt-oss-20b"),
        ("mi300", "device:mi300x"),
        ("narrow", "command:sidebar"),
    ]:
        popup.field.setText(query)
        assert popup.list.current is not None
        assert popup.list.current.key == key
    popup.field.setText("gpt-oss")
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert session.scenario.model == CatalogueModel(id="openai/gpt-oss-20b")


def test_search_shows_shortcuts_and_says_when_nothing_is_found(window: MainWindow) -> None:
    window.sidebar.open_search()
    popup = window.sidebar.search_popup
    assert popup is not None
    shortcuts = {choice.key: choice.detail for choice in popup.list.rows.rows if choice.key.startswith("command:")}
    assert shortcuts["command:new"] == "Ctrl+N"
    popup.field.setText("zzzz")
    assert popup.nothing.isVisible()
    popup.hide()


def test_below_1120_the_sidebar_is_a_rail(window: MainWindow) -> None:
    window.resize(1280, 800)
    assert (window.sidebar.width(), window.sidebar.narrow) == (228, False)
    window.resize(1100, 700)
    assert (window.sidebar.width(), window.sidebar.narrow) == (52, True)
    assert window.inputs.width() == 272
    assert window.sidebar.files.isVisible()
    assert not window.sidebar.scenarios.isVisible()
    window.resize(1280, 800)
    assert window.sidebar.width() == 228


def test_the_sidebar_can_be_narrowed_by_hand(window: MainWindow) -> None:
    window.resize(1280, 800)
    window.action("sidebar").trigger()
    assert window.sidebar.width() == 52
    window.action("sidebar").trigger()
    assert window.sidebar.width() == 228


def test_its_width_is_remembered(qtbot: Any, window: MainWindow, settings: Settings) -> None:
    window.resize(1280, 800)
    window.splitter.moveSplitter(260, 1)
    assert window.sidebar.width() == 260
    assert settings.get(SIDEBAR_WIDTH) == 260
    window.resize(1100, 800)
    assert window.sidebar.width() == 52
    window.resize(1280, 800)
    assert window.sidebar.width() == 260


def test_it_says_when_it_saved(window: MainWindow, session: Session) -> None:
    session.edit("Users", workload__users=50)
    session.save()
    assert window.sidebar.saved.text().startswith("Saved ")


def test_only_pages_that_exist_are_offered(window: MainWindow) -> None:
    assert list(window.sidebar.pages) == ["sizing", "hardware", "models", "catalogue"]
