"""The prefill of one prompt, cause by cause: `prefill_step_s` and its parts."""

from functools import lru_cache

from core.architecture.blueprint import TensorClass
from core.physics import decode, operators, prefill, roofline, tiers
from core.physics import expert_parallel as ep
from core.sizing.attention import record_attention_flops
from core.sizing.exchange import record_exchange
from core.sizing.groups import given_chunk, source_of_model
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.rates import copies_weights
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.sizing.step import PARTS
from core.trace import Recipe, Trace
from core.units import Unit

KEY = "prefill_step_s"
COPIES = f"{KEY}.weights.copies"


def _part(o: Outline, name: str) -> str:
    """The key of a part of the time before the overlap of stages, if there is any."""
    return f"{KEY}.{name}.alone" if o.overlaps else f"{KEY}.{name}"


def prompt_beside_others(o: Outline) -> str:
    """The key of the time of a prompt while other groups compute theirs."""
    return "prompt.beside_others_s" if o.attention_groups else KEY


def record_choices(trace: Trace, s: Situation) -> None:
    """Record the numbers of a prompt that somebody chose, and that its engine brings."""
    trace.given("workload.prefix_hit_share", s.scenario.workload.prefix_hit_share, Unit.SHARE)
    trace.follow(_engine_choices(s.setup))


@lru_cache(maxsize=SETUPS_KEPT)
def _engine_choices(s: Setup) -> Recipe:
    written = Recipe()
    given_chunk(written, s)
    if copies_weights(s):
        experts = s.blueprint.parameters.get(TensorClass.EXPERT, 0)
        written.given("matrices.experts", experts, Unit.PARAMETER, source_of_model(s))
    return written


def record_prompt(trace: Recipe, o: Outline) -> None:
    """Record the time to compute one prompt alone, and the speed that follows."""
    _record_tokens(trace)
    _record_dense(trace, o)
    if o.has_experts:
        _record_experts(trace, o)
    _record_head(trace)
    _record_attention(trace, o)
    _record_overheads(trace, o)
    _record_sum(trace, o)
    if o.attention_groups:
        trace.compute(
            prompt_beside_others(o),
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
        expert_ranks=o.expert_ranks,
        stages="plan.pipeline",
    )


def _record_tokens(trace: Recipe) -> None:
    """Tokens to compute, what they build on, and the passes they take."""
    trace.compute(
        "prompt.new_tokens",
        prefill.new_prompt_tokens,
        prompt="workload.prompt_tokens",
        prefix_hit_share="workload.prefix_hit_share",
    )
    trace.compute(
        "prompt.cached_tokens", prefill.cached_prompt_tokens, prompt="workload.prompt_tokens", new="prompt.new_tokens"
    )
    trace.compute("prompt.chunk_tokens", prefill.chunk_tokens, tokens="prompt.new_tokens", chunk="engine.prefill_chunk")
    trace.compute("prompt.chunks", prefill.chunk_count, tokens="prompt.new_tokens", size="prompt.chunk_tokens")
    trace.compute("prompt.half_rate_tokens", prefill.half_rate_tokens, at_100_tflops="fit.n_half", rate="rate.fp16")
    trace.compute(
        "prompt.mean_context", prefill.mean_context, cached="prompt.cached_tokens", tokens="prompt.new_tokens"
    )


def _record_dense(trace: Recipe, o: Outline) -> None:
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
    _repeated_read(trace, o, f"{KEY}.weights.layers", "read_bytes.layers", "dense", "bandwidth.weights")
    _excess(trace, "layers", f"{KEY}.weights.layers")


def _record_busiest(trace: Recipe) -> None:
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


def _repeated_read(
    trace: Recipe, o: Outline, key: str, read: str, kind: str, bandwidth: str, ranks: str = "plan.tensor"
) -> None:
    """Bytes read once per pass; the part in the second tier is left to its own cause."""
    if o.spills:
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


def _excess(trace: Recipe, part: str, read_time: str) -> None:
    trace.compute(
        f"{KEY}.compute.{part}",
        roofline.compute_excess_seconds,
        read_time=read_time,
        compute_time=f"{KEY}.compute.{part}.alone",
    )


def _record_experts(trace: Recipe, o: Outline) -> None:
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
        f"{KEY}.compute.experts.even" if o.spread_experts else f"{KEY}.compute.experts.alone",
        prefill.expert_compute_seconds,
        tokens="prompt.new_tokens",
        at_peak="compute_s_per_token.experts",
        ranks=o.expert_ranks,
        efficiency="efficiency.one_expert",
        expert_share="fit.mfu_e",
        per_expert="prompt.tokens_per_expert",
        half="prompt.half_rate_tokens",
    )
    if o.spread_experts:
        _record_busiest(trace)
    read = _part(o, "experts")
    _repeated_read(trace, o, read, "prompt.expert_bytes", "experts", "bandwidth.experts", o.expert_ranks)
    _excess(trace, "experts", _part(o, "experts"))


def _record_head(trace: Recipe) -> None:
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


def _record_attention(trace: Recipe, o: Outline) -> None:
    record_attention_flops(trace, o, "prompt.attention_flops_per_token", "prompt.mean_context", "prefill")
    trace.compute(
        f"{KEY}.compute.attention",
        prefill.prompt_attention_seconds,
        tokens="prompt.new_tokens",
        flops="prompt.attention_flops_per_token",
        ranks="plan.tensor",
        rate="rate.fp16",
        efficiency="fit.mfu_att",
    )


def _record_overheads(trace: Recipe, o: Outline) -> None:
    """Launches, exchanges, and reads from the second tier, pass by pass."""
    trace.compute(
        _part(o, "engine"),
        prefill.pass_overhead_seconds,
        chunks="prompt.chunks",
        kernels="kernels_per_step",
        per_kernel="fit.t_op",
        per_step="fit.t_host",
    )
    if o.spans:
        record_exchange(trace, o, "prompt.exchange_s", "prompt.chunk_tokens")
        trace.compute(
            _part(o, "link"), prefill.repeated_pass_seconds, chunks="prompt.chunks", seconds="prompt.exchange_s"
        )
    if o.spills:
        trace.compute(
            "prompt.second_tier_bytes",
            tiers.second_tier_bytes,
            dense="read_bytes.dense",
            dense_share="spill.share.dense",
            experts="prompt.expert_bytes" if o.has_experts else "nothing_bytes",
            experts_share="spill.share.experts",
            kv="nothing_bytes",
            kv_share="spill.share.kv",
            batch="one_request",
            ranks="plan.tensor",
            expert_ranks=o.expert_ranks,
        )
        trace.compute(
            "prompt.second_tier_pass_s",
            tiers.second_tier_seconds,
            read="prompt.second_tier_bytes",
            bandwidth="bandwidth.second_tier_in_prompts",
        )
        trace.compute(
            _part(o, "second_tier"),
            prefill.repeated_pass_seconds,
            chunks="prompt.chunks",
            seconds="prompt.second_tier_pass_s",
        )


def _record_sum(trace: Recipe, o: Outline) -> None:
    """The parts, faster by what the stages of a layer split overlap, and their sum."""
    read = _part(o, "weights")
    if o.copies:
        read = f"{KEY}.weights.read"
    trace.compute(read, prefill.sum_of_two, first=f"{KEY}.weights.layers", second=f"{KEY}.weights.head")
    if o.copies:
        _record_copies(trace, o)
        trace.compute(_part(o, "weights"), prefill.sum_of_two, first=read, second=COPIES)
    trace.compute(
        _part(o, "compute"),
        prefill.sum_of_four,
        first=f"{KEY}.compute.layers",
        second=f"{KEY}.compute.experts" if o.has_experts else "nothing_s",
        third=f"{KEY}.compute.attention",
        fourth=f"{KEY}.compute.head",
    )
    if o.overlaps:
        _record_overlap(trace, o)
    for part in PARTS.values():
        if f"{KEY}.{part}" not in trace:
            trace.given(f"{KEY}.{part}", 0.0, Unit.SECOND, METHOD)
    trace.compute(KEY, decode.step_seconds, **{part: f"{KEY}.{part}" for part in PARTS.values()})


def _record_copies(trace: Recipe, o: Outline) -> None:
    share = "whole_share"
    trace.given(share, 1.0, Unit.SHARE, METHOD)
    if o.has_experts:
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


def _record_overlap(trace: Recipe, o: Outline) -> None:
    trace.compute(
        "prompt.stage_overlap",
        prefill.stage_overlap,
        pipeline="plan.pipeline",
        chunks="prompt.chunks",
        overlap="fit.pipe",
    )
    for part in PARTS.values():
        if _part(o, part) in trace:
            trace.compute(
                f"{KEY}.{part}", prefill.shared_seconds, seconds=_part(o, part), speedup="prompt.stage_overlap"
            )
