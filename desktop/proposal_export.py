"""The proposal as a file: PDF, workbook or scenario; written in the background, whole or not at all."""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog

from core.errors import TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from core.language.messages import in_language, language
from core.scenario import Scenario
from desktop.jobs import Jobs
from desktop.session import Message, Session
from desktop.widgets.question import Question

if TYPE_CHECKING:
    from core.proposal.options import ProposalOptions

TOPIC = "proposal"


class Kind(StrEnum):
    """What is written, by the ending of its file."""

    PDF = "pdf"
    WORKBOOK = "xlsx"
    SCENARIO = "tonnage"


def write(cases: Sequence[tuple[Scenario, Any]], path: Path, options: "ProposalOptions", kind: Kind = Kind.PDF) -> Path:
    """Gather, compose and write scenarios, each with its catalogue; runs without Qt."""
    from core.proposal.export import write_proposal
    from core.proposal.offer import offer
    from core.proposal.workbook import write_workbook
    from core.sizing.records_used import travelling
    from core.store.scenario_file import write_scenario

    if kind is Kind.SCENARIO:
        write_scenario(path, cases[0][0], travelling(*cases[0]))
        return path
    day = options.date.isoformat()
    alone = len(cases) == 1
    offers = [offer(scenario, catalogue, day, options.currency, alone=alone) for scenario, catalogue in cases]
    writer = write_proposal if kind is Kind.PDF else write_workbook
    return writer(offers, options, path)


class ProposalExport(QObject):
    """Asks where, writes, says where it lies. It lives as long as the session and knows no window: that is replaced."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._on_done)
        self._jobs.failed.connect(self._on_failed)

    def ask(self, kind: Kind, cases: Sequence[tuple[Scenario, Any]], options: "ProposalOptions") -> None:
        """Ask for the file, and before an older one is replaced; then write it."""
        first = cases[0][0]
        name = "".join(
            c for c in f"{options.client or first.client} {first.name}".strip() if c.isalnum() or c in " -_.,"
        )
        titles = {
            Kind.PDF: _("Save the proposal"),
            Kind.WORKBOOK: _("Save the workbook"),
            Kind.SCENARIO: _("Save the scenario"),
        }
        kinds = {
            Kind.PDF: "PDF (*.pdf)",
            Kind.WORKBOOK: _("Workbooks (*.xlsx)"),
            Kind.SCENARIO: _("Scenarios (*.tonnage)"),
        }
        chosen, _filter = QFileDialog.getSaveFileName(
            QApplication.activeWindow(),
            titles[kind],
            f"{name or 'proposal'}.{kind.value}",
            kinds[kind],
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if chosen:
            path = Path(chosen if chosen.lower().endswith(f".{kind.value}") else f"{chosen}.{kind.value}")
            if not path.exists() or self._may_replace(path):
                self.write(path, kind, cases, options)

    def _may_replace(self, path: Path) -> bool:
        text = _("“{file}” is there already. Replace it?").format(file=path.name)
        question = Question("warn", text, parent=QApplication.activeWindow())
        question.add_safe(_("Keep the old one"))
        replace = question.add_other(_("Replace"))
        question.exec()
        return question.clickedButton() is replace

    def write(
        self,
        path: Path,
        kind: Kind = Kind.PDF,
        cases: Sequence[tuple[Scenario, Any]] = (),
        options: "ProposalOptions | None" = None,
    ) -> None:
        """Write a file in the background: of the scenario on screen, where no others are named."""
        if not cases:
            sizing = self._session.settled()
            text = "" if sizing else _("A proposal can be written once the scenario can be sized.")
            self._session.message.emit(Message(text, "warn", TOPIC))
            if sizing is None:
                return
            cases = ((sizing.scenario, self._session.catalogue),)
        from core.proposal.glyphs import named_missing
        from core.proposal.options import ProposalOptions

        chosen = options or ProposalOptions(date=date.today(), language=language())
        wanted, spoken = tuple(cases), language()
        names = (
            chosen.client,
            chosen.title,
            chosen.author,
            *(text for one, _catalogue in wanted for text in (one.client, one.name)),
        )
        self._session.message.emit(Message(_("Writing…"), topic=TOPIC))

        def work() -> tuple[Path, str]:
            with in_language(spoken):
                return write(wanted, path, chosen, kind), named_missing(*names) if kind is Kind.PDF else ""

        self._jobs.start(work)

    def _on_done(self, answer: tuple[Path, str]) -> None:
        path, missing = answer
        text, tone = _("Written: {file}.").format(file=path.name), "ok"
        if missing:
            text = _("Written: {file}. Its font has no {characters}: a box stands in their place.")
            text, tone = text.format(file=path.name, characters=missing), "warn"
        show = QUrl.fromLocalFile(str(path))
        opened = Message(text, tone, TOPIC, _("Open"), lambda: QDesktopServices.openUrl(show), str(path))
        self._session.message.emit(opened)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, TonnageError):
            self._session.message.emit(Message("", topic=TOPIC))
            raise error
        self._session.message.emit(Message(sentences.error(error), "bad", TOPIC))
