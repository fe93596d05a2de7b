"""Tonnage without its window: sizes, in bytes and seconds, what a language model needs. No network, no clock."""

from pathlib import Path

__version__ = "0.1.0"

METHOD_VERSION = "0.1"
"""Version of the formulas; it changes when a figure changes, and stands in every proposal."""

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
"""Folder of the shipped data: beside core/ in the checkout, and beside it in the frozen program too."""
