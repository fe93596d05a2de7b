"""Plain numbers with the signs of a language: whole ones, decimals, significant digits, and numbers in full."""

import math
from typing import Any

from core.language.locale_signs import SIGNS

MINUS = "\u2212"
TIMES = "\u00d7"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Number = float  # or int


class PlainNumbers:
    """Writes numbers without a unit."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._known = SIGNS[language]
        self.decimal_sign, self.group_sign = self._known.decimal, self._known.group
        self._signs = str.maketrans({",": self.group_sign, ".": self.decimal_sign, "-": MINUS})

    def with_signs(self, number: str) -> str:
        """A number as Python formats it, with the signs of the language: 1,234.5 becomes 1.234,5 in German."""
        return number.translate(self._signs)

    def count(self, number: Number) -> str:
        """A whole number with groups of three: 262,144."""
        if not math.isfinite(number):
            return self.number(number)
        return f"{round(number):,}".translate(self._signs)

    def decimal(self, number: Number, digits: int = 1) -> str:
        """A number with a fixed count of decimals."""
        if not math.isfinite(number):
            return self.number(number)
        text = f"{number:,.{digits}f}"
        if text.startswith("-") and not text.strip("-0.,"):
            text = text[1:]  # no "−0.0"
        return text.translate(self._signs)

    def significant(self, number: Number, digits: int = 2) -> str:
        """A number rounded to its first digits, without a power of ten: 4.1, 74, 1,300 with two digits."""
        if not number:
            return "0"
        exponent = math.floor(math.log10(abs(number)))
        rounded = float(f"{number:.{digits - 1}e}")
        if abs(rounded) >= 10 ** (exponent + 1):
            exponent += 1
        return self.decimal(rounded, max(0, digits - 1 - exponent))

    def number(self, number: Any) -> str:
        """A number in full, for formulas with numbers put in: integers exactly, others with six significant digits
        and at least to the unit; long round numbers with a power of ten.

        >>> [PlainNumbers("en").number(n) for n in (98304, 2684354560.0, 0.00134213, 1.792e12)]
        ['98,304', '2,684,354,560', '0.00134213', '1.792×10¹²']
        """
        if isinstance(number, bool):
            return "1" if number else "0"
        if isinstance(number, int):
            return f"{number:,}".translate(self._signs)
        if not math.isfinite(number):
            return "∞" if number > 0 else f"{MINUS}∞"
        if abs(number) < 1e15 and (number == int(number) or abs(number) >= 1e6) and not _is_short(number):
            return f"{round(number):,}".translate(self._signs)
        if 1e-4 <= abs(number) < 1e6:
            return self._trimmed(f"{number:,.{_decimals(number, 6)}f}")
        mantissa, exponent = f"{number:.5e}".split("e")
        power = str(int(exponent)).translate(_SUPERSCRIPT)
        return f"{self._trimmed(mantissa)}{TIMES}10{power}"

    def _trimmed(self, text: str) -> str:
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return text.translate(self._signs)


def _is_short(number: float) -> bool:
    """Is this a large number with few digits that count, such as a rate from a data sheet?"""
    return abs(number) >= 1e10 and float(f"{number:.4e}") == number


def _decimals(number: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(abs(number)))) if number else 0
