"""The compute buffer of llama.cpp: the most that stands at the same time while a micro-batch is computed.

ggml lays the results of a graph into one buffer and lets go of each after its last use. What stands together was read
off the graphs that llama.cpp reserves at its start, by letting builds of October 2024 to October 2026 plan models of
twenty shapes without memory, with one and two accelerators, with and without flash attention, for 512 to 262,144
tokens.

Read in ggml-org/llama.cpp: src/llama-context.cpp (graph_reserve), src/llama-graph.cpp (build_attn_inp_kq_mask,
build_ffn, build_moe_ffn, build_attn_mha), ggml/src/ggml-alloc.c, ggml/src/ggml-backend.cpp (copies, op_offload).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum, where
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
    micro_batch: int,
    hidden_size: int,
    attended_width: int,
    inner: float,
    chosen_experts: int,
    expert_inner: float,
    inner_times: int,
    more_width: float,
) -> Any:
    """Results of a layer: some of its inner width, or those of the chosen experts and what they give, and three rows.

    layer_graph_bytes = ceil(4 * micro_batch * (max(inner_times * inner + attended_width,
        chosen_experts * (inner_times * expert_inner + where(hidden_size > (inner_times - 1) * expert_inner,
            hidden_size, 0)) + attended_width - chosen_experts * expert_inner * max(0, ceil(attended_width
            / max(1, chosen_experts * expert_inner)) - 1)) + 2 * hidden_size + more_width))

    What a block gives goes where its first results were, if it fits there; results of experts go where attention was.

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size : width of the model
    attended_width : of what all query heads found [elements]
    inner : width inside a dense block
    chosen_experts, expert_inner : experts that a token uses, and the width inside one
    inner_times : 3: both factors and their product; 2 before July 2025, when the product took the place of a factor
    more_width : rows that stand beside all layers (inputs of each layer in small models of Gemma) [elements]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp plans, less the masks: Llama 3.1 8B 108 MiB, Qwen3 32B 186, Qwen3-235B-A22B 168, gpt-oss 86.8, GLM-4.5-Air
    148, Mixtral 8x7B 192, Kimi K2 252; Mistral 7B of October 2024 80.

    References
    ----------
    1. llama.cpp, pull request 14158: gated units in one operation.

    >>> layer_graph_bytes(512, 4096, 4096, 14_336.0, 0, 0.0, 3, 0) / 2**20
    108.0
    >>> layer_graph_bytes(512, 4096, 4096, 14_336.0, 0, 0.0, 2, 0) / 2**20
    80.0
    >>> layer_graph_bytes(512, 5120, 8192, 25_600.0, 0, 0.0, 3, 0) / 2**20
    186.0
    >>> layer_graph_bytes(512, 4096, 8192, 0.0, 8, 1536.0, 3, 0) / 2**20
    168.0
    >>> layer_graph_bytes(512, 2880, 4096, 0.0, 4, 2880.0, 3, 0) / 2**20
    86.75
    >>> layer_graph_bytes(512, 4096, 12_288, 10_944.0, 8, 1408.0, 3, 0) / 2**20
    148.0
    >>> layer_graph_bytes(512, 7168, 8192, 18_432.0, 8, 2048.0, 3, 0) / 2**20
    252.0
    """
    experts = chosen_experts * expert_inner
    given = chosen_experts * where(hidden_size > (inner_times - 1) * expert_inner, hidden_size, 0)
    fitting = maximum(0, ceil(attended_width / maximum(1, experts)) - 1)
    routed = inner_times * experts + given + attended_width - experts * fitting
    return ceil(
        4 * micro_batch * (maximum(inner_times * inner + attended_width, routed) + 2 * hidden_size + more_width)
    )


@formula(Unit.COUNT)
def input_width(parameters: int, vocabulary: int) -> Any:
    """Width of the inputs of all layers together, which small models of Gemma look up beside the embeddings.

    input_width = parameters / vocabulary

    Parameters
    ----------
    parameters : of the tables of all layers
    vocabulary : words

    Returns
    -------
    elements of one token: layers times the width of one input

    Notes
    -----
    llama.cpp of September 2026 plans 21 MiB more for Gemma 4 E4B than its layers take, for 512 tokens.

    >>> input_width(262_144 * 42 * 256, 262_144)
    10752.0
    """
    return parameters / vocabulary


@formula(Unit.BYTE)
def latent_graph_bytes(micro_batch: int, hidden_size: int, query_heads: int, key_dim: int, latent_dim: int) -> Any:
    """Queries of latent attention: as they are, multiplied into the width of latents, and joined; and three rows.

    latent_graph_bytes = 4 * micro_batch * (query_heads * (key_dim + 2 * latent_dim) + 3 * hidden_size)

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size : width of the model
    query_heads : of a layer
    key_dim : width of a key head before it becomes a latent, with its rotary part
    latent_dim : width of a latent, with its rotary part

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp of 2026 plans 378 MiB for DeepSeek V3, less the mask.

    >>> latent_graph_bytes(512, 7168, 128, 192, 576) / 2**20
    378.0
    """
    return 4 * micro_batch * (query_heads * (key_dim + 2 * latent_dim) + 3 * hidden_size)


@formula(Unit.BYTE)
def index_graph_bytes(
    micro_batch: int, latent_bytes: int, layers: int, top_k: int, cells: float, query_heads: int, key_dim: int
) -> Any:
    """Sparse latent attention: what each layer's choice is made of stands from the start, and scores of the indexer.

    index_graph_bytes = ceil(latent_bytes + micro_batch * (4 * layers * top_k + 2 * cells
        + where(cells > query_heads * key_dim, 4 * cells, 0)))

    Parameters
    ----------
    micro_batch : tokens computed at a time
    latent_bytes : queries of latent attention [byte]
    layers : with sparse attention
    top_k : tokens that a layer looks at
    cells : of one slot; a second mask of 16 bit is the indexer's
    query_heads, key_dim : of a layer; scores go where plain queries were, if they fit there

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp of August and September 2026 plans for GLM-5, less the first mask: 524 MiB with 8,192 tokens, 900 with
    131,072 (this formula 532 and 908); with 20 of its 78 layers 668.

    >>> index_graph_bytes(512, 212 * 2**20, 78, 2048, 8192, 64, 256) / 2**20
    532.0
    >>> index_graph_bytes(512, 212 * 2**20, 78, 2048, 131_072, 64, 256) / 2**20
    908.0
    >>> index_graph_bytes(512, 212 * 2**20, 20, 2048, 131_072, 64, 256) / 2**20
    676.0
    """
    scores = where(cells > query_heads * key_dim, 4 * cells, 0)
    return ceil(latent_bytes + micro_batch * (4 * layers * top_k + 2 * cells + scores))


@formula(Unit.BYTE)
def attended_graph_bytes(micro_batch: int, hidden_size: int, query_width: int, copy_bytes: int) -> Any:
    """Queries and what they find, two rows, and the 16-bit copy of a layer's cache that kernels read.

    attended_graph_bytes = 8 * micro_batch * (hidden_size + query_width) + copy_bytes

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size, query_width : width of the model, and of all query heads [elements]
    copy_bytes : of keys and values of one layer [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp plans, less the mask of 128 MiB: Llama 3.1 8B with 131,072 tokens in 8 bit 544 MiB.

    >>> attended_graph_bytes(512, 4096, 4096, copied_cache_bytes(131_072, 2048)) / 2**20
    544.0
    """
    return 8 * micro_batch * (hidden_size + query_width) + copy_bytes


@formula(Unit.BYTE)
def copied_cache_bytes(cells: float, width: int) -> Any:
    """A 16-bit copy of the quantised cache of one layer, which kernels of NVIDIA's and AMD's devices make as they run.

    copied_cache_bytes = ceil(2 * cells * width)

    Parameters
    ----------
    cells : of one slot
    width : keys and values of all heads of a layer; of latents once [elements]

    Returns
    -------
    bytes [byte]

    References
    ----------
    1. llama.cpp, pull request 23907: the copy is part of the compute buffer since June 2026.

    >>> copied_cache_bytes(131_072, 2048) / 2**20
    512.0
    """
    return ceil(2 * cells * width)


@formula(Unit.BYTE)
def score_graph_bytes(
    micro_batch: int,
    cells: float,
    query_heads: int,
    hidden_size: int,
    query_width: int,
    kv_width: int,
    more_width: float,
) -> Any:
    """Without flash attention: a 32-bit score for each head, new token and cell, beside the rows of the layer.

    score_graph_bytes = ceil(4 * micro_batch
        * (cells * query_heads + 2 * (hidden_size + query_width + kv_width) + more_width))

    Parameters
    ----------
    micro_batch : tokens computed at a time
    cells : of one slot
    query_heads : of a layer
    hidden_size, query_width, kv_width : width of the model, of all query heads, and of the key heads [elements]
    more_width : rows that stand beside all layers [elements]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp plans, less the mask: Llama 3.1 8B with 16,384 tokens 1,060 MiB, Qwen3 32B with 8,192 1,080, Llama 2 13B
    with 8,192 700.

    >>> score_graph_bytes(512, 16_384, 32, 4096, 4096, 1024, 0) / 2**20
    1060.0
    >>> score_graph_bytes(512, 8192, 64, 5120, 8192, 1024, 0) / 2**20
    1080.0
    >>> score_graph_bytes(512, 8192, 40, 5120, 5120, 5120, 0) / 2**20
    700.0
    """
    rows = 2 * (hidden_size + query_width + kv_width) + more_width
    return ceil(4 * micro_batch * (cells * query_heads + rows))


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
def graph_peak_before_bytes(
    layer_bytes: int,
    word_bytes: int,
    masks_bytes: int,
    rows_bytes: int,
    early_bytes: int,
    inner_bytes: float,
    inner_times: int,
) -> Any:
    """The same with flash attention until May 2026: a mask of 32 bit comes first, and one of 16 bit is made of it.

    graph_peak_before_bytes = max(word_bytes, layer_bytes + masks_bytes / 3, early_bytes + masks_bytes * 2 / 3,
        masks_bytes + rows_bytes + where(held >= 1, max(0, inner_times - held) * inner_bytes, 0))

    with held = floor(masks_bytes * 2 / 3 / inner_bytes): results of a layer go where the wide mask was, the rest above

    Parameters
    ----------
    layer_bytes : of a layer, beside the narrow mask [byte]
    word_bytes : while words are scored: no mask stands any more [byte]
    masks_bytes : of 32 and of 16 bit together [byte]
    rows_bytes : queries and what they find, and two rows, while the second is made of the first [byte]
    early_bytes : what stands in the first layer before that; 0 where it is less than the rows [byte]
    inner_bytes, inner_times : a result of the inner width of a dense block [byte], and how many there are

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Printed: GLM-4.5-Air, 131,072 tokens in micro-batches of 4,096: 3584.09 MiB (August 2025). Mistral Small 22B, 49,152
    tokens in micro-batches of 512: 192 MiB (October 2024). Qwen3 8B, 8,192 tokens: 304.75 (May 2026). Planned by builds
    of August 2025: Mistral 7B, 24,576 tokens 160.01, 32,768 156.01.

    >>> rows = attended_graph_bytes(4096, 4096, 12_288, 0)
    >>> graph_peak_before_bytes(8 * 148 * 2**20, 2432 * 2**20, 3072 * 2**20, rows, 0, 171 * 2**20, 3) / 2**20
    3584.0
    >>> graph_peak_before_bytes(100 * 2**20, 76 * 2**20, 144 * 2**20, 48 * 2**20, 0, 32 * 2**20, 2) / 2**20
    192.0
    >>> rows = attended_graph_bytes(512, 4096, 4096, 0)
    >>> [graph_peak_before_bytes(108 * 2**20, 0, n * 2**20, rows, 0, 28 * 2**20, 3) / 2**20 for n in (72, 96, 192)]
    [160.0, 156.0, 224.0]
    """
    held = floor(masks_bytes * 2 / 3 / maximum(1, inner_bytes))
    above = where(held >= 1, maximum(0, inner_times - held) * inner_bytes, 0)
    early = early_bytes + masks_bytes * 2 / 3
    return maximum(word_bytes, layer_bytes + masks_bytes / 3, early, masks_bytes + rows_bytes + above)


@formula(Unit.BYTE)
def inner_bytes(micro_batch: int, inner: float) -> Any:
    """A result of the inner width of a block, in 32 bit.

    inner_bytes = 4 * micro_batch * inner

    Parameters
    ----------
    micro_batch : tokens computed at a time
    inner : width inside a dense block

    Returns
    -------
    bytes [byte]

    >>> inner_bytes(512, 14_336.0) / 2**20
    28.0
    """
    return 4 * micro_batch * inner


@formula(Unit.BYTE)
def lifted_word_bytes(micro_batch: int, hidden_size: int, inner: float, word_bytes: int, masks_bytes: int) -> Any:
    """Scores of words above a gap: where results of a layer lay in the place of the wide mask, the last row is above.

    lifted_word_bytes = word_bytes + where(1 <= floor(gap / one) < 2, gap + 2 * row,
        where(3 * one + row <= gap and gap < 5 * one, 3 * one + row, 0))

    with gap = masks_bytes * 2 / 3, one = 4 * micro_batch * inner, row = 4 * micro_batch * hidden_size

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size : width of the model
    inner : width inside a dense block
    word_bytes : while words are scored [byte]
    masks_bytes : of 32 and of 16 bit together [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Of layers without norms but the two before their blocks (Llama, Mistral, Qwen2), July 2025 to May 2026: the place of
    a gated unit is another then. Planned and printed for Llama 3.1 8B: 16,384 tokens in micro-batches of 1,024: 613.01
    MiB (July 2025); in micro-batches of 512 with 32,768 258.5 (no gap), with 65,536 350.5.

    >>> lifted_word_bytes(1024, 4096, 14_336.0, 517 * 2**20, 96 * 2**20) / 2**20
    613.0
    >>> [lifted_word_bytes(512, 4096, 14_336.0, 271_056_896, n * 2**20) / 2**20 for n in (24, 96, 192)]
    [258.5, 258.5, 350.5]
    """
    gap, one, row = masks_bytes * 2 / 3, 4 * micro_batch * inner, 4 * micro_batch * hidden_size
    held = floor(gap / one)
    third = where(3 * one + row <= gap, where(held < 5, 3 * one + row, 0), 0)
    return word_bytes + where(held == 1, gap + 2 * row, third)


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
def host_attention_bytes(
    micro_batch: int,
    hidden_size: int,
    query_width: int,
    cells: float,
    score_heads: int,
    layer_width: int,
    element_bytes: float,
    copies: float,
) -> Any:
    """Attention of a layer that lies with the host: for a prompt an accelerator does it, with copies of the cache.

    host_attention_bytes = ceil(4 * micro_batch * (2 * hidden_size + query_width + score_heads * cells)
        + copies * cells * layer_width * element_bytes)

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size, query_width : width of the model, and of all query heads [elements]
    cells : of one slot
    score_heads : query heads whose scores stand there; 0 with flash attention
    layer_width : keys and values of all heads of a layer [elements]
    element_bytes : of one element of the cache [byte]
    copies : 1.5: keys and values, and those that come next; with flash attention until May 2026 1

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Qwen3 8B, 131,072 tokens, 17 layers with the host: 9,240 MiB printed without flash attention (July 2025), less the
    mask of 256; with it 920 MiB planned (September 2026), less that of 128. Qwen3 32B, 65,536 tokens: 484, less 64.

    >>> host_attention_bytes(512, 4096, 4096, 131_072, 32, 2048, 2.0, 1.5) / 2**20
    8984.0
    >>> host_attention_bytes(512, 4096, 4096, 131_072, 0, 2048, 2.0, 1.5) / 2**20
    792.0
    >>> host_attention_bytes(512, 5120, 8192, 65_536, 0, 2048, 2.0, 1.5) / 2**20
    420.0

    References
    ----------
    1. llama.cpp, ggml/src/ggml-backend.cpp: op_offload, from 32 tokens.
    """
    rows = 2 * hidden_size + query_width + score_heads * cells
    return ceil(4 * micro_batch * rows + copies * cells * layer_width * element_bytes)


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
def layer_with_weight_bytes(
    micro_batch: int,
    hidden_size: int,
    attended_width: int,
    chosen_experts: int,
    expert_inner: float,
    copied_bytes: int,
) -> Any:
    """The chosen experts while their last matrix is there: their products, what they give, and three rows beside it.

    layer_with_weight_bytes = ceil(4 * micro_batch
        * (chosen_experts * (expert_inner + hidden_size) + 2 * hidden_size + attended_width)) + copied_bytes

    Parameters
    ----------
    micro_batch : tokens computed at a time
    hidden_size, attended_width : width of the model, and of what all query heads found [elements]
    chosen_experts, expert_inner : experts that a token uses, and the width inside one
    copied_bytes : of the matrix [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    llama.cpp of September 2026 plans 264 MiB for Qwen3-30B-A3B in Q8_0, less the mask.

    >>> layer_with_weight_bytes(512, 2048, 4096, 8, 768.0, 204 * 2**20) / 2**20
    264.0
    """
    products = chosen_experts * (expert_inner + hidden_size)
    return ceil(4 * micro_batch * (products + 2 * hidden_size + attended_width)) + copied_bytes


@formula(Unit.BYTE)
def with_copy_bytes(phase_bytes: int, copied_bytes: int) -> int:
    """A phase beside a matrix that lies with the host and is copied for it.

    with_copy_bytes = phase_bytes + copied_bytes

    Parameters
    ----------
    phase_bytes, copied_bytes : [byte]

    Returns
    -------
    bytes [byte]

    Notes
    -----
    Qwen3 8B in Q8_0 with its head with the host: 304.75 MiB of scores and 630.59 of the head were planned (2025).

    >>> round(with_copy_bytes(319_553_536, 661_217_280) / 2**20, 2)
    935.34
    """
    return phase_bytes + copied_bytes
