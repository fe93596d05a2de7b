"""The comparison as a file: its charts and rows on white, or all of its numbers."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.language import comparison as words
from core.language.comparison_inputs import InputRow
from core.language.messages import gettext as _
from core.sizing.comparison import Comparison
from desktop.pages.compare.capacity_multiple import curve_table
from desktop.pages.compare.compare_body import CompareBody
from desktop.pages.compare.compare_table import lines_of
from desktop.results import exports
from desktop.results.export_actions import NUMBERS
from desktop.results.text import Text
from desktop.tables import Cell, Column, TableData
from desktop.theme import Theme

WIDTH, SIDE = 1080, 20


class ComparisonSheet(QWidget):
    """Sentence, charts and rows at the size of a page, in light colours whatever the window wears."""

    def __init__(self, theme: Theme, found: Comparison, inputs: Sequence[InputRow], only_differing: bool) -> None:
        super().__init__()
        self.setStyleSheet(theme.sheet())
        self.setAccessibleName(words.headline(found))
        headline, subline = Text(theme, "message", "text", 3), Text(theme, "label", "text_2", 2)
        body = CompareBody(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for text in (headline, subline):
            text.setContentsMargins(SIDE, 0, SIDE, 0)
            column.addWidget(text)
        column.addWidget(body, 1)
        self.resize(WIDTH, 400)
        for text, said in ((headline, words.headline(found)), (subline, words.subline(found, inputs))):
            text.resize(WIDTH, text.height())
            text.setText(said)
        body.resize(WIDTH, 400)
        body.show_comparison(found, inputs, only_differing)
        self.resize(QSize(WIDTH, headline.height() + subline.height() + 8 + body.minimumHeight()))


def rows_table(found: Comparison, inputs: Sequence[InputRow], only_differing: bool) -> TableData:
    """The rows below the charts."""
    options = [Column(f"{option.letter}: {option.scenario.name}", is_number=False) for option in found.options]
    rows = tuple(
        (Cell(one.name), *(Cell(cell.spoken) for cell in one.cells))
        for one in lines_of(found, inputs, only_differing)
        if not one.is_heading
    )
    return TableData(_("Compare"), (Column(_("Item"), is_number=False), *options), rows)


class CompareExport:
    """Saves and copies one comparison."""

    def __init__(self, shown: Theme, found: Comparison, inputs: Sequence[InputRow], only_differing: bool) -> None:
        self._shown, self._found, self._inputs, self._only = shown, found, inputs, only_differing

    @property
    def name(self) -> str:
        return ", ".join(option.scenario.name for option in self._found.options)

    def tables(self) -> list[TableData]:
        return [rows_table(self._found, self._inputs, self._only), curve_table(self._found)]

    def save(self, path: Path, day: date) -> None:
        """Write a file as the ending of the path says.

        Raises
        ------
        TonnageError : the file cannot be written
        """
        if path.suffix.lower() == f".{NUMBERS}":
            exports.save_tables(self.tables(), self.name, path, day)
        else:
            exports.save_sheet(self._sheet, self._shown, self.name, path, day)

    def image(self, day: date) -> QImage:
        return exports.sheet_image(self._sheet, self._shown, self.name, day)

    def copy(self, day: date) -> None:
        QGuiApplication.clipboard().setImage(self.image(day))

    def _sheet(self, theme: Theme) -> QWidget:
        return ComparisonSheet(theme, self._found, self._inputs, self._only)
