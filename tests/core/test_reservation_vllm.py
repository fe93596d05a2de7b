"""What vLLM reserves, worked by hand or printed by it at its start.

The numbers beside a name in brackets are prints of public start-up logs; the others follow from the rules that the
modules of `core.physics.reservation` cite.
"""

from math import ceil
from typing import Any

import pytest

from core.scenario import Plan
from core.units import GIB
from tests.core.cases import scenario
from tests.core.served import SMALL, TWO, figures, pooled, served


def test_vllm_pages_of_a_hybrid() -> None:
    """Qwen3.6-35B-A3B at 256 Ki: blocks of 1,056 tokens, 249 of them, and a page for each of three groups of states."""
    t = served("Qwen/Qwen3.6-35B-A3B", 262_144, prefix_caching=False)
    assert t["state.0.layer_bytes"] == 2_146_304
    assert t["engine.block_tokens"] == 1056
    assert t["kv_pool.page_bytes"] == 2_162_688
    assert (t["kv_pool.group_size"], t["kv_pool.groups"], t["kv_pool.phantom_layers"]) == (10, 4, 0)
    assert t["kv_pool.blocks_per_request"] == 249 + 3
    assert t["kv_bytes_per_request"] + t["state_reserved_bytes_per_request"] == 252 * 10 * 2_162_688
    assert t["kv_logical_bytes_per_request"] == 20_480 * 262_144
    assert t["state_bytes_per_request"] == 64_389_120  # what is read and written stays what it is


def test_vllm_one_token_of_a_hybrid_costs_four_blocks_and_seven_or_ten_with_cached_prefixes() -> None:
    plain = served("Qwen/Qwen3.6-35B-A3B", 1, prefix_caching=False)
    assert plain["accelerator.bytes_per_request"] == 4 * 21_626_880
    cached = {r: served("Qwen/Qwen3.6-35B-A3B", 1, prefix_caching=True, release=r) for r in ("0.32", "0.33")}
    assert cached["0.32"]["accelerator.bytes_per_request"] == 7 * 21_626_880
    assert cached["0.33"]["accelerator.bytes_per_request"] == 10 * 21_626_880


def test_vllm_blocks_grow_as_the_cache_shrinks_and_the_state_does_not() -> None:
    t = served("Qwen/Qwen3.6-35B-A3B", 8192, "fp8")
    assert t["engine.block_tokens"] == 2096
    assert t["state.0.layer_bytes"] == 2_146_304


@pytest.mark.parametrize(
    ("model", "context", "pool", "kv_format", "deployment", "concurrency", "tokens"),
    [
        # int8 with a scale per head, four drafts, cached prefixes, two cards
        ("Qwen/Qwen3.6-27B", 262_144, 11.10, "int8_per_token_head",
         {**TWO, "draft_tokens": 4, "prefix_caching": True, "release": "0.26"}, 2.31, 605_495),
        # fp8, cached prefixes, two cards
        ("Qwen/Qwen3.8-27B-FP8", 131_072, 4.99, "fp8",
         {**TWO, "prefix_caching": True, "release": "0.26"}, 2.31, 302_921),
        # windows: one chunk of 2,048 in flight
        ("openai/gpt-oss-20b", 16_384, 7.12, "fp16", {"prefill_chunk": 2048, "release": "0.12"}, 16.75, None),
        ("openai/gpt-oss-20b", 32_768, 15.37, "fp16", {"prefill_chunk": 2048, "release": "0.12"}, 19.20, None),
        # scales beside the elements of windows: pages do not come out even
        ("google/gemma-4-31B-it", 262_144, 10.82, "int8_per_token_head",
         {**TWO, "prefill_chunk": 4096, "release": "0.20"}, 1.78, 466_892),
        # every layer keeps every token
        ("Qwen/Qwen3-14B", 32_768, 6.51, "fp16", {}, 1.30, 42_656),
        ("meta-llama/Llama-3.1-8B-Instruct", 65_536, 14.31, "fp16", {}, 1.79, 117_232),
        # eight ranks keep the latent each, or share out the context
        ("moonshotai/Kimi-K2-Thinking", 262_144, 46.8, "fp16", {"count": 8, "plan": Plan(tensor=8)}, None, 715_072),
        ("moonshotai/Kimi-K2-Thinking", 262_144, 46.8, "fp16",
         {"count": 8, "plan": Plan(tensor=8), "context_parallel": 8}, None, 5_721_088),
    ],
)  # fmt: skip
def test_vllm_prints(
    model: str, context: int, pool: float, kv_format: str, deployment: dict[str, Any], concurrency: float | None,
    tokens: int | None,
) -> None:  # fmt: skip
    t = pooled(model, context, pool, kv_format, **deployment)
    if concurrency is not None:
        assert t["kv_pool.concurrency"] == pytest.approx(concurrency, abs=0.01)
    if tokens is not None:
        assert t["kv_pool.tokens"] == pytest.approx(tokens, rel=0.002)


def test_vllm_needs_what_it_printed_for_one_request() -> None:
    """Drafts lengthen the convolution: blocks of 1,600 tokens, 164 of them and 15 states, 9.29 GiB."""
    drafting: dict[str, Any] = {"prefix_caching": True, "release": "0.26"}
    t = served("Qwen/Qwen3.5-27B", 262_144, "fp8", draft_tokens=3, **drafting)
    assert t["engine.block_tokens"] == 1600
    assert t["kv_pool.blocks_per_request"] == 179
    assert t["accelerator.bytes_per_request"] / GIB == pytest.approx(9.29, abs=0.005)
    short = served("Qwen/Qwen3.6-27B", 16_384, draft_tokens=2, **drafting)
    assert short["accelerator.bytes_per_request"] / GIB == pytest.approx(1.71, abs=0.005)


def test_vllm_phantom_layers_of_gemma() -> None:
    """Ten full and 52 window layers make seven groups of ten: eight layers do not exist."""
    t = served("google/gemma-3-27b-it", 131_072)
    assert (t["kv_pool.group_size"], t["kv_pool.groups"], t["kv_pool.phantom_layers"]) == (10, 7, 8)
    assert t["kv_pool.blocks_per_request"] == 8192 + 6 * (1088 + 1)
    assert t["accelerator.kv_steady_bytes_per_request"] < t["accelerator.kv_bytes_per_request"]
    full = served("google/gemma-3-27b-it", 131_072, full_windows=True)
    assert full["accelerator.kv_bytes_per_request"] / GIB == pytest.approx(62.0)


def test_vllm_counts_the_chunk_before_since_0_26() -> None:
    """Windows of 128 and chunks of 2,048: ceil(2,175 / 16) + 1 blocks; with a second chunk ceil(4,223 / 16) + 1."""
    chunk: dict[str, Any] = {"prefill_chunk": 2048}
    assert served("openai/gpt-oss-20b", 32_768, release="0.25", **chunk)["kv.0.blocks"] == 137
    assert served("openai/gpt-oss-20b", 32_768, release="0.26", **chunk)["kv.0.blocks"] == 265
    staged = served("openai/gpt-oss-20b", 32_768, release="0.33", count=2, plan=Plan(pipeline=2), **chunk)
    assert staged["engine.batches_in_flight"] == 3
    old = served("openai/gpt-oss-20b", 32_768, release="0.27", count=2, plan=Plan(pipeline=2), **chunk)
    assert old["engine.batches_in_flight"] == 2


@pytest.mark.parametrize(
    ("deployment", "context", "chunk"),
    [
        ({"device": "a100-80gb-sxm", "release": "0.8"}, 32_768, 8192),
        ({"device": "a100-80gb-sxm", "release": "0.9"}, 32_768, 2048),
        ({"device": "h100-sxm", "max_requests": 1}, 4096, 4096),  # no longer than all requests that it prepares for
        ({"device": "h100-sxm", "max_requests": 1, "release": "0.11"}, 4096, 8192),
        ({"device": "h100-sxm", "max_requests": 4}, 4096, 8192),
    ],
)
def test_vllm_chunks_by_release_and_accelerator(deployment: dict[str, Any], context: int, chunk: int) -> None:
    assert served("Qwen/Qwen3-8B", context, **deployment)["engine.prefill_chunk"] == chunk


def test_vllm_layers_kept_every_token_before_their_release() -> None:
    """Llama 4: 36 of 48 layers look at chunks of 8,192. Gemma 3: 52 of 62 have windows."""
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8)}
    scout, every_token = "meta-llama/Llama-4-Scout-17B-16E-Instruct", 48 * 131_072 * 512
    assert served(scout, 131_072, release="0.13", **eight)["accelerator.bytes_per_request"] == every_token
    assert served(scout, 131_072, release="0.14", **eight)["accelerator.bytes_per_request"] < every_token / 2
    gemma, whole = "google/gemma-3-27b-it", pytest.approx(62 * GIB)
    assert served(gemma, 131_072, release="0.8")["accelerator.bytes_per_request"] == whole
    assert served(gemma, 131_072, device="tpu-v6e", count=8, plan=Plan(pipeline=8))["kv_bytes_per_request"] == whole


def test_vllm_asked_for_layers_alone_before_0_14() -> None:
    """Ten layers of 8,192 blocks and 52 of 577, of 131,072 bytes; what it takes are seven groups of ten."""
    t = served("google/gemma-3-27b-it", 131_072, release="0.12", prefill_chunk=8192)
    assert t["kv_pool.asked_bytes"] == (10 * 8192 + 52 * 577) * 131_072
    assert t["accelerator.bytes_per_request"] == (8192 + 6 * 577) * 10 * 131_072
    assert "kv_pool.asked_bytes" not in served("google/gemma-3-27b-it", 131_072, release="0.14")


def test_vllm_kept_the_state_of_every_block_of_mamba_until_0_28() -> None:
    """Nemotron 3 Nano: a state of 2,134,016 bytes is 2,084 tokens, in chunks of 128: 2,176. 61 blocks, five groups."""
    model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
    t = served(model, 131_072, release="0.27", prefix_caching=True)
    assert t["engine.block_tokens"] == 2176
    assert t["kv_pool.blocks_per_request"] == 61 * 5
    assert served(model, 131_072, release="0.27")["kv_pool.blocks_per_request"] == 63 + 4  # hybrids were left out
    aligned = served(model, 131_072, release="0.28")
    assert (aligned["engine.block_tokens"], aligned["kv_pool.blocks_per_request"]) == (2096, 63 + 2 * 4)


def test_vllm_keeps_states_as_it_is_told() -> None:
    """The same in 16 bit: 1,085,440 bytes are 1,060 tokens, 1,072; 3,806 blocks hold 29.73 requests [23.35 GiB]."""
    model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
    told: dict[str, Any] = {"states_kept": "align", "prefix_caching": True, "release": "0.27"}
    t = pooled(model, 128_000, 23.35, state_bits=16, **told)
    assert (t["state.0.layer_bytes"], t["engine.block_tokens"]) == (1_048_576 + 36_864, 1072)
    assert t["kv_pool.blocks_per_request"] == 120 + 2 * 4
    assert (t["kv_pool.blocks"], round(t["kv_pool.concurrency"], 2)) == (3806, 29.73)
    whole = served(model, 131_072, **{**told, "states_kept": "all", "release": "0.28"})
    assert whole["kv_pool.blocks_per_request"] == 61 * 5
    assert served(model, 131_072, state_bits=16, engine="sglang")["state.0.matrix_bytes"] == 2
    assert served(model, 131_072, state_bits=16, engine="llama.cpp")["state.0.matrix_bytes"] == 4


def test_vllm_reads_an_image_in_one_chunk_whose_tokens_look_at_each_other() -> None:
    """Gemma 4 26B: a video is 2,496 tokens; a window takes 220 blocks and one more, in five groups [9.81 in 12.75]."""
    t = pooled("google/gemma-4-26B-A4B", 32_768, 12.75, device="l40s", release="0.25", prefill_chunk=2496)
    chunk = "engine.prefill_chunk"
    assert t["kv_pool.blocks_per_request"] == 1024 + 5 * (ceil((1023 + 2496) / 16) + 1)
    assert t["kv_pool.concurrency"] == pytest.approx(9.81, abs=0.005)
    small: dict[str, Any] = {"device": "l40s", "release": "0.25"}
    assert served("google/gemma-4-26B-A4B", 8192, **small)[chunk] == 2496
    assert served("google/gemma-4-26B-A4B", 8192, **{**small, "release": "0.20"})[chunk] == 2048
    assert served("google/gemma-4-E4B-it", 8192, **small)[chunk] == 2048  # its tokens look back alone
    assert served("google/gemma-4-26B-A4B", 8192, release="0.25")[chunk] == 8192
    assert served("google/gemma-4-26B-A4B", 8192, device="mac-studio-m3-ultra-256")[chunk] == 2048


def test_turboquant_leaves_two_layers_at_either_end_in_16_bit() -> None:
    """Qwen3 4B: 32 layers of 8 heads of 128 + 64 + 4 bytes, four of 512 [283,392 tokens in 17.57 GiB]; hybrids none."""
    t = pooled("Qwen/Qwen3-4B", 4096, 17.57, "turboquant_k8v4")
    assert t["kv.0.bytes_per_token"] == 8 * (32 * 196 + 4 * 512)
    assert t["kv_pool.tokens"] == pytest.approx(283_392, abs=100)
    hybrid = served("Qwen/Qwen3.6-35B-A3B", 8192, "turboquant_k8v4")
    assert hybrid["kv.0.bytes_per_token"] == 10 * 2 * (256 + 128 + 4)


def test_vllm_keeps_one_block_to_itself_since_0_29() -> None:
    chosen: dict[str, Any] = {"runtime_bytes": 2**30}  # what is counted beside the cache changed too
    before, since = (served("Qwen/Qwen3-14B", 32_768, release=release, **chosen) for release in ("0.28", "0.29"))
    assert before["max_context_tokens"] - since["max_context_tokens"] == 16
    assert since["kv_pool.usable_bytes"] == since["accelerator.free_for_kv_bytes"] - since["kv_pool.block_bytes"]


def test_vllm_fills_pages_up_since_0_26() -> None:
    """Gemma 4 in int8 with scales: 33,024 bytes do not go evenly into 66,560, so a page holds 16 tokens, not 32."""
    chosen: dict[str, Any] = {**TWO, "kv_format": "int8_per_token_head"}
    assert served("google/gemma-4-31B-it", 8192, release="0.25", **chosen)["kv.1.block_tokens"] == 32
    assert served("google/gemma-4-31B-it", 8192, release="0.26", **chosen)["kv.1.block_tokens"] == 16


def test_vllm_counts_a_hybrid_in_blocks_that_are_chosen() -> None:
    """A block of 16 is raised until it holds a state; one of 528 becomes 1,056."""
    for chosen, block in ((16, 1056), (528, 1056), (2112, 2112)):
        t = served("Qwen/Qwen3.6-35B-A3B", 8192, kv_block_tokens=chosen)
        assert t["engine.block_tokens"] == block


def test_vllm_copies_of_heads_and_latents() -> None:
    """Two KV heads on eight cards: half of the cache on each, not an eighth; a latent whole on each."""
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8)}
    one, split = served("Qwen/Qwen3.5-35B-A3B", 65_536), served("Qwen/Qwen3.5-35B-A3B", 65_536, **eight)
    assert split["kv.0.layer_bytes_per_token"] * 2 == one["kv.0.layer_bytes_per_token"]
    latent = served("deepseek-ai/DeepSeek-V3", 65_536, **eight)
    assert latent["accelerator.kv_bytes_per_request"] == 70_272 * 65_536


def test_vllm_kept_latents_by_padded_head_before_0_7() -> None:
    """DeepSeek R1: 128 heads of keys and values, each of 256."""
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8)}
    old = served("deepseek-ai/DeepSeek-R1", 16_384, release="0.6", **eight)
    assert old["kv_bytes_per_request"] == 61 * 128 * (256 + 256) * 2 * 16_384
    assert served("deepseek-ai/DeepSeek-R1", 16_384, release="0.8", **eight)["kv.0.bytes_per_token"] == 61 * 576 * 2


@pytest.mark.parametrize(
    ("engine", "device", "release", "record"),
    [
        ("vllm", "h200-sxm", None, 656),  # 512 bytes, 16 of scales, 64 elements of 16 bit
        ("sglang", "h200-sxm", None, 656),
        ("vllm", "rtx-pro-6000-ws", None, 656),
        ("vllm", "b200-sxm", "0.12", 656),
        ("vllm", "b200-sxm", None, 576),  # plain for FlashInfer's kernels
        ("sglang", "b200-sxm", None, 576),
        ("sglang", "b200-sxm", "0.5.8", 656),
        ("sglang", "mi355x", "0.5.8", 656),  # printed 186.77 GiB for 3,262,823 tokens of GLM-5: 78 layers of 656 + 132
        ("sglang", "mi355x", "0.5.10", 576),
        ("sglang", "mi300x", "0.5.8", 576),
        ("vllm", "mi300x", None, 576),
    ],
)
def test_sparse_latents_in_eight_bit_have_scales(engine: str, device: str, release: str | None, record: int) -> None:
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "engine": engine, "device": device}
    t = served("deepseek-ai/DeepSeek-V3.2", 8192, "fp8", release=release, **eight)
    assert t["kv.0.record_bytes"] == record
    assert served("deepseek-ai/DeepSeek-R1", 8192, "fp8", release=release, **eight)["kv.0.record_bytes"] == 576


def test_vllm_compressed_attention() -> None:
    """DeepSeek V4 Flash: 3,850 bytes per token as counted; blocks of 256 tokens, and others that follow the chunks.

    Two chunks of 2,048 tokens are under way: two groups of windows in pages of 64, and rings in pages of 4 and of 8.
    """
    t = served("deepseek-ai/DeepSeek-V4-Flash", 16_384, "fp8", prefill_chunk=2048)
    assert t["kv_bytes_per_token"] == 21 * (584 + 132) / 4 + 20 * 584 / 128
    assert sum(t[f"kv.{n}.window_bytes"] for n in range(3)) == 43 * 584 * 128
    assert t["kv_pool.block_bytes"] == 21 * (37_440 + 8640) + 20 * 1728
    assert t["kv_pool.blocks_per_request"] == 64 + 2 * (66 + 1) + (1026 + 1) + (528 + 1)
    read = 64 + 2 * (2 + 1) + (2 + 1) + (16 + 1)
    assert t["accelerator.kv_bytes_per_request"] == read * t["kv_pool.block_bytes"]
    assert t["accelerator.kv_under_way_bytes"] == (64 + 1690 - read) * t["kv_pool.block_bytes"]
    assert t["accelerator.kv_bytes"] == read * t["kv_pool.block_bytes"] + t["accelerator.kv_under_way_bytes"]
    wide = served("deepseek-ai/DeepSeek-V4-Pro", 16_384)
    assert round(wide["kv_bytes_per_token"]) == 8918


def test_vllm_compressed_attention_by_release() -> None:
    """Public prints: two GH200 without a server, whose chunk is 16,384 tokens then; two RTX PRO 6000; two H20."""
    model = "deepseek-ai/DeepSeek-V4-Flash"
    t = served(model, 30_000, "fp8", release="0.22", prefill_chunk=16_384)
    assert t["kv_pool.block_bytes"] == 22 * (37_440 + 8640 + 1728)
    assert t["kv_pool.asked_bytes"] / GIB == pytest.approx(6.66, abs=0.005)
    t = served(model, 131_072, "fp8", release="0.25", prefill_chunk=8192)
    assert t["kv_pool.block_bytes"] == 22 * 37_440 + 21 * 8640 + 20 * 1728
    assert int(7.75 * GIB / t["kv_pool.block_bytes"]) / t["kv_pool.concurrency.blocks"] == pytest.approx(
        2.30, abs=0.005
    )
    drafting = {"draft_tokens": 1, "prefill_chunk": 8192}
    t = served(model, 121_344, "fp8", release="0.26", **drafting)
    assert t["kv_pool.layers"] == 44
    assert int(7.71 * GIB / t["kv_pool.block_bytes"]) / t["kv_pool.concurrency.blocks"] == pytest.approx(
        1.244, abs=0.002
    )


def test_vllm_stages_share_the_groups() -> None:
    t = served("google/gemma-3-27b-it", 65_536, count=2, plan=Plan(pipeline=2), link="pcie-gen5-x16")
    assert t["kv_pool.block_bytes"] == 5 * t["kv_pool.page_bytes"]
    assert t["kv_bytes_per_request"] == 2 * t["accelerator.kv_bytes_per_request"]


def test_the_block_that_vllm_keeps_back_is_missing_where_requests_take_all_others() -> None:
    short = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws")
    t = figures(short, SMALL)
    most = int(t["max_concurrency"])
    block, each = t["kv_pool.block_bytes"], t["accelerator.bytes_per_request"]
    free = t["accelerator.fixed_bytes"] + most * each
    for spare, held in ((block, most), (block - 1, most - 1)):
        usable = free + spare
        exact = short.edited(deployment__capacity_bytes=usable, deployment__memory_share=1.0)
        there = figures(exact, SMALL)
        assert there["accelerator.free_for_kv_bytes"] == most * each + spare
        assert there["max_concurrency"] == held
        full = figures(exact.edited(workload__requests_at_once=most), SMALL)
        assert (full["accelerator.shortfall_bytes"] == 0) is (held == most)
