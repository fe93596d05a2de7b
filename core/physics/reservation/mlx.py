"""How mlx-lm reserves a cache: in steps of 256 tokens, as they come; a window's ring never beyond its width.

Read in mlx-lm 0.32.2: models/cache.py (KVCache, RotatingKVCache, ArraysCache).
"""

from typing import Any

from core.physics.arrays import ceil, minimum
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
