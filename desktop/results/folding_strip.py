"""A list at the foot of the results: a few lines until all are asked for, one line where the window is small."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.results.text import Text
from desktop.theme import Theme

ROW = 28
LINK = 22  # of a link, as the style sheet has it: the window is built before that is in force
MOST = 3  # shown before "All"


class FoldingStrip(QWidget):
    """Title, a link that opens and folds, and below them the rows of whoever inherits."""

    opened = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._compact = False
        self._open = False
        self._icon = QLabel()
        self._title = Text(theme, "strong")
        self._all = QPushButton()
        self._all.setProperty("kind", "link")
        self._all.clicked.connect(lambda: self.opened.emit(not self._open))
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addStrut(LINK)
        head.addWidget(self._icon)
        head.addWidget(self._title, 1)
        head.addWidget(self._all)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 8, 0, 6)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addStretch(1)
        theme.changed.connect(self._draw_icon)

    def set_form(self, compact: bool, is_open: bool) -> None:
        if (compact, is_open) != (self._compact, self._open):
            self._compact, self._open = compact, is_open
            self._on_form()

    def _on_form(self) -> None:
        """The room has changed: show as many rows as now have place."""
        raise NotImplementedError

    def _draw_icon(self) -> None:
        raise NotImplementedError

    @property
    def _folded(self) -> bool:
        """Is there one line alone?"""
        return self._compact and not self._open

    def _limit(self) -> int | None:
        """How many rows are shown; None for all."""
        if self._open:
            return None
        return 0 if self._compact else MOST

    def _add_row(self, row: QWidget) -> None:
        self._column.insertWidget(self._column.count() - 1, row)

    def _set_head(self, title: str, link: str, offers_link: bool) -> None:
        """The title, and what the link says that opens; folded, an icon stands before the title."""
        self._title.setText(title)
        self._icon.setVisible(self._folded)
        self._draw_icon()
        self._all.setVisible(offers_link)
        self._all.setText(_("Show less") if self._open else link)
        top, bottom = (3, 3) if self._folded else (8, 6)
        self._column.setContentsMargins(0, top, 0, bottom)
