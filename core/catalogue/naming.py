"""Finding records by what people call them: exact names in any case, and type-ahead search."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from core.catalogue.records import Entry
from core.catalogue.tables import Table

_SEPARATORS = re.compile(r"[\s\-_/.:,()+]+")


def words_of(text: str) -> str:
    """A name in small letters with single spaces for separators.

    >>> words_of("RTX PRO 6000 (Max-Q)")
    'rtx pro 6000 max q'
    """
    return _SEPARATORS.sub(" ", text.casefold()).strip()


class Names:
    """All names of all records: id, name and aliases."""

    def __init__(self, tables: Mapping[Table, Iterable[Entry]]) -> None:
        self._ids: dict[Table, dict[str, str]] = {}
        self._shown: list[tuple[Table, str, tuple[str, ...], tuple[str, ...]]] = []
        for table, entries in tables.items():
            self._ids[table] = self._index(table, list(entries))

    def _index(self, table: Table, entries: list[Entry]) -> dict[str, str]:
        ids = {entry.id.casefold(): entry.id for entry in entries}
        for entry in entries:
            for name in (entry.name, *entry.aliases):
                ids.setdefault(name.casefold().strip(), entry.id)
        for entry in entries:
            ids.setdefault(words_of(entry.name), entry.id)
            names = tuple(dict.fromkeys((entry.name, entry.id, *entry.aliases)))
            self._shown.append((table, entry.id, names, tuple(map(words_of, names))))
        return ids

    def resolve(self, table: Table, name: str) -> str | None:
        """The id of the record that has this id, name or alias, in any case; or this name with other separators."""
        return self._ids[table].get(name.casefold().strip()) or self._ids[table].get(words_of(name))

    def near(self, table: Table, name: str) -> list[str]:
        """Ids of up to three records whose names look like this one."""
        ids = self._ids[table]
        close = get_close_matches(name.casefold().strip()[:80], list(ids), n=3, cutoff=0.6)
        return list(dict.fromkeys(ids[match] for match in close))

    def search(self, text: str, tables: tuple[Table, ...]) -> list[tuple[Table, str, str]]:
        """Table, id and matching name of all records that match, best first."""
        query = words_of(text[:200])
        wanted = set(tables)
        hits = []
        for table, id, names, plain in self._shown:
            if table in wanted and (best := _best(query, names, plain)) is not None:
                hits.append((best[0], len(names[0]), names[0].casefold(), table, id, best[1]))
        hits.sort(key=lambda hit: hit[:3])
        return [(table, id, matched) for _, _, _, table, id, matched in hits]


def _best(query: str, names: tuple[str, ...], plain: tuple[str, ...]) -> tuple[int, str] | None:
    """The best rank among the names of a record, and that name."""
    best: tuple[int, str] | None = None
    for name, words in zip(names, plain, strict=True):
        rank = _rank(query, words)
        if rank is not None and (best is None or rank < best[0]):
            best = (rank, name)
    if best is None and query:
        everything = " ".join(plain)
        if all(word in everything for word in query.split()):
            return 5, names[0]
    return best


def _rank(query: str, words: str) -> int | None:
    """0 the same, 1 starts so, 2 a word starts so, 3 all words begin some word, 4 contained without separators."""
    if query == words or not query:
        return 0
    if words.startswith(query):
        return 1
    if f" {query}" in words:
        return 2
    parts = words.split()
    if all(any(part.startswith(word) for part in parts) for word in query.split()):
        return 3
    if query.replace(" ", "") in words.replace(" ", ""):
        return 4
    return None
