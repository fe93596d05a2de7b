"""Sizing: inputs at the left, results at the right."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from desktop.inputs.panel import InputsPanel
from desktop.settings import INPUTS_WIDTH, Settings
from desktop.theme import Theme


class SizingPage(QWidget):
    """Two columns with a line between that can be moved."""

    def __init__(self, theme: Theme, settings: Settings, inputs: InputsPanel, results: QWidget) -> None:
        super().__init__()
        self._theme, self._settings = theme, settings
        self.inputs, self.results = inputs, results
        self._narrow = False
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        inputs.setMinimumWidth(theme.size("inputs_min"))
        inputs.setMaximumWidth(460)
        results.setMinimumWidth(0)
        self.splitter.addWidget(inputs)
        self.splitter.addWidget(results)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.splitterMoved.connect(self._remember)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        self._divide()

    def set_narrow(self, narrow: bool) -> None:
        """A narrow window gives the inputs their least width."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._divide()

    def set_results(self, results: QWidget) -> None:
        """Put the results column in its place."""
        sizes = self.splitter.sizes()
        old = self.splitter.replaceWidget(1, results)
        if old is not None:
            old.deleteLater()
        results.show()
        self.results = results
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(sizes)

    def hide_results(self) -> None:
        """The scenario cannot be sized: the results would be those of another."""
        self.results.hide()

    def show_results(self) -> None:
        self.results.show()

    def _divide(self) -> None:
        theme = self._theme
        width = theme.size("inputs_min") if self._narrow else self._settings.get(INPUTS_WIDTH)
        self.splitter.setSizes([width, 4000])

    def _remember(self) -> None:
        if not self._narrow:
            self._settings.set(INPUTS_WIDTH, self.splitter.sizes()[0])
