"""Settings: each change holds at once, and new scenarios begin with it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.language.messages import language
from core.language.numbers import MemoryUnit, current, memory_unit, set_memory_unit
from core.scenario import Scenario
from desktop.app import Application
from desktop.main_window import MainWindow
from desktop.pages.pages import SETTINGS
from desktop.pages.proposal.draft import remembered
from desktop.pages.proposal.proposal_page import ProposalPage
from desktop.pages.settings_page import SettingsPage
from desktop.settings import CURRENCY, ELECTRICITY_PRICE, ENGINE, MEMORY_UNIT
from desktop.theme import Scheme
from tests.desktop.shell import Start


@pytest.fixture(autouse=True)
def _decimal_afterwards() -> Iterator[None]:
    yield
    set_memory_unit(MemoryUnit.DECIMAL)


def settings_page(application: Application) -> SettingsPage:
    window: MainWindow = application.window
    window.show_page(SETTINGS)
    page = window.pages.currentWidget()
    assert isinstance(page, SettingsPage)
    return page


def test_the_keys_lead_there_and_no_other_page_is_marked(start: Start) -> None:
    application = start()
    application.window.action("settings").trigger()
    assert application.window.page == SETTINGS
    assert not any(button.isChecked() for button in application.window.sidebar.pages.values())
    application.window.show_page("sizing")
    assert application.window.sidebar.pages["sizing"].isChecked()


def test_the_theme_changes_at_once(start: Start) -> None:
    application = start()
    settings_page(application).scheme.chosen.emit("dark")
    assert application.theme.scheme is Scheme.DARK


def test_another_language_keeps_the_page(start: Start) -> None:
    application = start()
    settings_page(application).language.chosen.emit("de")
    assert language() == "de"
    assert application.window.page == SETTINGS
    assert settings_page(application).language.text_shown == "Deutsch"


def test_memory_is_written_in_gibibytes(start: Start) -> None:
    application = start()
    settings_page(application).memory_unit.chosen.emit("GiB")
    assert memory_unit() is MemoryUnit.BINARY
    assert application.settings.get(MEMORY_UNIT) == "GiB"
    assert current().bytes(96 * 2**30) == "96.0\u00a0GiB"
    application.window.show_page("sizing")
    sizing = application.session.sizing
    assert sizing is not None
    total = sizing.trace["memory.total_bytes"]
    assert current().memory_digits(total) == f"{total / 2**30:.1f}"


def test_the_unit_holds_at_the_next_start(start: Start) -> None:
    first = start()
    settings_page(first).memory_unit.chosen.emit("GiB")
    first.settings.flush()
    set_memory_unit(MemoryUnit.DECIMAL)
    start()
    assert memory_unit() is MemoryUnit.BINARY


def test_a_new_scenario_has_the_currency_and_the_price(start: Start) -> None:
    application = start()
    page = settings_page(application)
    page.currency.chosen.emit("EUR")
    page.electricity.setFocus()
    page.electricity.setText("0,31" if current().decimal_sign == "," else "0.31")
    QTest.keyClick(page.electricity, Qt.Key.Key_Return)
    assert application.settings.get(CURRENCY) == "EUR"
    assert Decimal(application.settings.get(ELECTRICITY_PRICE)) == Decimal("0.31")
    economics = application.new_scenario().economics
    assert (economics.currency, economics.electricity_price) == ("EUR", Decimal("0.31"))


def test_what_cannot_be_read_is_not_kept(start: Start) -> None:
    application = start()
    page = settings_page(application)
    page.electricity.setFocus()
    page.electricity.setText("cheap")
    QTest.keyClick(page.electricity, Qt.Key.Key_Return)
    assert application.settings.get(ELECTRICITY_PRICE) == ""
    assert application.new_scenario().economics.electricity_price is None


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp", "mlx", "generic"])
def test_every_engine_makes_a_scenario_that_it_can_run(start: Start, engine: str) -> None:
    application = start()
    settings_page(application).engine.chosen.emit(engine)
    scenario: Scenario = application.new_scenario()
    chosen = application.session.catalogue.engine(engine)
    assert scenario.deployment.engine == engine
    assert scenario.weights in chosen.weight_formats
    assert scenario.kv_format in chosen.kv_formats
    assert application.session.catalogue.device(scenario.deployment.device).family in chosen.families
    application.session.new(scenario)
    assert application.session.sizing is not None
    assert application.session.sizing.fits


def test_an_engine_that_is_gone_is_passed_over(start: Start) -> None:
    application = start()
    application.settings.set(ENGINE, "own/deleted")
    assert application.new_scenario().deployment.engine == "vllm"


def test_the_brand_is_that_of_the_proposal(start: Start) -> None:
    application = start()
    page = settings_page(application)
    page.brand.name.edit.setFocus()
    QTest.keyClicks(page.brand.name.edit, "Nordlicht")
    application.window.pages.propose()
    proposal = application.window.pages.built["proposal"]
    assert isinstance(proposal, ProposalPage)
    assert proposal.options.brand.name == "Nordlicht"
    assert proposal.choices.brand.name.edit.text() == "Nordlicht"
    QTest.keyClicks(proposal.choices.brand.contact.edit, "06221 1")
    assert settings_page(application).brand.contact.edit.text() == "06221 1"
    proposal.remember()
    assert remembered(application.settings, date(2026, 11, 30)).brand.name == "Nordlicht"
