"""Shares in titles and tiles are figures of the trace like all others."""

import pytest

from core.scenario import Scenario
from core.sizing.shown import share_of_limit, share_of_token
from core.sizing.size import size
from tests.core.cases import CASES
from tests.core.small_catalogue import small_catalogue


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_shares_are_recorded_and_can_be_computed_again(case: Scenario) -> None:
    sizing = size(case, small_catalogue())
    shares = {f"tpot_share.{part.key}": share_of_token(sizing.trace, part.key) for part in sizing.step}
    shares["memory.share_of_limit"] = share_of_limit(sizing.trace)
    for key, share in shares.items():
        assert sizing.trace[key] == sizing.trace.reevaluate(key) == share


def test_the_shares_of_a_token_are_the_whole_token() -> None:
    sizing = size(next(iter(CASES.values())), small_catalogue())
    assert sum(share_of_token(sizing.trace, part.key) for part in sizing.step) == pytest.approx(1)
