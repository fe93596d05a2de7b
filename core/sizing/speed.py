"""The speed figures of a situation: decode, first token, throughput and prefill, each with range and reasons."""

from dataclasses import dataclass
from functools import lru_cache

from core.catalogue.calibration import Calibration, shipped_calibration
from core.catalogue.catalogue import Catalogue
from core.physics import decode, operators, prefill, roofline, serving, speculation
from core.scenario import Measured, Scenario
from core.sizing.attention import record_attention
from core.sizing.guessing import record_gain, record_parts_per_token
from core.sizing.load import record_load, record_requests, record_saturated, record_slots
from core.sizing.memory import record_memory
from core.sizing.outline import Outline, outline_of, spills
from core.sizing.own_measurement import KEYS as FIGURES
from core.sizing.own_measurement import is_corrected, record_correction
from core.sizing.prompt import KEY as PREFILL
from core.sizing.prompt import record_choices, record_prompt
from core.sizing.ranges import estimate, record_speed_range, record_time_range, spreads_of, support
from core.sizing.rates import has_computing_rate, record_counts, record_rates, record_second_tier
from core.sizing.report import LIMIT_OF, Cause, Estimate, Evidence, Finding, FindingKind, Limit, TimePart, Weight
from core.sizing.resolution import resolve
from core.sizing.retrieval import record_loaded, record_retrieval
from core.sizing.situation import Situation
from core.sizing.spill import record_spilled_shares
from core.sizing.step import PARTS, record_read_inputs, record_reads, record_step_inputs, tokens_in_step
from core.trace import Recipe, Trace, recipe

INTERFERENCE = "serving.interference_s"


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """What `size()` takes over; the numbers are in the trace. All but the findings is empty where the speed is unknown.

    decode, ttft, throughput, prefill   as in `Sizing`
    step, prefill_step                  time of an output token and of a prompt, by cause
    decode_limit, prefill_limit         the bottleneck in a word
    findings                            what a person should know about the speed
    """

    decode: Estimate | None = None
    ttft: Estimate | None = None
    throughput: Estimate | None = None
    prefill: Estimate | None = None
    step: tuple[TimePart, ...] = ()
    prefill_step: tuple[TimePart, ...] = ()
    decode_limit: Limit | None = None
    prefill_limit: Limit | None = None
    findings: tuple[Finding, ...] = ()


def speed_figures(trace: Trace, situation: Situation) -> SpeedReport:
    """Record every speed figure of a situation whose memory figures are recorded.

    Parameters
    ----------
    trace : holds the memory figures; receives the speed figures
    situation : a resolved scenario

    Returns
    -------
    the estimates, times by cause, bottlenecks and findings
    """
    if not has_computing_rate(situation.setup.device):
        return _unknown(trace, situation)
    calibration = shipped_calibration()
    record_rates(trace, situation.setup, calibration)
    record_attention(trace, situation.setup)
    record_work(trace, situation, calibration, record_depth(trace, situation))
    grades = support(situation.setup, calibration)
    loaded = bool(trace["serving.requests_in_step"] > 1)
    decode_evidence = Evidence(grades["batched" if loaded else "decode"])
    first_token_evidence = Evidence(grades["ttft" if loaded else "prefill"])
    per_token = record_parts_per_token(trace, situation.setup, "decode_step_s", PARTS.values())
    step, prompt = _parts(trace, per_token), _parts(trace, PREFILL)
    step += (TimePart(Cause.PROMPTS, INTERFERENCE, float(trace[INTERFERENCE])),)
    return SpeedReport(
        decode=estimate(trace, "decode_tok_s", _own(situation, Measured.DECODE, decode_evidence)),
        ttft=estimate(trace, "ttft_s", _own(situation, Measured.FIRST_TOKEN, first_token_evidence)),
        throughput=estimate(trace, "output_tok_s_total", _own(situation, Measured.THROUGHPUT, decode_evidence)),
        prefill=estimate(trace, "prefill_tok_s", _own(situation, Measured.PREFILL, Evidence(grades["prefill"]))),
        step=step,
        prefill_step=prompt,
        decode_limit=_limit(step),
        prefill_limit=_limit(prompt),
        findings=(*_guards(trace, situation), *_findings(decode_evidence)),
    )


def _own(s: Situation, figure: Measured, otherwise: Evidence) -> Evidence:
    return Evidence.OWN if is_corrected(s.scenario, figure) else otherwise


def _unknown(trace: Trace, s: Situation) -> SpeedReport:
    """No figure of speed, only what physics allows at most: the bytes of a token over the bandwidth."""
    record_counts(trace, s.setup)
    record_attention(trace, s.setup)
    record_bound(trace, s, record_depth(trace, s))
    figures = ("decode_tok_s.ceiling", "memory_bandwidth_bytes_per_s")
    return SpeedReport(findings=(Finding(FindingKind.SPEED_UNKNOWN, Weight.WARNING, figures),))


def record_bound(trace: Trace, s: Situation, depth: str) -> None:
    """Record the speed that one request alone cannot exceed, and the bytes that it follows from."""
    if spills(trace):
        record_spilled_shares(trace, s.setup)
    record_gain(trace, s.setup)
    trace.follow(_bound(outline_of(trace, s), depth))


@recipe
def _bound(trace: Recipe, o: Outline, depth: str) -> None:
    record_read_inputs(trace, o, depth)
    _record_one_request(trace, o)
    _record_ceiling(trace, o)


def record_depth(trace: Trace, s: Situation) -> str:
    """Record the depth at which decode is stated, half-way through the answer; return its key.

    Where prompts fill the context, decode is stated at the context limit.
    """
    if s.scenario.workload.prompt_tokens is None:
        return "workload.context_tokens"
    trace.compute(
        "workload.depth_tokens",
        serving.decode_depth,
        prompt="workload.prompt_tokens",
        output="workload.output_tokens",
        context="workload.context_tokens",
    )
    return "workload.depth_tokens"


def record_counts_of_work(trace: Trace, s: Situation, calibration: Calibration) -> None:
    """Record what a step and a prompt read and compute, and no time under load: what bounds are made of."""
    record_rates(trace, s.setup, calibration)
    record_attention(trace, s.setup)
    depth = record_depth(trace, s)
    record_choices(trace, s)
    record_slots(trace, s.setup)
    record_retrieval(trace, s)
    trace.follow(_counted(outline_of(trace, s), depth))


@recipe
def _counted(trace: Recipe, o: Outline, depth: str) -> None:
    record_step_inputs(trace, o, depth)
    record_prompt(trace, o)
    record_requests(trace, o)


def record_work(trace: Trace, s: Situation, calibration: Calibration, depth: str) -> None:
    """Record every figure that depends on prompt, depth or number of requests; each of them may be an axis."""
    if spills(trace):
        record_spilled_shares(trace, s.setup)
        record_second_tier(trace, s.setup)
    record_choices(trace, s)
    record_slots(trace, s.setup)
    record_retrieval(trace, s)
    record_gain(trace, s.setup)
    outline = outline_of(trace, s)
    trace.follow(_work(outline, depth))
    record_ranges(trace, s, calibration, depth)
    trace.later(_beside(outline))


@recipe
def _work(trace: Recipe, o: Outline, depth: str) -> None:
    record_step_inputs(trace, o, depth)
    record_prompt(trace, o)
    record_loaded(trace, o)
    record_requests(trace, o)
    _record_one_request(trace, o)
    record_load(trace, o)
    _record_ceiling(trace, o)
    _record_limit(trace, o, "output_tok_s_total", "serving", "decode_step_s", "requests_at_once")
    trace.compute("ttft_s.least", prefill.least_seconds, tokens="prompt.new_tokens", speed="prefill_tok_s.ceiling")


@recipe
def _beside(trace: Recipe, o: Outline) -> None:
    """What stands beside the figures of a sizing: the machine at full load, intensities, the share of exchanges."""
    record_saturated(trace, o)
    _record_limit(trace, o, "saturated_tok_s_total", "saturated", "saturated_step_s", o.groups)
    record_speed_range(trace, "saturated_tok_s_total", "spread.saturated.any", "saturated_tok_s_total.ceiling")
    _record_intensities(trace, o)
    _record_exchange_share(trace, o)


def _record_one_request(trace: Recipe, o: Outline) -> None:
    """What one token of one request alone reads, and the speed that this allows at most."""
    alone = "one_request_step_s"
    record_reads(trace, o, alone, "one_request", "one_request")
    experts = [f"{alone}.bytes.experts"] if o.has_experts else []
    trace.compute("bytes_read_per_token.weights", operators.sum_of_bytes, parts=["read_bytes.dense", *experts])
    trace.compute("bytes_read_per_token.by_tier.0", operators.sum_of_bytes, parts=[f"{alone}.bytes.first_tier"])
    second = f"{alone}.bytes.second_tier" if o.spills else "nothing_bytes"
    trace.compute("bytes_read_per_token.by_tier.1", operators.sum_of_bytes, parts=[second])


def _record_ceiling(trace: Recipe, o: Outline) -> None:
    """Record the speed of one request that reading its bytes would allow."""
    ceiling, steps = "decode_tok_s.ceiling", "one_request_step_s.ceiling"
    if not o.speculates:
        trace.compute(ceiling, decode.tokens_per_second, seconds=steps)
        return
    trace.compute(f"{ceiling}.steps", decode.tokens_per_second, seconds=steps)
    trace.compute(
        ceiling, speculation.speed_with_guesses, speed=f"{ceiling}.steps", tokens="speculation.tokens_per_step"
    )


def _record_intensities(trace: Recipe, o: Outline) -> None:
    """Operations per byte of decode and prefill, and the share of the computing rate that decode uses."""
    flops = {
        "low": "flops_per_token.in_weight_format",
        "experts": "flops_per_token.chosen_experts",
    }
    trace.compute(
        "decode_step_s.flops",
        operators.step_flops,
        **flops,
        wide="flops_per_token.at_16_bit",
        attention="attention_flops_per_token",
        tokens=tokens_in_step(o, "decode_step_s", "serving.requests_in_step"),
    )
    trace.compute(
        "decode_step_s.bytes",
        operators.step_bytes,
        first="decode_step_s.bytes.first_tier",
        second="decode_step_s.bytes.second_tier" if o.spills else "nothing_bytes",
        ranks=o.expert_ranks,
    )
    trace.compute(
        "arithmetic_intensity.decode",
        operators.arithmetic_intensity,
        flops="decode_step_s.flops",
        read="decode_step_s.bytes",
    )
    trace.compute(
        "compute_utilisation.decode",
        roofline.compute_utilisation,
        flops="decode_step_s.flops",
        seconds="decode_step_s",
        ranks=o.expert_ranks,
        rate="rate.weight_format",
    )
    _record_prefill_intensity(trace, o, flops)


def _record_prefill_intensity(trace: Recipe, o: Outline, flops: dict[str, str]) -> None:
    trace.compute(
        "prefill.flops",
        operators.step_flops,
        **flops,
        wide="flops_per_token.at_16_bit_in_layers",
        attention="prompt.attention_flops_per_token",
        tokens="prompt.new_tokens",
    )
    trace.compute(
        "prefill.bytes",
        prefill.prompt_bytes,
        chunks="prompt.chunks",
        layers="read_bytes.layers",
        experts="prompt.expert_bytes" if o.has_experts else "nothing_bytes",
        head="read_bytes.head",
    )
    trace.compute(
        "arithmetic_intensity.prefill", operators.arithmetic_intensity, flops="prefill.flops", read="prefill.bytes"
    )


def _record_exchange_share(trace: Recipe, o: Outline) -> None:
    exchange = "decode_step_s.link.all_reduces" if o.tensor else "nothing_s"
    if o.attention_groups:
        exchange = "decode_step_s.link"
    trace.compute("all_reduce_seconds_per_token", decode.all_reduce_seconds_per_token, part=exchange)
    trace.compute("all_reduce_share", decode.share_of_step, part="all_reduce_seconds_per_token", step="decode_step_s")


def record_ranges(trace: Trace, s: Situation, calibration: Calibration, depth: str) -> None:
    """Record P10 and P90 of every speed that is shown, and what measurements of the user's own correct."""
    trace.follow(spreads_of(s.setup, calibration, depth))
    found = [record_correction(trace, s, figure, *keys, predicted) for figure, keys in _CORRECTED.items()]
    trace.follow(_ranges(*found))


#: What measurements correct, with the keys of its spread and of what physics allows.
_CORRECTED = {
    Measured.PREFILL: ("spread.prefill.any", "prefill_tok_s.ceiling"),
    Measured.DECODE: ("spread.decode", "decode_tok_s.ceiling"),
    Measured.THROUGHPUT: ("spread.throughput", "output_tok_s_total.ceiling"),
    Measured.FIRST_TOKEN: ("spread.first_token", "ttft_s.least"),
}


@recipe
def _ranges(trace: Recipe, prefill: str, decode: str, throughput: str, first_token: str) -> None:
    record_speed_range(trace, "prefill_tok_s", prefill, "prefill_tok_s.ceiling")
    record_speed_range(trace, "decode_tok_s", decode, "decode_tok_s.ceiling")
    record_speed_range(trace, "output_tok_s_total", throughput, "output_tok_s_total.ceiling")
    record_time_range(trace, "ttft_s", first_token, "ttft_s.least")


def _record_limit(trace: Recipe, o: Outline, key: str, load: str, step: str, requests: str) -> None:
    """Record what physics allows all users together."""
    trace.compute(
        f"{key}.ceiling.steps" if o.speculates else f"{key}.ceiling",
        serving.total_ceiling,
        in_flight=f"{load}.requests_in_flight",
        step=f"{step}.ceiling",
        requests=requests,
        replicas=o.groups,
    )
    if o.speculates:
        trace.compute(
            f"{key}.ceiling",
            speculation.speed_with_guesses,
            speed=f"{key}.ceiling.steps",
            tokens="speculation.tokens_per_step",
        )


def predicted(scenario: Scenario, catalogue: Catalogue) -> Trace:
    """Every figure of a scenario, for the conditions of a measurement."""
    situation, trace = resolve(scenario, catalogue), Trace()
    record_memory(trace, situation)
    speed_figures(trace, situation)
    return trace


def _parts(trace: Trace, key: str) -> tuple[TimePart, ...]:
    return tuple([TimePart(cause, at, float(trace[at])) for cause, at in _keys_of_parts(key)])


@lru_cache(maxsize=16)
def _keys_of_parts(key: str) -> tuple[tuple[Cause, str], ...]:
    return tuple((cause, f"{key}.{part}") for cause, part in PARTS.items())


def _limit(parts: tuple[TimePart, ...]) -> Limit:
    """What takes most of the time; causes of one kind count together."""
    seconds = _NO_TIME.copy()
    for part in parts:
        seconds[LIMIT_OF[part.cause]] += part.seconds
    return max(seconds, key=seconds.__getitem__)


_NO_TIME = dict.fromkeys(Limit, 0.0)


def _guards(trace: Trace, s: Situation) -> tuple[Finding, ...]:
    """A warning for every speed that is held at what physics allows: what was entered asks for more."""
    return tuple(
        Finding(FindingKind.GUARD, Weight.WARNING, (f"{key}.ceiling", key))
        for figure, key in FIGURES.items()
        if figure is not Measured.FIRST_TOKEN and trace[key] >= trace[f"{key}.ceiling"]
    )


def _findings(evidence: Evidence) -> tuple[Finding, ...]:
    """What a person should know about how well the speed is supported."""
    if evidence is not Evidence.GENERIC:
        return ()
    return (Finding(FindingKind.EVIDENCE_GENERIC, Weight.WARNING, ("decode_tok_s.p10", "decode_tok_s.p90")),)
