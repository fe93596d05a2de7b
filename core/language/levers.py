"""What would help, in words: a name for each lever, its main gain in a few signs, and all its gains in sentences."""

from collections.abc import Callable, Iterator
from decimal import Decimal

from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter, current
from core.language.plain_numbers import MINUS
from core.sizing.levers import Gain, Lever, LeverKind, Measure
from core.sizing.shown import change, difference

_TITLES = {
    LeverKind.KV_FORMAT: marked("KV cache in {count} bit"),
    LeverKind.WEIGHT_FORMAT: marked("Weights in {subject}"),
    LeverKind.HALF_CONTEXT: marked("Context limit {tokens}"),
    LeverKind.PREFILL_CHUNK: marked("Prompts in chunks of {tokens}"),
    LeverKind.PREPARED: marked("Engine prepared for {count} requests"),
    LeverKind.PREFIX_CACHING: marked("Reuse of prompts, half of each"),
    LeverKind.COPIES: marked("{count} copies instead of a split"),
    LeverKind.TENSOR_PARALLEL: marked("Each layer split over {count}"),
    LeverKind.ONE_MORE: marked("One more of the same, {count} in all"),
    LeverKind.NEXT_DEVICE: marked("{subject} instead"),
    LeverKind.GUESSES: marked("{count} tokens guessed ahead, if 7 in 10 are kept"),
    LeverKind.RETRIEVAL_APART: marked("Retrieval models on a card of their own"),
}

_SHORT = {
    Measure.SPEED: marked("{change} per user"),
    Measure.TOTAL: marked("{change} in all"),
    Measure.FIRST_TOKEN: marked("first token {change}"),
}

_SENTENCES = {
    Measure.REQUESTS: marked("Requests at once that fit: {before} now, then {after}."),
    Measure.SPEED: marked("Speed per user: {before} now, then {after}."),
    Measure.TOTAL: marked("Speed of all users together: {before} now, then {after}."),
    Measure.FIRST_TOKEN: marked("Time to first token: {before} now, then {after}."),
}

_WRITE: dict[Measure, Callable[[Formatter, float], str]] = {
    Measure.REQUESTS: Formatter.count,
    Measure.SPEED: Formatter.speed,
    Measure.TOTAL: Formatter.speed,
    Measure.FIRST_TOKEN: Formatter.seconds,
}


def lever_title(lever: Lever) -> str:
    """What is changed: "KV cache in 8 bit", "Context limit 128K"."""
    write, subject = current(), lever.subject
    number = subject if isinstance(subject, int) else 0
    title = _(_TITLES[lever.kind])
    return title.format(subject=subject, tokens=write.tokens(number), count=write.count(number))


def lever_gain(lever: Lever) -> str:
    """The main gain in a few signs: "+20 requests", "+80 % per user", "it fits"."""
    if lever.makes_it_fit or not lever.gains:
        return _("it fits")
    return gain_in_short(lever, lever.gains[0])


def gain_in_short(lever: Lever, gain: Gain) -> str:
    """One gain of a lever in a few signs."""
    if gain.measure is Measure.REQUESTS:
        return _more_requests(difference(lever.before.trace, lever.after.trace, gain.measure.value))
    ratio = change(lever.before.trace, lever.after.trace, gain.measure.value)
    return _(_SHORT[gain.measure]).format(change=current().change(ratio))


def _more_requests(number: int) -> str:
    sign = "+" if number >= 0 else MINUS
    text = ngettext("{number} request", "{number} requests", abs(number))
    return text.format(number=f"{sign}{current().count(abs(number))}")


def lever_sentences(lever: Lever) -> tuple[str, ...]:
    """Every figure that changes, each in a sentence: what it is now and what it would be; and what that costs."""
    return (*map(_sentence, lever.gains), *_costs(lever))


def _costs(lever: Lever) -> Iterator[str]:
    """What is bought, and what becomes of the cost of a million tokens."""
    write, money = current(), lever.money
    if money is None:
        return
    if money.price is None:
        yield _("What it costs to buy is unknown.")
    elif money.price > 0:
        yield _("To buy: {amount} more.").format(amount=write.money(money.price, money.currency))
    elif money.price < 0:
        yield _("To buy: {amount} less.").format(amount=write.money(-money.price, money.currency))
    else:
        yield _("It costs nothing to buy.")
    if money.per_million is not None and len(set(map(round_to_three, money.per_million))) > 1:
        before, after = (write.money(amount, money.currency) for amount in money.per_million)
        yield _("A million tokens of your demand: {before} now, then {after}.").format(before=before, after=after)


def round_to_three(amount: Decimal) -> str:
    """An amount in the three digits in which two of them are told apart."""
    return f"{amount:.3g}"


def _sentence(gain: Gain) -> str:
    write = current()
    figure = _WRITE[gain.measure]
    return _(_SENTENCES[gain.measure]).format(before=figure(write, gain.before), after=figure(write, gain.after))
