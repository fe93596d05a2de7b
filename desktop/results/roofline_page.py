"""Roofline: what the accelerator can attain at each work per byte, and where writing and reading stand."""

from PySide6.QtWidgets import QVBoxLayout

from core.language import chart_sentences, roofline_sentences
from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Sizing
from core.sizing.roofline import Roofline
from desktop.charts.picture import Picture
from desktop.charts.roofline_chart import roofline_picture
from desktop.results.curves import Curves
from desktop.results.page import ChartSlot, ResultPage, slot_tables
from desktop.tables import TableData
from desktop.theme import Theme


class RooflinePage(ResultPage):
    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__(theme, curves)
        self.found: Roofline | None = None
        self.slot = ChartSlot(theme, _("Attainable rate of one accelerator against work per byte read"), self._picture)
        self.slot.explain_requested.connect(self.explain_requested)
        column = QVBoxLayout(self.charts)
        column.setContentsMargins(0, 8, 0, 6)
        column.addWidget(self.slot)
        self.charts.setFocusProxy(self.slot)

    def slots(self) -> list[ChartSlot]:
        return [self.slot]

    def tables(self) -> list[TableData]:
        return slot_tables(self.slots())

    def _update(self, sizing: Sizing) -> None:
        write = current()
        self.found = self.curves.roofline(sizing)
        if self.found is None:
            self.title.setText(_("Where the work stands under the roof is unknown"))
            self.line.setText(chart_sentences.no_rate(sizing))
        else:
            self.title.setText(roofline_sentences.roofline_title(self.found))
            self.line.setText(roofline_sentences.roofline_line(sizing, self.found, write))
        self.slot.refresh()

    def _picture(self) -> Picture | str | None:
        if self.sizing is None:
            return None
        if self.found is None:
            return _("The computing rate is unknown")
        return roofline_picture(self.sizing, self.found, current())
