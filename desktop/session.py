"""The session: the one place where window and core meet.

It holds the scenario, sizes it after every edit, keeps the undo history and saves by itself. Widgets call `edit` and
listen to the signals; they never see the store or a formula.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import StoreError, TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from core.scenario import Scenario
from core.sizing.report import Sizing
from desktop.history import History, Step
from desktop.refusal import sentence
from desktop.scenario_figures import ScenarioFigures
from desktop.scenario_store import ScenarioStore

if TYPE_CHECKING:
    from core.sizing.costs.report import Cost
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
        self.history = History(self)
        self.size = size or _core_size
        self._cost = cost or (_core_cost if size is None else lambda _sizing, _catalogue: None)
        self._priced: tuple[Sizing, Cost | None] | None = None  # the last cost, and what it belongs to
        self._levers = levers or (_core_levers if size is None else lambda _sizing, _catalogue: ())
        self.packs = packs
        self.catalogue_with = catalogue_with or (packs.with_records if packs else lambda _records: self.latest)
        self._stale = False
        self._unsaved = False
        self._problem = ""  # why the last attempt to save failed
        self._listed_as = scenario.name, scenario.client  # in the store's list
        self.list_state = 0  # goes up with each change of that list
        self._held: dict[str, str] = {}
        self._undoable: set[str] = set()  # topics of the messages that offer to undo the last step
        self.history.indexChanged.connect(self._withdraw_undo)
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
            self.history.edit(text, self.scenario, after, frozenset(changes), self._show)
        return True

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
        self.history.end_gesture()
        self.history.undo()

    def redo(self) -> None:
        self.leaving.emit()
        self.history.end_gesture()
        self.history.redo()

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
            sizing = self.size(self.scenario, self.catalogue)
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
        return self.sizing if self.is_sized else None

    @property
    def is_sized(self) -> bool:
        """Is the sizing that of the scenario exactly as it stands?"""
        return self.sizing is not None and self.sizing.scenario == self.scenario

    def preview(self, **changes: Any) -> Sizing | None:
        """The sizing after these changes, without making them; None where they are refused."""
        try:
            return self.size(self.scenario.edited(**changes), self.catalogue)
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
        before = {table: dict(records) for table, records in self.figures.held.items()}
        self.history.push(
            Step(
                _("Use today’s figures"),
                lambda: self._set_figures(self.figures.gone()),
                lambda: self._set_figures(before),
            )
        )

    def _set_figures(self, kept: Mapping[str, Mapping[str, str]]) -> None:
        self.figures.hold(kept)
        self.set_catalogue(self.latest)

    def _keep_figures(self) -> None:
        """Keep what the scenario is sized with, and say what has become of it since."""
        if self.scenario_id is not None and self.figures.keep(self.scenario, self.catalogue):
            held, at = self.figures.held, self.scenario_id
            self.ask_store(lambda store: store.keep_records(at, held))
        self.moved_on.emit(self.figures.moved_on(self.scenario, self.catalogue))

    # -- loading and saving -------------------------------------------------------------------------------------------

    def take_up(self, scenario_id: int | None) -> None:
        """The scenario on screen is this saved one, with the figures that it keeps."""
        self.scenario_id = scenario_id
        self._listed_as = self.scenario.name, self.scenario.client
        if scenario_id is not None:
            self.figures.hold(self.kept_by(scenario_id))
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
        self.history.end_gesture()
        self._unsaved = False
        self.history.clear()
        self.scenario, self.scenario_id = scenario, scenario_id
        self._listed_as = scenario.name, scenario.client
        self._frame.stop()
        self.sizing = None
        self.figures.hold(kept if scenario_id is None else self.kept_by(scenario_id))
        before, self.catalogue = self.catalogue, self.figures.catalogue()
        if self.catalogue is not before:
            self.catalogue_changed.emit(self.catalogue)
        self.scenario_changed.emit(scenario)
        self._compute()
        self._keep_figures()
        if self.sizing is None:
            self.sizing_lost.emit()
        self.ask_store(lambda store: store.remember_last(scenario_id))
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
        scenario = self.ask_store(lambda store: store.load(scenario_id))
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
        if was_new or self._listed_as != (self.scenario.name, self.scenario.client):
            self._listed_as = self.scenario.name, self.scenario.client
            self.list_again()
        return True

    def flush(self) -> bool:
        """Save now what waits to be saved; False when a change stays unsaved."""
        self.leaving.emit()
        return not self._unsaved or self.store is None or self.save()

    @property
    def problem(self) -> str:
        """Why the last change is not saved; empty when it is."""
        return self._problem

    def list_again(self) -> None:
        """The store's list is another one."""
        self.list_state += 1
        self.scenarios_changed.emit()

    def kept_by(self, scenario_id: int) -> Mapping[str, Mapping[str, str]] | None:
        """The catalogue records that a saved scenario was sized with."""
        return self.ask_store(lambda store: store.kept_records(scenario_id))

    def new(self, scenario: Scenario, kept: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """Begin a scenario and keep it, with the catalogue records that it was sized with where there are any."""
        if self._may_leave(lambda: self.new(scenario, kept)):
            self.load(scenario, kept=kept)
            self._unsaved = True
            self.save()

    def let_go(self) -> None:
        """The scenario on screen was deleted from the store: it stays, unsaved."""
        self.scenario_id, self._unsaved = None, False

    def ask_store(self, action: Callable[[ScenarioStore], T]) -> T | None:
        """What the store answers; None, after saying why, when it fails."""
        if self.store is None:
            return None
        try:
            return action(self.store)
        except TonnageError as error:
            self.message.emit(Message(sentences.error(error), "bad", topic="store"))
            return None


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
    from core.sizing.costs.cost import cost

    return cost(sizing, catalogue, date.today().isoformat())
