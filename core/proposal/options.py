"""What a proposal needs besides its sizings: names, date, language, brand.

Nothing is read from the clock or the home folder.
"""

import datetime
import re
from dataclasses import dataclass, field

from core import METHOD_VERSION
from core.errors import ProposalError

_COLOUR = re.compile(r"^#[0-9A-Fa-f]{6}$")


@dataclass(frozen=True, slots=True)
class Brand:
    """Who makes the proposal; colours appear on the cover and on exhibit numbers, never in the data."""

    name: str = ""
    contact: str = ""
    legal: str = ""
    primary: str = ""  # "#0F3D63"; "" takes the product's own; darkened where it is too light for text

    def __post_init__(self) -> None:
        if self.primary and not _COLOUR.match(self.primary):
            raise ProposalError(f"“{self.primary}” is not a colour. Write one such as #0F3D63.")


@dataclass(frozen=True, slots=True)
class ProposalOptions:
    date: datetime.date
    language: str = "en"
    client: str = ""  # "" takes the scenario's
    title: str = ""  # "" is written from the need
    author: str = ""
    currency: str = ""  # "" takes the scenario's
    brand: Brand = field(default_factory=Brand)
    method_version: str = METHOD_VERSION
    catalogue_version: str = ""
