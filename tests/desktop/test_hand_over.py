"""A second start hands its files to the window that is open."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.hand_over import MAX_NOTE_BYTES, FileOpenEvents, Received, hand_over


def test_files_arrive_in_order_and_their_note_goes(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[Path] = []
    received = Received(tmp_path / "requests", opened.append)
    files = [tmp_path / "a b.tonnage", tmp_path / "é.tonnage"]
    assert hand_over(tmp_path / "requests", files)
    qtbot.waitUntil(lambda: opened == files)
    assert list((tmp_path / "requests").iterdir()) == []
    received.deleteLater()


def test_notes_from_before_the_start_are_dropped(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[Path] = []
    hand_over(tmp_path, [tmp_path / "old.tonnage"])
    received = Received(tmp_path, opened.append)
    hand_over(tmp_path, [tmp_path / "new.tonnage"])
    qtbot.waitUntil(lambda: bool(opened))
    assert opened == [tmp_path / "new.tonnage"]
    received.deleteLater()


@pytest.mark.parametrize("note", [b"", b"{", b"7", b"{}", b'[7, null, {"a": 1}]', b"\xff", b" " * (MAX_NOTE_BYTES + 1)])
def test_a_note_that_cannot_be_read_opens_nothing(qtbot: QtBot, tmp_path: Path, note: bytes) -> None:
    opened: list[Path] = []
    received = Received(tmp_path, opened.append)
    (tmp_path / "0.open").write_bytes(note)
    hand_over(tmp_path, [tmp_path / "good.tonnage"])
    qtbot.waitUntil(lambda: bool(opened))
    assert opened == [tmp_path / "good.tonnage"]
    received.deleteLater()


def test_a_folder_that_cannot_be_made_hands_nothing_over(tmp_path: Path) -> None:
    (tmp_path / "requests").write_text("a file")
    assert not hand_over(tmp_path / "requests", [tmp_path / "a.tonnage"])
    Received(tmp_path / "requests", lambda _path: None)


def test_an_event_of_the_system_opens_its_file(qapp: QApplication, tmp_path: Path) -> None:
    opened: list[Path] = []
    events = FileOpenEvents(opened.append, qapp)
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(tmp_path / "a.tonnage"))))
    assert opened == [tmp_path / "a.tonnage"]
    qapp.removeEventFilter(events)
