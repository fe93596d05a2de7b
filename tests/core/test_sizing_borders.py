"""The borders that answers state: what fits at them fits, and one more does not, for scenarios drawn at random."""

from core.scenario import Scenario
from core.sizing.report import Sizing, Verdict
from core.sizing.size import size
from tests.core.random_scenarios import random_sizings
from tests.shipped import shipped

NUMBER = 150
#: Beyond these an answer means "not limited by memory".
MOST_REQUESTS, MOST_TOKENS = 10_000_000, 900_000_000


def drawn() -> list[Sizing]:
    """Of devices with one memory: where there is a second, what is too much for the first goes there."""
    found = random_sizings(shipped(), NUMBER, seed=3)
    return [sizing for sizing in found if len(sizing.device.memory_tiers) == 1]


def fits(scenario: Scenario, **changes: object) -> bool:
    return size(scenario.edited(**changes), shipped()).verdict is not Verdict.DOES_NOT_FIT


def test_one_request_more_and_one_token_more_do_not_fit() -> None:
    borders = 0
    for sizing in drawn():
        chosen = sizing.scenario.edited(deployment__plan=sizing.plan)
        most, longest = int(sizing.trace["max_concurrency"]), int(sizing.trace["max_context_tokens"])
        if 0 < most < MOST_REQUESTS:
            assert fits(chosen, workload__requests_at_once=most), chosen
            assert not fits(chosen, workload__requests_at_once=most + 1), chosen
            borders += 1
        if 0 < longest < MOST_TOKENS:
            alone = chosen.edited(workload__requests_at_once=1)
            assert fits(alone, workload__context_tokens=longest), chosen
            assert not fits(alone, workload__context_tokens=longest + 1), chosen
            borders += 1
    assert borders > NUMBER // 2


def test_more_context_never_needs_less() -> None:
    for sizing in drawn():
        chosen = sizing.scenario.edited(deployment__plan=sizing.plan)
        longer = size(chosen.edited(workload__context_tokens=chosen.workload.context_tokens + 1009), shipped()).trace
        for key in ("accelerator.total_bytes", "accelerator.bytes_per_request", "kv_logical_bytes_per_request"):
            assert longer[key] >= sizing.trace[key], (key, chosen)
        assert longer["max_concurrency"] <= sizing.trace["max_concurrency"], chosen
