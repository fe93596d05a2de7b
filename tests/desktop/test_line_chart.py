from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.language.numbers import Formatter
from core.sizing.report import Sizing
from desktop.charts.base import LineChart
from desktop.charts.decode_curve import decode_picture
from desktop.charts.memory_curve import memory_picture
from desktop.charts.picture import Picture
from desktop.charts.ttft_curve import ttft_picture
from desktop.theme import Theme
from tests.desktop.fixed_sizing import (
    STATES,
    Card,
    fixed_curves,
    fixed_decode,
    fixed_sizing,
    fixed_ttft,
    only_a_bound,
    speed_unknown,
    too_much,
    two_devices,
)

EN = Formatter("en")


def memory(sizing: Sizing) -> Picture:
    return memory_picture(sizing, fixed_curves(sizing), EN)


def decode(sizing: Sizing) -> Picture:
    return decode_picture(sizing, fixed_decode(sizing), 32_768, EN)


def ttft(sizing: Sizing) -> Picture:
    return ttft_picture(sizing, fixed_ttft(sizing), 32_768, EN)


@pytest.fixture
def chart(qtbot: QtBot, theme: Theme) -> LineChart:
    widget = LineChart(theme)
    qtbot.addWidget(widget)
    widget.resize(478, 310)
    widget.set_picture(memory(fixed_sizing()))
    widget.grab()
    return widget


@pytest.mark.parametrize(
    ("state", "make"),
    [
        pytest.param(state, make, id=f"{name}-{make.__name__}")
        for name, state in STATES.items()
        for make in (memory, decode, ttft)
        if not (make is ttft and state().speed_unknown)  # there is no such chart then
    ],
)
def test_every_state_is_painted(
    chart: LineChart, state: Callable[[], Sizing], make: Callable[[Sizing], Picture]
) -> None:
    picture = make(state())
    chart.set_picture(picture)
    for size in ((180, 90), (345, 215), (1000, 500)):
        chart.resize(*size)
        assert not chart.grab().isNull()
    assert chart.accessibleName() == picture.heading


def test_the_chosen_point_and_the_limit_are_named(chart: LineChart) -> None:
    written = [text.replace("\u00a0", " ") for text in chart.labels]
    for text in ("your limit 256K: 67.2 GB", "Engine limit 92.4 GB", "8-bit", "16-bit", "4-bit", "456K"):
        assert text in written


def test_labels_do_not_cover_one_another(chart: LineChart) -> None:
    rects = list(chart.labels.values())
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])
    assert all(chart.plot_rect().contains(rect) for rect in rects)


def test_the_crossing_is_where_the_line_meets_the_limit() -> None:
    picture = memory(fixed_sizing())
    crossing = next(one for one in picture.crossings if one.strong)
    line = next(one for one in picture.lines if one.strong)
    assert np.interp(crossing.x, picture.x, line.y) == pytest.approx(picture.levels[0].y, rel=1e-3)


def test_several_accelerators_are_drawn_as_one() -> None:
    picture = memory(two_devices())
    assert picture.levels[0].y == pytest.approx(92.4, abs=0.1)
    assert picture.heading.startswith("Memory of one accelerator")


@pytest.mark.parametrize("x", [60, 200, 330, 460])
def test_the_read_out_stays_inside_the_plot(chart: LineChart, qtbot: QtBot, x: int) -> None:
    QTest.mouseMove(chart, QPointF(x, 150).toPoint())
    chart.read(chart._nearest(x))
    chart.grab()
    assert chart.card_rect is not None
    assert chart.plot_rect().contains(chart.card_rect)
    middle = chart.point(chart.picture.x[chart.read_at], 0).x() if chart.picture else 0.0
    assert not chart.card_rect.left() <= middle <= chart.card_rect.right()


def test_arrow_keys_move_the_read_out_and_escape_hides_it(chart: LineChart, qtbot: QtBot) -> None:
    QTest.keyClick(chart, Qt.Key.Key_Right)
    start = chart.read_at
    assert chart.picture is not None
    assert chart.picture.x[start] == pytest.approx(262_144, rel=0.1)  # it starts at the user's own point
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.read_at == start + 1
    assert "8-bit" in chart.accessibleDescription()
    QTest.keyClick(chart, Qt.Key.Key_Home)
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.read_at == 0
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.read_at == -1
    assert chart.accessibleDescription() == chart.picture.summary


def test_enter_and_f1_explain(chart: LineChart, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_F1):
        with qtbot.waitSignal(chart.explain_requested) as signal:
            QTest.keyClick(chart, key)
        assert signal.args == ["memory.total_bytes"]


def test_the_read_out_says_what_breaks() -> None:
    picture = memory(too_much())
    assert picture.read_out(0).alarm == ""
    assert "too much" in picture.read_out(len(picture.x) - 1).alarm
    slow = decode(fixed_sizing(Card(speed_target=200.0)))
    assert slow.read_out(0).alarm.replace("\u00a0", " ") == "below your target of 200 tok/s"
    late = ttft(fixed_sizing())
    assert late.read_out(len(late.x) - 1).alarm.replace("\u00a0", " ") == "later than your target of 2.0 s"


@pytest.mark.parametrize("make", [memory, decode, ttft])
def test_the_table_holds_what_the_chart_draws(make: Callable[[Sizing], Picture]) -> None:
    picture = make(fixed_sizing())
    table = picture.table()
    assert [row[0].value for row in table.rows] == [round(x) for x in picture.x]
    drawn = next(line for line in picture.lines if line.strong)
    column = 2
    assert [row[column].value for row in table.rows] == pytest.approx(list(drawn.y), rel=1e-5)


def test_small_times_are_drawn_in_milliseconds() -> None:
    picture = ttft(fixed_sizing(Card(ttft=0.02, ttft_target=0.05)))
    assert picture.heading.endswith("ms")
    assert picture.chosen is not None
    assert picture.chosen.y == pytest.approx(20)
    assert picture.chosen.text.replace("\u00a0", " ") == "20.0 ms at 32K"


def test_a_mere_bound_has_no_band_and_says_so() -> None:
    assert decode(only_a_bound()).band is None
    assert decode(only_a_bound()).chosen.text.startswith("at most")  # type: ignore[union-attr]
    assert ttft(only_a_bound()).chosen.text.startswith("at least")  # type: ignore[union-attr]
    unknown = decode(speed_unknown())
    assert unknown.band is None
    assert unknown.lines[0].dotted_bound
    assert unknown.chosen.text.startswith("at most 112")  # type: ignore[union-attr]
    assert unknown.key == "decode_tok_s.ceiling"
    assert decode(fixed_sizing()).band is not None


def test_curves_end_where_they_leave_the_plot(chart: LineChart) -> None:
    assert chart.picture is not None
    for curve in chart._curves:
        _x, y = curve.getData()
        assert y.max() <= chart.picture.y_top * (1 + 1e-9)


def test_300_repaints(chart: LineChart, qtbot: QtBot) -> None:
    pictures = [memory(fixed_sizing(Card(users=20 + n))) for n in range(3)]
    for n in range(300):
        chart.set_picture(pictures[n % 3])
        chart.repaint()
    assert len(chart._curves) == 3
