"""What lies in the second tier of an accelerator, and the time that it costs."""

from core.physics import collective, decode, placement, tiers
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.placement import is_placed
from core.sizing.rates import OFFLOAD_ROUND_TRIP_S, has_routed_experts
from core.sizing.situation import Setup
from core.trace import Recipe, Trace
from core.units import Unit

#: Where only the experts of a layer lie on the CPU, its attention does not: the activations leave and come back.
TRIPS_WITH_EXPERTS = 2


def record_spilled_shares(trace: Trace, s: Setup) -> None:
    """Shares of experts, other weights and cache that lie in the second tier of one accelerator."""
    experts = "weights_bytes.expert" if "weights_bytes.expert" in trace and has_routed_experts(s) else "nothing_bytes"
    if is_placed(s):
        _record_placed_shares(trace)
        return
    trace.given("plan.ranks_per_replica", s.plan.copy_ranks, Unit.COUNT, METHOD)
    trace.compute(
        "spill.replica_weights_bytes",
        collective.repeated_bytes,
        count="plan.ranks_per_replica",
        each="spill.weights_bytes",
    )
    trace.compute(
        "spill.share.experts", tiers.experts_spilled_share, spilled="spill.replica_weights_bytes", experts=experts
    )
    trace.compute(
        "spill.share.dense",
        tiers.dense_spilled_share,
        spilled="spill.replica_weights_bytes",
        experts=experts,
        dense="read_bytes.dense",
    )
    trace.compute("spill.share.kv", tiers.cache_spilled_share, spilled="spill.kv_bytes", cache="accelerator.kv_bytes")


def _record_placed_shares(trace: Trace) -> None:
    """The same where the user said which layers lie in host memory."""
    read = {"placed": "host.dense_bytes", "read": "read_bytes.dense"}
    trace.compute("spill.share.dense", placement.share_read_on_host, **read)
    experts = "host.share_of_experts" if "host.share_of_experts" in trace else "host.share_of_layers"
    trace.compute("spill.share.experts", decode.same_share, share=experts)
    trace.compute("spill.share.kv", decode.same_share, share="host.share_of_layers")


def record_second_tier_time(trace: Recipe, o: Outline, key: str) -> None:
    """Record `<key>.second_tier`: the time that reading the slower memory takes."""
    read = f"{key}.bytes.second_tier"
    if not o.spills:
        trace.given(f"{key}.second_tier", 0.0, Unit.SECOND, METHOD)
    elif o.on_cpu:
        experts = o.has_experts
        trips = TRIPS_WITH_EXPERTS if experts else 1
        trace.given("offload_round_trip_s", trips * OFFLOAD_ROUND_TRIP_S, Unit.SECOND, METHOD)
        trace.compute(
            f"{key}.second_tier",
            tiers.offloaded_seconds,
            read=read,
            bandwidth="bandwidth.second_tier",
            per_layer="offload_round_trip_s",
            layers="model.moe_layers" if experts else "model.layers",
            share="spill.share.experts" if experts else "spill.share.dense",
        )
    else:
        trace.compute(f"{key}.second_tier", tiers.second_tier_seconds, read=read, bandwidth="bandwidth.second_tier")
