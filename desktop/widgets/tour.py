"""The first look around: at most three hints, one at a time, each beside what it speaks of."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.numbers import current
from desktop.theme import Theme
from desktop.widgets.labels import button, label

WIDTH, MARGIN = 320, 12


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence or two about a part of the window."""

    text: str
    beside: QWidget


class Tour(QFrame):
    """A card over the window; Enter goes on, Escape ends it, and so does the last hint."""

    ended = Signal()

    def __init__(self, theme: Theme, hints: Sequence[Hint], window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._hints, self._at = tuple(hints), 0
        self.setProperty("kind", "popup")
        self.setFixedWidth(WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._text = label(wrap=True)
        self._place = label("", "caption")
        self.skip = button(_("Skip"), "quiet", self.end)
        self.on = button("", "primary", self._go_on)
        self.setFocusProxy(self.on)
        foot = QHBoxLayout()
        foot.addWidget(self._place, 1)
        foot.addWidget(self.skip)
        foot.addWidget(self.on)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 14, 12)
        column.setSpacing(12)
        column.addWidget(self._text)
        column.addLayout(foot)
        window.installEventFilter(self)
        self._show()

    @property
    def text(self) -> str:
        return self._text.text()

    def _show(self) -> None:
        hint, count = self._hints[self._at], current().count
        self._text.setText(hint.text)
        place = _("{number} of {all}").format(number=count(self._at + 1), all=count(len(self._hints)))
        self._place.setText(place)
        last = self._at == len(self._hints) - 1
        self.on.setText(_("Begin") if last else _("Next"))
        self.skip.setVisible(not last)
        self.setAccessibleName(f"{place}. {hint.text}")
        column = self.layout()
        assert column is not None
        column.activate()
        self.setFixedHeight(column.totalHeightForWidth(WIDTH))
        self._move()
        self.show()
        self.raise_()

    def _move(self) -> None:
        """Beside its part where there is room, else over it; always inside the window."""
        window, beside = self._window, self._hints[self._at].beside
        corner = beside.mapTo(window, QPoint(0, 0))
        part = QRect(corner, beside.size())
        top = part.center().y() - self.height() // 2
        right = QPoint(part.right() + MARGIN, top)
        left = QPoint(part.left() - self.width() - MARGIN, top)
        inside = window.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        places = [QRect(place, self.size()) for place in (right, left)]
        fallback = QRect(QPoint(part.left() + MARGIN, top), self.size())
        found = next((place for place in places if inside.contains(place)), fallback)
        room = inside.size() - QSize(self.width(), self.height())
        self.move(
            min(max(found.left(), inside.left()), inside.left() + max(0, room.width())),
            min(max(found.top(), inside.top()), inside.top() + max(0, room.height())),
        )

    def _go_on(self) -> None:
        if self._at == len(self._hints) - 1:
            self.end()
            return
        self._at += 1
        self._show()

    def end(self) -> None:
        self.hide()
        self.ended.emit()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._move()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        else:
            super().keyPressEvent(event)
