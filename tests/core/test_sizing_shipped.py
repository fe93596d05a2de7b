"""The acceptance of memory against the shipped catalogue: the article, and what its systems really hold."""

from itertools import pairwise
from typing import Any

import pytest

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.records import DeviceKind, ModelRole
from core.errors import InvalidInput, UnsupportedArchitecture
from core.language.sentences import verdict_reason
from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario, Workload
from core.sizing.device_uses import device_uses
from core.sizing.examples import examples, worked_example, worked_example_in_reality
from core.sizing.memory import record_memory
from core.sizing.report import FindingKind, Sizing, Verdict
from core.sizing.resolution import resolve
from core.sizing.size import size
from core.trace import Computed, Trace
from tests.core.recomputed import by_the_text


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


def chosen(model: str, weights: str, device: str, **changes: Any) -> Scenario:
    base = Scenario(
        model=CatalogueModel(id=model),
        weights=weights,
        workload=Workload(requests_at_once=1, context_tokens=8192),
        deployment=Deployment(device=device),
    )
    return base.edited(**changes)


def kinds(sizing: Sizing) -> set[FindingKind]:
    return {finding.kind for finding in sizing.findings}


@pytest.mark.parametrize("scenario", examples(), ids=lambda s: s.name)
def test_every_figure_of_the_examples_can_be_computed_again(scenario: Scenario, shipped: Catalogue) -> None:
    trace = size(scenario, shipped).trace
    for key in trace:
        assert trace.reevaluate(key) == trace[key], key
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            assert by_the_text(trace, entry) == entry.value, key


def test_the_worked_example(shipped: Catalogue) -> None:
    sizing = size(worked_example(), shipped)
    t = sizing.trace
    assert (t["memory.fixed_bytes"], t["memory.total_bytes"]) == (27_500_000_000, 40_384_901_888)
    assert (t["max_concurrency"], t["max_context_tokens"]) == (5, 1_393_636)
    assert sizing.verdict is Verdict.FITS
    assert FindingKind.ARTICLE_MODE in kinds(sizing)
    wide = size(worked_example().edited(kv_format="fp16"), shipped).trace
    assert (wide["kv_bytes_per_token"], wide["max_context_tokens"]) == (98_304, 696_818)
    narrow = size(worked_example().edited(kv_format="4bit"), shipped).trace
    assert narrow["kv_cache_bytes"] == 6_442_450_944


def test_the_same_need_in_reality(shipped: Catalogue) -> None:
    sizing = size(worked_example_in_reality(), shipped)
    t = sizing.trace
    assert t["memory_item.weights"] == pytest.approx(23.41e9, rel=1e-3)
    assert round(t["memory_item.weights"] / 2**30, 1) == 21.8
    assert t["kv_bytes_per_token"] == 10_240
    assert round(t["state_bytes_per_request"] / 2**20, 1) == 61.4
    assert size(worked_example_in_reality().edited(kv_format="fp16"), shipped).trace["kv_bytes_per_token"] == 20_480
    assert 20 <= t["max_concurrency"] <= 25
    assert {FindingKind.TEXTBOOK_KV, FindingKind.TEXTBOOK_WEIGHTS} <= kinds(sizing)
    assert t["article.kv_bytes_per_request"] == 12_884_901_888


def test_70b_in_8_bit_on_one_spark(shipped: Catalogue) -> None:
    sizing = size(chosen("meta-llama/Llama-3.1-70B-Instruct", "fp8", "dgx-spark"), shipped)
    assert sizing.fits
    assert FindingKind.CAPACITY_WITHOUT_BANDWIDTH in kinds(sizing)


def test_405b_on_sparks(shipped: Catalogue) -> None:
    flat = chosen("meta-llama/Meta-Llama-3.1-405B", "flat4", "dgx-spark-x2", mode=Mode.ARTICLE, kv_format="fp8")
    two = size(flat, shipped)
    assert two.fits
    assert two.plan == Plan(pipeline=2)
    assert two.trace["memory_item.weights"] == pytest.approx(202.9e9, rel=1e-3)
    assert {FindingKind.CHECKPOINT_JUST_MISSES, FindingKind.SPARK_CLUSTER} <= kinds(two)
    assert two.trace["checkpoint.weights_bytes"] == pytest.approx(234e9, rel=2e-3)
    assert two.trace["memory.usable_bytes"] == 232_000_000_000
    assert not size(flat.edited(deployment__device="dgx-spark"), shipped).fits
    published = size(flat.edited(mode=Mode.REAL, weights="nvfp4"), shipped)
    assert not published.fits
    assert FindingKind.CHECKPOINT_JUST_MISSES in kinds(published)
    assert size(flat.edited(deployment__device="dgx-spark", deployment__count=2), shipped).fits


def test_the_station_as_in_the_article_and_as_sold(shipped: Catalogue) -> None:
    model = "meta-llama/Meta-Llama-3.1-405B"
    article = chosen(model, "fp8", "dgx-station-gb300-article", mode=Mode.ARTICLE, kv_format="fp8")
    t = size(article, shipped).trace
    assert t["spill.weights_bytes"] == pytest.approx(117.9e9, rel=1e-3)
    assert t["memory.capacity_bytes"] == 784_000_000_000
    sold = size(article.edited(deployment__device="dgx-station-gb300"), shipped)
    assert sold.trace["memory.capacity_bytes"] == 748_000_000_000
    assert FindingKind.SECOND_TIER in kinds(sold)
    inside = size(chosen("meta-llama/Llama-3.1-70B-Instruct", "fp8", "dgx-station-gb300"), shipped)
    assert inside.trace["spill.weights_bytes"] == inside.trace["spill.kv_bytes"] == 0
    assert FindingKind.SECOND_TIER not in kinds(inside)


def test_it_slows_down_at_the_byte_where_the_second_tier_is_touched(shipped: Catalogue) -> None:
    """Step time against weights, byte by byte around 288 GB: from there on a byte takes 8,000 / 396 times as long."""

    def step(cache_and_weights: int) -> float:
        scenario = worked_example().edited(
            model__active_parameters=cache_and_weights - 12_884_901_888,
            model__parameters=cache_and_weights - 12_884_901_888,
            weights="fp8", companions=(), deployment__runtime_bytes=0, deployment__capacity_bytes=None,
            deployment__device="dgx-station-gb300-article",
        )  # fmt: skip
        return float(size(scenario, shipped).trace["decode_step_s.ceiling"])

    full = 288_000_000_000
    steps = [step(full + extra * 1_000_000) for extra in (-1, 0, 1, 2)]
    before, at, after = (later - earlier for earlier, later in pairwise(steps))
    assert before == pytest.approx(1e6 / 8e12, rel=1e-3)
    assert at == pytest.approx(1e6 / 396e9, rel=1e-3)
    assert after == pytest.approx(1e6 / 396e9, rel=1e-3)
    assert step(full) < step(full + 1)


def test_plans_of_the_rules(shipped: Catalogue) -> None:
    cases = [
        (chosen("Qwen/Qwen3-30B-A3B", "nvfp4", "rtx-pro-6000-server", deployment__count=4), Plan(replicas=4)),
        (chosen("moonshotai/Kimi-K2-Instruct", "fp8", "hgx-h100-8", deployment__nodes=2), Plan(tensor=8, pipeline=2)),
        (chosen("meta-llama/Meta-Llama-3.1-405B", "bf16", "hgx-h200-8"), Plan(tensor=8)),
    ]
    for scenario, plan in cases:
        assert resolve(scenario, shipped).setup.plan == plan


def test_every_model_can_be_sized_or_says_why_not(shipped: Catalogue) -> None:
    refused = []
    for model in shipped.models.values():
        scenario = chosen(model.id, "fp8", "hgx-b200-8", workload__context_tokens=4096)
        try:
            situation, trace = resolve(scenario, shipped), Trace()
        except (InvalidInput, UnsupportedArchitecture) as error:
            refused.append((model, error.message))
            continue
        record_memory(trace, situation)
        assert trace["accelerator.bytes_per_request"] > 0, model.id
        assert trace["memory_item.weights"] > 0, model.id
        assert trace["max_concurrency"] == 0 or trace["max_context_tokens"] >= 4096, model.id
    assert all(model.name in message or model.id in message for model, message in refused)
    assert [m.id for m, _ in refused if m.role is ModelRole.GENERATOR and "V4" not in m.name] == []


def test_every_device_can_be_used_alone_and_in_numbers(shipped: Catalogue) -> None:
    refused = []
    for device in shipped.devices.values():
        engine = next(e.id for e in shipped.engines.values() if device.family in e.families)
        for count in (1, 2, 8):
            scenario = chosen("meta-llama/Llama-3.1-8B-Instruct", "fp16", device.id, deployment__engine=engine)
            try:
                situation = resolve(scenario.edited(deployment__count=count), shipped)
            except InvalidInput as error:  # machines that nothing of the catalogue joins
                refused.append((device.kind, count, error.field))
                continue
            assert situation.setup.plan.ranks == situation.setup.accelerators == device.accelerators * count
            trace = Trace()
            record_memory(trace, situation)
            assert sum(use.count for use in device_uses(trace, situation.setup)) == situation.setup.accelerators
    machines = (DeviceKind.NODE, DeviceKind.RACK, DeviceKind.UNIFIED)
    assert all(kind in machines and count > 1 and field == "deployment.link" for kind, count, field in refused)


def test_cards_in_one_machine_are_joined_or_a_link_is_asked_for(shipped: Catalogue) -> None:
    asked = []
    for device in shipped.devices.values():
        if device.kind in (DeviceKind.CARD, DeviceKind.MODULE):
            scenario = chosen("meta-llama/Llama-3.1-8B-Instruct", "fp16", device.id, deployment__count=2)
            plan = Plan(pipeline=2 * device.accelerators)
            try:
                assert resolve(scenario.edited(deployment__plan=plan), shipped).setup.link is not None, device.id
            except InvalidInput as error:
                asked.append((device.id, error.field))
    assert all(field == "deployment.link" for _, field in asked)
    assert len(asked) < 12, asked


def test_what_several_accelerators_lack_is_said_of_each_with_its_own_figures(shipped: Catalogue) -> None:
    """The NVFP4 checkpoint of a 405B, 234 GB, misses the 232 GB of two Sparks."""
    sizing = size(chosen("meta-llama/Meta-Llama-3.1-405B", "nvfp4", "dgx-spark-x2"), shipped)
    trace = sizing.trace
    assert trace["memory.limit_bytes"] == 232e9 < trace["memory_item.weights"]
    said = verdict_reason(sizing).replace("\u00a0", " ")
    assert said == "6.9 GB short on each accelerator: 1 request needs 122.9 GB there, the engine may use 116.0 GB."
    assert sizing.shortfall_bytes == trace["accelerator.total_bytes"] - trace["accelerator.limit_bytes"]
    assert sizing.missing_bytes == trace["memory.total_bytes"] - trace["memory.limit_bytes"] == 13_729_908_088
