"""A measurement of the user's own: how far it moves a prediction for the same machine, and how much it narrows it.

The largest error that remains is the level of an engine's build on a machine, not the shape of a model. So the ratio of
measured to predicted carries over, drawn towards 1 by as much as the measurement itself may be off.
"""

import math
from collections.abc import Sequence
from typing import Any

from core.physics.arrays import exp, log, maximum, minimum, sqrt
from core.physics.uncertainty import LEAST_SPREAD
from core.trace import formula
from core.units import Unit


@formula(Unit.RATIO)
def noise_under_load(noise: float, other_load: float, measured: int, requests: Any) -> Any:
    """Noise of a measurement for as many requests as are asked about.

    noise = noise * exp(log(other_load) * min(1, log(max(requests / measured, measured / requests)) / log(8)))

    Parameters
    ----------
    noise : under the same load
    other_load : factor where eight times as many requests were measured as are asked about, or the other way round
    measured, requests : at once, when it was measured, and asked about

    Returns
    -------
    standard deviation of the logarithm

    Notes
    -----
    It grows evenly with each doubling: a step would be a jump in every curve over requests.

    >>> [round(noise_under_load(0.1, 3.0, 1, n), 3) for n in (1, 2, 8, 64)], round(noise_under_load(0.1, 3.0, 8, 1), 3)
    ([0.1, 0.144, 0.3, 0.3], 0.3)
    """
    apart = log(maximum(requests / measured, measured / requests)) / log(8)
    return noise * exp(log(other_load) * minimum(1, apart))


@formula(Unit.RATIO)
def weight(noise: Any) -> Any:
    """Weight of a measurement.

    weight = 1 / noise ** 2

    Parameters
    ----------
    noise : how far a measurement of this kind, under conditions this similar, may be off (of its logarithm)

    Returns
    -------
    weight

    >>> weight(0.5)
    4.0
    """
    return 1 / noise**2


@formula(Unit.RATIO)
def pull(weight: Any, measured: float, predicted: float) -> Any:
    """How strongly a measurement pulls at the logarithm of a prediction.

    pull = weight * log(measured / predicted)

    Parameters
    ----------
    weight : of the measurement
    measured : the figure
    predicted : what was predicted for its conditions

    Returns
    -------
    weighted logarithm of the ratio

    >>> pull(4.0, 50.0, 50.0)
    0.0
    """
    return weight * math.log(measured / predicted)


@formula(Unit.RATIO)
def correction(pulls: Sequence[Any], weights: Sequence[Any], spread: Any) -> Any:
    """Factor on all predictions of this kind for the machine and engine.

    factor = exp(sum(pulls) / (sum(weights) + 1 / spread ** 2))

    Parameters
    ----------
    pulls, weights : of the measurements
    spread : of the prediction without them, a standard deviation of the logarithm

    Returns
    -------
    factor; between 1 and what was measured

    >>> correction([0.0], [4.0], 0.2)
    1.0
    """
    return exp(sum(pulls) / (sum(weights) + 1 / spread**2))


@formula(Unit.RATIO)
def narrowed_spread(weights: Sequence[Any], spread: Any, noise: Any) -> Any:
    """Spread of a prediction that measurements have corrected.

    spread = min(spread, max(0.10235809319112478, sqrt(1 / (sum(weights) + 1 / spread ** 2) + noise ** 2)))

    Parameters
    ----------
    weights : of the measurements
    spread : of the prediction without them
    noise : scatter of a single figure of this kind

    Returns
    -------
    standard deviation of the logarithm; never below that of P90 / P10 = 1.3

    >>> round(narrowed_spread([156.25], 0.3, 0.08), 3)
    0.111
    """
    return minimum(spread, maximum(LEAST_SPREAD, sqrt(1 / (sum(weights) + 1 / spread**2) + noise**2)))


@formula(Unit.TOKEN_PER_SECOND)
def corrected_speed(speed: Any, factor: Any, most: Any) -> Any:
    """A speed as the measurements have it, never above what physics allows.

    corrected = min(most, speed * factor)

    Parameters
    ----------
    speed : as predicted [token/s]
    factor : of the correction
    most : what physics allows [token/s]

    Returns
    -------
    speed [token/s]

    >>> corrected_speed(50.0, 1.2, 100.0)
    60.0
    """
    return minimum(most, speed * factor)


@formula(Unit.SECOND)
def corrected_time(seconds: Any, factor: Any, least: Any) -> Any:
    """A time as the measurements have it, never below what physics allows.

    corrected = max(least, seconds * factor)

    Parameters
    ----------
    seconds : as predicted [s]
    factor : of the correction
    least : what physics allows [s]

    Returns
    -------
    time [s]

    >>> corrected_time(0.5, 1.2, 0.1)
    0.6
    """
    return maximum(least, seconds * factor)
