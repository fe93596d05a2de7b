"""Capacity: two charts on one axis, the wall, what the pointer reads in both, and the table."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.language.messages import in_language
from core.language.numbers import Formatter
from core.sizing.report import Sizing
from core.sizing.size import size
from desktop.charts.axes import Span, whole_ticks
from desktop.charts.capacity_curve import request_axis, user_picture
from desktop.charts.picture import Picture
from desktop.results.capacity_page import CapacityPage
from desktop.results.core_curves import CoreCurves
from desktop.results.page import ChartSlot
from desktop.tables import NumberTableModel
from desktop.theme import Theme
from tests.desktop.fixed_sizing import STATES, Card, FixedCurves, fixed_capacity, fixed_sizing, speed_unknown
from tests.shipped import shipped
from tests.usual_scenario import scenario

EN = Formatter("en")


def make_page(qtbot: QtBot, theme: Theme, sizing: Sizing, width: int = 710, height: int = 470) -> CapacityPage:
    page = CapacityPage(theme, FixedCurves())
    qtbot.addWidget(page)
    page.resize(width, height)
    page.set_sizing(sizing, None)
    page.show()
    page.complete()
    page.grab()
    return page


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> CapacityPage:
    return make_page(qtbot, theme, fixed_sizing())


def picture(sizing: Sizing) -> Picture:
    curves = fixed_capacity(sizing)
    assert curves is not None
    return user_picture(sizing, curves, EN)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_every_state_is_painted(qtbot: QtBot, theme: Theme, state: Callable[[], Sizing]) -> None:
    page = make_page(qtbot, theme, state())
    for size_of in ((400, 240), (710, 470), (1060, 600)):
        page.resize(*size_of)
        assert not page.grab().isNull()
    assert page.title.text()


def test_point_target_and_wall_are_named_and_no_label_covers_another(page: CapacityPage) -> None:
    chart = page.users.chart
    assert chart is not None
    written = [text.replace("\u00a0", " ") for text in chart.labels]
    for text in ("memory full: 21 at 256K each", "you: 12 requests, 75 tok/s", "target 30 tok/s", "P50 with P10–P90"):
        assert text in written
    rects = list(chart.labels.values())
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])
    assert all(chart.plot_rect().contains(rect) for rect in rects)


def test_the_ground_past_the_wall_is_sunken(page: CapacityPage, theme: Theme) -> None:
    chart = page.users.chart
    assert chart is not None
    image = chart.grab().toImage()
    y = round(chart.plot_rect().top()) + 30
    left, right = (image.pixelColor(round(chart.point(x, 0).x()), y).name() for x in (19.5, 40))
    assert left != theme.color("sunken").name()
    assert right == theme.color("sunken").name()


def read(page: CapacityPage, slot: ChartSlot, index: int) -> list[tuple[int, bool]]:
    """Read a point in one of the charts: where each chart is then, and whether it shows the card."""
    assert slot.chart is not None
    slot.chart.read(index)
    page.grab()
    return [(one.chart.read_at, one.chart.card_rect is not None) for one in page.slots() if one.chart is not None]


def test_the_pointer_reads_both_charts_at_once(page: CapacityPage) -> None:
    assert read(page, page.users, 5) == [(5, True), (5, False)]  # one card is enough
    assert read(page, page.all_together, 7) == [(7, False), (7, True)]
    assert read(page, page.all_together, -1) == [(-1, False), (-1, False)]


def test_keys_move_the_read_out_and_explain(page: CapacityPage, qtbot: QtBot) -> None:
    chart = page.users.chart
    assert chart is not None
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.picture is not None
    assert chart.picture.x[chart.read_at] == 12
    assert "per user 75" in chart.accessibleDescription()
    with qtbot.waitSignal(page.explain_requested) as signal:
        QTest.keyClick(chart, Qt.Key.Key_F1)
    assert signal.args == ["decode_tok_s"]


def test_the_read_out_says_what_breaks() -> None:
    drawn = picture(fixed_sizing())
    at = {int(x): n for n, x in enumerate(drawn.x)}
    assert drawn.read_out(at[12]).alarm == ""
    assert drawn.read_out(at[22]).alarm.startswith("needs")
    slow = picture(fixed_sizing(Card(speed_target=60.0)))
    assert slow.read_out(at[20]).alarm.replace("\u00a0", " ") == "below your target of 60 tok/s"
    late = picture(fixed_sizing(Card(ttft_target=1.3)))
    assert late.read_out(at[20]).alarm.replace("\u00a0", " ") == "later than your target of 1.3 s"


def test_past_the_wall_the_memory_is_that_of_a_sizing() -> None:
    catalogue = shipped()
    sizing = size(scenario(), catalogue)
    found = CoreCurves().capacity(sizing, catalogue)
    assert found is not None
    fit = int(sizing.trace["max_concurrency"])
    assert found.at(fit).trace["memory.total_bytes"] <= sizing.trace["memory.limit_bytes"]
    assert found.at(fit + 1).trace["memory.total_bytes"] > sizing.trace["memory.limit_bytes"]
    at = list(found.requests).index(sizing.required_requests)
    assert sizing.decode is not None
    assert found.speed.p50[at] == pytest.approx(sizing.decode.p50, rel=1e-9)  # the point lies on its curve
    assert fit in found.requests


def test_the_axis_holds_what_matters() -> None:
    for wanted, carried, fit in ((1, 1, 1), (12, 22, 22), (4, 4, 9000), (500, 900, 30), (10_000, 0, 0)):
        axis = request_axis(wanted, carried, fit)
        assert axis == sorted(set(axis))
        assert axis[0] == 1
        assert wanted in axis
        assert not carried or carried in axis


def test_ticks_name_the_user_s_requests_and_the_last_that_fit() -> None:
    ticks = [tick.text for tick in whole_ticks(Span(1, 49), (12, 22), EN.count)]
    assert ticks == ["1", "12", "22", "30", "40"]
    together = [tick.text for tick in whole_ticks(Span(1, 200), (100, 101), EN.count)]
    assert "101" not in together
    assert "100" in together


def test_safety_leads_to_its_figure(page: CapacityPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.explain_requested) as signal:
        QTest.mouseClick(page.safety.buttons[0], Qt.MouseButton.LeftButton)
    assert signal.args == ["capacity.none.accelerators"]


def test_an_unknown_speed_says_so(qtbot: QtBot, theme: Theme) -> None:
    page = make_page(qtbot, theme, speed_unknown())
    assert page.users.picture is None
    assert page.tables() == []
    assert "peak FLOPS" in page.line.text()


def test_the_table_model_holds_both_charts(page: CapacityPage, qtmodeltester: ModelTester) -> None:
    (table,) = page.tables()
    assert page.users.picture is not None
    assert [row[0].value for row in table.rows] == list(page.users.picture.x)
    assert len(table.columns) == 10
    model = NumberTableModel()
    model.set_table(table)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_label_is_lost_in_another_language(qtbot: QtBot, theme: Theme, code: str) -> None:
    with in_language(code):
        page = make_page(qtbot, theme, fixed_sizing())
        chart = page.users.chart
        assert chart is not None
        assert len(chart.labels) == 4
