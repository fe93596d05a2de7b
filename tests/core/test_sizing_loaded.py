"""Weights as engines load them, and the room beside them: worked by hand, or printed by the engine at its start."""

from typing import Any

import pytest

from core.architecture.blueprint import TensorClass
from core.architecture.fields import Fields
from core.architecture.positions import rotary_elements
from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario, Workload
from core.sizing.memory import record_memory
from core.sizing.resolution import resolve
from core.sizing.rules.thumb import textbook_kv
from core.sizing.size import size
from core.trace import Trace
from core.units import GIB, MIB
from tests.shipped import shipped

SHIPPED = shipped()


def chosen(model: str, weights: str, device: str, context: int = 4096, **deployment: Any) -> Scenario:
    return Scenario(
        model=CatalogueModel(id=model),
        weights=weights,
        workload=Workload(requests_at_once=1, prompt_tokens=context - 1, output_tokens=1, context_tokens=context),
        deployment=Deployment(**{"device": device, "engine": "vllm", **deployment}),
    )


def figures(scenario: Scenario) -> Trace:
    trace = Trace()
    record_memory(trace, resolve(scenario, SHIPPED))
    return trace


def loaded(model: str, weights: str, device: str, **deployment: Any) -> float:
    return float(figures(chosen(model, weights, device, **deployment))["accelerator.weights_bytes"]) / GIB


# ---- MXFP4 experts as the kernel pads them


@pytest.mark.parametrize(
    ("model", "device", "release", "printed"),
    [
        ("openai/gpt-oss-20b", "rtx-3090", "0.12", 13.7194),
        ("openai/gpt-oss-20b", "rtx-5090", "0.12", 13.7194),
        ("openai/gpt-oss-20b", "a100-40gb-sxm", "0.12", 13.7025),
        ("openai/gpt-oss-20b", "h100-sxm", None, 13.47),
        ("openai/gpt-oss-120b", "h100-sxm", None, 64.38),
    ],
)
def test_padded_experts_as_vllm_printed_them(model: str, device: str, release: str | None, printed: float) -> None:
    assert loaded(model, "mxfp4", device, release=release) == pytest.approx(printed, rel=0.005)


def test_padding_by_kernel() -> None:
    experts = 24 * 32 * 24_891_840 * 4.25 / 8
    for device, sides in (("rtx-3090", (3072, 2944)), ("h100-sxm", (3072, 2880)), ("b200-sxm", (3072, 3072))):
        t = figures(chosen("openai/gpt-oss-20b", "mxfp4", device))
        assert t["padded_bytes.expert"] == pytest.approx(experts * sides[0] * sides[1] / 2880**2, rel=1e-3)
        assert t["weights_bytes.expert"] == pytest.approx(experts, rel=1e-3)  # what a token reads stays what it is


def test_padding_is_of_each_rank() -> None:
    """Two ranks have 1,440 of an expert's width each: 1,536 with padding."""
    two: dict[str, Any] = {"count": 2, "link": "pcie-gen4-x16"}
    t = figures(chosen("openai/gpt-oss-20b", "mxfp4", "rtx-3090", **two, plan=Plan(tensor=2)))
    assert t["padded_bytes.expert"] / t["weights_bytes.expert"] == pytest.approx(3072 * 3072 / 2880**2, rel=1e-6)
    t = figures(chosen("openai/gpt-oss-20b", "mxfp4", "rtx-3090", **two, plan=Plan(tensor=2, expert=2)))
    assert t["padded_bytes.expert"] / t["weights_bytes.expert"] == pytest.approx(3072 * 2944 / 2880**2, rel=1e-6)


@pytest.mark.parametrize(("engine", "device"), [("sglang", "h100-sxm"), ("vllm", "gaudi3"), ("llama.cpp", "rtx-3090")])
def test_no_padding_where_nobody_has_read_of_it(engine: str, device: str) -> None:
    assert "padded_bytes.expert" not in figures(chosen("openai/gpt-oss-20b", "mxfp4", device, engine=engine))


# ---- what tensor parallelism does not divide


def test_latent_attention_keeps_its_down_projections_whole() -> None:
    """DeepSeek-R1: 7,168 to ranks of 1,536 and 512 + 64, in 61 layers."""
    whole = 61 * 7168 * (1536 + 576)
    blueprint = SHIPPED.blueprint("deepseek-ai/DeepSeek-R1")
    assert blueprint.whole_attention_parameters == whole
    t = figures(
        chosen("deepseek-ai/DeepSeek-R1", "fp8", "h200-sxm", count=8, plan=Plan(tensor=8), link="nvlink4-h100-h200-sxm")
    )
    parts = sum(t[f"weights_bytes.{kind}"] for kind in blueprint.parameters if kind is not TensorClass.MTP)
    kept = sum(t[f"weights_bytes.{kind}"] for kind in ("norm", "router")) + t["weights_bytes.whole_attention"]
    assert t["weights_bytes.whole_attention"] == pytest.approx(whole * t["weights.bits.attention"] / 8, abs=1)
    assert t["weights_bytes.of_rank"] == pytest.approx((parts - kept) / 8 + kept, rel=1e-9)


def test_indexers_stand_whole_too() -> None:
    blueprint = SHIPPED.blueprint("nvidia/GLM-5.1-NVFP4")
    index = 2048 * 32 * 128 + 6144 * (128 + 32)
    assert blueprint.whole_attention_parameters == 78 * (6144 * (2048 + 576) + index)


def test_grouped_heads_are_divided() -> None:
    assert SHIPPED.blueprint("Qwen/Qwen3-32B").whole_attention_parameters == 0


# ---- llama.cpp


def test_the_table_of_embeddings_stays_with_the_host() -> None:
    """Qwen3 32B in Q5_K_M: 22,118 MiB of file, 21,608.65 printed for the cards."""
    t = figures(chosen("Qwen/Qwen3-32B", "Q5_K_M", "rtx-a6000", engine="llama.cpp"))
    assert t["accelerator.weights_bytes"] == t["memory_item.weights"] - t["weights_bytes.embedding"]
    shared = figures(chosen("Qwen/Qwen3-32B", "Q5_K_M", "mac-studio-m4-max-128", engine="llama.cpp"))
    assert shared["accelerator.weights_bytes"] == shared["memory_item.weights"]
    tied = figures(chosen("Qwen/Qwen3-4B", "Q4_K_M", "rtx-a6000", engine="llama.cpp"))
    assert tied["accelerator.weights_bytes"] == tied["memory_item.weights"]


def test_prediction_layers_in_a_gguf_file() -> None:
    """Qwen3.6 27B in Q8_0, guessing ahead: 26,402.70 MiB printed for the device."""
    wanted = chosen("Qwen/Qwen3.6-27B", "Q8_0", "rtx-pro-6000-ws", engine="llama.cpp", draft_tokens=6)
    assert figures(wanted)["accelerator.weights_bytes"] / MIB == pytest.approx(26_402.7, rel=1e-3)
    assert figures(wanted.edited(deployment__draft_tokens=0))["weights_bytes.mtp"] == 0


# ---- the room beside the weights


@pytest.mark.parametrize(
    ("device", "release", "context", "chunk", "requests"),
    [
        ("rtx-5090", None, 4096, 2048, 256),
        ("h100-sxm", None, 4096, 8192, 1024),
        ("h200-sxm", "0.11", 4096, 8192, 1024),
        ("a100-80gb-sxm", None, 4096, 2048, 256),
        ("rtx-3090", "0.6", 20_000, 20_000, 256),
        ("h100-sxm", "0.7", 1024, 2048, 256),
        ("h100-sxm", "0.7", 65_536, 2048, 256),
    ],
)
def test_defaults_by_release_and_device(
    device: str, release: str | None, context: int, chunk: int, requests: int
) -> None:
    t = figures(chosen("meta-llama/Llama-3.1-8B-Instruct", "bf16", device, context, release=release))
    assert (t["engine.prefill_chunk"], t["engine.max_requests"]) == (chunk, requests)


@pytest.mark.parametrize(
    ("model", "weights", "printed"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "bf16", 4.76),
        ("Qwen/Qwen3-0.6B", "bf16", 5.56),
        ("Qwen/Qwen3-32B", "bf16", 5.64),
        ("openai/gpt-oss-20b", "mxfp4", 7.38),
    ],
)
def test_the_peak_that_vllm_printed_on_h100(model: str, weights: str, printed: float) -> None:
    t = figures(chosen(model, weights, "h100-sxm", 16_000, release="0.11"))
    assert t["runtime.peak_bytes"] / GIB == pytest.approx(printed, rel=0.015)


def test_choosing_words_without_sorting_takes_less() -> None:
    wanted = chosen("Qwen/Qwen3-32B", "fp8", "h100-sxm")
    old, new = (figures(wanted.edited(deployment__release=r))["runtime.logits_bytes"] for r in ("0.16", "0.17"))
    assert old - new == 1024 * 151_936 * (38 - 16)


def test_graphs_count_since_a_release() -> None:
    wanted = chosen("Qwen/Qwen3-32B", "fp8", "h100-sxm", release="0.19")
    before, since = figures(wanted), figures(wanted.edited(deployment__release="0.20"))
    assert since["memory_item.framework"] - before["memory_item.framework"] == since["runtime.graphs_bytes"]
    eager = figures(wanted.edited(deployment__release="0.20", deployment__graphs=False))
    assert eager["memory_item.framework"] == before["memory_item.framework"]


@pytest.mark.parametrize(
    ("model", "weights", "device", "share", "room"),
    [
        ("Qwen/Qwen3-32B", "bf16", "h100-sxm", 0.9, 4.45),
        ("meta-llama/Llama-3.1-8B-Instruct", "bf16", "h100-sxm", 0.9, 51.38),
        ("Qwen/Qwen3-0.6B", "bf16", "h100-sxm", 0.9, 64.45),
        ("openai/gpt-oss-20b", "mxfp4", "h100-sxm", 0.9, 50.28),
    ],
)
def test_the_room_that_vllm_printed_on_h100(model: str, weights: str, device: str, share: float, room: float) -> None:
    """vLLM 0.11 with default chunks; its gpt-oss ran with the swizzled layout, which 0.12 brings along."""
    release = "0.12" if weights == "mxfp4" else "0.11"
    t = figures(chosen(model, weights, device, 16_000, release=release, memory_share=share))
    assert t["accelerator.free_for_kv_bytes"] / GIB == pytest.approx(room, rel=0.05)


def test_vllm_takes_its_share_of_all_memory_of_a_spark() -> None:
    wanted = chosen("Qwen/Qwen3-32B", "nvfp4", "dgx-spark", memory_share=0.8)
    assert figures(wanted)["tier.0.limit_bytes"] == 0.8 * 128e9
    assert figures(wanted.edited(deployment__memory_share=1.0))["tier.0.limit_bytes"] == 116e9
    other = wanted.edited(deployment__engine="sglang", deployment__memory_share=0.8)
    assert figures(other)["tier.0.limit_bytes"] == 0.8 * 116e9


def test_the_image_tower_is_tried_with_its_largest_image() -> None:
    """Qwen3.8 27B in FP8 on two RTX 3090, with prediction layers: peak 1.66 GiB, 4.76 GiB for the cache."""
    two: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "link": "pcie-gen4-x16", "draft_tokens": 3}
    t = figures(chosen("Qwen/Qwen3.8-27B", "fp8", "rtx-3090", 131_072, **two, prefill_chunk=8192, max_requests=2))
    assert t["runtime.peak_bytes"] / GIB == pytest.approx(1.66, rel=0.05)
    assert t["accelerator.weights_bytes"] / GIB == pytest.approx(14.68, rel=0.025)  # 0.13 are its rotary positions
    assert t["accelerator.free_for_kv_bytes"] / GIB == pytest.approx(4.76, rel=0.08)
    small = figures(chosen("Qwen/Qwen3.8-27B", "fp8", "rtx-5090", 4096))
    assert small["runtime.image_bytes"] == 65_536 * 13_600 * 2
    assert small["runtime.image_outputs_bytes"] == 16_384 * 5120 * 2


def test_many_small_images_are_tried_at_once() -> None:
    """Gemma 3 has images of 256 tokens and 4,096 patches; a chunk of 2,048 tokens holds eight of them."""
    t = figures(chosen("google/gemma-3-12b-it", "fp8", "radeon-ai-pro-r9700", 9900, prefill_chunk=2048))
    assert t["runtime.images"] == 8
    assert t["runtime.image_bytes"] == 8 * 4096 * (3 * 14 * 14 + 3 * 1152 + 2 * 4304) * 2
    assert t["runtime.logits_with_images_bytes"] == t["runtime.logits_bytes"] + 2048 * 3840 * 2


def test_videos_are_tried_where_they_are_larger() -> None:
    """Gemma 4 with chunks of 8,192: "profiled with 3 video items of the maximum feature size"."""
    t = figures(chosen("google/gemma-4-31B-it", "bf16", "h200-sxm", prefill_chunk=8192))
    assert (t["runtime.images"], t["runtime.image_tokens"]) == (3, 2496)


@pytest.mark.parametrize(
    ("model", "requests", "drafts", "sizes", "gib"),
    [
        ("Qwen/Qwen3.8-27B", 256, 0, (51, 35), 1.11),
        ("Qwen/Qwen3.8-27B", 2, 3, (5, None), 0.13),
        ("Qwen/Qwen2.5-7B-Instruct", 16, 0, (7, 5), 0.08),
    ],
)
def test_graphs_by_the_steps_that_are_captured(
    model: str, requests: int, drafts: int, sizes: tuple[int, int | None], gib: float
) -> None:
    """Estimates that vLLM printed since it counts graphs."""
    t = figures(chosen(model, "bf16", "h200-sxm", max_requests=requests, draft_tokens=drafts))
    assert (t["runtime.pieces_sizes"], t.get("runtime.whole_sizes")) == sizes
    assert t["runtime.graphs_bytes"] / GIB == pytest.approx(gib, abs=0.04)


def test_the_second_runner_by_release() -> None:
    """Dense models since 0.25: images not tried before 0.27, graphs not counted before 0.29, fewer copies of scores."""
    dense = chosen("google/gemma-3-27b-it", "bf16", "h100-sxm")
    traces = {r: figures(dense.edited(deployment__release=r)) for r in ("0.24", "0.25", "0.27", "0.29")}
    assert {r: "runtime.image_bytes" in t for r, t in traces.items()} == dict(zip(traces, (1, 0, 1, 1), strict=True))
    counted = {
        r: t["memory_item.framework"] >= t["runtime.peak_bytes"] + t["runtime.graphs_bytes"] for r, t in traces.items()
    }
    assert counted == {"0.24": True, "0.25": False, "0.27": False, "0.29": True}
    hybrid = chosen("Qwen/Qwen3.6-27B", "fp8", "h100-sxm", release="0.28")
    assert figures(hybrid)["runtime.bytes_per_logit"] == 16
    assert figures(hybrid.edited(deployment__release="0.29"))["runtime.bytes_per_logit"] == 10


def test_mixtures_that_the_second_runner_took_first_and_those_that_amd_leaves_to_the_first() -> None:
    """vLLM's config/vllm.py: Qwen2 MoE since 0.25, DeepSeek V4 since 0.28, but for AMD."""

    def each(model: str, weights: str, device: str, release: str) -> float:
        t = figures(chosen(model, weights, device, release=release, count=8, plan=Plan(tensor=8)))
        return float(t["runtime.bytes_per_logit"])

    assert [each("Qwen/Qwen1.5-MoE-A2.7B", "bf16", "h100-sxm", r) for r in ("0.24", "0.25")] == [16, 10]
    assert [each("deepseek-ai/DeepSeek-V4-Flash", "mxfp4", "h100-sxm", r) for r in ("0.27", "0.28")] == [16, 10]
    assert [each("deepseek-ai/DeepSeek-V4-Flash", "mxfp4", "mi355x", r) for r in ("0.28", "0.33")] == [16, 16]


# ---- FP8 by Marlin, where there are no units for it


@pytest.mark.parametrize(
    ("device", "release", "printed"), [("a100-80gb-pcie", "0.19", 34.71), ("h100-sxm", "0.19", None)]
)
def test_scales_of_squares_become_scales_of_rows(device: str, release: str, printed: float | None) -> None:
    """Qwen3.5-35B-A3B-FP8 on an A100: 34.71 GiB printed, 34.2 of the file; two bytes for 128 weights."""
    t = figures(chosen("Qwen/Qwen3.5-35B-A3B", "fp8", device, release=release))
    if printed is None:
        assert "weights_bytes.group_scales" not in t
        return
    assert t["accelerator.weights_bytes"] / GIB == pytest.approx(printed, rel=0.001)
    assert t["weights_bytes.group_scales"] == pytest.approx(t["weights_bytes.tiled"] * 2 / 128, rel=1e-6)


def test_what_lies_beside_the_weights_counts_in_the_sum_over_all_accelerators() -> None:
    """Scales of rows and copies of latent attention: on each accelerator, and in the memory of the whole deployment."""
    one = figures(chosen("Qwen/Qwen3.5-35B-A3B", "fp8", "a100-80gb-pcie"))
    assert one["memory.fixed_bytes"] == one["accelerator.fixed_bytes"]
    eight = figures(chosen("deepseek-ai/DeepSeek-R1", "fp8", "h200-sxm", count=8, plan=Plan(tensor=8)))
    assert eight["memory.products_bytes"] == 8 * eight["weights_bytes.products"]
    four = figures(chosen("MiniMaxAI/MiniMax-M2.7", "fp8", "a100-80gb-sxm", count=4, plan=Plan(tensor=4)))
    assert four["memory.group_scales_bytes"] == 4 * four["weights_bytes.group_scales"]


def test_scales_of_squares_go_by_what_is_known_of_the_file() -> None:
    key = "weights_bytes.group_scales"
    four: dict[str, Any] = {"count": 4, "plan": Plan(tensor=4)}
    split = figures(chosen("MiniMaxAI/MiniMax-M2.7", "fp8", "a100-80gb-sxm", **four))  # by its own config
    assert split[key] == pytest.approx(split["weights_bytes.tiled"] * 2 / 128 / 4, rel=0.02)
    assert key not in figures(chosen("google/gemma-3-27b-it", "fp8", "a100-80gb-sxm"))  # a scale for each row
    assert key not in figures(chosen("Qwen/Qwen3.5-35B-A3B", "bf16", "a100-80gb-sxm"))
    assert key not in figures(chosen("Qwen/Qwen3.5-35B-A3B", "fp8", "a100-80gb-sxm", engine="sglang"))
    assert key in figures(chosen("google/gemma-3-27b-it", "fp8-block", "rtx-3090", **four))


@pytest.mark.parametrize(
    ("device", "release", "chunk"),
    [("b200-sxm", "0.27", 8192), ("b200-sxm", "0.28", 16_384), ("h200-sxm", "0.28", 8192), ("dgx-spark", "0.32", 8192),
     ("dgx-spark", "0.33", 2048)],
)  # fmt: skip
def test_chunks_of_the_largest_and_of_spark(device: str, release: str, chunk: int) -> None:
    assert figures(chosen("Qwen/Qwen3-32B", "fp8", device, release=release))["engine.prefill_chunk"] == chunk


@pytest.mark.parametrize(
    ("device", "release", "chunk"),
    [
        ("b200-sxm", None, 16_384),
        ("h100-sxm", None, 8192),
        ("rtx-4090", "0.5.20", 4096),
        ("rtx-4090", "0.5.19", 2048),
        ("a100-40gb-sxm", "0.5.3", 4096),
    ],
)
def test_sglang_reads_prompts_in_the_chunks_that_its_share_counts(device: str, release: str | None, chunk: int) -> None:
    wanted = chosen("Qwen/Qwen3-8B", "fp8", device, engine="sglang", release=release)
    trace = size(wanted, SHIPPED).trace
    assert trace["engine.prefill_chunk"] == trace["engine.share_chunk"] == chunk


def test_sglang_had_longer_chunks_before_it_computed_its_share() -> None:
    old = chosen("Qwen/Qwen3-8B", "fp8", "a100-40gb-sxm", engine="sglang", release="0.5.2")
    assert size(old, SHIPPED).trace["engine.prefill_chunk"] == 8192


def test_vllm_takes_its_share_of_what_metal_lends() -> None:
    """Printed: 40.20 GB of 48 GiB, 115.45 of 128; 2.09 GB stayed after a chunk with 248,320 words was tried."""
    mac = chosen("Qwen/Qwen3.5-27B", "mlx4", "macbook-pro-m4-pro-20c-48", memory_share=0.5)
    t = figures(mac)
    assert t["tier.0.working_set_bytes"] == pytest.approx(40.20e9, rel=0.001)
    assert t["tier.0.limit_bytes"] == t["tier.0.working_set_bytes"] // 2
    assert t["memory_item.framework"] == pytest.approx(2.09e9, rel=0.02)
    whole = figures(mac.edited(deployment__memory_share=1.0))
    assert whole["tier.0.limit_bytes"] == whole["tier.0.usable_bytes"]  # what the catalogue says macOS leaves
    large = figures(chosen("Qwen/Qwen3.5-27B", "bf16", "macbook-pro-m4-max-128", memory_share=0.5))
    assert large["tier.0.working_set_bytes"] == pytest.approx(115.45e9, rel=0.001)


def test_a_tpu_tries_nothing_at_the_start() -> None:
    """Llama 3.1 8B on one v5e: 0.71 GiB printed in July 2025, a share of 0.9 of what is free after loading."""
    wanted = chosen("meta-llama/Llama-3.1-8B", "bf16", "tpu-v5e", release="0.9", memory_share=0.9)
    t = figures(wanted)
    assert t["accelerator.free_for_kv_bytes"] / GIB == pytest.approx(0.71, rel=0.05)
    assert t["engine.block_tokens"] == 256  # 131,072 tokens of 256 requests in 131,072 pages
    assert figures(wanted.edited(workload__context_tokens=2048))["engine.block_tokens"] == 128
    whole = figures(wanted.edited(deployment__release="0.11", deployment__memory_share=0.98))
    assert whole["tier.0.limit_bytes"] == int(0.98 * whole["tier.0.usable_bytes"])


def test_the_weights_of_a_published_nvfp4_checkpoint() -> None:
    """Qwen3.8 27B by NVIDIA, one accelerator, no guessing ahead: 19.75 GiB reported."""
    assert loaded("Qwen/Qwen3.6-27B", "nvfp4", "rtx-a6000") == pytest.approx(19.75, rel=0.01)


def test_tables_of_positions_are_loaded_too() -> None:
    """Llama 3.1 8B: 14.9889 GiB reported, 14.958 of them weights; its 131,072 positions of 128 take the rest."""
    t = figures(chosen("meta-llama/Llama-3.1-8B-Instruct", "bf16", "rtx-3090"))
    assert t["weights_bytes.tables"] == 131_072 * 128 * 2
    assert t["accelerator.weights_bytes"] / GIB == pytest.approx(14.9889, rel=1e-4)
    sglang = figures(chosen("meta-llama/Llama-3.1-8B-Instruct", "bf16", "rtx-3090", engine="sglang"))
    assert sglang["weights_bytes.tables"] == 131_072 * 128 * 4
    local = figures(chosen("meta-llama/Llama-3.1-8B-Instruct", "Q4_K_M", "rtx-3090", engine="llama.cpp"))
    assert "weights_bytes.tables" not in local


def test_rows_for_images_of_every_level() -> None:
    """Qwen3-VL 32B feeds images into three more layers: three times 32,768 rows of 5,120; positions are threefold."""
    t = figures(chosen("Qwen/Qwen3-VL-32B-Instruct", "fp8", "h100-sxm", prefill_chunk=32_768))
    positions = 4 * 262_144 * 128 * 2
    assert t["weights_bytes.tables"] == positions + 3 * 32_768 * 5120 * 2


@pytest.mark.parametrize(
    ("model", "weights", "two", "printed"),
    [
        ("RedHatAI/Qwen3-14B-FP8-dynamic", "fp8", False, 15.418),
        ("RedHatAI/Qwen3-14B-FP8-dynamic", "fp8", True, 7.8555),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "bf16", False, 15.0586),
        ("openai/gpt-oss-20b", "mxfp4", False, 14.3066),
        ("openai/gpt-oss-20b", "mxfp4", True, 7.4551),
    ],
)
def test_what_vllm_counted_as_loaded_on_amd(model: str, weights: str, two: bool, printed: float) -> None:
    """vLLM 0.11 to 0.13 on R9700: what loading needed for a moment counts with the weights."""
    pair: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "link": "pcie-gen4-x16"} if two else {}
    wanted = chosen(model, weights, "radeon-ai-pro-r9700", release="0.12", **pair)
    t = figures(wanted)
    assert t["accelerator.weights_bytes"] / GIB == pytest.approx(printed, rel=0.02)
    assert "runtime.exchange_bytes" not in t
    since = figures(wanted.edited(deployment__release="0.24"))
    assert "weights_bytes.held" not in since


@pytest.mark.parametrize(
    ("model", "weights", "device", "release", "printed"),
    [
        ("deepseek-ai/DeepSeek-R1", "fp8", "h200-sxm", "0.7.3", 83.88),
        ("deepseek-ai/DeepSeek-R1", "fp8", "h200-sxm", "0.11.2", 79.739),
        ("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "bf16", "a100-40gb-sxm", "0.7.1", 3.97),
        ("zai-org/GLM-5.1-FP8", "fp8", "h200-sxm", "0.19", 89.34),
    ],
)
def test_latent_attention_as_vllm_printed_it(
    model: str, weights: str, device: str, release: str, printed: float
) -> None:
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8)}
    assert loaded(model, weights, device, release=release, **eight) == pytest.approx(printed, rel=0.005)


def test_matrices_of_latents_that_are_not_quantised_have_no_copies() -> None:
    t = figures(chosen("deepseek-ai/DeepSeek-V2-Lite", "bf16", "h100-sxm"))
    assert "weights_bytes.products" not in t
    assert "weights_bytes.products" in figures(chosen("deepseek-ai/DeepSeek-V2-Lite", "fp8", "h100-sxm"))
    old = chosen("deepseek-ai/DeepSeek-V2-Lite", "fp8", "h100-sxm", release="0.6")
    assert "weights_bytes.products" not in figures(old)


@pytest.mark.parametrize("weights", ["bf16", "fp8"])
def test_sglang_copies_the_matrices_of_latents(weights: str) -> None:
    """DeepSeek R1: 61 layers, 128 heads of 128 + 128, a latent of 512, 2 bytes, over 8: 0.24 GiB in any format."""
    name = "deepseek-ai/DeepSeek-R1" if weights == "fp8" else "zai-org/GLM-4.7-Flash"
    layers, heads, width, ranks = (61, 128, 256, 8) if weights == "fp8" else (47, 20, 448, 2)
    eight: dict[str, Any] = {"engine": "sglang", "count": ranks, "plan": Plan(tensor=ranks)}
    t = figures(chosen(name, weights, "h200-sxm", **eight))
    assert t["weights_bytes.products"] == 2 * layers * heads * width * 512 / ranks
    assert "weights_bytes.products" not in figures(chosen(name, weights, "h200-sxm", release="0.4", **eight))


def test_fp8_of_latents_stays_fp8_on_amd() -> None:
    eight: dict[str, Any] = {"engine": "sglang", "count": 8, "plan": Plan(tensor=8)}
    assert "weights_bytes.products" not in figures(chosen("deepseek-ai/DeepSeek-R1", "fp8", "mi300x", **eight))


def test_an_nvfp4_checkpoint_with_latents_as_sglang_printed_it() -> None:
    """nvidia/DeepSeek-R1-0528-FP4 on four accelerators, SGLang 0.5.0: 94.50 GiB."""
    four: dict[str, Any] = {"engine": "sglang", "release": "0.5.0", "count": 4, "plan": Plan(tensor=4)}
    assert loaded("deepseek-ai/DeepSeek-R1", "nvfp4", "b200-sxm", **four) == pytest.approx(94.50, rel=0.005)


def test_experts_run_in_two_work_spaces_since_a_release() -> None:
    """Qwen3 235B, chunks of 65,536: eight experts of 1,536 in a width of 4,096, until 0.17 16,384 tokens at a time."""
    wanted = chosen("Qwen/Qwen3-235B-A22B", "fp8", "h200-sxm", count=4, plan=Plan(tensor=4, expert=4))
    old, new = (
        figures(wanted.edited(deployment__release=release, deployment__prefill_chunk=65_536))[
            "runtime.activation_bytes"
        ]
        for release in ("0.17", "0.18")
    )
    assert old == 2 * (3 * 65_536 * 4096 + 16_384 * 8 * (4096 + 1536))
    assert new == 2 * (3 * 65_536 * 4096 + 65_536 * 8 * (4096 + 4096))


@pytest.mark.parametrize(
    ("weights", "device", "width"),
    [("nvfp4", "b200-sxm", 1152), ("nvfp4", "h100-sxm", 4096), ("bf16", "b200-sxm", 4096), ("mxfp4", "b200-sxm", 0)],
)
def test_the_second_work_space_is_as_wide_as_its_kernel_has_it(weights: str, device: str, width: int) -> None:
    assert figures(chosen("Qwen/Qwen3-235B-A22B", weights, device, count=8))["runtime.least_width"] == width


@pytest.mark.parametrize(
    ("release", "context", "cache", "space"),
    [
        ("0.31", 1_048_576, "fp8", 5 * 1152 * 1_048_576),
        ("0.32", 1_048_576, "fp8", 2 * 1152 * 1_048_576),
        ("0.32", 262_144, "fp16", 5 * 1056 * 262_144),
        ("0.32", 8192, "fp16", 4096 * 8 * 2 * (6144 + 6144)),
    ],
)
def test_sparse_attention_gathers_contexts(release: str, context: int, cache: str, space: int) -> None:
    """GLM-5.2 on eight H200: what is gathered, or where contexts are short the work spaces of the experts."""
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "prefill_chunk": 4096, "release": release}
    t = figures(chosen("zai-org/GLM-5.2-FP8", "fp8", "h200-sxm", context, **eight).edited(kv_format=cache))
    assert t["runtime.sparse_bytes"] == space + 512 * MIB + 6 * 4096 * 6144


def test_sparse_attention_gathers_on_nvidia_alone() -> None:
    assert "runtime.sparse_bytes" not in figures(chosen("zai-org/GLM-5.2-FP8", "fp8", "mi300x", count=8))
    assert "runtime.sparse_bytes" not in figures(chosen("deepseek-ai/DeepSeek-V3", "fp8", "h200-sxm", count=8))


def test_latent_attention_sets_aside_what_it_unfolds() -> None:
    """DeepSeek V3 with whole attention on each of eight: 65,536 tokens of 128 heads of 256 are 4 GiB."""
    whole = Plan(attention_replicas=8, expert=8)
    t = figures(chosen("deepseek-ai/DeepSeek-V3", "fp8", "h200-sxm", 32_768, count=8, plan=whole, release="0.12"))
    assert t["runtime.unfolded_tokens"] == 65_536
    assert t["runtime.unfolded_bytes"] == 4 * GIB + 4 * 8192 * 7168
    old = figures(chosen("deepseek-ai/DeepSeek-V3", "fp8", "h200-sxm", 32_768, count=8, plan=whole, release="0.9"))
    assert "runtime.unfolded_bytes" not in old
    assert "runtime.unfolded_bytes" not in figures(chosen("Qwen/Qwen3-32B", "fp8", "h200-sxm"))


def test_experts_take_the_chunks_of_all_groups() -> None:
    """Qwen3 Coder 480B on eight H20 of 141 GB, whole attention on each: 48.66 GiB for the cache at a share of 0.9."""
    whole: dict[str, Any] = {"count": 8, "plan": Plan(attention_replicas=8, expert=8), "memory_share": 0.9}
    wanted = chosen("Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "fp8", "h20-141gb", 262_144, release="0.10", **whole)
    t = figures(wanted)
    assert t["runtime.mixture_tokens"] == 8 * 8192
    assert t["accelerator.free_for_kv_bytes"] / GIB == pytest.approx(48.66, rel=0.02)
    cut = figures(wanted.edited(deployment__release="0.12"))
    assert cut["runtime.mixture_tokens"] == 16_384


@pytest.mark.parametrize(("release", "device", "mib"), [("0.6", "rtx-3090", 350), ("0.7", "rtx-4060", 100),
    (None, "h100-sxm", 200), (None, "radeon-ai-pro-r9700", 500)])  # fmt: skip
def test_what_stands_outside_of_pytorch(release: str | None, device: str, mib: int) -> None:
    t = figures(chosen("Qwen/Qwen3-0.6B", "bf16", device, release=release))
    assert t["runtime.context_bytes"] == mib * MIB


def test_buffers_of_the_exchange_by_release() -> None:
    pair: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "link": "pcie-gen4-x16"}
    wanted = chosen("Qwen/Qwen3-0.6B", "bf16", "rtx-4090", **pair)
    sizes = [figures(wanted.edited(deployment__release=r))["runtime.exchange_bytes"] / MIB for r in ("0.8", "0.9")]
    assert sizes == [100, 150]


EIGHT_H200 = {
    # rings and chains of the first rank 24 * (2 * 2 + 4 * 10), switch 24 * 2 * 8 * 3 in pages of 512, scores
    # 32 * 7 * 10, own 18
    "0.7.3": 1056 + 2 * 1536 + 2240 + 18,
    "0.8": 24 * 4 * 12 + 2 * 1536 + 18,  # scores go to all alike: ranks in the middle of a chain count
    "0.9": 24 * 4 * 12 + 2 * 16 * 16 + 18,
    "0.10.2": 2 * (24 * 12 + 2 * (3 * 32 + 2 + 17)) + 2 * 16 * 8 + 18,  # rings alone; tables in pages of 2 MiB
    "0.11": 24 * 12 + 2 * (3 * 32 + 2 + 17) + 2 * 16 * 8,  # PyTorch's, and what the engine's own needs later
    "0.17": 24 * 12 + 2 * (3 * 32 + 2 + 17) + 2 * 16 * 8 + 3 * 512,  # all-reduces of half a MiB that normalise too
    "0.22": 24 * 12 + 2 * (3 * 32 + 2 + 17) + 2 * 16 * 8 + 4 + 2 + 12,
    "0.26": 2 * 16 * 8 + 4 + 2 + 12,
}


@pytest.mark.parametrize(("release", "mib"), EIGHT_H200.items())
def test_buffers_of_nvlink_by_release(release: str, mib: int) -> None:
    """Sums by hand, in MiB: DeepSeek V3 on eight H200, 24 channels whose connections hold 2 and 10."""
    wanted = chosen("deepseek-ai/DeepSeek-V3", "fp8", "h200-sxm", count=8, plan=Plan(tensor=8), release=release)
    assert figures(wanted)["runtime.exchange_bytes"] == mib * MIB


def test_buffers_of_nvlink_by_accelerators() -> None:
    """Two H100 print 0.42 GiB more outside of PyTorch than one: 24 * 12 + 2 * (3 * 32 + 2) = 484 MiB."""

    def exchange(device: str, count: int, release: str, **plan: int) -> float:
        model = "deepseek-ai/DeepSeek-V3" if "expert" in plan else "Qwen/Qwen3-32B"
        wanted = chosen(model, "bf16", device, count=count, plan=Plan(**plan), release=release)
        return float(figures(wanted)["runtime.exchange_bytes"] / MIB)

    assert exchange("h100-sxm", 2, "0.12", tensor=2) == 484
    assert exchange("h100-sxm", 2, "0.17", tensor=2) == 484 + 3 * 512
    assert exchange("h100-sxm", 2, "0.26", tensor=2) == 2 * 64 + 2 + 6 * 64  # a chunk is 80 MiB, the most 64
    assert exchange("h100-sxm", 4, "0.12", tensor=4) == 484 + 2 * 17
    assert exchange("a100-80gb-sxm", 8, "0.9", tensor=8) == 24 * 4 * 12 + 18
    assert exchange("a100-80gb-sxm", 8, "0.7.3", tensor=8) == 24 * (2 * 6 + 4 * 6) + 32 * 7 * 6 + 18
    assert exchange("b200-sxm", 4, "0.12", tensor=4) == 32 * 12 + 2 * (3 * 32 + 2 + 25)
    assert exchange("h100-sxm", 2, "0.12", pipeline=2) == 0
    assert exchange("h100-sxm", 8, "0.14", attention_replicas=8, expert=8) == 0
    assert exchange("h100-sxm", 8, "0.12", attention_replicas=8, expert=8) == 484 + 2 * 17
    assert exchange("h100-sxm", 2, "0.10", pipeline=2) == 24 * 12


def test_blocks_and_padding_of_latents_by_release_and_accelerator() -> None:
    """DeepSeek R1: 61 layers keep 512 + 64 elements of 2 bytes, 1,152 byte; vLLM 0.7 filled them up to 1,280.

    further-vr34 printed 18,418 blocks for 21.43 GiB: 21.43 * 2**30 / (61 * 1280 * 16) = 18,421.
    """
    wanted = chosen("deepseek-ai/DeepSeek-R1", "fp8", "h200-sxm", count=8, plan=Plan(tensor=8))
    found = {r: figures(wanted.edited(deployment__release=r)) for r in ("0.7.3", "0.8")}
    assert {r: f["kv.0.record_bytes"] for r, f in found.items()} == {"0.7.3": 1280, "0.8": 1152}
    assert {r: f["engine.block_tokens"] for r, f in found.items()} == {"0.7.3": 16, "0.8": 64}
    assert found["0.7.3"]["kv_pool.block_bytes"] == 61 * 1280 * 16
    elsewhere = wanted.edited(deployment__device="a100-80gb-sxm", deployment__release="0.8")
    assert figures(elsewhere)["engine.block_tokens"] == 16
    on_amd = wanted.edited(deployment__device="mi300x", deployment__release="0.7.3")
    assert figures(on_amd)["kv.0.record_bytes"] == 1152


def test_index_keys_of_every_layer_until_a_release() -> None:
    """GLM-5.2: 78 layers of 656 bytes and index keys of 132: in all layers before 0.24, since then in its own."""
    wanted = chosen("zai-org/GLM-5.2", "fp8", "h20-141gb", count=8, plan=Plan(tensor=8), draft_tokens=5)
    wanted = wanted.edited(kv_format="fp8")
    before, since = (figures(wanted.edited(deployment__release=r)) for r in ("0.23", "0.24"))
    assert before["kv.0.bytes_per_token"] == 79 * (656 + 132)  # further-vr53: 60.79 GiB for 1,048,576 tokens
    assert since["kv.0.index_layers"] < before["kv.0.index_layers"] == 79
    assert since["kv.0.bytes_per_token"] == 79 * 656 + since["kv.0.index_layers"] * 132


def test_prefixes_of_hybrids_come_back_since_a_release() -> None:
    """Two copies of a state since 0.28, unless told otherwise; one before.

    A third is written from within a chunk: of Mamba-2 since 0.32, of gated DeltaNet since 0.33 by FlashInfer's kernels.
    """
    wanted = chosen("Qwen/Qwen3.6-35B-A3B", "fp8", "h200-sxm")
    copies = {
        r: figures(wanted.edited(deployment__release=r))["state_copies"] for r in ("0.27", "0.28", "0.32", "0.33")
    }
    assert copies == {"0.27": 1, "0.28": 2, "0.32": 2, "0.33": 3}
    assert figures(wanted.edited(deployment__device="l40s"))["state_copies"] == 2
    mamba = chosen("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "bf16", "l40s", count=4, release="0.31")
    assert figures(mamba)["state_copies"] == 2
    assert figures(mamba.edited(deployment__release="0.32"))["state_copies"] == 3
    assert figures(wanted.edited(deployment__prefix_caching=False))["state_copies"] == 1
    asked = wanted.edited(deployment__prefix_caching=True)
    copies = {r: figures(asked.edited(deployment__release=r))["state_copies"] for r in ("0.14", "0.15")}
    assert copies == {"0.14": 1, "0.15": 2}


@pytest.mark.parametrize(
    ("config", "elements"),
    [
        ({"rope_theta": 1e4, "max_position_embeddings": 4096, "head_dim": 64}, 4096 * 64),
        ({"rope_theta": 1e4, "max_position_embeddings": 4096, "hidden_size": 512, "num_attention_heads": 8}, 4096 * 64),
        ({"rope_theta": 1e4, "max_position_embeddings": 4096, "qk_rope_head_dim": 64, "head_dim": 999}, 4096 * 64),
        ({"rope_local_base_freq": 1e4, "max_position_embeddings": 100, "head_dim": 64}, 2 * 100 * 64),
        ({"max_position_embeddings": 4096, "head_dim": 64}, 0),
        ({"rope_theta": "no", "max_position_embeddings": -3, "head_dim": True}, 0),
        (
            {
                "rope_parameters": {"rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096},
                "max_position_embeddings": 8192,
                "head_dim": 64,
            },
            163_840 * 64,
        ),
        (
            {
                "rope_parameters": {
                    "full_attention": {"partial_rotary_factor": 0.25},
                    "sliding_attention": {"rope_theta": 1e4},
                },
                "max_position_embeddings": 100,
                "head_dim": 256,
                "global_head_dim": 512,
            },
            100 * 128 + 100 * 256,
        ),
        (
            {
                "rope_parameters": {"mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25},
                "max_position_embeddings": 262_144,
                "head_dim": 256,
            },
            4 * 262_144 * 64,
        ),
    ],
)
def test_rotary_positions_of_a_config(config: dict[str, Any], elements: int) -> None:
    assert rotary_elements(Fields(config)) == elements


# ---- the rule of thumb


@pytest.mark.parametrize(
    ("model", "named"), [("Qwen/Qwen3-32B", 0), ("Qwen/Qwen3.6-27B", 1), ("google/gemma-3-27b-it", 1)]
)
def test_a_rule_of_thumb_that_is_off_by_a_fifth_is_named(model: str, named: int) -> None:
    scenario = chosen(model, "fp8", "h200-sxm", 65_536)
    situation, trace = resolve(scenario, SHIPPED), figures(scenario)
    assert len(list(textbook_kv.find(trace, situation))) == named


def test_the_article_knows_none_of_this() -> None:
    t = figures(chosen("openai/gpt-oss-20b", "mxfp4", "rtx-3090").edited(mode=Mode.ARTICLE))
    assert "padded_bytes.expert" not in t
    assert t["memory_item.framework"] == 0
