"""What comes out: predictions beside measurements, and what was skipped, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Result:
    """One measured figure and its prediction, in the unit of the record.

    kind     what sort of figure, for the tables
    groups   rows of the tables that it counts for, besides its kind
    tolerance, bound   how near an answer has to be, or on which side ("at most", "at least")
    scored   False for rows of least reliability: they are in the file, not in the tables
    """

    id: str
    metric: str
    observed: float
    p10: float
    p50: float
    p90: float
    kind: str
    groups: tuple[str, ...] = ()
    source: str = ""
    note: str = ""
    scored: bool = True
    tolerance: float = 0.0
    bound: str = ""

    @property
    def error(self) -> float:
        """Predicted over measured, less one; for a measured zero, whether the prediction is zero too."""
        if self.observed == 0:
            return 0.0 if self.p50 == 0 else float("inf")
        return self.p50 / self.observed - 1

    @property
    def held(self) -> bool:
        return self.p10 <= self.observed <= self.p90


@dataclass(frozen=True, slots=True)
class Skip:
    """A figure that is not compared, and why; not scoreable where the record says so itself."""

    id: str
    metric: str
    reason: str
    kind: str = ""
    family: str = ""
    scoreable: bool = True


@dataclass(slots=True)
class Outcome:
    """All results and skips of a run."""

    results: list[Result] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        self.results += other.results
        self.skipped += other.skipped

    def to_json(self) -> Mapping[str, Any]:
        return {
            "results": [
                {"id": r.id, "metric": r.metric, "observed": r.observed, "p10": r.p10, "p50": r.p50, "p90": r.p90}
                for r in self.results
            ],
            "skipped": [{"id": s.id, "metric": s.metric, "reason": s.reason} for s in self.skipped],
        }

    def write(self, path: Path) -> None:
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
        try:
            path.write_text(text + "\n", "utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror or error}.") from None
