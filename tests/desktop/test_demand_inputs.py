"""Presets, the users' rhythm, both roads to requests at once, prices and terms, and what is left to the engine."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from core.language.messages import in_language
from core.scenario import Economics, Retrieval, Speculation, Use, Workload
from core.sizing.presets import PRESETS
from desktop.inputs.panel import InputsPanel
from desktop.inputs.rows import QuantityRow
from desktop.session import Session
from desktop.settings import Settings
from desktop.theme import Theme
from desktop.widgets.picker import ComboPicker
from tests.shipped import shipped
from tests.usual_scenario import scenario


@pytest.fixture(scope="module")
def catalogue() -> object:
    return shipped()


@pytest.fixture
def panel(qtbot: QtBot, catalogue: object, theme: Theme, settings: Settings) -> Iterator[InputsPanel]:
    session = Session(catalogue, scenario())
    session.recompute()
    panel = InputsPanel(session, theme, settings, lambda: None)
    session.setParent(panel)
    panel.resize(300, 800)
    panel.show()
    yield panel
    panel.close()
    delete(panel)


def type_in(row: QuantityRow, text: str) -> None:
    field: QLineEdit = row.edit
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def keys_of(picker: ComboPicker) -> list[str]:
    picker.open()
    keys = [choice.key for choice in picker.popup().list.rows.rows]
    picker.popup().hide()
    return keys


def test_everything_fits_in_800_as_it_is_folded_at_first(panel: InputsPanel) -> None:
    inner = panel.scroll_area.widget()
    assert inner is not None
    assert inner.minimumSizeHint().height() <= panel.scroll_area.height()


def test_a_preset_takes_over_its_figures_in_one_step(panel: InputsPanel) -> None:
    session = panel._session
    panel.workload.use.chosen.emit(Use.CODE.value)
    workload, preset = session.scenario.workload, PRESETS[Use.CODE]
    assert workload.use is Use.CODE
    assert (workload.prompt_tokens, workload.output_tokens) == (preset.prompt.value, preset.output.value)
    assert workload.demand.burst_factor == preset.burst.value
    assert panel.workload.use.text_shown == "Coding assistant"
    type_in(panel.workload.answer, "40")
    assert panel.workload.use.text_shown == "Coding assistant, changed"
    session.undo()
    session.undo()
    assert session.scenario.workload == scenario().workload
    assert panel.workload.use.text_shown == "Own figures"


def test_both_roads_to_requests_at_once_are_shown(panel: InputsPanel) -> None:
    caption = panel.workload.active.caption
    assert caption.text == "12 at once; Little’s law: 5"
    assert "99 of 100 busy minutes" in caption.toolTip()
    before = caption.text
    panel.workload._toggle_more()
    type_in(panel.workload.rhythm["demand.requests_per_day"], "200")
    assert panel._session.scenario.workload.demand.requests_per_day == 200
    assert caption.text != before
    assert caption.text.startswith("12 at once")  # the share of the peak does not depend on it


def test_open_fields_show_in_grey_what_stands_in(panel: InputsPanel) -> None:
    panel.economics.toggle()
    for section in (panel.workload, panel.economics, panel.deployment):
        section._toggle_more()
    grey = {key: row.edit.placeholderText() for key, row in panel.workload.rhythm.items()}
    assert grey["demand.requests_per_day"] == "20"
    assert grey["demand.busy_hour_share"] == "20"
    usual = {key: row.edit.placeholderText() for key, row in panel.economics.usual.items()}
    assert usual["cost.term_years"] == "4"
    assert usual["cost.tariff"] == "unknown"  # no region is said
    engine = {row.path: row.edit.placeholderText() for row in panel.deployment.engine_rows}
    assert engine["deployment__prefill_chunk"] == "8,192"


def test_a_text_that_cannot_be_read_keeps_the_value_and_says_so(panel: InputsPanel) -> None:
    held: list[tuple[str, ...]] = []
    panel._session.held_changed.connect(held.append)
    type_in(panel.workload.context, "25 6Q")
    type_in(panel.workload.context, "128K")
    assert held == [("256K",), ()]


def test_region_and_currency_bring_tariff_tax_and_cost(panel: InputsPanel) -> None:
    panel.economics.toggle()
    regions = panel.economics._regions()
    assert ("DE", "Germany") in [(choice.key, choice.name) for choice in regions]
    panel.economics.region.chosen.emit("DE")
    panel.economics.currency.chosen.emit("EUR")
    panel._session.settled()
    economics = panel._session.scenario.economics
    assert (economics.region, economics.currency) == ("DE", "EUR")
    assert panel.economics.usual["cost.tariff"].edit.placeholderText() != "unknown"
    assert panel.economics.usual["cost.vat_share"].edit.placeholderText() == "19"
    lines = panel.economics.answer.text.split("\n")
    assert [line.split(":")[0] for line in lines] == ["Purchase", "Cost a year", "A million tokens"]
    assert "unknown" not in panel.economics.answer.text
    assert panel.economics.summary.text().startswith("8,565")
    panel.economics.region.chosen.emit("-")
    panel._session.settled()
    assert panel._session.scenario.economics.region == ""
    assert "unknown: no price of electricity" in panel.economics.answer.text


def test_money_and_shares_are_kept_exactly(panel: InputsPanel) -> None:
    panel.economics.toggle()
    panel.economics._toggle_more()
    type_in(panel.economics.usual["cost.tariff"], "0.2875")
    type_in(panel.economics.usual["cost.term_years"], "3")
    type_in(panel.economics.given["margin_share"], "12.5")
    economics = panel._session.scenario.economics
    assert (economics.electricity_price, economics.term_years) == (Decimal("0.2875"), Decimal(3))
    assert economics.margin_share == Decimal("0.125")
    assert panel.economics.summary.text().endswith("3 years")


def test_folded_economics_ask_for_nothing(panel: InputsPanel) -> None:
    assert panel.economics.folded
    assert panel.economics.answer.text == ""


def test_guessing_is_counted_once_its_chance_is_given(panel: InputsPanel) -> None:
    panel.deployment._toggle_more()
    deployment = panel.deployment
    assert not deployment.acceptance.isEnabled()
    panel._session.edit("Tokens guessed", deployment__draft_tokens=3)
    assert deployment.acceptance.isEnabled()
    type_in(deployment.acceptance, "70")
    assert panel._session.scenario.deployment.speculation == Speculation(acceptance=0.7)
    tokens = next(row for row in deployment.numbers if row.path == "deployment__draft_tokens")
    type_in(tokens, "0")
    assert panel._session.scenario.deployment.speculation is None


def test_host_memory_takes_layers_and_gives_them_back(panel: InputsPanel) -> None:
    panel.deployment._toggle_more()
    keys = keys_of(panel.deployment.host.picker)
    assert keys[0] == "auto"
    assert "epyc-9005-1s" in keys
    layers = next(row for row in panel.deployment.numbers if row.path == "deployment__host_expert_layers")
    type_in(layers, "4")
    assert layers.edit.problem  # layers need a host first
    panel.deployment.host.picker.chosen.emit("epyc-9005-1s")
    type_in(layers, "4")
    assert panel._session.scenario.deployment.host_expert_layers == 4
    panel.deployment.host.picker.chosen.emit("auto")
    assert panel._session.scenario.deployment.host_expert_layers == 0


def test_releases_and_caching_of_the_engine(panel: InputsPanel) -> None:
    panel.deployment._toggle_more()
    assert keys_of(panel.deployment.release.picker)[:3] == ["auto", "0.7", "0.8"]
    panel.deployment.release.picker.chosen.emit("0.7")
    panel.deployment.caching.picker.chosen.emit("off")
    deployment = panel._session.scenario.deployment
    assert (deployment.release, deployment.prefix_caching) == ("0.7", False)
    assert panel.deployment.caching.picker.text_shown == "off"


@pytest.mark.parametrize("code", ["de", "fr"])
def test_all_rows_fit_their_column_in_another_language(
    qtbot: QtBot, catalogue: object, theme: Theme, settings: Settings, code: str
) -> None:
    with in_language(code):
        session = Session(catalogue, scenario())
        session.recompute()
        panel = InputsPanel(session, theme, settings, lambda: None)
        qtbot.addWidget(panel)
        panel.economics.toggle()
        for section in (panel.workload, panel.economics, panel.deployment):
            section._toggle_more()
        panel.resize(272, 700)
        panel.show()
        inner = panel.scroll_area.widget()
        assert inner is not None
        assert inner.minimumSizeHint().width() <= panel.scroll_area.viewport().width()


# ---- what a consultant asks for, field by field


def test_every_field_of_economics_and_workload_has_a_row(panel: InputsPanel) -> None:
    """What is not in the two sections is changed elsewhere: lines in the bill, other figures of retrieval beside it."""
    elsewhere = {"lines", "further_lines", "retrieval", "demand", "use", "target_percentile", "start_together"}
    paths = {row.path.split("__")[1] for row in panel.findChildren(QuantityRow) if "__" in row.path}
    steppers = {"sites", "currency", "region"}
    for model in (Economics, Workload):
        missing = set(model.model_fields) - paths - elsewhere - steppers
        assert missing == set(), model.__name__


def test_retrieval_traffic_is_switched_on_with_figures_that_are_said_to_be_estimates(panel: InputsPanel) -> None:
    rows = panel.workload.retrieval

    def said() -> Workload:
        return panel._session.scenario.workload

    assert not any(row.isVisible() for row in rows.figures)
    panel.workload._toggle_more()
    assert not any(row.isVisible() for row in rows.figures)
    rows.picker.chosen.emit("counted")
    assert said().retrieval == Retrieval()
    assert all(row.isVisible() for row in rows.figures)
    assert "estimate" in rows.figures[-1].caption.text
    type_in(rows.figures[1], "40")
    assert said().retrieval == Retrieval(passages=40)
    assert rows.figures[-1].caption.text == ""
    rows.picker.chosen.emit("none")
    assert said().retrieval is None
    panel.workload.arrival.chosen.emit("together")
    assert said().start_together


def test_sites_days_and_rates_of_the_offer(panel: InputsPanel) -> None:
    section, session = panel.economics, panel._session
    section.toggle()
    section._toggle_more()
    section.sites.stepper.value_edited.emit(2)
    type_in(section.given["priced_on"], "2026-11")
    type_in(section.given["priced_on"], "November")
    assert section.given["priced_on"].caption.text.startswith("Write a date such as 2026-11")
    type_in(section.usual["cost.validity_days"], "14")
    type_in(section.rates[0], "1.2")
    economics = session.scenario.economics
    assert (economics.sites, economics.priced_on, economics.validity_days) == (2, "2026-11", 14)
    assert [(one.currency, one.per_euro) for one in economics.exchange] == [("USD", Decimal("1.2"))]
    assert economics.exchange[0].dated
    assert not section.rates[1].isVisible()
    section.currency.chosen.emit("CHF")
    assert section.rates[1].isVisible()
    type_in(section.rates[1], "0.95")
    assert {one.currency for one in session.scenario.economics.exchange} == {"USD", "CHF"}
    section.rates[1].edit.selectAll()
    QTest.keyClick(section.rates[1].edit, Qt.Key.Key_Delete)
    QTest.keyClick(section.rates[1].edit, Qt.Key.Key_Return)
    assert {one.currency for one in session.scenario.economics.exchange} == {"USD"}


def test_what_is_compared_with_is_chosen_or_the_client_s_own(panel: InputsPanel) -> None:
    section, session = panel.economics, panel._session
    section.toggle()
    section._toggle_more()
    rows = section.alternatives

    def said() -> Economics:
        return session.scenario.economics

    keys = keys_of(rows.cloud)
    assert keys[:2] == ["auto", "none"]
    rows.cloud.chosen.emit("none")
    assert said().cloud == ()
    rent, hours, extras = rows.cloud_rows
    type_in(rent, "1.85")
    type_in(hours, "2200")
    type_in(extras, "0")
    cloud = said().cloud
    assert cloud is not None
    assert [(one.name, one.price, one.hours, one.extra_share) for one in cloud] == [
        ("Own offer", Decimal("1.85"), Decimal(2200), Decimal(0))
    ]
    offer = next(key for key in keys_of(rows.api) if key.startswith("llama-3.3-70b."))
    rows.api.chosen.emit(offer)
    api = said().api
    assert api is not None
    assert api[0].offer == offer
    rows.api.chosen.emit("auto")
    rows.cloud.chosen.emit("auto")
    assert said().api is None
    assert said().cloud is None
