"""Several users in a closed loop: requests in flight, time per token, time to first token, tokens of all users."""

from core.physics import decode, mixed_passes, serving
from core.sizing.attention import record_held_cache
from core.sizing.guessing import record_guessing, seconds_per_token
from core.sizing.loaded_prompt import record_loaded_prompt
from core.sizing.origins import METHOD
from core.sizing.outline import Outline
from core.sizing.rates import ENGINE_SLOTS, PIPELINE_KEPT
from core.sizing.retrieval import loaded_prompt
from core.sizing.situation import Setup
from core.sizing.step import record_step
from core.trace import CHOICE, Recipe, Trace
from core.units import Unit


def record_slots(trace: Trace, s: Setup) -> None:
    """Record the most requests that the engine schedules together, and the groups whose tokens meet at the experts."""
    chosen = s.deployment.max_requests
    trace.given("engine.slots", chosen or ENGINE_SLOTS, Unit.REQUEST, CHOICE if chosen else METHOD)
    trace.given("plan.groups_at_experts", s.plan.attention_replicas, Unit.COUNT, METHOD)
    if s.deployment.admission_steps > 1:
        trace.given("engine.admission_steps", s.deployment.admission_steps, Unit.COUNT, CHOICE)


def record_requests(trace: Recipe, o: Outline) -> None:
    """Record how many requests one replica works on, and how many of them are in one step."""
    trace.compute(
        "serving.held_tokens",
        serving.held_tokens,
        prompt="workload.prompt_tokens",
        output="workload.output_tokens",
    )
    record_held_cache(trace, o, "serving.held_bytes", "serving.held_tokens")
    trace.compute(
        "serving.requests_that_fit",
        serving.requests_that_fit,
        pool="memory.free_for_kv_bytes",
        per_request="serving.held_bytes",
        replicas=o.groups,
    )
    trace.compute(
        "saturated.requests_in_flight",
        serving.saturating_requests,
        fit="serving.requests_that_fit",
        slots="engine.slots",
    )
    trace.compute(
        "serving.requests_in_flight",
        serving.requests_in_flight,
        requests="requests_at_once",
        replicas=o.groups,
        fit="saturated.requests_in_flight" if o.limited else "serving.requests_that_fit",
    )
    for load in ("serving", "saturated"):
        trace.compute(
            f"{load}.requests_in_step",
            serving.requests_in_step,
            in_flight=f"{load}.requests_in_flight",
            stages="plan.parallel_stages",
        )


def record_load(trace: Recipe, o: Outline) -> None:
    """Record steps and speeds for the requests at once."""
    record_guessing(trace, o)
    trace.given("pipeline_kept_share", PIPELINE_KEPT, Unit.SHARE, METHOD)
    record_step(trace, o, "decode_step_s", "serving.requests_in_step")
    prompt = record_loaded_prompt(trace, o, "serving", "decode_step_s")
    _record_overlap(trace, "serving")
    if o.together:
        trace.compute(
            "serving.prompts_in_pass",
            mixed_passes.prompts_in_pass,
            size="serving.prompt_s.pass_tokens",
            tokens="prompt.new_tokens",
            batch="serving.requests_in_step",
        )
    _record_tokens(trace, o, prompt)
    _record_first_token(trace, o, prompt)
    _record_total(trace, o)


def _record_overlap(trace: Recipe, load: str) -> None:
    trace.compute(
        f"{load}.pipeline_overlap",
        serving.pipeline_overlap,
        in_flight=f"{load}.requests_in_flight",
        stages="plan.parallel_stages",
        kept="pipeline_kept_share",
    )


def record_saturated(trace: Recipe, o: Outline) -> None:
    """Record the speed of all users together when there are always more requests than fit."""
    record_step(trace, o, "saturated_step_s", "saturated.requests_in_step")
    prompt = record_loaded_prompt(trace, o, "saturated", "saturated_step_s")
    _record_overlap(trace, "saturated")
    trace.compute(
        "saturated.prompt_share",
        serving.prompt_share,
        batch="saturated.requests_in_step",
        prefill=prompt,
        output="workload.output_tokens",
        step=seconds_per_token(trace, o, "saturated_step_s"),
    )
    trace.compute(
        "saturated.replica_tok_s",
        serving.saturated_tokens_per_second,
        in_flight="saturated.requests_in_flight",
        batch="saturated.requests_in_step",
        step=seconds_per_token(trace, o, "saturated_step_s"),
        prefill=prompt,
        output="workload.output_tokens",
        overlap="saturated.pipeline_overlap",
    )
    trace.compute(
        "saturated_tok_s_total",
        serving.total_tokens_per_second,
        per_replica="saturated.replica_tok_s",
        requests=o.groups,
        replicas=o.groups,
    )


_BATCH = "serving.requests_in_step"


def _record_tokens(trace: Recipe, o: Outline, prompt: str) -> None:
    """Time per output token with the interference of others' prompts, and tokens per second of one user."""
    share = "fit.c_int"
    if o.together:
        share = "serving.burst_interference"
        trace.compute(
            share,
            serving.interference_of_a_burst,
            share="fit.c_int",
            batch=_BATCH,
            together="serving.prompts_in_pass",
        )
    trace.compute(
        "serving.interference_s",
        serving.interference_seconds,
        batch=_BATCH,
        output="workload.output_tokens",
        prefill=prompt,
        share=share,
    )
    step = seconds_per_token(trace, o, "decode_step_s")
    trace.compute("tpot_s", serving.time_per_output_token, step=step, interference="serving.interference_s")
    trace.compute("decode_tok_s", decode.tokens_per_second, seconds="tpot_s")


def _record_total(trace: Recipe, o: Outline) -> None:
    """Tokens per second of all users."""
    trace.compute(
        "serving.replica_tok_s",
        serving.replica_tokens_per_second,
        in_flight="serving.requests_in_flight",
        tpot="tpot_s",
        first="serving.ttft_with_slot_s",
        output="workload.output_tokens",
        overlap="serving.pipeline_overlap",
    )
    trace.compute(
        "output_tok_s_total",
        serving.total_tokens_per_second,
        per_replica="serving.replica_tok_s",
        requests="requests_at_once",
        replicas=o.groups,
    )


def decode_seconds(o: Outline) -> str:
    """The key of the time of a token, without others' prompts."""
    return "decode_step_s.per_token" if o.speculates else "decode_step_s"


def _admission(trace: Recipe, o: Outline) -> str:
    """The key of the time between two looks for new requests: a step, unless the engine looks less often."""
    if not o.looks_rarely:
        return "decode_step_s"
    key = "serving.admission_s"
    trace.compute(key, serving.admission_seconds, steps="engine.admission_steps", step="decode_step_s")
    return key


def _record_first_token(trace: Recipe, o: Outline, prompt: str) -> None:
    trace.compute(
        "serving.prompt_share",
        serving.prompt_share,
        batch=_BATCH,
        prefill=prompt,
        output="workload.output_tokens",
        step=decode_seconds(o),
    )
    queue = "fit.c_q"
    if o.together:
        queue = "serving.burst_queue"
        trace.compute(
            queue,
            serving.queue_of_a_burst,
            queue="fit.c_q",
            share="serving.prompt_share",
            weight="fit.c_burst",
            batch=_BATCH,
            together="serving.prompts_in_pass",
        )
    trace.compute(
        "serving.ttft_with_slot_s",
        serving.time_to_first_token,
        request="fit.t_req",
        step=_admission(trace, o),
        own=loaded_prompt(o),
        other=prompt,
        queue=queue,
        share="serving.prompt_share",
        batch=_BATCH,
    )
    trace.compute(
        "serving.slot_wait_s",
        serving.slot_wait_seconds,
        requests="requests_at_once",
        replicas=o.groups,
        in_flight="serving.requests_in_flight",
        output="workload.output_tokens",
        tpot="tpot_s",
    )
    elsewhere = o.retrieval_apart
    trace.compute(
        "serving.ttft_after_retrieval_s" if elsewhere else "ttft_s",
        serving.time_to_first_token_with_wait,
        with_slot="serving.ttft_with_slot_s",
        wait="serving.slot_wait_s",
    )
    if elsewhere:
        trace.compute(
            "ttft_s",
            serving.time_to_first_token_with_retrieval,
            after="serving.ttft_after_retrieval_s",
            retrieval="retrieval.apart_s",
        )
