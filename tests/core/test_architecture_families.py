"""Families that the catalogue does not hold: parameters as published, cache and state worked by hand."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest

from core.architecture.blueprint import AttentionKind, Blueprint, NoteKind, TensorClass
from core.architecture.config import READERS, read_config
from core.architecture.plausible import impossible
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Confidence, Model, ModelRole, Source
from core.errors import InvalidInput, UnsupportedArchitecture
from core.sizing.size import size
from tests.core.cases import scenario

GOLDEN = Path(__file__).parent.parent / "golden" / "families.toml"
FAMILIES: dict[str, dict[str, Any]] = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))
LATENT = (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT)
TINY = {"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 96}


def spread(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with the lists under `repeated` continued over all layers, those that predict too."""
    plain: dict[str, Any] = {
        name: spread(value) if isinstance(value, Mapping) else value for name, value in fields.items()
    }
    repeated = plain.pop("repeated", {})
    layers = next((plain[name] for name in ("num_hidden_layers", "num_layers") if name in plain), 0)
    layers += plain.get("num_nextn_predict_layers", 0)
    return plain | {name: (part * layers)[:layers] for name, part in repeated.items()}


def blueprint_of(name: str) -> Blueprint:
    return read_config(spread(FAMILIES[name]["fields"]), name)


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_as_published(name: str) -> None:
    row, blueprint = FAMILIES[name], blueprint_of(name)
    total, prediction = blueprint.total_parameters, blueprint.parameters.get(TensorClass.MTP, 0)
    nearest = min(total, total + prediction, key=lambda count: abs(count - row["parameters"]))
    assert nearest == pytest.approx(row["parameters"], rel=1e-4)
    assert row["source"] in ("hub", "transformers", "hand")
    assert impossible(blueprint) is None


@pytest.mark.parametrize("name", FAMILIES)
def test_cache_and_state_by_hand(name: str) -> None:
    row, blueprint = FAMILIES[name], blueprint_of(name)
    growing = [g for g in blueprint.attention if g.kind is not AttentionKind.WINDOW]
    windows = [g for g in blueprint.attention if g.kind is AttentionKind.WINDOW]
    width = {
        g: g.latent_dim if g.kind in LATENT else g.kv_heads * (g.key_dim + g.value_dim) for g in blueprint.attention
    }
    assert sum(g.cached * width[g] for g in growing) == (prod(row["cache"]) if row["cache"] else 0)
    assert sum(g.window * g.cached * width[g] for g in windows) == (prod(row["window"]) if "window" in row else 0)
    layers, convolution, matrices = row.get("state", (0, 0, 0))
    stored = sum(
        g.layers * (g.convolution_elements * 2 + g.matrix_elements * g.matrix_bytes) for g in blueprint.recurrent
    )
    assert stored == layers * (convolution * 2 + matrices * 4)


@pytest.mark.parametrize("name", FAMILIES)
def test_they_are_read_as_what_they_are(name: str) -> None:
    blueprint = blueprint_of(name)
    assert blueprint.family in READERS
    assert not {note.kind for note in blueprint.warnings} & {NoteKind.UNKNOWN_ARCHITECTURE, NoteKind.UNKNOWN_WRAPPER}


def test_fields_of_single_layers_as_transformers_5_writes_them() -> None:
    # Gemma 4: every sixth layer has heads of 512.
    kinds = ["sliding_attention", "full_attention"] * 2
    config = TINY | {"model_type": "gemma4_text", "head_dim": 16, "sliding_window": 8, "layer_types": kinds}
    stated = read_config(config | {"per_layer_config": {"01": {"head_dim": 512}, "03": {"head_dim": 512}}})
    assert [(g.kind, g.layers, g.key_dim) for g in stated.attention] == [
        (AttentionKind.WINDOW, 2, 16),
        (AttentionKind.FULL, 2, 512),
    ]
    assert stated.parameters == read_config(config | {"global_head_dim": 512}).parameters
    assert stated.parameters == read_config(config).parameters  # what a file that says nothing means


def test_fields_of_single_layers_that_a_reader_does_not_see_are_refused() -> None:
    config = TINY | {"model_type": "llama", "per_layer_config": {"2": {"num_key_value_heads": 2}}}
    assert sorted((g.layers, g.kv_heads) for g in read_config(config).attention) == [(1, 2), (3, 4)]
    with pytest.raises(UnsupportedArchitecture, match=r'"per_layer_config\.num_experts"'):
        read_config(config | {"per_layer_config": {"2": {"num_experts": 2}}})
    with pytest.raises(UnsupportedArchitecture, match=r'"per_layer_config\.n_embd"'):
        read_config({"model_type": "gpt2", "per_layer_config": {"2": {"n_embd": 2}}})


MAMBA = {"mamba_num_heads": 4, "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 16, "conv_kernel": 4}
LINEAR = {"num_heads": 4, "head_dim": 8, "short_conv_kernel_size": 4, "full_attn_layers": [4]}
RANKS = {"kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8}
WINDOWS = {"swa_num_attention_heads": 4, "swa_num_key_value_heads": 4, "swa_head_dim": 16, "swa_v_head_dim": 8}
EXPERTS = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
KEYS = {"num_key_value_heads": 2, "head_dim": 16, "v_head_dim": 8}
SPARSE = ["dense", "sparse", "sparse", "sparse"]


@pytest.mark.parametrize(
    ("usual", "first", "saved"),
    [
        (
            {"model_type": "nemotron_h", "num_key_value_heads": 2, **MAMBA},
            {"hybrid_override_pattern": "M-M*"},
            {"layers_block_type": ["linear_attention", "mlp", "linear_attention", "full_attention"]},
        ),
        (
            {"model_type": "kimi_linear", **RANKS, **EXPERTS},
            {"linear_attn_config": LINEAR, "num_shared_experts": 1, "first_k_dense_replace": 1},
            {
                "linear_num_heads": 4,
                "linear_head_dim": 8,
                "linear_conv_kernel_dim": 4,
                "n_shared_experts": 1,
                "layer_types": ["linear_attention"] * 3 + ["full_attention"],
                "mlp_layer_types": SPARSE,
            },
        ),
        (
            {"model_type": "mimo_v2_flash", **KEYS, **EXPERTS},
            {
                "hybrid_layer_pattern": [0, 1, 1, 0],
                "moe_layer_freq": [0, 1, 1, 1],
                "sliding_window": 128,
                "add_swa_attention_sink_bias": True,
                **WINDOWS,
            },
            {
                "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention"],
                "mlp_layer_types": SPARSE,
                "sliding_window": 129,
            },
        ),
        (
            {"model_type": "minimax_m1", "num_key_value_heads": 2, "num_local_experts": 8, "num_experts_per_tok": 2},
            {"attn_type_list": [0, 0, 0, 1]},
            {"model_type": "minimax", "layer_types": ["linear_attention"] * 3 + ["full_attention"]},
        ),
    ],
)
def test_what_transformers_5_saves_is_what_was_published(
    usual: dict[str, Any], first: dict[str, Any], saved: dict[str, Any]
) -> None:
    published, again = read_config(TINY | usual | first), read_config(TINY | usual | saved)
    assert (published.parameters, published.attention, published.recurrent, published.moe) == (
        again.parameters,
        again.attention,
        again.recurrent,
        again.moe,
    )


def test_an_unknown_decoder_without_a_known_gate_is_refused() -> None:
    assert read_config(TINY | {"model_type": "foo", "hidden_act": "silu"}).total_parameters
    with pytest.raises(UnsupportedArchitecture, match='"hidden_act"'):
        read_config(TINY | {"model_type": "foo", "hidden_act": "relu2"})
    with pytest.raises(UnsupportedArchitecture, match='"is_encoder_decoder"'):
        read_config(TINY | {"model_type": "foo", "is_encoder_decoder": True})
    with pytest.raises(UnsupportedArchitecture, match='"output_gate"'):
        read_config(TINY | {"model_type": "foo", "output_gate": True})


def test_what_stands_apart_in_a_family_is_refused() -> None:
    narrow = {
        "ffn_dim": 4096,
        "max_position_embeddings": 2048,
        "word_embed_proj_dim": 32,
        "do_layer_norm_before": False,
    }
    with pytest.raises(UnsupportedArchitecture, match='"word_embed_proj_dim", "do_layer_norm_before"'):
        read_config(TINY | narrow | {"model_type": "opt"})
    with pytest.raises(InvalidInput, match='no "ffn_hidden_size"'):  # the first ChatGLM
        read_config(TINY | {"model_type": "chatglm", "inner_hidden_size": 16_384})


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp", "tensorrt-llm"])
def test_each_can_be_sized(catalogue: Catalogue, engine: str) -> None:
    records = {name: record_of(name) for name in FAMILIES}
    catalogue = replace(catalogue, models={**catalogue.models, **records})
    weights = "q4_k_m" if engine == "llama.cpp" else "fp16"
    for name in FAMILIES:
        sized = size(scenario(name, weights, "hgx-h200-8", deployment__engine=engine), catalogue)
        assert sized.trace["state_bytes_per_request"] or sized.trace["kv_bytes_per_token"]


def record_of(name: str) -> Model:
    source = Source(title="test", confidence=Confidence.YOURS)
    config = spread(FAMILIES[name]["fields"])
    return Model(id=name, name=name, role=ModelRole.GENERATOR, config=config, checkpoints=(), sources={"": source})


def test_what_the_catalogue_sets_together_gives_the_published_number(catalogue: Catalogue) -> None:
    assembled = [
        model for model in catalogue.models.values() if model.notes and model.notes[0].startswith("The decisive")
    ]
    assert len(assembled) >= 90
    for model in assembled:
        blueprint = catalogue.blueprint(model)
        total, prediction = blueprint.total_parameters, blueprint.parameters.get(TensorClass.MTP, 0)
        stated = model.published_parameters or model.counted_parameters
        assert stated in (pytest.approx(total, rel=1e-4), pytest.approx(total + prediction, rel=1e-4)), model.id


def test_mixed_states_and_tables_of_ngrams() -> None:
    """Two layers of Qwen4-Exp, one of each kind, the first with tables; 12 hidden, 2 states, rank 3.

    Before and after each block: a norm of 24, 24 x 3 down and up, 24 x 2 to join; at the end without what joins.
    Tables of 100 rows of 12; 12 x 24 + 12 x 12 for what was found, three norms of 24, a convolution of 24 x 4.
    Attention: gated queries of 2 x 2 x 4, a head of keys and of values, an indexer of 3 queries and a key of 8.
    """
    config = {
        "model_type": "qwen4_exp_text", "num_hidden_layers": 2, "hidden_size": 12, "num_attention_heads": 2,
        "num_key_value_heads": 1, "head_dim": 4, "vocab_size": 100,
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_key_heads": 1, "linear_num_value_heads": 2, "linear_key_head_dim": 4, "linear_value_head_dim": 4,
        "linear_conv_kernel_dim": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 6,
        "shared_expert_intermediate_size": 6, "hc_count": 2, "hc_lowrank": 3, "ple_layer_ids": [1], "ple_embed_dim": 12,
        "ngram_vocab_size_base": 100, "indexer_n_heads": 3, "indexer_head_dim": 8, "indexer_compress_ratio": 4,
        "indexer_budget": 16, "mtp_num_hidden_layers": 1,
    }  # fmt: skip
    blueprint = read_config(config)
    counted, (group,) = blueprint.parameters, blueprint.attention
    assert counted[TensorClass.EMBEDDING] == counted[TensorClass.HEAD] == counted[TensorClass.NGRAM] == 1200
    picked = 12 * 16 + 2 * 12 * 4 + 8 * 12 + 12 * (3 + 1) * 8
    assert counted[TensorClass.ATTENTION] == picked
    assert counted[TensorClass.FEED_FORWARD] == 12 * 24 + 12 * 12
    mixed = 24 + 2 * 24 * 3
    delta, tables = (2 * 4 + 8) * 4 + 2 * 2 + 4, 3 * 24 + 24 * 4
    assert counted[TensorClass.NORM] == 5 * mixed + 4 * 24 * 2 + delta + tables + 2 * 4 + 2 * 8
    experts = 5 * 3 * 12 * 6 + 4 * 12 + 12
    predicted = picked + 3 * mixed + 2 * 24 * 2 + 2 * 4 + 2 * 8 + experts + 2 * 12 * 12 + 3 * 12
    assert counted[TensorClass.MTP] == predicted
    assert (group.index_dim, group.index_layers, group.index_heads, group.index_top_k) == (2, 1, 3, 16)
    plain = read_config({k: v for k, v in config.items() if not k.startswith(("indexer", "ple", "mtp"))})
    assert TensorClass.NGRAM not in plain.parameters
    assert not plain.attention[0].index_layers
    with pytest.raises(UnsupportedArchitecture):
        read_config(config | {"layer_types": ["linear_attention", "strange"]})


def test_flash_next_as_published(catalogue: Catalogue) -> None:
    """180 thousand million, of which 51.2 in tables; some six are multiplied with each token."""
    blueprint = catalogue.blueprint(catalogue.model("Qwen/Qwen3.8-Flash-Next"))
    whole = blueprint.total_parameters + blueprint.parameters[TensorClass.MTP]
    assert whole == pytest.approx(180e9, rel=1e-3)
    assert blueprint.parameters[TensorClass.NGRAM] == 20_000_000 * 2560
    assert blueprint.active_parameters == pytest.approx(6.5e9, rel=0.05)
