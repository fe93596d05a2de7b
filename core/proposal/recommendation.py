"""The page that recommends: four figures, reasons for and against, the hardware, and the alternatives."""

from collections.abc import Sequence

from core.catalogue.records import DeviceKind
from core.language.findings import finding_sentence, finding_title
from core.language.messages import gettext as _
from core.language.messages import pgettext
from core.language.numbers import EN_DASH, Formatter
from core.language.sentences import device_with_count, requests, verdict_word
from core.proposal.against import against, in_favour
from core.proposal.letters import letter
from core.proposal.offer import Offer
from core.proposal.values import Column, Page, Point, Recommendation, Row, Table, Tile
from core.sizing.costs.report import Amount, Cost
from core.sizing.report import Estimate, Finding, FindingKind, Limit, Sizing, Verdict, Weight

#: Notes that explain memory stand on the memory page.
MEMORY_NOTES = (FindingKind.TEXTBOOK_KV, FindingKind.TEXTBOOK_WEIGHTS, FindingKind.MOE_ACTIVE_RESIDENT)

#: Points against on the page, the weightiest first; a range of prices is worth a word from here on.
MOST_POINTS, WIDE = 5, 1.3


def hardware(sizing: Sizing) -> str:
    """What is proposed, in a few words and without its maker's name."""
    return device_with_count(
        sizing.device.name_alone, sizing.scenario.deployment.count * sizing.scenario.deployment.nodes
    )


def money(amount: Amount, cost: Cost, write: Formatter) -> str:
    """An amount of a cost, or the word for what nobody knows."""
    return write.money(amount.value, cost.currency) if amount.known else write.unknown()


def recommendation(offers: Sequence[Offer], write: Formatter) -> Recommendation:
    sizing = offers[0].sizing
    fits = sizing.verdict is not Verdict.DOES_NOT_FIT
    return Recommendation(
        page=_page(sizing, write),
        tiles=_tiles(offers[0], write),
        ranges=_("Ranges are P10 to P90: in eight cases of ten the measured value lies inside."),
        for_heading=_("Why this one") if fits else _("What would help"),
        points_for=tuple(_points_for(sizing, write) if fits else _points_of_help(sizing, write)),
        against_heading=_("What speaks against it"),
        points_against=tuple(_points_against(offers[0], write)),
        options_heading=_("The hardware") if len(offers) == 1 else _("The alternatives"),
        options=_hardware(offers[0], write) if len(offers) == 1 else _alternatives(offers, write),
        others_heading=_("Alternatives considered, with the same model and formats"),
        others=_others(offers[0], write) if offers[0].others else None,
    )


def _page(sizing: Sizing, write: Formatter) -> Page:
    name, free = hardware(sizing), write.bytes(sizing.trace["memory.free_bytes"])
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return Page(
            _("{hardware} does not carry this work").format(hardware=name),
            _("It is {missing} of memory short. We say so here, rather than after the purchase.").format(
                missing=write.bytes(sizing.missing_bytes)
            ),
        )
    if sizing.speed_unknown:
        return Page(
            _("{hardware} holds this work; its speed is unknown").format(hardware=name),
            _("It holds the whole workload, and {free} of memory stay free. Have its speed measured first.").format(
                free=free
            ),
        )
    if sizing.verdict is Verdict.CLOSE:
        return Page(
            _("{hardware} carries the work, only just").format(hardware=name),
            _("{free} of memory stay free: whoever expects growth should plan one size larger.").format(free=free),
        )
    return Page(
        _("We recommend {hardware}").format(hardware=name),
        _("It carries the whole workload, and {free} of memory stay free.").format(free=free),
    )


def _tiles(offer: Offer, write: Formatter) -> tuple[Tile, ...]:
    sizing = offer.sizing
    work, trace = sizing.scenario.workload, sizing.trace
    return (
        Tile(
            _("Requests at once"),
            write.count(trace["max_concurrency"]),
            "",
            _("you need {number}").format(number=write.count(sizing.required_requests)),
        ),
        _speed_tile(_("Speed per person"), sizing.decode or sizing.decode_bound, work.speed_target, write),
        _time_tile(_("First word"), sizing.ttft, work.ttft_target_s, write),
        _cost_tile(offer, write) or _free_tile(sizing, write),
    )


def _free_tile(sizing: Sizing, write: Formatter) -> Tile:
    digits, unit = write.bytes_parts(sizing.trace["memory.free_bytes"])
    name = pgettext("memory", "Left free") if sizing.fits else pgettext("memory", "Missing")
    limit = write.bytes(sizing.trace["memory.limit_bytes"])
    return Tile(name, digits.lstrip("−"), unit, _("of {limit}").format(limit=limit))


def _cost_tile(offer: Offer, write: Formatter) -> Tile | None:
    """What it costs: per million tokens where that is known, else to buy."""
    cost = offer.cost
    if cost is None or not cost.capital.known or not offer.sizing.fits:
        return None
    purchase = money(cost.capital, cost, write)
    if not cost.per_million.known:
        return Tile(_("To buy"), purchase, "", "")
    note = _("{price} to buy").format(price=purchase)
    return Tile(_("Per million tokens"), money(cost.per_million, cost, write), "", note)


def _speed_tile(label: str, estimate: Estimate, target: float | None, write: Formatter) -> Tile:
    digits, unit = write.speed_parts(estimate.p50)
    low, high = write.speed_parts(estimate.p10)[0], write.speed_parts(estimate.p90)[0]
    note = _span(low, high) if low != high else _("at most")
    if target is not None:
        note = _("{range}; you need {target}").format(range=note, target=write.speed_parts(target)[0])
    return Tile(label, digits, unit, note)


def _time_tile(label: str, estimate: Estimate | None, target: float | None, write: Formatter) -> Tile:
    if estimate is None:
        note = "" if target is None else _("limit {target}").format(target=write.seconds(target))
        return Tile(label, write.unknown(), "", note)
    digits, unit = write.seconds_parts(estimate.p50)
    low, high = (write.seconds_parts(value, like=estimate.p50)[0] for value in (estimate.p10, estimate.p90))
    note = _span(low, high)
    if target is not None:
        note = _("{range}; limit {target}").format(range=note, target=write.seconds(target))
    return Tile(label, digits, unit, note)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}{EN_DASH}{high}"


def _points_for(sizing: Sizing, write: Formatter) -> list[Point]:
    trace, work = sizing.trace, sizing.scenario.workload
    used = _("{total} of {limit} are in use.").format(
        total=write.bytes(trace["memory.total_bytes"]), limit=write.bytes(trace["memory.limit_bytes"])
    )
    if any(tier.used_bytes for use in sizing.devices for tier in use.tiers[1:]):
        lead = _("Everything fits, part of it into slower memory.")
    else:
        on_one = sizing.plan.ranks == 1 and sizing.device.kind is DeviceKind.CARD
        lead = _("Everything fits on one card.") if on_one else _("Everything fits.")
    points = [Point(lead, used)]
    if work.speed_target is not None and sizing.decode is not None and sizing.decode.p50 >= work.speed_target:
        text = _("{speed} tokens per second where {target} are asked.")
        if sizing.decode_limit is Limit.BANDWIDTH:
            text = _(
                "Writing means reading memory: {bandwidth} give {speed} tokens per second where {target} are asked."
            )
        points.append(
            Point(
                _("It writes fast enough."),
                text.format(
                    bandwidth=write.rate(trace["memory_bandwidth_bytes_per_s"]),
                    speed=write.speed_parts(sizing.decode.p50)[0],
                    target=write.speed_parts(work.speed_target)[0],
                ),
            )
        )
    if work.ttft_target_s is not None and sizing.ttft is not None and sizing.ttft.p50 <= work.ttft_target_s:
        text = _("{time} where {target} are allowed, with all requests at once under way.")
        points.append(
            Point(
                _("The first word comes in time."),
                text.format(time=write.seconds(sizing.ttft.p50), target=write.seconds(work.ttft_target_s)),
            )
        )
    if trace["max_concurrency"] > sizing.required_requests:
        text = _("You need {required} at once; there is room for {fits}.")
        points.append(
            Point(
                _("It can grow."),
                text.format(required=requests(sizing.required_requests), fits=write.count(trace["max_concurrency"])),
            )
        )
    return points


def _points_of_help(sizing: Sizing, write: Formatter) -> list[Point]:
    trace = sizing.trace
    points = [
        Point(
            _("More memory."),
            _("{total} are needed, the engine may use {limit}.").format(
                total=write.bytes(trace["memory.total_bytes"]), limit=write.bytes(trace["memory.limit_bytes"])
            ),
        )
    ]
    if trace["max_concurrency"] >= 1:
        points.append(
            Point(
                _("Fewer requests at once."),
                _("There is room for {fits} where {required} were asked for.").format(
                    fits=write.count(trace["max_concurrency"]), required=write.count(sizing.required_requests)
                ),
            )
        )
    elif trace["memory.free_for_kv_bytes"] > 0:
        points.append(
            Point(
                _("A shorter context."),
                _("One request alone may hold up to {tokens} tokens.").format(
                    tokens=write.count(trace["max_context_tokens"])
                ),
            )
        )
    else:
        points.append(
            Point(
                _("Smaller weights."),
                _("Before the first request {fixed} are taken already.").format(
                    fixed=write.bytes(trace["memory.fixed_bytes"])
                ),
            )
        )
    return points


def _points_against(offer: Offer, write: Formatter) -> list[Point]:
    sizing = offer.sizing
    points = list(_missed_targets(sizing, write))
    points += [
        Point(f"{finding_title(finding.kind)}.", finding_sentence(finding, sizing))
        for finding in sizing.findings
        if _speaks_against(finding)
    ]
    if sizing.fits and sizing.plan.replicas * sizing.plan.attention_replicas == 1:
        points.append(
            Point(
                _("One system is one point of failure."),
                _("While it is repaired nobody is served; a second one as a copy carries on."),
            )
        )
    points += _price_points(offer, write)
    if sizing.decode is None:  # the finding about it has said so
        return points[:MOST_POINTS]
    text = _("Expect {range} per person; measure on site before acceptance.")
    span = write.range(sizing.decode.p10, sizing.decode.p90, write.speed_parts)
    points.append(Point(_("The speed is computed, not yet measured with you."), text.format(range=span)))
    return points[:MOST_POINTS]


def _price_points(offer: Offer, write: Formatter) -> list[Point]:
    """Quotes that lie far apart, with their dates."""
    cost = offer.cost
    if cost is None or not (cost.capital_low.known and cost.capital_high.known):
        return []
    low, high = cost.capital_low.value, cost.capital_high.value
    if float(high) < WIDE * float(low):
        return []
    span = write.money_range(low, high, cost.currency)
    return [Point(_("Prices move."), _("Quotes for everything that is bought run from {range}.").format(range=span))]


def _speaks_against(finding: Finding) -> bool:
    return finding.weight is Weight.WARNING and finding.kind not in MEMORY_NOTES


def _missed_targets(sizing: Sizing, write: Formatter) -> list[Point]:
    work, points = sizing.scenario.workload, []
    speed = sizing.decode or sizing.decode_bound
    if work.speed_target is not None and speed.p50 < work.speed_target:
        text = _("{speed} per person where {target} are asked.")
        if sizing.speed_unknown:
            text = _("At most {speed} per person where {target} are asked.")
        points.append(
            Point(
                _("It writes too slowly."),
                text.format(speed=write.speed(speed.p50), target=write.speed(work.speed_target)),
            )
        )
    if work.ttft_target_s is not None and sizing.ttft is not None and sizing.ttft.p50 > work.ttft_target_s:
        text = _("{time} where {target} are allowed.")
        points.append(
            Point(
                _("The first word comes late."),
                text.format(time=write.seconds(sizing.ttft.p50), target=write.seconds(work.ttft_target_s)),
            )
        )
    return points


def _hardware(offer: Offer, write: Formatter) -> Table:
    """The one option in figures."""
    sizing = offer.sizing
    columns = (
        Column(_("Hardware"), width="1fr"),
        Column(_("Memory"), "right"),
        Column(_("Bandwidth"), "right"),
        Column(_("Power"), "right"),
        Column(_("Price each"), "right"),
        Column(_("Verdict")),
    )
    cost = offer.cost
    power = write.power(cost.trace["power.busy_w"]) if cost and "power.busy_w" in cost.trace else write.unknown()
    row = Row(
        (
            hardware(sizing),
            write.bytes(sizing.trace["memory.capacity_bytes"]),
            write.rate(sizing.trace["memory_bandwidth_bytes_per_s"]),
            power,
            price(sizing, write),
            _lower(verdict_word(sizing.verdict), write),
        )
    )
    return Table(columns, (row,), _("The hardware with memory, bandwidth, power at work, price and verdict."))


def _lower(text: str, write: Formatter) -> str:
    return text[:1].lower() + text[1:] if write.language != "de" else text


def _alternatives(offers: Sequence[Offer], write: Formatter) -> Table:
    """The other options of the proposal."""
    names = [f"{letter(number)}  {hardware(one.sizing)}" for number, one in enumerate(offers)]
    description = _("The other options with speed, price, what speaks against each and when it is better.")
    return _compared(_("Option"), names[1:], offers[1:], offers[0], description, write)


def _others(first: Offer, write: Formatter) -> Table:
    """Other hardware that a search found."""
    names = [hardware(one.sizing) for one in first.others]
    description = _("Other hardware with speed, price, what speaks against each and when it is better.")
    return _compared(_("Hardware"), names, first.others, first, description, write)


def _compared(
    heading: str, names: Sequence[str], offers: Sequence[Offer], first: Offer, description: str, write: Formatter
) -> Table:
    """Options by name, with the reason against each and when it would be the better one."""
    columns = (
        Column(heading, width="1.1fr"),
        Column(_("Speed"), "right"),
        Column(_("To buy"), "right"),
        Column(_("What speaks against it"), width="1.25fr"),
        Column(_("When it is the better choice"), width="1.1fr"),
    )
    rows = tuple(
        Row(
            (
                name,
                write.speed(one.sizing.decode.p50) if one.sizing.decode else write.unknown(),
                money(one.cost.capital, one.cost, write) if one.cost else write.unknown(),
                against(one, first, write),
                in_favour(one, first, write) or "–",
            )
        )
        for name, one in zip(names, offers, strict=True)
    )
    return Table(columns, rows, description)


def price(sizing: Sizing, write: Formatter) -> str:
    """The price of one device: the one that was entered, else the catalogue's range with its date, else a word."""
    economics, listed = sizing.scenario.economics, sizing.device.price
    if economics.price is not None:
        return write.money(economics.price, economics.currency)
    if listed is None:
        return write.unknown()
    span = write.money_range(listed.low, listed.high, listed.currency)
    return f"{span}\n({listed.as_of})" if listed.as_of else span
