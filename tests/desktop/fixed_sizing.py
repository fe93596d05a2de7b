"""Sizings with plain numbers made by hand, so that a test of the window does not change when a formula does.

`fixed_sizing()` is one card that holds the work; the other functions are the states that a picture must show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, TensorClass
from core.catalogue.records import Device, DeviceFamily, DeviceKind, Engine, MemoryTier
from core.scenario import CatalogueModel, Deployment, Plan, Scenario, Workload
from core.sizing.concurrency import Barrier, Capacity, Redundancy, Variant, Wall
from core.sizing.costs.report import Cost
from core.sizing.curves import Curve
from core.sizing.demand import DemandAnswer, Road
from core.sizing.report import (
    Cause,
    DeviceUse,
    Estimate,
    Evidence,
    Finding,
    FindingKind,
    Limit,
    MemoryItem,
    MemoryKind,
    Sizing,
    TierUse,
    TimePart,
    Verdict,
    Weight,
)
from core.sizing.roofline import Roofline, WorkPoint
from core.sizing.search.need import Need
from core.sizing.search.report import HardwareFound
from core.sizing.search.request import SearchRequest
from core.trace import CHOICE, Origin, OriginKind, Trace, formula
from core.units import Unit
from desktop.charts.capacity_curve import request_axis
from desktop.charts.series import CacheLine, CapacityCurves, MemoryCurves, RangeCurve

DATASHEET = Origin(
    OriginKind.CATALOGUE,
    "RTX PRO 6000 Blackwell Workstation datasheet",
    "https://example.org/rtx-pro-6000.pdf",
    "2026-03-18",
    "two_sources",
    "devices/rtx-pro-6000-ws",
)
CONFIG = Origin(OriginKind.MODEL_FILE, "config.json", "", "2026-05-14", "", "models/qwen3.6-35b-a3b")
FITTED = Origin(OriginKind.CALIBRATION, "public measurements", "", "2026-11-20")
METHOD = Origin(OriginKind.METHOD, "method, section 3")


@formula(Unit.REQUEST)
def requests_at_once(users: int, share: float) -> int:
    """Requests in flight at the peak.

    requests = ceil(users * share)
    """
    import math

    return math.ceil(users * share)


@formula(Unit.BYTE_PER_TOKEN)
def cache_per_token(layers: int, heads: int, width: int, element: float) -> float:
    """Keys and values of one token in every layer that keeps them.

    cache = 2 * layers * heads * width * element
    """
    return 2 * layers * heads * width * element


@formula(Unit.BYTE)
def times(each: float, number: float) -> float:
    """The same for each of a number of things.

    product = each * number
    """
    return each * number


@formula(Unit.BYTE)
def total(terms: Sequence[float]) -> float:
    """Everything together.

    total = sum(terms)
    """
    return sum(terms)


@formula(Unit.BYTE)
def usable(capacity: float, share: float) -> float:
    """What the engine may use.

    limit = capacity * share
    """
    return capacity * share


@formula(Unit.BYTE)
def room(limit: float, used: float) -> float:
    """What stays below the limit.

    free = limit - used
    """
    return limit - used


@formula(Unit.REQUEST)
def how_many(free: float, each: float, state: float) -> int:
    """Requests for which there is room.

    requests = max(0, floor(free / (each + state)))
    """
    import math

    return max(0, math.floor(free / (each + state)))


@formula(Unit.SHARE)
def share_of(part: float, whole: float) -> float:
    """A part of a whole.

    share = part / whole
    """
    return part / whole


@formula(Unit.SECOND)
def step(parts: Sequence[float]) -> float:
    """The time of one step.

    step = sum(parts)
    """
    return sum(parts)


@formula(Unit.SECOND)
def spread_seconds(middle: float, factor: float) -> float:
    """One end of the range.

    end = middle * factor
    """
    return middle * factor


@formula(Unit.TOKEN_PER_SECOND)
def spread(middle: float, factor: float) -> float:
    """One end of the range.

    end = middle * factor
    """
    return middle * factor


@formula(Unit.TOKEN_PER_SECOND)
def rate(seconds: float) -> float:
    """One token a step.

    speed = 1 / seconds
    """
    return 1 / seconds


@dataclass(frozen=True)
class Card:
    """What differs between the fixed sizings."""

    device: str = "RTX PRO 6000 Workstation"
    kind: DeviceKind = DeviceKind.CARD
    count: int = 1
    capacity: float = 102_641_958_912  # as software reports it
    label: float | None = None  # on the card, where it differs
    memory_share: float = 0.9
    bandwidth: float = 1.792e12
    weights: float = 23.4e9
    embedding: float = 4.3e9
    reranker: float = 2.2e9
    runtime: float = 4.3e9
    state: float = 64.4e6
    context: int = 262_144
    trained: int = 262_144
    users: int = 40
    active: float = 0.3
    prompt: int = 32_768
    element: float = 1.0
    second_tier: tuple[str, float, float] = ("", 0.0, 0.0)  # name, capacity, bandwidth
    spilled_weights: float = 0.0
    verdict: Verdict | None = None
    evidence: Evidence = Evidence.MEASURED_ON_RELATIVES
    low: float = 0.82
    high: float = 1.19
    step_ms: dict[Cause, float] = field(
        default_factory=lambda: {
            Cause.WEIGHTS: 8.1,
            Cause.KV_CACHE: 3.1,
            Cause.ENGINE: 1.8,
            Cause.COMPUTE: 0.4,
            Cause.LINK: 0.0,
        }
    )
    interference_ms: float = 0.0
    speed_unknown: bool = False  # no computing rate: the bound of physics is all there is
    ttft: float = 1.2
    ttft_target: float | None = 2.0
    speed_target: float | None = 30.0
    limit: Limit = Limit.BANDWIDTH
    findings: tuple[Finding, ...] = (
        Finding(FindingKind.CLOSE_TO_LIMIT, Weight.WARNING, ("memory.free_bytes",)),
        Finding(FindingKind.TEXTBOOK_KV, Weight.NOTE, ("kv_bytes_per_request", "textbook.kv_bytes_per_request")),
        Finding(FindingKind.EVIDENCE_GENERIC, Weight.NOTE, ("decode_tok_s",)),
    )


def fixed_sizing(card: Card = Card()) -> Sizing:
    """A complete sizing of one card; every figure follows from the numbers of `card`."""
    trace = Trace()
    _model_and_work(trace, card)
    _memory(trace, card)
    _speed(trace, card)
    short = max(0, round(trace["memory.total_bytes"] - trace["memory.limit_bytes"]))
    free = trace["memory.free_bytes"] / trace["memory.limit_bytes"]
    found = Verdict.DOES_NOT_FIT if short else Verdict.CLOSE if free < 0.05 else Verdict.FITS
    return Sizing(
        scenario=_scenario(card),
        blueprint=_blueprint(card),
        device=_device(card),
        engine=_engine(card),
        link=None,
        plan=Plan(tensor=card.count),
        trace=trace,
        verdict=card.verdict or found,
        shortfall_bytes=short,
        devices=(_use(trace, card),),
        decode=_estimate(trace, "decode_tok_s", card),
        ttft=_estimate(trace, "ttft_s", card),
        throughput=_estimate(trace, "output_tok_s_total", card),
        prefill=_estimate(trace, "prefill_tok_s", card),
        step=() if card.speed_unknown else _step(trace, card),
        prefill_step=() if card.speed_unknown else (TimePart(Cause.COMPUTE, "ttft_s", trace["ttft_s"]),),
        decode_limit=None if card.speed_unknown else card.limit,
        prefill_limit=None if card.speed_unknown else Limit.COMPUTE,
        findings=card.findings,
    )


def step_key(cause: Cause) -> str:
    return "decode_step_s.kv" if cause is Cause.KV_CACHE else f"decode_step_s.{cause}"


def _step(trace: Trace, card: Card) -> tuple[TimePart, ...]:
    parts = {cause: step_key(cause) for cause in card.step_ms} | {Cause.PROMPTS: "serving.interference_s"}
    return tuple(TimePart(cause, key, trace[key]) for cause, key in parts.items())


def _model_and_work(trace: Trace, card: Card) -> None:
    trace.given("deployment.accelerators", 1, Unit.COUNT)
    trace.given("workload.users", card.users, Unit.USER)
    trace.given("workload.active_share", card.active, Unit.SHARE)
    trace.given("workload.context_tokens", card.context, Unit.TOKEN)
    trace.given("workload.prompt_tokens", card.prompt, Unit.TOKEN)
    trace.given("workload.depth_tokens", card.prompt, Unit.TOKEN)
    trace.compute("requests_at_once", requests_at_once, users="workload.users", share="workload.active_share")
    trace.given("model.total_parameters", 35_100_000_000, Unit.PARAMETER, CONFIG)
    trace.given("model.active_parameters", 3_000_000_000, Unit.PARAMETER, CONFIG)
    trace.given("model.caching_layers", 10, Unit.COUNT, CONFIG)
    trace.given("model.kv_heads", 2, Unit.COUNT, CONFIG)
    trace.given("model.head_dim", 256, Unit.COUNT, CONFIG)
    trace.given("kv_element_bytes", card.element, Unit.BYTE_PER_ELEMENT, replace(CHOICE, title="FP8"))
    trace.compute(
        "kv_bytes_per_token",
        cache_per_token,
        layers="model.caching_layers",
        heads="model.kv_heads",
        width="model.head_dim",
        element="kv_element_bytes",
    )
    trace.compute("kv_bytes_per_request", times, each="kv_bytes_per_token", number="workload.context_tokens")
    trace.given("textbook.kv_bytes_per_token", 49_152, Unit.BYTE_PER_TOKEN, Origin(OriginKind.ARTICLE))
    trace.compute(
        "textbook.kv_bytes_per_request", times, each="textbook.kv_bytes_per_token", number="workload.context_tokens"
    )
    trace.given("state_bytes_per_request", card.state, Unit.BYTE, CONFIG)


def _memory(trace: Trace, card: Card) -> None:
    for name in ("weights", "embedding", "reranker"):
        trace.given(f"memory_item.{name}", round(getattr(card, name)), Unit.BYTE, CONFIG)
    trace.given("memory_item.framework", round(card.runtime), Unit.BYTE, DATASHEET)
    trace.compute("memory_item.kv_cache", times, each="kv_bytes_per_request", number="requests_at_once")
    trace.compute("memory_item.state", times, each="state_bytes_per_request", number="requests_at_once")
    fixed = [f"memory_item.{name}" for name in ("weights", "embedding", "reranker", "framework")]
    trace.compute("memory.fixed_bytes", total, terms=fixed)
    trace.compute(
        "memory.total_bytes", total, terms=["memory.fixed_bytes", "memory_item.kv_cache", "memory_item.state"]
    )
    capacity = round(card.capacity + card.second_tier[1]) * card.count
    trace.given("memory.capacity_bytes", capacity, Unit.BYTE, DATASHEET)
    trace.given("engine.memory_share", card.memory_share, Unit.SHARE, METHOD)
    trace.compute("memory.limit_bytes", usable, capacity="memory.capacity_bytes", share="engine.memory_share")
    trace.compute("memory.free_for_kv_bytes", room, limit="memory.limit_bytes", used="memory.fixed_bytes")
    trace.compute("memory.free_bytes", room, limit="memory.limit_bytes", used="memory.total_bytes")
    trace.compute("memory.share_of_capacity", share_of, part="memory.total_bytes", whole="memory.capacity_bytes")
    trace.compute(
        "max_concurrency",
        how_many,
        free="memory.free_for_kv_bytes",
        each="kv_bytes_per_request",
        state="state_bytes_per_request",
    )
    trace.given("max_context_tokens", 467_000, Unit.TOKEN, METHOD)
    trace.given("max_context_usable_tokens", card.trained, Unit.TOKEN, METHOD)
    trace.given("tier.0.capacity_bytes", round(card.label or card.capacity), Unit.BYTE, DATASHEET)
    trace.given("tier.0.usable_bytes", round(card.capacity), Unit.BYTE, DATASHEET)
    trace.compute("tier.0.limit_bytes", usable, capacity="tier.0.usable_bytes", share="engine.memory_share")
    if card.second_tier[0]:
        for name in ("capacity", "usable"):
            trace.given(f"tier.1.{name}_bytes", round(card.second_tier[1]), Unit.BYTE, DATASHEET)
        trace.given("tier.1.bandwidth_bytes_per_s", card.second_tier[2], Unit.BYTE_PER_SECOND, DATASHEET)
        trace.given("spill.weights_bytes", round(card.spilled_weights), Unit.BYTE, METHOD)


def _speed(trace: Trace, card: Card) -> None:
    trace.given("memory_bandwidth_bytes_per_s", card.bandwidth, Unit.BYTE_PER_SECOND, DATASHEET)
    if card.speed_unknown:
        trace.given("decode_tok_s.ceiling", 112.0, Unit.TOKEN_PER_SECOND, METHOD)
        return
    for cause, milliseconds in card.step_ms.items():
        trace.given(step_key(cause), milliseconds / 1e3, Unit.SECOND, FITTED)
    trace.compute("decode_step_s", step, parts=[step_key(cause) for cause in card.step_ms])
    trace.given("serving.interference_s", card.interference_ms / 1e3, Unit.SECOND, FITTED)
    trace.compute("tpot_s", step, parts=["decode_step_s", "serving.interference_s"])
    trace.compute("decode_tok_s", rate, seconds="tpot_s")
    trace.compute("decode_tok_s.ceiling", rate, seconds=step_key(next(iter(card.step_ms))))
    trace.given("ttft_s", card.ttft, Unit.SECOND, FITTED)
    trace.given("output_tok_s_total", trace["decode_tok_s"] * trace["requests_at_once"], Unit.TOKEN_PER_SECOND, FITTED)
    trace.given("prefill_tok_s", 24_000.0, Unit.TOKEN_PER_SECOND, FITTED)
    trace.given("range.low", card.low, Unit.RATIO, FITTED)
    trace.given("range.high", card.high, Unit.RATIO, FITTED)
    for key in ("decode_tok_s", "output_tok_s_total", "prefill_tok_s"):
        trace.compute(f"{key}.p10", spread, middle=key, factor="range.low")
        trace.compute(f"{key}.p90", spread, middle=key, factor="range.high")
    trace.compute("ttft_s.p10", spread_seconds, middle="ttft_s", factor="range.low")
    trace.compute("ttft_s.p90", spread_seconds, middle="ttft_s", factor="range.high")
    if card.speed_target is not None:
        trace.given("workload.speed_target", card.speed_target, Unit.TOKEN_PER_SECOND)
    if card.ttft_target is not None:
        trace.given("workload.ttft_target_s", card.ttft_target, Unit.SECOND)


def _estimate(trace: Trace, key: str, card: Card) -> Estimate | None:
    if card.speed_unknown:
        return None
    return Estimate(key, trace[f"{key}.p10"], trace[key], trace[f"{key}.p90"], card.evidence)


def _use(trace: Trace, card: Card) -> DeviceUse:
    """Every accelerator holds an equal part; spilled weights stand in the second tier."""
    kinds = {
        MemoryKind.WEIGHTS: "memory_item.weights",
        MemoryKind.EMBEDDING: "memory_item.embedding",
        MemoryKind.RERANKER: "memory_item.reranker",
        MemoryKind.RUNTIME: "memory_item.framework",
        MemoryKind.KV_CACHE: "memory_item.kv_cache",
        MemoryKind.STATE: "memory_item.state",
    }
    items = []
    for kind, key in kinds.items():
        amount = round(trace[key] / card.count) - (round(card.spilled_weights) if kind is MemoryKind.WEIGHTS else 0)
        if amount > 0:
            items.append(MemoryItem(kind, key, amount))
    tiers = [_tier(trace, "HBM" if card.second_tier[0] else "GDDR7", 0, "limit", items)]
    if card.second_tier[0]:
        spilled = [MemoryItem(MemoryKind.WEIGHTS, "spill.weights_bytes", round(card.spilled_weights))]
        tiers.append(_tier(trace, card.second_tier[0], 1, "usable", spilled))
    return DeviceUse(card.device, card.count, tuple(tiers))


def _tier(trace: Trace, name: str, number: int, limit: str, items: list[MemoryItem]) -> TierUse:
    keys = [f"tier.{number}.{size}_bytes" for size in ("capacity", "usable", limit)]
    sizes = [round(trace[key]) for key in keys]
    return TierUse(
        f"use.{number}", name, "lpddr" if number else "gddr", keys[0], keys[1], keys[2], tuple(items), *sizes
    )


def _scenario(card: Card) -> Scenario:
    return Scenario(
        name="RAG platform, one card",
        client="Harbour Logistics",
        model=CatalogueModel(id="qwen3.6-35b-a3b"),
        weights="nvfp4",
        kv_format="fp8",
        workload=Workload(
            users=card.users,
            active_share=card.active,
            prompt_tokens=card.prompt,
            output_tokens=600,
            context_tokens=card.context,
            ttft_target_s=card.ttft_target,
            speed_target=card.speed_target,
        ),
        deployment=Deployment(device="rtx-pro-6000-ws", count=card.count),
    )


def _blueprint(card: Card) -> Blueprint:
    attention = AttentionGroup(AttentionKind.FULL, 10, 16, 2, 256, 256)
    parameters = {TensorClass.EXPERT: 32_000_000_000, TensorClass.ATTENTION: 3_100_000_000}
    return Blueprint(
        "Qwen3.6-35B-A3B", "qwen3_next", 40, 2048, 151_936, parameters, (attention,), trained_context=card.trained
    )


def _device(card: Card) -> Device:
    first = "HBM" if card.second_tier[0] else "GDDR7"
    tiers = [
        MemoryTier(name=first, kind="gddr", capacity_bytes=round(card.capacity), bandwidth_bytes_per_s=card.bandwidth)
    ]
    if card.second_tier[0]:
        name, capacity, bandwidth = card.second_tier
        tiers.append(
            MemoryTier(name=name, kind="lpddr", capacity_bytes=round(capacity), bandwidth_bytes_per_s=bandwidth)
        )
    return Device(
        id="rtx-pro-6000-ws",
        name=card.device,
        vendor="NVIDIA",
        kind=card.kind,
        family=DeviceFamily.NVIDIA_GDDR,
        architecture="blackwell",
        memory_tiers=tuple(tiers),
    )


def _engine(card: Card) -> Engine:
    return Engine(
        id="vllm",
        name="vLLM",
        group="serving",
        version="0.14",
        weight_formats=("nvfp4",),
        kv_formats=("fp8",),
        families=(DeviceFamily.NVIDIA_GDDR,),
        memory_share=card.memory_share,
        runtime_bytes=round(card.runtime),
        prefill_chunk=8192,
    )


def close() -> Sizing:
    return fixed_sizing(Card(users=70))


def too_much() -> Sizing:
    card = Card(context=524_288)
    return fixed_sizing(
        replace(card, findings=tuple(f for f in card.findings if f.kind is not FindingKind.CLOSE_TO_LIMIT))
    )


def second_tier() -> Sizing:
    """Part of the weights stands in the slower memory."""
    return fixed_sizing(
        Card(
            device="DGX Station",
            kind=DeviceKind.UNIFIED,
            capacity=288e9,
            bandwidth=8e12,
            weights=303e9,
            spilled_weights=112e9,
            second_tier=("LPDDR5X", 496e9, 396e9),
            verdict=Verdict.CLOSE,
            step_ms={Cause.WEIGHTS: 22.0, Cause.SECOND_TIER: 283.0, Cause.KV_CACHE: 1.1, Cause.ENGINE: 2.0},
            limit=Limit.SECOND_TIER,
            findings=(
                Finding(
                    FindingKind.SECOND_TIER, Weight.WARNING, ("spill.weights_bytes", "tier.1.bandwidth_bytes_per_s")
                ),
            ),
        )
    )


def eight_devices() -> Sizing:
    return fixed_sizing(Card(device="H200 SXM", kind=DeviceKind.MODULE, count=8, capacity=141e9, weights=405e9))


def two_devices() -> Sizing:
    return fixed_sizing(Card(count=2, weights=70e9))


def tiny() -> Sizing:
    """A few hundred megabytes on a small card."""
    return fixed_sizing(
        Card(
            device="RTX 3050",
            capacity=6e9,
            weights=380e6,
            embedding=0,
            reranker=0,
            runtime=520e6,
            state=0,
            context=4096,
            users=1,
            active=1.0,
            prompt=1024,
            ttft=0.018,
            step_ms={Cause.WEIGHTS: 2.1, Cause.KV_CACHE: 0.05, Cause.ENGINE: 0.3},
            findings=(),
        )
    )


def huge() -> Sizing:
    """Far too much of everything."""
    return fixed_sizing(Card(weights=2.2e12, users=100_000, active=1.0, context=1_048_576, ttft=5400.0, findings=()))


def only_a_bound() -> Sizing:
    """No measurement of anything alike: the physical bound is all there is."""
    return fixed_sizing(Card(low=1.0, high=1.0, evidence=Evidence.GENERIC, speed_target=None, ttft_target=None))


def speed_unknown() -> Sizing:
    """A card without a computing rate in the catalogue: its memory is sized, its speed is not known."""
    found = Finding(FindingKind.SPEED_UNKNOWN, Weight.WARNING, ("decode_tok_s.ceiling", "memory_bandwidth_bytes_per_s"))
    return fixed_sizing(Card(speed_unknown=True, findings=(found,)))


def reported() -> Sizing:
    """A card whose label says less than software reports."""
    return fixed_sizing(Card(label=96e9))


STATES = {
    "fits": fixed_sizing,
    "close": close,
    "too_much": too_much,
    "second_tier": second_tier,
    "eight": eight_devices,
    "two": two_devices,
    "tiny": tiny,
    "huge": huge,
    "bound": only_a_bound,
    "unknown": speed_unknown,
    "reported": reported,
}


def fixed_curves(sizing: Sizing) -> MemoryCurves:
    """Memory against context for this sizing: fixed part, and a cache that doubles with its bits."""
    trace, count = sizing.trace, sizing.plan.ranks
    fixed = float(trace["memory.fixed_bytes"] + trace["memory_item.state"]) / count
    per_token = float(trace["kv_bytes_per_token"] * trace["requests_at_once"]) / count
    limit = trace["memory.limit_bytes"] / count
    contexts = _lengths(4096, max(2**20, sizing.scenario.workload.context_tokens) * 1.5)
    room = limit - fixed
    lines = []
    for bits in (16, 8, 4):
        growth = per_token * bits / 8
        fits_to = room / growth if room > growth * contexts[0] else None
        total = [fixed + growth * x for x in contexts]
        lines.append(CacheLine(bits, total, [max(0.0, y - limit) for y in total], fits_to, bits == 8))
    return MemoryCurves(contexts, tuple(lines), limit, trace["memory.total_bytes"] / count)


def fixed_decode(sizing: Sizing) -> RangeCurve:
    contexts = _lengths(4096, 262_144)
    if sizing.decode is None:
        bound = [sizing.decode_bound.p50 * 1.3 / (1 + x / 110_000) for x in contexts]
        return RangeCurve(contexts, bound, bound, bound)
    middle = [sizing.decode.p50 * 1.3 / (1 + x / 110_000) for x in contexts]
    return _ranged(contexts, middle, sizing.decode)


def fixed_ttft(sizing: Sizing) -> RangeCurve:
    assert sizing.ttft is not None
    prompts = _lengths(1024, 131_072)
    at = sizing.scenario.workload.prompt_tokens or 1024
    middle = [sizing.ttft.p50 * (x / at + (x / at) ** 2) / 2 for x in prompts]
    return _ranged(prompts, middle, sizing.ttft)


def fixed_capacity(sizing: Sizing) -> CapacityCurves | None:
    """Speeds that fall with every request at once; the targets are met up to the memory."""
    if sizing.decode is None or sizing.ttft is None or sizing.throughput is None:
        return None
    fit, needed = int(sizing.trace["max_concurrency"]), sizing.required_requests
    axis = [float(n) for n in request_axis(needed, fit, fit)]
    speeds = [sizing.decode.p50 * (needed + 8) / (n + 8) for n in axis]
    waits = [sizing.ttft.p50 * (n + 8) / (needed + 8) for n in axis]
    trace = sizing.trace.copy()
    key = "capacity.none.accelerators"
    trace.given("capacity.requests", fit, Unit.REQUEST, METHOD)
    trace.given(key, sizing.plan.ranks, Unit.COUNT, METHOD)
    capacity = Capacity(
        trace=trace,
        requests=fit,
        users_by_share=int(fit / sizing.scenario.workload.active_share),
        users_by_little=10 * fit,
        wall=Wall.MEMORY,
        barriers=(Barrier(Wall.MEMORY, "capacity.requests", fit),),
        demand=DemandAnswer(needed, 2, 1.5, 0.1, 0.2, 0.01, Road.SHARE),
        variants=(Variant(Redundancy.NONE, 1, sizing.plan.ranks, key),) if fit else (),
        tail_fits=None,
        at=sizing,
        speed=_curve(axis, speeds),
        total=_curve(axis, speeds),
        first_token=_curve(axis, waits),
        along=lambda _requests: (),
    )
    return CapacityCurves(
        capacity,
        _ranged(axis, speeds, sizing.decode),
        _ranged(axis, [speed * n for speed, n in zip(speeds, axis, strict=True)], sizing.throughput),
        _ranged(axis, waits, sizing.ttft),
        lambda _requests: sizing,
    )


def _curve(x: list[float], y: list[float]) -> Curve:
    import numpy as np

    axis, values = np.asarray(x), np.asarray(y)
    return Curve(axis, values, values, values)


def fixed_roofline(sizing: Sizing) -> Roofline | None:
    """Writing far below the corner of the roof, reading beyond it."""
    if sizing.decode is None:
        return None
    rate, bandwidth = 4e14, sizing.trace["memory_bandwidth_bytes_per_s"]
    ridge = rate / bandwidth
    points = []
    for work, intensity, share in (("decode", 12.0, 0.5), ("prefill", ridge * 8, 0.25)):
        roof = min(rate, intensity * bandwidth)
        reached, low = roof * share, sizing.decode.p10 / sizing.decode.p50
        points.append(
            WorkPoint(
                f"roofline.{work}",
                intensity,
                reached * low,
                reached,
                reached * 1.2 if low < 1 else reached,
                roof,
                share,
                sizing.decode.evidence,
                intensity < ridge,
            )
        )
    trace = sizing.trace.copy()
    for point in points:
        trace.given(point.key, point.rate, Unit.FLOP_PER_SECOND, METHOD)
    return Roofline(trace, bandwidth, rate, rate / 4, ridge, *points)


def _lengths(low: float, high: float, count: int = 64) -> list[float]:
    return [low * (high / low) ** (n / (count - 1)) for n in range(count)]


def _ranged(x: list[float], middle: list[float], estimate: Estimate) -> RangeCurve:
    low, high = estimate.p10 / estimate.p50, estimate.p90 / estimate.p50
    return RangeCurve(x, [v * low for v in middle], middle, [v * high for v in middle])


class FixedCurves:
    """Curves for the results column that need neither catalogue nor formulas."""

    def memory(self, sizing: Sizing, catalogue: object) -> MemoryCurves:
        return fixed_curves(sizing)

    def decode(self, sizing: Sizing, catalogue: object) -> tuple[RangeCurve, float]:
        return fixed_decode(sizing), float(sizing.scenario.workload.prompt_tokens or 1024)

    def ttft(self, sizing: Sizing, catalogue: object) -> tuple[RangeCurve, float]:
        return fixed_ttft(sizing), float(sizing.scenario.workload.prompt_tokens or 1024)

    def capacity(self, sizing: Sizing, catalogue: object) -> CapacityCurves | None:
        return fixed_capacity(sizing)

    def roofline(self, sizing: Sizing) -> Roofline | None:
        return fixed_roofline(sizing)

    def hardware(self, request: SearchRequest, catalogue: object) -> HardwareFound:
        return HardwareFound(request, Need(1000.0, 600.0, None, None), (), (), (), 0, 0, 0)

    def explained(self, sizing: Sizing, catalogue: object, key: str = "") -> Sizing:
        found = [fixed_roofline(sizing)]
        if key.startswith("capacity."):
            curves = fixed_capacity(sizing)
            found += [curves.capacity] if curves else []  # type: ignore[list-item]
        return replace(sizing, trace=sizing.trace.joined(*(one.trace for one in found if one is not None)))

    def cost(self, sizing: Sizing, catalogue: object) -> Cost | None:
        return None
