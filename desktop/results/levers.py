"""What would help: the levers of this scenario, each with its gain, a "Try" that shows it and Enter that takes it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from desktop.results.findings import LINK, MOST, ROW
from desktop.results.text import Text
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


class LeverList(QWidget):
    """The levers, three of them until all are asked for; one line where the window is small."""

    previewed = Signal(object)  # Lever, or None when it is left
    taken = Signal(object)  # Lever
    opened = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._levers: tuple[Lever, ...] = ()
        self._compact = False
        self._open = False
        self._rows: list[LeverRow] = []
        self._icon = QLabel()
        self._title = Text(theme, "strong")
        self._all = QPushButton()
        self._all.setProperty("kind", "link")
        self._all.clicked.connect(lambda: self.opened.emit(not self._open))
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addStrut(LINK)
        head.addWidget(self._icon)
        head.addWidget(self._title, 1)
        head.addWidget(self._all)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 8, 0, 6)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addStretch(1)
        theme.changed.connect(self._draw_icon)
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

    def set_form(self, compact: bool, is_open: bool) -> None:
        if (compact, is_open) != (self._compact, self._open):
            self._compact, self._open = compact, is_open
            self._show()

    def _limit(self) -> int:
        if self._open:
            return len(self._levers)
        return 0 if self._compact else MOST

    def _show(self) -> None:
        shown = self._levers[: self._limit()]
        while len(self._rows) < len(shown):
            self._rows.append(self._new_row())
            self._column.insertWidget(self._column.count() - 1, self._rows[-1])
        for index, row in enumerate(self._rows):
            if index < len(shown):
                row.set_lever(shown[index], index == len(shown) - 1)
            row.setVisible(index < len(shown))
        self._set_head()
        self.setVisible(bool(self._levers))

    def _new_row(self) -> LeverRow:
        row = LeverRow(self.theme)
        row.button.offered.connect(lambda on, row=row: self.previewed.emit(row.lever if on else None))
        row.button.clicked.connect(lambda _checked=False, row=row: self.taken.emit(row.lever))
        return row

    def _set_head(self) -> None:
        count, folded = len(self._levers), self._compact and not self._open
        if folded:
            self._title.setText(
                ngettext("{count} change would help", "{count} changes would help", count).format(count=count)
            )
        else:
            self._title.setText(_("What would help"))
        self._icon.setVisible(folded)
        self._draw_icon()
        self._all.setVisible(not self._compact and count > MOST)
        self._all.setText(_("Show less") if self._open else _("Show all {count}").format(count=count))
        top, bottom = (3, 3) if folded else (8, 6)
        self._column.setContentsMargins(0, top, 0, bottom)

    def _draw_icon(self) -> None:
        self._icon.setPixmap(self.theme.pixmap("bolt", "info", 14, self.devicePixelRatioF()))
