"""Power, energy and carbon of a system, of the tokens that it writes, and what its electricity costs.

Watts, tokens and shares of time are floats; amounts of money are decimal numbers, see `economics`.

References
----------
1. Uptime Institute: "Global Data Center Survey 2025", on the energy of a room for each unit of its machines (PUE).
2. Samsi et al.: "From Words to Watts: Benchmarking the Energy Costs of Large Language Model Inference", 2023.
"""

from decimal import Decimal

from core.trace import formula, money
from core.units import Unit


@formula(Unit.WATT)
def power_of(host: float, accelerators: int, each: float) -> float:
    """Power of a machine: its accelerators and everything around them.

    power = host + accelerators * each

    Parameters
    ----------
    host : without accelerators [W]
    accelerators : number
    each : power of one [W]

    Returns
    -------
    power [W]

    >>> power_of(300.0, 2, 400.0)
    1100.0
    """
    return host + accelerators * each


@formula(Unit.WATT)
def power_of_machines(machines: int, each: float) -> float:
    """Power of several machines without their accelerators.

    power = machines * each

    Parameters
    ----------
    machines : number
    each : power of one [W]

    Returns
    -------
    power [W]

    >>> power_of_machines(2, 300.0)
    600.0
    """
    return machines * each


@formula(Unit.WATT)
def rest_of_power(system: float, accelerators: int, each: float) -> float:
    """Power of a system beside its accelerators.

    power = max(0.0, system - accelerators * each)

    Parameters
    ----------
    system : highest power of the whole [W]
    accelerators : number in it
    each : highest power of one [W]

    Returns
    -------
    power [W]

    >>> rest_of_power(10200.0, 8, 700.0)
    4600.0
    """
    return max(0.0, system - accelerators * each)


@formula(Unit.WATT)
def share_of_power(most: float, share: float) -> float:
    """A share of the highest power.

    power = most * share

    Parameters
    ----------
    most : highest power [W]
    share : of it

    Returns
    -------
    power [W]

    >>> share_of_power(600.0, 0.5)
    300.0
    """
    return most * share


@formula(Unit.KILOWATT_HOUR)
def energy_per_year(idle: float, busy: float, share: float, pue: float) -> float:
    """Energy of a year at the meter, cooling included: the machine waits most of the time and draws power while it
    does.

    energy = 8.76 * pue * (idle * (1 - share) + busy * share)

    Parameters
    ----------
    idle : power while it waits [W]
    busy : power while it works [W]
    share : of the year in which it works
    pue : energy of the whole room for each unit of the machine

    Returns
    -------
    energy [kWh]

    >>> round(energy_per_year(420.0, 1100.0, 0.0035, 1.35))
    4995
    """
    return 8.76 * pue * (idle * (1 - share) + busy * share)


@formula(Unit.MONEY)
def energy_cost(energy: float, tariff: Decimal) -> Decimal:
    """What the energy costs.

    cost = money(energy) * tariff

    Parameters
    ----------
    energy : of a year [kWh]
    tariff : of a kilowatt-hour

    Returns
    -------
    amount a year

    >>> energy_cost(5000.0, Decimal("0.16"))
    Decimal('800.000')
    """
    return money(energy) * tariff


@formula(Unit.MONEY)
def energy_cost_idle(idle: float, pue: float, tariff: Decimal) -> Decimal:
    """Energy of a year in which nobody asks.

    cost = money(8.76 * pue * idle) * tariff

    Parameters
    ----------
    idle : power while it waits [W]
    pue : energy of the whole room for each unit of the machine
    tariff : of a kilowatt-hour

    Returns
    -------
    amount a year

    >>> energy_cost_idle(500.0, 1.0, Decimal("0.1"))
    Decimal('438.0')
    """
    return money(8.76 * pue * idle) * tariff


@formula(Unit.MONEY)
def energy_cost_more(idle: float, busy: float, pue: float, tariff: Decimal) -> Decimal:
    """What a year of uninterrupted work costs in energy beyond a year of waiting.

    cost = money(8.76 * pue * (busy - idle)) * tariff

    Parameters
    ----------
    idle, busy : power [W]
    pue : energy of the whole room for each unit of the machine
    tariff : of a kilowatt-hour

    Returns
    -------
    amount a year

    >>> energy_cost_more(500.0, 1000.0, 1.0, Decimal("0.1"))
    Decimal('438.0')
    """
    return money(8.76 * pue * (busy - idle)) * tariff


@formula(Unit.JOULE)
def joules_per_token(busy: float, pue: float, speed: float) -> float:
    """Energy of a token of a full system.

    energy = busy * pue / speed

    Parameters
    ----------
    busy : power while it works [W]
    pue : energy of the whole room for each unit of the machine
    speed : read and written, of a full system [token/s]

    Returns
    -------
    energy [J]

    >>> round(joules_per_token(1100.0, 1.35, 13268.0), 2)
    0.11
    """
    return busy * pue / speed


@formula(Unit.KILOWATT_HOUR)
def energy_per_million_full(joules: float) -> float:
    """Energy of a million tokens of a full system.

    energy = joules / 3.6

    Parameters
    ----------
    joules : of a token [J]

    Returns
    -------
    energy [kWh]

    >>> round(energy_per_million_full(0.1119), 3)
    0.031
    """
    return joules / 3.6


@formula(Unit.KILOWATT_HOUR)
def energy_per_million(energy: float, tokens: float) -> float:
    """Energy of a million tokens as they really come: the waiting is part of it.

    energy_per_million = energy / tokens

    Parameters
    ----------
    energy : of a year [kWh]
    tokens : of that year [million]

    Returns
    -------
    energy [kWh]

    >>> round(energy_per_million(4995.0, 1481.04), 1)
    3.4
    """
    return energy / tokens


@formula(Unit.GRAM)
def carbon_of_energy(energy: float, grid: float) -> float:
    """Carbon dioxide and its like from the energy of a million tokens.

    grams = energy * grid

    Parameters
    ----------
    energy : of a million tokens [kWh]
    grid : of a kilowatt-hour [g]

    Returns
    -------
    CO2 equivalent [g]

    >>> carbon_of_energy(3.4, 54.0)
    183.6
    """
    return energy * grid


@formula(Unit.GRAM)
def carbon_of_making(embodied: float, years: float, tokens: float) -> float:
    """Carbon dioxide and its like from making the machine, for each million tokens of its term.

    grams = embodied * 1000 / (years * tokens)

    Parameters
    ----------
    embodied : in the machine [kg]
    years : term
    tokens : of a year [million]

    Returns
    -------
    CO2 equivalent [g]

    >>> round(carbon_of_making(636.0, 4.0, 1481.04))
    107
    """
    return embodied * 1000 / (years * tokens)


@formula(Unit.KILOGRAM)
def embodied_carbon(accelerators: int, each: float) -> float:
    """Carbon dioxide and its like from making the accelerators, each with its share of a server.

    kilograms = accelerators * each

    Parameters
    ----------
    accelerators : number
    each : of one [kg]

    Returns
    -------
    CO2 equivalent [kg]

    >>> embodied_carbon(2, 318.0)
    636.0
    """
    return accelerators * each
