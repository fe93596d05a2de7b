"""Dates as precise as they are known: a year, a month or a day, written as ISO does."""

import re
from typing import Annotated

from pydantic import Field

_LEAP = r"(?:(?:19|2[01])(?:0[48]|[2468][048]|[13579][26])|2000)"
_YEAR = r"(?:19|2[01])\d\d"
_DAYS = (
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])",  # of the long months
    r"(?:0[469]|11)-(?:0[1-9]|[12]\d|30)",
    r"02-(?:0[1-9]|1\d|2[0-8])",
)
#: Of the years 1900 to 2199; nothing where it is not known. One pattern, since a record has many dates to be read.
PATTERN = rf"^(?:{_YEAR}(?:-(?:0[1-9]|1[0-2]|{'|'.join(_DAYS)}))?|{_LEAP}-02-29)?$"

Day = Annotated[str, Field(pattern=PATTERN)]
_READ = re.compile(PATTERN)


def is_day(text: str) -> bool:
    """Whether a text is such a date, or empty.

    >>> [is_day(text) for text in ("", "2026", "2026-11", "2024-02-29", "2025-02-29", "0000-01-01")]
    [True, True, True, True, False, False]
    """
    return _READ.fullmatch(text) is not None
