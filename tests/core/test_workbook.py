"""The workbook: its formulas compute the figures again, texts of people stay texts, missing prices stay words."""

import datetime
import io
import math
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.proposal.excel_formulas import excel_formula
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions
from core.proposal.workbook import workbook, write_workbook
from core.scenario import CostLine, LineKind
from tests.core.offers import ECONOMICS, LINES, priced
from tests.core.test_proposal_pages import one
from tests.desktop import fixed_sizing as fixed

OPTIONS = ProposalOptions(datetime.date(2026, 11, 30), client="=1+1")
NAME = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
Cell = tuple[str, Any]  # formula, value


class Book:
    """The cells of a workbook by sheet and place."""

    def __init__(self, content: bytes) -> None:
        archive = zipfile.ZipFile(io.BytesIO(content))
        shared = [
            "".join(part.text or "" for part in item.iter(f"{{{NAME['m']}}}t"))
            for item in ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
        ]
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        names = [sheet.attrib["name"] for sheet in book.iterfind(".//m:sheet", NAME)]
        self.sheets: dict[str, dict[str, Cell]] = {}
        for number, name in enumerate(names, start=1):
            tree = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
            self.sheets[name] = {cell.attrib["r"]: _cell(cell, shared) for cell in tree.iterfind(".//m:c", NAME)}

    def value(self, sheet: str, place: str, depth: int = 0) -> Any:
        """What a cell shows after everything was computed again."""
        formula, value = self.sheets[sheet].get(place, ("", 0))
        return self._computed(formula, sheet, depth) if formula else value

    def _computed(self, formula: str, sheet: str, depth: int) -> Any:
        assert depth < 400

        def look(found: re.Match[str]) -> str:
            elsewhere = found[1] or sheet
            return repr(self.value(elsewhere, found[2].replace("$", ""), depth + 1))

        def whole(found: re.Match[str]) -> str:
            first, last = int(found[2]), int(found[3])
            cells = [repr(self.value(sheet, f"{found[1]}{row}", depth + 1) or 0) for row in range(first, last + 1)]
            return ",".join(cells)

        text = re.sub(r"([A-Z])(\d+):[A-Z](\d+)", whole, formula)
        text = re.sub(r"(?:'([^']+)'!)?(\$?[A-Z]\$?\d+)\b", look, text)
        text = text.replace("^", "**").replace("<>", "!=")
        text = re.sub(r"(?<![<>=!])=(?!=)", "==", text)
        return eval(text, {"__builtins__": {}}, _FUNCTIONS)  # of our own making


_FUNCTIONS = {
    "MIN": lambda *terms: min(terms),
    "MAX": lambda *terms: max(terms),
    "SQRT": math.sqrt,
    "EXP": math.exp,
    "LN": math.log,
    "SUM": lambda *terms: sum(terms),
    "FLOOR": lambda number, step: math.floor(number / step) * step,
    "CEILING": lambda number, step: math.ceil(number / step) * step,
    "MOD": lambda first, second: first % second,
    "IF": lambda condition, then, otherwise: then if condition else otherwise,
}


def _cell(cell: ElementTree.Element, shared: list[str]) -> Cell:
    formula, value = cell.find("m:f", NAME), cell.find("m:v", NAME)
    text = value.text if value is not None and value.text is not None else ""
    if cell.attrib.get("t") == "s":
        return "", shared[int(text)]
    if formula is not None:
        return formula.text or "", text
    return "", float(text) if text else ""


@cache
def book(of_catalogue: bool = True) -> tuple[Offer, Book]:
    made = one() if of_catalogue else priced()
    return made, Book(workbook([made], OPTIONS))


def rows(found: Book, sheet: str) -> Iterator[tuple[int, str]]:
    """Row numbers and keys of a sheet of figures."""
    for place, (_formula, value) in found.sheets[sheet].items():
        if place.startswith("A") and int(place[1:]) > 2:
            yield int(place[1:]), str(value)


@pytest.mark.parametrize("of_catalogue", [True, False])
def test_formulas_compute_every_figure_again(of_catalogue: bool) -> None:
    offer, found = book(of_catalogue)
    trace, live = offer.trace, 0
    for row, key in rows(found, "Figures A"):
        value = trace[key]
        if not isinstance(value, int | float | Decimal) or abs(float(value)) >= 1e300:
            continue
        live += bool(found.sheets["Figures A"][f"C{row}"][0])
        assert found.value("Figures A", f"C{row}") == pytest.approx(float(value), rel=1e-9, abs=1e-12), key
    assert live > (250 if of_catalogue else 60)


def test_a_changed_price_goes_through_to_the_cost_of_a_million_tokens() -> None:
    _offer, found = book()
    found = Book(workbook([one()], OPTIONS))
    places = {key: f"C{row}" for row, key in rows(found, "Figures A")}
    before = found.value("Figures A", places["cost.per_million_tokens"])
    quoted = next(key for key in ("cost.line.1.quoted.high", "cost.line.1.quoted") if key in places)
    _formula, value = found.sheets["Figures A"][places[quoted]]
    found.sheets["Figures A"][places[quoted]] = ("", float(value) * 2)
    assert found.value("Figures A", places["cost.per_million_tokens"]) > before


def test_bill_of_materials_adds_up() -> None:
    offer, found = book(False)
    sheet = found.sheets["Bill of materials A"]
    assert offer.cost is not None
    sums = [place for place, (formula, _value) in sheet.items() if formula.startswith("SUM")]
    assert len(sums) == 2
    assert found.value("Bill of materials A", sums[0]) == pytest.approx(float(offer.cost.capital.value))
    assert found.value("Bill of materials A", sums[1]) == pytest.approx(float(offer.cost.yearly.value))
    place = next(place for place, (formula, _value) in sheet.items() if "/" in formula)
    assert found.value("Bill of materials A", place) == pytest.approx(float(offer.cost.per_million.value))


def test_texts_of_people_are_never_formulas() -> None:
    lines = (CostLine(kind=LineKind.OTHER, name='=HYPERLINK("x")', price=Decimal(5)), *LINES)
    made = priced(economics=ECONOMICS.model_copy(update={"lines": lines}))
    found = Book(workbook([made], OPTIONS))
    assert found.sheets["Options"]["A1"] == ("", "=1+1")
    texts = [value for _formula, value in found.sheets["Bill of materials A"].values()]
    assert '=HYPERLINK("x")' in texts
    assert not any("HYPERLINK" in formula for sheet in found.sheets.values() for formula, _value in sheet.values())


def test_missing_prices_are_words() -> None:
    lines = (CostLine(kind=LineKind.HOST, name="Server, 2U"), *LINES[1:])
    made = priced(economics=ECONOMICS.model_copy(update={"lines": lines}))
    found = Book(workbook([made, priced(fixed.speed_unknown())], OPTIONS))
    values = [value for _formula, value in found.sheets["Bill of materials A"].values()]
    assert values.count("unknown") >= 3
    assert set(found.sheets) == {"Options", "Bill of materials A", "Bill of materials B", "Figures A", "Figures B"}


def test_same_offers_give_the_same_bytes_and_a_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "offer.xlsx"
    write_workbook([priced()], OPTIONS, target)
    assert target.read_bytes() == workbook([priced()], OPTIONS)
    assert [file.name for file in tmp_path.iterdir()] == ["offer.xlsx"]


@pytest.mark.parametrize("language", ["de", "fr"])
def test_words_are_those_of_the_language(language: str) -> None:
    found = Book(workbook([priced()], ProposalOptions(datetime.date(2026, 11, 30), language)))
    assert len(found.sheets) == 3
    assert all(len(name) <= 31 for name in found.sheets)


def test_what_a_workbook_cannot_compute_stays_a_number() -> None:
    assert excel_formula("a // b + c % 2", {"a": "A1", "b": "A2", "c": "A3"}) == "=(FLOOR(A1/A2,1))+(MOD(A3,2))"
    assert excel_formula("where(a > 1, -b, sum(items))", {"a": "A1", "b": "B1", "items": ["C1", "C2"]}) == (
        "=IF(A1>1,(-B1),SUM(C1,C2))"
    )
    assert excel_formula("poisson_quantile(a)", {"a": "A1"}) == ""
    assert excel_formula("unknown_name + 1", {}) == ""
