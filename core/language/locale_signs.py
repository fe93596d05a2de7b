"""The signs of numbers, money and dates in each language, as Babel's locale data have them; a test compares the two.

They stand here because reading a locale takes a start longer than all the numbers that it writes. Whatever else is
asked of a language (names of countries and of other currencies, numbers in words) comes from Babel when it is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocaleSigns:
    """How a language writes numbers, amounts of money and dates."""

    decimal: str
    group: str
    currency_first: bool
    symbols: Mapping[str, str]  # of the currencies that are offered, by ISO code
    day: str  # a date in words, of {day}, {month} and {year}
    months: tuple[str, ...]


SIGNS: Mapping[str, LocaleSigns] = {
    "en": LocaleSigns(
        ".",
        ",",
        True,
        {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CAD": "CA$", "AUD": "A$"},
        "{day} {month} {year}",
        (
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ),
    ),
    "de": LocaleSigns(
        ",",
        ".",
        False,
        {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CAD": "CA$", "AUD": "AU$"},
        "{day}. {month} {year}",
        (
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ),
    ),
    "fr": LocaleSigns(
        ",",
        "\u202f",
        False,
        {"EUR": "€", "USD": "$US", "GBP": "£GB", "CAD": "$CA", "AUD": "$AU"},
        "{day} {month} {year}",
        (
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ),
    ),
}
#: Offered currencies that every language writes by their code, but for those that have a symbol above.
BY_CODE = frozenset({"CHF", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY"})
