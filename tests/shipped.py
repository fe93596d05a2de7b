"""The catalogue that comes with Tonnage, read once for all tests."""

from functools import cache

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped


@cache
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")
