"""The left column of the catalogue: tabs, a filter, the records, and what can be added to them."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.pages.catalogue.tables import Tab
from desktop.results.tabs import REACH, TabLine
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList, matching, with_headings
from desktop.widgets.labels import button, label, line

ROW = 30
GAP = 9  # between tabs: five stand in a narrow column
PADDING = 16


class NarrowTabs(TabLine):
    """Tabs that stand closer than those of the results."""

    def tabSizeHint(self, index: int) -> QSize:
        metrics = self.theme.metrics("strong")
        return QSize(metrics.horizontalAdvance(self.tabText(index)) + GAP, self.theme.size("tab"))

    def _text_rect(self, index: int) -> QRect:
        return self.tabRect(index).adjusted(REACH, 0, -(GAP - REACH), 0)

    @property
    def needed(self) -> int:
        return sum(self.tabSizeHint(index).width() for index in range(self.count()))


class SearchEdit(QLineEdit):
    """The filter; its arrow keys move in the list."""

    moved = Signal(object)  # the key event

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Return):
            self.moved.emit(event)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class ListColumn(QWidget):
    """Shows the records of one tab; says which tab and which record was chosen."""

    tab_chosen = Signal(object)  # Tab
    record_chosen = Signal(str)  # key of a choice

    def __init__(self, theme: Theme, tabs: Sequence[Tab]) -> None:
        super().__init__()
        self._theme, self._tabs = theme, tabs
        self._choices: list[Choice] = []
        self._filling = False
        self.tabs = NarrowTabs(theme)
        self.tabs.setAccessibleName(_("Tables of the catalogue"))
        for tab in tabs:
            self.tabs.add(tab.name, "")
            self.tabs.setTabToolTip(self.tabs.count() - 1, tab.name)
        self.tabs.currentChanged.connect(self._on_tab)
        self.search = SearchEdit()
        self.search.setClearButtonEnabled(False)
        self.search.textChanged.connect(self._filter)
        self.list = ChoiceList(theme, _("Records"), row=ROW)
        self.list.set_even()
        self.search.moved.connect(self.list.handle_key)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.nothing = label(_("Nothing is called so."), "label", wrap=True)
        self.nothing.setContentsMargins(PADDING, 10, PADDING, 0)
        self.list.chosen.connect(lambda choice: self.record_chosen.emit(choice.key))
        self.packs = button(_("Packs…"), "quiet")
        self.add = button("", "quiet")
        self._draw()
        theme.changed.connect(self._draw)
        self._lay_out()

    def _draw(self) -> None:
        self.add.setIcon(self._theme.icon("plus"))

    def _lay_out(self) -> None:
        title = label(_("Catalogue"), "verdict")
        title.setStyleSheet("font-size: 18px;")
        top = QVBoxLayout()
        top.setContentsMargins(PADDING, 10, PADDING - REACH, 8)
        top.setSpacing(2)
        top.addWidget(title)
        top.addWidget(self.tabs)
        top.addSpacing(6)
        top.addWidget(self.search)
        foot = QHBoxLayout()
        foot.setContentsMargins(10, 5, 10, 5)
        foot.addWidget(self.packs)
        foot.addStretch(1)
        foot.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(line())
        column.addWidget(self.nothing)
        column.addWidget(self.list, 1)
        column.addWidget(line())
        column.addLayout(foot)
        self.setMinimumWidth(self.tabs.needed + 2 * PADDING - REACH)
        self.setMaximumWidth(460)

    # -- tabs ---------------------------------------------------------------------------------------------------------

    @property
    def tab(self) -> Tab:
        return self._tabs[self.tabs.currentIndex()]

    def show_tab(self, key: str) -> None:
        """Turn to a tab without choosing a record."""
        self._filling = True
        self.tabs.setCurrentIndex(next(at for at, tab in enumerate(self._tabs) if tab.key == key))
        self.search.clear()
        self._filling = False

    def _on_tab(self, index: int) -> None:
        if not self._filling:
            self.search.clear()
            self.tab_chosen.emit(self._tabs[index])

    # -- rows ---------------------------------------------------------------------------------------------------------

    def set_choices(self, choices: list[Choice], current: str) -> None:
        self._choices = choices
        self.search.setPlaceholderText(self.tab.counted(len(choices)))
        self.search.setAccessibleName(self.tab.counted(len(choices)))
        self.list.setAccessibleName(self.tab.name)
        self._show(current)

    def _filter(self) -> None:
        if not self._filling:
            self._show(self.list.delegate.current_key)

    def _show(self, current: str) -> None:
        found = matching(self._choices, self.search.text())
        rows = found if self.search.text().strip() else with_headings(found)
        self._filling = True
        self.list.set_choices(rows, current)
        self._filling = False
        self.nothing.setVisible(not rows)

    def select(self, key: str) -> None:
        """Mark the record on screen; none while it is new."""
        self._filling = True
        self.list.delegate.current_key = key
        at = next((at for at, row in enumerate(self.list.rows.rows) if row.key and row.key == key), -1)
        index = self.list.rows.index(at) if at >= 0 else QModelIndex()
        self.list.setCurrentIndex(index)
        if at >= 0:
            self.list.scrollTo(index)
        self._filling = False
        self.list.viewport().update()

    def _on_current(self) -> None:
        choice = self.list.current
        if not self._filling and choice is not None and choice.key and choice.key != self.list.delegate.current_key:
            self.record_chosen.emit(choice.key)


def menu_at(place: QWidget, actions: Sequence[tuple[str, Callable[[], object] | None]]) -> QMenu:
    """A menu at a widget, above it where it stands at the foot; an entry without an action is a grey line."""
    menu = QMenu(place)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for text, run in actions:
        action = menu.addAction(text)
        action.setEnabled(run is not None)
        if run is not None:
            action.triggered.connect(lambda _checked=False, run=run: run())
    corner = place.mapToGlobal(place.rect().topLeft())
    above = corner.y() - menu.sizeHint().height()
    corner.setY(above if place.height() < 60 else corner.y() + 60)
    menu.popup(corner)
    return menu
