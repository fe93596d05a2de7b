"""What SGLang reserves, worked by hand or printed by it at its start.

The numbers beside a name in brackets are prints of public start-up logs; the others follow from the rules that the
modules of `core.physics.reservation` cite.
"""

from math import ceil, floor
from typing import Any

import pytest

from core.scenario import Plan
from core.units import GIB, MIB
from tests.core.cases import CASES
from tests.core.served import SMALL, TWO, figures, served


def test_sglang_prints() -> None:
    """Qwen3.6-27B on two cards, fp8: 4.58 GiB of keys and as many of values for 600,075 tokens."""
    t = served("Qwen/Qwen3.6-27B", 8192, "fp8", engine="sglang", **TWO)
    assert t["kv_pool.rate"] * 600_075 / GIB == pytest.approx(2 * 4.58, abs=0.01)
    state = served("Qwen/Qwen3.5-9B", 8192, engine="sglang")
    assert state["state.0.bytes"] / state["state.0.layers"] == 2_146_304


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


def test_requests_shorter_than_the_window_fill_the_smaller_pool_of_sglang_first() -> None:
    """Both pools hold all their tokens; beyond 1.25 windows the pool without a window is the scarcer one."""
    case = CASES["SGLang, windows"]
    for tokens, counted in ((800, 1000), (1024, 1280), (1200, 1280), (1280, 1280), (1300, 1300), (8192, 8192)):
        t = figures(case.edited(workload__context_tokens=tokens), SMALL)
        assert t["kv_pool.tokens_of_request"] == counted
        assert t["kv_bytes_per_request"] >= t["kv_logical_bytes_per_request"]
        assert t["accelerator.kv_bytes_per_request"] == pytest.approx(counted * t["kv_pool.rate"], abs=2)
