"""Prompts under load: what one more prompt costs an engine that is at work.

A lone prompt reads all weights for itself. Under load it does not: prompts that wait share a pass, and most engines put
the next token of every request in flight into the same pass. The weights are read once for all of them, so a prompt
adds its arithmetic, its attention and the bytes that it exchanges, and of reading only what the requests in flight had
not read anyway.

References
----------
1. Agrawal et al.: "Taming Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve", 2024 (mixed passes).
2. vLLM documentation, "Optimization and Tuning: Chunked Prefill"; TensorRT-LLM documentation, "In-flight batching".
3. SGLang documentation, "Server Arguments": without `--enable-mixed-chunk`, prompts have passes of their own.
"""

from typing import Any

from core.physics.arrays import maximum, minimum, power, sqrt
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def prompt_tokens_in_pass(tokens: Any, output: Any, batch: Any, chunk: int) -> Any:
    """Prompt tokens that share one pass, when each answer is followed by the next prompt.

    size = min(chunk, max(tokens, batch * tokens / output))

    Parameters
    ----------
    tokens : of one prompt
    output : tokens of an answer: so many steps pass between two prompts of a user
    batch : requests in a step
    chunk : most tokens of a pass, by the engine

    Returns
    -------
    tokens: one prompt, or as many as come in during a step

    >>> prompt_tokens_in_pass(1000, 500, 64.0, 8192), prompt_tokens_in_pass(100, 10, 64.0, 8192)
    (1000, 640.0)
    """
    return minimum(chunk, maximum(tokens, batch * tokens / output))


@formula(Unit.TOKEN)
def burst_tokens_in_pass(tokens: Any, batch: Any, chunk: int) -> Any:
    """Prompt tokens that share one pass, when all prompts were sent at the same moment.

    size = min(chunk, tokens * batch)

    Parameters
    ----------
    tokens : of one prompt
    batch : prompts sent together
    chunk : most tokens of a pass, by the engine

    Returns
    -------
    tokens

    >>> burst_tokens_in_pass(1000, 4.0, 8192), burst_tokens_in_pass(1000, 16.0, 8192)
    (4000.0, 8192)
    """
    return minimum(chunk, tokens * batch)


@formula(Unit.SECOND)
def dense_seconds_of_a_prompt(
    passes: Any, size: Any, batch: Any, at_peak: float, ranks: int, efficiency: float, half: float, read: Any, busy: Any
) -> Any:
    """What a prompt adds to passes that read the weights for the requests in flight: everything but the experts.

    seconds = passes * (sqrt(read * read
        + max(busy + size * (at_peak / ranks / efficiency),
              (size + batch + half) * (at_peak / ranks / efficiency)) ** 2)
        - sqrt(read * read + busy * busy))

    Parameters
    ----------
    passes : of one prompt, its part of those that it shares
    size : prompt tokens that share a pass
    batch : requests in flight in the same pass
    at_peak : time per token at the vendor's rate [s]
    ranks : accelerators that share the work
    efficiency : share of the rate that long products reach
    half : tokens at half rate
    read : time to read the weights once [s]
    busy : time to multiply the tokens of the requests in flight [s]

    Returns
    -------
    time per prompt [s]

    >>> dense_seconds_of_a_prompt(1.0, 100.0, 0.0, 1e-3, 1, 0.5, 0.0, 0.0, 0.0)
    0.2
    """
    each = at_peak / ranks / efficiency
    joint = maximum(busy + size * each, (size + batch + half) * each)
    return passes * (sqrt(read * read + joint * joint) - sqrt(read * read + busy * busy))


@formula(Unit.TOKEN)
def tokens_of_groups(size: Any, batch: Any, groups: int) -> Any:
    """Tokens that meet at the experts in a pass of prompts and requests in flight.

    tokens = (size + batch) * groups

    Parameters
    ----------
    size : prompt tokens of one group
    batch : requests in flight of one group
    groups : that share the experts

    Returns
    -------
    tokens

    >>> tokens_of_groups(1000.0, 24.0, 8)
    8192.0
    """
    return (size + batch) * groups


@formula(Unit.COUNT)
def experts_of_a_mixed_pass(experts: int, chosen: int, prompts: Any, decoding: Any, reuse: float) -> Any:
    """Experts of one layer that prompt tokens and the next tokens of requests in flight need together.

    distinct = experts * (1 - (1 - chosen / experts) ** (decoding ** min(reuse, 1) + prompts))

    Parameters
    ----------
    experts : in one layer
    chosen : per token
    prompts : prompt tokens in the pass
    decoding : tokens of requests in flight; 0 where prompts have passes of their own
    reuse : that of requests in flight among each other; without prompts they need what their step needs

    Returns
    -------
    expected number of different experts

    >>> round(experts_of_a_mixed_pass(128, 8, 0, 64, 1.0), 1), round(experts_of_a_mixed_pass(128, 8, 1000, 0, 0.9), 1)
    (125.9, 128.0)
    """
    return experts * (1 - power(1 - chosen / experts, power(decoding, minimum(reuse, 1)) + prompts))


@formula(Unit.SECOND)
def expert_seconds_of_a_prompt(
    passes: Any,
    size: Any,
    joint: Any,
    groups: int,
    at_peak: float,
    ranks: int,
    efficiency: float,
    half: float,
    chosen: int,
    distinct: Any,
    before: Any,
    read: Any,
    busy: Any,
) -> Any:
    """What a prompt adds to passes of the requests in flight: reading further experts, and multiplying with them.

    seconds = passes * (sqrt((read * distinct / before) ** 2
        + max(busy + size * groups * (at_peak / ranks / efficiency),
              (joint + half / 2 * distinct / chosen) * (at_peak / ranks / efficiency)) ** 2)
        - sqrt(read * read + busy * busy))

    Parameters
    ----------
    passes : of one prompt, its part of those that it shares
    size : prompt tokens of one group that share a pass
    joint : tokens of all groups in the pass, prompts and requests in flight
    groups : that share the experts
    at_peak : time per token at the vendor's rate [s]
    ranks : accelerators that share the experts
    efficiency : share of the rate that long products with experts reach
    half : tokens at half rate of a dense product
    chosen : experts per token
    distinct : different experts of a layer that the pass needs
    before : different experts that the requests in flight need alone
    read : time to read those [s]
    busy : time to multiply the tokens of the requests in flight [s]

    Returns
    -------
    time per prompt [s]

    >>> expert_seconds_of_a_prompt(1.0, 100.0, 100.0, 1, 1e-3, 1, 0.5, 0.0, 8, 128.0, 8.0, 0.0, 0.0)
    0.2
    """
    each = at_peak / ranks / efficiency
    widened = read * distinct / before
    compute = maximum(busy + size * groups * each, (joint + half / 2 * distinct / chosen) * each)
    return passes * (sqrt(widened * widened + compute * compute) - sqrt(read * read + busy * busy))


@formula(Unit.COUNT)
def passes_of_a_prompt(tokens: Any, size: Any) -> Any:
    """Passes that a prompt takes, its part of those that it shares with others.

    passes = tokens / size

    Parameters
    ----------
    tokens : of one prompt
    size : prompt tokens that share a pass

    Returns
    -------
    passes

    >>> passes_of_a_prompt(1000.0, 4000.0)
    0.25
    """
    return tokens / size


@formula(Unit.COUNT)
def prompts_in_pass(size: Any, tokens: Any, batch: Any) -> Any:
    """Prompts that one pass finishes.

    prompts = max(1.0, min(batch, size / tokens))

    Parameters
    ----------
    size : prompt tokens of a pass
    tokens : of one prompt
    batch : prompts that there are

    Returns
    -------
    prompts, at least one

    >>> prompts_in_pass(8192, 1024, 32.0), prompts_in_pass(8192, 16384, 32.0)
    (8.0, 1.0)
    """
    return maximum(1.0, minimum(batch, size / tokens))
