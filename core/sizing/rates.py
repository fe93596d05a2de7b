"""What a device, an engine and a link can do for one situation: rates from the catalogue, and the fitted parameters.

Everything recorded here is independent of the work: curves over context or concurrency reuse it.
"""

from collections.abc import Mapping
from functools import lru_cache

from core.architecture.blueprint import AttentionKind, Blueprint, TensorClass
from core.catalogue.calibration import Calibration, Circumstances, Fitted, back_end
from core.catalogue.records import Device, DeviceFamily, Engine, Link, LinkKind, WeightFormat
from core.errors import CatalogueError
from core.physics import collective, operators, placement, roofline, tiers
from core.physics import expert_parallel as ep
from core.sizing.efficiency import has_units, record_efficiency
from core.sizing.engine_defaults import (
    QUANTISED_ON_RDNA_SINCE,
    QUANTISED_PRODUCTS_SINCE,
    RDNA_WITH_MATRIX_UNITS,
    before,
)
from core.sizing.groups import source_of_model
from core.sizing.links import FAST
from core.sizing.memory import formulas_of_memory
from core.sizing.origins import METHOD, catalogue_origin
from core.sizing.placement import computes_on_cpu, share_of_machine
from core.sizing.situation import SETUPS_KEPT, Setup
from core.trace import Origin, OriginKind, Recipe, Recorder, Same, Trace, recipe
from core.units import Unit

#: From this many bits on, a tensor is multiplied at the 16-bit rate. What a 4-bit checkpoint keeps in 8 bit counts as
#: wide too: the parameters were fitted with it counted so.
WIDE_BITS = 15.0
WIDE_BITS_IN_FP4 = 6.0
#: Arithmetic of weights that are converted to 16 bit before they are multiplied.
CONVERTED = "converted"
#: Arithmetic of weights of which a 16-bit copy is written for every pass: the library's products of 16 bit.
COPIED = "copied"
#: Recurrent state is read and written at this share of the effective bandwidth.
STATE_SHARE = 0.7
#: What parallel pipeline stages keep of their rate; the rest are bubbles.
PIPELINE_KEPT = 0.9
#: A layer on the CPU costs a round trip between CPU and accelerator [s].
OFFLOAD_ROUND_TRIP_S = 30e-6
#: Of PCIe's rate, long copies reach this share.
PCIE_SHARE = 0.8
#: Engines that send tokens to their experts directly unless told otherwise; the others gather all tokens everywhere.
ALL_TO_ALL_ENGINES = ("tensorrt-llm",)
#: Networks from this rate on are taken to have RDMA between accelerators [byte/s].
RDMA_BYTES_PER_S = 25e9
ALL_TO_ALL = Origin(
    OriginKind.METHOD,
    "DeepEP, README: bandwidth of dispatch and combine",
    "https://github.com/deepseek-ai/DeepEP",
    "2026",
)
#: Most requests that an engine schedules together.
ENGINE_SLOTS = 2048

#: Rates for tensors at 16 bit, the first that a device has.
_WIDE = ("fp16", "fp32")

_MATRICES = (
    TensorClass.ATTENTION,
    TensorClass.RECURRENT,
    TensorClass.FEED_FORWARD,
    TensorClass.SHARED_EXPERT,
    TensorClass.ROUTER,
)


def method(trace: Recorder, key: str, value: float, unit: Unit) -> None:
    """Record a constant of the method."""
    trace.given(key, value, unit, METHOD)


def circumstances(situation: Setup, calibration: Calibration) -> Circumstances:
    """What the fitted parameters depend on."""
    link = exchange_link(situation)
    return _circumstances(
        Same(situation.device),
        Same(situation.engine),
        Same(situation.weight_format),
        Same(situation.blueprint),
        link.id if link and situation.plan.stage_ranks > 1 else "",
        calibration.generation,
        copies_weights(situation),
    )


@lru_cache(maxsize=4096)
def _circumstances(
    device: Same[Device],
    engine: Same[Engine],
    chosen: Same[WeightFormat],
    model: Same[Blueprint],
    link: str,
    usual: str,
    copies: bool,
) -> Circumstances:
    accelerator, runs, weight_format, moe = device.it, engine.it, chosen.it, model.it.moe
    return Circumstances(
        group=runs.group,
        engine=runs.id,
        back_end=back_end(runs, accelerator.family),
        family=accelerator.family,
        architecture=accelerator.architecture,
        format_class=weight_format.format_class,
        device=accelerator.accelerator_id or accelerator.id,
        link=link,
        attention=_attention_kind(model.it),
        feed_forward="experts" if moe is not None and moe.experts_per_token > 0 else "",
        generation=runs.generation or usual,
        arithmetic=COPIED if copies else arithmetic(accelerator, runs, weight_format),
    )


def _attention_kind(blueprint: Blueprint) -> str:
    """What sets the attention of a model apart from plain attention in every layer."""
    kinds = {group.kind for group in blueprint.attention}
    if AttentionKind.COMPRESSED in kinds:
        return "compressed"
    if kinds & {AttentionKind.LATENT, AttentionKind.SPARSE_LATENT}:
        return "latent"
    if blueprint.recurrent:
        return "recurrent"
    return "window" if kinds & {AttentionKind.WINDOW, AttentionKind.CHUNK} else ""


def exchange_link(situation: Setup) -> Link | None:
    """The link that tensor-parallel ranks exchange over: the network as soon as they span machines."""
    per_node = situation.accelerators // situation.nodes
    return situation.network if situation.plan.stage_ranks > per_node else situation.link


def hop_link(situation: Setup) -> Link | None:
    """The slowest link between neighbouring pipeline stages."""
    per_node = situation.accelerators // situation.nodes
    spans_nodes = situation.plan.copy_ranks > per_node
    return situation.network if spans_nodes else situation.link


def record_rates(trace: Trace, situation: Setup, calibration: Calibration) -> None:
    """Record parameters, rates, counts and plan of a setup whose memory is recorded."""
    trace.follow(formulas_of_rates(situation, calibration))


def record_counts(trace: Trace, situation: Setup) -> None:
    """Record what needs neither rates nor measurements: the plan, and the weights that a step reads."""
    trace.follow(formulas_of_counts(situation))


@lru_cache(maxsize=SETUPS_KEPT)
def formulas_of_rates(situation: Setup, calibration: Calibration) -> Recipe:
    """The formulas that `record_rates` follows, after those of memory."""
    written = Recipe(after=formulas_of_memory(situation))
    written.follow(_parameters(Same(calibration.fitted(circumstances(situation, calibration)))))
    _record_counts(written, situation)
    _record_compute(written, situation)
    _record_bandwidth(written, situation)
    _record_links(written, situation)
    return written


@lru_cache(maxsize=SETUPS_KEPT)
def formulas_of_counts(situation: Setup) -> Recipe:
    """The formulas that `record_counts` follows, after those of memory."""
    written = Recipe(after=formulas_of_memory(situation))
    _record_counts(written, situation)
    return written


def _record_counts(trace: Recipe, situation: Setup) -> None:
    _record_plan(trace, situation)
    _record_reads(trace, situation)


@recipe
def _parameters(trace: Recipe, fitted: Same[Mapping[str, Fitted]]) -> None:
    """The fitted parameters as `fit.<symbol>`."""
    for symbol, parameter in fitted.it.items():
        trace.given(f"fit.{symbol}", parameter.value, parameter.unit, parameter.origin)


def _record_plan(trace: Recipe, situation: Setup) -> None:
    stages = situation.plan.pipeline if situation.engine.group == "serving" else 1  # llama.cpp's layers take turns
    trace.given("plan.parallel_stages", stages, Unit.COUNT, METHOD)
    source = source_of_model(situation)
    trace.given("model.hidden_size", situation.blueprint.hidden_size, Unit.COUNT, source)
    trace.given("kernels_per_step", operators.kernels_per_step(situation.blueprint), Unit.COUNT, source)
    plan = {"layers": "model.layers", "tensor": "plan.tensor", "pipeline": "plan.pipeline"}
    if situation.plan.attention_replicas > 1:
        trace.compute("messages_per_token", ep.messages_with_experts, expert_layers="model.moe_layers", **plan)
    else:
        trace.compute("messages_per_token", operators.messages_per_token, **plan)


def compute_format(device: Device, engine: Engine, weight_format: WeightFormat) -> str:
    """The rate of `Device.peak_flops` at which an engine multiplies weights of a format on a device.

    Serving engines use FP8 and FP4 units where the device has them; without them they convert the weights and compute
    in 16 bit, which saves memory but no time. MXFP4 is multiplied with 8-bit activations. llama.cpp and MLX compute in
    16 bit; llama.cpp accumulates in 16 bit too, which GeForce cards do at twice the rate.
    """
    rates = device.peak_flops
    if engine.group == "llama.cpp" and "fp16_fp16_accumulate" in rates:
        return "fp16_fp16_accumulate"
    wanted = weight_format.compute if engine.group == "serving" else "fp16"
    if wanted == "fp4" and not computes_fp4(device, weight_format):
        wanted = "fp16"
    elif wanted == "fp4" and weight_format.format_class == "mxfp4":
        wanted = "fp8"
    return wanted if wanted in rates else wide_format(device, engine)


def arithmetic(device: Device, engine: Engine, weight_format: WeightFormat) -> str:
    """How an engine multiplies weights of a format: in their class, or converted to 16 bit by kernels of their own."""
    narrow = engine.group == "serving" and weight_format.bits < WIDE_BITS
    if narrow and compute_format(device, engine, weight_format) == wide_format(device, engine):
        return CONVERTED
    return weight_format.format_class


def copies_weights(s: Setup) -> bool:
    """Does the engine write a 16-bit copy of quantised weights for every pass, as llama.cpp once did?"""
    if s.engine.group != "llama.cpp" or s.weight_format.bits >= WIDE_BITS:
        return False
    runs_on = back_end(s.engine, s.device.family)
    if runs_on.endswith("rocm"):
        return s.device.architecture in RDNA_WITH_MATRIX_UNITS and before(s, QUANTISED_ON_RDNA_SINCE)
    return runs_on.endswith("cuda") and before(s, QUANTISED_PRODUCTS_SINCE)


def computes_fp4(device: Device, weight_format: WeightFormat) -> bool:
    """Does the device multiply this kind of 4-bit float? Some do MXFP4 but not NVFP4."""
    offered = device.fp4_format.split(";")[0].lower()
    return "fp4" in device.peak_flops and (not offered or weight_format.format_class in offered)


def has_computing_rate(device: Device) -> bool:
    """Is there a rate to compute at? Without one no speed can be told."""
    return any(device.peak_flops.get(name) for name in _WIDE)


def wide_format(device: Device, engine: Engine) -> str:
    """The rate for tensors that are kept at 16 bit."""
    if engine.group == "llama.cpp" and "fp16_fp16_accumulate" in device.peak_flops:
        return "fp16_fp16_accumulate"
    for name in _WIDE:
        if device.peak_flops.get(name):
            return name
    raise CatalogueError(
        "{device} has no computing rate in the catalogue, so its speed cannot be told. Enter its peak FLOPS.",
        device=device.name,
    )


def _record_compute(trace: Recipe, situation: Setup) -> None:
    device, engine = situation.device, situation.engine
    origin = catalogue_origin(device, "peak_flops")
    low = compute_format(device, engine, situation.weight_format)
    trace.given("rate.weight_format", device.peak_flops[low], Unit.FLOP_PER_SECOND, origin)
    trace.given("rate.fp16", device.peak_flops[wide_format(device, engine)], Unit.FLOP_PER_SECOND, origin)
    parameters, bits = situation.blueprint.parameters, situation.bits
    counted = {kind: parameters.get(kind, 0) for kind in _MATRICES}
    threshold = WIDE_BITS_IN_FP4 if situation.weight_format.compute == "fp4" else WIDE_BITS
    wide = sum(n for kind, n in counted.items() if bits.get(kind, 16.0) >= threshold)
    origin = source_of_model(situation)
    trace.given("matrices.in_weight_format", sum(counted.values()) - wide, Unit.PARAMETER, origin)
    trace.given("matrices.at_16_bit", wide + parameters.get(_head(situation), 0), Unit.PARAMETER, origin)
    trace.given("matrices.head", parameters.get(_head(situation), 0), Unit.PARAMETER, origin)
    trace.given("matrices.chosen_experts", _chosen_parameters(situation), Unit.PARAMETER, origin)
    for name in ("in_weight_format", "at_16_bit", "head", "chosen_experts"):
        trace.compute(f"flops_per_token.{name}", operators.matrix_flops, parameters=f"matrices.{name}")
    record_efficiency(trace, situation, has_routed_experts(situation))


def _head(situation: Setup) -> TensorClass:
    return TensorClass.EMBEDDING if situation.blueprint.tied_embedding else TensorClass.HEAD


def _chosen_parameters(situation: Setup) -> int:
    moe = situation.blueprint.moe
    return moe.layers * moe.experts_per_token * moe.parameters_per_expert if moe else 0


def has_routed_experts(situation: Setup) -> bool:
    """Whether tokens are sent to experts."""
    moe = situation.blueprint.moe
    return moe is not None and moe.experts_per_token > 0


def _record_bandwidth(trace: Recipe, situation: Setup) -> None:
    computes = situation.device.family is not DeviceFamily.CPU
    full = "memory_bandwidth_bytes_per_s"
    if not computes:
        _reached(trace, "bandwidth.weights", full, "fit.eta_cpu")
    elif has_units(situation.device):
        trace.compute(
            "bandwidth.weights",
            roofline.effective_bandwidth,
            bandwidth=full,
            reached_share="fit.eta",
            units="device.execution_units",
            clock="device.clock_hz",
            bytes_per_clock="fit.cap",
        )
    else:
        _reached(trace, "bandwidth.weights", full, "fit.eta")
    _reached(trace, "bandwidth.experts", "bandwidth.weights", "fit.eta_e")
    _reached(trace, "bandwidth.kv", "bandwidth.weights", "fit.eta_kv")
    trace.given("state_bandwidth_share", STATE_SHARE, Unit.SHARE, METHOD)
    _reached(trace, "bandwidth.state", "bandwidth.weights", "state_bandwidth_share")
    trace.compute(
        "ridge_flop_per_byte", roofline.ridge_point, rate="rate.weight_format", bandwidth="memory_bandwidth_bytes_per_s"
    )


def _reached(trace: Recorder, key: str, bandwidth: str, share: str, most: str = "memory_bandwidth_bytes_per_s") -> None:
    trace.compute(key, roofline.reached_bandwidth, bandwidth=bandwidth, share=share, most=most)


def record_second_tier(trace: Trace, situation: Setup) -> None:
    """Record what the slower memory reaches, for tokens and for prompts.

    A CPU computes its layers for tokens; for prompts, llama.cpp copies them to the accelerator. Other engines always
    read host memory through PCIe.
    """
    full = "tier.1.bandwidth_bytes_per_s"
    host = situation.deployment.host is not None
    if host:
        per_node = situation.accelerators // situation.nodes
        trace.given("host.readers", share_of_machine(situation.plan, per_node), Unit.COUNT, METHOD)
        trace.compute("host.bandwidth_bytes_per_s", tiers.bandwidth_each, bandwidth=full, readers="host.readers")
        full = "host.bandwidth_bytes_per_s"
    rate = situation.device.pcie_bytes_per_s_per_direction
    over_pcie = ""
    if host and rate is not None:
        origin = catalogue_origin(situation.device, "pcie_bytes_per_s_per_direction")
        trace.given("host.pcie_bytes_per_s", rate, Unit.BYTE_PER_SECOND, origin)
        method(trace, "host.pcie_share", PCIE_SHARE, Unit.SHARE)
        over_pcie = "host.copy_bytes_per_s"
        trace.compute(
            over_pcie, placement.rate_over_pcie, host=full, pcie="host.pcie_bytes_per_s", share="host.pcie_share"
        )
    if computes_on_cpu(situation):
        _reached(trace, "bandwidth.second_tier", full, "fit.eta_cpu", most=full)
    else:
        at_most = over_pcie or full
        _reached(trace, "bandwidth.second_tier", at_most, "fit.eta", most=at_most)
    if over_pcie:
        trace.compute("bandwidth.second_tier_in_prompts", roofline.same_bandwidth, bandwidth=over_pcie)
    else:
        trace.compute("bandwidth.second_tier_in_prompts", roofline.same_bandwidth, bandwidth="bandwidth.second_tier")


def _record_links(trace: Recipe, situation: Setup) -> None:
    plan = situation.plan
    link = exchange_link(situation)
    if plan.stage_ranks > 1 and link is not None:
        record_all_reduce(trace, link, plan.stage_ranks, situation.device.family)
        if plan.attention_replicas > 1:
            record_expert_exchange(trace, situation, link)
    link = hop_link(situation)
    if plan.pipeline > 1 and link is not None:
        origin = catalogue_origin(link, "bytes_per_s_per_direction")
        trace.given("hop.latency_s", collective.hop_latency_s(link), Unit.SECOND, METHOD)
        trace.given("hop.bytes_per_s", link.bytes_per_s_per_direction, Unit.BYTE_PER_SECOND, origin)
        trace.given("plan.hops", plan.pipeline - 1, Unit.COUNT)


def record_all_reduce(trace: Recipe, link: Link, ranks: int, family: DeviceFamily) -> None:
    """Record the constants of the all-reduce, and how many there are in a step."""
    cost = collective.all_reduce_cost(link, ranks, family)
    origin = catalogue_origin(link, "all_reduce")
    trace.given("all_reduce.alpha_s", cost.alpha_s, Unit.SECOND, origin)
    if cost.beta_bytes_per_s is not None:
        trace.given("all_reduce.beta_bytes_per_s", cost.beta_bytes_per_s, Unit.BYTE_PER_SECOND, origin)
    trace.given("all_reduce.bus_bytes_per_s", cost.bus_bytes_per_s, Unit.BYTE_PER_SECOND, origin)
    if collective.rates_hold(link, cost):
        trace.given("all_reduce.slowdown", 1.0, Unit.RATIO, origin)
    method(trace, "all_reduces_per_layer", operators.ALL_REDUCES_PER_LAYER, Unit.COUNT)
    trace.compute(
        "all_reduces_per_step", operators.all_reduces_per_step, layers="model.layers", per_layer="all_reduces_per_layer"
    )


def takes_all_to_all(situation: Setup) -> bool:
    """Is each token sent to its experts directly? Asked for, or the engine's default; needs peers of full reach."""
    asked = situation.deployment.all_to_all
    wanted = situation.engine.id in ALL_TO_ALL_ENGINES if asked is None else asked
    return wanted and has_fast_path(situation)


def has_fast_path(situation: Setup) -> bool:
    """Do the kernels of a direct exchange run here? They need NVLink or a fabric, or RDMA between machines."""
    link = exchange_link(situation)
    if link is None:
        return False
    rdma = link.kind is LinkKind.NETWORK and link.bytes_per_s_per_direction >= RDMA_BYTES_PER_S
    return situation.plan.expert > 1 and (link.kind in FAST or rdma)


def record_expert_exchange(trace: Recipe, situation: Setup, link: Link) -> None:
    """Record how tokens reach their experts where attention stands in several groups."""
    trace.compute(
        "attention_exchanges_per_step",
        ep.attention_exchanges,
        layers="model.layers",
        expert_layers="model.moe_layers",
    )
    if takes_all_to_all(situation):
        origin = catalogue_origin(link, "bytes_per_s_per_direction")
        trace.given("link.bytes_per_s_per_direction", link.bytes_per_s_per_direction, Unit.BYTE_PER_SECOND, origin)
        trace.given("all_to_all.link_share", ep.ALL_TO_ALL_SHARE, Unit.SHARE, ALL_TO_ALL)
        _reached(
            trace,
            "all_to_all.bytes_per_s",
            "link.bytes_per_s_per_direction",
            "all_to_all.link_share",
            most="link.bytes_per_s_per_direction",
        )
        trace.compute(
            "all_to_all.accelerators_reached",
            ep.accelerators_reached,
            ranks="plan.expert",
            chosen="model.experts_per_token",
        )


def _record_reads(trace: Recipe, situation: Setup) -> None:
    """Record the weights that every step reads: everything but the input table, images and drafts."""
    head = _head(situation)
    if head not in situation.blueprint.parameters:
        trace.given("read_bytes.head", 0, Unit.BYTE, source_of_model(situation))
    classes = situation.blueprint.parameters
    layers = [k for k in (*_MATRICES, TensorClass.NORM) if k in classes]
    trace.compute("read_bytes.layers", operators.sum_of_bytes, parts=[f"weights_bytes.{k}" for k in layers])
    if head in classes:
        trace.compute("read_bytes.head", operators.sum_of_bytes, parts=[f"weights_bytes.{head}"])
    trace.compute("read_bytes.dense", operators.sum_of_bytes, parts=["read_bytes.layers", "read_bytes.head"])
    if has_routed_experts(situation):
        method(trace, "independent_routing", 1.0, Unit.RATIO)
