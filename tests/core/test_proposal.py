"""The proposal: what its pages say, that they can be trusted, and that the file is whole or not there."""

import dataclasses
import datetime
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.catalogue.records import Price
from core.errors import ProposalError
from core.language.figures import label
from core.language.messages import LANGUAGES
from core.proposal.colours import colours, readable
from core.proposal.composition import proposal
from core.proposal.export import write_proposal, write_whole
from core.proposal.glyphs import missing_characters, printable
from core.proposal.offer import Offer, offer
from core.proposal.options import Brand, ProposalOptions
from core.proposal.template import copy_shipped, main_file
from core.proposal.typst_document import as_inputs, pdf
from core.proposal.values import Proposal, Table
from core.scenario import Economics, Mode, Plan, Scenario
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.report import KEYS, Sizing
from core.store.scenario_file import read_scenario
from core.trace import Computed
from tests.core.offers import priced
from tests.desktop import fixed_sizing as fixed
from tests.shipped import shipped

DATE = datetime.date(2026, 11, 30)
HOSTILE = '#eval(1) *x* _i_ $y$ <z> @ref \\ `raw` // /* #panic() "quoted"'


def options(**changes: Any) -> ProposalOptions:
    return dataclasses.replace(ProposalOptions(DATE, author="Mara Jensen", brand=Brand("Nordlicht")), **changes)


def poppler(program: str, content: bytes, tmp_path: Path, *arguments: str) -> str:
    file = tmp_path / "proposal.pdf"
    file.write_bytes(content)
    command = [program, *arguments, str(file), *(["-"] if program == "pdftotext" else [])]
    answer = subprocess.run(command, capture_output=True, timeout=60, check=True)
    return answer.stdout.decode("utf-8", "replace")


def plain(text: str) -> str:
    """A text without its spaces and line breaks, since a page breaks lines where it likes."""
    return re.sub(r"\s+", "", text)


def made(sizing: Sizing | Offer, chosen: ProposalOptions | None = None) -> tuple[Proposal, bytes]:
    chosen = chosen or options()
    values = proposal([sizing if isinstance(sizing, Offer) else Offer(sizing)], chosen)
    return values, pdf(values, chosen.date)


def texts(value: Any) -> Iterator[str]:
    """Every text of a record, however deep."""
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for one in dataclasses.fields(value):
            yield from texts(getattr(value, one.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)


def printed_texts(values: Proposal) -> Iterator[str]:
    """What a reader must find on the pages: tables, tiles, points, formulas, sources."""
    need, advice, memory, speed = values.need, values.recommendation, values.memory, values.speed
    yield from texts((values.cover.title, values.cover.summary, values.cover.legal, values.frame.foot, need.correct))
    yield from texts((advice.page, advice.tiles, advice.points_for, advice.points_against, memory.page, memory.note))
    yield from texts((speed.page, speed.reading, speed.evidence, memory.exhibit.message, values.risks.points))
    for exhibit in (speed.exhibit, speed.token, values.cost.exhibit if values.cost is not None else None):
        if exhibit is not None:
            yield from (exhibit.message, exhibit.conditions, exhibit.source)
    tables = [need.table, advice.options, memory.table, speed.table, values.risks.changes, values.risks.next_steps]
    tables.append(values.appendix.layers)
    if values.cost is not None:
        yield from texts((values.cost.page, values.cost.even))
        tables += [values.cost.bill, values.cost.steps]
    for table in tables:
        assert isinstance(table, Table)
        for row in table.rows:
            yield from row.cells
    for step in speed.steps:
        yield from (step.label, step.value)
    for figure in values.appendix.figures:
        yield from (figure.number, figure.name, figure.value, figure.words, figure.numbers)
    for given in values.appendix.inputs:
        yield from (given.name, given.value, given.source, given.detail)
    for source in values.appendix.sources:
        yield from (source.number, source.title, source.date, source.confidence)


def real(scenario: Scenario) -> Callable[[], Offer]:
    return lambda: offer(scenario, shipped(), DATE.isoformat())


def _fixed(state: Callable[[], Sizing]) -> Offer:
    return priced(state())


CASES: dict[str, Callable[[], Offer]] = {
    **{name: partial(_fixed, state) for name, state in fixed.STATES.items()},
    "worked example": real(worked_example()),
    "worked example in reality": real(worked_example_in_reality()),
    "split over four": real(
        worked_example_in_reality().edited(
            deployment__device="h100-sxm", deployment__count=4, deployment__plan=Plan(tensor=4)
        )
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_every_figure_is_on_the_pages(case: str, language: str, tmp_path: Path) -> None:
    values, content = made(CASES[case](), options(language=language))
    page = plain(poppler("pdftotext", content, tmp_path, "-layout"))
    raw = plain(poppler("pdftotext", content, tmp_path, "-raw"))
    missing = [text for text in printed_texts(values) if plain(text) not in page and plain(text) not in raw]
    # A cell that wraps is interleaved with its neighbours: then at least each of its words must be there.
    lost = [text for text in missing if any(plain(word) not in raw for word in text.split())]
    assert lost == []
    assert len(missing) < 0.2 * len(list(printed_texts(values)))


def test_file_is_vector_tagged_and_carries_its_fonts(tmp_path: Path) -> None:
    _values, content = made(fixed.fixed_sizing())
    assert len(poppler("pdfimages", content, tmp_path, "-list").splitlines()) == 2  # the heading alone
    fonts = poppler("pdffonts", content, tmp_path).splitlines()[2:]
    assert fonts
    assert all(re.search(r"yes yes yes", line) and re.search(r"Inter|JetBrains", line) for line in fonts)
    facts = poppler("pdfinfo", content, tmp_path)
    assert "Tagged:          yes" in facts
    assert "A4" in facts
    assert "Mara Jensen" in facts
    assert b"<pdfaid:part>3</pdfaid:part>" in content
    assert b"<pdfuaid:part>1</pdfuaid:part>" in content
    assert b"/Lang" in content


def test_scenario_is_attached_as_it_was(tmp_path: Path) -> None:
    sizing = fixed.fixed_sizing()
    _values, content = made(sizing)
    poppler("pdfdetach", content, tmp_path, "-save", "1", "-o", str(tmp_path / "scenario.json"))
    assert read_scenario(tmp_path / "scenario.json").scenario == sizing.scenario


def test_same_proposal_same_bytes() -> None:
    first, second = (made(fixed.fixed_sizing())[1] for _ in range(2))
    assert first == second
    assert made(fixed.fixed_sizing(), options(date=datetime.date(2026, 12, 1)))[1] != first


def test_names_are_data_and_never_markup(tmp_path: Path) -> None:
    _values, content = made(fixed.fixed_sizing(), options(client=HOSTILE, brand=Brand(HOSTILE, HOSTILE, HOSTILE)))
    text = poppler("pdftotext", content, tmp_path, "-raw")
    assert plain(text).count(plain(HOSTILE)) >= 8  # cover and every running head


@pytest.mark.parametrize("name", ["日本", "a\ud800b", "a\x00b\x07", "\ufffe", "مرحبا", "😀", "a" * 5000, "\n\n"])
def test_any_name_gives_a_file(name: str, tmp_path: Path) -> None:
    _values, content = made(fixed.fixed_sizing(), options(client=name, title=name))
    assert poppler("pdftotext", content, tmp_path)


def test_characters_that_cannot_be_printed_are_named() -> None:
    assert missing_characters("日本 AG", "Müller") == "日本"
    assert missing_characters("Ελλάδα Привет €—“”") == ""
    assert printable("日a") == "□a"


def test_case_that_does_not_fit_says_so(tmp_path: Path) -> None:
    values, content = made(fixed.too_much())
    page = poppler("pdftotext", content, tmp_path, "-layout").replace("\u00a0", " ")
    assert "does not carry this work" in values.cover.summary
    assert "It does not fit: 7.0 GB are missing" in page
    assert "Too much: 7.0 GB" in page
    assert "We recommend" not in page
    assert "What would help" in page
    assert values.recommendation.points_for[1].text == "There is room for 10 where 12 were asked for."


def test_missing_price_is_a_word_and_a_known_one_has_its_date() -> None:
    sizing = fixed.fixed_sizing()
    assert price_of(sizing) == "unknown"
    listed = sizing.device.model_copy(
        update={"price": Price(low=Decimal(8565), high=Decimal(16000), currency="USD", as_of="2026-08")}
    )
    assert price_of(dataclasses.replace(sizing, device=listed)) == "$8,565–16,000\n(2026-08)"
    own = sizing.scenario.model_copy(update={"economics": Economics(price=Decimal(12400), currency="EUR")})
    assert price_of(dataclasses.replace(sizing, device=listed, scenario=own)) == "€12,400"


def price_of(sizing: Sizing) -> str:
    table = proposal([Offer(sizing)], options()).recommendation.options
    assert table is not None
    return table.rows[0].cells[4]


def test_article_mode_is_said_on_every_page(tmp_path: Path) -> None:
    sizing = fixed.fixed_sizing()
    article = dataclasses.replace(sizing, scenario=sizing.scenario.model_copy(update={"mode": Mode.ARTICLE}))
    _values, content = made(article)
    for number in range(1, 9):
        page = poppler("pdftotext", content, tmp_path, "-f", str(number), "-l", str(number))
        assert "Figures simplified as in the article" in page
    assert "simplified" not in poppler("pdftotext", made(sizing)[1], tmp_path)


def test_targets_that_are_missed_speak_against_it() -> None:
    sizing = fixed.fixed_sizing(fixed.Card(speed_target=200.0, ttft_target=0.5))
    leads = [point.lead for point in proposal([Offer(sizing)], options()).recommendation.points_against]
    assert leads[:2] == ["It writes too slowly.", "The first word comes late."]
    assert proposal([Offer(sizing)], options()).speed.page.title.startswith("Too slow")


def test_alternatives_stand_with_the_reason_against_each() -> None:
    values = proposal([priced(), priced(fixed.eight_devices()), priced(fixed.too_much())], options())
    table = values.recommendation.options
    assert table is not None
    assert [row.cells[0] for row in table.rows] == ["B  8 × H200 SXM", "C  RTX PRO 6000 Workstation"]
    assert table.rows[1].cells[3].replace("\u00a0", " ") == "does not hold the work: 7.0 GB are missing"
    assert values.options is not None
    assert [column.letter for column in values.options.columns] == ["A", "B", "C"]
    assert values.options.columns[2].note == "does not meet the need"
    assert [cell.bad for cell in values.options.rows[0].cells] == [False, False, True]


def test_appendix_holds_the_way_to_the_main_figures_and_when_asked_to_every_one() -> None:
    sizing = fixed.fixed_sizing()
    usual = proposal([Offer(sizing)], options()).appendix
    names = {figure.name for figure in usual.figures}
    computed = [key for key in sizing.trace if isinstance(sizing.trace.entry(key), Computed)]
    assert {label(key) for key in computed if key in KEYS} <= names
    assert not usual.everything
    appendix = proposal([Offer(sizing)], options(left_out=frozenset())).appendix
    computed = [key for key in sizing.trace if isinstance(sizing.trace.entry(key), Computed)]
    assert len(appendix.figures) == len(computed)
    assert [figure.number for figure in appendix.figures] == [f"A{n}" for n in range(1, len(appendix.figures) + 1)]
    cache = next(figure for figure in appendix.figures if figure.name == "Cache per request")
    assert cache.numbers.replace("\u00a0", " ") == "10,240 × 262,144 = 2,684,354,560 B"
    datasheet = next(given for given in appendix.inputs if given.name == "Memory bandwidth")
    source = next(source for source in appendix.sources if source.number == datasheet.source)
    assert source.title == "RTX PRO 6000 Blackwell Workstation datasheet"
    assert (source.date, source.confidence) == ("2026-03-18", "two sources")


def test_addresses_other_than_the_web_are_not_linked() -> None:
    sizing = fixed.fixed_sizing()
    entry = sizing.trace.entry("tier.0.capacity_bytes")
    hostile = dataclasses.replace(fixed.DATASHEET, address="javascript:alert(1)")
    sizing.trace.given("tier.0.capacity_bytes", entry.value, entry.unit, hostile)
    addresses = [
        source.address
        for source in proposal([Offer(sizing)], options(left_out=frozenset())).appendix.sources
        if source.address
    ]
    assert addresses
    assert all(address.startswith("https://") for address in addresses)


def test_bar_is_drawn_from_the_same_bytes() -> None:
    sizing = fixed.second_tier()
    bars = proposal([Offer(sizing)], options()).memory.bars
    tiers = sizing.devices[0].tiers
    for bar, tier in zip(bars, tiers, strict=True):
        assert [segment.amount * 1e9 for segment in bar.segments] == pytest.approx([item.bytes for item in tier.items])
        assert bar.limit * 1e9 == pytest.approx(tier.limit_bytes)
    assert {segment.colour for segment in bars[1].segments} == {"spill"}


def test_values_hold_nothing_that_json_cannot() -> None:
    values = json.loads(as_inputs(proposal([Offer(fixed.huge())], options(client="a\ud800b")))["data"])
    assert values["cover"]["parties"][0]["lines"] == ["a□b"]


def test_brand_colour_becomes_readable() -> None:
    assert readable("#0F3D63") == "#0F3D63"
    assert readable("#FFD700") != "#FFD700"
    assert colours()["brand"] == "#0F3D63"
    with pytest.raises(ProposalError, match="not a colour"):
        Brand(primary="yellow")


def test_no_sizing_no_proposal() -> None:
    with pytest.raises(ProposalError, match="at least one"):
        proposal([], options())


def test_file_is_written_whole(tmp_path: Path) -> None:
    target = tmp_path / "Angebot für Müller.pdf"
    target.write_bytes(b"older")
    assert write_proposal([Offer(fixed.fixed_sizing())], options(), target) == target
    assert target.read_bytes().startswith(b"%PDF-1.7")
    assert [file.name for file in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("place", [lambda tmp: tmp / "no" / "p.pdf", lambda tmp: tmp, lambda _tmp: Path("/proc/p.pdf")])
def test_what_cannot_be_written_leaves_nothing(place: Callable[[Path], Path], tmp_path: Path) -> None:
    with pytest.raises(ProposalError, match="could not be written"):
        write_whole(place(tmp_path), b"%PDF")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writing_left_is_cleared_up_later(tmp_path: Path) -> None:
    left, busy, other = (tmp_path / name for name in (".a.pdf.1.part", ".a.pdf.2.part", ".b.pdf.1.part"))
    for one in (left, busy, other):
        one.write_bytes(b"half")
    now = busy.stat().st_mtime
    for one in (left, other):
        os.utime(one, (now - 7200, now - 7200))
    write_whole(tmp_path / "a.pdf", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.pdf.2.part", ".b.pdf.1.part", "a.pdf"]


def test_failure_while_writing_keeps_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "p.pdf"
    target.write_bytes(b"older")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ProposalError, match="the disk is full"):
        write_whole(target, b"%PDF")
    assert target.read_bytes() == b"older"
    assert [file.name for file in tmp_path.iterdir()] == ["p.pdf"]


def test_fault_in_a_template_is_a_clear_error_with_its_line(tmp_path: Path) -> None:
    template = tmp_path / "proposal.typ"
    composed = proposal([Offer(fixed.fixed_sizing())], options())
    template.write_text("Text\n#nothing", encoding="utf-8")
    with pytest.raises(ProposalError, match=r"proposal.typ, line 2: unknown variable: nothing\."):
        pdf(composed, DATE, tmp_path)
    template.write_text('#set document(title: "T")\n#set text(font: "No Such Font")\nText', encoding="utf-8")
    with pytest.raises(ProposalError, match=r"not be typeset cleanly: proposal\.typ, line 2: unknown font"):
        pdf(composed, DATE, tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        '#import "@preview/cetz:0.3.0": canvas',
        "#import '@preview/cetz:0.3.0'",
        '#include "@" + "preview/cetz:0.3.0"',
        'let name = "@preview"',
        '#import "\\u{40}preview/cetz:0.3.0": canvas',
        '#let name = str.from-unicode(64) + "pre" + "view/cetz:0.3.0"; #import name: canvas',
        '#include "\\u{40}preview/cetz:0.3.0"',
        '#include ("@", "pre", "view/cetz:0.3.0").join()',
        '#include "notes.txt"',
        '#import "@local/mine:0.1.0": *',
        '#eval("imp" + "ort \\"\\u{40}pre" + "view/cetz:0.3.0\\"")',
    ],
)
def test_packages_of_the_network_are_refused_before_compiling(line: str, tmp_path: Path) -> None:
    (tmp_path / "proposal.typ").write_text(f"// mine\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ProposalError, match=r"proposal.typ, line 3: (.*@preview|a template loads only .typ files)"):
        pdf(proposal([Offer(fixed.fixed_sizing())], options()), DATE, tmp_path)


def test_a_template_is_changed_as_its_notes_tell(tmp_path: Path) -> None:
    """Order, words, looks and a page of one's own, by the recipes at the head of proposal.typ."""
    folder = tmp_path / "mine"
    folder.mkdir()
    copy_shipped(folder)

    def change(name: str, old: str, new: str) -> None:
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")

    change(
        "proposal.typ", '  ("memory", memory),\n  ("speed", speed),\n', '  ("speed", speed),\n  ("memory", memory),\n'
    )
    change("proposal.typ", '  ("cover", cover),\n', '  ("cover", cover),\n  ("about", about),\n')
    page = "#let about() = { pagebreak(weak: true); heading(level: 1)[About us] }\n"
    change("proposal.typ", "#let sections", page + "#let sections")
    change("proposal.typ", "  if holds(name)", '  if name == "about" or holds(name)')
    change("brand.typ", "h1: 24pt", "h1: 20pt")
    mine = 'heading(level: 2, if d.frame.language == "fr" [Nos réserves] else [What we watch])'
    change("pages/risks.typ", "heading(level: 2, values.heading)", mine)
    values = proposal([Offer(fixed.fixed_sizing())], options())
    text = plain(poppler("pdftotext", pdf(values, DATE, folder), tmp_path))
    assert plain("About us") in text
    assert plain("What we watch") in text
    assert text.index(plain(values.speed.page.title)) < text.index(plain(values.memory.page.title))


def test_a_copied_template_gives_the_same_pages_until_it_is_changed(tmp_path: Path) -> None:
    copy_shipped(tmp_path)
    composed = proposal([Offer(fixed.fixed_sizing())], options())
    assert poppler("pdftotext", pdf(composed, DATE, tmp_path), tmp_path.parent) == poppler(
        "pdftotext", pdf(composed, DATE), tmp_path.parent
    )
    brand = tmp_path / "brand.typ"
    brand.write_text(brand.read_text(encoding="utf-8").replace("h1: 24pt", "h1: 20pt"), encoding="utf-8")
    assert pdf(composed, DATE, tmp_path) != pdf(composed, DATE)
    with pytest.raises(ProposalError, match="is not empty"):
        copy_shipped(tmp_path)
    with pytest.raises(ProposalError, match=r"has no proposal\.typ"):
        main_file(tmp_path.parent)
