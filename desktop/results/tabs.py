"""The tab line: words with an accent underline that moves, elided where room is short."""

from PySide6.QtCore import QEasingCurve, QRect, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from desktop.theme import Theme

GAP, REACH, LINE = 22, 3, 2


class TabLine(QTabBar):
    """Tabs as the results column shows them; the arrow keys move between them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._from = self._to = QRect()
        self._slide = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=theme.motion_ms)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(lambda _value: self.update())
        self.currentChanged.connect(self._move)
        theme.changed.connect(self.update)

    def add(self, name: str, shortcut: str) -> None:
        index = self.addTab(name)
        self.setTabToolTip(index, f"{name}  ({shortcut})")

    def tabSizeHint(self, index: int) -> QSize:
        metrics = self.fontMetrics() if index < 0 else self.theme.metrics("strong")
        return QSize(metrics.horizontalAdvance(self.tabText(index)) + GAP, self.theme.size("tab"))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return QSize(48, self.theme.size("tab"))

    def minimumSizeHint(self) -> QSize:
        return QSize(48 * max(1, self.count()), self.theme.size("tab"))

    def _text_rect(self, index: int) -> QRect:
        """Where the words of a tab stand: the first one begins at the left edge."""
        return self.tabRect(index).adjusted(REACH, 0, -(GAP - REACH), 0)

    def _move(self, index: int) -> None:
        self._from, self._to = self._to, self._text_rect(index)
        if self._from.isNull() or not self.isVisible():
            self._slide.stop()
            self._from = self._to
            self.update()
        else:
            self._slide.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._from = self._to = self._text_rect(self.currentIndex())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for index in range(self.count()):
            chosen = index == self.currentIndex()
            painter.setFont(self.theme.font("strong" if chosen else "body"))
            painter.setPen(self.theme.color("text" if chosen else "text_2"))
            box = self._text_rect(index)
            text = painter.fontMetrics().elidedText(self.tabText(index), Qt.TextElideMode.ElideRight, box.width() + 2)
            painter.drawText(box.adjusted(0, 0, 4, -1), Qt.AlignmentFlag.AlignVCenter, text)
            if chosen and self.hasFocus():
                painter.setPen(QPen(self.theme.color("focus"), 2))
                painter.drawRoundedRect(box.adjusted(-REACH + 1, 6, REACH + 3, -7), 4, 4)
        self._paint_line(painter)

    def _paint_line(self, painter: QPainter) -> None:
        running = self._slide.state() is QVariantAnimation.State.Running
        share = float(self._slide.currentValue()) if running else 1.0
        target = self._text_rect(self.currentIndex())
        start = self._from if running else target
        left = start.left() + (target.left() - start.left()) * share
        width = start.width() + (target.width() - start.width()) * share
        bar = QRectF(left - REACH, self.height() - LINE, width + 2 * REACH, LINE)
        painter.fillRect(bar, self.theme.color("accent"))
