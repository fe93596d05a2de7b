"""Fixtures of the tests of the window."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop import collector
from tests.desktop.shell import one_theme, session, settings, start, store, theme, window

__all__ = ["one_theme", "session", "settings", "start", "store", "theme", "window"]


@pytest.fixture(autouse=True, scope="session")
def _collector_at_rest() -> None:
    """Tests throw away hundreds of windows in one process, which the program never does.

    Collecting their remains at any tick of the timer crashed shiboken now and then; test_collector.py collects by hand.
    """
    collector.EVERY_MS = 24 * 3600 * 1000


@pytest.fixture(autouse=True)
def _no_widgets_of_earlier_tests(qapp: object) -> None:
    """Widgets that were closed are deleted by an event loop, and few tests run one."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
