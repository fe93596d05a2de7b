import pytest

from core import RESOURCES
from core.catalogue.loading import load_shipped
from core.catalogue.naming import Table
from tests.bench.conftest import Measure

pytestmark = pytest.mark.bench


def test_catalogue_loads_quickly(measure: Measure) -> None:
    measure("catalogue loaded from its files", 0.060, lambda: load_shipped(RESOURCES / "catalogue"), 20)


def test_pickers_keep_up_with_typing(measure: Measure) -> None:
    catalogue = load_shipped(RESOURCES / "catalogue")
    measure("search over models", 0.004, lambda: catalogue.search("qwen 35b", [Table.MODELS]))
    measure("lookup by alias", 0.0001, lambda: catalogue.device("rtx pro 6000"))
    measure("bits of a model, warm", 0.0001, lambda: catalogue.bits("Qwen/Qwen3.6-35B-A3B", "nvfp4", "vllm"))
