"""The head of a column: letter, name, the answer in short, the hardware."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy

from core.language import comparison as words
from core.language import sentences
from core.language.messages import gettext as _
from core.sizing.comparison import LETTERS, Option
from desktop.theme import TONE_ICONS, Theme
from desktop.tones import TONE_OF

HEIGHT, BADGE, PADDING = 58, 18, 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ColumnHead(QAbstractButton):
    """Enter or a click opens the scenario; the menu takes it out or makes it A."""

    removed = Signal()
    made_first = Signal()

    def __init__(self, theme: Theme, series: int, open_it: Callable[[], object]) -> None:
        super().__init__()
        self._theme, self._series = theme, series
        self._option: Option | None = None
        self.setAccessibleName(LETTERS[series])
        self.setFixedHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _checked=False: open_it())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def set_option(self, option: Option) -> None:
        self._option = option
        answer, hardware = words.answer_in_short(option), words.hardware_in_short(option)
        self.setAccessibleName(f"{option.letter}: {option.scenario.name}")
        self.setAccessibleDescription(f"{answer}. {hardware}")
        self.setToolTip(f"{option.letter}: {option.scenario.name}\n{answer}\n{option.sizing.device.name}, {hardware}")
        self.update()

    # -- doing --------------------------------------------------------------------------------------------------------

    def menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(_("Open")).triggered.connect(self.click)
        first = menu.addAction(_("Compare against this one"))
        first.setEnabled(self._series > 0)
        first.triggered.connect(self.made_first)
        menu.addSeparator()
        menu.addAction(_("Take out of the comparison") + "\tDelete").triggered.connect(self.removed)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        menu = self.menu()
        menu.exec(self.mapToGlobal(self.rect().bottomLeft()) if by_key else event.globalPos())
        menu.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Delete:
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    # -- painting -----------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._option is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, radius = self._theme, self._theme.radius("control")
        ground = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(theme.color("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("hover") if self.underMouse() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ground, radius, radius)
        self._paint_badge(painter, self._option.letter)
        name_room = QRect(PADDING + BADGE + 8, 5, self.width() - 2 * PADDING - BADGE - 8, 22)
        self._text(painter, name_room, self._option.scenario.name)
        self._paint_answer(painter, self._option)

    def _paint_badge(self, painter: QPainter, letter: str) -> None:
        box = QRectF(PADDING, 7, BADGE, BADGE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.series(self._series))
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(self._theme.font("label", 600))
        painter.setPen(self._theme.on_series(self._series))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)

    def _text(self, painter: QPainter, room: QRect, text: str) -> None:
        painter.setFont(self._theme.font("message"))
        painter.setPen(self._theme.color("text"))
        painter.drawText(room, LEFT, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width()))

    def _paint_answer(self, painter: QPainter, option: Option) -> None:
        theme, tone = self._theme, TONE_OF[option.standing]
        painter.drawPixmap(PADDING + 2, 34, theme.pixmap(TONE_ICONS[tone], tone, 14, self.devicePixelRatioF()))
        room = QRect(PADDING + 22, 31, self.width() - 2 * PADDING - 22, 20)
        answer, hardware = words.answer_in_short(option), words.hardware_in_short(option)
        painter.setFont(theme.font("strong"))
        painter.setPen(theme.color(tone))
        if painter.fontMetrics().horizontalAdvance(answer) > room.width():
            answer = sentences.standing_word(option.standing)
        width = painter.fontMetrics().horizontalAdvance(answer)
        shown = painter.fontMetrics().elidedText(answer, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT, shown)
        painter.setFont(theme.font("label"))
        if width + 10 + painter.fontMetrics().horizontalAdvance(hardware) <= room.width():
            painter.setPen(theme.color("text_2"))
            painter.drawText(room, RIGHT, hardware)
