"""Compare before there is anything to compare: what will be here, and the way to it."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.theme import Theme
from desktop.widgets.labels import ToneIcon, button, label


class NothingToCompare(QWidget):
    """Fewer than two scenarios are ticked."""

    def __init__(self, theme: Theme, add: Callable[[], object], tick_client: Callable[[], object]) -> None:
        super().__init__()
        icon = ToneIcon(theme, "columns", "text_3", 32)
        self.title = label("", "message", wrap=True)
        self.explained = label(
            _("Tick them in the list: with the mouse, or with Space. Memory, speed and cost then stand on one scale."),
            tone="muted",
            wrap=True,
        )
        self.add = button(_("Add scenario"), "primary", add)
        self.client = button("", action=tick_client)
        for text in (self.title, self.explained):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.client)
        buttons.addWidget(self.add)
        buttons.addStretch(1)
        inner = QWidget()
        inner.setMaximumWidth(560)
        column = QVBoxLayout(inner)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(icon, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.title)
        column.addWidget(self.explained)
        column.addSpacing(6)
        column.addLayout(buttons)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.addWidget(inner)
        self.set_ticked(0, "")

    def set_ticked(self, number: int, client: str) -> None:
        first = _("Two to four scenarios side by side")
        self.title.setText(first if number == 0 else _("One scenario is ticked: one more, and they can be compared"))
        self.client.setText(_("Those of {client}").format(client=client[:40]))
        self.client.setVisible(bool(client))
