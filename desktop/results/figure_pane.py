"""Everything about one figure: value, certainty, formula, inputs, where it goes, and the rule of thumb."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
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
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.language.messages import gettext as _
from desktop.results.explanation import Explanation, FigureLine
from desktop.results.text import Text
from desktop.tables import KEY_ROLE, Cell, Column, NumberTableModel, TableData
from desktop.theme import Theme

#: What the names of a table may take, by the number of its columns.
MOST_OF_WIDTH = {0: 1.0, 1: 1.0, 2: 0.75, 3: 0.45}


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
                mode = QHeaderView.ResizeMode.ResizeToContents if 0 < column < last else QHeaderView.ResizeMode.Fixed
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch if column == last else mode)
        self._share_width()
        height = 28 * (len(table.rows) + (not self.horizontalHeader().isHidden())) + 1
        if height != self.height():
            self.setFixedHeight(height)
        self.setVisible(bool(table.rows))

    def _share_width(self) -> None:
        """The first column takes what it needs, up to a part of the width; the last one the rest."""
        part = MOST_OF_WIDTH[min(len(self.numbers.table.columns), 3)]
        self.setColumnWidth(0, min(self.sizeHintForColumn(0) + 6, round(self.viewport().width() * part)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

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
        self.bill = QPushButton(_("Bill of materials…"))
        self.bill.setToolTip(_("Change the lines that this cost comes from"))
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
        foot.addWidget(self.bill)
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
