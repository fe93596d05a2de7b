"""Parameters, counted from the config alone, against what was published and what the reference library builds."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.architecture.blueprint import Blueprint, TensorClass
from core.architecture.config import read_config

TESTS = Path(__file__).parent.parent
CONFIGS = TESTS / "data" / "configs"
GOLDEN: dict[str, dict[str, Any]] = tomllib.loads((TESTS / "golden" / "parameters.toml").read_text(encoding="utf-8"))


def blueprint_of(name: str) -> Blueprint:
    return read_config(json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8")), name)


def test_the_table_is_large_and_nearly_always_exact() -> None:
    exact = [name for name, row in GOLDEN.items() if row["tolerance"] <= 1e-6]
    assert len(GOLDEN) >= 130
    assert len(exact) >= len(GOLDEN) - 10
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


@pytest.mark.parametrize("name", [name for name, row in GOLDEN.items() if "active" in row])
def test_active_parameters_are_near_the_vendors_round_figure(name: str) -> None:
    # Vendors round, and some count the input embedding or leave the head out.
    assert blueprint_of(name).active_parameters == pytest.approx(GOLDEN[name]["active"], rel=0.2)


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
