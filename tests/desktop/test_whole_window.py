"""Every page and popup of the window, walked in three languages: a name for each control, and no text that is cut."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QWidget,
)

from core.language.messages import LANGUAGES, set_language
from desktop.app import Application
from desktop.results.text import Text
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.settings import TOUR_SEEN, Settings
from desktop.widgets.elided_edit import ElidedEdit
from desktop.widgets.labels import ElidedLabel
from tests.desktop import states
from tests.desktop.shell import Start

CONTROLS = (
    QAbstractButton, QLineEdit, QAbstractSlider, QAbstractItemView, QComboBox, QPlainTextEdit,
)  # fmt: skip
#: Where an ellipsis is no cut text: pickers and lists, whose tooltip has it all.
MAY_ELIDE = {
    "choices.py", "picker.py", "scenario_delegate.py", "parts.py", "answer_table.py", "compare_table.py",
    "column_head.py", "elided_edit.py", "row.py", "memory_bar.py", "memory_page.py", "price_chart.py",
    "figure_tree.py", "line_row.py",
}  # fmt: skip
PADDING = 9  # of a field


@pytest.fixture
def application(start: Start, tmp_path: Path) -> Iterator[Application]:
    settings = Settings(tmp_path / "config" / "tonnage.ini")
    settings.set(TOUR_SEEN, True)
    settings.flush()
    application = start()
    ids = [one.id for one in one_of(SavedScenarios, application.session).all()]
    application.window.ticked.set_ids(ids)
    yield application
    set_language("en")


def nameless(widget: QWidget) -> set[str]:
    """Controls that a screen reader could not name."""
    found = set()
    for child in widget.findChildren(QWidget):
        if isinstance(child, CONTROLS) and child.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            interface = QAccessible.queryAccessibleInterface(child)
            if not interface.text(QAccessible.Text.Name).strip():
                found.add(f"{type(child).__name__} in {type(child.parent()).__name__}")
    return found


def test_a_control_without_a_name_is_found(qtbot: Any) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    QPushButton(holder)
    assert nameless(holder) == {"QPushButton in QWidget"}


# ---- texts


def cut(widget: QWidget) -> set[str]:
    """Texts of labels and buttons that are wider or taller than their place."""
    found = set()
    for child in widget.findChildren(QWidget):
        if not child.isVisible() or child.visibleRegion().isEmpty():
            continue
        if isinstance(child, QScrollArea) and not child.horizontalScrollBar().isVisible():
            inside = child.widget()
            if inside is not None and inside.width() > child.viewport().width():
                found.add(f"{type(inside).__name__} in {type(child.parent()).__name__}, wider than its place")
        if isinstance(child, ElidedLabel):
            continue  # its ellipses are caught where it paints them
        if isinstance(child, Text):
            if child.is_cut:
                found.add(f"{child.text()!r} in {type(child.parent()).__name__}")
            continue
        if isinstance(child, QLabel) and child.text() and not child.pixmap().width():
            place, metrics = child.contentsRect(), child.fontMetrics()
            if child.wordWrap():
                is_cut = child.heightForWidth(child.width()) > child.height() + 1
            else:
                is_cut = metrics.horizontalAdvance(child.text()) > place.width() + 1
            if is_cut:
                found.add(f"{child.text()!r} in {type(child.parent()).__name__}")
        elif isinstance(child, QLineEdit) and child.placeholderText() and not child.text():
            room = child.width() - child.textMargins().left() - child.textMargins().right() - 2 * PADDING
            in_full = isinstance(child, ElidedEdit) and child.toolTip() == child.placeholderText()  # as in a list
            if child.fontMetrics().horizontalAdvance(child.placeholderText()) > room and not in_full:
                found.add(f"{child.placeholderText()!r} in {type(child).__name__} {child.accessibleName()!r}")
        elif isinstance(child, QPushButton | QCheckBox | QRadioButton) and child.text():
            is_cut = child.property("kind") != "painted" and child.minimumSizeHint().width() > child.width() + 1
            if is_cut:
                found.add(f"{child.text()!r} on {type(child).__name__} in {type(child.parent()).__name__}")
    return found


@pytest.fixture
def elided(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every text that something painted with an ellipsis, with the file that did."""
    found: set[str] = set()
    for kind in (QFontMetrics, QFontMetricsF):
        original = kind.elidedText

        def spied(metrics: Any, text: str, *rest: Any, original: Any = original, **named: Any) -> str:
            shown: str = original(metrics, text, *rest, **named)
            name = Path(sys._getframe(1).f_code.co_filename).name
            if shown != text and name not in MAY_ELIDE:
                found.add(f"{text!r} by {name}")
            return shown

        monkeypatch.setattr(kind, "elidedText", spied)
    return found


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_is_cut_and_every_control_has_a_name(
    application: Application, elided: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str
) -> None:
    """In the least window, in every state that has words of its own."""
    application._speak(code)
    window = application.window
    window.resize(1024, 640)
    states.wait(50)
    elided.clear()
    wrong: dict[str, str] = {}  # what is wrong, and where it was seen first

    def look(place: str, widget: QWidget) -> None:
        widget.grab()
        for found in cut(widget) | elided | nameless(widget):
            wrong.setdefault(found, place)
        elided.clear()

    for place, widget in states.whole(application, tmp_path):
        look(place, widget)
    states.dialogs(window, look, monkeypatch.setattr)
    assert QApplication.activeModalWidget() is None
    assert wrong == {}
