"""Experts spread over accelerators, attention whole in groups: memory, speed, exchange, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import InvalidInput
from core.physics import expert_parallel as ep
from core.scenario import Plan, Scenario
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.core.cases import CASES, scenario
from tests.core.estimates import throughput_of
from tests.core.small_catalogue import small_catalogue

SMALL = small_catalogue()
WHOLE = CASES["experts spread, attention whole"]
LATENT = scenario("latent", "nvfp4", "hgx-h200-8", workload__requests_at_once=64, deployment__engine="tensorrt-llm")


def sized(case: Scenario, **changes: object) -> Sizing:
    return size(case.edited(**changes) if changes else case, SMALL)


# ---- the plan


def test_ranks_are_those_of_all_groups() -> None:
    plan = Plan(tensor=2, attention_replicas=4, expert=8, pipeline=3, replicas=2)
    assert (plan.stage_ranks, plan.copy_ranks, plan.groups, plan.ranks) == (8, 24, 8, 48)


def test_an_old_plan_reads_as_before() -> None:
    old = Plan.model_validate({"tensor": 4, "pipeline": 2, "replicas": 1})
    assert (old.attention_replicas, old.expert, old.ranks, old.spreads_experts) == (1, 1, 8, False)


def test_experts_go_over_whole_groups() -> None:
    with pytest.raises(ValidationError, match="spread over 3 of the 4 accelerators"):
        Plan(tensor=4, expert=3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"deployment__plan": Plan(attention_replicas=4, expert=4)}, "needs 4 accelerators.*attention groups 4.*has 8"),
        (
            {"deployment__plan": Plan(attention_replicas=8, expert=8), "deployment__engine": "llama.cpp"},
            "does not spread experts",
        ),
        (
            {"deployment__plan": Plan(attention_replicas=8, expert=8), "model__id": "dense-70b"},
            "no routed experts to spread",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        sized(LATENT, **changes)


# ---- memory


def test_experts_divide_and_attention_does_not() -> None:
    split = sized(LATENT, deployment__plan=Plan(tensor=8)).trace
    whole = sized(LATENT, deployment__plan=Plan(attention_replicas=8, expert=8)).trace
    experts = whole["weights_bytes.expert"]
    assert whole["weights_bytes.experts_on_rank"] == pytest.approx(experts / 8)
    kept = whole["accelerator.weights_bytes"] - experts / 8
    assert kept == pytest.approx(whole["memory_item.weights"] - experts, rel=1e-3)
    assert whole["accelerator.weights_bytes"] > split["accelerator.weights_bytes"]


def test_a_latent_cache_is_kept_once_per_request() -> None:
    """Under tensor parallelism every rank has the vector; in groups of their own each holds its requests."""
    split = sized(LATENT, deployment__plan=Plan(tensor=8)).trace
    whole = sized(LATENT, deployment__plan=Plan(attention_replicas=8, expert=8)).trace
    assert (split["accelerator.requests"], whole["accelerator.requests"]) == (64, 8)
    assert whole["accelerator.kv_bytes"] * 8 == split["accelerator.kv_bytes"]
    assert whole["max_concurrency"] > 4 * split["max_concurrency"]
    assert whole["memory_item.kv_cache"] * 8 == split["memory_item.kv_cache"]


def test_all_copies_of_attention_are_in_the_sum() -> None:
    trace = sized(WHOLE).trace
    apart = trace["memory_item.weights"] - trace["weights_bytes.expert"]
    assert trace["memory.weights_bytes"] == trace["memory_item.weights"] + 7 * apart
    assert trace["memory.weights_bytes"] <= 8 * trace["accelerator.weights_bytes"]


def test_experts_that_do_not_go_evenly_are_padded() -> None:
    assert ep.expert_rank_bytes(100, 10, 4, 4) == pytest.approx(30)
    assert ep.expert_rank_bytes(100, 10, 4, 8) == pytest.approx(15)


# ---- speed


def test_the_busiest_of_eight_slows_one_request_most() -> None:
    case = CASES["experts spread, attention split"]
    alone, many = (sized(case, workload__requests_at_once=n).trace["decode_step_s.hot_rank"] for n in (1, 512))
    assert alone == pytest.approx(2.41, abs=0.02)
    assert many == pytest.approx(1.0, abs=0.01)
    even = sized(case, deployment__plan=Plan(tensor=8)).trace["decode_step_s.experts"]
    assert sized(case).trace["decode_step_s.experts"] == pytest.approx(2.41 * even, rel=0.01)


@settings(max_examples=200, deadline=None)
@given(
    spread=st.sampled_from([1, 2, 4, 8, 16, 72]),
    experts=st.sampled_from([64, 128, 256, 512]),
    share=st.floats(0.01, 1.0),
    more=st.floats(0.0, 1.0),
)
def test_more_experts_never_take_less_time(spread: int, experts: int, share: float, more: float) -> None:
    few = max(1.0, share * experts)
    many = few + more * (experts - few)
    times = [d * ep.hot_rank_reading(d, experts, spread) for d in (few, many)]
    assert times[0] <= times[1] * (1 + 1e-12)
    assert 1.0 <= times[0] / few <= experts


def test_a_direct_exchange_needs_a_fast_link() -> None:
    there = sized(WHOLE).trace
    assert "all_to_all.bytes_per_s" in there
    card = CASES["experts without a direct way"]
    assert "all_to_all.bytes_per_s" not in sized(card).trace
    assert sized(card).trace["decode_step_s.link"] > 0


def test_a_gather_is_half_an_all_reduce() -> None:
    from core.physics.collective import ring_all_reduce_seconds

    gathered = ep.gather_seconds(1e6, 8, 0.0, 1e11, 1.0)
    assert 2 * gathered == pytest.approx(ring_all_reduce_seconds(8e6, 8, 0.0, 1e11, 1.0, 1.0))


def test_messages_are_two_for_every_layer_with_experts() -> None:
    trace = sized(WHOLE).trace
    assert trace["messages_per_token"] == 2 * trace["model.moe_layers"]
    grouped = sized(CASES["attention in two groups of four"]).trace
    extra = 2 * grouped["model.layers"] - grouped["model.moe_layers"]
    assert grouped["messages_per_token"] == 2 * grouped["model.moe_layers"] + extra


def test_idle_groups_do_not_meet_at_the_experts() -> None:
    one = sized(WHOLE, workload__requests_at_once=1).trace
    assert one["decode_step_s.tokens_at_experts"] == 1.0
    many = sized(WHOLE, workload__requests_at_once=64).trace
    assert many["decode_step_s.tokens_at_experts"] == 64.0
    assert many["serving.requests_in_step"] == 8.0


def test_ranks_that_share_out_a_context_read_their_part_of_it() -> None:
    case = CASES["context parallel"]
    together = sized(case.edited(deployment__context_parallel=1)).trace["bytes_read_per_token.kv.rank"]
    assert sized(case).trace["bytes_read_per_token.kv.rank"] == pytest.approx(together / 8)


def test_groups_of_one_are_the_plan_without_them() -> None:
    plain = sized(LATENT, deployment__plan=Plan(tensor=8)).trace
    named = sized(LATENT, deployment__plan=Plan(tensor=8, attention_replicas=1, expert=1)).trace
    assert plain["decode_tok_s"] == named["decode_tok_s"]


def test_total_speed_does_not_fall_with_more_requests() -> None:
    totals = [throughput_of(sized(WHOLE, workload__requests_at_once=n)).p50 for n in (1, 2, 8, 9, 16, 64, 128)]
    assert totals == sorted(totals)
