"""Weights placed in the host's memory: whole layers, or the experts of some layers.

llama.cpp computes such layers on the CPU (`-ngl`, `--n-cpu-moe`); a mixture reads only the chosen experts there. Other
engines read them through PCIe.

References
----------
1. llama.cpp, common/arg.cpp: `--n-gpu-layers` counts the head as one more layer, `--n-cpu-moe` the first layers.
"""

from typing import Any

from core.physics.arrays import minimum, where
from core.trace import formula
from core.units import Unit


@formula(Unit.SHARE)
def share_of_layers(placed: int, layers: int) -> float:
    """Share of the layers that lie in host memory.

    share = min(1.0, placed / layers)

    Parameters
    ----------
    placed : layers in host memory, the head counted as the last
    layers : of the model

    Returns
    -------
    share

    >>> share_of_layers(16, 32), share_of_layers(33, 32)
    (0.5, 1.0)
    """
    return min(1.0, placed / layers)


@formula(Unit.SHARE)
def share_of_experts(placed: int, layers: int, expert_layers: int, of_layers: float) -> float:
    """Share of the routed experts that lie in host memory.

    share = max(of_layers, min(1.0, max(0, placed - (layers - expert_layers)) / expert_layers))

    Parameters
    ----------
    placed : first layers whose experts are placed there
    layers, expert_layers : of the model, and of them with experts; those without come first
    of_layers : share of the layers that lie there whole

    Returns
    -------
    share

    >>> share_of_experts(36, 48, 48, 0.0), share_of_experts(99, 61, 58, 0.0)
    (0.75, 1.0)
    """
    return max(of_layers, min(1.0, max(0, placed - (layers - expert_layers)) / expert_layers))


@formula(Unit.BYTE)
def dense_bytes_on_host(layered: float, share: float, head: float, placed: int, layers: int) -> float:
    """Weights without experts that lie in host memory, of the whole model.

    bytes = layered * share + where(placed > layers, head, 0)

    Parameters
    ----------
    layered : weights inside layers, without routed experts [byte]
    share : of the layers in host memory
    head : output projection, which lies there only with all layers [byte]
    placed, layers : in host memory with the head as the last, and of the model

    Returns
    -------
    bytes [byte]

    >>> dense_bytes_on_host(1000, 0.5, 100, 16, 32), dense_bytes_on_host(1000, 1.0, 100, 33, 32)
    (500.0, 1100.0)
    """
    return layered * share + (head if placed > layers else 0)


@formula(Unit.BYTE)
def weights_on_host(dense: float, experts: float, expert_share: float, ranks: int) -> float:
    """Weights in host memory that belong to one accelerator.

    bytes = (dense + experts * expert_share) / ranks

    Parameters
    ----------
    dense : weights without experts in host memory [byte]
    experts : all routed experts [byte]
    expert_share : of them in host memory
    ranks : accelerators that hold one copy

    Returns
    -------
    bytes [byte]

    >>> weights_on_host(0.0, 1000, 0.75, 1)
    750.0
    """
    return (dense + experts * expert_share) / ranks


@formula(Unit.SHARE)
def share_read_on_host(placed: float, read: float) -> float:
    """Share of the weights of every step that is read from host memory.

    share = min(1.0, placed / max(read, 1))

    Parameters
    ----------
    placed : weights without experts in host memory [byte]
    read : weights without experts that every step reads [byte]

    Returns
    -------
    share

    >>> share_read_on_host(500.0, 2000.0)
    0.25
    """
    return min(1.0, placed / max(read, 1))


@formula(Unit.BYTE)
def requests_on_host(cache: Any, state: Any, share: float) -> Any:
    """Cache and state of the layers that lie in host memory: they stay with their layers.

    bytes = (cache + state) * share

    Parameters
    ----------
    cache, state : of all requests [byte]
    share : of the layers in host memory

    Returns
    -------
    bytes [byte]

    >>> requests_on_host(1000, 0, 0.25)
    250.0
    """
    return (cache + state) * share


@formula(Unit.BYTE)
def room_in_both(first: int, fixed: int, placed: float, host: float, share: float) -> Any:
    """Room for requests where some layers lie in host memory: what either side allows for whole requests.

    room = where(
        min(first - fixed + placed, host - placed) < 0, min(first - fixed + placed, host - placed), where(
            share > 0, min((first - fixed + placed) / max(1 - share, 1e-9), (host - placed) / max(share, 1e-9)),
            first - fixed + placed
        )
    )

    Parameters
    ----------
    first : limit of the accelerator's memory [byte]
    fixed : weights, companions and runtime, wherever they lie [byte]
    placed : weights in host memory [byte]
    host : its limit [byte]
    share : of every request's cache and state that lies there

    Returns
    -------
    bytes; negative when the fixed part is too much for one of them, by what it lacks there [byte]

    >>> room_in_both(100, 150, 70.0, 1000.0, 0.0), room_in_both(100, 150, 70.0, 1000.0, 0.5)
    (20.0, 40.0)
    >>> room_in_both(100, 150, 70.0, 50.0, 0.02)
    -20.0
    """
    own, rest = first - fixed + placed, host - placed
    both = minimum(own / max(1 - share, 1e-9), rest / max(share, 1e-9))
    return where(minimum(own, rest) < 0, minimum(own, rest), where(share > 0, both, own))


@formula(Unit.BYTE)
def limit_with_host(fixed: int, room: Any) -> Any:
    """What may be used over both memories, as the weights are placed.

    limit = fixed + room

    Parameters
    ----------
    fixed : weights, companions and runtime, wherever they lie [byte]
    room : for requests [byte]

    Returns
    -------
    bytes [byte]

    >>> limit_with_host(150, 20.0)
    170.0
    """
    return fixed + room


@formula(Unit.BYTE_PER_SECOND)
def rate_over_pcie(host: float, pcie: float, share: float) -> float:
    """Rate at which an accelerator reads host memory: through PCIe, and no faster than the memory itself.

    rate = min(host, pcie * share)

    Parameters
    ----------
    host : bandwidth of the host's memory [byte/s]
    pcie : rate of the accelerator's link in one direction [byte/s]
    share : of it that long copies reach

    Returns
    -------
    rate [byte/s]

    >>> rate_over_pcie(100e9, 31.5e9, 0.8)
    25200000000.0
    """
    return min(host, pcie * share)
