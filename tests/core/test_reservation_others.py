"""What llama.cpp, TensorRT-LLM, MLX and unknown engines reserve, worked by hand or printed by them at their start.

The numbers beside a name in brackets are prints of public start-up logs; the others follow from the rules that the
modules of `core.physics.reservation` cite.
"""

from typing import Any

import pytest

from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.units import GIB, MIB
from tests.core.cases import CASES, scenario
from tests.core.served import SMALL, figures, served

TRT: dict[str, Any] = {"engine": "tensorrt-llm"}
MAC: dict[str, Any] = {"engine": "mlx", "device": "mac-studio-m3-ultra-512"}


@pytest.mark.parametrize(
    ("model", "context", "kv_format", "more", "requests", "kv_mib", "state_mib"),
    [
        ("Qwen/Qwen3-235B-A22B", 32_768, "q8_0", {}, 1, 3196.0, 0),
        ("meta-llama/Llama-3.1-8B-Instruct", 1024, "iq4_nl", {"kv_value_format": "fp16"}, 1, 82.0, 0),
        ("deepseek-ai/DeepSeek-R1", 20_480, "fp16", {}, 1, 1372.5, 0),
        ("deepseek-ai/DeepSeek-R1", 2048, "fp16", {"deployment__full_latents": True}, 1, 9760.0, 0),
        ("Qwen/Qwen3.8-27B", 24_576, "fp16", {}, 1, 1536.0, 149.62),
        ("Qwen/Qwen3.6-27B", 262_144, "fp16", {"deployment__draft_tokens": 6}, 1, 16_384 + 1024, 1047.38),
        ("Qwen/Qwen3.5-35B-A3B", 8192, "fp16", {}, 4, None, 251.25),
        ("openai/gpt-oss-120b", 16_384, "fp16", {"deployment__shared_slots": True}, 4, 2304.0 + 36.0, 0),
        ("google/gemma-2-2b", 8192, "fp16", {"deployment__full_windows": True}, 2, 832.0 + 832.0, 0),
    ],
)  # fmt: skip
def test_llama_cpp_prints(
    model: str, context: int, kv_format: str, more: dict[str, Any], requests: int, kv_mib: float | None,
    state_mib: float,
) -> None:  # fmt: skip
    chosen = Scenario(
        model=CatalogueModel(id=model),
        weights="Q4_K_M",
        kv_format=kv_format,
        workload=Workload(requests_at_once=requests, prompt_tokens=1, output_tokens=1, context_tokens=context),
        deployment=Deployment(device="h200-sxm", engine="llama.cpp"),
    )
    t = figures(chosen.edited(**more))
    if kv_mib is not None:
        assert t["accelerator.kv_bytes"] / MIB == pytest.approx(kv_mib, abs=0.05)
    assert t["accelerator.state_bytes"] / MIB == pytest.approx(state_mib, abs=0.01)


def test_llama_cpp_windows_have_room_for_the_micro_batch() -> None:
    """1,024 and 512 tokens make 1,536 cells, for all eight-fold windows of the same shape."""
    t = figures(CASES["llama.cpp, windows"].edited(kv_value_format=None, workload__context_tokens=100_000), SMALL)
    assert t["kv.1.tokens_reserved"] == 1536
    assert t["kv.0.tokens_reserved"] == 100_096  # whole 256


def test_tensorrt_llm_keeps_blocks_within_reach_and_a_share_of_what_is_left() -> None:
    t = figures(CASES["TensorRT-LLM, windows"].edited(workload__context_tokens=1_001), SMALL)
    assert t["kv.0.tokens_reserved"] == t["kv.1.tokens_reserved"] == 1024
    long = figures(CASES["TensorRT-LLM, windows"], SMALL)
    assert long["kv.1.tokens_reserved"] == 1024
    left = long["tier.0.usable_bytes"] - long["accelerator.fixed_bytes"]
    assert long["accelerator.free_for_kv_bytes"] == pytest.approx(0.9 * left, abs=1)


def test_mlx_grows_in_steps_and_turns_its_windows() -> None:
    t = figures(CASES["MLX, windows"].edited(workload__context_tokens=1_025), SMALL)
    assert (t["kv.0.tokens_reserved"], t["kv.1.tokens_reserved"]) == (1280, 1024)


@pytest.mark.parametrize(("release", "tokens"), [("0.8", 128), ("0.9", 128), ("0.10", 64), ("0.18", 64), ("0.20", 32)])
def test_tensorrt_llm_had_larger_blocks(release: str, tokens: int) -> None:
    """Prints: 29,184 tokens are 228 blocks of 128 in 0.8; 1,429 of 64 are 91,456 in 0.12; 26,885 of 32 in 0.20."""
    assert served("meta-llama/Llama-3.1-8B-Instruct", 8192, release=release, **TRT)["engine.block_tokens"] == tokens


def test_tensorrt_llm_took_a_smaller_share() -> None:
    shares = [
        served("meta-llama/Llama-3.1-8B-Instruct", 8192, release=release, **TRT)["engine.memory_share"]
        for release in ("0.7", "0.8")
    ]
    assert shares == [0.85, 0.9]


def test_tensorrt_llm_keeps_every_token_of_windows_before_1_3_and_of_chunks() -> None:
    """gpt-oss with windows of 128, Llama 4 with chunks of 8,192."""
    window = [served("openai/gpt-oss-120b", 10_000, release=r, **TRT)["kv.0.tokens_reserved"] for r in ("1.2", "1.3")]
    assert window == [32 * 313, 128]
    chunked = served("meta-llama/Llama-4-Scout-17B-16E-Instruct", 100_000, **TRT)
    assert {chunked[f"kv.{n}.tokens_reserved"] for n in (0, 1)} == {100_000}


def test_tensorrt_llm_has_one_scale_for_a_tensor_of_8_bit() -> None:
    """Llama 3.1 8B: 32 layers, 8 heads of 128 for keys and values, a byte each; vLLM adds a scale for each head."""
    model = "meta-llama/Llama-3.1-8B-Instruct"
    assert served(model, 8192, "int8_per_token_head", **TRT)["kv_bytes_per_token"] == 65_536
    assert served(model, 8192, "int8_per_token_head")["kv_bytes_per_token"] > 65_536


@pytest.mark.parametrize(
    ("model", "release", "width"),
    [
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "1.3", 2),  # the config says nothing
        ("Qwen/Qwen3.5-27B", "1.3", 2),  # it says float32 in a field that is not read
        ("moonshotai/Kimi-Linear-48B-A3B-Instruct", "1.3", 4),
        ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "1.3", 4),  # mamba_ssm_cache_dtype: float32
        ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "1.1", 2),
    ],
)
def test_tensorrt_llm_states(model: str, release: str, width: float) -> None:
    assert served(model, 8192, release=release, **TRT)["state.0.matrix_bytes"] == width


@pytest.mark.parametrize(("release", "width"), [("0.31.1", 2), ("0.31.2", 4), ("0.32.2", 4)])
def test_mlx_states_are_in_32_bit_since_0_31_2(release: str, width: float) -> None:
    assert served("Qwen/Qwen3-Next-80B-A3B-Instruct", 8192, release=release, **MAC)["state.0.matrix_bytes"] == width
    assert served("ibm-granite/granite-4.0-h-small", 8192, release=release, **MAC)["state.0.matrix_bytes"] == width


def test_mlx_kept_latents_by_head() -> None:
    """[A thread: 10.72 GiB at 4,400 tokens of Kimi K2.5, then 0.34 at 4,898; pull requests 839 and 780.]"""
    by_head = 61 * 64 * (192 + 128) * 2
    old = served("moonshotai/Kimi-K2.5", 4_400, release="0.30.5", **MAC)
    assert old["kv_bytes_per_request"] == by_head * 4_608 == pytest.approx(10.72 * GIB, rel=1e-3)
    new = served("moonshotai/Kimi-K2.5", 4_898, release="0.30.6", **MAC)
    assert new["kv_bytes_per_request"] == 61 * 576 * 2 * 5_120
    flash = [served("zai-org/GLM-4.7-Flash", 256, release=r, **MAC)["kv_bytes_per_token"] for r in ("0.30.4", "0.30.5")]
    assert flash == [47 * 20 * (256 + 256) * 2, 47 * 576 * 2]


def test_mlx_keeps_index_keys_in_16_bit() -> None:
    t = served("deepseek-ai/DeepSeek-V3.2", 8192, **MAC)
    assert t["kv_bytes_per_token"] == 61 * (576 * 2 + 128 * 2)


def test_mlx_scores_of_wide_heads() -> None:
    """Heads of 256 on MLX: scores for every head, token of the chunk and token of the context."""
    t = figures(CASES["MLX, hybrid"].edited(workload__context_tokens=128_000), SMALL)
    assert t["runtime.score_bytes"] == 2 * 16 * 2048 * 128_000


def test_mlx_splits_wide_heads_on_the_m5() -> None:
    """Since MLX 0.32.2, in chunks of 1,024 tokens or more; [m062: 32.5 GB with 0.31.3]."""
    chosen: dict[str, Any] = {"engine": "mlx", "device": "mac-studio-m5-max-128"}
    model = "Qwen/Qwen3.6-35B-A3B"
    assert "runtime.score_bytes" not in served(model, 128_000, **chosen)
    assert "runtime.score_bytes" in served(model, 128_000, release="0.31.3", **chosen)
    assert "runtime.score_bytes" in served(model, 128_000, prefill_chunk=512, **chosen)
    assert "runtime.score_bytes" in served(model, 128_000, **MAC)


def test_mlx_writes_scores_of_latents_and_of_quantised_caches() -> None:
    """DeepSeek V3 has 128 heads of 128 beside 64 that turn; Llama 3.1 8B has 32."""
    latent = served("deepseek-ai/DeepSeek-V3", 16_384, **MAC)
    assert latent["runtime.score_bytes"] == 2 * 128 * 16_384 * (2 * 2048 + 128 + 128)
    model = "meta-llama/Llama-3.1-8B-Instruct"
    assert served(model, 32_000, "mlx4", **MAC)["runtime.score_bytes"] == 2 * (2 * 32 * 2048 * 32_000)
    assert "runtime.score_bytes" not in served(model, 32_000, **MAC)
    assert served(model, 1_000, "mlx4", **MAC)["runtime.score_bytes"] == 2 * (2 * 32 * 1000 * 1000)


def test_mlx_read_short_chunks_and_wrote_all_scores() -> None:
    """mlx-lm before 0.22.2, pull request 40."""
    old = served("meta-llama/Llama-3.1-8B-Instruct", 32_000, release="0.22.1", **MAC)
    assert (old["engine.prefill_chunk"], old["runtime.score_bytes"]) == (512, 2 * 32 * 512 * 32_000)


def test_mlx_fills_rings_beyond_their_width_while_it_reads() -> None:
    """Gemma 4 31B: 50 layers of 16 heads of 256 with a window of 1,024, chunks of 2,048; and a shorter prompt."""
    rate = 50 * 16 * (256 + 256) * 2
    t = served("google/gemma-4-31B-it", 100_000, **MAC)
    assert t["runtime.ring.0.beyond_bytes"] == rate * 2047
    assert served("google/gemma-4-31B-it", 1_500, **MAC)["runtime.ring.0.beyond_bytes"] == rate * 476
    assert served("google/gemma-4-31B-it", 900, **MAC)["runtime.ring.0.beyond_bytes"] == 0


def test_mlx_loads_no_image_tower() -> None:
    t = served("google/gemma-4-31B-it", 8192, **MAC)
    assert t["weights.loaded_bytes"] == t["memory_item.weights"] - t["weights_bytes.vision"]


def test_an_unknown_engine_keeps_whole_blocks() -> None:
    t = figures(scenario("windowed", "fp8", "h200-nvl", deployment__engine="generic"), SMALL)
    assert t["kv_bytes_per_request"] == 8 * 8192 * 2 * 8192 // 2 + 40 * 8192 * 2 * 1024 // 2
