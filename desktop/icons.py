"""Icons: one set of line drawings, recoloured for the theme and sharp on every screen that is there."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from core import RESOURCES

FOLDER = RESOURCES / "icons"


@lru_cache(maxsize=64)
def _source(name: str) -> str:
    return (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def svg(name: str, color: QColor, accent: QColor | None = None) -> bytes:
    """The drawing with its strokes in `color`; the load mark has a second colour."""
    text = _source(name).replace("currentColor", color.name()).replace("accentColor", (accent or color).name())
    return text.encode()


@lru_cache(maxsize=512)
def _pixmap(name: str, color: str, accent: str, width: int, height: int, scale: float) -> QPixmap:
    pixmap = QPixmap(round(width * scale), round(height * scale))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer = QSvgRenderer(QByteArray(svg(name, QColor(color), QColor(accent))))
    renderer.render(painter, QRectF(0, 0, pixmap.width(), pixmap.height()))
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap


def pixmap(
    name: str, color: QColor, size: int | QSize = 16, scale: float | None = None, accent: QColor | None = None
) -> QPixmap:
    """The icon as a picture of `size` logical pixels, for a screen of the given scale."""
    if scale is None:
        scale = QGuiApplication.instance().devicePixelRatio()  # type: ignore[union-attr]
    extent = QSize(size, size) if isinstance(size, int) else size
    return _pixmap(name, color.name(), (accent or color).name(), extent.width(), extent.height(), scale)


def scales() -> tuple[float, ...]:
    """The scales of the screens that are there."""
    return tuple(sorted({screen.devicePixelRatio() for screen in QGuiApplication.screens()}))


def icon(name: str, color: QColor, disabled: QColor | None = None, size: int = 16) -> QIcon:
    """The icon for buttons, menus and lists, with a paler one where the control is disabled."""
    result = QIcon()
    for scale in scales():
        result.addPixmap(pixmap(name, color, size, scale))
        if disabled is not None:
            result.addPixmap(pixmap(name, disabled, size, scale), QIcon.Mode.Disabled)
    return result


def app_icon() -> QIcon:
    """The load mark on its tile, for the window and the task bar."""
    result = QIcon()
    for extent in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(pixmap("app", QColor("#000000"), extent, 1.0))
    return result
