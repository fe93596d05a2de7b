"""Models read from files, on their way into the user's catalogue and back."""

import json
from dataclasses import replace
from math import ceil
from pathlib import Path

import gguf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.architecture.gguf import read_gguf
from core.architecture.model_file import ImportedModel, read_model
from core.architecture.plausible import impossible
from core.architecture.weight_bits import exact_bits
from core.catalogue.catalogue import Catalogue
from core.catalogue.imported import model_record, weight_format
from core.catalogue.overlay import Overlay
from core.catalogue.records import Model
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.size import size
from tests.core import checkpoint_models, gguf_models


def gguf_model(folder: Path, name: str, kinds: dict[str, gguf.GGMLQuantizationType] | None = None) -> ImportedModel:
    architecture, fields, tensors = gguf_models.MODELS[name](gguf_models.config_of(name))
    fields |= {"general.file_type": int(gguf.LlamaFileType.MOSTLY_Q4_K_M)}
    fields |= {"tokenizer.ggml.tokens": ["token"] * 1000, "tokenizer.chat_template": "x" * 9000}
    gguf_models.write(folder / "m.gguf", architecture, fields, tensors, gguf.GGMLQuantizationType.Q4_K, kinds)
    return read_model(folder / "m.gguf")


@pytest.mark.parametrize(
    "name", ["Qwen__Qwen3-30B-A3B", "Qwen__Qwen3-32B", "deepseek-ai__DeepSeek-V3", "meta-llama__Llama-3.2-1B-Instruct"]
)
def test_bytes_of_a_gguf_file_reach_the_catalogue(name: str, tmp_path: Path, catalogue: Catalogue) -> None:
    imported = gguf_model(tmp_path, name, {"output.weight": gguf.GGMLQuantizationType.Q6_K})
    record = model_record(imported, "own/m", "m.gguf", catalogue)
    text = record.model_dump_json(exclude_defaults=True)
    assert len(text) < 6_000
    stored = Overlay.from_records({"models": {"own/m": json.loads(text)}})
    assert stored.models == (record,)
    yours = catalogue.with_overlay(stored)
    assert yours.blueprint("own/m") == imported.blueprint
    bits = yours.bits("own/m", "Q4_K_M", "llama.cpp")
    found = {kind: ceil(n * bits[kind] / 8) for kind, n in imported.blueprint.parameters.items()}
    assert found == imported.weight_bytes
    scenario = Scenario(
        model=CatalogueModel(id="own/m"),
        weights="Q4_K_M",
        workload=Workload(context_tokens=8_192),
        deployment=Deployment(device="h100-sxm", engine="llama.cpp", count=8),
    )
    assert size(scenario, yours).trace["memory_item.weights"] == read_gguf(tmp_path / "m.gguf").weight_bytes


def test_folder_keeps_its_config_beside_the_bytes(tmp_path: Path, catalogue: Catalogue) -> None:
    config = gguf_models.config_of("openai__gpt-oss-20b")
    total = checkpoint_models.write_folder(tmp_path / "m", config, checkpoint_models.gpt_oss(config), shards=3)
    record = model_record(read_model(tmp_path / "m"), "own/m", "m", catalogue)
    yours = catalogue.with_overlay(Overlay(models=(record,)))
    bits = yours.bits("own/m", "mxfp4")
    assert sum(ceil(n * bits[kind] / 8) for kind, n in yours.blueprint("own/m").parameters.items()) == total
    assert record.config == config
    assert Model.model_validate_json(record.model_dump_json()) == record


def test_config_alone_stays_a_config(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "config.json").write_text(json.dumps(gguf_models.config_of("Qwen__Qwen3-8B")), encoding="utf-8")
    record = model_record(read_model(tmp_path / "config.json"), "own/m", "config.json", catalogue)
    assert (record.blueprint, record.checkpoints) == (None, ())


def test_unlisted_format_takes_the_nearest(tmp_path: Path, catalogue: Catalogue) -> None:
    imported = gguf_model(tmp_path, "Qwen__Qwen3-32B")
    assert weight_format(imported, catalogue) == "Q4_K_M"
    quantisation = imported.blueprint.quantisation
    assert quantisation is not None
    other = replace(imported.blueprint, quantisation=replace(quantisation, format_id="Q9_K"))
    assert weight_format(replace(imported, blueprint=other), catalogue) in ("Q4_0", "Q4_K_S", "IQ4_NL", "nvfp4-gguf")


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_bits_give_back_every_byte(stored: int, parameters: int) -> None:
    assert ceil(parameters * exact_bits(stored, parameters) / 8) == stored


def test_records_that_cannot_be_are_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    record = model_record(gguf_model(tmp_path, "Qwen__Qwen3-32B"), "own/m", "m.gguf", catalogue)
    blueprint = record.blueprint
    assert blueprint is not None
    assert impossible(blueprint) is None
    group = blueprint.attention[0]
    for wrong, said in [
        (replace(blueprint, layers=0), "layers is not between 1 and 4,096"),
        (replace(blueprint, hidden_size=10**30), "hidden_size is too large"),
        (replace(blueprint, attention=()), "there is neither attention nor a recurrent layer"),
        (replace(blueprint, attention=(replace(group, kv_heads=-1),)), "attention.0.kv_heads is below 0"),
        (replace(blueprint, attention=(replace(group, key_dim=0),)), "attention.0.key_dim is below 1"),
        (replace(blueprint, attention=(group,) * 1000), "attention is too long"),
        (replace(blueprint, name="x" * 1000), "name is too long"),
    ]:
        assert str(impossible(wrong)) == said
        data = record.model_dump() | {"blueprint": wrong}
        with pytest.raises(ValidationError, match=said):
            Model.model_validate(data)
