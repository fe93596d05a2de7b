"""The roofline of a sizing: what an accelerator attains at each work per byte, and where decode and prefill stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.physics import roofline as r
from core.sizing.report import Evidence, Sizing
from core.trace import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Axis = NDArray[Any]


@dataclass(frozen=True, slots=True)
class WorkPoint:
    """Where a kind of work stands under the roof.

    key         "roofline.decode" or "roofline.prefill": the rate reached; ".p10", ".p90", ".roof" and ".share" of it
    intensity   operations per byte [FLOP/byte]
    low, rate, high   reached, P10, P50 and P90 [FLOP/s]
    roof        attainable at this intensity [FLOP/s]
    share       of it that is reached
    bound_by_memory   is the slope of the roof above it, rather than its flat part?
    """

    key: str
    intensity: float
    low: float
    rate: float
    high: float
    roof: float
    share: float
    evidence: Evidence
    bound_by_memory: bool


@dataclass(frozen=True, slots=True)
class Roofline:
    """The roof of one accelerator and the work under it.

    trace       that of the sizing with the figures of the points
    bandwidth   of the first memory [byte/s]
    rate        dense, in the format of the weights [FLOP/s]
    wide_rate   dense at 16 bit, in which attention and what is kept wide are computed [FLOP/s]
    ridge       intensity from which on computing is the limit [FLOP/byte]
    """

    trace: Trace
    bandwidth: float
    rate: float
    wide_rate: float
    ridge: float
    decode: WorkPoint
    prefill: WorkPoint

    def roof(self, intensities: "Sequence[float] | Axis", wide: bool = False) -> "Axis":
        """The attainable rate along an axis [FLOP/s]."""
        import numpy as np

        axis = np.asarray(intensities, dtype=np.float64)
        along: Axis = r.attainable_rate(axis, self.bandwidth, self.wide_rate if wide else self.rate)
        return along


def roofline(sizing: Sizing) -> Roofline | None:
    """The roofline of one accelerator of a sizing, at its requests at once.

    Parameters
    ----------
    sizing : with its figures of work, bytes and time

    Returns
    -------
    the roofline; None where the speed is unknown
    """
    if sizing.decode is None or sizing.prefill is None:
        return None
    trace = sizing.trace.copy()
    ranks = "plan.stage_ranks" if sizing.plan.attention_replicas > 1 else "plan.tensor"
    points = (
        _point(trace, "decode", "decode_step_s.flops", "decode_step_s", ranks, sizing.decode.key),
        _point(trace, "prefill", "prefill.flops", "prefill_step_s", ranks, sizing.prefill.key),
    )
    evidence = (sizing.decode.evidence, sizing.prefill.evidence)
    decode, prefill = (_read(trace, key, of) for key, of in zip(points, evidence, strict=True))
    return Roofline(
        trace=trace,
        bandwidth=float(trace["memory_bandwidth_bytes_per_s"]),
        rate=float(trace["rate.weight_format"]),
        wide_rate=float(trace["rate.fp16"]),
        ridge=float(trace["ridge_flop_per_byte"]),
        decode=decode,
        prefill=prefill,
    )


def _point(trace: Trace, work: str, flops: str, seconds: str, ranks: str, speed: str) -> str:
    """Record where a kind of work stands; return the key of its rate."""
    key = f"roofline.{work}"
    trace.compute(key, r.reached_rate, flops=flops, seconds=seconds, ranks=ranks)
    for end in ("p10", "p90"):
        trace.compute(f"{key}.{end}", r.end_of_rate, rate=key, end=f"{speed}.{end}", middle=speed)
    trace.compute(
        f"{key}.roof",
        r.attainable_rate,
        intensity=f"arithmetic_intensity.{work}",
        bandwidth="memory_bandwidth_bytes_per_s",
        rate="rate.weight_format",
    )
    trace.compute(f"{key}.share", r.share_of_roof, reached=key, attainable=f"{key}.roof")
    return key


def _read(trace: Trace, key: str, evidence: Evidence) -> WorkPoint:
    intensity = float(trace[f"arithmetic_intensity.{key.removeprefix('roofline.')}"])
    low, high = sorted((float(trace[f"{key}.p10"]), float(trace[f"{key}.p90"])))
    return WorkPoint(
        key,
        intensity,
        low,
        float(trace[key]),
        high,
        float(trace[f"{key}.roof"]),
        float(trace[f"{key}.share"]),
        evidence,
        intensity < trace["ridge_flop_per_byte"],
    )
