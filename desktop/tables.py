"""Tables: every QAbstractTableModel of the window. Columns are named once; a sort role gives the raw values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex

#: The raw value of a cell, for sorting.
SORT_ROLE = Qt.ItemDataRole.UserRole
#: The key of the figure in a row, for Explain.
KEY_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    unit: str = ""
    is_number: bool = True

    @property
    def title(self) -> str:
        return f"{self.heading} [{self.unit}]" if self.unit else self.heading


@dataclass(frozen=True, slots=True)
class Cell:
    """What is shown, what sorts it, and what a spreadsheet gets."""

    text: str
    value: Any = None

    @property
    def plain(self) -> str:
        """The value for a CSV file: a bare number where there is one."""
        return self.text if self.value is None else str(self.value)


@dataclass(frozen=True, slots=True)
class TableData:
    """A table of numbers with its name."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: tuple[str, ...] = field(default=())  # the figure of each row, where it is one


class NumberTableModel(QAbstractTableModel):
    """Numbers as a chart or a list shows them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = TableData("", (), ())

    @property
    def table(self) -> TableData:
        return self._table

    def set_table(self, table: TableData) -> None:
        """Show another table; where only numbers changed, the view keeps selection and scroll position."""
        same = len(table.rows) == len(self._table.rows) and table.columns == self._table.columns
        if not same:
            self.beginResetModel()
        self._table = table
        if not same:
            self.endResetModel()
        elif table.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(table.rows) - 1, len(table.columns) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._table.rows[index.row()][index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return cell.text
        if role == SORT_ROLE:
            return cell.text if cell.value is None else cell.value
        if role == KEY_ROLE:
            return self._table.keys[index.row()] if self._table.keys else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self._table.columns[index.column()])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical or section >= len(self._table.columns):
            return None
        column = self._table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None


def as_text(table: TableData, rows: Sequence[int] | None = None) -> str:
    """Rows as tab-separated text with headings and units, for the clipboard."""
    chosen = range(len(table.rows)) if rows is None else rows
    lines = ["\t".join(column.title for column in table.columns)]
    lines += ["\t".join(cell.text for cell in table.rows[row]) for row in chosen]
    return "\n".join(lines) + "\n"


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
