"""The time to read a prompt: all its tokens go through the model in chunks before the first answer token.

A chunk is one pass over all weights. Its multiplications are long matrix products that reach a good share of the
vendor's rate once there are enough tokens in them; mixture-of-experts layers split the tokens among the experts, so
each product is shorter. Attention is counted separately: it grows with the square of the prompt.

References
----------
1. Agrawal et al.: "Taming Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve", 2024 (chunked prefill).
"""

from typing import Any

from core.physics.arrays import maximum, minimum, sqrt
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def new_prompt_tokens(prompt: Any, prefix_hit_share: float) -> Any:
    """Tokens of a prompt that must be computed; a cached prefix is not read again.

    tokens = max(1.0, prompt * (1 - prefix_hit_share))

    Parameters
    ----------
    prompt : length of the prompt [tokens]
    prefix_hit_share : share found in the prefix cache

    Returns
    -------
    tokens to compute, at least the last one

    >>> new_prompt_tokens(8192, 0.75)
    2048.0
    """
    return maximum(1.0, prompt * (1 - prefix_hit_share))


@formula(Unit.TOKEN)
def cached_prompt_tokens(prompt: Any, new: Any) -> Any:
    """Tokens of a prompt that are already in the cache.

    cached = prompt - new

    Parameters
    ----------
    prompt : length of the prompt [tokens]
    new : tokens to compute [tokens]

    Returns
    -------
    depth on which the new tokens build

    >>> cached_prompt_tokens(8192, 2048.0)
    6144.0
    """
    return prompt - new


@formula(Unit.TOKEN)
def chunk_tokens(tokens: Any, chunk: int) -> Any:
    """Tokens in one pass.

    size = min(tokens, chunk)

    Parameters
    ----------
    tokens : of the prompt
    chunk : the engine's limit

    Returns
    -------
    tokens per pass

    >>> chunk_tokens(8192.0, 512)
    512
    """
    return minimum(tokens, chunk)


@formula(Unit.COUNT)
def chunk_count(tokens: Any, size: Any) -> Any:
    """Passes over the weights that a prompt takes; a part of a pass counts as a part.

    chunks = tokens / size

    Parameters
    ----------
    tokens : of the prompt
    size : tokens per pass

    Returns
    -------
    passes

    >>> chunk_count(8192.0, 512)
    16.0
    """
    return tokens / size


@formula(Unit.TOKEN)
def half_rate_tokens(at_100_tflops: Any, rate: Any) -> Any:
    """Tokens per pass at which matrix products reach half of their best rate; faster devices need more of them.

    tokens = at_100_tflops * sqrt(rate / 100e12)

    Parameters
    ----------
    at_100_tflops : on a device of 100 TFLOPS
    rate : 16-bit dense rate [FLOP/s]

    Returns
    -------
    tokens

    >>> half_rate_tokens(62, 400e12)
    124.0
    """
    return at_100_tflops * sqrt(rate / 100e12)


@formula(Unit.SECOND)
def dense_compute_seconds(tokens: Any, at_peak: float, ranks: int, efficiency: float, size: Any, half: float) -> Any:
    """Time of the multiplications of a prompt with everything but the experts.

    seconds = tokens * at_peak / ranks / (efficiency * size / (size + half))

    Parameters
    ----------
    tokens : of the prompt
    at_peak : time per token at the vendor's rate [s]
    ranks : accelerators that share the work
    efficiency : share of the rate that long products reach
    size : tokens per pass
    half : tokens at half rate

    Returns
    -------
    time [s]

    >>> dense_compute_seconds(1000.0, 1e-4, 1, 0.5, 100.0, 100.0)
    0.4
    """
    return tokens * at_peak / ranks / (efficiency * size / (size + half))


@formula(Unit.TOKEN)
def tokens_per_expert(size: Any, chosen: Any, distinct: Any) -> Any:
    """Tokens that one expert sees in one pass, on average over the experts that see any.

    tokens = size * chosen / distinct

    Parameters
    ----------
    size : tokens per pass
    chosen : experts per token
    distinct : different experts of one layer that the pass needs

    Returns
    -------
    tokens per expert, at least 1 for a single token

    >>> tokens_per_expert(512, 8, 128.0), tokens_per_expert(1.0, 8, 8.0)
    (32.0, 1.0)
    """
    return size * chosen / distinct


@formula(Unit.SECOND)
def expert_compute_seconds(
    tokens: Any, at_peak: float, ranks: int, efficiency: float, expert_share: float, per_expert: Any, half: float
) -> Any:
    """Time of the multiplications of a prompt with its experts.

    seconds = tokens * at_peak / ranks / (efficiency * expert_share * per_expert / (per_expert + half / 2))

    Parameters
    ----------
    tokens : of the prompt
    at_peak : time per token at the vendor's rate [s]
    ranks : accelerators that share the work
    efficiency : share of the rate that long products reach
    expert_share : of that, in expert layers
    per_expert : tokens per expert and pass
    half : tokens at half rate of a dense product

    Returns
    -------
    time [s]

    >>> expert_compute_seconds(1000.0, 1e-4, 1, 0.5, 1.0, 50.0, 100.0)
    0.4
    """
    return tokens * at_peak / ranks / (efficiency * expert_share * per_expert / (per_expert + half / 2))


@formula(Unit.TOKEN)
def mean_context(cached: Any, tokens: Any) -> Any:
    """Tokens that a prompt token looks back at, on average.

    rows = cached + tokens / 2

    Parameters
    ----------
    cached : tokens before the new ones
    tokens : new ones

    Returns
    -------
    mean depth

    >>> mean_context(1000.0, 512.0)
    1256.0
    """
    return cached + tokens / 2


@formula(Unit.SECOND)
def prompt_attention_seconds(tokens: Any, flops: Any, ranks: int, rate: float, efficiency: float) -> Any:
    """Time of attention within a prompt.

    seconds = tokens * flops / ranks / (rate * efficiency)

    Parameters
    ----------
    tokens : of the prompt
    flops : attention operations of a token at the mean depth [FLOP]
    ranks : accelerators that share the heads
    rate : 16-bit dense rate [FLOP/s]
    efficiency : share of it that prompt attention reaches

    Returns
    -------
    time [s]

    >>> prompt_attention_seconds(1000.0, 1e9, 1, 1e15, 0.25)
    0.004
    """
    return tokens * flops / ranks / (rate * efficiency)


@formula(Unit.SECOND)
def pass_overhead_seconds(chunks: Any, kernels: int, per_kernel: float, per_step: float) -> Any:
    """What the engine itself takes for the passes of a prompt.

    seconds = chunks * (kernels * per_kernel + per_step)

    Parameters
    ----------
    chunks : passes
    kernels : launched in one
    per_kernel : launch and gap [s]
    per_step : host [s]

    Returns
    -------
    time [s]

    >>> pass_overhead_seconds(2.0, 500, 5e-6, 1e-3)
    0.007
    """
    return chunks * (kernels * per_kernel + per_step)


@formula(Unit.SECOND)
def repeated_read_seconds(chunks: Any, read: Any, ranks: int, bandwidth: float) -> Any:
    """Time to read the same weights once per pass.

    seconds = chunks * read / ranks / bandwidth

    Parameters
    ----------
    chunks : passes
    read : bytes of one pass [byte]
    ranks : that read their part at the same time
    bandwidth : that such reads reach [byte/s]

    Returns
    -------
    time [s]

    >>> repeated_read_seconds(2.0, 1e9, 1, 1e12)
    0.002
    """
    return chunks * read / ranks / bandwidth


@formula(Unit.SECOND)
def copy_seconds(chunks: Any, dense: int, experts: int, share: Any, ranks: int, bandwidth: float) -> Any:
    """Time to write a 16-bit copy of quantised weights for every pass; reading it hides behind the products with it.

    seconds = chunks * (dense + experts * share) * 2 / ranks / bandwidth

    Parameters
    ----------
    chunks : passes
    dense, experts : quantised parameters outside of experts, and of all experts
    share : of the experts that a pass needs
    ranks : that do so at the same time
    bandwidth : that such writes reach [byte/s]

    Returns
    -------
    time [s]

    >>> copy_seconds(2.0, 10**9, 0, 1.0, 1, 1e12)
    0.004
    """
    return chunks * (dense + experts * share) * 2 / ranks / bandwidth


@formula(Unit.SHARE)
def needed_share(distinct: Any, experts: int) -> Any:
    """Share of a layer's experts that a pass needs.

    share = distinct / experts

    Parameters
    ----------
    distinct : different experts that it needs
    experts : in the layer

    Returns
    -------
    share

    >>> needed_share(64.0, 128)
    0.5
    """
    return distinct / experts


@formula(Unit.RATIO)
def stage_overlap(pipeline: int, chunks: Any, overlap: float) -> Any:
    """How much faster a prompt of several chunks goes through a layer split: stages work on different chunks at a time.

    speedup = max(1.0, 1 + (min(pipeline, chunks) - 1) * overlap)

    Parameters
    ----------
    pipeline : stages
    chunks : passes
    overlap : share of a stage that overlaps with the next

    Returns
    -------
    factor on speed; 1 for one stage

    >>> stage_overlap(4, 16.0, 0.22), stage_overlap(1, 16.0, 0.22)
    (1.66, 1.0)
    """
    return maximum(1.0, 1 + (minimum(pipeline, chunks) - 1) * overlap)


@formula(Unit.SECOND)
def shared_seconds(seconds: Any, speedup: Any) -> Any:
    """A part of the prompt's time after the overlap of stages.

    part = seconds / speedup

    Parameters
    ----------
    seconds : without overlap [s]
    speedup : of all parts alike

    Returns
    -------
    time [s]

    >>> shared_seconds(3.0, 1.5)
    2.0
    """
    return seconds / speedup


@formula(Unit.TOKEN_PER_SECOND)
def prompt_tokens_per_second(tokens: Any, seconds: Any) -> Any:
    """Prompt tokens computed per second.

    speed = tokens / seconds

    Parameters
    ----------
    tokens : computed [tokens]
    seconds : they take [s]

    Returns
    -------
    speed [token/s]

    >>> prompt_tokens_per_second(8192.0, 2.0)
    4096.0
    """
    return tokens / seconds


@formula(Unit.FLOP)
def without_head(wide: int, head: int) -> int:
    """Operations per prompt token with the 16-bit tensors of the layers; the head sees the last token only.

    flops = wide - head

    Parameters
    ----------
    wide : with all tensors kept at 16 bit [FLOP]
    head : with the output projection [FLOP]

    Returns
    -------
    operations [FLOP]

    >>> without_head(10, 4)
    6
    """
    return wide - head


@formula(Unit.SECOND)
def head_compute_seconds(at_peak: float, ranks: int, efficiency: float) -> float:
    """Time of the output projection of the last prompt token.

    seconds = at_peak / ranks / efficiency

    Parameters
    ----------
    at_peak : at the vendor's rate [s]
    ranks : accelerators that share it
    efficiency : share of the rate

    Returns
    -------
    time [s]

    >>> head_compute_seconds(1e-6, 2, 0.5)
    1e-06
    """
    return at_peak / ranks / efficiency


@formula(Unit.SECOND)
def repeated_pass_seconds(chunks: Any, seconds: Any) -> Any:
    """Time of something that happens once per pass.

    total = chunks * seconds

    Parameters
    ----------
    chunks : passes
    seconds : per pass [s]

    Returns
    -------
    time [s]

    >>> repeated_pass_seconds(4.0, 0.5)
    2.0
    """
    return chunks * seconds


@formula(Unit.SECOND)
def sum_of_two(first: Any, second: Any) -> Any:
    """Two times added.

    seconds = first + second

    Parameters
    ----------
    first, second : [s]

    Returns
    -------
    sum [s]

    >>> sum_of_two(1.0, 2.0)
    3.0
    """
    return first + second


@formula(Unit.SECOND)
def sum_of_four(first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Four times added.

    seconds = first + second + third + fourth

    Parameters
    ----------
    first, second, third, fourth : [s]

    Returns
    -------
    sum [s]

    >>> sum_of_four(1.0, 2.0, 3.0, 4.0)
    10.0
    """
    return first + second + third + fourth


@formula(Unit.TOKEN_PER_SECOND)
def peak_tokens_per_second(dense: float, experts: float, ranks: int, expert_ranks: int, stages: int) -> float:
    """Prompt tokens per second that computing at the vendor's full rate would allow.

    speed = stages / (dense / ranks + experts / expert_ranks)

    Parameters
    ----------
    dense, experts : time per token at full rate on one accelerator [s]
    ranks, expert_ranks : accelerators that share attention, and the experts
    stages : that could work at the same time

    Returns
    -------
    speed at most [token/s]

    >>> peak_tokens_per_second(1e-4, 0.0, 2, 2, 1)
    20000.0
    """
    return stages / (dense / ranks + experts / expert_ranks)


@formula(Unit.BYTE)
def prompt_bytes(chunks: Any, layers: float, experts: Any, head: float) -> Any:
    """Bytes of weights that a prompt reads: once per pass, the head once.

    bytes = chunks * (layers + experts) + head

    Parameters
    ----------
    chunks : passes
    layers, experts : weights of one pass [byte]
    head : output projection [byte]

    Returns
    -------
    bytes [byte]

    >>> prompt_bytes(2.0, 10.0, 5.0, 1.0)
    31.0
    """
    return chunks * (layers + experts) + head


@formula(Unit.SECOND)
def least_seconds(tokens: Any, speed: float) -> Any:
    """The least time that computing a prompt can take.

    seconds = tokens / speed

    Parameters
    ----------
    tokens : to compute [tokens]
    speed : at the vendor's full rate [token/s]

    Returns
    -------
    time [s]

    >>> least_seconds(8000.0, 4000.0)
    2.0
    """
    return tokens / speed
