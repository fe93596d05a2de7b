"""The roofline: the work under the roof, by hand, and its figures in the trace."""

import pytest

from core.catalogue.catalogue import Catalogue
from core.language.figures import has_label
from core.language.numbers import Formatter
from core.language.roofline_sentences import roofline_line, roofline_title
from core.scenario import Scenario
from core.sizing.examples import worked_example_in_reality
from core.sizing.roofline import Roofline, roofline
from core.sizing.size import size
from tests.desktop.fixed_sizing import speed_unknown


def found(scenario: Scenario, catalogue: Catalogue) -> Roofline:
    answer = roofline(size(scenario, catalogue))
    assert answer is not None
    return answer


def test_the_points_by_hand(catalogue: Catalogue) -> None:
    sizing = size(worked_example_in_reality(), catalogue)
    answer, trace = roofline(sizing), sizing.trace
    assert answer is not None
    assert answer.decode.rate == pytest.approx(trace["decode_step_s.flops"] / trace["decode_step_s"])
    assert answer.decode.intensity == pytest.approx(trace["decode_step_s.flops"] / trace["decode_step_s.bytes"])
    assert answer.decode.roof == pytest.approx(answer.decode.intensity * 1.792e12)  # left of the ridge: memory
    assert answer.decode.rate / answer.rate == pytest.approx(trace["compute_utilisation.decode"])
    assert answer.prefill.rate == pytest.approx(trace["prefill.flops"] / trace["prefill_step_s"])
    assert answer.ridge == pytest.approx(answer.rate / answer.bandwidth)


def test_no_work_stands_above_the_roof(catalogue: Catalogue) -> None:
    for changes in (
        {},
        {"workload__requests_at_once": 12},
        {"deployment__count": 4},
        {"deployment__device": "h200-nvl"},
    ):
        answer = found(worked_example_in_reality().edited(**changes), catalogue)
        for point in (answer.decode, answer.prefill):
            assert point.low <= point.rate <= point.high
            assert 0 < point.share <= 1
            assert point.bound_by_memory is (point.intensity < answer.ridge)


def test_the_roof_is_a_slope_and_then_level(catalogue: Catalogue) -> None:
    answer = found(worked_example_in_reality(), catalogue)
    low, corner, high = answer.roof([answer.ridge / 10, answer.ridge, answer.ridge * 10]).tolist()
    assert low == pytest.approx(answer.rate / 10)
    assert corner == pytest.approx(answer.rate) == high
    assert answer.roof([1e9], wide=True)[0] == answer.wide_rate


def test_every_figure_has_a_name_and_can_be_computed_again(catalogue: Catalogue) -> None:
    sizing = size(worked_example_in_reality(), catalogue)
    answer = roofline(sizing)
    assert answer is not None
    added = [key for key in answer.trace if key not in sizing.trace]
    assert len(added) == 10
    for key in added:
        assert has_label(key)
        assert answer.trace.reevaluate(key) == answer.trace[key]


def test_the_title_says_what_bounds_each_kind_of_work(catalogue: Catalogue) -> None:
    one = found(worked_example_in_reality().edited(workload__requests_at_once=1), catalogue)
    assert roofline_title(one) == "Memory bandwidth bounds writing, the computing rate bounds reading prompts"
    short = found(worked_example_in_reality().edited(workload__prompt_tokens=16), catalogue)
    assert roofline_title(short) == "Memory bandwidth bounds writing and reading prompts alike"
    sizing = size(worked_example_in_reality().edited(workload__requests_at_once=12), catalogue)
    line = roofline_line(sizing, found(sizing.scenario, catalogue), Formatter("en"))
    assert line.startswith("12 requests at once. Of what the roof allows, writing reaches")


def test_without_a_speed_there_is_none() -> None:
    assert roofline(speed_unknown()) is None
