"""The memory tiers of an accelerator: what is installed, what software may allocate, what the engine takes of it."""

from core.physics import memory as m
from core.physics.reservation.tensorrt_llm import limit_after_loading
from core.scenario import Mode
from core.sizing.apple import METAL, on_metal, working_set_bytes
from core.sizing.engine_share import memory_share, shares_what_is_left, takes_part_of_the_whole
from core.sizing.origins import ARTICLE, catalogue_origin
from core.sizing.placement import spills_by_itself
from core.sizing.situation import Setup
from core.sizing.static_share import computes_share, record_share
from core.trace import CHOICE, Origin, Recipe
from core.units import Unit


def record_capacity(trace: Recipe, s: Setup) -> None:
    """What is installed, what software may allocate, what the engine takes of it."""
    article, deployment = s.mode is Mode.ARTICLE, s.deployment
    capacities, lower = [], []
    for number, tier in enumerate(s.device.memory_tiers):
        key = f"tier.{number}"
        own = _tier_origin(s, number, "capacity_bytes")
        capacity, origin = tier.capacity_bytes, own
        usable, usable_origin = tier.usable_bytes, _tier_origin(s, number, "usable_bytes")
        if number == 0 and deployment.capacity_bytes is not None:
            capacity, origin = deployment.capacity_bytes, CHOICE
            usable, usable_origin = capacity, CHOICE
        elif article:
            usable, usable_origin = capacity, ARTICLE
        elif usable is None:
            usable, usable_origin = capacity, own  # the label, which is the safe side
        trace.given(f"{key}.capacity_bytes", capacity, Unit.BYTE, origin)
        trace.given(f"{key}.usable_bytes", usable, Unit.BYTE, usable_origin)
        bandwidth_origin = _tier_origin(s, number, "bandwidth_bytes_per_s")
        trace.given(f"{key}.bandwidth_bytes_per_s", tier.bandwidth_bytes_per_s, Unit.BYTE_PER_SECOND, bandwidth_origin)
        if number == 0:
            trace.given(
                "memory_bandwidth_bytes_per_s", tier.bandwidth_bytes_per_s, Unit.BYTE_PER_SECOND, bandwidth_origin
            )
        elif spills_by_itself(s):
            lower.append(f"{key}.usable_bytes")
        capacities.append(f"{key}.capacity_bytes")
    if computes_share(s):
        record_share(trace, s)
    else:
        trace.given("engine.memory_share", *memory_share(s))
    limit = {"usable_bytes": "tier.0.usable_bytes", "memory_share": "engine.memory_share"}
    if shares_what_is_left(s):
        trace.compute("tier.0.limit_bytes", limit_after_loading, **limit, fixed_bytes="accelerator.fixed_bytes")
    elif takes_part_of_the_whole(s):
        whole = "tier.0.capacity_bytes"
        if on_metal(s):
            whole = "tier.0.working_set_bytes"
            trace.given(whole, working_set_bytes(s), Unit.BYTE, METAL)
        trace.compute("tier.0.limit_bytes", m.limit_of_the_whole, **limit, capacity_bytes=whole)
    else:
        trace.compute("tier.0.limit_bytes", m.tier_limit_bytes, **limit)
    if lower:
        trace.compute("lower_tiers.limit_bytes", m.sum_bytes, items=lower)
    else:
        trace.given("lower_tiers.limit_bytes", 0, Unit.BYTE, catalogue_origin(s.device, "memory_tiers"))
    trace.compute("accelerator.capacity_bytes", m.sum_bytes, items=capacities)


def _tier_origin(s: Setup, number: int, field: str) -> Origin:
    """Where a figure of a memory tier comes from: the device, or the host as chosen."""
    host = s.deployment.host
    if number == 0 or host is None:
        return catalogue_origin(s.device, f"memory_tiers.{number}.{field}")
    chosen = host.bandwidth_bytes_per_s if field == "bandwidth_bytes_per_s" else host.capacity_bytes
    if host.device is None or chosen is not None:
        return CHOICE
    return catalogue_origin(s.catalogue.device(host.device), f"memory_tiers.0.{field}")
