"""The proposal page: choices change the pages, what is missing is listed with a way there, files are written whole."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from core.proposal.gaps import GapKind
from core.proposal.options import USUALLY_LEFT_OUT, Paper, ProposalOptions, Section
from core.scenario import Scenario
from core.store.scenario_file import read_scenario
from desktop.app import Application
from desktop.folders import Folders
from desktop.pages.proposal.draft import remembered
from desktop.pages.proposal.proposal_page import ProposalPage
from desktop.proposal_export import Kind
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from tests.usual_scenario import scenario as usual

LONGEST_MS = 60_000
BODY = frozenset({Section.FORMULAS, Section.SOURCES})  # left out, these tests are quick
LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 4"><path d="M0 0h10v4H0z" fill="#c00"/></svg>'


@pytest.fixture
def application(qapp: Any, tmp_path: Path) -> Iterator[Application]:
    application = Application(qapp, Folders.below(tmp_path / "home"))
    application.window.resize(1280, 800)
    application.window.show()
    application.session.new(usual())
    yield application
    application.window.close()
    application.close()


@pytest.fixture
def page(application: Application, qtbot: QtBot) -> ProposalPage:
    application.window.pages.propose()
    page = application.window.pages.built["proposal"]
    assert isinstance(page, ProposalPage)
    with qtbot.waitSignal(page.job.drawn, timeout=LONGEST_MS):
        page.change(lambda options: replace(options, left_out=BODY))
    settle(page, qtbot)
    return page


def settle(page: ProposalPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.job._busy and not page.job._pause.isActive(), timeout=LONGEST_MS)


def changed(page: ProposalPage, qtbot: QtBot, make: Callable[[ProposalOptions], ProposalOptions]) -> None:
    with qtbot.waitSignal(page.job.drawn, timeout=LONGEST_MS):
        page.change(make)
    settle(page, qtbot)


def two_sparks() -> Scenario:
    return usual().edited(
        name="Two Sparks", deployment__device="dgx-spark", deployment__count=2, deployment__runtime_bytes=None
    )


def test_pages_follow_what_is_typed(page: ProposalPage, qtbot: QtBot) -> None:
    assert page.pages is not None
    before = page.pages.pictures
    assert page.view.sheets.count == len(before) >= 6
    assert page.choices.document.client.edit.placeholderText() == "Client A"
    with qtbot.waitSignal(page.job.drawn, timeout=LONGEST_MS):
        QTest.keyClicks(page.choices.document.title.edit, "Forty")
    settle(page, qtbot)
    assert page.options.title == "Forty"
    assert page.pages.pictures[0] != before[0]
    assert page.pages.pictures[2] == before[2] or len(page.pages.pictures) == len(before)


def test_sections_paper_and_language(page: ProposalPage, qtbot: QtBot) -> None:
    assert page.pages is not None
    pages = len(page.pages.pictures)
    page.choices.parts.boxes[Section.COVER].setChecked(False)
    settle(page, qtbot)
    assert len(page.pages.pictures) == pages - 1
    page.choices.parts.boxes[Section.COVER].setChecked(True)
    changed(page, qtbot, lambda options: replace(options, paper=Paper.LETTER))
    width, height = (int.from_bytes(page.pages.pictures[0][at : at + 4], "big") for at in (16, 20))
    assert height / width == pytest.approx(11 / 8.5, abs=0.01)
    changed(page, qtbot, lambda options: replace(options, language="fr"))
    assert "40" in page.choices.document.title.caption.text
    assert page.choices.document.title.caption.text.startswith("Votre propre modèle")


def test_what_is_missing_is_listed_with_a_way_there(page: ProposalPage, qtbot: QtBot) -> None:
    assert page.pages is not None
    gap = next(one for one in page.pages.gaps if one.kind is GapKind.AUTHOR)
    page.go_to(gap)
    qtbot.waitUntil(page.choices.document.author.edit.hasFocus)
    changed(page, qtbot, lambda options: replace(options, author="Mara Jensen", client="日本 😀"))
    kinds = [one.kind for one in page.pages.gaps]
    assert GapKind.AUTHOR not in kinds
    glyphs = next(one for one in page.pages.gaps if one.kind is GapKind.GLYPHS)
    assert glyphs.subject == "日 本 😀"
    page.go_to(glyphs)
    qtbot.waitUntil(page.choices.document.client.edit.hasFocus)


def test_options_are_the_clients_scenarios(application: Application, page: ProposalPage, qtbot: QtBot) -> None:
    one_of(SavedScenarios, application.session).keep([two_sparks()])
    application.window.pages.propose([usual(), two_sparks()])
    settle(page, qtbot)
    assert page.candidates.chosen[0] == "here"
    assert [one.name for one in page.candidates.scenarios()] == ["RAG platform, one card", "Two Sparks"]
    page.choices.options.recommended.chosen.emit(page.candidates.chosen[1])
    assert [one.name for one in page.candidates.scenarios()] == ["Two Sparks", "RAG platform, one card"]
    page.choices.options.boxes[page.candidates.chosen[0]].setChecked(False)
    assert [one.name for one in page.candidates.scenarios()] == ["RAG platform, one card"]
    page.choices.options.boxes["here"].setChecked(False)
    assert page.choices.options.boxes["here"].isChecked()  # one always stays


def test_scenarios_that_are_nowhere_stored_can_be_passed(application: Application, page: ProposalPage) -> None:
    application.window.pages.propose([two_sparks(), usual()])
    assert [one.name for one in page.candidates.scenarios()] == ["Two Sparks", "RAG platform, one card"]


def test_an_edit_of_the_scenario_is_on_the_pages(application: Application, page: ProposalPage, qtbot: QtBot) -> None:
    assert page.pages is not None
    before = page.pages.pictures
    with qtbot.waitSignal(page.job.drawn, timeout=LONGEST_MS):
        application.session.edit("Users", workload__users=80)
    settle(page, qtbot)
    assert page.pages.pictures[0] != before[0]


def test_a_logo_that_cannot_be_trusted_is_refused(page: ProposalPage, qtbot: QtBot, tmp_path: Path) -> None:
    good, bad = tmp_path / "logo.svg", tmp_path / "bad.svg"
    good.write_bytes(LOGO)
    bad.write_bytes(LOGO.replace(b"<path", b"<script>1</script><path"))
    page.choices.brand.read_logo(bad)
    assert "<script>" in page.choices.brand.logo.caption.text
    assert page.options.brand.logo == b""
    page.choices.brand.read_logo(good)
    assert page.choices.brand.logo.caption.text == ""
    assert page.options.brand.logo == LOGO
    settle(page, qtbot)


def test_a_broken_template_says_where_and_keeps_the_old_pages(page: ProposalPage, qtbot: QtBot, tmp_path: Path) -> None:
    assert page.pages is not None
    old = page.pages
    (tmp_path / "proposal.typ").write_text("#nothing", encoding="utf-8")
    with qtbot.waitSignal(page.job.refused, timeout=LONGEST_MS) as said:
        page.choices.brand.take_template(tmp_path)
    assert said.args is not None
    assert "proposal.typ, line 1" in said.args[0]
    assert page.pages is old
    assert not page.save.isEnabled()
    page.choices.brand.take_template(tmp_path / "none")
    assert "is no template" in page.choices.brand.template.caption.text
    changed(page, qtbot, lambda options: replace(options, template=None))
    assert page.save.isEnabled()


def test_an_unreadable_colour_is_marked_and_the_last_one_stays(page: ProposalPage, qtbot: QtBot) -> None:
    row = page.choices.brand.primary
    row.edit.setText("")
    QTest.keyClicks(row.edit, "#12345")
    assert page.options.brand.primary == ""
    row.edit.editingFinished.emit()
    assert "is not a colour" in row.caption.text
    QTest.keyClicks(row.edit, "6")
    assert page.options.brand.primary == "#123456"
    assert row.caption.text == ""
    settle(page, qtbot)


def test_at_first_the_pages_are_those_for_readers(application: Application) -> None:
    assert remembered(application.settings, date(2026, 11, 30)).left_out == USUALLY_LEFT_OUT


def test_brand_and_choices_are_remembered(application: Application, page: ProposalPage, qtbot: QtBot) -> None:
    changed(
        page,
        qtbot,
        lambda options: replace(
            options,
            author="Mara Jensen",
            paper=Paper.LETTER,
            brand=replace(options.brand, name="Nordlicht", primary="#123456", logo=LOGO),
        ),
    )
    page.remember()
    kept = remembered(application.settings, page.options.date)
    assert kept == replace(page.options, client="", recipient="", title="", validity_days=None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Answers to the dialogs: the file, and whether an older one may be replaced."""
    answers: dict[str, Any] = {"file": "", "replace": False, "asked": 0}
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (answers["file"], ""))

    def answer(box: QMessageBox) -> int:
        answers["asked"] += 1
        wanted = QMessageBox.ButtonRole.AcceptRole if answers["replace"] else QMessageBox.ButtonRole.RejectRole
        button = next(one for one in box.buttons() if box.buttonRole(one) is wanted)
        monkeypatch.setattr(box, "clickedButton", lambda: button)
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    return answers


def test_an_older_file_is_replaced_only_when_that_was_allowed(
    page: ProposalPage, qtbot: QtBot, tmp_path: Path, asked: dict[str, Any]
) -> None:
    target = tmp_path / "offer.pdf"
    target.write_bytes(b"older")
    asked["file"] = str(tmp_path / "offer")  # the ending is added, and then the file is there
    page.save_as(Kind.PDF)
    assert (asked["asked"], target.read_bytes()) == (1, b"older")
    asked["replace"] = True
    page.save_as(Kind.PDF)
    qtbot.waitUntil(lambda: target.read_bytes().startswith(b"%PDF"), timeout=LONGEST_MS)
    assert asked["asked"] == 2


def test_the_scenario_is_saved_as_it_is_proposed(
    page: ProposalPage, qtbot: QtBot, tmp_path: Path, asked: dict[str, Any]
) -> None:
    asked["file"] = str(tmp_path / "one.tonnage")
    page.save_as(Kind.SCENARIO)
    qtbot.waitUntil(Path(asked["file"]).is_file, timeout=LONGEST_MS)
    assert read_scenario(Path(asked["file"])).scenario == usual()


def test_escape_leads_back(application: Application, page: ProposalPage, qtbot: QtBot) -> None:
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    assert application.window.page == "sizing"


def test_what_was_typed_survives_another_language_of_the_window(
    application: Application, page: ProposalPage, qtbot: QtBot
) -> None:
    document = page.choices.document
    for field, text in ((document.recipient, "Dr. Weiss"), (document.title, "A server of your own")):
        field.edit.setFocus()
        QTest.keyClicks(field.edit, text)
    other = two_sparks()
    one_of(SavedScenarios, application.session).keep([other.edited(client="Client A")])
    page.candidates.choose("stored 2", True)
    chosen = list(page.candidates.chosen)
    application._speak("de")
    again = application.window.pages.built["proposal"]
    assert isinstance(again, ProposalPage)
    assert again is not page
    assert (again.options.recipient, again.options.title) == ("Dr. Weiss", "A server of your own")
    assert again.choices.document.recipient.edit.text() == "Dr. Weiss"
    assert again.candidates.chosen == chosen
    assert again.options.language == "de"  # it follows the window
    again.change(lambda options: replace(options, language="fr"))
    application._speak("en")
    last = application.window.pages.built["proposal"]
    assert isinstance(last, ProposalPage)
    assert last.options.language == "fr"  # it was chosen


def test_what_is_said_to_one_client_is_not_said_to_another(
    application: Application, page: ProposalPage, qtbot: QtBot
) -> None:
    page.change(lambda options: replace(options, recipient="Dr. Weiss", author="Mara Jensen"))
    application.session.new(two_sparks().edited(client="Zoo"))
    application.window.pages.propose()
    assert (page.options.recipient, page.options.author) == ("", "Mara Jensen")
    assert page.candidates.chosen == ["here"]
    application.session.edit("Move", client="City zoo")  # the same client, under its right name
    page.change(lambda options: replace(options, recipient="Frau Kern"))
    application.session.open(
        next(one.id for one in one_of(SavedScenarios, application.session).all() if one.client == "Client A")
    )
    application.window.pages.propose()
    assert page.options.recipient == "Dr. Weiss"
    settle(page, qtbot)
