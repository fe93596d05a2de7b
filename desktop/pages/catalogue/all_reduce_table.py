"""Measured sums over accelerators: for each number of ranks a row with the sizes of message and their times.

A table has up to forty points from one source, so that they stand in one field: "1 KiB: 5.85 µs; 1 MiB: 14.7 µs".
"""

from typing import Any

from core import units
from core.errors import InvalidInput
from core.language import numbers
from core.language.messages import gettext as _
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, Words, put_at
from desktop.widgets.quantity import Value

Points = tuple[tuple[int, float], ...]  # bytes of a message and seconds, by size
MOST = 100  # points of one number of ranks


def measured_group(at: int, table: Data, catalogue: Any) -> FigureGroup:
    """A table as it was measured with one library on one device."""
    device = catalogue.devices.get(table["device"])
    name = device.called if device is not None else table["device"]
    title = _("Measured sums: {library}, {device}").format(library=table["library"], device=name)
    ranks = sorted({point["ranks"] for point in table["points"]})
    return FigureGroup(title, tuple(_row(at, number) for number in ranks))


def _row(at: int, ranks: int) -> Figure:
    path = f"tables.{at}.points"

    def get(data: Data) -> Value:
        points = sorted((p["message_bytes"], p["seconds"]) for p in _points(data, at) if p["ranks"] == ranks)
        return tuple(points) or None

    def put(data: Data, value: Value) -> None:
        new = [{"ranks": ranks, "message_bytes": size, "seconds": seconds} for size, seconds in value or ()]
        others = [point for point in _points(data, at) if point["ranks"] != ranks]
        put_at(data, path, tuple(sorted([*others, *new], key=lambda point: (point["ranks"], point["message_bytes"]))))

    text = _("Message: time, {ranks} ranks").format(ranks=numbers.current().count(ranks))
    return Figure(f"{path}.{ranks}_ranks", text, _points_kind(), get, put, f"tables.{at}.source")


def _points(data: Data, at: int) -> tuple[Data, ...]:
    tables = data.get("tables") or ()
    return tuple(tables[at]["points"]) if at < len(tables) else ()


def _points_kind() -> Words:
    return Words(
        read=_read,
        write=lambda points: "; ".join(map(_written, points)),
        example=f"{_written((1024, 5.85e-6))}; {_written((1_048_576, 14.7e-6))}",
        optional=True,
        hint=_("Write sizes and times with semicolons between, such as {example}. The last that could be read stay."),
        full=lambda points: "\n".join(map(_written, points)),
    )


def _read(text: str, decimal_comma: bool) -> Points:
    points: dict[int, float] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        size, colon, time = part.rpartition(":")
        if not colon or not any(letter.isalpha() for letter in size):
            raise InvalidInput(part[:60])
        bytes_, seconds = units.parse_bytes(size, decimal_comma), units.parse_seconds(_timed(time), decimal_comma)
        if bytes_ < 1 or seconds <= 0 or bytes_ in points or len(points) >= MOST:
            raise InvalidInput(part[:60])
        points[bytes_] = seconds
    return tuple(sorted(points.items()))


def _timed(time: str) -> str:
    """Without a unit a time is in microseconds, as the others of the list are."""
    return time if any(letter.isalpha() for letter in time) else f"{time} us"


def _written(point: tuple[int, float]) -> str:
    size, seconds = point
    factor, unit = next((one for one in ((units.MIB, "MiB"), (units.KIB, "KiB")) if not size % one[0]), (1, "B"))
    time = numbers.current().with_signs(f"{seconds * 1e6:,.6g}")
    return f"{numbers.current().count(size // factor)} {unit}: {time} µs"
