"""What no sizing of a candidate can beat, for all candidates at once: least memory, highest speed, earliest answer.

The times are those of `least_times`, by the formula functions of the sizing itself over arrays. What they leave out can
only add to them. So what a bound rules out is ruled out, and what it ranks behind cannot come out ahead:

- Memory. The fullest accelerator of a copy holds at least its even part of weights, logical cache and state, beside the
  retrieval models that share its card; what the engine sets aside comes on top.
- Speed. A candidate counts only where memory holds all requests at their context limit. Then all of them are in flight,
  the batch is known, and the time of a token is at least that of a step, which grows with everything that was left
  out, and the interference of others' prompts, which grows with the least that these take.
- First token. Half a step, the prompt itself, and the prompts before it. How many of these there are depends on the
  share of the time that goes to prompts, which falls with the time of a step: so it needs the most that a step may
  take. Where nothing can lie in slower memory and nothing else was left out of the step, that is the step itself; for
  other layouts the slowest that the speed target allows (`ttft_if_fast`), and without one nobody counts as waiting.
- Saturation. With more requests in flight a token never costs more, so the most that memory and engine take are
  assumed, and the least that a prompt can cost.

All figures have room for the rounding of sums in another order (`MARGIN`).
"""

from dataclasses import dataclass
from typing import Any

from core.catalogue.records import Allocator, DeviceFamily
from core.physics import mixed_passes, roofline, serving
from core.physics.memory import limit_of_the_whole, requests_with_reserve
from core.scenario import Mode
from core.sizing.concurrency import Redundancy
from core.sizing.engine_share import shares_what_is_left
from core.sizing.groups import LATENT
from core.sizing.rates import ALL_TO_ALL_ENGINES, ENGINE_SLOTS, has_routed_experts
from core.sizing.search.counted import Counted
from core.sizing.search.least_times import (
    MARGIN,
    Place,
    Step,
    cache_seconds,
    distinct_experts,
    exchange_seconds,
    expert_read_seconds,
    least_prompt_seconds,
    other_prompt_seconds,
    pass_tokens,
    prompt_seconds,
    retrieval_apart_seconds,
    step_of,
)
from core.sizing.search.rates import Rates
from core.sizing.search.shapes import Shapes

Axis = Any  # array, one element a candidate, layout or device
INFINITE = float("inf")


@dataclass(frozen=True, slots=True)
class Bounds:
    """One element for each layout that goes with a variant; no speed and no first token where memory cannot hold it.

    layout        its number
    least_bytes   on the fullest accelerator [byte]
    most_bytes    that the accelerator may use, all tiers [byte]
    speed         of one user at most [token/s]
    saturated     of all users at most, when there are always more requests than fit [token/s]; only where it is asked
    ttft          first token at the earliest [s]
    ttft_if_fast  the same for a candidate that reaches the speed target [s]
    """

    layout: Axis
    least_bytes: Axis
    most_bytes: Axis
    speed: Axis
    saturated: Axis
    ttft: Axis
    ttft_if_fast: Axis


def bounds(counted: Counted, shapes: Shapes, rates: Rates, asks_saturated: bool = True) -> Bounds:
    """Bounds of one variant on every layout that its engine and the model's heads allow.

    Parameters
    ----------
    counted : the variant's figures on one accelerator
    shapes : all layouts, as arrays
    rates : of the devices under this variant, in the order of `shapes.devices`
    asks_saturated : whether anybody asks for the throughput at full load; infinite where not

    Returns
    -------
    the bounds; layouts on which the variant cannot run are not in them
    """
    import numpy as np

    at = np.flatnonzero(_runs(counted, shapes) & ~np.isnan(rates["low"])[shapes.device])
    every = shapes.taken(at)
    least, most = _memory(Place(counted, every, rates))
    least = least * (1 - MARGIN)
    held = np.flatnonzero(least <= most)
    here = every.taken(held)
    place = Place(counted, here, Rates(rates.table[:, here.device]))
    step = step_of(place)
    other = other_prompt_seconds(place, step)
    first, if_fast = _first_token(place, step, other)
    output = counted["workload.output_tokens"]
    tpot = step.seconds + serving.interference_seconds(step.batch, output, other, _interference(place, step.batch))

    def spread(values: Any, otherwise: float) -> Axis:
        column = np.full(len(at), otherwise)
        column[held] = values
        return column

    return Bounds(
        layout=at,
        least_bytes=least,
        most_bytes=most,
        speed=spread((1 + MARGIN) / tpot, 0.0),
        saturated=spread((1 + MARGIN) * _saturated(place, step) if asks_saturated else INFINITE, 0.0),
        ttft=spread(first * (1 - MARGIN), INFINITE),
        ttft_if_fast=spread(if_fast * (1 - MARGIN), INFINITE),
    )


def _together(place: Place, batch: Axis) -> Axis:
    """Prompts that one pass finishes, where all are sent at the same moment."""
    return mixed_passes.prompts_in_pass(pass_tokens(place, batch), place.counted["prompt.new_tokens"], batch)


def _interference(place: Place, batch: Axis) -> Axis:
    """Share of others' prompts that a request waits for."""
    if place.counted.situation.scenario.workload.start_together:
        return serving.interference_of_a_burst(place.fit["c_int"], batch, _together(place, batch))
    return place.fit["c_int"]


def _first_token(place: Place, step: Step, other: Axis) -> tuple[Axis, Axis]:
    """The first token at the earliest: of any candidate, and of one that reaches the speed target."""
    import numpy as np

    work, fit, batch = place.counted.situation.scenario.workload, place.fit, step.batch
    own, apart = prompt_seconds(place), retrieval_apart_seconds(place)
    known = _knows_steps(place)
    slowest = INFINITE if work.speed_target is None else 1 / work.speed_target
    found = []
    for most in (INFINITE, slowest):
        longest = np.where(known, step.seconds * (1 + MARGIN), most)
        share = serving.prompt_share(batch, other, place.counted["workload.output_tokens"], longest)
        queue = fit["c_q"]
        if work.start_together:
            share = np.maximum(share, 1e-300)  # 0 where a step may take for ever
            queue = serving.queue_of_a_burst(queue, share, fit["c_burst"], batch, _together(place, batch))
        seconds = serving.time_to_first_token(fit["t_req"], step.seconds, own, other, queue, share, batch)
        found.append(seconds + apart)
    return found[0], found[1]


def _knows_steps(place: Place) -> Axis:
    """Where a step takes what `step_of` says, and no longer."""
    import numpy as np

    here, engine = place.here, place.counted.situation.setup.engine
    if place.outgrows or place.counted.may_read_more:
        return np.zeros(len(here.tensor), dtype=bool)
    return (here.lower == 0) & ((here.attention_groups == 1) | (engine.id not in ALL_TO_ALL_ENGINES))


def _runs(counted: Counted, shapes: Shapes) -> Axis:
    """Which layouts engine and model allow."""
    import numpy as np

    engine = counted.situation.setup.engine
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

    setup = counted.situation.setup
    plain: Axis = (shapes.expert == 1) & (shapes.attention_groups == 1)
    if not has_routed_experts(setup) or setup.engine.group != "serving":
        return plain
    spread = shapes.expert <= counted["model.experts_per_layer"]
    latent = any(group.kind in LATENT for group in setup.blueprint.attention)
    return np.where(shapes.attention_groups > 1, spread & latent, spread)


def _memory(place: Place, requests: int | None = None) -> tuple[Axis, Axis]:
    """Least bytes on the fullest accelerator with the requests that are asked for, and the most that it may use."""
    import numpy as np

    counted, here = place.counted, place.here
    each = counted["kv_logical_bytes_per_request"] + counted.state_bytes
    asked: Axis = requests
    if requests is None:
        wanted = requests_with_reserve(place.requests, counted["workload.reserve_share"])
        asked = np.ceil(wanted / place.groups) * here.attention_groups
    least = (counted.loaded_bytes + each * asked) / here.ranks_of_a_copy + counted.companions_bytes
    setup = counted.situation.setup
    article = setup.mode is Mode.ARTICLE
    whole = article or shares_what_is_left(setup)
    whole = whole or setup.engine.allocator is Allocator.SGLANG  # which computes its share for each accelerator
    share = 1.0 if whole else setup.engine.memory_share or 1.0
    first = (here.labels if article else here.usable) * share
    if setup.engine.allocator is Allocator.VLLM and not article:  # there it takes its share of the whole memory
        unified = np.array([device.family is DeviceFamily.NVIDIA_UNIFIED for device in here.devices])[here.device]
        first = np.where(unified, limit_of_the_whole(here.labels, here.usable, share), first)
    return least, first + here.lower


def _saturated(place: Place, step: Step) -> Axis:
    """Tokens per second of all users with as many requests as memory and engine take: then a token costs the least.

    Weights are read for all of them at once; what experts compute hides behind their reads.
    """
    import numpy as np

    counted, here, fit = place.counted, place.here, place.fit
    least, most = _memory(place, requests=0)
    held = min(1.0, counted["serving.held_tokens"] / counted["workload.context_tokens"])
    each = counted["kv_logical_bytes_per_request"] * held + counted.state_bytes
    spare = most - least + counted.companions_bytes  # which stand on one accelerator only
    room = np.maximum(1.0, spare * here.ranks_of_a_copy / here.attention_groups / each)

    batch = np.maximum(1.0, np.minimum(room, ENGINE_SLOTS) / place.stages)
    alone = step.read
    computed = batch * place.at_peak("flops_per_token.at_16_bit") / here.tensor / place.efficiency
    seconds = np.minimum(alone * batch, alone + roofline.compute_excess_seconds(alone, computed))
    if place.has_experts:
        distinct = distinct_experts(place, batch * here.attention_groups, fit["gamma"])
        seconds = seconds + expert_read_seconds(place, distinct)
    seconds = seconds + counted["kernels_per_step"] * fit["t_op"]
    token = (seconds + exchange_seconds(place, batch)) / batch + cache_seconds(place, 1.0)
    answer = token + least_prompt_seconds(place, step.read) / counted["workload.output_tokens"]
    return place.groups * place.stages / answer
