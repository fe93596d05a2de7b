"""A comparison in words: the headline with letters, the second line, the heading of each column, the cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.catalogue.records import DeviceKind
from core.language import sentences
from core.language.comparison_inputs import InputRow
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import EN_DASH, Formatter, current
from core.language.search_sentences import device_kind
from core.sizing.comparison import ALIKE, Cell, Comparison, Figures, Option, Row
from core.sizing.standing import Standing
from core.units import Unit

_ROWS = {
    Row.SPEED: marked("Speed per user"),
    Row.FIRST_TOKEN: marked("First token"),
    Row.REQUESTS: marked("Requests at once"),
    Row.THROUGHPUT: marked("All users together"),
    Row.POWER: marked("Power, loaded"),
    Row.PURCHASE: marked("Purchase"),
    Row.PER_MILLION: marked("Per million tokens"),
}
#: From so much on a change is a number of times; below that, a share.
_TIMES_FROM = 1.95
#: Changes smaller than this are not worth a word in the headline.
_NEARLY = 0.03

_DEFECTS = {
    Standing.DOES_NOT_FIT: marked("{letter} does not fit"),
    Standing.TOO_SLOW: marked("{letter} misses your speed"),
    Standing.TOO_LATE: marked("{letter} answers too late"),
    Standing.SPEED_UNKNOWN: marked("{letter} fits, its speed is unknown"),
}


@dataclass(frozen=True, slots=True)
class CellText:
    """What a cell shows: the figure, its range, and the change against A."""

    value: str
    range: str = ""
    change: str = ""

    @property
    def spoken(self) -> str:
        return ", ".join(part for part in (self.value, self.range, self.change) if part)


# ---- the headline


def headline(found: Comparison) -> str:
    """What the comparison comes to, with letters: "B is 2.3 times as fast as A for 2.2 times the price"."""
    first, *others = found.options
    clauses = []
    if first.standing in _DEFECTS:
        clauses.append(_(_DEFECTS[first.standing]).format(letter=first.letter))
    for at, option in enumerate(others, start=1):
        if option.standing in _DEFECTS:
            clauses.append(_(_DEFECTS[option.standing]).format(letter=option.letter))
        elif first.standing is Standing.DOES_NOT_FIT:
            text = ngettext("{letter} holds {number} request", "{letter} holds {number} requests", option.room)
            clauses.append(text.format(letter=option.letter, number=current().count(option.room)))
        else:
            clauses.append(_against(found, at))
    return sentences.clauses(clauses)


def _against(found: Comparison, at: int) -> str:
    """One option against A: how fast and for what price, else how many requests it holds."""
    letter = found.options[at].letter
    speed = found.figures(Row.SPEED).changes[at]
    price = _price(found.figures(Row.PURCHASE).changes[at])
    if speed is not None and abs(speed - 1) > _NEARLY:
        return _("{speed} {price}").format(speed=_speed(letter, speed), price=price).strip()
    room = found.figures(Row.REQUESTS).changes[at]
    if room is not None and abs(room - 1) > _NEARLY:
        return _("{speed} {price}").format(speed=_room(letter, room), price=price).strip()
    even = _("{letter} is as fast as A").format(letter=letter)
    return _("{speed} {price}").format(speed=even, price=price).strip()


def _speed(letter: str, ratio: float) -> str:
    write = current()
    if ratio >= _TIMES_FROM:
        return _("{letter} is {times} times as fast as A").format(letter=letter, times=write.significant(ratio))
    if ratio > 1:
        return _("{letter} is {share} faster than A").format(letter=letter, share=write.share(round(ratio - 1, 2)))
    return _("{letter} is {share} slower than A").format(letter=letter, share=write.share(round(1 - ratio, 2)))


def _room(letter: str, ratio: float) -> str:
    write = current()
    if ratio >= _TIMES_FROM:
        text = _("{letter} holds {times} times as many requests as A")
        return text.format(letter=letter, times=write.significant(ratio))
    if ratio > 1:
        text = _("{letter} holds {share} more requests than A")
        return text.format(letter=letter, share=write.share(round(ratio - 1, 2)))
    return _("{letter} holds {share} fewer requests than A").format(
        letter=letter, share=write.share(round(1 - ratio, 2))
    )


def _price(ratio: float | None) -> str:
    """For what price, as the second half of a clause; empty where a price is unknown."""
    write = current()
    if ratio is None:
        return ""
    if ratio >= _TIMES_FROM:
        return _("for {times} times the price").format(times=write.significant(ratio))
    if abs(ratio - 1) <= _NEARLY:
        return _("at the same price")
    if ratio > 1:
        return _("for {share} more").format(share=write.share(round(ratio - 1, 2)))
    return _("for {share} less").format(share=write.share(round(1 - ratio, 2)))


def subline(found: Comparison, rows: Sequence[InputRow]) -> str:
    """What all options have in common, or how many inputs differ, and against what changes are counted."""
    model, workload = rows[0], _same_workload(found)
    if workload and not model.differs:
        text = _("Same work in all: {model}, {workload}. Changes are against A.")
        return text.format(model=model.values[0], workload=workload)
    number = sum(row.differs for row in rows)
    text = ngettext(
        "{number} input differs; the work is not the same in all. Changes are against A.",
        "{number} inputs differ; the work is not the same in all. Changes are against A.",
        number,
    )
    return text.format(number=current().count(number))


def _same_workload(found: Comparison) -> str:
    """The work in a few words where it is the same for all; else empty."""
    first = found.options[0]
    if len({option.scenario.workload for option in found.options}) > 1:
        return ""
    write, work = current(), first.scenario.workload
    prompt = work.prompt_tokens if work.prompt_tokens is not None else work.context_tokens
    text = _("{users} users, {requests}, {prompt} prompt, {context} limit")
    return text.format(
        users=write.count(work.users),
        requests=sentences.requests(first.sizing.required_requests),
        prompt=write.tokens(prompt),
        context=write.tokens(work.context_tokens),
    )


# ---- columns


def answer_in_short(option: Option) -> str:
    """The heading of a column: whether it fits and what decides."""
    write, sizing, work = current(), option.sizing, option.scenario.workload
    match option.standing:
        case Standing.TOO_SLOW if sizing.decode is not None:
            return _("Too slow: {speed}").format(speed=write.speed(sizing.decode.p50))
        case Standing.TOO_LATE if sizing.ttft is not None and work.ttft_target_s is not None:
            return _("Too late: {time}").format(time=write.seconds(sizing.ttft.p50))
        case Standing.DOES_NOT_FIT:
            return _("Does not fit: {amount} short").format(amount=write.bytes(sizing.shortfall_bytes))
        case Standing.SPEED_UNKNOWN:
            return sentences.standing_word(option.standing)
        case Standing.CLOSE:
            return _("Just fits, {number} at once").format(number=write.count(option.room))
    return _("Fits, {number} at once").format(number=write.count(option.room))


def hardware_in_short(option: Option) -> str:
    """One card, 96 GB; 2 × 128 GB."""
    sizing, write = option.sizing, current()
    number = sum(use.count for use in sizing.devices)
    size = write.bytes_parts(sizing.devices[0].tiers[0].capacity_bytes)
    amount = f"{size[0].removesuffix(write.decimal_sign + '0')}\u00a0{size[1]}"
    if number > 1:
        return f"{write.count(number)}\u00a0×\u00a0{amount}"
    if sizing.device.kind is DeviceKind.CARD:
        return _("One card, {amount}").format(amount=amount)
    return _("One device, {amount}").format(amount=amount)


def memory_use(option: Option) -> str:
    """What is needed of what the engine may use: 67 of 92 GB."""
    trace, write = option.sizing.trace, current()
    used, limit = float(trace["memory.total_bytes"]), float(trace["memory.limit_bytes"])
    digits, unit = write.bytes_parts(limit)
    first = write.bytes_parts(used, like=limit)[0]
    return _("{used} of {limit}").format(used=first, limit=f"{digits}\u00a0{unit}")


# ---- rows


def row_name(figures: Figures, found: Comparison) -> str:
    """The name of a row; a speed says for how many requests, where that is the same for all."""
    needed = {option.sizing.required_requests for option in found.options}
    if figures.row is Row.SPEED and len(needed) == 1:
        return _("At {requests}").format(requests=sentences.requests(next(iter(needed))))
    return _(_ROWS[figures.row])


def cell_text(figures: Figures, at: int, found: Comparison) -> CellText:
    """A cell as it is shown."""
    cell, write, currency = figures.cells[at], current(), found.options[at].cost.currency
    if cell.value is None:
        return CellText(write.unknown())
    value = _value(cell, write, currency)
    if not cell.counts:
        return CellText(value, _("if it fitted"))
    if cell.is_bound:
        return CellText(value, _("at most"))
    return CellText(value, _range(cell, write, currency), _change(figures.changes[at], write))


def _value(cell: Cell, write: Formatter, currency: str) -> str:
    return write.money(cell.value, currency) if cell.unit is Unit.MONEY else write.figure(cell.value, cell.unit)


def _range(cell: Cell, write: Formatter, currency: str) -> str:
    """The range without its unit, which stands beside it already where it is the same."""
    if not cell.has_range:
        return ""
    if cell.unit is Unit.MONEY:
        return write.money_range(cell.low, cell.high, currency)
    parts = write.seconds_parts if cell.unit is Unit.SECOND else write.speed_parts
    if parts(cell.low)[1] == parts(cell.high)[1] == parts(cell.value)[1]:
        return f"{parts(cell.low)[0]}{EN_DASH}{parts(cell.high)[0]}"
    return write.range(cell.low, cell.high, parts)


def _change(ratio: float | None, write: Formatter) -> str:
    if ratio is None:
        return ""
    return _("same") if abs(ratio - 1) <= ALIKE else write.change(ratio)


def plain_rows(found: Comparison) -> list[InputRow]:
    """What is words and not numbers: how it is built, and how well its speed is known."""
    write = current()
    built = tuple(device_kind(option.sizing.device.kind) for option in found.options)
    known = tuple(
        sentences.evidence(option.sizing.decode.evidence) if option.sizing.decode else write.unknown()
        for option in found.options
    )
    return [InputRow(_("Built as"), built), InputRow(_("Speed known from"), known)]


def best_note(found: Comparison) -> str:
    """What the star means."""
    return _("best of the {number} in its row").format(number=current().count(len(found.options)))
