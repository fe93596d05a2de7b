"""Share of a device's computing rate that matrix products reach: by the power it has, and by their shape.

The vendor's rate is that of matrix units at their nominal clock, fed without a pause. Under full load many would
draw more than they may, so that the clock falls; the units round them have to fetch and prepare what they multiply; and
every tile of a result has to be begun and written, however short the sums in it.
"""

from typing import Any

from core.architecture.blueprint import Blueprint, TensorClass
from core.physics.arrays import sqrt
from core.trace import formula
from core.units import Unit


def inner_width_of_layers(blueprint: Blueprint) -> float:
    """Length of the sums in the products of everything but routed experts, on average over the parameters.

    A product over short sums has less to do for every result that it writes. Projections into a block sum over the
    hidden size, the last one of a feed-forward block over its own width.

    Parameters
    ----------
    blueprint : the model

    Returns
    -------
    parameters per row of the matrices
    """
    counted, hidden = blueprint.parameters, blueprint.hidden_size
    experts = blueprint.moe.layers if blueprint.moe else 0
    plain = sum(counted.get(kind, 0) for kind in (TensorClass.ATTENTION, TensorClass.RECURRENT, TensorClass.ROUTER))
    blocks = (
        (counted.get(TensorClass.FEED_FORWARD, 0), blueprint.layers - experts),
        (
            counted.get(TensorClass.SHARED_EXPERT, 0),
            experts,
        ),
    )
    rows = plain / hidden + sum(_feed_forward_rows(parameters, layers, hidden) for parameters, layers in blocks)
    return (plain + sum(parameters for parameters, _ in blocks)) / rows if rows else float(hidden)


def inner_width_of_experts(blueprint: Blueprint) -> float:
    """The same for one routed expert; the hidden size where there are none."""
    if blueprint.moe is None:
        return float(blueprint.hidden_size)
    each = blueprint.moe.parameters_per_expert
    return each / _feed_forward_rows(each, 1, blueprint.hidden_size)


def _feed_forward_rows(parameters: int, layers: int, hidden: int) -> float:
    """Rows of the three matrices of a block, in all layers: two into the block, one back."""
    return 2 / 3 * parameters / hidden + layers * hidden if parameters else 0.0


@formula(Unit.SHARE)
def efficiency_within_power(efficiency: float, power: float, rate: float, each: float) -> float:
    """Share of the vendor's rate that a device can keep up with the power it has.

    share = efficiency * power / (power + rate * each)

    Parameters
    ----------
    efficiency : with endless power
    power : of the accelerator [W]
    rate : 16-bit dense rate [FLOP/s]
    each : energy of one operation at which the efficiency is half [J]

    Returns
    -------
    share

    Notes
    -----
    Matrix units at their nominal clock would draw more than an accelerator may: the clock falls. Of one chip with 450
    and with 300 W the former computes prompts up to half faster, against 8 % fewer units.

    >>> efficiency_within_power(0.9, 400.0, 400e12, 0.5e-12)
    0.6
    """
    return efficiency * power / (power + rate * each)


@formula(Unit.SHARE)
def efficiency_within_units(efficiency: Any, rate: float, units: int, clock: float, per_clock: Any) -> Any:
    """Share of the vendor's rate that kernels reach whose operands the execution units have to fetch and prepare.

    share = 1 / sqrt((1 / efficiency) ** 2 + (rate / (units * clock * per_clock)) ** 2)

    Parameters
    ----------
    efficiency : where matrix units alone are the limit
    rate : 16-bit dense rate [FLOP/s]
    units : execution units (NVIDIA SM, Apple GPU core, AMD CU, Intel Xe core)
    clock : sustained clock [Hz]
    per_clock : operations per clock and unit that operands can be prepared for [FLOP]

    Returns
    -------
    share

    Notes
    -----
    Matrix units of datacenter chips do two to eight times the work of a desktop card's per clock and unit; registers,
    shared memory and plain arithmetic, which move, unpack and scale what they multiply, do not. Kernels written for
    all chips alike stay below: on Hopper the instructions of Ampere reach some 60 % of the rate (1), and the quantised
    products of llama.cpp are as fast on an A100 as on an RTX A6000 with half its rate and the same units times clock.

    References
    ----------
    1. Luo et al.: "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", 2024.

    >>> round(efficiency_within_units(0.6, 312e12, 108, 1.41e9, 500.0), 3)
    0.226
    """
    return 1 / sqrt((1 / efficiency) ** 2 + (rate / (units * clock * per_clock)) ** 2)


@formula(Unit.SHARE)
def efficiency_of_width(efficiency: float, width: float, half: float) -> float:
    """Share of the vendor's rate that long products reach, by the length of the sums in them.

    share = efficiency * width / (width + half)

    Parameters
    ----------
    efficiency : with endless sums
    width : numbers in a sum: the hidden size, or that of a block within
    half : numbers at half of that efficiency

    Returns
    -------
    share

    Notes
    -----
    Every tile of a result has to be begun and written, whatever the length of its sums.

    >>> efficiency_of_width(0.5, 4096.0, 1024.0)
    0.4
    """
    return efficiency * width / (width + half)
