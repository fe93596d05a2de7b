"""Every figure that other parts rely on is recorded in every case."""

import pytest

from core.scenario import Scenario
from core.sizing.report import KEYS
from core.sizing.size import size
from tests.core.cases import CASES
from tests.core.small_catalogue import small_catalogue


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_named_figure_is_recorded(case: Scenario) -> None:
    trace = size(case, small_catalogue()).trace
    assert [key for key in KEYS if key not in trace] == []
