"""The session: edits, undo, debounce, saving."""

import pytest
from PySide6.QtTest import QSignalSpy

from core.scenario import CatalogueModel, Scenario
from core.sizing.report import Sizing, Verdict
from desktop.own_records import OwnRecords
from desktop.saved_scenarios import SavedScenarios
from desktop.session import FRAME_MS, Message, Session, one_of
from tests.desktop.small_catalogue import MemoryStore, SmallCatalogue, small_scenario, small_size, with_records


def test_an_edit_changes_the_scenario_and_the_sizing(session: Session) -> None:
    seen: list[Scenario] = []
    session.scenario_changed.connect(seen.append)
    assert session.edit("Users", workload__users=50)
    assert session.scenario.workload.users == 50
    assert seen == [session.scenario]


def test_a_refused_edit_leaves_everything_and_says_why(session: Session) -> None:
    before, messages = session.scenario, QSignalSpy(session.message)
    assert not session.edit("Users", workload__users=0)
    assert session.scenario is before
    assert session.history.count() == 0
    assert messages.at(0)[0].text == "At least 1."
    assert session.check(workload__users=0) == "At least 1."
    assert session.check(workload__users=7) == ""


def test_undo_and_redo_bring_back_both_sides(session: Session) -> None:
    session.edit("Users", workload__users=50)
    session.edit("KV cache", kv_format="fp16")
    assert session.history.undoText() == "KV cache"
    session.undo()
    assert (session.scenario.workload.users, session.scenario.kv_format) == (50, "fp8")
    session.undo()
    assert session.scenario == small_scenario()
    session.redo()
    assert session.scenario.workload.users == 50


def test_edits_of_one_gesture_are_one_step(session: Session) -> None:
    with session.history.gesture():
        for users in (41, 42, 43, 44):
            session.edit("Users", workload__users=users)
    assert session.history.count() == 1
    session.edit("Users", workload__users=45)
    assert session.history.count() == 2
    session.undo()
    session.undo()
    assert session.scenario.workload.users == 40


def test_a_gesture_that_returns_leaves_no_step(session: Session) -> None:
    with session.history.gesture():
        session.edit("Users", workload__users=41)
        session.edit("Users", workload__users=40)
    assert session.history.count() == 0


def test_gestures_do_not_join_different_fields(session: Session) -> None:
    with session.history.gesture():
        session.edit("Users", workload__users=41)
        session.edit("Answer", workload__output_tokens=700)
    assert session.history.count() == 2


def test_an_edit_without_a_change_is_no_step(session: Session) -> None:
    session.edit("Users", workload__users=40)
    assert session.history.count() == 0


def test_recompute_is_at_once_then_once_a_frame_and_the_last_wins(qtbot: object, store: MemoryStore) -> None:
    sized: list[int] = []

    def size(scenario: Scenario, catalogue: SmallCatalogue) -> Sizing:
        sized.append(scenario.workload.users)
        return small_size(scenario, catalogue)

    session = Session(SmallCatalogue(), small_scenario(), store, size)
    for users in range(41, 61):
        session.edit("Users", workload__users=users)
    assert sized == [41]
    with qtbot.waitSignal(session.sizing_changed, timeout=1000) as last:  # type: ignore[attr-defined]
        pass
    assert sized == [41, 60]
    assert last.args[0].scenario.workload.users == 60
    qtbot.wait(3 * FRAME_MS)  # type: ignore[attr-defined]
    assert sized == [41, 60]


def test_a_sizing_that_fails_keeps_the_last_one_and_says_so(session: Session, qtbot: object) -> None:
    kept, messages = session.sizing, QSignalSpy(session.message)
    qtbot.wait(2 * FRAME_MS)  # type: ignore[attr-defined]
    session.edit("Device", deployment__device="no-such")
    assert session.sizing is kept
    assert any("no-such" in messages.at(at)[0].text for at in range(messages.count()))
    qtbot.wait(2 * FRAME_MS)  # type: ignore[attr-defined]
    session.undo()
    assert messages.at(messages.count() - 1)[0] == Message("", topic="sizing")


def test_loading_begins_a_new_history(session: Session) -> None:
    session.edit("Users", workload__users=50)
    session.open(2)
    assert session.scenario.name == "Two DGX Sparks"
    assert session.scenario_id == 2
    assert not session.history.canUndo()
    assert session.sizing is not None
    assert session.sizing.verdict is Verdict.DOES_NOT_FIT


def test_it_saves_by_itself(qtbot: object, session: Session, store: MemoryStore) -> None:
    with qtbot.waitSignal(session.saved, timeout=3000):  # type: ignore[attr-defined]
        session.edit("Users", workload__users=50)
    assert store.kept[1].workload.users == 50
    assert store.saves == 1


def test_what_waits_is_saved_before_another_is_shown(session: Session, store: MemoryStore) -> None:
    session.edit("Users", workload__users=50)
    session.open(2)
    assert store.kept[1].workload.users == 50
    assert store.last == 2


def test_a_full_disk_loses_nothing(session: Session, store: MemoryStore) -> None:
    messages = QSignalSpy(session.message)
    session.edit("Users", workload__users=50)
    store.broken = True
    assert not session.save()
    assert session.scenario.workload.users == 50
    said = messages.at(messages.count() - 1)[0]
    assert (said.topic, said.tone) == ("store", "warn")
    assert "kept in memory" in said.text
    store.broken = False
    assert session.save()
    assert store.kept[1].workload.users == 50


def test_a_change_that_cannot_be_saved_is_not_left_without_asking(session: Session, store: MemoryStore) -> None:
    messages = QSignalSpy(session.message)
    session.edit("Users", workload__users=50)
    store.broken = True
    store.load = lambda scenario_id: small_scenario(name=f"number {scenario_id}")  # type: ignore[method-assign]
    assert not session.save()
    assert not session.open(2)
    assert (session.scenario_id, session.scenario.workload.users) == (1, 50)
    said = messages.at(messages.count() - 1)[0]
    assert said.text == "Nothing was saved: the disk is full. Your last change would be lost."
    session.new(small_scenario(name="Fresh"))
    assert (session.scenario_id, session.scenario.workload.users) == (1, 50)
    said.run()
    assert session.scenario_id == 2
    assert session.scenario.name == "number 2"


def test_the_last_failed_change_is_saved_at_the_end(session: Session, store: MemoryStore) -> None:
    session.edit("Users", workload__users=50)
    store.broken = True
    assert not session.flush()
    store.broken = False
    assert session.flush()
    assert store.kept[1].workload.users == 50


def test_undo_in_a_message_means_the_step_it_speaks_of(session: Session) -> None:
    messages = QSignalSpy(session.message)
    session.edit("Device", deployment__device="h200-nvl")
    session.say_with_undo("The scenario now uses it.", "device")
    assert messages.at(messages.count() - 1)[0].action == "Undo"
    session.edit("Users", workload__users=50)
    said = [messages.at(at)[0] for at in range(messages.count())]
    assert Message("", topic="device") in said


def test_delete_offers_undo(session: Session, store: MemoryStore) -> None:
    messages = QSignalSpy(session.message)
    one_of(SavedScenarios, session).delete(1)
    assert 1 not in store.kept
    assert session.scenario_id == 2
    offer = [messages.at(at)[0] for at in range(messages.count()) if messages.at(at)[0].topic == "delete"][-1]
    assert offer.action == "Undo"
    offer.run()
    assert store.kept[1].name == "RAG platform, one card"
    assert session.scenario_id == 1


def test_duplicate_rename_and_new(session: Session, store: MemoryStore) -> None:
    one_of(SavedScenarios, session).duplicate(2, "Copy")
    assert session.scenario_id == 4
    assert store.kept[4].name == "Copy"
    one_of(SavedScenarios, session).rename(2, "Other", "Client")
    assert (store.kept[2].name, store.kept[2].client) == ("Other", "Client")
    one_of(SavedScenarios, session).rename(4, "Mine", "Client")
    assert (session.scenario.name, store.kept[4].name) == ("Mine", "Mine")
    session.new(small_scenario(name="Fresh"))
    assert store.kept[5].name == "Fresh"


def test_a_preview_changes_nothing(session: Session) -> None:
    before = session.scenario
    sizing = session.preview(workload__users=70)
    assert sizing is not None
    assert sizing.scenario.workload.users == 70
    assert session.scenario is before
    assert session.preview(workload__users=0) is None


def test_own_records_reach_the_catalogue(session: Session) -> None:
    device = session.catalogue.device("rtx-4090").model_copy(update={"tdp_w": 400.0})
    assert one_of(OwnRecords, session).save("devices", device)
    assert session.catalogue.device("rtx-4090").tdp_w == 400
    assert one_of(OwnRecords, session).put("devices", "rtx-4090", None)
    assert session.catalogue.device("rtx-4090").tdp_w == 450


@pytest.mark.parametrize("changes", [{"kv_format": "fp16"}, {"model": CatalogueModel(id="openai/gpt-oss-20b")}])
def test_a_step_holds_the_scenario_before_and_after(session: Session, changes: dict[str, object]) -> None:
    session.edit("Change", **changes)
    changed = session.scenario
    session.undo()
    assert session.scenario == small_scenario()
    session.redo()
    assert session.scenario == changed


def test_without_a_store_nothing_is_saved_and_nothing_breaks(qapp: object) -> None:
    session = Session(SmallCatalogue(), small_scenario(), None, small_size, with_records)
    session.edit("Users", workload__users=50)
    assert not session.save()
    assert list(one_of(SavedScenarios, session).all()) == []


def test_a_full_disk_offers_a_copy_elsewhere_and_is_tried_again(
    qtbot: object, session: Session, store: MemoryStore
) -> None:
    messages, wanted = QSignalSpy(session.message), QSignalSpy(session.copy_wanted)
    store.broken = True
    session.edit("Users", workload__users=50)
    assert not session.save()
    offer = messages.at(messages.count() - 1)[0]
    assert offer.text == "Nothing was saved: the disk is full. Your last change is kept in memory."
    assert offer.action == "Save a copy elsewhere…"
    offer.run()
    assert wanted.count() == 1
    assert session.scenario.workload.users == 50
    store.broken = False
    session._retry_timer.start(1)
    with qtbot.waitSignal(session.saved, timeout=1000):  # type: ignore[attr-defined]
        pass
    assert store.kept[1].workload.users == 50
