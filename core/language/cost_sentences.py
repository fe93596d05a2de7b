"""What a cost says in words: names of lines, reasons for what is missing, break-even, age of a price."""

from decimal import Decimal

from core.catalogue.fact_kinds import Condition
from core.catalogue.records import Confidence
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import current
from core.language.part_names import part_name
from core.scenario import LineKind, Use
from core.sizing.costs.report import Amount, Cost, HostedModel, Missing, PricedLine, Quote, RentedCloud, Running
from core.sizing.demand import DemandAnswer, Road

_USES = {
    Use.CHAT: marked("Chat"),
    Use.RAG: marked("Questions to documents (RAG)"),
    Use.CODE: marked("Coding assistant"),
    Use.SUMMARY: marked("Document summaries"),
    Use.AGENT: marked("Agents"),
}

_LINE_KINDS = {
    LineKind.CARDS: marked("Accelerators"),
    LineKind.HOST: marked("Server without accelerators"),
    LineKind.MEMORY: marked("Memory"),
    LineKind.STORAGE: marked("Storage"),
    LineKind.NETWORK: marked("Network"),
    LineKind.RACK: marked("Rack"),
    LineKind.POWER: marked("Uninterruptible power supply"),
    LineKind.COOLING: marked("Cooling"),
    LineKind.SERVICES: marked("Services"),
    LineKind.SOFTWARE: marked("Software"),
    LineKind.OTHER: marked("Other"),
}

_LINE_KINDS_IN_SHORT = {LineKind.HOST: marked("Machine"), LineKind.POWER: marked("Power supply")}

_RUNNING = {
    Running.ANNUITY: marked("Purchase, spread over the term"),
    Running.ENERGY: marked("Electricity"),
    Running.COLOCATION: marked("Colocation"),
    Running.MAINTENANCE: marked("Maintenance"),
    Running.LICENCES: marked("Licences and subscriptions"),
    Running.STAFF: marked("Staff"),
}

_MISSING = {
    Missing.PRICE: marked("no price is known"),
    Missing.EXCHANGE_RATE: marked("no exchange rate is known"),
    Missing.USERS: marked("the number of users is not given"),
    Missing.SPEED: marked("its speed is not known"),
    Missing.POWER: marked("its power is not known"),
    Missing.TARIFF: marked("no price of electricity is known for this region"),
    Missing.CARBON: marked("no figure of CO₂ is known"),
    Missing.STAFF: marked("staff is not given"),
    Missing.VAT: marked("no rate of value-added tax is given"),
    Missing.OFFER: marked("no offer is known"),
    Missing.CATALOGUE: marked("the catalogue lacks a figure"),
}

_NOT_COUNTED = {
    Missing.STAFF: marked("Staff is not part of the sums: nobody has given it."),
    Missing.VAT: marked("Value-added tax is not stated: its rate is not given."),
    Missing.OFFER: marked("There is no offer to compare with for this model or this accelerator."),
}

_ROADS = {
    Road.GIVEN: marked("typed in"),
    Road.SHARE: marked("a share of the users at the peak"),
}

_CONDITIONS = {
    Condition.NEW: marked("new"),
    Condition.USED: marked("used"),
    Condition.NEW_OR_USED: marked("new or used"),
}


def use(kind: Use) -> str:
    """What the model is used for."""
    return _(_USES[kind])


def line_kind(kind: LineKind) -> str:
    """What a line of the bill of materials buys."""
    return _(_LINE_KINDS[kind])


def line_kind_in_short(kind: LineKind) -> str:
    """What a line buys, in one word."""
    return _(_LINE_KINDS_IN_SHORT[kind]) if kind in _LINE_KINDS_IN_SHORT else line_kind(kind)


def line_name(line: PricedLine) -> str:
    """The name of a line: its own, else that of the part, else what it buys."""
    return line.name or part_name(line.fact) or line_kind(line.kind)


def running(kind: Running) -> str:
    """What costs money every year."""
    return _(_RUNNING[kind])


def missing(reason: Missing) -> str:
    """Why there is no figure, to be put after a colon."""
    return _(_MISSING[reason])


def not_counted(reason: Missing) -> str:
    """What the sums leave out, as a sentence."""
    return _(_NOT_COUNTED[reason])


def road(kind: Road) -> str:
    """How the requests at once of a sizing were found."""
    return _(_ROADS[kind])


def condition(kind: Condition) -> str:
    return _(_CONDITIONS[kind])


def money(amount: Amount, currency: str) -> str:
    """An amount, or "unknown" with the reason."""
    if amount.missing is not None:
        return _("unknown: {reason}").format(reason=missing(amount.missing))
    return current().money(amount.value, currency)


def price_age(quote: Quote) -> str:
    """The date of a price and how old it is, with what that means: "August 2026, 3 months old"."""
    date = current().partial_date(quote.date) if quote.date else _("no date")
    if quote.age_months is None or quote.age_months == 0:
        text = date
    else:
        old = ngettext("{date}, {months} month old", "{date}, {months} months old", quote.age_months)
        text = old.format(date=date, months=current().count(quote.age_months))
    if quote.before_rise:
        return _("{date}; from before memory prices rose, so too low today").format(date=text)
    if quote.confidence is Confidence.ESTIMATE:
        return _("{date}; an estimate").format(date=text)
    return text


def two_roads(demand: DemandAnswer) -> str:
    """Both ways from users to requests at once, in one sentence."""
    write = current()
    return _(
        "{share} requests at once by the share of users at the peak, {little} by what they send and how long it takes "
        "(Little’s law, 99 of 100 busy minutes). The sizing goes by: {road}."
    ).format(share=write.count(demand.by_share), little=write.count(demand.by_little), road=road(demand.sized_by))


def hosted_sentence(hosted: HostedModel, cost: Cost) -> str:
    """A hosted model against the own system: its bill, and the load at which owning would cost the same."""
    write = current()
    name = f"{hosted.name}, {hosted.provider}" if hosted.provider else hosted.name
    values = {"name": name, "bill": money(hosted.bill, cost.currency), "price": money(hosted.price, cost.currency)}
    if not hosted.share.known:
        return _("{name}: {price} per million tokens.").format(**values)
    if hosted.share.value > 1:
        return _("{name}: {bill} a year for your tokens ({price} per million). No load makes owning cheaper.").format(
            **values
        )
    values["share"] = write.share(hosted.share.value)
    if hosted.reachable is None:
        return _("{name}: {price} per million tokens. Owning is cheaper from {share} of the year at work.").format(
            **values
        )
    values["most"] = write.share(cost.attainable_share or 0)
    if hosted.reachable:
        values["users"] = write.count(write_users(hosted.users))
        return _(
            "{name}: {bill} a year for your tokens ({price} per million). Owning is cheaper from {share} of the year "
            "at work, with about {users} users; your rhythm of work can reach {most}."
        ).format(**values)
    return _(
        "{name}: {bill} a year for your tokens ({price} per million). Owning would be cheaper from {share} of the "
        "year at work; your rhythm of work reaches {most} at most."
    ).format(**values)


def write_users(users: Amount) -> float:
    """About how many users: two digits that count."""
    return float(f"{float(users.value):.2g}") if users.known else 0.0


def cloud_sentence(cloud: RentedCloud, cost: Cost) -> str:
    """Rented accelerators against the own system: the bill of a year, and the month in which owning is cheaper."""
    write = current()
    values = {
        "name": cloud.name,
        "bill": money(cloud.bill, cost.currency),
        "hours": write.count(float(cloud.hours)),
    }
    if not cloud.month.known:
        return _("{name}: {bill} for {hours} hours a year.").format(**values)
    if cloud.month.value == Decimal("Infinity"):
        return _("{name}: {bill} for {hours} hours a year. Owning never becomes cheaper.").format(**values)
    values["month"] = write.count(cloud.month.value)
    if cloud.in_term:
        return _("{name}: {bill} for {hours} hours a year. Owning is cheaper from month {month}.").format(**values)
    return _(
        "{name}: {bill} for {hours} hours a year. Owning does not become cheaper within the term (month {month})."
    ).format(**values)
