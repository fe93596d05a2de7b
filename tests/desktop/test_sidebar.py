"""The sidebar: scenarios by client with their verdicts, search, narrow and wide."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from core.scenario import CatalogueModel
from core.sizing.standing import Standing, standing
from desktop.main_window import MainWindow
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.settings import SIDEBAR_WIDTH, Settings
from desktop.sidebar.scenario_rows import Place, Row, ScenarioListModel
from desktop.tones import TONE_OF
from tests.desktop.fixed_sizing import Card, fixed_sizing
from tests.desktop.small_catalogue import MemoryStore


def rows(model: ScenarioListModel) -> list[Row]:
    return [model.index(at).data(ScenarioListModel.RowRole) for at in range(model.rowCount())]


def test_scenarios_stand_under_their_clients(window: MainWindow) -> None:
    model = window.sidebar.scenarios.scenarios
    names = [model.index(at).data() for at in range(model.rowCount())]
    assert names == [
        "Hafen Logistik AG", "RAG platform, one card", "Two DGX Sparks", "Kanzlei Brandt", "Contract search",
    ]  # fmt: skip


def standings(model: ScenarioListModel) -> list[Standing | None]:
    return [model.want_standing(row.scenario.id) for row in rows(model) if row.scenario]


def test_where_each_stands_follows_in_its_own_time(qtbot: Any, window: MainWindow) -> None:
    model = window.sidebar.scenarios.scenarios
    qtbot.waitUntil(lambda: all(standings(model)), timeout=3000)
    assert standings(model) == [Standing.FITS, Standing.DOES_NOT_FIT, Standing.CLOSE]
    at = model.row_of(2)
    assert model.index(at or 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Two DGX Sparks, Does not fit"


def test_that_of_the_scenario_on_screen_is_live(qtbot: Any, window: MainWindow, session: Session) -> None:
    model = window.sidebar.scenarios.scenarios
    with qtbot.waitSignal(session.sizing_changed):
        session.edit("Context", workload__context_tokens=1_048_576)
    assert standings(model)[0] is Standing.DOES_NOT_FIT


def test_an_unknown_speed_is_no_green_check() -> None:
    """What nobody knows, or what misses its target, is not green."""
    assert {where for where, tone in TONE_OF.items() if tone == "ok"} == {Standing.FITS}
    assert TONE_OF[standing(fixed_sizing(Card(speed_unknown=True)))] == "info"
    assert standing(fixed_sizing(Card(speed_target=500.0))) is Standing.TOO_SLOW
    assert standing(fixed_sizing(Card(ttft_target=0.5))) is Standing.TOO_LATE


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
    one_of(SavedScenarios, session)._restore((2, store.kept[1].edited(name="Two DGX Sparks")))
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


def test_moving_to_another_client_or_a_new_one(qtbot: Any, window: MainWindow, store: MemoryStore) -> None:
    view = window.sidebar.scenarios
    view.setCurrentIndex(view.scenarios.index(view.scenarios.row_of(2) or 0))
    view.ask_client()
    popup = view.client_popup
    assert popup is not None
    qtbot.keyClicks(popup.field, "brandt")
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert store.kept[2].client == "Kanzlei Brandt"
    assert view.scenarios.clients == ["Hafen Logistik AG", "Kanzlei Brandt"]
    view.ask_client()
    qtbot.keyClicks(popup.field, "Zoo")
    assert [choice.name for choice in popup.list.rows.rows] == ["New client: Zoo"]
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert store.kept[2].client == "Zoo"
    view.ask_client()
    qtbot.keyClick(popup.field, Qt.Key.Key_Up)
    assert [choice.name for choice in popup.list.rows.rows][-1] == "No client"
    popup.list.step(9)
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert store.kept[2].client == ""


def test_the_menu_offers_what_can_be_done_with_its_keys(window: MainWindow) -> None:
    menu = window.sidebar.scenarios.menu()
    assert [action.text() for action in menu.actions() if action.text()] == [
        "Rename\tF2", "Duplicate\tCtrl+D", "Compare\tSpace", "Move to client…\tCtrl+M", "Delete\tDelete",
    ]  # fmt: skip


def test_space_or_a_click_on_the_box_ticks_and_four_are_enough(
    qtbot: Any, window: MainWindow, session: Session, store: MemoryStore
) -> None:
    view = window.sidebar.scenarios
    view.setFocus()
    view.setCurrentIndex(view.scenarios.index(2))
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert (window.ticked.ids, store.ticks, session.scenario_id) == ((2,), [2], 1)
    index = view.scenarios.index(view.scenarios.row_of(3) or 0)
    box = view.delegate.tick_area(view.visualRect(index)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box)
    assert (window.ticked.ids, session.scenario_id) == ((2, 3), 1)
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert window.sidebar.pages["compare"].accessibleName() == "Compare, 2"
    one_of(SavedScenarios, session).keep([session.scenario.edited(name=f"Option {n}") for n in range(3)])
    assert [window.ticked.toggle(one) for one in (4, 5, 6)] == [True, True, False]
    bar = window.messages.bar("ticks")
    assert bar is not None
    assert bar.text.text().startswith("Four scenarios at most")
    one_of(SavedScenarios, session).delete(3)
    assert window.ticked.ids == (2, 4, 5)


def test_keys_in_the_list_mean_its_row(qtbot: Any, window: MainWindow, store: MemoryStore) -> None:
    view = window.sidebar.scenarios
    window.resize(1280, 800)
    window.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.setCurrentIndex(view.scenarios.index(view.scenarios.row_of(3) or 0))
    qtbot.keyClick(view, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert [one.name for one in store.kept.values()][-1] == "Contract search, copy"
    assert len(store.kept) == 4


def test_alt_with_an_arrow_moves_over_clients(qtbot: Any, window: MainWindow, store: MemoryStore) -> None:
    view = window.sidebar.scenarios
    view.setFocus()
    view.setCurrentIndex(view.scenarios.index(2))

    def moved(key: Qt.Key) -> list[str]:
        qtbot.keyClick(view, key, Qt.KeyboardModifier.AltModifier)
        assert view.selected is not None
        assert view.selected.id == 2
        return [row.name for row in rows(view.scenarios)]

    sparks, one, brandt, contract = "Two DGX Sparks", "RAG platform, one card", "Kanzlei Brandt", "Contract search"
    assert moved(Qt.Key.Key_Up) == ["Hafen Logistik AG", sparks, one, brandt, contract]
    assert moved(Qt.Key.Key_Down) == ["Hafen Logistik AG", one, sparks, brandt, contract]
    assert moved(Qt.Key.Key_Down) == ["Hafen Logistik AG", one, brandt, sparks, contract]
    assert moved(Qt.Key.Key_Down) == ["Hafen Logistik AG", one, brandt, contract, sparks]
    assert moved(Qt.Key.Key_Down) == ["Hafen Logistik AG", one, brandt, contract, sparks]
    assert store.kept[2].client == "Kanzlei Brandt"


def test_a_row_is_dropped_where_the_line_shows(window: MainWindow, store: MemoryStore) -> None:
    view = window.sidebar.scenarios
    above = view.visualRect(view.scenarios.index(1)).topLeft()
    assert view.drop_row(above) == 1
    assert view.drop_row(view.rect().bottomLeft()) == view.scenarios.rowCount()
    assert view.scenarios.place_at(1) == Place("Hafen Logistik AG", 1)
    assert view.scenarios.place_at(3) == Place("Hafen Logistik AG", None)
    assert view.scenarios.place_at(0) == Place("Hafen Logistik AG", 1)
    view.put(3, view.scenarios.place_at(1))
    assert [row.name for row in rows(view.scenarios)] == [
        "Hafen Logistik AG", "Contract search", "RAG platform, one card", "Two DGX Sparks",
    ]  # fmt: skip
    assert view.scenarios.flags(view.scenarios.index(1)) & Qt.ItemFlag.ItemIsDragEnabled


def test_f2_renames_the_scenario_on_screen(qtbot: Any, window: MainWindow, session: Session) -> None:
    window.resize(1280, 800)
    window.sidebar.scenarios.setCurrentIndex(window.sidebar.scenarios.scenarios.index(2))
    window.action("rename").trigger()
    editor = window.sidebar.scenarios.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "RAG platform, one card"
    editor.setText("Renamed")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.scenario.name == "Renamed")
    window.resize(1030, 700)
    window.action("rename").trigger()
    assert window.sizing.inputs.name.hasFocus()


def test_deleting_opens_its_neighbour(window: MainWindow, session: Session) -> None:
    session.open(3)
    one_of(SavedScenarios, session).delete(3)
    assert session.scenario_id == 2


def test_beside_the_rail_the_same_list_opens(qtbot: Any, window: MainWindow, session: Session) -> None:
    window.resize(1030, 700)
    window.sidebar.files.click()
    flyout = window.sidebar.flyout
    assert flyout.isVisible()
    assert flyout.list.scenarios.rowCount() == 5
    flyout.list.setCurrentIndex(flyout.list.scenarios.index(2))
    qtbot.keyClick(flyout.list, Qt.Key.Key_Return)
    assert session.scenario_id == 2
    assert not flyout.isVisible()


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
    assert window.sizing.inputs.width() == 272
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
    assert list(window.sidebar.pages) == ["sizing", "hardware", "models", "compare", "catalogue"]
