"""An unexpected fault: saved, reported once, and the program goes on."""

import sys
from typing import Any

from PySide6.QtWidgets import QApplication

from desktop.report import Excepthook, ReportSheet, report_text
from desktop.theme import Theme


def fault() -> tuple[type[BaseException], BaseException, Any]:
    try:
        raise ZeroDivisionError("broken")
    except ZeroDivisionError:
        return sys.exc_info()  # type: ignore[return-value]


def test_the_report_names_versions_and_the_place() -> None:
    text = report_text(*fault())
    assert text.startswith("Tonnage ")
    assert "PySide6" in text
    assert "ZeroDivisionError: broken" in text
    assert "test_report.py" in text


def test_a_fault_saves_and_shows_one_sheet() -> None:
    shown: list[tuple[str, bool]] = []
    saved: list[bool] = []

    def save() -> bool:
        saved.append(True)
        return True

    hook = Excepthook(save, lambda text, safe: shown.append((text, safe)))
    hook(*fault())
    assert saved == [True]
    assert shown[0][1] is True


def test_a_fault_while_the_sheet_is_open_opens_no_second() -> None:
    shown: list[str] = []
    hook = Excepthook(lambda: True)

    def show(text: str, saved: bool) -> None:
        shown.append(text)
        hook(*fault())

    hook._show = show
    hook(*fault())
    assert len(shown) == 1


def test_saving_may_fail_as_well() -> None:
    shown: list[bool] = []

    def save() -> bool:
        raise OSError("disk")

    Excepthook(save, lambda _text, safe: shown.append(safe))(*fault())
    assert shown == [False]


def test_the_sheet_can_be_copied(qtbot: Any, theme: Theme) -> None:
    sheet = ReportSheet("the report", saved=True)
    qtbot.addWidget(sheet)
    sheet.copy()
    assert QApplication.clipboard().text() == "the report"
