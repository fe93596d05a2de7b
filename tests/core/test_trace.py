"""Every figure of every case can be computed again, by its function and by the text of its formula."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import TonnageError
from core.language.formulas import with_numbers
from core.language.numbers import formatter
from core.scenario import Scenario
from core.sizing.size import size
from core.trace import EXPRESSION_NAMES, Computed, Given, Trace, formula_of
from tests.core.cases import CASES
from tests.core.conftest import small_catalogue


def by_the_text(trace: Trace, entry: Computed) -> Any:
    """What the formula's text gives for the recorded inputs."""
    values = {
        name: trace[at] if isinstance(at, str) else [trace[key] for key in at] for name, at in entry.inputs.items()
    }
    return eval(formula_of(entry.function).expression, {"__builtins__": {}}, {**EXPRESSION_NAMES, **values})


def traces() -> Iterator[tuple[str, Trace]]:
    catalogue = small_catalogue()
    for name, scenario in CASES.items():
        yield name, size(scenario, catalogue).trace


@pytest.mark.parametrize("scenario", CASES.values(), ids=CASES.keys())
def test_every_figure_can_be_computed_again(scenario: Scenario) -> None:
    trace = size(scenario, small_catalogue()).trace
    for key in trace:
        assert trace.reevaluate(key) == trace[key], key
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            assert by_the_text(trace, entry) == entry.value, f"{key}: {formula_of(entry.function).expression}"


@pytest.mark.parametrize("scenario", CASES.values(), ids=CASES.keys())
def test_every_figure_can_be_written_with_its_numbers(scenario: Scenario) -> None:
    trace = size(scenario, small_catalogue()).trace
    for key in trace:
        written = with_numbers(trace, key, formatter("en"))
        assert bool(written) is isinstance(trace.entry(key), Computed), key


def test_every_given_figure_says_where_it_comes_from() -> None:
    for name, trace in traces():
        for key in trace:
            entry = trace.entry(key)
            if isinstance(entry, Given) and entry.origin.kind.value == "catalogue":
                assert entry.origin.record, f"{name}: {key}"


def test_a_figure_that_is_not_there_is_named() -> None:
    with pytest.raises(TonnageError, match="nothing"):
        Trace().entry("nothing")


def test_used_by_names_what_follows_from_a_figure() -> None:
    trace = size(CASES["article"], small_catalogue()).trace
    assert "weights_bytes.expert" in trace.used_by("weights.bits.expert")


def test_text_that_differs_from_its_function_would_be_noticed() -> None:
    """The check of this file can fail."""
    trace = Trace()
    entry = size(CASES["article"], small_catalogue()).trace.entry("memory.fixed_bytes")
    assert isinstance(entry, Computed)
    trace.given("one", 1.0, SimpleNamespace())  # type: ignore[arg-type]
    wrong = Computed("wrong", 2.0, entry.function, {"items": ["one"]})
    assert by_the_text(trace, wrong) != wrong.value
