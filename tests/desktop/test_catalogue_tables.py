"""The catalogue page over all its tables, on the shipped catalogue: new records, edits, undo, who uses them, packs."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from core.catalogue.pack import own_records, pack_text
from core.catalogue.records import Confidence
from core.language.messages import LANGUAGES, in_language
from desktop.app import Application
from desktop.pages.catalogue.engines import engine_groups, kv_groups
from desktop.pages.catalogue.figures import Words, plain
from desktop.pages.catalogue.page import CataloguePage
from desktop.pages.catalogue.row import FigureRow
from desktop.pages.catalogue.tables import choices_of, tabs
from desktop.results.table_view import NumberTable
from desktop.saved_scenarios import SavedScenarios
from desktop.session import Session, one_of
from desktop.widgets.choices import Choice
from desktop.widgets.quantity_edit import QuantityEdit
from tests.desktop.whole_program import program

__all__ = ["program"]
CARD = "rtx-pro-6000-ws"
PRICE = "price.rtx-pro-6000-ws.new"


@pytest.fixture
def page(program: Application) -> CataloguePage:
    program.window.show_page("catalogue")
    return program.window.pages.page(CataloguePage, "catalogue")


def row(page: CataloguePage, key: str) -> FigureRow:
    return next(row for row in page.form.rows if row.figure.key.endswith(key))


def field(page: CataloguePage, key: str) -> QuantityEdit:
    edit = row(page, key).value
    assert isinstance(edit, QuantityEdit)
    return edit


def type_in(qtbot: Any, widget: Any, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    widget.setFocus()
    widget.selectAll()
    qtbot.keyClicks(widget, text)
    qtbot.keyClick(widget, key)


def said(page: CataloguePage) -> str:
    return page.records.banner.text.text() if page.records.banner is not None else ""


@pytest.mark.parametrize("number", range(5))
def test_every_list_is_a_sound_model(qtmodeltester: ModelTester, page: CataloguePage, number: int) -> None:
    page.column.tabs.setCurrentIndex(number)
    assert page.column.list.rows.rowCount() > 30
    assert page.record is not None
    assert page.column.list.current is not None
    qtmodeltester.check(page.column.list.rows)  # type: ignore[no-untyped-call]


def test_the_tabs_are_reached_by_keys(qtbot: Any, page: CataloguePage) -> None:
    page.column.tabs.setFocus()
    names = []
    for _step in range(5):
        names.append(page.column.tab.name)
        qtbot.keyClick(page.column.tabs, Qt.Key.Key_Right)
    assert names == ["Devices", "Links", "Models", "Engines", "Prices"]
    assert page.table == "prices"


def test_tab_goes_along_the_row(qtbot: Any, page: CataloguePage) -> None:
    tdp = row(page, "tdp_w")
    tdp.value.setFocus()
    order = []
    for _step in range(4):
        order.append(page.focusWidget())
        qtbot.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
    assert order == [tdp.value, tdp.source, tdp.date, tdp.confidence]
    assert page.focusWidget() is row(page, "system_power_w").value


def test_the_filter_is_driven_by_keys(qtbot: Any, page: CataloguePage) -> None:
    page.column.search.setFocus()
    qtbot.keyClicks(page.column.search, "mi300x")
    assert page.column.list.rows.rows[0].name.startswith("Instinct MI300X")
    qtbot.keyClick(page.column.search, Qt.Key.Key_Return)
    assert page.record.id == "mi300x"
    qtbot.keyClick(page.column.search, Qt.Key.Key_Escape)
    assert len(page.column.list.rows.rows) > 100


def test_a_new_device_needs_its_figures(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.column.add.click()
    assert page.records.title.text() == "New device"
    assert not page.records.save.isEnabled()
    assert page.records.foot_text.text() == "7 figures are needed before this can be saved."
    assert field(page, "capacity_bytes").text() == ""  # never a zero
    page.records.jump.click()
    assert page.focusWidget() is row(page, "name").value
    for key, text in [
        ("name", "Card of next year"),
        ("vendor", "Some maker"),
        ("architecture", "later"),
        ("tiers.0.name", "GDDR8"),
        ("capacity_bytes", "128 GB"),
        ("bandwidth_bytes_per_s", "2.5 TB/s"),
    ]:
        type_in(qtbot, row(page, key).value, text)
    assert [(row.figure.key, row.problem) for row in page.form.wrong] == []
    assert page.records.foot_text.text() == "1 figure is needed before this can be saved."
    row(page, "family").value.chosen.emit("nvidia-gddr")  # type: ignore[union-attr]
    assert page.records.save.isEnabled()
    page.records.save.click()
    kept = program.session.catalogue.device("Card of next year")
    assert kept.id.startswith("own/")
    assert (kept.memory_tiers[0].capacity_bytes, kept.memory_tiers[0].bandwidth_bytes_per_s) == (128 * 10**9, 2.5e12)
    assert kept.source_of("memory_tiers.0.capacity_bytes").confidence is Confidence.YOURS
    assert said(page).startswith("Your own record.")
    program.window.action("undo").trigger()
    assert kept.id not in program.session.catalogue.devices
    program.window.action("redo").trigger()
    assert kept.id in program.session.catalogue.devices


def test_a_new_record_can_be_left(page: CataloguePage) -> None:
    page.column.add.click()
    page.records.discard.click()
    assert page.record is not None
    assert not page.form.is_changed


def test_what_is_typed_and_not_saved_is_taken_back_first(qtbot: Any, page: CataloguePage, program: Application) -> None:
    program.session.edit("Users", workload__users=77)
    before = row(page, "tdp_w").source.text()
    type_in(qtbot, row(page, "tdp_w").value, "450")
    assert row(page, "tdp_w").source.text() == "your entry"
    type_in(qtbot, row(page, "noise_dba").value, "40")
    program.window.action("undo").trigger()
    assert row(page, "noise_dba").value.value is None
    assert row(page, "tdp_w").value.value == 450
    program.window.action("undo").trigger()
    assert (row(page, "tdp_w").value.value, row(page, "tdp_w").source.text()) == (600, before)
    assert not page.form.is_changed
    assert program.session.scenario.workload.users == 77
    program.window.action("undo").trigger()
    assert program.session.scenario.workload.users != 77


def test_a_changed_record_shows_what_was_shipped(qtbot: Any, page: CataloguePage, program: Application) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    page.records.save.click()
    assert "1 figure differs from it." in said(page)
    assert "Used in 2 scenarios." in said(page)
    page._toggle_differences()
    assert row(page, "tdp_w").caption.text == "Shipped: 600\u00a0W"
    assert row(page, "noise_dba").caption.text == ""
    page.forget()
    assert program.session.catalogue.device(CARD).tdp_w == 600
    bar = program.window.messages.bar("record")
    assert bar is not None
    assert bar.text.text() == "“RTX PRO 6000 Blackwell Workstation Edition” is as it was shipped."
    program.session.undo()
    assert program.session.catalogue.device(CARD).tdp_w == 450
    assert row(page, "tdp_w").value.value == 450


def test_an_engine_takes_formats_by_name(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("engines", "vllm")
    formats = row(page, "kv_formats")
    type_in(qtbot, formats.value, "FP16 or BF16, FP9", Qt.Key.Key_Tab)
    assert formats.caption.text.startswith("Write names of the catalogue with semicolons between, such as NVFP4; Q8_0")
    assert not page.records.save.isEnabled()
    type_in(qtbot, formats.value, "fp16, fp8", Qt.Key.Key_Tab)
    type_in(qtbot, row(page, "memory_share").value, "85")
    page.records.save.click()
    engine = program.session.catalogue.engine("vllm")
    assert engine.kv_formats == ("fp16", "fp8")
    assert engine.memory_share == pytest.approx(0.85)


@pytest.mark.parametrize("code", LANGUAGES)
def test_lists_and_names_of_formats_are_read_as_they_are_written(program: Application, code: str) -> None:
    """Some names have commas in them; names that are words are said in the reader's language, and stay as they were."""
    catalogue = program.session.catalogue
    with in_language(code):
        for engine in catalogue.engines.values():
            data = plain(engine)
            for group in engine_groups(data, catalogue):
                for one in group.figures:
                    if isinstance(one.kind, Words) and isinstance(one.get(data), tuple):
                        assert one.kind.parsed(one.kind.written(one.get(data))) == one.get(data)
        name = kv_groups({}, catalogue)[0].figures[0].get(plain(catalogue.kv_format("4bit")))
        assert (name == "4 bit, rule of thumb") is (code == "en")


def test_a_link_is_changed_and_who_uses_it_is_said(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("links", "pcie-gen5-x16")
    assert said(page) == "Used in 2 scenarios."
    type_in(qtbot, row(page, "latency_s").value, "8 us")
    page.records.save.click()
    assert program.session.catalogue.link("pcie-gen5-x16").latency_s == pytest.approx(8e-6)


def test_a_model_whose_config_no_longer_makes_sense_is_not_saved(
    qtbot: Any, page: CataloguePage, program: Application
) -> None:
    page.show_record("models", "Qwen/Qwen3.6-35B-A3B")
    layers = row(page, "num_hidden_layers")
    assert layers.value.value == 40
    type_in(qtbot, layers.value, "0", Qt.Key.Key_Tab)
    assert layers.caption.text
    assert "pydantic" not in layers.caption.text.lower()
    assert not page.records.save.isEnabled()
    type_in(qtbot, layers.value, "40", Qt.Key.Key_Tab)
    type_in(qtbot, row(page, "vocab_size").value, "250,000", Qt.Key.Key_Tab)
    before = program.session.catalogue.blueprint("Qwen/Qwen3.6-35B-A3B").total_parameters
    page.records.save.click()
    assert page.is_own
    assert program.session.catalogue.blueprint("Qwen/Qwen3.6-35B-A3B").total_parameters > before


def test_models_stand_with_their_companions(page: CataloguePage) -> None:
    page.column.tabs.setCurrentIndex(2)
    headings = [row.name for row in page.column.list.rows.rows if row.is_heading]
    assert headings == ["Generating", "Companions: embedding", "Companions: reranker"]


def test_a_price_has_one_source_a_date_and_an_age(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("prices", PRICE)
    assert row(page, "low").caption.text.endswith("months old")
    assert said(page) == "Used in 2 scenarios."
    type_in(qtbot, row(page, "low").value, "20,000.50")
    assert row(page, "high").value.value == 16_000  # shown as it is until it is saved
    type_in(qtbot, row(page, "low").source, "Quote of a dealer")
    assert row(page, "high").source.text() == "Quote of a dealer"
    page.records.save.click()
    price = program.session.catalogue.facts.get(PRICE)
    assert (price.low, price.high) == (Decimal("20000.5"), Decimal("20000.5"))  # a range never runs backwards
    assert (price.source.title, price.source.confidence) == ("Quote of a dealer", Confidence.YOURS)
    assert program.session.latest.facts.device_price(CARD).low == Decimal("20000.5")
    assert page.column.list.current is not None
    assert page.column.list.current.mark == "yours"
    program.window.action("undo").trigger()
    assert program.session.catalogue.facts.get(PRICE).low == Decimal(8565)


def test_an_own_price_is_there_at_the_next_start(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("prices", PRICE)
    type_in(qtbot, row(page, "low").value, "9,000")
    page.records.save.click()
    again = Application(program.app, program.folders)
    assert again.session.catalogue.facts.get(PRICE).low == 9000
    again.window.deleteLater()
    again.close()


def test_the_scenarios_that_use_a_record_open_from_it(page: CataloguePage, program: Application) -> None:
    other = next(one for one in page.users() if one.id != program.session.scenario_id)
    page.scenario_wanted.emit(other.id)
    assert program.session.scenario_id == other.id
    assert program.window.page == "sizing"


def test_who_uses_a_record_is_told_anew_when_scenarios_go(page: CataloguePage, program: Application) -> None:
    assert said(page) == "Used in 2 scenarios."
    one_of(SavedScenarios, program.session).delete(2)
    assert said(page) == "Used in 1 scenario."


# ---- scenarios keep their figures


def decode(session: Session) -> Any:
    sizing = session.settled()
    assert sizing is not None
    return sizing.decode


def test_another_scenario_keeps_the_figures_it_was_sized_with(
    qtbot: Any, page: CataloguePage, program: Application
) -> None:
    session = program.session
    session.open(2)  # it keeps the shipped figures from now on
    before = session.sizing
    session.open(1)
    type_in(qtbot, row(page, "bandwidth_bytes_per_s").value, "900 GB/s")
    page.records.save.click()
    assert session.catalogue.device(CARD).memory_tiers[0].bandwidth_bytes_per_s == 900e9  # here it follows
    assert program.window.messages.bar("moved on") is None
    session.open(2)
    assert session.catalogue.device(CARD).memory_tiers[0].bandwidth_bytes_per_s == 1792e9
    assert session.latest.device(CARD).memory_tiers[0].bandwidth_bytes_per_s == 900e9
    assert before is not None
    assert session.sizing is not None
    assert session.sizing.decode == before.decode
    bar = program.window.messages.bar("moved on")
    assert bar is not None
    assert bar.text.text() == (
        "The catalogue has moved on since this scenario was sized: NVIDIA RTX PRO 6000 Blackwell Workstation Edition. "
        "It keeps the figures of then."
    )
    assert "1,792\u00a0GB/s then, 900\u00a0GB/s now" in bar.toolTip()
    session.use_latest_figures()
    assert session.catalogue is session.latest
    assert decode(session) != before.decode
    assert program.window.messages.bar("moved on") is None
    session.undo()
    assert decode(session) == before.decode
    assert program.window.messages.bar("moved on") is not None


def test_the_figures_are_kept_over_the_next_start(qtbot: Any, page: CataloguePage, program: Application) -> None:
    program.session.open(2)
    program.session.open(1)
    type_in(qtbot, row(page, "bandwidth_bytes_per_s").value, "900 GB/s")
    page.records.save.click()
    program.session.open(2)
    again = Application(program.app, program.folders)
    assert again.session.scenario_id == 2
    assert again.session.catalogue.device(CARD).memory_tiers[0].bandwidth_bytes_per_s == 1792e9
    assert again.window.messages.bar("moved on") is not None
    one_of(SavedScenarios, again.session).duplicate(2, "Copy")
    assert again.session.catalogue.device(CARD).memory_tiers[0].bandwidth_bytes_per_s == 1792e9
    again.window.deleteLater()
    again.close()


def test_a_scenario_without_the_change_is_left_alone(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("devices", "h100-sxm")
    type_in(qtbot, row(page, "tdp_w").value, "650")
    page.records.save.click()
    program.session.open(2)
    assert program.window.messages.bar("moved on") is None
    assert program.session.catalogue is program.session.latest


def test_a_scenario_keeps_a_device_that_was_deleted_and_says_so(
    qtbot: Any, page: CataloguePage, program: Application
) -> None:
    session, messages = program.session, program.window.messages
    page.records.duplicate.click()
    type_in(qtbot, row(page, "bandwidth_bytes_per_s").value, "900 GB/s")
    page.records.use.click()
    mine = session.scenario.deployment.device
    before = decode(session)
    page.show_record("devices", mine)
    page.forget()
    assert mine not in session.latest.devices
    assert session.sizing is not None
    assert session.sizing.scenario == session.scenario
    assert decode(session) == before
    assert messages.bar("sizing") is None
    bar = messages.bar("moved on")
    assert bar is not None
    assert bar.text.text() == (
        "NVIDIA RTX PRO 6000 Blackwell Workstation Edition, copy was deleted from the catalogue. "
        "This scenario keeps the figures that it was sized with."
    )
    session.edit("Users", workload__users=7)  # the figures go on answering
    assert decode(session) is not None
    session.use_latest_figures()  # there are none of it
    assert mine in session.catalogue.devices
    session.flush()
    again = Application(program.app, program.folders)
    assert mine in again.session.catalogue.devices
    assert again.window.messages.bar("moved on") is not None
    again.window.deleteLater()
    again.close()
    session.edit("Device", deployment__device=CARD)
    session.flush()
    assert messages.bar("moved on") is None


def test_a_deleted_device_comes_back_with_undo(page: CataloguePage, program: Application) -> None:
    session = program.session
    page.records.duplicate.click()
    page.records.use.click()
    mine = session.scenario.deployment.device
    page.show_record("devices", mine)
    page.forget()
    assert program.window.messages.bar("moved on") is not None
    program.window.action("undo").trigger()
    assert mine in session.latest.devices
    assert program.window.messages.bar("moved on") is None


# ---- packs


def pack_file(folder: Path, program: Application, watts: float) -> Path:
    device = program.session.latest.device(CARD).model_copy(update={"tdp_w": watts})
    text = pack_text(own_records({"devices": {CARD: device.model_dump_json()}}, "Newer cards", _today()))
    path = folder / "newer.tonnagepack"
    path.write_text(text, encoding="utf-8")
    return path


def _today() -> Any:
    from datetime import date

    return date(2026, 11, 30)


def test_a_pack_is_shown_before_it_is_installed_and_taken_back(
    qtmodeltester: ModelTester, page: CataloguePage, program: Application, tmp_path: Path
) -> None:
    page.preview_pack(pack_file(tmp_path, program, 450.0))
    assert page.right.currentWidget() is page.preview
    assert page.preview.summary.text() == (
        "A pack of 30 November 2026: 0 new records, 1 changed record. All of it is installed, or nothing."
    )
    table = page.preview.findChild(NumberTable)
    assert table is not None
    qtmodeltester.check(table.numbers)  # type: ignore[no-untyped-call]
    cells = [[cell.text for cell in cells] for cells in table.numbers.table.rows]
    assert cells == [["NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "Board power", "600\u00a0W", "450\u00a0W"]]
    assert program.session.latest.device(CARD).tdp_w == 600
    page.preview.install.click()
    assert page.right.currentWidget() is page.records
    assert program.session.latest.device(CARD).tdp_w == 450
    assert not page.is_own  # a pack ships it
    assert page.shipped.tdp_w == 450
    assert program.window.messages.bar("moved on") is not None  # the scenario keeps 600 W
    program.session.undo()
    assert program.session.latest.device(CARD).tdp_w == 600
    program.session.redo()
    assert program.session.latest.device(CARD).tdp_w == 450
    page._packs.take_back()
    assert program.session.latest.device(CARD).tdp_w == 600


def test_a_damaged_pack_changes_nothing(page: CataloguePage, program: Application, tmp_path: Path) -> None:
    path = pack_file(tmp_path, program, 450.0)
    path.write_text(path.read_text("utf-8").replace("450.0", "451.0"), "utf-8")
    page.preview_pack(path)
    assert page.right.currentWidget() is page.records
    bar = program.window.messages.bar("pack")
    assert bar is not None
    assert "its checksum does not fit its content" in bar.text.text()


def test_own_entries_travel_as_a_pack(qtbot: Any, page: CataloguePage, program: Application, tmp_path: Path) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    page.records.save.click()
    page.show_record("prices", PRICE)
    type_in(qtbot, row(page, "low").value, "9,000")
    page.records.save.click()
    assert page._packs.export(tmp_path / "mine")
    page.forget()
    page.show_record("devices", CARD)
    page.forget()
    assert program.session.latest.device(CARD).tdp_w == 600
    page.preview_pack(tmp_path / "mine.tonnagepack")
    assert len(page.preview.table.numbers.table.rows) >= 2
    page.preview.install.click()
    bar = program.window.messages.bar("pack")
    assert bar is not None
    assert bar.text.text() == "“mine” was installed."
    assert program.session.latest.device(CARD).tdp_w == 450
    assert program.session.latest.facts.get(PRICE).low == 9000


def test_lists_say_what_is_missing_as_a_word(program: Application) -> None:
    found: list[Choice] = []
    for tab in tabs():
        found += choices_of(tab, program.session.latest, lambda _table: ())
    assert all(choice.detail for choice in found)
    assert any(choice.detail == "missing" for choice in found)


def test_a_link_takes_measured_sums_for_more_ranks(qtbot: Any, page: CataloguePage, program: Application) -> None:
    page.show_record("links", "ethernet-10g")
    start, bus = (
        next(one for one in page.form.rows if one.figure.key == f"all_reduce.8_ranks.{field}")
        for field in ("alpha_s", "bus_bytes_per_s")
    )
    type_in(qtbot, start.value, "40")
    assert not page.records.save.isEnabled()  # one without the other says nothing
    type_in(qtbot, bus.value, "1.2")
    assert page.records.save.isEnabled()
    page.records.save.click()
    costs = program.session.latest.links["ethernet-10g"].all_reduce
    assert [(one.ranks, one.alpha_s, one.bus_bytes_per_s) for one in costs][-1] == (8, pytest.approx(40e-6), 1.2e9)
