"""Each rule fires where it should and is silent where it should be."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from core.architecture.blueprint import NoteKind, ReadingNote
from core.catalogue.catalogue import Catalogue
from core.language.findings import finding_sentence
from core.scenario import Mode, Plan, Scenario
from core.sizing.examples import worked_example
from core.sizing.findings import is_native
from core.sizing.report import Finding, FindingKind, Weight
from core.sizing.situation import resolve
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.conftest import blueprints, small_catalogue

K = FindingKind
PLAIN = scenario("dense-70b", "fp8", "h200-nvl", workload__context_tokens=8192)
SPLIT: dict[str, Any] = {"deployment__count": 2, "deployment__plan": Plan(tensor=2)}
FOUR: dict[str, Any] = {"deployment__count": 4, "deployment__plan": Plan(tensor=4)}

# kind, a scenario in which it is found, one in which it is not
RULES: list[tuple[FindingKind, Scenario, Scenario]] = [
    (K.SECOND_TIER, CASES["second tier"], scenario("dense-70b", "fp8", "dgx-station")),
    (K.BEYOND_TRAINED_CONTEXT, PLAIN.edited(workload__context_tokens=131_073),
     PLAIN.edited(workload__context_tokens=131_072)),
    (K.FORMAT_NOT_NATIVE, PLAIN.edited(weights="nvfp4"), PLAIN),
    (K.ENGINE_WITHOUT_FORMAT, PLAIN.edited(weights="q4_k_m"), PLAIN),
    (K.ENGINE_WITHOUT_FORMAT, PLAIN.edited(weights="fp16", kv_format="fp8", deployment__engine="llama.cpp"),
     PLAIN.edited(weights="fp16", kv_format="fp16", deployment__engine="llama.cpp")),
    (K.ENGINE_WITHOUT_DEVICE, PLAIN.edited(deployment__engine="mlx"), PLAIN),
    (K.KV_HEADS_REPLICATED, scenario("hybrid-35b", "fp8", "h200-nvl", **FOUR),
     scenario("hybrid-35b", "fp8", "h200-nvl", **SPLIT)),
    (K.KV_HEADS_REPLICATED, scenario("latent", "nvfp4", "hgx-h200-8", deployment__plan=Plan(tensor=8)),
     scenario("latent", "nvfp4", "hgx-h200-8", deployment__plan=Plan(pipeline=8))),
    (K.HEADS_NOT_DIVISIBLE, PLAIN.edited(deployment__count=3, deployment__plan=Plan(tensor=3)), PLAIN.edited(**SPLIT)),
    (K.CAPACITY_WITHOUT_BANDWIDTH, scenario("dense-70b", "fp8", "dgx-spark"),
     scenario("hybrid-35b", "nvfp4", "dgx-spark")),
    (K.CAPACITY_WITHOUT_BANDWIDTH, scenario("dense-70b", "fp8", "dgx-spark"), PLAIN),
    (K.PCIE_TENSOR_PARALLEL, CASES["tensor parallel over PCIe"], PLAIN.edited(**SPLIT)),
    (K.PCIE_TENSOR_PARALLEL, CASES["tensor parallel over PCIe"],
     CASES["tensor parallel over PCIe"].edited(deployment__plan=Plan(pipeline=2))),
    (K.SPARK_CLUSTER, CASES["two Sparks"], scenario("dense-70b", "nvfp4", "dgx-spark")),
    (K.SPARK_CLUSTER, scenario("dense-405b", "flat4", "dgx-spark", deployment__count=2), CASES["replicas"]),
    (K.MOE_ACTIVE_RESIDENT, CASES["hybrid mixture"], PLAIN),
    (K.ARTICLE_MODE, worked_example(), PLAIN),
    (K.TEXTBOOK_KV, CASES["hybrid mixture"], PLAIN),
    (K.TEXTBOOK_KV, CASES["windows"], worked_example()),
    (K.TEXTBOOK_WEIGHTS, CASES["hybrid mixture"], PLAIN),
    (K.RESERVED_BEYOND, CASES["windows"], PLAIN),
    (K.RESERVED_BEYOND, CASES["SGLang, hybrid"], CASES["MLX, hybrid"].edited(workload__context_tokens=65_536)),
    (K.CHECKPOINT_JUST_MISSES, CASES["two Sparks"], scenario("dense-70b", "flat4", "dgx-spark", mode=Mode.ARTICLE)),
    (K.CHECKPOINT_JUST_MISSES, CASES["two Sparks"].edited(mode=Mode.REAL, weights="nvfp4"),
     scenario("dense-70b", "nvfp4", "dgx-spark")),
    (K.PRICE_RANGE_WIDE, CASES["hybrid mixture"], PLAIN),
    (K.PRICE_RANGE_WIDE, CASES["hybrid mixture"], CASES["hybrid mixture"].edited(economics__price=Decimal(9000))),
    (K.PRICE_UNKNOWN, scenario("dense-70b", "fp8", "dgx-spark"), PLAIN),
    (K.CLOSE_TO_LIMIT, worked_example().edited(deployment__capacity_bytes=41_000_000_000), worked_example()),
    (K.COLLECTIVE_FALLBACK, CASES["tensor parallel over PCIe"].edited(
        deployment__count=4, deployment__plan=Plan(tensor=4)), CASES["tensor parallel over PCIe"]),
    (K.NO_DIRECT_EXCHANGE, CASES["experts without a direct way"], CASES["experts spread, attention whole"]),
    (K.EXPERTS_UNEVEN, CASES["experts spread, attention split"].edited(
        deployment__device="rtx-pro-6000-ws", deployment__count=3, deployment__plan=Plan(tensor=3, expert=3)),
     CASES["experts spread, attention split"]),
    (K.BUSIEST_ACCELERATOR, CASES["experts spread, attention split"], CASES["hybrid mixture"]),
    (K.HOST_MEMORY, CASES["experts in host memory"], CASES["llama.cpp mixture"]),
    (K.PREDICTION_LAYERS, CASES["hybrid mixture"], CASES["guessing with its own layers"]),
    (K.SPECULATION_UNCALIBRATED, CASES["guessing with its own layers"], CASES["hybrid with drafts"]),
    (K.OWN_MEASUREMENT, CASES["own measurements"], CASES["own measurements"].edited(deployment__engine="sglang")
     .edited(measurements=())),
    (K.QUEUE, worked_example().edited(workload__requests_at_once=6),
     worked_example().edited(workload__requests_at_once=5)),
]  # fmt: skip


def found(chosen: Scenario, kind: FindingKind, catalogue: Catalogue | None = None) -> Iterator[Finding]:
    sizing = size(chosen, catalogue or small_catalogue())
    for finding in sizing.findings:
        assert all(key in sizing.trace for key in finding.figures), finding
        if finding.kind is kind:
            yield finding


@pytest.mark.parametrize(("kind", "case", "counter_case"), RULES, ids=[f"{n} {r[0].name}" for n, r in enumerate(RULES)])
def test_a_rule_fires_and_is_silent(kind: FindingKind, case: Scenario, counter_case: Scenario) -> None:
    assert list(found(case, kind)), "silent"
    assert not list(found(counter_case, kind)), "fires in the counter case"


def test_every_rule_of_this_side_has_a_case() -> None:
    tested = {kind for kind, _, _ in RULES} | {K.MODEL_READ_WITH_WARNING, K.EVIDENCE_GENERIC, K.SPEED_UNKNOWN}
    assert tested == set(FindingKind)


def test_what_the_reader_was_not_sure_of() -> None:
    note = ReadingNote(NoteKind.ASSUMED_FIELD, "head_dim 128")
    noted = replace(blueprints()["dense-70b"], warnings=(note,))
    catalogue = small_catalogue(blueprints={"dense-70b": noted})
    assert [f.subject for f in found(PLAIN, K.MODEL_READ_WITH_WARNING, catalogue)] == ["assumed_field:head_dim 128"]
    assert not list(found(PLAIN, K.MODEL_READ_WITH_WARNING))


def test_fp4_of_another_kind_is_not_native(small: Catalogue) -> None:
    card = small.device("rtx-pro-6000-ws")
    for offered, silent in (("NVFP4/MXFP4", True), ("MXFP4 (also MXFP6); not NVFP4", False)):
        catalogue = small_catalogue(devices={card.id: card.model_copy(update={"fp4_format": offered})})
        assert (not list(found(CASES["hybrid mixture"], K.FORMAT_NOT_NATIVE, catalogue))) == silent


def test_a_device_of_which_no_rate_is_known_is_not_accused(small: Catalogue) -> None:
    card = small.device("h200-nvl")
    for rates in ({}, {"fp32": 6e13}):
        catalogue = small_catalogue(devices={card.id: card.model_copy(update={"peak_flops": rates})})
        situation = resolve(PLAIN.edited(weights="fp16"), catalogue)
        assert is_native(situation)
        assert is_native(replace(situation, weight_format=catalogue.weight_format("nvfp4"))) == (rates == {})


def test_warnings_come_first() -> None:
    weights = [f.weight for f in size(CASES["tensor parallel over PCIe"], small_catalogue()).findings]
    assert Weight.WARNING in weights
    assert weights == sorted(weights, key=lambda weight: weight is Weight.NOTE)


def test_405b_flat_fits_two_sparks_and_the_checkpoint_does_not() -> None:
    sizing = size(CASES["two Sparks"], small_catalogue())
    finding = next(f for f in sizing.findings if f.kind is K.CHECKPOINT_JUST_MISSES)
    published, usable, flat = (sizing.trace[key] for key in finding.figures)
    assert flat == pytest.approx(202.9e9, rel=1e-3)
    assert published == pytest.approx(234e9, rel=2e-3)
    assert usable == 232_000_000_000
    assert finding.subject == "NVFP4"


def test_why_the_articles_cache_does_not_apply() -> None:
    """The real model against a cache in every layer, and against the article's 48 layers of 4 heads of 128."""
    sizing = size(CASES["hybrid mixture"].edited(kv_format="fp16", workload__context_tokens=262_144), small_catalogue())
    finding = next(f for f in sizing.findings if f.kind is K.TEXTBOOK_KV)
    real, every_layer, article = (sizing.trace[key] for key in finding.figures[:3])
    assert (real, every_layer, article) == (20_480 * 262_144, 4 * 20_480 * 262_144, 25_769_803_776)
    assert finding_sentence(finding, sizing).startswith(
        "The article’s 24\u00a0GiB (25.8\u00a0GB) for one request do not apply"
    )


def test_the_memory_is_eleven_times_faster_than_the_cable() -> None:
    assert size(CASES["two Sparks"], small_catalogue()).trace["memory_to_link_ratio"] == 10.92
