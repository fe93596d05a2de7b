"""Where the numbers of the curves come from: the same functions as the figures, over a range of tokens."""

from typing import Any, Protocol

from core.sizing.report import Sizing
from desktop.charts.series import MemoryCurves, RangeCurve


class Curves(Protocol):
    """What the charts ask for. Asked only after the first paint, since the answers are computed with numpy."""

    def memory(self, sizing: Sizing, catalogue: Any) -> MemoryCurves: ...

    def decode(self, sizing: Sizing, catalogue: Any) -> tuple[RangeCurve, float]:
        """The curve, and the number of tokens at which the sizing's own figure stands."""

    def ttft(self, sizing: Sizing, catalogue: Any) -> tuple[RangeCurve, float]: ...
