"""A store with 2,000 scenarios and 1,000 catalogue entries: the search answers within a frame, the start holds."""

import itertools
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from core.store.library import Library
from desktop.app import Application, make_application
from desktop.beginnings import new_scenario
from desktop.folders import Folders
from desktop.pages.catalogue.page import CataloguePage
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.settings import STARTED_BEFORE, Settings
from tests.bench.conftest import Measure
from tests.bench.test_start import PAINTED_S, START, environment_of_a_start
from tests.shipped import shipped

pytestmark = pytest.mark.bench

FRAME_S = 0.016
SCENARIOS, CLIENTS, RECORDS = 2000, 120, 1000
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of a user who has worked for years."""
    folder = tmp_path_factory.mktemp("full")
    folders = Folders.below(folder)
    folders.make()
    settings = Settings(folders.config / "tonnage.ini")
    settings.set(STARTED_BEFORE, True)
    settings.flush()
    library, scenario = Library(folders.data / "tonnage.sqlite", NOW), new_scenario(settings, shipped())
    device = shipped().device("rtx-pro-6000-ws")
    with library.together():
        for number in range(SCENARIOS):
            client = f"Client {number % CLIENTS:03}"
            library.add(scenario.edited(name=f"Option {number}", client=client), NOW)
        for number in range(RECORDS):
            own = device.model_copy(update={"id": f"own/card-{number}", "name": f"Card {number} of mine"})
            library.save_record("devices", own.id, own.model_dump_json(exclude_defaults=True), NOW)
    library.remember("last_scenario", "7")
    library.close()
    return folder


def test_the_window_is_painted_within_a_second(full: Path, measure: Measure) -> None:
    environment = environment_of_a_start()
    command = [sys.executable, "-c", START, str(full)]

    def start() -> None:
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=60)
        assert (answer.returncode, answer.stdout) == (0, "painted\n")

    measure("start with 2,000 scenarios and 1,000 entries", PAINTED_S, start, repeats=5)


def test_the_library_answers_within_a_frame(full: Path, measure: Measure) -> None:
    app = make_application(["tonnage"])
    assert isinstance(app, QApplication)
    application = Application(app, Folders.below(full))
    window = application.window
    window.resize(1280, 800)
    window.show()
    application.complete()
    assert len(window.sidebar.scenarios.scenarios.ids) == SCENARIOS
    window.sidebar.open_search()
    popup = window.sidebar.search_popup
    assert popup is not None
    queries = itertools.cycle(
        ["o", "op", "opt", "option 19", "option 199", "card", "card 99 of", "rtx 60", "client 07"]
    )

    def find() -> None:
        popup.field.setText(next(queries))
        popup.list.grab()

    measure("a key in the search, found and painted", FRAME_S, find)
    measure("the search opens", 3 * FRAME_S, window.sidebar.open_search, repeats=20)
    popup.hide()
    listed, numbers = window.sidebar.scenarios, itertools.cycle(range(0, SCENARIOS, 37))

    def scroll() -> None:
        at = listed.scenarios.index(next(numbers))
        listed.scrollTo(at)
        listed.grab()

    measure("the list of scenarios scrolls", FRAME_S, scroll)
    names = itertools.count()

    def rename() -> None:
        one_of(SavedScenarios, application.session).rename(7, f"Another name {next(names)}", "Client 007")

    measure("a scenario is renamed and the list is new", 3 * FRAME_S, rename, repeats=20)
    window.show_page("catalogue")
    catalogue = window.pages.page(CataloguePage, "catalogue")
    column = catalogue.column
    assert len(column._choices) > RECORDS

    def filter_records() -> None:
        column.search.setText(next(queries))
        column.list.grab()

    measure("a key in the catalogue, filtered and painted", FRAME_S, filter_records)
    picker = window.sizing.inputs.deployment.device
    picker.open()

    def pick() -> None:
        picker.popup().search.setText(next(queries))
        picker.popup().list.grab()

    measure("a key in the list of devices, found and painted", FRAME_S, pick)
    picker.popup().hide()
    window.close()
    application.close()
