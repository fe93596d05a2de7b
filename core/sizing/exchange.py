"""Exchanges of one pass between accelerators: all-reduces, tokens to their experts and back, hand-overs."""

from core.physics import collective
from core.physics import expert_parallel as ep
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.trace import Recipe
from core.units import Unit


def record_exchange(trace: Recipe, o: Outline, key: str, tokens: str) -> None:
    """Record `key`: time of the all-reduces and hand-overs of one pass with so many tokens."""
    if not o.spans:
        trace.given(key, 0.0, Unit.SECOND, METHOD)
        return
    trace.compute(f"{key}.message_bytes", collective.activation_bytes, tokens=tokens, hidden_size="model.hidden_size")
    parts = []
    if o.tensor and o.exchanges:
        parts.append(_record_all_reduces(trace, o, key))
    if o.attention_groups and o.exchanges:
        parts.append(_record_expert_exchanges(trace, o, key))
    if o.pipeline and o.hands_over:
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


def _record_expert_exchanges(trace: Recipe, o: Outline, key: str) -> str:
    """Tokens to their experts and back, layer by layer: directly, or by bringing all of them together everywhere."""
    inputs = {"message": f"{key}.message_bytes", "alpha": "all_reduce.alpha_s", "factor": "fit.ars"}
    for way in ("dispatch", "combine"):
        if o.directly:
            trace.compute(
                f"{key}.{way}",
                ep.all_to_all_seconds,
                **inputs,
                reached="all_to_all.accelerators_reached",
                ranks="plan.expert",
                rate="all_to_all.bytes_per_s",
            )
        else:
            trace.compute(
                f"{key}.{way}",
                ep.gather_seconds,
                **inputs,
                groups="plan.attention_replicas",
                bus="all_reduce.bus_bytes_per_s",
            )
    total = f"{key}.expert_exchanges"
    ways = {"dispatch": f"{key}.dispatch", "combine": f"{key}.combine"}
    trace.compute(total, ep.there_and_back, count="model.moe_layers", **ways)
    return total


def _record_all_reduces(trace: Recipe, o: Outline, key: str) -> str:
    inputs = {
        "message": f"{key}.message_bytes",
        "ranks": "plan.tensor",
        "alpha": "all_reduce.alpha_s",
        "bus": "all_reduce.bus_bytes_per_s",
        "factor": "fit.ars",
        "slowdown": "all_reduce.slowdown" if o.steady else "fit.ars",
    }
    if o.short_rate:
        trace.compute(f"{key}.all_reduce", collective.all_reduce_seconds, **inputs, beta="all_reduce.beta_bytes_per_s")
    else:
        trace.compute(f"{key}.all_reduce", collective.ring_all_reduce_seconds, **inputs)
    total = f"{key}.all_reduces"
    count = "attention_exchanges_per_step" if o.attention_groups else "all_reduces_per_step"
    trace.compute(total, collective.repeated_seconds, count=count, seconds=f"{key}.all_reduce")
    return total
