"""Capacity: the largest load within the targets, the wall that is hit first, the users, and what may fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalogue.catalogue import Catalogue
from core.language.capacity_sentences import tail_sentence
from core.physics import demand as d
from core.scenario import CatalogueModel, Demand, Deployment, Scenario, Use, Workload
from core.sizing.concurrency import Capacity, Redundancy, Wall, capacity
from core.sizing.demand import Road
from core.sizing.presets import PRESETS, Taken, with_use
from core.sizing.report import Sizing
from core.sizing.size import size
from core.trace import Computed
from tests.core.cases import scenario
from tests.core.recomputed import by_the_text
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped

SMALL = small_catalogue()


def office(**more: object) -> Scenario:
    base = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", kv_format="fp8", deployment__count=2).edited(
        workload__requests_at_once=None,
        workload__users=300,
        workload__active_share=0.1,
        workload__prompt_tokens=3000,
        workload__output_tokens=300,
    )
    return base.edited(**more)


def carried(**more: object) -> Capacity:
    return carried_by(size(office(**more), SMALL), SMALL)


def carried_by(sizing: Sizing, catalogue: Catalogue) -> Capacity:
    found = capacity(sizing, catalogue)
    assert found is not None
    return found


def test_the_speed_wanted_is_met_at_the_capacity_and_not_beyond() -> None:
    found = carried(workload__speed_target=20.0)
    for requests, met in ((found.requests, True), (found.requests + 1, False)):
        sizing = size(office(workload__requests_at_once=requests), SMALL)
        assert (sizing.trace["decode_tok_s"] >= 20.0) is met
    assert found.at.required_requests == found.requests
    assert found.wall in (Wall.BANDWIDTH, Wall.PROMPTS)


def test_the_wait_accepted_is_kept_at_the_capacity_and_not_beyond() -> None:
    alone = size(office(workload__requests_at_once=1), SMALL).trace["ttft_s"]
    target = 1.5 * alone
    found = carried(workload__ttft_target_s=target)
    assert found.requests > 1
    for requests, met in ((found.requests, True), (found.requests + 1, False)):
        sizing = size(office(workload__requests_at_once=requests), SMALL)
        assert (sizing.trace["ttft_s"] <= target) is met
    assert found.wall is Wall.PROMPTS


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp"])
@pytest.mark.parametrize("kv_format", ["fp16", "fp8"])
def test_targets_hold_at_the_capacity_with_the_plan_of_the_sizing(engine: str, kv_format: str) -> None:
    """A rule would choose another plan for more requests; the capacity is that of the deployment as it was sized."""
    wanted = Scenario(
        model=CatalogueModel(id="openai/gpt-oss-120b"),
        weights="mxfp4",
        kv_format=kv_format,
        workload=Workload(
            users=500, active_share=0.05, prompt_tokens=3000, output_tokens=500, context_tokens=16_384,
            speed_target=15, ttft_target_s=3,
        ),
        deployment=Deployment(device="h100-sxm", count=2, engine=engine),
    )  # fmt: skip
    sizing = size(wanted, shipped())
    found = carried_by(sizing, shipped())
    assert found.at.plan == sizing.plan
    assert found.requests > 0
    assert found.at.trace["decode_tok_s"] >= 15
    assert found.at.trace["ttft_s"] <= 3


def test_without_targets_memory_is_the_wall() -> None:
    found = carried()
    assert found.wall is Wall.MEMORY
    assert found.requests == found.trace["capacity.requests.memory"]


def test_a_target_that_one_request_misses_leaves_nothing() -> None:
    found = carried(workload__speed_target=100_000.0)
    assert (found.requests, found.users_by_share, found.users_by_little) == (0, 0, 0)
    assert all(variant.accelerators is None for variant in found.variants)


def test_a_model_that_does_not_fit_leaves_nothing() -> None:
    large = scenario("dense-405b", "fp8", "rtx-pro-6000-ws", workload__requests_at_once=None, workload__users=50)
    found = carried_by(size(large, SMALL), SMALL)
    assert (found.requests, found.wall) == (0, Wall.MEMORY)


def test_an_unknown_speed_has_no_capacity() -> None:
    bare = SMALL.device("rtx-pro-6000-ws").model_copy(update={"clock_hz": None, "peak_flops": {}})
    catalogue = small_catalogue(devices={bare.id: bare})
    sizing = size(office(workload__speed_target=20.0), catalogue)
    assert sizing.speed_unknown
    assert capacity(sizing, catalogue) is None


def test_more_certainty_never_carries_more() -> None:
    carried_at = [
        carried(workload__speed_target=20.0, workload__target_percentile=p).requests for p in (0.5, 0.75, 0.9)
    ]
    assert carried_at == sorted(carried_at, reverse=True)
    assert carried_at[0] > carried_at[-1]


@settings(max_examples=15, deadline=None)
@given(target=st.floats(5, 60), more=st.floats(1.01, 2))
def test_a_tighter_target_never_carries_more(target: float, more: float) -> None:
    assert carried(workload__speed_target=target * more).requests <= carried(workload__speed_target=target).requests


def test_twice_the_replicas_carry_twice_as_much() -> None:
    two = carried(workload__speed_target=20.0)
    four = carried(workload__speed_target=20.0, deployment__count=4)
    assert abs(four.requests - 2 * two.requests) <= 2


def test_the_reserve_is_left_free() -> None:
    whole, kept = (
        carried(workload__speed_target=20.0),
        carried(workload__speed_target=20.0, workload__reserve_share=0.5),
    )
    assert kept.requests == whole.requests
    assert kept.users_by_share == int(whole.requests / 1.5) * 10
    assert kept.users_by_little < whole.users_by_little


def test_both_roads_stand_side_by_side() -> None:
    demand = carried(workload__speed_target=20.0).demand
    assert demand is not None
    assert demand.by_share == 30
    assert demand.by_little < demand.by_share
    assert demand.sized_by is Road.SHARE


def test_one_user_beside_a_number_of_requests_is_not_a_number_of_users() -> None:
    assert carried(workload__requests_at_once=12, workload__users=1).demand is None


def test_the_users_fill_the_system_to_the_last_one() -> None:
    """Up to this number the same purchase serves them; one more breaks the number at once or the load."""
    found = carried(workload__speed_target=20.0)
    trace, users = found.trace, found.users_by_little
    for count, holds in ((users, True), (users + 1, False)):
        active = d.active_users(count, trace["demand.daily_share"])
        rate = d.peak_rate(active, trace["demand.requests_per_hour"], trace["demand.burst_factor"])
        together = d.concurrency(active, rate, trace["capacity.seconds_in_system"], trace["demand.design_share"])
        loaded = d.load_share(rate, trace["demand.busy_seconds"])
        assert (together <= found.requests and loaded <= trace["demand.most_load"]) is holds


def test_the_queue_is_seen_beyond_the_room() -> None:
    found = carried()
    inside = found.speed.x <= found.requests
    assert found.first_token.p50[~inside].min() > found.first_token.p50[inside].max()
    assert found.demand is not None
    assert found.demand.queue == pytest.approx(
        found.trace["demand.busy_seconds"] * found.demand.load / (1 - found.demand.load)
    )


def test_a_small_group_is_counted_person_by_person() -> None:
    few = carried(workload__users=12, workload__demand=Demand(daily_share=1, requests_per_day=200, burst_factor=4))
    assert few.demand is not None
    assert few.demand.by_little <= 12
    assert "demand.waiting_probability" in few.trace


def test_what_may_fail() -> None:
    found = carried(workload__speed_target=20.0)
    each = found.trace["capacity.requests_of_one"]
    needed = -(-30 // each)
    assert [(v.redundancy, v.replicas, v.accelerators) for v in found.variants] == [
        (Redundancy.NONE, needed, needed),
        (Redundancy.SPARE_REPLICA, needed + 1, needed + 1),
        (Redundancy.TWO_SITES, 2 * needed, 2 * needed),
    ]


def test_growth_needs_room_and_not_yet_the_targets() -> None:
    """As in a search: today's requests meet the targets, and the memory holds those with the reserve."""
    found = carried(workload__speed_target=20.0, workload__reserve_share=0.5)
    each, room = found.trace["capacity.requests_of_one"], found.trace["capacity.room_of_one"]
    assert each < room
    assert found.trace["requests_with_reserve"] == 45
    needed = max(-(-30 // each), -(-45 // room))
    assert [variant.replicas for variant in found.variants] == [needed, needed + 1, 2 * needed]
    assert needed < -(-45 // each)
    huge = carried(workload__speed_target=20.0, workload__reserve_share=5.0)
    assert huge.variants[0].replicas == -(-180 // room)


def test_curves_hold_the_point_of_the_capacity() -> None:
    found = carried(workload__speed_target=20.0)
    assert found.speed.x[0] == 1
    assert found.speed.x[-1] >= found.requests
    assert list(found.first_token.p50) == sorted(found.first_token.p50)
    assert len(found.total.p50) == len(found.speed.x)


@pytest.mark.parametrize("targets", [{}, {"workload__speed_target": 20.0, "workload__ttft_target_s": 2.0}])
def test_every_figure_can_be_computed_again(targets: dict[str, float]) -> None:
    trace = carried(**targets).trace
    for key in trace:
        assert trace.reevaluate(key) == trace[key], key
        entry = trace.entry(key)
        if isinstance(entry, Computed):
            assert by_the_text(trace, entry) == entry.value, key


def test_a_limit_that_cuts_the_longest_requests_off_is_told() -> None:
    tails = {"workload__prompt_tail_tokens": 7_000, "workload__output_tail_tokens": 700}
    assert carried().tail_fits is None
    assert carried(**tails).tail_fits is True
    cut = carried(**tails, workload__context_tokens=4096)
    assert (cut.tail_fits, cut.trace["capacity.tail_tokens"]) == (False, 7_700)
    assert tail_sentence(cut) == (
        "One request in a hundred is longer than 7,700 tokens; the context limit of 4K cuts it off."
    )
    assert tail_sentence(carried(**tails)) == ""


# ---- presets


@pytest.mark.parametrize("use", Use)
def test_each_figure_of_a_preset_lies_within_its_source(use: Use) -> None:
    facts, preset = shipped().facts, PRESETS[use]
    for name in preset.__slots__:
        taken = getattr(preset, name)
        if isinstance(taken, Taken) and taken.fact:
            fact = facts.get(taken.fact)
            assert fact.low is not None
            assert fact.high is not None
            assert float(fact.low) - 0.5 <= taken.value <= float(fact.high) + 0.5, (use, name)


@pytest.mark.parametrize("use", Use)
def test_a_preset_keeps_users_and_makes_room_for_its_longest_request(use: Use) -> None:
    work = with_use(Workload(users=77, reserve_share=0.3, context_tokens=4096), use)
    assert (work.use, work.users, work.reserve_share) == (use, 77, 0.3)
    longest = (work.prompt_tail_tokens or work.prompt_tokens or 0) + (work.output_tail_tokens or work.output_tokens)
    assert work.context_tokens >= longest
    assert Workload.model_validate(work.model_dump()) == work


def test_the_window_keeps_a_larger_context() -> None:
    assert with_use(Workload(context_tokens=131_072), Use.CHAT).context_tokens == 131_072
