"""What one prompt costs an engine that works on other requests: `<load>.prompt_s`, for the load and for saturation."""

from core.physics import collective, prefill
from core.physics import mixed_passes as mp
from core.physics import retrieval as r
from core.sizing.exchange import record_exchange
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.prompt import KEY
from core.sizing.step import tokens_in_step
from core.trace import Recipe
from core.units import Unit


def record_loaded_prompt(trace: Recipe, o: Outline, load: str, step: str) -> str:
    """Record the time that one more prompt takes of an engine at work, and its parts; return its key.

    Parameters
    ----------
    trace : has the prompt alone and the step of the load
    o : the outline
    load : "serving" or "saturated"
    step : key of the step of the requests in flight
    """
    key = f"{load}.prompt_s"
    trace.given("no_requests", 0.0, Unit.REQUEST, METHOD)
    _record_size(trace, o, load, key)
    mixes = o.mixes
    batch = f"{load}.requests_in_step" if mixes else "no_requests"
    parts = [_record_dense(trace, key, batch, step, mixes), f"{KEY}.compute.attention"]
    if o.has_experts:
        parts.append(_record_experts(trace, o, key, batch, step, mixes))
    if o.spans:
        record_exchange(trace, o, f"{key}.exchange", f"{key}.pass_tokens")
        parts.append(_each_pass(trace, key, "link", f"{key}.exchange"))
    if not mixes:
        parts += _record_own_passes(trace, o, key, step)
    if o.spills:
        parts.append(f"{KEY}.second_tier")
    total = f"{key}.stages_in_turn" if o.overlaps else key
    trace.compute(total, collective.sum_of_seconds, parts=parts)
    if o.overlaps:
        trace.compute(key, prefill.shared_seconds, seconds=total, speedup="prompt.stage_overlap")
    if o.retrieval_here:
        retrieval = {"retrieval": "retrieval.here_s", "groups": o.groups}
        trace.compute(f"{key}.with_retrieval", r.prompt_with_retrieval, prompt=key, **retrieval)
        key = f"{key}.with_retrieval"
    return key


def _record_size(trace: Recipe, o: Outline, load: str, key: str) -> None:
    """The prompt tokens of a pass, and the passes that are one prompt's."""
    size = {"tokens": "prompt.new_tokens", "batch": f"{load}.requests_in_step", "chunk": "engine.prefill_chunk"}
    if load == "serving" and o.together:
        trace.compute(f"{key}.pass_tokens", mp.burst_tokens_in_pass, **size)
    else:
        trace.compute(f"{key}.pass_tokens", mp.prompt_tokens_in_pass, output="workload.output_tokens", **size)
    trace.compute(f"{key}.passes", mp.passes_of_a_prompt, tokens="prompt.new_tokens", size=f"{key}.pass_tokens")


def _record_dense(trace: Recipe, key: str, batch: str, step: str, mixes: bool) -> str:
    """Everything but the experts."""
    trace.compute(
        f"{key}.dense",
        mp.dense_seconds_of_a_prompt,
        passes=f"{key}.passes",
        size=f"{key}.pass_tokens",
        batch=batch,
        at_peak="compute_s_per_token.layers",
        ranks="plan.tensor",
        efficiency="efficiency.layers",
        half="prompt.half_rate_tokens",
        read=f"{step}.weights",
        busy=f"{step}.compute.weights.alone" if mixes else "nothing_s",
    )
    return f"{key}.dense"


def _record_experts(trace: Recipe, o: Outline, key: str, batch: str, step: str, mixes: bool) -> str:
    """Expert layers: a pass with prompts needs nearly all experts, the requests in flight only some."""
    even = ".even" if o.spread_experts else ""
    trace.compute(
        f"{key}.tokens_at_experts",
        mp.tokens_of_groups,
        size=f"{key}.pass_tokens",
        batch=batch,
        groups="plan.groups_at_experts",
    )
    trace.compute(
        f"{key}.prompts_at_experts",
        mp.tokens_of_groups,
        size=f"{key}.pass_tokens",
        batch="no_requests",
        groups="plan.groups_at_experts",
    )
    trace.compute(
        f"{key}.distinct_experts",
        mp.experts_of_a_mixed_pass,
        experts="model.experts_per_layer",
        chosen="model.experts_per_token",
        prompts=f"{key}.prompts_at_experts",
        decoding=tokens_in_step(o, step, batch) if mixes else "no_requests",
        reuse="fit.gamma",
    )
    trace.compute(
        f"{key}.experts",
        mp.expert_seconds_of_a_prompt,
        passes=f"{key}.passes",
        size=f"{key}.pass_tokens",
        joint=f"{key}.tokens_at_experts",
        groups="plan.groups_at_experts",
        at_peak="compute_s_per_token.experts",
        ranks=o.expert_ranks,
        efficiency="efficiency.experts",
        half="prompt.half_rate_tokens",
        chosen="model.experts_per_token",
        distinct=f"{key}.distinct_experts",
        before=f"{step}.distinct_experts",
        read=f"{step}.experts{even}",
        busy=f"{step}.compute.experts{even or '.alone'}" if mixes else "nothing_s",
    )
    return f"{key}.experts"


def _record_own_passes(trace: Recipe, o: Outline, key: str, step: str) -> list[str]:
    """Reads and launches of passes that serve prompts alone."""
    trace.compute(
        f"{key}.engine",
        prefill.pass_overhead_seconds,
        chunks=f"{key}.passes",
        kernels="kernels_per_step",
        per_kernel="fit.t_op",
        per_step="fit.t_host",
    )
    parts = [f"{key}.engine", _each_pass(trace, key, "weights", f"{step}.weights")]
    if o.has_experts:
        even = ".even" if o.spread_experts else ""
        parts.append(_each_pass(trace, key, "expert_reads", f"{step}.experts{even}"))
    return parts


def _each_pass(trace: Recipe, key: str, part: str, seconds: str) -> str:
    trace.compute(f"{key}.{part}", prefill.repeated_pass_seconds, chunks=f"{key}.passes", seconds=seconds)
    return f"{key}.{part}"
