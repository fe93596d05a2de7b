"""The foot of the results: what would help on the left, what to check on the right; one line where room is short."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.sizing.report import Sizing
from desktop.results.findings import FindingStrip
from desktop.results.levers import LeverList
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.scroll import DownScroll

if TYPE_CHECKING:
    from core.sizing.levers import Lever

#: Levers are asked for when no edit has come for so long: they may take a frame.
AFTER_MS = 90
GAP = 28


class AdviceStrip(QWidget):
    """Levers and findings side by side, opened and folded together."""

    explain_requested = Signal(str)
    previewed = Signal(object)  # the Sizing that a lever would bring; None when it is left

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self.session = session
        self.levers = LeverList(theme)
        self.findings = FindingStrip(theme)
        self._compact = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AFTER_MS)
        self._timer.timeout.connect(self.find_levers)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._timer.start)
        self._most = 10_000
        self._columns = QWidget()
        self._columns.setProperty("kind", "page")
        row = QHBoxLayout(self._columns)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self.levers, 1)
        row.addWidget(self.findings, 1)
        self._scroll = DownScroll(self._columns)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._scroll)
        self.levers.previewed.connect(self._preview)
        self.levers.taken.connect(self._take)
        for part in (self.levers, self.findings):
            part.opened.connect(self._set_open)
        self.findings.explain_requested.connect(self.explain_requested)

    def set_sizing(self, sizing: Sizing) -> None:
        """Show the findings now and the levers in a moment."""
        self.findings.set_sizing(sizing)
        self._fit()
        if self.isVisible():
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        """The levers of what was sized before come some time after the first paint."""
        super().showEvent(event)
        self._soon.start()

    def find_levers(self) -> None:
        """Ask for the levers of the sizing as it stands."""
        self._timer.stop()
        self.levers.set_levers(self.session.levers())
        self._fit()

    def set_compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            self._set_open(False)

    def _set_open(self, is_open: bool) -> None:
        for part in (self.levers, self.findings):
            part.set_form(self._compact, is_open)
        self._fit()

    def set_most(self, height: int) -> None:
        """Take no more than this height; what is beyond is scrolled to."""
        self._most = height
        self._fit()

    def _fit(self) -> None:
        layout = self._columns.layout()
        assert layout is not None
        layout.activate()
        self._scroll.setFixedHeight(min(self._columns.sizeHint().height(), self._most))

    def _is_current(self, lever: "Lever") -> bool:
        return lever.before.scenario == self.session.scenario

    def _preview(self, lever: "Lever | None") -> None:
        self.previewed.emit(lever.after if lever is not None and self._is_current(lever) else None)

    def _take(self, lever: "Lever") -> None:
        """Make the change, in one step of undo."""
        from core.language.levers import lever_title

        self.previewed.emit(None)
        if self._is_current(lever):
            self.session.edit(lever_title(lever), **lever.edits)
