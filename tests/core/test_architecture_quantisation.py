"""Bits per weight by class of tensor from a checkpoint's own quantisation config, and the bytes that follow."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.architecture.blueprint import Blueprint, NoteKind, Quantisation, ReadingNote, TensorClass
from core.architecture.config import read_config
from core.errors import InvalidInput
from tests.core.configs import blueprint_of

CONFIGS = Path(__file__).parent.parent / "data" / "configs"


def file_bytes(blueprint: Blueprint) -> float:
    assert blueprint.quantisation is not None
    return sum(count * blueprint.quantisation.bits[kind] / 8 for kind, count in blueprint.parameters.items())


def quantised(name: str, **config: Any) -> Quantisation:
    fields = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
    quantisation = read_config({**fields, **config}).quantisation
    assert quantisation is not None
    return quantisation


def test_mixed_nvfp4_of_the_articles_model() -> None:
    blueprint = blueprint_of("nvidia__Qwen3.6-35B-A3B-NVFP4")
    assert round(file_bytes(blueprint) / 1e9, 2) == 23.41
    assert round(file_bytes(blueprint) / 2**30, 2) == 21.80
    assert blueprint.quantisation is not None
    bits = blueprint.quantisation.bits
    assert (blueprint.quantisation.method, blueprint.quantisation.format_id) == ("modelopt", "nvfp4")
    four = (TensorClass.EXPERT, TensorClass.SHARED_EXPERT, TensorClass.HEAD)
    sixteen = (TensorClass.EMBEDDING, TensorClass.ROUTER, TensorClass.NORM, TensorClass.VISION, TensorClass.MTP)
    assert [bits[kind] for kind in four] == [4.5] * 3
    assert [bits[kind] for kind in sixteen] == [16.0] * 5
    assert bits[TensorClass.ATTENTION] == 8.0
    # All DeltaNet projections but the one to the decay: 2048 * 64 of 2048 * 12,352 + 4096 * 2048 weights.
    assert bits[TensorClass.RECURRENT] == pytest.approx(8 + 8 * 64 / (12_352 + 4096), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "gigabytes"),
    [
        ("openai__gpt-oss-120b", 65.25),
        ("openai__gpt-oss-20b", 13.76),
        ("Qwen__Qwen3-32B-FP8", 34.322_567_640),  # the published file, with its directory of tensors
        ("Qwen__Qwen3-30B-A3B-FP8", 31.17),
    ],
)
def test_bytes_of_published_checkpoints(name: str, gigabytes: float) -> None:
    assert file_bytes(blueprint_of(name)) / 1e9 == pytest.approx(gigabytes, rel=1e-3)


def test_nvfp4_of_a_dense_model_with_the_head_left_alone() -> None:
    fields = json.loads((CONFIGS / "meta-llama__Meta-Llama-3.1-405B.json").read_text(encoding="utf-8"))
    config = {"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}
    assert round(file_bytes(read_config({**fields, "quantization_config": config})) / 1e9) == 234


def test_ignored_parents_patterns_and_expressions() -> None:
    kimi = blueprint_of("moonshotai__Kimi-K2.5").quantisation
    assert kimi is not None
    assert (kimi.method, kimi.format_id) == ("compressed-tensors", "int4_g32")
    assert kimi.bits[TensorClass.EXPERT] == 4.5
    for kind in (TensorClass.ATTENTION, TensorClass.FEED_FORWARD, TensorClass.SHARED_EXPERT, TensorClass.HEAD):
        assert kimi.bits[kind] == 16.0
    glm = blueprint_of("nvidia__GLM-5.1-NVFP4").quantisation
    assert glm is not None
    assert glm.bits[TensorClass.EXPERT] == 4.5
    assert glm.bits[TensorClass.ATTENTION] == glm.bits[TensorClass.MTP] == 16.0
    assert glm.bits[TensorClass.FEED_FORWARD] == pytest.approx((16 + 2 * 4.5) / 3)  # one of three dense layers


LLAMA = "meta-llama__Llama-3.1-8B-Instruct"


@pytest.mark.parametrize(
    ("config", "format_id", "bits", "head"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, "int4", 4.15625, 16),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False}, "int4", 4.15625, 16),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": True}, "int4", 4.15625, 4.15625),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "int8", 8 + 24 / 128, 16),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4", 4.5, 16),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", 8.0, 16),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8", 8 + 16 / 128**2, 16),
        ({"quant_method": "fp8"}, "fp8", 8.0, 16),
    ],
)
def test_usual_methods(config: dict[str, Any], format_id: str, bits: float, head: float) -> None:
    quantisation = quantised(LLAMA, quantization_config=config)
    assert quantisation.format_id == format_id
    assert quantisation.bits[TensorClass.ATTENTION] == quantisation.bits[TensorClass.FEED_FORWARD] == bits
    assert quantisation.bits[TensorClass.HEAD] == head
    assert quantisation.bits[TensorClass.EMBEDDING] == 16


def test_rules_of_gptq_leave_modules_out_and_give_others_a_width() -> None:
    """As Qwen publishes its hybrids: attention, linear attention and shared experts stay in 16 bit."""
    left_out: dict[str, Any] = {f"-:.*{name}.*": {} for name in ("attn", "shared_expert", "mtp", "visual")}
    config: dict[str, Any] = {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True}
    dynamic = {"lm_head": {}, "model.language_model.embed_tokens": {}, **left_out}
    bits = quantised("nvidia__Qwen3.6-35B-A3B-NVFP4", quantization_config={**config, "dynamic": dynamic}).bits
    assert bits[TensorClass.EXPERT] == 4.15625
    sixteen = (
        TensorClass.ATTENTION,
        TensorClass.RECURRENT,
        TensorClass.SHARED_EXPERT,
        TensorClass.MTP,
        TensorClass.HEAD,
    )
    assert [bits[kind] for kind in sixteen] == [16.0] * 5
    wider = {"+:.*self_attn.*": {"bits": 8}, ".*mlp.down_proj": {"group_size": 32}, "+:odd": True}
    bits = quantised(LLAMA, quantization_config={**config, "dynamic": wider}).bits
    assert bits[TensorClass.ATTENTION] == 8 + 24 / 128
    assert bits[TensorClass.FEED_FORWARD] == pytest.approx((2 * 4.15625 + 4.625) / 3)


def test_mlx_quantises_embedding_and_head_and_makes_exceptions() -> None:
    router = {"group_size": 64, "bits": 8}
    overrides = {f"model.layers.{index}.mlp.gate": router for index in range(48)}
    quantisation = quantised("Qwen__Qwen3-30B-A3B", quantization={"group_size": 64, "bits": 4, **overrides})
    assert (quantisation.method, quantisation.format_id) == ("mlx", "mlx4")
    assert quantisation.bits[TensorClass.EMBEDDING] == quantisation.bits[TensorClass.HEAD] == 4.5
    assert quantisation.bits[TensorClass.ROUTER] == 8.5
    assert quantisation.bits[TensorClass.NORM] == 16


@pytest.mark.parametrize(
    ("config", "cache"),
    [
        ({"quant_algo": "NVFP4", "kv_cache_scheme": {"dynamic": False, "num_bits": 8, "type": "float"}}, "fp8"),
        ({"quant_algo": "NVFP4", "kv_cache_scheme": {"dynamic": True, "num_bits": 8, "type": "float"}}, ""),
        ({"quant_algo": "NVFP4", "kv_cache_scheme": {"num_bits": 4, "type": "float"}}, "nvfp4"),
        ({"quant_algo": "NVFP4", "kv_cache_scheme": {"num_bits": 8, "type": "int"}}, ""),
        ({"quant_algo": "NVFP4", "kv_cache_scheme": {"num_bits": "8", "type": "float"}}, ""),
        ({"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}, "fp8"),
        ({"quant_algo": "FP8", "kv_cache_quant_algo": "INT8"}, ""),
        ({"quant_algo": "FP8", "kv_cache_quant_algo": 8}, ""),
        ({"quantization": {"kv_cache_quant_algo": "FP8"}, "quant_algo": "FP8"}, "fp8"),
        ({"quant_algo": "FP8", "kv_cache_scheme": None}, ""),
    ],
)
def test_the_cache_that_a_config_asks_for(config: dict[str, Any], cache: str) -> None:
    assert quantised(LLAMA, quantization_config={"quant_method": "modelopt", **config}).cache == cache


def test_an_unknown_method_is_noted() -> None:
    fields = json.loads((CONFIGS / f"{LLAMA}.json").read_text(encoding="utf-8"))
    blueprint = read_config({**fields, "quantization_config": {"quant_method": "origami"}})
    assert blueprint.quantisation is None
    assert blueprint.warnings == (ReadingNote(NoteKind.UNKNOWN_QUANTISATION, "origami"),)


MX = {"weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32}}
FP8 = {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}}
STAGES = {"weight": [{"dtype": "fp8_e4m3", "qscheme": "per_tensor"}, {"dtype": "int4", "qscheme": "per_channel"}]}
INT4 = {"_type": "Int4WeightOnlyConfig", "_version": 1, "_data": {"group_size": 128}}
HALF = {"weight_quant_params": {"nbits": 4, "group_size": 64}}


@pytest.mark.parametrize(
    ("config", "format_id", "bits"),
    [
        ({"quant_method": "quark", "global_quant_config": MX, "exclude": ["lm_head"]}, "mxfp4", 4.25),
        ({"quant_method": "quark", "global_quant_config": FP8, "exclude": ["lm_head"]}, "fp8", 8.0),
        ({"quant_method": "quark", "global_quant_config": STAGES, "exclude": ["lm_head"]}, "int4", 4.0),
        ({"quant_method": "torchao", "quant_type": {"default": INT4}}, "int4", 4.25),
        ({"quant_method": "torchao", "quant_type": "int8_weight_only"}, "int8", 8.0),
        ({"quant_method": "torchao", "quant_type": "float8_dynamic_activation_float8_weight"}, "fp8", 8.0),
        ({"quant_method": "hqq", "quant_config": HALF, "skip_modules": ["lm_head"]}, "int4", 4.5),
        ({"quant_method": "gptq_marlin", "bits": 4, "group_size": 128}, "int4", 4.15625),
    ],
)
def test_methods_of_other_makers(config: dict[str, Any], format_id: str, bits: float) -> None:
    found = quantised("meta-llama__Llama-3.1-8B-Instruct", quantization_config=config)
    assert found.format_id == format_id
    assert found.bits[TensorClass.FEED_FORWARD] == found.bits[TensorClass.ATTENTION] == bits
    assert found.bits[TensorClass.HEAD] == found.bits[TensorClass.EMBEDDING] == 16


def test_quark_by_pattern() -> None:
    config = {"quant_method": "quark", "global_quant_config": FP8, "layer_quant_config": {"*.mlp.*": MX}, "exclude": []}
    found = quantised("meta-llama__Llama-3.1-8B-Instruct", quantization_config=config)
    assert (found.bits[TensorClass.ATTENTION], found.bits[TensorClass.FEED_FORWARD]) == (8.0, 4.25)


def test_experts_that_fp8_stores_in_four_bit() -> None:
    config = {"quant_method": "fp8", "weight_block_size": [128, 128], "store_dtype": "mxfp4"}
    found = quantised("Qwen__Qwen3-30B-A3B", quantization_config=config)
    assert found.bits[TensorClass.EXPERT] == 4.25
    assert found.bits[TensorClass.ATTENTION] == 8 + 16 / 128**2


def test_a_method_without_what_it_needs_has_a_note() -> None:
    fields = json.loads((CONFIGS / "meta-llama__Llama-3.1-8B-Instruct.json").read_text(encoding="utf-8"))
    for method in ("quark", "torchao", "hqq", "aqlm"):
        blueprint = read_config({**fields, "quantization_config": {"quant_method": method}})
        assert blueprint.quantisation is None
        assert ReadingNote(NoteKind.UNKNOWN_QUANTISATION, method) in blueprint.warnings


def test_an_absurd_quantisation_is_refused_by_its_field() -> None:
    with pytest.raises(InvalidInput, match=r'"quantization_config.bits" in config.json is above 16'):
        quantised(LLAMA, quantization_config={"quant_method": "awq", "bits": 400})


def test_an_expression_of_the_file_cannot_run_for_ever() -> None:
    config = {"quant_method": "compressed-tensors", "ignore": ["re:(.*a+)+$", "re:" + ".*" * 40 + "x"]}
    group = {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": True}}
    quantisation = quantised(LLAMA, quantization_config={**config, "config_groups": {"group_0": group}})
    assert quantisation.bits[TensorClass.FEED_FORWARD] == 4.125


def test_a_flood_of_patterns_is_refused() -> None:
    with pytest.raises(InvalidInput, match="too many patterns"):
        quantised(
            LLAMA, quantization_config={"quant_method": "fp8", "ignored_layers": [f"*{i}*x" for i in range(9999)]}
        )


def test_a_list_that_names_every_module_is_read_as_its_patterns_are() -> None:
    short = json.loads((CONFIGS / "zai-org__GLM-5.2-FP8.json").read_text(encoding="utf-8"))
    config = short["quantization_config"]
    long = [name.replace("*", str(layer)) for name in config["modules_to_not_convert"] for layer in range(79)]
    full = read_config({**short, "quantization_config": {**config, "modules_to_not_convert": long}})
    assert full.quantisation == read_config(short).quantisation


def test_awq_leaves_out_what_contains_a_text() -> None:
    """Llama 8B: layer 0 of 32 and all queries, keys and values in 16 bit; names end in a dot or in the middle."""
    config = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
    listed = ["model.layers.0.", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]
    bits = quantised(LLAMA, quantization_config={**config, "modules_to_not_convert": listed}).bits
    assert bits[TensorClass.FEED_FORWARD] == pytest.approx((16 + 31 * 4.15625) / 32)
    output = 4096 * 4096 / (2 * 4096 * 4096 + 2 * 4096 * 1024)
    assert bits[TensorClass.ATTENTION] == pytest.approx(16 - (16 - 4.15625) * output * 31 / 32)
    whole = quantised(LLAMA, quantization_config={**config, "modules_to_not_convert": ["self_attn"]}).bits
    assert (whole[TensorClass.ATTENTION], whole[TensorClass.FEED_FORWARD]) == (16, 4.15625)
