"""What requests may take of an engine's pool, and what the engine prints of it at its start."""

from core.catalogue.records import Allocator
from core.physics.reservation import sglang, vllm_pool
from core.scenario import Mode
from core.sizing.engine_defaults import BLOCK_KEPT_BACK_SINCE, before
from core.sizing.situation import Setup
from core.trace import Recipe, Recorder, recipe

POOL = "kv_pool.usable_bytes"  # what requests may take of it


def holds_block_back(trace: Recorder, s: Setup) -> bool:
    """Does the engine keep one block of its pool to itself when it asks whether a request has room?"""
    return "kv_pool.block_bytes" in trace and not before(s, BLOCK_KEPT_BACK_SINCE)


def printed_of_pool(formulas: Recipe, s: Setup) -> list[Recipe]:
    """What the engine prints of its pool at the start."""
    if "kv_pool.blocks_per_request" in formulas and formulas["kv_pool.block_bytes"]:
        weighed = "kv_pool.concurrency.blocks"
        counted = weighed if weighed in formulas else "kv_pool.blocks_per_request"
        shortest = "kv_pool.tokens_by_group.block_tokens"
        block = shortest if shortest in formulas else "engine.block_tokens"
        return [_printed("kv_pool.groups" if "kv_pool.groups" in formulas else "kv_pool.one_group", counted, block)]
    if s.mode is Mode.REAL and s.engine.allocator is Allocator.SGLANG and "kv_pool.rate" in formulas:
        return [_printed("", "", "")]
    return []


@recipe
def _printed(trace: Recipe, groups: str, counted: str, block: str) -> None:
    """Blocks, with the keys of their groups, of a request's and of the shortest, and tokens; else tokens alone."""
    free = {"free_bytes": "accelerator.free_for_kv_bytes"}
    if groups:
        trace.compute("kv_pool.blocks", vllm_pool.pool_blocks, **free, block_bytes="kv_pool.block_bytes")
        trace.compute(
            "kv_pool.concurrency",
            vllm_pool.printed_concurrency,
            blocks="kv_pool.blocks",
            blocks_per_request=counted,
        )
        concurrency = {"concurrency": "kv_pool.concurrency", "context_tokens": "workload.context_tokens"}
        trace.compute("kv_pool.tokens", vllm_pool.printed_tokens, **concurrency)
        by_group = {"blocks": "kv_pool.blocks", "block_tokens": block}
        trace.compute("kv_pool.tokens_by_group", vllm_pool.printed_tokens_by_group, groups=[groups], **by_group)
    else:
        trace.compute("kv_pool.tokens", sglang.pool_tokens, **free, bytes_per_token="kv_pool.rate")
