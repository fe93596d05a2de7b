"""Config files of published models, kept with the tests."""

import json
from pathlib import Path

from core.architecture.blueprint import Blueprint
from core.architecture.config import read_config

TESTS = Path(__file__).parent.parent
CONFIGS = TESTS / "data" / "configs"


def blueprint_of(name: str) -> Blueprint:
    return read_config(json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8")), name)
