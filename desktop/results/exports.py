"""Saving a page of charts: PNG at twice the size, SVG, or CSV, on white, with title, source line and date."""

import csv
import datetime
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
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


def source_line(name: str, day: datetime.date) -> str:
    """What stands below an exported chart."""
    return _("Source: Tonnage {version}, scenario “{name}”, {date}").format(
        version=__version__, name=name, date=day.isoformat()
    )


def save_chart(make: PageMaker, name: str, path: Path, day: datetime.date) -> None:
    """Draw a page anew on white and save it as the path's ending says."""
    theme = Theme(Scheme.LIGHT)
    page = make(theme)
    page.setParent(None)
    page.resize(SIZE)
    page.set_compact(False)
    page.complete()
    scale = PNG_SCALE if path.suffix.lower() == ".png" else 1
    for slot in page.slots():
        if slot.chart is not None:
            slot.chart.set_pen_scale(scale)
    try:
        if path.suffix.lower() == ".svg":
            _save_svg(page, theme, source_line(name, day), path)
        else:
            _save_png(page, theme, source_line(name, day), path)
    finally:
        page.deleteLater()


def _whole() -> QSize:
    return QSize(SIZE.width() + 2 * MARGIN, SIZE.height() + MARGIN + FOOT)


def _draw(painter: QPainter, page: QWidget, theme: Theme, source: str) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(QPoint(0, 0), _whole()), Qt.GlobalColor.white)
    page.render(painter, QPoint(MARGIN, MARGIN // 2), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.setFont(theme.font("caption"))
    painter.setPen(theme.color("text_3"))
    foot = QRectF(MARGIN, _whole().height() - FOOT, SIZE.width(), FOOT - 8)
    painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, source)


def _save_png(page: QWidget, theme: Theme, source: str, path: Path) -> None:
    image = QImage(_whole() * PNG_SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    painter = QPainter(image)
    _draw(painter, page, theme, source)
    painter.end()
    if not image.save(str(path), "PNG"):
        raise _unwritable(path)


def _save_svg(page: QWidget, theme: Theme, source: str, path: Path) -> None:
    drawing = QSvgGenerator()
    drawing.setFileName(str(path))
    drawing.setSize(_whole())
    drawing.setViewBox(QRect(QPoint(0, 0), _whole()))
    drawing.setTitle(page.accessibleName())
    drawing.setDescription(source)
    painter = QPainter()
    if not painter.begin(drawing):
        raise _unwritable(path)
    _draw(painter, page, theme, source)
    painter.end()


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
    try:
        path.write_text(text.getvalue(), encoding="utf-8-sig")
    except OSError as error:
        raise _unwritable(path) from error


def _safe(text: str) -> str:
    """A text that a spreadsheet would run as a formula is kept as text."""
    return f"'{text}" if text[:1] in ("=", "+", "@") else text


def _unwritable(path: Path) -> TonnageError:
    return TonnageError(_("“{path}” cannot be written. Choose another folder.").format(path=path))
