from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.charts.axes import Span, decimals_of, rounded_top, token_ticks, value_ticks


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_value_ticks_are_three_to_five_even_steps_from_zero(top: float) -> None:
    ticks = value_ticks(top)
    assert 3 <= len(ticks) <= 5
    assert ticks[0] == 0
    assert ticks[-1] <= top * (1 + 1e-9)
    steps = [b - a for a, b in pairwise(ticks)]
    assert max(steps) == pytest.approx(min(steps))


def test_a_top_that_is_no_number_still_has_an_origin() -> None:
    assert value_ticks(0) == value_ticks(float("nan")) == value_ticks(float("inf")) == [0]


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_a_rounded_top_is_a_tick_at_or_above(top: float) -> None:
    assert rounded_top(top) >= top * (1 - 1e-9)


def test_decimals_tell_ticks_apart() -> None:
    assert [decimals_of(ticks) for ticks in ([0, 40, 80], [0, 0.2, 0.4], [0, 0.05], [0])] == [0, 1, 2, 0]


@pytest.mark.parametrize(("pixels", "count"), [(700, 9), (300, 5), (150, 3), (60, 2)])
def test_token_ticks_leave_room_for_their_labels(pixels: float, count: int) -> None:
    span = Span(4096, 1_048_576, log=True)
    ticks = token_ticks(span, pixels, str, 40)
    assert len(ticks) == count
    places = [span.share(tick.at) * pixels for tick in ticks]
    assert all(b - a >= 40 for a, b in pairwise(places))
