"""How a model is spread over accelerators and machines: the article's rules, and what a split costs."""

from collections.abc import Iterator

from core.catalogue.records import Device, DeviceKind, LinkKind
from core.physics import economics as e
from core.physics import memory as m
from core.physics import purchase
from core.sizing.companions import COMPANION_ITEMS
from core.sizing.groups import source_of_model
from core.sizing.links import BETWEEN_MACHINES, FAST
from core.sizing.origins import catalogue_origin
from core.sizing.rates import exchange_link
from core.sizing.report import Finding, FindingKind
from core.sizing.rules.rule import known, note, reason, rule, setup_rule, warning
from core.sizing.situation import Setup, Situation
from core.trace import Recipe, Trace
from core.units import Unit

#: Up to so many requests in a step, the time of one of them is what counts.
FEW_REQUESTS = 4
#: A mesh joins more accelerators than a bridge does.
MESH = 5
#: Memory of two cards that differ by less than this part is the same size.
SAME_SIZE = 0.2


def _fits(trace: Trace) -> bool:
    return bool(trace["accelerator.shortfall_bytes"] == 0)


def _in_fast_memory(trace: Trace) -> bool:
    return _fits(trace) and bool(trace["spill.weights_bytes"] == trace["spill.kv_bytes"] == 0)


def _whole_model_bytes(trace: Trace) -> int:
    """What one accelerator would hold that has the whole model and one request [byte]."""
    beside = sum(trace[key] for key in COMPANION_ITEMS.values()) + trace["memory_item.framework"]
    one = trace["kv_logical_bytes_per_request"] + trace["state_bytes_per_request"]
    return int(trace["memory_item.weights"] + beside + one)


def _fits_one(trace: Trace) -> bool:
    return bool(_whole_model_bytes(trace) <= trace["tier.0.limit_bytes"])


@rule(FindingKind.SINGLE_GPU, 42, 49, 60)
def single_gpu(trace: Trace, s: Situation) -> Iterator[Finding]:
    """The model fits on one card: a single GPU, the simplest and best cost per token, with nothing to exchange."""
    if s.setup.accelerators == 1 and _in_fast_memory(trace):
        figures = ("accelerator.total_bytes", "tier.0.limit_bytes", "messages_per_token")
        yield reason(FindingKind.SINGLE_GPU, *figures)


@rule(FindingKind.LATENCY_SXM_TP, 44, 50, 60)
def latency_sxm_tp(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Low latency with a very large model: tensor parallelism over NVLink, inside one machine."""
    plan, link = s.setup.plan, s.setup.link
    inside = plan.tensor > 1 and plan.pipeline == 1 and plan.tensor <= s.setup.accelerators // s.setup.nodes
    joined = link is not None and link.kind in FAST
    few = trace["accelerator.requests"] <= FEW_REQUESTS
    if inside and joined and few and _fits(trace) and not _fits_one(trace):
        figures = ("plan.tensor", "memory_item.weights", "tier.0.limit_bytes", "all_reduce_share")
        yield reason(FindingKind.LATENCY_SXM_TP, *known(trace, *figures))


@rule(FindingKind.THROUGHPUT_REPLICAS_PIPELINE, 43, 51)
def throughput_replicas_pipeline(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Many users: copies on single cards, or a pipeline; a PCIe link is enough."""
    busy = trace["requests_at_once"] >= s.setup.plan.ranks
    if s.setup.plan.ranks > 1 and s.setup.plan.stage_ranks == 1 and busy and _fits(trace):
        figures = ("plan.replicas", "plan.pipeline", "messages_per_token", "output_tok_s_total")
        yield reason(FindingKind.THROUGHPUT_REPLICAS_PIPELINE, *known(trace, *figures))


@setup_rule(FindingKind.TP_INSIDE_PP_BETWEEN, 54)
def tp_inside_pp_between(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Several machines: tensor parallelism inside each over NVLink, a pipeline between them over the network."""
    per_node = s.accelerators // s.nodes
    across = s.plan.stage_ranks > 1 and s.plan.stage_ranks <= per_node < s.plan.copy_ranks
    if across and s.link is not None and s.link.kind in FAST:
        yield reason(FindingKind.TP_INSIDE_PP_BETWEEN, "plan.tensor", "plan.pipeline", "messages_per_token")


@setup_rule(FindingKind.HEADS_NOT_DIVISIBLE, source="vLLM, SGLang and TensorRT-LLM refuse it at start-up")
def heads_not_divisible(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Tensor parallelism must divide the query heads; engines refuse what does not."""
    for group in s.blueprint.attention:
        if group.query_heads % s.plan.tensor:
            trace.given("model.query_heads", group.query_heads, Unit.COUNT, source_of_model(s))
            yield warning(FindingKind.HEADS_NOT_DIVISIBLE, "model.query_heads", "plan.tensor")
            return


@rule(FindingKind.PCIE_TENSOR_PARALLEL, 39, 43)
def pcie_tensor_parallel(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Every layer is split over PCIe, and each exchange is paid for: how much follows from the link."""
    link = exchange_link(s.setup)
    told = "all_reduce_share" in trace  # not where the speed is unknown
    if told and s.setup.plan.stage_ranks > 1 and link is not None and link.kind is LinkKind.PCIE:
        figures = ("all_reduce_share", "messages_per_token")
        yield warning(FindingKind.PCIE_TENSOR_PARALLEL, *figures, subject=link.name)


@rule(FindingKind.TP_WITHOUT_NEED, 42, 43, source="vllm-project/vllm#1873")
def tp_without_need(trace: Trace, s: Situation) -> Iterator[Finding]:
    """A model that fits one card is copied, not split, unless the time of one answer is all that counts."""
    link = exchange_link(s.setup)
    if s.setup.plan.tensor == 1 or link is None or not _fits_one(trace):
        return
    if link.kind not in FAST or trace["accelerator.requests"] > FEW_REQUESTS:
        yield note(FindingKind.TP_WITHOUT_NEED, "plan.tensor", "memory_item.weights", "tier.0.limit_bytes")


@setup_rule(FindingKind.SXM_MESH_UNUSED, 44, 62)
def sxm_mesh_unused(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """The mesh of SXM cards goes unused where no layer is split: its price and power buy nothing here."""
    if s.device.kind not in (DeviceKind.MODULE, DeviceKind.NODE) or s.plan.stage_ranks > 1 or not _has_mesh(s):
        return
    figures = ["plan.tensor"]
    sibling = pcie_sibling(s)
    if sibling is not None:
        for key, owner in (("device.tdp_w", s.device), ("sibling.tdp_w", sibling)):
            if owner.tdp_w is not None:
                trace.given(key, owner.tdp_w, Unit.WATT, catalogue_origin(owner, "tdp_w"))
                figures.append(key)
        figures.extend(_prices(trace, s.device, sibling))
    yield note(FindingKind.SXM_MESH_UNUSED, *figures, subject=sibling.name if sibling else "")


def _prices(trace: Recipe, own: Device, sibling: Device) -> list[str]:
    """Record what an accelerator costs with the mesh and as a card, where that is less, in one currency."""
    if own.price is None or sibling.price is None or own.price.currency != sibling.price.currency:
        return []
    keys = []
    for name, device, price in (("mesh", own, own.price), ("card", sibling, sibling.price)):
        source = catalogue_origin(device, "price")
        low = f"{name}.price.low"
        trace.given(low, price.low, Unit.MONEY, source)
        trace.given(f"{name}.price.high", price.high, Unit.MONEY, source)
        trace.compute(f"{name}.price", e.middle_price, low=low, high=f"{name}.price.high")
        trace.given(f"{name}.accelerators", device.accelerators, Unit.COUNT, catalogue_origin(device, "accelerators"))
        keys.append(f"{name}.price_each")
        trace.compute(keys[-1], purchase.price_each, price=f"{name}.price", accelerators=f"{name}.accelerators")
    with_mesh, as_card = (trace[key] for key in keys)
    return keys if as_card < with_mesh else []


def _has_mesh(s: Setup) -> bool:
    links = map(s.catalogue.link, s.device.links)
    return any(link.kind in FAST and (link.max_domain or 0) >= MESH for link in links)


def pcie_sibling(s: Setup) -> Device | None:
    """The card for PCIe of the same chip and memory, if the catalogue has one; of several the fastest."""
    own = s.device
    size = own.memory_tiers[0].capacity_bytes
    cards = [
        card
        for card in s.catalogue.devices.values()
        if card.kind is DeviceKind.CARD
        and (card.vendor, card.architecture) == (own.vendor, own.architecture)
        and abs(card.memory_tiers[0].capacity_bytes - size) < SAME_SIZE * size
    ]
    return max(cards, key=lambda card: (card.memory_tiers[0].bandwidth_bytes_per_s, card.id)) if cards else None


@setup_rule(FindingKind.SPARK_CLUSTER, 46, 47, 64)
def spark_cluster(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """Desktop machines in a row hold a model that is too large for one; they do not speed up one that fits."""
    between = s.network or s.link
    if s.device.kind is not DeviceKind.UNIFIED or s.plan.copy_ranks == 1 or between is None:
        return
    rate = catalogue_origin(between, "bytes_per_s_per_direction")
    trace.given("link.bytes_per_s_per_direction", between.bytes_per_s_per_direction, Unit.BYTE_PER_SECOND, rate)
    trace.compute(
        "memory_to_link_ratio",
        m.rate_ratio,
        memory_bytes_per_s="memory_bandwidth_bytes_per_s",
        link_bytes_per_s="link.bytes_per_s_per_direction",
    )
    yield warning(FindingKind.SPARK_CLUSTER, "memory_to_link_ratio", "link.bytes_per_s_per_direction")


@setup_rule(FindingKind.PIPELINE_SAME_LATENCY, 43, source="NVIDIA/TensorRT-LLM#1144")
def pipeline_same_latency(trace: Recipe, s: Setup) -> Iterator[Finding]:
    """A pipeline holds more and serves more at once; it does not shorten one answer."""
    if s.plan.pipeline > 1:
        yield reason(FindingKind.PIPELINE_SAME_LATENCY, "plan.pipeline", "messages_per_token")


@rule(FindingKind.MACHINES_SHARE_READS, 47, source="eugr/spark-vllm-docker#8")
def machines_share_reads(trace: Trace, s: Situation) -> Iterator[Finding]:
    """Tensor parallelism over machines shares out the reads of the weights, so a dense model writes faster."""
    link = exchange_link(s.setup)
    if s.setup.plan.tensor > 1 and link is not None and link.kind in BETWEEN_MACHINES:
        figures = ("plan.tensor", "memory_item.weights", "all_reduce_share")
        yield reason(FindingKind.MACHINES_SHARE_READS, *known(trace, *figures))


RULES = (
    heads_not_divisible,
    pcie_tensor_parallel,
    spark_cluster,
    tp_without_need,
    sxm_mesh_unused,
    single_gpu,
    latency_sxm_tp,
    throughput_replicas_pipeline,
    tp_inside_pp_between,
    pipeline_same_latency,
    machines_share_reads,
)
