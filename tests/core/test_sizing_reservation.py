"""What holds of reservations for all engines."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scenario import Mode, Plan, Scenario
from core.sizing.memory import record_memory
from core.sizing.placement import is_placed
from core.sizing.resolution import resolve
from core.sizing.size import size
from core.sizing.sweep import memory_against_context
from core.trace import Trace
from core.units import GIB
from tests.core.cases import CASES, scenario
from tests.core.served import SMALL, figures, served


@pytest.mark.parametrize(("engine", "width"), [("sglang", 2), ("vllm", 2), ("llama.cpp", 4)])
def test_states_are_as_wide_as_the_config_says(engine: str, width: int) -> None:
    situation = resolve(CASES["SGLang, hybrid"].edited(deployment__engine=engine), SMALL)
    groups = tuple(replace(g, matrix_bytes=2.0, matrix_stated=True) for g in situation.setup.blueprint.recurrent)
    trace = Trace()
    stated = replace(situation.setup, blueprint=replace(situation.setup.blueprint, recurrent=groups))
    record_memory(trace, replace(situation, setup=stated))
    assert trace["state.0.matrix_bytes"] == width


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
           "admission_steps", "full_latents", "shared_slots", "context_parallel", "draft_tokens", "states_kept",
           "state_bits"}  # fmt: skip
    old["deployment"] = {key: value for key, value in old["deployment"].items() if key not in new}
    del old["kv_value_format"]
    assert Scenario.model_validate(old) == CASES["windows"]


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_keys_to_pick_by_are_one_for_all_heads(engine: str) -> None:
    """MiniMax M3: 57 layers of 4 heads, and a 16-bit key of 128 beside them, whole on each of eight accelerators.

    Qwen3.8-Flash-Next: 12 layers of 2 heads of 256, a key of 128 for each four tokens; SGLang printed 2.77 GiB each of
    keys and values for 484,032 tokens on each of two.
    """
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "engine": engine}
    assert served("MiniMaxAI/MiniMax-M3", 8192, **eight)["kv.1.rank_bytes_per_token"] == 57 * (2 * 128 + 128) * 2
    staged: dict[str, Any] = {"count": 8, "plan": Plan(tensor=4, pipeline=2), "engine": engine}
    assert served("MiniMaxAI/MiniMax-M3", 8192, **staged)["kv.1.rank_bytes_per_token"] == 29 * (2 * 128 + 128) * 2
    two: dict[str, Any] = {"count": 2, "plan": Plan(tensor=2), "engine": engine}
    t = served("Qwen/Qwen3.8-Flash-Next", 8192, **two)
    assert t["kv.0.rank_head_bytes_per_token"] * 484_032 / GIB == pytest.approx(2 * 2.77, abs=0.01)
    assert t["kv.0.rank_bytes_per_token"] == 12 * (2 * 256 + 32) * 2


def test_blocks_hold_keys_to_pick_by_whole() -> None:
    """Qwen3.8-Flash-Next on eight: a head of 256 twice and 32 elements a token and layer; vLLM makes blocks of them.

    A state of 400,896 bytes goes into 384 tokens of 1,088 bytes.
    """
    eight: dict[str, Any] = {"count": 8, "plan": Plan(tensor=8), "engine": "vllm"}
    t = served("Qwen/Qwen3.8-Flash-Next", 8192, **eight)
    assert t["kv.0.layer_bytes_per_token"] == (2 * 256 + 32) * 2
    assert t["engine.block_tokens"] == 384
    assert t["kv_pool.block_bytes"] == 12 * 384 * 1088
