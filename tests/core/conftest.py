"""The two catalogues that tests of the core ask for."""

import pytest

from core.catalogue.catalogue import Catalogue
from tests.core.small_catalogue import small_catalogue
from tests.shipped import shipped


@pytest.fixture
def small() -> Catalogue:
    return small_catalogue()


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue as it ships."""
    return shipped()
