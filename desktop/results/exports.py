"""Saving a page of charts: PNG at twice the size, SVG, or CSV, on white, with title, source line and date."""

import csv
import datetime
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from core import __version__
from core.errors import TonnageError
from core.language.messages import gettext as _
from desktop.results.page import ResultPage
from desktop.tables import TableData
from desktop.theme import Scheme, Theme

SIZE = QSize(960, 560)
MARGIN, FOOT = 24, 28
PNG_SCALE = 2

PageMaker = Callable[[Theme], ResultPage]
SheetMaker = Callable[[Theme], QWidget]
T = TypeVar("T")


def source_line(name: str, day: datetime.date) -> str:
    """What stands below an exported chart."""
    return _("Source: Tonnage {version}, scenario “{name}”, {date}").format(
        version=__version__, name=name, date=day.isoformat()
    )


def save_sheet(make: SheetMaker, shown: Theme, name: str, path: Path, day: datetime.date) -> None:
    """Draw a widget anew on white, at its own size, and save it as the path's ending says."""
    draw = _svg if path.suffix.lower() == ".svg" else _png
    _write(path, _laid_out(make, shown, lambda page, theme: draw(page, theme, source_line(name, day))))


def sheet_image(make: SheetMaker, shown: Theme, name: str, day: datetime.date) -> QImage:
    """The widget as an image, for the clipboard."""
    return _laid_out(make, shown, lambda page, theme: _image(page, theme, source_line(name, day)))


def _laid_out(make: SheetMaker, shown: Theme, draw: Callable[[QWidget, Theme], T]) -> T:
    theme = Theme(Scheme.LIGHT) if shown.dark else shown
    sheet = make(theme)
    try:
        return draw(sheet, theme)
    finally:
        sheet.deleteLater()


def save_chart(make: PageMaker, shown: Theme, name: str, path: Path, day: datetime.date) -> None:
    """Draw a page anew on white and save it as the path's ending says; `shown` is the theme of the window."""
    draw = _svg if path.suffix.lower() == ".svg" else _png
    _write(path, _drawn(make, shown, lambda page, theme: draw(page, theme, source_line(name, day))))


def chart_image(make: PageMaker, shown: Theme, name: str, day: datetime.date) -> QImage:
    """The page as an image, for the clipboard."""
    return _drawn(make, shown, lambda page, theme: _image(page, theme, source_line(name, day)))


def _drawn(make: PageMaker, shown: Theme, draw: Callable[[ResultPage, Theme], T]) -> T:
    """What `draw` makes of a page built anew on white."""
    theme = Theme(Scheme.LIGHT) if shown.dark else shown
    page = make(theme)
    page.setParent(None)
    page.resize(SIZE)
    page.set_compact(False)
    page.complete()
    for slot in page.slots():
        if slot.chart is not None:
            slot.chart.prepare_export()
    try:
        return draw(page, theme)
    finally:
        page.deleteLater()


def _whole(page: QWidget) -> QSize:
    return QSize(page.width() + 2 * MARGIN, page.height() + MARGIN + FOOT)


def _draw(painter: QPainter, page: QWidget, theme: Theme, source: str) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(QPoint(0, 0), _whole(page)), Qt.GlobalColor.white)
    page.render(painter, QPoint(MARGIN, MARGIN // 2), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.setFont(theme.font("caption"))
    painter.setPen(theme.color("text_3"))
    foot = QRectF(MARGIN, _whole(page).height() - FOOT, page.width(), FOOT - 8)
    painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, source)


def _image(page: QWidget, theme: Theme, source: str) -> QImage:
    image = QImage(_whole(page) * PNG_SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    painter = QPainter(image)
    _draw(painter, page, theme, source)
    painter.end()
    return image


def _png(page: QWidget, theme: Theme, source: str) -> bytes:
    image, buffer = _image(page, theme, source), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the format is a str, against what the stubs say
    return bytes(buffer.data().data())


def _svg(page: QWidget, theme: Theme, source: str) -> bytes:
    buffer = QBuffer()
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(_whole(page))
    drawing.setViewBox(QRect(QPoint(0, 0), _whole(page)))
    drawing.setTitle(page.accessibleName())
    drawing.setDescription(source)
    painter = QPainter(drawing)
    _draw(painter, page, theme, source)
    painter.end()
    return bytes(buffer.data().data())


def save_tables(tables: Sequence[TableData], name: str, path: Path, day: datetime.date) -> None:
    """All numbers of a page in one CSV file: plain numbers, one table after another, each under its name."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for table in tables:
        writer.writerow([table.name])
        writer.writerow([column.title for column in table.columns])
        writer.writerows([[_safe(cell.plain) for cell in row] for row in table.rows])
        writer.writerow([])
    writer.writerow([source_line(name, day)])
    _write(path, text.getvalue().encode("utf-8-sig"))


def _safe(text: str) -> str:
    """A text that a spreadsheet would run as a formula is kept as text."""
    return f"'{text}" if text[:1] in ("=", "+", "@") else text


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise TonnageError(_("“{path}” cannot be written. Choose another folder.").format(path=path)) from error
