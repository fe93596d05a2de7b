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


def test_layers_with_the_processor() -> None:
    """64 layers of attention and states, every fourth of attention; a prediction layer and the head beside them."""
    asked: dict[str, Any] = {"observed": {"kv_gpu_mib": 1.0, "kv_cpu_mib": 1.0}, "max_model_len": 262_144, "n_gpus": 1}
    layers = {"model_id": "Qwen/Qwen3.8-27B", "flags": {"n_gpu_layers": 54}, "hardware": "a card, 54 of 66 layers"}
    assert _found(**asked, **layers) == {"kv_gpu_mib": 13_312, "kv_cpu_mib": 3072}  # 12 layers, three of attention
    older = _found(**asked, **layers, engine="ollama (llama.cpp)", engine_version="2026-05")
    assert older == {"kv_gpu_mib": 54 / 64 * 16_384, "kv_cpu_mib": 10 / 64 * 16_384}  # the head comes last


def test_a_process_holds_what_does_not_lie_with_the_processor() -> None:
    asked: dict[str, Any] = {"observed": {"process_mib": 1.0}, "n_gpus": 1}
    whole, none = _found(**asked)["process_mib"], _found(**asked, flags={"n_gpu_layers": 0})["process_mib"]
    half = _found(**asked, flags={"n_gpu_layers": 25})["process_mib"]
    assert half == pytest.approx((whole + none) / 2, rel=0.02)


def test_the_table_lies_with_the_processor() -> None:
    """151,936 words of 2,048 in 4.5 bit, also where the accelerator's buffer is not printed."""
    found = _found(observed={"cpu_buffer_mib": 1.0}, n_gpus=1)
    assert found["cpu_buffer_mib"] == pytest.approx(151_936 * 2048 * 4.5 / 8 / 2**20)


def test_a_mapped_file_is_whole_on_metal() -> None:
    """Of a model known by its layers alone: the buffer of Metal holds the table too, whose size nobody states."""
    described = {
        "model_id": None,
        "geometry": {"layers": {"full_attention": 2}, "kv_heads": 8, "head_dim_k": 128},
        "weights_format": "gguf Q4_0 (4.00 GiB)",
        "hardware": "Apple M1",
    }
    observed = {"model_buffer_mib": 4096.5, "cpu_buffer_mib": 157.5}
    outcome = memory.compare([Record("one", {**PLAIN, **described, "observed": observed})])
    assert [r.p50 for r in outcome.results] == [4096]
    assert [skip.metric for skip in outcome.skipped] == ["cpu_buffer_mib"]


def test_masks_of_all_slots_of_one_stream() -> None:
    """4 x 2,048 cells for 512 tokens in 32 bit, and 512 rows of 2,048; since July 2025 slots have their own."""
    flags = {"n_seq_max": 4, "ctx_per_seq": 2048, "ubatch": 512}
    asked: dict[str, Any] = {"observed": {"host_compute_buffer_mib": 1.0}, "flags": flags}
    assert _found(**asked, date="2024-11")["host_compute_buffer_mib"] == 16 + 4
    assert _found(**asked, date="2025-10")["host_compute_buffer_mib"] == 4 + 4


def test_an_older_build_than_the_date() -> None:
    asked: dict[str, Any] = {"observed": {"host_compute_buffer_mib": 1.0}, "date": "2026-09"}
    assert _found(**asked)["host_compute_buffer_mib"] == 16 + 8
    assert _found(**asked, engine_version="2026-03")["host_compute_buffer_mib"] == 32 + 8


@pytest.mark.parametrize("value", [[], ["a"], {"CPU": 1}, [True], None, "1"])
def test_strange_values_are_no_figures(value: Any) -> None:
    assert not isinstance(printed.figure_value("compute_buffer_mib", value), int | float)
