"""Roofline: both axes logarithmic, two named points under the roof, and the table."""

from collections.abc import Callable

import pytest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.language.numbers import Formatter
from core.sizing.report import Sizing
from desktop.charts.roofline_chart import roofline_picture
from desktop.results.roofline_page import RooflinePage
from desktop.tables import NumberTableModel
from desktop.theme import Theme
from tests.desktop.fixed_sizing import STATES, FixedCurves, fixed_roofline, fixed_sizing, speed_unknown

EN = Formatter("en")


def make_page(qtbot: QtBot, theme: Theme, sizing: Sizing) -> RooflinePage:
    page = RooflinePage(theme, FixedCurves())
    qtbot.addWidget(page)
    page.resize(710, 470)
    page.set_sizing(sizing, None)
    page.show()
    page.complete()
    page.grab()
    return page


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_every_state_is_painted(qtbot: QtBot, theme: Theme, state: Callable[[], Sizing]) -> None:
    page = make_page(qtbot, theme, state())
    for size in ((400, 240), (1060, 600)):
        page.resize(*size)
        assert not page.grab().isNull()
    assert page.title.text()


def test_both_kinds_of_work_and_the_ridge_are_named(qtbot: QtBot, theme: Theme) -> None:
    chart = make_page(qtbot, theme, fixed_sizing()).slot.chart
    assert chart is not None
    written = " | ".join(chart.labels).replace("\u00a0", " ")
    for text in (
        "Writing (decode): 10.8 TFLOP/s",
        "Reading (prefill): 100",
        "ridge point 223",
        "peak 400",
        "at 16 bit",
    ):
        assert text in written
    rects = list(chart.labels.values())
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])


def test_equal_factors_are_equal_steps_on_both_axes() -> None:
    found = fixed_roofline(fixed_sizing())
    assert found is not None
    picture = roofline_picture(fixed_sizing(), found, EN)
    assert picture.y_ticks is not None
    assert [tick.at for tick in picture.y_ticks] == [float(n) for n in range(len(picture.y_ticks))]
    assert [tick.text for tick in picture.x_ticks or ()][:3] == ["1", "10", "100"]
    roof = picture.lines[0].y
    assert min(roof) >= 0
    slope = (roof[10] - roof[0]) / (picture.x_span.scaled(picture.x[10]) - picture.x_span.scaled(picture.x[0]))
    assert slope == pytest.approx(0.30103, rel=1e-3)  # a decade for a decade, in steps of two
    assert max(roof) == pytest.approx(roof[-1])


def test_the_read_out_says_what_decides() -> None:
    found = fixed_roofline(fixed_sizing())
    assert found is not None
    picture = roofline_picture(fixed_sizing(), found, EN)
    assert "memory bandwidth decides" in picture.read_out(0).spoken
    assert "the computing rate decides" in picture.read_out(len(picture.x) - 1).spoken


def test_the_table_names_its_figures(qtbot: QtBot, theme: Theme, qtmodeltester: ModelTester) -> None:
    (table,) = make_page(qtbot, theme, fixed_sizing()).tables()
    assert table.keys == ("roofline.decode", "roofline.prefill", "ridge_flop_per_byte")
    model = NumberTableModel()
    model.set_table(table)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


def test_an_unknown_rate_says_so(qtbot: QtBot, theme: Theme) -> None:
    page = make_page(qtbot, theme, speed_unknown())
    assert page.slot.picture is None
    assert "unknown" in page.title.text()
