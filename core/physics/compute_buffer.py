"""The compute buffer of llama.cpp: the most that stands at the same time while a micro-batch is computed.

ggml lays the results of a graph into one buffer and lets go of each after its last use. What stands together was read
off the graphs that llama.cpp reserves at its start, by letting it plan models of seven shapes without memory
(`no_alloc`), with one and two accelerators, with and without flash attention, for 512 to 131,072 tokens.

Read in ggml-org/llama.cpp: src/llama-context.cpp (graph_reserve), src/llama-graph.cpp (build_attn_inp_kq_mask,
build_ffn, build_moe_ffn, build_attn_mha), ggml/src/ggml-alloc.c, ggml/src/ggml-backend.cpp (copies, op_offload).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, maximum, minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE)
def masks_bytes(micro_batch: int, cells: Sequence[float], pair_bytes: int) -> Any:
    """Which tokens see which: a number for each pair of a new token and a cell.

    masks_bytes = ceil(micro_batch * sum(cells) * pair_bytes)

    Parameters
    ----------
    micro_batch : tokens computed at a time (--ubatch-size)
    cells : of one slot, in layers that keep every token and in those with a window
    pair_bytes : 2 with flash attention; until May 2026 also the 32-bit mask that it is made of: 6; without it 4 [byte]

    Returns
    -------
    bytes [byte]; where all slots share one stream, so many times as many

    >>> masks_bytes(512, [16_384], 2) / 2**20, masks_bytes(1024, [16_384], 6) / 2**20
    (16.0, 96.0)
    """
    return ceil(micro_batch * sum(cells) * pair_bytes)


@formula(Unit.BYTE)
def layer_graph_bytes(
    micro_batch: int, hidden_size: int, query_width: int, inner: float, chosen_experts: int, expert_inner: float
) -> Any:
    """Results of a layer: three of its inner width, or those of the chosen experts and what each gives, and three rows.

    layer_graph_bytes = ceil(4 * micro_batch
        * (max(3 * inner, chosen_experts * (3 * expert_inner + hidden_size)) + 2 * hidden_size + query_width))

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size : width of the model
    query_width : of all query heads together
    inner : width inside a dense block
    chosen_experts, expert_inner : experts that a token uses, and the width inside one

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp of October 2026 plans, less a mask of 8 MiB: Llama 3.1 8B 108 MiB, Qwen3 32B 186, Qwen3-235B-A22B 168.

    >>> layer_graph_bytes(512, 4096, 4096, 14_336.0, 0, 0.0) / 2**20
    108.0
    >>> layer_graph_bytes(512, 5120, 8192, 25_600.0, 0, 0.0) / 2**20
    186.0
    >>> layer_graph_bytes(512, 4096, 8192, 0.0, 8, 1536.0) / 2**20
    168.0
    """
    widest = maximum(3 * inner, chosen_experts * (3 * expert_inner + hidden_size))
    return ceil(4 * micro_batch * (widest + 2 * hidden_size + query_width))


@formula(Unit.BYTE)
def score_graph_bytes(
    micro_batch: int,
    cells: float,
    query_heads: int,
    hidden_size: int,
    query_width: int,
    kv_width: int,
) -> Any:
    """Without flash attention: a 32-bit score for each head, new token and cell, beside the rows of the layer.

    score_graph_bytes = ceil(4 * micro_batch
        * (cells * query_heads + 2 * (hidden_size + query_width + kv_width)))

    Parameters
    ----------
    micro_batch : tokens computed at a time
    cells : of one slot
    query_heads : of a layer
    hidden_size, query_width, kv_width : width of the model, of all query heads, and of the key heads [elements]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp plans, less the mask: Llama 3.1 8B with 16,384 tokens 1,060 MiB, Qwen3 32B with 8,192 1,080, Llama 2 13B
    with 8,192 700.

    >>> score_graph_bytes(512, 16_384, 32, 4096, 4096, 1024) / 2**20
    1060.0
    >>> score_graph_bytes(512, 8192, 64, 5120, 8192, 1024) / 2**20
    1080.0
    >>> score_graph_bytes(512, 8192, 40, 5120, 5120, 5120) / 2**20
    700.0
    """
    return ceil(4 * micro_batch * (cells * query_heads + 2 * (hidden_size + query_width + kv_width)))


@formula(Unit.BYTE)
def word_graph_bytes(micro_batch: int, outputs: int, vocabulary: int, hidden_size: int) -> Any:
    """Scores of all words, beside the last hidden states.

    word_graph_bytes = 4 * (min(micro_batch, outputs) * vocabulary + micro_batch * hidden_size)

    Parameters
    ----------
    micro_batch : tokens computed at a time
    outputs : of them that may ask for a word: all until May 2026; since then, in the server, one for each slot
    vocabulary : words
    hidden_size : width of the model

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp plans 258.5 MiB for Llama 3.1 8B and 304.75 for Qwen3-235B-A22B, where all tokens may.

    >>> word_graph_bytes(512, 2048, 128_256, 4096) / 2**20, word_graph_bytes(512, 2048, 151_936, 4096) / 2**20
    (258.5, 304.75)

    References
    ----------
    1. llama.cpp, pull request 23861: limit max outputs of llama_context.
    """
    return 4 * (minimum(micro_batch, outputs) * vocabulary + micro_batch * hidden_size)


@formula(Unit.TOKEN)
def words_asked_for(requests: int, draft_tokens: int) -> int:
    """Tokens of a step that ask for a word: the last of each slot, and each that is guessed.

    words_asked_for = requests * (1 + draft_tokens)

    Parameters
    ----------
    requests : slots that the server was started with; 1 where nobody chose them
    draft_tokens : guessed ahead in each step

    Returns
    -------
    tokens

    >>> words_asked_for(4, 3)
    16
    """
    return requests * (1 + draft_tokens)


@formula(Unit.BYTE)
def graph_peak_bytes(phases: Sequence[int], word_bytes: int, masks_bytes: int) -> Any:
    """The most of the phases: those of a layer have the masks beside them, the choice of words has not.

    graph_peak_bytes = max(word_bytes, max(phases) + masks_bytes)

    Parameters
    ----------
    phases : of a layer [byte]
    word_bytes : while words are scored [byte]
    masks_bytes : which tokens see which [byte]

    Returns
    -------
    bytes [byte]

    >>> graph_peak_bytes([113_246_208], 271_056_896, 16_777_216) / 2**20
    258.5
    """
    largest = maximum(*phases) if len(phases) > 1 else phases[0]
    return maximum(word_bytes, largest + masks_bytes)


@formula(Unit.BYTE)
def graph_peak_before_bytes(layer_bytes: int, word_bytes: int, masks_bytes: int, row_bytes: int) -> Any:
    """The same with flash attention until May 2026: a mask of 32 bit stands first and leaves a gap for what fits.

    graph_peak_before_bytes = masks_bytes + max(0, layer_bytes + row_bytes - masks_bytes * 2 / 3,
        where(word_bytes > masks_bytes * 2 / 3, word_bytes, 0))

    Parameters
    ----------
    layer_bytes : of a layer [byte]
    word_bytes : while words are scored [byte]
    masks_bytes : of 32 and of 16 bit together; the first two thirds are free again when a layer begins [byte]
    row_bytes : one more row of hidden states [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Printed: Llama 3.1 8B, 16,384 tokens in micro-batches of 1,024: 613.01 MiB (July 2025). Mistral Small 22B, 49,152
    tokens in micro-batches of 512: 192 MiB (October 2024).

    >>> graph_peak_before_bytes(2 * 108 * 2**20, 517 * 2**20, 96 * 2**20, 16 * 2**20) / 2**20
    613.0
    >>> graph_peak_before_bytes(132 * 2**20, 76 * 2**20, 144 * 2**20, 12 * 2**20) / 2**20
    192.0
    """
    gap = masks_bytes * 2 / 3
    words = where(word_bytes > gap, word_bytes, 0)
    return masks_bytes + maximum(0, layer_bytes + row_bytes - gap, words)


@formula(Unit.BYTE)
def staged_peak_bytes(
    phases: Sequence[int], masks_bytes: int, mask_times: int, micro_batch: int, hidden_size: int, tensors: int
) -> Any:
    """The same where accelerators pass micro-batches on: four are under way, and all that comes in stands four times.

    staged_peak_bytes = max(phases) + masks_bytes * mask_times + 16 * micro_batch * hidden_size * tensors

    Parameters
    ----------
    phases : of a layer, and of scoring words [byte]
    masks_bytes : which tokens see which [byte]
    mask_times : 4; with flash attention until May 2026 3, as the 16-bit mask made of it is not copied
    micro_batch : tokens computed at a time
    hidden_size : width of the model
    tensors : results that cross from one accelerator to the next: 2; until 2024 1

    Returns
    -------
    bytes on the last accelerator [byte]

    Notes
    -----
    llama.cpp plans 386.55 MiB for the second of two accelerators with Llama 3.1 8B and 16,384 tokens, and 450.80 with
    Qwen3 32B.

    >>> staged_peak_bytes([271_056_896], 16 * 2**20, 4, 512, 4096, 2) / 2**20
    386.5
    >>> staged_peak_bytes([word_graph_bytes(512, 512, 151_936, 5120)], 16 * 2**20, 4, 512, 5120, 2) / 2**20
    450.75

    References
    ----------
    1. llama.cpp, ggml/src/ggml-backend.cpp: GGML_SCHED_MAX_COPIES.
    """
    largest = maximum(*phases) if len(phases) > 1 else phases[0]
    return largest + masks_bytes * mask_times + 16 * micro_batch * hidden_size * tensors


@formula(Unit.BYTE)
def copied_weight_bytes(weights_bytes: float, matrices: int) -> Any:
    """The largest matrix that lies with the host: for a prompt an accelerator takes a copy of one after the other.

    copied_weight_bytes = ceil(weights_bytes / matrices)

    Parameters
    ----------
    weights_bytes : of the experts of all layers [byte]
    matrices : three for each layer

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Qwen3-235B-A22B in Q8_0, whose experts lie with the host: 816 of the 1,024 MiB that were printed.

    >>> copied_weight_bytes(94 * 3 * 855_638_016, 282) / 2**20
    816.0

    References
    ----------
    1. llama.cpp, ggml/src/ggml-backend.cpp: op_offload, from 32 tokens.
    """
    return ceil(weights_bytes / matrices)


@formula(Unit.BYTE)
def both_bytes(layer_bytes: int, copied_bytes: int) -> int:
    """A layer's results beside the matrix that is there just now.

    both_bytes = layer_bytes + copied_bytes

    Parameters
    ----------
    layer_bytes, copied_bytes : [byte]

    Returns
    -------
    bytes [byte]

    >>> both_bytes(176_160_768, 855_638_016)
    1031798784
    """
    return layer_bytes + copied_bytes


@formula(Unit.BYTE)
def row_bytes(micro_batch: int, hidden_size: int) -> int:
    """A row of hidden states in 32 bit.

    row_bytes = 4 * micro_batch * hidden_size

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size : width of the model

    Returns
    -------
    bytes [byte]

    >>> row_bytes(512, 4096) / 2**20
    8.0
    """
    return 4 * micro_batch * hidden_size
