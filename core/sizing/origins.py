"""Where the given figures of a sizing come from."""

from core.catalogue.records import Entry, Model
from core.catalogue.tables import table_of
from core.trace import Origin, OriginKind

ARTICLE = Origin(OriginKind.ARTICLE)
METHOD = Origin(OriginKind.METHOD)


#: Origins made before: a sizing asks for the same dozen every time. The record is kept, to know it by identity.
_MADE: dict[tuple[OriginKind, int, str], tuple[Entry, Origin]] = {}
_MOST_MADE = 4096


def catalogue_origin(entry: Entry, field: str) -> Origin:
    """The origin of one figure of a catalogue record, with the source that the record names for it."""
    return _origin(OriginKind.CATALOGUE, entry, field)


def model_origin(model: Model | None) -> Origin:
    """The origin of what was counted from a model's config; a typed-in model is the user's choice."""
    return Origin(OriginKind.CHOICE) if model is None else _origin(OriginKind.MODEL_FILE, model, "config")


def _origin(kind: OriginKind, entry: Entry, field: str) -> Origin:
    key = (kind, id(entry), field)
    known = _MADE.get(key)
    if known is not None and known[0] is entry:
        return known[1]
    if len(_MADE) >= _MOST_MADE:  # records of edited catalogues come and go
        _MADE.clear()
    made = _make(kind, entry, field)
    _MADE[key] = (entry, made)
    return made


def _make(kind: OriginKind, entry: Entry, field: str) -> Origin:
    record = f"{table_of(entry).value}/{entry.id}"
    source = entry.source_of(field)
    if source is None:
        return Origin(kind, entry.name, record=record)
    return Origin(kind, source.title, source.address, source.date, source.confidence.value, record)
