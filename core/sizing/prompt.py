"""The prefill of one prompt, cause by cause: `prefill_step_s` and its parts."""

from core.architecture.blueprint import TensorClass
from core.catalogue.calibration import back_end
from core.physics import decode, operators, prefill, roofline, tiers
from core.physics import expert_parallel as ep
from core.sizing.attention import record_attention_flops
from core.sizing.engine_defaults import QUANTISED_PRODUCTS_SINCE, before
from core.sizing.exchange import record_exchange
from core.sizing.groups import expert_ranks_key, given_chunk, source_of_model
from core.sizing.origins import METHOD
from core.sizing.rates import WIDE_BITS, has_routed_experts, method
from core.sizing.situation import Situation
from core.sizing.spill import spills
from core.sizing.step import PARTS
from core.trace import Trace
from core.units import Unit

KEY = "prefill_step_s"
COPIES = f"{KEY}.weights.copies"


def stages_overlap(s: Situation) -> bool:
    """Do the stages of a layer split work on different chunks of a prompt at the same time?"""
    return s.engine.group == "llama.cpp" and s.plan.pipeline > 1


def _part(s: Situation, name: str) -> str:
    """The key of a part of the time before the overlap of stages, if there is any."""
    return f"{KEY}.{name}.alone" if stages_overlap(s) else f"{KEY}.{name}"


def prompt_beside_others(s: Situation) -> str:
    """The key of the time of a prompt while other groups compute theirs."""
    return "prompt.beside_others_s" if s.plan.attention_replicas > 1 else KEY


def record_prompt(trace: Trace, s: Situation) -> None:
    """Record the time to compute one prompt alone, and the speed that follows."""
    _record_tokens(trace, s)
    _record_dense(trace, s)
    if has_routed_experts(s):
        _record_experts(trace, s)
    _record_head(trace)
    _record_attention(trace, s)
    _record_overheads(trace, s)
    _record_sum(trace, s)
    if s.plan.attention_replicas > 1:
        trace.compute(
            prompt_beside_others(s),
            ep.prompt_beside_others,
            alone=KEY,
            read=f"{KEY}.experts",
            compute=f"{KEY}.compute.experts.alone",
            groups="plan.attention_replicas",
        )
    trace.compute("prefill_tok_s", prefill.prompt_tokens_per_second, tokens="prompt.new_tokens", seconds=KEY)
    trace.compute(
        "prefill_tok_s.ceiling",
        prefill.peak_tokens_per_second,
        dense="compute_s_per_token.layers",
        experts="compute_s_per_token.experts",
        ranks="plan.tensor",
        expert_ranks=expert_ranks_key(s),
        stages="plan.pipeline",
    )


def _record_tokens(trace: Trace, s: Situation) -> None:
    """Tokens to compute, what they build on, and the passes they take."""
    trace.given("workload.prefix_hit_share", s.scenario.workload.prefix_hit_share, Unit.SHARE)
    trace.compute(
        "prompt.new_tokens",
        prefill.new_prompt_tokens,
        prompt="workload.prompt_tokens",
        prefix_hit_share="workload.prefix_hit_share",
    )
    trace.compute(
        "prompt.cached_tokens", prefill.cached_prompt_tokens, prompt="workload.prompt_tokens", new="prompt.new_tokens"
    )
    given_chunk(trace, s)
    trace.compute("prompt.chunk_tokens", prefill.chunk_tokens, tokens="prompt.new_tokens", chunk="engine.prefill_chunk")
    trace.compute("prompt.chunks", prefill.chunk_count, tokens="prompt.new_tokens", size="prompt.chunk_tokens")
    trace.compute("prompt.half_rate_tokens", prefill.half_rate_tokens, at_100_tflops="fit.n_half", rate="rate.fp16")
    trace.compute(
        "prompt.mean_context", prefill.mean_context, cached="prompt.cached_tokens", tokens="prompt.new_tokens"
    )


def _record_dense(trace: Trace, s: Situation) -> None:
    """Layers without experts: computing, and reading them once per pass. The head works on the last token only."""
    trace.compute(
        "flops_per_token.at_16_bit_in_layers",
        prefill.without_head,
        wide="flops_per_token.at_16_bit",
        head="flops_per_token.head",
    )
    trace.compute(
        "compute_s_per_token.layers",
        decode.seconds_at_peak,
        low="flops_per_token.in_weight_format",
        low_rate="rate.weight_format",
        wide="flops_per_token.at_16_bit_in_layers",
        wide_rate="rate.fp16",
    )
    trace.compute(
        f"{KEY}.compute.layers.alone",
        prefill.dense_compute_seconds,
        tokens="prompt.new_tokens",
        at_peak="compute_s_per_token.layers",
        ranks="plan.tensor",
        efficiency="efficiency.layers",
        size="prompt.chunk_tokens",
        half="prompt.half_rate_tokens",
    )
    _repeated_read(trace, f"{KEY}.weights.layers", "read_bytes.layers", "dense", "bandwidth.weights")
    _excess(trace, "layers", f"{KEY}.weights.layers")


def _record_busiest(trace: Trace) -> None:
    """The accelerator with the most tokens for its experts: the others wait for it."""
    trace.compute(
        "prompt.hot_rank",
        ep.hot_rank_computing,
        tokens="prompt.chunk_tokens",
        chosen="model.experts_per_token",
        spread="plan.expert",
    )
    trace.compute(
        f"{KEY}.compute.experts.alone",
        ep.slowed_seconds,
        seconds=f"{KEY}.compute.experts.even",
        ratio="prompt.hot_rank",
    )


def _repeated_read(trace: Trace, key: str, read: str, kind: str, bandwidth: str, ranks: str = "plan.tensor") -> None:
    """Bytes read once per pass; the part in the second tier is left to its own cause."""
    if spills(trace):
        first = f"prompt.first_tier_bytes.{kind}"
        trace.compute(first, tiers.first_tier_bytes, read=read, spilled_share=f"spill.share.{kind}")
        read = first
    trace.compute(
        key,
        prefill.repeated_read_seconds,
        chunks="prompt.chunks",
        read=read,
        ranks=ranks,
        bandwidth=bandwidth,
    )


def _excess(trace: Trace, part: str, read_time: str) -> None:
    trace.compute(
        f"{KEY}.compute.{part}",
        roofline.compute_excess_seconds,
        read_time=read_time,
        compute_time=f"{KEY}.compute.{part}.alone",
    )


def _record_experts(trace: Trace, s: Situation) -> None:
    """Expert layers: the tokens of a pass are spread over the experts that they touch."""
    trace.compute(
        "prompt.distinct_experts",
        operators.distinct_experts,
        experts="model.experts_per_layer",
        chosen="model.experts_per_token",
        tokens="prompt.chunk_tokens",
        reuse="independent_routing",
    )
    trace.compute(
        "prompt.expert_bytes",
        operators.expert_bytes_read,
        all_experts="weights_bytes.expert",
        experts="model.experts_per_layer",
        distinct="prompt.distinct_experts",
    )
    trace.compute(
        "prompt.tokens_per_expert",
        prefill.tokens_per_expert,
        size="prompt.chunk_tokens",
        chosen="model.experts_per_token",
        distinct="prompt.distinct_experts",
    )
    trace.compute(
        f"{KEY}.compute.experts.even" if s.plan.expert > 1 else f"{KEY}.compute.experts.alone",
        prefill.expert_compute_seconds,
        tokens="prompt.new_tokens",
        at_peak="compute_s_per_token.experts",
        ranks=expert_ranks_key(s),
        efficiency="efficiency.one_expert",
        expert_share="fit.mfu_e",
        per_expert="prompt.tokens_per_expert",
        half="prompt.half_rate_tokens",
    )
    if s.plan.expert > 1:
        _record_busiest(trace)
    read = _part(s, "experts")
    _repeated_read(trace, read, "prompt.expert_bytes", "experts", "bandwidth.experts", expert_ranks_key(s))
    _excess(trace, "experts", _part(s, "experts"))


def _record_head(trace: Trace) -> None:
    """The output projection of the last token."""
    trace.compute(
        f"{KEY}.weights.head",
        roofline.read_seconds,
        read="read_bytes.head",
        ranks="plan.tensor",
        bandwidth="bandwidth.weights",
    )
    trace.compute("compute_s_per_token.head", decode.seconds_at_rate, flops="flops_per_token.head", rate="rate.fp16")
    trace.compute(
        f"{KEY}.compute.head.alone",
        prefill.head_compute_seconds,
        at_peak="compute_s_per_token.head",
        ranks="plan.tensor",
        efficiency="efficiency.layers",
    )
    _excess(trace, "head", f"{KEY}.weights.head")


def _record_attention(trace: Trace, s: Situation) -> None:
    record_attention_flops(trace, s, "prompt.attention_flops_per_token", "prompt.mean_context", "prefill")
    trace.compute(
        f"{KEY}.compute.attention",
        prefill.prompt_attention_seconds,
        tokens="prompt.new_tokens",
        flops="prompt.attention_flops_per_token",
        ranks="plan.tensor",
        rate="rate.fp16",
        efficiency="fit.mfu_att",
    )


def _record_overheads(trace: Trace, s: Situation) -> None:
    """Launches, exchanges, and reads from the second tier, pass by pass."""
    trace.compute(
        _part(s, "engine"),
        prefill.pass_overhead_seconds,
        chunks="prompt.chunks",
        kernels="kernels_per_step",
        per_kernel="fit.t_op",
        per_step="fit.t_host",
    )
    if s.plan.copy_ranks > 1:
        record_exchange(trace, s, "prompt.exchange_s", "prompt.chunk_tokens")
        trace.compute(
            _part(s, "link"), prefill.repeated_pass_seconds, chunks="prompt.chunks", seconds="prompt.exchange_s"
        )
    if spills(trace):
        trace.compute(
            "prompt.second_tier_bytes",
            tiers.second_tier_bytes,
            dense="read_bytes.dense",
            dense_share="spill.share.dense",
            experts="prompt.expert_bytes" if has_routed_experts(s) else "nothing_bytes",
            experts_share="spill.share.experts",
            kv="nothing_bytes",
            kv_share="spill.share.kv",
            batch="one_request",
            ranks="plan.tensor",
            expert_ranks=expert_ranks_key(s),
        )
        trace.compute(
            "prompt.second_tier_pass_s",
            tiers.second_tier_seconds,
            read="prompt.second_tier_bytes",
            bandwidth="bandwidth.second_tier_in_prompts",
        )
        trace.compute(
            _part(s, "second_tier"),
            prefill.repeated_pass_seconds,
            chunks="prompt.chunks",
            seconds="prompt.second_tier_pass_s",
        )


def _record_sum(trace: Trace, s: Situation) -> None:
    """The parts, faster by what the stages of a layer split overlap, and their sum."""
    read = _part(s, "weights")
    if copies_weights(s):
        read = f"{KEY}.weights.read"
    trace.compute(read, prefill.sum_of_two, first=f"{KEY}.weights.layers", second=f"{KEY}.weights.head")
    if copies_weights(s):
        _record_copies(trace, s)
        trace.compute(_part(s, "weights"), prefill.sum_of_two, first=read, second=COPIES)
    trace.compute(
        _part(s, "compute"),
        prefill.sum_of_four,
        first=f"{KEY}.compute.layers",
        second=f"{KEY}.compute.experts" if has_routed_experts(s) else "nothing_s",
        third=f"{KEY}.compute.attention",
        fourth=f"{KEY}.compute.head",
    )
    if stages_overlap(s):
        _record_overlap(trace, s)
    for part in PARTS.values():
        if f"{KEY}.{part}" not in trace:
            trace.given(f"{KEY}.{part}", 0.0, Unit.SECOND, METHOD)
    trace.compute(KEY, decode.step_seconds, **{part: f"{KEY}.{part}" for part in PARTS.values()})


def copies_weights(s: Situation) -> bool:
    """Does the engine write a 16-bit copy of quantised weights for every pass, as llama.cpp with CUDA once did?"""
    old = s.engine.group == "llama.cpp" and before(s, QUANTISED_PRODUCTS_SINCE)
    return old and back_end(s.engine, s.device.family).endswith("cuda") and s.weight_format.bits < WIDE_BITS


def _record_copies(trace: Trace, s: Situation) -> None:
    parameters, source = s.blueprint.parameters, source_of_model(s)
    experts = parameters.get(TensorClass.EXPERT, 0)
    trace.given("matrices.experts", experts, Unit.PARAMETER, source)
    share = "whole_share"
    method(trace, share, 1.0, Unit.SHARE)
    if has_routed_experts(s):
        share = "prompt.needed_experts"
        trace.compute(
            share, prefill.needed_share, distinct="prompt.distinct_experts", experts="model.experts_per_layer"
        )
    trace.compute(
        COPIES,
        prefill.copy_seconds,
        chunks="prompt.chunks",
        dense="matrices.in_weight_format",
        experts="matrices.experts",
        share=share,
        ranks="plan.tensor",
        bandwidth="bandwidth.weights",
    )


def _record_overlap(trace: Trace, s: Situation) -> None:
    trace.compute(
        "prompt.stage_overlap",
        prefill.stage_overlap,
        pipeline="plan.pipeline",
        chunks="prompt.chunks",
        overlap="fit.pipe",
    )
    for part in PARTS.values():
        if _part(s, part) in trace:
            trace.compute(
                f"{KEY}.{part}", prefill.shared_seconds, seconds=_part(s, part), speedup="prompt.stage_overlap"
            )
