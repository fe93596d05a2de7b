"""Money, energy and carbon: what a system costs to buy and to run, and when that is worth it.

Amounts of money are decimal numbers in one currency, which the scenario names; watts, tokens and shares of time are
floats. `money(...)` in a formula turns one of those into a decimal number without changing it.

Cost per million tokens is always over the tokens that the client really sends. Office work keeps a system busy for a
few per cent of the year at most, so a cost at full load is a bound and never a promise.

References
----------
1. Brealey, Myers, Allen: "Principles of Corporate Finance", on equivalent annual cost.
2. Uptime Institute: "Global Data Center Survey 2025", on the energy of a room for each unit of its machines (PUE).
3. Samsi et al.: "From Words to Watts: Benchmarking the Energy Costs of Large Language Model Inference", 2023.
"""

import math
from collections.abc import Sequence
from decimal import Decimal

from core.trace import formula, money
from core.units import Unit

INFINITY = Decimal("Infinity")


@formula(Unit.MONEY)
def converted(amount: Decimal, from_per_euro: Decimal, to_per_euro: Decimal) -> Decimal:
    """An amount in another currency, by what one euro costs in each.

    converted = amount / from_per_euro * to_per_euro

    Parameters
    ----------
    amount : in the first currency
    from_per_euro, to_per_euro : units of each currency for one euro; 1 for the euro itself

    Returns
    -------
    amount in the second currency

    >>> converted(Decimal(16000), Decimal("1.16"), Decimal(1)).quantize(Decimal(1))
    Decimal('13793')
    """
    return amount / from_per_euro * to_per_euro


@formula(Unit.MONEY)
def middle_price(low: Decimal, high: Decimal) -> Decimal:
    """The price to count with between the ends of a range of quotes: as many times dearer as the one is cheaper.

    price = (low * high) ** money(0.5)

    Parameters
    ----------
    low, high : lowest and highest quote

    Returns
    -------
    amount

    >>> middle_price(Decimal(9000), Decimal(16000))
    Decimal('12000.00000000000000000000000')
    """
    return (low * high) ** money(0.5)


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
def total(items: Sequence[Decimal]) -> Decimal:
    """Several amounts together.

    total = sum(items)

    Parameters
    ----------
    items : amounts in one currency

    Returns
    -------
    amount

    >>> total([Decimal(3), Decimal(4)])
    Decimal('7')
    """
    return sum(items, Decimal(0))


@formula(Unit.MONEY)
def more(then: Decimal, now: Decimal) -> Decimal:
    """How much dearer something is after a change.

    more = then - now

    Parameters
    ----------
    then : amount after it
    now : amount before it

    Returns
    -------
    amount; negative where it is cheaper

    >>> more(Decimal(44371), Decimal(31495))
    Decimal('12876')
    """
    return then - now


@formula(Unit.MONEY)
def part_of(amount: Decimal, share: Decimal) -> Decimal:
    """A share of an amount: installation, contingency, maintenance, margin, value-added tax.

    part = amount * share

    Parameters
    ----------
    amount : of the whole
    share : of it

    Returns
    -------
    amount

    >>> part_of(Decimal(1000), Decimal("0.2"))
    Decimal('200.0')
    """
    return amount * share


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


@formula(Unit.MONEY)
def annuity(capital: Decimal, residual: Decimal, rate: Decimal, years: Decimal) -> Decimal:
    """The same amount every year that pays for a purchase with the cost of capital, less what it still fetches at the
    end.

    annuity = (capital - residual / (1 + rate) ** years) / where(rate > 0, (1 - (1 + rate) ** (0 - years)) /
    where(rate > 0, rate, 1), years)

    Parameters
    ----------
    capital : paid at the start
    residual : value at the end of the term
    rate : cost of capital, a year
    years : term

    Returns
    -------
    amount a year

    >>> annuity(Decimal(49442), Decimal(0), Decimal("0.07"), Decimal(4)).quantize(Decimal(1))
    Decimal('14597')
    >>> annuity(Decimal(40), Decimal(0), Decimal(0), Decimal(4))
    Decimal('10')
    """
    factor = (1 - (1 + rate) ** (0 - years)) / rate if rate > 0 else years
    return (capital - residual / (1 + rate) ** years) / factor


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
def colocation(power: float, rate: Decimal) -> Decimal:
    """Rent of a place in a data centre, by the power that is kept ready.

    rent = money(power) / 1000 * 12 * rate

    Parameters
    ----------
    power : highest power of the machine [W]
    rate : of a kilowatt and month

    Returns
    -------
    amount a year

    >>> colocation(1500.0, Decimal(150))
    Decimal('2700.0')
    """
    return money(power) / 1000 * 12 * rate


@formula(Unit.MONEY)
def total_cost(capital: Decimal, yearly: Decimal, years: Decimal, residual: Decimal) -> Decimal:
    """Everything that is paid over the term, not discounted.

    total = capital + years * yearly - residual

    Parameters
    ----------
    capital : paid at the start
    yearly : running cost of a year
    years : term
    residual : value at the end

    Returns
    -------
    amount

    >>> total_cost(Decimal(49442), Decimal(12286), Decimal(4), Decimal(0))
    Decimal('98586')
    """
    return capital + years * yearly - residual


@formula(Unit.MILLION_TOKENS)
def capacity_per_year(speed: float) -> float:
    """Tokens of a year without a pause.

    tokens = speed * 31.536

    Parameters
    ----------
    speed : read and written, of a full system [token/s]

    Returns
    -------
    million tokens

    >>> round(capacity_per_year(13268.0))
    418420
    """
    return speed * 31.536


@formula(Unit.MONEY)
def per_million(cost: Decimal, tokens: float) -> Decimal:
    """Cost of a million tokens, read and written counted alike.

    price = cost / money(tokens)

    Parameters
    ----------
    cost : of a year
    tokens : of that year [million]

    Returns
    -------
    amount

    >>> per_million(Decimal(26883), 1481.04).quantize(Decimal("0.1"))
    Decimal('18.2')
    """
    return cost / money(tokens)


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


@formula(Unit.MONEY)
def cost_at_share(fixed: Decimal, variable: Decimal, capacity: float, share: float) -> Decimal:
    """Cost of a million tokens when the system works for a share of the year.

    price = (fixed + variable * money(share)) / (money(capacity) * money(share))

    Parameters
    ----------
    fixed : cost of a year in which nobody asks
    variable : cost of a year of uninterrupted work beyond that
    capacity : tokens of a year without a pause [million]
    share : of the year

    Returns
    -------
    amount

    >>> cost_at_share(Decimal(26000), Decimal(1000), 400000.0, 0.5)
    Decimal('0.1325')
    """
    return (fixed + variable * money(share)) / (money(capacity) * money(share))


@formula(Unit.MONEY)
def blended(input: Decimal, cached: Decimal, output: Decimal, prompt: float, answer: float, hit: float) -> Decimal:
    """Price of a million tokens at a provider who bills prompt and answer apart, for one shape of request.

    price = (input * money(prompt) * (1 - money(hit)) + cached * money(prompt) * money(hit) + output *
    money(answer)) / money(prompt + answer)

    Parameters
    ----------
    input, cached, output : prices of a million tokens
    prompt, answer : tokens of a request
    hit : share of the prompt that is billed as cached

    Returns
    -------
    amount

    >>> blended(Decimal(1), Decimal(0), Decimal(3), 1000, 1000, 0.0)
    Decimal('2.0')
    """
    return (
        input * money(prompt) * (1 - money(hit)) + cached * money(prompt) * money(hit) + output * money(answer)
    ) / money(prompt + answer)


@formula(Unit.MONEY)
def bill(price: Decimal, tokens: float) -> Decimal:
    """What a provider bills for the tokens of a year.

    cost = price * money(tokens)

    Parameters
    ----------
    price : of a million tokens
    tokens : of a year [million]

    Returns
    -------
    amount a year

    >>> bill(Decimal("0.64"), 1500.0)
    Decimal('960.000')
    """
    return price * money(tokens)


@formula(Unit.MONEY)
def rented(accelerators: int, price: Decimal, hours: Decimal, extras: Decimal) -> Decimal:
    """What the same accelerators cost by the hour, with storage, egress and idle time.

    cost = accelerators * price * hours * (1 + extras)

    Parameters
    ----------
    accelerators : number
    price : of one and an hour
    hours : of a year
    extras : share on top

    Returns
    -------
    amount a year

    >>> rented(2, Decimal("1.85"), Decimal(8760), Decimal("0.3"))
    Decimal('42135.600')
    """
    return accelerators * price * hours * (1 + extras)


@formula(Unit.MILLION_TOKENS)
def break_even_volume(cost: Decimal, price: Decimal) -> Decimal:
    """Tokens of a year at which a provider bills what the own system costs.

    tokens = where(price > 0, cost / where(price > 0, price, 1), infinity)

    Parameters
    ----------
    cost : of the own system, a year
    price : of a million tokens at the provider

    Returns
    -------
    million tokens; infinite where the provider asks nothing

    >>> break_even_volume(Decimal(26000), Decimal("0.65"))
    Decimal('4E+4')
    """
    return cost / price if price > 0 else INFINITY


@formula(Unit.MONEY)
def margin_at_full_load(capacity: float, price: Decimal, variable: Decimal) -> Decimal:
    """What a provider would bill for a year of uninterrupted work, less what such a year costs beyond waiting.

    margin = money(capacity) * price - variable

    Parameters
    ----------
    capacity : tokens of a year without a pause [million]
    price : of a million tokens at the provider
    variable : cost of a year of work beyond waiting

    Returns
    -------
    amount a year

    >>> margin_at_full_load(400000.0, Decimal("0.5"), Decimal(1000))
    Decimal('199000.00')
    """
    return money(capacity) * price - variable


@formula(Unit.SHARE)
def break_even_share(fixed: Decimal, margin: Decimal) -> Decimal:
    """Share of the year for which the own system must work to cost what a provider bills.

    share = where(margin > 0, fixed / where(margin > 0, margin, 1), infinity)

    Parameters
    ----------
    fixed : cost of a year in which nobody asks
    margin : saved by a year of uninterrupted work

    Returns
    -------
    share; above 1 no load is enough

    >>> break_even_share(Decimal(26000), Decimal(260000))
    Decimal('0.1')
    """
    return fixed / margin if margin > 0 else INFINITY


@formula(Unit.USER)
def users_at_share(users: int, share: Decimal, busy: float) -> Decimal:
    """Users who would keep the system as busy as the break-even asks, if each asks as much as now.

    users = users * share / money(busy)

    Parameters
    ----------
    users : now
    share : of the year at the break-even
    busy : share of the year now

    Returns
    -------
    users

    >>> users_at_share(300, Decimal("0.02"), 0.004)
    Decimal('1.5E+3')
    """
    return users * share / money(busy)


@formula(Unit.MONEY)
def monthly_saving(alternative: Decimal, own: Decimal) -> Decimal:
    """What owning saves a month against renting, once the purchase is paid.

    saving = (alternative - own) / 12

    Parameters
    ----------
    alternative : its cost of a year
    own : running cost of a year, without depreciation and without what both sides have

    Returns
    -------
    amount a month

    >>> monthly_saving(Decimal(36000), Decimal(6000))
    Decimal('2500')
    """
    return (alternative - own) / 12


@formula(Unit.MONTH)
def break_even_month(capital: Decimal, saving: Decimal) -> Decimal:
    """Months after which owning has cost less than renting.

    months = where(saving > 0, capital / where(saving > 0, saving, 1), infinity)

    Parameters
    ----------
    capital : paid at the start
    saving : of a month

    Returns
    -------
    months; infinite where renting is cheaper to run

    >>> break_even_month(Decimal(49442), Decimal(2587)).quantize(Decimal("0.1"))
    Decimal('19.1')
    """
    return capital / saving if saving > 0 else INFINITY


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


@formula(Unit.MONEY)
def per_user_and_month(cost: Decimal, users: int) -> Decimal:
    """What a user costs in a month.

    per_user = cost / users / 12

    Parameters
    ----------
    cost : of a year
    users : people with access

    Returns
    -------
    cost of one of them in a month

    >>> per_user_and_month(Decimal(4800), 40)
    Decimal('10')
    """
    return cost / users / 12
