"""What stands below the headline: the columns with head, memory and speed, and the rows beneath them."""

import itertools
from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.language.comparison_inputs import InputRow
from core.language.messages import gettext as _
from core.sizing.comparison import MOST, Comparison
from desktop.pages.compare import capacity_multiple, column_head, memory_strip
from desktop.pages.compare.capacity_multiple import CapacityMultiple, axes_of
from desktop.pages.compare.column_head import ColumnHead
from desktop.pages.compare.compare_table import CompareTable, lines_of
from desktop.pages.compare.memory_strip import MemoryStrip
from desktop.theme import Theme
from desktop.widgets.labels import label, line

SIDE, NAMES, NAMES_MOST, NAMES_NARROW, NARROW = 20, 168, 240, 128, 900
TOP, CHART_GAP = 4, 8


class CompareBody(QWidget):
    """Lays out its columns itself, so that drawings and rows stand exactly under one another."""

    opened = Signal(int)  # number of the option
    removed = Signal(int)
    made_first = Signal(int)
    explain_requested = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._found: Comparison | None = None
        self._inputs: Sequence[InputRow] = ()
        self.setProperty("kind", "page")
        self.heads = [self._head(number) for number in range(MOST)]
        self.strips = [MemoryStrip(theme) for _number in range(MOST)]
        self.charts = [CapacityMultiple(theme, number) for number in range(MOST)]
        for strip in self.strips:
            strip.setParent(self)
        for chart in self.charts:
            chart.setParent(self)
            chart.read.connect(self._read)
        self.table = CompareTable(theme)
        self.table.setParent(self)
        self.table.explain_requested.connect(self.explain_requested)
        self._memory_name = self._names(_("Memory"), _("on one scale"))
        self._speed_name = self._names(
            _("Speed per user"), _("tok/s against requests at once. Dashes: your target. Grey: the memory is full.")
        )
        self._rules = [line() for _number in range(3)]
        for rule in self._rules:
            rule.setParent(self)
        self._order()

    def _head(self, number: int) -> ColumnHead:
        head = ColumnHead(self._theme, number, self._emit(self.opened, number))
        head.setParent(self)
        head.removed.connect(self._emit(self.removed, number))
        head.made_first.connect(self._emit(self.made_first, number))
        return head

    @staticmethod
    def _emit(signal: SignalInstance, number: int) -> Callable[[], None]:
        return lambda: signal.emit(number)

    def _names(self, name: str, explained: str) -> QWidget:
        holder = QWidget(self)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 6, 12, 0)
        column.setSpacing(1)
        column.addWidget(label(name, "strong", wrap=True))
        column.addWidget(label(explained, "caption", wrap=True))
        column.addStretch(1)
        return holder

    def _order(self) -> None:
        widgets: list[QWidget] = [*self.heads, *self.charts, self.table]
        for before, after in itertools.pairwise(widgets):
            QWidget.setTabOrder(before, after)

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_comparison(self, found: Comparison, inputs: Sequence[InputRow], only_differing: bool) -> None:
        self._found, self._inputs = found, inputs
        axes = axes_of(found)
        for number in range(MOST):
            there = number < len(found.options)
            if there:
                option = found.options[number]
                self.heads[number].set_option(option)
                self.strips[number].set_option(option, found)
                self.charts[number].set_option(option, axes)
            for widget in (self.heads[number], self.strips[number], self.charts[number]):
                widget.setVisible(there)
        self.set_only_differing(only_differing)

    def set_only_differing(self, only: bool) -> None:
        if self._found is not None:
            letters = tuple(option.letter for option in self._found.options)
            self.table.set_lines(lines_of(self._found, self._inputs, only), letters)
            self._arrange()

    def _read(self, at: int) -> None:
        for chart in self.charts:
            chart.show_at(at)

    # -- places -------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        found = self._found
        if found is None:
            return
        least, most = (NAMES_NARROW, NAMES) if self.width() < NARROW else (NAMES, NAMES_MOST)
        names = min(most, max(least, self.table.name_width()))
        count = len(found.options)
        room = self.width() - 2 * SIDE - names
        widths = [room * (at + 1) // count - room * at // count for at in range(count)]
        lefts = [SIDE + names + sum(widths[:at]) for at in range(count)]
        tops = [TOP]
        for height in (column_head.HEIGHT + 4, memory_strip.HEIGHT + 6, capacity_multiple.HEIGHT + 2 * CHART_GAP):
            tops.append(tops[-1] + height)
        for at, (left, width) in enumerate(zip(lefts, widths, strict=True)):
            self.heads[at].setGeometry(left, tops[0], width - 4, column_head.HEIGHT)
            self.strips[at].setGeometry(left, tops[1] + 3, width - 4, memory_strip.HEIGHT)
            self.charts[at].setGeometry(left, tops[2] + CHART_GAP, width - 4, capacity_multiple.HEIGHT)
        self._memory_name.setGeometry(SIDE, tops[1], names, memory_strip.HEIGHT + 4)
        self._speed_name.setGeometry(SIDE, tops[2], names, capacity_multiple.HEIGHT)
        for rule, top in zip(self._rules, tops[1:], strict=True):
            rule.setGeometry(SIDE, top - 1, self.width() - 2 * SIDE, 1)
        self.table.set_columns(names, widths)
        self.table.setGeometry(SIDE, tops[3], self.width() - 2 * SIDE, self.table.content_height())
        self.setMinimumHeight(tops[3] + self.table.content_height() + 12)
