"""What is bought: the lines of a bill, and what the rule of thumb puts into a machine around its accelerators."""

import math
from decimal import Decimal

from core.trace import formula, money
from core.units import Unit


@formula(Unit.MONEY)
def price_each(price: Decimal, accelerators: int) -> Decimal:
    """What one accelerator of a device costs, with its part of everything around it.

    each = price / accelerators

    Parameters
    ----------
    price : of the device
    accelerators : in it

    Returns
    -------
    amount

    >>> price_each(Decimal(320000), 8)
    Decimal('40000')
    """
    return price / accelerators


@formula(Unit.MONEY)
def line_amount(quantity: Decimal, price: Decimal) -> Decimal:
    """What a line of the bill of materials costs.

    amount = quantity * price

    Parameters
    ----------
    quantity : how many
    price : of one

    Returns
    -------
    amount

    >>> line_amount(Decimal(2), Decimal(14758))
    Decimal('29516')
    """
    return quantity * price


@formula(Unit.MONEY)
def share_of_system(rest: Decimal, share: Decimal) -> Decimal:
    """A part whose share of a whole system is known, from the price of the rest: the host of a board of eight.

    part = rest * share / (1 - share)

    Parameters
    ----------
    rest : price of everything else
    share : of the part in the whole

    Returns
    -------
    amount

    >>> share_of_system(Decimal(240000), Decimal("0.4"))
    Decimal('160000')
    """
    return rest * share / (1 - share)


@formula(Unit.COUNT)
def host_memory(cards: int, each_bytes: int, module: int, least_memory: int, machines: int) -> Decimal:
    """Memory of workstations: as much as their cards hold, in whole modules.

    quantity = machines * max(least_memory, ceil(cards * each_bytes / 1000000000 / module) * module)

    Weights pass through it on their way to the cards. NVIDIA's guide to sizing RAG takes 192 GiB for 2.75 accelerators,
    which is 70 GiB for each.

    Parameters
    ----------
    cards : in one machine
    each_bytes : label memory of a card [byte]
    module : smallest module [GB]
    least_memory : of one machine [GB]
    machines : alike

    Returns
    -------
    memory of all machines [GB]

    >>> host_memory(1, 96 * 10**9, 32, 64, 1), host_memory(1, 16 * 10**9, 32, 64, 3)
    (Decimal('96'), Decimal('192'))
    """
    return Decimal(machines * max(least_memory, math.ceil(cards * each_bytes / 10**9 / module) * module))


@formula(Unit.COUNT)
def supply_power(cards: int, each_w: float, host_w: float, supply_load: float, step_w: float, machines: int) -> Decimal:
    """Power supplies of workstations: the highest draw within the load that a supply is run at, in whole steps.

    quantity = machines * ceil((cards * each_w + host_w) / supply_load / step_w - 1e-9) * money(step_w) / 1000

    Parameters
    ----------
    cards : in one machine
    each_w : label power of a card [W]
    host_w : of the machine without its cards [W]
    supply_load : share of its label that a supply is run at
    step_w : in which supplies are sold [W]
    machines : alike

    Returns
    -------
    power of all supplies [kW]

    >>> supply_power(1, 600.0, 200.0, 0.8, 100.0, 1), supply_power(2, 300.0, 300.0, 0.8, 100.0, 2)
    (Decimal('1.0'), Decimal('2.4'))
    """
    steps = math.ceil((cards * each_w + host_w) / supply_load / step_w - 1e-9)
    return machines * steps * money(step_w) / 1000


@formula(Unit.COUNT)
def accelerators_bought(serving: int, beside: int, each: int, sites: int) -> int:
    """Accelerators that are bought: those that serve the model and those beside them, at every site.

    accelerators = (serving + beside * each) * sites

    Parameters
    ----------
    serving : accelerators that hold the model
    beside : devices that hold retrieval models
    each : accelerators of a device
    sites : places that each get all of it

    Returns
    -------
    accelerators

    >>> accelerators_bought(2, 1, 1, 2)
    6
    """
    return (serving + beside * each) * sites
