"""A list to choose from: rows with a name at the left and its key figures at the right, found by typing."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.theme import Theme

ROW, HEADER = 28, 26
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Choice:
    """One row. Rows without a key are headings."""

    key: str
    name: str
    detail: str = ""  # key figures, at the right
    group: str = ""
    words: str = ""  # other words it is found by: aliases, vendor
    icon: str = ""
    mark: str = ""  # a short word before the detail, such as "yours"

    @property
    def is_heading(self) -> bool:
        return not self.key


def matching(choices: Sequence[Choice], query: str) -> list[Choice]:
    """The choices that contain every word of the query, those that begin with it first."""
    wanted = query.casefold().split()
    if not wanted:
        return list(choices)
    found = [c for c in choices if all(word in f"{c.name} {c.words} {c.detail}".casefold() for word in wanted)]
    squeezed = "".join(wanted)
    return sorted(found, key=lambda c: _rank(c.name.casefold(), wanted[0], squeezed))


def _rank(name: str, first: str, squeezed: str) -> int:
    if name.replace(" ", "").startswith(squeezed):
        return 0
    return 1 if any(part.startswith(first) for part in name.replace("-", " ").split()) else 2


class Found:
    """Many choices, made ready to be searched at every key: their words are folded once."""

    def __init__(self, choices: Iterable[Choice]) -> None:
        self.choices = tuple(choices)
        self._texts = [f"{c.name} {c.words} {c.detail}".casefold() for c in self.choices]

    def matching(self, query: str, most: int) -> list[Choice]:
        """The best choices that contain every word of the query; see `matching`."""
        wanted = query.casefold().split()
        found = [c for c, text in zip(self.choices, self._texts, strict=True) if all(word in text for word in wanted)]
        if not wanted or not found:
            return found[:most]
        squeezed = "".join(wanted)
        return heapq.nsmallest(most, found, key=lambda c: _rank(c.name.casefold(), wanted[0], squeezed))


def with_headings(choices: Sequence[Choice]) -> list[Choice]:
    """The choices with a heading above each group."""
    rows: list[Choice] = []
    for choice in choices:
        if choice.group and (not rows or rows[-1].group != choice.group):
            rows.append(Choice("", choice.group, group=choice.group))
        rows.append(choice)
    return rows


class ChoiceListModel(QAbstractListModel):
    """Rows of choices."""

    ChoiceRole = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Choice] = []

    def set_rows(self, rows: Sequence[Choice]) -> None:
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    @property
    def rows(self) -> list[Choice]:
        return self._rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        choice = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return choice.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return ", ".join(filter(None, [choice.name, choice.mark, choice.detail]))
        if role == self.ChoiceRole:
            return choice
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].is_heading:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class ChoiceDelegate(QStyledItemDelegate):
    """Paints a row: icon, name, mark, figures; headings smaller and grey."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, row: int = ROW) -> None:
        super().__init__(parent)
        self._theme, self._row = theme, row
        self.heading = HEADER
        self.current_key = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        choice: Choice = index.data(ChoiceListModel.ChoiceRole)
        return QSize(120, self.heading if choice.is_heading else self._row)

    def width_of(self, choice: Choice) -> int:
        """The room that a row needs to show everything."""
        figures = self._theme.metrics("label").horizontalAdvance(choice.detail) if choice.detail else 0
        return 44 + self._theme.metrics("strong").horizontalAdvance(choice.name) + figures + (24 if choice.icon else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        choice: Choice = index.data(ChoiceListModel.ChoiceRole)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if choice.is_heading:
            painter.setFont(self._theme.font("label"))
            painter.setPen(self._theme.color("text_3"))
            text = area.adjusted(10, 4, -10, 0)
            painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, choice.name)
        else:
            self._ground(painter, area, state)
            self._row_of(painter, area, choice)
        painter.restore()

    def _ground(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, self._theme.color("selected"))
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), self._theme.color("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, self._theme.color("hover"))

    def _row_of(self, painter: QPainter, area: QRect, choice: Choice) -> None:
        left, right = area.left() + 12, area.right() - 10
        if choice.icon:
            ratio = painter.device().devicePixelRatio()
            pixmap = self._theme.pixmap(choice.icon, "text_2", 16, ratio)
            painter.drawPixmap(left, area.top() + (area.height() - 16) // 2, pixmap)
            left += 24
        for text, tone, style in ((choice.detail, "text_3", "label"), (choice.mark, "accent", "caption")):
            if text:
                painter.setFont(self._theme.font(style))  # type: ignore[arg-type]
                painter.setPen(self._theme.color(tone))  # type: ignore[arg-type]
                room = min(painter.fontMetrics().horizontalAdvance(text) + 1, (right - left) * 3 // 5)
                shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
                place = QRect(right - room, area.top(), room, area.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
                right -= room + 10
        painter.setFont(self._theme.font("strong" if choice.key == self.current_key else "body"))
        painter.setPen(self._theme.color("text"))
        name = painter.fontMetrics().elidedText(choice.name, Qt.TextElideMode.ElideRight, right - left)
        place = QRect(left, area.top(), right - left, area.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)


class ChoiceList(QListView):
    """The list itself. Enter or a click chooses; typing letters finds."""

    chosen = Signal(object)  # Choice

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None, row: int = ROW) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setProperty("kind", "list")
        self.rows = ChoiceListModel(self)
        self.setModel(self.rows)
        self.delegate = ChoiceDelegate(theme, self, row)
        self.setItemDelegate(self.delegate)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.clicked.connect(self._choose)
        theme.changed.connect(self.viewport().update)

    def set_even(self) -> None:
        """All rows alike, headings too: a list of a thousand is laid out without asking each."""
        self.delegate.heading = self.delegate._row
        self.setUniformItemSizes(True)

    def set_choices(self, rows: Sequence[Choice], current: str = "") -> None:
        self.rows.set_rows(rows)
        self.delegate.current_key = current
        at = next((i for i, c in enumerate(rows) if c.key and c.key == current), self._first(rows))
        if at is not None:
            self.setCurrentIndex(self.rows.index(at))
            if at == self._first(rows):
                self.scrollToTop()  # the heading above it as well
            else:
                self.scrollTo(self.rows.index(at), QListView.ScrollHint.PositionAtCenter)

    @staticmethod
    def _first(rows: Sequence[Choice]) -> int | None:
        return next((i for i, choice in enumerate(rows) if choice.key), None)

    @property
    def current(self) -> Choice | None:
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def content_height(self) -> int:
        return sum(self.delegate.heading if choice.is_heading else self.delegate._row for choice in self.rows.rows)

    def step(self, by: int) -> None:
        """Move the selection over so many choices, headings not counted."""
        rows = [i for i, choice in enumerate(self.rows.rows) if choice.key]
        if not rows:
            return
        here = self.currentIndex().row()
        at = rows.index(here) if here in rows else -1
        target = rows[min(max(at + by, 0), len(rows) - 1)]
        self.setCurrentIndex(self.rows.index(target))

    def choose_current(self) -> None:
        self._choose(self.currentIndex())

    def _choose(self, index: Index) -> None:
        if index.isValid() and self.rows.rows[index.row()].key:
            self.chosen.emit(self.rows.rows[index.row()])

    def handle_key(self, event: QKeyEvent) -> bool:
        """Keys that move or choose, also when a search field has the focus."""
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if Qt.Key(event.key()) in steps:
            self.step(steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose_current()
        else:
            return False
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.handle_key(event):
            super().keyPressEvent(event)
