"""What would help: the levers of this scenario, each with its gain, a "Try" that shows it and Enter that takes it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from desktop.results.folding_strip import MOST, ROW, FoldingStrip
from desktop.theme import Theme

if TYPE_CHECKING:  # they are found, and put into words, after the first paint
    from core.sizing.levers import Lever


class TryButton(QPushButton):
    """Pointing at it or moving to it shows what the lever would bring; a click or Enter takes it."""

    offered = Signal(bool)  # is it pointed at or moved to?

    def __init__(self) -> None:
        super().__init__(_("Try"))
        self.setProperty("kind", "link")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.offered.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.offered.emit(self.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.offered.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.offered.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class LeverRow(QWidget):
    """One lever: icon, what is changed, what it brings, and "Try"."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.lever: Lever | None = None
        self._title, self._gain = "", ""
        self._is_last = False
        self.button = TryButton()
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 1)
        row.addStretch(1)
        row.addWidget(self.button)
        theme.changed.connect(self.update)

    def set_lever(self, lever: "Lever", is_last: bool) -> None:
        from core.language.levers import lever_gain, lever_sentences, lever_title

        self.lever, self._is_last = lever, is_last
        self._title, self._gain = lever_title(lever), lever_gain(lever)
        said = "\n".join((f"{self._title}: {self._gain}", *lever_sentences(lever)))
        self.setToolTip(said)
        self.button.setToolTip(said)
        self.button.setAccessibleName(_("Try: {change}, {gain}").format(change=self._title, gain=self._gain))
        self.button.setAccessibleDescription(" ".join(lever_sentences(lever)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if not self._is_last:
            painter.fillRect(0, ROW - 1, self.width(), 1, self.theme.color("border"))
        painter.drawPixmap(0, 7, self.theme.pixmap("bolt", "info", 14, self.devicePixelRatioF()))
        strong, plain = self.theme.font("label", 600), self.theme.font("label")
        end = self.button.x() - 10
        centre = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self.theme.color("text"))
        painter.setFont(strong)
        gain_width = round(min(QFontMetricsF(strong).horizontalAdvance(self._gain) + 1, end - 60))
        shown = QFontMetricsF(strong).elidedText(self._gain, Qt.TextElideMode.ElideRight, gain_width)
        painter.drawText(end - gain_width, 0, gain_width + 1, ROW - 1, centre, shown)
        painter.setFont(plain)
        room = end - gain_width - 22 - 12
        title = QFontMetricsF(plain).elidedText(self._title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(22, 0, room + 2, ROW - 1, centre, title)


class LeverList(FoldingStrip):
    """The levers, below the results."""

    previewed = Signal(object)  # Lever, or None when it is left
    taken = Signal(object)  # Lever

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._levers: tuple[Lever, ...] = ()
        self._rows: list[LeverRow] = []
        self._show()

    @property
    def rows(self) -> list[LeverRow]:
        return [row for row in self._rows if not row.isHidden()]

    @property
    def levers(self) -> "tuple[Lever, ...]":
        return self._levers

    def set_levers(self, levers: "tuple[Lever, ...]") -> None:
        self._levers = levers
        self._show()

    def _on_form(self) -> None:
        self._show()

    def _show(self) -> None:
        shown = self._levers[: self._limit()]
        while len(self._rows) < len(shown):
            self._rows.append(self._new_row())
            self._add_row(self._rows[-1])
        for index, row in enumerate(self._rows):
            if index < len(shown):
                row.set_lever(shown[index], index == len(shown) - 1)
            row.setVisible(index < len(shown))
        count = len(self._levers)
        link = _("Show all {count}").format(count=count)
        self._set_head(self._heading(), link, not self._compact and count > MOST)
        self.setVisible(bool(self._levers))

    def _heading(self) -> str:
        if not self._folded:
            return _("What would help")
        count = len(self._levers)
        return ngettext("{count} change would help", "{count} changes would help", count).format(count=count)

    def _new_row(self) -> LeverRow:
        row = LeverRow(self.theme)
        row.button.offered.connect(lambda on, row=row: self.previewed.emit(row.lever if on else None))
        row.button.clicked.connect(lambda _checked=False, row=row: self.taken.emit(row.lever))
        return row

    def _draw_icon(self) -> None:
        self._icon.setPixmap(self.theme.pixmap("bolt", "info", 14, self.devicePixelRatioF()))
