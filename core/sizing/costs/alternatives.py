"""What the client could do instead: a hosted model paid by the token, or the same accelerators by the hour.

A hosted model costs nothing while nobody asks, so it is compared by the tokens of the client's year; rented
accelerators cost by the hour, so they are compared by the month in which owning has become cheaper. Staff and licences
stand on both sides and are left out of that comparison.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar

from core.catalogue.catalogue import Catalogue
from core.catalogue.fact_kinds import FactSection
from core.catalogue.fact_records import Fact
from core.catalogue.facts import Offer
from core.physics import alternatives as elsewhere
from core.scenario import ApiChoice, CatalogueModel, CloudChoice
from core.sizing.costs.ledger import Ledger
from core.sizing.costs.report import HostedModel, Missing, RentedCloud
from core.sizing.report import Sizing
from core.trace import CHOICE, Origin
from core.units import Unit

T = TypeVar("T")

ON_DEMAND = "on_demand"


def hosted_models(ledger: Ledger, sizing: Sizing) -> tuple[HostedModel, ...]:
    """Record every hosted model chosen; by rule the cheapest, a middle and the dearest provider of this one."""
    choices = ledger.economics.api
    if choices is None:
        model = sizing.scenario.model
        offers = ledger.facts.offers_of(model.id) if isinstance(model, CatalogueModel) else ()
        choices = tuple(ApiChoice(offer=offer.id) for offer in _spread(offers))
    return tuple(_hosted(ledger, f"hosted.{number}", choice) for number, choice in enumerate(choices))


def _spread(items: Sequence[T]) -> tuple[T, ...]:
    """First, middle and last of a sorted sequence, each once."""
    if not items:
        return ()
    places = sorted({0, (len(items) - 1) // 2, len(items) - 1})
    return tuple(items[place] for place in places)


def _hosted(ledger: Ledger, key: str, choice: ApiChoice) -> HostedModel:
    offer = ledger.facts.offers.get(choice.offer or "")
    currency = _record_prices(ledger, key, choice, offer)
    ledger.given(f"{key}.cached_share", choice.cached_share, Unit.SHARE)
    ledger.compute(
        f"{key}.quoted",
        elsewhere.blended,
        input=f"{key}.input",
        cached=f"{key}.cached",
        output=f"{key}.output",
        prompt="workload.prompt_tokens",
        answer="workload.output_tokens",
        hit=f"{key}.cached_share",
    )
    price = ledger.converted(f"{key}.price", f"{key}.quoted", currency)
    _record_break_even(ledger, key, price)
    share, most = ledger.amount(f"{key}.break_even_share"), ledger.amount("demand.attainable_share")
    return HostedModel(
        name=choice.name or (offer.model if offer else ""),
        provider=offer.provider if offer else "",
        date=offer.output.date if offer else "",
        price=ledger.amount(price),
        bill=ledger.amount(f"{key}.bill"),
        volume=ledger.amount(f"{key}.break_even_volume"),
        share=share,
        reachable=bool(share.value <= Decimal(str(most.value))) if share.known and most.known else None,
        users=ledger.amount(f"{key}.break_even_users"),
    )


def _record_prices(ledger: Ledger, key: str, choice: ApiChoice, offer: Offer | None) -> str:
    """Record the prices of prompt, cached prompt and answer as they are quoted; return their currency."""
    facts = {"input": offer.input, "output": offer.output, "cached": offer.cached} if offer else {}
    chosen = {"input": choice.input_price, "output": choice.output_price, "cached": choice.cached_price}
    for name in ("input", "output", "cached"):
        fact = facts.get(name)
        if chosen[name] is not None:
            ledger.given(f"{key}.{name}", chosen[name], Unit.MONEY)
        elif fact is not None:
            ledger.given(f"{key}.{name}", fact.middle, Unit.MONEY, fact.origin)
        elif name == "cached" and ledger.knows(f"{key}.input"):
            origin = facts["input"].origin if facts.get("input") else CHOICE  # type: ignore[union-attr]
            ledger.given(f"{key}.cached", ledger.trace[f"{key}.input"], Unit.MONEY, origin)
        else:
            ledger.lack(f"{key}.{name}", Missing.PRICE, choice.name)
    return choice.currency or (offer.output.currency if offer else ledger.currency)


def _record_break_even(ledger: Ledger, key: str, price: str) -> None:
    """Record the bill of the client's year, and the volume and share at which the own system costs as much."""
    ledger.compute(f"{key}.bill", elsewhere.bill, price=price, tokens="demand.tokens_per_year")
    ledger.compute(f"{key}.break_even_volume", elsewhere.break_even_volume, cost="cost.yearly", price=price)
    ledger.compute(
        f"{key}.margin",
        elsewhere.margin_at_full_load,
        capacity="cost.capacity",
        price=price,
        variable="cost.energy_of_work",
    )
    ledger.compute(f"{key}.break_even_share", elsewhere.break_even_share, fixed="cost.fixed", margin=f"{key}.margin")
    ledger.compute(
        f"{key}.break_even_users",
        elsewhere.users_at_share,
        users="workload.users",
        share=f"{key}.break_even_share",
        busy="demand.busy_share",
    )


# ---- by the hour


def rented_clouds(ledger: Ledger, sizing: Sizing, catalogue: Catalogue) -> tuple[RentedCloud, ...]:
    """Record every cloud that was chosen; by rule the cheapest, the middle and the dearest, always on."""
    choices = ledger.economics.cloud
    if choices is None:
        device = catalogue.device(sizing.scenario.deployment.device)
        rents = ledger.facts.cloud([device.id, *([device.accelerator_id] if device.accelerator_id else [])])
        on_demand = [fact for fact in rents if fact.billing == ON_DEMAND]
        choices = tuple(CloudChoice(fact=fact.id) for fact in _spread(on_demand))
    return tuple(_rented(ledger, f"cloud.{number}", choice) for number, choice in enumerate(choices))


def _rented(ledger: Ledger, key: str, choice: CloudChoice) -> RentedCloud:
    fact = ledger.facts.find(FactSection.CLOUD, choice.fact) if choice.fact else None
    quoted, currency = _record_rent(ledger, key, choice, fact)
    price = ledger.converted(f"{key}.price", quoted, currency)
    ledger.given(f"{key}.hours", choice.hours, Unit.HOUR)
    ledger.given(f"{key}.extras", choice.extra_share, Unit.SHARE)
    ledger.compute(
        f"{key}.bill",
        elsewhere.rented,
        accelerators="deployment.accelerators",
        price=price,
        hours=f"{key}.hours",
        extras=f"{key}.extras",
    )
    ledger.compute(f"{key}.saving", elsewhere.monthly_saving, alternative=f"{key}.bill", own="cost.own_running")
    ledger.compute(
        f"{key}.break_even_month", elsewhere.break_even_month, capital="cost.capital", saving=f"{key}.saving"
    )
    month, term = ledger.amount(f"{key}.break_even_month"), ledger.amount("cost.term_years")
    return RentedCloud(
        name=choice.name or (fact.provider if fact else ""),
        billing=fact.billing if fact else "",
        date=fact.date if fact else "",
        hours=choice.hours,
        price=ledger.amount(price),
        bill=ledger.amount(f"{key}.bill"),
        month=month,
        in_term=bool(month.value <= 12 * term.value) if month.known and term.known else None,
    )


def _record_rent(ledger: Ledger, key: str, choice: CloudChoice, fact: Fact | None) -> tuple[str, str]:
    """Record the price of an accelerator and hour as it is quoted; return its key and currency."""
    at, currency = f"{key}.quoted", choice.currency or ledger.currency
    if choice.price is not None:
        return ledger.given(at, choice.price, Unit.MONEY, Origin(CHOICE.kind)), currency
    if fact is None or not fact.currency:
        return ledger.lack(at, Missing.PRICE, choice.name), currency
    return ledger.given(at, fact.middle, Unit.MONEY, fact.origin), fact.currency
