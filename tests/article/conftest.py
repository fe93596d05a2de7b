import pytest

from core.catalogue.catalogue import Catalogue
from tests.shipped import shipped


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return shipped()
