"""`tonnage propose`: the options of the command, and the proposal or workbook that it writes."""

import argparse
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from core.catalogue.catalogue import Catalogue
from core.catalogue.kept import with_file
from core.proposal.logo import read_logo
from core.proposal.options import USUALLY_LEFT_OUT, Brand, Paper, ProposalOptions, Section
from core.store.scenario_file import read_scenario


def propose_options(command: argparse.ArgumentParser) -> None:
    """What can be said on the command line."""
    add = command.add_argument
    add("files", nargs="+", type=Path, help=".tonnage files, the recommended option first")
    add("-o", "--output", type=Path, required=True, help="the PDF to write; with .xlsx at its end, the workbook")
    add("--client", help="the client’s name, where it is not the scenario’s")
    add("--author", default="", help="who makes the proposal")
    add("--company", default="", help="the company of its author")
    add("--logo", type=Path, help="of the company, a PNG or SVG file")
    add("--colour", default="", help="the brand’s main colour, such as #0F3D63")
    add("--currency", type=_currency, help="of all amounts, such as EUR; else each scenario’s own")
    add("--paper", choices=[paper.value for paper in Paper], default=Paper.A4.value)
    add("--template", type=Path, help="a folder with a changed copy of the template")
    add("--without", action="append", default=[], choices=[section.value for section in Section], help="leave it out")
    add("--everything", action="store_true", help="with every figure of the sizing in the appendix")
    add("--date", type=day, help="the proposal’s date, YYYY-MM-DD; today if left out")


def day(text: str) -> date:
    """A date as it is typed."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date such as 2026-03-31") from None


def _currency(text: str) -> str:
    if len(text) != 3 or not text.isascii() or not text.isalpha():
        raise argparse.ArgumentTypeError(f"{text!r} is no currency such as EUR")
    return text.upper()


def propose(options: argparse.Namespace, shipped: Catalogue) -> int:
    """Write the file; what it lacks is said before, a sentence a line: prices, names, signs that cannot be printed."""
    from core.proposal.export import write_proposal
    from core.proposal.gap_sentences import gap_sentence
    from core.proposal.gaps import gaps
    from core.proposal.offer import offer
    from core.proposal.workbook import write_workbook

    today = options.date or datetime.now(UTC).astimezone().date()  # today, where the reader is
    offers = []
    for file in options.files:
        read = read_scenario(file)
        catalogue = with_file(shipped, read.records)
        alone = len(options.files) == 1
        offers.append(offer(read.scenario, catalogue, today.isoformat(), options.currency or "", alone))
    chosen = _chosen(options, today, offers[0].scenario.client, shipped.version)
    for gap in gaps(offers, chosen):
        print(f"tonnage: {gap_sentence(gap, offers)}", file=sys.stderr)
    write = write_workbook if options.output.suffix.lower() == ".xlsx" else write_proposal
    write(offers, chosen, options.output)
    print(options.output)
    return 0


def _chosen(options: argparse.Namespace, today: date, client: str, catalogue: str) -> ProposalOptions:
    left_out = frozenset(Section(name) for name in options.without)
    return ProposalOptions(
        client=options.client or client,
        author=options.author,
        date=today,
        language=options.language,
        currency=options.currency or "",
        paper=Paper(options.paper),
        left_out=left_out if options.everything else left_out | USUALLY_LEFT_OUT,
        brand=Brand(options.company, primary=options.colour, logo=read_logo(options.logo) if options.logo else b""),
        catalogue_version=catalogue,
        template=options.template,
    )
