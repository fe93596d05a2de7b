"""A field that opens a list: short ones drop down, long ones have a search field on top."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, matching, with_headings
from desktop.widgets.labels import button, label, line

MOST_ROWS = 12
QUIET_HEIGHT = 24


class PickerPopup(QFrame):
    """The list below a picker, with a search field where it is long and actions at its foot."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, name: str, searchable: bool, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setProperty("kind", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._choices: Sequence[Choice] = ()
        self._current = ""
        self.search = QLineEdit()
        self.search.setAccessibleName(_("Search: {name}").format(name=name))
        self.search.setPlaceholderText(_("Type to find"))
        self.search.setVisible(searchable)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = ChoiceList(theme, name, self)
        self.list.chosen.connect(self._choose)
        self.nothing = label(_("Nothing is called so."), "label")
        self.nothing.setContentsMargins(12, 6, 12, 6)
        self.foot = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(5, 5, 5, 5)
        column.setSpacing(4)
        column.addWidget(self.search)
        column.addWidget(self.list)
        column.addWidget(self.nothing)
        column.addLayout(self.foot)

    def add_action(self, text: str, run: Callable[[], object]) -> None:
        if self.foot.count() == 0:
            self.foot.addWidget(line())

        def act() -> None:
            self.hide()
            run()

        widget = button(text, "quiet", act)
        widget.setStyleSheet("text-align: left;")
        self.foot.addWidget(widget)

    def open(self, choices: Sequence[Choice], current: str, below: QWidget) -> None:
        """Show the list under (or above) a widget."""
        self._choices, self._current = choices, current
        self.search.clear()
        self._filter("")
        self._place(below)
        self.show()
        (self.search if self.search.isVisible() else self.list).setFocus()

    def _filter(self, query: str) -> None:
        found = matching(self._choices, query)
        rows = found if query.strip() else with_headings(found)
        self.list.set_choices(rows, self._current if not query.strip() else "")
        self.nothing.setVisible(not rows)
        self.list.setVisible(bool(rows))

    def _place(self, below: QWidget) -> None:
        wanted = max((self.list.delegate.width_of(choice) for choice in self.list.rows.rows), default=200) + 24
        width = max(below.width(), min(wanted, 460))
        self.list.setFixedHeight(min(self.list.content_height(), MOST_ROWS * 28) + 2)
        self.setFixedWidth(width)
        self.adjustSize()
        corner = below.mapToGlobal(QPoint(0, below.height() + 2))
        screen = below.screen().availableGeometry()
        if corner.y() + self.height() > screen.bottom():
            corner = below.mapToGlobal(QPoint(0, -self.height() - 2))
        corner.setX(min(corner.x(), screen.right() - width))
        corner.setY(max(corner.y(), screen.top()))
        self.move(corner)

    def _choose(self, choice: Choice) -> None:
        self.hide()
        self.chosen.emit(choice)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.list.handle_key(event)
        return super().eventFilter(watched, event)


class ComboPicker(QPushButton):
    """Shows the chosen one, elided; opens the list on click, Space, Enter or Down."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str, searchable: bool = False, quiet: bool = False) -> None:
        """A quiet one has small letters and no frame until it is pointed at: the origin of a figure above it."""
        super().__init__()
        self.theme, self._name, self._searchable, self._quiet = theme, name, searchable, quiet
        self._choices: Sequence[Choice] = ()
        self._source: Callable[[], Sequence[Choice]] | None = None
        self._actions: list[tuple[str, Callable[[], object]]] = []
        self._popup: PickerPopup | None = None
        self._key = ""
        self._text = ""
        self._problem = ""
        self.setProperty("kind", "painted")
        self.setAutoDefault(False)
        self.setFixedHeight(QUIET_HEIGHT if quiet else theme.size("control"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(60)
        self.clicked.connect(self.open)
        theme.changed.connect(self.update)
        self._announce()

    def set_name(self, name: str, searchable: bool) -> None:
        """Stand for another field from now on."""
        if (name, searchable) != (self._name, self._searchable):
            self._name, self._searchable = name, searchable
            if self._popup is not None:
                self._popup.deleteLater()
                self._popup = None
            self._announce()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.height() if self._quiet else self.theme.size("control"))

    # -- choices ------------------------------------------------------------------------------------------------------

    def set_choices(self, choices: Sequence[Choice]) -> None:
        self._choices, self._source = choices, None
        self._name_current()

    def set_source(self, source: Callable[[], Sequence[Choice]]) -> None:
        """Ask for the choices when the list is opened."""
        self._source = source

    def add_action(self, text: str, run: Callable[[], object]) -> None:
        """A command at the foot of the list."""
        self._actions.append((text, run))

    @property
    def key(self) -> str:
        return self._key

    @property
    def text_shown(self) -> str:
        return self._text

    def set_current(self, key: str, text: str | None = None) -> None:
        """Show a choice by key; `text` where it is not among the choices or reads otherwise."""
        self._key = key
        if text is None:
            self._name_current()
        else:
            self._set_text(text)

    def _name_current(self) -> None:
        self._set_text(next((choice.name for choice in self._choices if choice.key == self._key), self._key))

    def _set_text(self, text: str) -> None:
        self._text = text
        self._announce()
        self.update()

    def _announce(self) -> None:
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(self._text)
        self.setToolTip(self._text)

    def set_problem(self, problem: str) -> None:
        self._problem = problem
        self.update()

    # -- the list -----------------------------------------------------------------------------------------------------

    def popup(self) -> PickerPopup:
        if self._popup is None:
            self._popup = PickerPopup(self.theme, self._name, self._searchable, self)
            self._popup.chosen.connect(self._on_chosen)
            for text, run in self._actions:
                self._popup.add_action(text, run)
        return self._popup

    @property
    def is_open(self) -> bool:
        return self._popup is not None and self._popup.isVisible()

    def open(self) -> None:
        choices = self._source() if self._source else self._choices
        self.popup().open(choices, self._key, self)

    def _on_chosen(self, choice: Choice) -> None:
        self.setFocus()
        if choice.key != self._key:
            self.chosen.emit(choice.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F4):
            self.open()
        elif event.text().isprintable() and event.text().strip() and self._searchable:
            self.open()
            QApplication.sendEvent(self.popup().search, QKeyEvent(event))
        else:
            super().keyPressEvent(event)

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self.theme
        strong = self.hasFocus() or self.is_open or bool(self._problem)
        edge = "bad" if self._problem else "focus" if strong else "text_3" if self.underMouse() else "border_control"
        inset = (2 if strong else 1) / 2
        painter.setBrush(theme.color("surface" if self.isEnabled() else "sunken"))
        painter.setPen(QPen(theme.color(edge if self.isEnabled() else "border"), inset * 2))  # type: ignore[arg-type]
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        if strong or self.underMouse() or not self._quiet:
            painter.drawRoundedRect(frame, theme.radius("control"), theme.radius("control"))
        painter.setFont(theme.font("caption" if self._quiet else "body"))
        rest = "text_2" if self._quiet else "text"
        painter.setPen(theme.color(rest if self.isEnabled() else "text_disabled"))  # type: ignore[arg-type]
        room = QRect(9, 0, self.width() - 9 - 26, self.height())
        text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        arrow = theme.pixmap("chevron-down", "text_2", 14, self.devicePixelRatioF())
        painter.drawPixmap(self.width() - 20, (self.height() - 14) // 2, arrow)
