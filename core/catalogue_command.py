"""`tonnage catalogue`: check the catalogue; make, look into, install and take back catalogue packs."""

import argparse
import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.errors import CatalogueError, InvalidInput
from core.store.packs import Packs, shipped_with_packs

MOST_LINES = 40  # of changes; the rest is counted
LONGEST = 48  # characters of a value
SHIPPED = RESOURCES / "catalogue"


def catalogue_options(parser: argparse.ArgumentParser) -> None:
    """The actions and their arguments."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "check", _check, "validate the shipped catalogue with the packs that are installed")
    _action(actions, "installed", _installed, "list the packs that are installed, the last at the end")
    _action(actions, "revert", _revert, "take back the last installation of a pack")
    one = _action(actions, "show", _show, "say what a pack is and what it would change; nothing is installed")
    one.add_argument("file", type=Path, help="a .tonnagepack file")
    one = _action(actions, "install", _install, "install a pack: all of it, or nothing")
    one.add_argument("file", type=Path, help="a .tonnagepack file")
    one.add_argument("--sha256", default="", help="the file's checksum as its sender published it")
    one = _action(actions, "pack", _pack, "make a pack of a newer catalogue, or of your own entries")
    one.add_argument("-o", "--output", type=Path, required=True, help="the .tonnagepack file to write")
    one.add_argument("--name", help="what the pack is called; a later one of the same name replaces it")
    one.add_argument("--catalogue", type=Path, help="folder of the newer catalogue, such as resources/catalogue")
    one.add_argument("--since", type=Path, default=SHIPPED, help="folder of the older one; the shipped if left out")


def _action(actions: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text[:1].upper() + text[1:] + ".")
    parser.set_defaults(act=run)
    return parser


def catalogue_command(options: argparse.Namespace) -> int:
    return int(options.act(options))


def _folder(options: argparse.Namespace) -> Packs:
    if options.packs is None:
        raise InvalidInput("No folder for catalogue packs is known here.")
    return Packs(options.packs)


def _in_force(options: argparse.Namespace) -> Catalogue:
    catalogue, problem = shipped_with_packs(load_shipped(SHIPPED), options.packs)
    if problem is not None:
        raise problem
    return catalogue


def _check(options: argparse.Namespace) -> int:
    from core.catalogue.check import check

    catalogue = _in_force(options)
    problems = check(catalogue)
    for problem in problems:
        print(problem)
    errors = sum(problem.is_error for problem in problems)
    facts = len(list(catalogue.facts))
    print(f"{len(catalogue.devices)} devices, {len(catalogue.links)} links, {len(catalogue.models)} models, ", end="")
    print(f"{facts} prices and figures of use: ", end="")
    print("no errors" if not errors else f"{errors} errors")
    return 1 if errors else 0


def _installed(options: argparse.Namespace) -> int:
    packs, shipped = _folder(options), load_shipped(SHIPPED)
    in_force = packs.in_force(shipped)
    print(f"shipped: catalogue of {shipped.version}")
    for one in packs.installed():
        state = "" if one.pack in in_force else " (replaced, or not newer than the shipped catalogue)"
        print(f"{one.number}: {one.pack.name}, {one.pack.kind.value} of {one.pack.version}{state}")
    return 0


def _show(options: argparse.Namespace) -> int:
    from core.catalogue.pack import file_checksum, pack_bytes, parse_pack
    from core.catalogue.pack_changes import changes

    content = pack_bytes(options.file)
    pack = parse_pack(content, options.file.name)
    catalogue = _in_force(options)
    print(f"{pack.name}: {pack.kind.value} of {pack.version}, over the catalogue of {catalogue.version}")
    print(f"sha256 {file_checksum(content)}")
    found = changes(pack, catalogue)
    for line in _lines(found):
        print(line)
    return 0


def _install(options: argparse.Namespace) -> int:
    from core.catalogue.pack import file_checksum, pack_bytes, parse_pack
    from core.catalogue.pack_changes import changes

    packs, content = _folder(options), pack_bytes(options.file)
    if options.sha256 and options.sha256.strip().lower() != file_checksum(content):
        raise CatalogueError("{file} has another checksum than stated. Nothing was changed.", file=options.file.name)
    before = _in_force(options)
    found = changes(parse_pack(content, options.file.name), before)
    pack = packs.install(content, load_shipped(SHIPPED), options.file.name)
    for line in _lines(found):
        print(line)
    print(f"installed {pack.name} of {pack.version}; `tonnage catalogue revert` takes it back")
    return 0


def _revert(options: argparse.Namespace) -> int:
    _folder(options).revert()
    print(f"taken back; the catalogue is that of {_in_force(options).version} again")
    return 0


def _pack(options: argparse.Namespace) -> int:
    from core.catalogue.pack import newer_catalogue, own_records, pack_text
    from core.store.scenario_file import write_whole

    if options.catalogue is not None:
        pack = newer_catalogue(
            load_shipped(options.catalogue), load_shipped(options.since), options.name or "Tonnage catalogue"
        )
        if pack.is_empty:
            raise CatalogueError(
                "{catalogue} holds nothing that is new. No pack was written.", catalogue=options.catalogue.name
            )
    else:
        today: date = datetime.now(UTC).astimezone().date()
        pack = own_records(_own(options), options.name or "Own entries", today)
    write_whole(options.output, pack_text(pack).encode())
    print(options.output)
    return 0


def _own(options: argparse.Namespace) -> Mapping[str, Mapping[str, str]]:
    """The user's own records, read from the store as it is."""
    from core.store.own_records import own_records_in

    return own_records_in(options.store)


def _lines(found: tuple[Any, ...]) -> list[str]:
    """The changes, one a line: new records by name, changed ones figure by figure."""
    lines = []
    for change in found:
        if change.is_new:
            lines.append(f"+ {change.table}/{change.id}: {change.name}")
        lines += [
            f"~ {change.table}/{change.id} {field.name}: {_short(field.before)} -> {_short(field.after)}"
            for field in change.fields
        ]
    new = sum(change.is_new for change in found)
    summary = f"{new} new, {len(found) - new} changed"
    hidden = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], *([f"… and {hidden} more lines"] if hidden > 0 else []), summary]


def _short(value: Any) -> str:
    if value is None or value == "":
        return "none"
    dumped = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    text = dumped if isinstance(dumped, str) else json.dumps(dumped, default=str, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
