"""No speed passes what physics allows: not by its range, and where what was entered asks for more, a guard says so."""

import math

import pytest

from core.scenario import Measured, Measurement
from core.sizing.report import FindingKind, Sizing, Weight
from core.sizing.size import size
from core.trace import Computed
from tests.accuracy.cases import shipped
from tests.core.cases import scenario
from tests.core.random_scenarios import random_sizings
from tests.core.small_catalogue import small_catalogue

SPEEDS = ("decode_tok_s", "prefill_tok_s", "output_tok_s_total", "saturated_tok_s_total")
#: Of the figures, so many may have a P90 beyond the limit when nothing holds it back.
TOLERATED = 0.001
SCENARIOS = 1_000  # of the 10,000 that `make bench` draws


def beyond_the_limit(sizing: Sizing) -> list[str]:
    """Speeds whose P90, without its guard, is more than physics allows."""
    found = []
    for key in SPEEDS:
        median, spread, most = range_of(sizing, key)
        if unguarded_p90(median, spread, most) > most * (1 + 1e-9):
            found.append(key)
    return found


def range_of(sizing: Sizing, key: str) -> tuple[float, float, float]:
    """Median, spread and limit from which the P90 of a speed follows."""
    entry = sizing.trace.entry(f"{key}.p90")
    assert isinstance(entry, Computed)
    median, spread, most = (float(sizing.trace[str(entry.inputs[name])]) for name in ("median", "spread", "most"))
    return median, spread, most


def unguarded_p90(median: float, spread: float, most: float) -> float:
    """`speed_p90` without its minimum: written once more, as the quantile of what lies beyond the least time."""
    least, time = 1 / most, 1 / median
    if time <= least:
        return median
    return 1 / (least + (time - least) * math.exp(-1.2816 * spread / (1 - least / time)))


def test_ranges_stay_below_the_limit_without_their_guard() -> None:
    beyond = [key for sizing in random_sizings(shipped(), SCENARIOS) for key in beyond_the_limit(sizing)]
    assert len(beyond) <= TOLERATED * SCENARIOS


def test_the_range_is_what_it_is_without_the_guard() -> None:
    for sizing in random_sizings(shipped(), 50, seed=2):
        for key in SPEEDS:
            median, spread, most = range_of(sizing, key)
            assert sizing.trace[f"{key}.p90"] == pytest.approx(min(most, unguarded_p90(median, spread, most)))
            assert sizing.trace[f"{key}.p10"] <= sizing.trace[f"{key}.p90"] / 1.3 * (1 + 1e-9)


def test_a_measurement_beyond_the_limit_makes_the_guard_fire() -> None:
    case, catalogue = scenario("hybrid-35b", "nvfp4", "rtx-pro-6000-ws"), small_catalogue()
    before = size(case, catalogue)
    limit = float(before.trace["decode_tok_s.ceiling"])
    measured = Measurement(
        figure=Measured.DECODE, value=limit * 50, prompt_tokens=case.workload.prompt_tokens,
        output_tokens=case.workload.output_tokens,
    )  # fmt: skip
    after = size(case.edited(measurements=(measured,)), catalogue)
    assert after.trace["decode_tok_s"] == after.trace["decode_tok_s.p90"] == limit
    fired = [finding for finding in after.findings if finding.kind is FindingKind.GUARD]
    assert [(f.weight, f.figures) for f in fired] == [(Weight.WARNING, ("decode_tok_s.ceiling", "decode_tok_s"))]
    assert not [finding for finding in before.findings if finding.kind is FindingKind.GUARD]
