"""Labels, lines and buttons in the variants of the style sheet."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from desktop.theme import Color, Theme


def label(text: str = "", kind: str = "", tone: str = "", wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A plain-text label; names and sentences are data, never markup."""
    widget = QLabel(text, parent)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setWordWrap(wrap)
    if kind:
        widget.setProperty("kind", kind)
    if tone:
        widget.setProperty("tone", tone)
    return widget


def line(vertical: bool = False) -> QFrame:
    """A divider, one pixel thick."""
    frame = QFrame()
    frame.setProperty("kind", "line")
    if vertical:
        frame.setFixedWidth(1)
    else:
        frame.setFixedHeight(1)
    return frame


def button(text: str, kind: str = "", action: Callable[[], object] | None = None) -> QPushButton:
    """A push button; `action` runs on a click."""
    widget = QPushButton(text)
    if kind:
        widget.setProperty("kind", kind)
    widget.setAutoDefault(False)
    if action is not None:
        widget.clicked.connect(lambda _checked=False: action())
    return widget


class IconButton(QPushButton):
    """A square button with an icon; its name is the tooltip too, with the shortcut where there is one."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        name: str,
        action: Callable[[], object] | None = None,
        shortcut: str = "",
        color: Color = "text_2",
    ) -> None:
        super().__init__()
        self._theme, self._icon, self._color = theme, icon, color
        self.setProperty("kind", "icon")
        self.setAutoDefault(False)
        self.setIconSize(QSize(16, 16))
        self.set_name(name, shortcut)
        self._draw()
        theme.changed.connect(self._draw)
        if action is not None:
            self.clicked.connect(lambda _checked=False: action())

    def set_name(self, name: str, shortcut: str = "") -> None:
        self.setAccessibleName(name)
        self.setToolTip(f"{name}  ({shortcut})" if shortcut else name)

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self._draw()

    def _draw(self) -> None:
        self.setIcon(self._theme.icon(self._icon, self._color))


class ElidedLabel(QLabel):
    """One line that ends in an ellipsis where room is short, with the whole text as tooltip."""

    def __init__(self, text: str = "", kind: str = "", tone: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if kind:
            self.setProperty("kind", kind)
        if tone:
            self.setProperty("tone", tone)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tip()

    def _tip(self) -> None:
        self.setToolTip(self.text() if self.is_elided else "")

    @property
    def is_elided(self) -> bool:
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)


class ToneIcon(QLabel):
    """The icon of a tone (ok, warn, bad, info) or any other icon, in its colour."""

    def __init__(self, theme: Theme, icon: str, color: Color, size: int = 16) -> None:
        super().__init__()
        self._theme, self._icon, self._color, self._size = theme, icon, color, size
        self.setFixedSize(size, size)
        self._draw()
        theme.changed.connect(self._draw)

    def set_icon(self, icon: str, color: Color) -> None:
        self._icon, self._color = icon, color
        self._draw()

    def _draw(self) -> None:
        self.setPixmap(self._theme.pixmap(self._icon, self._color, self._size, self.devicePixelRatioF()))
