"""Each rule fires where it should and is silent where it should be."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from core.architecture.blueprint import NoteKind, ReadingNote
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Price
from core.language.findings import finding_sentence
from core.language.numbers import current
from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario, Workload
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.findings import RULES as ALL_RULES
from core.sizing.levers import levers
from core.sizing.report import Finding, FindingKind, Weight
from core.sizing.resolution import resolve
from core.sizing.rules.formats import is_native
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.small_catalogue import blueprints, small_catalogue
from tests.shipped import shipped

K = FindingKind
PLAIN = scenario("dense-70b", "fp8", "h200-nvl", workload__context_tokens=8192)
SPLIT: dict[str, Any] = {"deployment__count": 2, "deployment__plan": Plan(tensor=2)}
FOUR: dict[str, Any] = {"deployment__count": 4, "deployment__plan": Plan(tensor=4)}

LARGE = scenario("dense-405b", "fp8", "hgx-h200-8", deployment__plan=Plan(tensor=8))
COPIES = CASES["replicas"].edited(workload__requests_at_once=12)
LONG = worked_example().edited(workload__context_tokens=131_072, workload__requests_at_once=8)
FAR = scenario("latent", "fp8", "hgx-h200-8", deployment__nodes=2, deployment__plan=Plan(tensor=8, pipeline=2))
BOTH = worked_example().edited(deployment__count=2)
#: A hybrid with room for fewer states than vLLM prepares for.
TIGHT = CASES["hybrid mixture"].edited(deployment__capacity_bytes=32_000_000_000)
#: The config of this checkpoint asks for a cache in 8 bit.
ASKING = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", kv_format="fp16")
NGRAMS = scenario("ngrams", "fp16", "h200-nvl")
SPLIT_SMALL = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws", **SPLIT)

# kind, a scenario in which it is found, one in which it is not
RULES: list[tuple[FindingKind, Scenario, Scenario]] = [
    (K.SECOND_TIER, CASES["second tier"], scenario("dense-70b", "fp8", "dgx-station")),
    (K.BEYOND_TRAINED_CONTEXT, PLAIN.edited(workload__context_tokens=131_073),
     PLAIN.edited(workload__context_tokens=131_072)),
    (K.WEIGHT_ONLY_FORMAT, PLAIN.edited(weights="nvfp4"), PLAIN),
    (K.ENGINE_WITHOUT_FORMAT, PLAIN.edited(weights="q4_k_m"), PLAIN),
    (K.ENGINE_WITHOUT_FORMAT, PLAIN.edited(weights="fp16", kv_format="fp8", deployment__engine="llama.cpp"),
     PLAIN.edited(weights="fp16", kv_format="fp16", deployment__engine="llama.cpp")),
    (K.ENGINE_WITHOUT_DEVICE, PLAIN.edited(deployment__engine="mlx"), PLAIN),
    (K.KV_HEADS_REPLICATED, scenario("hybrid-35b", "fp8", "h200-nvl", **FOUR),
     scenario("hybrid-35b", "fp8", "h200-nvl", **SPLIT)),
    (K.MLA_REPLICATED, scenario("latent", "nvfp4", "hgx-h200-8", deployment__plan=Plan(tensor=8)),
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
    (K.IMAGES_LEFT_OUT, CASES["MLX, hybrid"], CASES["MLX, windows"]),
    (K.IMAGES_LEFT_OUT, CASES["MLX, hybrid"], CASES["hybrid mixture"]),
    (K.NGRAMS_ON_HOST, NGRAMS, NGRAMS.edited(deployment__engine="sglang")),
    (K.NGRAMS_ON_HOST, NGRAMS.edited(deployment__engine="llama.cpp"), NGRAMS.edited(deployment__device="dgx-spark")),
    (K.NGRAMS_ON_HOST, NGRAMS, PLAIN),
    (K.SPECULATION_UNCALIBRATED, CASES["guessing with its own layers"], CASES["hybrid with drafts"]),
    (K.OWN_MEASUREMENT, CASES["own measurements"], CASES["own measurements"].edited(deployment__engine="sglang")
     .edited(measurements=())),
    (K.QUEUE, worked_example().edited(workload__requests_at_once=6),
     worked_example().edited(workload__requests_at_once=5)),
    # the article's rules
    (K.SINGLE_GPU, CASES["hybrid mixture"], CASES["does not fit"]),
    (K.SINGLE_GPU, CASES["hybrid mixture"], CASES["replicas"]),
    (K.SINGLE_GPU, CASES["hybrid mixture"], CASES["second tier"]),
    (K.LATENCY_SXM_TP, LARGE, scenario("dense-70b", "fp8", "hgx-h200-8", deployment__plan=Plan(tensor=8))),
    (K.LATENCY_SXM_TP, LARGE, LARGE.edited(workload__requests_at_once=64)),
    (K.LATENCY_SXM_TP, LARGE, CASES["tensor parallel over PCIe"]),
    (K.THROUGHPUT_REPLICAS_PIPELINE, COPIES, COPIES.edited(workload__requests_at_once=2)),
    (K.THROUGHPUT_REPLICAS_PIPELINE, COPIES, CASES["tensor parallel over PCIe"].edited(workload__requests_at_once=8)),
    (K.LONG_CONTEXT_BANDWIDTH, LONG, LONG.edited(workload__context_tokens=4096)),
    (K.TP_INSIDE_PP_BETWEEN, FAR, FAR.edited(deployment__nodes=1, deployment__plan=Plan(tensor=8))),
    (K.TP_INSIDE_PP_BETWEEN, FAR, FAR.edited(deployment__plan=Plan(tensor=16))),
    (K.CO_LOCATE, CASES["hybrid mixture"], CASES["hybrid mixture"].edited(companions=())),
    (K.CO_LOCATE, worked_example().edited(workload__requests_at_once=5),
     worked_example().edited(workload__requests_at_once=6)),
    (K.SPLIT_RETRIEVAL, BOTH.edited(workload__requests_at_once=12), BOTH.edited(workload__requests_at_once=10)),
    (K.SPLIT_RETRIEVAL, BOTH.edited(workload__requests_at_once=12),
     BOTH.edited(workload__requests_at_once=12, companions=())),
    # traps
    (K.TP_WITHOUT_NEED, SPLIT_SMALL, SPLIT_SMALL.edited(deployment__plan=Plan(replicas=2))),
    (K.TP_WITHOUT_NEED, SPLIT_SMALL, scenario("dense-405b", "nvfp4", "rtx-pro-6000-ws", deployment__count=4,
                                              deployment__plan=Plan(tensor=4))),
    (K.SXM_MESH_UNUSED, scenario("dense-70b", "fp8", "hgx-h200-8", deployment__plan=Plan(replicas=8)),
     scenario("dense-70b", "fp8", "hgx-h200-8", deployment__plan=Plan(tensor=8))),
    (K.SXM_MESH_UNUSED, scenario("dense-70b", "fp8", "hgx-h200-8", deployment__plan=Plan(replicas=8)), PLAIN),
    (K.HYBRID_HOLDS_LESS, CASES["hybrid mixture"], PLAIN),
    (K.WINDOWS_HOLD_LESS, CASES["windows"], CASES["windows"].edited(workload__context_tokens=1024)),
    (K.LATENT_HOLDS_LESS, CASES["latent, copied on every rank"], PLAIN),
    (K.RECURRENT_STATE, CASES["hybrid mixture"], PLAIN),
    (K.SPARSE_FLOPS, PLAIN.edited(deployment__device="sparse-sheet"), PLAIN),
    (K.BIDIRECTIONAL_LINK, CASES["tensor parallel over PCIe"], CASES["replicas"]),
    (K.CARD_LABEL, CASES["hybrid mixture"], worked_example()),
    (K.ENGINE_SHARE, CASES["does not fit"], CASES["does not fit"].edited(deployment__memory_share=1.0)),
    (K.ENGINE_SHARE, CASES["does not fit"], CASES["hybrid mixture"]),
    (K.CACHE_OF_CHECKPOINT, ASKING, ASKING.edited(kv_format="fp8")),
    (K.CACHE_OF_CHECKPOINT, ASKING, ASKING.edited(deployment__release="0.13")),
    (K.CACHE_OF_CHECKPOINT, ASKING, ASKING.edited(weights="fp8")),
    (K.CACHE_OF_CHECKPOINT, ASKING, ASKING.edited(deployment__engine="sglang")),
    (K.CACHE_KEEPS_ITS_FORMAT, ASKING.edited(deployment__engine="sglang"), ASKING),
    (K.STATE_BLOCKS, TIGHT, TIGHT.edited(deployment__max_requests=16)),
    (K.STATE_BLOCKS, TIGHT.edited(deployment__max_requests=600), TIGHT.edited(deployment__release="0.19")),
    (K.STATE_BLOCKS, TIGHT, TIGHT.edited(deployment__graphs=False)),
    (K.STATE_BLOCKS, TIGHT, CASES["hybrid mixture"].edited(deployment__max_requests=64)),
    # causes
    (K.DENSE_READS_ALL, PLAIN, CASES["hybrid mixture"]),
    (K.MOE_READS_FEW, CASES["hybrid mixture"], PLAIN),
    (K.KV_QUANTISED, PLAIN.edited(kv_format="fp8"), PLAIN.edited(kv_format="fp16")),
    (K.GROUPED_HEADS, PLAIN, CASES["latent, copied on every rank"]),
    (K.CACHE_KEEPS_ITS_FORMAT, PLAIN.edited(kv_format="fp16"), PLAIN.edited(kv_format="fp8")),
    (K.CACHE_KEEPS_ITS_FORMAT, PLAIN.edited(kv_format="fp16"), PLAIN.edited(weights="fp16", kv_format="fp16")),
    (K.CONTEXT_IN_USE, PLAIN.edited(workload__context_tokens=65_536), PLAIN.edited(workload__context_tokens=65_537)),
    (K.ENGINE_TAKES_ITS_SHARE, CASES["hybrid mixture"], CASES["llama.cpp mixture"]),
    (K.ATTENTION_REPLICAS_FULL_CACHE, CASES["experts spread, attention whole"],
     CASES["experts spread, attention split"]),
    (K.PIPELINE_SAME_LATENCY, CASES["hybrid in stages"], CASES["replicas"]),
    (K.MACHINES_SHARE_READS, FAR.edited(deployment__plan=Plan(tensor=16)), FAR),
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


#: Rules with a test of their own below, or on the speed side.
APART = {
    K.MODEL_READ_WITH_WARNING, K.EVIDENCE_GENERIC, K.SPEED_UNKNOWN, K.CAPACITY_UNIFIED_MEMORY, K.STATE_CHECKPOINTS,
    K.ACTIVATION_PEAK, K.GUARD, K.WORKSPACE_GROWS,
}  # fmt: skip


def test_every_rule_has_a_case() -> None:
    assert {kind for kind, _, _ in RULES} | APART == set(FindingKind)


def test_every_kind_has_one_rule_that_says_where_it_comes_from() -> None:
    kinds = [rule.kind for rule in ALL_RULES]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == set(FindingKind) - {K.EVIDENCE_GENERIC, K.SPEED_UNKNOWN, K.GUARD}
    for rule in ALL_RULES:
        assert rule.lines or rule.source, rule.kind
        assert rule.says.endswith("."), rule.kind
        assert all(3 <= line <= 66 for line in rule.lines), rule.kind


def test_a_rule_of_the_article_names_its_line() -> None:
    for rule in ALL_RULES:
        if rule.kind.value.startswith("rule."):
            assert rule.lines, rule.kind


def test_unified_memory_against_the_cheapest_card_that_holds_as_much() -> None:
    """96 GB cards from 8,565, 141 GB cards from 30,000: a Spark for 4,000 is the cheaper way to 110 GB."""
    spark = (
        small_catalogue().device("dgx-spark").model_copy(update={"price": Price(low=Decimal(4000), high=Decimal(5000))})
    )
    catalogue = small_catalogue(devices={"dgx-spark": spark})
    chosen = scenario("dense-70b", "fp8", "dgx-spark", workload__requests_at_once=11)
    finding = next(found(chosen, K.CAPACITY_UNIFIED_MEMORY, catalogue))
    assert finding.subject == "H200 NVL"
    trace = size(chosen, catalogue).trace
    assert [trace[key] for key in finding.figures] == [116_000_000_000, 4000, 30_000]
    assert not list(found(chosen.edited(economics__price=31_000), K.CAPACITY_UNIFIED_MEMORY, catalogue))
    assert not list(found(chosen, K.CAPACITY_UNIFIED_MEMORY)), "no price, nothing to say"
    small_card = catalogue.device("h200-nvl").model_copy(update={"price": Price(low=Decimal(900), high=Decimal(900))})
    cheaper = small_catalogue(devices={"dgx-spark": spark, small_card.id: small_card})
    assert not list(found(chosen, K.CAPACITY_UNIFIED_MEMORY, cheaper))


def test_retrieval_on_a_card_of_its_own_makes_room_for_a_pipeline() -> None:
    """Two cards of 96 GB: beside the companions 2 x 5 requests; without them a pipeline holds 12."""
    sizing = size(BOTH.edited(workload__requests_at_once=12), small_catalogue())
    finding = next(f for f in sizing.findings if f.kind is K.SPLIT_RETRIEVAL)
    assert [sizing.trace[key] for key in finding.figures] == [10, 12, 12]
    assert sizing.trace.reevaluate("apart.max_concurrency") == 12


def test_states_at_block_boundaries_and_the_peak_of_a_prompt(catalogue: Catalogue) -> None:
    hybrid = worked_example_in_reality()
    plain = hybrid.edited(deployment__prefix_caching=False, deployment__prefill_chunk=16)
    cached = hybrid.edited(deployment__prefix_caching=True, deployment__runtime_bytes=None)
    cached = cached.edited(deployment__prefill_chunk=65_536)
    for kind in (K.STATE_CHECKPOINTS, K.ACTIVATION_PEAK):
        assert list(found(cached, kind, catalogue)), kind
        assert not list(found(plain, kind, catalogue)), kind


def test_scores_of_attention_outgrow_the_cache_on_a_mac(catalogue: Catalogue) -> None:
    """Heads of 256 have no kernel in tiles; those of 128 have, unless the cache is quantised."""
    mac = worked_example_in_reality().edited(
        deployment__device="mac-studio-m4-max-128",
        deployment__engine="mlx",
        deployment__runtime_bytes=None,
        weights="mlx4",
        kv_format="fp16",
        companions=(),
    )
    finding = next(found(mac, K.WORKSPACE_GROWS, catalogue))
    trace = size(mac, catalogue).trace
    assert trace[finding.figures[0]] > trace[finding.figures[1]]
    tiled = mac.edited(model__id="Qwen/Qwen3-32B")
    assert not list(found(tiled, K.WORKSPACE_GROWS, catalogue))
    assert list(found(tiled.edited(kv_format="mlx4"), K.WORKSPACE_GROWS, catalogue))


def test_the_power_of_the_mesh_against_the_card_for_pcie(catalogue: Catalogue) -> None:
    chosen = worked_example_in_reality().edited(deployment__device="h100-sxm")
    sizing = size(chosen, catalogue)
    finding = next(f for f in sizing.findings if f.kind is K.SXM_MESH_UNUSED)
    assert "H100" in finding.subject
    assert [sizing.trace[key] for key in finding.figures[1:3]] in ([700, 350], [700, 400])


def test_the_price_of_the_mesh_against_the_card_for_pcie(catalogue: Catalogue) -> None:
    """Each accelerator's part of the quotes: their geometric middle over the accelerators of a device."""
    chosen = worked_example_in_reality().edited(deployment__device="hgx-h100-8", deployment__plan=Plan(replicas=8))
    sizing = size(chosen, catalogue)
    finding = next(f for f in sizing.findings if f.kind is K.SXM_MESH_UNUSED)
    quotes = catalogue.devices["hgx-h100-8"].price
    assert quotes is not None
    assert float(sizing.trace["mesh.price_each"]) == pytest.approx(float(quotes.low * quotes.high) ** 0.5 / 8)
    assert finding.figures[3:] == ("mesh.price_each", "card.price_each")
    said = finding_sentence(finding, sizing)
    for key in finding.figures[3:]:
        assert current().money(sizing.trace[key], "USD") in said


def test_a_card_for_pcie_at_the_same_price_is_no_saving(catalogue: Catalogue) -> None:
    sizing = size(worked_example_in_reality().edited(deployment__device="h100-sxm"), catalogue)
    finding = next(f for f in sizing.findings if f.kind is K.SXM_MESH_UNUSED)
    assert sizing.trace["card.price_each"] >= sizing.trace["mesh.price_each"]
    assert "card.price_each" not in finding.figures


def test_tensor_parallelism_over_two_sparks_is_not_said_to_bring_nothing(catalogue: Catalogue) -> None:
    two = worked_example_in_reality().edited(deployment__device="dgx-spark", deployment__count=2, companions=())
    said = {}
    for plan in (Plan(tensor=2), Plan(pipeline=2)):
        sizing = size(two.edited(deployment__plan=plan), catalogue)
        said[plan] = [finding_sentence(f, sizing) for f in sizing.findings if f.kind is K.SPARK_CLUSTER]
    split, row = said.values()
    assert "no faster" in row[0]
    assert "no faster" not in split[0]


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
        assert (not list(found(CASES["hybrid mixture"], K.WEIGHT_ONLY_FORMAT, catalogue))) == silent


def test_a_device_of_which_no_rate_is_known_is_not_accused(small: Catalogue) -> None:
    card = small.device("h200-nvl")
    for rates in ({}, {"fp32": 6e13}):
        catalogue = small_catalogue(devices={card.id: card.model_copy(update={"peak_flops": rates})})
        situation = resolve(PLAIN.edited(weights="fp16"), catalogue)
        assert is_native(situation.setup)
        assert is_native(replace(situation.setup, weight_format=catalogue.weight_format("nvfp4"))) == (rates == {})


def test_warnings_come_first() -> None:
    weights = [f.weight for f in size(CASES["tensor parallel over PCIe"], small_catalogue()).findings]
    assert set(weights) == set(Weight)
    assert weights == sorted(weights, key=list(Weight).index)


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


@pytest.mark.parametrize("name", CASES)
def test_rules_hold_their_numbers_where_the_speed_is_unknown(name: str) -> None:
    """A device without a computing rate: memory is told all the same, and no rule asks for a figure that is missing."""
    chosen = CASES[name]
    device = small_catalogue().device(chosen.deployment.device)
    catalogue = small_catalogue(devices={device.id: device.model_copy(update={"peak_flops": {}})})
    sizing = size(chosen, catalogue)
    assert K.SPEED_UNKNOWN in {finding.kind for finding in sizing.findings}
    for finding in sizing.findings:
        assert all(key in sizing.trace for key in finding.figures), finding
        assert finding_sentence(finding, sizing)
    assert all(lever.gains for lever in levers(sizing, catalogue) if not lever.makes_it_fit)


def test_without_graphs_nothing_is_said_of_blocks_for_states() -> None:
    """Ports of vLLM that record none (TPU, Metal, CPU) do not refuse."""
    blocks = {}
    for device in ("h100-pcie", "tpu-v6e", "epyc-9005-2s"):
        hybrid = Scenario(
            model=CatalogueModel(id="ibm-granite/granite-4.0-h-tiny"),
            weights="bf16",
            workload=Workload(requests_at_once=1, context_tokens=8192),
            deployment=Deployment(device=device, max_requests=1_000_000),
        )
        sizing = size(hybrid, shipped())
        blocks[device] = sizing.trace["kv_pool.blocks"] < 1_000_000
        assert (K.STATE_BLOCKS in {finding.kind for finding in sizing.findings}) is (device == "h100-pcie"), device
    assert all(blocks.values())
