from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.sizing.report import MemoryKind, Sizing
from desktop.charts.memory_bar import MemoryBar
from desktop.charts.memory_parts import bars, segments
from desktop.charts.painting import clipped_diagonal
from desktop.theme import Theme
from tests.desktop.fixed_sizing import STATES, eight_devices, fixed_sizing, second_tier, too_much, two_devices


@pytest.fixture
def bar(qtbot: QtBot, theme: Theme) -> MemoryBar:
    widget = MemoryBar(theme)
    qtbot.addWidget(widget)
    widget.resize(710, 80)
    widget.set_sizing(fixed_sizing())
    widget.grab()
    return widget


def test_up_to_four_equal_devices_are_drawn_and_more_are_counted() -> None:
    assert [b.name for b in bars(fixed_sizing())] == [""]
    assert [b.name for b in bars(two_devices())] == ["1", "2"]
    assert [b.name for b in bars(eight_devices())] == ["× 8"]
    assert [(b.name, b.is_slow) for b in bars(second_tier())] == [("HBM", False), ("LPDDR5X", True)]


def test_segments_follow_one_another() -> None:
    tier = fixed_sizing().devices[0].tiers[0]
    found = segments(tier)
    assert [s.item.kind for s in found][:2] == [MemoryKind.WEIGHTS, MemoryKind.EMBEDDING]
    assert all(a.end == b.start for a, b in pairwise(found))
    assert found[-1].end == tier.used_bytes


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("width", [240, 710, 1100])
def test_every_state_is_painted(bar: MemoryBar, state: Callable[[], Sizing], width: int) -> None:
    bar.set_sizing(state())
    bar.resize(width, bar.height())
    assert not bar.grab().isNull()
    assert bar.accessibleName()
    assert bar.accessibleDescription()


def test_what_is_too_much_is_orange_and_what_fits_is_not(bar: MemoryBar, theme: Theme) -> None:
    def spilled(sizing: Sizing) -> bool:
        bar.set_sizing(sizing)
        image = bar.grab().toImage()
        row = bar.height() // 2
        return theme.chart("spill").rgb() in {image.pixel(x, row) for x in range(image.width())}

    assert spilled(too_much())
    assert not spilled(fixed_sizing())


def test_table_holds_every_item_in_gb_and_gib(bar: MemoryBar) -> None:
    table = bar.table()
    rows = {row[1].text: row for row in table.rows}
    assert rows["KV cache"][2].text == "32.21"
    assert rows["KV cache"][3].text == "30.00"
    assert rows["Used"][2].value == pytest.approx(fixed_sizing().trace["memory.total_bytes"] / 1e9)
    assert len(table.keys) == len(table.rows)


def test_arrow_keys_read_out_and_enter_explains(bar: MemoryBar, qtbot: QtBot) -> None:
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert "23.4 GB (21.8 GiB)" in bar.accessibleDescription().replace("\u00a0", " ")
    with qtbot.waitSignal(bar.explain_requested) as signal:
        QTest.keyClick(bar, Qt.Key.Key_Return)
    assert signal.args == ["memory_item.weights"]
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    with qtbot.waitSignal(bar.explain_requested) as signal:
        QTest.keyClick(bar, Qt.Key.Key_F1)
    assert signal.args == ["memory.total_bytes"]


def test_a_click_on_a_segment_explains_it(bar: MemoryBar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bar.explain_requested) as signal:
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPointF(330, 40).toPoint())
    assert signal.args == ["memory_item.kv_cache"]


def test_hatching_stays_inside_its_part() -> None:
    rect = QRectF(100, 10, 40, 30)
    lines = [line for offset in range(60, 160, 6) if (line := clipped_diagonal(offset, rect)) is not None]
    assert lines
    edge = rect.adjusted(-1e-9, -1e-9, 1e-9, 1e-9)
    assert all(edge.contains(point) for line in lines for point in (line.p1(), line.p2()))
