"""The model of the textbook formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.architecture.blueprint import NoteKind, TensorClass
from core.architecture.textbook import textbook_blueprint
from core.errors import InvalidInput


def test_total_and_active_come_out_as_given() -> None:
    for total, active in ((35 * 10**9, 3 * 10**9), (70 * 10**9, 70 * 10**9), (35 * 10**9 + 7, 3 * 10**9 + 1), (2, 1)):
        blueprint = textbook_blueprint("m", total, active, 48, None, 4, 128, 262_144)
        assert (blueprint.total_parameters, blueprint.active_parameters) == (total, active)


@given(st.integers(1, 10**15), st.integers(1, 10**15), st.integers(1, 10_000))
def test_any_total_and_active_come_out_as_given(one: int, other: int, layers: int) -> None:
    blueprint = textbook_blueprint("m", max(one, other), min(one, other), layers, None, 4, 128)
    assert (blueprint.total_parameters, blueprint.active_parameters) == (max(one, other), min(one, other))
    assert all(count > 0 for count in blueprint.parameters.values())


def test_idle_parameters_are_experts_that_more_requests_read() -> None:
    moe = textbook_blueprint("m", 35 * 10**9, 3 * 10**9, 48, None, 4, 128).moe
    assert moe is not None
    assert (moe.layers, moe.experts, moe.experts_per_token) == (48, 128, 8)
    assert moe.parameters_per_expert == 32 * 10**9 // (48 * 120)
    sparser = textbook_blueprint("m", 10**12, 32 * 10**9, 61, None, 4, 128).moe
    assert sparser is not None
    assert sparser.experts == 256
    dense = textbook_blueprint("m", 70 * 10**9, 70 * 10**9, 80, None, 8, 128)
    assert dense.moe is None
    assert dict(dense.parameters) == {TensorClass.FEED_FORWARD: 70 * 10**9}


def test_every_layer_keeps_a_cache() -> None:
    blueprint = textbook_blueprint("m", 35 * 10**9, 3 * 10**9, 48, 32, 4, 128)
    (group,) = blueprint.attention
    assert 2 * group.cached * group.kv_heads * (group.key_dim + group.value_dim) == 98_304
    assert blueprint.hidden_size == 4096
    assert [note.kind for note in blueprint.warnings] == [NoteKind.TEXTBOOK]


def test_more_active_than_all_is_refused() -> None:
    with pytest.raises(InvalidInput):
        textbook_blueprint("m", 1, 2, 1, None, 1, 1)
