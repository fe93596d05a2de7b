"""The memory page: one bar for each kind of memory, and its items in a table."""

from core.language.findings import finding_sentence, finding_title
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter
from core.language.sentences import clauses, device_with_count, memory_kind, requests
from core.proposal.appendix import Figures
from core.proposal.recommendation import MEMORY_NOTES
from core.proposal.values import Bar, Column, Exhibit, Memory, Note, Page, Row, Segment, Table
from core.sizing.report import DeviceUse, MemoryKind, Sizing, TierUse, Verdict
from core.sizing.shown import (
    GROWING,
    excess_of_tier,
    fixed_of_tier,
    free_of_tier,
    growing_of_tier,
    used_of_device,
)
from core.trace import Trace
from core.units import GB

_COLOURS = {
    MemoryKind.WEIGHTS: "weights",
    MemoryKind.DRAFT: "companions",
    MemoryKind.EMBEDDING: "companions",
    MemoryKind.RERANKER: "companions",
    MemoryKind.RUNTIME: "runtime",
    MemoryKind.KV_CACHE: "kv",
    MemoryKind.STATE: "state",
}
_LARGEST_BARS = 4


def memory(sizing: Sizing, write: Formatter, figures: Figures, number: int) -> Memory:
    return Memory(
        page=_page(sizing, write),
        exhibit=_exhibit(sizing, write, figures, number),
        bars=bars(sizing, write),
        heading=_heading(sizing),
        table=_items(sizing, write, figures),
        note=_note(sizing),
    )


def fullest(sizing: Sizing) -> DeviceUse:
    """The accelerators that come nearest to their limit, or exceed it furthest."""
    return max(sizing.devices, key=lambda use: use.tiers[0].used_bytes / max(1, use.tiers[0].limit_bytes))


def bars(sizing: Sizing, write: Formatter) -> tuple[Bar, ...]:
    """One bar for each memory of the different accelerators, the fullest first; at most four."""
    first = fullest(sizing)
    uses = [first, *(use for use in sizing.devices if use is not first)]
    found = [_bar(sizing.trace, use, place, write) for use in uses for place in range(len(use.tiers))]
    return tuple(found[:_LARGEST_BARS])


def _bar(trace: Trace, use: DeviceUse, place: int, write: Formatter) -> Bar:
    """The memory at a place in the order of speed; what lies in a slower one has spilled."""
    tier = use.tiers[place]
    name = device_with_count(use.device, use.count)
    segments = tuple(
        Segment(
            "spill" if place else _COLOURS[item.kind],
            item.bytes / GB,
            memory_kind(item.kind),
            write.gigabytes(item.bytes),
            item.kind not in GROWING,
        )
        for item in tier.items
        if item.bytes > 0
    )
    fixed, growing = trace[fixed_of_tier(trace, tier)], trace[growing_of_tier(trace, tier)]
    free, excess = trace[free_of_tier(trace, tier)], trace[excess_of_tier(trace, tier)]
    return Bar(
        name=f"{name}, {tier.name}" if len(use.tiers) > 1 else name,
        segments=segments,
        limit=tier.limit_bytes / GB,
        capacity=tier.usable_bytes / GB,
        limit_label=_("Limit {amount}").format(amount=write.gigabytes(tier.limit_bytes)),
        capacity_label=_capacity_label(tier, write),
        fixed_label=_("Fixed {amount}").format(amount=write.gigabytes(fixed)) if fixed else "",
        use_label=_("Grows with use {amount}").format(amount=write.gigabytes(growing)) if growing else "",
        free_label=_("free {amount}").format(amount=write.gigabytes(free)) if free > 0 else "",
        spill_label=_("Too much: {amount}").format(amount=write.bytes(excess)) if excess else "",
    )


def _capacity_label(tier: TierUse, write: Formatter) -> str:
    """The end of a bar: what software reports, beside the label where that says another size."""
    if tier.usable_bytes == tier.capacity_bytes:
        return _("installed {amount}").format(amount=write.gigabytes(tier.capacity_bytes))
    return _("reported {amount}, label {label}").format(
        amount=write.gigabytes(tier.usable_bytes), label=write.gigabytes(tier.capacity_bytes)
    )


def _page(sizing: Sizing, write: Formatter) -> Page:
    lead = _("Memory is the first hurdle: what does not fit, does not run.")
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        title = _("It does not fit: {missing} are missing").format(missing=write.bytes(sizing.missing_bytes))
    elif sizing.verdict is Verdict.CLOSE:
        title = _("It just fits: {free} stay free").format(free=write.bytes(sizing.trace["memory.free_bytes"]))
    else:
        title = _("It fits, with {free} to spare").format(free=write.bytes(sizing.trace["memory.free_bytes"]))
    return Page(title, lead)


def _exhibit(sizing: Sizing, write: Formatter, figures: Figures, number: int) -> Exhibit:
    trace = sizing.trace
    numbers = {
        "requests": requests(sizing.required_requests),
        "context": write.tokens(sizing.scenario.workload.context_tokens),
        "total": write.bytes(trace["memory.total_bytes"]),
        "limit": write.bytes(trace["memory.limit_bytes"]),
        "missing": write.bytes(sizing.missing_bytes),
    }
    if sizing.fits:
        message = _("{total} of the {limit} the engine may use, for {requests} of {context} tokens")
    else:
        message = _("{total}, {missing} more than there is, for {requests} of {context} tokens")
    return Exhibit(
        number=_("Exhibit {number}").format(number=number),
        message=message.format(**numbers),
        conditions=_conditions(sizing, write),
        source=figures.citation("memory.total_bytes", "memory.limit_bytes", "kv_bytes_per_request"),
        alternative=in_words(sizing, write),
    )


def _conditions(sizing: Sizing, write: Formatter) -> str:
    use = fullest(sizing)
    text = ngettext(
        "Memory of {device} in GB. Slate is fixed, blue grows with use.",
        "Memory of each of {count} {device} in GB. Slate is fixed, blue grows with use.",
        use.count,
    )
    said = text.format(device=use.device, count=write.count(use.count))
    if any(tier.overflow_bytes for tier in use.tiers) or any(tier.used_bytes for tier in use.tiers[1:]):
        said += " " + _("Hatched orange is too much or slow.")
    return said


def in_words(sizing: Sizing, write: Formatter) -> str:
    """The bar in words."""
    tier = fullest(sizing).tiers[0]
    parts = clauses(f"{memory_kind(item.kind)} {write.bytes(item.bytes)}" for item in tier.items)
    return _("Bar of the memory in use: {parts}. Limit {limit}, installed {capacity}.").format(
        parts=parts, limit=write.bytes(tier.limit_bytes), capacity=write.bytes(tier.usable_bytes)
    )


def _items(sizing: Sizing, write: Formatter, figures: Figures) -> Table:
    use = fullest(sizing)
    rows: list[Row] = []
    for tier in use.tiers:
        for item in tier.items:
            name = memory_kind(item.kind)
            label = _("{item} in {memory}").format(item=name, memory=tier.name) if len(use.tiers) > 1 else name
            colour = _COLOURS[item.kind] if tier is use.tiers[0] else "spill"
            rows.append(_row(label, item.bytes, write, figures.found(item.key), swatch=colour))
    trace = sizing.trace
    rows.append(_row(_("In use"), trace[used_of_device(trace, use)], write, "", strong=True))
    for tier in use.tiers:
        if tier.overflow_bytes:
            rows.append(_row(_("Too much"), trace[excess_of_tier(trace, tier)], write, "", strong=True))
        else:
            several = len(use.tiers) > 1
            name = _("Free in {memory}").format(memory=tier.name) if several else _("Free below the limit")
            rows.append(_row(name, trace[free_of_tier(trace, tier)], write, figures.found(tier.limit_key)))
    for tier in use.tiers:
        rows += _sizes(tier, write, figures)
    return Table(
        columns=(
            Column(_("Item"), width="1.2fr"),
            Column("GB", "right"),
            Column("GiB", "right"),
            Column(_("How it is found"), width="1.3fr"),
        ),
        rows=tuple(rows),
        summary=_("Items in memory with their size in GB and GiB, and how each is found."),
    )


def _sizes(tier: TierUse, write: Formatter, figures: Figures) -> list[Row]:
    """The sizes of a memory, which are often mixed up; those that say the same stand once."""
    sizes = [(_("What the engine may use"), tier.limit_bytes, tier.limit_key)]
    if tier.usable_bytes not in (tier.limit_bytes, tier.capacity_bytes):
        sizes.append((_("Size that software reports"), tier.usable_bytes, tier.usable_key))
    if tier.capacity_bytes != tier.limit_bytes:
        sizes.append((_("Size on the label"), tier.capacity_bytes, tier.capacity_key))
    return [_row(name, amount, write, figures.found(key)) for name, amount, key in sizes]


def _row(name: str, amount: float, write: Formatter, found: str, strong: bool = False, swatch: str = "") -> Row:
    return Row((name, write.gigabytes(amount), write.gibibytes(amount), found), strong, swatch)


def _heading(sizing: Sizing) -> str:
    """Several accelerators hold different things; the table is of the fullest."""
    if len(sizing.devices) == 1 and sizing.devices[0].count == 1:
        return _("Item by item")
    return _("Item by item, on the fullest accelerator")


def _note(sizing: Sizing) -> Note | None:
    for finding in sizing.findings:
        if finding.kind in MEMORY_NOTES:
            return Note(f"{finding_title(finding.kind)}.", finding_sentence(finding, sizing))
    return None
