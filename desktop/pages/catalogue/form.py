"""The form of one record, made from its description: every figure with value, source, date and confidence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.errors import TonnageError
from core.language import sentences
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, plain
from desktop.pages.catalogue.row import GAP, NAME, SOURCE, VALUE, FigureRow
from desktop.pages.catalogue.tables import RecordTable
from desktop.refusal import sentence
from desktop.theme import Theme
from desktop.widgets.labels import label
from desktop.widgets.quantity import Value
from desktop.widgets.scroll import DownScroll

UNNAMED = "own/new"  # until a record is saved for the first time
USABLE, CAPACITY = ".usable_bytes", ".capacity_bytes"


class RecordForm(DownScroll):
    """All figures of a record, editable; the page saves what `edited` returns."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._table: RecordTable | None = None
        self._data: Data = {}
        self._shape: Sequence[tuple[object, ...]] = ()  # of the rows that are in place
        self._spare: list[FigureRow] = []
        self._headings: list[QLabel] = []
        self._spare_headings: list[QLabel] = []
        self._stretched = 0
        self._catalogue: Any = None
        self._filling = False
        self._last: list[FigureRow] = []  # in the order in which they were changed
        self.rows: list[FigureRow] = []
        self._inner = QWidget()
        self._inner.setProperty("kind", "page")
        self._grid = QGridLayout(self._inner)
        self._grid.setContentsMargins(24, 4, 20, 20)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(SOURCE, 1)
        self.setWidget(self._inner)

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_record(self, table: RecordTable, record: BaseModel, catalogue: Any) -> None:
        """Show a record; what was typed before is gone."""
        self.show_data(table, plain(record), catalogue)

    def show_data(self, table: RecordTable, data: Data, catalogue: Any) -> None:
        """Show a record that may lack what it needs."""
        self._filling = True
        self._table, self._data, self._catalogue = table, data, catalogue
        self._arrange(table.groups(data, catalogue))
        for row in self.rows:
            row.show_data(data)
            row.show_line("")
        self._last.clear()
        self._filling = False
        self.verticalScrollBar().setValue(0)
        self.changed.emit()

    def _arrange(self, groups: Sequence[FigureGroup]) -> None:
        """Put a row for every figure below its heading; rows and headings of the record before are used again."""
        figures = [one for group in groups for one in group.figures]
        shape = [(group.title, one.key, type(one.kind)) for group in groups for one in group.figures]
        if shape == self._shape:
            for row, figure in zip(self.rows, figures, strict=True):
                row.renew(figure)
            return
        self._shape = shape
        self._grid.setEnabled(False)  # laid out once, at the end
        self._clear()
        at = 0
        for group in groups:
            at = self._heading(at, group.title)
            for figure in group.figures:
                at = self._row(at, figure)
        self._grid.setRowStretch(at, 1)
        self._stretched = at
        self._order()
        for row in self._spare:
            row.set_visible(False)
        for heading in self._spare_headings:
            heading.hide()
        self._grid.setEnabled(True)

    def _clear(self) -> None:
        while self._grid.takeAt(0) is not None:
            pass
        self._grid.setRowStretch(self._stretched, 0)
        self._spare += self.rows
        self._spare_headings += self._headings
        self.rows, self._headings = [], []

    def _heading(self, at: int, text: str) -> int:
        heading = self._spare_headings.pop() if self._spare_headings else label("", "section", parent=self._inner)
        heading.setText(text)
        heading.setContentsMargins(0, 10, 0, 2)
        self._grid.addWidget(heading, at, NAME, 1, 5)
        heading.setVisible(True)
        self._headings.append(heading)
        return at + 1

    def _row(self, at: int, figure: Figure) -> int:
        row = next((one for one in self._spare if type(one.figure.kind) is type(figure.kind)), None)
        if row is None:
            row = FigureRow(self._theme, figure, self._refusal, self._inner)
            row.touched.connect(self._on_touched)
            row.source_typed.connect(self._on_told)
        else:
            self._spare.remove(row)
            row.renew(figure)
        for column, widget in enumerate(row.widgets):
            self._grid.addWidget(widget, at, column)
        self._grid.addWidget(row.caption, at + 1, VALUE, 1, 4)
        row.set_visible(True)
        self.rows.append(row)
        return at + 2

    def _order(self) -> None:
        """Tab goes along the row, then to the next."""
        fields = [widget for row in self.rows for widget in row.widgets[VALUE:]]
        for one, following in pairwise(fields):
            QWidget.setTabOrder(one, following)

    # -- typing -------------------------------------------------------------------------------------------------------

    def _on_touched(self, row: FigureRow) -> None:
        if self._filling:
            return
        self._filling = True
        if row.figure.key.endswith(CAPACITY):
            self._resize_memory(row.figure.key.replace(CAPACITY, USABLE))
        self._filling = False
        if row in self._last:
            self._last.remove(row)
        if row.is_changed:
            self._last.append(row)
        self.changed.emit()

    def _resize_memory(self, usable: str) -> None:
        """Another capacity was typed: what a driver reported of the old one no longer holds."""
        for row in self.rows:
            if row.figure.key == usable and row.value.value is not None:
                row.forget()
                self._last.append(row)

    def _on_told(self, typed: FigureRow) -> None:
        """Figures of one source show it alike."""
        if not typed.figure.place or self._filling:
            return
        for row in self.rows:
            if row is not typed and row.figure.place == typed.figure.place:
                row.source.setText(typed.source.text())
                row.date.setText(typed.date.text())
                row.confidence.set_current(typed.confidence.key)

    def take_back(self) -> bool:
        """Undo the last change that is not saved; whether there was one."""
        self.settle()
        if not self._last:
            return False
        row = self._last.pop()
        self._filling = True
        row.reset()
        self._filling = False
        self.changed.emit()
        return True

    def settle(self) -> None:
        """Do not wait for pauses: what is being typed takes effect."""
        for row in self.rows:
            row.value.settle()

    # -- what was typed -----------------------------------------------------------------------------------------------

    @property
    def wrong(self) -> list[FigureRow]:
        """The figures that cannot be read."""
        return [row for row in self.rows if row.is_wrong]

    @property
    def needed(self) -> list[FigureRow]:
        """The figures that the record cannot do without and that are missing."""
        return [row for row in self.rows if row.is_needed]

    @property
    def is_changed(self) -> bool:
        return any(row.is_changed for row in self.rows)

    def data(self) -> Data:
        """The plain values of the record as typed."""
        data = dict(self._data)
        for row in self.rows:
            row.write(data)
        return data

    def edited(self, **changes: object) -> tuple[Any, str]:
        """The record as typed, with further changes; or None and why it cannot be used."""
        assert self._table is not None
        try:
            data = {**self.data(), **changes}
            return self._table.read({**data, "id": data.get("id") or UNNAMED}), ""
        except ValidationError as error:
            return None, sentence(error)
        except TonnageError as error:
            return None, sentences.error(error)

    def _refusal(self, figure: Figure, value: Value) -> str:
        """Why a value of one figure is impossible beside the others; empty where it is not."""
        if self._table is None:
            return ""
        data = {**self._data, "id": self._data.get("id") or UNNAMED}
        figure.put(data, value)
        try:
            self._table.read(data)
        except ValidationError as error:
            return sentence(error) if _concerns(error, figure.key) else ""
        except TonnageError as error:
            return sentences.error(error)
        return ""

    def jump(self) -> None:
        """Go to the first figure that cannot be read, or that is needed."""
        rows = self.wrong or self.needed
        if rows:
            field = rows[0].first_wrong
            self.ensureWidgetVisible(field)
            field.setFocus()

    def focus_first(self) -> None:
        if self.rows:
            self.rows[0].value.setFocus(Qt.FocusReason.TabFocusReason)


def _concerns(error: ValidationError, key: str) -> bool:
    """Is this figure at fault, or a group or the record for no other reason than this figure?"""
    places = [".".join(map(str, one["loc"])) for one in error.errors()]
    around = [place for place in places if not place or f"{key}.".startswith(f"{place}.")]
    return key in places or any(not _below(place, places) for place in around)


def _below(place: str, places: Sequence[str]) -> list[str]:
    """The faults inside a group, which alone make the group one."""
    return [one for one in places if one != place and one.startswith(f"{place}." if place else "")]
