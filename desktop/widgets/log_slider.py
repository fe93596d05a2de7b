"""A slider with logarithmic steps, for lengths and numbers of people."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider

from desktop.theme import Theme

TICKS = 10_000
HANDLE = 7.0  # radius
HEIGHT = 20


class LogSlider(QSlider):
    """Moves over a row of round values; a value between two of them is shown where it lies."""

    value_edited = Signal(object)
    gesture_started = Signal()
    gesture_ended = Signal()

    def __init__(self, theme: Theme, steps: Sequence[int], name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme, self._steps = theme, tuple(steps)
        self._low, self._high = math.log(self._steps[0]), math.log(self._steps[-1])
        self._number = self._steps[0]
        self.setRange(0, TICKS)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    @property
    def number(self) -> int:
        return self._number

    def set_number(self, number: int) -> None:
        """Show a value that came from outside."""
        self._number = number
        share = (math.log(max(number, 1)) - self._low) / (self._high - self._low)
        self.setValue(round(min(max(share, 0.0), 1.0) * TICKS))

    def _move_to(self, number: int) -> None:
        if number != self._number:
            self.set_number(number)
            self.value_edited.emit(number)

    def _number_at(self, x: float) -> int:
        share = min(max((x - HANDLE) / max(1.0, self.width() - 2 * HANDLE), 0.0), 1.0)
        target = self._low + share * (self._high - self._low)
        return min(self._steps, key=lambda step: abs(math.log(step) - target))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self.setSliderDown(True)
        self.gesture_started.emit()
        self._move_to(self._number_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._move_to(self._number_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setSliderDown(False)
            self.gesture_ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_PageUp: 3,
            Qt.Key.Key_PageDown: -3,
            Qt.Key.Key_Home: -len(self._steps),
            Qt.Key.Key_End: len(self._steps),
        }.get(Qt.Key(event.key()))
        if steps is None:
            super().keyPressEvent(event)
            return
        self._move_to(self._neighbour(steps))

    def _neighbour(self, steps: int) -> int:
        larger = [step for step in self._steps if step > self._number]
        smaller = [step for step in self._steps if step < self._number]
        row = larger if steps > 0 else smaller[::-1]
        return row[min(abs(steps), len(row)) - 1] if row else self._number

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the column scrolls; a slider under the pointer must not move

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        x = HANDLE + self.value() / TICKS * (self.width() - 2 * HANDLE)
        accent = self._theme.color("accent" if self.isEnabled() else "text_disabled")
        self._groove(painter, 0, self.width(), self._theme.color("pressed"))
        self._groove(painter, 0, x, accent)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("focus"), 2))
            painter.setBrush(self._theme.color("surface"))
            painter.drawEllipse(QPointF(x, middle), HANDLE + 2.5, HANDLE + 2.5)
        hot = self.underMouse() or self.isSliderDown()
        painter.setPen(QPen(accent, 2))
        painter.setBrush(self._theme.color("accent_soft" if hot else "surface"))
        painter.drawEllipse(QPointF(x, middle), HANDLE - 0.5, HANDLE - 0.5)

    def _groove(self, painter: QPainter, left: float, right: float, color: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(left, self.height() / 2 - 2, right - left, 4), 2, 2)


def halves_between(low: int, high: int) -> list[int]:
    """Powers of two and the values halfway between: 4K, 6K, 8K, 12K, …"""
    steps = []
    power = low
    while power <= high:
        steps += [power, power * 3 // 2]
        power *= 2
    return [step for step in steps if step <= high]


def round_between(high: int) -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, …"""
    steps, ten = [1, 2, 3, 5, 7], 10
    while ten <= high:
        steps += [round(ten * factor) for factor in (1, 1.5, 2, 3, 4, 5, 7)]
        ten *= 10
    return [step for step in steps if step <= high]
