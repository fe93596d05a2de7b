"""What each engine reserves, worked by hand or printed by the engine at its start.

The numbers beside a name in brackets are prints of public start-up logs; the others follow from the rules that the
modules of `core.physics.reservation` cite.
"""

from dataclasses import replace
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario, Workload
from core.sizing.memory import record_memory
from core.sizing.placement import is_placed
from core.sizing.resolution import resolve
from core.sizing.size import size
from core.sizing.sweep import memory_against_context
from core.trace import Trace
from core.units import GIB, MIB
from tests.core.cases import CASES, scenario
from tests.core.conftest import small_catalogue

SHIPPED = load_shipped(RESOURCES / "catalogue")
SMALL = small_catalogue()


def figures(chosen: Scenario, catalogue: Catalogue = SHIPPED) -> Trace:
    trace = Trace()
    record_memory(trace, resolve(chosen, catalogue))
    return trace


def served(model: str, context: int, kv_format: str = "fp16", requests: int = 1, **deployment: Any) -> Trace:
    """A model of the catalogue on a large card, as an engine keeps it."""
    return figures(
        Scenario(
            model=CatalogueModel(id=model),
            weights="Q4_K_M" if deployment.get("engine") == "llama.cpp" else "fp8",
            kv_format=kv_format,
            workload=Workload(requests_at_once=requests, prompt_tokens=1, output_tokens=1, context_tokens=context),
            deployment=Deployment(**{"device": "h200-sxm", "engine": "vllm", **deployment}),
        )
    )


def pooled(model: str, context: int, pool_gib: float, kv_format: str = "fp16", **deployment: Any) -> Trace:
    """The same with so much room for the cache on each accelerator, whatever else lies on it."""
    alone = {**deployment, "runtime_bytes": 0, "memory_share": 1.0}
    fixed = served(model, context, kv_format, capacity_bytes=10**14, **alone)["accelerator.fixed_bytes"]
    return served(model, context, kv_format, capacity_bytes=round(fixed + pool_gib * GIB), **alone)


TWO: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "link": "pcie-gen5-x16"}


# ---- vLLM


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


# ---- the other engines


def test_sglang_prints() -> None:
    """Qwen3.6-27B on two cards, fp8: 4.58 GiB of keys and as many of values for 600,075 tokens."""
    t = served("Qwen/Qwen3.6-27B", 8192, "fp8", engine="sglang", **TWO)
    assert t["kv_pool.rate"] * 600_075 / GIB == pytest.approx(2 * 4.58, abs=0.01)
    state = served("Qwen/Qwen3.5-9B", 8192, engine="sglang")
    assert state["state.0.bytes"] / state["state.0.layers"] == 2_146_304


@pytest.mark.parametrize(("engine", "width"), [("sglang", 2), ("vllm", 2), ("llama.cpp", 4)])
def test_states_are_as_wide_as_the_config_says(engine: str, width: int) -> None:
    situation = resolve(CASES["SGLang, hybrid"].edited(deployment__engine=engine), SMALL)
    groups = tuple(replace(g, matrix_bytes=2.0, matrix_stated=True) for g in situation.setup.blueprint.recurrent)
    trace = Trace()
    stated = replace(situation.setup, blueprint=replace(situation.setup.blueprint, recurrent=groups))
    record_memory(trace, replace(situation, setup=stated))
    assert trace["state.0.matrix_bytes"] == width


@pytest.mark.parametrize(
    ("device", "release", "count", "share"),
    [
        ("mi300x", "0.5.9", 1, 0.866),  # 16,384 tokens and 512 requests: 512 + 24,576 + 1,024 + 128 MiB of 192 GiB
        ("rtx-pro-6000-ws", "0.5.9", 1, 0.862),
        ("rtx-pro-6000-ws", "0.5.10", 1, 0.857),  # 58 graphs of prompts of 8 MiB each
        ("rtx-5090", "0.5.19", 1, 0.873),  # chunks of 2,048, graphs for 24
        ("rtx-5090", "0.5.20", 1, 0.774),
        ("rtx-5090", "0.5.4", 1, 0.883),  # 512 + 3,072 + 128 MiB, and graphs for 16, of 31.36 GiB
        ("rtx-5090", "0.4", 2, 0.87),
        ("h100-sxm", "0.4.6", 8, 0.81),
        ("h200-sxm", "0.4.6", 8, 0.871),  # 18 GiB of 139.8, which is less than 0.88 and what 48 GiB leave of the rest
        ("b200-sxm", "0.4.7", 8, 0.79),
        ("rtx-4080", "0.4.10", 1, 0.814),  # 2.8 and 0.1 GiB of 15.57
        ("h100-sxm", "0.4.8", 2, 0.867),  # 9.5 and twice 0.5 GiB of 79.18
        ("h200-sxm", "0.5.2", 8, 0.886),  # 12 and eight times 0.5 GiB of 139.8
        ("mi300x", "0.5.2", 1, 0.833),  # 32 GiB
    ],
)
def test_sglang_computes_its_share(device: str, release: str, count: int, share: float) -> None:
    chosen: dict[str, Any] = {"engine": "sglang", "release": release, "count": count, "plan": Plan(tensor=count)}
    t = served("Qwen/Qwen3-8B", 8192, device=device, **chosen)
    assert t["engine.memory_share"] == pytest.approx(share, abs=0.006)
    assert t["tier.0.limit_bytes"] == floor(t["tier.0.usable_bytes"] * t["engine.memory_share"])
    assert served("Qwen/Qwen3-8B", 8192, device=device, memory_share=0.7, **chosen)["engine.memory_share"] == 0.7


def test_sglang_keeps_back_for_all_ranks_of_a_layer() -> None:
    """Four groups of attention on four H200: 512 MiB for four ranks, graphs for 512, 4.5 MiB for each and group."""
    spread: dict[str, Any] = {"count": 4, "plan": Plan(attention_replicas=4, expert=4)}
    t = served("Qwen/Qwen3-30B-A3B", 8192, device="h200-sxm", engine="sglang", release="0.5.9", **spread)
    assert t["engine.kept_back_bytes"] == (512 + 12_288 + 512 + 1024 + 512 * 4 * 4.5) * MIB


@pytest.mark.parametrize(("release", "kept"), [("0.5.9", 2), ("0.5.10", 4), ("0.5.13", 4), ("0.5.14", 0), ("0.5.2", 2)])
def test_sglang_kept_back_for_what_guesses_ahead(release: str, kept: int) -> None:
    chosen: dict[str, Any] = {"device": "h100-sxm", "engine": "sglang", "release": release}
    alone, guessing = (served("Qwen/Qwen3.6-27B", 8192, draft_tokens=n, **chosen) for n in (0, 3))
    less = (alone["engine.memory_share"] - guessing["engine.memory_share"]) * alone["tier.0.usable_bytes"]
    factor = alone.get("engine.image_factor", 0.925)  # of the image tower, also before the share was computed
    assert less == pytest.approx(kept * GIB * factor, abs=0.08 * GIB)


def test_sglang_has_graphs_for_as_many_requests_as_it_may_run() -> None:
    few: dict[str, Any] = {"device": "h100-sxm", "engine": "sglang", "max_requests": 16}
    assert served("Qwen/Qwen3-8B", 8192, release="0.5.21", **few)["engine.graph_requests"] == 256
    assert served("Qwen/Qwen3-8B", 8192, release="0.5.22", **few)["engine.graph_requests"] == 16


def test_sglang_keeps_more_back_for_image_towers_and_latent_attention() -> None:
    """27 blocks of 1,152 that SGLang takes for 24: 0.95 times 0.9734. Graphs of latent attention: 1.5 GiB."""
    plain, tower = (served(m, 8192, "fp8", engine="sglang") for m in ("Qwen/Qwen3-8B", "Qwen/Qwen3.6-27B"))
    assert tower["engine.image_factor"] == pytest.approx(0.95 * (1 - 0.1 * (1152**2 / 1024**2 - 1)))
    assert tower["engine.memory_share"] < plain["engine.memory_share"]
    latent = served("zai-org/GLM-4.7-Flash", 8192, engine="sglang")
    assert latent["engine.prompt_graphs_bytes"] == 1536 * MIB


def test_sglang_pools_stand_in_fixed_ratios() -> None:
    """Nine tenths as much for states as for the cache; 0.8 tokens of the window pool for each of the other."""
    t = figures(CASES["SGLang, hybrid"], SMALL)
    kv, states = 20_480 * 8192, 5 * 64_389_120
    assert t["kv_bytes_per_request"] == ceil(max(kv, states / 0.9))
    assert t["state_reserved_bytes_per_request"] == max(states, ceil(kv * 0.9))
    before = figures(CASES["SGLang, hybrid"].edited(deployment__release="0.5.13"), SMALL)
    assert before["state_reserved_bytes_per_request"] == max(3 * 64_389_120, ceil(kv * 0.9))
    alone = figures(CASES["SGLang, hybrid"].edited(deployment__prefix_caching=False), SMALL)
    assert alone["kv_bytes_per_request"] == kv
    assert alone["state_reserved_bytes_per_request"] == ceil(kv * 0.9)
    windows = figures(CASES["SGLang, windows"], SMALL)
    assert windows["kv_bytes_per_request"] == pytest.approx(8192 * 8192 * 2 * (8 + 0.8 * 40) / 2)


@pytest.mark.parametrize(
    ("release", "cached", "guessed", "slots"),
    [
        (None, True, 0, 5),
        ("0.5.13", True, 0, 3),
        (None, False, 0, 1),
        ("0.5.14", True, 3, 5 + 4),  # 2.25 GiB are four requests of four states of 144 MiB
    ],
)
def test_sglang_states_of_a_request(release: str | None, cached: bool, guessed: int, slots: int) -> None:
    chosen: dict[str, Any] = {"engine": "sglang", "release": release, "prefix_caching": cached}
    assert served("Qwen/Qwen3.6-27B", 8192, draft_tokens=guessed, **chosen)["state_slots"] == slots


@pytest.mark.parametrize(("release", "layers"), [(None, 17), ("0.5.14", 17), ("0.5.13", 16)])
def test_sglang_counts_the_cache_of_prediction_layers(release: str | None, layers: int) -> None:
    t = served("Qwen/Qwen3.6-27B", 8192, engine="sglang", release=release, draft_tokens=3)
    assert t["kv.0.layers"] == layers


def test_sglang_pools_of_compressed_attention() -> None:
    """DeepSeek V4 Flash: a tenth of 43 x 584 bytes and of the rings beside 3,850.25 bytes of vectors and keys.

    Rings of 4 are 8 x (512 + 128) x 16 bytes for each of 21 layers, those of 128 tokens 512 x 8 for each of 20, at each
    token of the window pool; from 0.5.15 on the latter stand by requests. SGLang 0.5.11 printed 45.78 GiB for 3,080,960
    tokens with one layer more.
    """
    vectors, windows, rings = 21 * (584 + 132) / 4 + 20 * 584 / 128, 0.1 * 43 * 584, 0.1 * 21 * 8 / 128 * 640 * 16
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "engine": "sglang"}
    later = served("deepseek-ai/DeepSeek-V4-Flash", 16_384, "fp8", release="0.5.20", **eight)
    assert later["kv_pool.rate"] == pytest.approx(vectors + windows + rings)
    long_rings = 20 * 512 * 128 * 8
    held = later["kv_pool.rate"] * 16_384 + long_rings
    assert later["accelerator.kv_bytes_per_request"] == pytest.approx(held, abs=3)
    old = served("deepseek-ai/DeepSeek-V4-Flash", 16_384, "fp8", release="0.5.11", **eight)
    assert old["kv_pool.rate"] == pytest.approx(vectors + windows + rings + 0.1 * 20 * 512 * 8)
    assert 45.78 * GIB / (old["kv_pool.rate"] + 0.1 * 584) == pytest.approx(3_080_960, rel=1e-3)


@pytest.mark.parametrize(("cached", "tokens"), [(None, 128 + 128 + 512 + 4 * 384), (False, 768)])
def test_sglang_windows_of_compressed_attention_by_request(cached: bool | None, tokens: int) -> None:
    """Since 0.5.21: a window, 128 tokens until it lets go, two pages; four windows and pages to come back to."""
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "engine": "sglang", "prefix_caching": cached}
    t = served("deepseek-ai/DeepSeek-V4-Flash", 16_384, "fp8", **eight)
    vectors = 21 * (584 + 132) / 4 + 20 * 584 / 128
    assert t["kv_pool.rate"] == pytest.approx(vectors)
    fixed = tokens * (43 * 584 + 21 * 8 / 256 * 640 * 16) + 20 * 512 * 128 * 8
    assert t["accelerator.kv_bytes_per_request"] == pytest.approx(vectors * 16_384 + fixed, abs=3)


@pytest.mark.parametrize(("device", "page"), [("h200-sxm", 256), ("ascend-910b-64gb", 128)])
def test_sglang_sets_the_page_of_compressed_attention(device: str, page: int) -> None:
    """Whole pages of 256, on Ascend of 128, whatever is asked for: of 1,000 tokens 1,024, of 1,100 1,280 or 1,152."""
    t = served("deepseek-ai/DeepSeek-V4-Flash", 1000, "fp8", engine="sglang", device=device, kv_block_tokens=64)
    assert t["engine.block_tokens"] == page
    assert t["kv.0.tokens_reserved"] == 1024
    assert t["kv.0.window_reserved"] == 128 + 128 + 2 * page + 4 * (128 + page)
    longer = served("deepseek-ai/DeepSeek-V4-Flash", 1100, "fp8", engine="sglang", device=device)
    assert longer["kv.0.tokens_reserved"] == (1280 if page == 256 else 1152)


def test_sglang_windows_by_request_where_prefixes_are_not_kept() -> None:
    """gpt-oss 20B since 0.5.22: a window of 128, 128 until it lets go, and two pages of a token; 12 layers each."""
    chosen: dict[str, Any] = {"engine": "sglang", "prefix_caching": False, "max_requests": 16}
    layers = 12 * 8 * 64 * 2 * 2
    t = served("openai/gpt-oss-20b", 16_384, **chosen)
    assert t["kv_bytes_per_request"] == layers * (16_384 + 128 + 128 + 2)
    assert t["kv_pool.rate"] == layers
    before = served("openai/gpt-oss-20b", 16_384, release="0.5.21", **chosen)
    assert before["kv_pool.rate"] == pytest.approx(layers * 1.8)
    two = served("openai/gpt-oss-20b", 16_384, **chosen, **TWO)
    assert two["accelerator.kv_bytes_per_request"] * 2 == two["kv_bytes_per_request"] == t["kv_bytes_per_request"]


def test_sglang_stages_share_compressed_pools() -> None:
    """21, 20 and 2 layers over two stages: the larger holds 11, 10 and 1."""
    two: dict[str, Any] = {"count": 2, "plan": Plan(pipeline=2), "engine": "sglang"}
    one, t = (served("deepseek-ai/DeepSeek-V4-Flash", 16_384, "fp8", **m) for m in ({"engine": "sglang"}, two))
    rates = [one[f"kv.{n}.bytes_per_token"] for n in range(3)]
    layers = [one[f"kv.{n}.layers"] for n in range(3)]
    assert t["kv_pool.rate"] == pytest.approx(sum(r * -(-n // 2) / n for r, n in zip(rates, layers, strict=True)))


def test_sglang_has_a_place_for_every_layer() -> None:
    """Gemma 4 E4B: 42 layers, of which 18 read a neighbour's cache. 805,556 tokens: 10.76 GiB of keys in 7 layers."""
    t = served("google/gemma-4-E4B-it", 8192, engine="sglang")
    assert sum(t[f"kv.{n}.layers"] for n in range(2)) == 42
    whole = max(t[f"kv.{n}.bytes_per_token"] for n in range(2) if t[f"kv.{n}.layers"] == 7)
    assert whole / 2 * 805_556 / GIB == pytest.approx(10.76, abs=0.01)
    assert sum(served("google/gemma-4-E4B-it", 8192)[f"kv.{n}.layers"] for n in range(2)) == 24


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


MAC: dict[str, Any] = {"engine": "mlx", "device": "mac-studio-m3-ultra-512"}
TRT: dict[str, Any] = {"engine": "tensorrt-llm"}


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


# ---- what holds for all


@pytest.mark.parametrize("name", CASES)
def test_the_largest_context_fits_and_one_token_more_does_not(name: str) -> None:
    """With buffers, chunks and blocks as they are at that context itself; a second memory is another question."""
    chosen = CASES[name].edited(workload__requests_at_once=1)
    s, t = resolve(chosen, SMALL), Trace()
    record_memory(t, s)
    longest = int(t["max_context_tokens"])
    if not 0 < longest < 10**9:
        return
    slow_bytes = t["accelerator.limit_bytes"] - t["tier.0.limit_bytes"]

    def fits(tokens: int) -> bool:
        there = Trace()
        record_memory(there, resolve(chosen.edited(workload__context_tokens=tokens), SMALL))
        more = there["accelerator.limit_bytes"] - there["tier.0.limit_bytes"] > slow_bytes and not is_placed(s.setup)
        return bool(there["accelerator.shortfall_bytes"] == 0 and not more)

    assert fits(longest)
    assert not fits(longest + 1)


def test_the_longest_context_counts_the_buffers_of_that_context() -> None:
    """Seen from a short context limit, as from that length: masks and scores grow with the context."""
    for engine, device, form in (("llama.cpp", "h200-nvl", "fp8"), ("mlx", "dgx-spark", "fp16")):
        short = scenario("hybrid-35b", form, device, deployment__engine=engine, workload__context_tokens=1024)
        longest = figures(short, SMALL)["max_context_tokens"]
        assert figures(short.edited(workload__context_tokens=longest), SMALL)["max_context_tokens"] == longest
        curves = memory_against_context(short, SMALL, [1024, longest, 2 * longest])
        own = next(curve for curve in curves.curves if curve.bits == 16)
        assert own.crossing_tokens == longest
        assert list(own.excess_bytes > 0) == [False, False, True]


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


@given(context=st.integers(1, 2_000_000), name=st.sampled_from(sorted(CASES)))
@settings(max_examples=150, deadline=None)
def test_what_is_reserved_is_never_less_than_what_is_held_and_grows_with_the_context(context: int, name: str) -> None:
    s = resolve(CASES[name], SMALL)
    shorter, longer = Trace(), Trace()
    record_memory(shorter, s, context)
    record_memory(longer, s, context + 1000)
    assert shorter["accelerator.bytes_per_request"] <= longer["accelerator.bytes_per_request"]
    short_of_a_ratio = (
        name.startswith("SGLang, windows") and context < 1024 / 0.8
    )  # the smaller pool is the fuller then
    if s.scenario.deployment.context_parallel == 1 and not short_of_a_ratio:
        assert shorter["kv_bytes_per_request"] >= shorter["kv_logical_bytes_per_request"] * (1 - 1e-12)
    assert shorter["state_reserved_bytes_per_request"] >= shorter["state_bytes_per_request"]


def test_the_article_counts_what_is_held() -> None:
    t = size(CASES["article"], SMALL).trace
    assert CASES["article"].mode is Mode.ARTICLE
    assert t["kv_bytes_per_request"] == t["kv_logical_bytes_per_request"]
    assert "kv_pool.blocks" not in t


def test_scenarios_of_before_still_load() -> None:
    old = CASES["windows"].model_dump(mode="json")
    new = {"kv_block_tokens", "prefix_caching", "max_requests", "batches_in_flight", "graphs", "full_windows",
           "admission_steps", "full_latents", "shared_slots", "context_parallel", "draft_tokens"}  # fmt: skip
    old["deployment"] = {key: value for key, value in old["deployment"].items() if key not in new}
    del old["kv_value_format"]
    assert Scenario.model_validate(old) == CASES["windows"]


def test_requests_shorter_than_the_window_fill_the_smaller_pool_of_sglang_first() -> None:
    """Both pools hold all their tokens; beyond 1.25 windows the pool without a window is the scarcer one."""
    case = CASES["SGLang, windows"]
    for tokens, counted in ((800, 1000), (1024, 1280), (1200, 1280), (1280, 1280), (1300, 1300), (8192, 8192)):
        t = figures(case.edited(workload__context_tokens=tokens), SMALL)
        assert t["kv_pool.tokens_of_request"] == counted
        assert t["kv_bytes_per_request"] >= t["kv_logical_bytes_per_request"]
        assert t["accelerator.kv_bytes_per_request"] == pytest.approx(counted * t["kv_pool.rate"], abs=2)
