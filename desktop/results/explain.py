"""Explain: the tree of all figures, and for the chosen one how it was found, from what, and where it goes."""

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from core.language.figures import label
from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Sizing
from core.trace import Computed, formula_of
from desktop.results.curves import Curves
from desktop.results.explanation import explain, source_text
from desktop.results.figure_list import FigureTree
from desktop.results.figure_pane import FigurePane
from desktop.results.figure_tree import MAIN
from desktop.tables import KEY_ROLE, Cell, Column, TableData
from desktop.theme import Theme

FIRST = MAIN[0][0]


class ExplainPage(QWidget):
    """The page; `explain` shows one figure. Hidden, it only remembers what to show."""

    bill_wanted = Signal()

    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__()
        self.theme = theme
        self._curves = curves
        self._bare: Sizing | None = None  # as it came; `sizing` has the figures of cost, roofline and capacity as well
        self._catalogue: Any = None
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
        self.pane.bill.clicked.connect(self.bill_wanted)
        self.setFocusProxy(self.tree)

    # -- showing ------------------------------------------------------------------------------------------------------

    def set_sizing(self, sizing: Sizing, catalogue: Any = None) -> None:
        self._bare, self._catalogue = sizing, catalogue
        self._stale = True
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
        QTimer.singleShot(0, self.tree, self.tree.show_current)  # once the tree has its size

    def _refresh(self) -> None:
        if not self._stale or self._bare is None:
            return
        self._stale = False
        self.sizing = self._curves.explained(self._bare, self._catalogue, self.key)
        if self.key not in self.sizing.trace:
            self.key = FIRST
        self.tree.set_sizing(self.sizing)
        self.tree.show_key(self.key)
        self._show()

    def _show(self) -> None:
        if self.sizing is not None and self.key in self.sizing.trace:
            self.pane.show_explanation(explain(self.sizing, self.key, current()))
        self.pane.back.setVisible(bool(self._history))
        self.pane.bill.setVisible(self.key.startswith("cost."))

    def explain(self, key: str) -> None:
        """Show how one figure was found."""
        if not key or self._bare is None or key == self.key:
            return
        if self._stale or self.sizing is None or key not in self.sizing.trace:
            whole = self._curves.explained(self._bare, self._catalogue, key)
            if key not in whole.trace:
                return
            self._stale = True
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
        self._refresh()
        return explain(self.sizing, self.key, current()).text if self.sizing is not None else ""

    # -- export -------------------------------------------------------------------------------------------------------

    def tables(self) -> list[TableData]:
        """All figures with formula or source, for a CSV file."""
        self._refresh()
        return [figures_table(self.sizing)] if self.sizing is not None else []


def figures_table(sizing: Sizing) -> TableData:
    """Every figure of a sizing: key, value in its plain unit, formula or source."""
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
