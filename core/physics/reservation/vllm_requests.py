"""What one request takes of vLLM's pool: blocks of tokens, of windows and of states, in each group of layers.

Every group of a request takes its own blocks. Layers with a window hold the window and the prompt chunks under way.

Read in vLLM 0.33: v1/kv_cache_interface.py (tokens of each kind), v1/core/kv_cache_planning.py (what a request takes),
config/vllm.py (chunks in flight).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, minimum
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def tokens_in_flight(chunk: int, batches: int) -> int:
    """Prompt tokens that may be under way at the same time.

    tokens_in_flight = chunk * batches

    Parameters
    ----------
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    batches : under way at the same time: 2 with asynchronous scheduling, else the stages of the pipeline

    Returns
    -------
    tokens

    >>> tokens_in_flight(8192, 2)
    16384
    """
    return chunk * batches


@formula(Unit.COUNT)
def growing_blocks(tokens: int, context_parallel: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers that keep every token.

    growing_blocks = groups * ceil(ceil(tokens / context_parallel) / block_tokens)

    Parameters
    ----------
    tokens : of the request
    context_parallel : ranks that share out a context
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> growing_blocks(262_144, 1, 1056, 1)
    249
    """
    return groups * ceil(ceil(tokens / context_parallel) / block_tokens)


@formula(Unit.COUNT)
def window_blocks(tokens: int, window: int, in_flight: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers with a window: the window, the chunk in flight, and one for where it starts.

    window_blocks = groups * (ceil(min(window - 1 + in_flight, tokens) / block_tokens) + 1)

    Parameters
    ----------
    tokens : of the request
    window : width [tokens]
    in_flight : prompt tokens that may be under way [tokens]
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> window_blocks(131_072, 128, 1024, 16, 1), window_blocks(131_072, 1024, 16_384, 16, 6)
    (73, 6534)

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, SlidingWindowSpec.
    """
    return groups * (ceil(minimum(window - 1 + in_flight, tokens) / block_tokens) + 1)


@formula(Unit.COUNT)
def chunk_blocks(tokens: int, window: int, in_flight: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers that look at their own chunk only.

    chunk_blocks = groups * ceil(min(window + in_flight, tokens) / block_tokens)

    Parameters
    ----------
    tokens : of the request
    window : length of a chunk [tokens]
    in_flight : prompt tokens that may be under way [tokens]
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> chunk_blocks(131_072, 8192, 16_384, 16, 3)
    4608

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, ChunkedLocalAttentionSpec.
    """
    return groups * ceil(minimum(window + in_flight, tokens) / block_tokens)


@formula(Unit.COUNT)
def state_pages(copies: int, draft_tokens: int, groups: int) -> int:
    """Blocks of one request for recurrent states.

    state_pages = groups * (copies + draft_tokens)

    Parameters
    ----------
    copies : 1; where prefixes are cached at the ends of blocks ("align") 2, or 3 where one is written within a chunk
    draft_tokens : guessed ahead in each step, each with a state of its own
    groups : of recurrent layers

    Returns
    -------
    blocks

    >>> state_pages(1, 0, 3), state_pages(2, 3, 3)
    (3, 15)

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, MambaSpec.
    """
    return groups * (copies + draft_tokens)


@formula(Unit.COUNT)
def kept_state_pages(tokens: int, block_tokens: int, draft_tokens: int, groups: int) -> Any:
    """Blocks of one request for recurrent states where the state at the end of every block is kept ("all").

    kept_state_pages = groups * (ceil(tokens / block_tokens) + draft_tokens)

    Parameters
    ----------
    tokens : of the request
    block_tokens : tokens in a block of the cache
    draft_tokens : guessed ahead in each step, each with a state of its own
    groups : of recurrent layers

    Returns
    -------
    blocks

    >>> kept_state_pages(131_072, 1024, 0, 4)
    512

    References
    ----------
    1. vLLM 0.12 to 0.27, v1/kv_cache_interface.py, MambaSpec.max_memory_usage_bytes.
    """
    return groups * (ceil(tokens / block_tokens) + draft_tokens)


@formula(Unit.COUNT)
def all_blocks(groups: Sequence[int]) -> int:
    """Blocks of one request, or groups, over all kinds of layers.

    all_blocks = sum(groups)

    Parameters
    ----------
    groups : of each kind

    Returns
    -------
    number

    >>> all_blocks([249, 3])
    252
    """
    return sum(groups)


@formula(Unit.BYTE)
def blocks_bytes(blocks: int, block_bytes: int) -> Any:
    """Blocks of the pool, on one accelerator.

    blocks_bytes = blocks * block_bytes

    Parameters
    ----------
    blocks : of one request
    block_bytes : one of them [byte]

    Returns
    -------
    bytes [byte]

    >>> blocks_bytes(252, 21_626_880)
    5449973760
    """
    return blocks * block_bytes


@formula(Unit.BYTE)
def replica_bytes(blocks: int, page_bytes: int, group_size: int, tensor: int) -> Any:
    """The same over all accelerators that share the model.

    replica_bytes = blocks * page_bytes * group_size * tensor

    Parameters
    ----------
    blocks : of one request
    page_bytes : one layer of one of them, on one accelerator [byte]
    group_size : layers in a group
    tensor : accelerators that share each layer

    Returns
    -------
    bytes [byte]

    >>> replica_bytes(252, 2_162_688, 10, 1)
    5449973760
    """
    return blocks * page_bytes * group_size * tensor


@formula(Unit.BYTE_PER_TOKEN)
def growth_per_token(groups: int, block_bytes: int, block_tokens: int, context_parallel: int) -> float:
    """What a request grows by with each token, averaged over a block.

    growth_per_token = groups * block_bytes / block_tokens / context_parallel

    Parameters
    ----------
    groups : of these layers
    block_bytes : one block of the pool [byte]
    block_tokens : tokens in it
    context_parallel : ranks that share out a context

    Returns
    -------
    bytes per token on one accelerator [byte/token]

    >>> growth_per_token(1, 21_626_880, 1056, 1)
    20480.0
    """
    return groups * block_bytes / block_tokens / context_parallel


@formula(Unit.BYTE)
def layers_bytes(layers: int, blocks: int, groups: int, page_bytes: int, pipeline: int) -> float:
    """Blocks of a kind of layers without those that its groups are filled up with.

    layers_bytes = layers * blocks / max(1, groups) * page_bytes / pipeline

    Parameters
    ----------
    layers : of this kind
    blocks : of one request, of all its groups
    groups : of these layers
    page_bytes : one layer of one block [byte]
    pipeline : stages among which the layers are divided

    Returns
    -------
    bytes on one accelerator [byte]

    >>> layers_bytes(52, 6 * 577, 6, 32_768, 1)
    983171072.0
    """
    return layers * blocks / max(1, groups) * page_bytes / pipeline


@formula(Unit.BYTE)
def asked_bytes(pages: Sequence[float]) -> Any:
    """What vLLM before 0.14 asked for one request at the start: what each layer needs by itself, without groups.

    asked_bytes = ceil(sum(pages))

    Parameters
    ----------
    pages : blocks of a layer's cache or states times its page, over the layers of each kind [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Layers that groups are filled up with are in what it then takes, not in what it asked for.

    >>> asked_bytes([10 * 8192 * 32_768, 52 * 577 * 32_768]) / 2**30
    3.4156494140625

    References
    ----------
    1. vLLM 0.12, v1/core/kv_cache_utils.py, check_enough_kv_cache_memory.
    """
    return ceil(sum(pages))


@formula(Unit.TOKEN)
def tokens_of_a_rank(tokens: int, ranks: int) -> Any:
    """Tokens of a request that one rank keeps where ranks share out its context.

    tokens_of_a_rank = ceil(tokens / ranks)

    Parameters
    ----------
    tokens : of the request
    ranks : that share it out (decode context parallelism)

    Returns
    -------
    tokens

    >>> tokens_of_a_rank(65_536, 8)
    8192
    """
    return ceil(tokens / ranks)


@formula(Unit.BYTE_PER_TOKEN)
def growth_of_a_rank(bytes_per_token: float, ranks: int) -> float:
    """What one rank's cache grows by with each token of a request whose context is shared out.

    growth_of_a_rank = bytes_per_token / ranks

    Parameters
    ----------
    bytes_per_token : of a token that it keeps [byte/token]
    ranks : that share the context out

    Returns
    -------
    bytes per token [byte/token]

    >>> growth_of_a_rank(70_272, 8)
    8784.0
    """
    return bytes_per_token / ranks


@formula(Unit.TOKEN)
def tokens_of_all_ranks(block_tokens: int, ranks: int) -> int:
    """Tokens in one block of every rank.

    tokens_of_all_ranks = block_tokens * ranks

    Parameters
    ----------
    block_tokens : in a block of one rank
    ranks : that share the context out

    Returns
    -------
    tokens

    >>> tokens_of_all_ranks(64, 8)
    512
    """
    return block_tokens * ranks
