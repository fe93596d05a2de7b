"""The painted parts of the sidebar: brand, search field, page buttons."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from core.language.messages import gettext as _
from desktop import icons
from desktop.theme import Theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Brand(QWidget):
    """The load mark, and the name where there is room."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedHeight(46)
        self.setAccessibleName("Tonnage")
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme, ratio = self._theme, self.devicePixelRatioF()
        mark = icons.pixmap("load-mark", theme.color("text"), QSize(28, 20), ratio, theme.color("accent"))
        narrow = self.width() < 100
        painter.drawPixmap((self.width() - 28) // 2 if narrow else 13, 13, mark)
        if not narrow:
            font = theme.font("message")
            font.setPixelSize(14)
            painter.setFont(font)
            painter.setPen(theme.color("text"))
            painter.drawText(self.rect().adjusted(48, 0, 0, 0), LEFT, "Tonnage")


class PaintedButton(QPushButton):
    """A button that paints itself: ground by state, a focus ring inside."""

    def __init__(self, theme: Theme, name: str, shortcut: str = "") -> None:
        super().__init__()
        self.theme, self.name, self.shortcut_text = theme, name, shortcut
        self.setAccessibleName(name)
        self.setToolTip(f"{name}  ({shortcut})" if shortcut else name)
        self.setProperty("kind", "painted")
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(32, self.height())

    @property
    def is_narrow(self) -> bool:
        return self.width() < 100

    def ring(self, painter: QPainter) -> None:
        if self.hasFocus():
            painter.setPen(QPen(self.theme.color("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = self.theme.radius("control")
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)

    def icon_at(self, painter: QPainter, name: str, x: int, strong: bool = False) -> None:
        pixmap = self.theme.pixmap(name, "text" if strong else "text_2", 16, self.devicePixelRatioF())
        painter.drawPixmap(x, (self.height() - 16) // 2, pixmap)


class PageButton(PaintedButton):
    """A page of the window."""

    def __init__(self, theme: Theme, icon: str, name: str, shortcut: str) -> None:
        super().__init__(theme, name, shortcut)
        self._icon = icon
        self._count = 0
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFixedHeight(theme.size("row"))

    def set_count(self, count: int) -> None:
        """How many things wait on this page; none is not written."""
        if count != self._count:
            self._count = count
            self.setAccessibleName(f"{self.name}, {count}" if count else self.name)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, chosen = self.theme, self.isChecked()
        if chosen or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if chosen else "hover"))
            painter.drawRoundedRect(QRectF(self.rect()), theme.radius("control"), theme.radius("control"))
        self.icon_at(painter, self._icon, (self.width() - 16) // 2 if self.is_narrow else 9, chosen)
        if not self.is_narrow:
            painter.setFont(theme.font("strong" if chosen else "body"))
            painter.setPen(theme.color("text" if chosen else "text_2"))
            room = self.rect().adjusted(29, 0, -8, 0)
            if self._count:
                room = self._paint_count(painter, room)
            painter.drawText(
                room, LEFT, painter.fontMetrics().elidedText(self.name, Qt.TextElideMode.ElideRight, room.width())
            )
        self.ring(painter)

    def _paint_count(self, painter: QPainter, room: QRect) -> QRect:
        """The count at the right, in grey; what is left is for the name."""
        font, count = painter.font(), str(self._count)
        painter.setFont(self.theme.font("label"))
        width = painter.fontMetrics().horizontalAdvance(count)
        painter.drawText(room, RIGHT, count)
        painter.setFont(font)
        return room.adjusted(0, 0, -width - 8, 0)


class SearchButton(PaintedButton):
    """Looks like a field; opens the search over everything."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _("Search, run"), "Ctrl+K")
        self.setFixedHeight(theme.size("control"))
        self.setCursor(Qt.CursorShape.IBeamCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self.theme
        if self.is_narrow:
            if self.underMouse():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("hover"))
                painter.drawRoundedRect(QRectF(self.rect()), theme.radius("control"), theme.radius("control"))
            self.icon_at(painter, "search", (self.width() - 16) // 2)
            self.ring(painter)
            return
        edge = "text_3" if self.underMouse() else "border_control"
        painter.setPen(QPen(theme.color(edge), 1))  # type: ignore[arg-type]
        painter.setBrush(theme.color("surface"))
        radius = theme.radius("control")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        self.icon_at(painter, "search", 9)
        painter.setFont(theme.font("body"))
        painter.setPen(theme.color("text_3"))
        painter.drawText(self.rect().adjusted(31, 0, -60, 0), LEFT, self.name)
        self._keys(painter)
        self.ring(painter)

    def _keys(self, painter: QPainter) -> None:
        font: QFont = self.theme.font("caption")
        painter.setFont(font)
        painter.setPen(self.theme.color("text_2"))
        painter.drawText(QRect(0, 0, self.width() - 9, self.height()), RIGHT, self.shortcut_text.replace("+", " "))
