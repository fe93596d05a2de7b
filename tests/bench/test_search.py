import pytest

from core.sizing.search.hardware import find_hardware
from core.sizing.search.models import find_models
from core.sizing.search.request import SearchRequest
from tests.bench.conftest import Measure
from tests.core.search_cases import asked
from tests.shipped import shipped

pytestmark = pytest.mark.bench

FIND_S = 0.3
LEAST_CANDIDATES = 5_000
QUESTIONS: dict[str, dict[str, object]] = {
    "40 users, RAG, whole catalogue, by price": {"ranking": "price"},
    "40 users, RAG, whole catalogue, by speed": {"ranking": "speed"},
    "40 users, RAG, under 100,000": {"ranking": "cost", "limits": {"budget": 100_000}},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_find_hardware(name: str, measure: Measure) -> None:
    catalogue = shipped()
    request = asked("job-1-what-to-buy", **QUESTIONS[name])
    found = find_hardware(request, catalogue)
    assert found.candidates >= LEAST_CANDIDATES
    what = f"find {name}: {found.candidates:,}, {found.sized} sized"
    measure(what, FIND_S, lambda: find_hardware(request, catalogue), repeats=7)


def test_find_models(measure: Measure) -> None:
    catalogue = shipped()
    request: SearchRequest = asked("job-2-what-runs")
    found = find_models(request, catalogue)
    measure(f"find models: {found.combinations:,}", FIND_S, lambda: find_models(request, catalogue), repeats=7)
