"""The search gives what sizing every candidate would give, whatever the order of the catalogue."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import DeviceKind
from core.sizing.concurrency import Redundancy
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Missing
from core.sizing.search.evaluate import Evaluation, evaluate, meets
from core.sizing.search.hardware import find_hardware
from core.sizing.search.kinds import barred, is_barred, missing_facts
from core.sizing.search.pareto import best_for_their_price
from core.sizing.search.rank import metric, order, order_within, price
from core.sizing.search.report import Answer, Exclusion, Fact, HardwareFound, Kind
from core.sizing.search.request import Limits, Ranking, SearchRequest
from core.sizing.search.survey import survey
from core.sizing.size import size
from tests.core.estimates import decode_of, ttft_of
from tests.core.search_cases import asked, bandwidth, changed, memory, only, with_devices

NEEDS = ("job-1-what-to-buy", "rule-3-throughput", "rule-4-long-context", "rule-1-one-card")
FEW = ("rtx-pro-6000-ws", "rtx-5090", "rtx-6000-ada", "h100-nvl", "h200-sxm", "dgx-spark", "mac-studio-m4-max-128",
       "dgx-station-gb300", "hgx-h100-8", "mi300x")  # fmt: skip


@pytest.fixture(scope="module")
def few(catalogue: Catalogue) -> Catalogue:
    return only(catalogue, *FEW)


def shown(answer: Answer) -> tuple[object, ...]:
    """What a person sees of an answer."""
    found = answer.evaluation
    plan, variant = found.candidate.layout.plan, found.candidate.variant
    name, units = answer.kind.device.name, answer.kind.units
    return (name, units, plan, variant.engine.id, variant.weights, variant.kv_format, found.speed, found.ttft,
            found.supply.price, answer.best_for_its_price, answer.best_of_device, answer.unknown)  # fmt: skip


def brute_force(request: SearchRequest, sized: list[tuple[Kind, Evaluation]]) -> tuple[list[Answer], list[Answer]]:
    """All candidates sized: the best of every kind in order, and the smallest of each device that lacks a fact.

    A way to buy a kind of which a fact is missing counts where no other way meets the need.
    """
    best: dict[tuple[str, int], Answer] = {}
    for kind, found in sized:
        key = (kind.device.id, kind.units)
        unknown = missing_facts(found.supply, request)
        if barred(kind, request) is None and not is_barred(kind, found.supply, request) and meets(request, found):
            other = best.get(key)
            usual = missing_facts(kind.supply, request)
            rank = (bool(unknown - usual), order_within(request.ranking, found))
            if other is None or rank < (bool(other.unknown - usual), order_within(request.ranking, other.evaluation)):
                best[key] = Answer(found, kind, unknown=unknown)
    ordered = sorted(best.values(), key=lambda a: order(request, a.kind, a.evaluation))
    known = [answer for answer in ordered if not answer.unknown]
    smallest: dict[str, Answer] = {}
    for answer in sorted((a for a in ordered if a.unknown), key=lambda a: a.kind.units):
        smallest.setdefault(answer.kind.device.id, answer)
    unknown_ones = sorted(smallest.values(), key=lambda a: order(request, a.kind, a.evaluation))
    return known, unknown_ones


def figures(answers: list[Answer]) -> list[tuple[object, ...]]:
    return [(a.kind.device.id, a.kind.units, a.evaluation) for a in answers]


@pytest.mark.parametrize("ranking", list(Ranking))
@pytest.mark.parametrize("need", NEEDS)
def test_agrees_with_brute_force_on_300_candidates(need: str, ranking: Ranking, catalogue: Catalogue) -> None:
    request = asked(need, ranking=ranking, limits={"power_w": 20_000}, most_answers=5)
    field = survey(request, catalogue)
    drawn = random.Random(f"{need} {ranking}").sample(range(len(field.layout)), 300)
    part = field.only(drawn)
    numbers = [n for n in range(len(part.kinds)) for _ in range(part.starts[n], part.starts[n + 1])]
    sized = [(part.kinds[n], evaluate(request, part.candidate(at), catalogue)) for at, n in enumerate(numbers)]
    known, unknown = brute_force(request, sized)
    found = find_hardware(request, catalogue, part)
    assert len(part.layout) == 300
    assert found.candidates == 300

    points = [(price(a.evaluation), a.evaluation.speed_at(0.5)) for a in known]
    marks = best_for_their_price(points)
    devices = [a.kind.device.id for a in known]
    wanted = [
        answer for n, (answer, mark) in enumerate(zip(known, marks, strict=True))
        if n < 5 or mark or devices.index(devices[n]) == n
    ]  # fmt: skip
    assert figures(list(found.answers)) == figures(wanted)
    assert figures(list(found.unknown)) == figures(unknown)
    marked = [answer for answer, mark in zip(known, marks, strict=True) if mark]
    assert figures([a for a in found.answers if a.best_for_its_price]) == figures(marked)


def test_an_answer_is_what_size_says(few: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", ranking="price"), few)
    assert found.answers
    for answer in found.answers:
        sizing = size(answer.scenario, few)
        sized = answer.evaluation
        assert sized.speed == (decode_of(sizing).p10, decode_of(sizing).p50, decode_of(sizing).p90)
        assert sized.ttft == (ttft_of(sizing).p10, ttft_of(sizing).p50, ttft_of(sizing).p90)
        assert sized.verdict is sizing.verdict
        assert type(answer.scenario).model_validate(answer.scenario.model_dump()) == answer.scenario


@pytest.mark.parametrize("redundancy", list(Redundancy))
@pytest.mark.parametrize("region", ["", "FR"])
def test_costs_are_those_of_the_cost_report(region: str, redundancy: Redundancy, catalogue: Catalogue) -> None:
    """What the search ranks by is what `cost` says of the scenario that an answer opens."""
    request = asked("rule-1-one-card", ranking="cost", redundancy=redundancy, most_answers=500)
    need = request.scenario.edited(economics__region=region, workload__context_tokens=65_536, workload__users=300)
    request = request.model_copy(update={"scenario": need})
    found = find_hardware(request, only(catalogue, *FEW, "h200-nvl", "h100-pcie", "h200-sxm"))
    assert found.answers
    for answer in found.answers:
        sizing = size(answer.scenario, catalogue)
        report, ours = cost(sizing, catalogue), answer.evaluation
        assert report.capital.value == ours.supply.price
        assert (report.capital_low.value, report.capital_high.value) == (ours.supply.price_low, ours.supply.price_high)
        if region:
            assert float(report.yearly.value) == pytest.approx(float(ours.yearly or 0), rel=1e-12)
            assert float(report.per_million.value) == pytest.approx(float(ours.per_million or 0), rel=1e-12)
            assert report.energy_per_million.value == pytest.approx(ours.energy_per_million, rel=1e-12)
        else:
            assert report.yearly.missing is Missing.TARIFF
            standing = [one.amount.value for one in report.running if one.amount.known]
            assert float(sum(standing)) == pytest.approx(float(ours.yearly or 0), rel=1e-12)
        assert report.trace["power.most_w"] == pytest.approx(ours.supply.power_w)
    assert {answer.scenario.economics.sites for answer in found.answers} == {
        2 if redundancy is Redundancy.TWO_SITES else 1
    }


def test_where_a_copy_may_fail_the_others_carry_the_work(few: Catalogue) -> None:
    plain, spare = (
        find_hardware(asked("job-1-what-to-buy", ranking="cost", redundancy=one, most_answers=500), few)
        for one in (Redundancy.NONE, Redundancy.SPARE_REPLICA)
    )
    assert _met(spare) < _met(plain)
    for answer in spare.answers:
        plan = answer.evaluation.candidate.layout.plan
        assert plan.replicas > 1
        if answer.kind.device.kind is not DeviceKind.CARD:
            continue
        # the same cards without one copy, under the whole work, still meet what is asked
        work = answer.scenario.workload
        alone = answer.scenario.edited(
            deployment__count=plan.copy_ranks,
            deployment__nodes=1,
            deployment__plan=plan.model_copy(update={"replicas": 1}),
            workload__requests_at_once=-(-12 // (plan.replicas - 1)),
        )
        sizing = size(alone, few)
        assert decode_of(sizing).p50 >= (work.speed_target or 0)
        assert ttft_of(sizing).p50 <= (work.ttft_target_s or 0)
    assert plain.best is not None
    assert spare.best is not None
    assert (spare.best.evaluation.per_million or 0) > (plain.best.evaluation.per_million or 0)


def test_two_sites_cost_twice_and_do_the_same(few: Catalogue) -> None:
    one, two = (
        find_hardware(asked("job-1-what-to-buy", ranking="cost", redundancy=r, most_answers=500), few)
        for r in (Redundancy.NONE, Redundancy.TWO_SITES)
    )
    assert _met(one) == _met(two)
    once = {(a.kind.device.id, a.kind.units): a.evaluation for a in one.answers}
    for answer in two.answers:
        double, single = answer.evaluation, once[answer.kind.device.id, answer.kind.units]
        assert double.speed == single.speed
        assert float(double.supply.price or 0) == pytest.approx(2 * float(single.supply.price or 0))


def test_the_order_of_the_catalogue_does_not_matter(catalogue: Catalogue) -> None:
    request = asked("job-1-what-to-buy", ranking="price", limits={"budget": 60_000})
    ids = list(catalogue.devices)
    random.Random(7).shuffle(ids)
    shuffled = with_devices(catalogue, {id: catalogue.devices[id] for id in ids})
    one, other = find_hardware(request, catalogue), find_hardware(request, shuffled)
    assert [shown(a) for a in one.answers] == [shown(a) for a in other.answers]
    assert [shown(a) for a in one.unknown] == [shown(a) for a in other.unknown]
    assert [(m.kind, m.by, m.asked, m.reached) for m in one.ruled_out] == [
        (m.kind, m.by, m.asked, m.reached) for m in other.ruled_out
    ]
    assert (one.candidates, one.sized, one.behind) == (other.candidates, other.sized, other.behind)


def test_every_kind_is_accounted_for(catalogue: Catalogue) -> None:
    request = asked("job-1-what-to-buy", ranking="price", limits={"budget": 30_000})
    field = survey(request, catalogue)
    kinds = len(field.kinds) + len(field.without)
    found = find_hardware(request, catalogue)
    assert len(found.answers) + len(found.unknown) + len(found.ruled_out) + found.behind == kinds
    assert found.candidates >= 5_000


def test_unknown_facts_never_pass_and_are_never_dropped(few: Catalogue) -> None:
    quiet = asked("rule-5-capacity", ranking="price", limits={"noise_dba": 50})
    found = find_hardware(quiet, few)
    assert all(answer.kind.device.noise_dba is not None for answer in found.answers)
    spark = next(answer for answer in found.unknown if answer.kind.device.id == "dgx-spark")
    assert spark.unknown == {Fact.NOISE}
    assert {m.kind.device.id for m in found.ruled_out if m.by is Exclusion.NOISE} >= {"hgx-h100-8", "mi300x"}

    few = changed(few, "hgx-h100-8", price=None)
    no_price = find_hardware(asked("rule-2-latency", ranking="price"), few)
    assert "hgx-h100-8" in {answer.kind.device.id for answer in no_price.unknown}
    by_speed = find_hardware(asked("rule-2-latency", ranking="speed"), few)
    assert "hgx-h100-8" in {answer.kind.device.id for answer in by_speed.answers}  # its price is not asked for

    foreign = asked("rule-5-capacity", ranking="price")
    scenario = foreign.scenario.edited(economics__currency="CHF")
    found = find_hardware(foreign.model_copy(update={"scenario": scenario}), few)
    assert found.answers == ()
    assert all(Fact.PRICE in answer.unknown for answer in found.unknown)


def test_limits_are_kept(few: Catalogue) -> None:
    options: dict[str, Any] = {"ranking": "price", "limits": {"budget": 30_000, "power_w": 1_000, "most_units": 2}}
    found = find_hardware(asked("job-1-what-to-buy", **options), few)
    assert found.answers
    for answer in found.answers:
        facts = answer.evaluation.supply
        assert facts.price is not None
        assert facts.price <= 30_000
        assert facts.power_w is not None
        assert facts.power_w <= 1_000
        assert answer.kind.units <= 2
    cards = find_hardware(asked("job-1-what-to-buy", limits={"kinds": ["card"], "vendors": ["NVIDIA"]}), few)
    assert {(a.kind.device.kind, a.kind.device.vendor) for a in cards.answers} == {("card", "NVIDIA")}


def test_nine_cases_of_ten_are_harder_than_the_median(few: Catalogue) -> None:
    request, met = asked("job-1-what-to-buy", most_answers=500), {}
    for share in (0.5, 0.75, 0.9, 0.95):
        scenario = request.scenario.edited(workload__target_percentile=share)
        found = find_hardware(request.model_copy(update={"scenario": scenario}), few)
        met[share] = _met(found)
        for answer in found.answers:
            assert answer.evaluation.speed is not None
            assert answer.evaluation.speed_at(share) >= 30
            assert share != 0.9 or answer.evaluation.speed[0] >= 30
    assert met[0.95] <= met[0.9] <= met[0.75] <= met[0.5]
    assert met[0.9] < met[0.5]


def test_retrieval_models_may_stand_on_a_card_of_their_own(few: Catalogue) -> None:
    request = asked("rule-1-one-card", most_answers=500, limits={"devices": ["rtx-pro-6000-ws"]})
    field = survey(request, few)
    apart = [field.candidate(at) for at in range(len(field.layout)) if field.candidate(at).variant.apart]
    assert apart
    assert all(one.units == one.layout.units + 1 for one in apart)


def test_own_measurements_count_and_are_not_held_to_the_method(few: Catalogue) -> None:
    """A card measured at twice its prediction is found at its speed, on that card only."""
    request = asked("job-1-what-to-buy", ranking="speed", limits={"devices": ["rtx-6000-ada", "l40s", "rtx-5090"]})

    def speeds(found: HardwareFound) -> dict[tuple[str, int], float]:
        return {(a.kind.device.id, a.kind.units): a.evaluation.speed_at(0.5) for a in found.answers}

    plain = speeds(find_hardware(request, few))
    measured = {"figure": "decode", "value": 400.0, "device": "rtx-6000-ada", "count": 1, "engine": "vllm"}
    scenario = request.scenario.edited(measurements=[{**measured, "requests_at_once": 12}])
    found = find_hardware(request.model_copy(update={"scenario": scenario}), few)
    faster = speeds(found)
    card = ("rtx-6000-ada", 1)
    assert faster[card] > 1.3 * plain[card]
    assert {key: value for key, value in faster.items() if key != card} == {
        key: value for key, value in plain.items() if key != card
    }
    for answer in found.answers:
        assert answer.evaluation.speed_at(0.5) == decode_of(size(answer.scenario, few)).p50


def test_a_request_goes_to_json_and_back() -> None:
    request = asked("job-1-what-to-buy", limits=Limits(budget=10_000, kinds=("card",)), weights=["fp8"])  # type: ignore[arg-type]
    assert SearchRequest.model_validate_json(request.model_dump_json()) == request


# ---- what a better device, more of it, or a harder target may not do


def _met(found: HardwareFound) -> set[tuple[str, int]]:
    return {(a.kind.device.id, a.kind.units) for a in (*found.answers, *found.unknown)}


def best_speed(request: SearchRequest, catalogue: Catalogue) -> float:
    best = find_hardware(request, catalogue).best
    return best.evaluation.speed_at(0.5) if best else 0.0


def best_price(request: SearchRequest, catalogue: Catalogue) -> float:
    best = find_hardware(request, catalogue).best
    return price(best.evaluation) if best else float("inf")


def best_cost(request: SearchRequest, catalogue: Catalogue) -> float:
    best = find_hardware(request, catalogue).best
    return metric(Ranking.COST, best.evaluation) if best else float("inf")


SLOW = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))


@SLOW
@given(id=st.sampled_from(FEW), factor=st.floats(1.0, 4.0), need=st.sampled_from(NEEDS))
def test_more_bandwidth_never_lowers_the_best(id: str, factor: float, need: str, few: Catalogue) -> None:
    better = bandwidth(few, id, factor)
    fast, cheap, frugal = (asked(need, ranking=ranking) for ranking in ("speed", "price", "cost"))
    assert best_cost(frugal, better) <= best_cost(frugal, few)
    assert best_speed(fast, better) >= best_speed(fast, few) * (1 - 1e-12)
    assert best_price(cheap, better) <= best_price(cheap, few)


@SLOW
@given(id=st.sampled_from(FEW), factor=st.floats(1.0, 4.0), need=st.sampled_from(NEEDS))
def test_more_memory_never_lowers_the_best(id: str, factor: float, need: str, few: Catalogue) -> None:
    """Faster or as fast, and nothing that met the need falls out. It may cost more: the memory of a workstation is
    proposed by that of its cards."""
    better, fast = memory(few, id, factor), asked(need, ranking="speed", most_answers=1000)
    assert best_speed(fast, better) >= best_speed(fast, few) * (1 - 1e-12)
    assert _met(find_hardware(fast, few)) <= _met(find_hardware(fast, better))


@SLOW
@given(units=st.integers(1, 16), more=st.integers(1, 16), need=st.sampled_from(NEEDS))
def test_more_cards_never_lower_the_best(units: int, more: int, need: str, few: Catalogue) -> None:
    some = asked(need, ranking="speed", limits={"most_units": units})
    many = asked(need, ranking="speed", limits={"most_units": units + more})
    assert best_speed(many, few) >= best_speed(some, few)


@SLOW
@given(
    speed=st.floats(5, 60), harder=st.floats(1, 3), first=st.floats(0.5, 8), need=st.sampled_from(NEEDS),
)  # fmt: skip
def test_a_harder_target_never_enlarges_the_set(
    speed: float, harder: float, first: float, need: str, few: Catalogue
) -> None:
    request = asked(need, ranking="speed", most_answers=1000)
    easy = request.scenario.edited(workload__speed_target=speed, workload__ttft_target_s=first)
    hard = request.scenario.edited(workload__speed_target=speed * harder, workload__ttft_target_s=first / harder)
    many = find_hardware(request.model_copy(update={"scenario": easy}), few)
    fewer = find_hardware(request.model_copy(update={"scenario": hard}), few)
    assert _met(fewer) <= _met(many)


def test_a_device_without_a_computing_rate_is_named(few: Catalogue) -> None:
    blank = changed(few, "rtx-5090", peak_flops={})
    found = find_hardware(asked("job-1-what-to-buy"), blank)
    assert {m.by for m in found.ruled_out if m.kind.device.id == "rtx-5090"} == {Exclusion.FIGURES}


def test_a_device_for_which_no_engine_is_asked_is_named(few: Catalogue) -> None:
    found = find_hardware(asked("job-1-what-to-buy", engines=["vllm"]), few)
    mac = {m.by for m in found.ruled_out if m.kind.device.id == "mac-studio-m4-max-128"}
    assert mac == {Exclusion.SOFTWARE}
