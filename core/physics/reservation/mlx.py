"""How mlx-lm reserves a cache: in steps of 256 tokens, as they come; a window's ring beyond its width while it reads.

Read in mlx-lm 0.32.0: models/cache.py (KVCache, RotatingKVCache, ArraysCache), models/deepseek_v3.py, deepseek_v32.py;
and in MLX 0.32.1: backend/metal/scaled_dot_product_attention.cpp (use_fallback).
"""

from typing import Any

from core.physics.arrays import ceil, maximum, minimum
from core.trace import formula
from core.units import Unit

STEP = 256


@formula(Unit.TOKEN)
def grown_tokens(tokens: int) -> Any:
    """Tokens for which a cache that keeps everything has grown.

    grown_tokens = 256 * ceil(tokens / 256)

    Parameters
    ----------
    tokens : of the request

    Returns
    -------
    tokens

    >>> grown_tokens(1000)
    1024
    """
    return STEP * ceil(tokens / STEP)


@formula(Unit.TOKEN)
def rotating_tokens(tokens: int, window: int) -> Any:
    """Tokens for which a ring has grown.

    rotating_tokens = min(256 * ceil(tokens / 256), window)

    Parameters
    ----------
    tokens : of the request
    window : width of the ring [tokens]

    Returns
    -------
    tokens

    >>> rotating_tokens(100, 1024), rotating_tokens(5000, 1000)
    (256, 1000)
    """
    return minimum(STEP * ceil(tokens / STEP), window)


@formula(Unit.TOKEN)
def tokens_beyond(tokens: int, window: int, chunk: int) -> Any:
    """Tokens of a ring beyond its width while a prompt is read.

    tokens_beyond = max(0, min(tokens, window + min(chunk, tokens) - 1) - window)

    Parameters
    ----------
    tokens : of the request
    window : width of the ring [tokens]
    chunk : tokens of a prompt chunk

    Returns
    -------
    tokens

    Notes
    -----
    A chunk is appended whole, so that its first token still sees a full window; the next token cuts the ring back
    (RotatingKVCache, _update_concat).

    >>> tokens_beyond(100_000, 1024, 2048), tokens_beyond(1500, 1024, 2048), tokens_beyond(1000, 1024, 2048)
    (2047, 476, 0)
    """
    return maximum(0, minimum(tokens, window + minimum(chunk, tokens) - 1) - window)


@formula(Unit.BYTE)
def latent_score_bytes(query_heads: int, chunk: int, tokens: int, width: int) -> Any:
    """What one layer of latent attention writes while a chunk is read.

    latent_score_bytes = 2 * query_heads * tokens * (2 * min(chunk, tokens) + width)

    Parameters
    ----------
    query_heads : of a layer
    chunk : tokens of a prompt chunk
    tokens : of the request
    width : of a key without its rotary part, and of a value

    Returns
    -------
    bytes [byte]

    Notes
    -----
    The scores of the rotary part in 16 bit, the same with the mask, and keys and values of every head, made from the
    latents (models/deepseek_v3.py, DeepseekV3Attention: pe_scores, embed_q, unembed_out).

    >>> latent_score_bytes(128, 2048, 16_384, 256)
    18253611008
    """
    return 2 * query_heads * tokens * (2 * minimum(chunk, tokens) + width)
