"""The title of the capacity charts: for each answer the sentence that is true of it."""

from dataclasses import replace

import pytest

from core.language.capacity_sentences import capacity_line, capacity_title
from core.language.numbers import Formatter
from core.sizing.concurrency import Capacity, Wall
from core.sizing.report import Sizing
from tests.desktop.fixed_sizing import Card, fixed_capacity, fixed_sizing

EN = Formatter("en")


def carried(sizing: Sizing, **changes: object) -> Capacity:
    found = fixed_capacity(sizing)
    assert found is not None
    return replace(found.capacity, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("card", "changes", "title"),
    [
        (Card(), {}, "70 users at your targets: 21 at once, then memory stops it"),
        (
            Card(),
            {"requests": 9, "users_by_share": 30, "wall": Wall.BANDWIDTH},
            "30 users at your targets: 9 at once, then memory bandwidth stops it",
        ),
        (
            Card(speed_target=None, ttft_target=None),
            {},
            "21 requests at once, then memory stops it",
        ),
        (
            Card(),
            {"requests": 0, "wall": Wall.PROMPTS},
            "One request alone misses your targets: reading others’ prompts",
        ),
        (Card(), {"requests": 0, "wall": Wall.MEMORY}, "Not one request of 256K fits"),
        (Card(), {"requests": 60}, "21 requests of 256K fit; of the usual length 60 meet your targets"),
        (
            Card(speed_target=None, ttft_target=None),
            {"requests": 60},
            "21 requests of 256K fit, 60 of the usual length",
        ),
    ],
)
def test_the_title_is_true(card: Card, changes: dict[str, object], title: str) -> None:
    sizing = fixed_sizing(card)
    assert capacity_title(sizing, carried(sizing, **changes), EN).replace("\u00a0", " ") == title


def test_a_number_typed_in_speaks_of_requests_only() -> None:
    sizing = fixed_sizing()
    workload = sizing.scenario.workload.model_copy(update={"requests_at_once": 12, "users": 1})
    typed = replace(sizing, scenario=sizing.scenario.model_copy(update={"workload": workload}))
    assert capacity_title(typed, carried(typed), EN) == ("21 requests at once meet your targets, then memory stops it")


def test_the_line_names_the_other_road_where_there_are_people() -> None:
    sizing = fixed_sizing()
    assert capacity_line(sizing, carried(sizing), EN).endswith("By Little’s law: 210 users.")
    assert "Little" not in capacity_line(sizing, carried(sizing, demand=None), EN)
    assert "grows to 256K" in capacity_line(sizing, carried(sizing), EN)
