"""Speed figures: they add up, obey physics, follow the work in the right direction, and carry a range."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.records import Device
from core.errors import CatalogueError
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.report import Cause, Evidence, FindingKind, Limit, Sizing
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.conftest import small_catalogue

SMALL = small_catalogue()
EVERY_CASE = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
DENSE = scenario("dense-70b", "fp8", "rtx-pro-6000-ws")


def sized(case: Scenario, **more: object) -> Sizing:
    return size(case.edited(**more), SMALL)


def with_device(device: Device) -> Catalogue:
    """The small catalogue with a device put in."""
    return replace(SMALL, devices={**SMALL.devices, device.id: device})


def faster(name: str, factor: float) -> Device:
    """A device of the small catalogue with another memory bandwidth."""
    device = SMALL.devices[name]
    tier = device.memory_tiers[0]
    tier = tier.model_copy(update={"bandwidth_bytes_per_s": tier.bandwidth_bytes_per_s * factor})
    return device.model_copy(update={"memory_tiers": (tier, *device.memory_tiers[1:])})


@EVERY_CASE
def test_parts_sum_to_the_step(case: Scenario) -> None:
    sizing = sized(case)
    for key, parts in (("decode_step_s", sizing.step), ("prefill_step_s", sizing.prefill_step)):
        assert [part.cause for part in parts] == list(Cause)
        assert all(part.seconds >= 0 for part in parts)
        assert sum(part.seconds for part in parts) == sizing.trace[key]


@EVERY_CASE
def test_nothing_exceeds_what_physics_allows(case: Scenario) -> None:
    trace = sized(case).trace
    assert trace["decode_step_s"] >= trace["decode_step_s.ceiling"]
    for key in ("decode_tok_s", "output_tok_s_total", "saturated_tok_s_total", "prefill_tok_s"):
        assert trace[key] <= trace[f"{key}.ceiling"], key
        assert trace[f"{key}.p90"] <= trace[f"{key}.ceiling"], key
    assert trace["ttft_s.p10"] >= trace["ttft_s.least"]


@EVERY_CASE
def test_ranges_are_in_order_and_never_narrow(case: Scenario) -> None:
    sizing = sized(case)
    trace = sizing.trace
    for one in (sizing.decode, sizing.ttft, sizing.throughput, sizing.prefill):
        assert 0 < one.p10 < one.p50 <= one.p90
        assert one.order_of_magnitude == (one.p90 > 4 * one.p10)
        if one.p90 < trace.get(f"{one.key}.ceiling", math.inf):
            assert one.p90 / one.p10 >= 1.3 - 1e-9


@EVERY_CASE
def test_ceilings_are_bytes_over_bandwidth(case: Scenario) -> None:
    trace = sized(case).trace
    first, second = trace["bytes_read_per_token.by_tier.0"], trace["bytes_read_per_token.by_tier.1"]
    seconds = first / trace["memory_bandwidth_bytes_per_s"]
    if second:
        seconds += second / trace["tier.1.bandwidth_bytes_per_s"]
    assert trace["decode_tok_s.ceiling"] == pytest.approx(1 / seconds, rel=1e-12)


def test_one_request_takes_one_step_per_token() -> None:
    trace = sized(DENSE).trace
    assert trace["decode_tok_s"] * trace["decode_step_s"] == pytest.approx(1, rel=1e-12)


def test_a_dense_model_reads_all_but_its_input_table() -> None:
    trace = sized(scenario("dense-70b", "fp16", "rtx-pro-6000-ws", workload__context_tokens=1024)).trace
    assert trace["bytes_read_per_token.weights"] == 2 * 69_503_033_344
    assert trace["arithmetic_intensity.decode"] == pytest.approx(1.0, abs=0.02)


def test_a_mixture_reads_the_chosen_experts_and_more_with_more_requests() -> None:
    case = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws")
    one, many = (sized(case, workload__requests_at_once=n).trace for n in (1, 32))
    assert one["decode_step_s.bytes.experts"] == pytest.approx(one["weights_bytes.expert"] * 8 / 256)
    assert 8 < many["decode_step_s.distinct_experts"] < 256


def test_the_textbook_mixture_reads_its_active_parameters() -> None:
    trace = sized(CASES["article"]).trace
    assert trace["bytes_read_per_token.weights"] == pytest.approx(3_000_000_000 / 2, rel=1e-6)
    assert sized(CASES["article"], workload__requests_at_once=4).trace["decode_step_s.bytes.experts"] > 1.5e9


def test_each_tier_is_read_at_its_own_speed() -> None:
    trace = sized(CASES["second tier"]).trace
    second = trace["decode_step_s.bytes.second_tier"]
    assert second == pytest.approx(trace["spill.weights_bytes"], rel=0.01)
    assert trace["decode_step_s.ceiling"] == pytest.approx(
        trace["decode_step_s.bytes.first_tier"] / 8e12 + second / 396e9, rel=1e-12
    )
    assert sized(CASES["second tier"]).decode_limit is Limit.SECOND_TIER


def test_a_pipeline_reads_in_turn_and_tensor_parallelism_at_once() -> None:
    case = CASES["two Sparks"]
    turn = sized(case, deployment__plan=Plan(pipeline=2)).trace
    once = sized(case, deployment__plan=Plan(tensor=2)).trace
    assert turn["decode_step_s.ceiling"] == pytest.approx(2 * once["decode_step_s.ceiling"], rel=0.01)
    assert (turn["messages_per_token"], once["messages_per_token"]) == (1, 252)


def test_stages_of_a_serving_engine_work_at_the_same_time() -> None:
    case = scenario(
        "dense-70b", "nvfp4", "rtx-pro-6000-ws", workload__requests_at_once=64, deployment__count=4
    )  # fmt: skip
    one = sized(case, deployment__count=1, deployment__plan=None).trace["saturated_tok_s_total"]
    four = sized(case, deployment__plan=Plan(pipeline=4)).trace["saturated_tok_s_total"]
    assert 2 < four / one < 8


def test_replicas_share_the_requests() -> None:
    case = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", workload__requests_at_once=12)
    one = sized(case, workload__requests_at_once=4)
    three = sized(case, deployment__count=3, deployment__plan=Plan(replicas=3))
    assert three.decode.p50 == one.decode.p50
    assert three.throughput.p50 == 3 * one.throughput.p50


def test_requests_beyond_what_fits_wait() -> None:
    case = scenario("dense-70b", "fp8", "rtx-pro-6000-ws")
    trace = sized(case, workload__requests_at_once=500).trace
    assert trace["serving.requests_in_flight"] < 500
    assert trace["serving.slot_wait_s"] > trace["serving.ttft_with_slot_s"]
    assert trace["output_tok_s_total"] <= trace["saturated_tok_s_total"] * 1.25


def test_tensor_parallelism_waits_for_the_link() -> None:
    sizing = sized(CASES["tensor parallel over PCIe"])
    assert sizing.trace["messages_per_token"] == 160
    assert 0 < sizing.trace["all_reduce_share"] < 1
    assert sized(DENSE).trace["all_reduce_share"] == 0


def test_a_cached_prefix_is_not_read_again() -> None:
    case = scenario("dense-70b", "fp8", "rtx-pro-6000-ws", workload__prompt_tokens=8000)
    all_new, half = sized(case).trace, sized(case, workload__prefix_hit_share=0.5).trace
    assert half["prefill_step_s"] < 0.7 * all_new["prefill_step_s"]


def test_native_units_shorten_prefill_only() -> None:
    """FP4 units on one card, none on the other."""
    with_fp4 = SMALL.devices["rtx-pro-6000-ws"]
    rates = {name: rate for name, rate in with_fp4.peak_flops.items() if name != "fp4"}
    without = with_fp4.model_copy(update={"id": "without", "peak_flops": rates})
    catalogue = with_device(without)
    case = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", workload__prompt_tokens=8000)
    native = size(case, catalogue)
    converted = size(case.edited(deployment__device="without"), catalogue)
    assert converted.trace["prefill_step_s"] > 2 * native.trace["prefill_step_s"]
    assert converted.decode.p50 == pytest.approx(native.decode.p50, rel=0.01)


def test_a_device_without_a_computing_rate_is_named() -> None:
    catalogue = with_device(SMALL.devices["rtx-pro-6000-ws"].model_copy(update={"peak_flops": {}}))
    with pytest.raises(CatalogueError, match="RTX PRO 6000 WS has no computing rate"):
        size(DENSE, catalogue)


def test_an_engine_that_was_never_measured_on_a_family_is_generic() -> None:
    own = SMALL.devices["rtx-pro-6000-ws"].model_copy(update={"id": "own", "family": "tpu"})
    catalogue = with_device(own)
    sizing = size(DENSE.edited(deployment__device="own"), catalogue)
    assert sizing.decode.evidence is Evidence.GENERIC
    assert FindingKind.EVIDENCE_GENERIC in [finding.kind for finding in sizing.findings]
    assert sizing.decode.p90 / sizing.decode.p10 > sized(DENSE).decode.p90 / sized(DENSE).decode.p10


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(list(CASES)), st.floats(1.0, 8.0))
def test_more_bandwidth_never_slows_decode(name: str, factor: float) -> None:
    case = CASES[name]
    catalogue = with_device(faster(case.deployment.device, factor))
    assert size(case, catalogue).decode.p50 >= sized(case).decode.p50


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["dense-70b", "hybrid-35b", "windowed"]), st.integers(1, 60_000), st.integers(1, 60_000))
def test_more_depth_never_speeds_decode(model: str, one: int, other: int) -> None:
    case = scenario(model, "nvfp4", "rtx-pro-6000-ws", workload__context_tokens=131_072)
    shallow, deep = (sized(case, workload__prompt_tokens=n).decode.p50 for n in sorted((one, other)))
    assert deep <= shallow


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 3000), st.integers(1, 3000))
def test_more_requests_never_speed_one_user(one: int, other: int) -> None:
    case = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws")
    few, many = (sized(case, workload__requests_at_once=n) for n in sorted((one, other)))
    assert many.decode.p50 <= few.decode.p50
    assert many.ttft.p50 >= few.ttft.p50


# ---- real devices: what reviews and measurements say of them


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


def compact(device: str, engine: str = "llama.cpp") -> Scenario:
    """gpt-oss-20b in MXFP4: one request, 512 tokens in and 512 out."""
    return Scenario(
        model=CatalogueModel(id="openai/gpt-oss-20b"),
        weights="mxfp4",
        workload=Workload(requests_at_once=1, prompt_tokens=512, output_tokens=512, context_tokens=8192),
        deployment=Deployment(device=device, engine=engine),
    )


@pytest.mark.parametrize(
    ("device", "low", "high", "reported"),
    [("rtx-pro-6000-server", 160, 330, [215]), ("dgx-spark", 42, 90, [83])],
)
def test_the_compact_model_is_as_fast_as_reviews_say(
    shipped: Catalogue, device: str, low: float, high: float, reported: list[float]
) -> None:
    """215 tok/s in Ollama; about 83 on a Spark with builds of llama.cpp since, where Ollama of October 2025 had 50."""
    decode = size(compact(device), shipped).decode
    assert low <= decode.p50 <= high
    assert all(decode.p10 <= speed <= decode.p90 for speed in reported)
    assert decode.p90 / decode.p10 <= 2


def test_a_dense_70b_on_a_spark_writes_slower_than_people_read(shipped: Catalogue) -> None:
    """4.0 to 4.2 tok/s were measured with builds of 2025; what was measured on Sparks since is a quarter faster."""
    case = Scenario(
        model=CatalogueModel(id="meta-llama/Llama-3.1-70B-Instruct"),
        weights="nvfp4",
        workload=Workload(requests_at_once=1, prompt_tokens=1024, output_tokens=1024, context_tokens=8192),
        deployment=Deployment(device="dgx-spark", engine="vllm"),
    )
    sizing = size(case, shipped)
    assert 3.0 <= sizing.decode.p50 <= 6.7
    assert 0.9 * sizing.decode.p10 <= 4.2 <= sizing.decode.p50
    assert sizing.decode_limit is Limit.BANDWIDTH
