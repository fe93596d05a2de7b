from itertools import cycle

import numpy as np
import pytest

from core.language.messages import translations
from core.scenario import Scenario
from core.sizing.curves import against_concurrency, decode_against_context
from core.sizing.examples import examples
from core.sizing.levers import levers
from core.sizing.situation import SETUPS_KEPT
from core.sizing.size import size
from core.sizing.sweep import memory_against_context
from tests.bench.conftest import Measure
from tests.bench.panel import panel
from tests.shipped import shipped

pytestmark = pytest.mark.bench

SIZE_S = 0.0005
NEW_S = 0.001
CURVE_S = 0.005
LEVERS_S = 0.015
TEXTS_S = 0.05
AXIS = [1024.0 * 1.12**step for step in range(64)]


@pytest.mark.parametrize("scenario", [*examples(), *panel()], ids=lambda scenario: scenario.name)
def test_one_sizing(scenario: Scenario, measure: Measure) -> None:
    catalogue = shipped()
    measure(f"size(): {scenario.name}", SIZE_S, lambda: size(scenario, catalogue), repeats=1000)


def test_sizings_after_edits_of_the_work(measure: Measure) -> None:
    """What a slider does: the setup stays, the work is another each time."""
    catalogue = shipped()
    edited = cycle([one.edited(workload__context_tokens=16_384 + 512 * step) for one in panel() for step in range(16)])
    measure("size(): the panel, another context each time", SIZE_S, lambda: size(next(edited), catalogue), repeats=1000)


def test_sizings_of_setups_that_are_new(measure: Measure) -> None:
    """What a search does: model, machine or engine is another each time, and nothing is known of it yet."""
    catalogue = shipped()
    shares = [0.5 + step / 100 for step in range(2 * SETUPS_KEPT // len(panel()))]
    edited = cycle([one.edited(deployment__memory_share=share) for share in shares for one in panel()])
    measure("size(): the panel, another setup each time", NEW_S, lambda: size(next(edited), catalogue), repeats=1000)


def test_memory_curve_of_64_points(measure: Measure) -> None:
    catalogue, scenario = shipped(), examples()[1]
    what = "memory against context, three curves of 64 points"
    measure(what, CURVE_S, lambda: memory_against_context(scenario, catalogue, AXIS))


@pytest.mark.parametrize("scenario", [*examples(), *panel()], ids=lambda scenario: scenario.name)
def test_concurrency_curve_of_64_points(scenario: Scenario, measure: Measure) -> None:
    """Speed, total and first token against requests at once, the sizing of what no axis changes included."""
    catalogue, axis = shipped(), np.geomspace(1, 1024, 64)
    keys = ("decode_tok_s", "output_tok_s_total", "ttft_s")
    what = f"64 loads: {scenario.name}"
    measure(what, CURVE_S, lambda: against_concurrency(scenario, catalogue, axis, keys), repeats=100)


def test_decode_curve_of_64_points(measure: Measure) -> None:
    catalogue, scenario = shipped(), examples()[1]
    axis = np.array(AXIS)
    measure("decode against context, 64 points", CURVE_S, lambda: decode_against_context(scenario, catalogue, axis))


def test_texts_of_a_language_are_read(measure: Measure) -> None:
    measure("texts of a language, read and compiled", TEXTS_S, lambda: translations.__wrapped__("de"), repeats=10)


@pytest.mark.parametrize("scenario", examples(), ids=lambda scenario: scenario.name)
def test_levers(scenario: Scenario, measure: Measure) -> None:
    catalogue = shipped()
    before = size(scenario, catalogue)
    measure(f"levers: {scenario.name}", LEVERS_S, lambda: levers(before, catalogue), repeats=50)
