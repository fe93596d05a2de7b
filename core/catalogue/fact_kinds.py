"""What a priced fact is about: its table, its section, and the words that tell facts of one section apart."""

from collections.abc import Mapping
from enum import StrEnum

#: The region of a fact that holds anywhere.
WORLD = "world"


class FactTable(StrEnum):
    """A file of facts; the value is its name."""

    PRICES = "prices"
    CLOUD = "cloud"
    API = "api"
    RUNNING = "running"
    USAGE = "usage"


class FactSection(StrEnum):
    """What a fact is about."""

    DEVICE_PRICE = "device_price"
    INTEGRATOR = "integrator_tier"
    PARTS = "bom"
    SOFTWARE = "software"
    CLOUD = "cloud_gpu"
    API = "api"
    ELECTRICITY = "electricity"
    COLOCATION = "colocation"
    POWER = "power_cooling"
    FINANCE = "finance"
    CARBON = "carbon"
    USAGE = "usage"
    CLAIM = "breakeven_claim"  # of vendors, to be shown and not computed with


class Condition(StrEnum):
    NEW = "new"
    USED = "used"
    NEW_OR_USED = "new_or_used"


class Direction(StrEnum):
    INPUT = "input"
    OUTPUT = "output"
    CACHED_INPUT = "cached_input"


TABLE_OF: Mapping[FactSection, FactTable] = {
    FactSection.DEVICE_PRICE: FactTable.PRICES,
    FactSection.INTEGRATOR: FactTable.PRICES,
    FactSection.PARTS: FactTable.PRICES,
    FactSection.SOFTWARE: FactTable.PRICES,
    FactSection.CLOUD: FactTable.CLOUD,
    FactSection.API: FactTable.API,
    FactSection.ELECTRICITY: FactTable.RUNNING,
    FactSection.COLOCATION: FactTable.RUNNING,
    FactSection.POWER: FactTable.RUNNING,
    FactSection.FINANCE: FactTable.RUNNING,
    FactSection.CARBON: FactTable.RUNNING,
    FactSection.USAGE: FactTable.USAGE,
    FactSection.CLAIM: FactTable.USAGE,
}
