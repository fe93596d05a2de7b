"""Explain's lines: which layers hold a cache, which a state, with the formula and its numbers."""

import pytest

from core.language.layers import ABOUT_LAYERS, layer_lines
from core.language.messages import LANGUAGES, in_language
from core.language.numbers import current
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.shipped import shipped

SHIPPED = shipped()


def sized(model: str, weights: str = "fp8") -> Sizing:
    scenario = Scenario(
        model=CatalogueModel(id=model),
        weights=weights,
        kv_format="fp8",
        workload=Workload(requests_at_once=1, prompt_tokens=1000, output_tokens=1, context_tokens=8192),
        deployment=Deployment(device="h200-sxm", count=8, engine="vllm"),
    )
    return size(scenario, SHIPPED)


def lines(model: str, weights: str = "fp8") -> list[str]:
    return [line.replace("\u00a0", " ") for line in layer_lines(sized(model, weights), current())]


def test_a_hybrid_holds_caches_and_states() -> None:
    cache, state = lines("Qwen/Qwen3.6-35B-A3B")
    assert cache.startswith("10 of 40 layers keep keys and values of every token: 10 × 2 × (256 + 256) × 1 = 10,240")
    assert state.startswith("30 of 40 layers keep a state, whatever the length:")
    assert "64,389,120 B per request" in state


def test_windows_and_layers_that_keep_nothing() -> None:
    window, full = lines("google/gemma-3-27b-it")
    assert window.startswith("52 of 62 layers keep keys and values of the last 1,024 tokens")
    assert full.startswith("10 of 62 layers keep keys and values of every token")
    assert lines("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "bf16")[-1] == "23 of 52 layers keep nothing."


def test_latent_shared_and_compressed_caches() -> None:
    assert lines("deepseek-ai/DeepSeek-R1")[0].startswith(
        "61 of 61 layers keep one latent vector of every token: 61 × 576"
    )
    assert "20 of 35 layers read the cache of another." in lines("google/gemma-4-E2B-it", "bf16")
    only, *compressed = lines("deepseek-ai/DeepSeek-V4-Flash")
    assert only == "2 of 43 layers keep 128 tokens and nothing that grows."
    assert all("keep 128 tokens and compressed vectors" in line for line in compressed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_layers_has_its_words(language: str) -> None:
    with in_language(language):
        for model in ("Qwen/Qwen3.6-35B-A3B", "google/gemma-3-27b-it", "meta-llama/Llama-4-Scout-17B-16E-Instruct"):
            found = list(layer_lines(sized(model), current()))
            assert found
            assert all("{" not in line for line in found)


def test_the_figures_are_those_of_a_trace() -> None:
    trace = sized("Qwen/Qwen3.6-35B-A3B").trace
    assert [key for key in ABOUT_LAYERS if key not in trace] == []
