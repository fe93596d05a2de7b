import pytest
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.language.messages import LANGUAGES, in_language
from core.language.numbers import Formatter
from core.sizing.report import Evidence
from core.trace import Computed
from desktop.results.explanation import evidence_of, explain, roots
from desktop.results.figure_list import TREE_WIDTH, FigureDelegate, FigureTree
from desktop.results.figure_tree import FigureTreeModel, figure_tree
from desktop.theme import Theme
from tests.desktop.fixed_sizing import STATES, Card, fixed_sizing, speed_unknown

EN = Formatter("en")


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_a_computed_figure_has_words_numbers_and_result_in_both_units() -> None:
    found = explain(fixed_sizing(), "kv_bytes_per_request", EN)
    assert plain(found.value) == "2.7 GB"
    assert [plain(step) for step in found.steps] == [
        "Cache per token × Context limit",
        "10,240 × 262,144",
        "2,684,354,560 B",
        "2.7 GB (2.5 GiB)",
    ]
    assert [line.key for line in found.inputs] == ["kv_bytes_per_token", "workload.context_tokens"]
    assert {line.key for line in found.uses} == {"memory_item.kv_cache", "max_concurrency"}


def test_exact_is_told_from_estimated() -> None:
    assert explain(fixed_sizing(), "kv_bytes_per_request", EN).is_exact
    speed = explain(fixed_sizing(), "decode_tok_s", EN)
    assert not speed.is_exact
    assert speed.certainty.startswith("Measured on relatives")
    assert evidence_of(fixed_sizing(Card(evidence=Evidence.GENERIC)), "decode_step_s") is Evidence.GENERIC


def test_a_given_figure_names_its_source_with_date_and_confidence() -> None:
    found = explain(fixed_sizing(), "memory_bandwidth_bytes_per_s", EN)
    assert "RTX PRO 6000 Blackwell Workstation datasheet, 2026-03-18, two sources" in found.certainty
    assert plain(found.steps[-1]) == "1,792 GB/s"
    assert found.inputs == ()


def test_a_sum_lists_each_term_once() -> None:
    found = explain(fixed_sizing(), "memory.fixed_bytes", EN)
    assert len(found.inputs) == 4
    assert plain(found.steps[0]).count("+") == 3


def test_the_rule_of_thumb_is_told_where_it_differs() -> None:
    note = explain(fixed_sizing(), "kv_bytes_per_request", EN).notes[0]
    assert "12.9" in note
    assert "2.7" in note
    assert explain(fixed_sizing(), "ttft_s", EN).notes == ()


def test_the_text_holds_everything() -> None:
    found = explain(fixed_sizing(), "kv_bytes_per_request", EN)
    for part in (found.name, found.value, found.certainty, *found.steps, *found.notes):
        assert part in found.text
    for line in (*found.inputs, *found.uses):
        assert line.name in found.text


def test_every_figure_can_be_explained_and_rests_on_given_numbers() -> None:
    for make in STATES.values():
        sizing = make()
        for key in sizing.trace:
            assert explain(sizing, key, EN).steps
            if isinstance(sizing.trace.entry(key), Computed):
                assert roots(sizing, key)


def test_the_tree_holds_every_figure_once() -> None:
    for make in STATES.values():
        sizing = make()
        keys = [node.key for node in figure_tree(sizing).walk() if node.key]
        assert sorted(keys) == sorted(sizing.trace)


def test_the_main_figures_stand_on_top() -> None:
    top = [node.key for node in figure_tree(fixed_sizing()).children]
    assert top[:4] == ["memory.total_bytes", "max_concurrency", "decode_tok_s", "ttft_s"]


def test_of_an_unknown_speed_the_bound_stands_on_top() -> None:
    top = [node.key for node in figure_tree(speed_unknown()).children]
    assert top[:3] == ["memory.total_bytes", "max_concurrency", "decode_tok_s.ceiling"]
    assert evidence_of(speed_unknown(), "decode_tok_s.ceiling") is Evidence.GENERIC


@pytest.mark.parametrize("language", LANGUAGES)
def test_main_figures_have_room_beside_their_values_and_no_name_is_lost(
    qtbot: QtBot, theme: Theme, language: str
) -> None:
    with in_language(language):
        tree = FigureTree(theme)
        qtbot.addWidget(tree)
        tree.set_sizing(fixed_sizing(Card(interference_ms=20.0)))
        delegate = tree.itemDelegate()
        assert isinstance(delegate, FigureDelegate)
        for main in range(4):
            top = tree.figures.index(main, 0)
            for index in (top, *(tree.figures.index(row, 0, top) for row in range(tree.figures.rowCount(top)))):
                assert delegate.lines(index, TREE_WIDTH) == [index.data()], index.data()
        long = tree.figures.index_of("textbook.kv_bytes_per_request")
        assert len(delegate.lines(long, TREE_WIDTH)) == 2
        assert delegate.sizeHint(QStyleOptionViewItem(), long).height() > delegate.sizeHint(
            QStyleOptionViewItem(), tree.figures.index(0, 0)
        ).height()  # fmt: skip


def test_tree_model(qtmodeltester: ModelTester) -> None:
    model = FigureTreeModel()
    assert model.set_sizing(fixed_sizing())
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]
    index = model.index_of("memory_item.weights")
    assert index.parent() == model.index_of("memory.total_bytes")
    assert plain(index.data(FigureTreeModel.VALUE_ROLE)) == "23.4 GB"
    assert not model.set_sizing(fixed_sizing(Card(weights=30e9)))  # the same rows with other numbers
    assert plain(index.data(FigureTreeModel.VALUE_ROLE)) == "30.0 GB"
    assert not model.index_of("no such figure").isValid()
