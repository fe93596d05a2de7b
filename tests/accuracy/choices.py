"""How an engine was told to keep its cache: a record's flags and version, as a deployment has them."""

import re
from typing import Any

from core.catalogue.records import Allocator, Engine
from core.sizing.engine_defaults import CHUNK, LONG_PROMPT
from tests.accuracy.records import Record

#: When releases of vLLM came out (since 0.26: dates of the files in its packages), newest first: for records that state
#: a date only, or a build between releases.
RELEASES = (
    ("2026-10-17", (0, 32)), ("2026-10-03", (0, 31)), ("2026-09-22", (0, 30)), ("2026-09-09", (0, 29)),
    ("2026-08-25", (0, 28)), ("2026-08-10", (0, 27)), ("2026-07-25", (0, 26)), ("2026-07", (0, 25)),
    ("2026-06", (0, 22)), ("2026-05", (0, 21)), ("2026-04", (0, 19)), ("2026-03", (0, 17)),
    ("2026-02", (0, 15)), ("2026-01", (0, 13)), ("2025-12", (0, 12)), ("2025-10", (0, 11)), ("2025-08", (0, 10)),
    ("2025-06", (0, 9)), ("2025-03-18", (0, 8)), ("2025-01-27", (0, 7)), ("2024-09", (0, 6)), ("2024-05", (0, 5)),
    ("", (0, 4)),
)  # fmt: skip
#: And those of SGLang: dates of the files in its packages. Of before, 0.4.
RELEASES_OF_SGLANG = (
    ("2026-10-30", (0, 5, 23)), ("2026-10-15", (0, 5, 22)), ("2026-10-01", (0, 5, 21)), ("2026-09-18", (0, 5, 20)),
    ("2026-09-04", (0, 5, 19)), ("2026-08-21", (0, 5, 18)), ("2026-08-08", (0, 5, 17)), ("2026-07-25", (0, 5, 16)),
    ("2026-07-10", (0, 5, 15)), ("2026-06-26", (0, 5, 14)), ("2026-06-11", (0, 5, 13)), ("2026-05-16", (0, 5, 12)),
    ("2026-05-07", (0, 5, 11)), ("2026-04-05", (0, 5, 10)), ("2026-02-23", (0, 5, 9)), ("2026-01-23", (0, 5, 8)),
    ("2026-01-01", (0, 5, 7)), ("2025-12-03", (0, 5, 6)), ("2025-11-06", (0, 5, 5)), ("2025-10-24", (0, 5, 4)),
    ("2025-10-06", (0, 5, 3)), ("2025-09-11", (0, 5, 2)), ("2025-08-23", (0, 5, 1)), ("2025-07-31", (0, 4, 10)),
    ("2025-07-06", (0, 4, 9)), ("2025-06-24", (0, 4, 8)), ("2025-06-10", (0, 4, 7)), ("2025-04-27", (0, 4, 6)),
    ("2025-04-07", (0, 4, 5)), ("2025-03-13", (0, 4, 4)), ("2025-02-14", (0, 4, 3)), ("", (0, 4)),
)  # fmt: skip
#: What a source calls a release of SGLang when it does not tell which of a year's.
SOME_OF_SGLANG = (0, 5)
#: Those of TensorRT-LLM and of mlx-lm, in three numbers.
RELEASES_OF_TENSORRT_LLM = (
    ("2026-09", (1, 3)), ("2026-03", (1, 2)), ("2025-12", (1, 1)), ("2025-09", (1, 0)), ("2025-07", (0, 21)),
    ("2025-06", (0, 20)), ("2025-05", (0, 19)), ("2025-04", (0, 18)), ("2025-02", (0, 17)), ("2024-12", (0, 16)),
    ("2024-10", (0, 13)), ("2024-08", (0, 12)), ("2024-07", (0, 11)), ("2024-06", (0, 10)), ("2024-04", (0, 9)),
    ("2024-02", (0, 8)), ("", (0, 7)),
)  # fmt: skip
RELEASES_OF_MLX = (
    ("2026-08", (0, 32)), ("2026-04-06", (0, 31, 2)), ("2026-03-06", (0, 31)), ("2026-02-04", (0, 30, 6)),
    ("2026-01-25", (0, 30, 5)), ("", (0, 28)),
)  # fmt: skip
BY_DATE = {
    Allocator.TENSORRT_LLM: RELEASES_OF_TENSORRT_LLM,
    Allocator.MLX: RELEASES_OF_MLX,
}
NEWEST = "2026-11"  # from here on, the catalogue's
#: From this release on vLLM keeps prefixes unless told otherwise.
PREFIXES_SINCE = (0, 8)
#: Until this release vLLM had its first engine too, which prepared for so many requests.
FIRST_UNTIL, FIRST_REQUESTS = (0, 10), 256
#: States of vLLM that are kept to come back to.
KEPT_MODES = ("align", "all")
#: Tokens that SGLang reads at once where nobody says (server_args.py, max_prefill_tokens).
PREFILLED = 16_384
#: How wide matrices of states were told to be.
STATE_BITS = {"fp16": 16, "bf16": 16, "fp32": 32}
#: Slots of llama.cpp's server that nobody gave a number of them, since December 2025.
OWN_SLOTS = 4
#: From so many requests at once on, InferenceX lets SGLang look for new ones less often.
MANY_REQUESTS = 16
#: Since this release vLLM prints tokens as requests times their length, not those of one group of layers.
BY_REQUESTS_SINCE = (0, 20, 1)
#: Until this release vLLM took this share where none was stated.
SHARE_UNTIL, SHARE = (0, 20), 0.9
#: What a build calls itself whose source has no tags.
WITHOUT_TAGS = (0, 1)


def version(record: Record) -> tuple[int, ...] | None:
    """The release, where the record names one; a nightly build or a fork is as new as the catalogue's.

    A candidate or a build on the way to a third number is not that release yet, but what came before it.
    """
    found = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?(\.?(?:rc|dev)\d)?", record.text("engine_version"))
    if not found or int(found[1]) >= 2000:
        return None
    major, minor, third = int(found[1]), int(found[2]), int(found[3] or 0)
    if (major, minor) == WITHOUT_TAGS and found[4]:
        return None
    third = max(0, third - 1) if found[4] else third
    return (major, minor, third) if third else (major, minor)


def _exact_version(record: Record) -> tuple[int, ...] | None:
    """The same in three numbers, which tell the releases of other engines apart."""
    found = re.match(r"v?(\d)\.(\d+)(?:\.(\d+))?", record.text("engine_version"))
    return tuple(int(part) for part in found.groups() if part) if found else None


def _sglang_of(date: str) -> tuple[int, ...]:
    """The newest release of SGLang at a date."""
    return next(release for since, release in RELEASES_OF_SGLANG if date >= since)


def release_of(record: Record, engine: Engine) -> tuple[int, ...] | None:
    """The release as stated, else by date; of llama.cpp year and month; None: the catalogue's."""
    date = record.text("date")
    if engine.allocator is Allocator.LLAMA_CPP:
        built = re.fullmatch(r"(20\d\d)-(\d\d)", record.text("engine_version"))  # before it was reported
        known = built or re.match(r"(20\d\d)(?:-(\d\d))?", date)  # a year alone: its beginning
        return (int(known[1]), int(known[2] or 1)) if known else None
    if engine.allocator is Allocator.SGLANG:
        stated = _exact_version(record)
        if stated == SOME_OF_SGLANG and date:  # a year alone: its beginning
            return max(SOME_OF_SGLANG, _sglang_of(date))
        return stated or (_sglang_of(date) if re.match(r"20\d\d-\d\d", date) else None)
    if engine.allocator in BY_DATE:
        known = re.match(r"20\d\d-\d\d", date)
        releases = BY_DATE[engine.allocator]
        return _exact_version(record) or (next(r for since, r in releases if date >= since) if known else None)
    if engine.allocator is not Allocator.VLLM:
        return None
    stated = version(record)
    if stated is not None or not date or date >= NEWEST:
        return stated
    return _by_date(date)


def _by_date(date: str) -> tuple[int, ...]:
    """The release of vLLM on a day; of a month without one, at its end."""
    known = f"{date}-31" if re.fullmatch(r"20\d\d-\d\d", date) else date
    return next(release for since, release in RELEASES if known >= since)


def written_release(record: Record, engine: Engine) -> str | None:
    """The engine's release as a deployment states it."""
    return _written(release_of(record, engine))


def _written(release: tuple[int, ...] | None) -> str | None:
    return ".".join(str(part) for part in release) if release else None


def shares_slots(record: Record) -> bool:
    """Do the slots of llama.cpp share one stream, as the record says, or as its server does by itself?

    Since December 2025 a server that nobody gives a number of slots takes four, in one stream (`--parallel`, `-kvu`).
    """
    flags = record.part("flags")
    if "kv_unified" in flags.fields:
        return flags.flag("kv_unified")
    slots = flags.count("n_seq_max") or record.part("observed").count("n_seqs")
    own = record.text("engine_id").startswith("llama.cpp") and record.text("date")[:7] >= "2025-12"
    return own and slots == OWN_SLOTS and not flags.count("ctx_per_seq")


def cache_choices(record: Record, engine: Engine) -> dict[str, Any]:
    """The fields of a deployment that say how the cache is kept."""
    flags, release = record.part("flags"), release_of(record, engine)
    chunk = flags.count("max_num_batched_tokens") or flags.count("ubatch") or _chunk_of_sglang(flags)
    return {
        "release": _written(release),
        "prefill_chunk": max(16, chunk) if chunk else None,
        "prefix_caching": _caches_prefixes(flags),
        "state_bits": STATE_BITS.get(flags.text("mamba_ssm")),
        "states_kept": mode if (mode := flags.text("mamba_cache_mode")) in KEPT_MODES else None,
        "max_requests": flags.count("max_num_seqs") or flags.count("max_running_requests") or None,
        "kv_block_tokens": flags.count("block_size") or flags.count("page_size") or None,
        "graphs": not (flags.flag("enforce_eager") or flags.flag("disable_cuda_graph")),
        "full_windows": flags.flag("swa_full") or flags.number("swa_full_tokens_ratio") == 1,
        "full_latents": flags.fields.get("mla") == 0 if "mla" in flags.fields else None,
        "shared_slots": shares_slots(record),
        "context_parallel": flags.count("dcp") or 1,
        "draft_tokens": draft_tokens(flags),
    }


def _chunk_of_sglang(flags: Record) -> int | None:
    """Tokens read at once; without chunks (-1) as many as are read at once of several prompts."""
    off = flags.number("chunked_prefill_size") == -1
    return (flags.count("max_prefill_tokens") or PREFILLED) if off else flags.count("chunked_prefill_size")


def _caches_prefixes(flags: Record) -> bool | None:
    """Are prefixes kept, as told by a flag or by how states are kept? None where neither is stated."""
    stated = flags.fields.get("prefix_caching")
    if flags.flag("disable_radix_cache"):
        return False
    if flags.text("mamba_cache_mode") in KEPT_MODES:
        return True
    return stated if isinstance(stated, bool) else flags.flag("prefix_caching") or None


def of_a_question(record: Record, at: Record, inputs: Record, log: Record, engine: Engine) -> dict[str, Any]:
    """The same for a question from the field: what it states, and beside it what the log of its thread does."""
    told = Record(record.id, {**log.fields, "date": record.fields.get("date")})
    chunk = inputs.count("max_num_batched_tokens")
    cached = at.fields.get("prefix_caching", inputs.fields.get("prefix_caching"))
    stated = {
        "prefill_chunk": max(16, chunk) if chunk else None,
        "prefix_caching": cached if isinstance(cached, bool) else None,
        "max_requests": inputs.count("max_num_seqs") or None,
        "full_windows": at.text("layout") == "all layers full" or None,
        "full_latents": {"expanded": True, "latent": False}.get(at.text("layout")),
    }
    return cache_choices(told, engine) | {name: value for name, value in stated.items() if value is not None}


def admission_steps(record: Record, engine: Engine) -> int:
    """Steps between two looks for new requests, by the public recipes of the source (`--scheduler-recv-interval`).

    InferenceX runs SGLang with 10 for few requests at once and 30 for more: benchmarks/single_node, 2025 and 2026.
    """
    if record.text("source") != "inferencex" or engine.id != "sglang":
        return 1
    return 30 if (record.part("workload").count("concurrency") or 1) >= MANY_REQUESTS else 10


def repeats_prompts(record: Record) -> bool:
    """Are a run's prompts those of the run before, so that they are found in the cache?

    `vllm bench latency` sends one static batch several times; from 0.8 on prefixes are kept unless told otherwise. So
    128 prompts of 2,048 tokens took a 405B 8.5 s more than 128 of 128 tokens on eight MI300X, faster than they compute.
    """
    date = record.text("date")
    release = version(record) or _by_date(date)
    same = record.text("engine_id").startswith("vllm") and "static batch" in record.text("notes")
    return same and release >= PREFIXES_SINCE


def memory_share(record: Record, engine: Engine) -> float | None:
    """The stated share; older releases of vLLM took 0.90 where none was stated."""
    share, release = record.positive("gpu_memory_utilization"), release_of(record, engine)
    vllm = engine.allocator is Allocator.VLLM
    if share is None and vllm and release and release[:2] <= SHARE_UNTIL:
        return SHARE
    return min(share, 1.0) if share else None


def of_first_engine(record: Record, engine: Engine) -> dict[str, Any]:
    """What vLLM's first engine chose, which was there until 0.10: it printed parts of the memory, but no tokens.

    It read prompts of up to 32,768 tokens in one piece, and others in pieces (EngineArgs).
    """
    flags, release, printed = record.part("flags"), release_of(record, engine), record.part("observed").fields
    account = "activation_peak_gib" in printed and "kv_tokens" not in printed
    if engine.allocator is not Allocator.VLLM or not account or not release:
        return {}
    if not PREFIXES_SINCE <= release < FIRST_UNTIL:
        return {}
    context = record.count("max_model_len") or 0
    chunk = max(context, CHUNK) if context <= LONG_PROMPT else CHUNK
    return {
        "prefill_chunk": flags.count("max_num_batched_tokens") or chunk,
        "max_requests": flags.count("max_num_seqs") or FIRST_REQUESTS,
    }


def takes_text_alone(flags: Record) -> bool:
    """Was the engine told to take no images, so that it leaves their tower out (vLLM, models/interfaces.py)?"""
    limits = flags.fields.get("limit_mm_per_prompt")
    none = isinstance(limits, dict) and {"image", "video"} <= set(limits) and not any(limits.values())
    return flags.flag("language_model_only") or none


def draft_tokens(flags: Record) -> int:
    """Tokens that the model's own prediction layer guesses ahead; a draft with a cache shared needs none."""
    if flags.flag("draft_kv_shared"):
        return 0
    for name in ("num_speculative_tokens", "spec_draft_max", "mtp", "dflash"):
        value = flags.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return int(flags.flag("mtp"))
