"""One sentence for each kind of finding, with its numbers, and a heading of a few words for the proposal.

A sentence names its numbers by what they are; where they come from stands beside it in `_NUMBERS`. A number that a
sizing does not hold is written as "unknown".
"""

from collections.abc import Callable
from decimal import Decimal

from core.architecture.blueprint import NoteKind
from core.language.messages import gettext as _
from core.language.messages import marked, ngettext
from core.language.numbers import Formatter, current
from core.language.sentences import reading_note
from core.sizing.report import Finding, FindingKind, Sizing
from core.trace import Trace
from core.units import Unit

_TITLES = {
    FindingKind.SECOND_TIER: marked("Part of it lies in slow memory"),
    FindingKind.BEYOND_TRAINED_CONTEXT: marked("Longer than the model has learnt"),
    FindingKind.FORMAT_NOT_NATIVE: marked("The format saves memory, not time"),
    FindingKind.ENGINE_WITHOUT_FORMAT: marked("Engine and format do not go together"),
    FindingKind.ENGINE_WITHOUT_DEVICE: marked("Engine and hardware do not go together"),
    FindingKind.CAPACITY_WITHOUT_BANDWIDTH: marked("Much memory, slowly read"),
    FindingKind.PCIE_TENSOR_PARALLEL: marked("The exchange over PCIe costs time"),
    FindingKind.SPARK_CLUSTER: marked("More machines bring room, not speed"),
    FindingKind.KV_HEADS_REPLICATED: marked("Cache heads are kept more than once"),
    FindingKind.HEADS_NOT_DIVISIBLE: marked("The heads cannot be shared out evenly"),
    FindingKind.COLLECTIVE_FALLBACK: marked("The engine falls back to a slower exchange"),
    FindingKind.NO_DIRECT_EXCHANGE: marked("Tokens take the long way to their experts"),
    FindingKind.EXPERTS_UNEVEN: marked("The experts cannot be shared out evenly"),
    FindingKind.BUSIEST_ACCELERATOR: marked("The busiest accelerator sets the pace"),
    FindingKind.HOST_MEMORY: marked("Part of it lies in host memory"),
    FindingKind.PREDICTION_LAYERS: marked("The file holds more than is loaded"),
    FindingKind.SPECULATION_UNCALIBRATED: marked("Guessing ahead is computed, not measured"),
    FindingKind.OWN_MEASUREMENT: marked("Your measurement counts"),
    FindingKind.EVIDENCE_GENERIC: marked("No measurement of anything alike"),
    FindingKind.SPEED_UNKNOWN: marked("The speed is unknown"),
    FindingKind.MODEL_READ_WITH_WARNING: marked("The model was read with a reservation"),
    FindingKind.PRICE_RANGE_WIDE: marked("Quotes lie far apart"),
    FindingKind.PRICE_UNKNOWN: marked("The price is unknown"),
    FindingKind.ARTICLE_MODE: marked("Simplified as in the article"),
    FindingKind.TEXTBOOK_KV: marked("Why a rule of thumb gives another cache"),
    FindingKind.TEXTBOOK_WEIGHTS: marked("Why a rule of thumb gives other weights"),
    FindingKind.CHECKPOINT_JUST_MISSES: marked("The published checkpoint just misses"),
    FindingKind.MOE_ACTIVE_RESIDENT: marked("All experts must be in memory"),
    FindingKind.CLOSE_TO_LIMIT: marked("Little room is left"),
    FindingKind.QUEUE: marked("Beyond this, requests wait"),
    FindingKind.RESERVED_BEYOND: marked("The engine sets more aside than is held"),
}

_SENTENCES = {
    FindingKind.SECOND_TIER: marked(
        "{spilled} do not fit into {first_tier} and lie in {second_tier}, which is read at {second_rate} "
        "instead of {first_rate}; every token waits for it."
    ),
    FindingKind.BEYOND_TRAINED_CONTEXT: marked(
        "The context of {context} is longer than the {trained} that {model} was trained for: it may fit, "
        "but answers get worse."
    ),
    FindingKind.FORMAT_NOT_NATIVE: marked(
        "{device} does not compute in {subject}: memory and writing gain from it, reading prompts does not."
    ),
    FindingKind.ENGINE_WITHOUT_FORMAT: marked("{engine} does not load {subject}: choose another engine or format."),
    FindingKind.ENGINE_WITHOUT_DEVICE: marked("{engine} does not run on {device}: choose another engine."),
    FindingKind.CAPACITY_WITHOUT_BANDWIDTH: marked(
        "{device} holds {capacity} but reads only {first_rate}: large models fit, and write slowly."
    ),
    FindingKind.PCIE_TENSOR_PARALLEL: marked(
        "Tensor parallelism over {link} spends {exchange} of each token on exchange; replicas or a pipeline "
        "exchange far less."
    ),
    FindingKind.SPARK_CLUSTER: marked(
        "{accelerators} machines hold a larger model together, but one answer is written no faster than on one."
    ),
    FindingKind.COLLECTIVE_FALLBACK: marked(
        "{engine} has a fast exchange of its own for NVLink, and for two accelerators; {second} over {subject} "
        "fall back to NCCL, at {first} and more for each exchange."
    ),
    FindingKind.NO_DIRECT_EXCHANGE: marked(
        "{engine} has no direct way to the experts over {subject}: it brings all tokens together on every accelerator, "
        "which takes {first} a step."
    ),
    FindingKind.EXPERTS_UNEVEN: marked(
        "{first} experts a layer do not go evenly into {second} accelerators: the fullest one holds one more."
    ),
    FindingKind.BUSIEST_ACCELERATOR: marked(
        "Experts are chosen by chance: the busiest of {second} accelerators works {first} times as much as the "
        "average, and the others wait."
    ),
    FindingKind.HOST_MEMORY: marked(
        "{first} of the weights of each accelerator lie in host memory, as you chose; they are read there at {second}."
    ),
    FindingKind.PREDICTION_LAYERS: marked(
        "The file of {second} holds prediction layers that {engine} loads for guessing ahead only: {first} are in "
        "memory."
    ),
    FindingKind.SPECULATION_UNCALIBRATED: marked(
        "{first} tokens a step follow from your chance of {second} that a guess is kept; no measurement stands behind "
        "this, and the chance differs from text to text."
    ),
    FindingKind.OWN_MEASUREMENT: marked(
        "By your measurements of this machine a user gets {second} rather than the {first} predicted without them."
    ),
    FindingKind.EVIDENCE_GENERIC: marked(
        "Neither this device family nor this engine was measured: expect {speed_range}, and measure before you promise."
    ),
    FindingKind.SPEED_UNKNOWN: marked(
        "The catalogue has no computing rate for {device}: only the bound of its memory is known, at most {first} for "
        "one request alone. Measure before you promise."
    ),
    FindingKind.MODEL_READ_WITH_WARNING: marked("{model}: {subject}"),
    FindingKind.PRICE_RANGE_WIDE: marked("Quotes for {device} run from {price_low} to {price_high}: ask for an offer."),
    FindingKind.PRICE_UNKNOWN: marked("The catalogue has no price for {device}; enter yours."),
    FindingKind.ARTICLE_MODE: marked(
        "Computed as in the founding article: capacity as on the label, flat bits per weight, plain cache, "
        "no limit set by the engine."
    ),
    FindingKind.TEXTBOOK_KV: marked(
        "The rule of thumb, a full cache in every layer, gives {second} for one request; {model} is built otherwise "
        "and takes {first}."
    ),
    FindingKind.TEXTBOOK_WEIGHTS: marked(
        "Parameters times bits give {second}; with scales, and with the parts kept in higher precision, "
        "the weights take {first}."
    ),
    FindingKind.CHECKPOINT_JUST_MISSES: marked(
        "The checkpoint in {subject}, as it is published, takes {first}: just more than the {second} that can be used."
    ),
    FindingKind.MOE_ACTIVE_RESIDENT: marked(
        "{active} of {total} parameters work on each token, but all of them must lie in memory."
    ),
    FindingKind.CLOSE_TO_LIMIT: marked(
        "Only {free} stay free below the limit: a longer context or one more companion may no longer fit."
    ),
    FindingKind.RESERVED_BEYOND: marked(
        "{engine} sets {first} aside for a request of {context} that holds {second}: whole blocks, room for prompts "
        "under way, and pages of one size for all layers."
    ),
}

#: Sentences about a number of things, with the figure that counts them ("" for the first of the finding).
_COUNTED: dict[FindingKind, tuple[str, Callable[[int], str]]] = {
    FindingKind.KV_HEADS_REPLICATED: (
        "",
        lambda number: ngettext(
            "{first} KV head on {tensor} accelerators: it is copied, so the cache takes more memory in all.",
            "{first} KV heads on {tensor} accelerators: heads are copied, so the cache takes more memory in all.",
            number,
        ),
    ),
    FindingKind.HEADS_NOT_DIVISIBLE: (
        "",
        lambda number: ngettext(
            "{first} head cannot be divided among {tensor} accelerators: choose another tensor parallel width.",
            "{first} heads cannot be divided among {tensor} accelerators: choose another tensor parallel width.",
            number,
        ),
    ),
    FindingKind.QUEUE: (
        "max_concurrency",
        lambda number: ngettext(
            "{fits} request of {context} fits at once; a further one waits until it has finished.",
            "{fits} requests of {context} fit at once; a further one waits until another has finished.",
            number,
        ),
    ),
}

#: Where the founding article speaks of this very model, its own figure is named.
_ARTICLE_KEY = "article.kv_bytes_per_request"
_ARTICLE_KV = marked(
    "The article’s {article_binary} ({article}) for one request do not apply: its example keeps a cache in "
    "{article_layers} layers, {model} in {caching_layers} of its {layers}, which takes {first}."
)


def finding_title(kind: FindingKind) -> str:
    """A heading of a few words."""
    return _(_TITLES[kind])


def finding_sentence(finding: Finding, sizing: Sizing) -> str:
    """What a person should know, with the numbers of this sizing."""
    return _text(finding, sizing).format_map(_Numbers(finding, sizing, current()))


def _text(finding: Finding, sizing: Sizing) -> str:
    """The sentence in the language in force, with places for its numbers."""
    if finding.kind in _COUNTED:
        key, sentence = _COUNTED[finding.kind]
        return sentence(int(sizing.trace.get(key or next(iter(finding.figures), ""), 0)))
    return _(_ARTICLE_KV if _ARTICLE_KEY in finding.figures else _SENTENCES[finding.kind])


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
        if name in ("first", "second"):
            return self._figure(("first", "second").index(name))
        return _NUMBERS[name](self.sizing, self.formatter)

    def _figure(self, position: int) -> str:
        if position >= len(self.finding.figures):
            return self.formatter.unknown()
        return _traced(self.sizing.trace, self.finding.figures[position], self.formatter)


def _traced(trace: Trace, key: str, write: Formatter) -> str:
    return write.figure(trace[key], trace.entry(key).unit) if key in trace else write.unknown()


def _tier(sizing: Sizing, index: int) -> str:
    tiers = sizing.device.memory_tiers
    return tiers[index].name if index < len(tiers) else "–"


def _tier_rate(sizing: Sizing, write: Formatter, index: int) -> str:
    tiers = sizing.device.memory_tiers
    return write.rate(tiers[index].bandwidth_bytes_per_s) if index < len(tiers) else write.unknown()


def _spilled(sizing: Sizing, write: Formatter) -> str:
    return write.bytes(sum(use.count * sum(tier.used_bytes for tier in use.tiers[1:]) for use in sizing.devices))


def _price(sizing: Sizing, write: Formatter, high: bool) -> str:
    price = sizing.device.price
    if price is None:
        return write.unknown()
    amount: Decimal = price.high if high else price.low
    return write.money(amount, price.currency)


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
    "speed_range": _speed_range,
    "price_low": lambda s, w: _price(s, w, high=False),
    "price_high": lambda s, w: _price(s, w, high=True),
    "article": lambda s, w: _traced(s.trace, _ARTICLE_KEY, w),
    "article_binary": lambda s, w: w.bytes_iec(s.trace[_ARTICLE_KEY]),
    "article_layers": lambda s, w: _traced(s.trace, "article.layers", w),
    "caching_layers": lambda s, w: w.count(s.blueprint.caching_layers),
    "layers": lambda s, w: w.count(s.blueprint.layers),
    "active": lambda s, w: _traced(s.trace, "model.active_parameters", w),
    "total": lambda s, w: _traced(s.trace, "model.total_parameters", w),
    "free": lambda s, w: _traced(s.trace, "memory.free_bytes", w),
    "fits": lambda s, w: _traced(s.trace, "max_concurrency", w),
}
