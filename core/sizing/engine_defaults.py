"""What engines choose by themselves, by their release and the accelerator: tokens of a chunk, requests prepared for.

Read from the public sources and release notes of vLLM: `get_batch_defaults` of vllm/engine/arg_utils.py, its
predecessors, and pull request 33538; of SGLang 0.5.23: arg_groups/memory_hook.py, `handle_gpu_memory_settings`; of
TensorRT-LLM 1.3 and mlx-lm 0.32 as each constant says.
"""

from functools import lru_cache

from core.architecture.blueprint import AttentionKind, Quantisation
from core.catalogue.records import AMD, Allocator, DeviceFamily
from core.scenario import Mode
from core.sizing.situation import Setup
from core.units import GIB

#: Accelerators with this much memory get larger defaults; the A100 does not since 0.9, whatever its memory, and DGX
#: Spark not since 0.33. Budgets that vLLM prints on Macs go with small ones.
LARGE_BYTES, NOT_LARGE, NOT_LARGE_SINCE = 70 * GIB, "a100", (0, 9)
CHUNK, CHUNK_ON_LARGE = 2048, 8192
#: Since this release those with so much get larger ones still.
LARGEST_BYTES, CHUNK_ON_LARGEST, LARGEST_SINCE, SMALL_SPARK_SINCE = 160 * GIB, 16_384, (0, 28), (0, 33)
REQUESTS, REQUESTS_ON_LARGE = 256, 1024
#: Since this release a chunk is no longer than all requests that it prepares for, at full length.
ALL_AT_MOST_SINCE, LEAST_CHUNK = (0, 12), 16
#: Since this release a chunk holds the largest image whose tokens look at each other (_get_min_mm_batched_tokens; in
#: 0.22, not in 0.20, which refused to start).
WHOLE_IMAGES_SINCE = (0, 21)
#: Before this release a prompt of up to this many tokens was read in one piece, whatever the accelerator.
PIECES_SINCE, LONG_PROMPT = (0, 8), 32_768
#: Since this release words are chosen without sorting all scores; since this one graphs count in the engine's share.
UNSORTED_SINCE, GRAPHS_COUNT_SINCE = (0, 17), (0, 20)
#: Since this release experts of all formats run in two work spaces, and a chunk is not cut for them (fused_moe).
TWO_SPACES_SINCE = (0, 18)
#: Since this release dense models have another runner (config/vllm.py, use_v2_model_runner), since this one all have.
#: It tries images since 0.27, and counts graphs since 0.29.
SECOND_RUNNER_SINCE, SECOND_RUNNER_FOR_ALL_SINCE = (0, 25), (0, 29)
SECOND_TRIES_IMAGES_SINCE, SECOND_COUNTS_GRAPHS_SINCE = (0, 27), (0, 29)
#: Mixtures that it ran before; those that the first one still runs on AMD (DEFAULT_V2_MODEL_RUNNER_ARCHITECTURES,
#: ROCM_DEFAULT_MRV1_ARCHITECTURES).
SECOND_RUNNER_OF = {
    "deepseek_v2": (0, 25),
    "qwen2_moe": (0, 25),
    "granitemoe": (0, 25),
    "deepseek_v4": (0, 28),
}
FIRST_RUNNER_ON_AMD = ("deepseek_v32", "deepseek_v4", "glm_moe_dsa")
#: Since this release steps are prepared while the device works on the one before.
ASYNCHRONOUS_SINCE = (0, 14)
#: Before this release the context of CUDA counted as the engine's own; since this one more of its libraries do.
CONTEXT_APART_SINCE, LIBRARIES_SINCE = (0, 7), (0, 8)
#: Before this release the buffers of the exchange over PCIe were smaller.
LARGE_EXCHANGE_SINCE = (0, 9)
#: vLLM and NCCL. Since these releases scores are gathered by all ranks alike (V1), switches have smaller buffers (torch
#: 2.7 with NCCL 2.26), NCCL maps memory itself and connects what is used (env_override.py no longer sets
#: NCCL_CUMEM_ENABLE=0), what is connected at the start is not counted (gpu_worker.py, init_device: the snapshot is
#: taken behind it), switches serve pairs too (torch 2.11 with NCCL 2.28), and scores are gathered by a communicator
#: that is there (cuda_communicator.py, all_gather).
GATHERED_BY_ALL_SINCE, SMALL_SWITCH_SINCE, CONNECTS_ON_USE_SINCE = (0, 8), (0, 9), (0, 10, 2)
START_APART_SINCE, SWITCHED_PAIRS_SINCE, GATHERED_BY_OWN_SINCE = (0, 11), (0, 20), (0, 26)
#: Since this release groups of attention agree by NCCL, until steps are asynchronous (v1/worker/dp_utils.py).
AGREED_BY_NCCL_SINCE = (0, 11, 1)
#: Since these releases all-reduces that normalise too have a work space (config/vllm.py, enable_allreduce_rms_fusion),
#: with groups or stages too, and without memory that a switch reaches (FlashInfer 0.6.11).
FUSED_SINCE, FUSED_WITH_GROUPS_SINCE, FUSED_WITHOUT_SWITCH_SINCE = (0, 17), (0, 22), (0, 22)
#: Since this release latent attention sets aside what it unfolds while the peak is measured, and since this one half.
UNFOLDS_SINCE, UNFOLDS_LESS_SINCE = (0, 10), (0, 11)
#: Sparse latent attention gathers more since the first release, sets scores aside since the second, and gathers less of
#: long contexts since the third.
GATHERS_SINCE, SCORES_SINCE, GATHERS_LESS_SINCE = (0, 13), (0, 19), (0, 32)
#: From the first to the second release vLLM counts all memory of an AMD device that is in use as loaded.
IN_USE_SINCE, ALLOCATED_SINCE = (0, 7), (0, 22)
#: Since the first release vLLM multiplies matrices of latent attention ahead, and keeps the products; since the second
#: it no longer does, and keeps a 16-bit copy of those that are quantised.
ABSORBS_SINCE, COPIES_LATENTS_SINCE = (0, 7), (0, 8)
#: Since this release SGLang keeps the matrices that unfold latents beside their copies (models/deepseek_v2.py).
SGLANG_COPIES_LATENTS_SINCE = (0, 4, 2)
#: Before this release vLLM kept latent attention head by head, each padded to so many (models/deepseek_v2.py).
VLLM_LATENTS_SINCE, PADDED_HEAD = (0, 7), 256
#: Before this release vLLM for TPUs took its share of what was free after loading (tpu-inference, pull request 734).
SHARE_OF_WHOLE_TPU_SINCE = (0, 11)
#: Since this release chunks count whose steps are not settled when the next begins (max_in_flight_tokens).
IN_FLIGHT_SINCE = (0, 26)
#: How much more layers the largest kind may have than the smallest, so that groups are as large as the largest: by
#: release, newest first (kv_cache_utils.py, _get_kv_cache_groups_uniform_page_size). Before, never.
GROUPS_AS_LARGEST = (((0, 18), 1.5), ((0, 12), 1.25))
#: Since this release layers that look at their own chunk only let go of the others (envs.py,
#: VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE); since this one layers with a window do (kv_cache_utils.py).
CHUNKS_LET_GO_SINCE, WINDOWS_LET_GO_SINCE = (0, 14), (0, 9, 1)
#: Since this release a page that does not go evenly into the largest one is filled up, and holds no more tokens.
PAGES_FILLED_UP_SINCE = (0, 26)
#: Before this release vLLM asked for what each layer needs by itself, without groups (check_enough_kv_cache_memory).
ASKED_BY_GROUP_SINCE = (0, 14)
#: Pages of DeepSeek V4: before the first of these, every size of page was there as often as the most layers of one
#: need; before the last, a request was asked for such blocks (kv_cache_utils.py). Between them stands the release since
#: which the printed concurrency counts blocks, not the bytes of each kind's own layers.
BUCKETS_SINCE, BLOCKS_COUNTED_SINCE, ONE_LAYOUT_SINCE = (0, 24), (0, 27), (0, 29)
#: Since this release vLLM keeps one block of its pool back when it asks whether a request has room.
BLOCK_KEPT_BACK_SINCE = (0, 29)
#: Since this release vLLM comes back to prefixes of models with recurrent states too, unless told otherwise
#: (engine/arg_utils.py, default_prefix_caching: 0.27 leaves hybrids out).
STATES_COME_BACK_SINCE = (0, 28)
#: Since this release latent attention runs by FlashMLA where there is one, in blocks of 64 tokens (platforms/cuda.py).
FLASH_LATENTS_SINCE = (0, 8)
#: Before this release vLLM keeps index keys in every layer of sparse latent attention, also where it uses the choice
#: of another (models/deepseek_v2.py; in 0.23 every layer builds an indexer).
INDEX_SHARED_SINCE = (0, 24)
#: From the first to the second release vLLM pads latents to so many bytes on NVIDIA devices (worker/cache_engine.py,
#: align_to_256bytes; in 0.7.2 and 0.7.3, gone in 0.8.4).
PADS_LATENTS_SINCE, PADS_LATENTS_UNTIL, PADDED_LATENT_BYTES = (0, 7), (0, 8), 256
#: Since this release vLLM refuses to start where its pool has fewer blocks than it prepares for requests with states
#: (config/compilation.py; 0.19 still made its graphs smaller).
BLOCK_FOR_EACH_SINCE = (0, 20)
#: llama.cpp has builds rather than releases: year and month count. Since then masks are made in 16 bit, and the server
#: scores words for its slots alone (pull requests 23764, 23861).
NARROW_MASK_SINCE = (2026, 6)
#: Since then gated units are one operation, whose result has a place of its own (pull request 14158), and the copy that
#: kernels of NVIDIA and AMD make of a quantised cache is set aside (23907).
GATED_IN_ONE_SINCE, CACHE_COPIED_SINCE = (2025, 7), (2026, 6)
#: Since then sparse latent attention chooses its tokens (LIGHTNING_INDEXER: build 10361 does, 10068 does not).
INDEXED_SINCE = (2026, 8)
#: Since then layers go to the accelerator after the head (pull request 18148); before, the head was the last to go.
HEAD_FIRST_SINCE = (2026, 1)
#: Since then two results cross from one accelerator to the next in a pipeline.
TWO_CROSS_SINCE = (2025, 1)
#: Since then layers with a window have a cache of their own (pull request 13194), latent attention keeps latents
#: (12801), and those alone (19067).
WINDOWS_APART_SINCE, LATENTS_SINCE, LATENTS_ALONE_SINCE = (2025, 6), (2025, 5), (2026, 2)
#: Since then slots may have streams of their own (pull request 14363), values that stand turned round are as wide as
#: those of the widest layer (src/llama-kv-cache.cpp), and cells are rounded alike with and without flash attention
#: (issue 17037).
STREAMS_SINCE, VALUES_AS_WIDEST_SINCE, CELLS_ALIKE_SINCE = (2025, 8), (2025, 8), (2025, 11)
#: Since then, llama.cpp multiplies quantised weights in 8 bit on matrix units: on NVIDIA's tensor cores (pull request
#: 7824), on those of RDNA (17156, 17576). Before, it wrote a 16-bit copy of them for every pass of a prompt.
QUANTISED_PRODUCTS_SINCE, QUANTISED_ON_RDNA_SINCE = (2024, 6), (2025, 12)
RDNA_WITH_MATRIX_UNITS = ("rdna3", "rdna3.5", "rdna4")
#: Since these releases SGLang's share of large accelerators is another, goes by the memory, and is computed
#: (server_args.py of 0.4.5 to 0.5.3).
SHARE_OF_LARGE_SINCE, SHARE_BY_SIZE_SINCE, SHARE_COMPUTED_SINCE = (0, 4, 6), (0, 4, 8), (0, 5, 3)
#: Since these releases it counts graphs of prompts, has larger chunks and graphs on accelerators with less than 35 GiB,
#: and no graphs for more requests than may run at once.
PROMPT_GRAPHS_SINCE, LARGER_ON_SMALL_SINCE, GRAPHS_FOR_LIMIT_SINCE = (0, 5, 10), (0, 5, 20), (0, 5, 22)
#: Since this release it keeps nothing back for what guesses ahead, and counts the cache of prediction layers.
NOTHING_FOR_DRAFTS_SINCE = (0, 5, 14)
#: SGLang, by memory, up to this much: tokens of a chunk, requests in a graph for less than four accelerators, and for
#: more; on small ones once fewer.
SGLANG_BY_MEMORY = (
    (20 * GIB, 2048, 8, 8),
    (35 * GIB, 4096, 48, 160),
    (60 * GIB, 4096, 32, 160),
    (160 * GIB, 8192, 256, 512),
    (10**18, 16_384, 512, 512),
)
SMALL_BYTES, SMALL_BEFORE = 35 * GIB, (2048, 24, 80)
#: On small ones fewer still before this release; chunks by memory before the share was computed.
FEWER_GRAPHS_BEFORE, FEWER_GRAPHS = (0, 5, 5), 16
SGLANG_CHUNKS_BEFORE = ((35 * GIB, 2048), (160 * GIB, 8192), (10**15, 16_384))
#: Since this release SGLang keeps two more states for each request where it comes back to prefixes, in which it tracks
#: the next (extra_buffer); since this one rings of DeepSeek V4's long spans stand by requests rather than by tokens.
STATES_TRACKED_SINCE, RINGS_BY_REQUEST_SINCE = (0, 5, 14), (0, 5, 15)
#: Since these releases windows of DeepSeek V4 stand by requests too, and those of other models where it does not come
#: back to prefixes and the requests at once are chosen (SWARequestCapPoolConfigurator).
COMPRESSED_BY_REQUEST_SINCE, WINDOWS_BY_REQUEST_SINCE = (0, 5, 21), (0, 5, 22)
#: Pages of SGLang for DeepSeek V4 (arg_groups/deepseek_v4_hook.py, since 0.5.15 arg_groups/overrides.py) [token].
COMPRESSED_PAGE, COMPRESSED_PAGE_ON_ASCEND = 256, 128
#: TensorRT-LLM: since this release blocks have as many tokens as its record says, before 64, before that 128
#: (llmapi/llm_args.py, KvCacheConfig.tokens_per_block; release notes of 0.10; prints of 0.8, 0.12, 0.13 and 0.20; which
#: release changed to 32 is not noted).
TRT_BLOCKS_SINCE, TRT_SMALLER_BLOCKS_SINCE = (0, 19), (0, 10)
TRT_SMALLER_BLOCKS, TRT_BLOCKS_BEFORE = 64, 128
#: Before this release it took less of what is left (release notes of 0.8: freeGpuMemoryFraction from 0.85 to 0.9).
TRT_SHARE_SINCE, TRT_SHARE_BEFORE = (0, 8), 0.85
#: Since this release layers with a window let go of the others (_torch/pyexecutor, KVCacheManagerV2: pull requests
#: 16942, 17396, 18767); before, and in layers that look at their own chunk, every token is kept unless windows are set
#: by hand.
TRT_WINDOWS_LET_GO_SINCE = (1, 3)
#: Since this release it reads how wide matrices of states are to be (_torch/pyexecutor/config_utils.py); before, they
#: were as wide as the weights. Read in sources of 1.1 and 1.3: which release changed it is not noted.
TRT_STATES_READ_SINCE = (1, 2)
#: mlx-lm keeps the matrices of Mamba 2 and of delta attention in 32 bit since this release, before in that of the
#: weights (models/ssm.py, models/gated_delta.py; commits 735a43b2, 73c85504).
MLX_WIDE_STATES_SINCE = (0, 31, 2)
#: mlx-lm keeps latents since this release (models/deepseek_v3.py and deepseek_v32.py, pull request 839); these families
#: since another (pull request 780), or never (models/deepseek_v2.py, minicpm3.py: full heads in 0.32).
MLX_LATENTS_SINCE, NEVER = (0, 30, 6), (10**6,)
MLX_LATENTS_OF = {
    "glm4_moe_lite": (0, 30, 5),
    "kimi_linear": (0, 31),
    "longcat_flash": (0, 31),
    "deepseek_v2": NEVER,
    "minicpm3": NEVER,
}
#: Since this release mlx-lm leaves the mask to kernels in tiles, and reads prompts in chunks of 2,048, before of 512
#: (pull request 40).
MLX_TILES_SINCE, MLX_CHUNK_BEFORE = (0, 22, 2), 512
#: Since this release of MLX the matrix units of the M5 compute heads of so many without writing scores, for chunks of
#: so many tokens (backend/metal/scaled_dot_product_attention.cpp, pull request 3842).
MLX_SPLITS_SINCE, MLX_SPLIT_WIDTH, MLX_SPLIT_CHUNK = (0, 32, 2), 256, 1024
#: Since these releases vLLM keeps the cache in the format that a checkpoint's config asks for, unless told otherwise:
#: ModelOpt's (utils/torch_utils.py, resolve_kv_cache_dtype_string), and others (the attention layer, kv_cache_scheme).
CACHE_OF_MODELOPT_SINCE, CACHE_OF_CHECKPOINT_SINCE = (0, 14), (0, 15)
#: Before this release the kernels that swizzle MXFP4 experts were a package of their own.
SWIZZLES_SINCE = (0, 12)


def changing_releases(allocator: Allocator) -> tuple[str, ...]:
    """The releases at which something that is counted here changed, each with the one before it.

    >>> changing_releases(Allocator.LLAMA_CPP), changing_releases(Allocator.BLOCKS)
    (('2026.5', '2026.6'), ())
    """
    changes: dict[Allocator, tuple[tuple[int, ...], ...]] = {
        Allocator.VLLM: (
            PIECES_SINCE,
            SWIZZLES_SINCE,
            UNSORTED_SINCE,
            GRAPHS_COUNT_SINCE,
            SECOND_RUNNER_SINCE,
            SECOND_RUNNER_FOR_ALL_SINCE,
        ),
        Allocator.LLAMA_CPP: (NARROW_MASK_SINCE,),
        Allocator.SGLANG: (
            SHARE_OF_LARGE_SINCE,
            SHARE_BY_SIZE_SINCE,
            SHARE_COMPUTED_SINCE,
            PROMPT_GRAPHS_SINCE,
            STATES_TRACKED_SINCE,
            RINGS_BY_REQUEST_SINCE,
            LARGER_ON_SMALL_SINCE,
            COMPRESSED_BY_REQUEST_SINCE,
            GRAPHS_FOR_LIMIT_SINCE,
        ),
    }
    pairs = [(_previous(number), number) for number in changes.get(allocator, ())]
    return tuple(".".join(str(part) for part in number) for pair in pairs for number in pair)


def _previous(number: tuple[int, ...]) -> tuple[int, ...]:
    """The release before; a year's first month follows the last of the year before."""
    *first, last = number
    return (*first, last - 1) if last > 1 or not first[0] else (first[0] - 1, 12)


def release(s: Setup) -> tuple[int, ...] | None:
    """The engine's release in two or three numbers: the chosen one, else the catalogue's; None where not known."""
    return _release(s.deployment.release or s.engine.version)


@lru_cache(maxsize=256)
def _release(text: str) -> tuple[int, ...] | None:
    parts = text.split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return None
    return tuple(int(part) for part in parts[:3] if part.isdigit())


def older(release: str | None, wanted: tuple[int, ...]) -> bool:
    """Is a release, in words, older than another? One that is not known is not.

    >>> older("2025.3", (2025, 5)), older("0.33", (0, 29)), older(None, (0, 29))
    (True, False, False)
    """
    known = _release(release or "")
    return known is not None and known < wanted


def cache_of_checkpoint(stated: Quantisation | None, allocator: Allocator, release: str | None) -> str:
    """The cache format that an engine takes from a checkpoint's config unless told otherwise; empty where none.

    >>> asked = Quantisation("modelopt", "nvfp4", {}, cache="fp8")
    >>> cache_of_checkpoint(asked, Allocator.VLLM, "0.13"), cache_of_checkpoint(asked, Allocator.VLLM, "0.14")
    ('', 'fp8')
    """
    if stated is None or allocator is not Allocator.VLLM:
        return ""
    modelopt = stated.method.startswith("modelopt")
    return "" if older(release, CACHE_OF_MODELOPT_SINCE if modelopt else CACHE_OF_CHECKPOINT_SINCE) else stated.cache


def before(s: Setup, wanted: tuple[int, ...]) -> bool:
    """Is the engine older than a release? One that is not known is not."""
    known = release(s)
    return known is not None and known < wanted


def uses_flash_attention(s: Setup) -> bool:
    """Does attention run in tiles? It must where values are quantised."""
    values = s.kv_value_format or s.kv_format
    return s.engine.generation != "flash-attention-off" or values.bits < 16


def has_one_stream(s: Setup) -> bool:
    """Do all slots of llama.cpp share one stream, as they did before they could have their own?"""
    return s.engine.allocator is Allocator.LLAMA_CPP and s.mode is Mode.REAL and before(s, STREAMS_SINCE)


def is_vllm(s: Setup) -> bool:
    """Do the rules of vLLM hold?"""
    return s.engine.allocator is Allocator.VLLM and s.mode is Mode.REAL


def is_large(s: Setup, usable_bytes: int) -> bool:
    """Does vLLM take an accelerator for a large one?"""
    small_spark = s.device.family is DeviceFamily.NVIDIA_UNIFIED and not before(s, SMALL_SPARK_SINCE)
    a100 = NOT_LARGE in s.device.name.lower() and not before(s, NOT_LARGE_SINCE)
    excepted = small_spark or s.device.family is DeviceFamily.APPLE or a100
    return usable_bytes >= LARGE_BYTES and not excepted


def has_second_runner(s: Setup) -> bool:
    """Does vLLM run the model with its second runner, as it does by itself?"""
    family, dense = s.blueprint.family, s.blueprint.moe is None and not s.blueprint.recurrent
    on_amd = s.device.family in AMD
    if on_amd and family in FIRST_RUNNER_ON_AMD:
        return False
    since = SECOND_RUNNER_SINCE if dense else SECOND_RUNNER_OF.get(family, SECOND_RUNNER_FOR_ALL_SINCE)
    return not before(s, since)


def tries_images(s: Setup) -> bool:
    """Does vLLM try images at the start?"""
    return not has_second_runner(s) or not before(s, SECOND_TRIES_IMAGES_SINCE)


def counts_graphs(s: Setup) -> bool:
    """Does vLLM take the graphs from its share?"""
    return not before(s, SECOND_COUNTS_GRAPHS_SINCE if has_second_runner(s) else GRAPHS_COUNT_SINCE)


def batches_under_way(s: Setup) -> int:
    """Prompt chunks whose tokens vLLM still holds when it admits a request."""
    if before(s, IN_FLIGHT_SINCE):
        return 1
    if has_second_runner(s):
        return s.plan.pipeline + 1
    return max(2, s.plan.pipeline)


def groups_as_largest(s: Setup) -> float:
    """Up to how many times the fewest layers of a kind groups are as large as the most."""
    return next((times for since, times in GROUPS_AS_LARGEST if not before(s, since)), 1.0)


def keeps_all_of_windows(s: Setup, chunked: bool) -> bool:
    """Do layers with a window, or a chunk, keep every token in this release or on this accelerator?"""
    if s.device.family in (DeviceFamily.APPLE, DeviceFamily.TPU):  # these ports know no groups of layers
        return True
    return before(s, CHUNKS_LET_GO_SINCE if chunked else WINDOWS_LET_GO_SINCE)


def block_tokens(s: Setup) -> int | None:
    """Tokens of a block where the engine's release has others than its record; None: those of the record."""
    if s.engine.allocator is not Allocator.TENSORRT_LLM or not before(s, TRT_BLOCKS_SINCE):
        return None
    return TRT_BLOCKS_BEFORE if before(s, TRT_SMALLER_BLOCKS_SINCE) else TRT_SMALLER_BLOCKS


def page_of_compressed(s: Setup) -> int | None:
    """Tokens of a page that SGLang sets for DeepSeek V4, whatever is asked for; None where the choice is free."""
    compressed = any(group.kind is AttentionKind.COMPRESSED for group in s.blueprint.attention)
    if s.engine.allocator is not Allocator.SGLANG or not compressed:
        return None
    return COMPRESSED_PAGE_ON_ASCEND if s.device.family is DeviceFamily.ASCEND else COMPRESSED_PAGE


def older_share(s: Setup) -> float | None:
    """The share of an older release of TensorRT-LLM; None: that of the engine's record."""
    older_one = s.engine.allocator is Allocator.TENSORRT_LLM and before(s, TRT_SHARE_SINCE)
    return TRT_SHARE_BEFORE if older_one else None


def keeps_all_in_tensorrt_llm(s: Setup, chunked: bool) -> bool:
    """Do layers with a window, or a chunk, keep every token in TensorRT-LLM?"""
    return chunked or before(s, TRT_WINDOWS_LET_GO_SINCE)


def latents_in_mlx(release: str | None, family: str) -> bool:
    """Does mlx-lm keep the latents of this family of models, rather than keys and values of every head?

    >>> latents_in_mlx("0.30.5", "deepseek_v3"), latents_in_mlx("0.30.5", "glm4_moe_lite")
    (False, True)
    >>> latents_in_mlx(None, "minicpm3")
    False
    """
    since = MLX_LATENTS_OF.get(family, MLX_LATENTS_SINCE)
    return since is not NEVER and not older(release, since)


def chooses_by_context(s: Setup) -> bool:
    """Does the engine choose chunks or blocks by the context limit: vLLM of old, for few requests, and on TPUs?"""
    few = s.deployment.max_requests is not None
    return is_vllm(s) and (few or before(s, PIECES_SINCE) or s.device.family is DeviceFamily.TPU)


def chunk_tokens(s: Setup, usable_bytes: int) -> int | None:
    """Tokens of a prompt chunk where nobody chose them; None: the figure of the engine's record."""
    if s.engine.allocator is Allocator.SGLANG and s.mode is Mode.REAL:
        return sglang_sizes(s, usable_bytes)[0]
    if s.engine.allocator is Allocator.MLX and before(s, MLX_TILES_SINCE):
        return MLX_CHUNK_BEFORE
    if not is_vllm(s):
        return None
    if before(s, PIECES_SINCE):
        longest = s.context_tokens
        return max(longest, CHUNK) if longest <= LONG_PROMPT else CHUNK
    chunk = CHUNK_ON_LARGE if is_large(s, usable_bytes) else CHUNK
    if usable_bytes >= LARGEST_BYTES and is_large(s, usable_bytes) and not before(s, LARGEST_SINCE):
        chunk = CHUNK_ON_LARGEST
    tower = s.blueprint.tower
    on_apple = s.device.family is DeviceFamily.APPLE  # what vllm-metal prints of its room goes with the usual chunk
    if tower is not None and tower.whole and not before(s, WHOLE_IMAGES_SINCE) and not on_apple:
        chunk = max(chunk, tower.tokens)
    prepared = s.deployment.max_requests
    if prepared is None or before(s, ALL_AT_MOST_SINCE):
        return chunk
    return min(chunk, max(LEAST_CHUNK, prepared * s.context_tokens))


def sglang_sizes(s: Setup, usable_bytes: int) -> tuple[int, int, int]:
    """What SGLang takes by memory: tokens of a chunk, and requests in a graph for few accelerators, and for many."""
    most, *sizes = next(row for row in SGLANG_BY_MEMORY if usable_bytes < row[0])
    chunk, few, many = sizes
    if most == SMALL_BYTES and before(s, LARGER_ON_SMALL_SINCE):
        chunk, few, many = SMALL_BEFORE
        few = FEWER_GRAPHS if before(s, FEWER_GRAPHS_BEFORE) else few
    if before(s, SHARE_COMPUTED_SINCE):
        chunk = next(tokens for most, tokens in SGLANG_CHUNKS_BEFORE if usable_bytes < most)
    return chunk, few, many


def prepared_requests(s: Setup, usable_bytes: int) -> int:
    """Requests that vLLM prepares for where nobody chose them."""
    large = is_large(s, usable_bytes) and not before(s, PIECES_SINCE)
    return REQUESTS_ON_LARGE if large else REQUESTS
