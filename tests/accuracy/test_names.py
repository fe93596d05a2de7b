"""Repositories that the catalogue does not name."""

import pytest

from tests.accuracy.cases import shipped
from tests.accuracy.names import model_named_like, says_storage, says_text


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "meta-llama/Llama-3.3-70B-Instruct"),
        ("hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4", "meta-llama/Meta-Llama-3.1-405B"),
        ("RedHatAI/DeepSeek-R1-quantized.w4a16", "deepseek-ai/DeepSeek-R1"),
        ("someone/GLM-4.6-AWQ", "zai-org/GLM-4.6"),
        ("someone/Qwen3-30B-A3B-GPTQ-Int4", "Qwen/Qwen3-30B-A3B"),
        ("Qwen/Qwen2.5-Math-1.5B", "Qwen/Qwen2.5-1.5B-Instruct"),
        ("someone/Qwen3.6-27B-Something-Uncensored-NVFP4-MTP", "Qwen/Qwen3.6-27B"),
        ("someone/phi-4-AWQ", "microsoft/phi-4"),
    ],
)
def test_a_model_in_another_format(name: str, model: str) -> None:
    found = model_named_like(name, shipped())
    assert found is not None
    assert found.id == model


@pytest.mark.parametrize(
    "name",
    [
        "Qwen/Qwen2.5-Omni-7B-Instruct",
        "deepseek-ai/DeepSeek-R1-0999-Qwen3-8B",
        "cerebras/Qwen3-Coder-REAP-25B-A3B",
        "mistralai/Mistral-7B-Instruct-v0.4",
        "meta-llama/Llama-Guard-3-8B",
        "Qwen/Qwen3-8B-Embedding",
        "someone/Qwen3-8B-Draft-0.5B",
        "",
        "4bit",
    ],
)
def test_what_is_made_of_something_else(name: str) -> None:
    assert model_named_like(name, shipped()) is None


def test_what_a_name_says_of_the_file() -> None:
    assert says_storage("sakamakismile/Qwen3.6-27B-Text-NVFP4-MTP")
    assert not says_storage("google/gemma-4-26B-A4B-it")
    assert says_text("sakamakismile/Qwen3.6-27B-Text-NVFP4-MTP")
    assert not says_text("RedHatAI/Qwen3.6-27B-NVFP4")
    assert not says_text("someone/Text-Model-7B")
