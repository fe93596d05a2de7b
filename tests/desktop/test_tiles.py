from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.language.numbers import Formatter
from core.sizing.size import size
from desktop.results.tiles import TileFigures, TileRow, tile_figures
from desktop.theme import Theme
from tests.core.estimates import decode_of
from tests.desktop.fixed_sizing import (
    STATES,
    Card,
    eight_devices,
    fixed_sizing,
    huge,
    only_a_bound,
    second_tier,
    speed_unknown,
    tiny,
    too_much,
)
from tests.shipped import shipped
from tests.usual_scenario import scenario

EN = Formatter("en")


def shown(figures: TileFigures) -> tuple[str, ...]:
    return tuple(text.replace("\u00a0", " ") for text in (figures.caption, figures.figure, figures.unit, figures.foot))


def test_four_tiles_say_figure_unit_range_and_target() -> None:
    assert [shown(one) for one in tile_figures(fixed_sizing(), EN)] == [
        ("Requests at once", "21", "at 256K", "needed 12, spare 9"),
        ("Speed per user", "75", "tok/s", "61–89, target 30"),
        ("First token", "1.2", "s", "1.0–1.4, limit 2.0"),
        ("Memory", "67.2", "of 92.4 GB", "73 %, 25.2 GB free"),
    ]


def test_what_does_not_fit_is_said_in_red_and_its_speeds_are_conditional() -> None:
    requests, speed, first, memory = tile_figures(too_much(), EN)
    assert shown(requests)[3] == "needed 12, 2 too few"
    assert shown(speed)[3] == "61–89, if it fitted"
    assert shown(memory)[3] == "7.0 GB too much"
    assert (requests.tone, speed.tone, first.tone, memory.tone) == ("bad", "text_2", "text_2", "bad")


def test_a_missed_target_is_marked() -> None:
    speed = tile_figures(second_tier(), EN)[1]
    assert (shown(speed)[3], speed.tone) == ("2.7–3.9, target 30", "warn")


def test_a_bound_has_a_dot_only() -> None:
    _requests, speed, first, _memory = tile_figures(only_a_bound(), EN)
    assert (speed.foot, speed.low, speed.high) == ("at most", None, None)
    assert first.foot == "at least"
    assert speed.value is not None


def test_no_data_is_a_word_without_a_track() -> None:
    sizing = fixed_sizing()
    sizing = replace(sizing, decode=replace(decode_of(sizing), p50=float("nan")))
    speed = tile_figures(sizing, EN)[1]
    assert (speed.figure, speed.unit, speed.value) == ("unknown", "", None)


def test_of_an_unknown_speed_the_bound_is_shown_and_the_first_token_is_a_word() -> None:
    _requests, speed, first, _memory = tile_figures(speed_unknown(), EN)
    assert shown(speed)[1:] == ("112", "tok/s", "at most, target 30")
    assert (speed.value, speed.low, speed.high, speed.key) == (112.0, None, None, "decode_tok_s.ceiling")
    assert shown(first)[1:] == ("unknown", "", "limit 2.0 s")
    assert (first.value, first.key) == (None, "")
    assert "computing rate is missing" in first.spoken


def test_units_follow_the_size() -> None:
    assert shown(tile_figures(tiny(), EN)[2])[1:] == ("18.0", "ms", "14.8–21.4, limit 2.0 s")
    assert shown(tile_figures(huge(), EN)[2])[1:] == ("90.0", "min", "1.2–1.8 h, if it fitted")
    assert shown(tile_figures(huge(), EN)[3])[1:3] == ("1,082.4", "TB of 92.4 GB")
    assert shown(tile_figures(eight_devices(), EN)[3])[1:3] == ("449", "of 1,015 GB")


def test_a_wide_range_is_said_to_be_an_order_of_magnitude() -> None:
    sizing = fixed_sizing()
    sizing = replace(sizing, decode=replace(decode_of(sizing), order_of_magnitude=True))
    assert "order of magnitude" in tile_figures(sizing, EN)[1].spoken


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_marks_lie_on_the_track(state: object) -> None:
    for figures in tile_figures(state(), EN):  # type: ignore[operator]
        for value in (figures.value, figures.low, figures.high, figures.target):
            assert value is None or 0 <= value <= figures.top


def test_click_and_keys_explain(qtbot: QtBot, theme: Theme) -> None:
    asked: list[str] = []
    row = TileRow(theme, asked.append)
    qtbot.addWidget(row)
    row.resize(710, 88)
    row.set_sizing(fixed_sizing())
    tile = row.tiles[1]
    assert tile.accessibleName().startswith("Speed per user: 75 tok/s")
    QTest.mouseClick(tile, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_F1, Qt.Key.Key_Space):
        QTest.keyClick(tile, key)
    assert asked == ["decode_tok_s"] * 4


def test_every_state_is_painted(qtbot: QtBot, theme: Theme) -> None:
    row = TileRow(theme, lambda _key: None)
    qtbot.addWidget(row)
    for width in (480, 710):
        row.resize(width, 88)
        for state in STATES.values():
            row.set_sizing(state())
            assert not row.grab().isNull()
    assert all(tile.height() == 88 for tile in row.tiles)


def test_targets_can_be_absent() -> None:
    speed = tile_figures(fixed_sizing(Card(speed_target=None, ttft_target=None)), EN)[1]
    assert (speed.foot, speed.target) == ("61–89", None)


def test_nothing_on_a_tile_is_cut_where_numbers_are_long(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the narrowest window: the unit makes the figure smaller, and the foot says the less important not at all."""
    cut: list[str] = []
    original = Theme.elided

    def spied(self: Theme, text: str, room: float, *rest: object, **named: object) -> str:
        whole: str = original(self, text, room, *rest, **named)  # type: ignore[arg-type]
        cut.extend([text] if whole != text else [])
        return whole

    monkeypatch.setattr(Theme, "elided", spied)
    row = TileRow(theme, lambda _key: None)
    qtbot.addWidget(row)
    row.resize(620, 88)
    wide = TileFigures("Requests at once", "324,718", "at 256K", "needed 12", "k", value=1.0)
    late = TileFigures(
        "First token", "38,166", "h", "22,612–64,419, if it fitted", "k", value=1.0, short_foot="if it fitted"
    )
    row._show((wide, late, wide, late))
    row.grab()
    assert cut == []


def test_a_million_requests_have_one_number_at_their_foot() -> None:
    many = scenario().edited(workload__users=1_000_000, workload__active_share=1.0)
    tile = tile_figures(size(many, shipped()), Formatter("en"))[0]
    assert (tile.figure, tile.foot, tile.tone) == ("21", "needed 1,000,000", "bad")
