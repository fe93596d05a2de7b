"""A section that folds: title, arrow, and a summary when it is folded."""

from collections.abc import Sequence

from PySide6.QtCore import QEasingCurve, QPropertyAnimation, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme
from desktop.widgets.labels import ElidedLabel, button
from desktop.widgets.late import build_visible

_MAX = 16_777_215  # Qt's "no limit" of a height


class Section(QWidget):
    """A titled group of rows; the title is a button that folds it."""

    folded_changed = Signal(bool)
    more_toggled = Signal()  # rows that depend on others may have to hide again

    def __init__(self, theme: Theme, title: str, folded: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self.folded = folded
        self.header = QPushButton(title)
        self.header.setProperty("kind", "section")
        self.header.setAutoDefault(False)
        self.header.setIconSize(QSize(16, 16))
        self.header.setCursor(Qt.CursorShape.PointingHandCursor)
        self.header.clicked.connect(self.toggle)
        self.summary = ElidedLabel("", "label")
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.body = QWidget()
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(0, 3, 0, 0)
        self.rows.setSpacing(3)
        self._motion = QPropertyAnimation(self.body, b"maximumHeight", self)
        self._motion.setDuration(theme.motion_ms)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.finished.connect(self._settle)
        self.more = button(_("More"), "link", self._toggle_more)
        self.more.setVisible(False)
        self._more_rows: list[QWidget] = []
        self._shows_more = False
        self._lay_out()
        theme.changed.connect(self._draw)
        self._settle()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(8)
        top.addWidget(self.header)
        top.addStretch(0)
        top.addWidget(self.summary, 1)
        top.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 5, 14, 5)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.body)

    def set_summary(self, text: str) -> None:
        """What the section holds, in a few words; shown while it is folded."""
        self.summary.setText(text)
        self._announce()

    def add_more(self, rows: Sequence[QWidget]) -> None:
        """Rows that few need: they show after a click on "More"."""
        self._more_rows = list(rows)
        for row in rows:
            row.setVisible(False)
        self.more.setAccessibleName(_("More: {section}").format(section=self.header.text()))
        self._settle()

    @property
    def shows_more(self) -> bool:
        return self._shows_more

    def _toggle_more(self) -> None:
        self._shows_more = shown = not self._shows_more
        for row in self._more_rows:
            row.setVisible(shown)
        self.more.setText(_("Less") if shown else _("More"))
        self.more_toggled.emit()

    def set_apart(self) -> None:
        """Stand on a page under a heading of that page: always open."""
        self.set_folded(False)
        self.header.hide()
        column = self.layout()
        assert column is not None
        column.setContentsMargins(0, 0, 0, 0)

    def toggle(self) -> None:
        self.set_folded(not self.folded, animate=True)
        self.folded_changed.emit(self.folded)

    def set_folded(self, folded: bool, animate: bool = False) -> None:
        if folded == self.folded:
            return
        self.folded = folded
        self._motion.stop()
        if not (animate and self.isVisible()):
            self._settle()
            build_visible(self)
            return
        self.body.setVisible(True)
        build_visible(self)
        height = self.body.sizeHint().height()
        self._motion.setStartValue(height if folded else 0)
        self._motion.setEndValue(0 if folded else height)
        self._motion.start()
        self._draw()

    def _settle(self) -> None:
        self.body.setMaximumHeight(_MAX)
        self.body.setVisible(not self.folded)
        self.summary.setVisible(self.folded)
        self.more.setVisible(bool(self._more_rows) and not self.folded)
        self._draw()

    def _draw(self) -> None:
        icon: QIcon = self._theme.icon("chevron-right" if self.folded else "chevron-down", "text_3")
        self.header.setIcon(icon)
        self._announce()

    def _announce(self) -> None:
        self.header.setAccessibleName(self.header.text())
        self.header.setAccessibleDescription(self.summary.text() if self.folded else "")
