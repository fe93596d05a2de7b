"""The scenarios beside the rail, where the sidebar has no room for them."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.session import Session
from desktop.sidebar.scenario_delegate import ROW
from desktop.sidebar.scenario_list import ScenarioList
from desktop.theme import Theme
from desktop.ticked import Ticked
from desktop.widgets.labels import IconButton, label

WIDTH, MOST_ROWS = 260, 16


class ScenarioFlyout(QFrame):
    """A popup with the same list as the wide sidebar."""

    def __init__(
        self, session: Session, theme: Theme, ticked: Ticked, new: Callable[[], object], parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setProperty("kind", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(_("Scenarios"))
        self.list = ScenarioList(session, theme, ticked)
        self.list.opened.connect(self.hide)

        def begin() -> None:
            self.hide()
            new()

        self.add = IconButton(theme, "plus", _("New scenario"), begin, "Ctrl+N")
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 0, 0)
        title = label(_("Scenarios"), "strong")
        title.setBuddy(self.list)
        head.addWidget(title, 1)
        head.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.list)
        self.setFixedWidth(WIDTH)

    def open(self, at: QPoint) -> None:
        rows = min(self.list.scenarios.rowCount(), MOST_ROWS)
        self.list.setFixedSize(QSize(WIDTH - 18, max(rows, 1) * ROW + 2))
        self.adjustSize()
        screen = self.screen().availableGeometry()
        self.move(at.x(), max(screen.top(), min(at.y(), screen.bottom() - self.height())))
        self.show()
        self.list.setFocus()
