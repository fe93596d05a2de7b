"""vLLM's pages: one block of tokens, or one state, of one layer; all of one size, shared by layers in groups.

Recurrent states take pages like anyone else, so the block of attention is raised until its page holds a state. Layers
are put into groups of equal size; the last group of a kind is filled up with layers that do not exist.

Read in vLLM 0.33: v1/core/kv_cache_planning.py (groups, page sizes), platforms/interface.py (blocks of hybrid models),
models/deepseek_v4/ (compressed attention).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE_PER_TOKEN)
def layer_bytes_per_token(bytes_per_token: float, layers: int, kv_heads: int, tensor: int) -> Any:
    """Cache of one token in one layer, on one accelerator.

    layer_bytes_per_token = bytes_per_token * ceil(kv_heads / tensor) / (layers * kv_heads)

    Parameters
    ----------
    bytes_per_token : of all layers of this shape, counted once [byte/token]
    layers : layers of this shape
    kv_heads : key-value heads; 1 for latent attention, whose vector every rank keeps
    tensor : accelerators that share each layer; with more of them than heads, heads are copied

    Returns
    -------
    bytes [byte/token]

    >>> layer_bytes_per_token(20_480, 10, 2, 1), layer_bytes_per_token(20_480, 10, 2, 8)
    (2048.0, 1024.0)

    References
    ----------
    1. vLLM, config/model.py, get_num_kv_heads: at least one head per rank.
    """
    return bytes_per_token * ceil(kv_heads / tensor) / (layers * kv_heads)


@formula(Unit.BYTE_PER_TOKEN)
def layer_with_index_key(bytes_per_token: float, index_dim: int) -> float:
    """The same with a short key by which attention picks, one for all heads and whole on each accelerator.

    layer_with_index_key = bytes_per_token + index_dim * 2

    Parameters
    ----------
    bytes_per_token : keys and values of a layer on one accelerator [byte/token]
    index_dim : width of the 16-bit key, or of what a token adds to one of several

    Returns
    -------
    bytes [byte/token]

    References
    ----------
    vLLM 0.33, models/qwen4_exp/common/qsa_cache.py: get_kv_cache_spec, num_kv_heads=1.

    >>> layer_with_index_key(1024, 32)
    1088
    """
    return bytes_per_token + index_dim * 2


@formula(Unit.BYTE)
def padded_record_bytes(latent_dim: int, bytes_per_element: float, padded_bytes: int) -> Any:
    """The vector of one token in a layer with latent attention, filled up to whole 256 bytes as vLLM 0.7 did.

    padded_record_bytes = ceil(latent_dim * bytes_per_element / padded_bytes) * padded_bytes

    Parameters
    ----------
    latent_dim : rank of the compressed keys and values plus the rotary part
    bytes_per_element : one stored element [byte]
    padded_bytes : that the vector is a multiple of [byte]

    Returns
    -------
    bytes per token and layer [byte]

    Notes
    -----
    vLLM 0.7.3, worker/cache_engine.py: align_to_256bytes.

    >>> padded_record_bytes(576, 2, 256)
    1280
    """
    return ceil(latent_dim * bytes_per_element / padded_bytes) * padded_bytes


@formula(Unit.BYTE)
def layer_state_bytes(
    convolution_elements: int,
    convolution_bytes: float,
    convolution_tokens: int,
    draft_tokens: int,
    matrix_elements: int,
    matrix_bytes: float,
    heads: int,
    tensor: int,
) -> Any:
    """Recurrent state of one layer on one accelerator; drafts lengthen what the convolution remembers.

    layer_state_bytes = ceil((convolution_elements * convolution_bytes * (1 + draft_tokens / max(1, convolution_tokens))
        + matrix_elements * matrix_bytes) * ceil(heads / tensor) / heads)

    Parameters
    ----------
    convolution_elements, convolution_bytes : per layer, and the size of one of them [byte]
    convolution_tokens : that the convolution remembers
    draft_tokens : guessed ahead in each step
    matrix_elements, matrix_bytes : per layer, and the size of one of them [byte]
    heads : by which tensor parallelism divides the state
    tensor : accelerators that share each layer

    Returns
    -------
    bytes [byte]

    >>> layer_state_bytes(24_576, 2, 3, 0, 524_288, 4, 32, 1), layer_state_bytes(30_720, 2, 3, 3, 786_432, 4, 48, 1)
    (2146304, 3268608)

    References
    ----------
    1. vLLM, model_executor/layers/mamba/mamba_utils.py, gated_delta_net_state_shape (num_spec).
    """
    convolution = convolution_elements * convolution_bytes * (1 + draft_tokens / max(1, convolution_tokens))
    return ceil((convolution + matrix_elements * matrix_bytes) * ceil(heads / tensor) / heads)


@formula(Unit.BYTE)
def largest_state(states: Sequence[int]) -> int:
    """The largest state of a layer, which a page must hold.

    largest_state = max(states)

    Parameters
    ----------
    states : of one layer of each kind [byte]

    Returns
    -------
    bytes [byte]

    >>> largest_state([2_146_304])
    2146304
    """
    return max(states)


@formula(Unit.TOKEN)
def hybrid_block_tokens(alignment: int, state_bytes: int, bytes_per_token: float) -> Any:
    """Block of attention in a model with recurrent layers: as long as one layer's state is large.

    hybrid_block_tokens = alignment * ceil(state_bytes / (alignment * bytes_per_token))

    Parameters
    ----------
    alignment : tokens that the attention kernel wants together [tokens]
    state_bytes : of one recurrent layer on one accelerator [byte]
    bytes_per_token : cache of one attention layer on one accelerator [byte/token]

    Returns
    -------
    tokens

    >>> hybrid_block_tokens(16, 2_146_304, 2048), hybrid_block_tokens(16, 1_644_544, 1040)
    (1056, 1584)

    References
    ----------
    1. vLLM, platforms/interface.py, "Align block/mamba sizes".
    """
    return alignment * ceil(state_bytes / (alignment * bytes_per_token))


@formula(Unit.BYTE)
def block_of_layer(block_tokens: int, bytes_per_token: float) -> float:
    """One block of tokens in one layer.

    block_of_layer = block_tokens * bytes_per_token

    Parameters
    ----------
    block_tokens : in a block
    bytes_per_token : of one layer on one accelerator [byte/token]

    Returns
    -------
    bytes [byte]

    >>> block_of_layer(16, 2048.0)
    32768.0
    """
    return block_tokens * bytes_per_token


@formula(Unit.BYTE)
def page_bytes(pages: Sequence[float]) -> Any:
    """The page of every layer: as large as the largest needs, states included.

    page_bytes = ceil(max(pages))

    Parameters
    ----------
    pages : what one layer of each kind would need: its block of tokens, or its state [byte]

    Returns
    -------
    bytes [byte]

    >>> page_bytes([2_162_688.0, 2_146_304])
    2162688

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, unify_kv_cache_spec_page_size.
    """
    return ceil(max(pages))


@formula(Unit.TOKEN)
def tokens_in_page(page_bytes: int, own_bytes: float, block_tokens: int) -> Any:
    """Tokens of one layer that share a page: as often as its own block goes into the page of all.

    tokens_in_page = block_tokens * (page_bytes // own_bytes)

    Parameters
    ----------
    page_bytes : the page of all layers [byte]
    own_bytes : what this layer needs for a block [byte]
    block_tokens : in a block

    Returns
    -------
    tokens; what does not come out even is padding

    Notes
    -----
    Scales beside the elements (int8 per token and head) do not come out even; start-up logs of Gemma 4 from May 2026
    show that the blocks are still doubled.

    >>> tokens_in_page(65_536, 32_768.0, 16), tokens_in_page(66_560, 33_024.0, 16)
    (32.0, 32.0)
    """
    return block_tokens * (page_bytes // own_bytes)


@formula(Unit.TOKEN)
def tokens_in_filled_page(page_bytes: int, own_bytes: float, block_tokens: int) -> Any:
    """The same since 0.26: a page that does not come out even is filled up, and holds no more tokens.

    tokens_in_filled_page = block_tokens
        * where(page_bytes // own_bytes == page_bytes / own_bytes, page_bytes // own_bytes, 1)

    Parameters
    ----------
    page_bytes : the page of all layers [byte]
    own_bytes : what this layer needs for a block [byte]
    block_tokens : in a block

    Returns
    -------
    tokens

    >>> tokens_in_filled_page(65_536, 32_768.0, 16), tokens_in_filled_page(66_560, 33_024.0, 16)
    (32.0, 16)

    References
    ----------
    1. vLLM 0.26, v1/core/kv_cache_utils.py, unify_kv_cache_spec_page_size: page_size_padded.
    """
    whole = page_bytes // own_bytes
    return block_tokens * (whole if whole == page_bytes / own_bytes else 1)


@formula(Unit.COUNT)
def slots_in_block(block_tokens: int, compression: int) -> Any:
    """Compressed vectors that one block of tokens makes.

    slots_in_block = ceil(block_tokens / compression)

    Parameters
    ----------
    block_tokens : in a block
    compression : tokens per vector

    Returns
    -------
    vectors

    >>> slots_in_block(256, 4)
    64
    """
    return ceil(block_tokens / compression)


@formula(Unit.BYTE)
def index_record_bytes(index_dim: int) -> Any:
    """The key of the indexer for one token: a byte for each element, and a scale for each 128.

    index_record_bytes = index_dim + 4 * ceil(index_dim / 128)

    Parameters
    ----------
    index_dim : width of the key; 0 where there is none

    Returns
    -------
    bytes [byte]

    >>> index_record_bytes(128)
    132
    """
    return index_dim + 4 * ceil(index_dim / 128)


@formula(Unit.COUNT)
def group_size(layers: Sequence[int], most_times: float) -> Any:
    """Layers in each group: the fewest of any kind, or the most where that is not many times as much.

    group_size = where(max(layers) < most_times * min(layers), max(layers), min(layers))

    Parameters
    ----------
    layers : of each kind and shape
    most_times : 1.5; from 0.12 to 0.17 1.25, before 1, which is never

    Returns
    -------
    layers

    >>> group_size([10, 52], 1.5), group_size([12, 13], 1.5), group_size([17, 48], 1.5), group_size([12, 13], 1)
    (10, 13, 17, 12)

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, _get_kv_cache_groups_uniform_page_size.
    """
    return max(layers) if max(layers) < most_times * min(layers) else min(layers)


@formula(Unit.COUNT)
def groups_of(layers: int, group_size: int) -> Any:
    """Groups that the layers of one kind fill; the last is filled up with layers that do not exist.

    groups_of = ceil(layers / group_size)

    Parameters
    ----------
    layers : of one kind and shape
    group_size : layers in each group

    Returns
    -------
    groups

    >>> groups_of(52, 10), groups_of(30, 10)
    (6, 3)
    """
    return ceil(layers / group_size)


@formula(Unit.COUNT)
def phantom_layers(groups: Sequence[int], group_size: int, layers: Sequence[int]) -> int:
    """Layers that do not exist and are reserved for all the same.

    phantom_layers = sum(groups) * group_size - sum(layers)

    Parameters
    ----------
    groups : of each kind
    group_size : layers in each group
    layers : of each kind

    Returns
    -------
    layers

    >>> phantom_layers([1, 6], 10, [10, 52])
    8
    """
    return sum(groups) * group_size - sum(layers)
