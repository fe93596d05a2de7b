"""How a record is described to the form: its figures in groups, where each stands in it, and what kind of field it has.

The form works on the plain values of a record, so that it can hold one that is not complete yet.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from core.catalogue.records import Confidence
from core.language.messages import gettext as _
from desktop.widgets.choices import Choice
from desktop.widgets.quantity import Quantity, Value

Data = dict[str, Any]  # the plain values of a record
NO = "no"


@dataclass(frozen=True)
class Options:
    """One of several. Keys are what stands in the record; an empty key stands for none."""

    choices: Callable[[], Sequence[Choice]]
    optional: bool = False
    searchable: bool = False
    read: Callable[[str], Value] = field(default=str)  # from the key of a choice to the value of the record
    key: Callable[[Value], str] = field(default=lambda value: "" if value is None else str(value))


@dataclass(frozen=True)
class Words(Quantity):
    """A text, read like a number: at the left of its field, without steps."""


Kind = Quantity | Options


@dataclass(frozen=True)
class Figure:
    """One figure: its words, its place in the record and among the sources, and the kind of its field."""

    key: str  # "memory_tiers.0.capacity_bytes"
    text: str
    kind: Kind
    get: Callable[[Data], Value]
    put: Callable[[Data, Value], None]
    place: str = ""  # of its source; empty: under its key among the record's sources


@dataclass(frozen=True)
class FigureGroup:
    title: str
    figures: tuple[Figure, ...]


def plain(record: BaseModel) -> Data:
    """The plain values of a record, as the form changes them."""
    return record.model_dump()


def figure(key: str, text: str, kind: Kind, place: str = "") -> Figure:
    """A figure that stands under its key."""
    return Figure(
        key, text, kind, lambda data: value_at(data, key), lambda data, value: put_at(data, key, value), place
    )


def worded(key: str, text: str, kind: Kind, none: Value = "") -> Figure:
    """A figure whose absence is an empty text or an empty list in the record."""
    return Figure(
        key, text, kind, lambda data: value_at(data, key) or None, lambda data, value: put_at(data, key, value or none)
    )


def member(key: str, text: str, kind: Kind) -> Figure:
    """A figure of a mapping that holds only what is known."""
    group, _dot, name = key.rpartition(".")

    def put(data: Data, value: Value) -> None:
        known = {**(value_at(data, group) or {}), name: value}
        put_at(data, group, {one: what for one, what in known.items() if what is not None})

    return Figure(key, text, kind, lambda data: value_at(data, key), put)


def value_at(data: Any, path: str) -> Value:
    """What stands at "memory_tiers.0.capacity_bytes"; None where there is nothing."""
    for part in path.split("."):
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, Sequence) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def put_at(data: Data, path: str, value: Value) -> None:
    """Set what stands at a path. Groups on the way are copied, so that the record they came from stays as it is."""
    first, _dot, rest = path.partition(".")
    data[first] = _with(data.get(first), rest, value) if rest else value


def _with(group: Any, path: str, value: Value) -> Any:
    first, _dot, rest = path.partition(".")
    if isinstance(group, Sequence) and not isinstance(group, str):
        members = list(group)
        at = int(first)
        members[at] = _with(members[at], rest, value) if rest else value
        return tuple(members)
    named = dict(group or {})
    named[first] = _with(named.get(first), rest, value) if rest else value
    return named


# -- sources ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """Where a figure was found, as its row shows it."""

    title: str = ""
    date: str = ""
    confidence: Confidence | None = None  # None: nothing is said about it
    note: str = ""
    address: str = ""

    @property
    def shown(self) -> tuple[str, str, Confidence | None]:
        return self.title, self.date, self.confidence


def told(data: Data, one: Figure) -> Told:
    """The source of a figure: its own, or that of its last or first name, or that of the whole record."""
    source = value_at(data, one.place) if one.place else _among(data.get("sources") or {}, one.key)
    if source is None:
        return Told()
    kept = {name: source.get(name) or "" for name in ("title", "date", "note", "address")}
    return Told(confidence=Confidence(source["confidence"]), **kept)


def tell(data: Data, one: Figure, source: Told) -> None:
    """Write the source of a figure."""
    written = {
        "title": source.title or _("your entry"),
        "date": source.date,
        "confidence": source.confidence or Confidence.UNVERIFIED,
        "note": source.note,
        "address": source.address,
    }
    if one.place:
        put_at(data, one.place, {**(value_at(data, one.place) or {}), **written})
    else:
        data["sources"] = {**(data.get("sources") or {}), one.key: {**written, "checks": ()}}


def _among(sources: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    names = (key, key.rsplit(".", maxsplit=1)[-1], key.split(".")[0], "")
    found: Mapping[str, Any] | None = next((sources[name] for name in names if name in sources), None)
    return found


# -- kinds of fields --------------------------------------------------------------------------------------------------


def words(example: str = "", optional: bool = True, most: int = 200) -> Words:
    """A text of one line."""
    return Words(
        read=lambda text, _comma: _text(text, most),
        write=str,
        example=example,
        optional=optional,
        hint=_("Write a text such as {example}. Keeping {kept}.") if example else _("Write a text. Keeping {kept}."),
        full=str,
    )


def listing(known: Callable[[], Mapping[str, str]], example: str, optional: bool = False) -> Words:
    """Names of the catalogue, separated by semicolons, since some have commas in them."""

    def read(text: str, _comma: bool) -> tuple[str, ...]:
        from core.errors import InvalidInput

        names = {name.casefold(): key for key, name in known().items()} | {key.casefold(): key for key in known()}
        between = "," if ";" not in text and text.strip().casefold() not in names else ";"
        written = [part.strip() for part in text.split(between) if part.strip()]
        unknown = [part for part in written if part.casefold() not in names]
        if unknown:
            raise InvalidInput(unknown[0])
        return tuple(dict.fromkeys(names[part.casefold()] for part in written))

    return Words(
        read=read,
        write=lambda keys: "; ".join(known().get(key, key) for key in keys),
        example=example,
        optional=optional,
        hint=_("Write names of the catalogue with semicolons between, such as {example}. Keeping {kept}."),
        full=lambda keys: "\n".join(known().get(key, key) for key in keys),
    )


def yes_or_no() -> Options:
    choices = [Choice("yes", _("Yes")), Choice(NO, _("No"))]
    return Options(lambda: choices, read=lambda key: key == "yes", key=lambda value: "yes" if value else NO)


def one_of(names: Mapping[str, str], optional: bool = False) -> Options:
    """A choice by name; with `optional` also none."""
    return one_among(lambda: [Choice(key, name) for key, name in names.items()], optional, searchable=False)


def one_among(offered: Callable[[], Sequence[Choice]], optional: bool = False, searchable: bool = True) -> Options:
    """A choice among many, which are asked for when the form is shown."""

    def choices() -> list[Choice]:
        return [*([Choice(NO, _("None"))] if optional else []), *offered()]

    return Options(choices, optional, searchable, lambda key: None if key == NO else key)


def _text(text: str, most: int) -> str:
    from core.errors import InvalidInput

    cleaned = " ".join(text.split())
    if not cleaned or len(cleaned) > most:
        raise InvalidInput(cleaned[:60])
    return cleaned
