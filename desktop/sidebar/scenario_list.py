"""The list of scenarios: open, tick, rename, copy, move, drag into order, delete."""

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu

from core.language.messages import gettext as _
from desktop.saved_scenarios import SavedScenarios
from desktop.scenario_store import StoredScenario
from desktop.session import Session, one_of
from desktop.sidebar.client_popup import ClientPopup
from desktop.sidebar.scenario_delegate import ScenarioDelegate
from desktop.sidebar.scenario_rows import Index, Place, Row, ScenarioListModel
from desktop.theme import Theme
from desktop.ticked import Ticked

RENAME, COPY, TICK, MOVE, DELETE = "F2", "Ctrl+D", "Space", "Ctrl+M", "Delete"


class ScenarioList(QListView):
    """Enter opens, Space ticks, F2 renames, Delete deletes, Alt with an arrow moves; typing finds."""

    opened = Signal(int)

    def __init__(self, session: Session, theme: Theme, ticked: Ticked) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._saved = one_of(SavedScenarios, session)
        self._clients: ClientPopup | None = None
        self.scenarios = ScenarioListModel(session, ticked, self)
        self.setModel(self.scenarios)
        self.delegate = ScenarioDelegate(theme, session, self.scenarios, self)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(_("Scenarios"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self.setStyleSheet("QListView { background: transparent; }")
        self.clicked.connect(self._open)
        self.scenarios.modelReset.connect(self._follow)
        session.scenario_changed.connect(self._follow)
        theme.changed.connect(self.viewport().update)
        self._follow()

    def _follow(self) -> None:
        at = self.scenarios.row_of(self._session.scenario_id)
        if at is not None and at != self.currentIndex().row():
            self.setCurrentIndex(self.scenarios.index(at))
        self.viewport().update()

    def _open(self, index: Index) -> None:
        row: Row | None = index.data(ScenarioListModel.RowRole)
        if row is not None and row.scenario is not None and self._session.open(row.scenario.id):
            self.opened.emit(row.scenario.id)

    @property
    def selected(self) -> StoredScenario | None:
        row: Row | None = self.currentIndex().data(ScenarioListModel.RowRole)
        return row.scenario if row else None

    # -- mouse and keys -----------------------------------------------------------------------------------------------

    def _on_tick(self, event: QMouseEvent) -> Index | None:
        index = self.indexAt(event.position().toPoint())
        inside = self.delegate.tick_area(self.visualRect(index)).contains(event.position().toPoint())
        return index if inside and self.scenarios.flags(index) & Qt.ItemFlag.ItemIsUserCheckable else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._on_tick(event) if event.button() == Qt.MouseButton.LeftButton else None
        if index is None:
            super().mousePressEvent(event)
            return
        self._tick(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._on_tick(event) is None or event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._on_tick(event)
        if index is None:
            super().mouseDoubleClickEvent(event)
        else:
            self._tick(index)

    def _tick(self, index: Index) -> None:
        role = Qt.ItemDataRole.CheckStateRole
        self.scenarios.setData(index, index.data(role) != Qt.CheckState.Checked, role)

    def event(self, event: QEvent) -> bool:
        """While this list has the focus, keys that the window knows too mean the row and not what is on screen."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._deed_of(event):
            event.accept()
            return True
        return super().event(event)

    def _deed_of(self, event: QKeyEvent) -> str:
        keys = event.keyCombination().toCombined()
        deeds = {
            Qt.Key.Key_F2: RENAME,
            Qt.Key.Key_Delete: DELETE,
            Qt.Key.Key_Space: TICK,
            int(Qt.Modifier.CTRL.value) | int(Qt.Key.Key_D): COPY,
            int(Qt.Modifier.CTRL.value) | int(Qt.Key.Key_M): MOVE,
        }
        return deeds.get(keys, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        deed = self._deed_of(event)
        moves = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
        elif moves and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_by(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif deed:
            deeds = {RENAME: self.rename, DELETE: self.delete, TICK: self.tick, COPY: self.duplicate}
            (deeds | {MOVE: self.ask_client})[deed]()
        else:
            super().keyPressEvent(event)

    # -- deeds --------------------------------------------------------------------------------------------------------

    def rename(self) -> None:
        self.edit(self.currentIndex())

    def rename_current(self) -> None:
        """Edit the name of the scenario on screen, wherever the selection is."""
        if self._select_current():
            self.edit(self.currentIndex())

    def tick(self) -> None:
        if self.selected:
            self._tick(self.currentIndex())

    def delete(self) -> None:
        """Remove the row; the one that takes its place is selected."""
        if self.selected:
            at = self.currentIndex().row()
            self._saved.delete(self.selected.id)
            self._select_near(at)

    def _select_near(self, at: int) -> None:
        count = self.scenarios.rowCount()
        near = [row for row in (at, at - 1, at + 1, at - 2) if 0 <= row < count]
        for row in near:
            if self.scenarios.flags(self.scenarios.index(row)) & Qt.ItemFlag.ItemIsSelectable:
                self.setCurrentIndex(self.scenarios.index(row))
                return

    def duplicate(self) -> None:
        if self.selected:
            self._saved.duplicate(self.selected.id, _("{name}, copy").format(name=self.selected.name))

    def move_by(self, by: int) -> None:
        """One place up or down."""
        selected = self.selected
        place = self.scenarios.place_beside(selected.id, by) if selected else None
        if selected and place:
            self.put(selected.id, place)

    def put(self, scenario_id: int, place: Place) -> None:
        """Move a scenario to a place and keep it selected."""
        if place.before != scenario_id:
            self._saved.move(scenario_id, place.client, place.before)
            at = self.scenarios.row_of(scenario_id)
            if at is not None:
                self.setCurrentIndex(self.scenarios.index(at))

    def dropEvent(self, event: QDropEvent) -> None:
        """A row was dragged here."""
        selected, at = self.selected, self.drop_row(event.position().toPoint())
        self.setState(QAbstractItemView.State.NoState)
        self.stopAutoScroll()
        event.setDropAction(Qt.DropAction.IgnoreAction)  # nothing is to be taken away from where it came
        event.accept()
        if selected is not None and event.source() is self:
            self.put(selected.id, self.scenarios.place_at(at))
        self.viewport().update()

    def drop_row(self, at: QPoint) -> int:
        """The row above which something dropped at a point goes."""
        index = self.indexAt(at)
        if not index.isValid():
            return self.scenarios.rowCount()
        return index.row() + (at.y() > self.visualRect(index).center().y())

    def ask_client(self) -> None:
        """Move the selected scenario to a client that is typed."""
        selected = self.selected
        if selected is not None:
            if self._clients is None:
                self._clients = ClientPopup(self._theme, self)
            corner = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
            self._clients.open(
                self.scenarios.clients, corner, lambda client: self.put(selected.id, Place(client[:200], None))
            )

    @property
    def client_popup(self) -> ClientPopup | None:
        return self._clients

    def ask_client_of_current(self) -> None:
        """The same for the scenario on screen, wherever the selection is."""
        if self._select_current():
            self.ask_client()

    def _select_current(self) -> bool:
        at = self.scenarios.row_of(self._session.scenario_id)
        if at is not None:
            self.setCurrentIndex(self.scenarios.index(at))
        return at is not None

    # -- the menu -----------------------------------------------------------------------------------------------------

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
        """What can be done with the selected scenario, each with its key."""
        menu = QMenu(self)
        menu.addAction(_("Rename") + f"\t{RENAME}").triggered.connect(self.rename)
        menu.addAction(_("Duplicate") + f"\t{COPY}").triggered.connect(self.duplicate)
        compare = menu.addAction(_("Compare") + f"\t{TICK}")
        compare.setCheckable(True)
        compare.setChecked(self.selected is not None and self.scenarios.is_ticked(self.selected.id))
        compare.triggered.connect(self.tick)
        menu.addAction(_("Move to client…") + f"\t{MOVE}").triggered.connect(self.ask_client)
        menu.addSeparator()
        menu.addAction(_("Delete") + f"\t{DELETE}").triggered.connect(self.delete)
        return menu
