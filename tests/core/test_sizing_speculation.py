"""Guessing ahead: plain arithmetic from a stated chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import InvalidInput
from core.physics import speculation
from core.scenario import Deployment, Scenario, Speculation
from core.sizing.report import MemoryKind, Sizing
from core.sizing.size import size
from tests.core.cases import CASES
from tests.core.estimates import decode_of
from tests.core.small_catalogue import small_catalogue

SMALL = small_catalogue()
OWN = CASES["guessing with its own layers"]
DRAFT = CASES["guessing with a draft model"]


def sized(case: Scenario, **changes: object) -> Sizing:
    return size(case.edited(**changes) if changes else case, SMALL)


@given(acceptance=st.floats(0, 0.99), guessed=st.integers(1, 16))
def test_a_step_gains_between_one_token_and_all(acceptance: float, guessed: int) -> None:
    gained = speculation.tokens_per_step(acceptance, guessed)
    assert 1 <= gained <= guessed + 1
    assert gained == pytest.approx(sum(acceptance**n for n in range(guessed + 1)))


def test_the_time_of_a_token_is_that_of_a_step_shared_by_what_it_gains() -> None:
    trace = sized(OWN).trace
    gained = (1 - 0.7**4) / 0.3
    assert trace["speculation.tokens_per_step"] == pytest.approx(gained)
    step = trace["decode_step_s"] + trace["speculation.guess_s"]
    assert trace["decode_step_s.per_token"] == pytest.approx(step / gained)
    assert trace["decode_step_s.tokens"] == 4 * trace["serving.requests_in_step"]


def test_a_step_that_checks_reads_each_cache_once_and_more_experts() -> None:
    plain, guessing = sized(OWN, deployment__speculation=None).trace, sized(OWN).trace
    assert guessing["decode_step_s.kv"] == pytest.approx(plain["decode_step_s.kv"], rel=0.2)
    assert guessing["decode_step_s.distinct_experts"] > 2 * plain["decode_step_s.distinct_experts"]


def test_never_right_is_slower_than_not_guessing() -> None:
    without = sized(OWN, deployment__speculation=None, deployment__draft_tokens=0)
    hopeless = sized(OWN, deployment__speculation=Speculation(acceptance=0.0))
    likely = sized(OWN, workload__requests_at_once=1, deployment__speculation=Speculation(acceptance=0.9))
    assert decode_of(hopeless).p50 < decode_of(without).p50
    assert decode_of(likely).p50 > decode_of(sized(OWN, workload__requests_at_once=1, deployment__speculation=None)).p50


def test_it_is_off_unless_asked_for() -> None:
    drafts = CASES["hybrid with drafts"]  # room for drafts, no chance stated
    assert "speculation.tokens_per_step" not in sized(drafts).trace
    assert Deployment(device="d").speculation is None


def test_a_draft_model_takes_memory_of_its_own() -> None:
    sizing = sized(DRAFT, deployment__graphs=False)  # fewer graphs are counted where tokens are guessed
    trace = sizing.trace
    assert trace["memory_item.draft"] == pytest.approx(trace["draft.weights_bytes"] / 4, abs=1)
    assert MemoryKind.DRAFT in [item.kind for item in sizing.devices[0].tiers[0].items]
    alone = {"deployment__speculation": None, "deployment__draft_tokens": 0, "deployment__graphs": False}
    without = sized(DRAFT, **alone).trace
    cache = trace["accelerator.kv_bytes_per_request"] - without["accelerator.kv_bytes_per_request"]
    assert cache == trace["draft.kv_bytes"] > 0
    grown = trace["memory.fixed_bytes"] - without["memory.fixed_bytes"]
    assert grown == 8 * trace["memory_item.draft"]


def test_items_add_up() -> None:
    sizing = sized(DRAFT)
    assert sizing.devices[0].tiers[0].used_bytes == pytest.approx(sizing.trace["accelerator.total_bytes"], abs=4)


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValidationError, match="number of tokens guessed"):
        Deployment(device="d", speculation=Speculation(acceptance=0.5))
    with pytest.raises(InvalidInput, match="no prediction layers"):
        sized(DRAFT, deployment__speculation=Speculation(acceptance=0.5))
    with pytest.raises(ValidationError):
        Speculation(acceptance=1.0)
