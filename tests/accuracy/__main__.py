"""Predictions beside measurements: python -m tests.accuracy --memory FILE --field FILE --throughput FILE --json OUT.

Without a file, the records of tests/accuracy/data are compared.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import TonnageError
from tests.accuracy import field, memory, tables, throughput
from tests.accuracy.records import DATA, Record, read_records
from tests.accuracy.results import Outcome

SHARED = ("memory.json", "field_cases.json", "throughput.json")


def main(arguments: Sequence[str]) -> int:
    """Compare the given files, or the shared ones when none is given; 1, with the reason, where one cannot be read."""
    options = _parser().parse_args(arguments)
    if not (options.memory or options.field or options.throughput):
        options.memory, options.field, options.throughput = (DATA / name for name in SHARED)
    outcome = Outcome()
    try:
        if options.memory:
            outcome.add(_memory(options.memory))
        if options.field:
            outcome.add(_field(options.field, _logs(options.memory)))
        if options.throughput:
            outcome.add(_throughput(options.throughput))
        if options.json:
            outcome.write(options.json)
    except TonnageError as error:
        print(f"accuracy: {error.message}", file=sys.stderr)
        return 1
    return 0


def _memory(path: Path) -> Outcome:
    found = memory.compare(read_records(path))
    print(tables.kinds_table(found, f"memory: {path.name}", within=(0.01, 0.02, 0.08)))
    print(tables.groups_table(found.results, "memory by engine and family"))
    print(tables.families_table(found))
    print(tables.skips_table(found.skipped))
    print(tables.worst_table(found.results))
    return found


def _logs(path: Path | None) -> list[Record]:
    """The given records of start-up logs, and the shared ones."""
    shared = DATA / "memory.json"
    files = [shared] if path is None or path.resolve() == shared.resolve() else [path, shared]
    return [record for file in files for record in read_records(file)]


def _field(path: Path, logs: Sequence[Record]) -> Outcome:
    found = field.compare(read_records(path), logs)
    print(tables.answers_table(found, f"questions from the field: {path.name}", field.within))
    print(tables.skips_table(found.skipped))
    return found


def _throughput(path: Path) -> Outcome:
    found = throughput.compare(read_records(path))
    print(tables.kinds_table(found, f"speed: {path.name}"))
    print(tables.groups_table(found.results, "speed by cell"))
    print(tables.skips_table(found.skipped))
    print(tables.worst_table(found.results))
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description="Predictions beside measurements.")
    parser.add_argument("--memory", type=Path, help="records of what engines print about memory")
    parser.add_argument("--field", type=Path, help="questions from the field with known answers")
    parser.add_argument("--throughput", type=Path, help="records of measured speed")
    parser.add_argument("--json", type=Path, help="write every prediction and skip to this file")
    return parser


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
