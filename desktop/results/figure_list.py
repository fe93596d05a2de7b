"""The tree of all figures as it is seen: names at the left, values at the right."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from core.language.messages import gettext as _
from core.sizing.report import Sizing
from desktop.results.figure_tree import FigureTreeModel
from desktop.results.text import broken
from desktop.tables import KEY_ROLE
from desktop.theme import Theme

TREE_WIDTH, ROW, INDENT, MARK = 228, 30, 14, 3
TALL_ROW, LINE = 44, 16  # of a name that needs a second line
LEFT, RIGHT = 20, 13
MOST_KNOWN = 4000
REST_MS = 120  # without an edit, before the rows that are not on screen follow


class FigureDelegate(QStyledItemDelegate):
    """A row of the tree: name at the left, value at the right; the chosen one with an accent bar.

    A name that finds no room beside its value goes on in a second line, with the value there.
    """

    def __init__(self, theme: Theme, view: QTreeView) -> None:
        super().__init__(view)
        self.theme, self._view = theme, view
        self._known: dict[tuple[str, str, bool, int], list[str]] = {}  # while a number is dragged, most rows stay
        theme.changed.connect(self._known.clear)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, self.height(index))

    def height(self, index: QModelIndex | QPersistentModelIndex) -> int:
        return ROW if len(self.lines(index, TREE_WIDTH)) == 1 else TALL_ROW

    def lines(self, index: QModelIndex | QPersistentModelIndex, width: int) -> list[str]:
        """The name in one line or two."""
        top = not index.parent().isValid()
        name, value = index.data(), index.data(FigureTreeModel.VALUE_ROLE)
        known = self._known.get((name, value, top, width))
        if known is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            known = self._known[name, value, top, width] = self._broken(name, value, top, width)
        return known

    def _broken(self, name: str, value: str, top: bool, width: int) -> list[str]:
        plain = QFontMetrics(self.theme.font("label"))
        metrics = QFontMetrics(self.theme.font("strong")) if top else plain
        room = width - LEFT - RIGHT - (0 if top else INDENT)
        beside = room - (plain.horizontalAdvance(value) + 10 if value else 0)
        if metrics.horizontalAdvance(name) <= beside:
            return [name]
        first = broken(name, metrics, room, 2)[0]
        if first == name or first.endswith("…"):
            return [metrics.elidedText(name, Qt.TextElideMode.ElideRight, room), ""]
        rest = name[len(first) :].strip()
        return [first, metrics.elidedText(rest, Qt.TextElideMode.ElideRight, beside)]

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        assert isinstance(index, QModelIndex)
        rect = QRect(0, option.rect.top(), self._view.viewport().width(), option.rect.height())
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self.theme.color("selected"))
            painter.fillRect(QRect(0, rect.top(), MARK, rect.height()), self.theme.color("accent"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self.theme.color("hover"))
        top, is_group = not index.parent().isValid(), not index.data(KEY_ROLE)
        left = LEFT if top else LEFT + INDENT
        if is_group:
            name = "chevron-down" if self._view.isExpanded(index) else "chevron-right"
            pixmap = self.theme.pixmap(name, "text_3", 12, self._view.devicePixelRatioF())
            painter.drawPixmap(4, rect.top() + 9, pixmap)
        lines, right = self.lines(index, rect.width()), rect.width() - RIGHT
        height = ROW if len(lines) == 1 else LINE
        above = rect.top() + (0 if len(lines) == 1 else (TALL_ROW - 2 * LINE) // 2)
        centre = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self.theme.font("strong" if top else "label"))
        painter.setPen(self.theme.color("text"))
        for number, line in enumerate(lines):
            painter.drawText(QRect(left, above + number * LINE, right - left + 2, height), centre, line)
        value = index.data(FigureTreeModel.VALUE_ROLE)
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_2"))
        width = painter.fontMetrics().horizontalAdvance(value)
        below = above + (len(lines) - 1) * LINE
        painter.drawText(QRect(right - width, below, width + 2, height), centre, value)


class FigureTree(QTreeView):
    """All figures; arrow keys move, typing finds, a click on a group folds it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = FigureTreeModel(self)
        self.setModel(self.figures)
        self._delegate = FigureDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(_("All figures"))
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setFixedWidth(TREE_WIDTH)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setExpandsOnDoubleClick(False)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._tell_the_rest)
        self.clicked.connect(self._fold)
        theme.changed.connect(self.viewport().update)

    def set_sizing(self, sizing: Sizing) -> None:
        """Show the figures of a sizing. While only numbers change, those on screen are enough for now."""
        if self.figures.has_rows_of(sizing):
            self.figures.take(sizing)
            self._tell_what_is_seen()
            self._rest.start()
            return
        open_groups = {self.figures.index(r, 0).data() for r in range(self.figures.rowCount()) if self._open(r)}
        self.figures.set_sizing(sizing)
        for row in range(self.figures.rowCount()):
            index = self.figures.index(row, 0)
            self.setExpanded(index, bool(index.data(KEY_ROLE)) or index.data() in open_groups)

    def _tell_what_is_seen(self) -> None:
        """Rows that need another height are laid out again; all on screen are painted again."""
        index, bottom = self.indexAt(QPoint(0, 0)), self.viewport().height()
        while index.isValid() and (place := self.visualRect(index)).top() <= bottom:
            if self._delegate.height(index) != place.height():
                self.figures.dataChanged.emit(index, index)
            index = self.indexBelow(index)
        self.viewport().update()

    def _tell_the_rest(self) -> None:
        """The rows that are not on screen, for whoever scrolls there or listens."""
        self.figures.announce(self.isExpanded)

    def _open(self, row: int) -> bool:
        return self.isExpanded(self.figures.index(row, 0))

    def _fold(self, index: QModelIndex) -> None:
        if not index.data(KEY_ROLE):
            self.setExpanded(index, not self.isExpanded(index))

    def show_current(self) -> None:
        self.scrollTo(self.currentIndex())

    def show_key(self, key: str) -> None:
        index = self.figures.index_of(key)
        if index.isValid() and index != self.currentIndex():
            self.expand(index.parent())
            self.setCurrentIndex(index)
            self.scrollTo(index)
