"""A second start with a file hands the file to the window that is open, which brings it in.

The two meet in a folder of the user's: the second start leaves a note there, the first watches the folder. No socket
is needed for that.
"""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QFileSystemWatcher, QObject
from PySide6.QtGui import QFileOpenEvent

ENDING = ".open"
MAX_NOTE_BYTES = 100_000


def hand_over(folder: Path, files: Sequence[Path]) -> bool:
    """Leave a note of files to open; whether that could be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as note:
            json.dump([str(file.absolute()) for file in files], note)
        os.replace(name, Path(name).with_suffix(ENDING))  # the watcher sees whole notes only
    except OSError:
        return False
    return True


class Received(QObject):
    """Watches for notes and opens what they name. Notes from before the start are of nobody's interest."""

    def __init__(self, folder: Path, open_file: Callable[[Path], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder, self._open = folder, open_file
        self._watcher = QFileSystemWatcher(self)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for note in folder.glob(f"*{ENDING}"):
                note.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written receives nothing
            return
        self._watcher.addPath(str(folder))
        self._watcher.directoryChanged.connect(lambda _path: self._read())

    def _read(self) -> None:
        for note in sorted(self._folder.glob(f"*{ENDING}")):
            for file in _files_in(note):
                self._open(file)


class FileOpenEvents(QObject):
    """On macOS a double click sends an event to the program, whether it was open before or not."""

    def __init__(self, open_file: Callable[[Path], object], parent: QObject) -> None:
        super().__init__(parent)
        self._open = open_file
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._open(Path(event.file()))
            return True
        return super().eventFilter(watched, event)


def _files_in(note: Path) -> list[Path]:
    """The files that a note names; a note is read once, and one that cannot be read names none."""
    try:
        text = note.read_text(encoding="utf-8") if note.stat().st_size <= MAX_NOTE_BYTES else "[]"
        note.unlink(missing_ok=True)
        named = json.loads(text)
    except (OSError, ValueError):
        return []
    return [Path(name) for name in named if isinstance(name, str)] if isinstance(named, list) else []
