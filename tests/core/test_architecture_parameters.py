"""Parameters, counted from the config alone, against what was published and what the reference library builds."""

import tomllib
from typing import Any

import pytest

from core.architecture.blueprint import TensorClass
from core.architecture.config import read_config
from tests.core.configs import TESTS, blueprint_of

GOLDEN: dict[str, dict[str, Any]] = tomllib.loads((TESTS / "golden" / "parameters.toml").read_text(encoding="utf-8"))


ACTIVE: dict[str, dict[str, Any]] = tomllib.loads((TESTS / "golden" / "active_parameters.toml").read_text("utf-8"))


def test_the_table_is_large_and_nearly_always_exact() -> None:
    exact = [name for name, row in GOLDEN.items() if row["tolerance"] <= 1e-6]
    assert len(GOLDEN) >= 165
    assert len(exact) >= len(GOLDEN) - 6
    assert all(row["tolerance"] <= 1e-6 or row["note"] for row in GOLDEN.values())


@pytest.mark.parametrize("name", GOLDEN)
def test_parameters(name: str) -> None:
    row, blueprint = GOLDEN[name], blueprint_of(name)
    total, prediction = blueprint.total_parameters, blueprint.parameters.get(TensorClass.MTP, 0)
    if "implementation" in row:
        left_out = blueprint.vocabulary * blueprint.hidden_size if row.get("head_left_out") else 0
        assert total - left_out == pytest.approx(row["implementation"], rel=row["tolerance"])
    else:
        nearest = min(total, total + prediction, key=lambda count: abs(count - row["published"]))
        assert nearest == pytest.approx(row["published"], rel=row["tolerance"])


@pytest.mark.parametrize("name", [name for name, row in GOLDEN.items() if "published" in row and "note" not in row])
def test_published_totals_with_or_without_prediction_layers(name: str) -> None:
    # Hub totals may count scales (up to 0.007 %) beside the parameters.
    row, blueprint = GOLDEN[name], blueprint_of(name)
    total, prediction = blueprint.total_parameters, blueprint.parameters.get(TensorClass.MTP, 0)
    nearest = min(total, total + prediction, key=lambda count: abs(count - row["published"]))
    assert nearest == pytest.approx(row["published"], rel=5e-4)


def distance(name: str) -> float:
    """The nearest of what was published and built to what is counted, prediction layers counted or not."""
    row, blueprint = GOLDEN[name], blueprint_of(name)
    counts = (blueprint.total_parameters, blueprint.total_parameters + blueprint.parameters.get(TensorClass.MTP, 0))
    stated = [row[key] for key in ("implementation", "published") if key in row]
    return min(float(abs(count / total - 1)) for count in counts for total in stated)


def test_how_many_totals_are_met_and_why_the_others_are_not() -> None:
    distances = {name: distance(name) for name in GOLDEN}
    assert sum(value <= 1e-4 for value in distances.values()) >= 157
    assert sum(value <= 5e-3 for value in distances.values()) >= 165
    assert all(GOLDEN[name]["note"] for name, value in distances.items() if value > 1e-4)


def active_as_counted_by_the_vendor(name: str) -> int:
    blueprint, counts = blueprint_of(name), ACTIVE[name].get("counts", "")
    table = 0 if blueprint.tied_embedding else blueprint.parameters[TensorClass.EMBEDDING]
    more = {"": 0, "with the input table": table, "without the head": -blueprint.parameters.get(TensorClass.HEAD, 0)}
    return blueprint.active_parameters + more[counts]


@pytest.mark.parametrize("name", ACTIVE)
def test_active_parameters(name: str) -> None:
    stated = ACTIVE[name]["active"]
    digits = len(str(stated).rstrip("0"))
    step = 10 ** (len(str(stated)) - digits)
    room = 0.01 * stated if digits > 2 or "note" not in ACTIVE[name] else step
    assert abs(active_as_counted_by_the_vendor(name) - stated) <= max(room, step / 2 if digits < 3 else 0)


def test_active_parameters_of_the_articles_model() -> None:
    blueprint = blueprint_of("nvidia__Qwen3.6-35B-A3B-NVFP4")
    assert blueprint.total_parameters == 35_107_181_936
    assert round(blueprint.active_parameters / 1e9, 2) == 2.95
    assert blueprint.moe is not None
    assert (blueprint.moe.layers, blueprint.moe.experts, blueprint.moe.experts_per_token) == (40, 256, 8)
    assert blueprint.moe.parameters_per_expert == 3 * 2048 * 512


def test_prediction_layers_are_counted_apart() -> None:
    row = GOLDEN["deepseek-ai__DeepSeek-R1"]
    blueprint = blueprint_of("deepseek-ai__DeepSeek-R1")
    assert blueprint.total_parameters + blueprint.parameters[TensorClass.MTP] == row["published"]


def test_a_shared_expert_of_its_own_width() -> None:
    # The geometry of Qwen2-57B-A14B, of which the vendor says 57.4 B and 14 B.
    shape = {"hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4}
    experts = {"num_experts": 64, "num_experts_per_tok": 8, "moe_intermediate_size": 2560}
    shared = {"shared_expert_intermediate_size": 20_480, "intermediate_size": 18_944, "vocab_size": 151_936}
    blueprint = read_config({"model_type": "qwen2_moe", **shape, **experts, **shared})
    assert round(blueprint.total_parameters / 1e9, 1) == 57.4
    assert blueprint.parameters[TensorClass.SHARED_EXPERT] == 28 * 3 * 3584 * 20_480
    assert blueprint.active_parameters == pytest.approx(14e9, rel=0.05)


def test_norms_before_and_after_each_block() -> None:
    # The geometry of GLM-4-32B-0414.
    shape = {"hidden_size": 6144, "num_hidden_layers": 61, "num_attention_heads": 48, "num_key_value_heads": 2}
    rest = {"head_dim": 128, "intermediate_size": 23_040, "vocab_size": 151_552, "attention_bias": False}
    blueprint = read_config({"model_type": "glm4", **shape, **rest})
    assert blueprint.double_norms
    assert round(blueprint.total_parameters / 1e9, 2) == 32.57
