"""Blueprints of GGUF files against those of the config.json that the files were laid out from."""

from pathlib import Path

import pytest

from core.architecture.blueprint import Blueprint, TensorClass
from core.architecture.config import read_config
from core.architecture.gguf import read_gguf
from core.architecture.gguf_blueprint import read_gguf_blueprint
from tests.core import gguf_models as models


def blueprint_of(path: Path) -> Blueprint:
    return read_gguf_blueprint(read_gguf(path))


@pytest.mark.parametrize("name", models.MODELS)
def test_counts_what_the_config_makes(name: str, tmp_path: Path) -> None:
    config = models.config_of(name)
    architecture, fields, tensors = models.MODELS[name](config)
    models.write(tmp_path / "model.gguf", architecture, fields, tensors)
    found, wanted = blueprint_of(tmp_path / "model.gguf"), read_config(config)
    left_out = {TensorClass.VISION}  # a file of its own
    if TensorClass.MTP not in found.parameters:
        left_out.add(TensorClass.MTP)
    parameters = {kind: n for kind, n in wanted.parameters.items() if kind not in left_out}
    if found.is_encoder:  # the converter drops the pooler and its bias
        parameters[TensorClass.NORM] -= wanted.hidden_size
        del parameters[TensorClass.HEAD]
    assert found.parameters == parameters
    for shape in ("layers", "hidden_size", "vocabulary", "recurrent", "moe", "tied_embedding", "double_norms"):
        assert getattr(found, shape) == getattr(wanted, shape), shape
    assert set(found.attention) == set(wanted.attention)
    assert wanted.trained_context in (0, found.trained_context)
