"""Reading memory: what a token reads, how fast, and from which memory."""

from collections.abc import Iterator
from decimal import Decimal

from core.catalogue.records import Device, DeviceKind
from core.sizing.origins import METHOD, catalogue_origin
from core.sizing.placement import is_placed
from core.sizing.rates import has_routed_experts
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import note, reason, rule, setup_rule, warning
from core.sizing.situation import Setup, Situation
from core.trace import Recipe, Trace
from core.units import Unit

#: A model that writes slower than people read is slow, whatever fits [tok/s].
READING_SPEED = 7.0


@rule(FindingKind.SECOND_TIER, 9)
def second_tier(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Part of weights or cache stands in a slower memory, and is read at that memory's speed."""
    if not is_placed(s.setup) and (trace["spill.weights_bytes"] > 0 or trace["spill.kv_bytes"] > 0):
        rates = ("tier.0.bandwidth_bytes_per_s", "tier.1.bandwidth_bytes_per_s")
        yield warning(FindingKind.SECOND_TIER, "spill.weights_bytes", "spill.kv_bytes", *rates)


@rule(FindingKind.CAPACITY_WITHOUT_BANDWIDTH, 8, 58)
def capacity_without_bandwidth(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A large memory with little bandwidth loads a large model, and writes it more slowly than people read."""
    fast = trace["accelerator.total_bytes"] <= trace["tier.0.limit_bytes"]
    if fast and trace["decode_tok_s.ceiling"] < READING_SPEED:
        trace.given("reading_speed_tok_s", READING_SPEED, Unit.TOKEN_PER_SECOND, METHOD)
        figures = ("memory_bandwidth_bytes_per_s", "decode_tok_s.ceiling", "reading_speed_tok_s")
        yield warning(FindingKind.CAPACITY_WITHOUT_BANDWIDTH, *figures)


@setup_rule(FindingKind.MOE_ACTIVE_RESIDENT, 15)
def moe_active_resident(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A mixture computes with few of its parameters and holds all of them."""
    if s.blueprint.moe is not None:
        figures = ("model.active_parameters", "model.total_parameters", "memory_item.weights")
        yield note(FindingKind.MOE_ACTIVE_RESIDENT, *figures)


@setup_rule(FindingKind.DENSE_READS_ALL, 7, 58)
def dense_reads_all(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A dense model reads all its weights for every token: bandwidth over bytes is the ceiling."""
    if not has_routed_experts(s):
        figures = ("bytes_read_per_token.weights", "memory_bandwidth_bytes_per_s", "decode_tok_s.ceiling")
        yield reason(FindingKind.DENSE_READS_ALL, *figures)


@setup_rule(FindingKind.MOE_READS_FEW, 15, source="NVIDIA/dgx-spark-playbooks#79")
def moe_reads_few(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A mixture reads only the experts that a token is sent to, so it may write faster than a smaller dense model."""
    if has_routed_experts(s):
        figures = ("bytes_read_per_token.weights", "memory_item.weights", "decode_tok_s.ceiling")
        yield reason(FindingKind.MOE_READS_FEW, *figures)


@rule(FindingKind.LONG_CONTEXT_BANDWIDTH, 12, 52)
def long_context_bandwidth(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Very long context: bandwidth first, then heads in groups and a quantised cache."""
    if "decode_step_s.kv" not in trace:
        return
    weights = trace["decode_step_s.weights"] + trace["decode_step_s.experts"]
    if trace["decode_step_s.kv"] > weights:
        figures = ("memory_item.kv_cache", "memory_bandwidth_bytes_per_s", "decode_step_s.kv", "decode_step_s.weights")
        yield reason(FindingKind.LONG_CONTEXT_BANDWIDTH, *figures)


@rule(FindingKind.CAPACITY_UNIFIED_MEMORY, 53)
def capacity_unified_memory(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Most capacity for a small budget: unified memory, where capacity comes first and throughput does not."""
    device = s.setup.device
    if device.kind is not DeviceKind.UNIFIED or len(device.memory_tiers) > 1 or s.setup.accelerators > 1:
        return
    price = _price(s)
    if price is None or trace["accelerator.shortfall_bytes"] > 0:
        return
    rival = cheapest_card(s.setup, trace["accelerator.total_bytes"])
    if rival is not None and rival.price is not None and rival.price.low <= price:
        return
    trace.given("capacity.price", price, Unit.MONEY, catalogue_origin(device, "price"))
    figures = ["tier.0.usable_bytes", "capacity.price"]
    if rival is not None and rival.price is not None:
        trace.given("capacity.card_price", rival.price.low, Unit.MONEY, catalogue_origin(rival, "price"))
        figures.append("capacity.card_price")
    yield reason(FindingKind.CAPACITY_UNIFIED_MEMORY, *figures, subject=rival.name if rival else "")


def _price(s: Situation) -> Decimal | None:
    """What one device costs at least."""
    if s.scenario.economics.price is not None:
        return s.scenario.economics.price
    return s.setup.device.price.low if s.setup.device.price else None


def cheapest_card(s: Setup, needed_bytes: int) -> Device | None:
    """The cheapest card of the catalogue whose memory holds so much, of those with a price."""
    cards = [
        device
        for device in s.catalogue.devices.values()
        if device.kind is DeviceKind.CARD
        and device.price is not None
        and (device.memory_tiers[0].usable_bytes or device.memory_tiers[0].capacity_bytes) >= needed_bytes
    ]
    return min(cards, key=lambda device: (device.price.low if device.price else 0, device.id)) if cards else None


RULES = (
    second_tier,
    capacity_without_bandwidth,
    moe_active_resident,
    long_context_bandwidth,
    capacity_unified_memory,
    dense_reads_all,
    moe_reads_few,
)
