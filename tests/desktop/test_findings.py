from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.sizing.report import Finding, FindingKind, Weight
from desktop.results.findings import FindingStrip, finding_lines
from desktop.theme import Theme
from tests.desktop.fixed_sizing import Card, fixed_sizing, second_tier, tiny

MANY = Card(
    findings=(
        Finding(FindingKind.TEXTBOOK_KV, Weight.NOTE, ("kv_bytes_per_request", "textbook.kv_bytes_per_request")),
        Finding(FindingKind.ARTICLE_MODE, Weight.NOTE),
        Finding(FindingKind.PRICE_UNKNOWN, Weight.NOTE),
        Finding(FindingKind.QUEUE, Weight.NOTE, ("max_concurrency",)),
        Finding(FindingKind.CLOSE_TO_LIMIT, Weight.WARNING, ("memory.free_bytes",)),
    )
)


@pytest.fixture
def strip(qtbot: QtBot, theme: Theme) -> FindingStrip:
    widget = FindingStrip(theme)
    qtbot.addWidget(widget)
    widget.opened.connect(lambda is_open: widget.set_form(widget._compact, is_open))
    widget.resize(710, 122)
    widget.set_sizing(fixed_sizing(MANY))
    widget.show()
    return widget


def test_warnings_come_first_and_have_their_number() -> None:
    first = finding_lines(fixed_sizing(MANY))[0]
    assert first.weight is Weight.WARNING
    assert first.number.replace("\u00a0", " ") == "25.2 GB"
    assert first.key == "memory.free_bytes"


def test_three_are_shown_and_the_rest_on_demand(strip: FindingStrip, qtbot: QtBot) -> None:
    assert len(strip.rows) == 3
    assert strip._all.text() == "Show all 5"
    QTest.mouseClick(strip._all, Qt.MouseButton.LeftButton)
    assert len(strip.rows) == 5
    QTest.mouseClick(strip._all, Qt.MouseButton.LeftButton)
    assert len(strip.rows) == 3


def test_folded_it_is_one_line_with_the_count(strip: FindingStrip, qtbot: QtBot) -> None:
    strip.set_form(compact=True, is_open=False)
    assert strip.rows == []
    assert strip._title.text() == "5 points to check before you promise"
    assert strip.sizeHint().height() <= 32
    QTest.mouseClick(strip._all, Qt.MouseButton.LeftButton)
    assert len(strip.rows) == 5


def test_a_row_says_all_and_explains_its_figure(strip: FindingStrip, qtbot: QtBot) -> None:
    row = strip.rows[0]
    assert row.accessibleName().startswith("Warning: ")
    assert "25.2" in row.accessibleName()
    with qtbot.waitSignal(strip.explain_requested) as signal:
        QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    assert signal.args == ["memory.free_bytes"]
    with qtbot.waitSignal(strip.explain_requested):
        QTest.keyClick(row, Qt.Key.Key_F1)


def test_nothing_to_check_takes_no_room(strip: FindingStrip) -> None:
    strip.set_sizing(tiny())
    assert strip.isHidden()
    strip.set_sizing(second_tier())
    assert not strip.isHidden()
    assert not strip.grab().isNull()


def test_a_price_shows_its_date() -> None:
    from decimal import Decimal

    from core.catalogue.records import Price

    sizing = fixed_sizing(Card(findings=(Finding(FindingKind.PRICE_RANGE_WIDE, Weight.NOTE),)))
    price = Price(low=Decimal(8565), high=Decimal(16000), as_of="2026-08")
    sizing = replace(sizing, device=sizing.device.model_copy(update={"price": price}))
    assert "2026" in finding_lines(sizing)[0].number


def test_reasons_come_last_and_are_not_counted_as_points_to_check(strip: FindingStrip) -> None:
    more = (*MANY.findings, Finding(FindingKind.SINGLE_GPU, Weight.REASON, ("memory.total_bytes",)))
    sizing = fixed_sizing(Card(findings=more))
    assert [line.weight for line in finding_lines(sizing)][-1] is Weight.REASON
    strip.set_sizing(sizing)
    strip.set_form(compact=True, is_open=False)
    assert strip._title.text() == "5 points to check before you promise"
    strip.set_form(compact=True, is_open=True)
    assert strip.rows[-1].accessibleName().startswith("Reason: One card is enough")
