"""What the session needs from the place where scenarios are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.scenario import Scenario


@dataclass(frozen=True, slots=True)
class StoredScenario:
    """A saved scenario, as lists show it."""

    id: int
    name: str
    client: str


class ScenarioStore(Protocol):
    """Where scenarios, own catalogue records and what is remembered lie. Every method may raise `StoreError`."""

    def load_last(self) -> tuple[int, Scenario] | None:
        """The scenario that was open last, with its id."""

    def remember_last(self, scenario_id: int | None) -> None: ...

    def load(self, scenario_id: int) -> Scenario: ...

    def save(self, scenario_id: int | None, scenario: Scenario) -> int:
        """Write the scenario, under a new id if none is given; return the id."""

    def scenarios(self) -> Sequence[StoredScenario]:
        """All saved scenarios, by client and place."""

    def move(self, scenario_id: int, client: str, before: int | None) -> None:
        """Put a scenario before another one of the client, or at the client's end."""

    def delete(self, scenario_id: int) -> object:
        """Remove a scenario; what is returned brings it back."""

    def restore(self, deleted: Any) -> int: ...

    def kept_records(self, scenario_id: int) -> Mapping[str, Mapping[str, str]] | None:
        """The catalogue records that a scenario was sized with, by table and id; None where none were kept yet."""

    def keep_records(self, scenario_id: int, records: Mapping[str, Mapping[str, str]]) -> None: ...

    def mentioning(self, pieces: Sequence[str]) -> Sequence[int]:
        """Ids of the scenarios whose JSON has one of these pieces in it."""

    def save_record(self, table: str, record_id: str, record: str) -> None:
        """Keep a catalogue record of the user's own, as JSON."""

    def delete_record(self, table: str, record_id: str) -> None: ...

    def records(self) -> Mapping[str, Mapping[str, str]]:
        """The user's own catalogue records as JSON, by table and id."""

    def ticked(self) -> Sequence[int]:
        """The scenarios that are ticked for comparison."""

    def remember_ticked(self, ids: Sequence[int]) -> None: ...

    lasting: bool  # whether what is saved is there at the next start
