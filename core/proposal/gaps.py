"""What a proposal lacks before it is sent: names nobody gave, prices that nobody knows, letters without a glyph.

A gap says where it can be closed; words are put to it in `core.proposal.gap_sentences`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.proposal.glyphs import named_missing
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions, Section
from core.sizing.costs.report import Missing
from core.sizing.report import Evidence


class GapKind(StrEnum):
    CLIENT = "client"  # nobody is named
    AUTHOR = "author"  # nor who makes the proposal
    USERS = "users"
    PRICE = "price"  # of a line of the bill of materials
    PRICE_DATE = "price_date"
    PRICE_OLD = "price_old"
    EXCHANGE = "exchange"
    TARIFF = "tariff"
    SPEED = "speed"
    GENERIC = "generic"  # the speed rests on no measurement of anything alike
    GLYPHS = "glyphs"  # characters that no font of the bundle has


class Place(StrEnum):
    """Where a gap is closed."""

    DOCUMENT = "document"  # names and title of the proposal
    BRAND = "brand"
    ECONOMICS = "economics"  # of the scenario
    WORKLOAD = "workload"
    SCENARIO = "scenario"  # its name
    DEVICE = "device"  # its record in the catalogue


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that is missing: what, of which option, and what it is about."""

    kind: GapKind
    place: Place
    option: int = 0
    subject: str = ""


def gaps(offers: Sequence[Offer], options: ProposalOptions) -> tuple[Gap, ...]:
    """What should be known before a proposal is sent, most important first; empty where nothing is missing."""
    found: list[Gap] = [*_unprintable(offers, options)]
    if not (options.client or offers[0].scenario.client):
        found.append(Gap(GapKind.CLIENT, Place.DOCUMENT))
    if not (options.author or options.brand.name):
        found.append(Gap(GapKind.AUTHOR, Place.DOCUMENT))
    for number, one in enumerate(offers):
        found += _of_offer(number, one, options)
    return tuple(dict.fromkeys(found))


def _unprintable(offers: Sequence[Offer], options: ProposalOptions) -> Iterator[Gap]:
    document = (options.client, options.recipient, options.title, options.author)
    brand = (options.brand.name, options.brand.contact, options.brand.legal)
    named = {Place.DOCUMENT: document, Place.BRAND: brand}
    for place, texts in named.items():
        missing = named_missing(*texts)
        if missing:
            yield Gap(GapKind.GLYPHS, place, subject=missing)
    for number, one in enumerate(offers):
        lines = one.scenario.economics.lines or ()
        missing = named_missing(one.scenario.name, one.scenario.client, *(line.name for line in lines))
        if missing:
            yield Gap(GapKind.GLYPHS, Place.SCENARIO, number, missing)


def _of_offer(number: int, one: Offer, options: ProposalOptions) -> Iterator[Gap]:
    sizing, device = one.sizing, one.scenario.deployment.device
    if sizing.speed_unknown:
        yield Gap(GapKind.SPEED, Place.DEVICE, number, device)
    elif sizing.decode is not None and sizing.decode.evidence is Evidence.GENERIC:
        yield Gap(GapKind.GENERIC, Place.DEVICE, number, sizing.device.name)
    if one.cost is None or not (options.holds(Section.COST) or options.holds(Section.OPTIONS)):
        return
    cost = one.cost
    for line in cost.lines:
        if line.amount.missing is Missing.EXCHANGE_RATE:
            yield Gap(GapKind.EXCHANGE, Place.ECONOMICS, number, line.quote.currency if line.quote else "")
        elif not line.amount.known:
            yield Gap(GapKind.PRICE, Place.ECONOMICS, number, line.name or line.fact or line.kind.value)
        elif line.quote is not None and not line.quote.date:
            yield Gap(GapKind.PRICE_DATE, Place.ECONOMICS, number, line.name or line.fact or line.kind.value)
        elif line.quote is not None and line.quote.before_rise:
            yield Gap(GapKind.PRICE_OLD, Place.ECONOMICS, number, line.name or line.fact or line.kind.value)
    reasons = {running.amount.missing for running in cost.running} | {cost.per_million.missing}
    if Missing.TARIFF in reasons:
        yield Gap(GapKind.TARIFF, Place.ECONOMICS, number)
    if Missing.USERS in reasons:
        yield Gap(GapKind.USERS, Place.WORKLOAD, number)
