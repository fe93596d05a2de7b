"""Measured sums of a link in the catalogue's form: every point is shown, read as it is written, and can be changed."""

from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.catalogue.records import Confidence
from core.errors import TonnageError
from core.language.messages import LANGUAGES, in_language
from desktop.app import Application
from desktop.pages.catalogue.all_reduce_table import measured_group
from desktop.pages.catalogue.figures import Words, plain
from desktop.pages.catalogue.page import CataloguePage
from tests.desktop.whole_program import program

__all__ = ["program"]
LINK = "nvlink4-h100-h200-sxm"


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_table_is_read_as_it_is_written(program: Application, code: str) -> None:
    catalogue = program.session.catalogue
    count = 0
    with in_language(code):
        for link in catalogue.links.values():
            data = plain(link)
            for at, table in enumerate(link.tables):
                for row in measured_group(at, plain(table), catalogue).figures:
                    before, kind = row.get(data), row.kind
                    assert isinstance(kind, Words)
                    read = kind.parsed(kind.written(before))
                    assert [size for size, _seconds in read] == [size for size, _seconds in before]
                    assert [s for _size, s in read] == pytest.approx([s for _size, s in before], rel=1e-5)
                    count += len(read)
    assert count == sum(len(table.points) for link in catalogue.links.values() for table in link.tables) > 500


@pytest.mark.parametrize("text", ["1 KiB", "1 KiB: fast", "1024: 5", "1 KiB: 5; 1 KiB: 6", "1 KiB: 0", "5 µs: 1 KiB"])
def test_what_is_no_list_of_points_is_refused(program: Application, text: str) -> None:
    catalogue = program.session.catalogue
    kind = measured_group(0, plain(catalogue.links[LINK].tables[0]), catalogue).figures[0].kind
    assert isinstance(kind, Words)
    with pytest.raises(TonnageError):
        kind.parsed(text)


def test_a_point_is_changed_with_its_source(qtbot: Any, program: Application) -> None:
    program.window.show_page("catalogue")
    page = program.window.pages.page(CataloguePage, "catalogue")
    page.show_record("links", LINK)
    row: Any = next(one for one in page.form.rows if one.figure.key == "tables.0.points.2_ranks")
    assert row.value.text().startswith("1 KiB: 5.85 µs; 8 KiB: 6.77 µs")
    row.value.setFocus()
    row.value.selectAll()
    qtbot.keyClicks(row.value, "1 KiB: 4 µs; 2 MiB: 30 µs")
    qtbot.keyClick(row.value, Qt.Key.Key_Return)
    row.source.setText("Measured in our rack")
    row.source.textEdited.emit("Measured in our rack")
    page.records.save.click()
    table = program.session.catalogue.links[LINK].tables[0]
    mine = [(p.message_bytes, p.seconds) for p in table.points if p.ranks == 2]
    assert mine == [(1024, pytest.approx(4e-6)), (2 * 2**20, pytest.approx(30e-6))]
    assert {p.ranks for p in table.points} == {2, 4, 8}
    assert (table.source.title, table.source.confidence) == ("Measured in our rack", Confidence.YOURS)


def test_the_rate_of_small_messages_is_a_figure_of_the_form(program: Application) -> None:
    program.window.show_page("catalogue")
    page = program.window.pages.page(CataloguePage, "catalogue")
    page.show_record("links", LINK)
    rows = {one.figure.key: one for one in page.form.rows}
    assert rows["all_reduce.0.beta_bytes_per_s"].value.value == 110e9
