"""Tonnage without its window: sizes, in bytes and seconds, what a language model needs."""

from pathlib import Path

__version__ = "0.1.0"

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
"""Folder of the shipped data: beside core/ in the checkout, and beside it in the frozen program too."""
