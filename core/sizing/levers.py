"""What would help: single changes of a scenario, each sized, with what it brings, the most useful first.

A lever carries the edits that make the change, so that a window can try it, and both sizings, so that every figure of
its gain can be explained. A change that the core refuses, or that brings nothing, is no lever.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from math import ceil, inf, log
from typing import Any

from pydantic import ValidationError

from core.architecture.blueprint import TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, DeviceKind, WeightFormat
from core.errors import TonnageError
from core.scenario import CatalogueModel, Mode, Placement, Plan, Speculation
from core.sizing.costs.bought import elsewhere
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Cost
from core.sizing.report import Sizing
from core.sizing.rules.retrieval import with_retrieval_apart
from core.sizing.shown import dearer
from core.sizing.size import size


class LeverKind(StrEnum):
    """A change that may help. Each has words in `core.language.levers`."""

    KV_FORMAT = "kv_format"
    WEIGHT_FORMAT = "weight_format"
    HALF_CONTEXT = "half_context"
    PREFILL_CHUNK = "prefill_chunk"
    PREPARED = "prepared"
    PREFIX_CACHING = "prefix_caching"
    COPIES = "copies"
    TENSOR_PARALLEL = "tensor_parallel"
    ONE_MORE = "one_more"
    NEXT_DEVICE = "next_device"
    RETRIEVAL_APART = "retrieval_apart"
    GUESSES = "guesses"


class Measure(StrEnum):
    """What a lever may improve, by the key of its figure."""

    REQUESTS = "max_concurrency"
    SPEED = "decode_tok_s"
    TOTAL = "output_tok_s_total"
    FIRST_TOKEN = "ttft_s"


@dataclass(frozen=True, slots=True)
class Gain:
    """One figure before and after; `times` is how many times better it gets, below 1 where it gets worse."""

    measure: Measure
    before: float
    after: float

    @property
    def times(self) -> float:
        better, worse = self.after, self.before
        if self.measure is Measure.FIRST_TOKEN:
            better, worse = worse, better
        return better / worse if worse > 0 else (inf if better > 0 else 1.0)


@dataclass(frozen=True, slots=True)
class Money:
    """What a change costs; None where a price or the number of users is not known.

    price         more to buy, or less
    per_million   cost of a million tokens of the client's own demand before and after
    """

    currency: str
    price: Decimal | None
    per_million: tuple[Decimal, Decimal] | None


@dataclass(frozen=True, slots=True)
class Lever:
    """A change and what it brings.

    edits     as `Scenario.edited` and the window's session take them
    subject   the name of what is chosen: a format, a device; a number where the change has one
    gains     figures that change, the one that helps most first
    money     what it costs
    """

    kind: LeverKind
    edits: Mapping[str, Any]
    before: Sizing
    after: Sizing
    gains: tuple[Gain, ...]
    subject: str | int = ""
    money: Money | None = None

    @property
    def makes_it_fit(self) -> bool:
        return self.after.fits and not self.before.fits


@dataclass(frozen=True, slots=True)
class _Change:
    kind: LeverKind
    edits: Mapping[str, Any]
    subject: str | int = ""


#: Changes that buy hardware.
BUYS = (LeverKind.ONE_MORE, LeverKind.NEXT_DEVICE, LeverKind.RETRIEVAL_APART)
#: A change of a figure below this part is not worth saying.
WORTH_SAYING = 0.03
#: An improvement below this part is no lever.
WORTH_DOING = 0.05
#: What a doubling of each figure counts.
COUNTS = {Measure.REQUESTS: 1.0, Measure.SPEED: 0.8, Measure.TOTAL: 0.4, Measure.FIRST_TOKEN: 0.3}
#: The share of prompts that prefix caching is tried with where the workload names none.
TRIED_PREFIX_SHARE = 0.5
#: Tokens guessed ahead, and the chance of each to be kept, that speculative decoding is tried with.
TRIED_GUESSES, TRIED_CHANCE = 2, 0.7
LEAST_CHUNK, LARGEST_CHUNK = 512, 65_536
#: An engine is prepared for no fewer requests than these.
LEAST_PREPARED = 16
#: The next device has at least so much more bandwidth or memory.
STEP_UP = 1.25


def levers(before: Sizing, catalogue: Catalogue) -> tuple[Lever, ...]:
    """What would help a scenario, the most useful first.

    Parameters
    ----------
    before : the scenario as it stands
    catalogue : what exists

    Returns
    -------
    levers that bring something, ranked by what is missing: first what makes the work fit, then what meets a target
    """
    found = [lever for change in _changes(before, catalogue) if (lever := _lever(change, before, catalogue))]
    best: dict[tuple[LeverKind, str | int], Lever] = {}
    for lever in sorted(found, key=_usefulness, reverse=True):
        best.setdefault(_slot(lever), lever)
    if not best:
        return ()
    now = cost(_as_proposed(before), catalogue)
    return tuple(_with_money(now, lever, catalogue) for lever in best.values())


def faster(of: Iterable[Lever]) -> list[tuple[Lever, Gain]]:
    """The levers that raise the speed of one user, with that gain, the most first."""
    found = [(one, gain) for one in of for gain in one.gains if gain.measure is Measure.SPEED and gain.times > 1]
    return sorted(found, key=lambda pair: -pair[1].times)


def _as_proposed(sizing: Sizing) -> Sizing:
    """With the lines that a rule proposes, which follow the hardware, in place of those that were entered."""
    if sizing.scenario.economics.lines is None:
        return sizing
    economics = elsewhere(sizing.scenario.economics, same_device=True)
    return replace(sizing, scenario=sizing.scenario.model_copy(update={"economics": economics}))


def _with_money(now: Cost, lever: Lever, catalogue: Catalogue) -> Lever:
    """The lever with what it costs to buy, and what becomes of the cost of a million tokens; its trace holds both."""
    if lever.kind not in BUYS and not now.per_million.known:
        return replace(lever, money=Money(now.currency, Decimal(0), None))
    then = cost(_as_proposed(lever.after), catalogue)
    price, tokens = None, None
    if lever.kind not in BUYS:
        price = Decimal(0)
    elif now.capital.known and then.capital.known:
        price = dearer(now.trace, then.trace, now.capital.key)
    if now.per_million.known and then.per_million.known:
        dearer(now.trace, then.trace, now.per_million.key)
        tokens = now.per_million.value, then.per_million.value
    after = replace(lever.after, trace=then.trace)
    return replace(lever, after=after, money=Money(now.currency, price, tokens))


def _slot(lever: Lever) -> tuple[LeverKind, str | int]:
    """Levers of which one is enough: of two chunk sizes the better one."""
    return lever.kind, "" if lever.kind is LeverKind.PREFILL_CHUNK else lever.subject


def _lever(change: _Change, before: Sizing, catalogue: Catalogue) -> Lever | None:
    try:
        after = size(before.scenario.edited(**change.edits), catalogue)
    except (TonnageError, ValidationError):
        return None
    if before.fits and not after.fits:
        return None
    gains = _gains(before, after)
    lever = Lever(change.kind, change.edits, before, after, gains, change.subject)
    helps = bool(gains) and gains[0].times >= 1 + WORTH_DOING
    return lever if lever.makes_it_fit or helps else None


def _gains(before: Sizing, after: Sizing) -> tuple[Gain, ...]:
    """Figures that change enough to be said, by how much they help."""
    known = [m for m in Measure if m.value in before.trace and m.value in after.trace]
    gains = [Gain(m, float(before.trace[m.value]), float(after.trace[m.value])) for m in known]
    said = [gain for gain in gains if abs(gain.times - 1) >= WORTH_SAYING]
    return tuple(sorted(said, key=lambda gain: _help(gain, before), reverse=True))


def _help(gain: Gain, before: Sizing) -> tuple[bool, float]:
    """How much a gain helps: whether it comes nearer to a target that is missed, and how often the figure doubles."""
    nearer = gain.times > 1 and _is_missed(gain.measure, before)
    return nearer, COUNTS[gain.measure] * log(gain.times) if 0 < gain.times < inf else (gain.times - 1) * inf


def _is_missed(measure: Measure, s: Sizing) -> bool:
    work, value = s.scenario.workload, float(s.trace[measure.value])
    if measure is Measure.REQUESTS:
        return value < float(s.trace["requests_with_reserve"])
    if measure is Measure.FIRST_TOKEN:
        return work.ttft_target_s is not None and value > work.ttft_target_s
    if measure is Measure.SPEED:
        return work.speed_target is not None and value < work.speed_target
    return False


def _usefulness(lever: Lever) -> tuple[bool, bool, bool, float]:
    """What makes the work fit comes first, and of that what buys nothing."""
    free = lever.makes_it_fit and lever.kind not in BUYS
    return lever.makes_it_fit, free, *(_help(lever.gains[0], lever.before) if lever.gains else (False, 0.0))


# ---- the changes that are tried


def _changes(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    for changes in (
        _cache_formats,
        _weight_formats,
        _workload,
        _chunks,
        _prepared,
        _guesses,
        _plans,
        _hardware,
        _retrieval,
    ):
        yield from changes(s, catalogue)


def _cache_formats(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """The cache in 8 and in 4 bit, as the engine offers it."""
    offered = [catalogue.kv_format(name) for name in s.engine.kv_formats]
    article = s.scenario.mode is Mode.ARTICLE
    if article:
        offered = [catalogue.kv_formats[name] for name in ("fp8", "4bit") if name in catalogue.kv_formats]
    now = catalogue.kv_format(s.scenario.kv_format).bits
    for bits in (8, 4):
        found = next((f for f in offered if f.bits == bits and (article or not f.flat)), None)
        if found is not None and bits < now:
            yield _Change(LeverKind.KV_FORMAT, {"kv_format": found.id}, bits)


def _weight_formats(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """The weights in 8 and in 4 bit, as they are published for the model; of several the one the device computes in."""
    now = catalogue.weight_format(s.scenario.weights)
    if not isinstance(s.scenario.model, CatalogueModel):
        published = [f for f in catalogue.weight_formats.values() if f.flat]
    else:
        ids = catalogue.published_formats(s.scenario.model.id)
        published = [catalogue.weight_format(name) for name in ids if name in s.engine.weight_formats]
    for low, high in ((6.0, 9.0), (3.5, 6.0)):
        smaller = [f for f in published if low <= f.bits < high and f.bits < now.bits and f.id != now.id]
        if smaller:
            chosen = max(smaller, key=lambda f: _computes(f, s.device))
            yield _Change(LeverKind.WEIGHT_FORMAT, {"weights": chosen.id}, chosen.name)


def _computes(weight_format: WeightFormat, device: Device) -> bool:
    return weight_format.compute in device.peak_flops


def _workload(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """Half the context, where prompts and answers leave room for it; prompts whose beginning is known."""
    work = s.scenario.workload
    half = work.context_tokens // 2
    if half >= (work.prompt_tokens or 0) + work.output_tokens:
        yield _Change(LeverKind.HALF_CONTEXT, {"workload__context_tokens": half}, half)
    if work.prefix_hit_share == 0 and s.scenario.mode is Mode.REAL:
        edits = {"workload__prefix_hit_share": TRIED_PREFIX_SHARE}
        yield _Change(LeverKind.PREFIX_CACHING, edits)


def _chunks(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """A prompt read in smaller chunks, which frees memory, or in larger ones, which saves passes."""
    if s.scenario.mode is Mode.ARTICLE:
        return
    now = s.scenario.deployment.prefill_chunk or s.engine.prefill_chunk
    for chunk in (now // 4, now * 4):
        if LEAST_CHUNK <= chunk <= LARGEST_CHUNK:
            yield _Change(LeverKind.PREFILL_CHUNK, {"deployment__prefill_chunk": chunk}, chunk)


def _prepared(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """An engine that prepares for no more requests than are wanted: it tries the scores of all of them at its start."""
    if "engine.max_requests" not in s.trace:
        return
    wanted = max(LEAST_PREPARED, 1 << (ceil(s.trace["requests_with_reserve"]) - 1).bit_length())
    if wanted < s.trace["engine.max_requests"]:
        yield _Change(LeverKind.PREPARED, {"deployment__max_requests": wanted}, wanted)


def _guesses(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """Tokens guessed ahead by the model's own prediction layer, where it has one."""
    real = s.scenario.mode is Mode.REAL
    if real and TensorClass.MTP in s.blueprint.parameters and not s.scenario.deployment.draft_tokens:
        edits = {
            "deployment__draft_tokens": TRIED_GUESSES,
            "deployment__speculation": Speculation(acceptance=TRIED_CHANCE),
        }
        yield _Change(LeverKind.GUESSES, edits, TRIED_GUESSES)


def _plans(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """Copies in place of a split, or a split in place of copies."""
    ranks = s.plan.ranks
    if ranks == 1:
        return
    if s.plan.replicas < ranks:
        yield _Change(LeverKind.COPIES, {"deployment__plan": Plan(replicas=ranks)}, ranks)
    divides = all(group.query_heads % ranks == 0 for group in s.blueprint.attention)
    if s.plan.tensor < ranks and s.engine.tensor_parallel and divides:
        yield _Change(LeverKind.TENSOR_PARALLEL, {"deployment__plan": Plan(tensor=ranks)}, ranks)


def _hardware(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """One more of the same, and the next device up."""
    more = {"deployment__count": s.scenario.deployment.count + 1, "deployment__plan": None}
    yield _Change(LeverKind.ONE_MORE, more, s.scenario.deployment.count + 1)
    up = next_device(s, catalogue)
    if up is not None:
        own = {"deployment__link": None, "deployment__plan": None, "deployment__capacity_bytes": None}
        edits = {"deployment__device": up.id, **own, "economics__price": None}
        yield _Change(LeverKind.NEXT_DEVICE, edits, up.called)


def next_device(s: Sizing, catalogue: Catalogue) -> Device | None:
    """The smallest step up in bandwidth and memory, of the same vendor and kind, that the engine runs on.

    Parameters
    ----------
    s : whose device, engine and scenario count
    catalogue : what exists

    Returns
    -------
    the device; None at the top of the range
    """
    own = catalogue.device(s.scenario.deployment.device)
    same = [
        device
        for device in catalogue.devices.values()
        if (device.vendor, device.kind, device.accelerators) == (own.vendor, own.kind, own.accelerators)
        and device.family in s.engine.families
        and not (device.id.startswith(own.id) or own.id.startswith(device.id))  # another record of the same thing
    ]
    own_family = [device for device in same if device.family is own.family]
    for devices in (own_family, [] if own.kind is DeviceKind.UNIFIED else same):  # a desktop machine is no server
        steps = [(step, device.id) for device in devices if (step := _step(own, device)) is not None]
        if steps:
            return catalogue.device(min(steps)[1])
    return None


def _step(own: Device, other: Device) -> float | None:
    """By how much another device is more, memory times bandwidth; None unless it is more in one and less in neither."""
    here, there = own.memory_tiers[0], other.memory_tiers[0]
    bandwidth = there.bandwidth_bytes_per_s / here.bandwidth_bytes_per_s
    memory = there.capacity_bytes / here.capacity_bytes
    if min(bandwidth, memory) < 1 or max(bandwidth, memory) < STEP_UP:
        return None
    return bandwidth * memory


def _retrieval(s: Sizing, catalogue: Catalogue) -> Iterator[_Change]:
    """Embedding model and reranker on a card of their own."""
    if any(c.placement is Placement.SAME_CARD for c in s.scenario.companions):
        edits = {"companions": with_retrieval_apart(s.scenario).companions}
        yield _Change(LeverKind.RETRIEVAL_APART, edits)
