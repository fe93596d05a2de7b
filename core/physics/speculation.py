"""Speculative decoding: tokens guessed ahead by something small, and checked together by the model.

Plain arithmetic from a stated rate of acceptance; nothing here was fitted to measurements.

References
----------
1. Leviathan, Kalman, Matias: "Fast Inference from Transformers via Speculative Decoding", 2023, equation 1.
"""

from typing import Any

from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def tokens_to_check(batch: Any, guessed: int) -> Any:
    """Tokens of a step: of each request the guessed ones, and the one that follows them.

    tokens = batch * (guessed + 1)

    Parameters
    ----------
    batch : requests in the step
    guessed : tokens guessed ahead for each

    Returns
    -------
    tokens

    >>> tokens_to_check(4.0, 3)
    16.0
    """
    return batch * (guessed + 1)


@formula(Unit.RATIO)
def tokens_per_step(acceptance: float, guessed: int) -> float:
    """Tokens that a request gains with each step, on average.

    tokens = (1 - acceptance ** (guessed + 1)) / (1 - acceptance)

    Parameters
    ----------
    acceptance : chance that a guessed token is kept, given that those before it were; below 1
    guessed : tokens guessed ahead

    Returns
    -------
    tokens, from 1 to `guessed` + 1

    >>> tokens_per_step(0.0, 3), tokens_per_step(0.5, 1)
    (1.0, 1.5)
    """
    return (1 - acceptance ** (guessed + 1)) / (1 - acceptance)


@formula(Unit.BYTE)
def prediction_layer_read(layer: float, dense: float, experts_read: float, experts: float) -> float:
    """Bytes of the model's own prediction layers that one guess reads: the share that a layer of the model reads.

    bytes = layer * (dense + experts_read) / (dense + experts)

    Parameters
    ----------
    layer : prediction layers [byte]
    dense : layers of the model without experts [byte]
    experts_read, experts : experts that one token reads, and all of them [byte]

    Returns
    -------
    bytes [byte]

    >>> prediction_layer_read(1000, 100, 50, 900)
    150.0
    """
    return layer * (dense + experts_read) / (dense + experts)


@formula(Unit.SECOND)
def guess_seconds(
    guessed: int, read: float, head: float, ranks: int, bandwidth: float, kernels: float, per_kernel: float
) -> float:
    """Time to guess all tokens of a step, one after another.

    seconds = guessed * ((read + head) / ranks / bandwidth + kernels * per_kernel)

    Parameters
    ----------
    guessed : tokens guessed ahead
    read : weights of what guesses [byte]
    head : output projection that it uses [byte]
    ranks : accelerators that share the work
    bandwidth : that reads of weights reach [byte/s]
    kernels : launched for one guess
    per_kernel : launch and gap [s]

    Returns
    -------
    time [s]

    >>> round(guess_seconds(3, 1e9, 0.5e9, 1, 1e12, 100, 5e-6), 6)
    0.006
    """
    return guessed * ((read + head) / ranks / bandwidth + kernels * per_kernel)


@formula(Unit.SECOND)
def seconds_per_token(step: Any, guess: float, tokens: float) -> Any:
    """Time of a token: guessing and checking, shared by what a step gains.

    seconds = (step + guess) / tokens

    Parameters
    ----------
    step : time to check all tokens together [s]
    guess : time to guess them [s]
    tokens : that a request gains with each step

    Returns
    -------
    time [s]

    >>> seconds_per_token(0.03, 0.006, 2.4)
    0.015
    """
    return (step + guess) / tokens


@formula(Unit.SECOND)
def part_per_token(part: Any, tokens: float) -> Any:
    """The part of a step that falls on each of the tokens that it gains.

    seconds = part / tokens

    Parameters
    ----------
    part : of the step [s]
    tokens : that a request gains with each step

    Returns
    -------
    time [s]

    >>> part_per_token(0.025, 2.5)
    0.01
    """
    return part / tokens


@formula(Unit.TOKEN_PER_SECOND)
def speed_with_guesses(speed: Any, tokens: float) -> Any:
    """What a limit of steps per second means in tokens.

    speed = speed * tokens

    Parameters
    ----------
    speed : with one token in each step [token/s]
    tokens : that a request gains with each step

    Returns
    -------
    speed [token/s]

    >>> speed_with_guesses(40.0, 2.5)
    100.0
    """
    return speed * tokens


@formula(Unit.COUNT)
def kernels_of_a_layer(kernels: int, layers: int) -> float:
    """Kernels that one layer launches on average.

    count = kernels / layers

    Parameters
    ----------
    kernels : of a step of the model
    layers : of the model

    Returns
    -------
    kernels

    >>> kernels_of_a_layer(720, 80)
    9.0
    """
    return kernels / layers
