"""The records that a scenario was sized with, against the catalogue as it stands now.

A scenario keeps its records as text. Where the catalogue has moved on since (an edit, a pack, a newer program), the
kept ones stand in its place for this scenario, so that its figures stay what they were, until its user decides.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Entry
from core.catalogue.tables import Table

if TYPE_CHECKING:  # a start at which nothing has moved on needs none of these
    from core.catalogue.pack_changes import RecordChange

Texts = Mapping[str, Mapping[str, str]]  # JSON by table and id


class KeptFigures:
    """Compares what scenarios keep with one state of the catalogue; texts and merged catalogues are made once."""

    def __init__(self, latest: Catalogue) -> None:
        self.latest = latest
        self._texts: dict[tuple[str, str], tuple[Entry, str]] = {}
        self._merged: dict[tuple[tuple[str, str, str], ...], Catalogue] = {}

    def texts(self, records: Mapping[str, Mapping[str, Entry]]) -> dict[str, dict[str, str]]:
        """Records as they are kept."""
        return {
            table: {id: self._text(table, entry) for id, entry in entries.items()} for table, entries in records.items()
        }

    def over(self, kept: Texts) -> Catalogue:
        """The catalogue with what is kept in place of what has moved on; the latest itself where nothing has."""
        older = self._older(kept)
        if not older:
            return self.latest
        if older not in self._merged:
            from core.catalogue.overlay import Overlay

            overlay = Overlay.from_records(_by_table(older))
            self._merged[older] = self.latest.with_kept(overlay)
        return self._merged[older]

    def moved_on(self, kept: Texts) -> "tuple[RecordChange, ...]":
        """What has become of the kept records: changed figures, from then to now; no figures where it is gone."""
        from core.catalogue.overlay import Overlay
        from core.catalogue.pack_changes import RecordChange, between

        overlay = Overlay.from_records(_by_table(self._older(kept)))
        found = []
        for table in kept:
            present: Mapping[str, Entry] = getattr(self.latest, table)
            for entry in getattr(overlay, table):
                now = present.get(entry.id)
                gone = RecordChange(table, entry.id, entry.name, ())
                found.append(gone if now is None else between(table, entry, now))
        return tuple(found)

    def _older(self, kept: Texts) -> tuple[tuple[str, str, str], ...]:
        """Table, id and text of what differs from the catalogue as it stands."""
        return tuple(
            (table, id, text)
            for table, entries in kept.items()
            for id, text in entries.items()
            if self._differs(table, id, text)
        )

    def _differs(self, table: str, id: str, text: str) -> bool:
        present: Mapping[str, Entry] = getattr(self.latest, table)
        now = present.get(id)
        return now is None or self._text(table, now) != text

    def _text(self, table: str, entry: Entry) -> str:
        known = self._texts.get((table, entry.id))
        if known is None or known[0] is not entry:
            known = (entry, entry.model_dump_json(exclude_defaults=True))
            self._texts[table, entry.id] = known
        return known[1]


def with_file(catalogue: Catalogue, records: Mapping[str, Mapping[str, Any]]) -> Catalogue:
    """The catalogue with the records that travel in a scenario's file, as far as they differ from its own.

    Raises CatalogueError when one cannot be read.
    """
    from core.catalogue.overlay import Overlay

    overlay = Overlay.from_records(records)
    other = {
        table.value: {
            entry.id: records[table.value][entry.id]
            for entry in overlay.table(table)
            if _is_other(entry, catalogue.table(table))
        }
        for table in Table
    }
    return catalogue.with_overlay(Overlay.from_records(other)) if any(other.values()) else catalogue


def _is_other(entry: Entry, known: Mapping[str, Entry]) -> bool:
    return known.get(entry.id) != entry


def _by_table(older: tuple[tuple[str, str, str], ...]) -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = {}
    for table, id, text in older:
        tables.setdefault(table, {})[id] = text
    return tables
