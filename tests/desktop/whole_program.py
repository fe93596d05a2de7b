"""The whole program on the shipped catalogue and a real store in an empty folder, for tests of pages."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from core.language.messages import set_language
from desktop.app import Application
from desktop.folders import Folders
from desktop.settings import LANGUAGE, THEME, TOUR_SEEN, Settings


@pytest.fixture
def program(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    settings = Settings(Folders.below(tmp_path).config / "tonnage.ini")
    settings.set(LANGUAGE, "en")
    settings.set(THEME, "light")
    settings.set(TOUR_SEEN, True)
    settings.flush()
    application = Application(qapp, Folders.below(tmp_path))
    application.window.show()
    application.complete()
    application.window.activateWindow()
    for _round in range(5):
        QCoreApplication.processEvents()
    assert application.window.isActiveWindow()  # else leaving a field is no event
    yield application
    application.window.close()
    application.window.deleteLater()
    application.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    set_language("en")
    qapp.setStyleSheet("")
