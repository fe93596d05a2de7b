"""The options side by side: rows of figures with the best in bold, and speed against price."""

from collections.abc import Callable, Iterator, Sequence

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter
from core.language.sentences import clauses, evidence, named, requests, verdict_word
from core.proposal.against import against
from core.proposal.axes import linear, logarithmic
from core.proposal.letters import letter
from core.proposal.memory_chapter import bars, in_words
from core.proposal.offer import Offer
from core.proposal.recommendation import hardware, money
from core.proposal.values import (
    ComparedCell,
    ComparedRow,
    Exhibit,
    OptionColumn,
    OptionsCompared,
    Page,
    PriceChart,
    PricePoint,
    Tick,
)
from core.sizing.report import Sizing
from core.units import Unit

#: Options that have a colour of their own; further ones are grey.
#: More options than this stand below one another.
MOST_COLUMNS = 4
SERIES = ("series_a", "series_b", "series_c", "series_d")


def options(offers: Sequence[Offer], write: Formatter, number: Callable[[], int]) -> OptionsCompared | None:
    """The page; None where there is nothing to compare. `number` counts exhibits."""
    if len(offers) < 2:
        return None
    chart = _chart(offers, write)
    return OptionsCompared(
        page=_page(offers, write),
        columns=tuple(_columns(offers, write)),
        bars=tuple(bars(one.sizing, write)[0] for one in offers),
        bars_in_words=tuple(in_words(one.sizing, write) for one in offers),
        bars_label=_("Memory, same scale"),
        bars_note=_("line: engine limit"),
        heading=_("Criterion") if len(offers) <= MOST_COLUMNS else _("Option"),
        rows=tuple(_rows(offers, write)),
        caption=_("Bold: best in its row among the options that do the work."),
        exhibit=_exhibit(offers, write, number()) if chart else None,
        chart=chart,
    )


def _page(offers: Sequence[Offer], write: Formatter) -> Page:
    title = ngettext("{number} option side by side", "{number} options side by side", len(offers))
    lead = clauses(
        named(letter(number), against(one, offers[0], write)) for number, one in enumerate(offers[:4]) if number
    )
    return Page(title.format(number=write.count(len(offers))), f"{lead}." if lead else "")


def _columns(offers: Sequence[Offer], write: Formatter) -> Iterator[OptionColumn]:
    for number, one in enumerate(offers):
        note = _("recommended") if number == 0 else ""
        if not _does_the_work(one.sizing):
            note = _("does not meet the need")
        colour = SERIES[number] if number < len(SERIES) else "ink_3"
        yield OptionColumn(letter(number), hardware(one.sizing), note, colour)


def _does_the_work(sizing: Sizing) -> bool:
    work = sizing.scenario.workload
    if not sizing.fits or sizing.decode is None or sizing.ttft is None:
        return False
    fast = work.speed_target is None or sizing.decode.p50 >= work.speed_target
    return fast and (work.ttft_target_s is None or sizing.ttft.p50 <= work.ttft_target_s)


Figure = float | None


def _rows(offers: Sequence[Offer], write: Formatter) -> Iterator[ComparedRow]:
    sizings = [one.sizing for one in offers]
    able = [_does_the_work(sizing) for sizing in sizings]

    def row(
        label: str, values: Sequence[Figure], texts: Sequence[str], note: str = "", high: bool = False
    ) -> ComparedRow:
        known = [value for value, can in zip(values, able, strict=True) if value is not None and can]
        best = (max(known) if high else min(known)) if len(known) > 1 and len(set(known)) > 1 else None
        cells = tuple(
            ComparedCell(text, best=best is not None and can and value == best)
            for value, text, can in zip(values, texts, able, strict=True)
        )
        return ComparedRow(label, note, cells)

    yield ComparedRow(_("Verdict"), "", tuple(_verdict(sizing, write) for sizing in sizings))
    speeds = [sizing.decode.p50 if sizing.decode else None for sizing in sizings]
    spoken = [_with_range(sizing, write) for sizing in sizings]
    need = requests(sizings[0].required_requests)
    yield row(_("Speed per person"), speeds, spoken, _("{requests}, P10 to P90").format(requests=need), high=True)
    first = [sizing.ttft.p50 if sizing.ttft else None for sizing in sizings]
    yield row(_("First word"), first, [_unknown(value, write.seconds, write) for value in first])
    room = [float(sizing.trace["max_concurrency"]) for sizing in sizings]
    yield row(_("Requests at once"), room, [write.count(value) for value in room], high=True)
    yield from _money_rows(offers, write, row)
    known_from = [evidence(sizing.decode.evidence) if sizing.decode else write.unknown() for sizing in sizings]
    yield ComparedRow(_("Speed known from"), "", tuple(ComparedCell(text) for text in known_from))
    formats = [f"{one.scenario.weights.upper()}, {one.scenario.kv_format.upper()}" for one in offers]
    if len(set(formats)) > 1:
        yield ComparedRow(_("Weights, cache"), "", tuple(ComparedCell(text) for text in formats))


def _money_rows(offers: Sequence[Offer], write: Formatter, row: Callable[..., ComparedRow]) -> Iterator[ComparedRow]:
    costs = [one.cost for one in offers]
    if not any(costs):
        return
    power = [float(cost.trace["power.busy_w"]) if cost and "power.busy_w" in cost.trace else None for cost in costs]
    yield row(_("Power at work"), power, [_unknown(value, write.power, write) for value in power])
    years = next((cost.trace["cost.term_years"] for cost in costs if cost and "cost.term_years" in cost.trace), None)
    term = write.figure(years, Unit.YEAR) if years is not None else ""
    for label, name in (
        (_("To buy"), "capital"),
        (_("Over {years}").format(years=term), "total"),
        (_("Per million tokens"), "per_million"),
    ):
        amounts = [getattr(cost, name) if cost else None for cost in costs]
        values = [float(amount.value) if amount is not None and amount.known else None for amount in amounts]
        texts = [
            money(amount, cost, write) if amount is not None and cost is not None else write.unknown()
            for amount, cost in zip(amounts, costs, strict=True)
        ]
        yield row(label, values, texts)


def _unknown(value: Figure, written: Callable[[float], str], write: Formatter) -> str:
    return write.unknown() if value is None else written(value)


def _with_range(sizing: Sizing, write: Formatter) -> str:
    decode = sizing.decode
    if decode is None:
        return write.unknown()
    return f"{write.speed(decode.p50)}\n{write.range(decode.p10, decode.p90, write.speed_parts)}"


def _verdict(sizing: Sizing, write: Formatter) -> ComparedCell:
    if not sizing.fits:
        return ComparedCell(verdict_word(sizing.verdict), bad=True)
    work = sizing.scenario.workload
    if sizing.decode is not None and work.speed_target is not None and sizing.decode.p50 < work.speed_target:
        return ComparedCell(_("too slow"), bad=True)
    if sizing.ttft is not None and work.ttft_target_s is not None and sizing.ttft.p50 > work.ttft_target_s:
        return ComparedCell(_("first word too late"), bad=True)
    return ComparedCell(verdict_word(sizing.verdict))


# ---- speed against price


def _chart(offers: Sequence[Offer], write: Formatter) -> PriceChart | None:
    points = tuple(_points(offers))
    if len(points) < 2:
        return None
    prices = [point.price for point in points]
    target = offers[0].scenario.workload.speed_target
    currency = next(one.cost.currency for one in offers if one.cost is not None)

    def priced(value: float) -> str:
        return write.money(value, currency)

    return PriceChart(
        points=points,
        x_ticks=logarithmic(min(prices), max(prices), priced),
        y_ticks=linear(max(max(point.high for point in points), target or 0), write.number),
        target=Tick(target, _("your target {speed}").format(speed=write.speed_parts(target)[0])) if target else None,
    )


def _points(offers: Sequence[Offer]) -> Iterator[PricePoint]:
    for number, one in enumerate(offers):
        decode, cost = one.sizing.decode, one.cost
        if decode is None or cost is None or not cost.capital.known or not cost.capital.value:
            continue
        colour = SERIES[number] if number < len(SERIES) else "ink_3"
        yield PricePoint(
            letter(number),
            hardware(one.sizing),
            colour,
            float(cost.capital.value),
            decode.p10,
            decode.p50,
            decode.p90,
            _does_the_work(one.sizing),
        )


def _exhibit(offers: Sequence[Offer], write: Formatter, number: int) -> Exhibit:
    points = list(_points(offers))
    able = [point for point in points if point.meets]
    if not able:
        message = _("None of the options does all that was asked")
    else:
        cheapest = min(able, key=lambda point: point.price)
        text = _("{letter} is the cheapest option that does the work")
        if cheapest is max(able, key=lambda point: point.middle) and len(able) > 1:
            text = _("{letter} is the cheapest option that does the work, and the fastest")
        message = text.format(letter=cheapest.letter)
    said = clauses(named(point.letter, write.speed(point.middle)) for point in points)
    return Exhibit(
        number=_("Exhibit {number}").format(number=number),
        message=message,
        conditions=_("Speed per person in tokens per second against the price to buy; bars: P10 to P90."),
        source="",
        alternative=_("Points of speed against price. {points}.").format(points=said),
    )
