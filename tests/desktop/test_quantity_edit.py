"""Number fields: what people type, what is kept, keys."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy

from core.language.messages import LANGUAGES, in_language, set_language
from desktop.inputs.money import price
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.quantity import Quantity
from desktop.widgets.quantity_edit import QuantityEdit


def field(qtbot: Any, theme: Theme, kind: Quantity, value: object) -> QuantityEdit:
    edit = QuantityEdit(theme, kind, "Field", lambda v: "At least 1." if v is not None and v < 1e-9 else "")
    qtbot.addWidget(edit)
    edit.set_value(value)
    edit.show()
    edit.activateWindow()
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)
    return edit


def type_in(qtbot: Any, edit: QuantityEdit, text: str) -> None:
    edit.selectAll()
    qtbot.keyClicks(edit, text)


@pytest.mark.parametrize(
    ("text", "value"), [("256K", 262_144), ("1.5M", 1_572_864), ("8192", 8192), ("262,144", 262_144), ("32 k", 32_768)]
)
def test_lengths(qtbot: Any, theme: Theme, text: str, value: int) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 4096)
    type_in(qtbot, edit, text)
    assert edit.value == 4096  # "25" on the way to "256K" is not meant
    with qtbot.waitSignal(edit.value_edited, timeout=2000) as edited:
        pass
    assert edit.value == value
    assert edited.args == [value]


def test_a_decimal_comma_where_the_language_has_one(qtbot: Any, theme: Theme) -> None:
    set_language("de")
    try:
        edit = field(qtbot, theme, quantity.seconds(), 2.0)
        assert edit.text() == "2,0"
        type_in(qtbot, edit, "0,5")
        qtbot.keyClick(edit, Qt.Key.Key_Return)
        assert edit.value == 0.5
        edit.set_value(1.5)
        qtbot.keyClick(edit, Qt.Key.Key_Return)
        assert edit.text() == "1,5"
    finally:
        set_language("en")


@pytest.mark.parametrize("rubbish", ["25 6X", "abc", "12,,3.4.5", "--", "K"])
def test_rubbish_keeps_the_last_value_and_is_marked_after_a_while(qtbot: Any, theme: Theme, rubbish: str) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 262_144)
    edited = QSignalSpy(edit.value_edited)
    type_in(qtbot, edit, rubbish)
    assert edit.problem == ""  # not while typing
    with qtbot.waitSignal(edit.problem_changed, timeout=2000):
        pass
    assert edit.problem.endswith("Keeping 256K.")
    assert edit.property("state") == "invalid"
    assert (edited.count(), edit.value) == (0, 262_144)


def test_leaving_the_field_marks_at_once_and_escape_mends(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 262_144)
    type_in(qtbot, edit, "x")
    edit.clearFocus()
    assert edit.problem == "Write a length such as 256K. Keeping 256K."
    assert edit.value == 262_144
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert (edit.text(), edit.problem, edit.property("state")) == ("256K", "", "")


def test_a_value_that_the_scenario_refuses_is_marked(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.count(), 40)
    type_in(qtbot, edit, "0")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.problem == "At least 1."
    assert edit.value == 40


def test_steps(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.count(), 40)
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.value == 41
    qtbot.keyClick(edit, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert edit.value == 31
    qtbot.keyClick(edit, Qt.Key.Key_PageUp)
    assert edit.value == 62
    qtbot.keyClick(edit, Qt.Key.Key_PageDown)
    assert (edit.value, edit.text()) == (31, "31")


def test_lengths_step_by_powers_of_two(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 100_000)
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.value == 131_072
    qtbot.keyClick(edit, Qt.Key.Key_Down)
    assert edit.value == 65_536


def test_steps_are_one_gesture_and_escape_takes_them_back(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.count(), 40)
    started, ended = QSignalSpy(edit.gesture_started), QSignalSpy(edit.gesture_ended)
    for _time in range(3):
        qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert (started.count(), ended.count(), edit.value) == (1, 0, 43)
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert (ended.count(), edit.value) == (1, 40)


def test_an_optional_field_may_be_empty(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.seconds(), 2.0)
    type_in(qtbot, edit, "x")
    edit.clear()
    edit.textEdited.emit("")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert (edit.value, edit.problem) == (None, "")


def test_what_is_shown_rounded_is_not_read_back(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.memory(), 102_641_958_912)
    assert edit.text() == "102.64"
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    edit.clearFocus()
    assert edit.value == 102_641_958_912


def test_a_value_from_outside_does_not_disturb_typing(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 4096)
    type_in(qtbot, edit, "262144")
    edit._apply()
    edit.set_value(262_144)
    assert edit.text() == "262144"
    edit.set_value(8192)
    assert edit.text() == "8K"


def test_the_exact_number_is_told(qtbot: Any, theme: Theme) -> None:
    edit = field(qtbot, theme, quantity.tokens(), 262_144)
    assert edit.toolTip() == "256K (262,144) tokens"
    assert "262,144" in edit.accessibleDescription()


@pytest.mark.parametrize(
    ("kind", "text", "value", "shown"),
    [
        (quantity.memory(), "40", 40 * 10**9, "40"),
        (quantity.memory(), "97,887 MiB", 97_887 * 2**20, "102.64"),
        (quantity.memory("MiB"), "97,887", 97_887 * 2**20, "97,887"),
        (quantity.rate(), "1.8 TB/s", 1.8e12, "1,800"),
        (quantity.rate(), "200 Gb/s", 25e9, "25"),
        (quantity.teraflops(), "503.8", 503.8e12, "503.8"),
        (quantity.plain("W"), "600 W", 600.0, "600"),
        (quantity.share(), "2.5 %", 0.025, "2.5"),
        (quantity.parameters(), "35.1B", 35_100_000_000, "35.1B"),
    ],
)
def test_kinds(qtbot: Any, theme: Theme, kind: Quantity, text: str, value: float, shown: str) -> None:
    edit = field(qtbot, theme, kind, None)
    type_in(qtbot, edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.value == pytest.approx(value)
    assert edit.text() == shown


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_example_is_written_as_the_field_reads_it(code: str) -> None:
    """In German "12,400" is twelve and a bit."""
    with in_language(code):
        kinds = (
            price(),
            price("0.25"),
            quantity.plain("kg", "1,500"),
            quantity.plain("B", "0.5"),
            quantity.ratio("1.3"),
        )
        assert [float(kind.parsed(kind.example)) for kind in kinds] == [12_400, 0.25, 1500, 0.5, 1.3]


def test_no_step_leads_to_more_digits_than_the_field_shows(qtbot: Any, theme: Theme) -> None:
    edit = QuantityEdit(theme, quantity.share(), "Share")
    qtbot.addWidget(edit)
    edit.set_value(0.3)
    edit.show()
    for _key in range(12):
        qtbot.keyClick(edit, Qt.Key.Key_PageDown)
        assert edit.value == pytest.approx(round(edit.value, 3), abs=1e-12)
    edit.set_value(0.1)
    for _key in range(5):
        qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.value == pytest.approx(0.15)


@pytest.mark.parametrize("text", ["0000-01-01", "2025-02-30", "2026-13", "26-01-01", "tomorrow"])
def test_a_day_that_no_calendar_has_is_refused(qtbot: Any, theme: Theme, text: str) -> None:
    edit = QuantityEdit(theme, quantity.day(), "Day of the offer")
    qtbot.addWidget(edit)
    edit.set_value("2026-11-20")
    edit.show()
    edit.setText(text)
    edit.textEdited.emit(text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.problem == "Write a date such as 2026-11. Keeping 2026-11-20."
    assert edit.value == "2026-11-20"


def test_a_long_number_takes_the_place_of_its_unit(qtbot: Any, theme: Theme) -> None:
    """It was cut at its left, so that a thousand million read as none."""
    edit = QuantityEdit(theme, quantity.tokens(), "Context limit")
    qtbot.addWidget(edit)
    edit.setFixedWidth(130)
    edit.show()
    margins = []
    for tokens in (262_144, 10**9):
        edit.set_value(tokens)
        margins.append(edit.textMargins().right())
    assert margins[0] > margins[1] == 0
    assert edit.fontMetrics().horizontalAdvance(edit.text()) <= edit.width() - 18
