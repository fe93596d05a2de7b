"""Layers and experts in host memory, and what an engine loads of a file."""

import pytest
from pydantic import ValidationError

from core.errors import InvalidInput
from core.scenario import Deployment, Host, Plan, Scenario
from core.sizing.report import Sizing, Verdict
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.estimates import decode_of
from tests.core.small_catalogue import small_catalogue

SMALL = small_catalogue()
EXPERTS = CASES["experts in host memory"]
LAYERS = CASES["layers in host memory"]
HOST = Host(bandwidth_bytes_per_s=96e9, capacity_bytes=128 * 10**9)


def sized(case: Scenario, **changes: object) -> Sizing:
    return size(case.edited(**changes) if changes else case, SMALL)


def test_the_experts_of_some_layers_lie_in_host_memory() -> None:
    sizing = sized(EXPERTS)
    trace = sizing.trace
    share = 30 / trace["model.layers"]
    assert trace["host.weights_bytes"] == pytest.approx(trace["weights_bytes.expert"] * share)
    first, second = sizing.devices[0].tiers
    assert second.used_bytes == pytest.approx(trace["host.weights_bytes"], abs=2)
    assert first.used_bytes + second.used_bytes == pytest.approx(trace["accelerator.total_bytes"], abs=4)


def test_only_the_chosen_experts_are_read_there() -> None:
    trace = sized(EXPERTS).trace
    chosen = trace["weights_bytes.expert"] * 8 / 256
    assert trace["decode_step_s.bytes.second_tier"] == pytest.approx(chosen * 30 / trace["model.layers"])
    trips = trace["model.moe_layers"] * trace["spill.share.experts"] * 2 * 30e-6
    read = trace["decode_step_s.bytes.second_tier"] / (96e9 * trace["fit.eta_cpu"])
    assert trace["decode_step_s.second_tier"] == pytest.approx(read + trips)


def test_a_cache_lies_with_its_layers() -> None:
    trace = sized(LAYERS, deployment__host_layers=40).trace
    assert trace["spill.share.kv"] == 0.5
    assert trace["spill.kv_bytes"] == pytest.approx(trace["accelerator.kv_bytes"] / 2)


def test_the_head_is_the_last_layer() -> None:
    all_but_head, all_of_it = (sized(LAYERS, deployment__host_layers=n).trace for n in (80, 81))
    head = all_of_it["weights_bytes.head"]
    assert all_of_it["host.weights_bytes"] - all_but_head["host.weights_bytes"] == pytest.approx(head)


def test_more_layers_on_the_cpu_are_slower_and_leave_more_room() -> None:
    sizings = [sized(LAYERS, deployment__host_layers=n) for n in (10, 40, 70)]
    speeds = [decode_of(sizing).p50 for sizing in sizings]
    assert speeds == sorted(speeds, reverse=True)
    used = [sizing.devices[0].tiers[0].used_bytes for sizing in sizings]
    assert used == sorted(used, reverse=True)


def test_what_is_placed_does_not_move_and_may_not_fit() -> None:
    huge = CASES["what is too much in host memory"]
    assert sized(huge).fits  # llama.cpp puts there what is too much
    placed = sized(huge, deployment__host_layers=1)
    assert placed.verdict is Verdict.DOES_NOT_FIT
    assert placed.shortfall_bytes > 100 * 10**9


def test_a_host_that_is_too_small_does_not_hold_it() -> None:
    small = Host(bandwidth_bytes_per_s=96e9, capacity_bytes=10**9)
    assert sized(EXPERTS, deployment__host=small).verdict is Verdict.DOES_NOT_FIT


def test_what_a_host_lacks_is_not_multiplied_by_the_layers_that_lie_elsewhere() -> None:
    """One layer and the experts of thirty: the host lacks what they weigh beyond it, and no terabytes."""
    one = EXPERTS.edited(deployment__host_layers=1, deployment__host=HOST.model_copy(update={"capacity_bytes": 10**9}))
    trace = sized(one).trace
    lacks = trace["host.weights_bytes"] - 10**9
    assert 0 < lacks < 10**11
    requests = trace["accelerator.kv_bytes"] + trace["accelerator.state_bytes"]
    assert trace["accelerator.shortfall_bytes"] == pytest.approx(lacks + requests, abs=2)


def test_other_engines_use_host_memory_only_when_told() -> None:
    case = scenario("dense-405b", "fp8", "rtx-pro-6000-ws", deployment__host=HOST)
    assert sized(case).verdict is Verdict.DOES_NOT_FIT
    through = sized(CASES["host memory through PCIe"]).trace
    assert through["bandwidth.second_tier"] <= 96e9 / 2  # two accelerators read it at the same time


def test_the_bandwidth_of_the_host_shows() -> None:
    slow, fast = (
        decode_of(sized(EXPERTS, deployment__host=Host(bandwidth_bytes_per_s=rate, capacity_bytes=10**12))).p50
        for rate in (50e9, 500e9)
    )
    assert fast > 1.5 * slow


def test_nothing_placed_is_nothing_changed() -> None:
    plain = sized(CASES["llama.cpp mixture"])
    beside = sized(CASES["llama.cpp mixture"], deployment__host=HOST)
    assert beside.decode == plain.decode
    assert beside.trace["accelerator.total_bytes"] == plain.trace["accelerator.total_bytes"]


def test_layers_without_a_host_are_refused() -> None:
    with pytest.raises(ValidationError, match="need a host"):
        Deployment(device="d", host_layers=3)
    with pytest.raises(ValidationError, match="bandwidth and capacity"):
        Host(bandwidth_bytes_per_s=1e9)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"deployment__device": "dgx-spark"}, "shares its memory with the CPU"),
        ({"deployment__host": Host(device="h200-nvl")}, "is no CPU"),
        ({"deployment__engine": "mlx"}, "keeps nothing in host memory"),
    ],
)
def test_hosts_that_cannot_be(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        sized(EXPERTS, **changes)


# ---- what is loaded of a file


def test_prediction_layers_are_in_the_file_and_not_in_memory() -> None:
    trace = sized(CASES["hybrid mixture"]).trace
    mtp = trace["weights_bytes.mtp"]
    assert mtp > 0
    assert trace["memory_item.weights"] - trace["weights.loaded_bytes"] == mtp
    assert trace["accelerator.weights_bytes"] == trace["weights.loaded_bytes"]


def test_they_are_loaded_for_guessing_ahead() -> None:
    trace = sized(CASES["guessing with its own layers"]).trace
    assert "weights.loaded_bytes" not in trace
    assert trace["accelerator.weights_bytes"] == trace["memory_item.weights"]


def test_an_engine_that_nobody_knows_may_load_all() -> None:
    trace = sized(CASES["hybrid mixture"], deployment__engine="generic").trace
    assert trace["accelerator.weights_bytes"] == trace["memory_item.weights"]


def test_host_memory_is_shared_by_stages_in_turn() -> None:
    case = LAYERS.edited(deployment__count=2, deployment__plan=Plan(pipeline=2), deployment__host_layers=20)
    assert sized(case).trace["host.readers"] == 1
