"""Directions that must come out, each beside the public source that says so; by the shipped catalogue.

Sources
-------
sparks      eugr/spark-vllm-docker, issue 8 (2026-01): a dense 32B in FP8 on one DGX Spark and on two with TP
network     NVIDIA/dgx-spark-playbooks, issue 25 and pull request 103 (2026): 200 Gb/s between two Sparks
capacity    NVIDIA, "DGX Spark", product page (2025): two joined Sparks hold models of up to 405 billion parameters
exchange    aiconfigurator, operator tables of all-reduces ((c) NVIDIA Corporation & Affiliates, Apache-2.0, 2026)
scaling     Pope et al., "Efficiently Scaling Transformer Inference" (2022), section 4: weights are read by all chips at
            once, so latency falls with their number until the exchange, which does not fall, takes over
marlin      djangodevreng/dgx-spark-benchmarks (2026-08): vLLM with Marlin kernels, prompts of FP8 and BF16 models
cards       XiongjieDai/GPU-Benchmarks-on-LLM-Inference (2024-05): Llama 3 8B Q4_K_M, one user, many cards
"""

from typing import Any

import pytest

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.report import Sizing
from core.sizing.size import size

L70, L405, Q32 = "meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Meta-Llama-3.1-405B", "Qwen/Qwen3-32B"


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


def sized(shipped: Catalogue, model: str, weights: str, device: str, **changes: Any) -> Sizing:
    base = Scenario(
        model=CatalogueModel(id=model),
        weights=weights,
        workload=Workload(requests_at_once=1, prompt_tokens=1024, output_tokens=512, context_tokens=1536),
        deployment=Deployment(device=device, engine="vllm"),
    )
    return size(base.edited(**changes), shipped)


def split(device: str, ranks: int, **plan: int) -> dict[str, Any]:
    return {"deployment__device": device, "deployment__count": ranks, "deployment__plan": Plan(**plan)}


def sparks(**plan: int) -> dict[str, Any]:
    return {"deployment__count": 1, "deployment__nodes": 2, "deployment__plan": Plan(**plan)}


def test_two_sparks_with_tensor_parallelism_speed_up_one_request_and_never_double_it(shipped: Catalogue) -> None:
    """sparks: 7 tok/s on one and 12 on two, a factor of 1.71."""
    one = sized(shipped, Q32, "fp8", "dgx-spark").trace["decode_tok_s"]
    two = sized(shipped, Q32, "fp8", "dgx-spark", **sparks(tensor=2)).trace["decode_tok_s"]
    assert 1.05 < two / one < 1.95


@pytest.mark.parametrize(("network", "stages_do_more"), [("dgx-spark-cx7", False), ("ethernet-100g", True)])
def test_two_sparks_in_batch_go_by_their_network(shipped: Catalogue, network: str, stages_do_more: bool) -> None:
    """network: about 24 GB/s one way. A pipeline hands over once; an exchange in each layer wants the whole cable.

    By hand, chunks of 8,192 tokens: 84 MB for each of 128 exchanges, 0.5 s at 24 GB/s and 1 s at half of it, beside
    1.8 s of arithmetic at 150 TFLOP/s on each of two; a pipeline idles while its first stage reads alone.
    """
    work = {"workload__requests_at_once": 64, "workload__prompt_tokens": 4096, "workload__context_tokens": 4608}
    batch: dict[str, Any] = {**work, "deployment__link": network}
    tensor = sized(shipped, Q32, "fp8", "dgx-spark", **batch, **sparks(tensor=2)).trace["output_tok_s_total"]
    stages = sized(shipped, Q32, "fp8", "dgx-spark", **batch, **sparks(pipeline=2)).trace["output_tok_s_total"]
    assert (stages > tensor) is stages_do_more
    assert tensor == pytest.approx(stages, rel=0.15)


def test_two_sparks_double_the_capacity(shipped: Catalogue) -> None:
    """capacity: the memory of both counts, whatever the plan."""
    one = sized(shipped, Q32, "fp8", "dgx-spark")
    two = sized(shipped, Q32, "fp8", "dgx-spark", **sparks(pipeline=2))
    assert two.trace["memory.capacity_bytes"] == 2 * one.trace["memory.capacity_bytes"]


@pytest.mark.parametrize(("ranks", "least", "most"), [(2, 0.01, 0.14), (4, 0.03, 0.30), (8, 0.15, 0.45)])
def test_shares_of_exchange_without_a_bridge_and_on_a_mesh(
    shipped: Catalogue, ranks: int, least: float, most: float
) -> None:
    """exchange: PCIe 5 starts after 4.6 to 25 us, NVLink 4 after 4.2 to 5; ranges as in article.toml, a64, a79, a80."""
    shares = {}
    for device in ("rtx-pro-6000-server", "h200-sxm"):
        for requests in (1, 64):
            sizing = sized(
                shipped, L70, "fp8", device, **split(device, ranks, tensor=ranks), workload__requests_at_once=requests
            )
            shares[device, requests] = float(sizing.trace["all_reduce_share"])
    assert least <= shares["rtx-pro-6000-server", 1] <= most
    assert shares["rtx-pro-6000-server", 64] > shares["rtx-pro-6000-server", 1]
    assert shares["h200-sxm", 64] >= shares["h200-sxm", 1]


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_a_mesh_needs_at_most_a_third_of_the_exchange_over_pcie_by_link_data_alone(
    shipped: Catalogue, ranks: int
) -> None:
    """exchange: start and bus rate of both links, for the messages of 64 requests."""
    seconds = []
    for device in ("rtx-pro-6000-server", "h200-sxm"):
        trace = sized(
            shipped, L70, "fp8", device, **split(device, ranks, tensor=ranks), workload__requests_at_once=64
        ).trace
        start, bus = trace["all_reduce.alpha_s"], trace["all_reduce.bus_bytes_per_s"]
        seconds.append(start + 2 * (ranks - 1) / ranks * 64 * 8192 * 2 / bus)
    over_pcie, on_a_mesh = seconds
    assert on_a_mesh <= over_pcie / 3


def test_eight_cards_on_a_mesh_are_much_faster_than_four_with_a_large_dense_model(shipped: Catalogue) -> None:
    """scaling: reading 405B takes so long that the exchange over NVLink stays the smaller part."""
    four, eight = (
        sized(shipped, L405, "fp8", "h200-sxm", **split("h200-sxm", ranks, tensor=ranks)).trace for ranks in (4, 8)
    )
    assert 1.4 < eight["decode_tok_s"] / four["decode_tok_s"] < 2.0
    assert eight["all_reduce_share"] < 0.35


def test_prompts_are_shorter_with_native_units_and_not_with_a_weight_only_format(shipped: Catalogue) -> None:
    """marlin: 27B in FP8 through Marlin reads prompts at 620 tok/s, in BF16 at 1,198: conversion saves no time."""
    long = {"workload__prompt_tokens": 8192, "workload__context_tokens": 8704}
    wide, fp8, fp4, converted = (
        float(sized(shipped, L70, weights, "b200-sxm", **long).trace["prefill_step_s"])
        for weights in ("bf16", "fp8", "nvfp4", "int4")
    )
    assert fp4 < fp8 < 0.8 * wide
    assert converted > 0.9 * wide


def test_a_factor_of_thirty_in_bandwidth_shows_in_decode(shipped: Catalogue) -> None:
    """cards: 8B Q4_K_M writes 131 tok/s on an RTX 4090 (1,008 GB/s) and 36 on an M1 Max (400), in that proportion."""
    slow, fast = (
        sized(shipped, L70, "fp8", device, deployment__engine="vllm").trace for device in ("dgx-spark", "b200-sxm")
    )
    ratio = fast["memory_bandwidth_bytes_per_s"] / slow["memory_bandwidth_bytes_per_s"]
    assert ratio > 25
    assert 0.5 * ratio < fast["decode_tok_s"] / slow["decode_tok_s"] < 1.3 * ratio
