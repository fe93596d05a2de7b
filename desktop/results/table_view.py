"""The table view: the numbers of a page's charts, sortable, and copied with headings and units."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.language.messages import gettext as _
from desktop.tables import KEY_ROLE, SORT_ROLE, NumberTableModel, TableData, as_text
from desktop.theme import Theme
from desktop.widgets.segments import Segment

LEAST_WORDS, SCROLLED_WORDS = 110, 200  # of a column of words; what is longer has its whole text as tooltip


class NumberTable(QTableView):
    """A table of numbers; Ctrl+C copies the chosen rows, or all of them."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.numbers = NumberTableModel(self)
        self.setAccessibleName(_("Table of the same numbers"))
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self.numbers)
        self._proxy.setSortRole(SORT_ROLE)
        self.setModel(self._proxy)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.size("table_row"))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setFixedHeight(theme.size("table_header"))
        header.setMinimumSectionSize(64)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.activated.connect(self._explain)

    def set_table(self, table: TableData) -> None:
        """Show a table; columns are as wide as their words need, and share what is left."""
        anew = table.columns != self.numbers.table.columns
        self.numbers.set_table(table)
        self.setAccessibleName(table.name)
        if anew:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._fit()

    def _fit(self) -> None:
        """Give each column what its heading and its rows need; words more than the rest where the table is wide."""
        columns = self.numbers.table.columns
        if not columns or not self.isVisible():
            return
        header = self.horizontalHeader()
        needed = [max(header.sectionSizeHint(at), self.sizeHintForColumn(at)) for at in range(len(columns))]
        room = self.viewport().width()
        words = [width for width, column in zip(needed, columns, strict=True) if not column.is_number]
        most = _cap(words, room - sum(needed) + sum(words))
        needed = [width if one.is_number else min(width, most) for width, one in zip(needed, columns, strict=True)]
        spare = max(0, room - sum(needed)) // len(columns)
        for at, width in enumerate(needed):
            header.resizeSection(at, width + spare)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _explain(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE)
        if key:
            self.explain_requested.emit(key)

    def copied_text(self) -> str:
        """The chosen rows, in the order shown; all rows if none is chosen."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = chosen if len(chosen) > 1 else range(self._proxy.rowCount())
        source = [self._proxy.mapToSource(self._proxy.index(row, 0)).row() for row in rows]
        return as_text(self.numbers.table, source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied_text())
        else:
            super().keyPressEvent(event)


def _cap(widths: Sequence[int], room: int) -> int:
    """The width at which the widest columns of words are cut, so that all have room; where the table scrolls, enough.

    >>> _cap([80, 500], 300), _cap([80, 90], 300), _cap([400, 500], 100)
    (220, 300, 200)
    """
    left, cap = room, room
    for number, width in enumerate(sorted(widths)):
        cap = left // (len(widths) - number)
        if width > cap:
            return cap if cap >= LEAST_WORDS else SCROLLED_WORDS
        left -= width
    return max(LEAST_WORDS, room)


class TablePanel(QWidget):
    """The tables of one page, one at a time."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.table = NumberTable(theme)
        self.table.explain_requested.connect(self.explain_requested)
        self._tables: list[TableData] = []
        self._chosen = 0
        self._choices = QButtonGroup(self)
        self._choices.idClicked.connect(self.choose)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        copy = QPushButton(_("Copy"))
        copy.setToolTip(_("Copy with headings and units (Ctrl+C)"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.table.copied_text()))
        head = QHBoxLayout()
        head.addLayout(self._row)
        head.addStretch(1)
        head.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    @property
    def names(self) -> list[str]:
        return [table.name for table in self._tables]

    def set_tables(self, tables: Sequence[TableData]) -> None:
        if [table.name for table in tables] != self.names:
            self._tables = list(tables)
            self._make_choices()
        self._tables = list(tables)
        self._chosen = min(self._chosen, len(self._tables) - 1)
        if self._tables:
            self.table.set_table(self._tables[self._chosen])

    def choose(self, index: int) -> None:
        self._chosen = index
        self.table.set_table(self._tables[index])
        button = self._choices.button(index)
        if button is not None:
            button.setChecked(True)

    def _make_choices(self) -> None:
        for button in self._choices.buttons():
            self._choices.removeButton(button)
            button.deleteLater()
        last = len(self._tables) - 1
        if not last:
            return  # nothing to choose: the sentence above says what it is
        for index, table in enumerate(self._tables):
            button = Segment(table.name, "first" if index == 0 else "last" if index == last else "middle")
            button.setChecked(index == self._chosen)
            self._choices.addButton(button, index)
            self._row.addWidget(button)
