"""The memory page: one grey line, and a list whose names are never cut."""

from typing import Any

import pytest

from core.language import chart_sentences
from core.language.format_names import format_name
from core.language.messages import LANGUAGES, in_language
from core.language.numbers import current
from core.sizing.report import MemoryKind
from core.sizing.size import size
from desktop.results.memory_page import ItemList, item_lines
from desktop.theme import Theme
from tests.shipped import shipped
from tests.usual_scenario import scenario

ROOM = 710  # of the results in a window of 1280


@pytest.fixture(scope="module")
def catalogue() -> Any:
    return shipped()


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_grey_line_is_one_line(theme: Theme, catalogue: Any, code: str) -> None:
    """Of every device, alone and of several, with memory to spare and with too little."""
    long = []
    with in_language(code):
        for device in catalogue.devices:
            for count, context in ((1, 32_768), (8, 1_048_576)):
                one = scenario().edited(
                    deployment__device=device, deployment__count=count, workload__context_tokens=context
                )
                line = chart_sentences.memory_line(size(one, catalogue), current())
                if theme.width(line, "label") > ROOM:
                    long.append(line)
    assert long == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_name_of_the_list_is_cut(theme: Theme, catalogue: Any, code: str, qtbot: Any) -> None:
    """Whatever the format of the weights is called, in one line or in two."""
    items = ItemList(theme)
    qtbot.addWidget(items)
    sizing = size(scenario(), catalogue)
    with in_language(code):
        for known in catalogue.weight_formats.values():
            lines = item_lines(sizing, {MemoryKind.WEIGHTS: format_name(known.name)}, current())
            items.set_lines(lines)
            assert [" ".join(name) for name in items._names] == [line.name for line in lines]
            assert items._tops == sorted(items._tops)
            items.grab()
