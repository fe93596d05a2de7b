"""What follows from memory: heads, the crossing of cache and model, spilling, the smallest device."""

import math

import pytest

from core.scenario import Plan
from core.sizing.devices import devices_that_fit, smallest_that_fits
from core.sizing.examples import worked_example_in_reality
from core.sizing.memory import record_memory
from core.sizing.report import Verdict
from core.sizing.resolution import resolve
from core.sizing.size import size
from core.trace import Trace
from tests.core.cases import CASES, scenario
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped

SMALL = small_catalogue()


def test_grouped_heads_save_what_the_heads_say() -> None:
    """64 query heads share eight keys and values; a latent of 576 stands for 128 heads of 320."""
    dense = size(scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws"), SMALL).trace
    assert dense["full_heads_ratio"] == 8
    latent = size(CASES["latent, copied on every rank"].edited(kv_format="fp16"), SMALL).trace
    assert latent["full_heads_ratio"] == 128 * 320 / 576


def test_the_cache_outweighs_the_model_where_its_bytes_are_those_of_the_weights() -> None:
    chosen = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", workload__requests_at_once=4)
    trace = size(chosen, SMALL).trace
    tokens = trace["cache_outweighs_model_tokens"]
    weights = trace["accelerator.weights_bytes"]
    assert 4 * trace["kv_bytes_per_token"] * tokens <= weights
    assert 4 * trace["kv_bytes_per_token"] * (tokens + 16) > weights


def test_layers_that_spill_into_the_slower_memory() -> None:
    trace = size(CASES["second tier"], SMALL).trace
    assert trace["spill.layers"] == -(-126 * trace["spill.weights_bytes"] // trace["accelerator.weights_bytes"])
    assert trace["decode_step_s.second_tier"] > 0  # what that costs


def test_layers_and_experts_that_do_not_fit() -> None:
    dense = size(CASES["does not fit"], SMALL).trace
    assert 0 < dense["spill.layers"] < 126
    mixture = size(scenario("hybrid-35b", "fp16", "dgx-spark", deployment__capacity_bytes=40_000_000_000), SMALL).trace
    assert 0 < mixture["spill.experts"] < 256
    assert "spill.layers" not in size(CASES["hybrid mixture"], SMALL).trace


def test_experts_that_do_not_fit_are_those_of_the_accelerator_however_they_are_spread() -> None:
    """Eight groups with attention of their own share the experts: an eighth lies on each, as in tensor parallelism."""
    chosen = scenario("hybrid-35b", "fp16", "hgx-h200-8", deployment__capacity_bytes=9_000_000_000)
    spilled = []
    for plan in (Plan(tensor=8), Plan(attention_replicas=8, expert=8)):
        trace = size(chosen.edited(deployment__plan=plan), SMALL).trace
        share = trace["accelerator.shortfall_bytes"] / trace["spill.expert_bytes"]
        assert trace["spill.expert_bytes"] == pytest.approx(trace["weights_bytes.expert"] / 8)
        assert trace["spill.experts"] == min(256, math.ceil(256 * share))
        spilled.append(trace["spill.experts"])
    assert spilled[0] < spilled[1]


def test_the_smallest_device_holds_the_work_and_smaller_ones_do_not() -> None:
    catalogue, chosen = shipped(), worked_example_in_reality()
    found = devices_that_fit(chosen, catalogue)
    smallest = smallest_that_fits(chosen, catalogue)
    assert smallest == found[0]
    assert [c.device.capacity_bytes for c in found] == sorted(c.device.capacity_bytes for c in found)
    assert all(c.verdict is not Verdict.DOES_NOT_FIT and c.requests >= 1 for c in found)
    held = {c.device.id for c in found}
    engine = catalogue.engine(chosen.deployment.engine)
    for device in catalogue.devices.values():
        if device.capacity_bytes < found[0].device.capacity_bytes and device.family in engine.families:
            assert device.id not in held


def test_nothing_is_large_enough_for_everything() -> None:
    huge = scenario("dense-405b", "fp16", "rtx-pro-6000-ws", workload__requests_at_once=10_000)
    assert smallest_that_fits(huge, SMALL) is None


def test_a_candidate_is_sized_like_the_scenario_itself() -> None:
    chosen = CASES["hybrid mixture"]
    found = next(c for c in devices_that_fit(chosen, SMALL) if c.device.id == "rtx-pro-6000-ws")
    trace = Trace()
    record_memory(trace, resolve(chosen, SMALL))
    assert (found.requests, found.free_bytes) == (trace["max_concurrency"], trace["accelerator.free_bytes"])
