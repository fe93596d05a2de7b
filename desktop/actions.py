"""What the window can do: actions with their keys, the commands of the search, and the settings menu."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.language.messages import LANGUAGE_NAMES, language
from core.language.messages import gettext as _
from desktop.sidebar.search import Command
from desktop.theme import Scheme


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to do: its words, its keys, and a picture where the search offers it."""

    key: str
    name: str
    shortcut: str
    run: Callable[[], object]
    icon: str = ""


class Actions:
    """The actions of a window, by key; its keys work wherever the focus is."""

    def __init__(self, window: QWidget, deeds: Iterable[Deed]) -> None:
        self._deeds = tuple(deeds)
        self._actions = {deed.key: _action(window, deed) for deed in self._deeds}

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def all(self) -> list[QAction]:
        return list(self._actions.values())

    def keys(self) -> tuple[str, ...]:
        return tuple(self._actions)

    def commands(self) -> list[Command]:
        """Those that the search offers."""
        return [_command(self._actions[deed.key], deed) for deed in self._deeds if deed.icon]


def _action(window: QWidget, deed: Deed) -> QAction:
    action = QAction(deed.name, window)
    action.setShortcut(QKeySequence(deed.shortcut))
    action.triggered.connect(lambda _checked=False: deed.run())
    window.addAction(action)
    return action


def _command(action: QAction, deed: Deed) -> Command:
    return Command(deed.key, deed.name, action.shortcut().toString(), deed.icon, action.trigger)


def settings_menu(
    parent: QWidget,
    scheme: Scheme,
    set_scheme: Callable[[str], object],
    set_language: Callable[[str], object],
    actions: Sequence[QAction],
    last: QAction,
) -> QMenu:
    """Theme and language, then `actions`, then the last one apart."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    schemes = {
        Scheme.SYSTEM.value: _("As the system"),
        Scheme.LIGHT.value: _("Light"),
        Scheme.DARK.value: _("Dark"),
    }
    _choices(menu.addMenu(_("Theme")), schemes.items(), scheme.value, set_scheme)
    _choices(menu.addMenu(_("Language")), LANGUAGE_NAMES.items(), language(), set_language)
    menu.addSeparator()
    menu.addActions(list(actions))
    menu.addSeparator()
    menu.addAction(last)
    return menu


def _choices(menu: QMenu, choices: Iterable[tuple[str, str]], current: str, choose: Callable[[str], object]) -> None:
    """One of several, with a mark at the current one."""
    group = QActionGroup(menu)
    for key, name in choices:
        action = menu.addAction(name)
        action.setCheckable(True)
        action.setChecked(key == current)
        action.triggered.connect(lambda _checked=False, key=key: choose(key))
        group.addAction(action)
