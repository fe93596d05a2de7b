"""Numbers for people: one formatter for window, command line and proposal.

`Formatter(language)` writes quantities in plain SI (bytes, seconds, bytes per second, see `core.units`) by the rules of
the product: GB with one decimal, "256K" for powers of two, two significant digits for speeds, a no-break space before
every unit, "−" for minus and "–" for ranges. The signs of a language stand in `locale_signs`; a call costs a few
microseconds.
"""

import datetime
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from core.language.locale_signs import BY_CODE
from core.language.messages import language, marked, translations
from core.language.plain_numbers import MINUS, TIMES, Number, PlainNumbers
from core.units import GB, GIB, KIB, MB, MIB, TB, Unit

if TYPE_CHECKING:
    from babel import Locale

NBSP = "\u00a0"  # no-break space, before a unit
EN_DASH = "\u2013"

_Sizes = tuple[tuple[int, str], tuple[int, str], tuple[int, str]]
_DECIMAL: _Sizes = ((TB, "TB"), (GB, "GB"), (MB, "MB"))
_BINARY: _Sizes = ((KIB * GIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"))
Written = tuple[str, str]  # digits and unit

# Units that are words, and so have their own form in each language.
_TOKEN_PER_SECOND = marked("tok/s")
_TOKENS = marked("tokens")
_UNKNOWN = marked("unknown")
_NONE = marked("none")
_YEARS = marked("years")
_MONTHS = marked("months")
_REQUESTS_PER_SECOND = marked("requests/s")
_MILLION_TOKENS = marked("million tokens")


class MemoryUnit(StrEnum):
    """In what an amount of memory is written."""

    DECIMAL = "GB"
    BINARY = "GiB"


_memory_unit = MemoryUnit.DECIMAL


def set_memory_unit(unit: MemoryUnit) -> None:
    """Put a unit of memory in force for the whole program."""
    global _memory_unit
    _memory_unit = unit


def memory_unit() -> MemoryUnit:
    """The unit of memory in force."""
    return _memory_unit


def formatter(code: str) -> "Formatter":
    """The formatter of a language in the unit of memory in force, kept for the next call."""
    return _kept(code, _memory_unit)


@cache
def _kept(code: str, unit: MemoryUnit) -> "Formatter":
    return Formatter(code, unit)


def current() -> "Formatter":
    """The formatter of the language in force."""
    return formatter(language())


class Formatter(PlainNumbers):
    """Writes numbers in one language.

    >>> en, de = Formatter("en"), Formatter("de")
    >>> en.bytes(23_400_000_000), de.bytes(23_400_000_000)
    ('23.4\\xa0GB', '23,4\\xa0GB')
    >>> en.speed(1253.4), en.tokens(262144), en.seconds(0.0134)
    ('1,253\\xa0tok/s', '256K', '13.4\\xa0ms')
    """

    def __init__(self, language: str, memory_unit: MemoryUnit = MemoryUnit.DECIMAL) -> None:
        super().__init__(language)
        self._word = translations(language).text
        self.memory_unit = memory_unit.value
        self.memory_factor, self._sizes = (GB, _DECIMAL) if memory_unit is MemoryUnit.DECIMAL else (GIB, _BINARY)
        self._currency_first = self._known.currency_first

    @cached_property
    def _locale(self) -> "Locale":
        from babel import Locale

        return Locale.parse(self.language)

    def _symbol(self, currency: str) -> str:
        """How a currency is written beside an amount."""
        if currency in self._known.symbols or currency in BY_CODE:
            return self._known.symbols.get(currency, currency)
        symbols: Mapping[str, str] = self._locale.currency_symbols
        return symbols.get(currency, currency)

    # Quantities; each has a `_parts` form, digits and unit apart, for tiles and ranges

    def bytes(self, number: Number) -> str:
        """An amount of memory: 23.4 GB."""
        return _joined(self.bytes_parts(number))

    def bytes_parts(self, number: Number, like: Number | None = None) -> Written:
        """Digits and unit of an amount of memory, in the unit that fits `like`."""
        return self._in_sizes(number, abs(like if like is not None else number), self._sizes)

    def memory_scale(self, like: Number) -> tuple[str, int]:
        """The unit in which an amount of memory is written, and its bytes: for an axis.

        >>> Formatter("en").memory_scale(96e9)
        ('GB', 1000000000)
        """
        return _scale(like, self._sizes)

    def _in_sizes(self, number: Number, size: Number, sizes: "_Sizes") -> Written:
        unit, factor = _scale(size, sizes)
        if factor == 1:
            return self.count(number), unit
        return self.decimal(float(number) / factor, 1 if size < 9999.5 * factor or factor > GIB else 0), unit

    def bytes_both(self, number: Number) -> str:
        """An amount of memory in the unit in force and in the other one, for tooltips: 23.4 GB (21.8 GiB).

        >>> Formatter("en").bytes_both(23_400_000_000), Formatter("en", MemoryUnit.BINARY).bytes_both(23_400_000_000)
        ('23.4\xa0GB (21.8\xa0GiB)', '21.8\xa0GiB (23.4\xa0GB)')
        """
        if self._sizes is _DECIMAL:
            return f"{self.bytes(number)} ({self.bytes_iec(number)})"
        return f"{self.bytes(number)} ({_joined(self._in_sizes(number, abs(number), _DECIMAL))})"

    def memory_digits(self, number: Number, digits: int = 1) -> str:
        """Digits of an amount in the unit in force, for lists whose heading is `memory_unit`: 23.4."""
        return self.decimal(float(number) / self.memory_factor, digits)

    def gigabytes(self, number: Number) -> str:
        """Digits of an amount in GB, for tables whose heading names the unit: 23.4."""
        return self.decimal(float(number) / GB)

    def gibibytes(self, number: Number) -> str:
        """Digits of an amount in GiB, for tables whose heading names the unit."""
        return self.decimal(float(number) / GIB)

    def bytes_iec(self, number: Number) -> str:
        """The same amount in powers of two, for tooltips and Explain: 21.8 GiB, 61.4 MiB, 96 KiB."""
        size = abs(number)
        for factor, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
            if size >= factor:
                scaled = float(number) / factor
                return _joined((self.decimal(scaled, 0 if scaled == int(scaled) and scaled < 1000 else 1), unit))
        return _joined((self.count(number), "B"))

    def tokens(self, number: int) -> str:
        """A length in tokens: K and M where it is a multiple of 1,024, else exact.

        >>> [Formatter("en").tokens(n) for n in (262144, 1572864, 1048576, 8000)]
        ['256K', '1.5M', '1M', '8,000']
        """
        thousands, rest = divmod(number, KIB)
        if rest or not thousands:
            return self.count(number)
        if thousands >= KIB and thousands * 10 % KIB == 0:
            return self._trimmed(f"{thousands / KIB:,.1f}") + "M"
        return f"{self.count(thousands)}K"

    def tokens_exact(self, number: int) -> str:
        """A length in both ways: 256K (262,144)."""
        short, exact = self.tokens(number), self.count(number)
        return exact if short == exact else f"{short} ({exact})"

    def speed(self, number: Number) -> str:
        """Tokens per second, two significant digits below 100: 74 tok/s."""
        return _joined(self.speed_parts(number))

    def speed_parts(self, number: Number, like: Number | None = None) -> Written:
        return self.significant(number) if abs(number) < 99.5 else self.count(number), self._word(_TOKEN_PER_SECOND)

    def seconds(self, number: Number) -> str:
        """A duration: 13.4 ms, 350 ms, 1.2 s, 2.5 min."""
        return _joined(self.seconds_parts(number))

    def seconds_parts(self, number: Number, like: Number | None = None) -> Written:
        size = abs(like if like is not None else number)
        if size < 0.00005 and number:
            return self.significant(float(number) * 1e6), "µs"
        if size < 0.9995:
            milli = float(number) * 1e3
            return self.decimal(milli, 1 if size < 0.09995 else 0), "ms"
        if size < 99.95:
            return self.decimal(number), "s"
        if size < 5997:
            return self.decimal(float(number) / 60), "min"
        return self.decimal(float(number) / 3600, 1 if size < 99.95 * 3600 else 0), "h"

    def rate(self, number: Number) -> str:
        """A data rate: 1,792 GB/s, 25 GB/s, 89.6 GB/s."""
        return _joined(self.rate_parts(number))

    def rate_parts(self, number: Number, like: Number | None = None) -> Written:
        size = abs(like if like is not None else number)
        factor, unit = (GB, "GB/s") if size >= 0.9995 * GB else (MB, "MB/s")
        scaled = float(number) / factor
        return self._trimmed(f"{scaled:,.{1 if abs(scaled) < 999.5 else 0}f}"), unit

    def link(self, number: Number) -> str:
        """A network rate as it is sold, in bits, with bytes beside: 200 Gb/s (25 GB/s)."""
        bits = _joined((self._trimmed(f"{float(number) * 8 / GB:,.1f}"), "Gb/s"))
        return f"{bits} ({self.rate(number)})"

    def flops(self, number: Number) -> str:
        """A computing rate: 503.8 TFLOP/s."""
        return _joined(self.flops_parts(number))

    def flops_parts(self, number: Number, like: Number | None = None) -> Written:
        size = abs(like if like is not None else number)
        for factor, unit in ((1e15, "PFLOP/s"), (1e12, "TFLOP/s"), (1e9, "GFLOP/s")):
            if size >= factor:
                decimals = 2 if size < 10 * factor else 1  # three digits at least: 2,015 TFLOP/s are 2.02 PFLOP/s
                return self._trimmed(f"{float(number) / factor:,.{decimals}f}"), unit
        return self.significant(number, 3), "FLOP/s"

    def parameters(self, number: Number) -> str:
        """A number of parameters, decimal: 35.1B, 567M."""
        for factor, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
            if number >= factor:
                return self._trimmed(f"{float(number) / factor:,.1f}") + letter
        return self.count(number)

    def parameters_in_words(self, number: Number) -> str:
        """A number of parameters for readers outside the field: 35.1 billion, 35,1 Milliarden, 35,1 milliards."""
        from babel.numbers import format_compact_decimal

        text = format_compact_decimal(number, format_type="long", locale=self._locale, fraction_digits=1)
        return text.replace(" ", NBSP)

    def share(self, number: Number) -> str:
        """A fraction as percent: 35 %, 2.5 %."""
        return _joined(self.share_parts(number))

    def share_parts(self, number: Number, like: Number | None = None) -> Written:
        percent = float(number) * 100
        if not math.isfinite(percent):
            return self.number(percent), "%"
        if 0 < abs(percent) < 0.095:
            return self.significant(percent), "%"
        return self._trimmed(f"{percent:,.{1 if abs(percent) < 9.95 else 0}f}"), "%"

    def percent(self, number: Number) -> str:
        """Digits of a fraction as percent, for tables whose heading has the sign: 35.2."""
        return self.decimal(float(number) * 100)

    def about_tokens(self, number: Number) -> str:
        """A length that is not round, rounded down so that it does not promise too much: 467K, 1.2M.

        >>> [Formatter("en").about_tokens(n) for n in (478_900, 1_300_000, 900)]
        ['467K', '1.2M', '900']
        """
        if number >= KIB * KIB:
            return self.decimal(math.floor(number / KIB / KIB * 10) / 10, 1) + "M"
        if number >= KIB:
            return self.count(math.floor(number / KIB)) + "K"
        return self.count(math.floor(number))

    def change(self, ratio: float) -> str:
        """A new value against an old one (new/old): +80 %, −12 %, × 2.9 from doubling on."""
        if ratio >= 2:
            return f"{TIMES}{NBSP}{self.significant(ratio)}"
        percent = round((ratio - 1) * 100)
        sign = "+" if percent > 0 else MINUS if percent < 0 else "±"
        return f"{sign}{abs(percent)}{NBSP}%"

    def power(self, watts: Number) -> str:
        """A power: 600 W, 1.2 kW."""
        return _joined((self.count(watts), "W") if abs(watts) < 999.5 else (self.decimal(float(watts) / 1000), "kW"))

    def money(self, amount: float | Decimal, currency: str) -> str:
        """An amount of money, without cents from 100 up: €18,600, 18.600 €, $0.74; below half a cent "< $0.01"."""
        size = abs(Decimal(amount))
        if amount > 0 and size < Decimal("0.005"):  # two digits would say that it is nothing
            return f"<{NBSP}{self.money(Decimal('0.01'), currency)}"
        digits = f"{size:,.{2 if size < 100 else 0}f}".translate(self._signs)
        symbol = self._symbol(currency)
        sign = MINUS if amount < 0 else ""
        if not self._currency_first:
            return f"{sign}{digits}{NBSP}{symbol}"
        return f"{sign}{symbol}{NBSP if symbol[-1].isalpha() else ''}{digits}"

    def money_range(self, low: float | Decimal, high: float | Decimal, currency: str) -> str:
        """A range of prices with its sign once: $8,565–16,000, 8.565–16.000 $."""
        if low == high:
            return self.money(high, currency)
        first, second = self.money(low, currency), self.money(high, currency)
        symbol = self._symbol(currency)
        if self._currency_first:
            return f"{first}{EN_DASH}{second.removeprefix(symbol).lstrip(NBSP)}"
        return f"{first.removesuffix(symbol).rstrip(NBSP)}{EN_DASH}{second}"

    def date(self, day: datetime.date) -> str:
        """A date in words: 20 November 2026, 20. November 2026, 20 novembre 2026."""
        return self._known.day.format(day=day.day, month=self._month(day.month), year=day.year)

    def _month(self, number: int) -> str:
        return self._known.months[number - 1]

    def partial_date(self, iso: str) -> str:
        """An ISO date as precise as it is known ("2026", "2026-08", "2026-08-12"), in words."""
        parts = iso.split("-")
        try:
            if len(parts) == 1:
                return str(int(parts[0]))
            if len(parts) == 2:
                first = datetime.date(int(parts[0]), int(parts[1]), 1)
                return f"{self._month(first.month)} {first.year}"
            return self.date(datetime.date.fromisoformat(iso))
        except ValueError:
            return iso

    # Ranges and dispatch

    def range(self, low: Number, high: Number, parts: "Callable[..., Written]") -> str:
        """A range with its unit once: `en.range(61, 88, en.speed_parts)` is "61–88 tok/s".

        >>> en = Formatter("en")
        >>> en.range(0.9, 1.6, en.seconds_parts)
        '0.9–1.6\\xa0s'
        """
        first, unit = parts(low, like=high)
        second, _ = parts(high, like=high)
        return _joined((first if first == second else f"{first}{EN_DASH}{second}", unit))

    def figure(self, value: Any, unit: Unit) -> str:
        """A figure as it is shown: rounded, with its unit."""
        if value is None:
            return self.unknown()
        if isinstance(value, str):
            return value
        return _FIGURE[unit](self, value)

    def value(self, value: Any, unit: Unit) -> str:
        """A figure in full and in its plain unit, for Explain and the appendix: 2,684,354,560 B.

        >>> Formatter("en").value(98304, Unit.BYTE_PER_TOKEN), Formatter("de").value(0.0134213, Unit.SECOND)
        ('98,304\\xa0B/token', '0,0134213\\xa0s')
        """
        if value is None:
            return self.unknown()
        if isinstance(value, str):
            return value
        if unit is Unit.SHARE:
            return _joined((self.number(_scaled_share(value)), "%"))
        return _joined((self.number(value), self._unit_word(unit)))

    def _unit_word(self, unit: Unit) -> str:
        if unit in _BARE:
            return ""
        return self._word(unit.value)

    def unknown(self) -> str:
        """The word for a figure that nobody knows: never 0, never blank."""
        return self._word(_UNKNOWN)

    def none(self) -> str:
        """The word for a figure that does not apply."""
        return self._word(_NONE)


#: Units whose label already says what is counted.
_BARE = frozenset({Unit.COUNT, Unit.RATIO, Unit.REQUEST, Unit.USER, Unit.PARAMETER, Unit.MONEY})

# For extraction: the units that are words.
_UNIT_WORDS = (marked("B/token"), marked("bit/weight"), marked("B/element"))


def _scale(size: Number, sizes: "_Sizes") -> tuple[str, int]:
    """The largest unit of which an amount has at least one; of the largest of all, at least ten."""
    (tera, tera_unit), (giga, giga_unit), (mega, mega_unit) = sizes
    if size >= 10 * tera:
        return tera_unit, tera
    if size >= 0.9995 * giga:
        return giga_unit, giga
    return (mega_unit, mega) if size >= 0.9995 * mega else ("B", 1)


def _joined(written: Written) -> str:
    digits, unit = written
    return f"{digits}{NBSP}{unit}" if unit else digits


def _energy(formatter: Formatter, number: Number) -> str:
    """An amount that may be small or large: two digits that count below ten, whole numbers from there."""
    return formatter.significant(number) if abs(number) < 9.95 else formatter.count(number)


def _scaled_share(value: float) -> float:
    percent = float(value) * 100
    return int(percent) if percent == int(percent) else percent


#: How a figure of each unit is shown.
_FIGURE: dict[Unit, Callable[[Formatter, Any], str]] = {
    Unit.BYTE: Formatter.bytes,
    Unit.BYTE_PER_TOKEN: lambda f, x: _joined((f.number(x), f._unit_word(Unit.BYTE_PER_TOKEN))),
    Unit.BYTE_PER_SECOND: Formatter.rate,
    Unit.BIT_PER_WEIGHT: lambda f, x: _joined((f.number(x), f._unit_word(Unit.BIT_PER_WEIGHT))),
    Unit.BYTE_PER_ELEMENT: lambda f, x: _joined((f.number(x), f._unit_word(Unit.BYTE_PER_ELEMENT))),
    Unit.SECOND: Formatter.seconds,
    Unit.FLOP: lambda f, x: _joined((f.number(x), "FLOP")),
    Unit.FLOP_PER_SECOND: Formatter.flops,
    Unit.FLOP_PER_BYTE: lambda f, x: _joined((f.significant(x, 3), "FLOP/B")),
    Unit.HERTZ: lambda f, x: _joined((f.decimal(x / 1e9, 2), "GHz")),
    Unit.TOKEN: lambda f, x: _joined((f.tokens(x), f._word(_TOKENS))),
    Unit.TOKEN_PER_SECOND: Formatter.speed,
    Unit.PARAMETER: Formatter.parameters,
    Unit.REQUEST: Formatter.number,
    Unit.USER: Formatter.count,
    Unit.COUNT: Formatter.number,
    Unit.SHARE: Formatter.share,
    Unit.RATIO: lambda f, x: f.number(x) if isinstance(x, int) else f.significant(x, 3),
    Unit.WATT: Formatter.power,
    Unit.MONEY: lambda f, x: f.decimal(x, 2 if abs(x) < 100 else 0),
    Unit.DECIBEL: lambda f, x: _joined((f.count(x), "dB(A)")),
    Unit.YEAR: lambda f, x: _joined((f.number(x), f._word(_YEARS))),
    Unit.REQUEST_PER_SECOND: lambda f, x: _joined((f.significant(x), f._word(_REQUESTS_PER_SECOND))),
    Unit.KILOWATT_HOUR: lambda f, x: _joined((_energy(f, x), "kWh")),
    Unit.JOULE: lambda f, x: _joined((f.significant(x), "J")),
    Unit.KILOGRAM: lambda f, x: _joined((f.count(x), "kg")),
    Unit.GRAM: lambda f, x: _joined((f.significant(x, 3), "g")),
    Unit.HOUR: lambda f, x: _joined((f.count(x), "h")),
    Unit.MONTH: lambda f, x: _joined((f.count(x), f._word(_MONTHS))),
    Unit.MILLION_TOKENS: lambda f, x: _joined((_energy(f, x), f._word(_MILLION_TOKENS))),
}
