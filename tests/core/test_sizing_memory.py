"""The memory of situations: the article's table, the real model, tiers, splits, and what moves when an input moves."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalogue.catalogue import Catalogue
from core.scenario import Mode, Plan, Scenario
from core.sizing.device_uses import device_uses
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.memory import record_memory, verdict
from core.sizing.report import KEYS, MemoryKind, Verdict
from core.sizing.resolution import resolve
from core.sizing.situation import Situation
from core.trace import OriginKind, Trace
from tests.core.cases import CASES, scenario
from tests.core.small_catalogue import small_catalogue

CATALOGUE = small_catalogue()


def remember(chosen: Scenario, catalogue: Catalogue = CATALOGUE) -> tuple[Trace, Situation]:
    """The memory figures of a scenario, without its speed."""
    situation, trace = resolve(chosen, catalogue), Trace()
    record_memory(trace, situation)
    return trace, situation


def figures(chosen: Scenario) -> Trace:
    return remember(chosen)[0]


# ---- the article


def test_the_articles_table() -> None:
    t = figures(worked_example())
    assert t["memory_item.weights"] == 17_500_000_000
    assert t["memory_item.embedding"] == 4_000_000_000
    assert t["memory_item.reranker"] == 2_000_000_000
    assert t["memory_item.framework"] == 4_000_000_000
    assert t["memory.fixed_bytes"] == 27_500_000_000
    assert t["memory_item.kv_cache"] == t["kv_cache_bytes"] == 12_884_901_888
    assert t["memory.total_bytes"] == 40_384_901_888
    assert t["memory.free_for_kv_bytes"] == 68_500_000_000
    assert t["max_concurrency"] == 5
    assert t["max_context_tokens"] == 1_393_636
    assert t["max_context_usable_tokens"] == 262_144
    assert t["model.total_parameters"] == 35_000_000_000
    assert t["model.active_parameters"] == 3_000_000_000
    assert verdict(t) is Verdict.FITS


@pytest.mark.parametrize(
    ("kv_format", "per_token", "at_256k", "context", "requests"),
    [
        ("fp16", 98_304, 25_769_803_776, 696_818, 2),
        ("fp8", 49_152, 12_884_901_888, 1_393_636, 5),
        ("nvfp4", 24_576, 6_442_450_944, 2_787_272, 10),
    ],
)
def test_the_articles_three_caches(kv_format: str, per_token: int, at_256k: int, context: int, requests: int) -> None:
    """In article mode a 4-bit cache has half a byte per element, whatever scales the format has in reality."""
    t = figures(worked_example().edited(kv_format=kv_format))
    assert t["kv_bytes_per_token"] == per_token
    assert t["kv_bytes_per_request"] == at_256k
    assert t["max_context_tokens"] == context
    assert t["max_concurrency"] == requests


def test_the_article_says_which_of_its_figures_are_simplified() -> None:
    t = figures(worked_example())
    for key in ("weights.bits.expert", "kv_format.bytes_per_element", "engine.memory_share", "engine.block_tokens"):
        assert t.entry(key).origin.kind is OriginKind.ARTICLE, key  # type: ignore[union-attr]


# Each input of the example and, by formula, what becomes of the figures that depend on it; all others stay.
SHIFTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"model__parameters": 36_000_000_000},
        {"memory_item.weights": 18_000_000_000, "memory.fixed_bytes": 28_000_000_000, "max_context_tokens": 1_383_463},
    ),
    ({"model__layers": 96}, {"kv_bytes_per_token": 98_304, "kv_cache_bytes": 25_769_803_776, "max_concurrency": 2}),
    ({"model__kv_heads": 32}, {"kv_bytes_per_token": 393_216, "max_context_tokens": 174_204, "max_concurrency": 0}),
    ({"model__head_dim": 64}, {"kv_bytes_per_token": 24_576, "kv_cache_bytes": 6_442_450_944, "max_concurrency": 10}),
    ({"workload__context_tokens": 131_072}, {"kv_cache_bytes": 6_442_450_944, "max_concurrency": 10}),
    ({"workload__requests_at_once": 4}, {"kv_cache_bytes": 51_539_607_552, "memory.total_bytes": 79_039_607_552}),
    (
        {"deployment__capacity_bytes": 80_000_000_000},
        {"memory.free_for_kv_bytes": 52_500_000_000, "max_concurrency": 4},
    ),
    ({"deployment__runtime_bytes": 8_000_000_000}, {"memory.fixed_bytes": 31_500_000_000, "max_concurrency": 5}),
    ({"deployment__memory_share": 0.9}, {"memory.limit_bytes": 86_400_000_000, "max_concurrency": 4}),
    ({"weights": "fp8"}, {"memory_item.weights": 35_000_000_000, "memory.fixed_bytes": 45_000_000_000}),
    ({"companions": ()}, {"memory_item.embedding": 0, "memory_item.reranker": 0, "memory.fixed_bytes": 21_500_000_000}),
]


@pytest.mark.parametrize(("changes", "expected"), SHIFTS, ids=[" ".join(changes) for changes, _ in SHIFTS])
def test_a_shifted_input_shifts_each_figure_by_its_formula(changes: dict[str, Any], expected: dict[str, float]) -> None:
    before, after = figures(worked_example()), figures(worked_example().edited(**changes))
    for key, value in expected.items():
        assert after[key] == value, key
    for item in ("weights", "embedding", "reranker", "framework", "kv_cache", "state"):
        key = f"memory_item.{item}"
        given_by = {
            "weights": {"model__parameters", "weights"},
            "embedding": {"companions"},
            "reranker": {"companions"},
            "framework": {"deployment__runtime_bytes"},
            "kv_cache": {"model__layers", "model__kv_heads", "model__head_dim", "workload__context_tokens",
                         "workload__requests_at_once"},
            "state": set(),
        }[item]  # fmt: skip
        assert (after[key] != before[key]) == bool(given_by & changes.keys()), key


# ---- the same need in reality


def real(**changes: Any) -> Scenario:
    return worked_example_in_reality().edited(model__id="hybrid-35b", companions=(), **changes)


def test_the_real_hybrid_keeps_a_fifth_of_the_cache_and_a_state() -> None:
    t = figures(real(kv_format="fp16"))
    assert t["kv_bytes_per_token"] == 20_480
    assert t["kv_cache_bytes"] == 20_480 * 262_144
    assert t["state_bytes_per_request"] == 64_389_120
    assert round(t["state_bytes_per_request"] / 2**20, 1) == 61.4


def test_a_quantised_cache_leaves_the_state_as_it_is() -> None:
    wide, narrow = figures(real(kv_format="fp16")), figures(real(kv_format="fp8"))
    assert narrow["kv_logical_bytes_per_request"] * 2 == wide["kv_logical_bytes_per_request"]
    assert narrow["state_bytes_per_request"] == wide["state_bytes_per_request"]


def test_usable_bytes_and_the_engines_share() -> None:
    t = figures(real())
    assert t["tier.0.capacity_bytes"] == 96_000_000_000
    assert t["tier.0.usable_bytes"] == 102_641_958_912
    assert t["memory.limit_bytes"] == int(102_641_958_912 * 0.92)
    assert figures(real(deployment__memory_share=0.5))["memory.limit_bytes"] == 102_641_958_912 // 2


def test_without_a_measured_size_the_label_counts() -> None:
    t = figures(scenario("dense-70b", "fp8", "dgx-station"))
    assert t["tier.0.usable_bytes"] == t["tier.0.capacity_bytes"] == 288_000_000_000


def test_each_class_has_its_own_bits() -> None:
    t = figures(real())
    assert t["weights_bytes.expert"] == 32_212_254_720 * 4.5 / 8
    assert t["weights_bytes.attention"] == 270_000_000
    assert t["weights_bytes.embedding"] == 2 * 508_559_360
    flat = figures(real(weights="flat4"))
    assert flat["memory_item.weights"] == flat["model.total_parameters"] / 2


def test_a_checkpoint_of_the_catalogue_overrides_the_config() -> None:
    from core.architecture.blueprint import TensorClass
    from core.catalogue.records import Checkpoint

    own = Checkpoint(weights="nvfp4", bits={TensorClass.EXPERT: 4.25})
    model = CATALOGUE.model("hybrid-35b").model_copy(update={"checkpoints": (own,)})
    assert remember(real(), small_catalogue(models={model.id: model}))[0]["weights.bits.expert"] == 4.25


def test_gguf_of_a_mixture_moves_bits_from_the_experts_to_the_rest() -> None:
    t = figures(CASES["llama.cpp mixture"])
    assert t["weights.bits.attention"] == 4.85 + 0.7
    assert t["weights.bits.expert"] < 4.85
    moved = ["embedding", "head", "attention", "recurrent", "expert", "shared_expert", "router"]
    assert t["weights_bytes.vision"] == t["weights_bytes.mtp"] == 0  # not in the file
    parameters = sum(t[f"model.parameters.{k}"] for k in moved)
    assert sum(t[f"weights_bytes.{k}"] for k in moved) == pytest.approx(parameters * 4.85 / 8)


def test_llama_cpp_keeps_the_whole_state_in_32_bit() -> None:
    assert figures(CASES["llama.cpp mixture"])["state_bytes_per_request"] == 30 * 4 * (24_576 + 524_288)


def test_requests_take_whole_blocks() -> None:
    t = figures(scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", workload__context_tokens=1001))
    assert t["kv_bytes_per_request"] == t["kv_bytes_per_token"] * 1008
    assert t["kv_logical_bytes_per_request"] == t["kv_bytes_per_token"] * 1001


def test_scales_make_the_cache_larger() -> None:
    t = figures(CASES["scales per head"])
    assert t["kv_element_bytes.0"] == 1.03125
    assert t["kv_bytes_per_token"] == 80 * 8 * 2 * (128 + 4)


def test_latent_attention_keeps_one_vector_and_copies_it() -> None:
    t = figures(CASES["latent, copied on every rank"])
    assert t["kv_bytes_per_token"] == 61 * 656
    assert t["kv_element_bytes.0"] == 656 / 576
    assert t["kv_bytes_per_request"] == 8 * t["accelerator.kv_bytes_per_request"] == 8 * 61 * 656 * 8192


def test_windows_stop_growing() -> None:
    """Eight layers keep everything; forty keep a window of 1,024 and two chunks of 8,192 in flight, in five groups."""
    t = figures(CASES["windows"])
    page = 16 * 8 * 512 * 2
    assert t["kv_logical_bytes_per_request"] == 8 * 8 * 512 * 2 * 100_000 + 40 * 8 * 512 * 2 * 1024
    assert t["kv_pool.block_bytes"] == 8 * page
    windows = 5 * (1088 + 1)  # 1,023 + 16,384 tokens in blocks of 16, and one block for where they start
    assert t["kv_bytes_per_request"] == (6250 + windows) * 8 * page
    blocks = t["accelerator.free_for_kv_bytes"] // (8 * page) - 1  # one is the engine's own
    assert t["max_context_tokens"] == (blocks - windows) * 16


def test_users_and_reserve() -> None:
    t = figures(CASES["many users"])
    assert t["requests_at_once"] == 40
    assert t["requests_with_reserve"] == 52


# ---- tiers


def test_the_station_reads_the_rest_from_slower_memory() -> None:
    t, s = remember(CASES["second tier"])
    weights = t["memory_item.weights"]
    assert weights == pytest.approx(405.9e9, rel=1e-3)
    assert t["spill.weights_bytes"] == weights - 288_000_000_000 == pytest.approx(117.9e9, rel=1e-3)
    assert t["memory.capacity_bytes"] == t["memory.limit_bytes"] == 784_000_000_000
    assert (t["tier.0.bandwidth_bytes_per_s"], t["tier.1.bandwidth_bytes_per_s"]) == (8e12, 396e9)
    fast, slow = device_uses(t, s.setup)[0].tiers
    assert fast.used_bytes == 288_000_000_000
    assert slow.used_bytes == t["memory.total_bytes"] - fast.used_bytes
    assert {item.kind for item in slow.items} == {MemoryKind.WEIGHTS, MemoryKind.KV_CACHE}
    assert verdict(t) is Verdict.FITS


def station(parameters: int) -> Trace:
    article = worked_example().edited(
        deployment__device="dgx-station", deployment__capacity_bytes=None, deployment__runtime_bytes=0, companions=(),
        model__parameters=parameters, weights="fp8",
    )  # fmt: skip
    return figures(article)


def test_the_byte_at_which_the_second_tier_is_touched() -> None:
    """FP8 in article mode is one byte per parameter: the weights can be set to the byte."""
    cache = 12_884_901_888
    before, after = station(288_000_000_000 - cache), station(288_000_000_001 - cache)
    assert before["memory.total_bytes"] == before["memory.limit_bytes"] == 288_000_000_000
    assert before["spill.weights_bytes"] == before["spill.kv_bytes"] == 0
    assert after["spill.kv_bytes"] == 1
    assert after["memory.limit_bytes"] == 784_000_000_000
    assert station(288_000_000_001)["spill.weights_bytes"] == 1


def test_companions_stand_on_one_accelerator() -> None:
    t, s = remember(CASES["tensor parallel over PCIe"])
    first, other = device_uses(t, s.setup)
    assert (first.count, other.count) == (1, 1)
    kinds = [{item.kind for item in use.tiers[0].items} for use in (first, other)]
    assert kinds[0] - kinds[1] == {MemoryKind.EMBEDDING}
    assert first.tiers[0].used_bytes - other.tiers[0].used_bytes == t["memory_item.embedding"]


def test_companions_elsewhere_take_nothing_here() -> None:
    moved = [c.model_copy(update={"placement": "cpu"}) for c in worked_example().companions]
    assert figures(worked_example().edited(companions=moved))["memory.fixed_bytes"] == 21_500_000_000


# ---- several accelerators


def test_405b_in_4_bit_loads_on_two_sparks_and_not_on_one() -> None:
    two, s = remember(CASES["two Sparks"])
    assert two["memory_item.weights"] == pytest.approx(202.9e9, rel=1e-3)
    assert two["memory.capacity_bytes"] == 256_000_000_000
    assert s.setup.plan == Plan(pipeline=2)
    assert verdict(two) is not Verdict.DOES_NOT_FIT
    one = figures(CASES["two Sparks"].edited(deployment__device="dgx-spark"))
    assert verdict(one) is Verdict.DOES_NOT_FIT
    assert one["accelerator.shortfall_bytes"] == one["memory.total_bytes"] - 128_000_000_000


def test_replicas_hold_the_model_each() -> None:
    t = figures(CASES["replicas"])
    assert t["plan.replicas"] == 3
    assert t["memory.fixed_bytes"] == 3 * (t["weights.loaded_bytes"] + t["memory_item.framework"])
    one = figures(CASES["replicas"].edited(deployment__count=1))
    assert t["max_concurrency"] == 3 * one["max_concurrency"]


@pytest.mark.parametrize(
    "plan", [Plan(tensor=2), Plan(tensor=4), Plan(tensor=8), Plan(pipeline=3), Plan(tensor=2, pipeline=4)]
)
@pytest.mark.parametrize("model", ["dense-70b", "hybrid-35b", "windowed", "latent"])
def test_splitting_never_raises_bytes_on_a_card(model: str, plan: Plan) -> None:
    one = figures(scenario(model, "fp8", "rtx-pro-6000-ws"))
    changes: dict[str, Any] = {"deployment__count": plan.ranks, "deployment__plan": plan}
    split = figures(scenario(model, "fp8", "rtx-pro-6000-ws", **changes))
    for key in ("weights_bytes", "kv_bytes_per_request", "state_bytes_per_request", "total_bytes"):
        assert split[f"accelerator.{key}"] <= one[f"accelerator.{key}"], key
    assert split["accelerator.weights_bytes"] * plan.ranks >= one["accelerator.weights_bytes"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 500), st.integers(0, 400), st.sampled_from(["hybrid-35b", "windowed", "dense-70b"]))
def test_more_capacity_never_holds_fewer_requests(gigabytes: int, more: int, model: str) -> None:
    """With what vLLM takes by memory stated: above 70 GiB it reads longer chunks, which windows hold."""
    stated = {"deployment__prefill_chunk": 2048, "deployment__max_requests": 256}
    chosen = scenario(model, "nvfp4", "rtx-pro-6000-ws", deployment__capacity_bytes=gigabytes * 10**9, **stated)
    larger = chosen.edited(deployment__capacity_bytes=(gigabytes + more) * 10**9)
    less, greater = figures(chosen), figures(larger)
    assert greater["max_concurrency"] >= less["max_concurrency"]
    assert greater["max_context_tokens"] >= less["max_context_tokens"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 300), st.sampled_from(list(CASES)))
def test_the_three_answers_agree(context: int, requests: int, name: str) -> None:
    """It fits exactly when no more requests are asked for than fit; then the context is within the largest."""
    t = figures(CASES[name].edited(workload__context_tokens=context, workload__requests_at_once=requests))
    fits = verdict(t) is not Verdict.DOES_NOT_FIT
    spread = t["accelerator.requests"] * t.get("plan.groups", t["plan.replicas"])
    assert fits == (t["max_concurrency"] >= spread)
    if fits:
        assert t["max_context_tokens"] >= context
        assert t["accelerator.free_bytes"] >= 0


# ---- verdict


def test_close_when_the_reserve_is_missing() -> None:
    assert verdict(figures(worked_example().edited(workload__requests_at_once=4))) is Verdict.FITS
    tight = worked_example().edited(workload__requests_at_once=4, workload__reserve_share=0.5)
    assert verdict(figures(tight)) is Verdict.CLOSE


def test_close_when_little_is_free() -> None:
    needed = 40_384_901_888
    for capacity, expected in (
        (needed - 1, Verdict.DOES_NOT_FIT),
        (needed, Verdict.CLOSE),
        (int(needed / 0.951), Verdict.CLOSE),
        (int(needed / 0.949), Verdict.FITS),
    ):
        assert verdict(figures(worked_example().edited(deployment__capacity_bytes=capacity))) is expected


def test_every_memory_figure_that_others_rely_on_is_there() -> None:
    memory = [k for k in KEYS if k.startswith(("model.", "kv", "state", "memory", "max", "requests"))]
    assert len(memory) > 20
    for name, chosen in CASES.items():
        t = figures(chosen)
        assert [key for key in memory if key not in t] == [], name


@pytest.mark.parametrize("name", CASES)
def test_the_bars_add_up_to_the_accelerator(name: str) -> None:
    t, s = remember(CASES[name])
    uses = device_uses(t, s.setup)
    assert sum(use.count for use in uses) == s.setup.accelerators
    assert sum(tier.used_bytes for tier in uses[0].tiers) == t["accelerator.total_bytes"]
    if verdict(t) is not Verdict.DOES_NOT_FIT:
        assert all(tier.overflow_bytes == 0 for use in uses for tier in use.tiers)
    assert (
        max(0, max(sum(tier.overflow_bytes for tier in use.tiers) for use in uses)) == t["accelerator.shortfall_bytes"]
    )


def test_the_articles_mode_changes_given_numbers_only() -> None:
    """Both modes go through the same formulas."""
    article, reality = remember(CASES["two Sparks"]), remember(CASES["two Sparks"].edited(mode=Mode.REAL))
    shared = [key for key in article[0] if key in reality[0]]
    assert len(shared) > 60
    # none in the article; vLLM on Sparks: of the whole; vLLM keeps a block back
    engines_own = ("memory_item.framework", "tier.0.limit_bytes", "accelerator.shortfall_bytes")
    for key in shared:
        if key in engines_own:
            continue
        first, second = article[0].entry(key), reality[0].entry(key)
        assert getattr(first, "function", None) is getattr(second, "function", None), key
