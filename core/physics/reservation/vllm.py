"""How vLLM reserves cache and state: pages of one size for all layers, in groups with the same number of layers.

A page holds one block of tokens of one layer. Layers are put into groups of equal size, and every group of a request
takes its own blocks from one pool; a block of the pool is a page for each layer of a group. Recurrent states take pages
like anyone else, so the block of attention is raised until its page holds a state.

Read in vLLM 0.33: v1/core/kv_cache_planning.py (groups, page sizes, what a request takes, what is printed),
v1/kv_cache_interface.py (tokens of each kind), platforms/interface.py (blocks of hybrid models), config/vllm.py
(chunks in flight), models/deepseek_v4/ (compressed attention).
"""

from collections.abc import Sequence
from typing import Any

from core.physics.arrays import ceil, floor, maximum, minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.BYTE_PER_TOKEN)
def layer_bytes_per_token(bytes_per_token: float, layers: int, kv_heads: int, tensor: int) -> Any:
    """Cache of one token in one layer, on one accelerator.

    layer_bytes_per_token = bytes_per_token * ceil(kv_heads / tensor) / (layers * kv_heads)

    Parameters
    ----------
    bytes_per_token : of all layers of this shape, counted once [byte/token]
    layers : layers of this shape
    kv_heads : key-value heads; 1 for latent attention, whose vector every rank keeps
    tensor : accelerators that share each layer; with more of them than heads, heads are copied

    Returns
    -------
    bytes [byte/token]

    >>> layer_bytes_per_token(20_480, 10, 2, 1), layer_bytes_per_token(20_480, 10, 2, 8)
    (2048.0, 1024.0)

    References
    ----------
    1. vLLM, config/model.py, get_num_kv_heads: at least one head per rank.
    """
    return bytes_per_token * ceil(kv_heads / tensor) / (layers * kv_heads)


@formula(Unit.BYTE)
def padded_record_bytes(latent_dim: int, bytes_per_element: float, padded_bytes: int) -> Any:
    """The vector of one token in a layer with latent attention, filled up to whole 256 bytes as vLLM 0.7 did.

    padded_record_bytes = ceil(latent_dim * bytes_per_element / padded_bytes) * padded_bytes

    Parameters
    ----------
    latent_dim : rank of the compressed keys and values plus the rotary part
    bytes_per_element : one stored element [byte]
    padded_bytes : that the vector is a multiple of [byte]

    Returns
    -------
    bytes per token and layer [byte]

    Notes
    -----
    vLLM 0.7.3, worker/cache_engine.py: align_to_256bytes.

    >>> padded_record_bytes(576, 2, 256)
    1280
    """
    return ceil(latent_dim * bytes_per_element / padded_bytes) * padded_bytes


@formula(Unit.BYTE)
def layer_state_bytes(
    convolution_elements: int,
    convolution_bytes: float,
    convolution_tokens: int,
    draft_tokens: int,
    matrix_elements: int,
    matrix_bytes: float,
    heads: int,
    tensor: int,
) -> Any:
    """Recurrent state of one layer on one accelerator; drafts lengthen what the convolution remembers.

    layer_state_bytes = ceil((convolution_elements * convolution_bytes * (1 + draft_tokens / max(1, convolution_tokens))
        + matrix_elements * matrix_bytes) * ceil(heads / tensor) / heads)

    Parameters
    ----------
    convolution_elements, convolution_bytes : per layer, and the size of one of them [byte]
    convolution_tokens : that the convolution remembers
    draft_tokens : guessed ahead in each step
    matrix_elements, matrix_bytes : per layer, and the size of one of them [byte]
    heads : by which tensor parallelism divides the state
    tensor : accelerators that share each layer

    Returns
    -------
    bytes [byte]

    >>> layer_state_bytes(24_576, 2, 3, 0, 524_288, 4, 32, 1), layer_state_bytes(30_720, 2, 3, 3, 786_432, 4, 48, 1)
    (2146304, 3268608)

    References
    ----------
    1. vLLM, model_executor/layers/mamba/mamba_utils.py, gated_delta_net_state_shape (num_spec).
    """
    convolution = convolution_elements * convolution_bytes * (1 + draft_tokens / max(1, convolution_tokens))
    return ceil((convolution + matrix_elements * matrix_bytes) * ceil(heads / tensor) / heads)


@formula(Unit.BYTE)
def largest_state(states: Sequence[int]) -> int:
    """The largest state of a layer, which a page must hold.

    largest_state = max(states)

    Parameters
    ----------
    states : of one layer of each kind [byte]

    Returns
    -------
    bytes [byte]

    >>> largest_state([2_146_304])
    2146304
    """
    return max(states)


@formula(Unit.TOKEN)
def hybrid_block_tokens(alignment: int, state_bytes: int, bytes_per_token: float) -> Any:
    """Block of attention in a model with recurrent layers: as long as one layer's state is large.

    hybrid_block_tokens = alignment * ceil(state_bytes / (alignment * bytes_per_token))

    Parameters
    ----------
    alignment : tokens that the attention kernel wants together [tokens]
    state_bytes : of one recurrent layer on one accelerator [byte]
    bytes_per_token : cache of one attention layer on one accelerator [byte/token]

    Returns
    -------
    tokens

    >>> hybrid_block_tokens(16, 2_146_304, 2048), hybrid_block_tokens(16, 1_644_544, 1040)
    (1056, 1584)

    References
    ----------
    1. vLLM, platforms/interface.py, "Align block/mamba sizes".
    """
    return alignment * ceil(state_bytes / (alignment * bytes_per_token))


@formula(Unit.BYTE)
def page_bytes(pages: Sequence[float]) -> Any:
    """The page of every layer: as large as the largest needs, states included.

    page_bytes = ceil(max(pages))

    Parameters
    ----------
    pages : what one layer of each kind would need: its block of tokens, or its state [byte]

    Returns
    -------
    bytes [byte]

    >>> page_bytes([2_162_688.0, 2_146_304])
    2162688

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, unify_kv_cache_spec_page_size.
    """
    return ceil(max(pages))


@formula(Unit.BYTE)
def block_of_layer(block_tokens: int, bytes_per_token: float) -> float:
    """One block of tokens in one layer.

    block_of_layer = block_tokens * bytes_per_token

    Parameters
    ----------
    block_tokens : in a block
    bytes_per_token : of one layer on one accelerator [byte/token]

    Returns
    -------
    bytes [byte]

    >>> block_of_layer(16, 2048.0)
    32768.0
    """
    return block_tokens * bytes_per_token


@formula(Unit.TOKEN)
def tokens_in_page(page_bytes: int, own_bytes: float, block_tokens: int) -> Any:
    """Tokens of one layer that share a page: as often as its own block goes into the page of all.

    tokens_in_page = block_tokens * (page_bytes // own_bytes)

    Parameters
    ----------
    page_bytes : the page of all layers [byte]
    own_bytes : what this layer needs for a block [byte]
    block_tokens : in a block

    Returns
    -------
    tokens; what does not come out even is padding

    Notes
    -----
    Scales beside the elements (int8 per token and head) do not come out even; start-up logs of Gemma 4 from May 2026
    show that the blocks are still doubled.

    >>> tokens_in_page(65_536, 32_768.0, 16), tokens_in_page(66_560, 33_024.0, 16)
    (32.0, 32.0)
    """
    return block_tokens * (page_bytes // own_bytes)


@formula(Unit.TOKEN)
def tokens_in_filled_page(page_bytes: int, own_bytes: float, block_tokens: int) -> Any:
    """The same since 0.26: a page that does not come out even is filled up, and holds no more tokens.

    tokens_in_filled_page = block_tokens
        * where(page_bytes // own_bytes == page_bytes / own_bytes, page_bytes // own_bytes, 1)

    Parameters
    ----------
    page_bytes : the page of all layers [byte]
    own_bytes : what this layer needs for a block [byte]
    block_tokens : in a block

    Returns
    -------
    tokens

    >>> tokens_in_filled_page(65_536, 32_768.0, 16), tokens_in_filled_page(66_560, 33_024.0, 16)
    (32.0, 16)

    References
    ----------
    1. vLLM 0.26, v1/core/kv_cache_utils.py, unify_kv_cache_spec_page_size: page_size_padded.
    """
    whole = page_bytes // own_bytes
    return block_tokens * (whole if whole == page_bytes / own_bytes else 1)


@formula(Unit.COUNT)
def group_size(layers: Sequence[int], most_times: float) -> Any:
    """Layers in each group: the fewest of any kind, or the most where that is not many times as much.

    group_size = where(max(layers) < most_times * min(layers), max(layers), min(layers))

    Parameters
    ----------
    layers : of each kind and shape
    most_times : 1.5; from 0.12 to 0.17 1.25, before 1, which is never

    Returns
    -------
    layers

    >>> group_size([10, 52], 1.5), group_size([12, 13], 1.5), group_size([17, 48], 1.5), group_size([12, 13], 1)
    (10, 13, 17, 12)

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, _get_kv_cache_groups_uniform_page_size.
    """
    return max(layers) if max(layers) < most_times * min(layers) else min(layers)


@formula(Unit.COUNT)
def groups_of(layers: int, group_size: int) -> Any:
    """Groups that the layers of one kind fill; the last is filled up with layers that do not exist.

    groups_of = ceil(layers / group_size)

    Parameters
    ----------
    layers : of one kind and shape
    group_size : layers in each group

    Returns
    -------
    groups

    >>> groups_of(52, 10), groups_of(30, 10)
    (6, 3)
    """
    return ceil(layers / group_size)


@formula(Unit.COUNT)
def phantom_layers(groups: Sequence[int], group_size: int, layers: Sequence[int]) -> int:
    """Layers that do not exist and are reserved for all the same.

    phantom_layers = sum(groups) * group_size - sum(layers)

    Parameters
    ----------
    groups : of each kind
    group_size : layers in each group
    layers : of each kind

    Returns
    -------
    layers

    >>> phantom_layers([1, 6], 10, [10, 52])
    8
    """
    return sum(groups) * group_size - sum(layers)


@formula(Unit.BYTE)
def pool_block_bytes(page_bytes: int, group_size: int, pipeline: int) -> Any:
    """One block of the pool on one accelerator: a page for each layer of a group on its stage.

    pool_block_bytes = page_bytes * ceil(group_size / pipeline)

    Parameters
    ----------
    page_bytes : one block of tokens, or one state, in one layer [byte]
    group_size : layers in a group, over the whole model
    pipeline : stages among which each group is divided

    Returns
    -------
    bytes [byte]

    >>> pool_block_bytes(2_162_688, 10, 1)
    21626880
    """
    return page_bytes * ceil(group_size / pipeline)


@formula(Unit.COUNT)
def growing_blocks(tokens: int, context_parallel: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers that keep every token.

    growing_blocks = groups * ceil(ceil(tokens / context_parallel) / block_tokens)

    Parameters
    ----------
    tokens : of the request
    context_parallel : ranks that share out a context
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> growing_blocks(262_144, 1, 1056, 1)
    249
    """
    return groups * ceil(ceil(tokens / context_parallel) / block_tokens)


@formula(Unit.TOKEN)
def tokens_in_flight(chunk: int, batches: int) -> int:
    """Prompt tokens that may be under way at the same time.

    tokens_in_flight = chunk * batches

    Parameters
    ----------
    chunk : tokens of a prompt chunk (max_num_batched_tokens)
    batches : under way at the same time: 2 with asynchronous scheduling, else the stages of the pipeline

    Returns
    -------
    tokens

    >>> tokens_in_flight(8192, 2)
    16384
    """
    return chunk * batches


@formula(Unit.COUNT)
def window_blocks(tokens: int, window: int, in_flight: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers with a window: the window, the chunk in flight, and one for where it starts.

    window_blocks = groups * (ceil(min(window - 1 + in_flight, tokens) / block_tokens) + 1)

    Parameters
    ----------
    tokens : of the request
    window : width [tokens]
    in_flight : prompt tokens that may be under way [tokens]
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> window_blocks(131_072, 128, 1024, 16, 1), window_blocks(131_072, 1024, 16_384, 16, 6)
    (73, 6534)

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, SlidingWindowSpec.
    """
    return groups * (ceil(minimum(window - 1 + in_flight, tokens) / block_tokens) + 1)


@formula(Unit.COUNT)
def chunk_blocks(tokens: int, window: int, in_flight: int, block_tokens: int, groups: int) -> Any:
    """Blocks of one request in layers that look at their own chunk only.

    chunk_blocks = groups * ceil(min(window + in_flight, tokens) / block_tokens)

    Parameters
    ----------
    tokens : of the request
    window : length of a chunk [tokens]
    in_flight : prompt tokens that may be under way [tokens]
    block_tokens : tokens in a block of these layers
    groups : of these layers

    Returns
    -------
    blocks

    >>> chunk_blocks(131_072, 8192, 16_384, 16, 3)
    4608

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, ChunkedLocalAttentionSpec.
    """
    return groups * ceil(minimum(window + in_flight, tokens) / block_tokens)


@formula(Unit.COUNT)
def state_pages(copies: int, draft_tokens: int, groups: int) -> int:
    """Blocks of one request for recurrent states.

    state_pages = groups * (copies + draft_tokens)

    Parameters
    ----------
    copies : 1; where prefixes are cached at the ends of blocks ("align") 2, or 3 where one is written within a chunk
    draft_tokens : guessed ahead in each step, each with a state of its own
    groups : of recurrent layers

    Returns
    -------
    blocks

    >>> state_pages(1, 0, 3), state_pages(2, 3, 3)
    (3, 15)

    References
    ----------
    1. vLLM, v1/kv_cache_interface.py, MambaSpec.
    """
    return groups * (copies + draft_tokens)


@formula(Unit.COUNT)
def kept_state_pages(tokens: int, block_tokens: int, draft_tokens: int, groups: int) -> Any:
    """Blocks of one request for recurrent states where the state at the end of every block is kept ("all").

    kept_state_pages = groups * (ceil(tokens / block_tokens) + draft_tokens)

    Parameters
    ----------
    tokens : of the request
    block_tokens : tokens in a block of the cache
    draft_tokens : guessed ahead in each step, each with a state of its own
    groups : of recurrent layers

    Returns
    -------
    blocks

    >>> kept_state_pages(131_072, 1024, 0, 4)
    512

    References
    ----------
    1. vLLM 0.12 to 0.27, v1/kv_cache_interface.py, MambaSpec.max_memory_usage_bytes.
    """
    return groups * (ceil(tokens / block_tokens) + draft_tokens)


@formula(Unit.BYTE)
def asked_bytes(pages: Sequence[float]) -> Any:
    """What vLLM before 0.14 asked for one request at the start: what each layer needs by itself, without groups.

    asked_bytes = ceil(sum(pages))

    Parameters
    ----------
    pages : blocks of a layer's cache or states times its page, over the layers of each kind [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    Notes
    -----
    Layers that groups are filled up with are in what it then takes, not in what it asked for.

    >>> asked_bytes([10 * 8192 * 32_768, 52 * 577 * 32_768]) / 2**30
    3.4156494140625

    References
    ----------
    1. vLLM 0.12, v1/core/kv_cache_utils.py, check_enough_kv_cache_memory.
    """
    return ceil(sum(pages))


@formula(Unit.BYTE)
def layers_bytes(layers: int, blocks: int, groups: int, page_bytes: int, pipeline: int) -> float:
    """Blocks of a kind of layers without those that its groups are filled up with.

    layers_bytes = layers * blocks / max(1, groups) * page_bytes / pipeline

    Parameters
    ----------
    layers : of this kind
    blocks : of one request, of all its groups
    groups : of these layers
    page_bytes : one layer of one block [byte]
    pipeline : stages among which the layers are divided

    Returns
    -------
    bytes on one accelerator [byte]

    >>> layers_bytes(52, 6 * 577, 6, 32_768, 1)
    983171072.0
    """
    return layers * blocks / max(1, groups) * page_bytes / pipeline


@formula(Unit.BYTE)
def usable_pool_bytes(free_bytes: int, block_bytes: int) -> int:
    """What requests may take of the pool: one of its blocks stands for none, and belongs to nobody.

    usable_pool_bytes = free_bytes - block_bytes

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    block_bytes : one block [byte]

    Returns
    -------
    bytes [byte]

    >>> usable_pool_bytes(11_918_534_246, 28_005_120)
    11890529126

    References
    ----------
    1. vLLM 0.29, v1/core/kv_cache_utils.py, get_kv_cache_configs: "Reserve the null block".
    """
    return free_bytes - block_bytes


@formula(Unit.BYTE)
def shortfall_bytes(limit_bytes: int, used_bytes: int, block_bytes: int) -> Any:
    """What is missing; 0 when everything fits, with the block that belongs to nobody.

    shortfall_bytes = where(used_bytes > limit_bytes, used_bytes - limit_bytes,
        max(0, used_bytes + block_bytes - limit_bytes))

    Parameters
    ----------
    limit_bytes : what may be used [byte]
    used_bytes : what is wanted [byte]
    block_bytes : one block [byte]

    Returns
    -------
    bytes [byte]

    >>> shortfall_bytes(1_000, 900, 16), shortfall_bytes(1_000, 990, 16), shortfall_bytes(1_000, 1_100, 16)
    (0, 6, 100)
    """
    return where(used_bytes > limit_bytes, used_bytes - limit_bytes, maximum(0, used_bytes + block_bytes - limit_bytes))


@formula(Unit.BYTE)
def blocks_bytes(blocks: int, block_bytes: int) -> Any:
    """Blocks of the pool, on one accelerator.

    blocks_bytes = blocks * block_bytes

    Parameters
    ----------
    blocks : of one request
    block_bytes : one of them [byte]

    Returns
    -------
    bytes [byte]

    >>> blocks_bytes(252, 21_626_880)
    5449973760
    """
    return blocks * block_bytes


@formula(Unit.BYTE)
def replica_bytes(blocks: int, page_bytes: int, group_size: int, tensor: int) -> Any:
    """The same over all accelerators that share the model.

    replica_bytes = blocks * page_bytes * group_size * tensor

    Parameters
    ----------
    blocks : of one request
    page_bytes : one layer of one of them, on one accelerator [byte]
    group_size : layers in a group
    tensor : accelerators that share each layer

    Returns
    -------
    bytes [byte]

    >>> replica_bytes(252, 2_162_688, 10, 1)
    5449973760
    """
    return blocks * page_bytes * group_size * tensor


@formula(Unit.BYTE_PER_TOKEN)
def growth_per_token(groups: int, block_bytes: int, block_tokens: int, context_parallel: int) -> float:
    """What a request grows by with each token, averaged over a block.

    growth_per_token = groups * block_bytes / block_tokens / context_parallel

    Parameters
    ----------
    groups : of these layers
    block_bytes : one block of the pool [byte]
    block_tokens : tokens in it
    context_parallel : ranks that share out a context

    Returns
    -------
    bytes per token on one accelerator [byte/token]

    >>> growth_per_token(1, 21_626_880, 1056, 1)
    20480.0
    """
    return groups * block_bytes / block_tokens / context_parallel


@formula(Unit.BYTE)
def uniform_block_bytes(bytes_per_token: Sequence[float], block_tokens: int) -> Any:
    """One block of the pool where all layers keep every token: their pages side by side.

    uniform_block_bytes = ceil(sum(bytes_per_token) * block_tokens)

    Parameters
    ----------
    bytes_per_token : of each kind of layer, on one accelerator [byte/token]
    block_tokens : tokens in a block

    Returns
    -------
    bytes [byte]

    >>> uniform_block_bytes([163_840], 16)
    2621440
    """
    return ceil(sum(bytes_per_token) * block_tokens)


@formula(Unit.COUNT)
def pool_blocks(free_bytes: int, block_bytes: int) -> Any:
    """Blocks of the pool that the engine makes of the memory that is left.

    pool_blocks = max(0, floor(free_bytes / block_bytes))

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    block_bytes : one block [byte]

    Returns
    -------
    blocks

    >>> pool_blocks(11_918_534_246, 28_005_120)
    425
    """
    return maximum(0, floor(free_bytes / block_bytes))


@formula(Unit.REQUEST)
def printed_concurrency(blocks: int, blocks_per_request: int) -> float:
    """What vLLM prints at its start as maximum concurrency: the pool over one request of full length.

    printed_concurrency = blocks / blocks_per_request

    Parameters
    ----------
    blocks : of the pool
    blocks_per_request : of one request at the context limit

    Returns
    -------
    requests, not rounded

    >>> round(printed_concurrency(425, 184), 2)
    2.31

    References
    ----------
    1. vLLM, v1/core/kv_cache_planning.py, get_max_concurrency_for_kv_cache_config.
    """
    return blocks / blocks_per_request


@formula(Unit.TOKEN)
def printed_tokens(concurrency: float, context_tokens: int) -> Any:
    """What vLLM prints at its start as size of the cache: concurrency times the context limit.

    printed_tokens = floor(concurrency * context_tokens)

    Parameters
    ----------
    concurrency : as printed
    context_tokens : the limit of one request

    Returns
    -------
    tokens

    >>> printed_tokens(425 / 184, 262_144)
    605495
    """
    return floor(concurrency * context_tokens)


@formula(Unit.COUNT)
def all_blocks(groups: Sequence[int]) -> int:
    """Blocks of one request, or groups, over all kinds of layers.

    all_blocks = sum(groups)

    Parameters
    ----------
    groups : of each kind

    Returns
    -------
    number

    >>> all_blocks([249, 3])
    252
    """
    return sum(groups)


@formula(Unit.TOKEN)
def tokens_of_a_rank(tokens: int, ranks: int) -> Any:
    """Tokens of a request that one rank keeps where ranks share out its context.

    tokens_of_a_rank = ceil(tokens / ranks)

    Parameters
    ----------
    tokens : of the request
    ranks : that share it out (decode context parallelism)

    Returns
    -------
    tokens

    >>> tokens_of_a_rank(65_536, 8)
    8192
    """
    return ceil(tokens / ranks)


@formula(Unit.COUNT)
def slots_in_block(block_tokens: int, compression: int) -> Any:
    """Compressed vectors that one block of tokens makes.

    slots_in_block = ceil(block_tokens / compression)

    Parameters
    ----------
    block_tokens : in a block
    compression : tokens per vector

    Returns
    -------
    vectors

    >>> slots_in_block(256, 4)
    64
    """
    return ceil(block_tokens / compression)


@formula(Unit.BYTE)
def index_record_bytes(index_dim: int) -> Any:
    """The key of the indexer for one token: a byte for each element, and a scale for each 128.

    index_record_bytes = index_dim + 4 * ceil(index_dim / 128)

    Parameters
    ----------
    index_dim : width of the key; 0 where there is none

    Returns
    -------
    bytes [byte]

    >>> index_record_bytes(128)
    132
    """
    return index_dim + 4 * ceil(index_dim / 128)


@formula(Unit.TOKEN)
def printed_tokens_by_group(blocks: int, groups: Sequence[int], block_tokens: int) -> Any:
    """What vLLM printed as size of the cache until 0.20: blocks of one group, as if every group kept every token.

    printed_tokens_by_group = blocks // sum(groups) * block_tokens

    Parameters
    ----------
    blocks : of the pool
    groups : of each kind of layer
    block_tokens : the shortest block of any layer

    Returns
    -------
    tokens; no capacity where layers have a window or a state

    >>> printed_tokens_by_group(19_442, [1, 1], 16)
    155536
    """
    return blocks // sum(groups) * block_tokens


@formula(Unit.BYTE_PER_TOKEN)
def growth_of_a_rank(bytes_per_token: float, ranks: int) -> float:
    """What one rank's cache grows by with each token of a request whose context is shared out.

    growth_of_a_rank = bytes_per_token / ranks

    Parameters
    ----------
    bytes_per_token : of a token that it keeps [byte/token]
    ranks : that share the context out

    Returns
    -------
    bytes per token [byte/token]

    >>> growth_of_a_rank(70_272, 8)
    8784.0
    """
    return bytes_per_token / ranks


@formula(Unit.TOKEN)
def tokens_of_all_ranks(block_tokens: int, ranks: int) -> int:
    """Tokens in one block of every rank.

    tokens_of_all_ranks = block_tokens * ranks

    Parameters
    ----------
    block_tokens : in a block of one rank
    ranks : that share the context out

    Returns
    -------
    tokens

    >>> tokens_of_all_ranks(64, 8)
    512
    """
    return block_tokens * ranks
