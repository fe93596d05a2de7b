"""The cost pages: what is bought, what a year costs, how the cost of a million tokens comes about, and break-even."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from core.language.cost_sentences import cloud_sentence, hosted_sentence, line_name, missing, price_age, running
from core.language.figures import label
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter
from core.language.part_names import TOWER
from core.language.sentences import clauses, confidence, named
from core.proposal.appendix import Figures
from core.proposal.letters import letter
from core.proposal.offer import Offer
from core.proposal.recommendation import hardware, money
from core.proposal.values import Column, CostBar, CostPages, Exhibit, Page, Point, Row, Segment, Table
from core.scenario import LineKind
from core.sizing.costs.bill import WORKSTATIONS, is_built_in
from core.sizing.costs.offered import of_term, per_user_and_month
from core.sizing.costs.report import Amount, Cost, PricedLine, Running
from core.units import Unit

_CARDS, _REST, _WORK, _ENERGY, _UPKEEP = "weights", "companions", "runtime", "prompts", "kv"
#: Less than half a cent.
LEAST_WRITTEN = Decimal("0.005")
_PARTS = {
    _CARDS: marked("accelerators"),
    _REST: marked("what is around them"),
    _WORK: marked("services"),
    _ENERGY: marked("electricity"),
    _UPKEEP: marked("upkeep"),
}
_KINDS = {LineKind.CARDS: _CARDS, LineKind.SERVICES: _WORK, LineKind.SOFTWARE: _WORK}
#: Bought once beside the lines.
_ON_TOP = ("cost.installation", "cost.contingency", "cost.margin")


def costs(offers: Sequence[Offer], write: Formatter, figures: Figures, number: Callable[[], int]) -> CostPages | None:
    """The pages; None where nothing was costed. `number` counts exhibits."""
    cost = offers[0].cost
    if cost is None:
        return None
    bars = tuple(_bars(offers, write))
    used = {part.colour for bar in bars for part in bar.parts}
    return CostPages(
        page=_page(cost, write),
        exhibit=_exhibit(offers, bars, write, figures, number()) if bars else None,
        bars=bars,
        legend=tuple((colour, _(text)) for colour, text in _PARTS.items() if colour in used),
        bill_heading=_("Bill of materials"),
        bill=_bill(cost, write, figures),
        steps_heading=_steps_heading(cost, write),
        steps=_steps(cost, write, figures),
        even_heading=_("Against renting and hosted models"),
        even=tuple(_even(cost)),
        caption=_caption(cost, write),
    )


def _page(cost: Cost, write: Formatter) -> Page:
    if not cost.capital.known:
        open_lines = ", ".join(line_name(line) for line in cost.open_lines[:3])
        text = _("No price is known for: {lines}. Everything that is known stands below.")
        return Page(_("What it costs is not known in full"), text.format(lines=open_lines))
    purchase = money(cost.capital, cost, write)
    if not cost.total.known:
        reason = missing(cost.total.missing) if cost.total.missing else ""
        title = _("It costs {purchase} to buy").format(purchase=purchase)
        return Page(title, _("What it costs to run is not known: {reason}.").format(reason=reason))
    years = write.figure(cost.trace["cost.term_years"], Unit.YEAR)
    total = money(cost.total, cost, write)
    title = _("It costs {total} over {years}").format(total=total, years=years)
    monthly = per_user_and_month(cost)
    if not monthly:
        return Page(title, _("Of this {purchase} to buy.").format(purchase=purchase))
    text = _("Of this {purchase} to buy; {monthly} per person and month in all.")
    return Page(title, text.format(purchase=purchase, monthly=write.money(cost.trace[monthly], cost.currency)))


# ---- the drawing


def _bars(offers: Sequence[Offer], write: Formatter) -> Iterator[CostBar]:
    for number, one in enumerate(offers):
        cost = one.cost
        if cost is None or not cost.total.known:
            continue
        parts: dict[str, list[str]] = {colour: [] for colour in _PARTS}
        for line in cost.lines:
            if not line.yearly:
                parts[_KINDS.get(line.kind, _REST)].append(f"{line.key}.amount")
        parts[_WORK] += [key for key in _ON_TOP if key in cost.trace]
        for item in cost.running:
            key = of_term(cost, item.kind) if item.kind is not Running.ANNUITY else ""
            if key:
                parts[_ENERGY if item.kind is Running.ENERGY else _UPKEEP].append(key)
        segments = tuple(
            Segment(colour, float(sum((cost.trace[key] for key in keys), Decimal(0))), _(_PARTS[colour]), "", True)
            for colour, keys in parts.items()
            if keys
        )
        yield CostBar(letter(number), hardware(one.sizing), segments, money(cost.total, cost, write))


def _exhibit(
    offers: Sequence[Offer], bars: Sequence[CostBar], write: Formatter, figures: Figures, number: int
) -> Exhibit:
    cost = offers[0].cost
    assert cost is not None
    years = write.figure(cost.trace["cost.term_years"], Unit.YEAR)
    text = _("Cost over {years} in {currency}, net: what is bought, and what it takes to run it.")
    said = clauses(named(f"{bar.letter}, {bar.name}", bar.total) for bar in bars)
    return Exhibit(
        number=_("Exhibit {number}").format(number=number),
        message=_message(bars[0]),
        conditions=text.format(years=years, currency=cost.currency),
        source=figures.citation("cost.total", "cost.capital", "cost.running"),
        alternative=_("Bars of cost: {bars}.").format(bars=said),
    )


def _message(bar: CostBar) -> str:
    """What decides, by the largest part of the first bar."""
    bought = sum(part.amount for part in bar.parts if part.colour in (_CARDS, _REST, _WORK))
    energy = sum(part.amount for part in bar.parts if part.colour == _ENERGY)
    upkeep = sum(part.amount for part in bar.parts if part.colour == _UPKEEP)
    if bought >= energy + upkeep:
        return _("The purchase decides, not what it takes to run it")
    if energy >= upkeep:
        return _("Electricity decides: running it costs more than buying it")
    return _("Upkeep decides: running it costs more than buying it")


# ---- tables


def _bill(cost: Cost, write: Formatter, figures: Figures) -> Table:
    once = [line for line in cost.lines if not line.yearly]
    built = [line for line in once if is_built_in(line)] if WORKSTATIONS in cost.trace else []
    rows = [
        _workstation_row(built, cost, write) if line in built else _line_row(line, cost, write)
        for line in once
        if line not in built[1:]
    ]
    for key in _ON_TOP:
        if key in cost.trace:
            amount = write.money(cost.trace[key], cost.currency)
            rows.append(Row(("", label(key), "", amount, figures.found(key))))
    span = ""
    low, high = cost.capital_low, cost.capital_high
    if low.known and high.known and low.value != high.value:
        span = write.money_range(low.value, high.value, cost.currency)
    rows.append(Row(("", label("cost.capital"), "", money(cost.capital, cost, write), span), strong=True))
    if cost.vat.known:
        rows.append(
            Row(("", label("cost.vat"), "", money(cost.vat, cost, write), write.share(cost.trace["cost.vat_share"])))
        )
    return Table(
        columns=(
            Column(_("No."), "right"),
            Column(_("What"), width="1.3fr"),
            Column(_("Each"), "right"),
            Column(_("Amount"), "right"),
            Column(_("Price of"), width="1fr"),
        ),
        rows=tuple(rows),
        summary=_("What is bought: number, thing, price of one, amount, and the date of the price."),
    )


def _workstation_row(parts: Sequence[PricedLine], cost: Cost, write: Formatter) -> Row:
    """All parts in one row, with the age of the oldest price: each of them is in the workbook and in the window."""
    number = sum((line.quantity for line in parts if line.fact == TOWER), Decimal(0))
    oldest = min((line.quote for line in parts if line.quote is not None), key=lambda quote: quote.date)
    text = _("Workstation without accelerators")
    amount = write.money(cost.trace[WORKSTATIONS], cost.currency)
    return Row((write.number(number), text, amount if number == 1 else "", amount, price_age(oldest)))


def _line_row(line: PricedLine, cost: Cost, write: Formatter) -> Row:
    price = cost.trace.get(f"{line.key}.price", cost.trace.get(f"{line.key}.quoted"))
    each = write.money(price, cost.currency) if price is not None and line.amount.known else write.unknown()
    if price is None and line.quantity == 1:  # a share of something, whose price is the amount
        each = money(line.amount, cost, write)
    said = price_age(line.quote) if line.quote else _("no price is known")
    if line.quote is not None and line.quote.fact:
        said = f"{said}, {confidence(line.quote.confidence)}" if not line.quote.is_estimate else said
    return Row((write.number(line.quantity), line_name(line), each, money(line.amount, cost, write), said))


def _said(amount: Amount, cost: Cost, write: Formatter) -> str:
    if amount.known:
        return write.money(amount.value, cost.currency)
    return write.unknown()


def _steps_heading(cost: Cost, write: Formatter) -> str:
    if not cost.per_million.known:
        return _("What a million tokens cost is not known")
    return _("How {price} per million tokens come about").format(price=money(cost.per_million, cost, write))


def _steps(cost: Cost, write: Formatter, figures: Figures) -> Table:
    trace = cost.trace
    rows = [
        Row((running(item.kind), _said(item.amount, cost, write), figures.found(item.amount.key)))
        for item in cost.running
    ]
    rows.append(Row((label("cost.yearly"), _said(cost.yearly, cost, write), figures.found("cost.yearly")), strong=True))
    for key in ("demand.tokens_per_year", "demand.busy_share"):
        if key in trace:
            value = write.figure(trace[key], trace.entry(key).unit)
            rows.append(Row((label(key), value, figures.found(key))))
    for amount, strong in ((cost.per_million, True), (cost.per_million_full, False)):
        if amount.known and not strong and amount.value < LEAST_WRITTEN:
            continue  # it would be written as nothing
        rows.append(Row((label(amount.key), _said(amount, cost, write), figures.found(amount.key)), strong))
    for amount in (cost.energy_per_million, cost.carbon_of_energy):
        if amount.known:
            value = write.figure(amount.value, trace.entry(amount.key).unit)
            rows.append(Row((label(amount.key), value, figures.found(amount.key))))
    return Table(
        columns=(
            Column(_("Step"), width="1.4fr"),
            Column(_("Value"), "right"),
            Column(_("How it is found"), width="1fr"),
        ),
        rows=tuple(rows),
        summary=_("From the cost of a year and its tokens to the cost of a million tokens."),
    )


def _even(cost: Cost) -> Iterator[Point]:
    for hosted in cost.hosted[:1]:
        yield Point(_("A hosted model."), hosted_sentence(hosted, cost))
    for cloud in cost.cloud[:1]:
        yield Point(_("Rented by the hour."), cloud_sentence(cloud, cost))


def _caption(cost: Cost, write: Formatter) -> str:
    """Net or gross, and how long the prices hold."""
    if not cost.valid_days.known:
        return _("Prices without value-added tax.")
    return _("Prices without value-added tax; they usually hold for {days} days.").format(
        days=write.count(float(cost.valid_days.value))
    )
