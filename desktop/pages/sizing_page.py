"""Sizing: inputs at the left, results at the right."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from desktop.inputs.explained import figure_of
from desktop.inputs.panel import InputsPanel
from desktop.pages.page import Page
from desktop.results.column import ResultsColumn
from desktop.session import Session
from desktop.settings import INPUTS_WIDTH, Settings
from desktop.theme import Theme


class SizingPage(Page):
    """Two columns with a line between that can be moved."""

    def __init__(self, session: Session, theme: Theme, settings: Settings, inputs: InputsPanel) -> None:
        super().__init__()
        self._session, self._theme, self._settings = session, theme, settings
        self.inputs, self.results = inputs, ResultsColumn()
        self._narrow = False
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        inputs.setMinimumWidth(theme.size("inputs_min"))
        inputs.setMaximumWidth(460)
        self.results.setMinimumWidth(0)
        self.splitter.addWidget(inputs)
        self.splitter.addWidget(self.results)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.splitterMoved.connect(self._remember)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        self._divide()
        session.sizing_lost.connect(self.hide_results)
        session.sizing_changed.connect(self.show_results)

    def columns(self) -> Sequence[QWidget]:
        return (self.inputs, self.results)

    def set_narrow(self, narrow: bool) -> None:
        """A narrow window gives the inputs their least width."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._divide()

    def set_results(self, results: ResultsColumn) -> None:
        """Put the results column in its place."""
        sizes = self.splitter.sizes()
        old = self.splitter.replaceWidget(1, results)
        if old is not None:
            old.deleteLater()
        self.results = results
        results.setVisible(self._session.sizing is not None)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(sizes)
        QWidget.setTabOrder(self.inputs, results)

    def hide_results(self) -> None:
        """The scenario cannot be sized: the results would be those of another."""
        self.results.hide()

    def show_results(self) -> None:
        self.results.show()

    def explain(self, key: str) -> None:
        """Show how a figure of the scenario on screen was found."""
        self.results.explain(key)

    def explain_focused(self) -> bool:
        """Explain what has the focus; where that has nothing to explain, all figures are at hand."""
        sizing = self._session.sizing
        key = figure_of(QApplication.focusWidget(), sizing.trace) if sizing is not None else ""
        if key:
            self.explain(key)
        else:
            self.results.show_explanations()
        return True

    def _divide(self) -> None:
        theme = self._theme
        width = theme.size("inputs_min") if self._narrow else self._settings.get(INPUTS_WIDTH)
        self.splitter.setSizes([width, 4000])

    def _remember(self) -> None:
        if not self._narrow:
            self._settings.set(INPUTS_WIDTH, self.splitter.sizes()[0])
