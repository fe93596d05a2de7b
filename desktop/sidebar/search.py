"""Search or run: one field over scenarios, models, devices and commands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import CatalogueModel
from desktop.inputs import names
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, matching, with_headings
from desktop.widgets.labels import label

MOST_OF_A_KIND = 6


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be run from the search."""

    key: str
    name: str
    shortcut: str
    icon: str
    run: Callable[[], object]


class SearchPopup(QFrame):
    """The field with what it finds."""

    closed = Signal()

    def __init__(self, session: Session, theme: Theme, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setProperty("kind", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session, self._commands = session, {command.key: command for command in commands}
        self._everything: list[Choice] = []
        self.field = QLineEdit()
        self.field.setAccessibleName(_("Search, run"))
        self.field.setPlaceholderText(_("A scenario, model, device or command"))
        self.field.textChanged.connect(self._find)
        self.field.installEventFilter(self)
        self.list = ChoiceList(theme, _("Found"), self)
        self.list.chosen.connect(self._run)
        self.nothing = label(_("Nothing is called so."), "label")
        self.nothing.setContentsMargins(12, 6, 12, 6)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.list)
        column.addWidget(self.nothing)

    def open(self, at: QPoint) -> None:
        self._everything = self._choices()
        self.setFixedWidth(440)
        self.field.clear()
        self._find("")
        self.move(at)
        self.show()
        self.field.setFocus()

    def _choices(self) -> list[Choice]:
        scenarios = [
            Choice(f"scenario:{one.id}", one.name, one.client, _("Scenarios"), icon="gauge")
            for one in self._session.scenarios()
        ]
        commands = [
            Choice(f"command:{c.key}", c.name, c.shortcut, _("Commands"), icon=c.icon) for c in self._commands.values()
        ]
        return scenarios + commands

    def _records(self) -> list[Choice]:
        """Models and devices: many, so only once something is typed."""
        catalogue = self._session.catalogue
        models = [
            Choice(f"model:{m.id}", m.name, "", _("Models"), words=" ".join([m.id, *m.aliases]), icon="layers")
            for m in catalogue.models.values()
            if m.role == "generator"
        ]
        devices = [
            Choice(f"device:{d.key}", d.name, d.detail, _("Devices"), words=d.words, icon="chip")
            for d in names.device_choices(catalogue)
        ]
        return models + devices

    def _find(self, query: str) -> None:
        if query.strip():
            rows: list[Choice] = []
            for group in _by_group([*self._everything, *self._records()]):
                rows += matching(group, query)[:MOST_OF_A_KIND]
        else:
            rows = self._everything
        self.list.set_choices(with_headings(rows))
        self.nothing.setVisible(not rows)
        self.list.setVisible(bool(rows))
        self.list.setFixedHeight(min(self.list.content_height(), 420) + 2)
        self.adjustSize()

    def _run(self, choice: Choice) -> None:
        self.hide()
        kind, _sep, key = choice.key.partition(":")
        match kind:
            case "scenario":
                self._session.open(int(key))
            case "command":
                self._commands[key].run()
            case "model":
                self._session.edit(_("Model"), model=CatalogueModel(id=key))
            case "device":
                self._session.edit(_("Device"), deployment__device=key, deployment__plan=None, deployment__link=None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.list.handle_key(event)
        return super().eventFilter(watched, event)


def _by_group(choices: Sequence[Choice]) -> list[list[Choice]]:
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(choice.group, []).append(choice)
    return list(groups.values())
