import itertools
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.catalogue.tables import Table
from desktop.app import Application, make_application
from desktop.folders import Folders
from desktop.pages.catalogue.page import CataloguePage
from tests.bench.conftest import Measure
from tests.bench.test_library import FRAME_S, RECORDS, full

__all__ = ["full"]
pytestmark = pytest.mark.bench


def test_catalogue_loads_quickly(measure: Measure) -> None:
    measure("catalogue loaded from its files", 0.060, lambda: load_shipped(RESOURCES / "catalogue"), 20)


def test_pickers_keep_up_with_typing(measure: Measure) -> None:
    catalogue = load_shipped(RESOURCES / "catalogue")
    measure("search over models", 0.004, lambda: catalogue.search("qwen 35b", [Table.MODELS]))
    measure("lookup by alias", 0.0001, lambda: catalogue.device("rtx pro 6000"))
    measure("bits of a model, warm", 0.0001, lambda: catalogue.bits("Qwen/Qwen3.6-35B-A3B", "nvfp4", "vllm"))


def test_the_catalogue_page_filters_within_a_frame(full: Path, measure: Measure) -> None:
    app = make_application(["tonnage"])
    assert isinstance(app, QApplication)
    application = Application(app, Folders.below(full))
    window = application.window
    window.resize(1280, 800)
    window.show()
    window.show_page("catalogue")
    page = window.pages.page(CataloguePage, "catalogue")
    column = page.column
    assert len(column.list.rows.rows) > RECORDS
    queries = itertools.cycle(["c", "ca", "card 9", "card 99", "rtx", "rtx 6000", "", "of mine"])

    def find() -> None:
        column.search.setText(next(queries))
        column.list.grab()

    measure("a key in the filter of 1,145 devices, painted", FRAME_S, find)
    records = itertools.cycle(["own/card-7", "h100-sxm", "own/card-999", "dgx-spark"])
    measure("another device is shown", 3 * FRAME_S, lambda: page.show_record("devices", next(records)), repeats=40)
    window.close()
    application.close()
