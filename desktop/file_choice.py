"""Files that the user chooses or drops: a model or a scenario to bring in, a copy to write."""

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.language.messages import gettext as _
from desktop.import_job import Imports
from desktop.importing import save_copy
from desktop.session import Session, one_of


class FileChoice(QObject):
    """Asks for files, over a window."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self.imports = one_of(Imports, session)

    def choose_file(self) -> None:
        kinds = _("Models and scenarios (*.json *.gguf *.safetensors *.tonnage);;All files (*)")
        name, _kind = QFileDialog.getOpenFileName(self._window, _("Import or open a file"), "", kinds)
        if name:
            self.import_file(Path(name))

    def choose_folder(self) -> None:
        """A model from the folder that its files lie in."""
        name = QFileDialog.getExistingDirectory(self._window, _("Import the folder of a model"))
        if name:
            self.import_file(Path(name))

    def import_file(self, path: Path) -> None:
        """Bring in a model or a scenario."""
        self.imports.add(path)

    def save_copy(self) -> None:
        name = "".join(c for c in self._session.scenario.name if c.isalnum() or c in " -_.,") or "scenario"
        kinds = _("Scenarios (*.tonnage)")
        path, _kind = QFileDialog.getSaveFileName(self._window, _("Save a copy"), f"{name}.tonnage", kinds)
        if path:
            save_copy(self._session, Path(path))
