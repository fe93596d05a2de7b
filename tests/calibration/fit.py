"""Maximum a posteriori: base values and multipliers together, through the core's own formulas.

The residual is log(predicted / measured). Its loss is that of a Student distribution, so that a wild row pulls little;
priors on the logarithms are Gaussian; a source with many rows counts with the -1/4 power of their number. Levenberg
and Marquardt's method finds the minimum, with derivatives to the twenty parameters by finite differences.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.calibration.effects import BASES, EFFECTS, NARROW, NOISE, NUISANCES, TIER_B, Effect
from tests.calibration.observations import Observation
from tests.calibration.replay import Floats, Replay

#: Degrees of freedom of the Student-like loss.
FREEDOM = 4.0
#: A source counts fully up to nine rows of a kind.
FULL_WEIGHT_ROWS = 9.0
SYMBOLS = tuple(BASES)

Label = tuple[Any, ...]


@dataclass(slots=True)
class Columns:
    """The unknowns: what each is, its prior, and which observations it touches through which parameter.

    symbol is "" for a nuisance, which adds to the logarithm itself.
    """

    labels: list[Label]
    centre: Floats
    spread: Floats
    touched: dict[str, list[np.ndarray]]  # symbol -> per effect, the column of each observation, or -1


def columns(seen: Sequence[Observation], used: np.ndarray, effects: Sequence[Effect] = EFFECTS) -> Columns:
    """Unknowns for the observations in use; a narrow effect that fewer than two sources support is left out."""
    labels: list[Label] = []
    centre: list[float] = []
    spread: list[float] = []
    touched: dict[str, list[np.ndarray]] = defaultdict(list)

    def add(symbol: str, keys: Sequence[Label | None], narrow: bool, prior: Any) -> None:
        sources: dict[Label, set[str]] = defaultdict(set)
        for one, key, use in zip(seen, keys, used, strict=True):
            if key is not None and use:
                sources[key].add(one.source)
        at: dict[Label, int] = {}
        for key, names in sources.items():
            if len(names) >= (2 if narrow else 1):
                at[key] = len(labels)
                labels.append(key)
                mean, sd = prior(key)
                centre.append(mean)
                spread.append(sd)
        touched[symbol].append(np.array([-1 if key is None else at.get(key, -1) for key in keys]))

    for symbol, (base, sd) in BASES.items():
        add(symbol, [(symbol,)] * len(seen), False, lambda key, b=base, s=sd: (float(np.log(b)), s))
    for number, effect in enumerate(effects):
        keys = [None if (level := effect.level(one.where)) is None else (number, level) for one in seen]
        add(effect.symbol, keys, bool(NARROW & set(effect.on)), lambda key, e=effect: (e.expected(key[1]), e.spread))
    for number, nuisance in enumerate(NUISANCES):
        keys = [
            ("nuisance", number, *_nuisance_key(one, nuisance.level)) if one.kind in nuisance.kinds else None
            for one in seen
        ]
        add("", keys, False, lambda key, n=nuisance: (0.0, n.spread))
    return Columns(labels, np.array(centre), np.array(spread), dict(touched))


def _nuisance_key(one: Observation, level: str) -> Label:
    machine = (one.source, one.where.device, one.where.back_end)
    if level == "source":
        return machine[:1]
    return machine if level == "machine" else (*machine, one.model, one.where.format_class, one.split)


@dataclass(slots=True)
class Fit:
    """A fitted set of unknowns with the curvature at the minimum."""

    columns: Columns
    theta: Floats
    curvature: Floats

    def logs(self, size: int, nuisances: bool = False) -> tuple[dict[str, Floats], Floats]:
        """Logarithms of the parameters per observation, and the sum of the nuisances."""
        return _logs(self.columns, self.theta, size), _sum(self.columns.touched.get("", []), self.theta, size) * nuisances


def _logs(unknowns: Columns, theta: Floats, size: int) -> dict[str, Floats]:
    return {symbol: _sum(unknowns.touched[symbol], theta, size) for symbol in SYMBOLS}


def _sum(touched: Sequence[np.ndarray], theta: Floats, size: int) -> Floats:
    padded = np.append(theta, 0.0)  # column -1 adds nothing
    total = np.zeros(size)
    for column in touched:
        total += padded[column]
    return total


class Fitter:
    """Fits any subset of the observations; the traces are read once."""

    def __init__(self, seen: Sequence[Observation]) -> None:
        self.seen = list(seen)
        self.replay = Replay(seen)
        self.target = np.array([one.log_target for one in seen])
        self.direction = np.array([float(one.direction) for one in seen])
        self.scatter = np.array([NOISE[one.kind] * (TIER_B if one.tier == "B" else 1.0) for one in seen])
        self.usable = np.array([one.tier != "C" for one in seen])

    def weights(self, used: np.ndarray) -> Floats:
        """Weight of each squared residual: 1 for sources with few rows of a kind, 0 for rows left out."""
        counts = Counter((one.source, one.kind) for one, use in zip(self.seen, used, strict=True) if use)
        rows = np.array([counts[(one.source, one.kind)] for one in self.seen], dtype=float)
        return np.minimum((np.maximum(rows, 1.0) / FULL_WEIGHT_ROWS) ** -0.5, 1.0) * used

    def fit(self, used: np.ndarray, start: "Fit | None" = None, rounds: int = 25) -> Fit:
        """The most probable unknowns for the observations in use."""
        used = used & self.usable
        unknowns = columns(self.seen, used)
        weights = self.weights(used)
        theta = _started(unknowns, start)
        damping, size = 1.0, len(self.seen)
        residual, slopes = self._residual(unknowns, theta)
        cost = self._cost(unknowns, theta, residual, weights)
        curvature = np.eye(len(theta))
        for _ in range(rounds):
            jacobian = self._jacobian(unknowns, slopes, size, len(theta))
            pull = weights * (FREEDOM + 1) / FREEDOM / (1 + residual**2 / FREEDOM)
            curvature = jacobian.T @ (pull[:, None] * jacobian) + np.diag(1 / unknowns.spread**2)
            gradient = jacobian.T @ (pull * residual) + (theta - unknowns.centre) / unknowns.spread**2
            for _attempt in range(6):
                damped = curvature + damping * np.diag(np.diag(curvature))
                moved = theta + np.clip(np.linalg.solve(damped, -gradient), -0.5, 0.5)
                new_residual, new_slopes = self._residual(unknowns, moved)
                new_cost = self._cost(unknowns, moved, new_residual, weights)
                if np.isfinite(new_cost) and new_cost < cost:
                    break
                damping *= 4
            else:
                break
            gain = cost - new_cost
            theta, residual, slopes, cost = moved, new_residual, new_slopes, new_cost
            damping = max(damping / 8, 1e-6)
            if gain < 0.05:
                break
        return Fit(unknowns, theta, curvature)

    def _residual(self, unknowns: Columns, theta: Floats) -> tuple[Floats, dict[str, Floats]]:
        logs, slopes = self.replay.derivatives(_logs(unknowns, theta, len(self.seen)))
        offset = _sum(unknowns.touched[""], theta, len(self.seen))
        return self.direction * (logs - self.target) / self.scatter + offset / self.scatter, slopes

    def _cost(self, unknowns: Columns, theta: Floats, residual: Floats, weights: Floats) -> float:
        loss = (FREEDOM + 1) / 2 * np.log1p(residual**2 / FREEDOM)
        prior = ((theta - unknowns.centre) / unknowns.spread) ** 2 / 2
        return float(np.sum(weights * loss) + np.sum(prior))

    def _jacobian(self, unknowns: Columns, slopes: dict[str, Floats], size: int, width: int) -> Floats:
        jacobian = np.zeros((size, width + 1))  # the last column takes what touches nothing
        rows = np.arange(size)
        for symbol, touched in unknowns.touched.items():
            slope = self.direction * slopes[symbol] if symbol else np.ones(size)
            for column in touched:
                jacobian[rows, column] += slope / self.scatter
        return jacobian[:, :-1]

    def predict(self, fit: Fit) -> Floats:
        """Log of every figure by the parameters alone, as a sizing would have it."""
        return self.replay.log_values(fit.logs(len(self.seen))[0])


def _started(unknowns: Columns, start: Fit | None) -> Floats:
    theta = unknowns.centre.copy()
    if start is not None:
        known = dict(zip(start.columns.labels, start.theta, strict=True))
        for place, label in enumerate(unknowns.labels):
            theta[place] = known.get(label, theta[place])
    return theta
