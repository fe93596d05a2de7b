"""Whose scenario it is: type a client's name, one of the list or a new one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, matching

WIDTH, MOST_HEIGHT = 300, 12 * 28
NEW, NONE = "new", "none"


class ClientPopup(QFrame):
    """A field over the list of clients; Enter takes the row that is marked."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._clients: Sequence[str] = ()
        self._take: Callable[[str], object] = lambda _client: None
        self.setProperty("kind", "popup")
        self.setAccessibleName(_("Move to client"))
        self.field = QLineEdit()
        self.field.setMaxLength(200)
        self.field.setAccessibleName(_("Name of the client"))
        self.field.setPlaceholderText(_("A client, or a new one"))
        self.field.textChanged.connect(self._find)
        self.field.installEventFilter(self)
        self.list = ChoiceList(theme, _("Clients"), self)
        self.list.chosen.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.setFixedWidth(WIDTH)

    def open(self, clients: Sequence[str], at: QPoint, take: Callable[[str], object]) -> None:
        """Ask for a client beside a point of the screen."""
        self._clients, self._take = clients, take
        self.field.clear()
        self._find("")
        screen = self.screen().availableGeometry()
        self.move(min(at.x(), screen.right() - WIDTH), min(at.y(), screen.bottom() - self.height()))
        self.show()
        self.field.setFocus()

    def _find(self, query: str) -> None:
        wanted = query.strip()
        named = [Choice(f"client:{client}", client, icon="folder") for client in self._clients if client]
        rows = matching(named, wanted)
        if wanted and wanted not in self._clients:
            rows.append(Choice(NEW, _("New client: {name}").format(name=wanted), icon="plus"))
        if not wanted:
            rows.append(Choice(NONE, _("No client"), icon="close"))
        self.list.set_choices(rows)
        self.list.setFixedHeight(min(self.list.content_height(), MOST_HEIGHT) + 2)
        self.adjustSize()

    def _choose(self, choice: Choice) -> None:
        self.hide()
        named = {NEW: self.field.text().strip(), NONE: ""}
        self._take(named.get(choice.key, choice.key.partition(":")[2]))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.list.handle_key(event)
        return super().eventFilter(watched, event)
