"""Which layers keep a cache or a state, and how large: worked by hand for one model of each family."""

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, RecurrentGroup, RecurrentKind
from tests.core.test_architecture_parameters import blueprint_of


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
