"""Small widgets: slider, stepper, switch, section, messages, picker, labels."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QWidget

from core.language.messages import LANGUAGES, gettext, in_language
from desktop.session import Message
from desktop.theme import Theme
from desktop.widgets import quantity
from desktop.widgets.choices import Choice, matching, with_headings
from desktop.widgets.labels import ElidedLabel
from desktop.widgets.log_slider import LogSlider, halves_between, round_between
from desktop.widgets.message_bar import MessageStack
from desktop.widgets.picker import ComboPicker
from desktop.widgets.section import Section
from desktop.widgets.segments import SegmentedSwitch
from desktop.widgets.stepper import Stepper

DEVICES = [
    Choice("rtx-4090", "RTX 4090", "24 GB", "NVIDIA"),
    Choice("rtx-pro-6000-ws", "RTX PRO 6000 Workstation", "96 GB", "NVIDIA", words="blackwell"),
    Choice("dgx-spark", "DGX Spark", "128 GB", "NVIDIA"),
    Choice("mi300x", "MI300X", "192 GB", "AMD"),
]


def test_slider_steps_are_round() -> None:
    assert halves_between(4096, 16_384) == [4096, 6144, 8192, 12_288, 16_384]
    assert round_between(20) == [1, 2, 3, 5, 7, 10, 15, 20]


def test_a_slider_moves_over_its_steps_and_shows_what_lies_between(qtbot: Any, theme: Theme) -> None:
    slider = LogSlider(theme, halves_between(1024, 1_048_576), "Context")
    qtbot.addWidget(slider)
    slider.resize(200, 20)
    slider.show()
    edited, ended = QSignalSpy(slider.value_edited), QSignalSpy(slider.gesture_ended)
    slider.set_number(100_000)
    assert edited.count() == 0
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.number == 131_072
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert slider.number == 98_304
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(199, 10))
    qtbot.mouseMove(slider, QPoint(2, 10))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(2, 10))
    assert slider.number == 1024
    assert ended.count() == 1


def test_a_stepper_stays_within_its_limits(qtbot: Any, theme: Theme) -> None:
    stepper = Stepper(theme, quantity.count(high=3), "Count")
    qtbot.addWidget(stepper)
    stepper.set_value(1)
    edited = QSignalSpy(stepper.value_edited)
    assert not stepper.less.isEnabled()
    for _time in range(4):
        qtbot.mouseClick(stepper.more, Qt.MouseButton.LeftButton)
    assert stepper.value == 3
    assert not stepper.more.isEnabled()
    assert [edited.at(at)[0] for at in range(edited.count())] == [2, 3]


def test_a_switch_has_one_choice(qtbot: Any, theme: Theme) -> None:
    switch = SegmentedSwitch([("a", "All"), ("b", "Best")], "Show")
    qtbot.addWidget(switch)
    switch.set_value("a")
    with qtbot.waitSignal(switch.chosen) as chosen:
        qtbot.mouseClick(switch._buttons["b"], Qt.MouseButton.LeftButton)
    assert chosen.args == ["b"]
    assert switch.value == "b"


def test_a_section_folds_and_then_shows_its_summary(qtbot: Any, theme: Theme) -> None:
    section = Section(theme, "Workload")
    qtbot.addWidget(section)
    section.rows.addWidget(QWidget())
    section.set_summary("40 users")
    section.show()
    with qtbot.waitSignal(section.folded_changed):
        qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not section.body.isVisible(), timeout=2000)
    assert section.summary.isVisible()
    assert section.header.accessibleDescription() == "40 users"
    section.set_folded(False)
    assert section.body.isVisible()
    assert not section.summary.isVisible()


def test_messages_replace_those_of_their_topic(qtbot: Any, theme: Theme) -> None:
    stack = MessageStack(theme)
    qtbot.addWidget(stack)
    ran: list[str] = []
    stack.show_message(Message("First", topic="a"))
    stack.show_message(Message("Second", "bad", "a", "Mend", lambda: ran.append("mended")))
    stack.show_message(Message("Third", "warn", "b"))
    assert list(stack.topics) == ["a", "b"]
    bar = stack.bar("a")
    assert bar is not None
    assert bar.text.text() == "Second"
    assert bar.property("tone") == "bad"
    stack.show_message(Message("", topic="b"))
    assert list(stack.topics) == ["a"]
    bar.closed.emit()
    assert list(stack.topics) == []
    assert stack.isHidden()


def test_text_of_a_message_is_no_markup(qtbot: Any, theme: Theme) -> None:
    stack = MessageStack(theme)
    qtbot.addWidget(stack)
    stack.show_message(Message("<b>Client</b> & Co", topic="a"))
    bar = stack.bar("a")
    assert bar is not None
    assert bar.text.textFormat() is Qt.TextFormat.PlainText


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["rtx-4090", "rtx-pro-6000-ws", "dgx-spark", "mi300x"]),
        ("spark", ["dgx-spark"]),
        ("rtx 6000", ["rtx-pro-6000-ws"]),
        ("BLACKWELL", ["rtx-pro-6000-ws"]),
        ("mi300", ["mi300x"]),
        ("rtx40", []),
        ("nothing", []),
    ],
)
def test_finding(query: str, found: list[str]) -> None:
    assert [choice.key for choice in matching(DEVICES, query)] == found


def test_names_that_begin_with_the_query_come_first() -> None:
    rows = [Choice("a", "Big Llama"), Choice("b", "Llama 3"), Choice("c", "xllama")]
    assert [choice.key for choice in matching(rows, "llama")] == ["b", "a", "c"]


def test_headings_stand_above_their_groups() -> None:
    assert [choice.name for choice in with_headings(DEVICES)][:2] == ["NVIDIA", "RTX 4090"]
    assert sum(choice.is_heading for choice in with_headings(DEVICES)) == 2


def test_a_picker_finds_by_typing_and_enter_chooses(qtbot: Any, theme: Theme) -> None:
    picker = ComboPicker(theme, "Device", searchable=True)
    qtbot.addWidget(picker)
    picker.set_source(lambda: DEVICES)
    picker.set_current("rtx-4090", "RTX 4090")
    picker.show()
    qtbot.keyClick(picker, Qt.Key.Key_S)
    popup = picker.popup()
    assert popup.isVisible()
    qtbot.keyClicks(popup.search, "park")
    assert popup.search.text() == "spark"
    with qtbot.waitSignal(picker.chosen) as chosen:
        qtbot.keyClick(popup.search, Qt.Key.Key_Return)
    assert chosen.args == ["dgx-spark"]
    assert not popup.isVisible()


def test_a_picker_opens_on_its_choice_and_skips_headings(qtbot: Any, theme: Theme) -> None:
    picker = ComboPicker(theme, "Device", searchable=True)
    qtbot.addWidget(picker)
    picker.set_choices(DEVICES)
    picker.set_current("dgx-spark")
    picker.show()
    picker.open()
    popup = picker.popup()
    assert popup.list.current == DEVICES[2]
    qtbot.keyClick(popup.search, Qt.Key.Key_Down)
    assert popup.list.current == DEVICES[3]  # over the heading "AMD"
    qtbot.keyClick(popup.search, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert picker.key == "dgx-spark"


def test_choosing_the_same_again_changes_nothing(qtbot: Any, theme: Theme) -> None:
    picker = ComboPicker(theme, "Device")
    qtbot.addWidget(picker)
    picker.set_choices(DEVICES)
    picker.set_current("dgx-spark")
    chosen = QSignalSpy(picker.chosen)
    picker.open()
    picker.popup().list.choose_current()
    assert chosen.count() == 0


def test_the_list_passes_the_model_tester(qtbot: Any, theme: Theme, qtmodeltester: Any) -> None:
    picker = ComboPicker(theme, "Device")
    qtbot.addWidget(picker)
    picker.set_choices(DEVICES)
    picker.open()
    qtmodeltester.check(picker.popup().list.rows)


def test_a_long_label_elides_and_tells_the_rest(qtbot: Any, theme: Theme) -> None:
    label = ElidedLabel("A very long name of a scenario that nobody can show")
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    assert label.is_elided
    assert label.toolTip() == label.text()
    label.resize(900, 20)
    assert label.toolTip() == ""


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_segment_has_room_for_its_text_when_it_is_chosen(qtbot: Any, theme: Theme, code: str) -> None:
    """Bold is wider: in French the last letter was cut."""
    with in_language(code):
        texts = [("best", gettext("Best of each")), ("all", gettext("All"))]
    switch = SegmentedSwitch(texts, "Shown")
    qtbot.addWidget(switch)
    switch.show()
    switch.resize(switch.minimumSizeHint())
    switch.set_value("best")
    button = switch._buttons["best"]
    button.ensurePolished()
    bold = QFont(button.font())
    bold.setWeight(QFont.Weight.DemiBold)
    assert button.width() >= QFontMetrics(bold).horizontalAdvance(button.text()) + 22
