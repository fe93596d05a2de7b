"""How llama.cpp reserves cache and state: everything up front, in cells, for every slot.

Each slot has a stream of its own, or all share one: always, until July 2025. Cells are rounded to 256; before November
2025 without flash attention to 32. Layers with a window have a second, shorter cache, with room for the micro-batch
that is being computed. Recurrent layers have a row for each slot. Latent attention keeps the keys alone: the values are
a part of them.

Read in ggml-org/llama.cpp: src/llama-kv-cache.cpp, src/llama-kv-cache-iswa.cpp, src/llama-memory-recurrent.cpp; of 2025
also src/llama-kv-cache-unified.cpp (get_padding).
"""

from typing import Any

from core.physics.arrays import ceil, minimum
from core.trace import formula
from core.units import Unit

CELLS, FEWER_CELLS = 256, 32


@formula(Unit.TOKEN)
def full_cells(tokens: int, sharing: int, step: int) -> Any:
    """Cells of one request in layers that keep every token.

    full_cells = step * ceil(tokens * sharing / step) / sharing

    Parameters
    ----------
    tokens : context of one slot
    sharing : slots in one stream; 1 where each has its own
    step : what cells are rounded to

    Returns
    -------
    cells of one slot

    >>> full_cells(8192, 1, 256), full_cells(100, 1, 256), full_cells(100, 4, 256), full_cells(100, 1, 32)
    (8192.0, 256.0, 128.0, 128.0)
    """
    return step * ceil(tokens * sharing / step) / sharing


@formula(Unit.TOKEN)
def window_cells(tokens: int, sharing: int, window: int, micro_batch: int, step: int) -> Any:
    """Cells of one request in layers with a window.

    window_cells = step * ceil(min(tokens * sharing, window * sharing + micro_batch) / step) / sharing

    Parameters
    ----------
    tokens : context of one slot
    sharing : slots in one stream; 1 where each has its own
    window : width [tokens]
    micro_batch : tokens computed at a time
    step : what cells are rounded to

    Returns
    -------
    cells of one slot

    >>> window_cells(16_384, 4, 128, 512, 256), window_cells(65_536, 1, 1024, 512, 256)
    (256.0, 1536.0)
    >>> window_cells(4096, 1, 128, 512, 256), window_cells(4096, 1, 128, 512, 32)
    (768.0, 640.0)
    """
    return step * ceil(minimum(tokens * sharing, window * sharing + micro_batch) / step) / sharing


@formula(Unit.BYTE)
def state_rows_bytes(state_bytes: int, draft_tokens: int) -> int:
    """Rows of one slot for recurrent states.

    state_rows_bytes = state_bytes * (1 + draft_tokens)

    Parameters
    ----------
    state_bytes : one state [byte]
    draft_tokens : guessed ahead in each step, each with a row of its own

    Returns
    -------
    bytes [byte]

    >>> state_rows_bytes(156_893_184, 6)
    1098252288
    """
    return state_bytes * (1 + draft_tokens)
