"""The scenarios by client as rows of a list: name, tick, and where each stands."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, QTimer
from PySide6.QtWidgets import QWidget

from core.language.messages import gettext as _
from core.language.sentences import standing_word
from core.sizing.standing import Standing
from desktop.saved_scenarios import SavedScenarios
from desktop.scenario_store import StoredScenario
from desktop.session import Session, one_of
from desktop.ticked import Ticked

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Row:
    """A scenario, or the client above its scenarios."""

    client: str
    scenario: StoredScenario | None = None

    @property
    def name(self) -> str:
        return self.scenario.name if self.scenario else self.client or _("No client")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a scenario is put: before another one of the client, or at the client's end."""

    client: str
    before: int | None


#: After the first row is painted: what the window itself shows comes before.
AFTER_MS = 120


class ScenarioListModel(QAbstractListModel):
    """Clients and their scenarios; a name can be edited in place, a tick set, a row dragged.

    Thousands may be kept, so a scenario is sized when its row is first painted, one at a time.
    """

    RowRole = Qt.ItemDataRole.UserRole

    def __init__(self, session: Session, ticked: Ticked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._ticked = session, ticked
        self._saved = one_of(SavedScenarios, session)
        self._rows: list[Row] = []
        self._at: dict[int, int] = {}  # row of each scenario
        self._standings: dict[int, Standing | None] = {}
        self._waiting: deque[int] = deque()
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._size_one)
        session.scenarios_changed.connect(self.refresh)
        session.scenario_changed.connect(self.refresh_current)
        session.sizing_changed.connect(self._on_sizing)
        session.catalogue_changed.connect(self._forget)
        ticked.changed.connect(self._on_ticked)
        self.refresh()

    # -- rows ---------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list from the session."""
        rows: list[Row] = []
        for one in self._saved.all():
            if not rows or rows[-1].client != one.client:
                rows.append(Row(one.client))
            rows.append(Row(one.client, one))
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self._at = {row.scenario.id: at for at, row in enumerate(rows) if row.scenario}
        self._waiting.clear()
        self.endResetModel()

    def refresh_current(self) -> None:
        """The name of the scenario on screen may have changed."""
        at = self._at.get(self._session.scenario_id or 0)
        scenario = self._rows[at].scenario if at is not None else None
        if at is not None and scenario is not None and scenario.name != self._session.scenario.name:
            self._rows[at] = Row(
                scenario.client, StoredScenario(scenario.id, self._session.scenario.name, scenario.client)
            )
            self._tell(at)

    def _tell(self, at: int) -> None:
        index = self.index(at)
        self.dataChanged.emit(index, index)

    def row_of(self, scenario_id: int | None) -> int | None:
        return None if scenario_id is None else self._at.get(scenario_id)

    @property
    def clients(self) -> Sequence[str]:
        return list(dict.fromkeys(row.client for row in self._rows))

    @property
    def ids(self) -> Sequence[int]:
        return tuple(self._at)

    def place_at(self, at: int) -> Place:
        """The place above a row; below the last one for the number of rows. Above a client is the end of the last."""
        row = self._rows[at] if at < len(self._rows) else None
        if row is not None and (row.scenario is not None or at == 0):
            first = self._rows[at + 1].scenario if row.scenario is None else row.scenario
            return Place(row.client, first.id if first else None)
        return Place(self._rows[at - 1].client, None)

    def place_beside(self, scenario_id: int, by: int) -> Place | None:
        """One place further up or down, over a client's heading too; None at the ends."""
        at = self._at[scenario_id]
        if by < 0:
            above = at - 1
            if above <= 0:
                return None
            row = self._rows[above]
            return Place(row.client, row.scenario.id) if row.scenario else self.place_at(above)
        if at + 1 >= len(self._rows):
            return None
        below = self._rows[at + 1]
        if below.scenario is None:
            return self.place_at(at + 2)
        return self.place_at(at + 2) if at + 2 < len(self._rows) else Place(below.client, None)

    # -- where each stands --------------------------------------------------------------------------------------------

    def want_standing(self, scenario_id: int) -> Standing | None:
        """Where a scenario stands; if that is not known yet it is found soon."""
        if scenario_id in self._standings:
            return self._standings[scenario_id]
        if scenario_id not in self._waiting:
            self._waiting.append(scenario_id)
            if not self._idle.isActive():
                self._idle.start(AFTER_MS)
        return None

    def _forget(self) -> None:
        self._standings.clear()
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def _on_sizing(self) -> None:
        scenario_id = self._session.scenario_id
        if scenario_id is not None:
            self._set_standing(scenario_id, self._saved.standing_of(scenario_id))

    def _size_one(self) -> None:
        """Size one more scenario that is on screen, then let the window breathe."""
        if self._waiting:
            scenario_id = self._waiting.popleft()
            self._set_standing(scenario_id, self._saved.standing_of(scenario_id))
            self._idle.start(0)

    def _set_standing(self, scenario_id: int, standing: Standing | None) -> None:
        if scenario_id in self._standings and self._standings[scenario_id] is standing:
            return
        self._standings[scenario_id] = standing
        at = self.row_of(scenario_id)
        if at is not None:
            self._tell(at)

    # -- ticks --------------------------------------------------------------------------------------------------------

    def is_ticked(self, scenario_id: int) -> bool:
        return scenario_id in self._ticked

    def _on_ticked(self) -> None:
        if self._rows:
            role = [Qt.ItemDataRole.CheckStateRole]
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), role)

    # -- Qt -----------------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == self.RowRole:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            if row.scenario is None:
                return row.name
            known = self._standings.get(row.scenario.id)
            return f"{row.name}, {standing_word(known)}" if known else row.name
        if role == Qt.ItemDataRole.CheckStateRole and row.scenario is not None:
            return Qt.CheckState.Checked if row.scenario.id in self._ticked else Qt.CheckState.Unchecked
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        if self._rows[index.row()].scenario is None:
            return Qt.ItemFlag.NoItemFlags
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsEditable
            | Qt.ItemFlag.ItemIsUserCheckable
            | Qt.ItemFlag.ItemIsDragEnabled
        )

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        scenario = self._rows[index.row()].scenario
        if scenario is None:
            return False
        if role == Qt.ItemDataRole.CheckStateRole:
            return self._ticked.toggle(scenario.id)
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not name or name == scenario.name:
            return False
        self._saved.rename(scenario.id, name[:200], scenario.client)
        return True
