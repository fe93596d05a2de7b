"""A sizing as text for the command line: columns that stand under one another, in three languages."""

from collections.abc import Callable

import pytest

from core.language.messages import LANGUAGES, in_language
from core.language.summary import NAME, NUMBER, RANGE, WIDTH, summary
from core.sizing.devices import smallest_that_fits
from core.sizing.examples import worked_example, worked_example_in_reality
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.desktop.fixed_sizing import STATES, fixed_sizing, reported, speed_unknown, too_much
from tests.shipped import shipped


def said(sizing: Sizing) -> str:
    return summary(sizing).replace("\u00a0", " ")


def cells(text: str, name: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip().startswith(name))
    return line[NAME:].split()


def test_amounts_stand_below_their_units() -> None:
    text = said(reported())
    assert cells(text, "GDDR7") == ["GB", "GiB"]
    assert cells(text, "Weights") == ["23.4", "21.8"]
    assert cells(text, "Free below the limit") == ["25.2", "23.5"]
    assert cells(text, "What the engine may use") == ["92.4", "86.0"]
    assert cells(text, "Size that software reports") == ["102.6", "95.6"]
    assert cells(text, "Size on the label") == ["96.0", "89.4"]


def test_what_is_too_much_stands_in_place_of_what_is_free() -> None:
    assert cells(said(too_much()), "Too much") == ["7.0", "6.5"]
    assert "Free below" not in said(too_much())


def test_a_speed_has_its_range_and_an_unknown_one_a_word() -> None:
    assert "61–89 tok/s" in said(fixed_sizing())
    unknown = said(speed_unknown())
    for name in ("Speed per user", "Time to first token", "Speed of all users", "Reading speed"):
        assert cells(unknown, name) == ["unknown"]
    assert cells(unknown, "Speed per user, at most") == ["112", "tok/s"]
    assert "! The catalogue has no computing rate for RTX PRO 6000 Workstation" in unknown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_columns_are_kept_and_lines_are_short(state: Callable[[], Sizing], language: str) -> None:
    with in_language(language):
        lines = said(state()).splitlines()
    assert max(map(len, lines)) <= WIDTH
    numbers = [line for line in lines if line.startswith("  ") and len(line) > NAME and not line.startswith("   ")]
    ends = {NAME + NUMBER, NAME + NUMBER + RANGE}
    rows = [line for line in numbers if len(line) in ends]
    assert rows
    assert all(line[NAME - 1] == " " for line in rows)


def test_the_answers_about_memory() -> None:
    """The real example: full heads would keep eight times as much; the smallest device is named where it is known."""
    catalogue = shipped()
    scenario = worked_example_in_reality()
    sizing = size(scenario, catalogue)
    text = summary(sizing, smallest_that_fits(scenario, catalogue)).replace("\u00a0", " ")
    assert cells(text, "With full heads") == ["8.0", "×"]
    assert "Cache outweighs the weights from" in text
    assert "Smallest device that holds it" in text
    assert "Layers that do not fit" not in text
    lacking = size(scenario.edited(deployment__device="rtx-4060", companions=()), catalogue)
    assert "Layers that do not fit" in summary(lacking)


def test_the_smallest_device_for_the_articles_textbook_model() -> None:
    """A model typed in has no class of attention weights, on machines of several accelerators either."""
    assert smallest_that_fits(worked_example(), shipped()) is not None
