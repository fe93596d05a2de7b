"""How SGLang reserves cache and state: pools whose sizes stand in fixed ratios to each other.

Layers with a window have a pool of their own, so many tokens for each token of the other pool, whatever the window. The
memory of recurrent models is divided between states and cache before the first request comes.

Read in SGLang 0.5.23: arg_groups/fields/schedule.py (swa_full_tokens_ratio, mamba_full_memory_ratio),
model_executor/pool_configurator.py, mem_cache/memory_pool.py.
"""

from typing import Any

from core.physics.arrays import maximum
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE_PER_TOKEN)
def window_pool_bytes_per_token(bytes_per_token: float, ratio: float) -> float:
    """What the pool of the window layers takes for each token of the other pool.

    window_pool_bytes_per_token = bytes_per_token * ratio

    Parameters
    ----------
    bytes_per_token : of the window layers, on one accelerator [byte/token]
    ratio : tokens of the window pool per token of the full pool (swa_full_tokens_ratio)

    Returns
    -------
    bytes per token [byte/token]

    Notes
    -----
    Of requests shorter than the window the smaller pool holds fewer than this says: it is the first to be full.

    >>> window_pool_bytes_per_token(1000.0, 0.5)
    500.0
    """
    return bytes_per_token * ratio


@formula(Unit.BYTE)
def state_slots_bytes(state_bytes: int, slots: int) -> int:
    """States that one request occupies.

    state_slots_bytes = state_bytes * slots

    Parameters
    ----------
    state_bytes : one state on one accelerator [byte]
    slots : 3 with prefix caching, which keeps states to come back to; else 1; one more for each draft token

    Returns
    -------
    bytes [byte]

    >>> state_slots_bytes(64_389_120, 3)
    193167360
    """
    return state_bytes * slots


@formula(Unit.BYTE)
def cache_side_bytes(kv_bytes: int, state_bytes: int, ratio: float) -> Any:
    """What one request takes of the cache pool, when the state pool grows in step with it.

    cache_side_bytes = max(kv_bytes, state_bytes / ratio)

    Parameters
    ----------
    kv_bytes : cache of the request [byte]
    state_bytes : its states [byte]
    ratio : state memory over cache memory (mamba_full_memory_ratio)

    Returns
    -------
    bytes; more than the cache itself where states run out first [byte]

    >>> cache_side_bytes(100, 180, 0.9)
    200.0
    """
    return maximum(kv_bytes, state_bytes / ratio)


@formula(Unit.BYTE)
def state_side_bytes(kv_bytes: int, state_bytes: int, ratio: float) -> Any:
    """What one request takes of the state pool, when the cache pool grows in step with it.

    state_side_bytes = max(state_bytes, kv_bytes * ratio)

    Parameters
    ----------
    kv_bytes : cache of the request [byte]
    state_bytes : its states [byte]
    ratio : state memory over cache memory (mamba_full_memory_ratio)

    Returns
    -------
    bytes; more than the states themselves where the cache runs out first [byte]

    >>> state_side_bytes(1000, 180, 0.9)
    900.0
    """
    return maximum(state_bytes, kv_bytes * ratio)


@formula(Unit.BYTE_PER_TOKEN)
def growth_with_both_pools(bytes_per_token: float, ratio: float) -> float:
    """What both pools grow by with each token.

    growth_with_both_pools = bytes_per_token * (1 + ratio)

    Parameters
    ----------
    bytes_per_token : of the cache [byte/token]
    ratio : state memory over cache memory

    Returns
    -------
    bytes per token [byte/token]

    >>> growth_with_both_pools(1000.0, 0.5)
    1500.0
    """
    return bytes_per_token * (1 + ratio)


@formula(Unit.TOKEN)
def pool_tokens(free_bytes: int, bytes_per_token: float) -> Any:
    """Tokens of the pool of full attention, as SGLang prints them.

    pool_tokens = max(0, free_bytes // bytes_per_token)

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    bytes_per_token : that all pools take for each of its tokens [byte/token]

    Returns
    -------
    tokens

    >>> pool_tokens(1_000_000, 16_384.0)
    61.0
    """
    return maximum(0, free_bytes // bytes_per_token)
