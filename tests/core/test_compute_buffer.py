"""The compute buffer of llama.cpp beside what its planner sets aside, and what it printed.

The planned figures come from llama.cpp of October 2026 itself, which lays out a model of the same shape without memory
(`no_alloc`), as its server asks it to.
"""

from typing import Any

import pytest

from core.scenario import Host, Plan
from core.units import MIB
from tests.core.served import served

ROW: dict[str, Any] = {"count": 2, "plan": Plan(pipeline=2)}


def buffer_mib(model: str, context: int, **deployment: Any) -> float:
    return float(served(model, context, engine="llama.cpp", **deployment)["runtime.compute_buffer_bytes"] / MIB)


@pytest.mark.parametrize(
    ("model", "context", "deployment", "planned"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 16_384, {}, 124.01),
        ("meta-llama/Llama-3.1-8B-Instruct", 131_072, {}, 236.01),
        ("meta-llama/Llama-3.1-8B-Instruct", 16_384, {"requests": 4}, 124.01),  # a stream for each slot
        ("meta-llama/Llama-3.1-8B-Instruct", 16_384, ROW, 236.04),  # the last of two accelerators
        ("Qwen/Qwen3-32B", 8192, {}, 194.01),  # heads wider together than the model
        ("Qwen/Qwen3-235B-A22B", 8192, {}, 176.01),
        ("Qwen/Qwen3-235B-A22B", 32_768, {"prefill_chunk": 2048}, 800.12),
        ("Qwen/Qwen3-30B-A3B", 8192, {}, 92.01),
        ("google/gemma-2-2b-it", 8192, {}, 79.52),  # a second mask, for windows of 4,096 and a micro-batch
    ],
)
def test_is_what_llama_cpp_plans(model: str, context: int, deployment: dict[str, Any], planned: float) -> None:
    assert buffer_mib(model, context, **deployment) == pytest.approx(planned, abs=0.15)


@pytest.mark.parametrize(
    ("model", "context", "deployment", "printed"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 16_384, {"release": "2025.7", "prefill_chunk": 1024}, 613.01),
        ("mistralai/Mistral-Small-Instruct-2409", 49_152, {"release": "2024.10"}, 192.0),
    ],
)
def test_masks_were_wider_until_june_2026(model: str, context: int, deployment: dict[str, Any], printed: float) -> None:
    assert buffer_mib(model, context, **deployment) == pytest.approx(printed, abs=0.02)
    assert buffer_mib(model, context, **{**deployment, "release": None}) < printed


MEASURED: list[tuple[str, str, str, int, dict[str, Any], float]] = [
    # build, its month, model, context, how it was started, MiB planned on one accelerator without memory
    ("b3995", "2024.10", "meta-llama/Llama-3.1-8B-Instruct", 65_536, {}, 258.5),
    ("b3995", "2024.10", "meta-llama/Llama-3.1-8B-Instruct", 131_072, {}, 416.0),
    ("b3995", "2024.10", "mistralai/Mistral-7B-Instruct-v0.3", 8192, {}, 88.0),
    ("b3995", "2024.10", "mistralai/Mistral-7B-Instruct-v0.3", 24_576, {}, 132.0),
    ("b5590", "2025.6", "Qwen/Qwen3-8B", 65_536, {}, 304.75),
    ("b5590", "2025.6", "Qwen/Qwen3-8B", 32_768, {"prefill_chunk": 2048}, 1219.0),
    ("b6122", "2025.8", "meta-llama/Llama-3.1-8B-Instruct", 32_768, {}, 258.5),
    ("b6122", "2025.8", "meta-llama/Llama-3.1-8B-Instruct", 65_536, {}, 350.5),
    ("b6122", "2025.8", "mistralai/Mistral-7B-Instruct-v0.3", 8192, {}, 116.01),
    ("b6122", "2025.8", "mistralai/Mistral-7B-Instruct-v0.3", 20_480, {}, 148.01),
    ("b6122", "2025.8", "mistralai/Mistral-7B-Instruct-v0.3", 40_960, {}, 180.01),
    ("b6673", "2025.10", "zai-org/GLM-4.5-Air", 131_072, {}, 448.01),
    ("b8390", "2026.3", "Qwen/Qwen3-30B-A3B", 131_072, {}, 408.01),
    ("b8390", "2026.3", "openai/gpt-oss-20b", 131_072, {}, 413.52),
    ("b8390", "2026.3", "Qwen/Qwen3.5-27B", 131_072, {}, 495.0),
    ("b10068", "2026.7", "mistralai/Mixtral-8x7B-Instruct-v0.1", 16_384, {}, 208.01),
    ("v0.5.0", "2026.9", "openai/gpt-oss-20b", 32_768, {}, 119.52),
    ("v0.5.0", "2026.9", "openai/gpt-oss-20b", 32_768, {"prefill_chunk": 2048}, 484.07),
    ("v0.5.0", "2026.9", "zai-org/GLM-4.5-Air", 8192, {}, 156.01),
    ("v0.5.0", "2026.9", "moonshotai/Kimi-K2-Instruct", 32_768, {}, 284.01),
    ("v0.5.0", "2026.9", "deepseek-ai/DeepSeek-V3", 131_072, {}, 506.01),
    ("v0.5.0", "2026.9", "deepseek-ai/DeepSeek-V2-Lite", 32_768, {}, 108.13),
    ("v0.5.0", "2026.9", "google/gemma-4-E4B-it", 32_768, {}, 134.02),
    ("v0.5.0", "2026.9", "Qwen/Qwen3.5-35B-A3B", 131_072, {}, 196.02),
    ("b10068", "2026.7", "zai-org/GLM-5", 131_072, {}, 376.01),
    ("v0.5.0", "2026.9", "zai-org/GLM-5", 8192, {}, 532.07),
    ("v0.5.0", "2026.9", "zai-org/GLM-5", 32_768, {"prefill_chunk": 2048}, 2576.1),
    ("v0.5.0", "2026.9", "zai-org/GLM-5", 131_072, {}, 1028.07),
    ("v0.5.0", "2026.9", "meta-llama/Llama-3.1-8B-Instruct", 131_072, {"kv_format": "q8_0"}, 672.09),
    ("v0.5.0", "2026.9", "Qwen/Qwen3-30B-A3B", 32_768, {"kv_format": "q8_0"}, 120.09),
]


@pytest.mark.parametrize(("build", "month", "model", "context", "started", "planned"), MEASURED)
def test_builds_of_two_years(
    build: str, month: str, model: str, context: int, started: dict[str, Any], planned: float
) -> None:
    assert build
    assert buffer_mib(model, context, release=month, **started) == pytest.approx(planned, rel=0.025)


def test_layers_with_the_host_are_attended_by_the_accelerator() -> None:
    """Qwen3 8B, 17 layers and before 2026 the head with the host: planned by b8390 and v0.5.0."""
    host: dict[str, Any] = {"host": Host(capacity_bytes=2**40, bandwidth_bytes_per_s=10**11), "host_layers": 17}
    for release, planned in (("2026.3", 920.0), ("2026.9", 920.0)):
        assert buffer_mib("Qwen/Qwen3-8B", 131_072, release=release, **host) == pytest.approx(planned, abs=0.02)
    t = served("Qwen/Qwen3-8B", 32_768, engine="llama.cpp", release="2025.6", **host)
    words = t["runtime.word_graph_bytes"] + t["weights_bytes.head"]
    assert t["runtime.compute_buffer_bytes"] == words


def test_only_kernels_of_nvidia_and_amd_copy_a_quantised_cache() -> None:
    model = "meta-llama/Llama-3.1-8B-Instruct"
    assert buffer_mib(model, 131_072, kv_format="q8_0", device="m4-max") == pytest.approx(236.0, abs=0.02)
    assert buffer_mib(model, 131_072, kv_format="q8_0", release="2026.5") == pytest.approx(416.0, abs=0.02)


def test_an_accelerator_takes_a_copy_of_experts_that_lie_with_the_host() -> None:
    """Qwen3-235B-A22B in Q8_0: 816 MiB of 1,024 printed in May 2025 are one matrix of all experts of a layer."""
    host: dict[str, Any] = {"host": Host(capacity_bytes=2**40, bandwidth_bytes_per_s=10**11), "host_expert_layers": 94}
    beside = buffer_mib("Qwen/Qwen3-235B-A22B", 32_768, release="2025.5", **host)
    without = buffer_mib("Qwen/Qwen3-235B-A22B", 32_768, release="2025.5")
    assert without == pytest.approx(304.75)
    t = served("Qwen/Qwen3-235B-A22B", 32_768, engine="llama.cpp", release="2025.5", **host)
    assert beside == pytest.approx(32 + 120 + t["runtime.copied_weight_bytes"] / MIB)


def test_one_word_for_each_slot_and_guess() -> None:
    t = served("Qwen/Qwen3.6-27B", 8192, engine="llama.cpp", max_requests=4, draft_tokens=3)
    assert t["runtime.outputs"] == 16
    assert served("Qwen/Qwen3.6-27B", 8192, engine="llama.cpp", release="2026.5")["runtime.outputs"] == 512


def test_latents_were_kept_by_head_then_twice_then_alone() -> None:
    """DeepSeek R1, 2,048 tokens in 61 layers: 128 heads of 192 and 128 (9,760 MiB printed), 576 and 512, 576."""
    kept = {
        "2025.3": 61 * 128 * (192 + 128),
        "2025.8": 61 * (576 + 512),
        "2026.2": 61 * 576,
        None: 61 * 576,
    }
    for release, elements in kept.items():
        t = served("deepseek-ai/DeepSeek-R1", 2048, engine="llama.cpp", release=release)
        assert t["kv_bytes_per_request"] == elements * 2 * 2048, release
    told = served("deepseek-ai/DeepSeek-R1", 2048, engine="llama.cpp", release="2025.3", full_latents=False)
    assert told["kv_bytes_per_request"] == 61 * 576 * 2 * 2048


def test_windows_had_no_cache_of_their_own_until_june_2025() -> None:
    """Gemma 3 27B at 128 Ki: 62 GiB; then 52 of 62 layers keep 1,024 and 512 cells."""
    whole = served("google/gemma-3-27b-it", 131_072, engine="llama.cpp", release="2025.4")
    assert whole["kv_bytes_per_request"] == 62 * 131_072 * 16 * 128 * 4
    apart = served("google/gemma-3-27b-it", 131_072, engine="llama.cpp", release="2025.7")
    assert apart["kv_bytes_per_request"] == (10 * 131_072 + 52 * 1536) * 16 * 128 * 4
