"""A switch between a few choices that are all in sight."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget

EDGES = 24  # of a segment, beside its text


class Segment(QPushButton):
    """One choice of a switch; chosen it is bold, and has room for that from the start."""

    def __init__(self, text: str, place: str) -> None:
        super().__init__(text)
        self.setProperty("kind", "segment")
        self.setProperty("place", place)
        self.setCheckable(True)

    def sizeHint(self) -> QSize:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        hint = super().sizeHint()
        return QSize(max(hint.width(), QFontMetrics(bold).horizontalAdvance(self.text()) + EDGES), hint.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class SegmentedSwitch(QWidget):
    """Buttons side by side, one of them chosen."""

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for index, (key, text) in enumerate(choices):
            place = "first" if index == 0 else "last" if index == len(choices) - 1 else "middle"
            button = Segment(text, place)
            button.setAutoDefault(False)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button, 1)

    @property
    def value(self) -> str:
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def set_value(self, key: str) -> None:
        if key in self._buttons:
            self._buttons[key].setChecked(True)
