"""Cost and capacity in words: every enum has some in every language, and what is missing says why."""

import dataclasses
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from core.catalogue.fact_kinds import Condition
from core.catalogue.records import Confidence
from core.cli import cost_figures
from core.language import capacity_sentences as carried
from core.language import cost_sentences as words
from core.language.cost_summary import cost_summary
from core.language.figures import has_label, label
from core.language.formulas import in_words, with_numbers
from core.language.messages import LANGUAGES, in_language
from core.language.numbers import NBSP, formatter
from core.scenario import LineKind, Use
from core.sizing.concurrency import Redundancy, Wall
from core.sizing.costs.report import Amount, Missing, Quote, Running
from core.sizing.demand import Road
from core.trace import Computed
from core.units import Unit
from tests.core.offices import office, priced
from tests.core.test_economics_example import worked
from tests.core.test_sizing_concurrency import carried_by
from tests.shipped import shipped

NAMES: tuple[tuple[type[StrEnum], Any], ...] = (
    (Use, words.use),
    (LineKind, words.line_kind),
    (Running, words.running),
    (Missing, words.missing),
    (Wall, carried.wall),
    (Redundancy, carried.redundancy),
    (Redundancy, carried.redundancy_means),
    (Road, words.road),
    (Condition, words.condition),
)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(("kinds", "name"), NAMES, ids=lambda one: getattr(one, "__name__", ""))
def test_every_member_has_a_name_of_its_own(kinds: type[StrEnum], name: Any, code: str) -> None:
    with in_language(code):
        named = [name(kind) for kind in kinds]
    assert all(named)
    assert len(set(named)) == len(named)


def test_an_unknown_amount_says_why() -> None:
    amount = Amount("cost.capital", None, Missing.PRICE)
    assert words.money(amount, "EUR") == "unknown: no price is known"
    with in_language("de"):
        assert words.money(amount, "EUR") == "unbekannt: kein Preis ist bekannt"


def quote(**more: Any) -> Quote:
    return dataclasses.replace(Quote(Decimal(1), Decimal(1), "EUR", "2026-08", 3), **more)


def test_the_age_of_a_price_is_said() -> None:
    assert words.price_age(quote()) == "August 2026, 3 months old"
    assert words.price_age(quote(age_months=1)) == "August 2026, 1 month old"
    assert words.price_age(quote(age_months=None, date="")) == "no date"
    assert words.price_age(quote(confidence=Confidence.ESTIMATE)) == "August 2026, 3 months old; an estimate"
    assert "too low today" in words.price_age(quote(before_rise=True))


def test_break_even_is_real_only_where_the_rhythm_reaches_it() -> None:
    found = worked()
    too_far, in_reach = words.hosted_sentence(found.hosted[0], found), words.hosted_sentence(found.hosted[4], found)
    assert f"would be cheaper from 10{NBSP}% of the year" in too_far
    assert f"reaches 2.9{NBSP}% at most" in too_far
    assert f"is cheaper from 1.8{NBSP}% of the year at work, with about 1,500 users" in in_reach
    assert "No load makes owning cheaper" in words.hosted_sentence(found.hosted[2], found)


def test_break_even_month() -> None:
    found = worked()
    assert words.cloud_sentence(found.cloud[0], found).endswith("Owning is cheaper from month 19.")
    assert words.cloud_sentence(found.cloud[3], found).endswith("within the term (month 343).")
    never = dataclasses.replace(found.cloud[0], month=Amount("x", Decimal("Infinity")))
    assert words.cloud_sentence(never, found).endswith("Owning never becomes cheaper.")


def test_both_roads_in_a_sentence() -> None:
    demand = worked().demand
    assert demand is not None
    assert words.two_roads(demand).startswith("30 requests at once by the share of users at the peak, 7 by")


def test_a_variant_begins_with_what_may_fail() -> None:
    sizing = worked().sizing
    found = carried_by(sizing, shipped())
    assert [carried.variant_sentence(v).startswith(carried.redundancy(v.redundancy)) for v in found.variants] == [
        True
    ] * 3


@pytest.mark.parametrize("code", LANGUAGES)
def test_summary_holds_the_figures(code: str) -> None:
    with in_language(code):
        text = cost_summary(worked())
        write = formatter(code)
        for amount in (worked().capital, worked().yearly, worked().vat, worked().per_million):
            assert write.money(amount.value, "EUR") in text
    assert ".format" not in text
    assert "{" not in text


def test_summary_of_a_cost_without_price_or_users() -> None:
    assert "unknown: no price is known" in cost_summary(priced(office("rtx-2080")))
    assert "the number of users is not given" in cost_summary(
        priced(office().edited(workload__users=1, workload__requests_at_once=4))
    )


def traces() -> list[Any]:
    devices = ("rtx-pro-6000-ws", "h100-sxm", "hgx-h100-8", "dgx-spark")
    found = [worked().trace, *(priced(office(device)).trace for device in devices)]
    return [*found, carried_by(worked().sizing, shipped()).trace]


def test_every_figure_has_a_name_of_its_own() -> None:
    for trace in traces():
        assert [key for key in trace if not has_label(key)] == []
        names = [label(key) for key in trace]
        assert len(set(names)) >= 0.95 * len(names)


def test_every_formula_is_written() -> None:
    for trace in traces():
        for key in trace:
            if isinstance(trace.entry(key), Computed):
                text = in_words(trace, key) + with_numbers(trace, key, formatter("de"))
                assert text
                assert not any(sign in text for sign in ("*", "_", "where(", "money(", "infinity")), text


def test_every_figure_is_shown_with_its_unit() -> None:
    for trace in traces():
        for key in trace:
            entry = trace.entry(key)
            assert formatter("fr").figure(entry.value, entry.unit)
            assert formatter("en").value(entry.value, entry.unit)


def test_infinity_is_a_sign() -> None:
    write = formatter("en")
    assert write.figure(Decimal("Infinity"), Unit.MONTH).startswith("∞")
    assert write.figure(Decimal("Infinity"), Unit.SHARE).startswith("∞")
    assert write.figure(Decimal("Infinity"), Unit.MONEY) == "∞"


def test_json_holds_money_as_numbers() -> None:
    content = cost_figures(worked())
    assert content["currency"] == "EUR"
    assert content["figures"]["cost.capital"]["value"] == float(worked().capital.value)
    assert content["figures"]["cost.line.0.quoted"]["source"].startswith("LDLC listing")
    assert "memory_item.weights" not in content["figures"]
