"""vLLM's pool for compressed attention (DeepSeek V4): vectors, index keys, windows and rings side by side in blocks."""

from dataclasses import dataclass

from core.physics import rank_cache
from core.physics.reservation import compressed, vllm_pages, vllm_requests
from core.sizing.engine_defaults import BLOCKS_COUNTED_SINCE, BUCKETS_SINCE, ONE_LAYOUT_SINCE, before
from core.sizing.groups import given_chunk, guesses_with_own_layers, source_of_model
from core.sizing.origins import METHOD
from core.sizing.reservation.share import Reservation, Share
from core.sizing.reservation.vllm_blocks import SOURCE, Groups, record_block, record_blocks, record_in_flight
from core.sizing.situation import Setup
from core.trace import Recipe
from core.units import Unit

COMPRESSED_BLOCK = 256
RING_BLOCKS = (4, 8)  # of what waits where 4 tokens become one vector, and where 128 do
WINDOWS = "kv_pool.window_bytes"  # of all layers of DeepSeek V4, in the trace
UNDER_WAY = "accelerator.kv_under_way_bytes"  # what the prompt chunks take that are being read


@dataclass(frozen=True, slots=True)
class _Following:
    """Blocks that follow the last tokens: the windows of all layers, or what waits in the layers of one ratio.

    name     in the trace
    window   key of the tokens that it follows
    block    key of the tokens in one of its blocks
    groups   key of the groups
    """

    name: str
    window: str
    block: str
    groups: str


def reserve_compressed(trace: Recipe, s: Setup, caching: Groups) -> Reservation:
    """Pages of vectors, of index keys, of windows and of rings, side by side in blocks of 256 tokens."""
    record_block(trace, s, COMPRESSED_BLOCK)
    given_chunk(trace, s)
    record_in_flight(trace, s)
    ratios = [number for number, group in caching if group.compression]
    _compressed_block(trace, s, caching, ratios)
    trace.given("kv_pool.one_group", 1, Unit.COUNT, METHOD)
    record_blocks(
        trace, "kv_pool.growing_blocks", vllm_requests.growing_blocks, "engine.block_tokens", "kv_pool.one_group"
    )
    following = [_Following(WINDOWS, f"kv.{caching[0][0]}.window", "kv_pool.window_slots", "kv_pool.window_groups")]
    following += [_ring(trace, number, group.compression) for number, group in caching if group.compression]
    groups = ["kv_pool.one_group", *(kind.groups for kind in following)]
    trace.compute("kv_pool.groups", vllm_requests.all_blocks, groups=groups)
    trace.given("kv_pool.tokens_by_group.block_tokens", RING_BLOCKS[0], Unit.TOKEN, SOURCE)
    for kind in following:
        _following_blocks(trace, kind)
    counted = ["kv_pool.growing_blocks", *(f"{kind.name}.blocks" for kind in following)]
    trace.compute("kv_pool.blocks_per_request", vllm_requests.all_blocks, groups=counted)
    if before(s, ONE_LAYOUT_SINCE):
        asked = {"blocks": "kv_pool.blocks_per_request", "block_bytes": "kv_pool.asked_bytes.block_bytes"}
        trace.compute("kv_pool.asked_bytes", vllm_requests.blocks_bytes, **asked)
    if before(s, BLOCKS_COUNTED_SINCE):
        _weighed(trace, ratios)
    steady = [f"{kind.name}.steady_blocks" for kind in following]
    trace.compute(
        UNDER_WAY,
        compressed.bytes_under_way,
        blocks=[f"{kind.name}.blocks" for kind in following],
        steady=steady,
        block_bytes="kv_pool.block_bytes",
    )
    trace.compute("kv_pool.bounded_blocks", vllm_requests.all_blocks, groups=steady)
    trace.compute(
        "kv_pool.bounded_bytes",
        vllm_requests.blocks_bytes,
        blocks="kv_pool.bounded_blocks",
        block_bytes="kv_pool.block_bytes",
    )
    _over_all(trace, WINDOWS, "kv_pool.bounded_blocks")
    bounded = Share(False, "kv_pool.bounded_bytes", f"{WINDOWS}.all_bytes", constant="kv_pool.bounded_bytes")
    return Reservation((_grown_share(trace), bounded), "engine.block_tokens")


def _ring(trace: Recipe, number: int, ratio: int) -> _Following:
    """What waits until a span is complete; spans of four overlap."""
    name = f"kv.{number}.ring_bytes"
    trace.given(f"{name}.window", 2 * ratio if ratio == 4 else ratio, Unit.TOKEN, SOURCE)
    trace.given(f"{name}.block_tokens", RING_BLOCKS[ratio != 4], Unit.TOKEN, SOURCE)
    return _Following(name, f"{name}.window", f"{name}.block_tokens", "kv_pool.one_group")


def _compressed_block(trace: Recipe, s: Setup, caching: Groups, ratios: list[int]) -> None:
    """Record a block of the pool, and the groups that the windows of all layers make."""
    trace.compute(
        "kv_pool.full_bytes", rank_cache.cache_bytes, groups=[_ratio_block(trace, number) for number in ratios]
    )
    layers = sum(group.layers for _, group in caching) + guesses_with_own_layers(s)
    trace.given("kv_pool.layers", layers, Unit.COUNT, source_of_model(s))
    trace.given("kv_pool.window_slots", 64, Unit.TOKEN, SOURCE)
    record = {"slots": "kv_pool.window_slots", "record_bytes": f"kv.{caching[0][0]}.record_bytes"}
    trace.compute("kv_pool.window_page_bytes", compressed.rounded_page_bytes, **record)
    page = {"page_bytes": "kv_pool.window_page_bytes"}
    trace.compute(
        "kv_pool.window_groups",
        compressed.window_groups,
        layers="kv_pool.layers",
        block_bytes="kv_pool.full_bytes",
        **page,
    )
    stage = {"layers": "kv_pool.layers", "pipeline": "plan.pipeline"}
    whole = "kv_pool.full_bytes"
    if before(s, ONE_LAYOUT_SINCE):
        windows = {"window_layers": "kv_pool.layers", "window_groups": "kv_pool.window_groups"}
        trace.compute(
            "kv_pool.page_bytes",
            compressed.tuple_block_bytes,
            layers=[f"kv.{number}.layers" for number in ratios],
            pages=[f"kv.{number}.{kind}" for number in ratios for kind in ("page_bytes", "index_page_bytes")],
            **windows,
        )
        trace.compute(
            "kv_pool.asked_bytes.block_bytes", rank_cache.stage_bytes, whole_bytes="kv_pool.page_bytes", **stage
        )
        whole = "kv_pool.page_bytes"
        if not before(s, BUCKETS_SINCE):
            whole = "kv_pool.block_bytes_of_model"
            alike = f"kv.{ratios[0]}.layers"
            trace.compute(
                whole, compressed.bucket_block_bytes, full_bytes="kv_pool.full_bytes", layers=alike, **windows, **page
            )
    trace.compute("kv_pool.block_bytes", rank_cache.stage_bytes, whole_bytes=whole, **stage)


def _ratio_block(trace: Recipe, number: int) -> str:
    """Record the pages of one block of tokens in the layers of one ratio; return the key."""
    key = f"kv.{number}"
    trace.compute(
        f"{key}.slots", vllm_pages.slots_in_block, block_tokens="engine.block_tokens", compression=f"{key}.compression"
    )
    slots = {"slots": f"{key}.slots"}
    trace.compute(f"{key}.page_bytes", compressed.rounded_page_bytes, **slots, record_bytes=f"{key}.record_bytes")
    trace.compute(f"{key}.index_record_bytes", vllm_pages.index_record_bytes, index_dim=f"{key}.index_dim")
    index = {"record_bytes": f"{key}.index_record_bytes"}
    trace.compute(f"{key}.index_page_bytes", compressed.rounded_page_bytes, **slots, **index)
    trace.compute(
        f"{key}.block_bytes",
        compressed.ratio_block_bytes,
        layers=f"{key}.layers",
        vector_page_bytes=f"{key}.page_bytes",
        index_layers=f"{key}.index_layers",
        index_page_bytes=f"{key}.index_page_bytes",
    )
    return f"{key}.block_bytes"


def _grown_share(trace: Recipe) -> Share:
    """The compressed vectors of a request and their index keys."""
    blocks, block = {"blocks": "kv_pool.growing_blocks"}, {"block_bytes": "kv_pool.block_bytes"}
    trace.compute("kv_pool.request_bytes", vllm_requests.blocks_bytes, **blocks, **block)
    _over_all(trace, "kv_pool", "kv_pool.growing_blocks")
    trace.compute(
        "kv_pool.growth",
        vllm_requests.growth_per_token,
        groups="kv_pool.one_group",
        **block,
        block_tokens="engine.block_tokens",
        context_parallel="engine.context_parallel",
    )
    return Share(False, "kv_pool.request_bytes", "kv_pool.all_bytes", "kv_pool.growth")


def _over_all(trace: Recipe, name: str, blocks: str) -> None:
    """Record the bytes of blocks over all accelerators: every rank keeps them whole."""
    block = {"block_bytes": "kv_pool.block_bytes", "pipeline": "plan.pipeline"}
    trace.compute(f"{name}.replica_bytes", compressed.bytes_of_stages, blocks=blocks, **block)
    trace.compute(
        f"{name}.all_bytes", rank_cache.times_ranks, whole_bytes=f"{name}.replica_bytes", tensor="plan.tensor"
    )


def _following_blocks(trace: Recipe, kind: _Following) -> None:
    """Blocks of the last tokens: as many as the prompt tokens under way need, and few once it is read."""
    shape = {"window": kind.window, "block_tokens": kind.block, "groups": kind.groups}
    trace.given("longest_request_tokens", 10**9, Unit.TOKEN, METHOD)
    trace.given("kv_pool.one_batch", 1, Unit.TOKEN, METHOD)
    for part, tokens, under_way in (
        ("blocks", "workload.context_tokens", "engine.tokens_in_flight"),
        ("steady_blocks", "longest_request_tokens", "kv_pool.one_batch"),
    ):
        trace.compute(f"{kind.name}.{part}", vllm_requests.window_blocks, tokens=tokens, in_flight=under_way, **shape)


def _weighed(trace: Recipe, ratios: list[int]) -> None:
    """Record the blocks of a request as the engine counted them: each kind by the bytes of its own layers."""
    for number in ratios:
        key = f"kv.{number}"
        trace.compute(
            f"{key}.ring_bytes.page_bytes",
            compressed.ratio_block_bytes,
            layers=f"{key}.layers",
            vector_page_bytes="kv_pool.window_page_bytes",
            index_layers=f"{key}.index_layers",
            index_page_bytes=f"{key}.index_page_bytes",
        )
    trace.compute(
        "kv_pool.concurrency.blocks",
        compressed.weighed_blocks,
        full_blocks="kv_pool.growing_blocks",
        full_bytes="kv_pool.full_bytes",
        window_blocks=f"{WINDOWS}.blocks",
        window_groups="kv_pool.window_groups",
        window_layers="kv_pool.layers",
        window_page_bytes="kv_pool.window_page_bytes",
        ring_blocks=[f"kv.{number}.ring_bytes.blocks" for number in ratios],
        ring_bytes=[f"kv.{number}.ring_bytes.page_bytes" for number in ratios],
    )
