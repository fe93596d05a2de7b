"""One sentence for each finding, with its numbers, and a heading of a few words for the proposal.

A sentence (`finding_texts`) names its numbers by what they are; `_NUMBERS` says where they come from. A number that a
sizing does not hold is written as "unknown".
"""

from collections.abc import Callable
from decimal import Decimal

from core.architecture.blueprint import NoteKind
from core.language import finding_texts as texts
from core.language.messages import gettext as _
from core.language.numbers import Formatter, current
from core.language.sentences import reading_note
from core.sizing.report import Finding, FindingKind, Sizing
from core.sizing.shown import in_slower_memory
from core.trace import Trace
from core.units import Unit


def finding_title(kind: FindingKind) -> str:
    """A heading of a few words."""
    return _(texts.TITLES[kind])


def finding_sentence(finding: Finding, sizing: Sizing) -> str:
    """What a person should know, with the numbers of this sizing."""
    return _text(finding, sizing).format_map(_Numbers(finding, sizing, current()))


def _text(finding: Finding, sizing: Sizing) -> str:
    """The sentence in the language in force, with places for its numbers."""
    if finding.kind in texts.COUNTED:
        key, sentence = texts.COUNTED[finding.kind]
        return sentence(int(sizing.trace.get(key or next(iter(finding.figures), ""), 0)))
    return _(_plain_text(finding, sizing))


def _plain_text(finding: Finding, sizing: Sizing) -> str:
    """The sentence of a finding: that of its kind, or the one that says more."""
    if texts.ARTICLE_KEY in finding.figures:
        return texts.ARTICLE_KV
    if finding.kind is FindingKind.SXM_MESH_UNUSED and "card.price_each" in finding.figures:
        return texts.SXM_AGAINST_PRICED_CARD
    if finding.kind is FindingKind.SXM_MESH_UNUSED and len(finding.figures) > 2:
        return texts.SXM_AGAINST_CARD
    if finding.kind is FindingKind.CAPACITY_UNIFIED_MEMORY and finding.subject:
        return texts.UNIFIED_AGAINST_CARD
    if finding.kind is FindingKind.SPARK_CLUSTER and sizing.plan.tensor > 1:
        return texts.SPARKS_SHARING
    return texts.SENTENCES[finding.kind]


_POSITIONS = ("first", "second", "third")


class _Numbers(dict[str, str]):
    """The numbers and names that sentences ask for, written when one asks."""

    def __init__(self, finding: Finding, sizing: Sizing, write: Formatter) -> None:
        subject = finding.subject
        if finding.kind is FindingKind.MODEL_READ_WITH_WARNING:
            kind, _colon, about = subject.partition(":")
            subject = reading_note(NoteKind(kind), about)
        super().__init__(subject=subject)
        self.finding, self.sizing, self.formatter = finding, sizing, write

    def __missing__(self, name: str) -> str:
        if name in _POSITIONS:
            return self._figure(_POSITIONS.index(name))
        return _NUMBERS[name](self.sizing, self.formatter)

    def _figure(self, position: int) -> str:
        if position >= len(self.finding.figures):
            return self.formatter.unknown()
        return _traced(self.sizing.trace, self.finding.figures[position], self.formatter)


def _traced(trace: Trace, key: str, write: Formatter) -> str:
    if key not in trace:
        return write.unknown()
    value, unit = trace[key], trace.entry(key).unit
    return write.number(round(value, 1)) if unit is Unit.RATIO else write.figure(value, unit)


def _tier(sizing: Sizing, index: int) -> str:
    tiers = sizing.device.memory_tiers
    return tiers[index].name if index < len(tiers) else "–"


def _tier_rate(sizing: Sizing, write: Formatter, index: int) -> str:
    tiers = sizing.device.memory_tiers
    return write.rate(tiers[index].bandwidth_bytes_per_s) if index < len(tiers) else write.unknown()


def _spilled(sizing: Sizing, write: Formatter) -> str:
    return write.bytes(in_slower_memory(sizing))


def _price(sizing: Sizing, write: Formatter, high: bool) -> str:
    price = sizing.device.price
    if price is None:
        return write.unknown()
    amount: Decimal = price.high if high else price.low
    return write.money(amount, price.currency)


def _money(sizing: Sizing, write: Formatter, key: str) -> str:
    if key not in sizing.trace:
        return write.unknown()
    currency = sizing.device.price.currency if sizing.device.price else sizing.scenario.economics.currency
    return write.money(sizing.trace[key], currency)


def _speed_range(sizing: Sizing, write: Formatter) -> str:
    if sizing.decode is None:
        return write.unknown()
    return write.range(sizing.decode.p10, sizing.decode.p90, write.speed_parts)


_NUMBERS: dict[str, Callable[[Sizing, Formatter], str]] = {
    "device": lambda s, _w: s.device.name,
    "engine": lambda s, _w: s.engine.name,
    "model": lambda s, _w: s.blueprint.name,
    "link": lambda s, w: s.link.name if s.link else w.none(),
    "spilled": _spilled,
    "first_tier": lambda s, _w: _tier(s, 0),
    "second_tier": lambda s, _w: _tier(s, 1),
    "first_rate": lambda s, w: _tier_rate(s, w, 0),
    "second_rate": lambda s, w: _tier_rate(s, w, 1),
    "context": lambda s, w: w.figure(s.scenario.workload.context_tokens, Unit.TOKEN),
    "trained": lambda s, w: w.figure(s.blueprint.trained_context, Unit.TOKEN),
    "capacity": lambda s, w: _traced(s.trace, "memory.capacity_bytes", w),
    "exchange": lambda s, w: _traced(s.trace, "all_reduce_share", w),
    "accelerators": lambda s, w: w.count(s.plan.ranks),
    "tensor": lambda s, w: w.count(s.plan.tensor),
    "pipeline": lambda s, w: w.count(s.plan.pipeline),
    "replicas": lambda s, w: w.count(s.plan.replicas),
    "weights": lambda s, w: _traced(s.trace, "memory_item.weights", w),
    "requests": lambda s, w: _traced(s.trace, "requests_at_once", w),
    "messages": lambda s, w: _traced(s.trace, "messages_per_token", w),
    "own_price": lambda s, w: _money(s, w, "capacity.price"),
    "card_price": lambda s, w: _money(s, w, "capacity.card_price"),
    "mesh_price": lambda s, w: _money(s, w, "mesh.price_each"),
    "mesh_card_price": lambda s, w: _money(s, w, "card.price_each"),
    "speed_range": _speed_range,
    "price_low": lambda s, w: _price(s, w, high=False),
    "price_high": lambda s, w: _price(s, w, high=True),
    "article": lambda s, w: _traced(s.trace, texts.ARTICLE_KEY, w),
    "article_binary": lambda s, w: w.bytes_iec(s.trace[texts.ARTICLE_KEY]),
    "article_layers": lambda s, w: _traced(s.trace, "article.layers", w),
    "caching_layers": lambda s, w: w.count(s.blueprint.caching_layers),
    "layers": lambda s, w: w.count(s.blueprint.layers),
    "active": lambda s, w: _traced(s.trace, "model.active_parameters", w),
    "total": lambda s, w: _traced(s.trace, "model.total_parameters", w),
    "free": lambda s, w: _traced(s.trace, "memory.free_bytes", w),
    "fits": lambda s, w: _traced(s.trace, "max_concurrency", w),
}
