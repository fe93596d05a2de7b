"""The self-test notices what is wrong; that it passes is seen in test_offline.py, where it runs as a whole."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from core.errors import StoreError
from core.sizing.examples import worked_example
from core.store.library import Library
from desktop import self_test
from desktop.main_window import MainWindow
from desktop.self_test import LEFT_OUT, Failed, Report


def test_a_page_that_shows_nothing_is_a_fault(qtbot: QtBot) -> None:
    empty = QWidget()
    qtbot.addWidget(empty)
    empty.resize(200, 100)
    with pytest.raises(Failed, match="the empty page shows nothing"):
        self_test._painted(empty, "the empty page", Report())


def test_a_page_that_shows_something_is_noted(qtbot: QtBot) -> None:
    words = QLabel("Fits: 5 requests at once")
    qtbot.addWidget(words)
    report = Report()
    self_test._painted(words, "words", report)
    assert report.opened == ["words"]


def test_dialogs_are_looked_at_and_closed(qtbot: QtBot) -> None:
    seen: list[str] = []
    with self_test._closing_what_opens(lambda widget: seen.append(type(widget).__name__)):
        QMessageBox(QMessageBox.Icon.Information, "Tonnage", "A question").exec()
    assert seen == ["QMessageBox"]


def test_every_action_but_the_last_is_run(window: MainWindow) -> None:
    assert set(LEFT_OUT) < set(window.action_keys())
    assert {"about", "open", "copy", "settings", "proposal"} <= set(window.action_keys())


def test_a_fault_in_a_slot_is_reported() -> None:
    report = Report()
    report.on_fault(ValueError, ValueError("wrong"), None)
    assert "ValueError: wrong" in report.faults[0]


def test_a_store_is_read_to_the_end(tmp_path: Path) -> None:
    path, now = tmp_path / "tonnage.sqlite", datetime(2026, 11, 30, tzinfo=UTC)
    library = Library(path, now)
    library.close()
    with pytest.raises(Failed, match="holds no scenario"):
        self_test._check_store(path)
    library = Library(path, now)
    library.add(worked_example(), now)
    library.close()
    self_test._check_store(path)
    with sqlite3.connect(path) as connection:
        connection.execute("update scenarios set scenario = '{}'")
    connection.close()
    with pytest.raises(StoreError):
        self_test._check_store(path)
