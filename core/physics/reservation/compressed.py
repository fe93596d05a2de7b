"""Compressed attention (DeepSeek V4): a window, one compressed vector per few tokens, and what compresses them.

Every layer keeps the last tokens as they are. A layer with a ratio adds one vector for each so many tokens; where the
ratio is 4 an indexer adds a short key to each, and the compressor overlaps two spans. While a span is not complete, its
keys and scores wait in a ring of 32-bit numbers.

Read in vLLM 0.33: models/deepseek_v4/attention.py, compressor.py, sparse_swa.py.
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, maximum, minimum
from core.trace import formula
from core.units import Unit

#: Pages of this layout are rounded to so many bytes, because the kernels need it.
PAGE_BYTES = 576


@formula(Unit.BYTE)
def eight_bit_record(width: int) -> int:
    """The vector of one token as vLLM keeps it in 8 bit: the rotary part stays in 16, and each 64 have a scale.

    eight_bit_record = width - 64 + 2 * 64 + 8

    Parameters
    ----------
    width : of the vector, of which 64 elements are rotary

    Returns
    -------
    bytes [byte]

    >>> eight_bit_record(512)
    584
    """
    return width - 64 + 2 * 64 + 8


@formula(Unit.BYTE_PER_TOKEN)
def compressed_bytes_per_token(
    layers: int, record_bytes: float, compression: int, index_layers: int, index_dim: int
) -> float:
    """What the compressed vectors and the index keys of all layers of one ratio grow by with each token.

    compressed_bytes_per_token = where(compression > 0,
        (layers * record_bytes + index_layers * (index_dim + 4)) / max(1, compression), 0)

    Parameters
    ----------
    layers : layers of this ratio
    record_bytes : one vector [byte]
    compression : tokens per vector; 0 for layers with the window alone
    index_layers : layers with an indexer
    index_dim : width of its key: a byte each, and a scale of four

    Returns
    -------
    bytes per token [byte/token]

    >>> compressed_bytes_per_token(21, 584, 4, 21, 128), compressed_bytes_per_token(20, 584, 128, 0, 0)
    (3759.0, 91.25)
    """
    grown = (layers * record_bytes + index_layers * (index_dim + 4)) / max(1, compression)
    return grown if compression > 0 else 0


@formula(Unit.BYTE)
def window_bytes(layers: int, record_bytes: float, context_tokens: int, window: int) -> Any:
    """The last tokens, as they are.

    window_bytes = ceil(layers * record_bytes * min(context_tokens, window))

    Parameters
    ----------
    layers : layers of this ratio
    record_bytes : one vector [byte]
    context_tokens : of the request
    window : tokens that stay

    Returns
    -------
    bytes [byte]

    >>> window_bytes(43, 584, 65_536, 128)
    3214336
    """
    return ceil(layers * record_bytes * minimum(context_tokens, window))


@formula(Unit.BYTE)
def ring_bytes(layers: int, compression: int, width: int, index_layers: int, index_dim: int) -> int:
    """Keys and scores that wait until their span is complete, in 32 bit; spans of four overlap.

    ring_bytes = (layers * width + index_layers * index_dim) * compression * 8 * where(compression == 4, 4, 1)

    Parameters
    ----------
    layers : layers of this ratio
    compression : tokens per vector
    width : of the vector
    index_layers, index_dim : layers with an indexer, and the width of its key

    Returns
    -------
    bytes per request [byte]

    >>> ring_bytes(21, 4, 512, 21, 128) + ring_bytes(20, 128, 512, 0, 0)
    12206080
    """
    return (layers * width + index_layers * index_dim) * compression * 8 * (4 if compression == 4 else 1)


@formula(Unit.BYTE)
def request_bytes(bytes_per_token: float, tokens: int, window_bytes: int, ring_bytes: int) -> Any:
    """What one request keeps in the layers of one ratio.

    request_bytes = ceil(bytes_per_token * tokens) + window_bytes + ring_bytes

    Parameters
    ----------
    bytes_per_token : compressed vectors and index keys [byte/token]
    tokens : of the request
    window_bytes, ring_bytes : whatever its length [byte]

    Returns
    -------
    bytes [byte]

    >>> request_bytes(3759.0, 1000, 1000, 500)
    3760500
    """
    return ceil(bytes_per_token * tokens) + window_bytes + ring_bytes


@formula(Unit.BYTE)
def rounded_page_bytes(slots: float, record_bytes: float) -> Any:
    """A page of vectors, rounded up to what the kernels need.

    rounded_page_bytes = 576 * ceil(slots * record_bytes / 576)

    Parameters
    ----------
    slots : vectors in the page
    record_bytes : one vector [byte]

    Returns
    -------
    bytes [byte]

    >>> rounded_page_bytes(64, 584), rounded_page_bytes(2, 584), rounded_page_bytes(64, 132)
    (37440, 1728, 8640)
    """
    return PAGE_BYTES * ceil(slots * record_bytes / PAGE_BYTES)


@formula(Unit.BYTE)
def ratio_block_bytes(layers: int, vector_page_bytes: int, index_layers: int, index_page_bytes: int) -> int:
    """Pages of the layers of one ratio for one block of tokens.

    ratio_block_bytes = layers * vector_page_bytes + index_layers * index_page_bytes

    Parameters
    ----------
    layers, vector_page_bytes : layers of this ratio, and the page of their vectors [byte]
    index_layers, index_page_bytes : layers with an indexer, and the page of its keys [byte]

    Returns
    -------
    bytes [byte]

    >>> ratio_block_bytes(21, 37_440, 21, 8640), ratio_block_bytes(20, 1728, 0, 0)
    (967680, 34560)
    """
    return layers * vector_page_bytes + index_layers * index_page_bytes


@formula(Unit.COUNT)
def window_groups(layers: int, page_bytes: int, block_bytes: int) -> Any:
    """Groups that the window pages of all layers fill in blocks of the pool.

    window_groups = ceil(layers / max(1, block_bytes // page_bytes))

    Parameters
    ----------
    layers : of the model
    page_bytes : of a window [byte]
    block_bytes : one block of the pool [byte]

    Returns
    -------
    groups

    >>> window_groups(43, 37_440, 1_002_240)
    2
    """
    return ceil(layers / max(1, block_bytes // page_bytes))


@formula(Unit.BYTE)
def tuple_block_bytes(layers: Sequence[int], pages: Sequence[int], window_layers: int, window_groups: int) -> Any:
    """A block of the pool in which every size of page is there as often as the most layers of one need.

    tuple_block_bytes = max(*layers, ceil(window_layers / window_groups)) * sum(pages)

    Parameters
    ----------
    layers : of each ratio
    pages : of their vectors and index keys [byte]
    window_layers, window_groups : layers that keep a window, and the groups that they make

    Returns
    -------
    bytes [byte]

    >>> tuple_block_bytes([21, 20], [37_440, 8640, 1728, 0], 43, 2)
    1051776

    References
    ----------
    1. vLLM 0.20 to 0.23, v1/core/kv_cache_utils.py, _pool_bytes_per_block.
    """
    return max(*layers, ceil(window_layers / window_groups)) * sum(pages)


@formula(Unit.BYTE)
def bucket_block_bytes(full_bytes: int, layers: int, page_bytes: int, window_layers: int, window_groups: int) -> Any:
    """A block of the pool that is as wide, page by page of one size, as the widest group needs.

    bucket_block_bytes = full_bytes + max(0, ceil(window_layers / window_groups) - layers) * page_bytes

    Parameters
    ----------
    full_bytes : pages of the layers of all ratios [byte]
    layers : those whose page is as large as a window's
    page_bytes : of a window [byte]
    window_layers, window_groups : layers that keep a window, and the groups that they make

    Returns
    -------
    bytes [byte]

    >>> bucket_block_bytes(1_002_240, 21, 37_440, 43, 2)
    1039680

    References
    ----------
    1. vLLM 0.24 to 0.28, v1/core/kv_cache_utils.py, _pool_bytes_per_block.
    """
    return full_bytes + maximum(0, ceil(window_layers / window_groups) - layers) * page_bytes


@formula(Unit.BYTE)
def bytes_of_stages(blocks: int, block_bytes: int, pipeline: int) -> Any:
    """Blocks of a request over all stages, each with blocks of its own.

    bytes_of_stages = blocks * block_bytes * pipeline

    Parameters
    ----------
    blocks : of the request
    block_bytes : one block on the stage with the most layers [byte]
    pipeline : stages

    Returns
    -------
    bytes [byte]

    >>> bytes_of_stages(90, 1_002_240, 1)
    90201600
    """
    return blocks * block_bytes * pipeline


@formula(Unit.BYTE)
def bytes_under_way(blocks: Sequence[int], steady: Sequence[int], block_bytes: int) -> Any:
    """What windows and rings take for the prompt chunks under way, beyond what a request keeps once it is read.

    bytes_under_way = max(0, sum(blocks) - sum(steady)) * block_bytes

    Parameters
    ----------
    blocks : of a request whose prompt is being read: windows, and rings of each ratio
    steady : the same once it is read
    block_bytes : one block [byte]

    Returns
    -------
    bytes, once for all requests: they share the chunks [byte]

    >>> bytes_under_way([518, 4099, 2065], [6, 3, 17], 1_002_240)
    6670909440
    """
    return maximum(0, sum(blocks) - sum(steady)) * block_bytes


@formula(Unit.COUNT)
def weighed_blocks(
    full_blocks: int,
    full_bytes: int,
    window_blocks: int,
    window_groups: int,
    window_layers: int,
    window_page_bytes: int,
    ring_blocks: Sequence[int],
    ring_bytes: Sequence[int],
) -> Any:
    """Blocks of a request as vLLM counted them for the concurrency that it printed: by the bytes of their own layers.

    weighed_blocks = ceil((full_blocks * full_bytes
        + window_blocks / window_groups * window_layers * window_page_bytes
        + sum(ring_blocks * ring_bytes)) / full_bytes)

    Parameters
    ----------
    full_blocks, full_bytes : blocks that grow, and the pages of one in all layers [byte]
    window_blocks, window_groups : blocks of the windows, in all groups
    window_layers, window_page_bytes : layers that keep a window, and its page [byte]
    ring_blocks, ring_bytes : of each ratio: what waits for compression, and the pages of a block [byte]

    Returns
    -------
    blocks

    >>> weighed_blocks(512, 1_002_240, 522, 2, 43, 37_440, [4099, 2065], [967_680, 748_800])
    6432

    References
    ----------
    1. vLLM 0.20 to 0.26, v1/core/kv_cache_utils.py, get_max_concurrency_for_kv_cache_config.
    """
    rings = sum(blocks * each for blocks, each in zip(ring_blocks, ring_bytes, strict=True))
    windows = window_blocks / window_groups * window_layers * window_page_bytes
    return ceil((full_blocks * full_bytes + windows + rings) / full_bytes)
