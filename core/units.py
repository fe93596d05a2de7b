"""Units: the constants, the kinds of quantity a figure can be, and reading what people type.

Inside Tonnage everything is plain SI: bytes, seconds, bytes per second, FLOP per second, watts. GB is 10**9 bytes and
GiB is 2**30, always. Token counts are the one exception people make: "256K" of context is 256 * 1,024 tokens.
Writing numbers for people is `core.language.numbers`; this module only reads them.
"""

import re
from enum import StrEnum

from core.errors import InvalidInput

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40


class Unit(StrEnum):
    """What a figure counts or measures."""

    BYTE = "B"
    BYTE_PER_TOKEN = "B/token"
    BYTE_PER_SECOND = "B/s"
    BIT_PER_WEIGHT = "bit/weight"
    BYTE_PER_ELEMENT = "B/element"
    SECOND = "s"
    FLOP = "FLOP"
    FLOP_PER_SECOND = "FLOP/s"
    FLOP_PER_BYTE = "FLOP/B"
    HERTZ = "Hz"
    TOKEN = "tokens"
    TOKEN_PER_SECOND = "tok/s"
    PARAMETER = "parameters"
    REQUEST = "requests"
    USER = "users"
    COUNT = "count"
    SHARE = "share"
    RATIO = "ratio"
    WATT = "W"
    MONEY = "money"
    REQUEST_PER_SECOND = "requests/s"
    KILOWATT_HOUR = "kWh"
    JOULE = "J"
    KILOGRAM = "kg"
    GRAM = "g"
    HOUR = "h"
    MONTH = "months"
    MILLION_TOKENS = "million tokens"
    DECIBEL = "dB(A)"
    YEAR = "years"


_NUMBER = re.compile(r"^\s*(?P<number>[+-]?[\d.,'’\s_]*\d[.,]?)\s*(?P<suffix>[^\d]*)$")

_TOKENS = {"": 1, "k": 1024, "m": 1024**2, "ki": 1024, "mi": 1024**2}
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12}
_LARGE = ("k", "tsd", "m", "mio", "mn", "b", "bn", "mrd", "t")  # that a plain number does not count in
_BYTES = {"b": 1, "kb": KB, "mb": MB, "gb": GB, "tb": TB, "kib": KIB, "mib": MIB, "gib": GIB, "tib": TIB}
_BITS = {"kb/s": 125, "mb/s": 125 * 10**3, "gb/s": 125 * 10**6, "tb/s": 125 * 10**9}


def parse_number(text: str, decimal_comma: bool = False) -> float:
    """Read a plain number as people write it: thousands separators, decimal point or comma.

    With one separator only, `decimal_comma` decides what it is; "1.234.567" and "1,234.5" are clear by themselves.
    "12k" is refused: read as 12 it would be wrong without a word.

    >>> parse_number("1,792"), parse_number("1.792", decimal_comma=True), parse_number("0,5", decimal_comma=True)
    (1792.0, 1792.0, 0.5)
    """
    number, suffix = _split(text, decimal_comma)
    words = suffix.lower().replace(".", " ").split()
    if words and words[0] in _LARGE:
        raise InvalidInput("“{text}” is not a number.", text=text.strip())
    return number


def parse_tokens(text: str, decimal_comma: bool = False) -> int:
    """Read a number of tokens; K and M are powers of two.

    >>> parse_tokens("256K"), parse_tokens("1.5M"), parse_tokens("262,144")
    (262144, 1572864, 262144)
    """
    return round(
        _scaled(text, _TOKENS, decimal_comma, "a length such as 256K or 8192", strip=("tokens", "token", "tok"))
    )


def parse_count(text: str, decimal_comma: bool = False) -> int:
    """Read a count of things; k, M and B are decimal ("4B" parameters is 4,000,000,000).

    >>> parse_count("40"), parse_count("4 B"), parse_count("0.57B")
    (40, 4000000000, 570000000)
    """
    return round(
        _scaled(text, _COUNTS, decimal_comma, "a number such as 40 or 4B", strip=("users", "user", "parameters"))
    )


def parse_bytes(text: str, decimal_comma: bool = False) -> int:
    """Read an amount of memory; without a unit it is GB.

    >>> parse_bytes("40 GB"), parse_bytes("97,887 MiB"), parse_bytes("24")
    (40000000000, 102641958912, 24000000000)
    """
    return round(_scaled(text, {**_BYTES, "": GB, "g": GB, "t": TB}, decimal_comma, "an amount such as 40 GB"))


def parse_rate(text: str, decimal_comma: bool = False) -> float:
    """Read a data rate in bytes per second; "Gb/s" (small b) are bits, "GB/s" bytes; without a unit GB/s.

    >>> parse_rate("1.8 TB/s"), parse_rate("200 Gb/s"), parse_rate("1,792 GB/s")
    (1800000000000.0, 25000000000.0, 1792000000000.0)
    """
    number, suffix = _split(text, decimal_comma)
    unit = suffix.replace("ps", "/s").replace("bit", "b")
    if unit == "":
        return number * GB
    if unit.endswith("b/s") and unit.lower() in _BITS:
        return number * _BITS[unit.lower()]
    if unit.lower().removesuffix("/s") in _BYTES and unit.lower().endswith("/s"):
        return float(number * _BYTES[unit.lower().removesuffix("/s")])
    raise InvalidInput(
        "“{text}” is not a rate. Write a rate such as 1.8 TB/s, 1,792 GB/s or 200 Gb/s.", text=text.strip()
    )


def parse_seconds(text: str, decimal_comma: bool = False) -> float:
    """Read a duration; without a unit it is seconds.

    >>> parse_seconds("2"), parse_seconds("350 ms"), parse_seconds("1.5 min")
    (2.0, 0.35000000000000003, 90.0)
    """
    units = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0, "h": 3600.0}
    return _scaled(text, units, decimal_comma, "a time such as 2 s or 350 ms")


def parse_share(text: str, decimal_comma: bool = False) -> float:
    """Read a share as percent ("30", "30 %") and return it as a fraction.

    >>> parse_share("30 %"), parse_share("2.5")
    (0.3, 0.025)
    """
    share = _scaled(text, {"": 1, "%": 1}, decimal_comma, "a percentage such as 30 %") / 100
    if not 0 <= share <= 1:
        raise InvalidInput("“{text}” is not between 0 and 100 %.", text=text.strip())
    return share


def _scaled(
    text: str, units: dict[str, int] | dict[str, float], decimal_comma: bool, example: str, strip: tuple[str, ...] = ()
) -> float:
    try:
        number, suffix = _split(text, decimal_comma)
    except InvalidInput:
        raise InvalidInput("“{text}” cannot be read. Write {example}.", text=text.strip(), example=example) from None
    unit = suffix.lower()
    for word in strip:
        unit = unit.removesuffix(word).strip()
    if unit not in units:
        raise InvalidInput("“{suffix}” is not a unit here. Write {example}.", suffix=suffix, example=example)
    return number * units[unit]


def _split(text: str, decimal_comma: bool) -> tuple[float, str]:
    match = _NUMBER.match(text)
    if not match or len(text) > 60:
        raise InvalidInput("“{text}” is not a number.", text=text.strip()[:60])
    digits = re.sub(r"[\s'’_\u00a0\u202f\u2009]", "", match["number"])
    return float(_plain(digits, decimal_comma, text)), match["suffix"].strip()


def _plain(digits: str, decimal_comma: bool, text: str) -> str:
    """Digits with separators -> digits with a decimal point."""
    decimal, group = (",", ".") if decimal_comma else (".", ",")
    if decimal in digits and group in digits:  # both: the last one is the decimal separator
        decimal, group = (",", ".") if digits.rfind(",") > digits.rfind(".") else (".", ",")
    elif group in digits and not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(group)}\d{{3}})+", digits):
        decimal, group = group, decimal  # "0,5" where groups of three are impossible
    elif digits.count(decimal) > 1:
        decimal, group = group, decimal
    plain = digits.replace(group, "").replace(decimal, ".")
    if plain.count(".") > 1:
        raise InvalidInput("“{text}” is not a number.", text=text.strip())
    return plain
