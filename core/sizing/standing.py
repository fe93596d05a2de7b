"""How a scenario stands in a word: does it hold the work, and does it meet what was asked for?"""

from enum import StrEnum

from core.sizing.report import Sizing, Verdict


class Standing(StrEnum):
    """The verdict on the memory, with the targets of the workload."""

    FITS = "fits"
    CLOSE = "close"
    TOO_SLOW = "too_slow"  # fits, but decodes below the speed target
    TOO_LATE = "too_late"  # fits, but the first token comes after its limit
    DOES_NOT_FIT = "does_not_fit"
    SPEED_UNKNOWN = "speed_unknown"  # fits; nobody can say how fast it is


def standing(sizing: Sizing) -> Standing:
    """Where a sizing stands: memory first, then the targets, each against the middle of its range."""
    if sizing.verdict is Verdict.DOES_NOT_FIT:
        return Standing.DOES_NOT_FIT
    work = sizing.scenario.workload
    if sizing.speed_unknown:
        return Standing.SPEED_UNKNOWN if sizing.verdict is Verdict.FITS else Standing.CLOSE
    if sizing.decode is not None and work.speed_target is not None and sizing.decode.p50 < work.speed_target:
        return Standing.TOO_SLOW
    if sizing.ttft is not None and work.ttft_target_s is not None and sizing.ttft.p50 > work.ttft_target_s:
        return Standing.TOO_LATE
    return Standing.CLOSE if sizing.verdict is Verdict.CLOSE else Standing.FITS
