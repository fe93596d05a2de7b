"""Every figure of every case can be computed again, by its function and by the text of its formula."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from core.errors import TonnageError
from core.language.formulas import with_numbers
from core.language.numbers import formatter
from core.physics.collective import sum_of_seconds
from core.physics.decode import product, same_share
from core.scenario import Scenario
from core.sizing.size import size
from core.trace import CHOICE, Computed, Given, Recipe, Trace, formula_of, recipe
from core.units import Unit
from tests.core.cases import CASES
from tests.core.recomputed import by_the_text
from tests.core.small_catalogue import small_catalogue


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


@recipe
def _sum(trace: Recipe, key: str, doubled: bool) -> None:
    trace.given("share", 0.5, Unit.SHARE, CHOICE)
    trace.compute("half", product, first="one", second="share")
    trace.compute("half", product, first="one", second="share")
    trace.compute("as_it_is", same_share, share="half")
    trace.compute(key, sum_of_seconds, parts=["half", "as_it_is"] if doubled else ["half"])


@pytest.mark.parametrize("doubled", [True, False])
def test_a_followed_recipe_is_what_one_by_one_would_be(doubled: bool) -> None:
    followed, plain = Trace(), Trace()
    for trace in (followed, plain):
        trace.given("one", 1.0, Unit.SHARE)
    followed.follow(_sum("sum", doubled))
    plain.given("share", 0.5, Unit.SHARE)
    plain.compute("half", product, first="one", second="share")
    plain.compute("as_it_is", same_share, share="half")
    plain.compute("sum", sum_of_seconds, parts=["half", "as_it_is"] if doubled else ["half"])
    assert [followed.entry(key) for key in followed] == [plain.entry(key) for key in plain]
    assert followed["sum"] == followed.reevaluate("sum") == (1.0 if doubled else 0.5)


def test_a_recipe_is_written_once_and_says_nothing_twice() -> None:
    assert _sum("sum", True) is _sum("sum", True)
    assert _sum("sum", True) is not _sum("sum", False)
    assert len(_sum("sum", True)) == 3


def test_a_recipe_refuses_a_formula_without_all_its_inputs() -> None:
    with pytest.raises(TypeError, match="product takes first, second"):
        Recipe().compute("half", product, first="one")


def test_what_follows_from_constants_is_a_constant() -> None:
    first = Recipe()
    first.given("share", 0.5, Unit.SHARE)
    first.compute("quarter", product, first="share", second="share")
    first.compute("half", product, first="one", second="share")
    assert first["quarter"] == 0.25
    assert (len(first), first.takes("one"), first.takes("share"), "half" in first) == (1, True, False, True)
    second = Recipe(after=first)
    second.compute("eighth", product, first="quarter", second="share")
    assert second["eighth"] == 0.125
    assert ("half" in second, "one" in second, len(second)) == (True, False, 0)
    with pytest.raises(TypeError, match="quarter: a constant of the recipe before"):
        second.compute("quarter", product, first="one", second="share")
    trace = Trace()
    trace.given("one", 1.0, Unit.SHARE)
    trace.follow(first)
    trace.follow(second)
    assert {key: trace[key] for key in trace} == {key: trace.reevaluate(key) for key in trace}
    assert list(trace) == ["one", "share", "quarter", "half", "eighth"]


def test_a_recipe_may_follow_another_and_knows_more_then() -> None:
    general, whole = Recipe(), Recipe()
    general.compute("half", product, first="one", second="share")
    whole.given("one", 1.0, Unit.SHARE)
    whole.given("share", 0.5, Unit.SHARE)
    whole.follow(general)
    assert (len(general), len(whole), whole["half"]) == (1, 0, 0.5)


def test_a_figure_that_waits_is_computed_when_it_is_asked_for() -> None:
    at_once, waiting = Trace(), Trace()
    for trace in (at_once, waiting):
        trace.given("one", 1.0, Unit.SHARE)
    at_once.follow(_sum("sum", True))
    waiting.later(_sum("sum", True))
    assert "sum" in waiting
    assert len(waiting) == len(at_once)
    twin, wider = waiting.copy(), Trace().joined(waiting)
    assert waiting["sum"] == twin["sum"] == wider["sum"] == waiting.get("sum") == at_once["sum"]
    assert [waiting.entry(key) for key in waiting] == [at_once.entry(key) for key in at_once]
    assert waiting.get("nothing", 3) == 3


def test_what_waits_is_settled_before_a_number_changes() -> None:
    trace = Trace()
    trace.given("one", 1.0, Unit.SHARE)
    trace.later(_sum("sum", False))
    trace.settle()
    trace.given("one", 5.0, Unit.SHARE)
    assert trace["sum"] == 0.5


def test_what_is_found_in_another_way_stays() -> None:
    trace = Trace()
    trace.given("one", 1.0, Unit.SHARE)
    trace.later(_sum("sum", True))
    trace.given("as_it_is", 7.0, Unit.SHARE)
    assert trace["sum"] == trace.reevaluate("sum") == 7.5
    assert trace["as_it_is"] == 7.0


def test_the_order_does_not_depend_on_who_asks_first() -> None:
    traces = Trace(), Trace()
    for trace in traces:
        trace.given("one", 1.0, Unit.SHARE)
        trace.later(_sum("sum", True))
        trace.given("last", 1.0, Unit.SHARE)
    assert traces[0]["sum"]
    assert list(traces[0]) == list(traces[1])


def test_two_recipes_that_wait_for_each_other_find_each_other() -> None:
    trace = Trace()
    trace.later(_twice("sum"))
    trace.later(_sum("sum", False))
    trace.given("one", 1.0, Unit.SHARE)
    assert trace["twice"] == 1.0


@recipe
def _twice(trace: Recipe, of: str) -> None:
    trace.compute("twice", sum_of_seconds, parts=[of, of])
