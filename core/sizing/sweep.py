"""Series for charts: the same formulas with a whole axis of values in place of one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import KvFormat
from core.physics import memory as m
from core.scenario import Mode, Scenario
from core.sizing.contexts import largest_context
from core.sizing.memory import finds_length, longest_context, record_memory
from core.sizing.reservation.share import Reservation
from core.sizing.resolution import resolve
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.trace import Same, Trace

BITS = (16, 8, 4)


@dataclass(frozen=True, slots=True)
class MemoryCurve:
    """Memory of one accelerator against context, for one precision of the cache.

    bits             of a cache element, as people name them
    kv_format        name of the format; plain elements where the engine has none of these bits
    supported        does the engine keep such a cache?
    total_bytes      everything on the accelerator, per context [byte]
    kv_bytes         of it cache and recurrent state [byte]
    excess_bytes     what is above the line [byte]
    crossing_tokens  largest context at which the requests at once stay below the limit [tokens]
    """

    bits: int
    kv_format: str
    supported: bool
    total_bytes: Any  # array of float
    kv_bytes: Any  # array of float
    excess_bytes: Any  # array of float
    crossing_tokens: int


@dataclass(frozen=True, slots=True)
class MemoryCurves:
    """Memory of the fullest accelerator against context.

    contexts        the axis [tokens]
    curves          for a cache of 16, 8 and 4 bit
    fixed_bytes     weights, companions and runtime at the first context: where the curves start [byte]
    limit_bytes     what the engine may use of the fast memory: the line [byte]
    capacity_bytes  what is installed of it [byte]
    trained_tokens  longest context in training; 0 when not known
    """

    contexts: Any  # array of float
    curves: tuple[MemoryCurve, ...]
    fixed_bytes: int
    limit_bytes: int
    capacity_bytes: int
    trained_tokens: int


def memory_against_context(scenario: Scenario, catalogue: Catalogue, contexts: Sequence[float]) -> MemoryCurves:
    """Memory per accelerator against context for a cache of 16, 8 and 4 bit, at the requests at once of the scenario.

    Parameters
    ----------
    scenario, catalogue : as for `size`
    contexts : the axis [tokens]

    Returns
    -------
    the curves with the capacity line and where each crosses it

    Notes
    -----
    The parallel plan is that of the scenario itself, all along the axis.
    """
    import numpy as np

    axis = np.asarray(contexts, dtype=float)
    situation = resolve(scenario, catalogue)
    curves, trace = [], Trace()
    for bits in BITS:
        kv_format, supported = _format_of(situation.setup, bits)
        trace = Trace()
        cached = replace(situation, setup=_with_cache(situation.setup, Same(kv_format)))
        reserved = record_memory(trace, cached, axis)
        curves.append(_curve(trace, cached, reserved, bits, supported))
    return MemoryCurves(
        contexts=axis,
        curves=tuple(curves),
        fixed_bytes=int(_along(trace, "accelerator.fixed_bytes")[0]),
        limit_bytes=trace["tier.0.limit_bytes"],
        capacity_bytes=trace["tier.0.capacity_bytes"],
        trained_tokens=situation.setup.blueprint.trained_context,
    )


@lru_cache(maxsize=SETUPS_KEPT)
def _with_cache(s: Setup, kv_format: Same[KvFormat]) -> Setup:
    """The setup with another format of the cache."""
    return replace(s, kv_format=kv_format.it)


def _curve(trace: Trace, s: Situation, reserved: Reservation, bits: int, supported: bool) -> MemoryCurve:
    excess = {"limit_bytes": "tier.0.limit_bytes", "used_bytes": "accelerator.total_bytes"}
    trace.compute("fast.excess_bytes", m.shortfall_bytes, **excess)
    keys = ("accelerator.total_bytes", "fast.excess_bytes", "accelerator.fixed_bytes")
    total, above, fixed = (_along(trace, key) for key in keys)
    crossing = _crossing(trace, s, reserved, above > 0)
    return MemoryCurve(bits, s.setup.kv_format.name, supported, total, total - fixed, above, crossing)


def _crossing(trace: Trace, s: Situation, reserved: Reservation, too_much: Any) -> int:
    """The largest context at which the requests at once stay below the limit of the fast memory."""
    if finds_length(s.setup):
        near = _axis(trace)[int(too_much.argmax()) or -1]
        return longest_context(s, int(trace["accelerator.requests"]), int(near))
    trace.compute(
        "fast.free_for_kv_bytes",
        m.free_bytes,
        limit_bytes="tier.0.limit_bytes",
        used_bytes="accelerator.fixed_bytes",
    )
    largest_context(trace, reserved, "crossing_tokens", "accelerator.requests", "fast.free_for_kv_bytes")
    return int(trace["crossing_tokens"])


def _along(trace: Trace, key: str) -> Any:
    """A figure at each point of the axis."""
    import numpy as np

    return np.broadcast_to(np.asarray(trace[key], dtype=float), np.shape(_axis(trace)))


def _axis(trace: Trace) -> Any:
    return trace["workload.context_tokens"]


@lru_cache(maxsize=SETUPS_KEPT)
def _format_of(s: Setup, bits: int) -> tuple[KvFormat, bool]:
    """The cache format of so many bits: the chosen one, else the engine's, else plain elements."""
    if s.kv_format.bits == bits:
        return s.kv_format, True
    plain = KvFormat(id=f"plain-{bits}", name=f"{bits} bit", bytes_per_element=bits / 8, bits=bits)
    if s.mode is Mode.ARTICLE:
        return plain, True
    offered = (s.catalogue.kv_format(name) for name in s.engine.kv_formats)
    found = next((kv_format for kv_format in offered if kv_format.bits == bits and not kv_format.flat), None)
    return (found, True) if found else (plain, False)
