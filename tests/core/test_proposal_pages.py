"""Pages of whole proposals: the shortest, the longest, what fits nothing; that a file can be trusted and checked."""

import datetime
import json
import math
import re
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.language.messages import LANGUAGES
from core.language.numbers import formatter
from core.proposal.composition import proposal
from core.proposal.gaps import GapKind, gaps
from core.proposal.offer import Offer, in_currency, offer
from core.proposal.options import Brand, Paper, ProposalOptions, Section, Typeface
from core.proposal.typst_document import pdf, pictures
from core.proposal.values import Proposal
from core.scenario import CatalogueModel, CostLine, LineKind, Scenario
from core.trace import Computed
from core.units import Unit
from tests.core.offers import ECONOMICS, LINES, priced
from tests.desktop import fixed_sizing as fixed
from tests.shipped import shipped
from tests.usual_scenario import scenario as usual

DATE = datetime.date(2026, 11, 30)
HOSTILE = '#eval(1) *x* $y$ <z> @ref \\ `raw` // #panic() "quoted"'
GREEK, CYRILLIC = "Ελληνικά Λιμάνια ΑΕ", "Портовая логистика ООО"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 8"><path d="M0 0h30v8H0z" fill="#c21"/></svg>'
PAGE = {Paper.A4: (595.276, 841.89), Paper.LETTER: (612.0, 792.0)}


def png(width: int = 60, height: int = 20) -> bytes:
    """A small picture, made by hand."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + b"\xc2\x22\x11" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def real(scenario: Scenario) -> Offer:
    return offer(scenario, shipped(), DATE.isoformat())


@cache
def one() -> Offer:
    return real(usual().edited(economics__currency="EUR", economics__region="DE"))


def options(**changes: Any) -> ProposalOptions:
    given: dict[str, Any] = {"author": "Mara Jensen", "brand": Brand("Nordlicht")}
    return ProposalOptions(DATE, **{**given, **changes})


def poppler(program: str, file: Path, *arguments: str) -> str:
    command = [program, *arguments, str(file), *(["-"] if program == "pdftotext" else [])]
    answer = subprocess.run(command, capture_output=True, timeout=60, check=True)
    return answer.stdout.decode("utf-8", "replace")


def written(offers: Sequence[Offer], chosen: ProposalOptions, folder: Path) -> tuple[Proposal, Path]:
    composed = proposal(offers, chosen)
    file = folder / "proposal.pdf"
    file.write_bytes(pdf(composed, chosen.date))
    return composed, file


def plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


def overfull(file: Path, paper: Paper = Paper.A4) -> list[str]:
    """Words that stand outside the margins of the sheet, by their boxes."""
    width, height = PAGE[paper]
    found = []
    for word in re.findall(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>',
                           poppler("pdftotext", file, "-bbox")):  # fmt: skip
        left, top, right, bottom = map(float, word[:4])
        if left < 40 or top < 20 or right > width - 40 or bottom > height - 20:
            found.append(word[4])
    return found


def boxes(file: Path, page: int) -> list[tuple[float, float, float, str]]:
    """The words of a page: left, top and bottom [pt], and the word."""
    found = poppler("pdftotext", file, "-bbox", "-f", str(page), "-l", str(page))
    form = r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="[\d.-]+" yMax="([\d.-]+)">(.*?)</word>'
    return [(float(left), float(top), float(bottom), word) for left, top, bottom, word in re.findall(form, found)]


# ---- the file


@pytest.mark.parametrize("language", LANGUAGES)
def test_usual_proposal_is_short_and_its_appendix_dense(tmp_path: Path, language: str) -> None:
    """Each section for readers fills one page and spills no line onto a second; the appendix takes five at most."""
    alone = offer(one().scenario, shipped(), DATE.isoformat(), alone=True)
    _values, file = written([alone], options(language=language), tmp_path)
    assert int(re.findall(r"Pages:\s+(\d+)", poppler("pdfinfo", file))[0]) <= 12
    body = options(language=language, left_out=frozenset({Section.FORMULAS, Section.EVERYTHING, Section.SOURCES}))
    _values, file = written([alone], body, tmp_path)
    assert int(re.findall(r"Pages:\s+(\d+)", poppler("pdfinfo", file))[0]) == 7
    assert not overfull(file)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_ends_within_a_unit(language: str, tmp_path: Path) -> None:
    _values, file = written([one()], options(language=language), tmp_path)
    broken = [line for line in poppler("pdftotext", file, "-raw").splitlines() if re.search(r"(tok|B|FLOP)/$", line)]
    assert broken == []


def test_columns_of_the_appendix_end_level(tmp_path: Path) -> None:
    """No page has a full column beside an empty one; what follows begins below both."""
    alone = offer(one().scenario, shipped(), DATE.isoformat(), alone=True)
    _values, file = written([alone], options(), tmp_path)
    pages = int(re.findall(r"Pages:\s+(\d+)", poppler("pdfinfo", file))[0])
    (last,) = [page for page in range(9, pages + 1) if any(word == "B:" for *_place, word in boxes(file, page))]
    heading = min(top for _left, top, _bottom, word in boxes(file, last) if word == "B:")
    middle = PAGE[Paper.A4][0] / 2
    above = [(left, bottom) for left, top, bottom, _word in boxes(file, last) if 90 < top < heading - 10]
    ends = [max(bottom for left, bottom in above if (left < middle) is side) for side in (True, False)]
    assert abs(ends[0] - ends[1]) < 110  # by one formula, which is not broken


def test_file_is_tagged_embedded_and_drawn(tmp_path: Path) -> None:
    values, file = written([one(), priced(fixed.eight_devices())], options(), tmp_path)
    content = file.read_bytes()
    assert b"<pdfaid:part>3</pdfaid:part>" in content
    assert b"<pdfaid:conformance>A</pdfaid:conformance>" in content
    assert b"<pdfuaid:part>1</pdfuaid:part>" in content
    assert "Tagged:          yes" in poppler("pdfinfo", file)
    assert len(poppler("pdfimages", file, "-list").splitlines()) == 2  # its heading alone: nothing is a picture
    fonts = poppler("pdffonts", file).splitlines()[2:]
    assert all("yes yes yes" in line for line in fonts)
    structure = poppler("pdfinfo", file, "-struct")
    for tag in ("H1", "H2", "Table", "TH", "Figure", "Link"):
        assert re.search(rf"^\s*{tag}\b", structure, re.MULTILINE), tag
    assert values.options is not None
    drawings = 1 + 1 + 2 + len(values.options.bars) + 2  # cover, memory, speed, bars of the options, prices and costs
    assert inside(content).count(b"/Alt") >= drawings


def inside(content: bytes) -> bytes:
    """Everything in the file, its compressed objects unpacked."""
    found = [content]
    for body in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        try:
            found.append(zlib.decompress(body))
        except zlib.error:
            continue
    return b"".join(found)


def test_same_input_and_date_give_the_same_bytes() -> None:
    first, second = (pdf(proposal([real(one().scenario)], options()), DATE) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("logo", [SVG, png()], ids=["svg", "png"])
def test_logo_is_the_only_picture(logo: bytes, tmp_path: Path) -> None:
    brand = Brand("Nordlicht", primary="#7A1FA2", accent="#00897B", typeface=Typeface.SERIF, logo=logo)
    _values, file = written([one()], options(brand=brand), tmp_path)
    listed = poppler("pdfimages", file, "-list").splitlines()[2:]
    assert len(listed) == (logo[:4] == b"\x89PNG")
    fonts = poppler("pdffonts", file)
    assert "Libertinus" in fonts
    assert "yes yes yes" in fonts


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_holds_every_figure_that_the_sizing_holds(language: str, tmp_path: Path) -> None:
    everything = options(language=language, left_out=frozenset())
    values, file = written([one()], everything, tmp_path)
    page = plain(poppler("pdftotext", file, "-raw"))
    trace, write = one().trace, formatter(language)
    figures = {figure.name: figure for figure in values.appendix.figures}
    assert len(figures) > 200
    missing = []
    for key in one().sizing.trace:
        entry = trace.entry(key)
        shown = (
            write.figure(entry.value, entry.unit)
            if isinstance(entry, Computed)
            else write.value(entry.value, entry.unit)
        )
        if plain(shown) not in page:
            missing.append((key, shown))
    assert missing == []
    lost = [figure.name for figure in values.appendix.figures if plain(figure.numbers) not in page]
    # a long formula is broken over lines and columns; none of its numbers may be lost
    assert all(
        plain(number) in page
        for figure in values.appendix.figures
        if figure.name in lost
        for number in re.findall(r"[\d.,\u202f\u00a0]*\d", figure.numbers)
    )


# ---- what a client may be


@pytest.mark.parametrize("name", [HOSTILE, GREEK, CYRILLIC])
def test_names_are_printed_as_they_are(name: str, tmp_path: Path) -> None:
    chosen = options(client=name, recipient=name, title=name, author=name, brand=Brand(name, name, name))
    assert not [gap for gap in gaps([one()], chosen) if gap.kind is GapKind.GLYPHS]
    _values, file = written([one()], chosen, tmp_path)
    assert plain(poppler("pdftotext", file, "-raw")).count(plain(name)) >= 8
    assert overfull(file) == []


@pytest.mark.parametrize("name", ["日本語", "مرحبا", "😀"])
def test_scripts_without_glyphs_are_named_before(name: str) -> None:
    found = [gap for gap in gaps([one()], options(client=name)) if gap.kind is GapKind.GLYPHS]
    assert [gap.subject for gap in found] == [" ".join(dict.fromkeys(name))]


# ---- the shortest, the longest, and what fits nothing


def longest() -> list[Offer]:
    """Twelve options with long names; the first with a bill of forty lines."""
    name = (
        "Serveur de calcul pour modèles de langage, salle des machines du bâtiment principal, quatrième étage, baie 17"
    )
    lines = tuple(
        CostLine(kind=LineKind.OTHER, name=f"{name} {n}", quantity=Decimal(n), price=Decimal("1234.56") * n)
        for n in range(1, 41)
    )
    first = priced(fixed.fixed_sizing(fixed.Card(device=name)), ECONOMICS.model_copy(update={"lines": lines}))
    states = [fixed.eight_devices, fixed.close, fixed.too_much, fixed.second_tier, fixed.speed_unknown]
    return [first, *(priced(states[n % len(states)]()) for n in range(11))]


@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("language", LANGUAGES)
def test_longest_plausible_proposal_stays_on_its_pages(language: str, paper: Paper, tmp_path: Path) -> None:
    chosen = options(language=language, paper=paper, client="Harbour " * 20, title="A title that goes on " * 6)
    values, file = written(longest(), chosen, tmp_path)
    assert overfull(file, paper) == []
    text = plain(poppler("pdftotext", file, "-raw"))
    assert values.options is not None
    assert len(values.options.columns) == 12
    assert all(f"{number}×" in text or str(number) in text for number in range(1, 41))
    assert text.count(plain("baie 17 40")) >= 1
    size = poppler("pdfinfo", file)
    assert ("letter" if paper is Paper.LETTER else "A4") in size


@pytest.mark.parametrize("title", ["A title that goes on " * 6, "Ein Titel " * 60])
def test_words_of_the_cover_stay_above_its_bar(title: str, tmp_path: Path) -> None:
    top_of_bar = (181 - 13) / 25.4 * 72
    _values, file = written(longest(), options(client="Harbour " * 20, title=title), tmp_path)
    crossing = [word for _left, top, bottom, word in boxes(file, 1) if top < top_of_bar + 30 and bottom > top_of_bar]
    assert crossing == []


def test_short_need_without_a_logo_or_a_name(tmp_path: Path) -> None:
    values, file = written([real(usual().edited(client="", workload__users=1, workload__requests_at_once=1))],
                           ProposalOptions(DATE), tmp_path)  # fmt: skip
    assert values.cover.title == "A language model of your own"
    assert values.cover.kicker == "Proposal"
    assert overfull(file) == []
    kinds = {gap.kind for gap in gaps([priced()], ProposalOptions(DATE))}
    assert GapKind.AUTHOR in kinds


def test_nothing_fits_and_the_pages_say_so(tmp_path: Path) -> None:
    offers = [priced(fixed.too_much()), priced(fixed.huge())]
    values, file = written(offers, options(), tmp_path)
    text = poppler("pdftotext", file, "-raw").replace("\u00a0", " ")
    assert "does not carry this work" in text
    assert "We recommend" not in text
    assert values.options is not None
    assert values.options.exhibit is not None
    assert values.options.exhibit.message == "None of the options does all that was asked"
    assert not any(cell.best for row in values.options.rows for cell in row.cells)
    assert overfull(file) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_to_be_set_stands_with_the_risks_once(language: str, tmp_path: Path) -> None:
    """A hybrid on one card has fewer blocks than the engine prepares requests for: the default does not start."""
    hybrid = usual().edited(
        model=CatalogueModel(id="Qwen/Qwen3.6-27B"), weights="bf16", kv_format="fp16", deployment__device="h100-sxm",
        deployment__count=1, deployment__plan=None, workload__users=8, workload__context_tokens=32_768,
        workload__prompt_tokens=8_000,
    )  # fmt: skip
    for requests in (None, 600):
        values, file = written(
            [real(hybrid.edited(deployment__max_requests=requests))], options(language=language), tmp_path
        )
        told = ["--max-num-seqs" in p.text for p in (*values.risks.points, *values.recommendation.points_against)]
        assert told.count(True) == 1
        assert overfull(file) == []


def test_missing_prices_are_words_and_sums_with_them_unknown(tmp_path: Path) -> None:
    lines = (CostLine(kind=LineKind.HOST, name="Server, 2U"), *LINES[1:])
    one_open = priced(economics=ECONOMICS.model_copy(update={"lines": lines}))
    values, file = written([one_open], options(), tmp_path)
    assert values.cost is not None
    assert values.cost.page.title == "What it costs is not known in full"
    assert values.cost.bars == ()
    assert values.cost.bill.rows[0].cells[2:4] == ("unknown", "unknown")
    assert "Server, 2U" in values.cost.page.lead
    assert "costs" not in values.cover.summary
    found = [gap for gap in gaps([one_open], options()) if gap.kind is GapKind.PRICE]
    assert [gap.subject for gap in found] == ["Server, 2U"]
    assert overfull(file) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", fixed.STATES)
def test_no_page_overflows(state: str, language: str, tmp_path: Path) -> None:
    _values, file = written([priced(fixed.STATES[state]())], options(language=language), tmp_path)
    assert overfull(file) == []


def test_sections_can_be_left_out_and_numbers_follow(tmp_path: Path) -> None:
    everything = proposal([one()], options())
    assert everything.speed.exhibit is not None
    assert everything.speed.exhibit.number == "Exhibit 2"
    without = proposal([one()], options(left_out=frozenset({Section.MEMORY})))
    assert without.speed.exhibit is not None
    assert without.speed.exhibit.number == "Exhibit 1"
    for section in Section:
        _values, file = written([one(), priced()], options(left_out=frozenset({section})), tmp_path)
        assert poppler("pdftotext", file)
    only = frozenset(set(Section) - {Section.RECOMMENDATION})
    assert len(pictures(proposal([one()], options(left_out=only)), DATE, 40)) == 1


def test_amounts_follow_the_currency_of_the_proposal() -> None:
    scenario = usual().edited(economics__price="10000", economics__currency="EUR", economics__region="DE")
    dollars = in_currency(scenario, "USD", shipped())
    rate = shipped().facts.get("finance.fx.eur-usd").middle
    assert rate is not None
    assert dollars.economics.currency == "USD"
    assert dollars.economics.price == 10_000 * rate
    assert in_currency(scenario, "EUR", shipped()) is scenario
    assert in_currency(scenario, "XXX", shipped()) is scenario  # nobody knows a rate
    bought = offer(scenario, shipped(), DATE.isoformat(), "USD")
    assert bought.cost is not None
    assert bought.cost.lines[0].amount.value == 10_000 * rate


# ---- what a client's engineer does: attach, size, compare


def number_tokens(text: str) -> Iterator[str]:
    yield from re.findall(r"\d[\d,.]*\d|\d", text.replace("\u202f", "").replace("\u00a0", " "))


def test_every_number_is_reproduced_by_sizing_the_attached_scenario(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = options(client="Harbour", brand=Brand(), left_out=frozenset())
    values, file = written([one()], chosen, tmp_path)
    poppler("pdfdetach", file, "-save", "1", "-o", str(tmp_path / "scenario.tonnage"))
    assert main(["size", str(tmp_path / "scenario.tonnage"), "--json", "--date", DATE.isoformat()]) == 0
    sized = json.loads(capsys.readouterr().out)
    known = set(reproduced(sized)) | set(of_the_document(values))
    pages = re.sub(r"\b[AS]\d+\b", "", poppler("pdftotext", file, "-raw"))  # names of formulas and sources
    strange = sorted({token for token in number_tokens(pages) if token not in known})
    assert strange == []


def reproduced(sized: dict[str, Any]) -> Iterator[str]:
    """Every number of the answer, in each of the ways in which numbers are written."""
    write = formatter("en")
    plain_forms: list[Callable[[Any], str]] = [
        write.number,
        write.count,
        write.decimal,
        write.significant,
        write.gigabytes,
        write.gibibytes,
    ]
    plain_forms += [write.bytes, write.bytes_iec, write.speed, write.seconds, write.rate, write.share, write.power]
    plain_forms += [write.parameters_in_words, write.parameters]

    def figure(value: Any, unit: str) -> Iterator[str]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            yield from number_tokens(str(value))
            return
        for form in plain_forms:
            yield from number_tokens(form(value))
        yield from number_tokens(write.money(Decimal(str(value)), sized["cost"]["currency"]))
        if unit:
            yield from number_tokens(write.figure(value, Unit(unit)))
            yield from number_tokens(write.value(value, Unit(unit)))
        if isinstance(value, int):
            yield from number_tokens(write.tokens(value))
            yield from number_tokens(write.tokens_exact(value))

    groups = [sized["figures"], sized["cost"]["figures"]]
    groups += [point["figures"] for point in sized["load"]] + [lever["figures"] for lever in sized["levers"]]
    for group in groups:
        for entry in group.values():
            yield from figure(entry["value"], entry["unit"])
            yield from number_tokens(f"{entry.get('source', '')} {entry.get('date', '')}")
            for constant in re.findall(r"(?<![\w.])\d[\d_.]*(?:e-?\d+)?", entry.get("formula", "")):
                yield from figure(float(constant) if "." in constant or "e" in constant else int(constant), "")
    yield from number_tokens(json.dumps(sized["scenario"]))
    yield from number_tokens(" ".join(lever["change"] for lever in sized["levers"]))
    for text in sized["scenario"]["workload"].values():
        if isinstance(text, int | float) and not isinstance(text, bool):
            yield from figure(text, "")


def of_the_document(values: Proposal) -> Iterator[str]:
    """Numbers that are no figures: pages, dates, names, words of the field, marks on axes, formulas' constants."""
    yield from map(str, range(1, 22))  # pages and exhibits
    texts = [values.frame.foot, values.cover.legal, values.cover.parties[-1].lines, values.recommendation.ranges]
    texts += [point.text for point in values.appendix.glossary] + [point.lead for point in values.appendix.glossary]
    texts += [figure.name for figure in values.appendix.figures]
    texts += [given.name + given.detail for given in values.appendix.inputs]
    texts += [f"{source.title} {source.date}" for source in values.appendix.sources]
    texts += [row.cells for row in values.risks.next_steps.rows] + [values.need.model]
    curve = values.speed.curve
    assert curve is not None
    texts += [tick.label for tick in (*curve.x_ticks, *curve.y_ticks)]
    assert values.cost is not None
    texts += [row.cells[4] for row in values.cost.bill.rows] + [values.need.granted]
    texts += [point.text for point in values.risks.points]
    yield from number_tokens(str(texts))
