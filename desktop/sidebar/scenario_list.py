"""The scenarios by client, each with the icon of its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QInputDialog,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.language.messages import gettext as _
from core.sizing.report import Verdict
from desktop.session import Session, StoredScenario
from desktop.theme import TONE_ICONS, Theme, Tone

Index = QModelIndex | QPersistentModelIndex
TONES: dict[Verdict, Tone] = {Verdict.FITS: "ok", Verdict.CLOSE: "warn", Verdict.DOES_NOT_FIT: "bad"}


def verdict_word(verdict: Verdict | None) -> str:
    if verdict is None:
        return _("not sized yet")
    return {
        Verdict.FITS: _("fits"),
        Verdict.CLOSE: _("fits, but close"),
        Verdict.DOES_NOT_FIT: _("does not fit"),
    }[verdict]


@dataclass(slots=True)
class Row:
    """A scenario, or the client above its scenarios."""

    client: str
    scenario: StoredScenario | None = None
    verdict: Verdict | None = None


class ScenarioListModel(QAbstractListModel):
    """Clients and their scenarios; a name can be edited in place."""

    RowRole = Qt.ItemDataRole.UserRole

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: list[Row] = []
        self._verdicts: dict[int, Verdict | None] = {}
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._size_one)
        session.scenarios_changed.connect(self.refresh)
        session.sizing_changed.connect(self._on_sizing)
        session.catalogue_changed.connect(self._forget)
        self.refresh()

    # -- rows ---------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list from the store."""
        rows: list[Row] = []
        for one in self._session.scenarios():
            if not rows or rows[-1].client != one.client:
                rows.append(Row(one.client))
            rows.append(Row(one.client, one, self._verdicts.get(one.id)))
        if [(row.client, row.scenario) for row in rows] == [(row.client, row.scenario) for row in self._rows]:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()
        self._idle.start()

    def _forget(self) -> None:
        self._verdicts.clear()
        self._idle.start()

    def _on_sizing(self) -> None:
        scenario_id, sizing = self._session.scenario_id, self._session.sizing
        if scenario_id is not None and sizing is not None:
            self._set_verdict(scenario_id, sizing.verdict)

    def _size_one(self) -> None:
        """Size one more scenario whose verdict is not known, then let the window breathe."""
        waiting = next((r.scenario for r in self._rows if r.scenario and r.scenario.id not in self._verdicts), None)
        if waiting is not None:
            self._set_verdict(waiting.id, self._session.verdict_of(waiting.id))
            self._idle.start()

    def _set_verdict(self, scenario_id: int, verdict: Verdict | None) -> None:
        self._verdicts[scenario_id] = verdict
        at = self.row_of(scenario_id)
        if at is not None:
            self._rows[at].verdict = verdict
            index = self.index(at)
            self.dataChanged.emit(index, index)

    def row_of(self, scenario_id: int | None) -> int | None:
        return next((i for i, row in enumerate(self._rows) if row.scenario and row.scenario.id == scenario_id), None)

    @property
    def clients(self) -> Sequence[str]:
        return list(dict.fromkeys(row.client for row in self._rows))

    @property
    def ids(self) -> Sequence[int]:
        return [row.scenario.id for row in self._rows if row.scenario]

    # -- Qt -----------------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        name = row.scenario.name if row.scenario else row.client or _("No client")
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return f"{name}, {verdict_word(row.verdict)}" if row.scenario else name
        return row if role == self.RowRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].scenario is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        scenario = self._rows[index.row()].scenario
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or scenario is None or not name or name == scenario.name:
            return False
        self._session.rename(scenario.id, name[:200], scenario.client)
        return True


class ScenarioDelegate(QStyledItemDelegate):
    """Paints a client in grey, a scenario with its verdict at the right."""

    def __init__(self, theme: Theme, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._session = theme, session

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Row = index.data(ScenarioListModel.RowRole)
        return QSize(100, 30 if row.scenario else 29)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ScenarioListModel.RowRole)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.scenario is None:
            painter.setFont(self._theme.font("label"))
            painter.setPen(self._theme.color("text_3"))
            self._text(painter, area.adjusted(8, 3, -8, 0), row.client or _("No client"))
        else:
            self._scenario(painter, area.adjusted(0, 1, 0, -1), row, state)
        painter.restore()

    def _scenario(self, painter: QPainter, area: QRect, row: Row, state: QStyle.StateFlag) -> None:
        theme = self._theme
        chosen = row.scenario is not None and row.scenario.id == self._session.scenario_id
        hot, focused = state & QStyle.StateFlag.State_MouseOver, state & QStyle.StateFlag.State_HasFocus
        if chosen or hot:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if chosen else "hover"))
            painter.drawRoundedRect(QRectF(area), theme.radius("control"), theme.radius("control"))
        if chosen:
            painter.setBrush(theme.color("accent"))
            painter.drawRoundedRect(QRectF(area.left(), area.top() + 5, 3, area.height() - 10), 1.5, 1.5)
        if focused:
            painter.setPen(theme.color("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        if row.verdict is not None:
            tone = TONES[row.verdict]
            pixmap = theme.pixmap(TONE_ICONS[tone], tone, 14, painter.device().devicePixelRatio())
            painter.drawPixmap(area.right() - 21, area.top() + (area.height() - 14) // 2, pixmap)
        painter.setFont(theme.font("strong" if chosen else "body"))
        painter.setPen(theme.color("text"))
        self._text(painter, area.adjusted(16, 0, -27, 0), row.scenario.name if row.scenario else "")

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
        editor.setGeometry(area.adjusted(7, 1, 0, -1))


class ScenarioList(QListView):
    """The list. Enter or a click opens; F2, Delete and the menu do the rest."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self.scenarios = ScenarioListModel(session, self)
        self.setModel(self.scenarios)
        self.setItemDelegate(ScenarioDelegate(theme, session, self))
        self.setAccessibleName(_("Scenarios"))
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setStyleSheet("QListView { background: transparent; }")
        self.clicked.connect(self._open)
        self.scenarios.modelReset.connect(self._follow)
        session.scenario_changed.connect(self._follow)
        theme.changed.connect(self.viewport().update)
        self._follow()

    def _follow(self) -> None:
        at = self.scenarios.row_of(self._session.scenario_id)
        if at is not None:
            self.setCurrentIndex(self.scenarios.index(at))
        self.viewport().update()

    def _open(self, index: Index) -> None:
        row: Row | None = index.data(ScenarioListModel.RowRole)
        if row is not None and row.scenario is not None:
            self._session.open(row.scenario.id)

    @property
    def selected(self) -> StoredScenario | None:
        row: Row | None = self.currentIndex().data(ScenarioListModel.RowRole)
        return row.scenario if row else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_F2:
            self.rename()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete()
        else:
            super().keyPressEvent(event)

    def rename(self) -> None:
        self.edit(self.currentIndex())

    def delete(self) -> None:
        if self.selected:
            self._session.delete(self.selected.id)

    def duplicate(self) -> None:
        if self.selected:
            self._session.duplicate(self.selected.id, _("{name}, copy").format(name=self.selected.name))

    def _move_to(self, client: str) -> None:
        if self.selected:
            self._session.rename(self.selected.id, self.selected.name, client[:200])

    def _move_to_new(self) -> None:
        client, accepted = QInputDialog.getText(self, _("Move to client"), _("Name of the client"))
        if accepted and client.strip():
            self._move_to(client.strip())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.selected is None:
            return
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        corner = self.visualRect(self.currentIndex()).bottomLeft()
        at: QPoint = self.viewport().mapToGlobal(corner) if by_key else event.globalPos()
        menu = self.menu()
        menu.exec(at)
        menu.deleteLater()

    def menu(self) -> QMenu:
        """What can be done with the selected scenario."""
        menu = QMenu(self)
        menu.addAction(_("Rename")).triggered.connect(self.rename)
        menu.addAction(_("Duplicate")).triggered.connect(self.duplicate)
        move = menu.addMenu(_("Move to client"))
        for client in self.scenarios.clients:
            action = QAction(client or _("No client"), move)
            action.setEnabled(self.selected is not None and client != self.selected.client)
            action.triggered.connect(lambda _checked=False, client=client: self._move_to(client))
            move.addAction(action)
        move.addSeparator()
        move.addAction(_("New client…")).triggered.connect(self._move_to_new)
        menu.addSeparator()
        menu.addAction(_("Delete")).triggered.connect(self.delete)
        return menu
