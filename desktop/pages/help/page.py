"""The help page: topics at the left, the chosen one at the right."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.pages.help.method import Method
from desktop.pages.help.questions import Questions
from desktop.pages.help.words import evidence_topic, keys_topic, sources_topic
from desktop.pages.page import Page
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.choices import Choice, ChoiceList
from desktop.widgets.labels import label, line

QUESTIONS, EVIDENCE, KEYS, METHOD, SOURCES = "questions", "evidence", "keys", "method", "sources"
LIST_WIDTH = 228


class HelpPage(Page):
    """Questions, evidence, keys, method, sources; a topic is built when it is first shown."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        actions: Sequence[QAction],
        open_scenario: Callable[[Scenario], object],
    ) -> None:
        super().__init__()
        self._open_scenario = open_scenario
        self._makers: dict[str, Callable[[], QWidget]] = {
            QUESTIONS: lambda: self._questions(session),
            EVIDENCE: evidence_topic,
            KEYS: lambda: keys_topic(actions),
            METHOD: lambda: Method(theme),
            SOURCES: lambda: sources_topic(session),
        }
        self._built: dict[str, QWidget] = {}
        self.stack = QStackedWidget()
        self.topics = ChoiceList(theme, _("Topics of the help"), row=30)
        self.topics.selectionModel().currentChanged.connect(self._on_topic)
        left = QWidget()
        left.setFixedWidth(LIST_WIDTH)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(10)
        title = label(_("Help"), "verdict")
        title.setContentsMargins(16, 0, 16, 0)
        column.addWidget(title)
        column.addWidget(self.topics, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(left)
        row.addWidget(line(vertical=True))
        row.addWidget(self.stack, 1)
        self.topics.set_choices(
            [
                Choice(QUESTIONS, _("Five questions")),
                Choice(EVIDENCE, _("How sure a figure is")),
                Choice(KEYS, _("Keys")),
                Choice(METHOD, _("How Tonnage computes")),
                Choice(SOURCES, _("Sources and licences")),
            ]
        )

    def _questions(self, session: Session) -> QWidget:
        questions = Questions(session)
        questions.scenario_wanted.connect(self._open_scenario)
        return questions

    def _on_topic(self) -> None:
        choice = self.topics.current
        if choice is not None:
            self.show_topic(choice.key)

    def show_topic(self, key: str) -> None:
        if key not in self._built:
            self._built[key] = self._makers[key]()
            self.stack.addWidget(self._built[key])
        self.stack.setCurrentWidget(self._built[key])
        keys = [choice.key for choice in self.topics.rows.rows]
        index = self.topics.rows.index(keys.index(key))
        if self.topics.currentIndex() != index:
            self.topics.setCurrentIndex(index)

    @property
    def topic(self) -> QWidget:
        current = self.stack.currentWidget()
        assert current is not None
        return current
