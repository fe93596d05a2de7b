"""What stands on an accelerator beside weights and cache: intermediate results, logits, context, buffers.

Engines measure their own peak at the start, with a prompt chunk of full length, and give the rest to the cache. The
forms here are those of the peak in each engine; their constants were read off public start-up logs.
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.COUNT)
def inner_width(parameters: int, layers: int, hidden_size: int) -> float:
    """Width inside a gated feed-forward block, from the number of its parameters.

    inner_width = where(layers > 0, parameters / (3 * max(1, layers) * hidden_size), 0)

    Parameters
    ----------
    parameters : of all these blocks
    layers : that have one; 1 for a single expert, 0 where there are none
    hidden_size : width of the model

    Returns
    -------
    elements

    >>> inner_width(5_637_144_576, 32, 4096)
    14336.0
    """
    return parameters / (3 * layers * hidden_size) if layers else 0


@formula(Unit.TOKEN)
def mixture_tokens(chunk: int, groups: int, most: int) -> Any:
    """Tokens that go through the experts at a time: where attention stands whole in groups, the chunks of all of them.

    mixture_tokens = min(chunk * groups, most)

    Parameters
    ----------
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    groups : that each read chunks of their own and share the experts (data parallelism of attention)
    most : that the kernel takes at a time

    Returns
    -------
    tokens

    >>> mixture_tokens(8192, 8, 65_536), mixture_tokens(8192, 8, 16_384)
    (65536, 16384)

    References
    ----------
    1. vLLM, envs.py, VLLM_FUSED_MOE_CHUNK_SIZE: 65,536 until 0.11, 16,384 until 0.19; later ones do not cut.
    """
    return minimum(chunk * groups, most)


@formula(Unit.BYTE)
def activation_bytes(
    chunk: int,
    hidden_size: int,
    inner: float,
    tensor: int,
    mixture_tokens: int,
    chosen_experts: int,
    expert_inner: float,
    expert_tensor: int,
    least_width: int,
) -> Any:
    """Intermediate results of one prompt chunk at their peak, inside the widest feed-forward block.

    activation_bytes = ceil(2 * (3 * chunk * hidden_size + max(3 * chunk * inner / tensor,
        mixture_tokens * chosen_experts
        * (max(hidden_size, 2 * expert_inner / expert_tensor) + max(expert_inner / expert_tensor, least_width)))))

    Parameters
    ----------
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    hidden_size : width of the model: the residual, its copy and the output stand at the same time
    inner : width inside a dense block: gate, up and their product
    tensor : accelerators that share each layer
    mixture_tokens : that go through the experts at a time
    chosen_experts, expert_inner : experts that a token uses, and the width inside one
    expert_tensor : accelerators that share an expert; 1 where whole experts are spread
    least_width : of the second work space of the experts: the model's, or 0 where it holds their inner width only

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Attention runs in tiles and stays below this. Llama 3.1 8B, chunks of 20,000 and 29,000 tokens: vLLM reported 2.06
    and 2.98 GiB. Qwen3 Coder 480B on eight H20 with whole attention on each and chunks of 8,192: 9.5 GiB were gone
    beside the weights, of which 8.8 by this formula.

    >>> round(activation_bytes(20_000, 4096, 14_336.0, 1, 20_000, 0, 0.0, 1, 0) / 2**30, 2)
    2.06
    >>> round(activation_bytes(29_000, 4096, 14_336.0, 1, 29_000, 0, 0.0, 1, 0) / 2**30, 2)
    2.99
    >>> round(activation_bytes(8192, 6144, 0.0, 1, 65_536, 8, 2560.0, 1, 0) / 2**30, 1)
    8.8

    References
    ----------
    1. vLLM, v1/worker/gpu_worker.py, determine_available_memory.
    """
    inner_of_rank = expert_inner / expert_tensor
    mixture = chosen_experts * (max(hidden_size, 2 * inner_of_rank) + max(inner_of_rank, least_width))
    return ceil(2 * (3 * chunk * hidden_size + maximum(3 * chunk * inner / tensor, mixture_tokens * mixture)))


@formula(Unit.TOKEN)
def workspace_tokens(context: int, requests: int, block_tokens: int, most: int) -> Any:
    """Earlier tokens for which latent attention prepares to unfold keys and values at a time.

    workspace_tokens = max(requests * block_tokens, min(max(8 * context, 4 * requests * block_tokens), most))

    Parameters
    ----------
    context : of the longest request (max_model_len) [tokens]
    requests : for which the engine prepares (max_num_seqs)
    block_tokens : tokens in a block of the cache
    most : 65,536; before vLLM 0.11 131,072

    Returns
    -------
    tokens

    >>> workspace_tokens(4096, 256, 16, 65_536), workspace_tokens(131_072, 256, 16, 65_536)
    (32768, 65536)

    References
    ----------
    1. vLLM 0.12, v1/attention/backends/mla/common.py, determine_chunked_prefill_workspace_size.
    """
    return maximum(requests * block_tokens, minimum(maximum(8 * context, 4 * requests * block_tokens), most))


@formula(Unit.BYTE)
def latent_bytes(tokens: int, heads: int, width: int, tensor: int, chunk: int, hidden_size: int) -> Any:
    """Keys and values of all heads, unfolded from the latent of earlier tokens, beside the states of a prompt chunk.

    latent_bytes = ceil(2 * tokens * heads / tensor * width + 4 * chunk * hidden_size)

    Parameters
    ----------
    tokens : earlier tokens unfolded at a time
    heads : of a layer
    width : of a head's key without its rotary part, and of its value, together
    tensor : accelerators that share each layer
    chunk : tokens of a prompt chunk: the residual and its copy stand at the same time
    hidden_size : width of the model

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    DeepSeek V3 with whole attention on every accelerator, 65,536 tokens of 128 heads of 128 and 128: 4 GiB, which vLLM
    sets aside while it measures its peak.

    >>> latent_bytes(65_536, 128, 256, 1, 0, 7168) / 2**30
    4.0

    References
    ----------
    1. vLLM 0.12, v1/attention/backends/mla/common.py, forward: "simulate to worse case output size".
    """
    return ceil(2 * tokens * heads / tensor * width + 4 * chunk * hidden_size)


@formula(Unit.BYTE)
def work_spaces_bytes(
    tokens: int, chosen_experts: int, hidden_size: int, expert_inner: float, expert_tensor: int, least_width: int
) -> Any:
    """The two work spaces of the experts, which the engine keeps once it has made them.

    work_spaces_bytes = ceil(2 * tokens * chosen_experts
        * (max(hidden_size, 2 * expert_inner / expert_tensor) + max(expert_inner / expert_tensor, least_width)))

    Parameters
    ----------
    tokens : that go through the experts at a time
    chosen_experts, expert_inner : experts that a token uses, and the width inside one
    hidden_size : width of the model
    expert_tensor : accelerators that share an expert
    least_width : of the second of them

    Returns
    -------
    bytes on one accelerator [byte]

    >>> work_spaces_bytes(8192, 8, 6144, 2048.0, 8, 6144) / 2**30
    1.5

    References
    ----------
    1. vLLM 0.20, model_executor/layers/fused_moe/modular_kernel.py, _allocate_buffers; v1/worker/workspace.py.
    """
    inner_of_rank = expert_inner / expert_tensor
    width = max(hidden_size, 2 * inner_of_rank) + max(inner_of_rank, least_width)
    return ceil(2 * tokens * chosen_experts * width)


@formula(Unit.BYTE)
def sparse_bytes(
    context: int,
    times: int,
    times_of_long: int,
    index_bytes: int,
    gathered_bytes: int,
    experts_bytes: int,
    score_bytes: int,
    chunk: int,
    hidden_size: int,
) -> Any:
    """The phase in which sparse latent attention picks its tokens: its work space, scores, and the states of a chunk.

    sparse_bytes = ceil(max(context * where(context > 262144, times_of_long, times) * max(index_bytes, gathered_bytes),
        experts_bytes) + score_bytes + 6 * chunk * hidden_size)

    Parameters
    ----------
    context : of the longest request (max_model_len) [tokens]
    times, times_of_long : so many contexts are gathered: 5, before vLLM 0.13 2; since 0.32 2 of long ones
    index_bytes : of the keys of the indexer for a token: 8 of 132, before 0.13 one [byte/token]
    gathered_bytes : of a latent that is gathered from a cache of 8 bit with scales: 1,152, else 0 [byte/token]
    experts_bytes : work spaces of the experts, which lie in the same memory
    score_bytes : of the indexer, set aside while the peak is measured
    chunk : tokens of a prompt chunk
    hidden_size : width of the model

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    One million tokens of GLM-5.2 in 8 bit take 5.6 GiB of work space before 0.32, and 2.2 since.

    >>> [round(sparse_bytes(1_048_576, 5, times, 1056, 1152, 0, 0, 0, 0) / 2**30, 2) for times in (5, 2)]
    [5.62, 2.25]

    References
    ----------
    1. vLLM 0.20, v1/attention/backends/mla/indexer.py, get_max_prefill_buffer_size, and flashmla_sparse.py,
       get_prefill_workspace_size; model_executor/layers/sparse_attn_indexer.py; 0.32, config/attention.py.
    """
    contexts = where(context > 262_144, times_of_long, times) * context
    return ceil(
        maximum(contexts * max(index_bytes, gathered_bytes), experts_bytes) + score_bytes + 6 * chunk * hidden_size
    )


@formula(Unit.COUNT)
def images_tried(chunk: int, item_tokens: int) -> Any:
    """Images, or videos, that the engine tries at the start: as many of the largest as a prompt chunk holds, or one.

    images_tried = max(1, floor(chunk / item_tokens))

    Parameters
    ----------
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    item_tokens : that the largest of them may become [tokens]

    Returns
    -------
    number

    >>> images_tried(2048, 16_384), images_tried(8192, 2496), images_tried(2048, 256)
    (1, 3, 8)

    References
    ----------
    1. vLLM 0.33, multimodal/encoder_budget.py: "profiled with 3 video items of the maximum feature size".
    """
    return maximum(1, floor(chunk / item_tokens))


@formula(Unit.BYTE)
def image_bytes(images: int, patches: int, elements: int) -> int:
    """Intermediate results of the image tower for the images tried at the start.

    image_bytes = 2 * images * patches * elements

    Parameters
    ----------
    images : that are tried at once
    patches : of the largest of them
    elements : of a patch that stand at the same time: its pixels, three widths of the tower, and the feed-forward block

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Tensor parallelism changes little: vLLM reported peaks of 1.78 GiB for the tower of Qwen3.5 on one accelerator, and
    of 1.59 and 1.66 on two. Gemma 3 with chunks of 2,048 tokens, eight images: 0.8 GiB were gone.

    >>> round(image_bytes(1, 65_536, 13_600) / 2**30, 2), round(image_bytes(8, 4096, 12_652) / 2**30, 2)
    (1.66, 0.77)
    """
    return 2 * images * patches * elements


@formula(Unit.BYTE)
def image_outputs_bytes(images: int, item_tokens: int, hidden_size: int, image_levels: int) -> int:
    """What the tower hands on, which stands beside the text while that is tried.

    image_outputs_bytes = 2 * images * item_tokens * hidden_size * (1 + image_levels)

    Parameters
    ----------
    images : that are tried at once
    item_tokens : of each [tokens]
    hidden_size : width of the language model
    image_levels : layers that receive features of images beside the first

    Returns
    -------
    bytes on one accelerator [byte]

    >>> image_outputs_bytes(1, 16_384, 5120, 0) / 2**20
    160.0

    References
    ----------
    1. vLLM 0.33, v1/worker/gpu_model_runner.py, profile_run: the outputs stay in the encoder cache until the end.
    """
    return 2 * images * item_tokens * hidden_size * (1 + image_levels)


@formula(Unit.TOKEN)
def largest_graph(requests: int, draft_tokens: int, times: int, most: int) -> Any:
    """Tokens of the largest step that is captured as a graph.

    largest_graph = min(requests * (1 + draft_tokens) * times, most)

    Parameters
    ----------
    requests : for which the engine prepares (max_num_seqs)
    draft_tokens : guessed ahead for each of them
    times : 2 for graphs in pieces, 1 for whole ones of steps that only answer
    most : 512

    Returns
    -------
    tokens

    >>> largest_graph(2, 3, 2, 512), largest_graph(256, 0, 1, 512)
    (16, 256)

    References
    ----------
    1. vLLM 0.33, config/vllm.py, _set_cudagraph_sizes.
    """
    return minimum(requests * (1 + draft_tokens) * times, most)


@formula(Unit.COUNT)
def graph_sizes(largest: int) -> Any:
    """Steps for which a graph is captured: 1, 2, 4, then every eighth number up to 248, then every sixteenth.

    graph_sizes = min(1, largest) + min(1, floor(largest / 2)) + min(1, floor(largest / 4))
        + floor(min(largest, 248) / 8) + max(0, floor((largest - 240) / 16))

    Parameters
    ----------
    largest : tokens of the largest [tokens]

    Returns
    -------
    number

    >>> graph_sizes(512), graph_sizes(256), graph_sizes(16), graph_sizes(4), graph_sizes(1)
    (51, 35, 5, 3, 1)

    References
    ----------
    1. vLLM 0.33, config/vllm.py, _set_cudagraph_sizes; logs: "PIECEWISE=51 (largest=512), FULL=35 (largest=256)".
    """
    small = min(1, largest) + min(1, floor(largest / 2)) + min(1, floor(largest / 4))
    return small + floor(min(largest, 248) / 8) + max(0, floor((largest - 240) / 16))


@formula(Unit.BYTE)
def graphs_bytes(sizes: Sequence[int], layers: int, each_bytes: int, base_bytes: int) -> int:
    """Graphs of CUDA as vLLM estimates them: so much for each layer of each.

    graphs_bytes = base_bytes + sum(sizes) * layers * each_bytes

    Parameters
    ----------
    sizes : steps captured in pieces, and whole
    layers : of the model
    each_bytes : of a layer in a graph [byte]
    base_bytes : of the first [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    vLLM printed 1.11 GiB for Qwen3.8 27B with 51 and 35 sizes, 0.09 and 0.13 with five, 0.17 with seven, 0.52 for Qwen3
    8B, and 0.08 for Qwen2.5 7B with twelve. Others were up to twice as much.

    >>> round(graphs_bytes([51, 35], 64, 209_715, 52_428_800) / 2**30, 2)
    1.12
    >>> round(graphs_bytes([7, 5], 28, 209_715, 52_428_800) / 2**30, 2)
    0.11
    """
    return base_bytes + sum(sizes) * layers * each_bytes


@formula(Unit.BYTE)
def logits_bytes(requests: int, chunk: int, vocabulary: int, bytes_each: int, hidden_size: int) -> int:
    """Scores of every word for every request, with the copies that choosing one needs, beside the last hidden states.

    logits_bytes = min(requests, chunk) * vocabulary * bytes_each + 2 * chunk * hidden_size

    Parameters
    ----------
    requests : for which the engine prepares (max_num_seqs)
    chunk : tokens of a prompt chunk (max_num_batched_tokens): no more requests are tried at once
    vocabulary : words
    bytes_each : of one score with its copies; the 16-bit score, one of 32 bit, and what sorting takes [byte]
    hidden_size : width of the model

    Returns
    -------
    bytes [byte]

    Notes
    -----
    With 1,024 requests and chunks of 8,192, vLLM 0.11 reported peaks of 4.76 GiB for Llama 3.1 8B, 5.64 for Qwen3 32B
    and 7.38 for gpt-oss 20B; 38 bytes a score give 4.71, 5.58 and 7.33. Since 0.17 nothing is sorted: with 256 requests
    and 131,072 words choosing took 384 MB in place of 1.25 GB.

    >>> round(logits_bytes(1024, 8192, 128_256, 38, 4096) / 2**30, 2)
    4.71
    >>> round(logits_bytes(1024, 8192, 151_936, 38, 5120) / 2**30, 2)
    5.58

    References
    ----------
    1. llm-d-benchmark, config_explorer/empirical-vllm-memory-results.md.
    2. vLLM, pull requests 32558 and 33538.
    """
    return min(requests, chunk) * vocabulary * bytes_each + 2 * chunk * hidden_size


@formula(Unit.BYTE)
def peak_bytes(phases: Sequence[int]) -> Any:
    """The peak over phases that follow one another: the same memory serves all of them.

    peak_bytes = max(phases)

    Parameters
    ----------
    phases : what each needs [byte]

    Returns
    -------
    bytes [byte]

    >>> peak_bytes([100, 900])
    900
    """
    return maximum(*phases) if len(phases) > 1 else phases[0]


@formula(Unit.BYTE)
def score_bytes(query_heads: int, chunk: int, tokens: int, copies: int) -> Any:
    """Scores of attention where the kernel does not run in tiles: one for each head, new token and earlier token.

    score_bytes = 2 * copies * query_heads * min(chunk, tokens) * tokens

    Parameters
    ----------
    query_heads : of a layer
    chunk : tokens of a prompt chunk
    tokens : of the request
    copies : 2 where scores stand beside the same ones with their mask

    Returns
    -------
    bytes [byte]

    Notes
    -----
    MLX has kernels in tiles for heads of up to 128. Qwen3.6-35B-A3B has heads of 256: from 64,000 to 192,000 tokens its
    peak grew by 11.3 GB, of which 2.6 GB were cache and 8.4 GB are these scores.

    >>> score_bytes(16, 2048, 128_000, 1)
    8388608000
    """
    return 2 * copies * query_heads * minimum(chunk, tokens) * tokens
