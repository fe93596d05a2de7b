"""Which scenarios are ticked for comparison: two to four, kept between starts."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.errors import StoreError
from core.language.messages import gettext as _
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Message, Session, one_of

MOST = 4
TOPIC = "ticks"


class Ticked(QObject):
    """The ticks, in the order in which they were set: the first is A, against which the others stand."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._saved = one_of(SavedScenarios, session)
        self._ids: list[int] = []
        if session.store is not None:
            try:
                self._ids = list(session.store.ticked())[:MOST]
            except StoreError:
                self._ids = []
        self._forget_deleted()
        session.scenarios_changed.connect(self._forget_deleted)

    @property
    def ids(self) -> Sequence[int]:
        return tuple(self._ids)

    def __contains__(self, scenario_id: int | None) -> bool:
        return scenario_id in self._ids

    def toggle(self, scenario_id: int) -> bool:
        """Set or take away a tick; False where four are ticked already."""
        self._session.message.emit(Message("", topic=TOPIC))
        if scenario_id in self._ids:
            self._set([one for one in self._ids if one != scenario_id])
        elif len(self._ids) >= MOST:
            text = _("Four scenarios at most stand side by side. Take a tick away first.")
            self._session.message.emit(Message(text, "info", TOPIC))
            return False
        else:
            self._set([*self._ids, scenario_id])
        return True

    def set_ids(self, ids: Sequence[int]) -> None:
        """Tick these and no others."""
        self._set(list(dict.fromkeys(ids))[:MOST])

    def _set(self, ids: list[int]) -> None:
        if ids == self._ids:
            return
        self._ids = ids
        self._saved.remember_ticked(ids)
        self.changed.emit()

    def _forget_deleted(self) -> None:
        if self._ids:
            there = {one.id for one in self._saved.all()}
            self._set([one for one in self._ids if one in there])
