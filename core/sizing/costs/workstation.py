"""A workstation around cards that cool themselves: which cards, how many of them, and the parts it is built from.

A card made for a server has no fan of its own; it needs the airflow of one, and the server that is sold complete. All
other cards go into a tower with a workstation's board, up to two of them, four where each blows its heat out at the
back and draws no more than 300 W: that is how makers sell them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from core.catalogue.records import Device, DeviceKind
from core.physics import purchase
from core.scenario import LineKind

#: Cards in one workstation; of those that blow their heat out at the back, with at most so many watts each.
CARDS, BLOWER_CARDS, BLOWER_W = 2, 4, 300.0
#: Words in the form of a card that is made for a server or is part of another machine.
_ELSEWHERE = ("passive", "cloud", "laptop")
#: Cards of full height and length, or of low profile, are made for servers unless their form says how they cool.
_SERVER_FORMS = ("FHFL", "low-profile")
_COOLED = ("active", "blower")

#: Memory comes in modules of so many GB; less than two of them nobody builds in.
MODULE_GB, LEAST_GB = 32, 64
#: Flash for the system, two versions of the weights and their logs [TB].
FLASH_TB = 4
#: A power supply is not run beyond this share of its label, and is sold in steps [W].
SUPPLY_LOAD, SUPPLY_STEP_W = 0.8, 100.0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a workstation: the fact with its price, and how much of it.

    quantity   of it in one machine
    formula    finds the quantity of all machines in its place, from `inputs`
    """

    fact: str
    kind: LineKind
    quantity: int = 1
    formula: Callable[..., Decimal] | None = None
    inputs: tuple[str, ...] = ()


_MEMORY = ("cards", "each_bytes", "module", "least_memory", "machines")
_SUPPLY = ("cards", "each_w", "host_w", "supply_load", "step_w", "machines")
#: What a workstation is built from, whatever cards go in.
PARTS = (
    Part("bom.chassis.4u-tower-rack", LineKind.HOST),
    Part("bom.board.threadripper-wrx90", LineKind.HOST),
    Part("bom.cpu.threadripper-pro-7975wx", LineKind.HOST),
    Part("bom.ram.ddr5-rdimm.spot", LineKind.MEMORY, formula=purchase.host_memory, inputs=_MEMORY),
    Part("bom.nvme.consumer", LineKind.STORAGE, FLASH_TB),
    Part("bom.psu.redundant", LineKind.POWER, formula=purchase.supply_power, inputs=_SUPPLY),
)


def cards_in_a_workstation(device: Device) -> int:
    """How many of a card one workstation takes.

    Parameters
    ----------
    device : of the catalogue

    Returns
    -------
    cards; 0 where it does not go into a workstation
    """
    form = device.form_factor
    if device.kind is not DeviceKind.CARD or device.tdp_w is None or _any(_ELSEWHERE, form):
        return 0
    if not _any(_COOLED, form) and _any(_SERVER_FORMS, form):
        return 0
    return BLOWER_CARDS if "blower" in form and device.tdp_w <= BLOWER_W else CARDS


def goes_into_a_workstation(device: Device, cards: int) -> bool:
    """Do so many of a card stand in one workstation?"""
    return cards <= cards_in_a_workstation(device)


def _any(words: tuple[str, ...], text: str) -> bool:
    return any(word in text for word in words)
