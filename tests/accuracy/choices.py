"""How an engine was told to keep its cache: a record's flags and version, as a deployment has them."""

import re
from typing import Any

from core.catalogue.records import Allocator, Engine
from tests.accuracy.records import Record

#: Until this release vLLM read a prompt in one piece; until this one a batch began when the last had ended.
PIECES_SINCE, ASYNCHRONOUS_SINCE = (0, 8), (0, 14)
LONG_PROMPT = 32_768  # longer ones were read in pieces before
#: Until this release vLLM printed the tokens of one group of layers.
BY_GROUP_UNTIL = (0, 20)


def version(record: Record) -> tuple[int, int] | None:
    """The release, where the record names one; a nightly build or a fork is as new as the catalogue's."""
    found = re.match(r"v?(\d+)\.(\d+)", record.text("engine_version"))
    return (int(found[1]), int(found[2])) if found and int(found[1]) < 2000 else None


def cache_choices(record: Record, engine: Engine) -> dict[str, Any]:
    """The fields of a deployment that say how the cache is kept."""
    flags, release = record.part("flags"), version(record)
    vllm = engine.allocator is Allocator.VLLM
    chunk = flags.count("max_num_batched_tokens") or flags.count("ubatch")
    length = record.count("max_model_len") or 0
    if vllm and release and release < PIECES_SINCE and length <= LONG_PROMPT and not chunk:
        chunk = length
    return {
        "prefill_chunk": max(16, chunk) if chunk else None,
        "prefix_caching": flags.flag("prefix_caching") or None,
        "max_requests": flags.count("max_num_seqs") or None,
        "kv_block_tokens": flags.count("block_size") or None,
        "batches_in_flight": 1 if vllm and not _asynchronous(flags, release) else None,
        "graphs": not (vllm and release and release <= BY_GROUP_UNTIL),  # before, they lay beside the share
        "full_windows": flags.flag("swa_full"),
        "full_latents": flags.fields.get("mla") == 0,
        "shared_slots": flags.flag("kv_unified"),
        "context_parallel": flags.count("dcp") or 1,
        "draft_tokens": draft_tokens(flags),
    }


def of_a_question(record: Record, at: Record, inputs: Record, engine: Engine, context: int) -> dict[str, Any]:
    """The same for a question from the field, which states a date rather than a release."""
    vllm, date = engine.allocator is Allocator.VLLM, record.text("date")
    chunk = inputs.count("max_num_batched_tokens")
    if vllm and date and date < "2025-03" and context <= LONG_PROMPT and not chunk:
        chunk = context
    cached = at.fields.get("prefix_caching", inputs.fields.get("prefix_caching"))
    return {
        "prefill_chunk": max(16, chunk) if chunk else None,
        "prefix_caching": cached if isinstance(cached, bool) else None,
        "batches_in_flight": 1 if vllm and date and date < "2026" else None,
        "graphs": not (vllm and date and date < "2026"),
        "full_windows": at.text("layout") == "all layers full",
    }


def _asynchronous(flags: Record, release: tuple[int, int] | None) -> bool:
    """Does a batch begin before the last one has ended? Not in old releases, and not with a draft model beside."""
    return not (release and release < ASYNCHRONOUS_SINCE) and not flags.flag("draft_kv_shared")


def memory_share(record: Record, engine: Engine) -> float | None:
    """The stated share; older releases of vLLM took 0.90 where none was stated."""
    share, release = record.positive("gpu_memory_utilization"), version(record)
    if share is None and engine.allocator is Allocator.VLLM and release and release <= BY_GROUP_UNTIL:
        return 0.9
    return min(share, 1.0) if share else None


def draft_tokens(flags: Record) -> int:
    """Tokens that the model's own prediction layer guesses ahead; a draft with a cache shared needs none."""
    if flags.flag("draft_kv_shared"):
        return 0
    for name in ("num_speculative_tokens", "spec_draft_max", "mtp"):
        value = flags.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return int(flags.flag("mtp"))
