"""What NCCL keeps on each accelerator for one communicator: connections by channel, tables, buffers of the switch.

Accelerators that exchange results stand in a communicator. It splits every exchange over channels; in each one an
accelerator has a connection to its neighbours in a ring and in a chain, with buffers for three protocols. Where NVLink
ends in switches that add up what passes (NVLS), every accelerator keeps further buffers for each of the others.

Read in NCCL 2.21.5, 2.26.2, 2.27.5, 2.28.9 and 2.30.7: init.cc (sizes, what is connected at once), graph/search.cc,
graph/connect.cc and graph/paths.cc (channels), transport/p2p.cc and transport/nvls.cc (buffers), channel.cc (tables),
graph/tuning.cc (which way is taken).
"""

from typing import Any

from core.physics.arrays import ceil, minimum, where
from core.trace import formula
from core.units import MIB, Unit

#: Rate of one NVLink in one direction [byte/s], what NCCL takes it for [GB/s], and the rates that its search tries for
#: a ring, by compute capability, newest first.
NVLINKS: tuple[tuple[float, float, float, tuple[float, ...]], ...] = (
    (10.0, 50e9, 40.1, (90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18)),
    (9.0, 25e9, 20.6, (60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3)),
    (8.6, 14.0625e9, 12.0, (40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3)),
    (7.0, 25e9, 20.0, (40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3)),
)
#: Rings that the search looks for at most; it looks at slower ones down to about half; those this fast are doubled.
MOST_RINGS, SLOWEST, DOUBLED, DOUBLED_NEWER, FEW = 16, 0.49, 25.0, 50.0, 4
#: Buffers of a connection for its three protocols [byte]: 8 lines of 16 byte for each of 512 threads, 120 elements of 8
#: byte for each of 640, both in 8 steps, and 4 MiB. Each buffer is rounded to this much, with a header before it.
LINES, ELEMENTS, WHOLE, ROUNDED, HEADER = 8 * 512 * 8 * 16, 120 * 640 * 8 * 8, 4 * MIB, 2 * MIB, 4096
#: A100 and its like over NVLink read what a neighbour wrote down, so that the sender holds the largest buffer.
READS = 8.0


def ring_channels(bytes_per_s: float, capability: float) -> int:
    """Channels of a communicator whose accelerators NVLink joins.

    The search takes rings of the rate that fills most of the link, the fastest first; fast rings become two of half the
    rate, and each ring becomes two channels.

    Parameters
    ----------
    bytes_per_s : of all NVLinks of an accelerator, in one direction [byte/s]
    capability : compute capability of the accelerators

    Returns
    -------
    channels: 24 on A100 and H100, 16 on H800

    Notes
    -----
    For links that end in switches, or join two. A mesh without switch has no more.

    >>> ring_channels(300e9, 8.0), ring_channels(450e9, 9.0), ring_channels(200e9, 9.0), ring_channels(900e9, 10.0)
    (24, 24, 16, 32)

    References
    ----------
    1. NCCL, graph/search.cc: ncclTopoCompute, ncclTopoDupChannels; graph/connect.cc: ncclTopoPostset.
    """
    _, one, taken, rates = next((row for row in NVLINKS if capability >= row[0]), NVLINKS[-1])
    whole = bytes_per_s / one * taken
    found, fastest = 0, 0.0
    for rate in rates:
        if found and rate / fastest <= SLOWEST:
            break
        rings = min(int(whole / rate), MOST_RINGS)
        if rings * rate > found * fastest:
            found, fastest = rings, float(rate)
    slow = fastest < DOUBLED or (capability > READS and fastest < DOUBLED_NEWER and found > FEW)
    return 2 * max(1, found if slow else min(2 * found, MOST_RINGS))


def connection_bytes(capability: float) -> tuple[int, int]:
    """What the two ends of a connection hold: the sender, and the receiver.

    Parameters
    ----------
    capability : compute capability of both

    Returns
    -------
    bytes of the sender and of the receiver [byte]

    >>> [size // 2**20 for size in connection_bytes(9.0)], [size // 2**20 for size in connection_bytes(8.0)]
    ([2, 10], [6, 6])

    References
    ----------
    1. NCCL, transport/p2p.cc: p2pSendSetup, p2pRecvSetup.
    2. The two sizes of buffer, 2,097,152 and 10,485,760 byte on H100: https://github.com/NVIDIA/nccl/issues/1685
    """
    reads = capability == READS
    parts = (WHOLE if reads else 0, LINES + ELEMENTS + (0 if reads else WHOLE))
    sent, received = (-(-(part + HEADER) // ROUNDED) * ROUNDED for part in parts)
    return sent, received


@formula(Unit.BYTE)
def connections_bytes(channels: int, sends: int, send_bytes: int, receipts: int, receive_bytes: int) -> int:
    """Buffers of the connections of an accelerator, over all its communicators.

    connections_bytes = channels * (sends * send_bytes + receipts * receive_bytes)

    Parameters
    ----------
    channels : of a communicator
    sends : neighbours that each channel sends to, over all communicators
    send_bytes : that the sender of a connection holds [byte]
    receipts : neighbours that each channel receives from
    receive_bytes : that the receiver of a connection holds [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    >>> connections_bytes(24, 2, 2_097_152, 2, 10_485_760)
    603979776
    """
    return channels * (sends * send_bytes + receipts * receive_bytes)


@formula(Unit.BYTE)
def tables_bytes(communicators: int, tables: int, table_bytes: int) -> int:
    """Tables of the communicators, of which each takes a page of its own where NCCL maps memory itself.

    tables_bytes = communicators * tables * table_bytes

    Parameters
    ----------
    communicators : of an accelerator
    tables : of each: three for a channel, one more for a channel of the switch, and three beside
    table_bytes : page of mapped memory [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    >>> tables_bytes(1, 98, 2_097_152)
    205520896

    References
    ----------
    1. NCCL, channel.cc: initChannel, initNvlsChannel; include/alloc.h: ncclCuMemAlloc.
    """
    return communicators * tables * table_bytes


@formula(Unit.BYTE)
def switch_bytes(
    communicators: int,
    channels: int,
    ranks: int,
    step_bytes: int,
    page_bytes: int,
    chunk: int,
    hidden_size: int,
    least_bytes: int,
) -> Any:
    """Buffers that switches add up or spread, once an exchange is large enough to go that way.

    switch_bytes = where(2 * chunk * hidden_size >= least_bytes,
        communicators * ceil(2 * channels * ranks * step_bytes / page_bytes) * page_bytes, 0)

    Parameters
    ----------
    communicators : that have such buffers
    channels : of each that go through the switch
    ranks : accelerators of each
    step_bytes : of one channel, direction and accelerator [byte]
    page_bytes : that each communicator takes whole ones of [byte]
    chunk : tokens of a prompt chunk
    hidden_size : width of the model
    least_bytes : from which size an exchange goes that way; 0 where buffers stand from the beginning [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    >>> switch_bytes(1, 16, 8, 1_048_576, 2_097_152, 8192, 7168, 67_108_864)
    268435456
    >>> switch_bytes(1, 16, 8, 1_048_576, 2_097_152, 2048, 7168, 67_108_864)
    0

    References
    ----------
    1. NCCL, transport/nvls.cc: ncclNvlsSetup, ncclNvlsBufferSetup; until 2.21 nvlsGetProperties, with whole pages of
       the size that the driver recommends for memory that a switch reaches.
    """
    pages = ceil(2 * channels * ranks * step_bytes / page_bytes)
    return where(2 * chunk * hidden_size >= least_bytes, communicators * pages * page_bytes, 0)


@formula(Unit.BYTE)
def gathering_bytes(channels: int, ranks: int, receive_bytes: int) -> int:
    """Connections of the accelerator to which all others send their part of the scores.

    gathering_bytes = channels * (ranks - 1) * receive_bytes

    Parameters
    ----------
    channels : between two accelerators, a power of two
    ranks : accelerators of the group
    receive_bytes : that the receiver of a connection holds [byte]

    Returns
    -------
    bytes on that accelerator [byte]

    >>> gathering_bytes(32, 8, 6_291_456)
    1409286144

    References
    ----------
    1. NCCL, graph/paths.cc: ncclTopoComputeP2pChannels; enqueue.cc: a first send connects all channels to a peer.
    """
    return channels * (ranks - 1) * receive_bytes


@formula(Unit.BYTE)
def fused_bytes(ranks: int, most_bytes: int, chunk: int, hidden_size: int, page_bytes: int) -> Any:
    """Work space of FlashInfer's all-reduce that normalises too: results of all ranks, flags, and what arrives, thrice.

    fused_bytes = (ceil(ranks * min(most_bytes, 2 * chunk * hidden_size) / page_bytes) + 1
        + ceil(3 * ranks * min(most_bytes, 2 * chunk * hidden_size) / page_bytes)) * page_bytes

    Parameters
    ----------
    ranks : of tensor parallelism
    most_bytes : largest result that goes that way [byte]
    chunk : tokens of a prompt chunk
    hidden_size : width of the model
    page_bytes : that each of the three takes whole ones of [byte]

    Returns
    -------
    bytes on one accelerator [byte]

    >>> fused_bytes(4, 2_097_152, 8192, 4096, 2**29) // 2**20, fused_bytes(4, 2_097_152, 8192, 4096, 2**21) // 2**20
    (1536, 34)

    References
    ----------
    1. FlashInfer 0.6.4 to 0.7.0, comm/trtllm_ar.py: trtllm_create_ipc_workspace_for_all_reduce_fusion.
    2. FlashInfer 0.6.4 to 0.6.8, comm/mnnvl.py: SymmDeviceMemory, in pages of the multicast granularity.
    """
    size = minimum(most_bytes, 2 * chunk * hidden_size)
    return (ceil(ranks * size / page_bytes) + 1 + ceil(3 * ranks * size / page_bytes)) * page_bytes
