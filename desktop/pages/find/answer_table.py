"""The ranked table: a tick, the verdict, and the speed as a bar on one scale for all rows."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPolygon
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from core.sizing.report import Verdict
from desktop.pages.find.answers import ROW_ROLE, SPEED_COLUMN, AnswersModel, Row
from desktop.theme import Color, Theme

Index = QModelIndex | QPersistentModelIndex
TICK, ICON, NAME = 14, 40, 66  # from the left of the first column
NUMBER = 44  # of the speed, before its bar
ICONS: dict[Verdict, tuple[str, Color]] = {
    Verdict.FITS: ("check-circle", "ok"),
    Verdict.CLOSE: ("triangle", "warn"),
    Verdict.DOES_NOT_FIT: ("octagon", "bad"),
}
UNKNOWN: tuple[str, Color] = ("info-circle", "info")

LEAST_NAME, LEAST_BAR = 280, 110  # widths, where all columns find room
MOST_LACKING, USUAL = (
    70,
    1000,
)  # of a name, in a window narrower than the usual, before a column goes that can be spared


class AnswerDelegate(QStyledItemDelegate):
    """Paints ticks, verdicts, bars and the diamond of the best speed for its price."""

    def __init__(self, theme: Theme, table: "AnswerTable") -> None:
        super().__init__(table)
        self._theme, self._table = theme, table

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, self._theme.size("table_row"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, area, index)
        if index.column() == 0:
            self._option(painter, area, row, index)
        elif index.column() == SPEED_COLUMN:
            self._speed(painter, area, row, index)
        else:
            last = index.column() == index.model().columnCount() - 1 and self._table.has_diamonds
            self._text(painter, area.adjusted(6, 0, -28 if last else -8, 0), index)
            if last and row.best:
                self._diamond(painter, QPoint(area.right() - 14, area.center().y()))
        painter.restore()

    def _ground(self, painter: QPainter, area: QRect, index: Index) -> None:
        chosen = self._table.selectionModel().isRowSelected(index.row(), QModelIndex())
        if chosen:
            painter.fillRect(area, self._theme.color("selected"))
            if index.column() == 0:
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), self._theme.color("accent"))
        painter.setPen(self._theme.color("border"))
        painter.drawLine(area.bottomLeft(), area.bottomRight())

    def _option(self, painter: QPainter, area: QRect, row: Row, index: Index) -> None:
        theme, middle = self._theme, area.center().y()
        ticked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        box = QRectF(area.left() + TICK, middle - 8, 16, 16)
        painter.setPen(QPen(theme.color("accent" if ticked else "border_control"), 1.2))
        painter.setBrush(theme.color("accent" if ticked else "surface"))
        painter.drawRoundedRect(box, 3, 3)
        ratio = painter.device().devicePixelRatio()
        if ticked:
            painter.drawPixmap(box.toRect().adjusted(2, 2, -2, -2), theme.pixmap("check", "on_accent", 12, ratio))
        name, color = UNKNOWN if row.is_unknown else ICONS[row.verdict]
        painter.drawPixmap(area.left() + ICON, middle - 8, theme.pixmap(name, color, 16, ratio))
        self._text(painter, area.adjusted(NAME, 0, -6, 0), index)

    def _text(self, painter: QPainter, area: QRect, index: Index) -> None:
        bold = index.column() == 0 and self._table.selectionModel().isRowSelected(index.row(), QModelIndex())
        bold = bold or index.column() == self._table.ranked_column
        painter.setFont(self._theme.font("strong" if bold else "body"))
        painter.setPen(self._theme.color("text"))
        shown = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, index.data(Qt.ItemDataRole.TextAlignmentRole), shown)

    def _speed(self, painter: QPainter, area: QRect, row: Row, index: Index) -> None:
        """The number, then P10 to P90 with the median on the common scale, and the target as a tick."""
        theme, model = self._theme, self._table.answers
        painter.setFont(theme.font("strong" if self._table.ranked_column == SPEED_COLUMN else "body"))
        painter.setPen(theme.color("text"))
        number = area.adjusted(2, 0, 0, 0)
        number.setWidth(NUMBER - 8)
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data())
        scale = QRectF(area.left() + NUMBER + 6, area.center().y() - 1.5, area.width() - NUMBER - 16, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("border"))
        painter.drawRoundedRect(scale, 2, 2)
        low, middle, high = (scale.left() + speed / model.top_speed * scale.width() for speed in row.speed)
        below = model.target is not None and row.speed[0] < model.target
        color = theme.color("warn") if below else theme.series(0)
        faint = theme.color("warn") if below else theme.series(0)
        faint.setAlphaF(0.55)
        painter.setBrush(faint)
        painter.drawRoundedRect(QRectF(low, scale.top(), max(2.0, high - low), 4), 2, 2)
        painter.setBrush(color)
        painter.drawEllipse(QRectF(middle - 4, scale.center().y() - 4, 8, 8))
        if model.target is not None:
            x = scale.left() + model.target / model.top_speed * scale.width()
            painter.setPen(QPen(theme.color("text"), 1.4))
            painter.drawLine(
                QRectF(x, scale.center().y() - 7, 0, 14).topLeft(), QRectF(x, scale.center().y() + 7, 0, 0).topLeft()
            )

    def _diamond(self, painter: QPainter, at: QPoint) -> None:
        painter.setPen(QPen(self._theme.series(0), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x, y = at.x(), at.y() + 1
        painter.drawPolygon(QPolygon([QPoint(x, y - 5), QPoint(x + 5, y), QPoint(x, y + 5), QPoint(x - 5, y)]))


class AnswerTable(QTableView):
    """Space ticks, Enter opens, a click chooses."""

    row_chosen = Signal(int)
    open_wanted = Signal(int)

    def __init__(self, theme: Theme, answers: AnswersModel, name: str, spared: Sequence[int] = ()) -> None:
        """`spared` columns go, the first of them first, where the window is too narrow for names."""
        super().__init__()
        self._spared = spared
        self.answers = answers
        self.ranked_column = -1
        self._theme = theme
        self._empty = ""  # what to say where there is no row
        self.setAccessibleName(name)
        self.setModel(answers)
        self.setItemDelegate(AnswerDelegate(theme, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.size("table_row"))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setFixedHeight(theme.size("table_header"))
        header.setMinimumSectionSize(48)
        self.selectionModel().currentRowChanged.connect(lambda now, _before: self.row_chosen.emit(now.row()))
        self.doubleClicked.connect(lambda index: self.open_wanted.emit(index.row()))
        theme.changed.connect(self.viewport().update)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, theme.color("selected"))
        self.setPalette(palette)

    def say_empty(self, sentence: str) -> None:
        """What stands in the place of rows where there are none."""
        self._empty = sentence
        self.setAccessibleDescription("" if self.answers.rows else sentence)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._empty and not self.answers.rows:
            painter = QPainter(self.viewport())
            painter.setFont(self._theme.font("body"))
            painter.setPen(self._theme.color("text_2"))
            area = self.viewport().rect().adjusted(40, 0, -40, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty)

    def fit_columns(self) -> None:
        """Numbers take what they need, the bar a fixed part, the option what is left: always enough for a name."""
        header, count = self.horizontalHeader(), self.answers.columnCount()
        if not count:
            return
        bar = 236 if self.width() > 1000 and len(self.answers.columns) < 8 else 150
        bar = max(bar, self._heading(SPEED_COLUMN))  # a heading is never cut
        widths = [0, *(bar if column == SPEED_COLUMN else self._width(column) for column in range(1, count))]
        lacking = LEAST_NAME - (self.viewport().width() - sum(widths))
        for column in self._spared:
            hidden = self.width() < USUAL and lacking > MOST_LACKING
            self.setColumnHidden(column, hidden)
            if hidden:
                lacking -= widths[column]
                widths[column] = 0
        if lacking > 0:
            widths[SPEED_COLUMN] = max(LEAST_BAR, self._heading(SPEED_COLUMN), bar - lacking)
            lacking -= bar - widths[SPEED_COLUMN]
        worded = [at for at in range(1, count) if at != SPEED_COLUMN and not self.answers.columns[at].is_number]
        worded = [at for at in worded if widths[at]]
        words = sum(widths[at] for at in worded)
        for at in worded if lacking > 0 else ():
            widths[at] = max(self._heading(at), widths[at] - round(lacking * widths[at] / words))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, count):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            if widths[column]:
                self.setColumnWidth(column, widths[column])

    @property
    def has_diamonds(self) -> bool:
        """Is any answer the best speed for its price? The last column has room for the mark then."""
        return any(row.best for row in self.answers.rows)

    def _heading(self, column: int) -> int:
        """What the title of a column needs."""
        return self.horizontalHeader().fontMetrics().horizontalAdvance(self.answers.columns[column].title) + 18

    def _width(self, column: int) -> int:
        last = column == self.answers.columnCount() - 1 and self.has_diamonds
        header = self.horizontalHeader().fontMetrics().horizontalAdvance(self.answers.columns[column].title)
        cells = [self.fontMetrics().horizontalAdvance(row.cells[column]) for row in self.answers.rows]
        return min(170, max([header + 14, *(width + 8 for width in cells)]) + (34 if last else 12))

    def choose(self, row: int) -> None:
        if row != self.currentIndex().row():
            self.selectRow(row)
            self.setCurrentIndex(self.answers.index(row, 0))

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self.fit_columns()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == 0 and event.position().x() < ICON - 4:
            self.answers.toggle(index.row())
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if event.key() == Qt.Key.Key_Space and row >= 0:
            self.answers.toggle(row)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0:
            self.open_wanted.emit(row)
        else:
            super().keyPressEvent(event)
