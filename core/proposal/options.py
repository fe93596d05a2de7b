"""What a proposal needs besides its offers: names, date, language, brand, paper, sections.

Nothing is read from the clock or the home folder.
"""

import datetime
import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from core import METHOD_VERSION
from core.errors import ProposalError

_COLOUR = re.compile(r"^#[0-9A-Fa-f]{6}$")


class Section(StrEnum):
    """A part of the proposal that can be left out; in the order of the pages."""

    COVER = "cover"
    NEED = "need"
    RECOMMENDATION = "recommendation"
    MEMORY = "memory"
    SPEED = "speed"
    OPTIONS = "options"
    COST = "cost"
    RISKS = "risks"
    GLOSSARY = "glossary"
    FORMULAS = "formulas"
    EVERYTHING = "everything"  # further figures, for those who follow every step; some six pages
    SOURCES = "sources"


#: Left out unless asked for: the usual proposal is for readers.
USUALLY_LEFT_OUT = frozenset({Section.EVERYTHING})


class Paper(StrEnum):
    """Sheets, by the names that typst has for them."""

    A4 = "a4"
    LETTER = "us-letter"


class Typeface(StrEnum):
    """Families of the bundle; what a family lacks is taken from Inter."""

    SANS = "Inter"
    SERIF = "Libertinus Serif"


@dataclass(frozen=True, slots=True)
class Brand:
    """Who makes the proposal; colours appear on the cover and on exhibit numbers, never in the data.

    primary, accent   "#0F3D63"; empty takes the product's own; darkened where it is too light for text
    logo              content of a PNG or SVG file that `core.proposal.logo` has let pass
    """

    name: str = ""
    contact: str = ""
    legal: str = ""
    primary: str = ""
    accent: str = ""
    typeface: Typeface = Typeface.SANS
    logo: bytes = b""

    def __post_init__(self) -> None:
        for colour in (self.primary, self.accent):
            if colour and not _COLOUR.match(colour):
                raise ProposalError("“{colour}” is not a colour. Write one such as #0F3D63.", colour=colour)


@dataclass(frozen=True, slots=True)
class ProposalOptions:
    """Choices for one proposal.

    client, title    empty: the scenario's, and a title written from the need
    recipient        person at the client's
    currency         of all amounts; empty: each scenario's own
    validity_days    None: as long as the prices hold
    left_out         sections that are not printed
    template         folder of typst files; None: the shipped one
    """

    date: datetime.date
    language: str = "en"
    client: str = ""
    recipient: str = ""
    title: str = ""
    author: str = ""
    currency: str = ""
    validity_days: int | None = None
    paper: Paper = Paper.A4
    left_out: frozenset[Section] = USUALLY_LEFT_OUT
    brand: Brand = field(default_factory=Brand)
    method_version: str = METHOD_VERSION
    catalogue_version: str = ""
    template: Path | None = None

    def holds(self, section: Section) -> bool:
        return section not in self.left_out
