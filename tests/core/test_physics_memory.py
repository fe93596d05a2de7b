from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.physics.contexts import context_that_fits, context_without_growth, largest_context, usable_context
from core.physics.memory import (
    limit_over_tiers,
    requests_at_the_peak,
    requests_that_fit,
    requests_with_reserve,
    spilled_kv_bytes,
    spilled_weights_bytes,
    tier_limit_bytes,
)

amounts = st.integers(0, 10**12)


def test_what_is_left_of_the_articles_card() -> None:
    assert requests_that_fit(68_500_000_000, 12_884_901_888, 1) == 5
    assert context_that_fits(68_500_000_000, 1, 0, 98_304, 1) == 696_818
    assert context_that_fits(68_000_000_000, 1, 0, 98_304, 1) == 691_731
    assert context_that_fits(68_500_000_000, 1, 0, 49_152, 1) == 1_393_636


def test_nothing_fits_when_the_fixed_part_is_too_much() -> None:
    assert requests_that_fit(-1, 10, 4) == 0
    assert context_that_fits(-1, 1, 0, 10, 1) == 0


def test_share_of_users() -> None:
    assert [requests_at_the_peak(u, a) for u, a in ((1, 0.001), (40, 0.3), (30, 0.1), (31, 0.1))] == [1, 12, 3, 4]
    assert requests_with_reserve(10, 0.1) == 11


def test_the_slower_memory_takes_what_is_over_to_the_byte() -> None:
    """Weights of 288 GB exactly fill the fast tier; one byte more stands in the slower one."""
    fast, slow = 288_000_000_000, 496_000_000_000
    assert spilled_weights_bytes(fast, fast, fast, slow) == 0
    assert spilled_weights_bytes(fast + 1, fast + 1, fast, slow) == 1
    assert spilled_kv_bytes(fast, 0, fast, slow) == 0
    assert spilled_kv_bytes(fast + 1, 0, fast, slow) == 1
    assert limit_over_tiers(fast, slow, fast) == fast
    assert limit_over_tiers(fast, slow, fast + 1) == fast + slow


def test_without_a_second_tier_nothing_spills() -> None:
    assert spilled_weights_bytes(300, 300, 288, 0) == spilled_kv_bytes(300, 0, 288, 0) == 0


def test_weights_first_then_the_cache() -> None:
    assert spilled_weights_bytes(400, 420, 288, 496) == 132
    assert spilled_kv_bytes(450, 132, 288, 496) == 30


def test_usable_context() -> None:
    assert [usable_context(700, t) for t in (0, 300, 900)] == [700, 300, 700]
    assert context_without_growth(100, 2, 51) == 0


def test_curves_take_arrays() -> None:
    wanted: Any = np.array([100, 288, 289])
    assert limit_over_tiers(288, 496, wanted).tolist() == [288, 288, 784]
    assert spilled_kv_bytes(wanted, 0, 288, 496).tolist() == [0, 0, 1]


@given(amounts, st.floats(0.05, 1.0), amounts, st.integers(1, 10**11), st.integers(1, 8), st.integers(0, 10**11))
def test_more_capacity_never_holds_fewer(
    usable: int, share: float, fixed: int, each: int, replicas: int, more: int
) -> None:
    less = requests_that_fit(tier_limit_bytes(usable, share) - fixed, each, replicas)
    assert requests_that_fit(tier_limit_bytes(usable + more, share) - fixed, each, replicas) >= less


windows = st.lists(st.tuples(st.integers(1, 10_000), st.integers(1, 64)), max_size=3)


@given(st.integers(0, 10**9), st.integers(1, 10_000), windows, st.sampled_from([1, 16]))
def test_largest_context_is_the_largest(free: int, rate: int, windows: list[tuple[int, int]], block: int) -> None:
    """Against the definition: the bytes of the found length fit, those of one block more do not."""
    windows = sorted((block * blocks, each) for each, blocks in windows)

    def needed(tokens: int) -> int:
        return rate * tokens + sum(each * min(tokens, width) for width, each in windows)

    cases = [
        context_that_fits(
            free, 1, sum(w * e for w, e in windows[:full]), rate + sum(e for _, e in windows[full:]), block
        )
        for full in range(len(windows) + 1)
    ]
    found = largest_context(cases)
    assert needed(found) <= free
    assert needed(found + block) > free


@pytest.mark.parametrize("cases", [[5], [5, 9], [2_000_000_000]])
def test_largest_context_has_an_end(cases: list[int]) -> None:
    assert largest_context(cases) == min(1_000_000_000, max(cases))
