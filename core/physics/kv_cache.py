"""KV cache and recurrent state: what one request keeps in memory while it runs.

Each kind of attention has its own form. Full attention keeps a key and a value per token, layer and head; a window
keeps the last tokens only; latent attention (MLA) keeps one vector per token and layer, whatever the number of heads;
recurrent layers keep a state that never grows. What an engine reserves of it in whole blocks, and what falls on one
accelerator, stands in `rank_cache`.
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, minimum
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE_PER_ELEMENT)
def element_bytes(bytes_per_element: float, per_head_bytes: float, key_dim: int, value_dim: int) -> float:
    """Bytes of one stored key or value element, with the scales that some formats keep per token and head.

    element_bytes = bytes_per_element + 2 * per_head_bytes / (key_dim + value_dim)

    Parameters
    ----------
    bytes_per_element : the element itself [byte]; 2 for FP16, 1 for FP8
    per_head_bytes : scale per token and head, for keys and again for values [byte]
    key_dim, value_dim : width of a key head and of a value head

    Returns
    -------
    bytes per element [byte]

    >>> element_bytes(1, 4, 128, 128)
    1.03125
    """
    return bytes_per_element + 2 * per_head_bytes / (key_dim + value_dim)


@formula(Unit.BYTE_PER_TOKEN)
def kv_bytes_per_token(layers: int, kv_heads: int, key_dim: int, value_dim: int, element_bytes: float) -> float:
    """Bytes that the layers of one shape keep for each token of one request.

    kv_bytes_per_token = layers * kv_heads * (key_dim + value_dim) * element_bytes

    Parameters
    ----------
    layers : layers that keep a cache
    kv_heads : key-value heads of a layer; fewer than query heads under grouped-query attention
    key_dim, value_dim : width of a key head and of a value head; with equal widths the sum is the textbook's factor two
    element_bytes : size of one stored element [byte]; 2 for FP16, 1 for FP8, 0.5 for 4 bit

    Returns
    -------
    bytes per token [byte/token]

    >>> kv_bytes_per_token(48, 4, 128, 128, 2)
    98304
    >>> kv_bytes_per_token(10, 2, 256, 256, 2)
    20480

    References
    ----------
    1. Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints, 2023.
    """
    return layers * kv_heads * (key_dim + value_dim) * element_bytes


@formula(Unit.BYTE_PER_TOKEN)
def scaled_kv_bytes_per_token(
    layers: int, kv_heads: int, key_dim: int, value_dim: int, bytes_per_element: float, per_head_bytes: float
) -> float:
    """The same for a cache format that keeps a scale per token and head, for keys and for values.

    scaled_kv_bytes_per_token = layers * kv_heads * ((key_dim + value_dim) * bytes_per_element + 2 * per_head_bytes)

    Parameters
    ----------
    layers, kv_heads, key_dim, value_dim : as for `kv_bytes_per_token`
    bytes_per_element : the element without its scale [byte]
    per_head_bytes : one scale [byte]

    Returns
    -------
    bytes per token [byte/token]

    >>> scaled_kv_bytes_per_token(48, 4, 128, 128, 1, 4)
    50688
    """
    return layers * kv_heads * ((key_dim + value_dim) * bytes_per_element + 2 * per_head_bytes)


@formula(Unit.BYTE_PER_TOKEN)
def with_wide_layers(
    bytes_per_token: float, layers: int, wide_layers: int, kv_heads: int, key_dim: int, value_dim: int
) -> float:
    """Cache of layers of which the first and the last ones stay in 16 bit.

    with_wide_layers = bytes_per_token * (layers - wide_layers) / layers
        + wide_layers * kv_heads * (key_dim + value_dim) * 2

    Parameters
    ----------
    bytes_per_token : of all layers in the format of the cache [byte/token]
    layers, wide_layers : all of them, and those that stay in 16 bit
    kv_heads, key_dim, value_dim : as for `kv_bytes_per_token`

    Returns
    -------
    bytes per token [byte/token]

    >>> with_wide_layers(56_448, 36, 4, 8, 128, 128)
    66560.0

    References
    ----------
    1. vLLM, quantization/turboquant/config.py, get_boundary_skip_layers.
    """
    return bytes_per_token * (layers - wide_layers) / layers + wide_layers * kv_heads * (key_dim + value_dim) * 2


@formula(Unit.BYTE)
def latent_record_bytes(latent_dim: int, bytes_per_element: float, per_head_bytes: float) -> float:
    """Bytes of the one vector that latent attention keeps per token and layer.

    latent_record_bytes = latent_dim * bytes_per_element + per_head_bytes

    Parameters
    ----------
    latent_dim : rank of the compressed keys and values plus the rotary part
    bytes_per_element : one stored element [byte]
    per_head_bytes : scale of the vector [byte]

    Returns
    -------
    bytes per token and layer [byte]

    Notes
    -----
    Engines with a layout of their own (vLLM's fp8_ds_mla: 656 bytes for 512 + 64) state the record instead.

    >>> latent_record_bytes(576, 2, 0)
    1152
    """
    return latent_dim * bytes_per_element + per_head_bytes


@formula(Unit.BYTE_PER_ELEMENT)
def latent_element_bytes(record_bytes: float, latent_dim: int) -> float:
    """Bytes per element of the latent vector, whatever the record holds besides.

    latent_element_bytes = record_bytes / latent_dim

    Parameters
    ----------
    record_bytes : per token and layer [byte]
    latent_dim : rank of the compressed keys and values plus the rotary part

    Returns
    -------
    bytes per element [byte]

    >>> latent_element_bytes(576, 576)
    1.0
    """
    return record_bytes / latent_dim


@formula(Unit.BYTE_PER_TOKEN)
def latent_bytes_per_token(layers: int, record_bytes: float, index_layers: int, index_dim: int) -> Any:
    """Bytes that latent attention keeps for each token, with the indexer's key where the model picks its tokens.

    latent_bytes_per_token = layers * record_bytes + index_layers * (index_dim + 4 * ceil(index_dim / 128))

    Parameters
    ----------
    layers : layers that keep a latent vector
    record_bytes : one vector [byte]
    index_layers : layers that also keep an indexer key; 0 for plain MLA
    index_dim : width of the indexer key: one FP8 byte each, one FP32 scale per 128

    Returns
    -------
    bytes per token [byte/token]

    >>> latent_bytes_per_token(61, 1152, 0, 0)
    70272
    >>> latent_bytes_per_token(61, 1152, 61, 128)
    78324

    References
    ----------
    1. DeepSeek-AI, DeepSeek-V2, 2024 (multi-head latent attention).
    2. vLLM, deepseek_v2.py, DeepseekV32IndexerCache.
    """
    return layers * record_bytes + index_layers * (index_dim + 4 * ceil(index_dim / 128))


@formula(Unit.BYTE_PER_TOKEN)
def latent_bytes_with_plain_index(
    layers: int, record_bytes: float, index_layers: int, index_dim: int, index_element_bytes: float
) -> Any:
    """The same where the indexer has a plain cache of its own: llama.cpp in the format of the keys, mlx-lm in 16 bit.

    latent_bytes_with_plain_index = layers * record_bytes + index_layers * index_dim * index_element_bytes

    Parameters
    ----------
    layers, record_bytes : layers, and the vector of one token in a layer [byte]
    index_layers, index_dim : layers that also keep an indexer key, and its width
    index_element_bytes : one element of it [byte]

    Returns
    -------
    bytes per token [byte/token]

    Notes
    -----
    Printed for GLM-5.2 and 524,288 cells: 44,928 and 2,688 MiB.

    >>> latent_bytes_with_plain_index(78, 1152, 21, 128, 2) * 524_288 / 2**20
    47616.0

    References
    ----------
    1. llama.cpp, src/llama-kv-cache-dsa.cpp.
    """
    return layers * record_bytes + index_layers * index_dim * index_element_bytes


@formula(Unit.BYTE_PER_TOKEN)
def total_bytes_per_token(groups: Sequence[float]) -> float:
    """Cache of one token over all layers that keep one.

    total_bytes_per_token = sum(groups)

    Parameters
    ----------
    groups : bytes per token of each group of layers [byte/token]

    Returns
    -------
    bytes per token [byte/token]

    Notes
    -----
    Layers with a window count until their window is full; recurrent layers do not count.

    >>> total_bytes_per_token([98304])
    98304
    """
    return sum(groups)


@formula(Unit.TOKEN)
def tokens_held(context_tokens: int, window: int) -> Any:
    """Tokens that a layer with a window or chunk keeps.

    tokens_held = min(context_tokens, window)

    Parameters
    ----------
    context_tokens : tokens of the request
    window : width of the window or chunk [tokens]

    Returns
    -------
    tokens

    >>> tokens_held(131_072, 1024)
    1024
    """
    return minimum(context_tokens, window)


@formula(Unit.BYTE)
def state_bytes(
    layers: int, convolution_elements: int, convolution_bytes: float, matrix_elements: int, matrix_bytes: float
) -> Any:
    """Recurrent state of one request, the same at every length.

    state_bytes = ceil(layers * (convolution_elements * convolution_bytes + matrix_elements * matrix_bytes))

    Parameters
    ----------
    layers : recurrent layers of one shape
    convolution_elements : inputs that the short convolution remembers, per layer
    convolution_bytes : of one of them [byte]
    matrix_elements : elements of the state matrices, per layer
    matrix_bytes : of one of them [byte]

    Returns
    -------
    bytes per request [byte]

    Notes
    -----
    Copies for speculative decoding or cached prefixes are not counted.

    >>> state_bytes(30, 24_576, 2, 524_288, 4)
    64389120

    References
    ----------
    1. Yang et al., Gated Delta Networks, 2024.
    2. vLLM, mamba_utils.py, gated_delta_net_state_shape.
    """
    return ceil(layers * (convolution_elements * convolution_bytes + matrix_elements * matrix_bytes))


@formula(Unit.BYTE_PER_TOKEN)
def mixed_kv_bytes_per_token(
    layers: int, kv_heads: int, key_dim: int, value_dim: int, key_bytes: float, value_bytes: float
) -> float:
    """Bytes that layers of one shape keep for each token where keys and values have different formats.

    mixed_kv_bytes_per_token = layers * kv_heads * (key_dim * key_bytes + value_dim * value_bytes)

    Parameters
    ----------
    layers, kv_heads, key_dim, value_dim : as for `kv_bytes_per_token`
    key_bytes, value_bytes : size of one stored element of either [byte]

    Returns
    -------
    bytes per token [byte/token]

    >>> mixed_kv_bytes_per_token(32, 8, 128, 128, 0.5625, 2)
    83968.0
    """
    return layers * kv_heads * (key_dim * key_bytes + value_dim * value_bytes)


@formula(Unit.BYTE_PER_TOKEN)
def with_index_keys(bytes_per_token: float, index_layers: int, index_dim: int) -> float:
    """Cache of layers of full attention that also keep a short key per token, by which blocks are picked.

    with_index_keys = bytes_per_token + index_layers * index_dim * 2

    Parameters
    ----------
    bytes_per_token : keys and values of these layers [byte/token]
    index_layers, index_dim : layers that pick, and the width of their 16-bit key

    Returns
    -------
    bytes per token [byte/token]

    Notes
    -----
    That the index key stays in 16 bit is an assumption: MiniMax M3 has published no other.

    >>> with_index_keys(1000, 2, 128)
    1512
    """
    return bytes_per_token + index_layers * index_dim * 2
