"""The model of the textbook formula."""

import pytest

from core.architecture.blueprint import NoteKind
from core.architecture.textbook import textbook_blueprint
from core.errors import InvalidInput


def test_total_and_active_come_out_as_given() -> None:
    for total, active in ((35 * 10**9, 3 * 10**9), (70 * 10**9, 70 * 10**9), (35 * 10**9 + 7, 3 * 10**9 + 1), (2, 1)):
        blueprint = textbook_blueprint("m", total, active, 48, None, 4, 128, 262_144)
        assert (blueprint.total_parameters, blueprint.active_parameters) == (total, active)


def test_every_layer_keeps_a_cache() -> None:
    blueprint = textbook_blueprint("m", 35 * 10**9, 3 * 10**9, 48, 32, 4, 128)
    (group,) = blueprint.attention
    assert 2 * group.cached * group.kv_heads * (group.key_dim + group.value_dim) == 98_304
    assert blueprint.hidden_size == 4096
    assert [note.kind for note in blueprint.warnings] == [NoteKind.TEXTBOOK]


def test_more_active_than_all_is_refused() -> None:
    with pytest.raises(InvalidInput):
        textbook_blueprint("m", 1, 2, 1, None, 1, 1)
