"""The catalogue page: a device is looked up, copied, changed and used."""

from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.catalogue.records import Confidence
from desktop.main_window import MainWindow
from desktop.pages.catalogue.page import CataloguePage
from desktop.pages.catalogue.row import FigureRow
from desktop.session import Session
from desktop.widgets.quantity_edit import QuantityEdit
from tests.desktop.small_catalogue import MemoryStore


@pytest.fixture
def page(window: MainWindow) -> CataloguePage:
    window.show_page("catalogue")
    return window.pages.page(CataloguePage, "catalogue")


def row(page: CataloguePage, key: str) -> FigureRow:
    return next(row for row in page.form.rows if row.figure.key.endswith(key))


def field(page: CataloguePage, key: str) -> QuantityEdit:
    edit = row(page, key).value
    assert isinstance(edit, QuantityEdit)
    return edit


def type_in(qtbot: Any, widget: Any, text: str) -> None:
    widget.setFocus()
    widget.selectAll()
    qtbot.keyClicks(widget, text)
    qtbot.keyClick(widget, Qt.Key.Key_Return)


def test_it_opens_on_the_device_of_the_scenario(page: CataloguePage) -> None:
    assert page.records.title.text() == "RTX PRO 6000 Blackwell Workstation"
    assert row(page, "capacity_bytes").value.text() == "96"
    assert row(page, "bandwidth_bytes_per_s").value.text() == "1,792"
    assert row(page, "peak_flops.fp8").value.text() == "1,007.6"
    assert row(page, "capacity_bytes").source.text() == "Datasheet"
    assert field(page, "noise_dba").placeholderText() == "missing"
    assert not page.records.save.isEnabled()


def test_a_changed_figure_is_yours_and_the_scenario_follows(
    qtbot: Any, page: CataloguePage, session: Session, store: MemoryStore
) -> None:
    tdp = row(page, "tdp_w")
    type_in(qtbot, tdp.value, "450")
    assert page.records.save.isEnabled()
    type_in(qtbot, tdp.source, "Measured at the wall")
    type_in(qtbot, tdp.date, "2026-11-20")
    page.records.save.click()
    saved = session.catalogue.device("rtx-pro-6000-ws")
    assert saved.tdp_w == 450
    source = saved.source_of("tdp_w")
    assert source is not None
    assert (source.title, source.date, source.confidence) == ("Measured at the wall", "2026-11-20", Confidence.YOURS)
    assert "rtx-pro-6000-ws" in store.own["devices"]
    assert not page.records.save.isEnabled()
    assert page.is_own
    assert page.column.list.current is not None
    assert page.column.list.current.mark == "yours"


def test_what_cannot_be_read_holds_the_save_and_the_foot_leads_there(qtbot: Any, page: CataloguePage) -> None:
    bandwidth = row(page, "bandwidth_bytes_per_s")
    type_in(qtbot, bandwidth.value, "1.8 TBx")
    assert bandwidth.caption.text == "Write a rate such as 1.8 TB/s or 1,792 GB/s. Keeping 1,792\u00a0GB/s."
    assert not page.records.save.isEnabled()
    assert page.records.foot.isVisible()
    assert page.records.foot_text.text() == "1 figure cannot be read. Save waits until it can."
    page.records.jump.click()
    assert page.focusWidget() is bandwidth.value
    type_in(qtbot, bandwidth.value, "1.9 TB/s")
    assert page.records.save.isEnabled()
    assert not page.records.foot.isVisible()


def test_a_date_that_is_none_holds_the_save(qtbot: Any, page: CataloguePage) -> None:
    date = row(page, "tdp_w").date
    date.setFocus()
    date.selectAll()
    qtbot.keyClicks(date, "20.11.2026")
    assert not page.records.save.isEnabled()
    assert date.property("state") != "invalid"  # not while it is being typed
    qtbot.keyClick(date, Qt.Key.Key_Tab)
    assert date.property("state") == "invalid"
    assert row(page, "tdp_w").caption.text == "Write a date such as 2026-11-20, 2026-11 or 2026."
    assert page.records.foot.isVisible()
    page.records.jump.click()
    assert page.focusWidget() is date


def test_a_copy_is_a_record_of_its_own_and_can_be_used(
    qtbot: Any, page: CataloguePage, session: Session, store: MemoryStore
) -> None:
    page.records.duplicate.click()
    assert page.record is not None
    copy = page.record.id
    assert copy.startswith("own/")
    assert page.records.title.text() == "RTX PRO 6000 Blackwell Workstation, copy"
    field(page, "name").selectAll()
    qtbot.keyClicks(row(page, "name").value, "Card of next year")
    type_in(qtbot, row(page, "capacity_bytes").value, "128")
    page.records.use.click()
    assert session.scenario.deployment.device == copy
    used = session.catalogue.device(copy)
    assert (used.name, used.memory_tiers[0].capacity_bytes) == ("Card of next year", 128 * 10**9)
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].capacity_bytes == 96 * 10**9


def test_back_to_shipped_and_undo(qtbot: Any, page: CataloguePage, session: Session) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    page.records.save.click()
    page.forget()
    assert session.catalogue.device("rtx-pro-6000-ws").tdp_w == 600
    assert not page.is_own
    assert row(page, "tdp_w").value.text() == "600"


def test_prices_are_exact_and_never_run_backwards(qtbot: Any, page: CataloguePage, session: Session) -> None:
    type_in(qtbot, row(page, "price.low").value, "20,000.50")
    page.records.save.click()
    price = session.catalogue.device("rtx-pro-6000-ws").price
    assert price is not None
    assert str(price.low) == str(price.high) == "20000.50"


def test_a_missing_figure_can_be_given_and_taken_away(qtbot: Any, page: CataloguePage, session: Session) -> None:
    type_in(qtbot, row(page, "usable_bytes").value, "97,887")
    page.records.save.click()
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].usable_bytes == 97_887 * 2**20
    usable = field(page, "usable_bytes")
    usable.setFocus()
    usable.clear()
    qtbot.keyClick(usable, Qt.Key.Key_Return)
    page.records.save.click()
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].usable_bytes is None


def test_another_capacity_takes_away_what_the_driver_reported_of_the_old_one(
    qtbot: Any, page: CataloguePage, session: Session
) -> None:
    """Else a card that was made half as large would still hold what it held."""
    type_in(qtbot, row(page, "usable_bytes").value, "97887 MiB")
    page.records.save.click()
    page.records.duplicate.click()
    type_in(qtbot, row(page, "capacity_bytes").value, "48 GB")
    assert row(page, "usable_bytes").value.text() == ""
    page.records.use.click()
    tier = session.catalogue.devices[session.scenario.deployment.device].memory_tiers[0]
    assert (tier.capacity_bytes, tier.usable_bytes) == (48 * 10**9, None)


def test_the_list_is_searched(qtbot: Any, page: CataloguePage) -> None:
    qtbot.keyClicks(page.column.search, "amd")
    assert [choice.name for choice in page.column.list.rows.rows] == ["MI300X"]


def test_choosing_another_shows_it(page: CataloguePage) -> None:
    at = next(i for i, choice in enumerate(page.column.list.rows.rows) if choice.key == "devices:dgx-spark")
    page.column.list.setCurrentIndex(page.column.list.rows.index(at))
    assert page.records.title.text() == "DGX Spark"
    assert row(page, "tdp_w").value.value is None


def test_a_full_disk_keeps_what_was_typed(qtbot: Any, page: CataloguePage, store: MemoryStore) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    store.broken = True
    page.records.save.click()
    assert row(page, "tdp_w").value.value == 450
    assert page.records.save.isEnabled()
