"""The article's five questions, answered with live figures; each opens the scenario that it speaks of."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.errors import TonnageError
from core.language import sentences
from core.language.answers import Answer
from core.language.messages import gettext as _
from core.scenario import Scenario
from desktop.jobs import Jobs
from desktop.pages.help.topic import Topic, running
from desktop.session import Session
from desktop.widgets.labels import button, label


class Questions(Topic):
    """Answered again whenever the catalogue has changed; until then the answers stay."""

    scenario_wanted = Signal(Scenario)

    def __init__(self, session: Session) -> None:
        super().__init__(_("Five questions"), _("Answered with the figures of scenarios that you can open and change."))
        self._session = session
        self._rows: list[QWidget] = []
        self._asked = False
        self.buttons: list[QWidget] = []
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._show)
        self._jobs.failed.connect(self._complain)
        session.catalogue_changed.connect(self._forget)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:
            self._ask()

    def _ask(self) -> None:
        from core.language.answers import answer
        from core.sizing.questions import Question

        self._asked = True
        catalogue = self._session.catalogue
        self._jobs.start(lambda: [answer(question, catalogue) for question in Question])

    def _forget(self) -> None:
        self._asked = False
        if self.isVisible():
            self._ask()

    def _show(self, answers: Sequence[Answer]) -> None:
        self._clear()
        for one in answers:
            holder = QWidget()
            row = QHBoxLayout(holder)
            row.setContentsMargins(0, 14, 0, 0)
            question = label(one.question, "message", wrap=True)
            row.addWidget(question, 1)
            opener = button(_("Open scenario"), "", partial(self.scenario_wanted.emit, one.scenario))
            opener.setAccessibleName(_("Open scenario: {question}").format(question=one.question))
            row.addWidget(opener)
            self.buttons.append(opener)
            self._add(holder)
            for sentence in one.sentences:
                self._add(running(sentence))

    def _complain(self, problem: Exception) -> None:
        if not isinstance(problem, TonnageError):
            raise problem
        self._clear()
        self._add(label(sentences.error(problem), tone="bad", wrap=True))

    def _add(self, widget: QWidget) -> None:
        self._rows.append(widget)
        self.column.addWidget(widget)

    def _clear(self) -> None:
        for widget in self._rows:
            self.column.removeWidget(widget)
            widget.deleteLater()
        self._rows.clear()
        self.buttons.clear()
