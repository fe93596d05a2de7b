"""The session's store: the library of `core.store`, with the clock that core does not have."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.errors import StoreError
from core.scenario import Scenario
from desktop.scenario_store import StoredScenario

if TYPE_CHECKING:
    from core.store.library import Deleted, Library

LAST = "last_scenario"
TICKED = "ticked_scenarios"


def now() -> datetime:
    return datetime.now(UTC)


class LibraryStore:
    """Scenarios and own records in the library file; without a file they last until the program ends."""

    def __init__(self, library: "Library", clock: Callable[[], datetime] = now, lasting: bool = True) -> None:
        self._library, self._clock, self.lasting = library, clock, lasting

    def load_last(self) -> tuple[int, Scenario] | None:
        """The scenario that was open last, else the first that can be read."""
        last = self._library.state(LAST)
        ids = [one.id for one in self._library.kept()]
        if last and last.isdigit() and int(last) in ids:
            ids.insert(0, int(last))
        for scenario_id in ids:
            try:
                return scenario_id, self._library.load(scenario_id)
            except StoreError:
                continue
        return None

    def remember_last(self, scenario_id: int | None) -> None:
        self._library.remember(LAST, "" if scenario_id is None else str(scenario_id))

    def load(self, scenario_id: int) -> Scenario:
        return self._library.load(scenario_id)

    def save(self, scenario_id: int | None, scenario: Scenario) -> int:
        if scenario_id is None:
            return self._library.add(scenario, self._clock())
        self._library.save(scenario_id, scenario, self._clock())
        return scenario_id

    def scenarios(self) -> Sequence[StoredScenario]:
        return [StoredScenario(one.id, one.name, one.client) for one in self._library.kept()]

    def move(self, scenario_id: int, client: str, before: int | None) -> None:
        self._library.move(scenario_id, client, before, self._clock())

    def ticked(self) -> Sequence[int]:
        return [int(text) for text in (self._library.state(TICKED) or "").split() if text.isdigit()]

    def remember_ticked(self, ids: Sequence[int]) -> None:
        self._library.remember(TICKED, " ".join(map(str, ids)))

    def delete(self, scenario_id: int) -> "Deleted":
        return self._library.delete(scenario_id)

    def restore(self, deleted: Any) -> int:
        return self._library.restore(deleted)

    def kept_records(self, scenario_id: int) -> Mapping[str, Mapping[str, str]] | None:
        return self._library.kept_records(scenario_id)

    def keep_records(self, scenario_id: int, records: Mapping[str, Mapping[str, str]]) -> None:
        self._library.keep_records(scenario_id, records)

    def mentioning(self, pieces: Sequence[str]) -> Sequence[int]:
        return self._library.mentioning(pieces)

    def save_record(self, table: str, record_id: str, record: str) -> None:
        self._library.save_record(table, record_id, record, self._clock())

    def delete_record(self, table: str, record_id: str) -> None:
        self._library.delete_record(table, record_id)

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return self._library.records()

    def prepare(self) -> None:
        """Make ready to write, while nobody waits for it."""
        self._library.prepare()

    def close(self) -> None:
        self._library.close()
