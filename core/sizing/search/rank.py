"""By what answers are put in order, and what no candidate can fall below.

Costs and energies are compared to the three digits in which they are read: hardware whose cost differs by less is
equal, and then the faster one comes first.
"""

from typing import Any

from core.physics import demand as d
from core.physics.energy import energy_per_million, energy_per_million_full, energy_per_year, joules_per_token
from core.sizing.search.evaluate import Evaluation
from core.sizing.search.need import Need
from core.sizing.search.report import Kind
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.search.supply import Supply

Axis = Any  # array, one element a candidate

INFINITE = float("inf")
#: Rankings whose figure is compared as it is read.
READ_TO_THREE = (Ranking.COST, Ranking.ENERGY)


def metric(ranking: Ranking, found: Evaluation) -> float:
    """The figure of the ranking, smaller is better; infinite where a fact is missing."""
    if ranking is Ranking.SPEED:
        return -speed_of(found)
    if ranking is Ranking.ENERGY:
        return read_to_three(found.energy_per_million)
    if ranking is Ranking.COST:
        return read_to_three(found.per_million if found.per_million is not None else found.yearly)
    return price(found)


def read_to_three(figure: Any) -> float:
    """A figure in three digits; infinite where there is none.

    >>> read_to_three(1234.5), read_to_three(0.07449), read_to_three(None)
    (1230.0, 0.0745, inf)
    """
    return INFINITE if figure is None else float(f"{figure:.3g}")


def least(ranking: Ranking, need: Need, facts: Supply, speed: Axis, saturated: Axis) -> Axis:
    """What the metric is at least for candidates that are bought in one way, before it is read to three digits.

    Parameters
    ----------
    ranking : by what
    need : the client's demand
    facts : price, running cost and power of this way
    speed : of one user at most [token/s]
    saturated : of all users at most, when there are always more requests than fit [token/s]

    Returns
    -------
    one figure a candidate
    """
    if ranking is Ranking.SPEED:
        return -speed
    if ranking is Ranking.PRICE:
        return 0.0 * speed + (INFINITE if facts.price is None else float(facts.price))
    if ranking is Ranking.ENERGY:
        return _least_energy_per_million(need, facts, saturated)
    if facts.standing is None:
        return 0.0 * speed + INFINITE
    yearly = float(facts.standing)
    if facts.tariff is not None:
        yearly = yearly + float(facts.tariff) * _least_energy(need, facts, saturated)
    return 0.0 * speed + (yearly if need.tokens is None else yearly / need.tokens)


def _least_energy(need: Need, facts: Supply, saturated: Axis) -> Axis:
    """Energy of a year at the least [kWh]; that of waiting where nobody has said how many users there are."""
    if facts.idle_w is None or facts.least_busy_w is None:
        return INFINITE
    share = 0.0 if need.requests is None else d.busy_share(need.requests, d.busy_seconds(need.output, saturated))
    return energy_per_year(facts.idle_w, max(facts.idle_w, facts.least_busy_w), share, facts.pue)


def _least_energy_per_million(need: Need, facts: Supply, saturated: Axis) -> Axis:
    """Energy of a million tokens at the least [kWh]: as they come, or at full load."""
    if facts.least_busy_w is None:
        return 0.0 * saturated + INFINITE
    if need.tokens is not None:
        return energy_per_million(_least_energy(need, facts, saturated), need.tokens)
    speed = d.tokens_while_busy(need.prompt, need.output, d.busy_seconds(need.output, saturated))
    return energy_per_million_full(joules_per_token(facts.least_busy_w, facts.pue, speed))


def price(found: Evaluation) -> float:
    """Purchase price as a number to compare; infinite where it is unknown."""
    return INFINITE if found.supply.price is None else float(found.supply.price)


def speed_of(found: Evaluation) -> float:
    """Median speed of one user."""
    return found.speed[1] if found.speed else 0.0


def order(request: SearchRequest, kind: Kind, found: Evaluation) -> tuple[object, ...]:
    """The place of an answer: the ranking, then speed, then price, then what is simplest."""
    return (metric(request.ranking, found), -speed_of(found), price(found), kind.order, found.candidate.order)


def order_within(ranking: Ranking, found: Evaluation) -> tuple[object, ...]:
    """The place of a candidate within its kind."""
    return (metric(ranking, found), -speed_of(found), price(found), found.candidate.order)
