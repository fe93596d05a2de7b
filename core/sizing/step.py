"""One decode step of a situation, cause by cause.

A step is recorded under a key of its own ("decode_step_s", "saturated_step_s") for a number of requests that is itself
a figure of the trace; its parts are `<key>.weights`, `<key>.experts` and so on, and their sum is the step.
"""

from core.physics import decode, operators, roofline, speculation, tiers
from core.physics import expert_parallel as ep
from core.sizing.attention import record_attention_flops, record_cache_reads
from core.sizing.exchange import record_exchange
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.report import Cause
from core.sizing.spill import record_second_tier_time
from core.trace import Recipe
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


def record_step_inputs(trace: Recipe, o: Outline, depth: str) -> None:
    """Record what steps at a depth have in common: reads and operations."""
    record_read_inputs(trace, o, depth)
    record_attention_flops(trace, o, "attention_flops_per_token", depth, "decode")
    trace.given("nothing_s", 0.0, Unit.SECOND, METHOD)
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


def record_read_inputs(trace: Recipe, o: Outline, depth: str) -> None:
    """Record what a step reads per request at a depth."""
    record_cache_reads(trace, o, "bytes_read_per_token.kv", depth)
    trace.compute("state_traffic_bytes", operators.state_traffic_bytes, state="state_bytes_per_request")
    trace.given("nothing_bytes", 0.0, Unit.BYTE, METHOD)


def tokens_in_step(o: Outline, key: str, batch: str) -> str:
    """The key of the tokens that a step of a copy computes: of all its groups, guessed ones included."""
    return f"{key}.tokens_at_experts" if o.attention_groups else rank_tokens(o, key, batch)


def rank_tokens(o: Outline, key: str, batch: str) -> str:
    """The key of the tokens that one group computes in a step."""
    return f"{key}.tokens" if o.speculates else batch


def _record_step_tokens(trace: Recipe, o: Outline, key: str, batch: str) -> None:
    """Record the tokens of a step where they are not as many as the requests of one group."""
    tokens = batch
    if o.speculates:
        tokens = f"{key}.tokens"
        trace.compute(tokens, speculation.tokens_to_check, batch=batch, guessed="engine.draft_tokens")
    if o.attention_groups:
        group = {"batch": tokens, "groups": "plan.attention_replicas"}
        joint = f"{key}.tokens_at_experts"
        if batch == "serving.requests_in_step" and not o.speculates:
            trace.compute(joint, ep.requests_at_experts, **group, requests="requests_at_once", replicas="plan.replicas")
        else:
            trace.compute(joint, ep.requests_of_all_groups, **group)


def record_reads(trace: Recipe, o: Outline, key: str, batch: str, tokens: str) -> None:
    """Record `<key>.bytes.<kind>`: what a step with so many requests and tokens reads, from each tier."""
    if o.has_experts:
        trace.compute(
            f"{key}.bytes.experts",
            operators.expert_bytes_read,
            all_experts="weights_bytes.expert",
            experts="model.experts_per_layer",
            distinct=_distinct_experts(trace, key, tokens),
        )
    first = {"dense": "read_bytes.dense", "experts": _experts(o, key), "kv": "bytes_read_per_token.kv.rank"}
    if o.spills:
        trace.compute(
            f"{key}.bytes.second_tier",
            tiers.second_tier_bytes,
            dense=first["dense"],
            experts=first["experts"],
            kv=first["kv"],
            batch=batch,
            ranks="plan.tensor",
            expert_ranks=o.expert_ranks,
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
        expert_ranks=o.expert_ranks,
    )
    record_ceiling(trace, o, key)


def _distinct_experts(trace: Recipe, key: str, tokens: str) -> str:
    """The key of the experts in a layer that a step needs; those of one request alone are known without a fit."""
    if tokens == "one_request":
        return "model.experts_per_token"
    trace.compute(
        f"{key}.distinct_experts",
        operators.distinct_experts,
        experts="model.experts_per_layer",
        chosen="model.experts_per_token",
        tokens=tokens,
        reuse="fit.gamma",
    )
    return f"{key}.distinct_experts"


def _experts(o: Outline, key: str) -> str:
    return f"{key}.bytes.experts" if o.has_experts else "nothing_bytes"


def _first_tier(o: Outline, key: str, kind: str, whole: str) -> str:
    return f"{key}.bytes.first_tier.{kind}" if o.spills else whole


def record_ceiling(trace: Recipe, o: Outline, key: str) -> None:
    """Record `<key>.ceiling`: bytes over bandwidth, nothing else."""
    first, second = f"{key}.bytes.first_tier", f"{key}.bytes.second_tier"
    if o.spills:
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


def record_step(trace: Recipe, o: Outline, key: str, batch: str) -> None:
    """Record `<key>`: the time of a step with `batch` requests, and its parts."""
    _record_step_tokens(trace, o, key, batch)
    record_reads(trace, o, key, batch, tokens_in_step(o, key, batch))
    _record_read_times(trace, o, key, batch)
    _record_compute_times(trace, o, key, batch)
    record_exchange(trace, o, f"{key}.link", rank_tokens(o, key, batch))
    _record_engine(trace, o, key, batch)
    record_second_tier_time(trace, o, key)
    trace.compute(key, decode.step_seconds, **{part: f"{key}.{part}" for part in PARTS.values()})


def _record_engine(trace: Recipe, o: Outline, key: str, batch: str) -> None:
    """Launches, and the work of the host."""
    launched = {"kernels": "kernels_per_step", "per_kernel": "fit.t_op"}
    of_host = {"per_step": "fit.t_host", "per_request": "fit.t_seq", "batch": batch}
    if not o.prepares_ahead:
        trace.compute(f"{key}.engine", decode.engine_seconds, **launched, **of_host)
        return
    trace.compute(f"{key}.host", decode.host_seconds, **of_host)
    busy = {part: f"{key}.{part}" for part in ("weights", "experts", "kv", "state", "compute", "link")}
    trace.compute(f"{key}.engine", decode.engine_seconds_beside_device, **launched, **busy, host=f"{key}.host")


def _record_read_times(trace: Recipe, o: Outline, key: str, batch: str) -> None:
    dense = _first_tier(o, key, "dense", "read_bytes.dense")
    trace.compute(
        f"{key}.weights", roofline.read_seconds, read=dense, ranks="plan.tensor", bandwidth="bandwidth.weights"
    )
    experts = _first_tier(o, key, "experts", _experts(o, key))
    hot = o.spread_experts and o.has_experts
    trace.compute(
        f"{key}.experts.even" if hot else f"{key}.experts",
        roofline.read_seconds,
        read=experts,
        ranks=o.expert_ranks,
        bandwidth="bandwidth.experts",
    )
    if hot:
        _record_busiest_reading(trace, key)
    cache = _first_tier(o, key, "kv", "bytes_read_per_token.kv.rank")
    trace.compute(f"{key}.kv", decode.cache_seconds, batch=batch, read=cache, bandwidth="bandwidth.kv")
    trace.compute(
        f"{key}.state",
        decode.state_seconds,
        batch=batch,
        read="state_traffic_bytes",
        ranks="plan.tensor",
        bandwidth="bandwidth.state",
    )


def _record_busiest_reading(trace: Recipe, key: str) -> None:
    """The accelerator with the most experts to read: the others wait for it."""
    trace.compute(
        f"{key}.hot_rank",
        ep.hot_rank_reading,
        distinct=f"{key}.distinct_experts",
        experts="model.experts_per_layer",
        spread="plan.expert",
    )
    trace.compute(f"{key}.experts", ep.slowed_seconds, seconds=f"{key}.experts.even", ratio=f"{key}.hot_rank")


def _record_busiest_computing(trace: Recipe, key: str, tokens: str) -> None:
    """The accelerator with the most tokens for its experts."""
    trace.compute(
        f"{key}.hot_rank_computing",
        ep.hot_rank_computing,
        tokens=tokens,
        chosen="model.experts_per_token",
        spread="plan.expert",
    )
    trace.compute(
        f"{key}.compute.experts.alone",
        ep.slowed_seconds,
        seconds=f"{key}.compute.experts.even",
        ratio=f"{key}.hot_rank_computing",
    )


def _record_compute_times(trace: Recipe, o: Outline, key: str, batch: str) -> None:
    """What multiplying adds to reading: for the weights, the experts, and attention over the cache."""
    tokens = rank_tokens(o, key, batch)
    trace.compute(f"{key}.batch_share", decode.small_batch_share, share="fit.mfu_b", batch=tokens)
    common = {"batch_share": f"{key}.batch_share"}
    trace.compute(
        f"{key}.compute.weights.alone",
        decode.batch_compute_seconds,
        **common,
        batch=tokens,
        ranks="plan.tensor",
        at_peak="compute_s_per_token.dense",
        efficiency="efficiency.layers",
    )
    if o.has_experts:
        at_experts = tokens_in_step(o, key, batch)
        trace.compute(
            f"{key}.compute.experts.even" if o.spread_experts else f"{key}.compute.experts.alone",
            decode.batch_compute_seconds,
            **common,
            batch=at_experts,
            ranks=o.expert_ranks,
            at_peak="compute_s_per_token.experts",
            efficiency="efficiency.experts",
        )
        if o.spread_experts:
            _record_busiest_computing(trace, key, at_experts)
    trace.compute(
        f"{key}.compute.kv.alone",
        decode.attention_compute_seconds,
        batch=tokens,
        flops="attention_flops_per_token",
        ranks="plan.tensor",
        rate="rate.fp16",
        efficiency="fit.mfu_dec_att",
    )
    for part in ("weights", "experts", "kv") if o.has_experts else ("weights", "kv"):
        trace.compute(
            f"{key}.compute.{part}",
            roofline.compute_excess_seconds,
            read_time=f"{key}.{part}",
            compute_time=f"{key}.compute.{part}.alone",
        )
    experts = f"{key}.compute.experts" if o.has_experts else "nothing_s"
    trace.compute(
        f"{key}.compute",
        decode.sum_of_three,
        first=f"{key}.compute.weights",
        second=experts,
        third=f"{key}.compute.kv",
    )
