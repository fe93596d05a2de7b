"""Catalogue packs in the window: what is installed, what a file would change, and the catalogue that follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import CatalogueError

if TYPE_CHECKING:
    from core.catalogue.pack import Pack
    from core.catalogue.pack_changes import RecordChange

Load = Callable[[], Any]  # the catalogue as the program ships it, without packs


@dataclass(frozen=True, slots=True)
class Offer:
    """A pack that was read and is not installed yet."""

    file: str
    content: bytes
    pack: "Pack"
    checksum: str  # of the file, as its sender publishes it
    changes: "tuple[RecordChange, ...]"


class PackShelf:
    """The packs over the shipped catalogue. Every method may raise a TonnageError and then has changed nothing."""

    def __init__(self, folder: Path, load: Load, catalogue: Any) -> None:
        """`catalogue` is the shipped one with the packs that are installed, as it was read at the start."""
        self._folder, self._load = folder, load
        self.catalogue = catalogue

    def with_records(self, records: Mapping[str, Mapping[str, str]]) -> Any:
        """The catalogue with the user's own records over it."""
        from core.catalogue.own import with_own

        return with_own(self.catalogue, records) if any(records.values()) else self.catalogue

    def offer(self, path: Path) -> Offer:
        """Read a pack, and what it would change; nothing is installed."""
        from core.catalogue.pack import file_checksum, pack_bytes, parse_pack
        from core.catalogue.pack_changes import changes

        content = pack_bytes(path)
        pack = parse_pack(content, path.name)
        return Offer(path.name, content, pack, file_checksum(content), changes(pack, self.catalogue))

    def install(self, content: bytes, name: str) -> "Pack":
        """Install a pack: all of it, or nothing."""
        from core.store.packs import Packs

        packs, shipped = Packs(self._folder), self._load()
        pack = packs.install(content, shipped, name)
        self.catalogue = packs.over(shipped)
        return pack

    def revert(self) -> None:
        """Take back the last installation."""
        from core.store.packs import Packs

        packs = Packs(self._folder)
        packs.revert()
        self.catalogue = packs.over(self._load())

    def last(self) -> str:
        """The name of the pack that was installed last; empty where there is none, or it cannot be read."""
        from core.store.packs import Packs

        files = Packs(self._folder).files()
        if not files:
            return ""
        from core.catalogue.pack import read_pack

        try:
            return read_pack(files[-1]).name
        except CatalogueError:
            return files[-1].name
