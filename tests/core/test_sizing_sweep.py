import numpy as np
import pytest

from core.scenario import CatalogueModel, Mode, Scenario
from core.sizing.examples import worked_example
from core.sizing.memory import record_memory
from core.sizing.resolution import resolve
from core.sizing.sweep import memory_against_context
from core.trace import Trace
from tests.core.cases import CASES
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped

AXIS = [1024 * 2**n for n in range(12)]


def test_the_articles_three_lines() -> None:
    curves = memory_against_context(worked_example(), small_catalogue(), [131_072, 262_144])
    assert curves.fixed_bytes == 27_500_000_000
    assert curves.limit_bytes == 96_000_000_000
    assert [c.bits for c in curves.curves] == [16, 8, 4]
    assert [c.kv_bytes[1] for c in curves.curves] == [25_769_803_776, 12_884_901_888, 6_442_450_944]
    assert [c.crossing_tokens for c in curves.curves] == [696_818, 1_393_636, 2_787_272]
    assert curves.curves[0].total_bytes.tolist() == [27.5e9 + 98_304 * 131_072, 27.5e9 + 98_304 * 262_144]


def test_requests_at_once_bring_the_crossing_nearer() -> None:
    four = memory_against_context(worked_example().edited(workload__requests_at_once=4), small_catalogue(), AXIS)
    assert four.curves[0].crossing_tokens == 696_818 // 4


@pytest.mark.parametrize("chosen", CASES.values(), ids=CASES.keys())
def test_a_curve_goes_through_the_single_sizings(chosen: Scenario) -> None:
    """Every point of the curve in the scenario's own cache format is the sizing of that point, to the byte."""
    curves = memory_against_context(chosen, small_catalogue(), AXIS)
    situation = resolve(chosen, small_catalogue())
    curve = next(c for c in curves.curves if c.bits == situation.setup.kv_format.bits)
    assert curve.supported
    for context, total in zip(AXIS, curve.total_bytes.tolist(), strict=True):
        trace = Trace()
        record_memory(trace, situation, context)
        assert total == trace["accelerator.total_bytes"]
        assert (total <= curves.limit_bytes) == (context <= curve.crossing_tokens)


def test_a_precision_that_the_engine_lacks_is_marked() -> None:
    curves = memory_against_context(CASES["llama.cpp mixture"], small_catalogue(), AXIS)
    assert [(c.bits, c.supported) for c in curves.curves] == [(16, True), (8, False), (4, False)]


def test_curves_rise_and_lie_in_order() -> None:
    curves = memory_against_context(CASES["many users"], small_catalogue(), AXIS)
    assert all((np.diff(c.total_bytes) >= 0).all() for c in curves.curves)
    wide, middle, narrow = curves.curves
    assert (wide.total_bytes >= middle.total_bytes).all()
    assert (middle.total_bytes >= narrow.total_bytes).all()


def test_bytes_of_as_many_accelerators_as_can_be_entered_have_curves() -> None:
    """More bytes than numpy's whole numbers hold."""
    most = {"deployment__count": 1024, "deployment__nodes": 256, "deployment__runtime_bytes": 10**13}
    named = {"model": CatalogueModel(id="openai/gpt-oss-20b"), "weights": "mxfp4-gguf", "kv_format": "fp16"}
    machine = {"deployment__device": "gb300-nvl72", "deployment__engine": "llama.cpp"}
    case = CASES["second tier"].edited(mode=Mode.REAL, **named, **machine, **most)
    curves = memory_against_context(case, shipped(), AXIS)
    assert len(curves.curves[0].total_bytes) == len(AXIS)


def test_sglang_has_sizes_for_the_largest_memory_that_can_be_entered() -> None:
    case = CASES["SGLang, windows"].edited(deployment__capacity_bytes=10**15)
    assert memory_against_context(case, small_catalogue(), AXIS).capacity_bytes == 10**15
