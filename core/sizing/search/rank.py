"""By what answers are put in order, and what no candidate of a kind can fall below."""

from core.sizing.search.evaluate import Evaluation
from core.sizing.search.report import Kind
from core.sizing.search.request import Ranking, SearchRequest

INFINITE = float("inf")


def metric(ranking: Ranking, found: Evaluation) -> float:
    """The figure of the ranking, smaller is better; infinite where a fact is missing.

    Until a scenario says what its hardware costs over a term, cost per token follows the purchase price.
    """
    if ranking is Ranking.SPEED:
        return -(found.speed[1] if found.speed else 0.0)
    if ranking is Ranking.ENERGY:
        joules = found.joules_per_token
        return INFINITE if joules is None else joules
    return price(found)


def least(ranking: Ranking, kind: Kind, speed: float, throughput: float) -> float:
    """What the metric is at least for a kind whose speed and throughput stay below these bounds."""
    if ranking is Ranking.SPEED:
        return -speed
    if ranking is Ranking.ENERGY:
        power = kind.supply.power_w
        return INFINITE if power is None or throughput <= 0 else power / throughput
    return INFINITE if kind.supply.price is None else float(kind.supply.price)


def price(found: Evaluation) -> float:
    """Purchase price as a number to compare; infinite where it is unknown."""
    return INFINITE if found.supply.price is None else float(found.supply.price)


def objective(ranking: Ranking, found: Evaluation) -> float:
    """What candidates of one kind compete for, larger is better: price and power are the same for all of them."""
    if ranking is Ranking.ENERGY:
        return found.throughput or 0.0
    return found.speed[1] if found.speed else 0.0


def order(request: SearchRequest, kind: Kind, found: Evaluation) -> tuple[object, ...]:
    """The place of an answer: the ranking, then speed, then price, then what is simplest."""
    speed = found.speed[1] if found.speed else 0.0
    return (metric(request.ranking, found), -speed, price(found), kind.order, found.candidate.order)


def order_within(ranking: Ranking, found: Evaluation) -> tuple[object, ...]:
    """The place of a candidate within its kind."""
    speed = found.speed[1] if found.speed else 0.0
    return (-objective(ranking, found), -speed, found.candidate.order)
