"""Money: what a system costs to own, by the year, by the token and by the user.

Amounts of money are decimal numbers in one currency, which the scenario names; watts, tokens and shares of time are
floats. `money(...)` in a formula turns one of those into a decimal number without changing it. What is bought stands in
`purchase`, what it draws in `energy`, and what the same work costs elsewhere in `alternatives`.

Cost per million tokens is always over the tokens that the client really sends. Office work keeps a system busy for a
few per cent of the year at most, so a cost at full load is a bound and never a promise.

References
----------
1. Brealey, Myers, Allen: "Principles of Corporate Finance", on equivalent annual cost.
"""

from collections.abc import Sequence
from decimal import Decimal

from core.trace import formula, money
from core.units import Unit


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
