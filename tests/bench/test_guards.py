import pytest

from tests.accuracy.cases import shipped
from tests.core.random_scenarios import random_sizings
from tests.core.test_guards import SPEEDS, TOLERATED, beyond_the_limit

pytestmark = pytest.mark.bench

SCENARIOS = 10_000


def test_no_range_passes_what_physics_allows_in_ten_thousand_scenarios() -> None:
    beyond = [key for sizing in random_sizings(shipped(), SCENARIOS) for key in beyond_the_limit(sizing)]
    print(f"{len(beyond)} of {SCENARIOS:,} scenarios have a P90 beyond the limit, of {len(SPEEDS)} speeds each")
    assert len(beyond) <= TOLERATED * SCENARIOS
