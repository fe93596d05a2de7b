"""How llama.cpp reserves cache and state: everything up front, in cells, for every slot.

Each slot has a stream of its own, or all share one. Cells are rounded to 256. Layers with a window have a second,
shorter cache, with room for the micro-batch that is being computed. Recurrent layers have a row for each slot. Latent
attention keeps the keys alone: the values are a part of them.

Read in ggml-org/llama.cpp: src/llama-kv-cache.cpp, src/llama-kv-cache-iswa.cpp, src/llama-memory-recurrent.cpp.
"""

from typing import Any

from core.physics.arrays import ceil, minimum
from core.trace import formula
from core.units import Unit

CELLS = 256


@formula(Unit.TOKEN)
def full_cells(tokens: int, sharing: int) -> Any:
    """Cells of one request in layers that keep every token.

    full_cells = 256 * ceil(tokens * sharing / 256) / sharing

    Parameters
    ----------
    tokens : context of one slot
    sharing : slots in one stream; 1 where each has its own

    Returns
    -------
    cells of one slot

    >>> full_cells(8192, 1), full_cells(100, 1), full_cells(100, 4)
    (8192.0, 256.0, 128.0)
    """
    return CELLS * ceil(tokens * sharing / CELLS) / sharing


@formula(Unit.TOKEN)
def window_cells(tokens: int, sharing: int, window: int, micro_batch: int) -> Any:
    """Cells of one request in layers with a window.

    window_cells = 256 * ceil(min(tokens * sharing, window * sharing + micro_batch) / 256) / sharing

    Parameters
    ----------
    tokens : context of one slot
    sharing : slots in one stream; 1 where each has its own
    window : width [tokens]
    micro_batch : tokens computed at a time

    Returns
    -------
    cells of one slot

    >>> window_cells(16_384, 4, 128, 512), window_cells(65_536, 1, 1024, 512)
    (256.0, 1536.0)
    """
    return CELLS * ceil(minimum(tokens * sharing, window * sharing + micro_batch) / CELLS) / sharing


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
