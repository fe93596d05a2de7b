"""What people do in an order that nobody planned: switches amid an edit, undo from elsewhere, leaving early."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QThreadPool, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from desktop.app import Application
from desktop.pages.catalogue.page import CataloguePage
from desktop.settings import TOUR_SEEN, Settings
from desktop.theme import Scheme
from tests.desktop.shell import Start
from tests.desktop.states import settle, turn

CARD = "rtx-pro-6000-ws"


@pytest.fixture
def application(qtbot: Any, start: Start, tmp_path: Path) -> Application:
    settings = Settings(tmp_path / "config" / "tonnage.ini")
    settings.set(TOUR_SEEN, True)
    settings.flush()
    application = start()
    application.window.resize(1280, 800)
    application.window.activateWindow()
    qtbot.waitUntil(application.window.isActiveWindow)
    return application


def typed(qtbot: Any, field: Any, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_another_language_in_the_middle_of_a_number(qtbot: Any, application: Application) -> None:
    """It was typed with a decimal point, and a German field would read ten times as much."""
    typed(qtbot, application.window.sizing.inputs.workload.speed.edit, "12.5")
    application._speak("de")
    assert application.session.scenario.workload.speed_target == 12.5
    assert application.window.sizing.inputs.workload.speed.edit.text() == "12,5"


def test_another_theme_in_the_middle_of_a_mistake(qtbot: Any, application: Application) -> None:
    edit = application.window.sizing.inputs.workload.context.edit
    typed(qtbot, edit, "many")
    edit._mark()
    application.theme.set_scheme(Scheme.DARK)
    turn()
    assert (edit.text(), edit.property("state")) == ("many", "invalid")
    assert edit.problem
    assert application.session.scenario.workload.context_tokens == 262_144
    application.theme.set_scheme(Scheme.LIGHT)


def test_a_record_being_edited_outlives_another_language(qtbot: Any, application: Application) -> None:
    window = application.window
    window.show_page("catalogue")
    page = window.pages.page(CataloguePage, "catalogue")
    page.show_record("devices", CARD)
    row: Any = next(one for one in page.form.rows if one.figure.key == "tdp_w")
    typed(qtbot, row.value, "450.5")
    application._speak("fr")
    assert application.session.latest.device(CARD).tdp_w == 450.5
    assert application.window.page == "catalogue"


@pytest.mark.parametrize("page", ["hardware", "models", "compare", "catalogue", "proposal", "settings", "help"])
def test_undo_from_every_page_takes_back_the_last_edit(application: Application, page: str) -> None:
    session, before = application.session, application.session.scenario
    session.edit("Users", workload__users=77)
    application.window.show_page(page)
    settle()
    application.window.action("undo").trigger()
    assert session.scenario == before
    application.window.show_page("sizing")
    application.window.action("redo").trigger()
    assert session.scenario.workload.users == 77
    sizing = session.settled()
    assert sizing is not None
    assert sizing.scenario == session.scenario


def test_the_window_shrinks_while_a_popup_is_open(application: Application) -> None:
    window = application.window
    for pick in (window.sizing.inputs.model.model, window.sizing.inputs.deployment.device):
        window.resize(1280, 800)
        pick.open()
        turn()
        window.resize(1024, 640)
        turn()
        pick.popup().hide()
        turn()
    assert QApplication.activePopupWidget() is None
    assert window.size().toTuple() == (1024, 640)


def leave(window: Any) -> None:
    window.close()


def delete_the_scenario(window: Any) -> None:
    window.action("delete").trigger()


@pytest.mark.parametrize("act", [leave, delete_the_scenario])
@pytest.mark.parametrize("page", ["hardware", "models", "compare", "proposal"])
def test_what_runs_in_the_background_may_come_too_late(
    qtbot: Any, application: Application, page: str, act: Callable[[Any], None]
) -> None:
    """Nothing it finds is shown for another question, and nothing fails (a warning would fail the test)."""
    application.window.show_page(page)
    application.session.edit("Users", workload__users=33)
    act(application.window)
    QThreadPool.globalInstance().waitForDone()
    settle()


def test_files_of_all_kinds_are_dropped_at_once(application: Application, tmp_path: Path) -> None:
    """Each says what is wrong with it, or nothing; the scenario stays."""
    before, window = application.session.scenario, application.window
    contents = {
        "a.tonnage": b'{"tonnage": 1, "scenario": {"workload": {"users": "many"}}}', "b.json": b"{", "c.gguf": b"GGUF",
        "d.txt": b"-", "e.safetensors": b"\xff" * 9, "f.tonnagepack": b"[]", "g.png": b"",
    }  # fmt: skip
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in (*contents, "folder", "not there")])
    data.setUrls([*data.urls(), QUrl("https://example.org/model.gguf")])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dragEnterEvent(QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    assert window.drop_frame.isVisible()
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    settle()
    assert not window.drop_frame.isVisible()
    assert application.session.scenario == before
    assert window.messages.bar("import") is not None


@pytest.mark.parametrize(
    "keys",
    ["Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+D", "F2", "Ctrl+Tab", "Alt+3", "F6", "T", "F1", "Ctrl+B", "Ctrl+,", "Ctrl+4"],
)
def test_keys_do_no_harm_where_no_scenario_is_left(qtbot: Any, application: Application, keys: str) -> None:
    window = application.window
    while application.session.scenario_id is not None:
        window.action("delete").trigger()
    assert window.page == "start"
    *held, last = keys.split("+") if keys != "Ctrl+," else ["Ctrl", "Comma"]
    names = {"Ctrl": Qt.KeyboardModifier.ControlModifier, "Shift": Qt.KeyboardModifier.ShiftModifier}
    modifiers = Qt.KeyboardModifier.NoModifier
    for one in held:
        modifiers |= names.get(one, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(QApplication.focusWidget() or window, getattr(Qt.Key, f"Key_{last}"), modifiers)
    turn()
    assert application.session.scenario_id is None
