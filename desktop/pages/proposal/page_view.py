"""The pages below one another, as wide as there is room, at most at their size on paper."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from desktop.theme import Theme

MARGIN, GAP = 20, 16
A4_MM, INCH_MM = 210.0, 25.4
SCREEN_PPI = 96
LEAST_PPI, MOST_PPI, STEP_PPI = 56, 144, 8
KEPT_IMAGES = 6


class Sheets(QWidget):
    """Paints the pages that are in sight; a page is decoded when it first is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._pictures: tuple[bytes, ...] = ()
        self._sizes: list[QSize] = []
        self._images: dict[int, QImage] = {}
        theme.changed.connect(self.update)

    def set_pictures(self, pictures: Sequence[bytes]) -> None:
        self._pictures = tuple(pictures)
        self._sizes = [_size_of(picture) for picture in self._pictures]
        self._images.clear()
        self.fit()

    @property
    def count(self) -> int:
        return len(self._pictures)

    def fit(self) -> None:
        """As high as all pages at the width of the view."""
        areas = self.areas()
        self.setFixedHeight(areas[-1].bottom() + 1 + MARGIN if areas else 0)
        self.update()

    def areas(self) -> list[QRect]:
        """Where each page lies."""
        room = max(120, self.width() - 2 * MARGIN)
        width = min(room, round(A4_MM / INCH_MM * SCREEN_PPI))
        top, found = MARGIN, []
        for size in self._sizes:
            height = round(width * size.height() / max(1, size.width()))
            found.append(QRect(MARGIN + (room - width) // 2, top, width, height))
            top += height + GAP
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for number, area in enumerate(self.areas()):
            if not area.adjusted(-2, -2, 2, 2).intersects(event.rect()):
                continue
            painter.setPen(self._theme.color("border"))
            painter.setBrush(Qt.GlobalColor.white)
            painter.drawRect(QRectF(area).adjusted(-0.5, -0.5, 0.5, 0.5))
            painter.drawImage(area, self._image(number))

    def _image(self, number: int) -> QImage:
        if number not in self._images:
            while len(self._images) >= KEPT_IMAGES:
                self._images.pop(next(iter(self._images)))
            self._images[number] = QImage.fromData(self._pictures[number])
        return self._images[number]


class PageView(QScrollArea):
    """Scrolls over the pages; the place stays when they are drawn again."""

    ppi_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.sheets = Sheets(theme)
        self.setWidget(self.sheets)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(_("Pages of the proposal"))
        self.setProperty("kind", "sunken")
        self.sheets.setProperty("kind", "sunken")
        self.sheets.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._ppi = self.ppi
        self._resized = QTimer(self)
        self._resized.setSingleShot(True)
        self._resized.setInterval(150)
        self._resized.timeout.connect(self._on_resized)

    @property
    def ppi(self) -> int:
        """Pixels per inch that the pages take on this screen, in steps."""
        width = min(max(120, self.viewport().width() - 2 * MARGIN), A4_MM / INCH_MM * SCREEN_PPI)
        wanted = width * self.devicePixelRatioF() / (A4_MM / INCH_MM)
        stepped = STEP_PPI * round(wanted / STEP_PPI + 0.4)
        return max(LEAST_PPI, min(MOST_PPI, stepped))

    def show_pages(self, pictures: Sequence[bytes]) -> None:
        bar = self.verticalScrollBar()
        place = bar.value()
        self.sheets.set_pictures(pictures)
        bar.setValue(place)
        text = ngettext("{number} page", "{number} pages", len(pictures))
        self.setAccessibleDescription(text.format(number=current().count(len(pictures))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sheets.fit()
        self._resized.start()

    def _on_resized(self) -> None:
        if self.ppi != self._ppi:
            self._ppi = self.ppi
            self.ppi_changed.emit()


def _size_of(picture: bytes) -> QSize:
    """Width and height that a PNG file states in its first chunk."""
    return QSize(int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big"))
