"""Fixtures of the tests of the window."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from core.language.messages import set_language
from core.language.numbers import MemoryUnit, set_memory_unit
from tests.desktop.shell import one_theme, session, settings, start, store, theme, window

gc.enable()  # a start of the program does without (desktop.early), and nobody starts it here

__all__ = ["one_theme", "session", "settings", "start", "store", "theme", "window"]


@pytest.fixture(autouse=True)
def _english_and_decimal_for_the_next_test() -> Iterator[None]:
    """What a test chose for the whole program is not left to the next one."""
    yield
    set_language("en")
    set_memory_unit(MemoryUnit.DECIMAL)


@pytest.fixture(autouse=True)
def _no_widgets_of_earlier_tests(qapp: object) -> None:
    """Widgets that were closed are deleted by an event loop, and few tests run one."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
