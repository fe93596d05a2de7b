"""How prints of llama.cpp are read: names of figures, flags, and what lies with the processor."""

from typing import Any

import pytest

from tests.accuracy import memory, printed
from tests.accuracy.records import Record

PLAIN: dict[str, Any] = {
    "model_id": "Qwen/Qwen3-30B-A3B",
    "engine_id": "llama.cpp",
    "date": "2026-10",
    "kind": "moe-gqa",
    "weights_format": "gguf Q4_K_M",
    "kv_dtype": "f16",
    "n_gpus": 2,
    "max_model_len": 16_384,
}


def _found(**changes: Any) -> dict[str, float]:
    outcome = memory.compare([Record("one", {**PLAIN, **changes})])
    assert outcome.skipped == []
    return {r.metric: r.p50 for r in outcome.results}


def test_other_names_mean_the_same_figure() -> None:
    found = _found(observed={"kv_mib": 1.0, "kv_self_mib": 1.0, "k_mib": 1.0, "kv_k_mib": 1.0})
    assert found["kv_mib"] == found["kv_self_mib"] == 1536
    assert found["k_mib"] == found["kv_k_mib"] == 768


def test_figures_by_accelerator_are_one() -> None:
    found = _found(observed={"kv_mib_per_device": [800.0, 736.0], "compute_buffer_mib": {"CUDA0": 1.0, "CUDA1": 2.0}})
    assert found["kv_mib_per_device"] == 1536
    assert found["compute_buffer_mib"] > 0


def test_flags_by_other_names() -> None:
    named = {"np": 2, "ub": 1024, "fa": "on", "kvu": True}
    usual = {"n_seq_max": 2, "ubatch": 1024, "flash_attn": 1, "kv_unified": True}
    asked = {"kv_mib": 1.0, "compute_buffer_mib": 1.0}
    assert _found(flags=named, observed=asked) == _found(flags=usual, observed=asked)


def test_four_slots_of_a_server_of_today_share_one_stream() -> None:
    asked = {"kv_mib": 1.0}
    assert _found(flags={"n_seq_max": 4}, observed=asked)["kv_mib"] == 1536
    assert _found(flags={"n_seq_max": 4, "kv_unified": False}, observed=asked)["kv_mib"] == 4 * 1536
    assert _found(flags={"n_seq_max": 4}, observed=asked, date="2025-10")["kv_mib"] == 4 * 1536


def test_a_mix_without_a_name_does_not_hide_the_cache() -> None:
    assert _found(weights_format="gguf (own mix)", observed={"kv_mib": 1.0})["kv_mib"] == 1536


def test_experts_with_the_processor() -> None:
    asked = {"model_buffer_mib": 1.0}
    everything = _found(observed=asked)["model_buffer_mib"]
    without = _found(flags={"cpu_moe": True}, observed=asked)["model_buffer_mib"]
    half = _found(flags={"n_cpu_moe": 24}, observed=asked)["model_buffer_mib"]
    assert without < 0.1 * everything
    assert half == pytest.approx((everything + without) / 2, rel=0.02)


@pytest.mark.parametrize("value", [[], ["a"], {"CPU": 1}, [True], None, "1"])
def test_strange_values_are_no_figures(value: Any) -> None:
    assert not isinstance(printed.figure_value("compute_buffer_mib", value), int | float)
