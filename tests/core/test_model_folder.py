"""Folders of Hugging Face models: exact bytes beside the parameters that config.json makes."""

import json
from pathlib import Path
from typing import Any

import pytest
import safetensors

from core.architecture.blueprint import NoteKind, TensorClass
from core.architecture.config import read_config
from core.architecture.model_file import ModelSource, read_model
from core.errors import InvalidInput
from tests.core import checkpoint_models as models
from tests.core.gguf_models import config_of

LLAMA, QWEN_MOE, GPT_OSS = "meta-llama__Llama-3.1-8B-Instruct", "Qwen__Qwen3-30B-A3B", "openai__gpt-oss-20b"


def quantised_bytes(model: Any) -> int:
    bits = model.blueprint.quantisation.bits
    return sum(round(n * bits[kind] / 8) for kind, n in model.blueprint.parameters.items())


def test_single_file(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    total = models.write_folder(tmp_path / "m", config, models.dense(config))
    assert total == 16_060_522_496  # the published index says so
    model = read_model(tmp_path / "m")
    assert model.source is ModelSource.FOLDER
    assert model.weight_bytes == {kind: 2 * n for kind, n in read_config(config).parameters.items()}
    assert model.blueprint.parameters == read_config(config).parameters
    assert quantised_bytes(model) == total
    assert model.format_id == "bf16"
    assert model.notes == ()


def test_shards_of_many_experts(tmp_path: Path) -> None:
    config = config_of(QWEN_MOE)
    entries = models.mixture(config)
    assert len(entries) == 18_867  # as the published index has
    total = models.write_folder(tmp_path / "m", config, entries, shards=16)
    assert total == 61_064_245_248
    model = read_model(tmp_path / "m")
    assert sum((model.weight_bytes or {}).values()) == total
    assert model.blueprint.parameters == read_config(config).parameters
    assert model.notes == ()


def test_packed_experts_of_gpt_oss(tmp_path: Path) -> None:
    config = config_of(GPT_OSS)
    total = models.write_folder(tmp_path / "m", config, models.gpt_oss(config), shards=3)
    assert total == 13_761_264_768  # total_size of the published index
    model = read_model(tmp_path / "m")
    assert quantised_bytes(model) == total
    quantisation = model.blueprint.quantisation
    assert quantisation is not None
    assert quantisation.format_id == "mxfp4"
    assert quantisation.bits[TensorClass.EXPERT] == pytest.approx(4.25, rel=0.002)  # and biases in 16 bit
    assert quantisation.bits[TensorClass.ATTENTION] == 16
    assert model.notes == ()


QUANTISED = {
    "fp8": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, 8 + 16 / 128**2, "fp8"),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": 128}, 4.15625, "int4"),
    "packed": (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {
                "group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "group_size": 32, "type": "int"}}
            },
            "ignore": ["lm_head"],
        },
        4.5,
        "int4_g32",
    ),
}


@pytest.mark.parametrize("method", QUANTISED)
def test_packed_formats(method: str, tmp_path: Path) -> None:
    stated, bits, format_id = QUANTISED[method]
    config = config_of(LLAMA) | {"quantization_config": stated}
    total = models.write_folder(tmp_path / "m", config, models.quantised(models.dense(config), method))
    model = read_model(tmp_path / "m")
    quantisation = model.blueprint.quantisation
    assert quantisation is not None
    assert quantised_bytes(model) == total
    assert quantisation.format_id == format_id
    assert quantisation.bits[TensorClass.FEED_FORWARD] == pytest.approx(bits, rel=1e-5)
    assert quantisation.bits[TensorClass.HEAD] == 16
    assert model.notes == ()


def test_modelopt_config_beside(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    total = models.write_folder(tmp_path / "m", config, models.quantised(models.dense(config), "nvfp4"))
    stated = {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head"]}
    text = json.dumps({"producer": {"name": "modelopt"}, "quantization": stated})
    (tmp_path / "m" / "hf_quant_config.json").write_text(text, encoding="utf-8")
    model = read_model(tmp_path / "m")
    quantisation = model.blueprint.quantisation
    assert quantisation is not None
    assert (quantisation.method, quantisation.format_id) == ("modelopt", "nvfp4")
    assert quantised_bytes(model) == total
    assert quantisation.bits[TensorClass.FEED_FORWARD] == pytest.approx(4.5, rel=1e-5)
    assert model.notes == ()


def test_mlx(tmp_path: Path) -> None:
    config = config_of(LLAMA) | {"quantization": {"bits": 4, "group_size": 64}}
    total = models.write_folder(tmp_path / "m", config, models.quantised(models.dense(config), "mlx"))
    model = read_model(tmp_path / "m")
    quantisation = model.blueprint.quantisation
    assert quantisation is not None
    assert quantised_bytes(model) == total
    assert quantisation.format_id == "mlx4"
    assert quantisation.bits[TensorClass.EMBEDDING] == quantisation.bits[TensorClass.HEAD] == 4.5
    assert model.notes == ()


def test_head_that_is_stored_though_tied(tmp_path: Path) -> None:
    config = config_of("meta-llama__Llama-3.2-1B-Instruct")
    entries = models.dense(config) | {"lm_head.weight": ("BF16", (config["vocab_size"], config["hidden_size"]))}
    models.write_folder(tmp_path / "m", config, entries)
    model = read_model(tmp_path / "m")
    assert [note.kind for note in model.notes] == [NoteKind.STORED_TWICE]
    assert quantised_bytes(model) == 2 * read_config(config).total_parameters


def test_full_precision_is_loaded_in_half(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    entries: models.Entries = {name: ("F32", shape) for name, (_, shape) in models.dense(config).items()}
    models.write_folder(tmp_path / "m", config, entries)
    model = read_model(tmp_path / "m")
    assert [note.kind for note in model.notes] == [NoteKind.FULL_PRECISION]
    assert model.blueprint.quantisation is not None
    assert model.blueprint.quantisation.bits[TensorClass.FEED_FORWARD] == 16
    assert sum((model.weight_bytes or {}).values()) == 2 * 16_060_522_496


def test_files_that_hold_fewer_layers(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    entries = models.dense(config | {"num_hidden_layers": 16})
    models.write_folder(tmp_path / "m", config, entries)
    notes = read_model(tmp_path / "m").notes
    assert [note.kind for note in notes] == [NoteKind.FILES_DISAGREE]
    assert notes[0].subject.replace("\u202f", "") == "4540469248 / 8030261248"


def test_folder_without_weights(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    model = read_model(tmp_path)
    assert (model.source, model.weight_bytes, model.file_bytes) == (ModelSource.CONFIG, None, None)
    assert read_model(tmp_path / "config.json").blueprint == model.blueprint


def test_weight_file_and_index_lead_to_their_folder(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    models.write_folder(tmp_path / "m", config, models.dense(config), shards=2)
    whole = read_model(tmp_path / "m")
    for name in ("model.safetensors.index.json", "model-00002-of-00002.safetensors"):
        assert read_model(tmp_path / "m" / name) == whole


def test_headers_are_as_the_library_reads_them(tmp_path: Path) -> None:
    from core.architecture.safetensors import read_safetensors

    entries = models.gpt_oss(config_of(GPT_OSS))
    models.write_file(tmp_path / "m.safetensors", entries)
    found = {tensor.name: (tensor.dtype, list(tensor.shape)) for tensor in read_safetensors(tmp_path / "m.safetensors")}
    with safetensors.safe_open(tmp_path / "m.safetensors", "numpy") as opened:
        slices = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118
        assert found == {name: (one.get_dtype(), one.get_shape()) for name, one in slices.items()}


def test_missing_shard_is_named(tmp_path: Path) -> None:
    config = config_of(LLAMA)
    models.write_folder(tmp_path / "m", config, models.dense(config), shards=4)
    (tmp_path / "m" / "model-00003-of-00004.safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"of which model-00003-of-00004\.safetensors cannot be found in m\.$"):
        read_model(tmp_path / "m")
