"""The time of one decode step: every request in it gets one more token.

A step reads the weights once, whatever the number of requests; it reads each request's own cache; it multiplies; it
launches kernels; and under tensor parallelism it exchanges. Each part is a formula of its own, so that a step is a sum
of causes.

References
----------
1. Pope et al.: "Efficiently Scaling Transformer Inference", 2022.
2. Yuan et al.: "LLM Inference Unveiled: Survey and Roofline Model Insights", 2024.
"""

from typing import Any

from core.physics.arrays import sqrt, where
from core.trace import formula
from core.units import Unit


@formula(Unit.SECOND)
def seconds_at_peak(low: float, low_rate: float, wide: float, wide_rate: float) -> float:
    """Time to multiply one token at the vendor's full rates, with tensors of two precisions.

    seconds = low / low_rate + wide / wide_rate

    Parameters
    ----------
    low, wide : operations with tensors in the format, and with those kept at 16 bit [FLOP]
    low_rate, wide_rate : dense rates for the two [FLOP/s]

    Returns
    -------
    time per token on one accelerator, at full rate [s]

    >>> seconds_at_peak(137e9, 1979e12, 2e9, 989.5e12) < 1e-4
    True
    """
    return low / low_rate + wide / wide_rate


@formula(Unit.SHARE)
def small_batch_share(share: float, batch: Any) -> Any:
    """Share of the prefill efficiency that the multiplications of a small batch reach.

    reached = 1 - (1 - share) * 256 / (256 + batch)

    Parameters
    ----------
    share : at very small batches
    batch : requests in the step

    Returns
    -------
    share; approaches 1 for batches of some hundred

    >>> small_batch_share(0.56, 256)
    0.78
    """
    return 1 - (1 - share) * 256 / (256 + batch)


@formula(Unit.SECOND)
def batch_compute_seconds(batch: Any, at_peak: float, ranks: int, efficiency: float, batch_share: Any) -> Any:
    """Time of the multiplications of a step with several requests; with one request they hide behind the reads.

    seconds = where(batch > 1, batch * at_peak / ranks / (efficiency * batch_share), 0)

    Parameters
    ----------
    batch : requests in the step
    at_peak : time of one token at full rate [s]
    ranks : accelerators that share the work
    efficiency : share of the full rate that long matrix products reach
    batch_share : of that, at this batch

    Returns
    -------
    time [s]

    >>> batch_compute_seconds(1, 1e-4, 1, 0.5, 0.6), batch_compute_seconds(30, 1e-4, 1, 0.5, 0.6)
    (0, 0.01)
    """
    return where(batch > 1, batch * at_peak / ranks / (efficiency * batch_share), 0)


@formula(Unit.SECOND)
def attention_compute_seconds(batch: Any, flops: Any, ranks: int, rate: float, efficiency: float) -> Any:
    """Time of the attention arithmetic of a step.

    seconds = batch * flops / ranks / (rate * efficiency)

    Parameters
    ----------
    batch : requests in the step
    flops : attention operations of one token at its depth [FLOP]
    ranks : accelerators that share the heads
    rate : 16-bit dense rate [FLOP/s]
    efficiency : share of it that attention over a cache reaches

    Returns
    -------
    time [s]

    >>> attention_compute_seconds(1, 2.7e9, 1, 1e15, 0.05)
    5.4e-05
    """
    return batch * flops / ranks / (rate * efficiency)


@formula(Unit.SECOND)
def seconds_at_rate(flops: float, rate: float) -> float:
    """Time of operations at the vendor's full rate.

    seconds = flops / rate

    Parameters
    ----------
    flops : operations [FLOP]
    rate : dense rate [FLOP/s]

    Returns
    -------
    time [s]

    >>> seconds_at_rate(5e9, 1e15)
    5e-06
    """
    return flops / rate


@formula(Unit.SECOND)
def cache_seconds(batch: Any, read: Any, bandwidth: float) -> Any:
    """Time to read the caches of all requests of a step; the ranks read their parts at the same time.

    seconds = batch * read / bandwidth

    Parameters
    ----------
    batch : requests in the step
    read : cache of one request, on one rank [byte]
    bandwidth : that cache reads reach [byte/s]

    Returns
    -------
    time [s]

    >>> cache_seconds(4, 1e9, 1e12)
    0.004
    """
    return batch * read / bandwidth


@formula(Unit.SECOND)
def state_seconds(batch: Any, read: float, ranks: int, bandwidth: float) -> Any:
    """Time to read and write the recurrent state of all requests of a step.

    seconds = batch * read / ranks / bandwidth

    Parameters
    ----------
    batch : requests in the step
    read : state of one request, read and written [byte]
    ranks : tensor-parallel, which share it
    bandwidth : that such reads reach [byte/s]

    Returns
    -------
    time [s]

    >>> state_seconds(4, 1e9, 2, 1e12)
    0.002
    """
    return batch * read / ranks / bandwidth


@formula(Unit.SECOND)
def engine_seconds(kernels: int, per_kernel: float, per_step: float, per_request: float, batch: Any) -> Any:
    """What the engine itself takes in a step: launches, host work, and per request sampling and bookkeeping.

    seconds = kernels * per_kernel + per_step + per_request * batch

    Parameters
    ----------
    kernels : launched in the step
    per_kernel : launch and gap [s]
    per_step : host [s]
    per_request : [s]
    batch : requests in the step

    Returns
    -------
    time [s]

    >>> round(engine_seconds(720, 5e-6, 0.28e-3, 11e-6, 1) * 1e3, 3)
    3.891
    """
    return kernels * per_kernel + per_step + per_request * batch


@formula(Unit.SECOND)
def host_seconds(per_step: float, per_request: float, batch: Any) -> Any:
    """What the host takes to prepare a step: scheduling, and per request sampling and bookkeeping.

    seconds = per_step + per_request * batch

    Parameters
    ----------
    per_step : whatever the number of requests [s]
    per_request : [s]
    batch : requests in the step

    Returns
    -------
    time [s]

    >>> host_seconds(0.001, 10e-6, 100)
    0.002
    """
    return per_step + per_request * batch


@formula(Unit.SECOND)
def engine_seconds_beside_device(
    kernels: int, per_kernel: float, host: Any, weights: Any, experts: Any, kv: Any, state: Any, compute: Any, link: Any
) -> Any:
    """What an engine takes that prepares the next step while the device works on this one.

    seconds = sqrt((kernels * per_kernel + (weights + experts + kv + state + compute + link)) ** 2 + host * host)
        - (weights + experts + kv + state + compute + link)

    Parameters
    ----------
    kernels : launched in the step
    per_kernel : launch and gap [s]
    host : preparing a step [s]
    weights, experts, kv, state, compute, link : what keeps the device busy [s]

    Returns
    -------
    time beyond what keeps the device busy [s]

    Notes
    -----
    Of the two the longer counts, the shorter one still shows where they are alike. SGLang 0.4 (2024-12), TensorRT-LLM
    1.0 (2025) and vLLM 0.14 (2026-01) prepare steps this way.

    >>> engine_seconds_beside_device(0, 5e-6, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    1.0
    """
    device = weights + experts + kv + state + compute + link
    started = kernels * per_kernel + device
    return sqrt(started * started + host * host) - device


@formula(Unit.SECOND)
def sum_of_three(first: Any, second: Any, third: Any) -> Any:
    """Three times added.

    seconds = first + second + third

    Parameters
    ----------
    first, second, third : [s]

    Returns
    -------
    their sum [s]

    >>> sum_of_three(1.0, 2.0, 3.0)
    6.0
    """
    return first + second + third


@formula(Unit.SHARE)
def product(first: float, second: float) -> float:
    """A share of a share.

    share = first * second

    Parameters
    ----------
    first, second : shares

    Returns
    -------
    share

    >>> product(0.5, 0.5)
    0.25
    """
    return first * second


@formula(Unit.SHARE)
def same_share(share: float) -> float:
    """A share that holds for another quantity as well.

    share = share

    Parameters
    ----------
    share : of one quantity

    Returns
    -------
    the same

    >>> same_share(0.5)
    0.5
    """
    return share


@formula(Unit.SECOND)
def step_seconds(
    weights: Any, experts: Any, kv: Any, state: Any, compute: Any, link: Any, engine: Any, second_tier: Any
) -> Any:
    """The time of a step is the sum of its causes.

    step = weights + experts + kv + state + compute + link + engine + second_tier

    Parameters
    ----------
    weights, experts, kv, state : reads from the fast memory [s]
    compute : what multiplying adds to them [s]
    link : exchanges between accelerators [s]
    engine : launches and host [s]
    second_tier : reads from the slower memory [s]

    Returns
    -------
    time of the step [s]

    >>> step_seconds(0.010, 0.0, 0.001, 0.0, 0.0, 0.0, 0.002, 0.0)
    0.013
    """
    return weights + experts + kv + state + compute + link + engine + second_tier


@formula(Unit.TOKEN_PER_SECOND)
def tokens_per_second(seconds: Any) -> Any:
    """Tokens per second of one request.

    speed = 1 / seconds

    Parameters
    ----------
    seconds : per token [s]

    Returns
    -------
    speed [token/s]

    >>> tokens_per_second(0.02)
    50.0
    """
    return 1 / seconds


@formula(Unit.SECOND)
def all_reduce_seconds_per_token(part: Any) -> Any:
    """Time of the all-reduces in one step.

    seconds = part

    Parameters
    ----------
    part : of the step [s]

    Returns
    -------
    time [s]

    >>> all_reduce_seconds_per_token(0.004)
    0.004
    """
    return part


@formula(Unit.SHARE)
def share_of_step(part: Any, step: Any) -> Any:
    """Share of a step that one of its parts takes.

    share = part / step

    Parameters
    ----------
    part : [s]
    step : [s]

    Returns
    -------
    share

    >>> share_of_step(0.004, 0.016)
    0.25
    """
    return part / step
