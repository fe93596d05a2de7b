"""The catalogue page: a device is looked up, copied, changed and used."""

from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.catalogue.records import Confidence
from desktop.main_window import MainWindow
from desktop.pages.device_form import FigureRow
from desktop.pages.device_page import DevicePage
from desktop.session import Session
from tests.desktop.small_catalogue import MemoryStore


@pytest.fixture
def page(window: MainWindow) -> DevicePage:
    window.show_page("catalogue")
    assert window.catalogue_page is not None
    return window.catalogue_page


def row(page: DevicePage, key: str) -> FigureRow:
    return next(row for row in page.form.rows if row.figure.key.endswith(key))


def type_in(qtbot: Any, widget: Any, text: str) -> None:
    widget.setFocus()
    widget.selectAll()
    qtbot.keyClicks(widget, text)
    qtbot.keyClick(widget, Qt.Key.Key_Return)


def test_it_opens_on_the_device_of_the_scenario(page: DevicePage) -> None:
    assert page.title.text() == "RTX PRO 6000 Blackwell Workstation"
    assert row(page, "capacity_bytes").value.text() == "96"
    assert row(page, "bandwidth_bytes_per_s").value.text() == "1,792"
    assert row(page, "peak_flops.fp8").value.text() == "1,007.6"
    assert row(page, "capacity_bytes").source.text() == "Datasheet"
    assert row(page, "noise_dba").value.placeholderText() == "missing"
    assert not page.save.isEnabled()


def test_a_changed_figure_is_yours_and_the_scenario_follows(
    qtbot: Any, page: DevicePage, session: Session, store: MemoryStore
) -> None:
    tdp = row(page, "tdp_w")
    type_in(qtbot, tdp.value, "450")
    assert page.save.isEnabled()
    type_in(qtbot, tdp.source, "Measured at the wall")
    type_in(qtbot, tdp.date, "2026-11-20")
    page.save.click()
    saved = session.catalogue.device("rtx-pro-6000-ws")
    assert saved.tdp_w == 450
    source = saved.source_of("tdp_w")
    assert source is not None
    assert (source.title, source.date, source.confidence) == ("Measured at the wall", "2026-11-20", Confidence.YOURS)
    assert "rtx-pro-6000-ws" in store.own["devices"]
    assert not page.save.isEnabled()
    assert page.is_own
    assert page.list.current is not None
    assert page.list.current.mark == "yours"


def test_what_cannot_be_read_holds_the_save_and_the_foot_leads_there(qtbot: Any, page: DevicePage) -> None:
    bandwidth = row(page, "bandwidth_bytes_per_s")
    type_in(qtbot, bandwidth.value, "1.8 TBx")
    assert bandwidth.caption.text == "Write a rate such as 1.8 TB/s or 1,792 GB/s. Keeping 1,792\u00a0GB/s."
    assert not page.save.isEnabled()
    assert page.foot.isVisible()
    assert page._foot_text.text() == "1 figure cannot be read. Save waits until it can."
    page._jump.click()
    assert page.focusWidget() is bandwidth.value
    type_in(qtbot, bandwidth.value, "1.9 TB/s")
    assert page.save.isEnabled()
    assert not page.foot.isVisible()


def test_a_date_that_is_none_holds_the_save(qtbot: Any, page: DevicePage) -> None:
    date = row(page, "tdp_w").date
    date.setFocus()
    date.selectAll()
    qtbot.keyClicks(date, "20.11.2026")
    assert date.property("state") == "invalid"
    assert not page.save.isEnabled()


def test_a_copy_is_a_record_of_its_own_and_can_be_used(
    qtbot: Any, page: DevicePage, session: Session, store: MemoryStore
) -> None:
    page.duplicate.click()
    assert page.device is not None
    copy = page.device.id
    assert copy.startswith("own/")
    assert page.title.text() == "RTX PRO 6000 Blackwell Workstation, copy"
    page.form.name.selectAll()
    qtbot.keyClicks(page.form.name, "Card of next year")
    type_in(qtbot, row(page, "capacity_bytes").value, "128")
    page.use.click()
    assert session.scenario.deployment.device == copy
    used = session.catalogue.device(copy)
    assert (used.name, used.memory_tiers[0].capacity_bytes) == ("Card of next year", 128 * 10**9)
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].capacity_bytes == 96 * 10**9


def test_a_copy_in_use_is_not_deleted(page: DevicePage, session: Session, window: MainWindow) -> None:
    page.duplicate.click()
    page.use.click()
    page._forget()
    assert page.device is not None
    assert page.device.id in session.own_records("devices")
    assert window.messages.bar("record") is not None


def test_back_to_shipped_and_undo(qtbot: Any, page: DevicePage, session: Session) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    page.save.click()
    page._forget()
    assert session.catalogue.device("rtx-pro-6000-ws").tdp_w == 600
    assert not page.is_own
    assert row(page, "tdp_w").value.text() == "600"


def test_prices_are_exact_and_never_run_backwards(qtbot: Any, page: DevicePage, session: Session) -> None:
    type_in(qtbot, row(page, "price.low").value, "20,000.50")
    page.save.click()
    price = session.catalogue.device("rtx-pro-6000-ws").price
    assert price is not None
    assert str(price.low) == str(price.high) == "20000.50"


def test_a_missing_figure_can_be_given_and_taken_away(qtbot: Any, page: DevicePage, session: Session) -> None:
    type_in(qtbot, row(page, "usable_bytes").value, "97,887")
    page.save.click()
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].usable_bytes == 97_887 * 2**20
    usable = row(page, "usable_bytes").value
    usable.setFocus()
    usable.clear()
    qtbot.keyClick(usable, Qt.Key.Key_Return)
    page.save.click()
    assert session.catalogue.device("rtx-pro-6000-ws").memory_tiers[0].usable_bytes is None


def test_another_capacity_takes_away_what_the_driver_reported_of_the_old_one(
    qtbot: Any, page: DevicePage, session: Session
) -> None:
    """Else a card that was made half as large would still hold what it held."""
    type_in(qtbot, row(page, "usable_bytes").value, "97887 MiB")
    page.save.click()
    page.duplicate.click()
    type_in(qtbot, row(page, "capacity_bytes").value, "48 GB")
    assert row(page, "usable_bytes").value.text() == ""
    page.use.click()
    tier = session.catalogue.devices[session.scenario.deployment.device].memory_tiers[0]
    assert (tier.capacity_bytes, tier.usable_bytes) == (48 * 10**9, None)


def test_the_list_is_searched(qtbot: Any, page: DevicePage) -> None:
    qtbot.keyClicks(page.search, "amd")
    assert [choice.name for choice in page.list.rows.rows] == ["MI300X"]


def test_choosing_another_shows_it(page: DevicePage) -> None:
    at = next(i for i, choice in enumerate(page.list.rows.rows) if choice.key == "dgx-spark")
    page.list.setCurrentIndex(page.list.rows.index(at))
    assert page.title.text() == "DGX Spark"
    assert row(page, "tdp_w").value.value is None


def test_a_full_disk_keeps_what_was_typed(qtbot: Any, page: DevicePage, store: MemoryStore) -> None:
    type_in(qtbot, row(page, "tdp_w").value, "450")
    store.broken = True
    page.save.click()
    assert row(page, "tdp_w").value.value == 450
    assert page.save.isEnabled()
