"""Explain: the tree of all figures, and for the chosen one how it was found, from what, and where it goes."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Sizing
from core.trace import Computed, formula_of
from desktop.results.explanation import Explanation, FigureLine, explain, source_text
from desktop.results.figure_tree import MAIN, FigureTreeModel
from desktop.results.text import Text
from desktop.tables import KEY_ROLE, Cell, Column, NumberTableModel, TableData
from desktop.theme import Theme

TREE_WIDTH, ROW, INDENT, MARK = 228, 30, 14, 3
FIRST = MAIN[0][0]


class FigureDelegate(QStyledItemDelegate):
    """A row of the tree: name at the left, value at the right; the chosen one with an accent bar."""

    def __init__(self, theme: Theme, view: QTreeView) -> None:
        super().__init__(view)
        self.theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect = QRect(0, option.rect.top(), self._view.viewport().width(), option.rect.height())
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self.theme.color("selected"))
            painter.fillRect(QRect(0, rect.top(), MARK, rect.height()), self.theme.color("accent"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self.theme.color("hover"))
        top, is_group = not index.parent().isValid(), not index.data(KEY_ROLE)
        left = 20 if top else 20 + INDENT
        if is_group:
            name = "chevron-down" if self._view.isExpanded(QModelIndex(index)) else "chevron-right"
            pixmap = self.theme.pixmap(name, "text_3", 12, self._view.devicePixelRatioF())
            painter.drawPixmap(4, rect.top() + 9, pixmap)
        value = index.data(FigureTreeModel.VALUE_ROLE)
        painter.setFont(self.theme.font("label"))
        painter.setPen(self.theme.color("text_2"))
        width = painter.fontMetrics().horizontalAdvance(value)
        right = rect.right() - 12
        centre = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(right - width, rect.top(), width + 2, ROW), centre, value)
        painter.setFont(self.theme.font("strong" if top else "body"))
        painter.setPen(self.theme.color("text"))
        room = right - left - (width + 10 if value else 0)
        title = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, rect.top(), room, ROW), centre, title)


class FigureTree(QTreeView):
    """All figures; arrow keys move, typing finds, a click on a group folds it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.figures = FigureTreeModel(self)
        self.setModel(self.figures)
        self.setItemDelegate(FigureDelegate(theme, self))
        self.setAccessibleName(_("All figures"))
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setFixedWidth(TREE_WIDTH)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setExpandsOnDoubleClick(False)
        self.clicked.connect(self._fold)
        theme.changed.connect(self.viewport().update)

    def set_sizing(self, sizing: Sizing) -> None:
        open_groups = {self.figures.index(r, 0).data() for r in range(self.figures.rowCount()) if self._open(r)}
        if self.figures.set_sizing(sizing):
            for row in range(self.figures.rowCount()):
                index = self.figures.index(row, 0)
                self.setExpanded(index, bool(index.data(KEY_ROLE)) or index.data() in open_groups)

    def _open(self, row: int) -> bool:
        return self.isExpanded(self.figures.index(row, 0))

    def _fold(self, index: QModelIndex) -> None:
        if not index.data(KEY_ROLE):
            self.setExpanded(index, not self.isExpanded(index))

    def show_key(self, key: str) -> None:
        index = self.figures.index_of(key)
        if index.isValid() and index != self.currentIndex():
            self.expand(index.parent())
            self.setCurrentIndex(index)
            self.scrollTo(index)


class FigureTable(QTableView):
    """A few figures with their values; Enter or a click on one follows it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.numbers = NumberTableModel(self)
        self.setModel(self.numbers)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(28)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setFixedHeight(28)
        self.setTabKeyNavigation(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_table(self, table: TableData) -> None:
        anew = [c.title for c in table.columns] != [c.title for c in self.numbers.table.columns]
        self.numbers.set_table(table)
        if anew:
            header, last = self.horizontalHeader(), len(table.columns) - 1
            for column in range(last + 1):
                fits = QHeaderView.ResizeMode.ResizeToContents
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch if column == last else fits)
        height = 28 * (len(table.rows) + (not self.horizontalHeader().isHidden())) + 1
        if height != self.height():
            self.setFixedHeight(height)
        self.setVisible(bool(table.rows))

    def key_at(self, index: QModelIndex) -> str:
        return str(index.data(KEY_ROLE) or "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.clicked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class FormulaBox(QFrame):
    """The formula in words, with numbers, and its result, each line after an equals sign; text can be selected."""

    LINES = 4

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 9, 14, 9)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        self._lines: list[tuple[QLabel, QLabel]] = []
        for row in range(self.LINES):
            sign, text = QLabel("="), QLabel()
            for part in (sign, text):
                part.setProperty("kind", "mono")
                part.setTextFormat(Qt.TextFormat.PlainText)
            text.setWordWrap(True)
            text.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            grid.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, row, 1)
            self._lines.append((sign, text))

    def set_steps(self, steps: Sequence[str]) -> None:
        for index, (sign, text) in enumerate(self._lines):
            shown = index < len(steps)
            sign.setVisible(shown)
            text.setVisible(shown)
            if shown:
                text.setText(steps[index])
        self.setAccessibleName(" = ".join(steps))

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color("sunken"))
        painter.drawRoundedRect(self.rect(), 5, 5)


class NoteBox(QFrame):
    """Where a rule of thumb differs: both numbers, and why."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("kind", "bar")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 12, 9)
        row.setSpacing(10)
        self._icon = QLabel()
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self._draw()
        theme.changed.connect(self._draw)

    def _draw(self) -> None:
        self._icon.setPixmap(self.theme.pixmap("info-circle", "info", 16, self.devicePixelRatioF()))

    def set_notes(self, notes: Sequence[str]) -> None:
        self._text.setText("\n".join(notes))
        self.setVisible(bool(notes))


class FigurePane(QScrollArea):
    """Everything about one figure."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.name = Text(theme, "message")
        self.value = QLabel()
        self.value.setFont(theme.font("message"))
        self.value.setProperty("kind", "message")
        self.certainty_icon = QLabel()
        self.certainty_icon.setFixedSize(16, 16)
        self.certainty = Text(theme, "label", "text_2", lines=2)
        self.formula = FormulaBox(theme)
        self.inputs = FigureTable(theme, _("Inputs"))
        self.uses_title = Text(theme, "strong")
        self.uses = FigureTable(theme, _("Where it goes"))
        self.uses.horizontalHeader().hide()
        self.note = NoteBox(theme)
        self.copy = QPushButton(_("Copy as text"))
        self.back = QPushButton(_("Back"))
        self.back.setProperty("kind", "quiet")
        self.back.setToolTip(_("To the figure before this one (Backspace)"))
        self._lay_out()

    def _lay_out(self) -> None:
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        page.setProperty("kind", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(18, 11, 20, 12)
        column.setSpacing(0)
        head, sure, foot = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.value)
        sure.setSpacing(6)
        sure.addWidget(self.certainty_icon, 0, Qt.AlignmentFlag.AlignTop)
        sure.addWidget(self.certainty, 1)
        foot.addWidget(self.copy)
        foot.addWidget(self.back)
        foot.addStretch(1)
        column.addLayout(head)
        column.addSpacing(2)
        column.addLayout(sure)
        for widget, space in ((self.formula, 8), (self.inputs, 8), (self.uses_title, 14), (self.uses, 4)):
            column.addSpacing(space)
            column.addWidget(widget)
        column.addSpacing(14)
        column.addWidget(self.note)
        column.addSpacing(14)
        column.addLayout(foot)
        column.addStretch(1)
        self.setWidget(page)

    def show_explanation(self, explanation: Explanation) -> None:
        self.name.setText(explanation.name)
        self.value.setText(explanation.value)
        icon, color = ("check", "ok") if explanation.is_exact else ("info-circle", "text_2")
        pixmap = self.theme.pixmap(icon, color, 14, self.devicePixelRatioF())  # type: ignore[arg-type]
        self.certainty_icon.setPixmap(pixmap)
        self.certainty.setText(explanation.certainty)
        self.formula.set_steps(explanation.steps)
        self.inputs.set_table(_inputs_table(explanation.inputs))
        self.uses.set_table(_uses_table(explanation.uses))
        self.uses_title.setText(_("Where it goes") if explanation.uses else _("It goes into no other figure."))
        self.note.set_notes(explanation.notes)


def _inputs_table(lines: Sequence[FigureLine]) -> TableData:
    columns = (
        Column(_("Input"), is_number=False),
        Column(_("Value")),
        Column(_("Source and date"), is_number=False),
    )
    rows = tuple((Cell(one.name), Cell(one.value), Cell(one.source)) for one in lines)
    return TableData(_("Inputs"), columns, rows, tuple(one.key for one in lines))


def _uses_table(lines: Sequence[FigureLine]) -> TableData:
    columns = (Column(_("Figure"), is_number=False), Column(_("Value")))
    rows = tuple((Cell(one.name), Cell(one.value)) for one in lines)
    return TableData(_("Where it goes"), columns, rows, tuple(one.key for one in lines))


class ExplainPage(QWidget):
    """The page; `explain` shows one figure. Hidden, it only remembers what to show."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.sizing: Sizing | None = None
        self.key = FIRST
        self._history: list[str] = []
        self._stale = False
        self.tree = FigureTree(theme)
        self.pane = FigurePane(theme)
        line = QFrame()
        line.setProperty("kind", "line")
        line.setFixedWidth(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for widget in (self.tree, line, self.pane):
            row.addWidget(widget)
        self.tree.selectionModel().currentChanged.connect(self._on_chosen)
        self.tree.figures.modelReset.connect(lambda: self.tree.show_key(self.key))
        for table in (self.pane.inputs, self.pane.uses):
            table.clicked.connect(lambda index, table=table: self.explain(table.key_at(index)))
        self.pane.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text()))
        self.pane.back.clicked.connect(self.go_back)
        self.setFocusProxy(self.tree)

    # -- showing ------------------------------------------------------------------------------------------------------

    def set_sizing(self, sizing: Sizing, catalogue: Any = None) -> None:
        self.sizing = sizing
        self._stale = True
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        if not self._stale or self.sizing is None:
            return
        self._stale = False
        if self.key not in self.sizing.trace:
            self.key = FIRST
        self.tree.set_sizing(self.sizing)
        self.tree.show_key(self.key)
        self._show()

    def _show(self) -> None:
        if self.sizing is not None and self.key in self.sizing.trace:
            self.pane.show_explanation(explain(self.sizing, self.key, current()))
        self.pane.back.setVisible(bool(self._history))

    def explain(self, key: str) -> None:
        """Show how one figure was found."""
        if not key or self.sizing is None or key not in self.sizing.trace or key == self.key:
            return
        self._history.append(self.key)
        self.key = key
        if self.isVisible():
            self._refresh()
            self.tree.show_key(key)
            self._show()
            self.pane.verticalScrollBar().setValue(0)
        else:
            self._stale = True

    def go_back(self) -> None:
        if self._history:
            self.key = self._history.pop()
            self.tree.show_key(self.key)
            self._show()

    def _on_chosen(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE) if index.isValid() else ""
        if key and key != self.key:
            self.explain(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace:
            self.go_back()
        else:
            super().keyPressEvent(event)

    def text(self) -> str:
        """The explanation shown, as plain text."""
        return explain(self.sizing, self.key, current()).text if self.sizing is not None else ""

    # -- export -------------------------------------------------------------------------------------------------------

    def tables(self) -> list[TableData]:
        """All figures with formula or source, for a CSV file."""
        return [figures_table(self.sizing)] if self.sizing is not None else []


def figures_table(sizing: Sizing) -> TableData:
    """Every figure of a sizing: key, value in its plain unit, formula or source."""
    from core.language.figures import label

    columns = (
        Column(_("Figure"), is_number=False),
        Column(_("Key"), is_number=False),
        Column(_("Value")),
        Column(_("Unit"), is_number=False),
        Column(_("Formula or source"), is_number=False),
    )
    rows = []
    for key in sizing.trace:
        entry = sizing.trace.entry(key)
        computed = isinstance(entry, Computed)
        origin = formula_of(entry.function).expression if isinstance(entry, Computed) else source_text(entry.origin)
        value = Cell(str(entry.value), entry.value if isinstance(entry.value, int | float) else None)
        rows.append(
            (Cell(label(key)), Cell(key), value, Cell(entry.unit.value), Cell(f"= {origin}" if computed else origin))
        )
    return TableData(_("All figures"), columns, tuple(rows), tuple(sizing.trace))
