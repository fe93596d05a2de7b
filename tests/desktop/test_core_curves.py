"""The curves drawn pass through the figures of the sizing itself."""

import numpy as np
import pytest

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.size import size
from desktop.results.core_curves import POINTS, CoreCurves, lengths
from tests.core.estimates import decode_of, ttft_of
from tests.shipped import shipped


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return shipped()


SHARED = {
    "workload__users": 40,
    "workload__requests_at_once": None,
    "workload__active_share": 0.1,
    "workload__prompt_tokens": 32_768,
}


@pytest.mark.parametrize(
    "scenario",
    [worked_example(), worked_example_in_reality(), worked_example_in_reality().edited(**SHARED)],
    ids=["article", "reality", "shared"],
)
def test_the_user_s_own_point_lies_on_every_curve(scenario: Scenario, catalogue: Catalogue) -> None:
    sizing, curves = size(scenario, catalogue), CoreCurves()
    memory = curves.memory(sizing, catalogue)
    chosen = next(line for line in memory.lines if line.is_chosen)
    context = scenario.workload.context_tokens
    assert np.interp(context, memory.contexts, chosen.total_bytes) == pytest.approx(memory.used_bytes, rel=0.01)
    assert memory.used_bytes == pytest.approx(sizing.devices[0].tiers[0].used_bytes, rel=1e-6)
    assert memory.limit_bytes == sizing.devices[0].tiers[0].limit_bytes
    decode, at = curves.decode(sizing, catalogue)
    assert np.interp(at, decode.x, decode.p50) == pytest.approx(decode_of(sizing).p50, rel=0.01)
    ttft, at = curves.ttft(sizing, catalogue)
    assert np.interp(at, ttft.x, ttft.p50) == pytest.approx(ttft_of(sizing).p50, rel=0.03)


def test_where_no_speed_is_known_the_bound_is_drawn(catalogue: Catalogue) -> None:
    scenario = worked_example_in_reality().edited(deployment__device="epyc-9005-1s")
    sizing = size(scenario, catalogue)
    curve, at = CoreCurves().decode(sizing, catalogue)
    assert list(curve.p10) == list(curve.p50) == list(curve.p90)
    assert np.interp(at, curve.x, curve.p50) == pytest.approx(sizing.decode_bound.p50, rel=0.01)


def test_the_axis_holds_the_chosen_length_and_whole_tokens() -> None:
    for chosen in (1, 4096, 262_144, 10_000_000):
        axis = lengths(4096, 1_048_576, chosen, 1.0)
        assert len(axis) == POINTS
        assert axis[0] <= chosen <= axis[-1]
        assert all(x == round(x) for x in axis)
