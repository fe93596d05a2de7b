"""What shows when no scenario is open: a picture, three ways to begin, and where to drop a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.pages.page import Page
from desktop.theme import ChartColor, Theme
from desktop.widgets.labels import ToneIcon, button, label

CARD, INNER = 112, 736  # height of a card, width of the page


@dataclass(frozen=True, slots=True)
class Way:
    """One way to begin."""

    icon: str
    title: str
    text: str
    shortcut: str
    run: Callable[[], object]


class Ship(QWidget):
    """A hull with its cargo, and the mark to which it may sink."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(480, 100)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._waves(painter)
        self._cargo(painter)
        self._hull(painter)

    def _waves(self, painter: QPainter) -> None:
        for row, strength in enumerate((1.0, 0.6, 0.35)):
            color = QColor(self._theme.chart("axis"))
            color.setAlphaF(strength)
            painter.setPen(QPen(color, 1))
            path = QPainterPath(QPointF(10, 62 + row * 12))
            for x in range(10, 470, 24):
                up = -2.5 if (x // 24) % 2 else 2.5
                middle = 62 + row * 12
                path.quadTo(QPointF(x + 12, middle + up), QPointF(x + 24, middle))
            painter.drawPath(path)

    def _cargo(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        x = 136.0
        boxes: list[tuple[ChartColor, int]] = [("weights", 72), ("companions", 20), ("runtime", 16), ("kv", 90)]
        for name, width in boxes:
            painter.setBrush(self._theme.chart(name))
            painter.drawRoundedRect(QRectF(x, 4, width, 32), 2, 2)
            x += width + 2

    def _hull(self, painter: QPainter) -> None:
        theme = self._theme
        hull = QPainterPath(QPointF(106, 37))
        hull.lineTo(374, 37)
        hull.lineTo(355, 82)
        hull.quadTo(QPointF(352, 90), QPointF(342, 90))
        hull.lineTo(138, 90)
        hull.quadTo(QPointF(128, 90), QPointF(125, 82))
        hull.closeSubpath()
        painter.setBrush(theme.color("surface"))
        painter.setPen(QPen(theme.color("text"), 1.5))
        painter.drawPath(hull)
        painter.drawEllipse(QPointF(240, 63), 12, 12)
        painter.setPen(QPen(theme.color("accent"), 2.2))
        painter.drawLine(QPointF(216, 63), QPointF(264, 63))


class WayCard(QPushButton):
    """A way to begin, as a large button."""

    def __init__(self, theme: Theme, way: Way) -> None:
        super().__init__()
        self._theme, self._way = theme, way
        self.setAccessibleName(way.title)
        self.setAccessibleDescription(way.text)
        self.setProperty("kind", "painted")
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(CARD)
        self.clicked.connect(lambda _checked=False: way.run())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(236, CARD)

    def minimumSizeHint(self) -> QSize:
        return QSize(150, CARD)

    def needed(self, width: int) -> int:
        """The height for its words: a title may take two lines."""
        return max(CARD, self._title_height(width) + 94)

    def _title_height(self, width: int) -> int:
        room = QRect(0, 0, width - 26, 1000)
        return self._theme.metrics("strong").boundingRect(room, Qt.TextFlag.TextWordWrap, self._way.title).height()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, focus = self._theme, self.hasFocus()
        painter.setPen(QPen(theme.color("focus" if focus else "border_control"), 2 if focus else 1))
        painter.setBrush(theme.color("hover" if self.underMouse() else "surface"))
        inset = 1 if focus else 0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 8, 8)
        painter.drawPixmap(14, 12, theme.pixmap(self._way.icon, "accent", 18, self.devicePixelRatioF()))
        top = Qt.AlignmentFlag.AlignTop
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("text_2"))
        painter.drawText(
            self.rect().adjusted(14, 14, -14, 0),
            top | Qt.AlignmentFlag.AlignRight,
            self._way.shortcut.replace("+", " "),
        )
        painter.setFont(theme.font("strong"))
        painter.setPen(theme.color("text"))
        room = self.rect().adjusted(14, 36, -12, 0)
        painter.drawText(room, top | Qt.TextFlag.TextWordWrap, self._way.title)
        painter.setFont(theme.font("label"))
        painter.setPen(theme.color("text_2"))
        below = 39 + self._title_height(self.width())
        painter.drawText(self.rect().adjusted(14, below, -12, -6), top | Qt.TextFlag.TextWordWrap, self._way.text)


class StartPage(Page):
    """Nothing is open yet."""

    def __init__(
        self,
        theme: Theme,
        new: Callable[[], object],
        choose_file: Callable[[], object],
        open_example: Callable[[], object],
    ) -> None:
        super().__init__()
        self.cards = [WayCard(theme, way) for way in _ways(new, choose_file, open_example)]
        question = label(_("What do you want to size?"), "figure")
        question.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        question.setStyleSheet("font-size: 22px;")
        cargo = _("Weights, cache and companions are the cargo. Tonnage says which hull carries it, and how fast.")
        explained = label(cargo, tone="muted", wrap=True)
        explained.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        promise = label(_("Works without a network. Nothing you enter leaves this machine."), "label", wrap=True)
        promise.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        inner = QWidget()
        inner.setMaximumWidth(INNER)
        column = QVBoxLayout(inner)
        column.setContentsMargins(24, 0, 24, 0)
        column.setSpacing(0)
        column.addStretch(3)
        column.addWidget(Ship(theme), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(42)
        column.addWidget(question)
        column.addSpacing(4)
        column.addWidget(explained)
        column.addSpacing(24)
        row = QHBoxLayout()
        row.setSpacing(14)
        for card in self.cards:
            row.addWidget(card)
        column.addLayout(row)
        column.addSpacing(16)
        column.addWidget(self._drop_strip(theme, choose_file))
        column.addSpacing(14)
        column.addWidget(promise)
        column.addStretch(5)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(inner, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The cards are as high as the one with most words."""
        super().resizeEvent(event)
        width = (min(self.width(), INNER) - 48 - 2 * 14) // len(self.cards)
        height = max(card.needed(width) for card in self.cards)
        for card in self.cards:
            card.setFixedHeight(height)

    @staticmethod
    def _drop_strip(theme: Theme, choose_file: Callable[[], object]) -> QFrame:
        strip = DottedFrame(theme)
        row = QHBoxLayout(strip)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(ToneIcon(theme, "download", "text_2"))
        row.addWidget(
            label(_("Drop a config.json, GGUF, safetensors or .tonnage file anywhere in the window"), tone="muted")
        )
        row.addWidget(button(_("Choose a file…"), "link", choose_file))
        row.addStretch(1)
        return strip


def _ways(
    new: Callable[[], object], choose_file: Callable[[], object], open_example: Callable[[], object]
) -> Sequence[Way]:
    return (
        Way("plus", _("Start a scenario"), _("Choose a model, a workload and a device."), "Ctrl+N", new),
        Way(
            "layers",
            _("Import a model"),
            _("From config.json, GGUF or safetensors: no guess."),
            "Ctrl+O",
            choose_file,
        ),
        Way(
            "gauge",
            _("Open the worked example"),
            _("A 35B model on one 96 GB card, ready to change."),
            "",
            open_example,
        ),
    )


class DottedFrame(QFrame):
    """A place to drop things on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setMinimumHeight(52)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.color("border_control"), 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([1, 2])
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
