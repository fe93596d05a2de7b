"""Speed: where the time of a token goes, and how decode and first token change with length."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.language import chart_sentences
from core.language.messages import gettext as _
from core.language.numbers import current
from core.sizing.report import Sizing
from desktop.charts.decode_curve import decode_picture
from desktop.charts.picture import Picture
from desktop.charts.ttft_curve import ttft_picture
from desktop.charts.waterfall import Waterfall
from desktop.results.curves import Curves
from desktop.results.page import ChartSlot, ResultPage, slot_tables
from desktop.tables import TableData
from desktop.theme import Theme
from desktop.widgets.labels import button


class SpeedPage(ResultPage):
    calibration_wanted = Signal()

    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__(theme, curves)
        self.waterfall = Waterfall(theme)
        self.decode = ChartSlot(theme, _("Decode against context, tok/s per user"), self._decode)
        self.ttft = ChartSlot(theme, _("First token against prompt length"), self._ttft)
        for part in (self.waterfall, self.decode, self.ttft):
            part.explain_requested.connect(self.explain_requested)
        lower = QHBoxLayout()
        lower.setSpacing(20)
        lower.addWidget(self.decode, 1)
        lower.addWidget(self.ttft, 1)
        column = QVBoxLayout(self.charts)
        column.setContentsMargins(0, 8, 0, 6)
        column.setSpacing(16)
        column.addWidget(self.waterfall)
        column.addLayout(lower, 1)
        self.calibrate = button(_("Calibrate with your own measurement…"), "link", self.calibration_wanted.emit)
        column.addWidget(self.calibrate, 0, Qt.AlignmentFlag.AlignLeft)
        self.charts.setFocusProxy(self.waterfall)

    def set_compact(self, compact: bool) -> None:
        super().set_compact(compact)
        self.calibrate.setHidden(compact)  # the command is there all the same

    def slots(self) -> list[ChartSlot]:
        return [self.decode, self.ttft]

    def tables(self) -> list[TableData]:
        unknown = self.sizing is not None and self.sizing.speed_unknown
        return [*([] if unknown else [self.waterfall.table()]), *slot_tables(self.slots())]

    def _update(self, sizing: Sizing) -> None:
        write = current()
        self.title.setText(chart_sentences.step_title(sizing, write))
        self.line.setText(chart_sentences.step_line(sizing, write))
        self.waterfall.setVisible(not sizing.speed_unknown)
        self.waterfall.set_sizing(sizing)
        for slot in self.slots():
            slot.refresh()

    def _decode(self) -> Picture | None:
        if self.sizing is None:
            return None
        curve, at = self.curves.decode(self.sizing, self.catalogue)
        return decode_picture(self.sizing, curve, at, current())

    def _ttft(self) -> Picture | str | None:
        if self.sizing is None:
            return None
        if self.sizing.ttft is None:
            return _("The time to first token is unknown")
        curve, at = self.curves.ttft(self.sizing, self.catalogue)
        return ttft_picture(self.sizing, curve, at, current())
