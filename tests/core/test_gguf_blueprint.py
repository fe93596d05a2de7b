"""Blueprints of GGUF files against those of the config.json that the files were laid out from."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import pytest

from core.architecture.blueprint import AttentionKind, Blueprint, NoteKind, TensorClass
from core.architecture.config import read_config
from core.architecture.gguf import read_gguf
from core.architecture.gguf_blueprint import read_gguf_blueprint
from core.architecture.model_file import read_model
from core.errors import TonnageError
from tests.core import gguf_models as models


def blueprint_of(path: Path) -> Blueprint:
    return read_gguf_blueprint(read_gguf(path))


@pytest.mark.parametrize("name", models.MODELS)
def test_counts_what_the_config_makes(name: str, tmp_path: Path) -> None:
    config = models.config_of(name)
    architecture, fields, tensors = models.MODELS[name](config)
    models.write(tmp_path / "model.gguf", architecture, fields, tensors)
    found, wanted = blueprint_of(tmp_path / "model.gguf"), read_config(config)
    left_out = {TensorClass.VISION}  # a file of its own
    if TensorClass.MTP not in found.parameters:
        left_out.add(TensorClass.MTP)
    parameters = {kind: n for kind, n in wanted.parameters.items() if kind not in left_out}
    if found.is_encoder:  # the converter drops the pooler and its bias
        parameters[TensorClass.NORM] -= wanted.hidden_size
        del parameters[TensorClass.HEAD]
    assert found.parameters == parameters
    # a GGUF file never says in which precision vLLM would keep the state
    assert found.recurrent == tuple(replace(group, matrix_stated=True, chunk_tokens=2048) for group in wanted.recurrent)
    for shape in ("layers", "hidden_size", "vocabulary", "moe", "tied_embedding", "double_norms"):
        assert getattr(found, shape) == getattr(wanted, shape), shape
    assert set(found.attention) == set(wanted.attention)
    assert wanted.trained_context in (0, found.trained_context)


def test_files_before_latents_keep_full_heads(tmp_path: Path) -> None:
    config = models.config_of("deepseek-ai__DeepSeek-V3")
    architecture, fields, tensors = models.deepseek(config, old=True)
    models.write(tmp_path / "model.gguf", architecture, fields, tensors)
    found = blueprint_of(tmp_path / "model.gguf")
    (group,) = found.attention
    assert (group.kind, group.layers, group.kv_heads, group.key_dim, group.value_dim) == (
        AttentionKind.FULL,
        61,
        128,
        192,
        128,
    )
    assert [note.kind for note in found.warnings] == [NoteKind.LATENT_AS_FULL]
    assert found.total_parameters == read_config(config).total_parameters


def test_latents_that_are_stored_joined_and_apart_count_once(tmp_path: Path) -> None:
    config = models.config_of("deepseek-ai__DeepSeek-V2-Lite")
    architecture, fields, tensors = models.deepseek(config)
    joined = models.deepseek(config, old=True)[2]
    models.write(tmp_path / "model.gguf", architecture, fields, tensors | joined)
    found = blueprint_of(tmp_path / "model.gguf")
    assert found.total_parameters == read_config(config).total_parameters
    assert found.quantisation is not None
    assert found.quantisation.bits[TensorClass.ATTENTION] > 16  # both are in the file


def test_experts_in_tensors_of_their_own(tmp_path: Path) -> None:
    """As Mixtral files were before April 2024."""
    config = models.config_of("mistralai__Mixtral-8x7B-v0.1")
    architecture, fields, tensors = models.llama(config)
    apart: models.Tensors = {}
    for name, shape in tensors.items():
        if "_exps" in name:
            apart |= {name.replace("_exps.", f".{expert}."): shape[:2] for expert in range(8)}
        else:
            apart[name] = shape
    models.write(tmp_path / "model.gguf", architecture, fields, apart)
    wanted = read_config(config)
    found = blueprint_of(tmp_path / "model.gguf")
    assert (found.parameters, found.moe) == (wanted.parameters, wanted.moe)


def test_bits_are_those_of_each_class(tmp_path: Path) -> None:
    config = models.config_of("Qwen__Qwen3-30B-A3B")
    architecture, fields, tensors = models.qwen3(config)
    kinds = {"output.weight": gguf.GGMLQuantizationType.Q6_K, "token_embd.weight": gguf.GGMLQuantizationType.Q8_0}
    kinds |= {name: gguf.GGMLQuantizationType.F32 for name in tensors if "ffn_gate_inp" in name}
    fields |= {"general.file_type": int(gguf.LlamaFileType.MOSTLY_Q4_K_M)}
    models.write(tmp_path / "model.gguf", architecture, fields, tensors, gguf.GGMLQuantizationType.Q4_K, kinds)
    quantisation = blueprint_of(tmp_path / "model.gguf").quantisation
    assert quantisation is not None
    assert (quantisation.method, quantisation.format_id) == ("gguf", "Q4_K_M")
    assert quantisation.bits == {
        TensorClass.EMBEDDING: 8.5,
        TensorClass.HEAD: 6.5625,
        TensorClass.ATTENTION: 4.5,
        TensorClass.EXPERT: 4.5,
        TensorClass.ROUTER: 32.0,
        TensorClass.NORM: 32.0,
    }


def test_window_of_every_layer_is_read_where_the_file_lists_them(tmp_path: Path) -> None:
    architecture, fields, tensors = models.gemma(models.config_of("google__gemma-3-1b-it"))
    listed = {"attention.sliding_window_pattern": [index % 2 == 0 for index in range(26)]}
    models.write(tmp_path / "model.gguf", architecture, fields | listed, tensors)
    found = blueprint_of(tmp_path / "model.gguf")
    assert {(g.kind, g.layers, g.window) for g in found.attention} == {
        (AttentionKind.WINDOW, 13, 512),
        (AttentionKind.FULL, 13, 0),
    }


LLAMA = "meta-llama__Llama-3.2-1B-Instruct"
WRONG: dict[str, tuple[dict[str, Any], dict[str, tuple[int, ...] | None], str]] = {
    "layers": ({"block_count": 17}, {}, '"llama.block_count" in m.gguf is 17, but layer 16 has no tensors'),
    "more layers": ({"block_count": 15}, {}, "is 15, but there are tensors of layer 15"),
    "no layers": ({"block_count": None}, {}, 'm.gguf has no "llama.block_count"'),
    "width": ({"embedding_length": 4096}, {}, "is 4,096, but token_embd.weight has 2,048"),
    "heads": (
        {"attention.head_count_kv": 4},
        {},
        "makes 4 heads of 64 for layer 0, but blk.0.attn_k.weight is 512 wide",
    ),
    "no heads": ({"attention.head_count_kv": 0}, {}, "has no head for layer 0, whose tensors attend"),
    "list": ({"attention.head_count_kv": [8, 8]}, {}, "has 2 entries for 16 layers"),
    "text": ({"attention.head_count": "many"}, {}, '"llama.attention.head_count" in m.gguf is not a whole number'),
    "huge": ({"block_count": 4_000_000_000}, {}, '"llama.block_count" in m.gguf is above 4,096'),
    "no table": ({}, {"token_embd.weight": None}, "holds no table of tokens (token_embd.weight); it is no whole model"),
    "experts": ({"expert_count": 4}, {"blk.3.ffn_up_exps.weight": (2048, 64, 8)}, "expert_used_count"),
    "experts held": (
        {"expert_count": 4, "expert_used_count": 2},
        {"blk.3.ffn_up_exps.weight": (2048, 64, 8)},
        "is 4, but blk.3.ffn_up_exps.weight holds 8",
    ),
    "unknown": ({"general.architecture": "rwkv7"}, {}, "Tonnage cannot read the architecture rwkv7 of m.gguf yet"),
    "none": ({"general.architecture": ""}, {}, 'm.gguf has no "general.architecture"'),
    "adapter": ({"general.type": "adapter"}, {}, "m.gguf is an adapter, not a model"),
    "image": ({"general.type": "mmproj"}, {}, "m.gguf is the image part of a model, not a model"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refuses_in_one_sentence(case: str, tmp_path: Path) -> None:
    changed, replaced, said = WRONG[case]
    architecture, fields, tensors = models.llama(models.config_of(LLAMA))
    kept = {name: value for name, value in (fields | changed).items() if value is not None}
    architecture = kept.pop("general.architecture", architecture)
    shapes = {name: shape for name, shape in (tensors | replaced).items() if shape is not None}
    models.write(tmp_path / "m.gguf", architecture, kept, shapes)
    with pytest.raises(TonnageError) as caught:
        read_model(tmp_path / "m.gguf")
    assert said in caught.value.message
    assert "m.gguf" in caught.value.message
    assert caught.value.message.endswith(".")


# Sizes of published files, from the listings of their repositories. What they have beyond the tensors is the header:
# vocabulary and merges, which weigh the same in every file of a model.
PUBLISHED = {
    ("meta-llama__Llama-3.1-8B-Instruct", "Q8_0"): 8_540_775_840,
    ("meta-llama__Llama-3.1-8B-Instruct", "Q6_K"): 6_596_011_424,
    ("Qwen__Qwen2.5-7B-Instruct", "Q8_0"): 8_098_525_888,
    ("Qwen__Qwen2.5-7B-Instruct", "Q6_K"): 6_254_199_488,
    ("Qwen__Qwen3-32B", "Q8_0"): 34_817_719_616,
    ("Qwen__Qwen3-32B", "Q6_K"): 26_883_306_816,
    ("Qwen__Qwen3-32B", "BF16"): 65_531_575_584,
    ("Qwen__Qwen3-30B-A3B", "Q8_0"): 32_483_932_576,
    ("Qwen__Qwen3-30B-A3B", "Q6_K"): 25_092_532_640,
    ("Qwen__Qwen3-30B-A3B", "BF16"): 61_095_803_232,
    ("zai-org__GLM-4.5-Air", "Q8_0"): 117_456_506_240,
    ("zai-org__GLM-4.5-Air", "BF16"): 220_997_406_080,
    ("meta-llama__Llama-4-Scout-17B-16E-Instruct", "Q8_0"): 114_531_589_472,
    ("meta-llama__Llama-4-Scout-17B-16E-Instruct", "Q6_K"): 88_432_148_672,
}


@pytest.mark.parametrize(("name", "kind"), PUBLISHED, ids="-".join)
def test_tensors_weigh_what_published_files_do(name: str, kind: str, tmp_path: Path) -> None:
    architecture, fields, tensors = models.MODELS[name](models.config_of(name))
    routers = {tensor: gguf.GGMLQuantizationType.F32 for tensor in tensors if "ffn_gate_inp" in tensor}
    models.write(tmp_path / "m.gguf", architecture, fields, tensors, gguf.GGMLQuantizationType[kind], routers)
    found = read_model(tmp_path / "m.gguf")
    beyond = PUBLISHED[name, kind] - sum((found.weight_bytes or {}).values())
    assert 5.9e6 < beyond < 13.2e6
