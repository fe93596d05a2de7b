"""Shares that are shown but enter no other figure: recorded in the trace when somebody first asks for them."""

from core.physics.decode import share_of_step
from core.physics.memory import share_of_capacity
from core.trace import Trace


def share_of_token(trace: Trace, part: str) -> float:
    """Share of the time of one token that `part` takes; recorded under `tpot_share.<part>`."""
    key = f"tpot_share.{part}"
    if key not in trace:
        trace.compute(key, share_of_step, part=part, step="tpot_s")
    return float(trace[key])


def share_of_limit(trace: Trace) -> float:
    """Share of what the engine may use that is taken; recorded under `memory.share_of_limit`."""
    key = "memory.share_of_limit"
    if key not in trace:
        trace.compute(key, share_of_capacity, used_bytes="memory.total_bytes", capacity_bytes="memory.limit_bytes")
    return float(trace[key])
