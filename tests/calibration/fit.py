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

from tests.calibration.effects import (
    BASES,
    CONFIGURATION,
    EFFECTS,
    MACHINE,
    NARROW,
    NOISE,
    NUISANCES,
    SOURCE,
    TIER_B,
    Effect,
)
from tests.calibration.observations import Observation
from tests.calibration.replay import Floats, Replay

#: Degrees of freedom of the Student-like loss.
FREEDOM = 4.0
#: A source counts fully up to nine rows of a kind.
FULL_WEIGHT_ROWS = 9.0
SYMBOLS = tuple(BASES)
#: Marks an effect of a device or engine that one source alone supports.
ALONE = "alone"

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
    """Unknowns for the observations in use.

    A narrow effect that one source alone supports is fitted along, so that what is peculiar to it does not bend the
    family, and is then dropped like what is peculiar to a source: see `Fit.shared`.
    """
    labels: list[Label] = []
    centre: list[float] = []
    spread: list[float] = []
    touched: dict[str, list[np.ndarray]] = defaultdict(list)

    def add(symbol: str, keys: Sequence[Label | None], narrow: bool, prior: Any) -> None:
        sources: dict[Label, set[str]] = defaultdict(set)
        for one, key, use in zip(seen, keys, used, strict=True):
            if key is not None and use:
                sources[key].add(one.source.split(":")[0])  # all kernel tables are one
            elif key is not None and prior(key)[0]:
                sources[key] |= {"expected", "beforehand"}
        at: dict[Label, int] = {}
        for key, names in sources.items():
            if names:
                at[key] = len(labels)
                labels.append((ALONE, *key) if narrow and len(names) < 2 else key)
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
        if nuisance.level != CONFIGURATION:
            keys = [_nuisance_key(one, number) if one.kind in nuisance.kinds else None for one in seen]
            add("", keys, False, lambda key, n=nuisance: (0.0, n.spread))
    return Columns(labels, np.array(centre), np.array(spread), dict(touched))


def _nuisance_key(one: Observation, number: int) -> Label:
    machine = (one.source, one.where.device, one.where.back_end)
    level = NUISANCES[number].level
    if level == SOURCE:
        return ("nuisance", number, *machine[:1])
    if level == MACHINE:
        return ("nuisance", number, *machine)
    return ("nuisance", number, *machine, one.model, one.where.format_class, one.split)


def configurations(seen: Sequence[Observation]) -> tuple[np.ndarray, Floats]:
    """The configuration that each observation belongs to, by number, and the prior spread of each configuration."""
    numbers: dict[Label, int] = {}
    spreads: list[float] = []
    member = []
    for one in seen:
        number, nuisance = next(
            (i, n) for i, n in enumerate(NUISANCES) if n.level == CONFIGURATION and one.kind in n.kinds
        )
        key = _nuisance_key(one, number)
        if key not in numbers:
            numbers[key] = len(spreads)
            spreads.append(nuisance.spread)
        member.append(numbers[key])
    return np.array(member), np.array(spreads)


@dataclass(slots=True)
class Fit:
    """A fitted set of unknowns with the curvature at the minimum."""

    columns: Columns
    theta: Floats
    curvature: Floats
    cost: float

    def logs(self, size: int) -> dict[str, Floats]:
        """Logarithms of the parameters per observation, as a sizing would have them."""
        return _logs(self.columns, self.shared(), size)

    def shared(self) -> Floats:
        """The unknowns; those that one source alone supports as they were expected."""
        alone = np.array([label[0] == ALONE for label in self.columns.labels])
        return np.where(alone, self.columns.centre, self.theta)


def _logs(unknowns: Columns, theta: Floats, size: int) -> dict[str, Floats]:
    return {symbol: _sum(unknowns.touched[symbol], theta, size) for symbol in SYMBOLS}


def _sum(touched: Sequence[np.ndarray], theta: Floats, size: int) -> Floats:
    padded = np.append(theta, 0.0)  # column -1 adds nothing
    total = np.zeros(size)
    for column in touched:
        total += padded[column]
    return total


@dataclass(slots=True)
class _System:
    """The normal equations; each observation has one configuration, so their block is diagonal and is taken out."""

    curvature: Floats
    crossed: Floats  # configuration x unknown
    diagonal: Floats
    gradient: Floats
    own_gradient: Floats

    def marginal(self, damping: float = 0.0) -> Floats:
        """Curvature of the unknowns when the configurations follow them."""
        diagonal = self.diagonal * (1 + damping)
        own = np.diag(np.diag(self.curvature)) * damping
        return self.curvature + own - self.crossed.T @ (self.crossed / diagonal[:, None])

    def step(self, damping: float) -> tuple[Floats, Floats]:
        diagonal = self.diagonal * (1 + damping)
        pushed = -self.gradient + self.crossed.T @ (self.own_gradient / diagonal)
        step = np.clip(np.linalg.solve(self.marginal(damping), pushed), -0.5, 0.5)
        return step, (-self.own_gradient - self.crossed @ step) / diagonal


class Fitter:
    """Fits any subset of the observations; the traces are read once."""

    def __init__(self, seen: Sequence[Observation]) -> None:
        self.seen = list(seen)
        self.replay = Replay(seen)
        self.target = np.array([one.log_target for one in seen])
        self.direction = np.array([float(one.direction) for one in seen])
        self.scatter = np.array([NOISE[one.kind] * (TIER_B if one.tier == "B" else 1.0) for one in seen])
        self.usable = np.array([one.tier != "C" for one in seen])
        self.member, self.member_spread = configurations(seen)
        self.order = np.argsort(self.member, kind="stable")
        self.starts = np.searchsorted(self.member[self.order], np.arange(len(self.member_spread)))

    def weights(self, used: np.ndarray) -> Floats:
        """Weight of each squared residual: 1 for sources with few rows of a kind, 0 for rows left out."""
        counts = Counter((one.source, one.kind) for one, use in zip(self.seen, used, strict=True) if use)
        rows = np.array([counts[(one.source, one.kind)] for one in self.seen], dtype=float)
        weights: Floats = np.minimum((np.maximum(rows, 1.0) / FULL_WEIGHT_ROWS) ** -0.5, 1.0) * used
        return weights

    def fit(self, used: np.ndarray, start: Fit | None = None, rounds: int = 25) -> Fit:
        """The most probable unknowns for the observations in use."""
        used = used & self.usable
        unknowns = columns(self.seen, used)
        weights = self.weights(used)
        theta, own = _started(unknowns, start), np.zeros(len(self.member_spread))
        damping = 1.0 if start is None else 1e-2
        residual, slopes = self._residual(unknowns, theta, own)
        cost = self._cost(unknowns, theta, own, residual, weights)
        system = self._system(unknowns, theta, own, residual, slopes, weights)
        for _ in range(rounds):
            for _attempt in range(6):
                step, own_step = system.step(damping)
                moved, own_moved = theta + step, own + own_step
                new_residual, new_slopes = self._residual(unknowns, moved, own_moved)
                new_cost = self._cost(unknowns, moved, own_moved, new_residual, weights)
                if np.isfinite(new_cost) and new_cost < cost:
                    break
                damping *= 4
            else:
                break
            gain = cost - new_cost
            theta, own, residual, slopes, cost = moved, own_moved, new_residual, new_slopes, new_cost
            damping = max(damping / 8, 1e-6)
            system = self._system(unknowns, theta, own, residual, slopes, weights)
            if gain < 0.1:
                break
        return Fit(unknowns, theta, system.marginal(), cost)

    def _residual(self, unknowns: Columns, theta: Floats, own: Floats) -> tuple[Floats, dict[str, Floats]]:
        logs, slopes = self.replay.derivatives(_logs(unknowns, theta, len(self.seen)))
        offset = _sum(unknowns.touched[""], theta, len(self.seen)) + own[self.member]
        return (self.direction * (logs - self.target) + offset) / self.scatter, slopes

    def _cost(self, unknowns: Columns, theta: Floats, own: Floats, residual: Floats, weights: Floats) -> float:
        loss = (FREEDOM + 1) / 2 * np.log1p(residual**2 / FREEDOM)
        prior = np.sum(((theta - unknowns.centre) / unknowns.spread) ** 2) + np.sum((own / self.member_spread) ** 2)
        return float(np.sum(weights * loss) + prior / 2)

    def _system(
        self,
        unknowns: Columns,
        theta: Floats,
        own: Floats,
        residual: Floats,
        slopes: dict[str, Floats],
        weights: Floats,
    ) -> "_System":
        jacobian = self._jacobian(unknowns, slopes, len(theta))
        pull = weights * (FREEDOM + 1) / FREEDOM / (1 + residual**2 / FREEDOM)
        scaled = pull / self.scatter
        crossed = np.add.reduceat((scaled[:, None] * jacobian)[self.order], self.starts, axis=0)
        diagonal = np.add.reduceat((scaled / self.scatter)[self.order], self.starts) + 1 / self.member_spread**2
        return _System(
            curvature=jacobian.T @ (pull[:, None] * jacobian) + np.diag(1 / unknowns.spread**2),
            crossed=crossed,
            diagonal=diagonal,
            gradient=jacobian.T @ (pull * residual) + (theta - unknowns.centre) / unknowns.spread**2,
            own_gradient=np.add.reduceat((scaled * residual)[self.order], self.starts) + own / self.member_spread**2,
        )

    def _jacobian(self, unknowns: Columns, slopes: dict[str, Floats], width: int) -> Floats:
        size = len(self.seen)
        jacobian = np.zeros((size, width + 1))  # the last column takes what touches nothing
        rows = np.arange(size)
        for symbol, touched in unknowns.touched.items():
            slope = self.direction * slopes[symbol] if symbol else np.ones(size)
            for column in touched:
                jacobian[rows, column] += slope / self.scatter
        return jacobian[:, :-1]

    def predict(self, fit: Fit) -> Floats:
        """Log of every figure by the parameters alone, as a sizing would have it."""
        return self.replay.log_values(fit.logs(len(self.seen)))


def _started(unknowns: Columns, start: Fit | None) -> Floats:
    theta = unknowns.centre.copy()
    if start is not None:
        known = dict(zip(start.columns.labels, start.theta, strict=True))
        for place, label in enumerate(unknowns.labels):
            theta[place] = known.get(label, theta[place])
    return theta
