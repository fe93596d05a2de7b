"""What was ruled out: one line with the nearest miss, and the whole list with reasons behind a link."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from desktop.results.table_view import NumberTable
from desktop.tables import Cell, Column, TableData
from desktop.theme import Theme
from desktop.widgets.labels import ElidedLabel, ToneIcon, button, label

Miss = tuple[str, str]  # name, reason


class MissesLine(QWidget):
    """How many were ruled out, and the nearest one with its reason."""

    all_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedHeight(38)
        self.number = label("", "strong")
        self._icon = ToneIcon(theme, "octagon", "bad", 14)
        self.name = label("", "strong")
        self.reason = ElidedLabel("", "label")
        self.more = button(_("Show all with reasons"), "link", self.all_wanted.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(8)
        row.addWidget(self.number)
        row.addSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self.name)
        row.addWidget(self.reason, 1)
        row.addWidget(self.more)
        self._show_parts(False)

    def _show_parts(self, shown: bool) -> None:
        for widget in (self._icon, self.name, self.reason, self.more):
            widget.setVisible(shown)

    def show_misses(self, number: int, nearest: Miss | None) -> None:
        text = ngettext("{number} ruled out", "{number} ruled out", number)
        self.number.setText(text.format(number=current().count(number)))
        self._show_parts(nearest is not None)
        if nearest is not None:
            self.name.setText(nearest[0])
            self.reason.setText(nearest[1])
        self.setAccessibleName(" ".join([self.number.text(), *(nearest or ())]))


class MissesList(QDialog):
    """Everything that was ruled out, with its reason."""

    def __init__(self, theme: Theme, misses: Sequence[Miss], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Ruled out, the nearest misses first"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 520)
        self.table = NumberTable(theme)
        columns = (Column(_("Option"), is_number=False), Column(_("Why not"), is_number=False))
        rows = tuple((Cell(name), Cell(reason)) for name, reason in misses)
        self.table.set_table(TableData(self.windowTitle(), columns, rows))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(self.windowTitle(), "message"))
        column.addWidget(self.table)
        close = button(_("Close"), "primary", self.accept)
        close.setDefault(True)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        column.addLayout(row)
