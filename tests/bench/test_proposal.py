"""The proposal of the worked example, about twenty pages: 2 s in a new process, 0.3 s in one that has made one."""

import datetime
import subprocess
import sys
from pathlib import Path

import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.proposal.composition import proposal
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions
from core.proposal.typst_document import pdf
from core.sizing.examples import worked_example_in_reality
from core.sizing.size import size
from tests.bench.conftest import Measure

pytestmark = pytest.mark.bench

COLD_S = 2.0
WARM_S = 0.3
ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ProposalOptions(datetime.date(2026, 11, 30))

COLD = """
import datetime, sys
sys.path.insert(0, ".")
from core.proposal.composition import proposal
from core.proposal.options import ProposalOptions
from core.proposal.typst_document import pdf
from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.sizing.examples import worked_example_in_reality
from core.sizing.size import size
sizing = size(worked_example_in_reality(), load_shipped(RESOURCES / "catalogue"))
options = ProposalOptions(datetime.date(2026, 11, 30), language="de")
pdf(proposal([Offer(sizing)], options), options.date)
"""


def test_warm(measure: Measure) -> None:
    sizing = size(worked_example_in_reality(), load_shipped(RESOURCES / "catalogue"))
    number = iter(range(1000))

    def work() -> None:
        # another name each time, so that nothing is remembered from the page before
        options = ProposalOptions(OPTIONS.date, client=f"Client {next(number)}")
        pdf(proposal([Offer(sizing)], options), options.date)

    measure("proposal, warm", WARM_S, work, repeats=10)


def test_cold(measure: Measure) -> None:
    def work() -> None:
        subprocess.run([sys.executable, "-c", COLD], cwd=ROOT, check=True)

    measure("proposal, cold process included", COLD_S, work, repeats=3)
