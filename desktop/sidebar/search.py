"""Search or run: one field over scenarios, models, devices and commands, complete by keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import CatalogueModel
from desktop.inputs import names
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, Found, with_headings
from desktop.widgets.labels import label, line

MOST_OF_A_KIND, MOST_AT_FIRST = 8, 5
WIDTH, MOST_HEIGHT = 480, 440


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

    used = Signal()  # a scenario was opened, or a model or device taken into the one on screen
    record_wanted = Signal(str, str)  # table and id, to be shown in the catalogue

    def __init__(self, session: Session, theme: Theme, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setProperty("kind", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(_("Search, run"))
        self._session, self._commands = session, {command.key: command for command in commands}
        self._saved = one_of(SavedScenarios, session)
        self._scenarios, self._records = Found(()), [Found(())]
        self._is_stale = True
        session.catalogue_changed.connect(self._forget)
        self.field = QLineEdit()
        self.field.setAccessibleName(_("Search, run"))
        self.field.setPlaceholderText(_("A scenario, model, device or command"))
        self.field.textChanged.connect(self._find)
        self.field.installEventFilter(self)
        self.list = ChoiceList(theme, _("Found"), self)
        self.list.chosen.connect(self._run)
        self.nothing = label(_("Nothing is called so."), "label")
        self.nothing.setContentsMargins(12, 6, 12, 6)
        self.hint = label(_("Enter opens or uses it; Ctrl+Enter shows it in the catalogue."), "caption")
        self.hint.setContentsMargins(8, 2, 8, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.list)
        column.addWidget(self.nothing)
        column.addWidget(line())
        column.addWidget(self.hint)
        self.setFixedWidth(WIDTH)

    def _forget(self) -> None:
        self._is_stale = True

    def open(self, at: QPoint) -> None:
        self._scenarios = Found(
            Choice(f"scenario:{one.id}", one.name, one.client, _("Scenarios"), icon="document")
            for one in self._saved.all()
        )
        if self._is_stale:
            self._records = self._read_records()
            self._is_stale = False
        self.field.clear()
        self._find("")
        screen = self.screen().availableGeometry()
        self.move(min(at.x(), screen.right() - WIDTH), at.y())
        self.show()
        self.field.setFocus()

    def _read_records(self) -> list[Found]:
        """Models and devices: many, so only once something is typed; and the commands."""
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
        commands = [
            Choice(f"command:{c.key}", c.name, c.shortcut, _("Commands"), icon=c.icon) for c in self._commands.values()
        ]
        return [Found(models), Found(devices), Found(commands)]

    def _find(self, query: str) -> None:
        if query.strip():
            groups = (self._scenarios, *self._records)
            rows = [choice for group in groups for choice in group.matching(query, MOST_OF_A_KIND)]
        else:
            rows = [*self._scenarios.choices[:MOST_AT_FIRST], *self._records[-1].choices]
        self.list.set_choices(with_headings(rows))
        self.nothing.setVisible(not rows)
        self.list.setVisible(bool(rows))
        self.list.setFixedHeight(min(self.list.content_height(), MOST_HEIGHT) + 2)
        self.adjustSize()

    def _run(self, choice: Choice) -> None:
        self.hide()
        kind, _sep, key = choice.key.partition(":")
        match kind:
            case "scenario":
                if self._session.open(int(key)):
                    self.used.emit()
            case "command":
                self._commands[key].run()
            case "model":
                self._session.edit(_("Model"), model=CatalogueModel(id=key))
                self.used.emit()
            case "device":
                self._session.edit(_("Device"), deployment__device=key, deployment__plan=None, deployment__link=None)
                self.used.emit()

    def _show_record(self) -> bool:
        """The record of the selected model or device in the catalogue."""
        choice = self.list.current
        kind, _sep, key = choice.key.partition(":") if choice else ("", "", "")
        if kind not in ("model", "device"):
            return False
        self.hide()
        self.record_wanted.emit(f"{kind}s", key)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier and self._show_record():
                return True
            return self.list.handle_key(event)
        return super().eventFilter(watched, event)
