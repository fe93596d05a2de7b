"""Titles of charts: for each sizing the sentence that is true of it."""

from dataclasses import replace

import pytest

from core.language import chart_sentences as words
from core.language.numbers import Formatter
from core.scenario import Companion, CompanionRole, Plan
from core.sizing.report import Cause, Limit, Verdict
from core.sizing.size import size
from tests.core.cases import scenario
from tests.core.small_catalogue import small_catalogue
from tests.desktop.fixed_sizing import (
    Card,
    eight_devices,
    fixed_sizing,
    reported,
    second_tier,
    speed_unknown,
    tiny,
    too_much,
    two_devices,
)

EN = Formatter("en")


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_memory_title_says_what_the_requests_take_of_the_limit() -> None:
    assert plain(words.memory_title(fixed_sizing(), EN)) == (
        "12 requests of 256K take 67.2 of the 92.4 GB the engine may use"
    )
    assert plain(words.memory_title(tiny(), EN)) == "1 request of 4K takes 0.9 of the 5.4 GB the engine may use"


def test_memory_title_says_what_is_missing() -> None:
    assert plain(words.memory_title(too_much(), EN)) == (
        "12 requests of 512K need 99.4 GB: 7.0 GB more than the engine may use"
    )


def test_memory_title_says_what_stands_in_slower_memory() -> None:
    assert plain(words.memory_title(second_tier(), EN)) == "112.0 of the 346.8 GB stand in the slower memory"


def test_memory_line_names_the_colours_that_are_drawn_and_the_device() -> None:
    assert plain(words.memory_line(fixed_sizing(), EN)).endswith("blue. One RTX PRO 6000 Workstation, 102.6 GB.")
    assert "hatched is too much" in words.memory_line(too_much(), EN)
    assert "hatched is the slower memory" in words.memory_line(second_tier(), EN)
    assert "One of 8 H200 SXM" in words.memory_line(eight_devices(), EN)


def test_curve_heading_says_whether_it_is_one_accelerator_of_several() -> None:
    assert words.memory_curve_heading(fixed_sizing(), "GB", EN) == "Memory against context, 12 requests at once, GB"
    assert words.memory_curve_heading(two_devices(), "GB", EN).startswith("Memory of one accelerator against context")


@pytest.mark.parametrize(
    ("step_ms", "limit", "title"),
    [
        (
            {Cause.WEIGHTS: 6.0, Cause.ENGINE: 4.0},
            Limit.BANDWIDTH,
            "Reading the weights takes 60 % of every token: memory bandwidth decides",
        ),
        (
            {Cause.WEIGHTS: 3.0, Cause.KV_CACHE: 3.0, Cause.ENGINE: 4.0},
            Limit.BANDWIDTH,
            "Launching and scheduling take 40 % of every token, the largest part",
        ),
        (
            {Cause.WEIGHTS: 1.0, Cause.SECOND_TIER: 9.0},
            Limit.SECOND_TIER,
            "Reading the slower memory takes 90 % of every token: the second tier decides",
        ),
        (
            {Cause.COMPUTE: 8.0, Cause.WEIGHTS: 2.0},
            Limit.COMPUTE,
            "Computing takes 80 % of every token: the computing rate decides",
        ),
    ],
)
def test_step_title_names_the_largest_cause(step_ms: dict[Cause, float], limit: Limit, title: str) -> None:
    sizing = fixed_sizing(Card(step_ms=step_ms, limit=limit))
    assert plain(words.step_title(sizing, EN)) == title


def test_step_title_knows_the_prompts_of_other_users() -> None:
    sizing = fixed_sizing(Card(interference_ms=20.0))
    assert (
        plain(words.step_title(sizing, EN)) == "The prompts of other users take 60 % of every token, the largest part"
    )
    assert words.token_parts(sizing)[-1].cause is Cause.PROMPTS
    decided = fixed_sizing(Card(interference_ms=20.0, limit=Limit.PROMPTS))
    assert plain(words.step_title(decided, EN)) == "The prompts of other users take 60 % of every token: they decide"
    assert plain(words.step_reason(decided, words.token_parts(decided)[-1], EN)) == "32K tokens each"


def test_an_unknown_speed_says_what_is_missing() -> None:
    sizing = speed_unknown()
    assert words.step_title(sizing, EN) == "The time of a token is unknown"
    assert "peak FLOPS of RTX PRO 6000 Workstation" in words.step_line(sizing, EN)


def test_the_three_sizes_of_a_memory() -> None:
    tier = reported().devices[0].tiers[0]
    assert plain(words.capacity_label(reported(), tier, EN)) == "Card 102.6 GB, label 96"
    assert "reported size 102.6 GB." in plain(words.memory_line(reported(), EN))
    assert plain(words.sizes_of_memory(tier, EN)).splitlines() == [
        "On the label: 96.0 GB (89.4 GiB)",
        "As software reports it: 102.6 GB (95.6 GiB)",
        "What the engine may use: 92.4 GB (86.0 GiB)",
    ]
    same = fixed_sizing()
    assert plain(words.capacity_label(same, same.devices[0].tiers[0], EN)) == "Card 102.6 GB"


def test_a_step_without_time_is_unknown() -> None:
    assert words.step_title(replace(fixed_sizing(), step=()), EN) == "The time of a token is unknown"


def test_parts_that_take_no_time_are_left_out_except_the_link() -> None:
    sizing = fixed_sizing(Card(step_ms={Cause.WEIGHTS: 1.0, Cause.STATE: 0.0, Cause.LINK: 0.0}))
    assert [part.cause for part in words.token_parts(sizing)] == [Cause.WEIGHTS, Cause.LINK]


def test_reasons_use_numbers_where_the_trace_has_them() -> None:
    sizing = second_tier()
    parts = {part.cause: part for part in words.token_parts(sizing)}
    assert plain(words.step_reason(sizing, parts[Cause.SECOND_TIER], EN)) == "out of 112.0 GB, at 396 GB/s"
    assert words.step_reason(sizing, parts[Cause.WEIGHTS], EN)  # no figures: the cause in words
    link = words.token_parts(fixed_sizing())[-1]
    assert words.step_reason(fixed_sizing(), link, EN) == "nothing to exchange"


def test_what_one_accelerator_lacks_is_said_where_all_together_have_room() -> None:
    """A companion on one of two cards; and vLLM's block that belongs to nobody."""
    small = small_catalogue()
    beside = Companion(role=CompanionRole.EMBEDDING, parameters=60_000_000_000, weights="fp8")
    split = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws", deployment__count=2, deployment__plan=Plan(tensor=2))
    uneven = size(split.edited(companions=(beside,), deployment__capacity_bytes=70_000_000_000), small)
    one = scenario("dense-70b", "nvfp4", "rtx-pro-6000-ws")
    longest = int(size(one, small).trace["max_context_tokens"])
    without_block = size(one.edited(workload__context_tokens=longest + 1), small)
    for sizing in (uneven, without_block):
        assert sizing.verdict is Verdict.DOES_NOT_FIT
        assert sizing.trace["memory.free_bytes"] >= 0
        assert EN.bytes(sizing.shortfall_bytes) in words.memory_title(sizing, EN)
    assert "hatched" not in words.memory_line(without_block, EN)
