"""What the same work costs elsewhere, rented or by the token, and when owning is worth it.

Amounts of money are decimal numbers in one currency, see `economics`.
"""

from decimal import Decimal

from core.trace import formula, money
from core.units import Unit

INFINITY = Decimal("Infinity")


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
