"""The application as a whole, on the shipped catalogue and a real store in an empty folder."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLockFile
from PySide6.QtWidgets import QApplication, QMessageBox

import desktop.app
from core.catalogue.own import records_in
from core.errors import StoreError
from core.language.examples import in_words
from core.language.findings import finding_sentence
from core.language.messages import LANGUAGES, in_language, set_language
from core.scenario import CatalogueModel, Mode, TextbookModel
from core.sizing.examples import examples, worked_example
from core.sizing.report import Verdict
from core.store.database import Backup
from core.store.library import Library
from desktop import opening
from desktop.__main__ import main
from desktop.app import Application
from desktop.first_steps import FirstSteps
from desktop.folders import Folders
from desktop.main_window import MainWindow
from desktop.own_records import OwnRecords
from desktop.pages.catalogue.page import CataloguePage
from desktop.pages.catalogue.tables import tabs
from desktop.proposal_export import ProposalExport
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.settings import STARTED_BEFORE, Settings
from tests.core import gguf_models
from tests.desktop.shell import Start

SMALL_MODEL = "Qwen__Qwen3-0.6B"
CONFIGS = Path(__file__).parent.parent / "data" / "configs"


def test_the_first_start_opens_the_worked_example(start: Start) -> None:
    application = start()
    session, window = application.session, application.window
    assert isinstance(session.scenario.model, TextbookModel)
    assert session.scenario.mode is Mode.ARTICLE
    assert session.sizing is not None
    assert session.sizing.verdict is Verdict.FITS
    assert window.messages.bar("example") is not None
    assert window.sizing.inputs.article.isVisible()
    assert [one.client for one in one_of(SavedScenarios, session).all()] == ["Examples", "Examples"]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_the_examples_are_named_in_the_language_of_the_first_start(code: str) -> None:
    with in_language(code):
        found = [in_words(example) for example in examples()]
    for example, told in zip(examples(), found, strict=True):
        assert told.name != example.name
        assert told.edited(name=example.name, model=example.model) == example
    told_model, model = found[0].model, worked_example().model
    assert isinstance(told_model, TextbookModel)
    assert isinstance(model, TextbookModel)
    assert told_model.name != model.name


def test_the_next_start_shows_what_was_left(start: Start) -> None:
    first = start()
    first.session.open(2)
    first.session.edit("Users", workload__users=77)
    first.window.close()
    first.close()
    second = start()
    assert second.session.scenario_id == 2
    assert second.session.scenario.workload.users == 77
    assert second.window.messages.bar("example") is None
    assert second.settings.get(STARTED_BEFORE)


def test_with_all_deleted_the_next_start_asks_what_to_size(start: Start) -> None:
    first = start()
    for one in one_of(SavedScenarios, first.session).all():
        one_of(SavedScenarios, first.session).delete(one.id)
    assert first.window.page == "start"
    first.window.close()
    first.close()
    second = start()
    assert second.window.page == "start"
    assert list(one_of(SavedScenarios, second.session).all()) == []


def test_another_language_builds_the_window_again(qtbot: Any, start: Start) -> None:
    application = start()
    old = application.window
    application.session.edit("Users", workload__users=50)
    application._speak("de")
    assert application.window is not old
    assert application.window.isVisible()
    assert not old.isVisible()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert application.session.edit("Users", workload__users=60)
    assert application.window.sizing.inputs.workload.users.edit.value == 60
    assert application.session.history.canUndo()
    application.theme.changed.emit()


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_language_needs_more_than_1024_by_640(start: Start, code: str) -> None:
    application = start()
    application._speak(code)
    window = application.window
    FirstSteps(window).show_example_line()
    window.resize(1024, 640)
    assert window.minimumSizeHint().width() <= 1024
    assert window.minimumSizeHint().height() <= 640
    assert (window.width(), window.height()) == (1024, 640)
    assert window.sizing.inputs.width() == 272


def test_the_article_becomes_reality_and_back_with_one_undo(qtbot: Any, start: Start) -> None:
    session = start().session
    session.edit("As it is", mode=Mode.REAL)
    qtbot.waitUntil(lambda: session.sizing is not None and session.sizing.scenario.mode is Mode.REAL)
    session.undo()
    assert session.scenario.mode is Mode.ARTICLE


def test_a_damaged_store_is_set_aside_and_said(start: Start, tmp_path: Path) -> None:
    data = Folders.below(tmp_path).data
    data.mkdir(parents=True)
    (data / "tonnage.sqlite").write_bytes(b"not a database, and long enough to be looked at" * 100)
    application = start()
    bar = application.window.messages.bar("opening")
    assert bar is not None
    assert "was damaged" in bar.text.text()
    assert application.session.sizing is not None


def test_a_folder_that_cannot_be_written_is_said_and_everything_works(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folders: Folders) -> None:
        raise PermissionError(13, "Permission denied", "/home/locked")

    monkeypatch.setattr(Folders, "make", refuse)
    application = start()
    bar = application.window.messages.bar("opening")
    assert bar is not None
    assert bar.text.text() == "/home/locked cannot be written (access is denied). What you do now is not kept."
    application.window.import_file(CONFIGS / f"{SMALL_MODEL}.json")
    assert isinstance(application.session.scenario.model, CatalogueModel)
    application._speak("de")
    assert application.window.messages.bar("opening") is not None
    assert not (Folders.below(tmp_path).data / "tonnage.sqlite").exists()


def test_a_backup_that_fails_is_said(start: Start, tmp_path: Path) -> None:
    folder = Folders.below(tmp_path).data
    folder.mkdir(parents=True)
    (folder / "backups").write_text("in the way")
    application = start()
    assert application.first_start
    bar = application.window.messages.bar("opening")
    assert bar is not None
    assert bar.text.text().startswith("Today’s backup of your scenarios was not made:")


def test_the_window_stays_when_the_last_change_cannot_be_saved(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    application = start()
    session, window, asked = application.session, application.window, []

    def full_disk(*_arguments: object) -> int:
        raise StoreError("Nothing was saved: the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(application.store, "save", full_disk)
        patch.setattr("desktop.main_window.Question.exec", lambda box: asked.append(box.text()))
        session.edit("Users", workload__requests_at_once=7)
        assert not window.close()
        assert window.isVisible()
    assert asked == ["Nothing was saved: the disk is full. Your last change would be lost."]
    assert window.close()
    assert session.scenario_id is not None
    assert application.store.load(session.scenario_id).workload.requests_at_once == 7


def test_what_was_typed_last_is_kept_when_the_window_closes_at_once(qtbot: Any, start: Start) -> None:
    application = start()
    edit = application.window.sizing.inputs.workload.requests.edit
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "9")
    application.window.close()
    assert application.session.scenario_id is not None
    assert application.store.load(application.session.scenario_id).workload.requests_at_once == 9


def test_a_proposal_outlives_the_window_that_it_was_asked_in(qtbot: Any, start: Start, tmp_path: Path) -> None:
    application = start()
    one_of(ProposalExport, application.session).write(tmp_path / "proposal.pdf")
    application._speak("fr")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    window = application.window

    def said() -> str:
        bar = window.messages.bar("proposal")
        return bar.text.text() if bar is not None else ""

    qtbot.waitUntil(lambda: "proposal.pdf" in said(), timeout=30_000)
    assert (tmp_path / "proposal.pdf").read_bytes().startswith(b"%PDF")


def test_characters_that_a_proposal_cannot_print_are_named(qtbot: Any, start: Start, tmp_path: Path) -> None:
    application = start()
    application.session.edit("Client", client="\u65e5\u672c\u202e AG")
    one_of(ProposalExport, application.session).write(tmp_path / "proposal.pdf")

    def said() -> str:
        bar = application.window.messages.bar("proposal")
        return bar.text.text() if bar is not None else ""

    qtbot.waitUntil(lambda: "Its font has no \u65e5 \u672c U+202E: a box" in said(), timeout=30_000)


def test_a_scenario_that_cannot_be_sized_shows_no_results_of_another(start: Start, tmp_path: Path) -> None:
    application = start()
    session, window = application.session, application.window
    first = session.scenario_id
    window.complete()
    session.new(session.scenario.edited(name="Lost card", deployment__device="sold-out"))
    bar = window.messages.bar("sizing")
    assert bar is not None
    assert "sold-out" in bar.text.text()
    assert session.sizing is None
    assert one_of(SavedScenarios, session).standing_of(session.scenario_id or 0) is None
    assert not window.sizing.results.isVisible()
    one_of(ProposalExport, application.session).write(tmp_path / "proposal.pdf")
    bar = window.messages.bar("proposal")
    assert bar is not None
    assert bar.text.text() == "A proposal can be written once the scenario can be sized."
    assert not (tmp_path / "proposal.pdf").exists()
    session.open(first or 0)
    assert window.sizing.results.isVisible()
    assert window.messages.bar("sizing") is None


def test_the_real_model_dropped_on_the_worked_example_is_sized_as_it_is(start: Start) -> None:
    application = start()
    session = application.session
    application.window.import_file(CONFIGS / "nvidia__Qwen3.6-35B-A3B-NVFP4.json")
    session.edit("KV cache", kv_format="fp16")
    sizing = session.settled()
    assert sizing is not None
    assert (session.scenario.mode, sizing.trace["kv_bytes_per_token"]) == (Mode.REAL, 20_480)
    assert sizing.trace["state_bytes_per_request"] / 2**20 == pytest.approx(61.4, abs=0.05)
    assert sizing.trace["memory_item.weights"] / 2**30 == pytest.approx(21.8, abs=0.05)
    said = [finding_sentence(finding, sizing) for finding in sizing.findings]
    assert any(text.startswith("The article’s 24\u00a0GiB") for text in said)
    session.undo()
    session.undo()
    assert session.scenario.mode is Mode.ARTICLE


class StuckLock:
    """A lock whose file Qt can neither take nor remove."""

    def __init__(self, process: int) -> None:
        self.process = process

    def tryLock(self, _ms: int) -> bool:
        return False

    def error(self) -> QLockFile.LockError:
        return QLockFile.LockError.LockFailedError

    def getLockInfo(self) -> tuple[int, str, str]:
        return self.process, "here", "tonnage"


def test_the_lock_of_a_program_that_was_killed_holds_nobody_back() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert not desktop.app.is_held(cast(QLockFile, StuckLock(gone.pid)))
    assert desktop.app.is_held(cast(QLockFile, StuckLock(os.getpid())))


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    path = str(tmp_path / "tonnage.lock")
    first, second = QLockFile(path), QLockFile(path)
    assert not desktop.app.is_held(first)
    assert desktop.app.is_held(second)
    assert not desktop.app.is_held(QLockFile(str(tmp_path / "missing" / "tonnage.lock")))


def test_without_a_display_a_sentence_names_the_way_out() -> None:
    bare = {key: value for key, value in os.environ.items() if "DISPLAY" not in key and key != "QT_QPA_PLATFORM"}
    command = [sys.executable, "-m", "desktop"]
    answer = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=60)
    if sys.platform.startswith("linux"):
        assert answer.returncode == 1
        assert answer.stderr.startswith("tonnage: No window can open: there is no display.")


def test_own_records_are_there_at_the_next_start(start: Start) -> None:
    first = start()
    device = first.session.catalogue.device("rtx-pro-6000-ws").model_copy(update={"id": "own/x", "name": "Mine"})
    assert one_of(OwnRecords, first.session).save("devices", device)
    first.close()
    assert start().session.catalogue.device("own/x").name == "Mine"


def test_every_record_of_the_catalogue_can_be_shown(start: Start) -> None:
    """A form shows each as it is: nothing is changed by showing, nothing cannot be read, nothing needed is missing."""
    application = start()
    application.window.show_page("catalogue")
    page = application.window.pages.page(CataloguePage, "catalogue")
    shown = 0
    for tab in tabs():
        for table in tab.tables:
            for record in records_in(application.session.catalogue, table.key).values():
                page._show(table, record)
                assert not page.form.is_changed, page.record.id
                assert page.form.wrong == [], page.record.id
                assert page.form.data() == page.record.model_dump(), page.record.id
                shown += 1
    assert shown > 1000


def test_a_gguf_file_is_read_in_the_background_and_sized_to_its_byte(qtbot: Any, start: Start, tmp_path: Path) -> None:
    config = gguf_models.config_of(SMALL_MODEL)
    architecture, fields, tensors = gguf_models.qwen3(config)
    path = tmp_path / "model-f16.gguf"
    gguf_models.write(path, architecture, {**fields, "general.name": "Weighed"}, tensors)
    application = start()
    window, session = application.window, application.session
    session.edit("Real", mode=Mode.REAL, deployment__engine="llama.cpp")
    window.import_file(path)
    bar = window.messages.bar("import")
    assert bar is not None
    assert bar.text.text() == "Reading model-f16.gguf…"
    with qtbot.waitSignal(window.files.imports.imported, timeout=10_000):
        pass
    assert window.messages.bar("import") is None
    model = session.scenario.model
    assert isinstance(model, CatalogueModel)
    assert session.catalogue.model(model.id).name == "Weighed"
    qtbot.waitUntil(lambda: session.sizing is not None and session.sizing.scenario.model == model)
    assert session.sizing is not None
    assert session.sizing.trace["memory_item.weights"] == pytest.approx(path.stat().st_size, rel=0.01)
    session.undo()
    assert isinstance(session.scenario.model, TextbookModel)


def test_a_large_file_that_is_none_is_refused_in_the_background(qtbot: Any, start: Start, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"{" + b" " * 3_000_000)
    window = start().window
    window.import_file(path)
    qtbot.waitUntil(lambda: _tone(window, "import") == "bad", timeout=10_000)
    bar = window.messages.bar("import")
    assert bar is not None
    assert bar.text.text().startswith("“config.json” was not imported:")


def _tone(window: MainWindow, topic: str) -> str:
    bar = window.messages.bar(topic)
    return str(bar.property("tone")) if bar else ""


def test_a_new_scenario_can_be_sized(start: Start) -> None:
    application = start()
    application.session.new(application.new_scenario())
    assert application.session.sizing is not None
    assert application.session.sizing.scenario.name == "New scenario"


def test_commands_go_to_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", "check"]) == 0
    assert "devices" in capsys.readouterr().out


def test_a_slip_is_explained_and_opens_no_window(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sise", "x.tonnage"])
    assert ended.value.code == 2
    assert "sise" in capsys.readouterr().err


@pytest.mark.parametrize("text", ['"purple"', "garbage", "17"])
def test_settings_that_cannot_be_read_are_the_default(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tonnage.ini"
    path.write_text(f"[General]\ntheme={text}\nstarted_before={text}\n")
    settings = Settings(path)
    assert settings.get(STARTED_BEFORE) is False
    assert desktop.app._scheme(settings).value in ("system", "light", "dark")


@pytest.mark.parametrize("taken", [True, False])
def test_the_newest_backup_of_a_damaged_store_is_offered(
    start: Start, qapp: QApplication, tmp_path: Path, taken: bool
) -> None:
    first = start()
    one_of(SavedScenarios, first.session).rename(1, "Kept", "Client")
    first.close()
    path = first.folders.data / "tonnage.sqlite"
    Library(path, datetime(2031, 1, 1, tzinfo=UTC)).close()  # a day later: its backup holds the name
    path.write_bytes(b"not a database" * 1000)
    offered: list[Backup] = []

    def offer(backup: Backup) -> bool:
        offered.append(backup)
        return taken

    application = Application(qapp, first.folders, offer=offer)
    assert len(offered) == 1
    assert ("Kept" in [one.name for one in one_of(SavedScenarios, application.session).all()]) is taken
    bar = application.window.messages.bar("opening")
    assert bar is not None
    assert ("These are from" in bar.text.text()) is taken
    application.window.close()
    application.close()


def test_a_second_window_looks_and_keeps_nothing(start: Start, qapp: QApplication) -> None:
    first = start()
    second = Application(qapp, first.folders, read_only=True)
    assert [one.name for one in one_of(SavedScenarios, second.session).all()] == [
        one.name for one in one_of(SavedScenarios, first.session).all()
    ]
    bar = second.window.messages.bar("opening")
    assert bar is not None
    assert bar.text.text().startswith("Read-only: another window keeps these scenarios.")
    assert second.window.sidebar.saved.text() == "Nothing is kept"
    one_of(SavedScenarios, second.session).rename(1, "Changed here", "Client")
    second.session.edit("Users", workload__requests_at_once=3)
    second.window.close()
    second.close()
    assert "Changed here" not in [one.name for one in first.store.scenarios()]


@pytest.mark.parametrize(("answer", "code"), [(False, 1), (True, 0)])
def test_a_second_start_asks_and_opens_read_only_or_not_at_all(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool, code: int
) -> None:
    folders, opened = Folders.below(tmp_path), []
    folders.make()
    lock = QLockFile(str(folders.data / "tonnage.lock"))
    assert lock.tryLock(0)

    class Opened:
        def __init__(self, _app: QApplication, _folders: Folders, read_only: bool) -> None:
            opened.append(read_only)

        def start(self) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(Folders, "of_user", lambda: folders)
    monkeypatch.setattr(desktop.app, "Application", Opened)
    monkeypatch.setattr(desktop.app, "offer_read_only", lambda: answer)
    monkeypatch.setattr(QApplication, "exec", lambda *_arguments: 0)
    assert desktop.app.run_window([]) == code
    assert opened == [True] * answer
    set_language("en")


def test_the_questions_have_a_safe_answer_at_hand(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def look(box: QMessageBox) -> None:
        asked.append((box.text(), box.defaultButton().text()))

    monkeypatch.setattr(QMessageBox, "exec", look)
    assert not opening.offer_backup(Backup(Path("x"), datetime(2026, 11, 30, 14, 2, tzinfo=UTC)))
    assert not opening.offer_read_only()
    assert asked == [
        ("The file of your scenarios is damaged.", "Use the backup"), ("Tonnage is already open.", "Open read-only"),
    ]  # fmt: skip
