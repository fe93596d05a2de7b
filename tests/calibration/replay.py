"""The core's formulas over all measurements at once, for any values of the fitted parameters.

Records whose traces lead from the parameters to the figure by the same formulas form a group. In it every figure that
no parameter touches is an array of constants, and each formula is called once with arrays. That is the public physics,
evaluated some thousand times a second.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace import Computed, Trace
from tests.calibration.observations import Observation

Floats = NDArray[np.float64]
FIT = "fit."


@dataclass(frozen=True, slots=True)
class _Step:
    """One formula: where it goes, what it takes, and the parameters that it depends on."""

    key: str
    function: Callable[..., Any]
    inputs: tuple[tuple[str, str | tuple[str, ...]], ...]
    parameters: frozenset[str]


@dataclass(slots=True)
class _Group:
    """Records with the same steps: their places, the constants that the steps take, and the steps in order."""

    key: str
    steps: tuple[_Step, ...]
    places: list[int] = field(default_factory=list)
    rows: list[Mapping[str, float]] = field(default_factory=list)
    constants: dict[str, Floats] = field(default_factory=dict)

    def values(self, parameters: Mapping[str, Floats]) -> dict[str, Any]:
        known: dict[str, Any] = dict(self.constants)
        at = np.array(self.places)
        known.update({FIT + symbol: values[at] for symbol, values in parameters.items()})
        return self.run(known, self.steps)

    def symbols(self) -> set[str]:
        """The parameters that the figure depends on."""
        own = {self.key.removeprefix(FIT)} if self.key.startswith(FIT) else set()
        return own.union(*(step.parameters for step in self.steps))

    def run(self, known: dict[str, Any], steps: Sequence[_Step]) -> dict[str, Any]:
        for step in steps:
            known[step.key] = step.function(
                **{name: known[at] if isinstance(at, str) else [known[k] for k in at] for name, at in step.inputs}
            )
        return known


def _steps(trace: Trace, target: str) -> tuple[tuple[_Step, ...], dict[str, float]]:
    """The formulas between the parameters and the target, in order, and the constants they take."""
    depends: dict[str, frozenset[str]] = {}
    steps: list[_Step] = []
    constants: dict[str, float] = {}

    def visit(key: str) -> frozenset[str]:
        if key in depends:
            return depends[key]
        if key.startswith(FIT):
            depends[key] = frozenset([key.removeprefix(FIT)])
            return depends[key]
        entry = trace.entry(key)
        if not isinstance(entry, Computed):
            depends[key] = frozenset()
            return depends[key]
        keys = [k for at in entry.inputs.values() for k in ([at] if isinstance(at, str) else at)]
        depends[key] = frozenset().union(*(visit(k) for k in keys)) if keys else frozenset()
        if depends[key]:
            constants.update({k: float(trace[k]) for k in keys if not depends[k]})
            inputs = tuple((n, at if isinstance(at, str) else tuple(at)) for n, at in entry.inputs.items())
            steps.append(_Step(key, entry.function, inputs, depends[key]))
        return depends[key]

    visit(target)
    return tuple(steps), constants


class Replay:
    """Predictions of all observations as a function of the parameters, and their derivatives."""

    def __init__(self, seen: Sequence[Observation]) -> None:
        self.size = len(seen)
        groups: dict[Any, _Group] = {}
        for place, one in enumerate(seen):
            steps, constants = _steps(one.trace, one.key)
            group = groups.setdefault((one.key, steps), _Group(one.key, steps))
            group.places.append(place)
            group.rows.append(constants)
        self.groups = list(groups.values())
        for group in self.groups:
            group.constants = {key: np.array([row[key] for row in group.rows]) for key in group.rows[0]}

    def log_values(self, logs: Mapping[str, Floats]) -> Floats:
        """Logarithm of each predicted figure; `logs` are those of the parameters, one per observation."""
        result = np.zeros(self.size)
        parameters = {symbol: np.exp(values) for symbol, values in logs.items()}
        for group in self.groups:
            result[group.places] = np.log(group.values(parameters)[group.key])
        return result

    def derivatives(self, logs: Mapping[str, Floats], step: float = 1e-4) -> tuple[Floats, dict[str, Floats]]:
        """Log figures, and their derivatives to the logarithm of each parameter (forward differences)."""
        result = np.zeros(self.size)
        slopes = {symbol: np.zeros(self.size) for symbol in logs}
        parameters = {symbol: np.exp(values) for symbol, values in logs.items()}
        for group in self.groups:
            base = group.values(parameters)
            result[group.places] = middle = np.log(base[group.key])
            for symbol in group.symbols():
                moved = dict(base)
                moved[FIT + symbol] = base[FIT + symbol] * np.exp(step)
                group.run(moved, [one for one in group.steps if symbol in one.parameters])
                slopes[symbol][group.places] = (np.log(moved[group.key]) - middle) / step
        return result, slopes
