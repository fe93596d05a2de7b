"""The words of five proposals in each language, extracted from the PDF, against those that were read and found good.

Their numbers are made by hand, so they move only with words and layout: then read them again, and write them anew with
`python -m tests.core.test_proposal_golden`.
"""

import datetime
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core import __version__
from core.language.messages import LANGUAGES
from core.proposal.composition import proposal
from core.proposal.offer import Offer
from core.proposal.options import USUALLY_LEFT_OUT, Brand, ProposalOptions, Section
from core.proposal.typst_document import pdf
from core.scenario import CostLine, LineKind
from tests.core.offers import ECONOMICS, LINES, priced
from tests.desktop import fixed_sizing as fixed

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "proposal"
DATE = datetime.date(2026, 11, 30)
BRAND = Brand("Nordlicht Beratung", "mara@nordlicht.example", "Nordlicht Beratung GmbH, Hamburg, HRB 000000.")
NO_PRICE = ECONOMICS.model_copy(update={"lines": (CostLine(kind=LineKind.CARDS), *LINES[1:])})

#: The appendix is long and made of the names of figures; one proposal shows it.
WITH_APPENDIX, APPENDIX = "fits", {Section.FORMULAS, Section.SOURCES, Section.GLOSSARY}

CASES: dict[str, Callable[[], Sequence[Offer]]] = {
    "fits": lambda: [priced()],
    "options": lambda: [priced(), priced(fixed.eight_devices()), priced(fixed.close())],
    "too-much": lambda: [priced(fixed.too_much())],
    "no-price": lambda: [priced(fixed.second_tier(), NO_PRICE)],
    "speed-unknown": lambda: [priced(fixed.speed_unknown())],
}


def extracted(case: str, language: str) -> str:
    """What a reader copies out of the file; the version and the document's name that follows from it left open."""
    left_out = USUALLY_LEFT_OUT if case == WITH_APPENDIX else USUALLY_LEFT_OUT | APPENDIX
    options = ProposalOptions(
        DATE, language, "Hafen Logistik AG", "Jonas Peters", author="Mara Jensen", brand=BRAND, left_out=left_out
    )
    content = pdf(proposal(CASES[case](), options), DATE)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proposal.pdf"
        file.write_bytes(content)
        answer = subprocess.run(["pdftotext", "-raw", file, "-"], capture_output=True, timeout=60, check=True)
    text = answer.stdout.decode("utf-8").replace(__version__, "VERSION")
    return re.sub(r"T-[0-9A-F]{8}", "T-DOCUMENT", text)


def words(text: str) -> list[str]:
    """Its words; where lines and pages break is the typesetter's business."""
    return text.split()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_words_are_those_that_were_read(case: str, language: str) -> None:
    kept = (FOLDER / f"{case}.{language}.txt").read_text(encoding="utf-8")
    assert words(extracted(case, language)) == words(kept)


def sentences(lines: Sequence[CostLine] = LINES, **changes: Any) -> dict[str, str]:
    """The sentences of a proposal that carry a message."""
    card = replace(fixed.Card(), **changes)
    economics = ECONOMICS.model_copy(update={"lines": tuple(lines)})
    values = proposal([priced(fixed.fixed_sizing(card), economics)], ProposalOptions(DATE))
    assert values.cost is not None
    assert values.speed.token is not None
    return {
        "cover": values.cover.title,
        "summary": values.cover.summary,
        "recommendation": values.recommendation.page.title,
        "memory": values.memory.page.title,
        "memory exhibit": values.memory.exhibit.message,
        "speed": values.speed.page.title,
        "token": values.speed.token.message,
        "reading": values.speed.reading,
        "cost": values.cost.page.title,
        "cost steps": values.cost.steps_heading,
    }


DEARER = (LINES[0].model_copy(update={"price": Decimal(99_000)}), *LINES[1:])


@pytest.mark.parametrize(
    ("change", "follow"),
    [
        ({"users": 10}, {"cover", "summary", "memory", "memory exhibit", "cost", "cost steps"}),
        ({"context": 131_072}, {"summary", "memory", "memory exhibit"}),
        ({"weights": 60e9}, {"recommendation", "memory", "memory exhibit", "speed"}),
        ({"speed_target": 200.0}, {"speed"}),
        ({"ttft": 4.0}, {"reading"}),
        ({"capacity": 140e9}, {"memory", "memory exhibit"}),
        ({"lines": DEARER}, {"summary", "cost", "cost steps"}),
    ],
)
def test_a_change_of_one_input_changes_the_sentences_that_depend_on_it(
    change: dict[str, Any], follow: set[str]
) -> None:
    before, after = sentences(), sentences(**change)
    changed = {name for name in before if before[name] != after[name]}
    assert follow <= changed
    assert changed <= follow | {"summary", "recommendation", "cost", "cost steps"}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        for language in LANGUAGES:
            (FOLDER / f"{case}.{language}.txt").write_text(extracted(case, language), encoding="utf-8")


if __name__ == "__main__":
    main()
