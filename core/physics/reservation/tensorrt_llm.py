"""How TensorRT-LLM reserves a cache: blocks of the tokens within reach, from a part of what is left after loading.

Read in NVIDIA/TensorRT-LLM: cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp, calculateMaxBlockRequirementsPerBeam;
docs of KvCacheConfig (free_gpu_memory_fraction).
"""

from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum
from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def window_tokens(tokens: int, window: int, block_tokens: int) -> Any:
    """Tokens of the blocks of one request in layers with a window.

    window_tokens = ceil(min(tokens, window) / block_tokens) * block_tokens

    Parameters
    ----------
    tokens : of the request
    window : width [tokens]
    block_tokens : tokens in a block

    Returns
    -------
    tokens

    >>> window_tokens(131_072, 1000, 32)
    1024
    """
    return ceil(minimum(tokens, window) / block_tokens) * block_tokens


@formula(Unit.BYTE)
def limit_after_loading(usable_bytes: int, memory_share: float, fixed_bytes: int) -> Any:
    """What the engine may use: what is loaded, and its share of what is left then.

    limit_after_loading = max(0, floor(usable_bytes - (1 - memory_share) * max(0, usable_bytes - fixed_bytes)))

    Parameters
    ----------
    usable_bytes : what software can allocate [byte]
    memory_share : of what is left (free_gpu_memory_fraction)
    fixed_bytes : weights, companions and runtime [byte]

    Returns
    -------
    bytes [byte]

    >>> limit_after_loading(80_000_000_000, 0.9, 70_000_000_000)
    79000000000
    """
    return maximum(0, floor(usable_bytes - (1 - memory_share) * maximum(0, usable_bytes - fixed_bytes)))
