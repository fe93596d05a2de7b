"""The figures that the scenario on screen keeps, and the catalogue that follows from them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.errors import CatalogueError
from core.scenario import Scenario
from core.sizing.records_used import records_of

if TYPE_CHECKING:
    from core.catalogue.kept import KeptFigures
    from core.catalogue.pack_changes import RecordChange

Texts = Mapping[str, Mapping[str, str]]  # records as JSON, by table and id


class ScenarioFigures:
    """Lays the records that a scenario was sized with over the catalogue as it stands."""

    def __init__(self, latest: Any) -> None:
        self.latest = latest  # the catalogue as it stands
        self.held: dict[str, dict[str, str]] = {}  # of the scenario on screen
        self._made: KeptFigures | None = None

    @property
    def _kept(self) -> "KeptFigures":
        if self._made is None or self._made.latest is not self.latest:
            from core.catalogue.kept import KeptFigures

            self._made = KeptFigures(self.latest)
        return self._made

    def hold(self, kept: Texts | None) -> None:
        """Another scenario is on screen, with what it keeps; what cannot be read any more is not held."""
        self.held = {table: dict(records) for table, records in (kept or {}).items()}
        try:
            self._kept.over(self.held)
        except CatalogueError:
            self.held = {}

    def follow(self, table: str, record_id: str) -> None:
        """The scenario on screen takes this record as it stands: its user has just changed it."""
        self.held.get(table, {}).pop(record_id, None)

    def catalogue(self) -> Any:
        """The catalogue for the scenario on screen."""
        return self._kept.over(self.held) if self.held else self.latest

    def catalogue_of(self, kept: Texts | None) -> Any:
        """The catalogue for another scenario, with what it keeps."""
        try:
            return self._kept.over(kept) if kept else self.latest
        except CatalogueError:
            return self.latest

    def keep(self, scenario: Scenario, catalogue: Any) -> bool:
        """Hold what a scenario is sized with now; whether that is anything new."""
        texts = self._kept.texts(records_of(scenario, catalogue))
        new = any(self.held.get(table, {}).get(id) != text for table, one in texts.items() for id, text in one.items())
        for table, records in texts.items():
            self.held.setdefault(table, {}).update(records)
        return new

    def gone(self) -> dict[str, dict[str, str]]:
        """What is held of records that the catalogue has no more: there are no figures of today for them."""
        left = {
            table: {id: text for id, text in records.items() if id not in getattr(self.latest, table)}
            for table, records in self.held.items()
        }
        return {table: records for table, records in left.items() if records}

    def moved_on(self, scenario: Scenario, catalogue: Any) -> "tuple[RecordChange, ...]":
        """What has become of the records that a scenario rests on since it was sized with them."""
        if catalogue is self.latest:
            return ()
        used = records_of(scenario, catalogue)
        held = {
            table: {id: text for id, text in records.items() if id in used.get(table, {})}
            for table, records in self.held.items()
        }
        return self._kept.moved_on(held)
