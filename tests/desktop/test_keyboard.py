"""The keyboard: every key of the map does something, tooltips show it, and a whole job is done without the mouse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from desktop.app import Application
from desktop.main_window import MainWindow
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.settings import STARTED_BEFORE, TOUR_SEEN, Settings
from tests.desktop.shell import Start

MOST_KEYS = 60
HELD = {
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
}
#: The keys of the window as ui.md, section 7, sets them.
OF_THE_WINDOW = (
    "Ctrl+K", "Ctrl+1", "Ctrl+2", "Ctrl+3", "Ctrl+4", "Ctrl+5", "Ctrl+N", "Ctrl+D", "F2", "Ctrl+Z", "Ctrl+Shift+Z",
    "Ctrl+Tab", "Alt+1", "Alt+2", "Alt+3", "F6", "Shift+F6", "T", "Ctrl+E", "Ctrl+P", "Ctrl+B", "Ctrl+,",
)  # fmt: skip


def shortcuts(window: QWidget) -> list[str]:
    """Every shortcut that the window listens to."""
    found = [action.shortcut() for action in window.findChildren(QAction)]
    found += [shortcut.key() for shortcut in window.findChildren(QShortcut)]
    return [keys.toString() for keys in found if not keys.isEmpty()]


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


def press(keys: str) -> None:
    """A key, as it is written, to whatever has the focus."""
    Typist().key(keys)


def test_every_key_of_the_map_is_listened_to(application: Application) -> None:
    there = shortcuts(application.window)
    assert [keys for keys in OF_THE_WINDOW if keys not in there] == []


def test_no_two_actions_share_a_key(application: Application) -> None:
    keys = [action.shortcut().toString() for action in application.window.findChildren(QAction)]
    keys = [one for one in keys if one]
    assert sorted(keys) == sorted(set(keys))


def test_buttons_show_their_keys(application: Application) -> None:
    sidebar, inputs = application.window.sidebar, application.window.sizing.inputs
    tips = {
        "Ctrl+K": sidebar.search, "Ctrl+N": sidebar.add, "Ctrl+B": sidebar.fold, "Ctrl+,": sidebar.settings,
        "Ctrl+1": sidebar.pages["sizing"], "Ctrl+2": sidebar.pages["hardware"], "Ctrl+3": sidebar.pages["models"],
        "Ctrl+4": sidebar.pages["compare"], "Ctrl+5": sidebar.pages["catalogue"],
        "Ctrl+Z": inputs.undo, "Ctrl+Shift+Z": inputs.redo,
    }  # fmt: skip
    assert {keys for keys, widget in tips.items() if f"({keys})" not in widget.toolTip()} == set()


def test_undo_takes_back_typing_first_and_then_what_was_done(application: Application) -> None:
    """In the field of a name, with the key, as a person does."""
    window, session = application.window, application.session
    window.show_page("sizing")
    first = session.scenario.name
    session.edit("Users", workload__users=77)
    name = window.sizing.inputs.name
    name.setFocus()
    name.selectAll()
    press("Q")
    press("Ctrl+Z")
    assert (name.text(), session.scenario.workload.users) == (first, 77)
    name.selectAll()
    press("Q")
    press("Return")
    assert session.scenario.name == "q"
    press("Ctrl+Z")
    assert (name.text(), session.scenario.name, session.scenario.workload.users) == (first, first, 77)
    press("Ctrl+Z")
    assert session.scenario.workload.users != 77
    press("Ctrl+Shift+Z")
    assert session.scenario.workload.users == 77


def walk(window: MainWindow) -> dict[str, Callable[[], bool]]:
    """Keys of the window, in the order in which they are pressed, and what is to be seen then."""
    session = window.session
    return {
        "Ctrl+2": lambda: window.page == "hardware",
        "Ctrl+3": lambda: window.page == "models",
        "Ctrl+4": lambda: window.page == "compare",
        "Ctrl+5": lambda: window.page == "catalogue",
        "Ctrl+1": lambda: window.page == "sizing",
        "Ctrl+Tab": lambda: session.scenario_id == 2,
        "Ctrl+Shift+Tab": lambda: session.scenario_id == 1,
        "Ctrl+D": lambda: session.scenario_id == 3,
        "Ctrl+B": lambda: window.sidebar.narrow,
        "F2": window.sizing.inputs.name.hasFocus,
        "F6": lambda: window.sizing.results.isAncestorOf(focused()),
        "Shift+F6": lambda: window.sizing.inputs.isAncestorOf(focused()),
        "Ctrl+N": lambda: session.scenario_id == 4 and window.sizing.inputs.name.hasFocus(),
        "Ctrl+Z": lambda: not session.history.canUndo(),
        "Alt+2": lambda: window.sizing.results.tabs.currentIndex() == 1,  # type: ignore[attr-defined]
        "Alt+1": lambda: window.sizing.results.tabs.currentIndex() == 0,  # type: ignore[attr-defined]
        "Ctrl+P": lambda: window.page == "proposal",
    }


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def test_the_keys_do_what_the_map_says(application: Application) -> None:
    window = application.window
    for keys, seen in walk(window).items():
        press(keys)
        assert seen(), keys


def test_f1_shows_how_figures_were_found(application: Application) -> None:
    window = application.window
    window.sizing.inputs.model.model.setFocus()
    press("F1")
    results = window.sizing.results
    assert results.explanation.isVisible()  # type: ignore[attr-defined]


def test_f1_in_a_field_explains_what_the_field_is(application: Application) -> None:
    window = application.window
    inputs, results = window.sizing.inputs, window.sizing.results
    fields = {
        inputs.workload.context.edit: "workload.context_tokens",
        inputs.workload.speed.edit: "decode_tok_s",
        inputs.model.kv_cache: "kv_bytes_per_token",
        inputs.model.model: "memory_item.weights",
        inputs.deployment.device: "memory.limit_bytes",
        inputs.deployment.engine: "decode_step_s.engine",
    }
    for field, key in fields.items():
        results.show_tab(0)  # type: ignore[attr-defined]
        field.setFocus()
        press("F1")
        assert results.explanation.isVisible()  # type: ignore[attr-defined]
        assert results.explanation.key == key  # type: ignore[attr-defined]


def test_search_and_settings_open(application: Application) -> None:
    press("Ctrl+K")
    popup = application.window.sidebar.search_popup
    assert popup is not None
    assert popup.isVisible()
    popup.hide()
    press("Ctrl+,")
    assert application.window.page == "settings"


class Typist:
    """Presses keys, one by one, and counts them. The mouse is out of reach."""

    def __init__(self) -> None:
        self.pressed = 0

    def key(self, keys: str) -> None:
        self.pressed += 1
        *names, last = keys.split("+") if keys != "Ctrl+," else ["Ctrl", "Comma"]
        held = Qt.KeyboardModifier.NoModifier
        for name in names:
            held |= HELD[name]
        QTest.keyClick(self._target(), getattr(Qt.Key, f"Key_{last}"), held)

    def write(self, text: str) -> None:
        for letter in text:
            self.pressed += 1
            target = self._target()
            assert isinstance(target, QLineEdit)
            QTest.keyClicks(target, letter)

    @staticmethod
    def _target() -> QWidget:
        """What a real keyboard would reach."""
        popup, active = QApplication.activePopupWidget(), QApplication.activeWindow()
        if active is not None and not active.isVisible():  # the offscreen platform keeps a closed popup active
            opener = active.parentWidget()
            assert opener is not None
            opener.window().activateWindow()
            QApplication.processEvents()
        target = popup.focusWidget() if popup is not None else QApplication.focusWidget()
        found = target or QApplication.activeWindow()
        assert found is not None
        return found


def test_a_new_client_three_options_and_a_proposal_in_sixty_keys(
    qtbot: Any, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path / "config" / "tonnage.ini")
    settings.set(STARTED_BEFORE, True)
    settings.flush()
    application = start()
    window, session = application.window, application.session
    window.resize(1280, 800)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert (window.page, list(one_of(SavedScenarios, session).all())) == ("start", [])
    hands, pdf = Typist(), tmp_path / "proposal.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments, **_named: (str(pdf), ""))

    hands.key("Ctrl+N")
    hands.write("Contract search")
    hands.key("Return")
    hands.key("Ctrl+M")
    hands.write("City zoo")
    hands.key("Return")
    for device in ("h200 nvl", "l40s"):
        hands.key("Ctrl+D")
        hands.key("Ctrl+K")
        hands.write(device)
        hands.key("Return")
    assert {one.client for one in one_of(SavedScenarios, session).all()} == {"City zoo"}
    hands.key("Ctrl+4")
    hands.key("Space")  # the button that has the focus: those of this client
    page = window.pages.built["compare"]
    qtbot.waitUntil(lambda: page.found is not None, timeout=10_000)  # type: ignore[attr-defined]
    options = page.found.options  # type: ignore[attr-defined]
    assert len({option.scenario.deployment.device for option in options}) == 3
    assert len(options) == 3
    hands.key("Ctrl+P")
    assert window.page == "proposal"
    hands.key("Space")  # "Save PDF…"
    hands.pressed += 1  # Enter in the dialog of the system, which offers a name
    qtbot.waitUntil(pdf.exists, timeout=60_000)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert hands.pressed <= MOST_KEYS, hands.pressed
