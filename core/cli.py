"""Tonnage without a window: `tonnage size`, `find`, `propose`, `catalogue`, `example`."""

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from core import RESOURCES, __version__
from core.catalogue.catalogue import Catalogue
from core.catalogue.kept import with_file
from core.catalogue.loading import load_shipped
from core.catalogue_command import catalogue_command, catalogue_options
from core.errors import TonnageError
from core.find_command import find, find_options
from core.language.levers import lever_title
from core.language.messages import LANGUAGES, set_language
from core.propose_command import day, propose, propose_options
from core.scenario import Scenario
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Cost
from core.sizing.examples import worked_example
from core.sizing.levers import Lever
from core.sizing.report import Sizing
from core.sizing.size import size
from core.store.packs import shipped_with_packs
from core.store.scenario_file import read_scenario, write_scenario
from core.trace import Computed, Trace, formula_of

COMMANDS = ("size", "find", "propose", "catalogue", "example")


def main(arguments: Sequence[str], data: Path | None = None) -> int:
    """Run one command; 0 when it did what was asked, 1 when it could not (with the reason), 2 for a wrong call.

    `data` is the folder of the user's store and catalogue packs; without one there are none.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a console or pipe of few characters gets "?" for the others
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    options.store = data / "tonnage.sqlite" if data is not None else None
    options.packs = data / "packs" if data is not None else None
    set_language(options.language)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except TonnageError as problem:
        from core.language.sentences import error

        print(f"tonnage: {error(problem)}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stdout = None
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tonnage",
        description="Size hardware for large language models, offline.",
        epilog="Without a command, or with a model file or .tonnage file, the window opens; "
        "--selftest starts it unseen, sizes and exports, and says what failed.",
    )
    parser.add_argument("--version", action="version", version=f"Tonnage {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = _command(commands, "size", _size, "size a scenario and print what fits, how fast, and why")
    one.add_argument("file", nargs="?", type=Path, help="a .tonnage file; without one, the worked example")
    one.add_argument("--json", action="store_true", help="every figure with its formula, inputs and sources")
    one.add_argument("--date", type=day, help="the day from which the age of prices counts; today if left out")

    one = _command(commands, "find", _find, "find hardware for a scenario's need, or models for its hardware")
    find_options(one)

    one = _command(commands, "propose", _propose, "write the proposal as PDF")
    propose_options(one)

    one = _command(commands, "catalogue", catalogue_command, "check the catalogue; make and install catalogue packs")
    catalogue_options(one)

    one = _command(commands, "example", _example, "write the worked example as a scenario file")
    one.add_argument("-o", "--output", type=Path, required=True, help="the .tonnage file to write")
    return parser


def _command(commands: Any, name: str, run: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[:1].upper() + text[1:] + "."
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of what is written")
    parser.set_defaults(run=run)
    return parser


def _catalogue(options: argparse.Namespace) -> Catalogue:
    """The shipped catalogue with the packs that are installed; without them where one cannot be read, which is said."""
    catalogue, problem = shipped_with_packs(load_shipped(RESOURCES / "catalogue"), options.packs)
    if problem is not None:
        print(f"tonnage: {problem.message} The shipped catalogue is used alone.", file=sys.stderr)
    return catalogue


def _load(file: Path, catalogue: Catalogue) -> tuple[Scenario, Catalogue]:
    """A scenario and the catalogue with the records that travel in its file."""
    read = read_scenario(file)
    return read.scenario, with_file(catalogue, read.records)


def _size(options: argparse.Namespace) -> int:
    catalogue = _catalogue(options)
    scenario, catalogue = _load(options.file, catalogue) if options.file else (worked_example(), catalogue)
    today = options.date or datetime.now(UTC).date()
    if options.json:
        print(json.dumps(_everything(scenario, catalogue, today), indent=1, ensure_ascii=False))
        return 0
    from core.language.cost_summary import cost_summary
    from core.language.summary import summary
    from core.sizing.devices import smallest_that_fits

    sizing = size(scenario, catalogue)
    money = cost(sizing, catalogue, today.isoformat())
    print(summary(sizing, smallest_that_fits(scenario, catalogue)), end="")
    if money.price_known:
        print("\n" + cost_summary(money), end="")
    return 0


def _everything(scenario: Scenario, catalogue: Catalogue, today: date) -> dict[str, Any]:
    """Every figure that a window or a proposal shows of a scenario, those that are only shown included."""
    from core.proposal.composition import proposal
    from core.proposal.offer import offer
    from core.proposal.options import ProposalOptions
    from core.proposal.recommendation import hardware

    gathered = offer(scenario, catalogue, today.isoformat(), alone=True)
    proposal([gathered], ProposalOptions(today))
    content = figures(gathered.sizing, catalogue.version)
    if gathered.cost is not None and gathered.cost.price_known:
        content["cost"] = cost_figures(gathered.cost)
    content["load"] = [
        {"requests_at_once": point.requests, "figures": _figures(point.sizing.trace, point.sizing.trace)}
        for point in gathered.load
    ]
    content["levers"] = [
        {"change": lever_title(lever), "figures": _figures(lever.after.trace, _gained(lever))}
        for lever in gathered.levers
    ]
    content["alternatives"] = [
        {"hardware": hardware(other.sizing), "figures": _figures(other.trace, list(other.trace))}
        for other in gathered.others
    ]
    return content


def _gained(lever: Lever) -> list[str]:
    """The keys of what a lever changes, before and after."""
    measures = tuple(gain.measure.value for gain in lever.gains)
    return [key for key in lever.after.trace if key.endswith(measures) or key.partition(".")[2] in measures]


def _find(options: argparse.Namespace) -> int:
    scenario, catalogue = _load(options.file, _catalogue(options))
    print(find(options, scenario, catalogue), end="")
    return 0


def _propose(options: argparse.Namespace) -> int:
    return propose(options, _catalogue(options))


def _example(options: argparse.Namespace) -> int:
    write_scenario(options.output, worked_example())
    print(options.output)
    return 0


def figures(sizing: Sizing, catalogue_version: str) -> dict[str, Any]:
    """A sizing as plain JSON values: the verdict, and every figure with how it came about."""
    return {
        "tonnage": __version__,
        "catalogue": catalogue_version,
        "scenario": sizing.scenario.model_dump(mode="json"),
        "verdict": sizing.verdict,
        "decode_limit": sizing.decode_limit,
        "prefill_limit": sizing.prefill_limit,
        "findings": [finding.kind for finding in sizing.findings],
        "figures": _figures(sizing.trace, sizing.trace),
    }


def cost_figures(money: Cost) -> dict[str, Any]:
    """A cost as plain JSON values: its currency, what is left out, and every figure beyond those of the sizing."""
    return {
        "currency": money.currency,
        "not_counted": list(money.not_counted),
        "figures": _figures(money.trace, (key for key in money.trace if key not in money.sizing.trace)),
    }


def _figures(trace: Trace, keys: Iterable[str]) -> dict[str, Any]:
    return {key: _figure(trace, key) for key in keys}


def _plain(value: Any) -> Any:
    """A value of JSON; an amount of money, which is exact inside, as a number, and what has no end as a word."""
    if isinstance(value, Decimal | float) and not math.isfinite(value):
        return "infinite"
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


def _figure(trace: Trace, key: str) -> dict[str, Any]:
    """A figure with its formula and inputs, or with its source."""
    entry = trace.entry(key)
    shown: dict[str, Any] = {"value": _plain(entry.value), "unit": entry.unit}
    if isinstance(entry, Computed):
        formula = formula_of(entry.function)
        return {**shown, "formula": f"{formula.name} = {formula.expression}", "inputs": dict(entry.inputs)}
    origin = entry.origin
    stated = {"from": origin.kind, "source": origin.title, "address": origin.address, "date": origin.date}
    return {**shown, **{name: text for name, text in stated.items() if text}}
