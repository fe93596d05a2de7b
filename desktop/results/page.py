"""What the pages with charts share: a title that the data make true, the charts, and the same numbers as tables."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from core.sizing.report import Sizing
from desktop.charts.picture import Picture
from desktop.results.curves import Curves
from desktop.results.table_view import TablePanel
from desktop.results.text import Text
from desktop.tables import TableData
from desktop.theme import Theme

if TYPE_CHECKING:
    from desktop.charts.base import LineChart


class ChartSlot(QWidget):
    """The place of a chart with curves: an empty frame until, after the first paint, the chart is built.

    `read` gives the picture to show, or a sentence that says what is missing for one.
    """

    explain_requested = Signal(str)
    built = Signal()

    def __init__(self, theme: Theme, heading: str, read: Callable[[], Picture | str | None]) -> None:
        super().__init__()
        self.theme = theme
        self.chart: LineChart | None = None
        self._heading = heading
        self._read = read
        self._scheduled = False
        self.missing = ""  # why there is no picture
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(180, 90)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)

    def build(self) -> None:
        """Make the chart now; importing it brings pyqtgraph and numpy in."""
        if self.chart is not None:
            return
        from desktop.charts.base import LineChart

        self.chart = LineChart(self.theme, self)
        self.chart.explain_requested.connect(self.explain_requested)
        self._box.addWidget(self.chart)
        self.setFocusProxy(self.chart)
        self.refresh()
        self.built.emit()

    def refresh(self) -> None:
        """Show the numbers of now."""
        if self.chart is not None:
            picture = self._read()
            self.missing = picture if isinstance(picture, str) else ""
            self.chart.setVisible(not self.missing)
            self.setAccessibleName(f"{self._heading}: {self.missing}" if self.missing else "")
            if picture is not None and not isinstance(picture, str):
                self.chart.set_picture(picture)
            self.update()

    @property
    def picture(self) -> Picture | None:
        """The picture in place, if there is one."""
        return None if self.chart is None or self.missing else self.chart.picture

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.chart is not None and not self.missing:
            return
        self._paint_frame()
        if self.chart is not None:
            return
        if not self._scheduled:
            self._scheduled = True
            QTimer.singleShot(0, self, self.build)  # not for a page that is gone by then

    def _paint_frame(self) -> None:
        painter = QPainter(self)
        painter.setFont(self.theme.font("label", 600))
        painter.setPen(self.theme.color("text_2"))
        painter.drawText(QRectF(0, 0, self.width(), 16), Qt.AlignmentFlag.AlignVCenter, self._heading)
        top, bottom, left = 24.0, self.height() - 22.0, 42.0
        for row in range(4):
            y = round(bottom - (bottom - top) * row / 3.4) + 0.5
            painter.setPen(QPen(self.theme.chart("axis" if row == 0 else "grid"), 1))
            painter.drawLine(int(left), int(y), self.width() - 8, int(y))
        if self.missing:
            self._paint_missing(painter, QRectF(left, top, self.width() - 8 - left, bottom - top))

    def _paint_missing(self, painter: QPainter, box: QRectF) -> None:
        """Why nothing is drawn, on a clear piece of ground in the middle."""
        painter.setFont(self.theme.font("label"))
        fitting = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        words = painter.boundingRect(box.adjusted(12, 0, -12, 0), fitting, self.missing)
        painter.fillRect(words.adjusted(-8, -4, 8, 4), self.theme.color("surface"))
        painter.setPen(self.theme.color("text_2"))
        painter.drawText(words, fitting, self.missing)


class ResultPage(QWidget):
    """A page of the results. Hidden, it only remembers what to show."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__()
        self.theme = theme
        self.curves = curves
        self.sizing: Sizing | None = None
        self.catalogue: Any = None
        self._stale = False
        self.title = Text(theme, "message", lines=2)
        self.line = Text(theme, "label", "text_3", lines=3)
        self.charts = QWidget()
        self._tables: TablePanel | None = None
        self._stack = QStackedLayout()
        self._stack.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        column.addWidget(self.line)
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self.charts)  # shown at once, so it needs its place first: else it is a window

    # -- what a page fills in -----------------------------------------------------------------------------------------

    def slots(self) -> list[ChartSlot]:
        """The places of charts with curves."""
        raise NotImplementedError

    def tables(self) -> list[TableData]:
        """The numbers of all charts of the page."""
        raise NotImplementedError

    def _update(self, sizing: Sizing) -> None:
        """Show a sizing in title and charts."""
        raise NotImplementedError

    # -- showing ------------------------------------------------------------------------------------------------------

    def set_sizing(self, sizing: Sizing, catalogue: Any) -> None:
        self.sizing, self.catalogue = sizing, catalogue
        self._stale = True
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        if self._stale and self.sizing is not None:
            self._stale = False
            self._update(self.sizing)
            if self.shows_tables:
                self._fill_tables()

    def take_over(self, other: "ResultPage") -> None:
        """Show what another page of the same kind found and does not find in a sizing alone; for an export."""

    def complete(self) -> None:
        """Build everything at once, shown or not; for an export."""
        self._refresh()
        for slot in self.slots():
            slot.build()

    def set_margins(self, left: int, right: int) -> None:
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(left, 10, right, 0)

    def set_compact(self, compact: bool) -> None:
        self.line.setHidden(compact)

    # -- tables -------------------------------------------------------------------------------------------------------

    @property
    def shows_tables(self) -> bool:
        return self._tables is not None and self._stack.currentWidget() is self._tables

    def show_tables(self, shown: bool) -> None:
        """Replace the charts by the same numbers, or the other way round."""
        if shown and self._tables is None:
            self._tables = TablePanel(self.theme)
            self._tables.explain_requested.connect(self.explain_requested)
            self._stack.addWidget(self._tables)
        if self._tables is None:
            return
        if shown:
            self._fill_tables()
        self._stack.setCurrentWidget(self._tables if shown else self.charts)
        (self._tables if shown else self.charts).setFocus()

    @property
    def table_panel(self) -> TablePanel | None:
        return self._tables

    def _fill_tables(self) -> None:
        if self._tables is not None and self.sizing is not None:
            self._tables.set_tables(self.tables())


def slot_tables(slots: list[ChartSlot]) -> list[TableData]:
    """The tables of the charts that are built."""
    found = []
    for slot in slots:
        slot.build()
        if slot.picture is not None:
            found.append(slot.picture.table())
    return found
