"""Several users at once, in a closed loop: whoever has an answer sends the next prompt.

Requests in flight share the steps of the engine. A new prompt stalls the others for a while (interference), waits
behind other prompts (queue), and, when the cache is full, waits for somebody to finish (Little's law).

References
----------
1. Agrawal et al.: "Vidur: A Large-Scale Simulation Framework for LLM Inference", 2024.
2. Patel et al.: "Splitwise: Efficient generative LLM inference using phase splitting", 2024.
3. Little: "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.
"""

from typing import Any

from core.physics.arrays import maximum, minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def decode_depth(prompt: Any, output: Any, context: Any) -> Any:
    """Tokens in the cache half-way through an answer: the depth at which decode speed is stated.

    depth = min(prompt + output / 2, context)

    Parameters
    ----------
    prompt, output : lengths [tokens]
    context : limit per request [tokens]

    Returns
    -------
    depth [tokens]

    >>> decode_depth(512, 512, 8192), decode_depth(1024, 1024, 1024)
    (768.0, 1024)
    """
    return minimum(prompt + output / 2, context)


@formula(Unit.TOKEN)
def held_tokens(prompt: Any, output: Any) -> Any:
    """Tokens that a request in flight holds in the cache, on average over requests that started at different times.

    tokens = prompt + 0.6 * output

    Parameters
    ----------
    prompt, output : lengths [tokens]

    Returns
    -------
    tokens held

    >>> held_tokens(1000, 1000)
    1600.0
    """
    return prompt + 0.6 * output


@formula(Unit.REQUEST)
def requests_that_fit(pool: float, per_request: Any, replicas: int) -> Any:
    """Requests in flight that the cache of one replica can hold; at least one is assumed, so that a speed can be told.

    requests = max(1.0, pool / replicas / per_request)

    Parameters
    ----------
    pool : memory for cache and state, over all replicas [byte]
    per_request : cache and state of one request in flight [byte]
    replicas : that share the pool

    Returns
    -------
    requests per replica

    >>> requests_that_fit(40e9, 2e9, 2), requests_that_fit(-1e9, 2e9, 1)
    (10.0, 1.0)
    """
    return maximum(1.0, pool / replicas / per_request)


@formula(Unit.REQUEST)
def requests_in_flight(requests: Any, replicas: int, fit: Any) -> Any:
    """Requests that one replica works on at the same time.

    in_flight = max(1.0, min(requests / replicas, fit))

    Parameters
    ----------
    requests : at once, in all
    replicas : that share them
    fit : requests that one replica can hold

    Returns
    -------
    requests per replica, at least one

    >>> requests_in_flight(64, 4, 10.0), requests_in_flight(1, 4, 10.0)
    (10.0, 1.0)
    """
    return maximum(1.0, minimum(requests / replicas, fit))


@formula(Unit.REQUEST)
def requests_in_step(in_flight: Any, stages: int) -> Any:
    """Requests in one step: the stages of a pipeline each work on their own part of them.

    batch = max(1.0, in_flight / stages)

    Parameters
    ----------
    in_flight : requests in one replica
    stages : pipeline stages that work at the same time; 1 where they take turns

    Returns
    -------
    requests per step

    >>> requests_in_step(64.0, 8), requests_in_step(1.0, 8)
    (8.0, 1.0)
    """
    return maximum(1.0, in_flight / stages)


@formula(Unit.SECOND)
def interference_seconds(batch: Any, output: Any, prefill: Any, share: float) -> Any:
    """What the prompts of others add to each of a request's tokens.

    seconds = max(0, batch - 1) / output * prefill * share

    Parameters
    ----------
    batch : requests in the step
    output : tokens of an answer: each request brings one prompt per answer
    prefill : time of one prompt [s]
    share : of it that the others wait

    Returns
    -------
    time per token [s]

    >>> interference_seconds(11.0, 500, 1.0, 0.5)
    0.01
    """
    return maximum(0, batch - 1) / output * prefill * share


@formula(Unit.SHARE)
def interference_of_a_burst(share: float, batch: Any, together: Any) -> Any:
    """Share of the others' prompts that a request waits for while it writes, when all are sent at the same moment.

    of_a_burst = share * (batch - together) / 2 / max(1, batch - 1)

    Parameters
    ----------
    share : when requests come one by one
    batch : requests in the step
    together : prompts that one pass finishes

    Returns
    -------
    share

    Notes
    -----
    The prompts come pass after pass at the beginning; on average half of those in other passes are still to come when a
    request has had its turn. Prompts of one pass do not hinder each other's answers.

    >>> interference_of_a_burst(0.8, 9.0, 1.0), interference_of_a_burst(0.8, 4.0, 4.0)
    (0.4, 0.0)
    """
    return share * (batch - together) / 2 / maximum(1, batch - 1)


@formula(Unit.SECOND)
def time_per_output_token(step: Any, interference: Any) -> Any:
    """Time per output token of one user (TPOT, inter-token latency).

    tpot = step + interference

    Parameters
    ----------
    step : of the engine [s]
    interference : from others' prompts [s]

    Returns
    -------
    time per token [s]

    >>> time_per_output_token(0.02, 0.01)
    0.03
    """
    return step + interference


@formula(Unit.SHARE)
def prompt_share(batch: Any, prefill: Any, output: Any, step: Any) -> Any:
    """Share of the time that an engine spends on prompts.

    share = batch * prefill / (batch * prefill + output * step)

    Parameters
    ----------
    batch : requests in the step
    prefill : time of one prompt [s]
    output : tokens of an answer
    step : time of a step [s]

    Returns
    -------
    share of the time

    >>> prompt_share(10.0, 1.0, 500, 0.02)
    0.5
    """
    return batch * prefill / (batch * prefill + output * step)


@formula(Unit.RATIO)
def queue_of_a_burst(queue: float, share: Any, weight: float, batch: Any, together: Any) -> Any:
    """Weight of the prompts before a new one when all requests are sent at the same moment.

    weight = max(queue, weight * (batch + together - 2) / max(1, batch - 1) / share)

    Parameters
    ----------
    queue : weight when requests come one by one
    share : of the time that the engine spends on prompts
    weight : of the prompts that were sent together, over what follows from their order
    batch : requests in the step
    together : prompts that one pass finishes

    Returns
    -------
    weight

    Notes
    -----
    Pass after pass, a request waits for half of the others' prompts on average. Prompts that share a pass end with it
    together, so that each of them waits for the whole pass.

    >>> queue_of_a_burst(0.3, 0.5, 1.0, 9.0, 1.0), queue_of_a_burst(0.3, 0.5, 1.0, 9.0, 9.0)
    (2.0, 4.0)
    """
    return maximum(queue, weight * (batch + together - 2) / maximum(1, batch - 1) / share)


@formula(Unit.SECOND)
def admission_seconds(steps: int, step: Any) -> Any:
    """Time between two looks for new requests, where the engine does not look before every step.

    seconds = steps * step

    Parameters
    ----------
    steps : from one look to the next
    step : of the engine [s]

    Returns
    -------
    time [s]

    >>> admission_seconds(30, 0.01)
    0.3
    """
    return steps * step


@formula(Unit.SECOND)
def time_to_first_token(request: float, step: Any, own: Any, other: Any, queue: float, share: Any, batch: Any) -> Any:
    """Time from sending a prompt to the first token of the answer, when there is a free slot.

    ttft = request + where(batch > 1, step / 2, 0) + own + other * queue * share * (batch - 1) / 2

    Parameters
    ----------
    request : handling of a request: network, tokenizer, scheduler [s]
    step : running step, or steps, that a new request waits for, half of that on average [s]
    own : time of its own prompt [s]
    other : time that the prompt of another request adds [s]
    queue : weight of the prompts before it
    share : of the time that the engine spends on prompts
    batch : requests in the step

    Returns
    -------
    time to first token [s]

    >>> time_to_first_token(0.034, 0.02, 1.0, 1.0, 0.3, 0.5, 1.0)
    1.034
    """
    return request + where(batch > 1, step / 2, 0) + own + other * queue * share * (batch - 1) / 2


@formula(Unit.SECOND)
def slot_wait_seconds(requests: Any, replicas: int, in_flight: Any, output: Any, tpot: Any) -> Any:
    """Wait for a slot when more requests are sent than fit (Little's law).

    wait = max(requests / replicas / in_flight - 1, 0) * output * tpot

    Parameters
    ----------
    requests : at once, in all
    replicas : that share them
    in_flight : requests that one replica works on
    output : tokens of an answer
    tpot : time per output token [s]

    Returns
    -------
    wait [s]

    >>> slot_wait_seconds(20, 1, 10.0, 500, 0.02), slot_wait_seconds(1, 4, 1.0, 500, 0.02)
    (10.0, 0.0)
    """
    return maximum(requests / replicas / in_flight - 1, 0) * output * tpot


@formula(Unit.SECOND)
def time_to_first_token_with_wait(with_slot: Any, wait: Any) -> Any:
    """Time to first token, the wait for a slot included.

    ttft = with_slot + wait

    Parameters
    ----------
    with_slot : when there is a free slot [s]
    wait : for one [s]

    Returns
    -------
    time to first token [s]

    >>> time_to_first_token_with_wait(1.0, 2.0)
    3.0
    """
    return with_slot + wait


@formula(Unit.TOKEN_PER_SECOND)
def replica_tokens_per_second(in_flight: Any, tpot: Any, first: Any, output: Any, overlap: Any) -> Any:
    """Output tokens per second of one replica in a closed loop: every request in flight waits, then writes (Little).

    speed = in_flight * overlap / (tpot + first / output)

    Parameters
    ----------
    in_flight : requests that the replica works on
    tpot : time per output token [s]
    first : time to the first token, from the moment that there is a place [s]
    output : tokens of an answer
    overlap : what a pipeline keeps of its parallel stages

    Returns
    -------
    speed [token/s]

    >>> replica_tokens_per_second(10.0, 0.02, 2.5, 500, 1.0)
    400.0
    """
    return in_flight * overlap / (tpot + first / output)


@formula(Unit.TOKEN_PER_SECOND)
def saturated_tokens_per_second(in_flight: Any, batch: Any, step: Any, prefill: Any, output: Any, overlap: Any) -> Any:
    """Output tokens per second of one replica that always has a next request: each answer costs one prompt.

    speed = in_flight * overlap / (step + batch * prefill / output)

    Parameters
    ----------
    in_flight : requests that the replica works on
    batch : requests in one step
    step : time of a step [s]
    prefill : time of a prompt [s]
    output : tokens of an answer
    overlap : what a pipeline keeps of its parallel stages

    Returns
    -------
    speed [token/s]

    >>> saturated_tokens_per_second(100.0, 100.0, 0.05, 0.25, 500, 1.0)
    1000.0
    """
    return in_flight * overlap / (step + batch * prefill / output)


@formula(Unit.SHARE)
def pipeline_overlap(in_flight: Any, stages: int, kept: float) -> Any:
    """What a pipeline keeps of its parallel stages, against stages that are always busy.

    overlap = where(min(stages, in_flight) > 1, kept, 1.0)

    Parameters
    ----------
    in_flight : requests in the replica
    stages : that work at the same time
    kept : share that bubbles leave

    Returns
    -------
    share; 1 when there is nothing to overlap

    >>> pipeline_overlap(8.0, 4, 0.9), pipeline_overlap(1.0, 4, 0.9)
    (0.9, 1.0)
    """
    return where(minimum(stages, in_flight) > 1, kept, 1.0)


@formula(Unit.TOKEN_PER_SECOND)
def total_tokens_per_second(per_replica: Any, requests: Any, replicas: int) -> Any:
    """Output tokens per second of all replicas that have work.

    total = per_replica * min(replicas, requests)

    Parameters
    ----------
    per_replica : of one [token/s]
    requests : at once, in all
    replicas : number of them

    Returns
    -------
    speed of all users together [token/s]

    >>> total_tokens_per_second(100.0, 64, 4), total_tokens_per_second(100.0, 1, 4)
    (400.0, 100.0)
    """
    return per_replica * minimum(replicas, requests)


@formula(Unit.REQUEST)
def saturating_requests(fit: Any, slots: int) -> Any:
    """Requests in flight of an engine that always has more to do.

    requests = min(fit, slots)

    Parameters
    ----------
    fit : requests that one replica can hold
    slots : most that an engine schedules

    Returns
    -------
    requests per replica

    >>> saturating_requests(5000.0, 2048)
    2048
    """
    return minimum(fit, slots)


@formula(Unit.TOKEN_PER_SECOND)
def total_ceiling(in_flight: Any, step: Any, requests: Any, replicas: int) -> Any:
    """Output tokens per second that reading alone would allow: every request gets one per step.

    ceiling = in_flight / step * min(replicas, requests)

    Parameters
    ----------
    in_flight : requests of one replica
    step : least time of a step, by bandwidth [s]
    requests : at once, in all
    replicas : number of them

    Returns
    -------
    speed at most [token/s]

    >>> total_ceiling(10.0, 0.01, 20, 2)
    2000.0
    """
    return in_flight / step * minimum(replicas, requests)


@formula(Unit.TOKEN)
def prompt_before(depth: Any, ahead: Any) -> Any:
    """The prompt of a request that is at a depth after writing some tokens of its answer.

    prompt = max(1.0, depth - ahead)

    Parameters
    ----------
    depth : tokens in the cache
    ahead : tokens of the answer that are written [tokens]

    Returns
    -------
    length of the prompt [tokens]

    >>> prompt_before(1024.0, 256)
    768.0
    """
    return maximum(1.0, depth - ahead)


@formula(Unit.SECOND)
def time_to_first_token_with_retrieval(after: Any, retrieval: float) -> Any:
    """Time to first token where passages are found on another card before the model can start.

    ttft = after + retrieval

    Parameters
    ----------
    after : from the moment when the passages are there [s]
    retrieval : embedding and ranking [s]

    Returns
    -------
    time [s]

    >>> time_to_first_token_with_retrieval(1.0, 0.13)
    1.13
    """
    return after + retrieval
