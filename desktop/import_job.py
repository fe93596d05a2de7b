"""Reads large model files in the background, so that the window stays alive."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.errors import TonnageError
from core.language.messages import gettext as _
from desktop.importing import TOPIC, import_file, is_quick, read_model, refuse, take_model
from desktop.jobs import Jobs
from desktop.session import Message, Session


class Imports(QObject):
    """Brings files in, one after another. It lives as long as the session: a window may be replaced."""

    imported = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._waiting: list[Path] = []
        self._reading: Path | None = None
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._on_done)
        self._jobs.failed.connect(self._on_failed)

    def add(self, path: Path) -> None:
        """A small file at once, a large one in the background."""
        if is_quick(path) and self._reading is None:
            if import_file(self._session, path):
                self.imported.emit()
            return
        self._waiting.append(path)
        self._next()

    def _next(self) -> None:
        if self._reading is not None or not self._waiting:
            return
        path = self._reading = self._waiting.pop(0)
        self._session.message.emit(Message(_("Reading {file}…").format(file=path.name), topic=TOPIC))
        self._jobs.start(lambda: read_model(path))

    def _on_done(self, model: object) -> None:
        path = self._finish()
        try:
            take_model(self._session, model, path)  # type: ignore[arg-type]
            self._session.message.emit(Message("", topic=TOPIC))
            self.imported.emit()
        except TonnageError as error:
            refuse(self._session, path, error)
        self._next()

    def _on_failed(self, error: Exception) -> None:
        path = self._finish()
        self._session.message.emit(Message("", topic=TOPIC))
        if isinstance(error, TonnageError):
            refuse(self._session, path, error)
            self._next()
            return
        self._next()
        raise error

    def _finish(self) -> Path:
        path, self._reading = self._reading, None
        assert path is not None
        return path
