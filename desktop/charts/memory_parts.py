"""The parts of the memory bar: which bars a sizing has, what each is called, and its segments."""

from dataclasses import dataclass

from core.language import sentences
from core.language.messages import gettext as _
from core.language.numbers import Formatter
from core.sizing.report import DeviceUse, MemoryItem, Sizing, TierUse
from core.sizing.shown import share_of_tier, used_of_tier
from core.trace import Trace
from core.units import GB, GIB
from desktop.tables import Cell, Column, TableData

#: More equal devices than this are one bar and "× 8".
MOST_BARS = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar to draw: one tier of one accelerator, or of several that hold the same."""

    name: str
    tier: TierUse
    is_slow: bool
    has_header: bool
    has_footer: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """A drawn part of a bar; `start` and `end` in bytes."""

    item: MemoryItem
    start: int
    end: int


def bars(sizing: Sizing) -> list[Bar]:
    """The bars of a sizing, in order; equal accelerators stand under one another."""
    total = sum(use.count * len(use.tiers) for use in sizing.devices)
    found, first = [], 1
    for use in sizing.devices:
        collapsed = use.count > MOST_BARS or total > MOST_BARS
        count = 1 if collapsed else use.count
        for place, tier in enumerate(use.tiers):
            for number in range(count):
                last = first + use.count - 1 if collapsed else first + number
                name = "" if total == 1 else _bar_name(sizing, use, tier, first + number, last)
                found.append(Bar(name, tier, place > 0, number == 0, number == count - 1))
        first += use.count
    return found


def _bar_name(sizing: Sizing, use: DeviceUse, tier: TierUse, first: int, last: int) -> str:
    """What stands at the left of a bar: the memory where there are several, and which of the accelerators."""
    names = [tier.name] if len(use.tiers) > 1 else []
    if len({other.device for other in sizing.devices}) > 1:
        names.append(use.device)
    if len(sizing.devices) > 1:
        names.append(str(first) if first == last else f"{first}–{last}")
    elif use.count > 1:
        names.append(str(first) if first == last else f"× {use.count}")
    return " ".join(names)


def segments(tier: TierUse) -> list[Segment]:
    """The items of a tier one after another."""
    found, start = [], 0
    for item in tier.items:
        found.append(Segment(item, start, start + item.bytes))
        start += item.bytes
    return found


def items_table(trace: Trace, shown: list[Bar], device: str, write: Formatter) -> TableData:
    """The numbers of the bars: one row an item, in GB and GiB."""
    columns = (
        Column(_("Device"), is_number=False),
        Column(_("Item"), is_number=False),
        Column(_("Memory"), "GB"),
        Column(_("Memory"), "GiB"),
        Column(_("Share of the limit"), "%"),
    )
    rows, keys = [], []
    for bar in shown:
        tier = bar.tier
        lines = [(sentences.memory_kind(item.kind), item.key) for item in tier.items]
        lines.append((_("Used"), used_of_tier(trace, tier)))
        lines.append((_("Engine limit"), tier.limit_key))
        lines.append((_("Size that software reports"), tier.usable_key))
        lines.append((_("Size on the label"), tier.capacity_key))
        for name, key in lines:
            rows.append((Cell(bar.name or device), Cell(name), *_amounts(trace, tier, key, write)))
            keys.append(key)
    return TableData(_("Items"), columns, tuple(rows), tuple(keys))


def _amounts(trace: Trace, tier: TierUse, key: str, write: Formatter) -> tuple[Cell, Cell, Cell]:
    amount, share = trace[key], share_of_tier(trace, tier, key)
    return (
        Cell(write.decimal(amount / GB, 2), round(amount / GB, 6)),
        Cell(write.decimal(amount / GIB, 2), round(amount / GIB, 6)),
        Cell(write.none()) if share is None else Cell(write.percent(share), round(100 * share, 4)),
    )
