from hypothesis import given
from hypothesis import strategies as st

from core.physics.kv_cache import (
    element_bytes,
    kv_bytes_per_token,
    latent_bytes_per_token,
    scaled_kv_bytes_per_token,
    state_bytes,
    tokens_held,
)
from core.physics.rank_cache import (
    group_cache_bytes,
    group_reserved_bytes,
    rank_bytes_per_token,
    rank_state_bytes,
    tokens_reserved,
)

small = st.integers(1, 512)
ranks = st.sampled_from([1, 2, 4, 8, 16])


def test_the_articles_cache() -> None:
    assert kv_bytes_per_token(48, 4, 128, 128, 2) == 98_304
    assert [group_cache_bytes(kv_bytes_per_token(48, 4, 128, 128, e), 262_144) for e in (2, 1, 0.5)] == [
        25_769_803_776,
        12_884_901_888,
        6_442_450_944,
    ]


def test_grouped_heads_store_less() -> None:
    assert kv_bytes_per_token(48, 32, 128, 128, 2) == 8 * kv_bytes_per_token(48, 4, 128, 128, 2)


def test_published_figures_of_other_kinds() -> None:
    """From vLLM's allocation: MLA of DeepSeek-V3, its indexer, unequal widths of MiMo-V2, state of Qwen3.6."""
    assert latent_bytes_per_token(61, 1152, 0, 0) == 70_272
    assert latent_bytes_per_token(61, 1152, 61, 128) == 70_272 + 61 * 132
    assert kv_bytes_per_token(1, 4, 192, 128, 2) == 2560
    assert state_bytes(1, 24_576, 2, 524_288, 4) == 2_146_304


def test_scales_per_token_and_head() -> None:
    assert element_bytes(1, 4, 128, 128) == 1.03125
    assert scaled_kv_bytes_per_token(10, 2, 96, 96, 1, 4) == 10 * 2 * 2 * (96 + 4)


def test_a_window_holds_no_more_than_its_width() -> None:
    assert [tokens_held(t, 1024) for t in (10, 1024, 100_000)] == [10, 1024, 1024]


def test_blocks_are_whole() -> None:
    assert [tokens_reserved(t, 16) for t in (1, 16, 17)] == [16, 16, 32]


def test_more_ranks_than_heads_keep_copies() -> None:
    assert rank_bytes_per_token(20_480, 10, 2, 8, 1) == 10_240
    assert group_reserved_bytes(20_480, 100, 2, 8) == 4 * 20_480 * 100


@given(small, small, small, st.sampled_from([2, 1, 0.5, 0.5625]), st.integers(1, 2**20), st.integers(1, 8))
def test_linear_in_tokens(layers: int, heads: int, width: int, element: float, tokens: int, times: int) -> None:
    rate = kv_bytes_per_token(layers, heads, width, width, element)
    assert group_cache_bytes(rate, times * tokens) in range(
        times * (group_cache_bytes(rate, tokens) - 1), times * group_cache_bytes(rate, tokens) + 1
    )


@given(small, small, small, st.integers(1, 2**20))
def test_half_the_element_half_the_cache(layers: int, heads: int, width: int, tokens: int) -> None:
    whole, half = (group_cache_bytes(kv_bytes_per_token(layers, heads, width, width, e), tokens) for e in (2, 1))
    assert whole == 2 * half


@given(st.integers(1, 128), st.integers(1, 128), ranks, ranks, st.integers(1, 10**6))
def test_splitting_never_raises_bytes_on_a_card(layers: int, heads: int, tensor: int, pipeline: int, rate: int) -> None:
    part = rank_bytes_per_token(rate, layers, heads, tensor, pipeline)
    assert part <= rate * (1 + 1e-12)
    assert part * tensor * pipeline >= rate * (1 - 1e-12)
    assert rank_state_bytes(rate, layers, heads, tensor, pipeline) <= rate
