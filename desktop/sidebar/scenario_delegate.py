"""How a row of the scenarios is painted: a client in grey, a scenario with its tick box and where it stands."""

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.language.messages import gettext as _
from desktop.session import Session
from desktop.sidebar.scenario_rows import Index, Row, ScenarioListModel
from desktop.theme import TONE_ICONS, Theme
from desktop.tones import TONE_OF

ROW = 30
TICK, TICK_REACH = 16, 4  # the box, and how far around it a click still counts
BEFORE_TICK, BEFORE_NAME, AFTER_NAME, ICON = 8, 36, 26, 14


class ScenarioDelegate(QStyledItemDelegate):
    """Paints the rows and edits a name in place."""

    def __init__(self, theme: Theme, session: Session, model: ScenarioListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._session, self._model = theme, session, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW)

    @staticmethod
    def tick_area(row: QRect) -> QRect:
        """Where a click ticks."""
        reach = TICK + 2 * TICK_REACH
        return QRect(row.left() + BEFORE_TICK - TICK_REACH, row.top() + (row.height() - reach) // 2, reach, reach)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ScenarioListModel.RowRole)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.scenario is None:
            painter.setFont(self._theme.font("label"))
            painter.setPen(self._theme.color("text_3"))
            self._text(painter, area.adjusted(8, 5, -8, 0), row.name)
        else:
            self._scenario(painter, area.adjusted(0, 1, 0, -1), row, state)
        painter.restore()

    def _scenario(self, painter: QPainter, area: QRect, row: Row, state: QStyle.StateFlag) -> None:
        assert row.scenario is not None
        theme, scenario_id = self._theme, row.scenario.id
        chosen = scenario_id == self._session.scenario_id
        self._ground(painter, area, chosen, state)
        self._tick(painter, area, self._model.is_ticked(scenario_id))
        where = self._model.want_standing(scenario_id)
        if where is not None:
            tone = TONE_OF[where]
            pixmap = theme.pixmap(TONE_ICONS[tone], tone, ICON, painter.device().devicePixelRatio())
            painter.drawPixmap(area.right() - 20, area.top() + (area.height() - ICON) // 2, pixmap)
        painter.setFont(theme.font("strong" if chosen else "body"))
        painter.setPen(theme.color("text"))
        self._text(painter, area.adjusted(BEFORE_NAME, 0, -AFTER_NAME, 0), row.name)

    def _ground(self, painter: QPainter, area: QRect, chosen: bool, state: QStyle.StateFlag) -> None:
        theme, radius = self._theme, self._theme.radius("control")
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if chosen else "hover"))
            painter.drawRoundedRect(QRectF(area), radius, radius)
        if chosen:
            painter.setBrush(theme.color("accent"))
            painter.drawRoundedRect(QRectF(area.left(), area.top() + 5, 3, area.height() - 10), 1.5, 1.5)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.color("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), radius, radius)

    def _tick(self, painter: QPainter, area: QRect, ticked: bool) -> None:
        theme = self._theme
        box = QRectF(area.left() + BEFORE_TICK, area.top() + (area.height() - TICK) / 2, TICK, TICK)
        painter.setPen(QPen(theme.color("accent" if ticked else "border_control"), 1))
        painter.setBrush(theme.color("accent" if ticked else "surface"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
        if ticked:
            mark = theme.pixmap("check", "on_accent", 12, painter.device().devicePixelRatio())
            painter.drawPixmap(round(box.left()) + 2, round(box.top()) + 2, mark)

    @staticmethod
    def _text(painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(200)
        editor.setAccessibleName(_("Name of the scenario"))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        area: QRect = option.rect
        corner = QPoint(area.left() + BEFORE_NAME - 10, area.top() + 1)
        editor.setGeometry(QRect(corner, QSize(area.width() - BEFORE_NAME + 8, area.height() - 2)))
