"""The scenarios that can be options of a proposal: the one on screen, those of its client, those that were passed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.scenario import Scenario
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of

HERE = "here"
MOST_OPTIONS = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scenario that can be an option; it is loaded when it is needed."""

    key: str
    name: str
    client: str
    load: Callable[[], Scenario | None]
    catalogue: Callable[[], Any]  # with the figures that it keeps


class Candidates:
    """What can be chosen, and what is: the first of the chosen is recommended."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._saved = one_of(SavedScenarios, session)
        self._passed: tuple[Scenario, ...] = ()
        self.chosen: list[str] = [HERE]

    def of_client(self) -> list[Candidate]:
        """The scenario on screen, those that were passed, and all of the same client."""
        here = self._here()
        client = here.client
        return [here, *self._given(), *(one for one in self._stored() if one.client == client)]

    def others(self) -> list[Candidate]:
        """Scenarios of other clients that are not chosen yet."""
        client = self._session.scenario.client
        return [one for one in self._stored() if one.client != client and one.key not in self.chosen]

    def shown(self) -> list[Candidate]:
        """Those of the client, and whatever else is chosen."""
        listed = self.of_client()
        keys = {one.key for one in listed}
        return listed + [one for one in self._stored() if one.key in self.chosen and one.key not in keys]

    def _here(self) -> Candidate:
        session = self._session
        return Candidate(HERE, session.scenario.name, session.scenario.client, lambda: session.scenario, self._latest)

    def _given(self) -> list[Candidate]:
        return [
            Candidate(f"given {number}", one.name, one.client, partial(_same, one), self._latest)
            for number, one in enumerate(self._passed)
        ]

    def _stored(self) -> list[Candidate]:
        session = self._session
        return [
            Candidate(
                f"stored {one.id}",
                one.name,
                one.client,
                partial(self._saved.read, one.id),
                partial(self._saved.catalogue_of, one.id),
            )
            for one in self._saved.all()
            if one.id != session.scenario_id
        ]

    def pass_scenarios(self, scenarios: Sequence[Scenario]) -> None:
        """Choose these, in this order; one that is on screen or stored is found there, so that it stays up to date."""
        self._passed = ()
        stored = self._stored()
        chosen: list[str] = []
        unknown: list[Scenario] = []
        for scenario in scenarios[:MOST_OPTIONS]:
            if scenario == self._session.scenario:
                chosen.append(HERE)
                continue
            same = next((one for one in stored if one.name == scenario.name and one.load() == scenario), None)
            if same is not None:
                chosen.append(same.key)
            else:
                chosen.append(f"given {len(unknown)}")
                unknown.append(scenario)
        self._passed = tuple(unknown)
        self.chosen = list(dict.fromkeys(chosen)) or [HERE]

    def choose(self, key: str, wanted: bool) -> None:
        """Add an option at the end, or take it away; one always stays."""
        if wanted and key not in self.chosen and len(self.chosen) < MOST_OPTIONS:
            self.chosen.append(key)
        elif not wanted and key in self.chosen and len(self.chosen) > 1:
            self.chosen.remove(key)

    def recommend(self, key: str) -> None:
        """Put an option first."""
        if key in self.chosen:
            self.chosen.remove(key)
        self.chosen.insert(0, key)

    def forget_lost(self) -> None:
        """Options whose scenario was deleted are no longer chosen."""
        keys = {one.key for one in self.shown()}
        self.chosen = [key for key in self.chosen if key in keys] or [HERE]

    def cases(self) -> list[tuple[Scenario, Any]]:
        """The chosen ones, each with its catalogue, the recommended first; those that cannot be read are left out."""
        found = {one.key: one for one in self.shown()}
        loaded = [(found[key].load(), found[key].catalogue()) for key in self.chosen if key in found]
        return [(scenario, catalogue) for scenario, catalogue in loaded if scenario is not None]

    def scenarios(self) -> list[Scenario]:
        """The chosen ones alone."""
        return [scenario for scenario, _catalogue in self.cases()]

    def _latest(self) -> Any:
        return self._session.catalogue


def _same(scenario: Scenario) -> Scenario:
    return scenario
