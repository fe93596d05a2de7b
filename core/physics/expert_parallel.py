"""Experts spread over accelerators, attention kept whole: what lies where, and what has to be exchanged.

Under expert parallelism an accelerator holds some of the experts, each of them whole. Under attention by data
parallelism (as DeepSeek's models are served) each group of accelerators has all of attention and the cache of its own
requests; only the experts are shared, so that every token travels to its experts and back.

References
----------
1. DeepSeek-AI: "DeepSeek-V3 Technical Report", 2024, section 3.4.
2. Raab, Steger: "Balls into Bins - A Simple and Tight Analysis", 1998 (the fullest of several bins).
3. vLLM documentation, "Expert Parallel Deployment", 2026; DeepEP, README, 2026 (share of the link that is reached).
"""

from typing import Any

from core.physics.arrays import ceil, log, maximum, minimum, sqrt
from core.trace import formula
from core.units import Unit

#: Share of a link's rate, one direction, that an all-to-all keeps busy: 726 of 900 GB/s with the rank's own eighth
#: counted in (DeepEP, eight accelerators over NVLink 5), 43 of 50 GB/s over InfiniBand.
ALL_TO_ALL_SHARE = 0.7


@formula(Unit.BYTE)
def expert_rank_bytes(expert_bytes: int, experts: int, spread: int, ranks: int) -> Any:
    """Routed experts on the accelerator that holds the most of them.

    bytes = expert_bytes * ceil(experts / spread) / experts * spread / ranks

    Parameters
    ----------
    expert_bytes : all routed experts [byte]
    experts : in one layer
    spread : accelerators over which whole experts are spread; 1 where each is divided among all
    ranks : accelerators that share a layer

    Returns
    -------
    bytes on one accelerator, over all layers [byte]

    Notes
    -----
    Where the experts do not go into equal parts, the fullest part counts. What is left between `spread` and `ranks`
    divides each expert.

    >>> expert_rank_bytes(128_000, 128, 8, 8), expert_rank_bytes(128_000, 128, 1, 8), expert_rank_bytes(9_000, 9, 4, 4)
    (16000.0, 16000.0, 3000.0)
    """
    return expert_bytes * ceil(experts / spread) / experts * spread / ranks


@formula(Unit.BYTE)
def rank_weights_beside_experts(
    layered: int, experts: float, replicated: int, first: int, last: int, layers: int, tensor: int, pipeline: int
) -> Any:
    """Weights on the accelerator that holds the most of them, where the experts are spread in a way of their own.

    bytes = ceil(
        (layered * ceil(layers / pipeline) / layers + where(pipeline > 1, max(first, last), first + last)) / tensor
        + (experts + replicated) * ceil(layers / pipeline) / layers
    )

    Parameters
    ----------
    layered : tensors inside layers that tensor parallelism splits, without routed experts [byte]
    experts : routed experts on one accelerator, of all layers [byte]
    replicated : norms and routers, which every accelerator keeps whole [byte]
    first, last : what stands on the first and on the last pipeline stage [byte]
    layers : of the model
    tensor : accelerators that share attention
    pipeline : stages

    Returns
    -------
    bytes on one accelerator [byte]

    >>> rank_weights_beside_experts(20_000, 12_500.0, 100, 2_000, 2_000, 60, 1, 1)
    36600
    """
    ends = max(first, last) if pipeline > 1 else first + last
    stage = ceil(layers / pipeline)
    return ceil((layered * stage / layers + ends) / tensor + (experts + replicated) * stage / layers)


@formula(Unit.BYTE)
def weights_of_copies(weights: int, experts: int, attention_replicas: int, replicas: int) -> int:
    """Weights over all accelerators, where attention stands in several places of one copy.

    bytes = replicas * (weights + (attention_replicas - 1) * (weights - experts))

    Parameters
    ----------
    weights : of the model, counted once [byte]
    experts : routed experts among them [byte]
    attention_replicas : groups of a copy that each hold everything but the experts
    replicas : copies

    Returns
    -------
    bytes [byte]

    >>> weights_of_copies(100, 80, 8, 1)
    240
    """
    return replicas * (weights + (attention_replicas - 1) * (weights - experts))


@formula(Unit.REQUEST)
def requests_at_experts(batch: Any, groups: int, requests: Any, replicas: int) -> Any:
    """Requests whose tokens meet at the experts in one step: those of all groups that have any.

    requests = max(batch, min(batch * groups, requests / replicas))

    Parameters
    ----------
    batch : requests in the step of one group
    groups : that share the experts
    requests : at once, over all copies
    replicas : copies of the model

    Returns
    -------
    requests

    >>> requests_at_experts(1.0, 8, 1, 1), requests_at_experts(4.0, 8, 32, 1)
    (1.0, 32.0)
    """
    return maximum(batch, minimum(batch * groups, requests / replicas))


@formula(Unit.REQUEST)
def requests_of_all_groups(batch: Any, groups: int) -> Any:
    """Requests whose tokens meet at the experts when every group is full.

    requests = batch * groups

    Parameters
    ----------
    batch : requests in the step of one group
    groups : that share the experts

    Returns
    -------
    requests

    >>> requests_of_all_groups(4.0, 8)
    32.0
    """
    return batch * groups


def largest_of(spread: Any) -> Any:
    """The largest of so many normal deviates on average; 0 for one.

    >>> largest_of(1), round(largest_of(8), 2)
    (0, 1.43)
    """
    return maximum(0, sqrt(2 * log(spread)) - 0.61)


@formula(Unit.RATIO)
def hot_rank_reading(distinct: Any, experts: int, spread: int) -> Any:
    """How many more experts than the average the busiest accelerator has to read.

    ratio = min(
        experts / distinct,
        1 + max(0, sqrt(2 * log(spread)) - 0.61) * sqrt(spread / distinct * max(0.0, 1 - distinct / experts))
    )

    Parameters
    ----------
    distinct : different experts of a layer that the step needs, over all accelerators
    experts : in one layer
    spread : accelerators over which whole experts are spread

    Returns
    -------
    ratio; 1 when a step needs all experts anyway

    Notes
    -----
    The fullest of several bins when balls fall by chance, with a finite number of balls: sqrt(2 log n) - 0.61 is the
    largest of n normal deviates on average, within 0.04 up to 16 and 0.07 up to 64. Routers that prefer some experts
    make it worse, replicated experts (EPLB) better; both lie within the range of the speed.

    >>> hot_rank_reading(8.0, 128, 1), round(hot_rank_reading(8.0, 256, 8), 2), hot_rank_reading(256.0, 256, 8)
    (1.0, 2.41, 1.0)
    """
    spare = maximum(0.0, 1 - distinct / experts)
    return minimum(experts / distinct, 1 + largest_of(spread) * sqrt(spread / distinct * spare))


@formula(Unit.RATIO)
def hot_rank_computing(tokens: Any, chosen: int, spread: int) -> Any:
    """How many more tokens than the average the busiest accelerator has to compute.

    ratio = min(spread, 1 + max(0, sqrt(2 * log(spread)) - 0.61) * sqrt(spread / (tokens * chosen)))

    Parameters
    ----------
    tokens : of all requests in the step
    chosen : experts per token
    spread : accelerators over which whole experts are spread

    Returns
    -------
    ratio; close to 1 for many tokens

    >>> hot_rank_computing(64.0, 8, 1), round(hot_rank_computing(64.0, 8, 8), 2)
    (1, 1.18)
    """
    return minimum(spread, 1 + largest_of(spread) * sqrt(spread / (tokens * chosen)))


@formula(Unit.SECOND)
def slowed_seconds(seconds: Any, ratio: Any) -> Any:
    """Time of the busiest accelerator, for which the others wait.

    seconds = seconds * ratio

    Parameters
    ----------
    seconds : on average [s]
    ratio : of the busiest to the average

    Returns
    -------
    time [s]

    >>> slowed_seconds(0.002, 1.5)
    0.003
    """
    return seconds * ratio


@formula(Unit.SECOND)
def gather_seconds(message: Any, groups: int, alpha: float, bus: float, factor: float) -> Any:
    """Time to bring the tokens of all groups together (all-gather), or to hand their results back (reduce-scatter).

    seconds = factor * (alpha + (groups - 1) * message / bus)

    Parameters
    ----------
    message : activations of one group [byte]
    groups : that share the experts
    alpha : start-up [s]
    bus : bus rate of long messages [byte/s]
    factor : an engine's exchange over the bare kernel's

    Returns
    -------
    time [s]

    Notes
    -----
    Half of an all-reduce: a ring does first the one, then the other.

    >>> round(gather_seconds(1e6, 8, 5e-6, 234e9, 1.0) * 1e6, 1)
    34.9
    """
    return factor * (alpha + (groups - 1) * message / bus)


@formula(Unit.COUNT)
def accelerators_reached(ranks: int, chosen: int) -> float:
    """Accelerators to which one token is sent on average: several of its experts may lie on one.

    count = ranks * (1 - (1 - 1 / ranks) ** chosen)

    Parameters
    ----------
    ranks : accelerators over which whole experts are spread
    chosen : experts per token

    Returns
    -------
    accelerators

    >>> round(accelerators_reached(8, 8), 2)
    5.25
    """
    return ranks * (1 - (1 - 1 / ranks) ** chosen)


@formula(Unit.SECOND)
def all_to_all_seconds(message: Any, reached: float, ranks: int, alpha: float, rate: float, factor: float) -> Any:
    """Time to send every token to its experts, or their results back, directly.

    seconds = factor * (alpha + message * reached * (ranks - 1) / ranks / rate)

    Parameters
    ----------
    message : activations of one accelerator [byte]
    reached : accelerators to which a token is sent
    ranks : over which the experts are spread; a token's own needs no link
    alpha : start-up [s]
    rate : of the link in one direction, as far as it is reached [byte/s]
    factor : an engine's exchange over the bare kernel's

    Returns
    -------
    time [s]

    >>> round(all_to_all_seconds(1e6, 5.25, 8, 5e-6, 315e9, 1.0) * 1e6, 1)
    19.6
    """
    return factor * (alpha + message * reached * (ranks - 1) / ranks / rate)


@formula(Unit.COUNT)
def attention_exchanges(layers: int, expert_layers: int) -> int:
    """All-reduces inside a group: after attention, and after the feed-forward block of layers without experts.

    count = 2 * layers - expert_layers

    Parameters
    ----------
    layers, expert_layers : of the model, and of them with experts

    Returns
    -------
    all-reduces per step

    >>> attention_exchanges(61, 58)
    64
    """
    return 2 * layers - expert_layers


@formula(Unit.COUNT)
def messages_with_experts(expert_layers: int, tensor: int, layers: int, pipeline: int) -> int:
    """Exchanges between accelerators in one step where attention stands in several groups.

    messages = 2 * expert_layers + where(tensor > 1, 2 * layers - expert_layers, 0) + pipeline - 1

    Parameters
    ----------
    expert_layers, layers : with experts, and all
    tensor : accelerators that share attention
    pipeline : stages

    Returns
    -------
    dispatches, combinations, all-reduces inside the groups, hand-overs

    >>> messages_with_experts(58, 1, 61, 1)
    116
    """
    return 2 * expert_layers + (2 * layers - expert_layers if tensor > 1 else 0) + pipeline - 1


@formula(Unit.SECOND)
def there_and_back(count: int, dispatch: Any, combine: Any) -> Any:
    """Time of all dispatches to experts and of their results.

    seconds = count * (dispatch + combine)

    Parameters
    ----------
    count : layers with experts
    dispatch, combine : of one layer [s]

    Returns
    -------
    time [s]

    >>> round(there_and_back(58, 30e-6, 40e-6), 5)
    0.00406
    """
    return count * (dispatch + combine)


@formula(Unit.SECOND)
def prompt_beside_others(alone: Any, read: Any, compute: Any, groups: int) -> Any:
    """Time of a prompt while every other group computes one too: the experts work for all of them.

    seconds = alone + sqrt(read * read + (compute * groups) ** 2) - sqrt(read * read + compute * compute)

    Parameters
    ----------
    alone : time of the prompt when nobody else sends one [s]
    read : time to read the experts [s]
    compute : time to multiply with them, for one prompt [s]
    groups : that share the experts

    Returns
    -------
    time [s]

    >>> prompt_beside_others(1.0, 0.0, 0.1, 4)
    1.2999999999999998
    """
    return alone + sqrt(read * read + (compute * groups) ** 2) - sqrt(read * read + compute * compute)
