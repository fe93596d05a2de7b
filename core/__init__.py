"""Tonnage's core: sizes hardware for large language models. No window, no network, no clock."""

import sys
from pathlib import Path

__version__ = "0.1.0"

#: Folder of the read-only data that ships with the program; PyInstaller unpacks it beside the executable.
RESOURCES = Path(getattr(sys, "_MEIPASS", Path(__file__).parent.parent)) / "resources"
