"""Holds the product to its founding article, claim by claim.

Every claim of article.toml is either done, which means computed through `size()` from its own scenario and held to its
tolerance here, or stands in LATER with the step of the plan that will do it. A claim that is neither fails.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from core.catalogue.catalogue import Catalogue
from core.scenario import Scenario
from core.sizing.concurrency import capacity
from core.sizing.costs.cost import cost
from core.sizing.report import Cause, FindingKind, Limit, Sizing, Verdict
from core.sizing.size import size
from tests.article.figures import accelerators, figure, tier
from tests.article.scenarios import CLAIMS, Claim, base, is_saturated, scenario, scenarios
from tests.core.estimates import decode_of
from tests.shipped import shipped

#: Claims that a later step of the plan does.
LATER: dict[str, int] = {}

#: Claims about what a search finds; test_found.py holds the search to them.
FOUND = ("a104", "a106")

Sizings = Mapping[str, Sizing]


@pytest.fixture(scope="session")
def sized(catalogue: Catalogue) -> Callable[[Scenario], Sizing]:
    return cache(lambda scenario: size(scenario, catalogue))


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in LATER and name not in FOUND])
def test_claim(name: str, sized: Callable[[Scenario], Sizing]) -> None:
    claim = CLAIMS[name]
    sizings = {variant: sized(scenario) for variant, scenario in scenarios(claim).items()}
    assert sizings, "no scenario was sized"
    CHECKS.get(name, check_figure)(claim, sizings)


def test_every_claim_is_done_or_promised() -> None:
    assert set(LATER) <= set(CLAIMS)
    for name, claim in CLAIMS.items():
        assert (
            name in LATER
            or name in FOUND
            or name in CHECKS
            or isinstance(claim["expect"], int | float | list)
            or _ORDER.match(claim["expect"])
            or _EQUAL.match(claim["expect"])
        ), f"{name}: neither done nor promised"


def test_what_this_step_must_do_is_not_put_off() -> None:
    """Memory, KV cache, tiers and single-device speed belong to the first step."""
    for name, claim in CLAIMS.items():
        if claim["topic"] in ("memory", "kv_cache", "tier"):
            assert name not in LATER, name


# ---- what most claims say: a number, a range, an order, a list of numbers

_ORDER = re.compile(r"^[a-c]( [<>] [a-c])+$")
_EQUAL = re.compile(r"^[a-c] = [\d.]+(, [a-c] = [\d.]+)*$")
_RATIO = re.compile(r"^(.+) ratio (?:(a)/(b)|(b)/(a)|to (base))$")


def check_figure(claim: Claim, sizings: Sizings) -> None:
    expect, tolerance = claim["expect"], claim["tolerance"]
    ratio = _RATIO.match(claim["figure"])
    if isinstance(expect, str) and ratio is None:
        values = {n: figure(claim["figure"], s, is_saturated(claim)) for n, s in sizings.items()}
        return (
            check_order(expect, values, tolerance) if _ORDER.match(expect) else check_equal(expect, values, tolerance)
        )
    check_number(quotient(claim, sizings) if ratio else figure(claim["figure"], sizings[""]), expect, tolerance)
    return None


def quotient(claim: Claim, sizings: Sizings) -> float:
    match = _RATIO.match(claim["figure"])
    assert match
    name = match[1]
    top, bottom = (match[2], match[3]) if match[2] else (match[4], match[5])
    return figure(name, sizings[top], is_saturated(claim)) / figure(name, sizings[bottom], is_saturated(claim))


def check_number(value: float, expect: float | list[float], tolerance: float) -> None:
    if isinstance(expect, list):
        assert expect[0] <= value <= expect[1], f"{value:.6g} is outside {expect}"
    else:
        assert math.isclose(value, expect, rel_tol=tolerance or 1e-12), f"{value:.6g} against {expect:.6g}"


def check_order(expect: str, values: Mapping[str, float], tolerance: list[float] | float | str) -> None:
    """ "a > b": the order holds, and the quotient of neighbours lies in the tolerance."""
    names, signs = re.findall(r"[abc]", expect), re.findall(r"[<>]", expect)
    for left, sign, right in zip(names, signs, names[1:], strict=False):
        assert {"<": operator.lt, ">": operator.gt}[sign](values[left], values[right]), f"{expect}: {values}"
        larger, smaller = max(values[left], values[right]), min(values[left], values[right])
        if isinstance(tolerance, list):
            assert tolerance[0] <= larger / smaller <= tolerance[1], f"{larger / smaller:.3g} is outside {tolerance}"


def check_equal(expect: str, values: Mapping[str, float], tolerance: float) -> None:
    """ "a = 1, b = 2": each value by itself."""
    assert _EQUAL.match(expect), f"“{expect}” needs a check of its own"
    for name, number in re.findall(r"([abc]) = ([\d.]+)", expect):
        check_number(values[name], float(number), tolerance)


# ---- claims with words of their own


def check_phases(claim: Claim, sizings: Sizings) -> None:
    trace = sizings[""].trace
    values = {"a": trace["arithmetic_intensity.prefill"], "b": trace["arithmetic_intensity.decode"]}
    check_order("a > b", values, claim["tolerance"])


def check_prefill_is_compute_bound(_claim: Claim, sizings: Sizings) -> None:
    assert sizings[""].prefill_limit is Limit.COMPUTE


def check_decode_is_bandwidth_bound(_claim: Claim, sizings: Sizings) -> None:
    assert sizings[""].decode_limit is Limit.BANDWIDTH


def check_both_limits(_claim: Claim, sizings: Sizings) -> None:
    for variant in ("a", "b"):
        assert sizings[variant].prefill_limit is Limit.COMPUTE
        assert sizings[variant].decode_limit is Limit.BANDWIDTH


def check_shares(_claim: Claim, sizings: Sizings) -> None:
    assert all(sizings[v].trace["memory.share_of_capacity"] < 0.25 for v in ("a", "b"))


def check_fits(_claim: Claim, sizings: Sizings) -> None:
    assert sizings[""].fits


def check_fits_below_half(_claim: Claim, sizings: Sizings) -> None:
    assert sizings[""].verdict is Verdict.FITS
    assert sizings[""].trace["memory.share_of_capacity"] < 0.5


def check_fast_tier(_claim: Claim, sizings: Sizings) -> None:
    assert tier(sizings[""], "HBM3e", "capacity") == 288e9
    assert tier(sizings[""], "HBM3e", "bandwidth") == 8e12


def check_no_spill(_claim: Claim, sizings: Sizings) -> None:
    trace = sizings[""].trace
    assert trace["spill.weights_bytes"] == trace["spill.kv_bytes"] == 0


def check_second_tier_trap(_claim: Claim, sizings: Sizings) -> None:
    assert FindingKind.SECOND_TIER in kinds(sizings[""])
    assert sizings[""].fits


def check_kv_is_the_largest_part(_claim: Claim, sizings: Sizings) -> None:
    parts = {part.cause: part.seconds for part in sizings[""].step if part.cause is not Cause.PROMPTS}
    assert max(parts, key=lambda cause: parts[cause]) is Cause.KV_CACHE


def check_all_items(_claim: Claim, sizings: Sizings) -> None:
    trace = sizings[""].trace
    for item in ("weights", "embedding", "reranker", "framework", "kv_cache"):
        assert trace[f"memory_item.{item}"] > 0


def check_fixed_items_do_not_move(_claim: Claim, sizings: Sizings) -> None:
    for item in ("weights", "embedding", "reranker", "framework"):
        assert sizings["a"].trace[f"memory_item.{item}"] == sizings["b"].trace[f"memory_item.{item}"]


def check_growth(claim: Claim, sizings: Sizings) -> None:
    base = sizings[""].trace["kv_cache_bytes"]
    check_equal(claim["expect"], {v: sizings[v].trace["kv_cache_bytes"] / base for v in ("a", "b", "c")}, 0)


def check_halving(_claim: Claim, sizings: Sizings) -> None:
    a, b, c = (sizings[v].trace["kv_cache_bytes"] for v in ("a", "b", "c"))
    assert a == 2 * b == 4 * c


def check_auto_link(_claim: Claim, sizings: Sizings) -> None:
    a, b = sizings["a"].link, sizings["b"].link
    assert a is not None
    assert b is not None
    assert (a.id, b.kind) == ("nvlink4-bridge-h200-nvl", "pcie")


def check_405b_on_sparks(_claim: Claim, sizings: Sizings) -> None:
    assert math.isclose(sizings["a"].trace["memory_item.weights"], 202.9e9, rel_tol=0.001)
    assert sizings["a"].fits
    assert accelerators(sizings["a"]) == 2
    assert sizings["b"].verdict is Verdict.DOES_NOT_FIT


def check_link_against_memory(claim: Claim, sizings: Sizings) -> None:
    link = sizings["b"].link
    assert link is not None
    memory = sizings["a"].trace["memory_bandwidth_bytes_per_s"]
    check_number(memory / link.bytes_per_s_per_direction, claim["expect"], claim["tolerance"])


def check_price_ratio(claim: Claim, sizings: Sizings) -> None:
    a, b = sizings["a"].device.price, sizings["b"].device.price
    assert a is not None
    assert b is not None
    check_number(float(a.low / b.low), claim["expect"], claim["tolerance"])
    check_number(float(a.high / b.high), claim["expect"], claim["tolerance"])


def check_speed_per_price(claim: Claim, sizings: Sizings) -> None:
    """At the claim's prices, which lie within the catalogue's quotes: the high one of the card, the low one of SXM."""
    values = {}
    for variant, end in (("a", "high"), ("b", "low")):
        keys = claim["scenario"][variant]
        price = sizings[variant].device.price
        assert price is not None
        assert getattr(price, end) == keys["price"]
        assert price.as_of >= "2026", "the price of today, not the one at launch"
        values[variant] = sizings[variant].trace["saturated_tok_s_total"] / (keys["price"] * keys["count"])
    check_order(claim["expect"], values, claim["tolerance"])


def check_cost_per_million_tokens(claim: Claim, sizings: Sizings) -> None:
    """The same people on both: 300 users, whose requests the other system answers as well."""
    values = {}
    for variant, sizing in sizings.items():
        served = size(sizing.scenario.edited(workload__users=300, economics__region="FR"), shipped())
        priced = cost(served, shipped())
        assert priced.demand is not None
        assert priced.demand.load < 0.7, "both must be able to serve them"
        values[variant] = float(priced.per_million.value)
    check_order(claim["expect"], values, claim["tolerance"])


def check_price_of_the_target(claim: Claim, sizings: Sizings) -> None:
    """Both serve the requests at a comfortable speed; the purchase is everything, server included."""
    values = {}
    for variant, sizing in sizings.items():
        met = capacity(size(sizing.scenario.edited(workload__speed_target=20.0), shipped()), shipped())
        assert met is not None
        assert met.requests >= claim["scenario"]["concurrency"]
        values[variant] = float(cost(sizing, shipped()).capital.value)
    check_order(claim["expect"], values, claim["tolerance"])


def check_scaling(claim: Claim, sizings: Sizings) -> None:
    together, alone = (sizings[v].trace["saturated_tok_s_total"] for v in ("", "against"))
    check_number(together / (claim["scenario"]["count"] * alone), claim["expect"], claim["tolerance"])


def check_rule(claim: Claim, sizings: Sizings) -> None:
    """The rule that the claim names fires, with numbers that the trace holds."""
    rule = FindingKind(claim["figure"])
    finding = next((f for f in sizings[""].findings if f.kind is rule), None)
    assert finding is not None, f"{rule.value} is silent; there are {sorted(kinds(sizings['']))}"
    assert finding.figures
    assert all(key in sizings[""].trace for key in finding.figures)


def check_split_retrieval(claim: Claim, sizings: Sizings) -> None:
    """Twelve requests on two cards: ten beside the retrieval models, all of them without."""
    check_rule(claim, sizings)
    trace = sizings[""].trace
    assert trace["max_concurrency"] < trace["requests_at_once"] <= trace["apart.max_concurrency"]


def check_nothing_between_cards(claim: Claim, sizings: Sizings) -> None:
    check_rule(claim, sizings)
    assert sizings[""].trace["messages_per_token"] == 0
    assert sizings[""].plan.replicas == claim["scenario"]["count"]


def check_no_link(claim: Claim, sizings: Sizings) -> None:
    check_rule(claim, sizings)
    assert sizings[""].link is None


def check_plan(claim: Claim, sizings: Sizings) -> None:
    """ "fires with plan tp8 x pp2", chosen by itself."""
    check_rule(claim, sizings)
    plan = sizings[""].plan
    spelled = [f"{name}{size}" for name, size in (("tp", plan.tensor), ("pp", plan.pipeline)) if size > 1]
    spelled += [f"dp{plan.replicas}"] if plan.replicas > 1 else []
    assert f"plan {' x '.join(spelled)};" in claim["expect"], plan


def check_readable_speed(_claim: Claim, sizings: Sizings) -> None:
    assert decode_of(sizings[""]).p50 > 7


def kinds(sizing: Sizing) -> set[FindingKind]:
    return {finding.kind for finding in sizing.findings}


CHECKS: dict[str, Callable[[Claim, Sizings], None]] = {
    "a01": check_phases,
    "a03": check_prefill_is_compute_bound,
    "a07": check_decode_is_bandwidth_bound,
    "a11": check_both_limits,
    "a18": check_shares,
    "a21": check_fits,
    "a25": check_fast_tier,
    "a27": check_no_spill,
    "a30": check_second_tier_trap,
    "a32": check_growth,
    "a36": check_halving,
    "a38": check_kv_is_the_largest_part,
    "a39": check_all_items,
    "a40": check_fixed_items_do_not_move,
    "a54": check_fits_below_half,
    "a61": check_rule,
    "a62": check_split_retrieval,
    "a78": check_scaling,
    "a82": check_speed_per_price,
    "a87": check_nothing_between_cards,
    "a89": check_price_ratio,
    "a91": check_cost_per_million_tokens,
    "a93": check_auto_link,
    "a95": check_405b_on_sparks,
    "a96": check_link_against_memory,
    "a100": check_no_link,
    "a101": check_plan,
    "a102": check_plan,
    "a103": check_rule,
    "a105": check_plan,
    "a110": check_price_of_the_target,
    "a107": check_decode_is_bandwidth_bound,
    "a108": check_no_link,
    "a111": check_readable_speed,
}


LARGE = {"model": "meta-llama/Meta-Llama-3.1-405B", "weights": "fp8"}
#: Claim and changes to its scenario under which its rule must be silent, as the claim itself says.
COUNTER_CASES: list[tuple[str, dict[str, Any]]] = [
    ("a61", {"concurrency": 6}),
    ("a62", {"concurrency": 10}),
    ("a87", {"concurrency": 1}),
    ("a100", {**LARGE, "base": None}),
    ("a101", {"model": "Qwen/Qwen3-30B-A3B"}),
    ("a102", {**LARGE, "concurrency": 1, "plan": "pp4"}),
    ("a103", {"context": 4_096}),
    ("a105", {"model": "Qwen/Qwen3-30B-A3B"}),
    ("a108", {"count": 2, "plan": "tp2"}),
]


@pytest.mark.parametrize(("name", "changes"), COUNTER_CASES, ids=[name for name, _ in COUNTER_CASES])
def test_counter_cases(name: str, changes: dict[str, Any], sized: Callable[[Scenario], Sizing]) -> None:
    claim = CLAIMS[name]
    keys = {**({} if "base" not in claim["scenario"] else base(claim)), **claim["scenario"], **changes}
    sizing = sized(scenario({key: value for key, value in keys.items() if value is not None}))
    assert FindingKind(claim["figure"]) not in kinds(sizing)


def test_every_claim_about_a_rule_has_a_counter_case() -> None:
    about = {name for name, claim in CLAIMS.items() if str(claim["figure"]).startswith("rule.")}
    assert about - set(LATER) - set(FOUND) == {name for name, _ in COUNTER_CASES}


def test_a_model_inside_the_fast_tier_is_not_warned_of(sized: Callable[[Scenario], Sizing]) -> None:
    """The counter case of a30, which wants the warning for the model that spills."""
    assert FindingKind.SECOND_TIER not in kinds(sized(scenarios(CLAIMS["a27"])[""]))
