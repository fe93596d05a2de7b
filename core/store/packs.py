"""Installed packs: files in one folder of the user's, laid over the shipped catalogue in the order of installation.

A pack is installed by one file that appears whole, and taken back by its leaving, so there is never half a pack. One
of the same name replaces the earlier one, which comes back when the newer is taken back.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.catalogue.catalogue import Catalogue
from core.errors import CatalogueError, StoreError, TonnageError, reason_of
from core.store.scenario_file import write_whole

if TYPE_CHECKING:  # reading a pack takes classes that a start without packs need not make
    from core.catalogue.pack import Pack

_FILE = re.compile(r"(\d{4})-([0-9a-f]{16})\.tonnagepack")


@dataclass(frozen=True, slots=True)
class Installed:
    """A pack in the folder; the number tells the order of installation."""

    number: int
    path: Path
    pack: "Pack"


class Packs:
    """The packs in a folder. A folder that is not there holds none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self) -> list[Path]:
        """The files of installed packs, in the order of installation."""
        try:
            return sorted(path for path in self.folder.iterdir() if _FILE.fullmatch(path.name))
        except OSError:
            return []

    def installed(self) -> list[Installed]:
        """All packs that were installed, replaced ones included.

        Raises
        ------
        CatalogueError, StoreTooNew : one of them can no longer be read
        """
        from core.catalogue.pack import read_pack

        return [Installed(int(path.name[:4]), path, read_pack(path)) for path in self.files()]

    def in_force(self, shipped: Catalogue) -> "list[Pack]":
        """The packs that count: of one name the last, and a newer catalogue only while it is newer."""
        return _in_force((one.pack for one in self.installed()), shipped)

    def over(self, shipped: Catalogue) -> Catalogue:
        """The shipped catalogue with the packs in force over it.

        Raises
        ------
        CatalogueError, StoreTooNew : an installed pack can no longer be read
        """
        return laid_over(shipped, self.in_force(shipped)) if self.files() else shipped

    def install(self, content: bytes, shipped: Catalogue, name: str = "The file") -> "Pack":
        """Install a pack; all of it, or nothing.

        Raises
        ------
        CatalogueError, StoreTooNew : it cannot be read, does not fit this catalogue, or brings nothing
        StoreError : the folder or disk does not allow it
        """
        from core.catalogue.pack import file_checksum, parse_pack

        pack = parse_pack(content, name)
        before = self.in_force(shipped)
        after = _in_force([*(one.pack for one in self.installed()), pack], shipped)
        if not any(one is pack for one in after):
            raise CatalogueError(
                "{name} holds the catalogue of {version}; yours is of {version2}. Nothing was changed.",
                name=name,
                version=pack.version,
                version2=shipped.version,
            )
        if pack in before:
            raise CatalogueError("{name} is installed already. Nothing was changed.", name=name)
        check_fits(laid_over(shipped, after), laid_over(shipped, before), name)
        number = max((int(path.name[:4]) for path in self.files()), default=0) + 1
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                "{folder} cannot be made: {strerror}.", folder=self.folder.name, strerror=reason_of(error)
            ) from error
        write_whole(self.folder / f"{number:04d}-{file_checksum(content)[:16]}.tonnagepack", content)
        return pack

    def revert(self) -> str:
        """Take back the last installation, whatever state its file is in, and return the name of the file.

        Raises
        ------
        CatalogueError : nothing is installed
        StoreError : the file cannot be removed
        """
        files = self.files()
        if not files:
            raise CatalogueError("No catalogue pack is installed.")
        try:
            files[-1].unlink()
        except OSError as error:
            raise StoreError(
                "{value} cannot be removed: {strerror}.", value=files[-1].name, strerror=reason_of(error)
            ) from error
        return files[-1].name


def _in_force(packs: "Iterable[Pack]", shipped: Catalogue) -> "list[Pack]":
    from core.catalogue.pack import PackKind

    last: dict[str, Pack] = {}
    for pack in packs:
        last.pop(pack.name, None)  # so that its place is that of the newer one
        last[pack.name] = pack
    return [pack for pack in last.values() if pack.kind is PackKind.RECORDS or pack.version > shipped.version]


def laid_over(shipped: Catalogue, packs: "Iterable[Pack]") -> Catalogue:
    """The catalogue that a program with these packs ships."""
    from core.catalogue.fact_kinds import TABLE_OF
    from core.catalogue.own import with_listed_prices
    from core.catalogue.pack import PackKind
    from core.catalogue.tables import Table

    catalogue = shipped
    for pack in packs:
        tables = {
            table.value: {**catalogue.table(table), **{entry.id: entry for entry in pack.records.table(table)}}
            for table in Table
        }
        facts = catalogue.facts.with_facts((TABLE_OF[fact.section], fact) for fact in pack.facts)
        version = pack.version if pack.kind is PackKind.CATALOGUE else f"{catalogue.version} + {pack.name}"
        plans = catalogue.blueprints_of(tables["models"])
        more = {"facts": facts, "recipes": catalogue.recipes, "left_out": catalogue.left_out, "_blueprints": plans}
        before, catalogue = catalogue, Catalogue(version, **tables, **more)  # type: ignore[arg-type]
        catalogue = with_listed_prices(catalogue, before, pack.facts)
    return catalogue


def check_fits(after: Catalogue, before: Catalogue, name: str) -> None:
    """Refuse a pack with which the catalogue would contradict itself where it did not before.

    Raises
    ------
    CatalogueError : with the first contradiction
    """
    from core.catalogue.check import check

    found = [str(problem) for problem in check(after) if problem.is_error]
    if found:
        known = {str(problem) for problem in check(before)}
        found = [problem for problem in found if problem not in known]
    if found:
        more = f" ({len(found)} in all)" if len(found) > 1 else ""
        raise CatalogueError(
            "{name} does not fit this catalogue: {removeprefix}{more}.",
            name=name,
            removeprefix=found[0].removeprefix("error: "),
            more=more,
        )


def shipped_with_packs(shipped: Catalogue, folder: Path | None) -> tuple[Catalogue, TonnageError | None]:
    """The catalogue to start with, and why the installed packs are left out, where one of them cannot be read."""
    if folder is None:
        return shipped, None
    try:
        return Packs(folder).over(shipped), None
    except TonnageError as error:
        return shipped, error
