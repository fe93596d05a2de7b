"""The saved scenarios, beside the one on screen, which counts as it stands."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.errors import StoreError, TonnageError
from core.language.messages import gettext as _
from core.scenario import Scenario
from core.sizing.report import Sizing
from core.sizing.standing import Standing, standing
from desktop.scenario_store import ScenarioStore, StoredScenario
from desktop.session import Message, Session


class SavedScenarios(QObject):
    """Lists them, looks into them, and puts them in order."""

    comparison_wanted = Signal(list)  # ids of scenarios

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._listed: tuple[int, Sequence[StoredScenario]] | None = None  # with the state of the list that was read

    # -- looking ------------------------------------------------------------------------------------------------------

    def all(self) -> Sequence[StoredScenario]:
        """The saved scenarios, by client; the one on screen as it stands."""
        session, here = self._session, self._session.scenario
        if self._listed is None or self._listed[0] != session.list_state:  # read once: there may be thousands
            self._listed = session.list_state, session.ask_store(lambda store: store.scenarios()) or ()
        return [
            StoredScenario(one.id, here.name, one.client) if one.id == session.scenario_id else one
            for one in self._listed[1]
        ]

    def mentioning(self, pieces: Sequence[str]) -> Sequence[StoredScenario]:
        """Those whose JSON has one of these pieces in it."""
        self._session.flush()
        ids = set(self._session.ask_store(lambda store: store.mentioning(pieces)) or ())
        return [one for one in self.all() if one.id in ids]

    def read(self, scenario_id: int) -> Scenario | None:
        """A saved scenario; None, after saying why, when it cannot be read."""
        if scenario_id == self._session.scenario_id:
            return self._session.scenario
        return self._session.ask_store(lambda store: store.load(scenario_id))

    def scenario_of(self, scenario_id: int) -> Scenario | None:
        """A saved scenario; None when it cannot be read."""
        session = self._session
        if scenario_id == session.scenario_id:
            return session.scenario
        if session.store is None:
            return None
        try:
            return session.store.load(scenario_id)
        except StoreError:
            return None

    def sizing_of(self, scenario_id: int) -> Sizing | None:
        """The sizing of a saved scenario; None when it cannot be read or sized."""
        session = self._session
        if scenario_id == session.scenario_id and session.is_sized:
            return session.sizing
        if scenario_id == session.scenario_id:  # changed within this frame
            return session.preview()
        if session.store is None:
            return None
        try:
            return session.size(session.store.load(scenario_id), self.catalogue_of(scenario_id))
        except TonnageError:
            return None

    def catalogue_of(self, scenario_id: int) -> Any:
        """The catalogue with the figures that a saved scenario keeps."""
        session = self._session
        if scenario_id == session.scenario_id or session.store is None:
            return session.catalogue
        try:
            return session.figures.catalogue_of(session.store.kept_records(scenario_id))
        except StoreError:
            return session.latest

    def standing_of(self, scenario_id: int) -> Standing | None:
        """Whether a saved scenario fits and meets its targets; None when it cannot be read or sized."""
        if scenario_id == self._session.scenario_id:
            return standing(self._session.sizing) if self._session.sizing else None
        sizing = self.sizing_of(scenario_id)
        return standing(sizing) if sizing is not None else None

    # -- changing -----------------------------------------------------------------------------------------------------

    def remember_ticked(self, ids: Sequence[int]) -> None:
        self._session.ask_store(lambda store: store.remember_ticked(ids))

    def keep(self, scenarios: Sequence[Scenario]) -> list[int]:
        """Save further scenarios beside the one on screen, which stays."""
        kept = [self._session.ask_store(partial(_save_new, scenario)) for scenario in scenarios]
        self._session.list_again()
        return [scenario_id for scenario_id in kept if scenario_id is not None]

    def compare(self, scenarios: Sequence[Scenario]) -> None:
        """Save further scenarios and ask for their comparison with the one on screen."""
        self._session.flush()
        mine = [] if self._session.scenario_id is None else [self._session.scenario_id]
        self.comparison_wanted.emit([*mine, *self.keep(scenarios)])

    def duplicate(self, scenario_id: int, name: str) -> None:
        """Copy a saved scenario and show the copy."""
        self._session.flush()
        scenario = self._session.ask_store(lambda store: store.load(scenario_id))
        if scenario is not None:
            self._session.new(scenario.edited(name=name[:200]), self._session.kept_by(scenario_id))

    def rename(self, scenario_id: int, name: str, client: str) -> None:
        """Give a saved scenario another name or client."""
        session = self._session
        if scenario_id == session.scenario_id:
            session.edit(_("Rename"), name=name, client=client)
            session.flush()
            return
        scenario = session.ask_store(lambda store: store.load(scenario_id))
        if scenario is not None:
            session.ask_store(lambda store: store.save(scenario_id, scenario.edited(name=name, client=client)))
            session.list_again()

    def move(self, scenario_id: int, client: str, before: int | None = None) -> None:
        """Put a saved scenario before another one of a client, or at that client's end."""
        session = self._session
        if scenario_id == session.scenario_id:
            session.edit(_("Move to client"), client=client)
            session.flush()
        session.ask_store(lambda store: store.move(scenario_id, client, before))
        session.list_again()

    def delete(self, scenario_id: int) -> None:
        """Remove a saved scenario; a line offers to bring it back."""
        session = self._session
        session.flush()
        names = {one.id: one.name for one in self.all()}
        place = list(names).index(scenario_id) if scenario_id in names else 0
        deleted = session.ask_store(lambda store: store.delete(scenario_id))
        if deleted is None:
            return
        self._listed = None
        if scenario_id == session.scenario_id:
            session.let_go()
            self._open_another(place)
        session.list_again()
        text = _("“{name}” was deleted.").format(name=names.get(scenario_id, ""))
        session.message.emit(Message(text, "info", "delete", _("Undo"), lambda: self._restore(deleted)))

    def _open_another(self, place: int) -> None:
        """Show the scenario that took the place of another; with none left, the one on screen stays, unsaved."""
        left = self.all()
        if left:
            self._session.open(left[min(place, len(left) - 1)].id)

    def _restore(self, deleted: object) -> None:
        restored = self._session.ask_store(lambda store: store.restore(deleted))
        self._session.message.emit(Message("", topic="delete"))
        if restored is not None:
            self._session.list_again()
            self._session.open(restored)


def _save_new(scenario: Scenario, store: ScenarioStore) -> int:
    return store.save(None, scenario)
