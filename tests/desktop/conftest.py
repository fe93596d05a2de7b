"""Fixtures of the tests of the window."""

from tests.desktop.shell import one_theme, session, settings, store, theme, window

__all__ = ["one_theme", "session", "settings", "store", "theme", "window"]
