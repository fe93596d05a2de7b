import numpy as np
import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.language.messages import translations
from core.scenario import Scenario
from core.sizing.curves import decode_against_context
from core.sizing.examples import examples
from core.sizing.levers import levers
from core.sizing.size import size
from core.sizing.sweep import memory_against_context
from tests.bench.conftest import Measure

pytestmark = pytest.mark.bench

SIZE_S = 0.0005
CURVE_S = 0.005
LEVERS_S = 0.015
TEXTS_S = 0.05
AXIS = [1024.0 * 1.12**step for step in range(64)]


@pytest.mark.parametrize("scenario", examples(), ids=lambda scenario: scenario.name)
def test_one_sizing(scenario: Scenario, measure: Measure) -> None:
    catalogue = load_shipped(RESOURCES / "catalogue")
    measure(f"size(): {scenario.name}", SIZE_S, lambda: size(scenario, catalogue), repeats=1000)


def test_memory_curve_of_64_points(measure: Measure) -> None:
    catalogue, scenario = load_shipped(RESOURCES / "catalogue"), examples()[1]
    what = "memory against context, three curves of 64 points"
    measure(what, CURVE_S, lambda: memory_against_context(scenario, catalogue, AXIS))


def test_decode_curve_of_64_points(measure: Measure) -> None:
    catalogue, scenario = load_shipped(RESOURCES / "catalogue"), examples()[1]
    axis = np.array(AXIS)
    measure("decode against context, 64 points", CURVE_S, lambda: decode_against_context(scenario, catalogue, axis))


def test_texts_of_a_language_are_read(measure: Measure) -> None:
    measure("texts of a language, read and compiled", TEXTS_S, lambda: translations.__wrapped__("de"), repeats=10)


@pytest.mark.parametrize("scenario", examples(), ids=lambda scenario: scenario.name)
def test_levers(scenario: Scenario, measure: Measure) -> None:
    catalogue = load_shipped(RESOURCES / "catalogue")
    before = size(scenario, catalogue)
    measure(f"levers: {scenario.name}", LEVERS_S, lambda: levers(before, catalogue), repeats=50)
