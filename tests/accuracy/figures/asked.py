"""One printed figure of a record that is asked for."""

from dataclasses import dataclass

from core.sizing.report import Sizing
from tests.accuracy.cases import Case
from tests.accuracy.records import Record, Unusable


@dataclass(frozen=True, slots=True)
class Asked:
    """One figure of a record, in the case that it belongs to."""

    case: Case
    name: str

    @property
    def record(self) -> Record:
        return self.case.record

    @property
    def observed(self) -> Record:
        return self.record.part("observed")

    @property
    def sizing(self) -> Sizing:
        return self.case.sized()

    @property
    def sequences(self) -> int:
        return int(self.sizing.trace["requests_at_once"])

    def needs_context(self) -> None:
        if self.record.count("max_model_len") is None:
            raise Unusable("the record does not say how long a request may be")

    def recorded(self, key: str) -> float:
        """A figure of the trace that not every engine's form has."""
        trace = self.sizing.trace
        if key not in trace:
            raise Unusable("the engine's form does not know this figure")
        return float(trace[key])
