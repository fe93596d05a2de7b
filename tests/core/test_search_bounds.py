"""No candidate does better than its bounds say, and the bounds say no more than they must."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from core.catalogue.catalogue import Catalogue
from core.sizing.search.evaluate import Evaluation, evaluate, fast_enough
from core.sizing.search.request import Ranking, SearchRequest
from core.sizing.search.survey import Field, survey
from tests.core.search_cases import asked

NEEDS = ("job-1-what-to-buy", "rule-3-throughput", "rule-4-long-context", "rule-1-one-card")
#: Loads and models whose times have parts of their own, as changes of a scenario file.
SPECIAL: dict[str, tuple[str, dict[str, Any]]] = {
    "all at once": ("job-1-what-to-buy", {"workload__start_together": True, "workload__users": 200}),
    "short": ("job-1-what-to-buy", {"workload__prompt_tokens": 50, "workload__output_tokens": 20,
                                    "workload__users": 3000}),
    "beyond the context": ("job-1-what-to-buy", {"workload__context_tokens": 8192}),
    "retrieval": ("rule-1-one-card", {"workload__retrieval": {"passages": 20}, "workload__users": 200}),
    "attention in groups": ("job-1-what-to-buy", {"model__id": "deepseek-ai/DeepSeek-V3.2", "workload__users": 400}),
    "prompts apart": ("job-1-what-to-buy", {"model__id": "openai/gpt-oss-120b", "deployment__engine": "sglang"}),
    "tokens sent directly": ("job-1-what-to-buy", {"model__id": "deepseek-ai/DeepSeek-V3.2",
                                                   "deployment__engine": "tensorrt-llm"}),
}  # fmt: skip


def changed_need(name: str) -> SearchRequest:
    """The question of a scenario file, or one of `SPECIAL`."""
    file, changes = SPECIAL.get(name, (name, {}))
    request = asked(file)
    return request.model_copy(update={"scenario": request.scenario.edited(**changes)})


def sized(request: SearchRequest, catalogue: Catalogue, number: int) -> Iterator[tuple[Field, int, Evaluation]]:
    """Candidates by chance that hold the work, with their bounds."""
    field = survey(request, catalogue)
    for at in random.Random(number).sample(range(len(field.layout)), number):
        found = evaluate(request, field.candidate(at), catalogue)
        if found.holds:
            yield field, at, found


@pytest.mark.parametrize("need", [*NEEDS, *SPECIAL])
def test_no_sizing_beats_its_bounds(need: str, catalogue: Catalogue) -> None:
    request = changed_need(need)
    for field, at, found in sized(request, catalogue, 250 if need in NEEDS else 120):
        assert field.least_bytes[at] <= field.most_bytes[at]
        assert found.speed is not None
        assert found.ttft is not None
        assert found.speed[1] <= field.speed[at]
        assert found.ttft[1] >= field.ttft[at]
        if fast_enough(request, found):
            assert found.ttft[1] >= field.ttft_if_fast[at]


@pytest.mark.parametrize("ranking", [Ranking.COST, Ranking.ENERGY])
@pytest.mark.parametrize("need", [*NEEDS, *SPECIAL])
def test_no_sizing_is_busier_than_its_bound(need: str, ranking: Ranking, catalogue: Catalogue) -> None:
    request = changed_need(need).model_copy(update={"ranking": ranking})
    for field, at, found in sized(request, catalogue, 60):
        assert found.saturated is not None
        assert found.saturated <= field.saturated[at]


@pytest.mark.parametrize("need", [*NEEDS, "all at once", "short", "retrieval", "prompts apart"])
def test_bounds_are_as_tight_as_they_can_be(need: str, catalogue: Catalogue) -> None:
    """Where nothing can lie in slower memory they are the figures themselves: what is sized in full is what is shown.

    Bounds that lost a part of the time would still be true, and the search slow.
    """
    for field, at, found in sized(changed_need(need), catalogue, 80):
        if len(found.candidate.layout.device.memory_tiers) > 1 or found.speed is None or found.ttft is None:
            continue
        assert found.speed[1] == pytest.approx(field.speed[at], rel=1e-6)
        assert found.ttft[1] == pytest.approx(field.ttft[at], rel=1e-6)
