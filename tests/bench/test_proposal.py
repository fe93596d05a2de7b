"""The usual proposal (its pages for readers, about eight): 2 s in a new process, 0.3 s in one that has made one.

The preview of the window draws the same pages as pictures.
"""

import datetime
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.proposal.composition import proposal
from core.proposal.offer import Offer, offer
from core.proposal.options import USUALLY_LEFT_OUT, ProposalOptions, Section
from core.proposal.typst_document import pdf, pictures
from tests.bench.conftest import Measure
from tests.usual_scenario import scenario

pytestmark = pytest.mark.bench

COLD_S = 2.0
WARM_S = 0.3
EDIT_S = 0.4  # with the pause after the last key, half a second
GATHER_S = 0.1
ROOT = Path(__file__).resolve().parents[2]
BODY = frozenset({Section.FORMULAS, Section.EVERYTHING, Section.SOURCES})
DATE = datetime.date(2026, 11, 30)

COLD = """
import datetime, sys
sys.path.insert(0, ".")
from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.proposal.composition import proposal
from core.proposal.offer import Offer, offer
from core.proposal.options import USUALLY_LEFT_OUT, ProposalOptions, Section
from core.proposal.typst_document import pdf, pictures
from tests.usual_scenario import scenario
offered = offer(scenario(), load_shipped(RESOURCES / "catalogue"), "2026-11-30", alone=True)
options = ProposalOptions(datetime.date(2026, 11, 30), language="de")
pdf(proposal([offered], options), options.date)
"""


@pytest.fixture(scope="module")
def offered() -> Offer:
    return offer(scenario(), load_shipped(RESOURCES / "catalogue"), DATE.isoformat(), alone=True)


def renamed(left_out: frozenset[Section]) -> Iterator[ProposalOptions]:
    """Options with another name each time, so that nothing is remembered from the pages before."""
    for number in itertools.count():
        yield ProposalOptions(DATE, client=f"Client {number}", left_out=left_out)


@pytest.mark.parametrize(
    ("what", "left_out", "budget"),
    [("proposal, eight pages, warm", BODY, WARM_S), ("proposal with appendix, warm", USUALLY_LEFT_OUT, 2 * WARM_S)],
)
def test_warm(measure: Measure, offered: Offer, what: str, left_out: frozenset[Section], budget: float) -> None:
    options = renamed(left_out)

    def work() -> None:
        chosen = next(options)
        pdf(proposal([offered], chosen), chosen.date)

    measure(what, budget, work, repeats=10)


def test_preview_follows_an_edit(measure: Measure, offered: Offer) -> None:
    options = renamed(USUALLY_LEFT_OUT)

    def work() -> None:
        chosen = next(options)
        pictures(proposal([offered], chosen), chosen.date, 88)

    measure("proposal, all pages as pictures", EDIT_S, work, repeats=10)


def test_gathering(measure: Measure) -> None:
    catalogue = load_shipped(RESOURCES / "catalogue")
    measure(
        "proposal, one option gathered", GATHER_S, lambda: offer(scenario(), catalogue, DATE.isoformat()), repeats=20
    )


def test_cold(measure: Measure) -> None:
    def work() -> None:
        subprocess.run([sys.executable, "-c", COLD], cwd=ROOT, check=True)

    measure("proposal, cold process included", COLD_S, work, repeats=3)
