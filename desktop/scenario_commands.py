"""What can be done with the scenario on screen as a whole: begin another, copy it, forget it, go to the next."""

from collections.abc import Callable, Sequence

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.pages.pages import SIZING, Pages
from desktop.pages.sizing_page import SizingPage
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of


class ScenarioCommands:
    """Works on the session, and shows what came of it."""

    def __init__(self, session: Session, pages: Pages, new_scenario: Callable[[], Scenario]) -> None:
        self._session, self._pages, self._new_scenario = session, pages, new_scenario
        self._saved = one_of(SavedScenarios, session)

    def new(self) -> None:
        self._session.new(self._new_scenario().edited(client=self._session.scenario.client))
        self._pages.show_sizing()
        self._pages.page(SizingPage, SIZING).inputs.begin_name()

    def open_example(self) -> None:
        from core.language.examples import in_words
        from core.sizing.examples import worked_example

        self.open_new(in_words(worked_example()))

    def open_new(self, scenario: Scenario) -> None:
        """Keep a scenario that was made elsewhere, and show it."""
        self._session.new(scenario)
        self._pages.show_sizing()

    def duplicate(self) -> None:
        if self._session.scenario_id is not None:
            name = _("{name}, copy").format(name=self._session.scenario.name)
            self._saved.duplicate(self._session.scenario_id, name)

    def delete(self) -> None:
        if self._session.scenario_id is not None:
            self._saved.delete(self._session.scenario_id)

    def next(self, ids: Sequence[int], by: int = 1) -> None:
        """Open the scenario that follows, of those in a list."""
        if ids:
            at = ids.index(self._session.scenario_id) + by if self._session.scenario_id in ids else 0
            self._session.open(ids[at % len(ids)])
