"""The pages of a window, one in front, and the ways from one to another."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget

from core.scenario import CatalogueModel, Scenario
from desktop.pages.page import Page
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.ticked import Ticked

START, SIZING, HARDWARE, MODELS = "start", "sizing", "hardware", "models"
COMPARE, CATALOGUE, PROPOSAL = "compare", "catalogue", "proposal"
CALIBRATION, BILL, SETTINGS, HELP = "calibration", "bill", "settings", "help"

P = TypeVar("P", bound=Page)


class Pages(QStackedWidget):
    """Builds each page when it is first shown. Where there is no scenario, the start page stands for those of one."""

    shown = Signal(str)  # the key of a page

    def __init__(
        self, session: Session, makers: Mapping[str, Callable[[], Page]], of_scenario: Collection[str]
    ) -> None:
        super().__init__()
        self._session, self._makers, self._of_scenario = session, makers, of_scenario
        self._saved = one_of(SavedScenarios, session)
        self._built: dict[str, Page] = {}
        session.scenarios_changed.connect(self._on_scenarios)
        self._saved.comparison_wanted.connect(self.compare)

    # -- which one ----------------------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """The key of the page in front; empty before the first is shown."""
        return next((key for key, page in self._built.items() if page is self.currentWidget()), "")

    @property
    def front(self) -> Page:
        return self._built[self.key]

    @property
    def built(self) -> Mapping[str, Page]:
        """The pages that have been shown, by key."""
        return self._built

    def page(self, kind: type[P], key: str) -> P:
        """A page, built now where it was not."""
        if key not in self._built:
            self._built[key] = self._makers[key]()
            self.addWidget(self._built[key])
        page = self._built[key]
        assert isinstance(page, kind)
        return page

    def show_page(self, key: str) -> None:
        if key in self._of_scenario and not self._has_scenario():
            key = START
        self.setCurrentWidget(self.page(Page, key))
        self.shown.emit(key)

    def open(self, key: str) -> None:
        """Show a page and put the focus into it: the way of the keyboard."""
        self.show_page(key)
        self.front.begin()

    def _has_scenario(self) -> bool:
        session = self._session
        return session.store is None or session.scenario_id is not None or bool(self._saved.all())

    def _on_scenarios(self) -> None:
        if not self._has_scenario():
            self.show_page(START)
        elif self.key == START:
            self.show_page(SIZING)

    def remember(self) -> None:
        """Keep what is not kept yet on any page."""
        for page in self._built.values():
            page.remember()

    # -- ways ---------------------------------------------------------------------------------------------------------

    def show_sizing(self) -> None:
        self.show_page(SIZING)

    def open_saved(self, scenario_id: int) -> None:
        if self._session.open(scenario_id):
            self.show_sizing()

    def show_imported(self) -> None:
        """Show the scenario that a file went into, or, where it was asked for in the catalogue, the model."""
        model = self._session.scenario.model
        if self.key == CATALOGUE and isinstance(model, CatalogueModel):
            self.show_record("models", model.id)
        else:
            self.show_sizing()

    def show_device(self, device_id: str) -> None:
        self.show_record("devices", device_id)

    def show_record(self, table: str, record_id: str) -> None:
        """Turn to a record of the catalogue."""
        from desktop.pages.catalogue.page import CataloguePage

        self.show_page(CATALOGUE)
        self.page(CataloguePage, CATALOGUE).show_record(table, record_id)

    def choose_pack(self) -> None:
        from desktop.pages.catalogue.page import CataloguePage

        self.show_page(CATALOGUE)
        self.page(CataloguePage, CATALOGUE).choose_pack()

    def calibrate(self) -> None:
        """Let a measurement of the user's own narrow the predictions of the scenario on screen."""
        self.open(CALIBRATION)

    def show_bill(self) -> None:
        """The lines of what is bought, to be changed."""
        self.open(BILL)

    def search_hardware(self) -> None:
        self.show_page(HARDWARE)

    def compare(self, ids: list[int]) -> None:
        """Compare saved scenarios, the first one with the others."""
        one_of(Ticked, self._session).set_ids(ids)
        self.open(COMPARE)

    def propose_shown(self) -> None:
        """A proposal of what is on screen: the compared scenarios, else the one that is sized."""
        if not self.front.propose_shown():
            self.propose()

    def propose_saved(self, ids: Sequence[int]) -> None:
        """A proposal with these saved scenarios, the first one recommended."""
        found = (self._saved.scenario_of(one) for one in ids)
        self.propose([scenario for scenario in found if scenario is not None])

    def propose(self, scenarios: Sequence[Scenario] = ()) -> None:
        """Show the proposal: of these scenarios, the first one recommended, else of what was chosen last."""
        self._session.settled()
        self.show_page(PROPOSAL)
        if self.key != PROPOSAL:
            return  # there is nothing to propose
        if scenarios:
            from desktop.pages.proposal.proposal_page import ProposalPage

            self.page(ProposalPage, PROPOSAL).show_scenarios(scenarios)
        self.front.begin()
