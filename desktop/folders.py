"""Where a user's things lie; the command line asks for it too, so nothing of the window is imported."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

NAME = "tonnage"


@dataclass(frozen=True, slots=True)
class Folders:
    """Where this user's things lie."""

    data: Path
    config: Path
    log: Path

    @classmethod
    def of_user(cls) -> "Folders":
        return cls(
            Path(platformdirs.user_data_dir(NAME, appauthor=False)),
            Path(platformdirs.user_config_dir(NAME, appauthor=False)),
            Path(platformdirs.user_log_dir(NAME, appauthor=False)),
        )

    @classmethod
    def below(cls, folder: Path) -> "Folders":
        """All in one folder: for self-tests, and for a program carried on a stick."""
        return cls(folder / "data", folder / "config", folder / "log")

    @property
    def packs(self) -> Path:
        """Installed catalogue packs."""
        return self.data / "packs"

    @property
    def requests(self) -> Path:
        """Files that a second start wants opened in the window that is there."""
        return self.data / "requests"

    def make(self) -> None:
        """Make those that are missing.

        Raises
        ------
        OSError : one cannot be made, or not be written
        """
        for folder in (self.data, self.config, self.log):
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
