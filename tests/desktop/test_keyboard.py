"""The keyboard: every key of the map does something, tooltips show it, and a whole job is done without the mouse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QWidget

from core.language.messages import LANGUAGES, in_language
from desktop.app import Application
from desktop.keyboard import keyboard_map
from desktop.main_window import MainWindow
from desktop.settings import STARTED_BEFORE, Settings
from tests.desktop.shell import Start

MOST_KEYS = 60
#: What a widget with the focus does with a key by itself; its own tests press it.
OF_WIDGETS = {
    "Enter", "Space", "Delete", "Alt+Up", "Alt+Down", "Menu", "F1", "Left", "Up", "Down", "Shift+Up", "PgUp", "PgDown",
    "Esc",
}  # fmt: skip


def shortcuts(window: QWidget) -> list[str]:
    """Every shortcut that the window listens to."""
    found = [action.shortcut() for action in window.findChildren(QAction)]
    found += [shortcut.key() for shortcut in window.findChildren(QShortcut)]
    return [keys.toString() for keys in found if not keys.isEmpty()]


@pytest.fixture
def application(qtbot: Any, start: Start) -> Application:
    application = start()
    application.window.resize(1280, 800)
    application.window.activateWindow()
    qtbot.waitUntil(application.window.isActiveWindow)
    return application


def press(keys: str) -> None:
    """A key, as it is written, to whatever has the focus."""
    combination = QKeySequence(keys)[0]
    target = QApplication.focusWidget() or QApplication.activeWindow()
    QTest.keyClick(target, combination.key(), combination.keyboardModifiers())


def test_every_key_of_the_map_is_listened_to(application: Application) -> None:
    window = application.window
    window.show_page("compare")
    there = set(shortcuts(window)) | OF_WIDGETS
    told = [keys.keys for group in keyboard_map() for keys in group.keys]
    assert [keys for keys in told if QKeySequence(keys).toString() not in there and keys not in there] == []
    named = {keys for keys in told if not keys.startswith("Alt+")}
    untold = {keys for keys in shortcuts(window) if keys not in named and not keys.startswith("Alt+")}
    assert untold <= {"Del"}  # Compare's own, for a head that has the focus


def test_no_two_actions_share_a_key(application: Application) -> None:
    keys = [action.shortcut().toString() for action in application.window.findChildren(QAction)]
    keys = [one for one in keys if one]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_map_is_told_in_every_language(code: str) -> None:
    with in_language(code):
        texts = [keys.does for group in keyboard_map() for keys in group.keys]
    assert all(texts)
    assert len(set(texts)) == len(texts)


def test_buttons_show_their_keys(application: Application) -> None:
    sidebar, inputs = application.window.sidebar, application.window.inputs
    tips = {
        "Ctrl+K": sidebar.search, "Ctrl+N": sidebar.add, "Ctrl+B": sidebar.fold, "Ctrl+,": sidebar.settings,
        "Ctrl+1": sidebar.pages["sizing"], "Ctrl+2": sidebar.pages["hardware"], "Ctrl+3": sidebar.pages["models"],
        "Ctrl+4": sidebar.pages["compare"], "Ctrl+5": sidebar.pages["catalogue"],
        "Ctrl+Z": inputs.undo, "Ctrl+Shift+Z": inputs.redo,
    }  # fmt: skip
    assert {keys for keys, widget in tips.items() if f"({keys})" not in widget.toolTip()} == set()


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
        "F2": window.inputs.name.hasFocus,
        "F6": lambda: window.sizing.results.isAncestorOf(focused()),
        "Shift+F6": lambda: window.inputs.isAncestorOf(focused()),
        "Ctrl+N": lambda: session.scenario_id == 4 and window.inputs.name.hasFocus(),
        "Ctrl+Z": lambda: not session.undo_stack.canUndo(),
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
    window.inputs.model.model.setFocus()
    press("F1")
    results = window.sizing.results
    assert results.explanation.isVisible()  # type: ignore[attr-defined]


def test_search_and_settings_open(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[QMenu] = []
    monkeypatch.setattr(QMenu, "exec", lambda menu, *_at: opened.append(menu))
    press("Ctrl+K")
    popup = application.window.sidebar.search_popup
    assert popup is not None
    assert popup.isVisible()
    popup.hide()
    application.window.action("settings").trigger()
    assert len(opened) == 1


class Typist:
    """Presses keys, one by one, and counts them. The mouse is out of reach."""

    def __init__(self) -> None:
        self.pressed = 0

    def key(self, keys: str) -> None:
        self.pressed += 1
        combination = QKeySequence(keys)[0]
        QTest.keyClick(self._target(), combination.key(), combination.keyboardModifiers())

    def write(self, text: str) -> None:
        for letter in text:
            self.pressed += 1
            target = self._target()
            assert isinstance(target, QLineEdit)
            QTest.keyClicks(target, letter)

    @staticmethod
    def _target() -> QWidget:
        """What a real keyboard would reach."""
        popup = QApplication.activePopupWidget()
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
    assert (window.page, list(session.scenarios())) == ("start", [])
    hands, pdf = Typist(), tmp_path / "proposal.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(pdf), ""))

    hands.key("Ctrl+N")
    hands.write("RAG")
    hands.key("Return")
    hands.key("Ctrl+M")
    hands.write("Zoo")
    hands.key("Return")
    for device in ("h200 nvl", "l40s"):
        hands.key("Ctrl+D")
        hands.key("Ctrl+K")
        hands.write(device)
        hands.key("Return")
    assert {one.client for one in session.scenarios()} == {"Zoo"}
    hands.key("Ctrl+4")
    hands.key("Return")  # the button that has the focus: those of this client
    page = window._built["compare"]
    qtbot.waitUntil(lambda: page.found is not None, timeout=10_000)  # type: ignore[attr-defined]
    options = page.found.options  # type: ignore[attr-defined]
    assert len({option.scenario.deployment.device for option in options}) == 3
    assert len(options) == 3
    hands.key("Ctrl+P")
    assert window.page == "proposal"
    hands.key("Return")  # "Save PDF…"
    qtbot.waitUntil(pdf.exists, timeout=60_000)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert hands.pressed <= MOST_KEYS
