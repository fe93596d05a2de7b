"""The rows under the columns: figures with range, change and star, then the inputs that differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.language import comparison as words
from core.language.comparison import CellText
from core.language.comparison_inputs import InputRow
from core.language.messages import gettext as _
from core.sizing.comparison import Comparison
from desktop.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROW, HEADING_ROW, PADDING = 34, 42, 8
STAR, CHANGE, GAP = 14, 54, 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name, a text for each option, which of them is best, and the figures behind."""

    name: str
    cells: tuple[CellText, ...] = ()
    best: int | None = None
    keys: tuple[str, ...] = ()  # of the figures; empty for words
    is_heading: bool = False

    @property
    def is_figure(self) -> bool:
        return bool(self.keys)


def lines_of(found: Comparison, inputs: Sequence[InputRow], only_differing: bool) -> list[Line]:
    """What the table shows: figures, words, and the inputs under a heading."""
    columns = range(len(found.options))
    lines = [
        Line(
            words.row_name(figures, found),
            tuple(words.cell_text(figures, at, found) for at in columns),
            figures.best,
            tuple(cell.key for cell in figures.cells),
        )
        for figures in found.rows
        if figures.differs or not only_differing
    ]
    plain = [row for row in words.plain_rows(found) if row.differs or not only_differing]
    lines += [_plain(row) for row in plain]
    shown = [row for row in inputs if row.differs or not only_differing]
    if shown:
        lines.append(Line(_("Inputs that differ") if only_differing else _("Inputs"), is_heading=True))
        lines += [_plain(row) for row in shown]
    return lines


def _plain(row: InputRow) -> Line:
    return Line(row.name, tuple(CellText(value) for value in row.values))


class CompareModel(QAbstractTableModel):
    """Lines as a table: the name, then one column an option."""

    LineRole = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[Line] = []
        self.letters: tuple[str, ...] = ()

    def set_lines(self, lines: list[Line], letters: tuple[str, ...]) -> None:
        self.beginResetModel()
        self.lines, self.letters = lines, letters
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1 + len(self.letters)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role == self.LineRole:
            return line
        if role not in (
            Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole,
        ):  # fmt: skip
            return None
        if index.column() == 0:
            return line.name
        if line.is_heading:
            return ""
        at = index.column() - 1
        cell = line.cells[at]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.value
        best = _("{text}, best of its row") if line.best == at else "{text}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            best = f"{line.name}, {self.letters[at]}: {best}"
        return best.format(text=cell.spoken)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("", *self.letters)[section] if section <= len(self.letters) else None
        return None

    def as_text(self) -> str:
        """The whole table with letters, for the clipboard."""
        rows = ["\t".join(["", *self.letters])]
        for line in self.lines:
            rows.append("\t".join([line.name, *(cell.spoken for cell in line.cells)]))
        return "\n".join(rows) + "\n"


class CompareDelegate(QStyledItemDelegate):
    """Paints figure, range, star and change in places that stand under one another."""

    def __init__(self, theme: Theme, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line: Line = index.data(CompareModel.LineRole)
        return QSize(80, HEADING_ROW if line.is_heading else ROW)

    def value_width(self) -> int:
        """Room of the figures: as wide as the widest, so that their ends stand under one another."""
        metrics = QFontMetrics(self._theme.font("strong"))
        texts = [cell.value for line in self._model.lines if line.is_figure for cell in line.cells]
        return max((metrics.horizontalAdvance(text) for text in texts), default=60) + 2

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line: Line = index.data(CompareModel.LineRole)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.color("border"))
        inner = area.adjusted(0 if index.column() == 0 else PADDING, 0, -PADDING, -1)
        if line.is_heading:
            self._heading(painter, inner, line, index.column())
        elif index.column() == 0:
            self._text(painter, inner, line.name, "text")
        elif line.is_figure:
            self._figure(painter, inner, line, index.column() - 1)
        else:
            self._words(painter, inner, line, index.column() - 1)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.color("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -2), 4, 4)
        painter.restore()

    def _heading(self, painter: QPainter, room: QRect, line: Line, column: int) -> None:
        if column == 0:
            painter.setFont(self._theme.font("strong"))
            painter.setPen(self._theme.color("text"))
            painter.drawText(room.adjusted(0, 12, 200, 0), LEFT, line.name)

    def _text(self, painter: QPainter, room: QRect, text: str, tone: str, style: str = "body") -> None:
        painter.setFont(self._theme.font(style))  # type: ignore[arg-type]
        painter.setPen(self._theme.color(tone))  # type: ignore[arg-type]
        painter.drawText(room, LEFT, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width()))

    def _words(self, painter: QPainter, room: QRect, line: Line, at: int) -> None:
        """Words at the left; those that are not as in A are darker."""
        apart = at > 0 and line.cells[at] != line.cells[0]
        self._text(painter, room, line.cells[at].value, "text" if apart else "text_2", "label")

    def _figure(self, painter: QPainter, room: QRect, line: Line, at: int) -> None:
        theme, cell, best = self._theme, line.cells[at], line.best == at
        width = min(self.value_width(), room.width())
        value = QRect(room.left(), room.top(), width, room.height())
        painter.setFont(theme.font("strong" if best else "body"))
        painter.setPen(theme.color("text"))
        painter.drawText(value, RIGHT, cell.value)
        end = room.right()
        if cell.change or best:
            end = self._change(painter, room, cell, best, value.right() + 3)
        left = value.right() + GAP
        painter.setFont(theme.font("label"))
        if cell.range and left + painter.fontMetrics().horizontalAdvance(cell.range) <= end:
            painter.setPen(theme.color("text_3"))
            painter.drawText(QRect(left, room.top(), end - left, room.height()), LEFT, cell.range)

    def _change(self, painter: QPainter, room: QRect, cell: CellText, best: bool, least: int) -> int:
        """Change at the right, star before it and behind the figure, which ends at `least`; where the rest may end."""
        theme = self._theme
        painter.setFont(theme.font("label"))
        painter.setPen(theme.color("text_2"))
        painter.drawText(room, RIGHT, cell.change)
        end = room.right() - CHANGE
        if best:
            pixmap = theme.pixmap("star", "ok", STAR, painter.device().devicePixelRatio())
            left = max(end - STAR, least)
            painter.drawPixmap(left, room.top() + (room.height() - STAR) // 2, pixmap)
            end = left
        return end - GAP


class CompareTable(QTableView):
    """As high as its rows: the page scrolls, not the table. Enter explains a figure, Ctrl+C copies everything."""

    explain_requested = Signal(int, str)  # number of the option, key of the figure

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows = CompareModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(CompareDelegate(theme, self.rows, self))
        self.setAccessibleName(_("Figures side by side"))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(ROW)
        self.activated.connect(self._explain)
        theme.changed.connect(self.viewport().update)

    def set_lines(self, lines: list[Line], letters: tuple[str, ...]) -> None:
        at = self.currentIndex()
        row, column = at.row(), at.column()
        self.rows.set_lines(lines, letters)
        for number, line in enumerate(lines):
            self.verticalHeader().resizeSection(number, HEADING_ROW if line.is_heading else ROW)
        if lines:
            self.setCurrentIndex(self.rows.index(min(max(row, 0), len(lines) - 1), max(column, 1)))

    def content_height(self) -> int:
        return sum(HEADING_ROW if line.is_heading else ROW for line in self.rows.lines)

    def name_width(self) -> int:
        """What the longest name of a row needs."""
        metrics = QFontMetrics(self._theme.font("body"))
        return (
            max((metrics.horizontalAdvance(one.name) for one in self.rows.lines if not one.is_heading), default=0) + 12
        )

    def set_columns(self, first: int, others: Sequence[int]) -> None:
        self.setColumnWidth(0, first)
        for at, width in enumerate(others, start=1):
            self.setColumnWidth(at, width)

    def _explain(self, index: QModelIndex) -> None:
        line = self.rows.lines[index.row()]
        if index.column() > 0 and line.is_figure:
            self.explain_requested.emit(index.column() - 1, line.keys[index.column() - 1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.rows.as_text())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            self._explain(self.currentIndex())
        else:
            super().keyPressEvent(event)
