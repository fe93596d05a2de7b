"""What PDF/A-3a and PDF/UA-1 ask of a file, read from its objects: typst promises it, and a template can break it.

No validator can be had in the tests; these are the points on which validators fail most files.
"""

import datetime
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from core.language.messages import LANGUAGES
from core.proposal.composition import proposal
from core.proposal.options import Brand, ProposalOptions, Typeface
from core.proposal.typst_document import pdf
from core.scenario import Plan
from core.sizing.examples import worked_example_in_reality
from tests.core.offers import priced
from tests.core.pdf_reader import File, Reference
from tests.core.test_proposal_pages import DATE, png, real
from tests.desktop import fixed_sizing as fixed

LOCALES = {"en": b"en-GB", "fr": b"fr-FR", "de": b"de-DE"}


def made(options: ProposalOptions) -> File:
    four = worked_example_in_reality().edited(
        deployment__device="h100-sxm", deployment__count=4, deployment__plan=Plan(tensor=4)
    )
    offers = [real(worked_example_in_reality()), real(four), priced(fixed.too_much())]
    return File(pdf(proposal(offers, options), options.date))


@pytest.fixture(scope="module", params=LANGUAGES)
def file(request: pytest.FixtureRequest) -> File:
    brand = Brand("Nordlicht", logo=png(), typeface=Typeface.SERIF)
    return made(ProposalOptions(DATE, language=request.param, client="Harbour (Port) AG", author="M. J.", brand=brand))


def metadata(file: File) -> str:
    return file.stream(file.root["Metadata"]).decode()


def test_it_says_what_it_is(file: File) -> None:
    said = metadata(file)
    for name, value in (("pdfaid:part", "3"), ("pdfaid:conformance", "A"), ("pdfuaid:part", "1")):
        assert f"<{name}>{value}</{name}>" in said
    assert re.search(r"<dc:title>.*Harbour \(Port\) AG", said)
    assert file.content.startswith(b"%PDF-1.7")
    assert file.trailer["ID"]
    assert "Encrypt" not in file.trailer
    assert file.of(file.root["ViewerPreferences"])["DisplayDocTitle"] is True


def test_dates_are_those_of_the_proposal_in_both_places(file: File) -> None:
    info = file.of(file.trailer["Info"])
    day = DATE.strftime("%Y%m%d").encode()
    assert day in info["CreationDate"]
    assert DATE.isoformat() in metadata(file)
    assert str(datetime.datetime.now(datetime.UTC).year + 1) not in metadata(file)


def test_its_language_is_stated(file: File) -> None:
    language = file.root["Lang"]
    assert language in LOCALES.values()
    assert language.decode() in metadata(file)


def test_colours_have_a_profile(file: File) -> None:
    """Transparency, as in the bands of the curves, may be used without a group where there is an intent."""
    (intent,) = [file.of(one) for one in file.of(file.root["OutputIntents"])]
    assert intent["S"] == "GTS_PDFA1"
    profile = file.stream(intent["DestOutputProfile"])
    assert profile[36:40] == b"acsp"
    for one in file.every():
        if isinstance(one, Mapping) and one.get("Type") == "ExtGState":
            assert one.get("BM", "Normal") == "Normal"
            assert "TR" not in one


def test_fonts_are_embedded_and_can_be_read_back(file: File) -> None:
    fonts = [one for one in file.every() if isinstance(one, Mapping) and one.get("Type") == "Font"]
    whole = [font for font in fonts if font["Subtype"] == "Type0"]
    assert whole
    for font in whole:
        assert b"begincmap" in file.stream(font["ToUnicode"])
        (inner,) = map(file.of, file.of(font["DescendantFonts"]))
        descriptor = file.of(inner["FontDescriptor"])
        assert {"FontFile2", "FontFile3"} & set(descriptor)
        assert re.match(r"[A-Z]{6}\+", descriptor["FontName"])  # only the glyphs that are used
    assert len(fonts) == 2 * len(whole)  # no other kind


def test_nothing_runs_and_nothing_is_outside(file: File) -> None:
    assert not {"OpenAction", "AA", "AcroForm", "OCProperties"} & set(file.root)
    for one in file.every():
        if isinstance(one, Mapping) and "S" in one and one.get("Type") == "Action":
            assert one["S"] in ("GoTo", "URI")
        if isinstance(one, Mapping) and one.get("Type") == "Annot":
            assert one["Subtype"] == "Link"
            assert one["Contents"]  # what is said of a link
            assert one["F"] & 4  # printed


def test_it_is_tagged_as_a_whole(file: File) -> None:
    marked = file.of(file.root["MarkInfo"])
    assert marked["Marked"] is True
    assert marked.get("Suspects") is False  # poppler's pdfinfo stumbles over the word; the format wants it so
    tree = file.of(file.root["StructTreeRoot"])
    assert "ParentTree" in tree
    (document,) = tree["K"] if isinstance(tree["K"], list) else [tree["K"]]
    assert file.of(document)["S"] == "Document"
    pages = [one for one in file.every() if isinstance(one, Mapping) and one.get("Type") == "Page"]
    assert len(pages) > 8
    for page in pages:
        assert "StructParents" in page
        assert page["Tabs"] == "S"
        contents = file.stream(page["Contents"])
        assert contents.count(b"BDC") + contents.count(b"BMC") == contents.count(b"EMC") > 0
        outside = re.sub(rb"(?s)/[A-Za-z]+\s*(?:<<.*?>>|/\w+)?\s*B[DM]C.*?EMC", b"", contents)
        assert not re.search(rb"\bT[jJ]\b", outside)  # no text that is neither content nor ornament


def test_headings_go_down_by_one(file: File) -> None:
    levels = [int(one["S"][1:]) for one in file.elements() if re.fullmatch(r"H\d", one["S"])]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_drawing_has_words(file: File) -> None:
    figures = [one for one in file.elements() if one["S"] == "Figure"]
    assert len(figures) >= 9  # logo, cover, memory, two of speed, three bars of options, prices
    for figure in figures:
        said = _text(figure["Alt"])
        assert len(said) > 8
        (layout,) = [one for one in map(file.of, figure["A"]) if "BBox" in one]
        assert len(layout["BBox"]) == 4


def test_every_column_of_a_table_has_a_heading(file: File) -> None:
    tables = [one for one in file.elements() if one["S"] == "Table"]
    assert len(tables) > 6
    for table in tables:
        rows = [one for one in file.elements(table["K"]) if one["S"] == "TR"]
        heads = [one for one in file.elements(rows[0]) if one["S"] == "TH"]
        assert heads
        assert all(_scope(file, head) == "Column" for head in heads)
        assert all(_marks(file, head) for head in heads)  # none is empty
        widths = {len([one for one in file.elements(row) if one["S"] in ("TH", "TD")]) for row in rows}
        assert widths == {len(heads)}


def test_scenarios_are_attached_as_sources(file: File) -> None:
    attached = [file.of(one) for one in file.of(file.root["AF"])]
    assert [one["UF"] for one in attached] == [b"scenario-A.tonnage", b"scenario-B.tonnage", b"scenario-C.tonnage"]
    for one in attached:
        assert one["AFRelationship"] == "Source"
        assert one["Desc"]
        body: Reference = file.of(one["EF"])["F"]
        head = file.of(body)
        assert head["Subtype"] in ("application/json", "application#2Fjson")
        assert len(file.stream(body)) == file.of(head["Params"])["Size"]


def test_a_proposal_without_logo_in_letter_holds_too() -> None:
    plain = made(replace(ProposalOptions(DATE), client="Αθήνα"))
    assert "<pdfuaid:part>1</pdfuaid:part>" in metadata(plain)
    assert all(one.get("Subtype") != "Image" for one in plain.every() if isinstance(one, Mapping))


def _text(value: bytes) -> str:
    return value[2:].decode("utf-16-be") if value[:2] == b"\xfe\xff" else value.decode("latin-1")


def _scope(file: File, head: Mapping[str, Any]) -> str:
    attributes = head["A"] if isinstance(head["A"], list) else [head["A"]]
    return next(str(one["Scope"]) for one in map(file.of, attributes) if "Scope" in one)


def _marks(file: File, element: Mapping[str, Any]) -> list[Any]:
    """The pieces of content below an element, by their numbers."""
    found, waiting = [], [element.get("K", [])]
    while waiting:
        value = file.of(waiting.pop())
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, Mapping):
            found += [value["MCID"]] if "MCID" in value else []
            waiting.append(value.get("K", []))
        elif isinstance(value, int):
            found.append(value)
    return found
