"""The inputs column: every field edits its place in the scenario, shows it again after undo, and says what is wrong."""

from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.scenario import CatalogueModel, Companion, CompanionRole, Mode, Placement, Plan, TextbookModel
from desktop.inputs.names import plan_choices, plan_key, plan_of
from desktop.inputs.panel import InputsPanel
from desktop.inputs.rows import value_at
from desktop.session import Session
from desktop.settings import Settings
from desktop.theme import Theme
from desktop.widgets.quantity_edit import QuantityEdit
from tests.desktop.small_catalogue import MemoryStore


@pytest.fixture
def panel(qtbot: Any, session: Session, theme: Theme, settings: Settings) -> InputsPanel:
    panel = InputsPanel(session, theme, settings, lambda: None)
    qtbot.addWidget(panel)
    panel.resize(300, 800)
    panel.show()
    panel.activateWindow()
    return panel


def type_in(qtbot: Any, edit: QuantityEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("row", "text", "path", "value"),
    [
        ("users", "120", "workload__users", 120),
        ("active", "12.5", "workload__active_share", 0.125),
        ("requests", "7", "workload__requests_at_once", 7),
        ("prompt", "16K", "workload__prompt_tokens", 16_384),
        ("answer", "1000", "workload__output_tokens", 1000),
        ("context", "128K", "workload__context_tokens", 131_072),
        ("prefix", "35", "workload__prefix_hit_share", 0.35),
        ("first_token", "800 ms", "workload__ttft_target_s", 0.8),
        ("speed", "42", "workload__speed_target", 42.0),
        ("reserve", "25", "workload__reserve_share", 0.25),
    ],
)
def test_fields_of_the_workload(
    qtbot: Any, panel: InputsPanel, session: Session, row: str, text: str, path: str, value: object
) -> None:
    before = value_at(session.scenario, path)
    field = getattr(panel.workload, row)
    type_in(qtbot, field.edit, text)
    assert value_at(session.scenario, path) == value
    assert session.history.count() == 1
    session.undo()
    assert value_at(session.scenario, path) == before
    assert field.edit.value == before


def test_a_derived_number_is_a_caption(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    assert panel.workload.active.caption.text == "12 requests at once"
    type_in(qtbot, panel.workload.active.edit, "50")
    qtbot.waitUntil(lambda: panel.workload.active.caption.text == "20 requests at once")


def test_rubbish_is_marked_beside_the_field_and_results_stay(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    row = panel.workload.context
    type_in(qtbot, row.edit, "25 6X")
    assert row.caption.text == "Write a length such as 256K. Keeping 256K."
    assert session.scenario.workload.context_tokens == 262_144
    qtbot.keyClick(row.edit, Qt.Key.Key_Escape)
    assert row.caption.text == ""


def test_a_slider_drag_is_one_step(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    slider = panel.workload.context.slider
    assert slider is not None
    slider.gesture_started.emit()
    for number in (131_072, 98_304, 65_536):
        slider._move_to(number)
    slider.gesture_ended.emit()
    assert session.scenario.workload.context_tokens == 65_536
    assert panel.workload.context.edit.text() == "64K"
    assert session.history.count() == 1
    session.undo()
    assert slider.number == 262_144


def test_requests_set_directly_take_the_place_of_users(panel: InputsPanel, session: Session) -> None:
    session.edit("Requests", workload__requests_at_once=5)
    assert panel.workload.requests.isVisible()
    assert not panel.workload.users.isVisible()
    session.edit("Requests", workload__requests_at_once=None)
    assert panel.workload.users.isVisible()


def test_more_shows_the_rare_rows(qtbot: Any, panel: InputsPanel) -> None:
    assert not panel.workload.reserve.isVisible()
    qtbot.mouseClick(panel.workload.more, Qt.MouseButton.LeftButton)
    assert panel.workload.reserve.isVisible()
    assert panel.workload.more.text() == "Less"


def test_the_model_is_picked_by_name(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    picker = panel.model.model
    assert picker.text_shown == "Qwen3.6-35B-A3B"
    picker.open()
    qtbot.keyClicks(picker.popup().search, "llama")
    qtbot.keyClick(picker.popup().search, Qt.Key.Key_Return)
    assert session.scenario.model == CatalogueModel(id="meta-llama/Llama-3.1-70B")
    assert picker.text_shown == "Llama-3.1-70B"


def test_the_list_of_models_shows_key_figures(panel: InputsPanel) -> None:
    picker = panel.model.model
    picker.open()
    details = {choice.name: choice.detail for choice in picker.popup().list.rows.rows if choice.key}
    assert details["Qwen3-32B"] == "35.1B"
    assert "Qwen3-Embedding-4B" not in details


def test_formats_that_the_engine_lacks_come_last_and_say_so(panel: InputsPanel) -> None:
    panel.model.kv_cache.open()
    rows = [(choice.name, choice.detail) for choice in panel.model.kv_cache.popup().list.rows.rows]
    assert rows == [
        ("vLLM", ""), ("FP16", "16 bit"), ("FP8", "8 bit"), ("Not in vLLM", ""), ("NVFP4", "4 bit"),
    ]  # fmt: skip


def test_facts_of_the_model(panel: InputsPanel) -> None:
    assert panel.model.facts.text == "35.1B parameters. 23.4\u00a0GB of weights; 10 of 40 layers keep a cache."


def test_a_textbook_model_begins_with_the_numbers_on_screen(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    panel.model._use_textbook()
    model = session.scenario.model
    assert isinstance(model, TextbookModel)
    assert (model.layers, model.kv_heads, model.head_dim, model.parameters) == (40, 2, 256, 35_100_000_000)
    assert panel.model.textbook.isVisible()
    layers = panel.model.textbook.fields[2].edit
    type_in(qtbot, layers, "48")
    assert value_at(session.scenario, "model__layers") == 48
    active = panel.model.textbook.fields[1]
    type_in(qtbot, active.edit, "70B")
    assert active.caption.text == "Active parameters cannot exceed all parameters."
    session.undo()
    session.undo()
    assert not panel.model.textbook.isVisible()


def test_companions_come_and_go(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    panel.companions.set_folded(False)
    assert panel.companions.summary.text() == "2 models · 6.5\u00a0GB"
    editor = panel.companions._editors[1]
    editor.placement.chosen.emit(Placement.CPU.value)
    assert session.scenario.companions[1].placement is Placement.CPU
    editor.model.chosen.emit("parameters")
    assert session.scenario.companions[1].parameters == 4_000_000_000
    type_in(qtbot, editor.parameters, "0.57B")
    assert session.scenario.companions[1].parameters == 570_000_000
    panel.companions.add_reranker.click()
    assert [c.role for c in session.scenario.companions][-1] is CompanionRole.RERANKER
    panel.companions._editors[0]._remove()
    assert [c.role for c in session.scenario.companions] == [CompanionRole.RERANKER, CompanionRole.RERANKER]
    for _step in range(5):
        session.undo()
    assert session.scenario.companions[0] == Companion(role=CompanionRole.EMBEDDING, model="Qwen/Qwen3-Embedding-4B")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("0", "At least 1."), ("-1", "At least 1."), ("99999999999999999999", "At most 10,000,000,000,000.")],
)
def test_a_companion_of_an_impossible_size_is_refused(
    qtbot: Any, panel: InputsPanel, session: Session, text: str, problem: str
) -> None:
    editor = panel.companions._editors[1]
    editor.model.chosen.emit("parameters")
    type_in(qtbot, editor.parameters, text)
    assert session.scenario.companions[1].parameters == 4_000_000_000
    assert editor.parameters.problem == problem


def test_a_text_in_the_field_of_a_companion_that_was_undone_changes_nothing(
    qtbot: Any, panel: InputsPanel, session: Session
) -> None:
    panel.companions.set_folded(False)
    panel.companions.add_reranker.click()
    panel.companions._editors[-1].model.chosen.emit("parameters")
    editor = panel.companions._editors[-1]
    editor.parameters.setFocus()
    editor.parameters.selectAll()
    qtbot.keyClicks(editor.parameters, "3B")
    session.undo()  # of what was just typed
    assert session.scenario.companions[-1].parameters == 4_000_000_000
    session.undo()
    editor.parameters.setText("3B")
    editor.parameters._apply()
    assert session.scenario.companions[-1].model is not None
    session.undo()
    left = session.scenario.companions
    editor.parameters.setText("5B")
    editor.parameters._apply()
    assert session.scenario.companions == left


def test_another_device_drops_what_was_set_for_the_old_one(panel: InputsPanel, session: Session) -> None:
    session.edit("Set", deployment__plan=Plan(), deployment__capacity_bytes=90 * 10**9, economics__price=Decimal(100))
    panel.deployment.device.chosen.emit("h200-nvl")
    assert session.scenario.deployment.device == "h200-nvl"
    assert session.scenario.deployment.plan is None
    assert session.scenario.deployment.capacity_bytes is None
    assert session.scenario.economics.price is None
    assert panel.deployment.facts.text == "141\u00a0GB GDDR7, 4,800\u00a0GB/s, 600\u00a0W"


def test_another_count_makes_the_plan_automatic(panel: InputsPanel, session: Session) -> None:
    session.edit("Plan", deployment__count=2, deployment__plan=Plan(tensor=2))
    panel.deployment.count.stepper.more.click()
    assert session.scenario.deployment.count == 3
    assert session.scenario.deployment.plan is None


def test_plans_that_spread_experts() -> None:
    choices = plan_choices(8, None, experts=128)
    named = {choice.key: choice.name for choice in choices}
    assert named["1.1.1.8.8"] == "Attention in 8 groups × experts over 8"
    assert named["8.1.1.1.8"] == "Tensor parallel 8 × experts over 8"
    assert named["1.1.2.4.4"] == "Attention in 4 groups × experts over 4 × 2 replicas"
    assert all(plan_key(plan_of(key)) == key for key in named)
    plans = [plan for plan in map(plan_of, named) if plan is not None]
    assert all(plan.ranks == 8 for plan in plans)
    assert not any(plan.spreads_experts for plan in map(plan_of, (c.key for c in plan_choices(8, None))) if plan)


def test_plans_of_four() -> None:
    keys = [choice.key for choice in plan_choices(4, None)]
    assert keys[0] == "auto"
    assert set(keys[1:]) == {"4.1.1", "2.1.2", "2.2.1", "1.1.4", "1.2.2", "1.4.1"}
    assert all(plan_key(plan_of(key)) == key for key in keys)
    assert plan_choices(4, None)[1].name == "Tensor parallel 4"


def test_a_device_that_is_not_there_is_said(panel: InputsPanel, session: Session) -> None:
    session.edit("Device", deployment__device="gone")
    assert panel.deployment.device.text_shown == "gone"
    assert panel.deployment.facts.text == "This device is not in the catalogue."


def test_the_price_is_exact_and_the_catalogue_is_named(qtbot: Any, panel: InputsPanel, session: Session) -> None:
    panel.economics.set_folded(False)
    assert panel.economics.price.caption.text == "Catalogue: 8,565–16,000\u00a0USD, 2026-08"
    type_in(qtbot, panel.economics.price.edit, "12,345.67")
    assert session.scenario.economics.price == Decimal("12345.67")
    type_in(qtbot, panel.economics.price.edit, "18,600")
    assert session.scenario.economics.price == Decimal(18_600)
    assert panel.economics.price.edit.text() == "18,600"


def test_article_mode_shows_a_line_with_a_switch(panel: InputsPanel, session: Session) -> None:
    assert not panel.article.isVisible()
    session.edit("Mode", mode=Mode.ARTICLE)
    assert panel.article.isVisible()
    session.undo()
    assert not panel.article.isVisible()


def test_folds_are_remembered(
    qtbot: Any, panel: InputsPanel, session: Session, theme: Theme, settings: Settings
) -> None:
    assert panel.companions.folded
    panel.companions.toggle()
    panel.workload.toggle()
    again = InputsPanel(session, theme, settings, lambda: None)
    qtbot.addWidget(again)
    assert (again.companions.folded, again.workload.folded) == (False, True)


def test_the_name_is_edited_in_place(qtbot: Any, panel: InputsPanel, session: Session, store: MemoryStore) -> None:
    panel.name.setFocus()
    panel.name.selectAll()
    qtbot.keyClicks(panel.name, "Two cards")
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    assert session.scenario.name == "Two cards"
    panel.name.clear()
    panel.name.editingFinished.emit()
    assert panel.name.text() == "Two cards"


def test_undo_says_what_it_takes_back(panel: InputsPanel, session: Session) -> None:
    assert not panel.undo.isEnabled()
    session.edit("Users", workload__users=50)
    assert panel.undo.isEnabled()
    assert panel.undo.toolTip() == "Undo: Users  (Ctrl+Z)"
    panel.undo.click()
    assert session.scenario.workload.users == 40
    assert panel.redo.isEnabled()


def test_a_name_that_is_being_typed_stays_with_its_scenario(
    qtbot: Any, panel: InputsPanel, session: Session, store: MemoryStore
) -> None:
    panel.name.setFocus()
    panel.name.selectAll()
    qtbot.keyClicks(panel.name, "Mine")
    session.open(2)  # as Ctrl+Tab does
    assert store.kept[1].name == "Mine"
    assert panel.name.text() == "Two DGX Sparks"
    panel.workload.users.edit.setFocus()
    session.flush()
    assert store.kept[2].name == "Two DGX Sparks"


def test_a_number_that_is_being_typed_stays_with_its_scenario(
    qtbot: Any, panel: InputsPanel, session: Session, store: MemoryStore
) -> None:
    edit = panel.workload.users.edit
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "75")
    session.open(2)
    qtbot.wait(400)
    assert (store.kept[1].workload.users, session.scenario.workload.users) == (75, 40)
