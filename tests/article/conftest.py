from functools import cache

import pytest

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped


@cache
def shipped() -> Catalogue:
    return load_shipped(RESOURCES / "catalogue")


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return shipped()
