"""Where the numbers of the curves come from: the same functions as the figures, over a range of tokens."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # what the tabs behind ask for is imported with them
    from core.sizing.costs.report import Cost
    from core.sizing.report import Sizing
    from core.sizing.roofline import Roofline
    from core.sizing.search.report import HardwareFound
    from core.sizing.search.request import SearchRequest
    from desktop.charts.series import CapacityCurves, MemoryCurves, RangeCurve


class Curves(Protocol):
    """What the charts ask for. Asked only after the first paint, since the answers are computed with numpy."""

    def memory(self, sizing: "Sizing", catalogue: Any) -> "MemoryCurves": ...

    def decode(self, sizing: "Sizing", catalogue: Any) -> "tuple[RangeCurve, float]":
        """The curve, and the number of tokens at which the sizing's own figure stands."""

    def ttft(self, sizing: "Sizing", catalogue: Any) -> "tuple[RangeCurve, float]": ...

    def capacity(self, sizing: "Sizing", catalogue: Any) -> "CapacityCurves | None":
        """Speeds against requests at once; None where the speed is unknown."""

    def roofline(self, sizing: "Sizing") -> "Roofline | None":
        """Where the work stands under the roof; None where the speed is unknown."""

    def hardware(self, request: "SearchRequest", catalogue: Any) -> "HardwareFound":
        """What else does the work; asked in the background."""

    def explained(self, sizing: "Sizing", catalogue: Any, key: str = "") -> "Sizing":
        """The sizing with the figures of cost, roofline and, where asked for, capacity in its trace as well."""

    def cost(self, sizing: "Sizing", catalogue: Any) -> "Cost | None":
        """What the deployment costs; None where nothing can be told."""
