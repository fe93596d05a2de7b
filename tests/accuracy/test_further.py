"""The further records are read, and hold what they held when each was set."""

import pytest

from tests.accuracy.further import FOLDER, FURTHER, Limit, all_limits, compared, of_kind


def test_every_file_is_held_to_something() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FURTHER)
    assert all(held.limits for held in FURTHER.values())


@pytest.mark.parametrize(("name", "limit"), all_limits(), ids=str)
def test_predictions_hold(name: str, limit: Limit) -> None:
    rows = of_kind(name, limit.kind)
    assert sum(abs(row.error) <= limit.error for row in rows) / len(rows) >= limit.least_share


@pytest.mark.parametrize("name", FURTHER)
def test_few_are_skipped_and_none_for_want_of_a_rule(name: str) -> None:
    results, skipped = compared(name).results, compared(name).skipped
    assert len(results) >= FURTHER[name].figures
    assert len(skipped) <= FURTHER[name].most_skipped * (len(results) + len(skipped))
    assert [skip for skip in skipped if "no rule" in skip.reason or "the core refuses" in skip.reason] == []
