"""vLLM's pool: how many blocks the memory that is left makes, and what is printed about them at the start.

A block of the pool is a page for each layer of a group.

Read in vLLM 0.33: v1/core/kv_cache_planning.py (what is printed).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, floor, maximum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def pool_block_bytes(page_bytes: int, group_size: int, pipeline: int) -> Any:
    """One block of the pool on one accelerator: a page for each layer of a group on its stage.

    pool_block_bytes = page_bytes * ceil(group_size / pipeline)

    Parameters
    ----------
    page_bytes : one block of tokens, or one state, in one layer [byte]
    group_size : layers in a group, over the whole model
    pipeline : stages among which each group is divided

    Returns
    -------
    bytes [byte]

    >>> pool_block_bytes(2_162_688, 10, 1)
    21626880
    """
    return page_bytes * ceil(group_size / pipeline)


@formula(Unit.BYTE)
def uniform_block_bytes(bytes_per_token: Sequence[float], block_tokens: int) -> Any:
    """One block of the pool where all layers keep every token: their pages side by side.

    uniform_block_bytes = ceil(sum(bytes_per_token) * block_tokens)

    Parameters
    ----------
    bytes_per_token : of each kind of layer, on one accelerator [byte/token]
    block_tokens : tokens in a block

    Returns
    -------
    bytes [byte]

    >>> uniform_block_bytes([163_840], 16)
    2621440
    """
    return ceil(sum(bytes_per_token) * block_tokens)


@formula(Unit.COUNT)
def pool_blocks(free_bytes: int, block_bytes: int) -> Any:
    """Blocks of the pool that the engine makes of the memory that is left.

    pool_blocks = max(0, floor(free_bytes / block_bytes))

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    block_bytes : one block [byte]

    Returns
    -------
    blocks

    >>> pool_blocks(11_918_534_246, 28_005_120)
    425
    """
    return maximum(0, floor(free_bytes / block_bytes))


@formula(Unit.BYTE)
def usable_pool_bytes(free_bytes: int, block_bytes: int) -> int:
    """What requests may take of the pool: one of its blocks stands for none, and belongs to nobody.

    usable_pool_bytes = free_bytes - block_bytes

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    block_bytes : one block [byte]

    Returns
    -------
    bytes [byte]

    >>> usable_pool_bytes(11_918_534_246, 28_005_120)
    11890529126

    References
    ----------
    1. vLLM 0.29, v1/core/kv_cache_utils.py, get_kv_cache_configs: "Reserve the null block".
    """
    return free_bytes - block_bytes


@formula(Unit.BYTE)
def shortfall_bytes(limit_bytes: int, used_bytes: int, block_bytes: int) -> Any:
    """What is missing; 0 when everything fits, with the block that belongs to nobody.

    shortfall_bytes = where(used_bytes > limit_bytes, used_bytes - limit_bytes,
        max(0, used_bytes + block_bytes - limit_bytes))

    Parameters
    ----------
    limit_bytes : what may be used [byte]
    used_bytes : what is wanted [byte]
    block_bytes : one block [byte]

    Returns
    -------
    bytes [byte]

    >>> shortfall_bytes(1_000, 900, 16), shortfall_bytes(1_000, 990, 16), shortfall_bytes(1_000, 1_100, 16)
    (0, 6, 100)
    """
    return where(used_bytes > limit_bytes, used_bytes - limit_bytes, maximum(0, used_bytes + block_bytes - limit_bytes))


@formula(Unit.REQUEST)
def printed_concurrency(blocks: int, blocks_per_request: int) -> float:
    """What vLLM prints at its start as maximum concurrency: the pool over one request of full length.

    printed_concurrency = blocks / blocks_per_request

    Parameters
    ----------
    blocks : of the pool
    blocks_per_request : of one request at the context limit

    Returns
    -------
    requests, not rounded

    >>> round(printed_concurrency(425, 184), 2)
    2.31

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, get_max_concurrency_for_kv_cache_config.
    """
    return blocks / blocks_per_request


@formula(Unit.TOKEN)
def printed_tokens(concurrency: float, context_tokens: int) -> Any:
    """What vLLM prints at its start as size of the cache: concurrency times the context limit.

    printed_tokens = floor(concurrency * context_tokens)

    Parameters
    ----------
    concurrency : as printed
    context_tokens : the limit of one request

    Returns
    -------
    tokens

    >>> printed_tokens(425 / 184, 262_144)
    605495
    """
    return floor(concurrency * context_tokens)


@formula(Unit.TOKEN)
def printed_tokens_by_group(blocks: int, groups: Sequence[int], block_tokens: int) -> Any:
    """What vLLM printed as size of the cache until 0.20: blocks of one group, as if every group kept every token.

    printed_tokens_by_group = blocks // sum(groups) * block_tokens

    Parameters
    ----------
    blocks : of the pool
    groups : of each kind of layer
    block_tokens : the shortest block of any layer

    Returns
    -------
    tokens; no capacity where layers have a window or a state

    >>> printed_tokens_by_group(19_442, [1, 1], 16)
    155536
    """
    return blocks // sum(groups) * block_tokens
