"""Capacity: what each user gets and what all get together with more and more requests at once, up to the walls."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.language import capacity_sentences, chart_sentences
from core.language.capacity_sentences import redundancy_in_short, tail_sentence, variant_sentence
from core.language.messages import gettext as _
from core.language.numbers import Formatter, current
from core.sizing.concurrency import Capacity, Redundancy, Variant
from core.sizing.report import Sizing
from desktop.charts.capacity_curve import total_picture, user_picture
from desktop.charts.picture import Picture
from desktop.charts.series import CapacityCurves
from desktop.results.curves import Curves
from desktop.results.page import ChartSlot, ResultPage
from desktop.results.text import Text
from desktop.tables import TableData
from desktop.theme import Theme
from desktop.widgets.labels import button

PictureMaker = Callable[[Sizing, CapacityCurves, Formatter], Picture]


class CapacityPage(ResultPage):
    def __init__(self, theme: Theme, curves: Curves) -> None:
        super().__init__(theme, curves)
        self.found: CapacityCurves | None = None
        self.users = ChartSlot(theme, _("Tokens per second and user"), self._user_picture)
        self.all_together = ChartSlot(theme, _("Tokens per second, all requests together"), self._total_picture)
        self.safety = SafetyLine(theme)
        self.tail = Text(theme, "label", "warn")
        for part in (self.users, self.all_together, self.safety):
            part.explain_requested.connect(self.explain_requested)
        for slot, other in ((self.users, self.all_together), (self.all_together, self.users)):
            slot.built.connect(lambda slot=slot, other=other: self._join(slot, other))
        column = QVBoxLayout(self.charts)
        column.setContentsMargins(0, 8, 0, 6)
        column.setSpacing(8)
        column.addWidget(self.users, 5)
        column.addWidget(self.all_together, 3)
        column.addWidget(self.tail)
        column.addWidget(self.safety)
        self.charts.setFocusProxy(self.users)

    def _join(self, slot: ChartSlot, other: ChartSlot) -> None:
        """The line of the pointer runs through both charts."""
        assert slot.chart is not None
        slot.chart.reading.connect(lambda index: other.chart.follow(index) if other.chart is not None else None)

    def slots(self) -> list[ChartSlot]:
        return [self.users, self.all_together]

    def tables(self) -> list[TableData]:
        self.users.build()
        return [] if self.users.picture is None else [self.users.picture.table()]

    def set_compact(self, compact: bool) -> None:
        super().set_compact(compact)
        self.safety.setHidden(compact)

    def _update(self, sizing: Sizing) -> None:
        self.found = self.curves.capacity(sizing, self.catalogue)
        write = current()
        if self.found is None:
            self.title.setText(_("How many users it carries is unknown"))
            self.line.setText(chart_sentences.no_rate(sizing))
        else:
            self.title.setText(capacity_sentences.capacity_title(sizing, self.found.capacity, write))
            self.line.setText(capacity_sentences.capacity_line(sizing, self.found.capacity, write))
        self.safety.set_capacity(self.found.capacity if self.found else None)
        tail = tail_sentence(self.found.capacity) if self.found else ""
        self.tail.setText(tail)
        self.tail.setVisible(bool(tail))
        for slot in self.slots():
            slot.refresh()

    def _user_picture(self) -> Picture | str | None:
        return self._made(user_picture)

    def _total_picture(self) -> Picture | str | None:
        return self._made(total_picture)

    def _made(self, make: PictureMaker) -> Picture | str | None:
        if self.sizing is None:
            return None
        if self.found is None:
            return _("The speed is unknown")
        return make(self.sizing, self.found, current())


class SafetyLine(QWidget):
    """Accelerators that the work needs without a spare, with one, and on two sites; each figure leads to Explain."""

    explain_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.variants: tuple[Variant, ...] = ()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 2)
        row.setSpacing(16)
        self.name = Text(theme, "label", "text_2")
        row.addWidget(self.name, 1)
        self.buttons = [button("", "link", partial(self._explain, at)) for at in range(len(Redundancy))]
        for one in self.buttons:
            one.setAccessibleName(_("Accelerators that the work needs"))
            row.addWidget(one)

    def set_capacity(self, capacity: Capacity | None) -> None:
        self.variants = capacity.variants if capacity is not None else ()
        needed = any(variant.accelerators for variant in self.variants)
        self.name.setText(_("Accelerators that the work needs") if needed else "")
        for one, variant in zip(self.buttons, self.variants, strict=False):
            text = _("{safety}: {count}").format(
                safety=redundancy_in_short(variant.redundancy), count=current().count(variant.accelerators or 0)
            )
            one.setText(text)
            one.setToolTip(variant_sentence(variant))
            one.setAccessibleName(variant_sentence(variant))
        for number, one in enumerate(self.buttons):
            one.setVisible(needed and number < len(self.variants))

    def _explain(self, at: int) -> None:
        if at < len(self.variants) and self.variants[at].key:
            self.explain_requested.emit(self.variants[at].key)
