"""What a number field holds: how it is read, written, stepped, and what to say when it cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from core import units
from core.day import is_day
from core.errors import InvalidInput
from core.language import numbers
from core.language.messages import gettext as _

Value = Any  # int, float or Decimal, as the field of the scenario wants it
Reader = Callable[[str, bool], Value]


@dataclass(frozen=True)
class Quantity:
    """A kind of number. `hint` is a sentence with {example} and {kept}; `write` leaves the unit out."""

    read: Reader
    write: Callable[[Value], str]
    example: str
    unit: str = ""
    step: float = 1.0
    doubling: bool = False  # one step is the next power of two or its half
    optional: bool = False  # an empty field is a value: None
    hint: str = ""
    low: float = 0.0
    high: float = float("inf")
    pieces: bool = False  # only whole ones, of whatever type
    says_unit: bool = False  # whether the unit belongs to the value in a sentence
    full: Callable[[Value], str] | None = field(default=None)  # for the tooltip: exact

    def sentence(self, kept: Value) -> str:
        """What to write, and what stays in force until then."""
        text = self.hint or _("Write a number such as {example}. Keeping {kept}.")
        return text.format(example=self.example, kept=self.in_words(kept))

    def in_words(self, value: Value) -> str:
        """The value as a sentence says it."""
        text = self.written(value)
        return f"{text}\u00a0{self.unit}" if text and self.says_unit else text or _("none")

    def written(self, value: Value) -> str:
        return "" if value is None else self.write(value)

    def parsed(self, text: str) -> Value:
        """The value of a text.

        Raises
        ------
        InvalidInput : it cannot be read
        """
        if self.optional and not text.strip():
            return None
        return self.read(text, numbers.current().decimal_sign == ",")

    def stepped(self, value: Value, steps: float) -> Value:
        """The value some steps further; it stays within the limits."""
        if value is None:
            value = self.parsed(self.example)
        if self.doubling:
            moved = _next_power(value, steps > 0) if abs(steps) == 1 else value * 2 ** (1 if steps > 0 else -1)
        else:
            moved = value + type(value)(self.step * steps)
        return type(value)(min(max(moved, self.low), self.high))

    def shown(self, value: Value) -> Value:
        """The value as the field writes it, so that no step leads to more digits than can be seen."""
        if self.pieces:
            return type(value)(round(value))
        return value if isinstance(value, int) else self.parsed(self.written(value))


def _next_power(value: float, upwards: bool) -> float:
    power = 2.0 ** max(0, int(value).bit_length() - 1)
    if upwards:
        return power * 2
    return power if power < value else max(1.0, power / 2)


def trimmed(value: float, digits: int = 2) -> str:
    """At most so many decimals, none that are zero."""
    written = numbers.current()
    text = written.decimal(value, digits)
    return text.rstrip("0").rstrip(written.decimal_sign) if written.decimal_sign in text else text


def tokens() -> Quantity:
    """A length in tokens: "256K"."""
    return Quantity(
        read=units.parse_tokens,
        write=lambda n: numbers.current().tokens(n),
        example="256K",
        unit=_("tokens"),
        doubling=True,
        low=1,
        high=1_000_000_000,
        hint=_("Write a length such as {example}. Keeping {kept}."),
        full=lambda n: _("{tokens} tokens").format(tokens=numbers.current().tokens_exact(n)),
    )


def count(unit: str = "", low: float = 1, high: float = 1e8, example: str = "40", optional: bool = False) -> Quantity:
    """A whole number of things."""
    return Quantity(
        read=units.parse_count,
        write=lambda n: numbers.current().count(n),
        example=example,
        unit=unit,
        low=low,
        high=high,
        optional=optional,
    )


def parameters(optional: bool = False) -> Quantity:
    """A number of parameters: "35.1B"."""
    return Quantity(
        read=units.parse_count,
        write=lambda n: numbers.current().parameters(n),
        example=_("35.1B"),
        low=1,
        high=1e15,
        step=1e9,
        optional=optional,
        hint=_("Write a number such as {example}. Keeping {kept}."),
    )


def exact_share(optional: bool = True, example: str = "10") -> Quantity:
    """A share of money, exact: a decimal number."""
    return replace(
        share(optional=optional), read=lambda text, comma: Decimal(str(units.parse_share(text, comma))), example=example
    )


def years(optional: bool = True) -> Quantity:
    """A number of years, exact."""
    return Quantity(
        read=lambda text, comma: Decimal(str(units.parse_number(_without(text, _("years"), _("year")), comma))),
        write=lambda x: trimmed(float(x), 1),
        example="4",
        unit=_("years"),
        says_unit=True,
        low=1,
        high=30,
        optional=optional,
    )


def ratio(example: str, low: float = 1.0, high: float = 5.0) -> Quantity:
    """A plain ratio, which may be left open."""
    return Quantity(
        read=units.parse_number,
        write=lambda x: trimmed(float(x), 2),
        example=numbers.current().with_signs(example),
        step=0.1,
        low=low,
        high=high,
        optional=True,
    )


def share(low: float = 0.0, optional: bool = False) -> Quantity:
    """A share, written in percent."""
    return Quantity(
        read=units.parse_share,
        write=lambda x: trimmed(float(x) * 100, 1),
        example="30",
        unit="%",
        says_unit=True,
        step=0.01,
        low=low,
        high=1.0,
        optional=optional,
        hint=_("Write a share from 0 to 100 such as {example}. Keeping {kept}."),
    )


def seconds(optional: bool = True) -> Quantity:
    """A duration in seconds."""
    return Quantity(
        read=units.parse_seconds,
        write=lambda x: trimmed(float(x), 3) if float(x) != round(float(x)) else numbers.current().decimal(x),
        example=numbers.current().decimal(2.0),
        unit="s",
        says_unit=True,
        step=0.1,
        low=0.001,
        high=86_400,
        optional=optional,
        hint=_("Write a time such as {example} s or 350 ms. Keeping {kept}."),
    )


def microseconds(optional: bool = True) -> Quantity:
    """A latency, written in microseconds."""
    return Quantity(
        read=lambda text, comma: units.parse_seconds(text if _has_letters(text) else f"{text} us", comma),
        write=lambda x: trimmed(float(x) * 1e6, 3),
        example="6",
        unit="µs",
        says_unit=True,
        step=1e-6,
        high=10.0,
        optional=optional,
        hint=_("Write a time such as {example} µs. Keeping {kept}."),
    )


def speed(optional: bool = True) -> Quantity:
    """Tokens a second."""
    return Quantity(
        read=lambda text, comma: units.parse_number(_without(text, "tok/s"), comma),
        write=lambda x: trimmed(float(x), 1),
        example="30",
        unit=_("tok/s"),
        says_unit=True,
        low=0.1,
        high=1e6,
        optional=optional,
        hint=_("Write a speed such as {example}. Keeping {kept}."),
    )


def memory(unit: str = "GB", optional: bool = False) -> Quantity:
    """An amount of memory, written in `unit`."""
    factor = {"GB": units.GB, "MB": units.MB, "MiB": units.MIB, "GiB": units.GIB}[unit]
    return Quantity(
        read=lambda text, comma: units.parse_bytes(text if _has_letters(text) else f"{text} {unit}", comma),
        write=lambda n: trimmed(n / factor),
        example=f"40 {unit}",
        unit=unit,
        says_unit=True,
        step=factor,
        low=1,
        high=10**15,
        optional=optional,
        hint=_("Write an amount such as {example}. Keeping {kept}."),
        full=lambda n: numbers.current().bytes_both(n),
    )


def rate(optional: bool = False) -> Quantity:
    """A data rate in GB/s."""
    return Quantity(
        read=units.parse_rate,
        write=lambda x: trimmed(x / units.GB, 1),
        example=_("1.8 TB/s"),
        unit="GB/s",
        says_unit=True,
        step=units.GB,
        low=1,
        high=1e16,
        optional=optional,
        hint=_("Write a rate such as {example} or 1,792 GB/s. Keeping {kept}."),
    )


def teraflops(optional: bool = True) -> Quantity:
    """A computing rate in TFLOP/s."""
    return Quantity(
        read=lambda text, comma: units.parse_number(_without(text, "tflops", "tflop/s"), comma) * 1e12,
        write=lambda x: trimmed(x / 1e12, 1),
        example=numbers.current().decimal(503.8),
        unit="TFLOPS",
        says_unit=True,
        step=1e12,
        low=1,
        high=1e20,
        optional=optional,
    )


def plain(unit: str, example: str = "600", optional: bool = True, high: float = 1e9, digits: int = 1) -> Quantity:
    """A plain number with a unit: watts, decibels."""
    return Quantity(
        read=lambda text, comma: units.parse_number(_without(text, unit), comma),
        write=lambda x: trimmed(float(x), digits),
        example=numbers.current().with_signs(example),
        unit=unit,
        says_unit=True,
        high=high,
        optional=optional,
    )


def day() -> Quantity:
    """A day, a month or a year, as ISO writes them; nothing where it is not known."""

    def read(text: str, _comma: bool) -> str:
        if not is_day(text.strip()):
            raise InvalidInput(text)
        return text.strip()

    hint = _("Write a date such as {example}. Keeping {kept}.")
    return Quantity(read=read, write=str, example="2026-11", optional=True, hint=hint)


def _has_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _without(text: str, *endings: str) -> str:
    stripped = text.strip()
    for ending in endings:
        if ending and stripped.lower().endswith(ending.lower()):
            return stripped[: -len(ending)].strip()
    return stripped
