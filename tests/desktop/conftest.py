"""Fixtures of the tests of the window."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from tests.desktop.shell import one_theme, session, settings, start, store, theme, window

__all__ = ["one_theme", "session", "settings", "start", "store", "theme", "window"]


@pytest.fixture(autouse=True)
def _no_widgets_of_earlier_tests(qapp: object) -> None:
    """Widgets that were closed are deleted by an event loop, and few tests run one."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
