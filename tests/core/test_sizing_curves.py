"""Curves are the sizing itself along an axis: the same floats, in one pass."""

from typing import Any

import numpy as np
import pytest

from core.scenario import Scenario
from core.sizing.curves import Curve, against_concurrency, decode_against_context, ttft_against_prompt
from core.sizing.size import size
from tests.core.cases import CASES
from tests.core.estimates import decode_of, throughput_of, ttft_of
from tests.core.small_catalogue import small_catalogue

SMALL = small_catalogue()
EVERY_CASE = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def speeds(case: Scenario, requests: Any) -> tuple[Curve, ...]:
    """Of one user, and of all together."""
    return against_concurrency(case, SMALL, requests, ("decode_tok_s", "output_tok_s_total"))


@EVERY_CASE
def test_the_chosen_point_lies_on_every_curve(case: Scenario) -> None:
    sizing = size(case, SMALL)
    trace = sizing.trace
    depth = trace.get("workload.depth_tokens", trace["workload.context_tokens"])
    prompt, requests = trace["workload.prompt_tokens"], sizing.required_requests
    around = np.geomspace(0.5, 2, 7)
    decode = decode_against_context(case, SMALL, [*around * depth, depth])
    first = ttft_against_prompt(case, SMALL, [*around * prompt, prompt])
    user, everyone = speeds(case, [*around * requests, requests])
    for curve, point in (
        (decode, decode_of(sizing)),
        (first, ttft_of(sizing)),
        (user, decode_of(sizing)),
        (everyone, throughput_of(sizing)),
    ):
        on_it = [float(level[-1]) for level in (curve.p10, curve.p50, curve.p90)]
        assert on_it == pytest.approx([point.p10, point.p50, point.p90], rel=1e-14), point.key


@EVERY_CASE
def test_an_axis_gives_what_single_values_give(case: Scenario) -> None:
    axis = [1.0, 3.0, 17.0, 250.0]
    whole = speeds(case, axis)[1].p50.tolist()
    assert whole == [float(speeds(case, [x])[1].p50[0]) for x in axis]
    same_plan = case.edited(deployment__plan=size(case, SMALL).plan)  # another number may call for another plan
    single = (size(same_plan.edited(workload__requests_at_once=int(x)), SMALL) for x in axis)
    whole = [throughput_of(sizing).p50 for sizing in single]
    assert whole == pytest.approx(speeds(case, axis)[1].p50.tolist(), rel=1e-14)


@EVERY_CASE
def test_curves_run_in_the_right_direction(case: Scenario) -> None:
    contexts = np.geomspace(512, 131_072, 40)
    assert np.all(np.diff(decode_against_context(case, SMALL, contexts).p50) <= 0)
    assert np.all(np.diff(ttft_against_prompt(case, SMALL, contexts).p50) >= 0)
    user, everyone = speeds(case, np.arange(1.0, 100.0))
    assert np.all(np.diff(user.p50) <= 0)
    assert np.all(everyone.p50 > 0)
