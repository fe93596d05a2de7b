"""Compressed attention (DeepSeek V4): a window, one compressed vector per few tokens, and what compresses them.

Every layer keeps the last tokens as they are. A layer with a ratio adds one vector for each so many tokens; where the
ratio is 4 an indexer adds a short key to each, and the compressor overlaps two spans. While a span is not complete, its
keys and scores wait in a ring of 32-bit numbers.

Read in vLLM 0.33: models/deepseek_v4/attention.py, compressor.py, sparse_swa.py.
"""

from typing import Any

from core.physics.arrays import ceil, minimum
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


@formula(Unit.COUNT)
def bounded_blocks(window_groups: int, window: int, short_ratio: int, long_ratio: int) -> Any:
    """Blocks of one request that do not grow: windows in pages of 64 tokens, rings of 4 and of 8.

    bounded_blocks = window_groups * (ceil((window - 1) / 64) + 1) + where(short_ratio > 0, 3, 0)
        + where(long_ratio > 0, ceil((long_ratio - 1) / 8) + 1, 0)

    Parameters
    ----------
    window_groups : groups of window pages
    window : tokens that stay
    short_ratio : 4 where there are such layers, whose ring of 8 tokens takes pages of 4; 0 where there are none
    long_ratio : 128 where there are such layers, whose ring takes pages of 8; 0 where there are none

    Returns
    -------
    blocks

    >>> bounded_blocks(2, 128, 4, 128)
    26
    """
    rings = (3 if short_ratio else 0) + (ceil((long_ratio - 1) / 8) + 1 if long_ratio else 0)
    return window_groups * (ceil((window - 1) / 64) + 1) + rings
