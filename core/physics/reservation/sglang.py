"""How SGLang reserves cache and state: pools whose sizes stand in fixed ratios to each other.

Layers with a window have a pool of their own, so many tokens for each token of the other pool, whatever the window. The
memory of recurrent models is divided between states and cache before the first request comes.

Read in SGLang 0.5.23: arg_groups/fields/schedule.py (swa_full_tokens_ratio, mamba_full_memory_ratio),
model_executor/pool_configurator.py, mem_cache/memory_pool.py, arg_groups/memory_hook.py (mem_fraction_static).
"""

from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum
from core.trace import formula
from core.units import MIB, Unit


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

    >>> window_pool_bytes_per_token(1000.0, 0.5)
    500.0
    """
    return bytes_per_token * ratio


@formula(Unit.TOKEN)
def tokens_of_request(tokens: int, window: int, ratio: float) -> Any:
    """Tokens of the pool without a window that a request makes taken: those it holds, or as many as windows take.

    tokens_of_request = max(tokens, ceil(min(tokens, window) / ratio))

    Parameters
    ----------
    tokens : of the request, in whole pages
    window : of the layers that have one [tokens]
    ratio : tokens of the window pool per token of the full pool

    Returns
    -------
    tokens

    Notes
    -----
    A request shorter than the window holds as much in either pool, of which that of the windows is the smaller: it is
    full first, and what the other has left is of no use.

    >>> tokens_of_request(32_768, 4096, 0.8), tokens_of_request(1000, 4096, 0.8)
    (32768, 1250)
    """
    return maximum(tokens, ceil(minimum(tokens, window) / ratio))


@formula(Unit.BYTE_PER_TOKEN)
def compressed_pool_bytes_per_token(
    bytes_per_token: float, layers: int, record_bytes: float, ring_bytes: int, window: int, ratio: float
) -> float:
    """What the pools of compressed layers take for each token: vectors, and windows and rings in step with them.

    compressed_pool_bytes_per_token = bytes_per_token + ratio * (layers * record_bytes + ring_bytes / window)

    Parameters
    ----------
    bytes_per_token : compressed vectors and index keys [byte/token]
    layers : layers of this ratio, which all keep a window
    record_bytes : one vector [byte]
    ring_bytes : of one window; 0 where rings stand by requests [byte]
    window : tokens of a window [token]
    ratio : tokens of the window pool per token (swa_full_tokens_ratio)

    Returns
    -------
    bytes per token [byte/token]

    Notes
    -----
    Until 0.5.20. DeepSeek V4 Flash: 3,850.25 bytes of vectors and keys become 7,705.45, or 15,897.45 before 0.5.15,
    when rings of 128 tokens stood by tokens too; 0.5.11 printed 45.78 GiB for 3,080,960 tokens (15,955.85 with the
    window of its prediction layer).

    References
    ----------
    SGLang 0.5.11 to 0.5.20, model_executor/pool_configurator.py: DSV4PoolConfigurator.

    >>> compressed_pool_bytes_per_token(3759.0, 21, 584.0, 1_720_320, 128, 0.1)
    6329.4
    """
    return bytes_per_token + ratio * (layers * record_bytes + ring_bytes / window)


#: Tokens after which SGLang lets go of what has left a window (SGLANG_SWA_EVICTION_INTERVAL).
EVICTION = 128


@formula(Unit.TOKEN)
def window_tokens_of_request(window: int, page: int, kept: int) -> int:
    """Tokens of the window pool that one request may hold, where the pool goes by requests.

    window_tokens_of_request = window + 128 + 2 * page + kept * (window + page)

    Parameters
    ----------
    window : tokens of a window [token]
    page : tokens of a page [token]
    kept : windows kept to come back to, for each request (4 times, or 0 where it does not come back to prefixes)

    Returns
    -------
    tokens

    Notes
    -----
    SGLang sets them aside for all requests that may run: of DeepSeek V4 for 256 unless chosen.

    References
    ----------
    SGLang 0.5.23, model_executor/pool_configurator.py: compute_swa_request_cap, _resolve_swa_prefix_tails.

    >>> window_tokens_of_request(128, 256, 4)
    2304
    """
    return window + EVICTION + 2 * page + kept * (window + page)


@formula(Unit.BYTE)
def compressed_windows_bytes(
    tokens: int, layers: int, record_bytes: float, ring_bytes: int, page: int, long_ring_bytes: int
) -> Any:
    """Windows and rings of one request in compressed layers, where their pool goes by requests.

    compressed_windows_bytes = ceil(tokens * (layers * record_bytes + ring_bytes / page)) + long_ring_bytes

    Parameters
    ----------
    tokens : of the window pool for one request [token]
    layers : layers of this ratio, which all keep a window
    record_bytes : one vector [byte]
    ring_bytes : of short spans, one for each page of the window pool [byte]
    page : tokens of a page [token]
    long_ring_bytes : of long spans, one for each request [byte]

    Returns
    -------
    bytes [byte]

    References
    ----------
    SGLang 0.5.23, model_executor/pool_configurator.py: DSV4PoolConfigurator.

    >>> compressed_windows_bytes(2304, 21, 584, 1_720_320, 256, 0)
    43739136
    """
    return ceil(tokens * (layers * record_bytes + ring_bytes / page)) + long_ring_bytes


@formula(Unit.BYTE)
def state_slots_bytes(state_bytes: int, slots: int) -> int:
    """States that one request occupies.

    state_slots_bytes = state_bytes * slots

    Parameters
    ----------
    state_bytes : one state on one accelerator [byte]
    slots : with prefix caching, which keeps states to come back to, 5 (before 0.5.14: 3); else 1. Where tokens are
        guessed ahead, one more for each of them and for the token that they follow

    Returns
    -------
    bytes [byte]

    Notes
    -----
    0.5.19 printed 360 states for 72 requests; 0.5.10 186 for 62. With three tokens guessed ahead 0.5.14 kept four
    states more for each request.

    References
    ----------
    SGLang 0.5.13 to 0.5.23, mem_cache/kv_cache_configurator.py: _calculate_mamba_ratio.

    >>> state_slots_bytes(64_389_120, 3)
    193167360
    """
    return state_bytes * slots


@formula(Unit.BYTE)
def cache_side_bytes(kv_bytes: int, state_bytes: int, ratio: float) -> Any:
    """What one request takes of the cache pool, when the state pool grows in step with it.

    cache_side_bytes = ceil(max(kv_bytes, state_bytes / ratio))

    Parameters
    ----------
    kv_bytes : cache of the request [byte]
    state_bytes : its states [byte]
    ratio : state memory over cache memory (mamba_full_memory_ratio)

    Returns
    -------
    bytes; more than the cache itself where states run out first [byte]

    >>> cache_side_bytes(100, 180, 0.9)
    200
    """
    return ceil(maximum(kv_bytes, state_bytes / ratio))


@formula(Unit.BYTE)
def state_side_bytes(kv_bytes: int, state_bytes: int, ratio: float) -> Any:
    """What one request takes of the state pool, when the cache pool grows in step with it.

    state_side_bytes = ceil(max(state_bytes, kv_bytes * ratio))

    Parameters
    ----------
    kv_bytes : cache of the request [byte]
    state_bytes : its states [byte]
    ratio : state memory over cache memory (mamba_full_memory_ratio)

    Returns
    -------
    bytes; more than the states themselves where the cache runs out first [byte]

    >>> state_side_bytes(1000, 180, 0.9)
    900
    """
    return ceil(maximum(state_bytes, kv_bytes * ratio))


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


#: What SGLang keeps back: in any case, for a token of a chunk, an accelerator, a request in a graph [MiB]; tokens of a
#: chunk that it counts at least.
BASE, CHUNK_TOKEN, ACCELERATOR, GRAPHED_REQUEST, LEAST_CHUNK = 512, 1.5, 128, 2, 2048


@formula(Unit.BYTE)
def kept_back_bytes(
    chunk: int,
    graph_requests: int,
    prompt_graphs_bytes: int,
    tensor: int,
    pipeline: int,
    least_bytes: int,
    draft_bytes: int,
) -> Any:
    """Memory that SGLang leaves to intermediate results and graphs when nobody chose its share.

    kept_back_bytes = max(1048576 * (512 + 1.5 * max(chunk, 2048) + 128 * tensor * pipeline + 2 * graph_requests)
    + prompt_graphs_bytes, least_bytes) + draft_bytes

    Parameters
    ----------
    chunk : tokens of a prompt that go in at a time (chunked_prefill_size) [token]
    graph_requests : requests in the largest graph (cuda_graph_max_bs) [request]
    prompt_graphs_bytes : for graphs of prompts [byte]
    tensor, pipeline : accelerators that share a layer, all groups of attention together, and stages
    least_bytes : on large accelerators at least this [byte]
    draft_bytes : for what guesses ahead, before 0.5.14 [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    On an accelerator of 96 GB SGLang left 12.99 GiB free of 94.6, which 13,440 MiB of 97,871 are; on one of 288 GB it
    printed a share of 0.911.

    References
    ----------
    SGLang 0.5.3 to 0.5.13, server_args.py; 0.5.23, arg_groups/memory_hook.py: handle_gpu_memory_settings.

    >>> kept_back_bytes(8192, 256, 0, 1, 1, 0, 0) / 2**20
    13440.0
    """
    kept = BASE + CHUNK_TOKEN * maximum(chunk, LEAST_CHUNK) + ACCELERATOR * tensor * pipeline
    return floor(
        maximum(MIB * (kept + GRAPHED_REQUEST * graph_requests) + prompt_graphs_bytes, least_bytes) + draft_bytes
    )


@formula(Unit.SHARE)
def static_share(capacity_bytes: int, kept_bytes: int, image_factor: float) -> Any:
    """Share of the memory that SGLang gives to weights and pools when nobody chose it (mem_fraction_static).

    static_share = max(0, floor(1000 * (1 - kept_bytes / capacity_bytes) + 0.5) / 1000) * image_factor

    Parameters
    ----------
    capacity_bytes : of the accelerator [byte]
    kept_bytes : left to intermediate results and graphs [byte]
    image_factor : for the tower of a multimodal model; 1 where there is none

    Returns
    -------
    share of the memory

    >>> static_share(97_871 * 2**20, 13_440 * 2**20, 1.0), static_share(294_896 * 2**20, 26_240 * 2**20, 1.0)
    (0.863, 0.911)
    """
    return maximum(0.0, floor(1000 * (1 - kept_bytes / capacity_bytes) + 0.5) / 1000) * image_factor
