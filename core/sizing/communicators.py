"""Memory of the exchange between accelerators, as vLLM finds it when it measures what is left for the cache.

Which communicators there are, and which of them stand before it begins to count, goes by release: the group of tensor
parallelism has one of the engine's own, and until 0.25 one of PyTorch's that gathers the scores; groups of attention
and stages have one each. Read in vLLM 0.6.6 to 0.33: distributed/parallel_state.py, worker/worker.py, env_override.py,
distributed/device_communicators/, v1/worker/gpu_worker.py and config/vllm.py.
"""

from dataclasses import dataclass

from core.catalogue.records import LinkKind
from core.physics import memory as m
from core.physics.reservation import nccl
from core.sizing.engine_defaults import (
    AGREED_BY_NCCL_SINCE,
    ASYNCHRONOUS_SINCE,
    CONNECTS_ON_USE_SINCE,
    FUSED_SINCE,
    FUSED_WITH_GROUPS_SINCE,
    FUSED_WITHOUT_SWITCH_SINCE,
    GATHERED_BY_ALL_SINCE,
    GATHERED_BY_OWN_SINCE,
    LARGE_EXCHANGE_SINCE,
    SMALL_SWITCH_SINCE,
    START_APART_SINCE,
    SWITCHED_PAIRS_SINCE,
    before,
)
from core.sizing.links import FAST
from core.sizing.situation import Setup
from core.trace import Origin, OriginKind, Recipe
from core.units import MIB, Unit

EXCHANGE = "runtime.exchange_bytes"
LOGS = Origin(OriginKind.METHOD, "Memory that engines reported in public start-up logs", date="2026-11")
NCCL = Origin(
    OriginKind.METHOD,
    "NCCL 2.21 to 2.30, transport/p2p.cc, transport/nvls.cc, channel.cc and graph/",
    "https://github.com/NVIDIA/nccl/tree/v2.28.9-1/src",
    "2025-11",
)
COMMUNICATORS = Origin(
    OriginKind.METHOD,
    "vLLM, distributed/device_communicators/cuda_communicator.py and v1/worker/gpu_worker.py, by release",
    "https://github.com/vllm-project/vllm/blob/main/vllm/distributed/device_communicators/cuda_communicator.py",
    "2026-11",
)
FUSION = Origin(
    OriginKind.METHOD,
    "vLLM, compilation/passes/fusion/allreduce_rms_fusion.py: FI_ALLREDUCE_FUSION_MAX_SIZE_MB",
    "https://github.com/vllm-project/vllm/blob/main/vllm/compilation/passes/fusion/allreduce_rms_fusion.py",
    "2026-11",
)
#: Over other links: over PCIe all that is outside of PyTorch was 0.21 GiB on four L40S and 0.35 on two RTX 5090; until
#: vLLM 0.8 0.20 and 0.25 on sixteen and two consumer cards. Fabrics of other makers are not known [byte].
OVER_FABRIC, OVER_PCIE, OVER_PCIE_BEFORE = 400 * MIB, 150 * MIB, 100 * MIB
#: vLLM's own all-reduce: its buffer, and another with signals; for groups of so many [byte].
OWN_ALL_REDUCE, OWN_FOR = 18 * MIB, (2, 4, 6, 8)
#: Page of mapped memory [byte]; tables of each channel, and of the communicator.
PAGE, OF_CHANNEL, OF_COMMUNICATOR = 2 * MIB, 3, 2
#: Page that the driver recommends for memory that a switch reaches [byte]: buffers of 2, 24 and 68 MiB stand this far
#: apart in a log of SGLang.
SWITCHED_PAGE = 512 * MIB
PAGES = Origin(
    OriginKind.METHOD,
    "NCCL 2.21 and FlashInfer 0.6.4 to 0.6.8: CU_MULTICAST_GRANULARITY_RECOMMENDED; addresses in a log of SGLang",
    "https://github.com/sgl-project/sglang/pull/18341",
    "2026-02",
)
#: Accelerators with switches that add up: their compute capability, channels that go through them, and from which size
#: all-reduces are left to NCCL since the engine has symmetric memory (all_reduce_utils.py) [byte]. Older NCCL had as
#: many channels as otherwise, with larger buffers.
SWITCHES = ((10.0, 24, 128 * MIB), (9.0, 16, 64 * MIB))
STEP, LARGE_STEP, LEAST_BEFORE = MIB, 3 * MIB, 8 * MIB
#: From so many ranks on NCCL takes large all-reduces through the switch (graph/tuning.cc): on H100 5/6 of 50 or 60 GB/s
#: for each rank, against n / (2n - 2) of 360 over the rings, which is more for four and less for six.
SWITCHED_RANKS = 6
#: Largest all-reduce that normalises too, by compute capability and ranks [byte].
FUSED = {
    9.0: {2: 64 * MIB, 4: 2 * MIB, 8: MIB // 2},
    10.0: {2: 64 * MIB, 4: 32 * MIB, 8: MIB},
    10.3: {2: 64 * MIB, 4: 64 * MIB, 8: 2 * MIB},
}


@dataclass(frozen=True, slots=True)
class Communicators:
    """Those whose memory counts, by the ranks of each; `gatherers` receive scores from all others."""

    ranks: tuple[int, ...]
    at_once: bool
    gatherers: int = 0

    @property
    def ends(self) -> tuple[int, int]:
        """Neighbours that a channel sends to and receives from: of a ring, where all is connected of a chain too.

        The accelerator that gathers stands at the end of the chain, the others in its middle.
        """
        if not self.at_once:
            return len(self.ranks), len(self.ranks)
        receipts = sum(min(2, ranks - 1) for ranks in self.ranks)
        return len(self.ranks) if self.gatherers else receipts, receipts


def record_communicators(trace: Recipe, s: Setup) -> None:
    """Record `runtime.exchange_bytes`: over NVLink what NCCL and the engine keep, over other links what logs show."""
    capability = _capability(s)
    if s.link is None or s.link.kind is not LinkKind.NVLINK or not capability:
        trace.given(EXCHANGE, _over_others(s), Unit.BYTE, LOGS)
        return
    counted = _counted(s)
    channels = nccl.ring_channels(s.link.bytes_per_s_per_direction, capability)
    sent, received = nccl.connection_bytes(capability)
    sends, receipts = counted.ends
    for name, number in {"channels": channels, "sends": sends, "receipts": receipts}.items():
        trace.given(f"runtime.exchange_{name}", number, Unit.COUNT, NCCL)
    for name, size in {"send": sent, "receive": received}.items():
        trace.given(f"runtime.exchange_{name}_bytes", size, Unit.BYTE, NCCL)
    trace.compute(
        "runtime.connections_bytes",
        nccl.connections_bytes,
        channels="runtime.exchange_channels",
        sends="runtime.exchange_sends",
        send_bytes="runtime.exchange_send_bytes",
        receipts="runtime.exchange_receipts",
        receive_bytes="runtime.exchange_receive_bytes",
    )
    items = [
        "runtime.connections_bytes",
        *_tables(trace, s, counted, channels),
        *_switches(trace, s, counted, channels),
        *_gathering(trace, counted, channels),
        *_all_reduces(trace, s, capability),
    ]
    trace.compute(EXCHANGE, m.sum_bytes, items=items)


def _over_others(s: Setup) -> int:
    if s.link is not None and s.link.kind in FAST:
        return OVER_FABRIC
    return OVER_PCIE_BEFORE if before(s, LARGE_EXCHANGE_SINCE) else OVER_PCIE


def _capability(s: Setup) -> float:
    """Compute capability as a number, 0 where there is none: other makers name their architectures."""
    text = s.device.compute_capability
    return float(text) if text.replace(".", "", 1).isdigit() else 0.0


def _counted(s: Setup) -> Communicators:
    """The communicators that count in this release."""
    tensor, replicas, at_once = s.plan.tensor, s.plan.attention_replicas, before(s, CONNECTS_ON_USE_SINCE)
    groups = [tensor] if before(s, GATHERED_BY_OWN_SINCE) else []  # PyTorch's, made when scores are gathered
    if before(s, START_APART_SINCE):
        groups += [tensor, replicas, s.plan.pipeline]
    elif not before(s, AGREED_BY_NCCL_SINCE) and before(s, ASYNCHRONOUS_SINCE):
        groups.append(replicas)  # PyTorch's, over which groups of attention agree on the length of a step
    ranks = tuple(group for group in groups if group > 1)
    gathers = tensor > 1 and before(s, GATHERED_BY_ALL_SINCE)
    return Communicators(ranks, at_once, tensor if gathers else 0)


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


def _switch(s: Setup, ranks: int) -> tuple[int, int] | None:
    """Channels through the switch, and the size from which all-reduces go that way; None without one."""
    least = 2 if not before(s, SWITCHED_PAIRS_SINCE) else 3
    if s.link is None or not s.link.switched or ranks < least:
        return None
    return next((row[1:] for row in SWITCHES if _capability(s) >= row[0]), None)


def _tables(trace: Recipe, s: Setup, counted: Communicators, channels: int) -> list[str]:
    """Tables, each in a page of its own since NCCL maps memory itself; before, all of them fitted into one."""
    if counted.at_once or not counted.ranks:
        return []
    switch = _switch(s, max(counted.ranks))
    tables = OF_CHANNEL * _power_of_two(channels) + OF_COMMUNICATOR + (switch[0] + 1 if switch else 0)
    trace.given("runtime.communicators", len(counted.ranks), Unit.COUNT, COMMUNICATORS)
    trace.given("runtime.communicator_tables", tables, Unit.COUNT, NCCL)
    trace.given("runtime.communicator_table_bytes", PAGE, Unit.BYTE, NCCL)
    trace.compute(
        "runtime.communicator_tables_bytes",
        nccl.tables_bytes,
        communicators="runtime.communicators",
        tables="runtime.communicator_tables",
        table_bytes="runtime.communicator_table_bytes",
    )
    return ["runtime.communicator_tables_bytes"]


def _switches(trace: Recipe, s: Setup, counted: Communicators, channels: int) -> list[str]:
    """Buffers of the switch: of all communicators from the beginning, or of the engine's own once it goes that way."""
    groups = counted.ranks if counted.at_once else (s.plan.tensor,) if s.plan.tensor >= SWITCHED_RANKS else ()
    served = [(ranks, switch) for ranks in groups if (switch := _switch(s, ranks))]
    if not served:
        return []
    old, (ranks, (through, large)) = before(s, SMALL_SWITCH_SINCE), max(served)
    least = 0 if counted.at_once else LEAST_BEFORE if before(s, START_APART_SINCE) else large
    trace.given("runtime.switch_communicators", len(served), Unit.COUNT, COMMUNICATORS)
    trace.given("runtime.switch_channels", channels if old else through, Unit.COUNT, NCCL)
    trace.given("runtime.switch_ranks", ranks, Unit.COUNT, COMMUNICATORS)
    trace.given("runtime.switch_step_bytes", LARGE_STEP if old else STEP, Unit.BYTE, NCCL)
    trace.given("runtime.switch_page_bytes", SWITCHED_PAGE if old else PAGE, Unit.BYTE, PAGES if old else NCCL)
    trace.given("runtime.switch_least_bytes", least, Unit.BYTE, COMMUNICATORS)
    trace.compute(
        "runtime.switch_bytes",
        nccl.switch_bytes,
        communicators="runtime.switch_communicators",
        channels="runtime.switch_channels",
        ranks="runtime.switch_ranks",
        step_bytes="runtime.switch_step_bytes",
        page_bytes="runtime.switch_page_bytes",
        chunk="engine.prefill_chunk",
        hidden_size="model.hidden_size",
        least_bytes="runtime.switch_least_bytes",
    )
    return ["runtime.switch_bytes"]


def _gathering(trace: Recipe, counted: Communicators, channels: int) -> list[str]:
    """What the rank that alone chooses words receives the scores with."""
    if not counted.gatherers:
        return []
    trace.given("runtime.gathering_channels", _power_of_two(channels), Unit.COUNT, NCCL)
    trace.given("runtime.gathering_ranks", counted.gatherers, Unit.COUNT, COMMUNICATORS)
    trace.compute(
        "runtime.gathering_bytes",
        nccl.gathering_bytes,
        channels="runtime.gathering_channels",
        ranks="runtime.gathering_ranks",
        receive_bytes="runtime.exchange_receive_bytes",
    )
    return ["runtime.gathering_bytes"]


def _all_reduces(trace: Recipe, s: Setup, capability: float) -> list[str]:
    """vLLM's own all-reduce while it counts, and the work space of the one that normalises too, if graphs are made."""
    tensor, items = s.plan.tensor, []
    if before(s, START_APART_SINCE) and tensor in OWN_FOR:
        trace.given("runtime.own_all_reduce_bytes", OWN_ALL_REDUCE, Unit.BYTE, COMMUNICATORS)
        items.append("runtime.own_all_reduce_bytes")
    alone = s.plan.attention_replicas == 1 and s.plan.pipeline == 1
    fuses = s.deployment.graphs and not before(s, FUSED_SINCE if alone else FUSED_WITH_GROUPS_SINCE)
    paged = before(s, FUSED_WITHOUT_SWITCH_SINCE)
    reached = s.link is not None and (s.link.switched or not paged)
    most = FUSED.get(capability, {}).get(tensor)
    if fuses and most and reached:
        trace.given("runtime.fused_most_bytes", most, Unit.BYTE, FUSION)
        trace.given("runtime.fused_page_bytes", SWITCHED_PAGE if paged else PAGE, Unit.BYTE, PAGES)
        trace.compute(
            "runtime.fused_bytes",
            nccl.fused_bytes,
            ranks="plan.tensor",
            most_bytes="runtime.fused_most_bytes",
            chunk="engine.prefill_chunk",
            hidden_size="model.hidden_size",
            page_bytes="runtime.fused_page_bytes",
        )
        items.append("runtime.fused_bytes")
    return items
