"""Rows that do not divide into blocks of 256 make a GGUF file larger: printed sizes of files say by how much."""

import pytest

from core.architecture.blueprint import TensorClass
from core.catalogue import gguf_rows
from core.catalogue.catalogue import Catalogue
from core.catalogue.precision import compose_bits, file_bytes
from core.units import GIB

#: Model, mixture, size that llama.cpp prints [GiB]: experts of 1,408 and 704, then widths that divide.
PRINTED = [
    ("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "Q4_K_M", 9.649),
    ("google/gemma-4-26B-A4B", "Q4_K_M", 15.628),
    ("meta-llama/Llama-3.1-8B-Instruct", "Q4_K_M", 4.58),
    ("Qwen/Qwen3.8-27B", "Q3_K_M", 12.38),
]


@pytest.mark.parametrize(("model", "mixture", "gib"), PRINTED)
def test_printed_sizes(catalogue: Catalogue, model: str, mixture: str, gib: float) -> None:
    blueprint = catalogue.blueprint(catalogue.model(model))
    bits = compose_bits(catalogue.weight_format(mixture), blueprint)
    absent = (TensorClass.VISION, TensorClass.MTP)
    held: dict[TensorClass, int] = {k: n for k, n in blueprint.parameters.items() if k not in absent}
    assert file_bytes(bits, held) / GIB == pytest.approx(gib, rel=0.003)


def test_only_odd_rows_are_wider(catalogue: Catalogue) -> None:
    even = catalogue.blueprint(catalogue.model("meta-llama/Llama-3.1-8B-Instruct"))
    odd = catalogue.blueprint(catalogue.model("google/gemma-4-26B-A4B"))
    assert list(gguf_rows.widened("Q4_K_M", even)) == []
    assert {kind for kind, _ in gguf_rows.widened("Q4_K_M", odd)} == {TensorClass.FEED_FORWARD, TensorClass.EXPERT}
    assert list(gguf_rows.widened("Q8_0", odd)) == []


def test_a_model_whose_width_is_odd_is_wider_everywhere(catalogue: Catalogue) -> None:
    gpt_oss = catalogue.blueprint(catalogue.model("openai/gpt-oss-20b"))
    usual, bits = catalogue.weight_format("Q4_K_M"), compose_bits(catalogue.weight_format("Q4_K_M"), gpt_oss)
    assert bits[TensorClass.HEAD] == 8.5
    assert bits[TensorClass.EMBEDDING] == 5.5
    assert bits[TensorClass.ATTENTION] > usual.bits + 0.5
    older = compose_bits(catalogue.weight_format("Q4_0"), gpt_oss)
    assert (older[TensorClass.HEAD], older[TensorClass.EMBEDDING]) == (8.5, 4.5)


@pytest.mark.parametrize(("name", "gb"), [("Q4_K_M", 62.8), ("Q8_0", 63.4)])
def test_experts_trained_in_mxfp4_stay_in_it(catalogue: Catalogue, name: str, gb: float) -> None:
    """Published: 63.4 GB in "Q8_0" as in MXFP4 (AlexsJones/llmfit#1059).

    By hand: 114,701,598,720 of experts at 4.254 bit make 60.99 GB; 2 x 579,133,440 of words and 955,514,880 of
    attention at 8.5 bit make 2.25 GB, routers and norms in 32 bit 0.06.
    """
    model = catalogue.model("openai/gpt-oss-120b")
    blueprint, bits = catalogue.blueprint(model), catalogue.bits(model.id, catalogue.weight_format(name))
    assert bits[TensorClass.EXPERT] == pytest.approx(4.254, rel=0.001)
    assert file_bytes(bits, blueprint.parameters) / 1e9 == pytest.approx(gb, rel=0.003)
