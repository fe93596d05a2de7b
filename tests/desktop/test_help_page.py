"""Help: five live answers, the words of evidence, every key, the method, the sources."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.language import sentences
from core.sizing.report import Evidence
from desktop.app import Application
from desktop.pages.help.method import Method
from desktop.pages.help.page import HelpPage
from desktop.pages.help.questions import Questions
from desktop.pages.pages import SIZING
from desktop.saved_scenarios import SavedScenarios
from desktop.session import one_of
from desktop.widgets.tour import Tour
from tests.desktop.shell import Start


def help_page(application: Application) -> HelpPage:
    application.window.action("help").trigger()
    page = application.window.pages.currentWidget()
    assert isinstance(page, HelpPage)
    return page


def words(widget: QWidget) -> str:
    return "\n".join(one.text() for one in widget.findChildren(QLabel))


def answered(page: HelpPage, qtbot: QtBot) -> Questions:
    questions = page.topic
    assert isinstance(questions, Questions)
    qtbot.waitUntil(lambda: len(questions.buttons) == 5, timeout=20_000)
    return questions


def test_five_questions_are_answered_and_open_their_scenario(start: Start, qtbot: QtBot) -> None:
    application = start()
    before = len(one_of(SavedScenarios, application.session).all())
    questions = answered(help_page(application), qtbot)
    assert "Does inference need NVLink?" in words(questions)
    opener = questions.buttons[0]
    assert "slow" in opener.accessibleName()
    QTest.keyClick(opener, Qt.Key.Key_Space)
    assert application.window.page == SIZING
    assert len(one_of(SavedScenarios, application.session).all()) == before + 1
    assert application.session.sizing is not None


def test_a_changed_catalogue_is_answered_anew(start: Start, qtbot: QtBot) -> None:
    application = start()
    questions = answered(help_page(application), qtbot)
    first = questions.buttons[0]
    application.session.catalogue_changed.emit(application.session.catalogue)
    qtbot.waitUntil(lambda: bool(questions.buttons) and questions.buttons[0] is not first, timeout=20_000)
    assert len(questions.buttons) == 5


def test_every_level_of_evidence_is_explained(start: Start) -> None:
    page = help_page(start())
    page.show_topic("evidence")
    for level in Evidence:
        assert sentences.evidence(level) in words(page.topic)
        assert sentences.evidence_meaning(level) in words(page.topic)


def test_every_key_of_the_window_is_listed(start: Start) -> None:
    application = start()
    page = help_page(application)
    page.show_topic("keys")
    listed = words(page.topic).split("\n")
    for action in application.window.actions():
        if not action.shortcut().isEmpty():
            assert action.shortcut().toString() in listed


def test_the_method_is_the_page_in_the_resources(start: Start) -> None:
    page = help_page(start())
    page.show_topic("method")
    assert isinstance(page.topic, Method)
    text = page.topic.page.toPlainText()
    assert "weights_bytes = ceil(parameters * bits / 8)" in text
    assert "formulas:" not in text  # marks for those who write it


def test_topics_are_chosen_by_keyboard(start: Start) -> None:
    page = help_page(start())
    page.topics.setFocus()
    QTest.keyClick(page.topics, Qt.Key.Key_Down)
    assert "How sure" in words(page.topic)
    page.show_topic("sources")
    assert page.topics.current is not None
    assert page.topics.current.key == "sources"
    assert "145 devices" in words(page.topic)


def test_the_first_start_gives_three_hints_once(start: Start) -> None:
    application = start()
    tour = application.window.findChild(Tour)
    assert tour is not None
    seen = [tour.text]
    for _hint in range(2):
        QTest.keyClick(tour, Qt.Key.Key_Return)
        seen.append(tour.text)
    assert len(set(seen)) == 3
    QTest.keyClick(tour, Qt.Key.Key_Return)
    assert tour.isHidden()
    application.settings.flush()
    assert start().window.findChild(Tour) is None


def test_escape_ends_the_hints(start: Start) -> None:
    application = start()
    tour = application.window.findChild(Tour)
    assert tour is not None
    QTest.keyClick(tour, Qt.Key.Key_Escape)
    assert tour.isHidden()


def test_the_hints_end_with_the_page_that_they_speak_of(start: Start) -> None:
    application = start()
    tour = application.window.findChild(Tour)
    assert tour is not None
    application.window.show_page("settings")
    assert tour.isHidden()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 640)])
def test_hints_stay_inside_the_window(start: Start, size: tuple[int, int]) -> None:
    application = start()
    application.window.resize(*size)
    tour = application.window.findChild(Tour)
    assert tour is not None
    for _hint in range(3):
        assert application.window.rect().contains(tour.geometry())
        QTest.keyClick(tour, Qt.Key.Key_Return)
