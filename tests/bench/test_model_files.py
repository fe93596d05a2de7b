from pathlib import Path

import gguf
import pytest

from core.architecture.gguf import read_gguf
from core.architecture.model_file import read_model
from tests.bench.conftest import Measure
from tests.core import checkpoint_models, gguf_models

pytestmark = pytest.mark.bench


def test_header_of_a_large_vocabulary(tmp_path: Path, measure: Measure) -> None:
    path = tmp_path / "m.gguf"
    fields = {
        "tokenizer.ggml.tokens": [f"token{n}" for n in range(150_000)],
        "tokenizer.ggml.scores": [0.0] * 150_000,
        "tokenizer.ggml.token_type": [1] * 150_000,
        "tokenizer.ggml.merges": [f"tok en{n}" for n in range(280_000)],
    }
    config = gguf_models.config_of("Qwen__Qwen3-30B-A3B")
    architecture, more, tensors = gguf_models.qwen3(config)
    gguf_models.write(path, architecture, fields | more, tensors, gguf.GGMLQuantizationType.Q4_K)
    measure("GGUF header with 150,000 tokens", 0.5, lambda: read_gguf(path), repeats=20)
    measure("the same, to a blueprint", 0.5, lambda: read_model(path), repeats=20)


def test_headers_of_many_experts(tmp_path: Path, measure: Measure) -> None:
    config = gguf_models.config_of("Qwen__Qwen3-30B-A3B")
    folder = tmp_path / "m"
    checkpoint_models.write_folder(folder, config, checkpoint_models.mixture(config), shards=16)
    measure("16 safetensors headers with 18,867 tensors", 0.5, lambda: read_model(folder), repeats=5)
