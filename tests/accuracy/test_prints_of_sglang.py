"""How prints of SGLang are read, and the rules of single figures."""

from typing import Any

import pytest

from core.units import GIB
from tests.accuracy import choices, machines, memory
from tests.accuracy.cases import shipped
from tests.accuracy.records import Record

PLAIN: dict[str, Any] = {
    "model_id": "meta-llama/Llama-3.1-8B-Instruct",
    "engine_id": "sglang",
    "engine_version": "0.5.8",
    "kind": "dense-gqa",
    "weights_format": "bf16",
    "kv_dtype": "bf16",
    "device_id": "h100-sxm",
    "n_gpus": 1,
    "max_model_len": 131_072,
}
HYBRID = PLAIN | {"model_id": "Qwen/Qwen3.6-27B", "kind": "hybrid", "max_model_len": 262_144}
STATE_MIB = 144  # matrices of 48 layers: 48 x 128 x 128 in 32 bit


def _found(base: dict[str, Any] = PLAIN, **changes: Any) -> dict[str, float]:
    outcome = memory.compare([Record("one", {**base, **changes})])
    assert outcome.skipped == []
    return {r.metric: r.p50 for r in outcome.results}


@pytest.mark.parametrize(
    ("version", "tokens", "flags", "requests"),
    [
        ("0.5.8", 400_000, {}, 2048),  # 400,000 / 131,072 x 512 are fewer
        ("0.5.8", 786_432, {}, 3072),
        ("0.5.8", 2_000_000, {}, 4096),
        ("0.4.6", 400_000, {}, 2049),  # the pool had one place more
        ("0.5.8", 400_000, {"max_running_requests": 32}, 32),
        ("0.5.8", 400, {"max_running_requests": 1000}, 200),
        ("0.5.8", 400_000, {"speculative": "eagle"}, 48),
    ],
)
def test_requests_at_once(version: str, tokens: int, flags: dict[str, Any], requests: int) -> None:
    asked = {"kv_tokens": tokens, "max_running_requests": 1}
    assert _found(engine_version=version, flags=flags, observed=asked)["max_running_requests"] == requests


@pytest.mark.parametrize(("version", "flags", "requests"), [
    ("0.5.13", {}, 30), ("0.5.14", {}, 18), ("0.5.14", {"disable_radix_cache": True}, 90),
])  # fmt: skip
def test_requests_at_once_by_states(version: str, flags: dict[str, Any], requests: int) -> None:
    asked = {"kv_tokens": 400_000, "mamba_slots": 90, "max_running_requests": 1}
    found = _found(HYBRID, engine_version=version, flags=flags, observed=asked)
    assert found["max_running_requests"] == requests


def test_the_table_of_requests_is_not_left_free() -> None:
    """2,048 requests of 131,072 and 4 tokens, 4 bytes each, are 1.00 GiB."""
    with_tokens = _found(observed={"free_after_pool_gib": 1.0, "kv_tokens": 400_000})["free_after_pool_gib"]
    without = _found(observed={"free_after_pool_gib": 1.0})["free_after_pool_gib"]
    assert without - with_tokens == pytest.approx(2048 * 131_076 * 4 / GIB)


def test_what_guesses_ahead_is_printed_by_itself() -> None:
    """16 layers of 4 heads of 256 in 16 bit, and one; three guessed tokens, and the one before, in five places."""
    asked = {"kv_tokens": 171_008, "kv_k_gib": 1.0, "draft_kv_gib": 1.0, "mamba_slots": 43}
    asked |= {"intermediate_ssm_state_gib": 1.0, "ssm_state_gib": 1.0}
    flags = {"mtp": 3, "max_running_requests": 4}
    found = _found(HYBRID, engine_version="0.5.17", flags=flags, observed=asked)
    assert found["kv_k_gib"] == round(171_008 * 16 * 4 * 256 * 2 / GIB, 2)
    assert found["draft_kv_gib"] == 2 * round(171_008 * 4 * 256 * 2 / GIB, 2)
    assert found["ssm_state_gib"] == round(44 * STATE_MIB / 1024, 2)
    assert found["intermediate_ssm_state_gib"] == round(5 * 4 * STATE_MIB / 1024, 2)
    narrow = _found(HYBRID, flags={"mamba_ssm_dtype": "bfloat16"}, observed={"mamba_slots": 43, "ssm_state_gib": 1.0})
    assert narrow["ssm_state_gib"] == round(44 * STATE_MIB / 2 / 1024, 2)


def test_pools_of_windows_are_printed_by_themselves() -> None:
    """gpt-oss 20B: 12 layers of each kind, 8 heads of 64 in 16 bit; 0.8 tokens for each, or one where asked for."""
    base = PLAIN | {"model_id": "openai/gpt-oss-20b", "weights_format": "mxfp4"}
    asked = {"kv_tokens": 1_000_000, "swa_kv_tokens": 1, "full_kv_k_gib": 1.0, "kv_gib": 1.0}
    rate = 12 * 8 * 64 * 2
    found, even = (_found(base, flags=f, observed=asked) for f in ({}, {"swa_full_tokens_ratio": 1.0}))
    assert (found["swa_kv_tokens"], even["swa_kv_tokens"]) == (800_000, 1_000_000)
    assert found["full_kv_k_gib"] == round(1_000_000 * rate / GIB, 2)
    assert found["kv_gib"] == pytest.approx(1.8e6 * 2 * rate / GIB)
    swa = _found(base, observed={"swa_kv_tokens": 800_000, "swa_kv_k_gib": 1.0, "kv_tokens": 1_000_000})
    assert swa["swa_kv_k_gib"] == round(800_000 * rate / GIB, 2)


@pytest.mark.parametrize(("device", "tokens"), [("h20-141gb", 18_432), ("ascend-910b-64gb", 18_560)])
def test_pools_of_windows_are_whole_pages(device: str, tokens: int) -> None:
    """A tenth of 186,368 tokens in pages of 256, on Ascend of 128."""
    base = PLAIN | {"model_id": "deepseek-ai/DeepSeek-V4-Flash", "engine_version": "0.5.12", "device_id": device}
    found = _found(base, observed={"kv_tokens": 186_368, "swa_kv_tokens": 1}, kv_dtype="fp8", gpu_memory_gib=10_000)
    assert found["swa_kv_tokens"] == tokens


def test_without_chunks_as_much_is_read_as_of_several_prompts() -> None:
    engine = shipped().engines["sglang"]
    for flags, chunk in (({}, None), ({"chunked_prefill_size": 4096}, 4096), ({"chunked_prefill_size": -1}, 16_384)):
        assert choices.cache_choices(Record("one", {"flags": flags}), engine)["prefill_chunk"] == chunk


def test_keys_to_pick_by_are_not_printed_with_keys_and_values() -> None:
    """Qwen3.8-Flash-Next on two: 12 layers, a head of 256 of each, and 32 elements a token beside them, not shared."""
    base = PLAIN | {"model_id": "Qwen/Qwen3.8-Flash-Next", "n_gpus": 2, "tp": 2}
    found = _found(base, observed={"kv_tokens": 484_032, "kv_k_gib": 2.77, "kv_v_gib": 2.77})
    assert found["kv_k_gib"] == round(484_032 * 12 * 256 * 2 / GIB, 2) == 2.77
    assert found["kv_tokens"] == pytest.approx(484_032, rel=1e-3)


def test_no_more_tokens_than_were_asked_for() -> None:
    asked = {"kv_tokens": 4096, "kv_k_gib": 0.26, "kv_v_gib": 0.26}
    assert _found(flags={"max_total_tokens": 4096}, observed=asked)["kv_tokens"] == 4096


def test_groups_of_attention_lie_within_tensor_parallelism() -> None:
    spread = {"n_gpus": 8, "tp": 8, "dp": 4, "flags": {"dp_attention": True}}
    plan = machines.read_spread(Record("one", spread), shipped().engines["sglang"]).plan
    assert (plan.tensor, plan.attention_replicas, plan.expert, plan.replicas) == (2, 4, 8, 1)


def test_a_label_stands_for_what_software_sees() -> None:
    assert machines.labelled_bytes(80, shipped()) == pytest.approx(79.17 * GIB, rel=0.001)
    assert machines.labelled_bytes(13, shipped()) == 13 * 10**9


@pytest.mark.parametrize(
    ("version", "date", "release"),
    [("0.5", "2026-07-12", (0, 5, 15)), ("0.5", "2026", (0, 5, 6)), ("0.5.9", "2026-07", (0, 5, 9)),
     ("0.5", "", (0, 5)), ("", "2025-06-30", (0, 4, 8)), ("", "2026", None)],
)  # fmt: skip
def test_a_release_by_its_date(version: str, date: str, release: tuple[int, ...] | None) -> None:
    record = Record("one", {"engine_version": version, "date": date})
    assert choices.release_of(record, shipped().engines["sglang"]) == release
