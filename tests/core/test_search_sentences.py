"""Every reason, exclusion and missing fact has its sentence, in three languages, with the numbers in it."""

import re
from itertools import combinations

import pytest

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind
from core.language import search_sentences as words
from core.language.messages import LANGUAGES, in_language
from core.language.search_summary import hardware_summary
from core.sizing.search.explain import ReasonKind, explain, sized_miss
from core.sizing.search.hardware import find_hardware
from core.sizing.search.models import ModelExclusion, ModelRuledOut
from core.sizing.search.report import Exclusion, Fact, RuledOut
from core.sizing.search.request import Ranking
from tests.core.search_cases import asked

NBSP = "\u00a0"


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", ["job-1-what-to-buy", "rule-2-latency", "rule-5-capacity", "rule-4-long-context"])
def test_answers_have_three_reasons_with_numbers(name: str, language: str, catalogue: Catalogue) -> None:
    found = find_hardware(asked(name, ranking="price"), catalogue)
    with in_language(language):
        for answer in (*found.answers[:6], *found.unknown[:2]):
            why = explain(found, answer, catalogue)
            sentences = [words.reason(one) for one in (*why.reasons, *why.against)]
            assert len(why.reasons) == 3
            assert len(set(sentences)) == len(sentences)
            assert all("{" not in text and text.endswith(".") for text in sentences)
            assert any(character.isdigit() for character in words.reason(why.reasons[1]))


def test_the_numbers_are_those_of_the_sizing(catalogue: Catalogue) -> None:
    request = asked("rule-2-latency", ranking="speed", weights=["fp8"], limits={"devices": ["h200-nvl"]})
    found = find_hardware(request, catalogue)
    answer = next(one for one in found.answers if one.kind.units == 8)
    why = explain(found, answer, catalogue)
    split = why.reasons[0]
    assert split.kind is ReasonKind.SPLIT
    assert split.figures["share"] == why.sizing.trace["all_reduce_share"]
    assert f"{round(100 * split.figures['share'])}{NBSP}%" in words.reason(split)
    assert ReasonKind.EXCHANGE in {one.kind for one in why.against}  # over PCIe it costs a good part of the step


def test_the_runner_up_is_named_with_both_numbers(catalogue: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", ranking="price"), catalogue)
    best = found.answers[0]
    reason = explain(found, best, catalogue).before_runner_up
    assert reason is not None
    assert reason.kind is ReasonKind.COSTS_MORE
    assert reason.figures["ours"] < reason.figures["theirs"]


@pytest.mark.parametrize("by", list(Exclusion))
def test_each_exclusion_has_its_sentence(by: Exclusion, language: str, catalogue: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", limits={"devices": ["rtx-5090"]}), catalogue)
    kind = found.answers[0].kind
    with in_language(language):
        for at_best in (False, True):
            text = words.ruled_out(RuledOut(kind, by, 15.0, 4.1, at_best), found)
            assert text
            assert "{" not in text


def test_a_slow_one_says_how_slow(catalogue: Catalogue) -> None:
    request = asked(
        "rule-4-long-context", ranking="price", weights=["fp8"], limits={"devices": ["dgx-spark"], "most_units": 2}
    )
    found = find_hardware(request, catalogue)
    miss = sized_miss(request, found.ruled_out[0], catalogue)
    text = words.ruled_out(miss, found)
    assert miss.by is Exclusion.SPEED
    assert re.fullmatch(rf"fits, but 1\.\d{NBSP}tok/s at 128K: below the target of 28{NBSP}tok/s", text)


def test_numbers_that_round_alike_are_told_apart(catalogue: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", limits={"devices": ["rtx-5090"]}), catalogue)
    text = words.ruled_out(RuledOut(found.answers[0].kind, Exclusion.SPEED, 30.0, 29.84), found)
    assert "29.84" in text
    assert f"30{NBSP}tok/s" in text


@pytest.mark.parametrize("by", list(ModelExclusion))
def test_each_model_exclusion_has_its_sentence(by: ModelExclusion, language: str, catalogue: Catalogue) -> None:
    model = catalogue.model("Qwen/Qwen3-32B")
    with in_language(language):
        text = words.model_ruled_out(ModelRuledOut(model, by, 15.0, 4.0))
    assert text
    assert "{" not in text


def test_every_set_of_missing_facts_has_a_name(language: str) -> None:
    with in_language(language):
        named = [words.facts(frozenset(some)) for n in (1, 2, 3) for some in combinations(Fact, n)]
        assert all(named)
        assert len(set(named)) == 7
        assert words.facts(frozenset()) == ""
        assert all(map(words.device_kind, DeviceKind))
        assert all(map(words.ranking, Ranking))


def test_the_summary_says_count_and_time(language: str, catalogue: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", ranking="price", limits={"budget": 40_000}), catalogue)
    with in_language(language):
        text = hardware_summary(found, catalogue, 0.18)
    assert "180" in text
    assert str(found.sized) in re.sub(r"[\s,.\u202f\u00a0]", "", text)  # thousands are set apart
    assert "RTX PRO 6000" in text
    nothing = find_hardware(asked("job-1-what-to-buy", limits={"budget": 1}), catalogue)
    assert nothing.best is None
    with in_language(language):
        assert hardware_summary(nothing, catalogue, 0.1)
