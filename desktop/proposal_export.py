"""The proposal as a PDF: asks where, writes in the background, says where it lies."""

from datetime import date
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import TonnageError
from core.language import sentences
from core.language.messages import gettext as _
from core.language.messages import language
from core.sizing.report import Sizing
from desktop.jobs import Jobs
from desktop.session import Message, Session

TOPIC = "proposal"


def write(sizing: Sizing, path: Path, day: date, code: str) -> Path:
    """Compose and write the proposal; runs without Qt."""
    from core.proposal.export import write_proposal
    from core.proposal.options import ProposalOptions

    write_proposal([sizing], ProposalOptions(date=day, language=code, client=sizing.scenario.client), path)
    return path


class ProposalExport(QObject):
    """Writes the proposal of the scenario on screen. It lives as long as the session: a window may be replaced."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(session)
        self._session, self._window = session, window
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._on_done)
        self._jobs.failed.connect(self._on_failed)

    def ask(self) -> None:
        """Ask for the file, then write it."""
        if self._sizing() is None:
            return
        name = "".join(c for c in self._session.scenario.name if c.isalnum() or c in " -_.,") or "proposal"
        path, _kind = QFileDialog.getSaveFileName(self._window, _("Save the proposal"), f"{name}.pdf", "PDF (*.pdf)")
        if path:
            self.write(Path(path if path.lower().endswith(".pdf") else f"{path}.pdf"))

    def _sizing(self) -> Sizing | None:
        sizing = self._session.settled()
        text = "" if sizing else _("A proposal can be written once the scenario can be sized.")
        self._session.message.emit(Message(text, "warn", TOPIC))
        return sizing

    def write(self, path: Path) -> None:
        sizing = self._sizing()
        if sizing is None:
            return
        from core.proposal.glyphs import named_missing

        day, code, scenario = date.today(), language(), sizing.scenario
        self._session.message.emit(Message(_("Writing the proposal…"), topic=TOPIC))
        self._jobs.start(lambda: (write(sizing, path, day, code), named_missing(scenario.client, scenario.name)))

    def _on_done(self, answer: tuple[Path, str]) -> None:
        path, missing = answer
        text, tone = _("The proposal is in {file}.").format(file=path.name), "ok"
        if missing:
            text = _("The proposal is in {file}. Its font has no {characters}: a box stands in their place.")
            text, tone = text.format(file=path.name, characters=missing), "warn"
        show = QUrl.fromLocalFile(str(path))
        opened = Message(text, tone, TOPIC, _("Open"), lambda: QDesktopServices.openUrl(show), str(path))
        self._session.message.emit(opened)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, TonnageError):
            self._session.message.emit(Message("", topic=TOPIC))
            raise error
        self._session.message.emit(Message(sentences.error(error), "bad", TOPIC))
