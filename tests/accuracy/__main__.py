"""Predictions beside measurements: python -m tests.accuracy --memory FILE --field FILE --throughput FILE --json OUT."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import TonnageError
from tests.accuracy import memory, tables, throughput
from tests.accuracy.records import read_records
from tests.accuracy.results import Outcome


def main(arguments: Sequence[str]) -> int:
    """Compare the given files, or the shared ones when none is given."""
    options = _parser().parse_args(arguments)
    outcome = Outcome()
    try:
        if options.memory:
            outcome.add(_memory(options.memory))
        if options.throughput:
            outcome.add(_throughput(options.throughput))
    except TonnageError as error:
        print(f"accuracy: {error.message}", file=sys.stderr)
        return 1
    if options.json:
        outcome.write(options.json)
    return 0


def _memory(path: Path) -> Outcome:
    found = memory.compare(read_records(path))
    print(tables.kinds_table(found, f"memory: {path.name}", within=(0.01, 0.02, 0.08)))
    print(tables.groups_table(found.results, "memory by engine and family"))
    print(tables.skips_table(found.skipped))
    print(tables.worst_table(found.results))
    return found


def _throughput(path: Path) -> Outcome:
    found = throughput.compare(read_records(path))
    print(tables.kinds_table(found, f"speed: {path.name}"))
    print(tables.groups_table(found.results, "speed by cell"))
    print(tables.skips_table(found.skipped))
    print(tables.worst_table(found.results))
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("--memory", type=Path, help="records of what engines print about memory")
    parser.add_argument("--field", type=Path, help="questions from the field with known answers")
    parser.add_argument("--throughput", type=Path, help="records of measured speed")
    parser.add_argument("--json", type=Path, help="write every prediction and skip to this file")
    return parser


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
