"""What follows from memory for a person who decides: what grouped heads save, and what spills."""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, maximum, minimum
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def full_heads_bytes(
    logical_bytes: int, bytes_per_token: float, layers: int, query_heads: int, widths: int, element_bytes: float
) -> Any:
    """Cache of the same layers if every query head kept a key and a value of its own.

    full_heads_bytes = ceil(logical_bytes * layers * query_heads * widths * element_bytes / bytes_per_token)

    Parameters
    ----------
    logical_bytes : of one request, as counted [byte]
    bytes_per_token : of these layers, as counted [byte/token]
    layers : of this shape
    query_heads : of a layer
    widths : of a key and a value together
    element_bytes : size of one stored element [byte]

    Returns
    -------
    bytes [byte]

    >>> full_heads_bytes(98_304_000, 98_304, 48, 32, 256, 2)
    786432000

    References
    ----------
    1. Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints, 2023.
    """
    return ceil(logical_bytes * layers * query_heads * widths * element_bytes / bytes_per_token)


@formula(Unit.RATIO)
def saving(full_bytes: Sequence[float], kept_bytes: int) -> float:
    """How many times more a full-head twin of the model would keep.

    saving = sum(full_bytes) / kept_bytes

    Parameters
    ----------
    full_bytes : of the twin, group by group [byte]
    kept_bytes : of the model [byte]

    Returns
    -------
    ratio

    >>> saving([786_432_000], 98_304_000)
    8.0
    """
    return sum(full_bytes) / kept_bytes


@formula(Unit.COUNT)
def layers_that_spill(spilled_bytes: int, weights_bytes: int, layers: int) -> Any:
    """Layers whose weights do not fit.

    layers_that_spill = min(layers, ceil(layers * max(0, spilled_bytes) / weights_bytes))

    Parameters
    ----------
    spilled_bytes : too much on one accelerator [byte]
    weights_bytes : on one accelerator [byte]
    layers : of the model on it

    Returns
    -------
    layers

    >>> layers_that_spill(117_900, 405_900, 126)
    37
    """
    return minimum(layers, ceil(layers * maximum(0, spilled_bytes) / weights_bytes))


@formula(Unit.COUNT)
def experts_that_spill(spilled_bytes: int, expert_bytes: int, experts: int) -> Any:
    """Routed experts of each layer that do not fit, where engines move experts first.

    experts_that_spill = min(experts, ceil(experts * max(0, spilled_bytes) / expert_bytes))

    Parameters
    ----------
    spilled_bytes : too much on one accelerator [byte]
    expert_bytes : of all experts on it [byte]
    experts : in a layer

    Returns
    -------
    experts in each layer

    >>> experts_that_spill(10_000_000_000, 18_119_393_280, 256)
    142
    """
    return minimum(experts, ceil(experts * maximum(0, spilled_bytes) / expert_bytes))
