"""Parts that tests of the shell build on: an application with the theme, a session, a window without results."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from core.language.messages import set_language
from desktop.app import Application
from desktop.folders import Folders
from desktop.main_window import MainWindow
from desktop.results.column import ResultsColumn
from desktop.session import Session
from desktop.settings import LANGUAGE, THEME, Settings
from desktop.theme import Scheme, Theme
from tests.desktop.small_catalogue import MemoryStore, SmallCatalogue, small_scenario, small_size, with_records


@pytest.fixture(scope="session")
def one_theme(qapp: QApplication) -> Theme:
    """Made once: a style sheet takes its time."""
    qapp.setStyle("Fusion")
    theme = Theme(Scheme.LIGHT)
    theme.apply(qapp)
    return theme


@pytest.fixture
def theme(qapp: QApplication, one_theme: Theme) -> Iterator[Theme]:
    """The one theme; its style sheet again where a test of the whole application took it away."""
    if not qapp.styleSheet():
        one_theme.apply(qapp)
    yield one_theme
    one_theme.set_scheme(Scheme.LIGHT)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(
        small_scenario(),
        small_scenario(name="Two DGX Sparks", workload__context_tokens=524_288),
        small_scenario(name="Contract search", client="Kanzlei Brandt", workload__users=70),
    )


@pytest.fixture
def session(qapp: QApplication, store: MemoryStore) -> Session:
    session = Session(SmallCatalogue(), store.kept[1], store, small_size, with_records)
    session.scenario_id = 1
    session.recompute()
    return session


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "tonnage.ini")


@pytest.fixture
def window(session: Session, theme: Theme, settings: Settings) -> Iterator[MainWindow]:
    window = make_window(session, theme, settings)
    window.show()
    yield window
    window.close()
    delete(window)  # now, not with the next event loop: a style sheet walks over every widget that is left


def make_window(session: Session, theme: Theme, settings: Settings) -> MainWindow:
    window = MainWindow(
        session, theme, settings, lambda _session, _theme: ResultsColumn(), lambda: small_scenario(name="New scenario")
    )
    window.complete()
    return window


Start = Callable[[], Application]


@pytest.fixture
def start(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    settings = Settings(Folders.below(tmp_path).config / "tonnage.ini")
    settings.set(LANGUAGE, "en")
    settings.set(THEME, "light")
    settings.flush()
    started: list[Application] = []

    def begin() -> Application:
        application = Application(qapp, Folders.below(tmp_path))
        application.window.show()
        application.complete()
        started.append(application)
        return application

    yield begin
    for application in started:
        application.window.close()
        application.window.deleteLater()
        application.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    set_language("en")
    qapp.setStyleSheet("")
