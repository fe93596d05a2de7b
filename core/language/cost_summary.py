"""A cost as plain text, for the command line: what is bought, what a year costs, and what else could be done."""

import textwrap
from collections.abc import Iterator

from core.language.cost_sentences import (
    cloud_sentence,
    hosted_sentence,
    line_name,
    money,
    not_counted,
    price_age,
    running,
    two_roads,
)
from core.language.figures import label
from core.language.messages import gettext as _
from core.language.numbers import current
from core.language.summary import NUMBER, WIDTH
from core.sizing.costs.report import Cost, PricedLine

#: Names of costs are longer than those of a sizing.
NAME = 54


def cost_summary(cost: Cost) -> str:
    """The purchase, the year, a million tokens, energy and the alternatives, in the language in force."""
    parts = [_purchase(cost), _year(cost), _tokens(cost), _alternatives(cost), map(not_counted, cost.not_counted)]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def aligned(name: str, value: str, more: str = "") -> str:
    """A line in columns; a name or a reason that is longer takes the room that it needs."""
    return f"  {name:<{NAME - 2}}{value:>{NUMBER}}  {more}".rstrip()


def _wrapped(text: str) -> Iterator[str]:
    """A sentence in lines; those after the first stand in."""
    yield from textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _purchase(cost: Cost) -> Iterator[str]:
    yield _("Purchase, net, in {currency}").format(currency=cost.currency)
    for line in cost.lines:
        yield _line(line, cost.currency)
    for key in ("cost.contingency", "cost.installation", "cost.margin"):
        if key in cost.trace:
            yield aligned(label(key), current().money(cost.trace[key], cost.currency))
    low, high = cost.capital_low, cost.capital_high
    spread = ""
    if low.known and high.known and low.value != high.value:
        spread = current().money_range(low.value, high.value, cost.currency)
    yield aligned(label("cost.capital"), money(cost.capital, cost.currency), spread)
    if cost.valid_days.known:
        yield aligned(label(cost.valid_days.key), current().count(float(cost.valid_days.value)))
    if cost.vat.known:
        yield aligned(label("cost.vat"), money(cost.vat, cost.currency))


def _line(line: PricedLine, currency: str) -> str:
    name = f"{current().number(line.quantity)} × {line_name(line)}"
    return aligned(name, money(line.amount, currency), price_age(line.quote) if line.quote else "")


def _year(cost: Cost) -> Iterator[str]:
    yield label("cost.yearly")
    for item in cost.running:
        yield aligned(running(item.kind), money(item.amount, cost.currency))
    yield aligned(_("Together"), money(cost.yearly, cost.currency))
    yield aligned(label("cost.total"), money(cost.total, cost.currency))


def _tokens(cost: Cost) -> Iterator[str]:
    write = current()
    yield aligned(label("cost.per_million_tokens"), money(cost.per_million, cost.currency))
    yield aligned(label("cost.at_share.100"), money(cost.per_million_full, cost.currency))
    for amount in (cost.energy_per_million, cost.carbon_of_energy):
        if amount.known:
            yield aligned(label(amount.key), write.figure(amount.value, cost.trace.entry(amount.key).unit))
    if cost.demand is not None:
        yield from _wrapped(two_roads(cost.demand))


def _alternatives(cost: Cost) -> Iterator[str]:
    for hosted in cost.hosted:
        yield from _wrapped(hosted_sentence(hosted, cost))
    for cloud in cost.cloud:
        yield from _wrapped(cloud_sentence(cloud, cost))
