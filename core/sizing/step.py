"""One decode step of a situation, cause by cause.

A step is recorded under a key of its own ("decode_step_s", "saturated_step_s") for a number of requests that is itself
a figure of the trace; its parts are `<key>.weights`, `<key>.experts` and so on, and their sum is the step.
"""

from core.physics import collective, decode, operators, roofline, tiers
from core.sizing.attention import record_attention_flops, record_cache_reads
from core.sizing.origins import METHOD
from core.sizing.rates import (
    OFFLOAD_ROUND_TRIP_S,
    exchange_link,
    has_routed_experts,
    hop_link,
    method,
    record_second_tier,
    second_tier_is_cpu,
)
from core.sizing.report import Cause
from core.sizing.situation import Situation
from core.trace import Trace
from core.units import Unit

#: The part of each cause in the key of a step.
PARTS = {
    Cause.WEIGHTS: "weights",
    Cause.EXPERTS: "experts",
    Cause.KV_CACHE: "kv",
    Cause.STATE: "state",
    Cause.COMPUTE: "compute",
    Cause.LINK: "link",
    Cause.ENGINE: "engine",
    Cause.SECOND_TIER: "second_tier",
}
FULL_BANDWIDTH = "memory_bandwidth_bytes_per_s"


def record_step_inputs(trace: Trace, s: Situation, depth: str) -> None:
    """Record what steps at a depth have in common: cache reads, operations, what lies in the second tier."""
    record_cache_reads(trace, s, "bytes_read_per_token.kv", depth)
    record_attention_flops(trace, s, "attention_flops_per_token", depth, "decode")
    trace.compute("state_traffic_bytes", operators.state_traffic_bytes, state="state_bytes_per_request")
    trace.compute(
        "compute_s_per_token.dense",
        decode.seconds_at_peak,
        low="flops_per_token.in_weight_format",
        low_rate="rate.weight_format",
        wide="flops_per_token.at_16_bit",
        wide_rate="rate.fp16",
    )
    trace.compute(
        "compute_s_per_token.experts",
        decode.seconds_at_rate,
        flops="flops_per_token.chosen_experts",
        rate="rate.weight_format",
    )
    trace.given("nothing_s", 0.0, Unit.SECOND, METHOD)
    trace.given("nothing_bytes", 0.0, Unit.BYTE, METHOD)
    if spills(trace):
        _record_spilled_shares(trace, s)


def spills(trace: Trace) -> bool:
    """Does anything lie in the second tier?"""
    return bool(trace["spill.weights_bytes"] > 0 or trace["spill.kv_bytes"] > 0)


def _record_spilled_shares(trace: Trace, s: Situation) -> None:
    """Shares of experts, other weights and cache that lie in the second tier of one accelerator."""
    record_second_tier(trace, s)
    experts = "weights_bytes.expert" if "weights_bytes.expert" in trace and has_routed_experts(s) else "nothing_bytes"
    trace.given("plan.ranks_per_replica", s.plan.tensor * s.plan.pipeline, Unit.COUNT, METHOD)
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


def record_reads(trace: Trace, s: Situation, key: str, batch: str) -> None:
    """Record `<key>.bytes.<kind>`: what a step with so many requests reads, from each tier."""
    if has_routed_experts(s):
        trace.compute(
            f"{key}.distinct_experts",
            operators.distinct_experts,
            experts="model.experts_per_layer",
            chosen="model.experts_per_token",
            tokens=batch,
            reuse="fit.gamma",
        )
        trace.compute(
            f"{key}.bytes.experts",
            operators.expert_bytes_read,
            all_experts="weights_bytes.expert",
            experts="model.experts_per_layer",
            distinct=f"{key}.distinct_experts",
        )
    first = {"dense": "read_bytes.dense", "experts": _experts(s, key), "kv": "bytes_read_per_token.kv.rank"}
    if spills(trace):
        trace.compute(
            f"{key}.bytes.second_tier",
            tiers.second_tier_bytes,
            dense=first["dense"],
            experts=first["experts"],
            kv=first["kv"],
            batch=batch,
            ranks="plan.tensor",
            dense_share="spill.share.dense",
            experts_share="spill.share.experts",
            kv_share="spill.share.kv",
        )
        for kind, read in first.items():
            first[kind] = f"{key}.bytes.first_tier.{kind}"
            trace.compute(first[kind], tiers.first_tier_bytes, read=read, spilled_share=f"spill.share.{kind}")
    trace.compute(
        f"{key}.bytes.first_tier",
        operators.bytes_per_rank,
        dense=first["dense"],
        experts=first["experts"],
        cache=first["kv"],
        state="state_traffic_bytes",
        batch=batch,
        ranks="plan.tensor",
    )
    record_ceiling(trace, key)


def _experts(s: Situation, key: str) -> str:
    return f"{key}.bytes.experts" if has_routed_experts(s) else "nothing_bytes"


def _first_tier(trace: Trace, key: str, kind: str, whole: str) -> str:
    spilled = f"{key}.bytes.first_tier.{kind}"
    return spilled if spilled in trace else whole


def record_ceiling(trace: Trace, key: str) -> None:
    """Record `<key>.ceiling`: bytes over bandwidth, nothing else."""
    first, second = f"{key}.bytes.first_tier", f"{key}.bytes.second_tier"
    if second in trace:
        trace.compute(
            f"{key}.ceiling",
            tiers.ceiling_seconds,
            first=first,
            first_bandwidth=FULL_BANDWIDTH,
            second=second,
            second_bandwidth="tier.1.bandwidth_bytes_per_s",
        )
    else:
        trace.compute(f"{key}.ceiling", tiers.one_tier_ceiling_seconds, read=first, bandwidth=FULL_BANDWIDTH)


def record_step(trace: Trace, s: Situation, key: str, batch: str) -> None:
    """Record `<key>`: the time of a step with `batch` requests, and its parts."""
    record_reads(trace, s, key, batch)
    _record_read_times(trace, s, key, batch)
    _record_compute_times(trace, s, key, batch)
    trace.compute(
        f"{key}.engine",
        decode.engine_seconds,
        kernels="kernels_per_step",
        per_kernel="fit.t_op",
        per_step="fit.t_host",
        per_request="fit.t_seq",
        batch=batch,
    )
    record_exchange(trace, s, f"{key}.link", batch)
    _record_second_tier_time(trace, s, key)
    trace.compute(key, decode.step_seconds, **{part: f"{key}.{part}" for part in PARTS.values()})


def _record_read_times(trace: Trace, s: Situation, key: str, batch: str) -> None:
    dense = _first_tier(trace, key, "dense", "read_bytes.dense")
    trace.compute(
        f"{key}.weights", roofline.read_seconds, read=dense, ranks="plan.tensor", bandwidth="bandwidth.weights"
    )
    experts = _first_tier(trace, key, "experts", _experts(s, key))
    trace.compute(
        f"{key}.experts", roofline.read_seconds, read=experts, ranks="plan.tensor", bandwidth="bandwidth.experts"
    )
    cache = _first_tier(trace, key, "kv", "bytes_read_per_token.kv.rank")
    trace.compute(f"{key}.kv", decode.cache_seconds, batch=batch, read=cache, bandwidth="bandwidth.kv")
    trace.compute(
        f"{key}.state",
        decode.state_seconds,
        batch=batch,
        read="state_traffic_bytes",
        ranks="plan.tensor",
        bandwidth="bandwidth.state",
    )


def _record_compute_times(trace: Trace, s: Situation, key: str, batch: str) -> None:
    """What multiplying adds to reading: for the weights, the experts, and attention over the cache."""
    trace.compute(f"{key}.batch_share", decode.small_batch_share, share="fit.mfu_b", batch=batch)
    common = {"batch": batch, "ranks": "plan.tensor", "batch_share": f"{key}.batch_share"}
    trace.compute(
        f"{key}.compute.weights.alone",
        decode.batch_compute_seconds,
        **common,
        at_peak="compute_s_per_token.dense",
        efficiency="fit.mfu",
    )
    if has_routed_experts(s):
        trace.compute("efficiency.experts", decode.product, first="fit.mfu", second="fit.mfu_e")
        trace.compute(
            f"{key}.compute.experts.alone",
            decode.batch_compute_seconds,
            **common,
            at_peak="compute_s_per_token.experts",
            efficiency="efficiency.experts",
        )
    trace.compute(
        f"{key}.compute.kv.alone",
        decode.attention_compute_seconds,
        batch=batch,
        flops="attention_flops_per_token",
        ranks="plan.tensor",
        rate="rate.fp16",
        efficiency="fit.mfu_dec_att",
    )
    for part in ("weights", "experts", "kv"):
        alone = f"{key}.compute.{part}.alone"
        if alone in trace:
            trace.compute(
                f"{key}.compute.{part}",
                roofline.compute_excess_seconds,
                read_time=f"{key}.{part}",
                compute_time=alone,
            )
    experts = f"{key}.compute.experts" if has_routed_experts(s) else "nothing_s"
    trace.compute(
        f"{key}.compute",
        decode.sum_of_three,
        first=f"{key}.compute.weights",
        second=experts,
        third=f"{key}.compute.kv",
    )


def record_exchange(trace: Trace, s: Situation, key: str, tokens: str) -> None:
    """Record `key`: time of the all-reduces and hand-overs of one pass with so many tokens."""
    if s.plan.tensor * s.plan.pipeline == 1:
        trace.given(key, 0.0, Unit.SECOND, METHOD)
        return
    trace.compute(f"{key}.message_bytes", collective.activation_bytes, tokens=tokens, hidden_size="model.hidden_size")
    parts = []
    if s.plan.tensor > 1 and exchange_link(s) is not None:
        parts.append(_record_all_reduces(trace, key))
    if s.plan.pipeline > 1 and hop_link(s) is not None:
        trace.compute(
            f"{key}.hop",
            collective.hop_seconds,
            message=f"{key}.message_bytes",
            latency="hop.latency_s",
            rate="hop.bytes_per_s",
        )
        parts.append(f"{key}.hops")
        trace.compute(parts[-1], collective.repeated_seconds, count="plan.hops", seconds=f"{key}.hop")
    trace.compute(key, collective.sum_of_seconds, parts=parts)


def _record_all_reduces(trace: Trace, key: str) -> str:
    inputs = {
        "message": f"{key}.message_bytes",
        "ranks": "plan.tensor",
        "alpha": "all_reduce.alpha_s",
        "bus": "all_reduce.bus_bytes_per_s",
        "factor": "fit.ars",
        "slowdown": "all_reduce.slowdown" if "all_reduce.slowdown" in trace else "fit.ars",
    }
    if "all_reduce.beta_bytes_per_s" in trace:
        trace.compute(f"{key}.all_reduce", collective.all_reduce_seconds, **inputs, beta="all_reduce.beta_bytes_per_s")
    else:
        trace.compute(f"{key}.all_reduce", collective.ring_all_reduce_seconds, **inputs)
    total = f"{key}.all_reduces"
    trace.compute(total, collective.repeated_seconds, count="all_reduces_per_step", seconds=f"{key}.all_reduce")
    return total


def _record_second_tier_time(trace: Trace, s: Situation, key: str) -> None:
    read = f"{key}.bytes.second_tier"
    if read not in trace:
        trace.given(f"{key}.second_tier", 0.0, Unit.SECOND, METHOD)
    elif second_tier_is_cpu(s):
        method(trace, "offload_round_trip_s", OFFLOAD_ROUND_TRIP_S, Unit.SECOND)
        share = "spill.share.experts" if has_routed_experts(s) else "spill.share.dense"
        trace.compute(
            f"{key}.second_tier",
            tiers.offloaded_seconds,
            read=read,
            bandwidth="bandwidth.second_tier",
            per_layer="offload_round_trip_s",
            layers="model.layers",
            share=share,
        )
    else:
        trace.compute(f"{key}.second_tier", tiers.second_tier_seconds, read=read, bandwidth="bandwidth.second_tier")
