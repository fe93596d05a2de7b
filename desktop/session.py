"""The session: the one place where window and core meet.

It holds the scenario, sizes it after every edit, keeps the undo history and saves by itself. Widgets call `edit` and
listen to the signals; they never see the store or a formula.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.catalogue.own import records_in
from core.errors import StoreError, TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from core.scenario import Scenario
from core.sizing.report import Sizing
from core.sizing.standing import Standing, standing
from desktop.refusal import sentence
from desktop.scenario_figures import ScenarioFigures
from desktop.scenario_store import ScenarioStore, StoredScenario

if TYPE_CHECKING:
    from core.sizing.cost_report import Cost
    from core.sizing.levers import Lever
    from desktop.pack_shelf import PackShelf

FRAME_MS = 16
SAVE_AFTER_MS = 700
RETRY_AFTER_MS = 20_000  # a full disk may have room again

T = TypeVar("T")
Lasting = TypeVar("Lasting", bound=QObject)
Sizer = Callable[[Scenario, Any], Sizing]
CostFinder = Callable[[Sizing, Any], "Cost | None"]
LeverFinder = Callable[[Sizing, Any], "tuple[Lever, ...]"]
CatalogueWith = Callable[[Mapping[str, Mapping[str, str]]], Any]  # the user's records -> the catalogue with them


@dataclass(frozen=True, slots=True)
class Message:
    """A line for the page's message bar. A message replaces an earlier one of its topic; empty text takes it away."""

    text: str
    tone: str = "info"  # "info", "warn", "bad", "ok"
    topic: str = "general"
    action: str = ""  # the words of the one action
    run: Callable[[], object] | None = None
    detail: str = ""


class Keepable(Protocol):
    """A record or a price of the catalogue."""

    @property
    def id(self) -> str: ...

    def model_dump_json(self, *, exclude_defaults: bool = ...) -> str: ...


class _Edit(QUndoCommand):
    """The scenario before and after; edits of the same fields within one gesture are one step."""

    def __init__(self, session: "Session", text: str, after: Scenario, fields: frozenset[str], gesture: int) -> None:
        super().__init__(text)
        self._session = session
        self.before, self.after = session.scenario, after
        self.fields, self.gesture = fields, gesture

    def id(self) -> int:
        return 1 if self.gesture else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Edit) or (other.gesture, other.fields) != (self.gesture, self.fields):
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)
        return True

    def undo(self) -> None:
        self._session._show(self.before)

    def redo(self) -> None:
        self._session._show(self.after)


class _NewFigures(QUndoCommand):
    """The scenario on screen with the catalogue as it stands, and with the figures that it kept."""

    def __init__(self, session: "Session") -> None:
        super().__init__(_("Use today’s figures"))
        self._session = session
        self._before = {table: dict(records) for table, records in session.figures.held.items()}

    def redo(self) -> None:
        self._session._set_figures(self._session.figures.gone())

    def undo(self) -> None:
        self._session._set_figures(self._before)


class Session(QObject):
    """A scenario being worked on."""

    scenario_changed = Signal(object)  # Scenario
    sizing_changed = Signal(object)  # Sizing
    held_changed = Signal(object)  # values that stay in force while what is typed cannot be read
    sizing_lost = Signal()  # another scenario is shown, and it cannot be sized: no result is its own
    catalogue_changed = Signal(object)
    moved_on = Signal(object)  # what has become of the records of the scenario on screen since it was sized with them
    message = Signal(object)  # Message
    saved = Signal(object)  # datetime
    scenarios_changed = Signal()  # the store's list
    comparison_wanted = Signal(list)  # ids of scenarios
    copy_wanted = Signal()  # the store fails: the scenario is to be written to a file of the user's choice
    leaving = Signal()  # what is still being typed takes effect now, since it belongs to what is on screen now

    def __init__(
        self,
        catalogue: Any,
        scenario: Scenario,
        store: ScenarioStore | None = None,
        size: Sizer | None = None,
        catalogue_with: CatalogueWith | None = None,
        parent: QObject | None = None,
        levers: LeverFinder | None = None,
        cost: CostFinder | None = None,
        packs: "PackShelf | None" = None,
    ) -> None:
        super().__init__(parent)
        self.figures = ScenarioFigures(catalogue)
        self.catalogue = catalogue  # with the figures that the scenario on screen was sized with
        self.scenario = scenario
        self.scenario_id: int | None = None
        self.sizing: Sizing | None = None
        self.store = store
        self.undo_stack = QUndoStack(self)
        self._size = size or _core_size
        self._cost = cost or (_core_cost if size is None else lambda _sizing, _catalogue: None)
        self._priced: tuple[Sizing, Cost | None] | None = None  # the last cost, and what it belongs to
        self._levers = levers or (_core_levers if size is None else lambda _sizing, _catalogue: ())
        self.packs = packs
        self._catalogue_with = catalogue_with or (packs.with_records if packs else lambda _records: self.latest)
        self._gesture = 0
        self._gestures = 0
        self._stale = False
        self._unsaved = False
        self._problem = ""  # why the last attempt to save failed
        self._own: Mapping[str, Mapping[str, str]] | None = None  # own records, read once for each change of them
        self._listed: Sequence[StoredScenario] | None = None  # the store's list; None: to be read again
        self._held: dict[str, str] = {}
        self._undoable: set[str] = set()  # topics of the messages that offer to undo the last step
        self.undo_stack.indexChanged.connect(self._withdraw_undo)
        self._frame = self._timer(FRAME_MS, self._on_frame)
        self._save_timer = self._timer(SAVE_AFTER_MS, self.save)
        self._retry_timer = self._timer(RETRY_AFTER_MS, self.save)

    def _timer(self, interval: int, slot: Callable[[], Any]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    # -- edits --------------------------------------------------------------------------------------------------------

    def check(self, **changes: Any) -> str:
        """The sentence that says why these changes are refused; empty if they are fine."""
        try:
            self.scenario.edited(**changes)
        except ValidationError as error:
            return sentence(error)
        return ""

    def edit(self, text: str, **changes: Any) -> bool:
        """Change the scenario in one undoable step called `text`. A refused change leaves all as it was."""
        try:
            after = self.scenario.edited(**changes)
        except ValidationError as error:
            self.message.emit(Message(sentence(error), "bad", topic="edit"))
            return False
        if after != self.scenario:
            self.undo_stack.push(_Edit(self, text, after, frozenset(changes), self._gesture))
        return True

    @contextmanager
    def gesture(self) -> Iterator[None]:
        """Edits of one field inside the block become one step of undo."""
        self.begin_gesture()
        try:
            yield
        finally:
            self.end_gesture()

    def begin_gesture(self) -> None:
        """A slider was taken, or a first step key pressed."""
        self._gestures += 1
        self._gesture = self._gestures

    def end_gesture(self) -> None:
        self._gesture = 0

    def hold(self, field: str, value: str) -> None:
        """The results are still those of `value`, since the field's text cannot be read; empty once it can."""
        before = tuple(self._held.values())
        if value:
            self._held[field] = value
        else:
            self._held.pop(field, None)
        if tuple(self._held.values()) != before:
            self.held_changed.emit(tuple(self._held.values()))

    def undo(self) -> None:
        self.leaving.emit()
        self.end_gesture()
        self.undo_stack.undo()

    def redo(self) -> None:
        self.leaving.emit()
        self.end_gesture()
        self.undo_stack.redo()

    def say_with_undo(self, text: str, topic: str) -> None:
        """Say what the last step did, with a way back for as long as it is the last step."""
        self._undoable.add(topic)
        self.message.emit(Message(text, "ok", topic, _("Undo"), self.undo))

    def _withdraw_undo(self) -> None:
        """Another step was made or taken back: an older message's "Undo" would mean that one."""
        for topic in sorted(self._undoable):
            self.message.emit(Message("", topic=topic))
        self._undoable.clear()

    def _show(self, scenario: Scenario) -> None:
        self.scenario, self._unsaved = scenario, True
        self.scenario_changed.emit(scenario)
        self._save_timer.start()
        self.recompute()

    # -- sizing -------------------------------------------------------------------------------------------------------

    def recompute(self) -> None:
        """Size at once; while edits keep coming, once a frame, and the last one counts."""
        if self._frame.isActive():
            self._stale = True
            return
        self._compute()
        self._frame.start()

    def _on_frame(self) -> None:
        if self._stale:
            self._compute()
            self._frame.start()

    def _compute(self) -> None:
        self._stale = False
        try:
            sizing = self._size(self.scenario, self.catalogue)
        except TonnageError as error:
            self.message.emit(Message(sentences.error(error), "bad", topic="sizing"))
            return
        self.sizing = sizing
        self.message.emit(Message("", topic="sizing"))
        self.sizing_changed.emit(sizing)

    def settled(self) -> Sizing | None:
        """The sizing of the scenario exactly as it stands, with what is being typed; None where it cannot be sized."""
        self.leaving.emit()
        if self._stale:
            self._compute()
        return self.sizing if self.sizing is not None and self.sizing.scenario == self.scenario else None

    def preview(self, **changes: Any) -> Sizing | None:
        """The sizing after these changes, without making them; None where they are refused."""
        try:
            return self._size(self.scenario.edited(**changes), self.catalogue)
        except (ValidationError, TonnageError):
            return None

    def levers(self) -> "tuple[Lever, ...]":
        """What would help the scenario as it stands, the most useful first; nothing while it cannot be sized."""
        if self.sizing is None or self.sizing.scenario != self.scenario:
            return ()
        return self._levers(self.sizing, self.catalogue)

    def cost(self, sizing: Sizing) -> "Cost | None":
        """What a sizing costs, with the demand of its users; None where nothing can be told."""
        if self._priced is None or self._priced[0] is not sizing:
            self._priced = (sizing, self._cost(sizing, self.catalogue))
        return self._priced[1]

    @property
    def latest(self) -> Any:
        """The catalogue as it stands, whatever the scenario on screen was sized with."""
        return self.figures.latest

    def set_catalogue(self, catalogue: Any) -> None:
        """Another catalogue is in force, such as after a record was edited; scenarios keep their figures."""
        self.figures.latest = catalogue
        self.catalogue = self.figures.catalogue()
        self.catalogue_changed.emit(self.catalogue)
        self.recompute()
        self._keep_figures()

    def use_latest_figures(self) -> None:
        """Size the scenario on screen with the catalogue as it stands, in one step of undo."""
        self.undo_stack.push(_NewFigures(self))

    def _set_figures(self, kept: Mapping[str, Mapping[str, str]]) -> None:
        self.figures.hold(kept)
        self.set_catalogue(self.latest)

    def _keep_figures(self) -> None:
        """Keep what the scenario is sized with, and say what has become of it since."""
        if self.scenario_id is not None and self.figures.keep(self.scenario, self.catalogue):
            held, at = self.figures.held, self.scenario_id
            self._stored(lambda store: store.keep_records(at, held))
        self.moved_on.emit(self.figures.moved_on(self.scenario, self.catalogue))

    def renew_catalogue(self) -> None:
        """What the catalogue is made of has changed, such as by a pack: make it again."""
        self.set_catalogue(self._catalogue_with(self.all_own_records()))

    # -- loading and saving -------------------------------------------------------------------------------------------

    def take_up(self, scenario_id: int | None) -> None:
        """The scenario on screen is this saved one, with the figures that it keeps."""
        self.scenario_id = scenario_id
        if scenario_id is not None:
            self.figures.hold(self._kept_by(scenario_id))
            self.catalogue = self.figures.catalogue()
            self._keep_figures()

    def load(
        self,
        scenario: Scenario,
        scenario_id: int | None = None,
        kept: Mapping[str, Mapping[str, str]] | None = None,
    ) -> bool:
        """Show another scenario; its history of undo begins here. False when a change would be lost.

        `kept` are the catalogue records that it was sized with; of a saved one, the store knows them.
        """
        if not self._may_leave(lambda: self.load(scenario, scenario_id, kept)):
            return False
        self.end_gesture()
        self._unsaved = False
        self.undo_stack.clear()
        self.scenario, self.scenario_id = scenario, scenario_id
        self._frame.stop()
        self.sizing = None
        self.figures.hold(kept if scenario_id is None else self._kept_by(scenario_id))
        before, self.catalogue = self.catalogue, self.figures.catalogue()
        if self.catalogue is not before:
            self.catalogue_changed.emit(self.catalogue)
        self.scenario_changed.emit(scenario)
        self._compute()
        self._keep_figures()
        if self.sizing is None:
            self.sizing_lost.emit()
        self._stored(lambda store: store.remember_last(scenario_id))
        self.scenarios_changed.emit()
        return True

    def _may_leave(self, go_on: Callable[[], object]) -> bool:
        """Save what waits. Where that fails the scenario stays on screen, and a line offers to go on without."""
        if self.flush():
            return True

        def without() -> None:
            self._unsaved = False
            self._save_timer.stop()
            go_on()

        text = _("{problem} Your last change would be lost.").format(problem=self._problem)
        self.message.emit(Message(text, "bad", "store", _("Go on without it"), without))
        return False

    def open(self, scenario_id: int) -> bool:
        """Show a saved scenario."""
        if scenario_id == self.scenario_id:
            return True
        scenario = self._stored(lambda store: store.load(scenario_id))
        return scenario is not None and self.load(scenario, scenario_id)

    def save(self) -> bool:
        """Write the scenario to the store; a failure is said and tried again, and the scenario stays in memory."""
        self._save_timer.stop()
        self._retry_timer.stop()
        if self.store is None:
            return False
        was_new = self.scenario_id is None
        try:
            self.scenario_id = self.store.save(self.scenario_id, self.scenario)
            if was_new:
                self.store.remember_last(self.scenario_id)
        except StoreError as error:
            self._problem = sentences.error(error)
            text = _("{problem} Your last change is kept in memory.").format(problem=self._problem)
            elsewhere = _("Save a copy elsewhere…")
            self.message.emit(Message(text, "warn", "store", elsewhere, self.copy_wanted.emit))
            self._retry_timer.start()
            return False
        self._unsaved, self._problem = False, ""
        self.message.emit(Message("", topic="store"))
        self._keep_figures()
        if self.store.lasting:
            self.saved.emit(datetime.now())
        if was_new or StoredScenario(self.scenario_id, self.scenario.name, self.scenario.client) not in self._kept():
            self._list_again()
        return True

    def flush(self) -> bool:
        """Save now what waits to be saved; False when a change stays unsaved."""
        self.leaving.emit()
        return not self._unsaved or self.store is None or self.save()

    @property
    def problem(self) -> str:
        """Why the last change is not saved; empty when it is."""
        return self._problem

    def stored(self, scenario_id: int) -> Scenario | None:
        """A saved scenario, without showing it; the one on screen as it stands."""
        if scenario_id == self.scenario_id:
            return self.scenario
        return self._stored(lambda store: store.load(scenario_id))

    def scenarios(self) -> Sequence[StoredScenario]:
        """The saved scenarios, by client; the one on screen as it stands."""
        here = self.scenario
        return [
            StoredScenario(one.id, here.name, one.client) if one.id == self.scenario_id else one for one in self._kept()
        ]

    def _kept(self) -> Sequence[StoredScenario]:
        """The store's list, read once for each change of it: there may be thousands."""
        if self._listed is None:
            self._listed = self._stored(lambda store: store.scenarios()) or ()
        return self._listed

    def _list_again(self) -> None:
        self._listed = None
        self.scenarios_changed.emit()

    def scenario_of(self, scenario_id: int) -> Scenario | None:
        """A saved scenario, the one on screen as it stands; None when it cannot be read."""
        if scenario_id == self.scenario_id:
            return self.scenario
        if self.store is None:
            return None
        try:
            return self.store.load(scenario_id)
        except StoreError:
            return None

    def sizing_of(self, scenario_id: int) -> Sizing | None:
        """The sizing of a saved scenario; None when it cannot be read or sized."""
        if scenario_id == self.scenario_id and self.sizing is not None and self.sizing.scenario == self.scenario:
            return self.sizing
        if scenario_id == self.scenario_id:  # changed within this frame
            return self.preview()
        if self.store is None:
            return None
        try:
            return self._size(self.store.load(scenario_id), self.catalogue_of(scenario_id))
        except TonnageError:
            return None

    def catalogue_of(self, scenario_id: int) -> Any:
        """The catalogue with the figures that a saved scenario keeps."""
        if scenario_id == self.scenario_id or self.store is None:
            return self.catalogue
        try:
            return self.figures.catalogue_of(self.store.kept_records(scenario_id))
        except StoreError:
            return self.latest

    def standing_of(self, scenario_id: int) -> Standing | None:
        """Whether a saved scenario fits and meets its targets; None when it cannot be read or sized."""
        if scenario_id == self.scenario_id:
            return standing(self.sizing) if self.sizing else None
        sizing = self.sizing_of(scenario_id)
        return standing(sizing) if sizing is not None else None

    def remember_ticked(self, ids: Sequence[int]) -> None:
        self._stored(lambda store: store.remember_ticked(ids))

    def _kept_by(self, scenario_id: int) -> Mapping[str, Mapping[str, str]] | None:
        """The catalogue records that a saved scenario was sized with."""
        return self._stored(lambda store: store.kept_records(scenario_id))

    def new(self, scenario: Scenario, kept: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """Begin a scenario and keep it, with the catalogue records that it was sized with where there are any."""
        if self._may_leave(lambda: self.new(scenario, kept)):
            self.load(scenario, kept=kept)
            self._unsaved = True
            self.save()

    def keep(self, scenarios: Sequence[Scenario]) -> list[int]:
        """Save further scenarios beside the one on screen, which stays."""
        kept = [self._stored(partial(_save_new, scenario)) for scenario in scenarios]
        self._list_again()
        return [scenario_id for scenario_id in kept if scenario_id is not None]

    def compare(self, scenarios: Sequence[Scenario]) -> None:
        """Save further scenarios and ask for their comparison with the one on screen."""
        self.flush()
        mine = [] if self.scenario_id is None else [self.scenario_id]
        self.comparison_wanted.emit([*mine, *self.keep(scenarios)])

    def duplicate(self, scenario_id: int, name: str) -> None:
        """Copy a saved scenario and show the copy."""
        self.flush()
        scenario = self._stored(lambda store: store.load(scenario_id))
        if scenario is not None:
            self.new(scenario.edited(name=name[:200]), self._kept_by(scenario_id))

    def rename(self, scenario_id: int, name: str, client: str) -> None:
        """Give a saved scenario another name or client."""
        if scenario_id == self.scenario_id:
            self.edit(_("Rename"), name=name, client=client)
            self.flush()
            return
        scenario = self._stored(lambda store: store.load(scenario_id))
        if scenario is not None:
            self._stored(lambda store: store.save(scenario_id, scenario.edited(name=name, client=client)))
            self._list_again()

    def move(self, scenario_id: int, client: str, before: int | None = None) -> None:
        """Put a saved scenario before another one of a client, or at that client's end."""
        if scenario_id == self.scenario_id:
            self.edit(_("Move to client"), client=client)
            self.flush()
        self._stored(lambda store: store.move(scenario_id, client, before))
        self._list_again()

    def delete(self, scenario_id: int) -> None:
        """Remove a saved scenario; a line offers to bring it back."""
        self.flush()
        names = {one.id: one.name for one in self.scenarios()}
        place = list(names).index(scenario_id) if scenario_id in names else 0
        deleted = self._stored(lambda store: store.delete(scenario_id))
        if deleted is None:
            return
        if scenario_id == self.scenario_id:
            self.scenario_id, self._unsaved, self._listed = None, False, None
            self._open_another(place)
        self._list_again()
        text = _("“{name}” was deleted.").format(name=names.get(scenario_id, ""))
        self.message.emit(Message(text, "info", "delete", _("Undo"), lambda: self._restore(deleted)))

    def _open_another(self, place: int) -> None:
        """Show the scenario that took the place of another; with none left, the one on screen stays, unsaved."""
        left = self.scenarios()
        if left:
            self.open(left[min(place, len(left) - 1)].id)

    def _restore(self, deleted: object) -> None:
        restored = self._stored(lambda store: store.restore(deleted))
        self.message.emit(Message("", topic="delete"))
        if restored is not None:
            self._list_again()
            self.open(restored)

    def save_record(self, table: str, record: "Keepable") -> bool:
        """Keep a catalogue record or a price of the user's own and size with it."""
        return self.put_record(table, record.id, record.model_dump_json(exclude_defaults=True))

    def delete_record(self, table: str, record_id: str) -> bool:
        """Forget a record of the user's own; the shipped one, if there is one, shows through again."""
        return self.put_record(table, record_id, None)

    def put_record(self, table: str, record_id: str, text: str | None) -> bool:
        """Keep a record as JSON, or none, under an id; where that fails, everything stays as it was."""
        if self.store is None:
            return False
        before = self.own_records(table).get(record_id)
        try:
            self._write_record(table, record_id, text)
            catalogue = self._catalogue_with(self.all_own_records())
        except StoreError as error:
            self.message.emit(Message(sentences.error(error), "bad", topic="record"))
            return False
        except TonnageError as error:  # the record was kept and cannot be used
            self._write_record(table, record_id, before)
            self.message.emit(Message(sentences.error(error), "bad", topic="record"))
            return False
        if record_id in records_in(catalogue, table):
            self.figures.follow(table, record_id)
        else:  # what rests on it keeps it
            self.figures.keep(self.scenario, self.catalogue)
        self.set_catalogue(catalogue)
        self.message.emit(Message("", topic="record"))
        return True

    def _write_record(self, table: str, record_id: str, text: str | None) -> None:
        assert self.store is not None
        self._own = None
        if text is None:
            self.store.delete_record(table, record_id)
        else:
            self.store.save_record(table, record_id, text)

    def own_records(self, table: str) -> Mapping[str, str]:
        """The user's own records of a table, by id."""
        return self.all_own_records().get(table, {})

    def all_own_records(self) -> Mapping[str, Mapping[str, str]]:
        """The user's own records as JSON, by table and id."""
        if self._own is None:
            self._own = self._stored(lambda store: store.records())
        return self._own or {}

    def scenarios_with(self, pieces: Sequence[str]) -> "Sequence[StoredScenario]":
        """The saved scenarios whose JSON has one of these pieces in it."""
        self.flush()
        ids = set(self._stored(lambda store: store.mentioning(pieces)) or ())
        return [one for one in self.scenarios() if one.id in ids]

    def _stored(self, action: Callable[[ScenarioStore], T]) -> T | None:
        """What the store answers; None, after saying why, when it fails."""
        if self.store is None:
            return None
        try:
            return action(self.store)
        except TonnageError as error:
            self.message.emit(Message(sentences.error(error), "bad", topic="store"))
            return None


def _save_new(scenario: Scenario, store: ScenarioStore) -> int:
    return store.save(None, scenario)


def one_of(kind: type[Lasting], session: Session) -> Lasting:
    """What lives as long as the session, once: a window that is replaced leaves it to the next one."""
    return session.findChild(kind) or kind(session)


def _core_size(scenario: Scenario, catalogue: Any) -> Sizing:
    from core.sizing.size import size

    return size(scenario, catalogue)


def _core_levers(sizing: Sizing, catalogue: Any) -> "tuple[Lever, ...]":
    from core.sizing.levers import levers

    return levers(sizing, catalogue)


def _core_cost(sizing: Sizing, catalogue: Any) -> "Cost | None":
    from core.sizing.cost import cost

    return cost(sizing, catalogue, date.today().isoformat())
