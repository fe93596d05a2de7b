"""Which layers keep a cache or a state, and how large: worked by hand for one model of each family."""

import json

import pytest

from core import RESOURCES
from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, RecurrentGroup, RecurrentKind
from core.architecture.config import read_config
from core.errors import InvalidInput
from tests.core.configs import blueprint_of


def growing_elements(blueprint: Blueprint) -> int:
    """Cache elements a token, all layers, without indexer."""
    total = 0
    for g in blueprint.attention:
        if g.kind in (AttentionKind.LATENT, AttentionKind.SPARSE_LATENT):
            total += g.cached * g.latent_dim
        elif g.kind is AttentionKind.FULL:
            total += g.cached * g.kv_heads * (g.key_dim + g.value_dim)
    return total


def state_bytes(group: RecurrentGroup) -> float:
    """State of one layer as vLLM keeps it: convolution in 16 bit."""
    return group.convolution_elements * 2 + group.matrix_elements * group.matrix_bytes


def test_grouped_query_attention() -> None:
    blueprint = blueprint_of("Qwen__Qwen3-30B-A3B")  # the geometry of the founding article
    assert blueprint.attention == (AttentionGroup(AttentionKind.FULL, 48, 32, 4, 128, 128),)
    assert growing_elements(blueprint) * 2 == 98_304


def test_gated_deltanet() -> None:
    blueprint = blueprint_of("nvidia__Qwen3.6-35B-A3B-NVFP4")
    assert blueprint.attention == (AttentionGroup(AttentionKind.FULL, 10, 16, 2, 256, 256),)
    assert growing_elements(blueprint) * 2 == 20_480
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.GATED_DELTANET, 30)
    assert state_bytes(group) == (2 * 16 * 128 + 32 * 128) * 3 * 2 + 32 * 128 * 128 * 4 == 2_146_304
    assert round(30 * state_bytes(group) / 2**20, 1) == 61.4


def test_state_in_the_precision_that_the_file_asks_for() -> None:
    assert blueprint_of("Qwen__Qwen3-Next-80B-A3B-Instruct").recurrent[0].layers == 36
    assert blueprint_of("Qwen__Qwen3.5-27B").recurrent[0].matrix_bytes == 4.0


def test_latent_attention() -> None:
    blueprint = blueprint_of("deepseek-ai__DeepSeek-V3")
    assert growing_elements(blueprint) * 2 == 61 * (512 + 64) * 2 == 70_272
    assert growing_elements(blueprint_of("mistralai__Mistral-Small-4-119B-2603")) == 36 * (256 + 64)


def test_sparse_latent_attention() -> None:
    (group,) = blueprint_of("deepseek-ai__DeepSeek-V3.2").attention
    assert (group.kind, group.latent_dim) == (AttentionKind.SPARSE_LATENT, 576)
    assert (group.index_dim, group.index_top_k, group.index_layers) == (128, 2048, 61)
    (shared,) = blueprint_of("zai-org__GLM-5.2").attention
    assert (shared.layers, shared.index_layers) == (78, 21)


def test_windows() -> None:
    window, full = blueprint_of("google__gemma-3-27b-it").attention
    assert (window.kind, window.layers, window.window) == (AttentionKind.WINDOW, 52, 1024)
    assert (full.kind, full.layers) == (AttentionKind.FULL, 10)
    window, full = blueprint_of("openai__gpt-oss-120b").attention
    assert (window.layers, window.window, full.layers) == (18, 128, 18)
    window, full = blueprint_of("google__gemma-2-9b-it").attention
    assert (window.layers, window.window, full.layers) == (21, 4096, 21)
    window, full = blueprint_of("LGAI-EXAONE__EXAONE-4.0-32B").attention
    assert (window.layers, window.window, full.layers) == (48, 4096, 16)
    (window,) = blueprint_of("mistralai__Mistral-7B-v0.1").attention
    assert (window.kind, window.layers, window.window) == (AttentionKind.WINDOW, 32, 4096)


def test_a_window_as_long_as_the_context_is_none() -> None:
    assert [g.kind for g in blueprint_of("microsoft__Phi-3.5-mini-instruct").attention] == [AttentionKind.FULL]


def test_a_window_that_is_switched_off_is_none() -> None:
    assert [g.kind for g in blueprint_of("Qwen__Qwen2.5-7B-Instruct").attention] == [AttentionKind.FULL]


def test_chunks() -> None:
    chunk, full = blueprint_of("meta-llama__Llama-4-Scout-17B-16E-Instruct").attention
    assert (chunk.kind, chunk.layers, chunk.window) == (AttentionKind.CHUNK, 36, 8192)
    assert (full.kind, full.layers, full.kv_heads, full.key_dim) == (AttentionKind.FULL, 12, 8, 128)


def test_layers_that_read_the_cache_of_another() -> None:
    for name, window, full in (
        ("google__gemma-4-E2B-it", 12, 3),
        ("google__gemma-4-E4B-it", 20, 4),
        ("google__gemma-3n-E4B-it", 16, 4),
    ):
        blueprint = blueprint_of(name)
        local, everywhere = blueprint.attention
        assert (local.cached, everywhere.cached) == (window, full)
        assert blueprint.caching_layers == window + full < local.layers + everywhere.layers == blueprint.layers


def test_full_layers_of_their_own_shape() -> None:
    local, everywhere = blueprint_of("google__gemma-4-26B-A4B").attention
    assert (local.layers, local.kv_heads, local.key_dim, local.window) == (25, 8, 256, 1024)
    assert (everywhere.layers, everywhere.kv_heads, everywhere.key_dim, everywhere.value_dim) == (5, 2, 512, 512)


def test_keys_wider_than_values() -> None:
    full, local = blueprint_of("XiaomiMiMo__MiMo-V2-Flash").attention
    assert (full.layers, full.kv_heads, full.key_dim, full.value_dim) == (9, 4, 192, 128)
    assert (local.layers, local.kv_heads, local.window) == (39, 8, 128)
    assert growing_elements(blueprint_of("XiaomiMiMo__MiMo-V2-Flash")) * 2 == 23_040


def test_mamba2() -> None:
    blueprint = blueprint_of("nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.MAMBA2, 23)
    # Inner width 64 * 64, eight groups of 128 numbers, a convolution over four tokens.
    assert state_bytes(group) == (4096 + 2 * 8 * 128) * 3 * 2 + 64 * 64 * 128 * 4
    assert growing_elements(blueprint) * 2 == 6 * 2 * (128 + 128) * 2 == 6_144
    assert sum(g.layers for g in blueprint_of("tiiuae__Falcon-H1-34B-Instruct").recurrent) == 72


def test_mamba1() -> None:
    blueprint = blueprint_of("ai21labs__Jamba-v0.1")
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.MAMBA1, 28)
    assert state_bytes(group) == 8192 * 3 * 2 + 8192 * 16 * 4


def test_kimi_delta_attention() -> None:
    blueprint = blueprint_of("moonshotai__Kimi-Linear-48B-A3B-Instruct")
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.KDA, 20)
    assert state_bytes(group) == 3 * 32 * 128 * 3 * 2 + 32 * 128 * 128 * 4
    assert growing_elements(blueprint) * 2 == 7 * 576 * 2 == 8_064


def test_lightning_attention() -> None:
    blueprint = blueprint_of("MiniMaxAI__MiniMax-M1-80k")
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.LIGHTNING, 70)
    assert 70 * state_bytes(group) == 70 * 64 * 128 * 128 * 4 == 280 * 2**20
    assert growing_elements(blueprint) * 2 == 40_960


def test_lightning_attention_beside_heads_in_groups() -> None:
    model = json.loads((RESOURCES / "catalogue" / "models" / "openbmb__MiniCPM-SALA.json").read_text("utf-8"))
    blueprint = read_config(model["config"])
    (group,) = blueprint.recurrent
    assert (group.kind, group.layers) == (RecurrentKind.LIGHTNING, 24)
    assert 24 * state_bytes(group) == 24 * 32 * 128 * 128 * 4 == 48 * 2**20
    assert growing_elements(blueprint) * 2 == 8 * 2 * 2 * 128 * 2 == 8_192
    for wrong in ({"mixer_types": ["lightning"] * 31 + ["mamba"]}, {"mixer_types": None}, {"lightning_nkv": 2}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            read_config(model["config"] | wrong)


def test_compressed_attention() -> None:
    groups = {g.compression: g for g in blueprint_of("deepseek-ai__DeepSeek-V4-Flash").attention}
    assert {ratio: g.layers for ratio, g in groups.items()} == {0: 2, 4: 21, 128: 20}
    assert all((g.latent_dim, g.window) == (512, 128) for g in groups.values())
    assert (groups[4].index_layers, groups[4].index_dim, groups[4].index_top_k) == (21, 128, 512)
    assert groups[128].index_layers == groups[0].index_layers == 0
    pro = {g.compression: g.layers for g in blueprint_of("deepseek-ai__DeepSeek-V4-Pro").attention}
    assert pro == {4: 30, 128: 31}


def test_a_full_cache_with_an_index() -> None:
    dense, sparse = blueprint_of("MiniMaxAI__MiniMax-M3").attention
    assert (dense.layers, dense.index_layers) == (3, 0)
    assert (sparse.layers, sparse.index_layers, sparse.index_dim, sparse.index_top_k) == (57, 57, 128, 2048)


def test_encoders_keep_nothing() -> None:
    for name in ("BAAI__bge-m3", "BAAI__bge-reranker-v2-m3", "nomic-ai__nomic-embed-text-v1.5"):
        blueprint = blueprint_of(name)
        assert blueprint.is_encoder
        assert blueprint.caching_layers == 0
