"""The times of a variant on all layouts at once, each at the least: a step, a prompt alone, a prompt among others.

Where nothing lies in slower memory and all requests are in flight, these are the times of the sizing itself, part for
part. What is left out can only add: bytes of slower memory, copies that old engines make of weights, and the bytes of
tokens that are sent directly to their experts.
"""

from dataclasses import dataclass
from typing import Any

from core.physics import attention, collective, decode, mixed_passes, operators, prefill, roofline
from core.physics import expert_parallel as ep
from core.physics.arrays import maximum
from core.physics.capacity import requests_with_a_copy_down
from core.physics.efficiency import efficiency_of_width
from core.scenario import Placement
from core.sizing.concurrency import Redundancy
from core.sizing.groups import cached_groups
from core.sizing.outline import SEPARATE_PASSES, prepares_ahead
from core.sizing.rates import ALL_TO_ALL_ENGINES, STATE_SHARE, has_routed_experts
from core.sizing.search.counted import Counted
from core.sizing.search.rates import Rates
from core.sizing.search.shapes import Shapes

Axis = Any  # array, one element a layout

#: What keeps a device busy; here it is one sum.
_BUSY = ("weights", "experts", "kv", "state", "compute", "link")
#: Room for the rounding of sums in another order, and of powers.
MARGIN = 1e-9


@dataclass(frozen=True, slots=True)
class Place:
    """One variant on layouts.

    counted   the variant's figures on one accelerator
    here      the layouts
    fit       rates and fitted parameters of their devices
    """

    counted: Counted
    here: Shapes
    fit: Rates

    @property
    def requests(self) -> Axis:
        """Requests at once; where a copy may be down, those under which all are as full as the rest is then."""
        if self.counted.redundancy is not Redundancy.SPARE_REPLICA:
            return self.counted["requests_at_once"]
        return requests_with_a_copy_down(self.counted["requests_at_once"], self.here.replicas)

    @property
    def groups(self) -> Axis:
        """Groups that each hold the caches of their own requests."""
        return self.here.replicas * self.here.attention_groups

    @property
    def expert_ranks(self) -> Axis:
        """Accelerators that share the experts of a layer."""
        return self.here.tensor * self.here.attention_groups

    @property
    def stages(self) -> Axis:
        """Pipeline stages that work at the same time."""
        return self.here.pipeline if self.counted.situation.setup.engine.group == "serving" else 1

    @property
    def has_experts(self) -> bool:
        return has_routed_experts(self.counted.situation.setup)

    @property
    def outgrows(self) -> bool:
        """Do prompt and answer together go beyond the context limit, so that fewer requests may be in flight?"""
        held = self.counted["workload.prompt_tokens"] + self.counted["workload.output_tokens"]
        return bool(held > self.counted["workload.context_tokens"])

    def at_peak(self, wide: str) -> Axis:
        """Time of one token at the vendor's rates, with the 16-bit tensors of a key."""
        low = self.counted["flops_per_token.in_weight_format"]
        return decode.seconds_at_peak(low, self.fit["low"], self.counted[wide], self.fit["wide"])

    @property
    def efficiency(self) -> Axis:
        """Share of the vendor's rate that products of layers reach."""
        width = self.counted["model.inner_width.layers"]
        return efficiency_of_width(self.fit["mfu"], width, self.fit["w_half"])

    @property
    def efficiency_of_one_expert(self) -> Axis:
        """The same for products as narrow as an expert's."""
        width = self.counted["model.inner_width.one_expert"]
        return efficiency_of_width(self.fit["mfu"], width, self.fit["w_half"])

    @property
    def efficiency_of_experts(self) -> Axis:
        """The same for experts."""
        return self.efficiency_of_one_expert * self.fit["mfu_e"]

    @property
    def experts_at_peak(self) -> Axis:
        return decode.seconds_at_rate(self.counted["flops_per_token.chosen_experts"], self.fit["low"])


def batch_of(place: Place) -> Axis:
    """Requests in one step where memory holds them all; one where a request may outgrow its context."""
    import numpy as np

    if place.outgrows:
        return np.ones(len(place.here.tensor))
    return np.maximum(1.0, place.requests / place.groups / place.stages)


# ---- experts


def distinct_experts(place: Place, tokens: Any, reuse: Any) -> Axis:
    """Experts that so many tokens need; without the exact power of the sizing, hence the margin."""
    import numpy as np

    experts, chosen = place.counted["model.experts_per_layer"], place.counted["model.experts_per_token"]
    distinct = experts * (1 - (1 - chosen / experts) ** (np.maximum(tokens, 1) ** np.minimum(reuse, 1)))
    return distinct * (1 - MARGIN)


def _experts_of_a_pass(place: Place, prompts: Axis, decoding: Any) -> Axis:
    """Experts that prompts and the next tokens of others need together; likewise without the exact power."""
    import numpy as np

    experts, chosen = place.counted["model.experts_per_layer"], place.counted["model.experts_per_token"]
    tokens = decoding ** np.minimum(place.fit["gamma"], 1) + prompts
    return experts * (1 - (1 - chosen / experts) ** tokens) * (1 - MARGIN)


def expert_read_seconds(place: Place, distinct: Axis) -> Axis:
    """Reading so many experts of every layer, evenly spread."""
    counted = place.counted
    read = operators.expert_bytes_read(counted["weights_bytes.expert"], counted["model.experts_per_layer"], distinct)
    return roofline.read_seconds(read, place.expert_ranks, place.fit["experts"])


def _busiest_reading(place: Place, distinct: Axis) -> Axis:
    """`hot_rank_reading`, which falls with the experts that are needed: hence the most that these may be."""
    import numpy as np

    experts, spread = place.counted["model.experts_per_layer"], place.here.expert
    needed = np.minimum(experts, distinct * (1 + 3 * MARGIN))
    crowded = 1 + place.here.crowding * np.sqrt(spread / needed * (1 - needed / experts))
    return np.where(spread > 1, np.minimum(experts / needed, crowded) * (1 - MARGIN), 1.0)


def _busiest_computing(place: Place, tokens: Axis) -> Axis:
    """`hot_rank_computing`."""
    import numpy as np

    chosen, spread = place.counted["model.experts_per_token"], place.here.expert
    ratio = np.minimum(spread, 1 + place.here.crowding * np.sqrt(spread / (tokens * chosen)))
    return np.where(spread > 1, ratio * (1 - MARGIN), 1.0)


@dataclass(frozen=True, slots=True)
class StepExperts:
    """The experts of a step: tokens there, different ones in a layer, time to read and multiply evenly, and in all."""

    joint: Axis
    distinct: Axis
    read: Axis
    compute: Axis
    seconds: Axis


def _step_experts(place: Place, batch: Axis, share: Axis) -> StepExperts:
    """The experts of all groups of a copy together; the accelerator with the most of them sets the pace."""
    fit, here = place.fit, place.here
    joint = ep.requests_at_experts(batch, here.attention_groups, place.requests, here.replicas)
    distinct = distinct_experts(place, joint, fit["gamma"])
    read = expert_read_seconds(place, distinct)
    at_peak, efficiency = place.experts_at_peak, place.efficiency_of_experts
    compute = decode.batch_compute_seconds(joint, at_peak, place.expert_ranks, efficiency, share)
    busiest, alone = read, compute
    if (here.expert > 1).any():
        busiest, alone = read * _busiest_reading(place, distinct), compute * _busiest_computing(place, joint)
    return StepExperts(joint, distinct, read, compute, busiest + roofline.compute_excess_seconds(busiest, alone))


# ---- exchanges


def exchange_seconds(place: Place, tokens: Any) -> Axis:
    """All-reduces of one pass, tokens to experts and back, and hand-overs between stages."""
    import numpy as np

    counted, here = place.counted, place.here
    message = collective.activation_bytes(tokens, counted.situation.setup.blueprint.hidden_size)
    factor = place.fit["ars"] * here.link_factor
    seconds = collective.repeated_seconds(here.pipeline - 1, collective.hop_seconds(message, here.hop, here.hop_rate))
    if (here.tensor > 1).any():
        times = operators.all_reduces_per_step(counted["model.layers"], operators.ALL_REDUCES_PER_LAYER)
        slowdown = np.where(here.rates_hold > 0, 1.0, factor)
        long = factor * here.second_alpha + slowdown * 2 * (here.tensor - 1) / here.tensor * message / here.bus
        moved = factor * here.alpha + np.minimum(slowdown * message / here.beta, long)
        seconds = seconds + np.where(here.tensor > 1, times * moved, 0.0)
    if (here.attention_groups > 1).any():
        directly = counted.situation.setup.engine.id in ALL_TO_ALL_ENGINES
        each = ep.gather_seconds(0.0 if directly else message, here.attention_groups, here.alpha, here.bus, factor)
        both = ep.there_and_back(counted["model.moe_layers"], each, each)
        seconds = seconds + np.where(here.attention_groups > 1, both, 0.0)
    return seconds


# ---- a step


@dataclass(frozen=True, slots=True)
class Step:
    """A decode step: requests in it, reading and multiplying dense weights, experts, and the time of all causes."""

    batch: Axis
    read: Axis
    compute: Axis
    experts: StepExperts | None
    seconds: Axis


def step_of(place: Place) -> Step:
    """A decode step with the requests that are asked for."""
    counted, fit, ranks, batch = place.counted, place.fit, place.here.tensor, batch_of(place)
    read = roofline.read_seconds(counted["read_bytes.dense"], ranks, fit["weights"])
    share = decode.small_batch_share(fit["mfu_b"], batch)
    at_peak = place.at_peak("flops_per_token.at_16_bit")
    compute = decode.batch_compute_seconds(batch, at_peak, ranks, place.efficiency, share)
    busy = read + roofline.compute_excess_seconds(read, compute)
    experts = _step_experts(place, batch, share) if place.has_experts else None
    if experts is not None:
        busy = busy + experts.seconds
    busy = busy + cache_seconds(place, batch) + exchange_seconds(place, batch)
    return Step(batch, read, compute, experts, busy + _engine_seconds(place, batch, busy))


def cache_seconds(place: Place, batch: Any) -> Axis:
    """Reading the caches, whole heads on each rank, with what attention computes; and reading the states."""
    counted, fit, ranks = place.counted, place.fit, place.here.tensor
    read = sum(
        attention.rank_cache_bytes(counted[f"bytes_read_per_token.kv.{n}"], counted[f"kv.{n}.kv_heads"], ranks)
        for n, _ in cached_groups(counted.situation.setup.blueprint)
    )
    seconds = decode.cache_seconds(batch, read, fit["cache"])
    flops = counted["attention_flops_per_token"]
    alone = decode.attention_compute_seconds(batch, flops, ranks, fit["wide"], fit["mfu_dec_att"])
    seconds = seconds + roofline.compute_excess_seconds(seconds, alone)
    if not counted["state_traffic_bytes"]:
        return seconds
    return seconds + decode.state_seconds(batch, counted["state_traffic_bytes"], ranks, STATE_SHARE * fit["weights"])


def _engine_seconds(place: Place, batch: Axis, busy: Axis) -> Axis:
    """Launches, and the work of the host."""
    fit = place.fit
    launched = {"kernels": place.counted["kernels_per_step"], "per_kernel": fit["t_op"]}
    of_host = {"per_step": fit["t_host"], "per_request": fit["t_seq"], "batch": batch}
    if not prepares_ahead(place.counted.situation.setup):
        return decode.engine_seconds(**launched, **of_host)
    parts: dict[str, Any] = dict.fromkeys(_BUSY, 0.0) | {"compute": busy}
    return decode.engine_seconds_beside_device(**launched, **parts, host=decode.host_seconds(**of_host))


# ---- a prompt


def prompt_seconds(place: Place) -> Axis:
    """What a prompt takes of its accelerators while other groups compute theirs, retrieval on the card included."""
    counted, fit, ranks = place.counted, place.fit, place.here.tensor
    tokens = counted["prompt.new_tokens"]
    size = prefill.chunk_tokens(tokens, fit["chunk"])
    chunks = prefill.chunk_count(tokens, size)
    at_peak = place.at_peak("flops_per_token.at_16_bit_in_layers")
    alone = prefill.dense_compute_seconds(tokens, at_peak, ranks, place.efficiency, size, fit["half"])
    read = prefill.repeated_read_seconds(chunks, counted["read_bytes.layers"], ranks, fit["weights"])
    seconds = read + roofline.compute_excess_seconds(read, alone) + _head_seconds(place)
    beside: Any = 0.0
    if place.has_experts:
        experts, beside = _prompt_expert_seconds(place, size, chunks)
        seconds = seconds + experts
    seconds = seconds + _prompt_attention_seconds(place)
    seconds = seconds + prefill.pass_overhead_seconds(chunks, counted["kernels_per_step"], fit["t_op"], fit["t_host"])
    seconds = seconds + prefill.repeated_pass_seconds(chunks, exchange_seconds(place, size))
    return _overlapped(place, seconds) + beside + _retrieval_seconds(place, Placement.SAME_CARD) * place.groups


def _head_seconds(place: Place) -> Axis:
    """The output projection of the last token."""
    counted, fit, ranks = place.counted, place.fit, place.here.tensor
    read = roofline.read_seconds(counted["read_bytes.head"], ranks, fit["weights"])
    at_peak = decode.seconds_at_rate(counted["flops_per_token.head"], fit["wide"])
    alone = prefill.head_compute_seconds(at_peak, ranks, place.efficiency)
    return read + roofline.compute_excess_seconds(read, alone)


def _prompt_expert_seconds(place: Place, size: Axis, chunks: Axis) -> tuple[Axis, Axis]:
    """Expert layers, and what the prompts of other groups add to them."""
    counted, fit = place.counted, place.fit
    tokens, chosen = counted["prompt.new_tokens"], counted["model.experts_per_token"]
    distinct = distinct_experts(place, size, 1.0)
    read = prefill.repeated_pass_seconds(chunks, expert_read_seconds(place, distinct))
    share, each = fit["mfu_e"], prefill.tokens_per_expert(size, chosen, distinct)
    efficiency = place.efficiency_of_one_expert
    alone = prefill.expert_compute_seconds(
        tokens, place.experts_at_peak, place.expert_ranks, efficiency, share, each, fit["half"]
    )
    if (place.here.expert > 1).any():
        alone = alone * _busiest_computing(place, size)
    seconds = read + roofline.compute_excess_seconds(read, alone)
    if not (place.here.attention_groups > 1).any():
        return seconds, 0.0
    return seconds, ep.prompt_beside_others(0.0, read, alone, place.here.attention_groups)


def _prompt_attention_seconds(place: Place) -> Axis:
    counted, fit = place.counted, place.fit
    flops = counted["prompt.attention_flops_per_token"]
    return prefill.prompt_attention_seconds(
        counted["prompt.new_tokens"], flops, place.here.tensor, fit["wide"], fit["mfu_att"]
    )


def _overlapped(place: Place, seconds: Axis) -> Axis:
    """A prompt whose chunks the stages of a layer split work on at the same time."""
    import numpy as np

    if place.counted.situation.setup.engine.group != "llama.cpp":
        return seconds
    tokens = place.counted["prompt.new_tokens"]
    chunks = prefill.chunk_count(tokens, prefill.chunk_tokens(tokens, place.fit["chunk"]))
    overlap = prefill.stage_overlap(place.here.pipeline, chunks, place.fit["pipe"])
    return np.where(place.here.pipeline > 1, seconds / overlap, seconds)


def retrieval_apart_seconds(place: Place) -> Axis:
    """Retrieval of one request on a card of its own, for which its first token waits."""
    return _retrieval_seconds(place, Placement.SECOND_CARD)


def _retrieval_seconds(place: Place, placement: Placement) -> Axis:
    """Retrieval of one request by the models at a place: they scale with the rates of their card."""
    scenario, seconds = place.counted.situation.scenario, 0.0
    if scenario.workload.retrieval is None:
        return seconds
    for number, companion in enumerate(scenario.companions):
        if companion.placement is placement:
            seconds = seconds + place.counted.retrieval_seconds(
                number, place.fit["wide"], place.fit["mfu"], place.fit["weights"]
            )
    return seconds


# ---- a prompt among other requests


def pass_tokens(place: Place, batch: Axis) -> Axis:
    """Prompt tokens of one pass."""
    counted = place.counted
    tokens, chunk = counted["prompt.new_tokens"], place.fit["chunk"]
    if counted.situation.scenario.workload.start_together:
        return mixed_passes.burst_tokens_in_pass(tokens, batch, chunk)
    return mixed_passes.prompt_tokens_in_pass(tokens, counted["workload.output_tokens"], batch, chunk)


def other_prompt_seconds(place: Place, step: Step) -> Axis:
    """What one more prompt takes of an engine at work, retrieval on its card included."""
    counted, fit = place.counted, place.fit
    mixes = counted.situation.setup.engine.id not in SEPARATE_PASSES
    size = pass_tokens(place, step.batch)
    passes = mixed_passes.passes_of_a_prompt(counted["prompt.new_tokens"], size)
    in_pass = step.batch if mixes else 0.0
    seconds = _prompt_attention_seconds(place) + mixed_passes.dense_seconds_of_a_prompt(
        passes, size, in_pass, place.at_peak("flops_per_token.at_16_bit_in_layers"), place.here.tensor,
        place.efficiency, fit["half"], step.read, step.compute if mixes else 0.0,
    )  # fmt: skip
    if step.experts is not None:
        seconds = seconds + _other_prompt_experts(place, step.experts, passes, size, in_pass, mixes)
    seconds = seconds + prefill.repeated_pass_seconds(passes, exchange_seconds(place, size))
    if not mixes:
        kernels = counted["kernels_per_step"]
        seconds = seconds + prefill.pass_overhead_seconds(passes, kernels, fit["t_op"], fit["t_host"])
        reads = step.read if step.experts is None else step.read + step.experts.read
        seconds = seconds + prefill.repeated_pass_seconds(passes, reads)
    return _overlapped(place, seconds) + _retrieval_seconds(place, Placement.SAME_CARD) * place.groups


def _other_prompt_experts(
    place: Place, experts: StepExperts, passes: Axis, size: Axis, in_pass: Axis, mixes: bool
) -> Axis:
    """Further experts to read, and multiplying with them. What is subtracted is taken at the most that it may be."""
    fit, groups = place.fit, place.here.attention_groups
    joint = mixed_passes.tokens_of_groups(size, in_pass, groups)
    most = experts.read * (1 + 3 * MARGIN)
    prompts = mixed_passes.tokens_of_groups(size, 0.0, groups)
    distinct = _experts_of_a_pass(place, prompts, experts.joint if mixes else 0.0) * (1 - 3 * MARGIN)
    seconds = mixed_passes.expert_seconds_of_a_prompt(
        passes, size, joint, groups, place.experts_at_peak, place.expert_ranks, place.efficiency_of_experts,
        fit["half"], place.counted["model.experts_per_token"], distinct, experts.distinct * (1 + 3 * MARGIN), most,
        experts.compute if mixes else 0.0,
    )  # fmt: skip
    return maximum(0.0, seconds)


def least_prompt_seconds(place: Place, read: Axis) -> Axis:
    """What one more prompt takes of an engine at work, however many requests it works on: attention, and products.

    With x the time that the products of the prompt tokens of a pass take, r that of reading the weights and b that of
    the products of the requests in flight, a pass grows by sqrt(r^2 + (b + x)^2) - sqrt(r^2 + b^2) or more. This never
    falls with b, and it is convex in x and 0 for x = 0, so that the growth for each prompt token never falls with x. So
    no load makes a prompt cheaper than b = 0 with the tokens that a pass has of one prompt alone.
    """
    counted = place.counted
    tokens = counted["prompt.new_tokens"]
    size = prefill.chunk_tokens(tokens, place.fit["chunk"])
    products = size * (place.at_peak("flops_per_token.at_16_bit_in_layers") / place.here.tensor / place.efficiency)
    grown = roofline.compute_excess_seconds(read, products)
    return _overlapped(place, _prompt_attention_seconds(place) + prefill.chunk_count(tokens, size) * grown)
