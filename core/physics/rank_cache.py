"""What an engine reserves of the cache in whole blocks, and what of cache and state falls on one accelerator."""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def tokens_reserved(tokens: int, block_tokens: int) -> Any:
    """Tokens for which an engine reserves memory: whole blocks.

    tokens_reserved = ceil(tokens / block_tokens) * block_tokens

    Parameters
    ----------
    tokens : tokens kept
    block_tokens : tokens in a block of the paged cache; 1 for the logical size

    Returns
    -------
    tokens

    Notes
    -----
    Windows also reserve room for the prompt chunk in flight, and hybrid models enlarge their blocks: not counted.

    >>> tokens_reserved(1000, 16)
    1008

    References
    ----------
    1. Kwon et al., Efficient Memory Management for Large Language Model Serving with PagedAttention, 2023.
    """
    return ceil(tokens / block_tokens) * block_tokens


@formula(Unit.BYTE)
def group_cache_bytes(bytes_per_token: float, tokens: int) -> Any:
    """Cache of one request in the layers of one shape: counted once, or the part on one accelerator.

    group_cache_bytes = ceil(bytes_per_token * tokens)

    Parameters
    ----------
    bytes_per_token : of these layers [byte/token]
    tokens : that they keep, or for which room is reserved

    Returns
    -------
    bytes [byte]

    >>> group_cache_bytes(98304, 262_144)
    25769803776
    """
    return ceil(bytes_per_token * tokens)


@formula(Unit.BYTE)
def group_reserved_bytes(bytes_per_token: float, tokens: int, kv_heads: int, tensor: int) -> Any:
    """Cache of one request in the layers of one shape, over all accelerators that share the model.

    group_reserved_bytes = ceil(bytes_per_token * tokens * tensor * ceil(kv_heads / tensor) / kv_heads)

    Parameters
    ----------
    bytes_per_token : of these layers, counted once [byte/token]
    tokens : for which room is reserved
    kv_heads : key-value heads; 1 for latent attention, whose vector every rank keeps
    tensor : accelerators that share each layer; more than heads means copies

    Returns
    -------
    bytes [byte]

    >>> group_reserved_bytes(20480, 1024, 2, 1), group_reserved_bytes(20480, 1024, 2, 8)
    (20971520, 83886080)

    References
    ----------
    1. vLLM, config/model.py, get_num_kv_heads: at least one head per rank.
    """
    return ceil(bytes_per_token * tokens * tensor * ceil(kv_heads / tensor) / kv_heads)


@formula(Unit.BYTE_PER_TOKEN)
def rank_bytes_per_token(bytes_per_token: float, layers: int, kv_heads: int, tensor: int, pipeline: int) -> Any:
    """Cache of one token on one accelerator, on the pipeline stage with the most of these layers.

    rank_bytes_per_token = bytes_per_token * ceil(layers / pipeline) * ceil(kv_heads / tensor) / (layers * kv_heads)

    Parameters
    ----------
    bytes_per_token : of these layers, counted once [byte/token]
    layers : layers of this shape
    kv_heads : key-value heads; 1 for latent attention
    tensor, pipeline : accelerators that share each layer, and stages

    Returns
    -------
    bytes per token on one accelerator [byte/token]

    >>> rank_bytes_per_token(20480, 10, 2, 8, 1), rank_bytes_per_token(20480, 10, 2, 1, 4)
    (10240.0, 6144.0)
    """
    return bytes_per_token * ceil(layers / pipeline) * ceil(kv_heads / tensor) / (layers * kv_heads)


@formula(Unit.BYTE)
def rank_state_bytes(state_bytes: int, layers: int, heads: int, tensor: int, pipeline: int) -> Any:
    """Recurrent state of one request on one accelerator.

    rank_state_bytes = ceil(state_bytes * ceil(layers / pipeline) * ceil(heads / tensor) / (layers * heads))

    Parameters
    ----------
    state_bytes : of these layers, whole [byte]
    layers : recurrent layers of this shape
    heads : by which tensor parallelism divides the state
    tensor, pipeline : accelerators that share each layer, and stages

    Returns
    -------
    bytes on one accelerator [byte]

    >>> rank_state_bytes(64_389_120, 30, 32, 2, 1)
    32194560
    """
    return ceil(state_bytes * ceil(layers / pipeline) * ceil(heads / tensor) / (layers * heads))


@formula(Unit.BYTE)
def cache_bytes(groups: Sequence[int]) -> int:
    """Cache or state of one request over all groups of layers.

    cache_bytes = sum(groups)

    Parameters
    ----------
    groups : bytes of each group [byte]

    Returns
    -------
    bytes [byte]

    >>> cache_bytes([1_000, 24])
    1024
    """
    return sum(groups)


@formula(Unit.BYTE)
def stage_bytes(whole_bytes: int, layers: int, pipeline: int) -> Any:
    """The part of some layers' bytes on the pipeline stage with the most of them.

    stage_bytes = ceil(whole_bytes * ceil(layers / pipeline) / layers)

    Parameters
    ----------
    whole_bytes : of all these layers [byte]
    layers : of this shape
    pipeline : stages

    Returns
    -------
    bytes on one accelerator [byte]

    >>> stage_bytes(6100, 61, 4)
    1600
    """
    return ceil(whole_bytes * ceil(layers / pipeline) / layers)


@formula(Unit.BYTE)
def times_ranks(whole_bytes: int, tensor: int) -> int:
    """What every tensor-parallel rank keeps whole, over all of them.

    times_ranks = whole_bytes * tensor

    Parameters
    ----------
    whole_bytes : on each rank [byte]
    tensor : ranks

    Returns
    -------
    bytes [byte]

    >>> times_ranks(1000, 8)
    8000
    """
    return whole_bytes * tensor


@formula(Unit.BYTE_PER_TOKEN)
def rank_with_index_keys(bytes_per_token: float, index_layers: int, index_dim: int, pipeline: int) -> Any:
    """Cache per token with index keys, on one accelerator: the short key is one for all heads, which tensor parallelism
    does not share.

    rank_with_index_keys = bytes_per_token + ceil(index_layers / pipeline) * index_dim * 2

    Parameters
    ----------
    bytes_per_token : keys and values of these layers on one accelerator [byte/token]
    index_layers, index_dim : layers that pick, and the width of their 16-bit key
    pipeline : stages

    Returns
    -------
    bytes per token on one accelerator [byte/token]

    References
    ----------
    vLLM 0.33, models/qwen4_exp/common/qsa_cache.py: num_kv_heads=1; SGLang 0.5.23, mem_cache/qsa_kv_pool.py.

    >>> rank_with_index_keys(500, 2, 128, 1), rank_with_index_keys(250, 2, 128, 2)
    (1012, 506)
    """
    return bytes_per_token + ceil(index_layers / pipeline) * index_dim * 2
