"""What no sizing of a candidate can beat, for all candidates at once: least memory, highest speed, earliest answer.

Each bound leaves out something that takes memory or time and never adds anything, and uses the formula functions of the
sizing itself over arrays. So what a bound rules out is ruled out, and what it ranks behind cannot come out ahead:

- the fullest accelerator of a copy holds at least its even part of weights, logical cache and state, beside the
  retrieval models that share its card;
- a step reads the weights, the experts that its requests need, their caches and states, computes, launches its kernels
  and exchanges between ranks and stages; the bytes of hand-overs and slower memory are left out;
- a prompt takes its arithmetic, reads and exchanges; one that comes while others write, its dense arithmetic and
  attention alone; nobody queues.
"""

from dataclasses import dataclass
from typing import Any

from core.catalogue.records import Allocator, DeviceFamily
from core.physics import collective, decode, mixed_passes, operators, prefill, roofline, serving
from core.physics.demand import requests_with_a_copy_down
from core.physics.memory import limit_of_the_whole, requests_with_reserve
from core.scenario import Mode
from core.sizing.capacity import shares_what_is_left
from core.sizing.concurrency import Redundancy
from core.sizing.groups import LATENT, cached_groups
from core.sizing.loaded_prompt import SEPARATE_PASSES
from core.sizing.rates import ENGINE_SLOTS, PIPELINE_KEPT, STATE_SHARE, has_routed_experts
from core.sizing.search.counted import Counted
from core.sizing.search.rates import Rates
from core.sizing.search.shapes import Shapes
from core.sizing.step import prepares_ahead

Axis = Any  # array, one element a candidate, layout or device

#: What keeps a device busy; bounds have it in one sum.
_BUSY = ("weights", "experts", "kv", "state", "compute", "link")
#: Room for the rounding of sums in another order.
MARGIN = 1e-9


@dataclass(frozen=True, slots=True)
class Bounds:
    """One element for each layout that goes with a variant.

    layout        its number
    least_bytes   on the fullest accelerator [byte]
    most_bytes    that the accelerator may use, all tiers [byte]
    speed         of one user at most [token/s]
    throughput    of all users at most [token/s]
    saturated     of all users at most, when there are always more requests than fit [token/s]
    ttft          first token at the earliest [s]
    ttft_if_fast  the same for a candidate that reaches the speed target: its queue moves no slower than that [s]
    """

    layout: Axis
    least_bytes: Axis
    most_bytes: Axis
    speed: Axis
    throughput: Axis
    saturated: Axis
    ttft: Axis
    ttft_if_fast: Axis


def bounds(counted: Counted, shapes: Shapes, rates: Rates) -> Bounds:
    """Bounds of one variant on every layout that its engine and the model's heads allow.

    Parameters
    ----------
    counted : the variant's figures on one accelerator
    shapes : all layouts, as arrays
    rates : of the devices under this variant, in the order of `shapes.devices`

    Returns
    -------
    the bounds; layouts on which the variant cannot run are not in them
    """
    import numpy as np

    at = np.flatnonzero(_runs(counted, shapes) & ~np.isnan(rates["low"])[shapes.device])
    here = shapes.taken(at)
    fit = Rates(rates.table[:, here.device])
    prompt = _prompt_seconds(counted, here, fit)
    step = _step_seconds(counted, here, fit)
    batch = _batch(counted, here)
    output, waits = counted["workload.output_tokens"], np.where(batch > 1, step / 2, 0.0)
    other = _other_prompt_seconds(counted, here, fit)
    step = step + serving.interference_seconds(batch, output, other, _interference(counted, fit, batch))
    each = serving.time_per_output_token(step, (prompt + fit["t_req"]) / output)
    least, most = _memory(counted, here)
    wider, tighter = 1 + MARGIN, 1 - MARGIN
    return Bounds(
        layout=at,
        least_bytes=least * tighter,
        most_bytes=most,
        speed=wider / step,
        throughput=wider * _overlap(counted, here) * _requests(counted, here) / each,
        saturated=wider * _saturated(counted, here, fit, other),
        ttft=(fit["t_req"] + waits + prompt) * tighter,
        ttft_if_fast=(fit["t_req"] + waits + prompt + _queue_seconds(counted, fit, batch, other)) * tighter,
    )


def _interference(counted: Counted, fit: Rates, batch: Axis) -> Axis:
    """Share of others' prompts that a request waits for."""
    if counted.situation.scenario.workload.start_together:
        tokens = counted["prompt.new_tokens"]
        size = mixed_passes.burst_tokens_in_pass(tokens, batch, fit["chunk"])
        together = mixed_passes.prompts_in_pass(size, tokens, batch)
        return serving.interference_of_a_burst(fit["c_int"], batch, together)
    return fit["c_int"]


def _queue_seconds(counted: Counted, fit: Rates, batch: Axis, other: Axis) -> Axis:
    """How long a request waits for others' prompts at least, where a step is no longer than the target allows."""
    target = counted.situation.scenario.workload.speed_target
    if target is None:
        return 0.0
    share = serving.prompt_share(batch, other, counted["workload.output_tokens"], 1 / target)
    return other * fit["c_q"] * share * (batch - 1) / 2


def _runs(counted: Counted, shapes: Shapes) -> Axis:
    """Which layouts engine and model allow."""
    import numpy as np

    engine = counted.situation.engine
    families = np.array([device.family in engine.families for device in shapes.devices])
    allowed: Axis = families[shapes.device] & (shapes.pipeline <= counted["model.layers"])
    if counted.variant.apart:
        allowed &= shapes.machines == 1
    if not engine.tensor_parallel:
        allowed &= shapes.tensor == 1
    if not engine.pipeline_parallel:
        allowed &= shapes.pipeline == 1
    if counted.redundancy is Redundancy.SPARE_REPLICA:
        allowed &= shapes.replicas > 1
    for heads in counted.heads:
        allowed &= heads % shapes.tensor == 0
    return allowed & _spreads(counted, shapes)


def _spreads(counted: Counted, shapes: Shapes) -> Axis:
    """Whole experts on each accelerator: for mixtures on serving engines; attention whole too: for latent caches."""
    import numpy as np

    situation = counted.situation
    plain: Axis = (shapes.expert == 1) & (shapes.attention_groups == 1)
    if not has_routed_experts(situation) or situation.engine.group != "serving":
        return plain
    spread = shapes.expert <= counted["model.experts_per_layer"]
    latent = any(group.kind in LATENT for group in situation.blueprint.attention)
    return np.where(shapes.attention_groups > 1, spread & latent, spread)


def _memory(counted: Counted, here: Shapes, requests: int | None = None) -> tuple[Axis, Axis]:
    """Least bytes on the fullest accelerator with the requests that are asked for, and the most that it may use."""
    import numpy as np

    each = counted["kv_logical_bytes_per_request"] + counted.state_bytes
    asked: Axis = requests
    if requests is None:
        groups = here.replicas * here.attention_groups
        reserve = counted["workload.reserve_share"]
        asked = np.ceil(requests_with_reserve(_requests(counted, here), reserve) / groups) * here.attention_groups
    least = (counted.loaded_bytes + each * asked) / here.ranks_of_a_copy + counted.companions_bytes
    situation = counted.situation
    article = situation.scenario.mode is Mode.ARTICLE
    whole = article or shares_what_is_left(situation)
    share = 1.0 if whole else situation.engine.memory_share or 1.0
    first = (here.labels if article else here.usable) * share
    if situation.engine.allocator is Allocator.VLLM and not article:  # there it takes its share of the whole memory
        unified = np.array([device.family is DeviceFamily.NVIDIA_UNIFIED for device in here.devices])[here.device]
        first = np.where(unified, limit_of_the_whole(here.labels, here.usable, share), first)
    return least, first + here.lower


def _requests(counted: Counted, here: Shapes) -> Axis:
    """Requests at once; where a copy may be down, those under which all are as full as the rest is then."""
    if counted.redundancy is not Redundancy.SPARE_REPLICA:
        return counted["requests_at_once"]
    return requests_with_a_copy_down(counted["requests_at_once"], here.replicas)


def _batch(counted: Counted, here: Shapes) -> Axis:
    """Requests in one step where memory holds them all; one where a request may outgrow its context."""
    import numpy as np

    held = counted["workload.prompt_tokens"] + counted["workload.output_tokens"]
    if held > counted["workload.context_tokens"]:
        return np.ones(len(here.tensor))
    stages = here.pipeline if counted.situation.engine.group == "serving" else 1
    return np.maximum(1.0, _requests(counted, here) / (here.replicas * here.attention_groups) / stages)


def _overlap(counted: Counted, here: Shapes) -> Axis:
    """What bubbles leave of the rate of stages that work at the same time."""
    import numpy as np

    if counted.situation.engine.group != "serving":
        return np.ones(len(here.tensor))
    busy = (here.pipeline > 1) & (_requests(counted, here) / (here.replicas * here.attention_groups) > 1)
    return np.where(busy, PIPELINE_KEPT, 1.0)


def _saturated(counted: Counted, here: Shapes, fit: Rates, prompt: Axis) -> Axis:
    """Tokens per second of all users with as many requests as memory and engine take: then a token costs the least.

    Weights are read for all of them at once; what experts compute hides behind their reads.
    """
    import numpy as np

    least, most = _memory(counted, here, requests=0)
    held = min(1.0, counted["serving.held_tokens"] / counted["workload.context_tokens"])
    each = counted["kv_logical_bytes_per_request"] * held + counted.state_bytes
    spare = most - least + counted.companions_bytes  # which stand on one accelerator only
    room = np.maximum(1.0, spare * here.ranks_of_a_copy / here.attention_groups / each)

    stages = here.pipeline if counted.situation.engine.group == "serving" else np.ones(len(here.tensor))
    batch = np.maximum(1.0, np.minimum(room, ENGINE_SLOTS) / stages)
    alone = counted["read_bytes.dense"] / here.tensor / fit["weights"]
    at_peak = decode.seconds_at_peak(
        counted["flops_per_token.in_weight_format"], fit["low"], counted["flops_per_token.at_16_bit"], fit["wide"]
    )
    computed = batch * at_peak / here.tensor / fit["mfu"]
    step = np.minimum(alone * batch, alone + roofline.compute_excess_seconds(alone, computed))
    if has_routed_experts(counted.situation):
        ranks = here.tensor * here.attention_groups
        distinct = _distinct(counted, batch * here.attention_groups, fit["gamma"])
        step = step + _expert_bytes(counted, distinct) / ranks / fit["experts"]
    step = step + counted["kernels_per_step"] * fit["t_op"]
    token = (step + _exchange_seconds(counted, here, fit, batch)) / batch + _cache_seconds(counted, here, fit, 1.0)
    answer = token + prompt / counted["workload.output_tokens"]
    return here.replicas * here.attention_groups * stages / answer


def _step_seconds(counted: Counted, here: Shapes, fit: Rates) -> Axis:
    """A decode step at the least."""
    batch, ranks = _batch(counted, here), here.tensor
    dense = counted["read_bytes.dense"] / ranks / fit["weights"]
    share = decode.small_batch_share(fit["mfu_b"], batch)
    at_peak = decode.seconds_at_peak(
        counted["flops_per_token.in_weight_format"], fit["low"], counted["flops_per_token.at_16_bit"], fit["wide"]
    )
    alone = decode.batch_compute_seconds(batch, at_peak, ranks, fit["mfu"], share)
    seconds = dense + roofline.compute_excess_seconds(dense, alone)
    if has_routed_experts(counted.situation):
        seconds = seconds + _expert_seconds(counted, here, fit, batch, share)
    launched = {"kernels": counted["kernels_per_step"], "per_kernel": fit["t_op"]}
    of_host = {"per_step": fit["t_host"], "per_request": fit["t_seq"], "batch": batch}
    busy = seconds + _cache_seconds(counted, here, fit, batch) + _exchange_seconds(counted, here, fit, batch)
    if not prepares_ahead(counted.situation):
        return busy + decode.engine_seconds(**launched, **of_host)
    parts = dict.fromkeys(_BUSY, 0.0) | {"compute": busy}
    return busy + decode.engine_seconds_beside_device(**launched, **parts, host=decode.host_seconds(**of_host))


def _cache_seconds(counted: Counted, here: Shapes, fit: Rates, batch: Axis) -> Axis:
    """Reading the caches, whole heads on each rank, with what attention computes; and reading the states."""
    read = sum(
        operators.rank_cache_bytes(counted[f"bytes_read_per_token.kv.{n}"], counted[f"kv.{n}.kv_heads"], here.tensor)
        for n, _ in cached_groups(counted.situation.blueprint)
    )
    seconds = decode.cache_seconds(batch, read, fit["cache"])
    flops = counted["attention_flops_per_token"]
    alone = decode.attention_compute_seconds(batch, flops, here.tensor, fit["wide"], fit["mfu_dec_att"])
    state = decode.state_seconds(batch, counted["state_traffic_bytes"], here.tensor, STATE_SHARE * fit["weights"])
    return seconds + roofline.compute_excess_seconds(seconds, alone) + state


def _expert_seconds(counted: Counted, here: Shapes, fit: Rates, batch: Axis, share: Axis) -> Axis:
    """Experts of all groups of a copy together, evenly spread; the busiest accelerator takes longer."""
    import numpy as np

    ranks = here.tensor * here.attention_groups
    batch = np.where(here.attention_groups > 1, _joint(counted, here), batch)
    seconds = _expert_bytes(counted, _distinct(counted, batch, fit["gamma"])) / ranks / fit["experts"]
    at_peak = decode.seconds_at_rate(counted["flops_per_token.chosen_experts"], fit["low"])
    alone = decode.batch_compute_seconds(batch, at_peak, ranks, fit["mfu"] * fit["mfu_e"], share)
    return seconds + roofline.compute_excess_seconds(seconds, alone)


def _joint(counted: Counted, here: Shapes) -> Axis:
    """Requests of a step of all groups of a copy: fewer than groups times requests where some groups have none."""
    import numpy as np

    return np.maximum(1.0, _requests(counted, here) / here.replicas / here.pipeline)


def _distinct(counted: Counted, tokens: Any, reuse: Any) -> Any:
    """Experts that so many tokens need; without the exact power of the sizing, hence the margin."""
    import numpy as np

    experts, chosen = counted["model.experts_per_layer"], counted["model.experts_per_token"]
    distinct = experts * (1 - (1 - chosen / experts) ** (np.maximum(tokens, 1) ** np.minimum(reuse, 1)))
    return distinct * (1 - MARGIN)


def _expert_bytes(counted: Counted, distinct: Any) -> Any:
    return operators.expert_bytes_read(counted["weights_bytes.expert"], counted["model.experts_per_layer"], distinct)


def _exchange_seconds(counted: Counted, here: Shapes, fit: Rates, tokens: Any) -> Axis:
    """All-reduces of one pass, by the faster of the short and the long algorithm, and bare hand-overs."""
    import numpy as np

    times = operators.all_reduces_per_step(counted["model.layers"], operators.ALL_REDUCES_PER_LAYER)
    message = collective.activation_bytes(tokens, counted.situation.blueprint.hidden_size)
    factor = fit["ars"] * here.link_factor
    slowdown = np.where(here.rates_measured > 0, 1.0, factor)
    long = factor * here.second_alpha + slowdown * 2 * (here.tensor - 1) / here.tensor * message / here.bus
    moved = factor * here.alpha + np.minimum(slowdown * message / here.beta, long)
    hops = collective.repeated_seconds(here.pipeline - 1, here.hop)
    return np.where(here.tensor > 1, times * moved, 0.0) + hops


def _prompt_seconds(counted: Counted, here: Shapes, fit: Rates) -> Axis:
    """The prefill of one prompt at the least."""
    import numpy as np

    tokens, ranks = counted["prompt.new_tokens"], here.tensor
    size = prefill.chunk_tokens(tokens, fit["chunk"])
    chunks = prefill.chunk_count(tokens, size)
    at_peak = decode.seconds_at_peak(
        counted["flops_per_token.in_weight_format"],
        fit["low"],
        counted["flops_per_token.at_16_bit_in_layers"],
        fit["wide"],
    )
    alone = prefill.dense_compute_seconds(tokens, at_peak, ranks, fit["mfu"], size, fit["half"])
    read = prefill.repeated_read_seconds(chunks, counted["read_bytes.layers"], ranks, fit["weights"])
    seconds = read + roofline.compute_excess_seconds(read, alone)
    if has_routed_experts(counted.situation):
        seconds = seconds + _prompt_expert_seconds(counted, fit, ranks * here.attention_groups, size, chunks)
    seconds = seconds + prefill.prompt_attention_seconds(
        tokens, counted["prompt.attention_flops_per_token"], ranks, fit["wide"], fit["mfu_att"]
    )
    seconds = seconds + prefill.pass_overhead_seconds(chunks, counted["kernels_per_step"], fit["t_op"], fit["t_host"])
    seconds = seconds + prefill.repeated_pass_seconds(chunks, _exchange_seconds(counted, here, fit, size))
    if counted.situation.engine.group == "llama.cpp":
        overlap = prefill.stage_overlap(here.pipeline, chunks, fit["pipe"])
        seconds = np.where(here.pipeline > 1, seconds / overlap, seconds)
    return seconds


def _other_prompt_seconds(counted: Counted, here: Shapes, fit: Rates) -> Axis:
    """What one more prompt takes of an engine at work, at the least: its attention, and products that reads hide."""
    import numpy as np

    tokens, ranks, batch = counted["prompt.new_tokens"], here.tensor, _batch(counted, here)
    seconds = prefill.prompt_attention_seconds(
        tokens, counted["prompt.attention_flops_per_token"], ranks, fit["wide"], fit["mfu_att"]
    )
    of_layers, with_head = (
        decode.seconds_at_peak(counted["flops_per_token.in_weight_format"], fit["low"], counted[wide], fit["wide"])
        for wide in ("flops_per_token.at_16_bit_in_layers", "flops_per_token.at_16_bit")
    )
    share = decode.small_batch_share(fit["mfu_b"], batch)
    busy = decode.batch_compute_seconds(batch, with_head, ranks, fit["mfu"], share)
    if counted.situation.engine.id in SEPARATE_PASSES:
        batch, busy = 0.0, 0.0
    size = _pass_tokens(counted, here, fit)
    seconds = seconds + mixed_passes.dense_seconds_of_a_prompt(
        mixed_passes.passes_of_a_prompt(tokens, size),
        size,
        batch,
        of_layers,
        ranks,
        fit["mfu"],
        fit["half"],
        counted["read_bytes.dense"] / ranks / fit["weights"],
        busy,
    )
    if counted.situation.engine.group == "llama.cpp":
        chunks = prefill.chunk_count(tokens, prefill.chunk_tokens(tokens, fit["chunk"]))
        overlap = prefill.stage_overlap(here.pipeline, chunks, fit["pipe"])
        seconds = np.where(here.pipeline > 1, seconds / overlap, seconds)
    return seconds


def _pass_tokens(counted: Counted, here: Shapes, fit: Rates) -> Axis:
    """Prompt tokens of one pass."""
    tokens, batch = counted["prompt.new_tokens"], _batch(counted, here)
    if counted.situation.scenario.workload.start_together:
        return mixed_passes.burst_tokens_in_pass(tokens, batch, fit["chunk"])
    return mixed_passes.prompt_tokens_in_pass(tokens, counted["workload.output_tokens"], batch, fit["chunk"])


def _prompt_expert_seconds(counted: Counted, fit: Rates, ranks: Axis, size: Axis, chunks: Axis) -> Axis:
    tokens, chosen = counted["prompt.new_tokens"], counted["model.experts_per_token"]
    distinct = _distinct(counted, size, 1.0)
    touched = _expert_bytes(counted, distinct)
    read = prefill.repeated_read_seconds(chunks, touched, ranks, fit["experts"])
    at_peak = decode.seconds_at_rate(counted["flops_per_token.chosen_experts"], fit["low"])
    share, each = fit["mfu_e"], prefill.tokens_per_expert(size, chosen, distinct)
    alone = prefill.expert_compute_seconds(tokens, at_peak, ranks, fit["mfu"], share, each, fit["half"])
    return read + roofline.compute_excess_seconds(read, alone)
