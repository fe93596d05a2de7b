"""Which build this is: version, commit and date. A checkout has no build; the frozen program carries a file."""

import json
from dataclasses import dataclass
from pathlib import Path

from core import RESOURCES, __version__

FILE = "build.json"


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """Commit and date are empty in a checkout that was not built."""

    version: str
    commit: str = ""
    date: str = ""  # of the commit, ISO


def build_info(folder: Path = RESOURCES) -> BuildInfo:
    """The build whose resources lie in a folder."""
    try:
        stated = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except OSError:
        return BuildInfo(__version__)
    return BuildInfo(__version__, str(stated["commit"]), str(stated["date"]))
