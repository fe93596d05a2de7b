from hypothesis import given
from hypothesis import strategies as st

from core.physics.weights import (
    active_parameters,
    rank_weights_bytes,
    total_weights_bytes,
    weights_bytes,
)

counts = st.integers(0, 10**12)
ranks = st.integers(1, 16)


def test_the_articles_weights() -> None:
    assert weights_bytes(35_000_000_000, 4) == 17_500_000_000
    assert weights_bytes(4_000_000_000, 8) == 4_000_000_000
    assert weights_bytes(70_553_706_496, 16) == 141_107_412_992


def test_a_class_takes_whole_bytes() -> None:
    assert weights_bytes(1, 4.5) == 1


def test_active_parameters_of_a_mixture() -> None:
    assert active_parameters([2_000_000_000], 48, 8, 4_718_592) == 2_000_000_000 + 48 * 8 * 4_718_592


def test_one_rank_holds_everything() -> None:
    assert rank_weights_bytes(1000, 10, 20, 30, 7, 1, 1) == total_weights_bytes([1000, 10, 20, 30])


def test_tensor_ranks_keep_norms_and_routers_whole() -> None:
    assert rank_weights_bytes(8000, 100, 400, 400, 10, 4, 1) == 2000 + 200 + 100


def test_the_longest_stage_counts() -> None:
    assert rank_weights_bytes(61_000, 0, 10, 20, 61, 1, 2) == 31_000 + 20


@given(counts, counts, counts, counts, st.integers(1, 200), ranks, ranks)
def test_splitting_never_raises_bytes_on_a_card(
    layered: int, replicated: int, first: int, last: int, layers: int, tensor: int, pipeline: int
) -> None:
    whole = rank_weights_bytes(layered, replicated, first, last, layers, 1, 1)
    part = rank_weights_bytes(layered, replicated, first, last, layers, tensor, pipeline)
    assert part <= whole + 1
    assert part * tensor * pipeline >= (layered + replicated) * (1 - 1e-12)
