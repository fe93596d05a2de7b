from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.charts.waterfall import Waterfall
from desktop.theme import Theme
from tests.core.estimates import decode_of
from tests.desktop.fixed_sizing import STATES, Card, fixed_sizing, second_tier


@pytest.fixture
def waterfall(qtbot: QtBot, theme: Theme) -> Waterfall:
    widget = Waterfall(theme)
    qtbot.addWidget(widget)
    widget.resize(710, 200)
    widget.set_sizing(fixed_sizing())
    return widget


def test_each_cause_starts_where_the_last_one_ended(waterfall: Waterfall) -> None:
    rows = waterfall.rows
    assert [row.name for row in rows][:2] == ["Reading weights", "Reading the cache"]
    for a, b in pairwise(rows):
        assert b.start == pytest.approx(a.start + a.part.seconds)


def test_the_prompts_of_others_are_part_of_a_token(waterfall: Waterfall) -> None:
    sizing = fixed_sizing(Card(interference_ms=20.0))
    waterfall.set_sizing(sizing)
    assert waterfall.rows[-1].name == "Prompts of other users"
    total = waterfall.table().rows[-1]
    assert total[1].value == pytest.approx(sizing.trace["tpot_s"] * 1e3)
    assert 1 / decode_of(sizing).p50 == pytest.approx(total[1].value / 1e3)


def test_the_table_adds_up(waterfall: Waterfall) -> None:
    *parts, total = waterfall.table().rows
    assert sum(row[1].value for row in parts) == pytest.approx(total[1].value)
    assert sum(row[2].value for row in parts) == pytest.approx(100)


def test_every_state_is_painted(waterfall: Waterfall) -> None:
    for state in STATES.values():
        for width in (300, 560, 710):
            waterfall.set_sizing(state())
            waterfall.resize(width, waterfall.height())
            assert not waterfall.grab().isNull()


def test_keys_choose_a_row_and_enter_explains_it(waterfall: Waterfall, qtbot: QtBot) -> None:
    waterfall.choose(0)
    QTest.keyClick(waterfall, Qt.Key.Key_Down)
    assert "3.1 ms" in waterfall.accessibleDescription().replace("\u00a0", " ")
    with qtbot.waitSignal(waterfall.explain_requested) as signal:
        QTest.keyClick(waterfall, Qt.Key.Key_Return)
    assert signal.args == ["decode_step_s.kv"]


def test_a_click_explains_the_row(waterfall: Waterfall, qtbot: QtBot) -> None:
    waterfall.set_sizing(second_tier())
    QTest.mouseMove(waterfall, QPoint(300, 40))
    waterfall.choose(1)
    with qtbot.waitSignal(waterfall.explain_requested) as signal:
        QTest.mouseClick(waterfall, Qt.MouseButton.LeftButton, pos=QPoint(300, 40))
    assert signal.args == ["decode_step_s.second_tier"]
