"""Whether a blueprint can be that of a model: one that was stored or sent is no more trusted than a model file."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from core.architecture.blueprint import Blueprint
from core.architecture.fields import MOST_LAYERS

MOST_NUMBER = 10**16  # parameters of all models together are fewer
MOST_TEXT = 300
MOST_ENTRIES = 200  # groups of layers, notes


def impossible(blueprint: Blueprint) -> str:
    """What is wrong with a blueprint, as "attention.0.kv_heads is below 1"; empty where nothing is.

    >>> from core.architecture.config import read_config
    >>> tiny = dict(model_type="llama", num_hidden_layers=2, hidden_size=8, num_attention_heads=2, vocab_size=10)
    >>> impossible(read_config(tiny | {"intermediate_size": 16}))
    ''
    """
    return next(_complaints(blueprint), "")


def _complaints(blueprint: Blueprint) -> Iterator[str]:
    for path, value in _leaves(blueprint, ""):
        yield from _leaf(path, value)
    if not 1 <= blueprint.layers <= MOST_LAYERS:
        yield f"layers is not between 1 and {MOST_LAYERS:,}"
    if not blueprint.hidden_size:
        yield "hidden_size is below 1"
    if not (blueprint.attention or blueprint.recurrent):
        yield "there is neither attention nor a recurrent layer"
    for index, group in enumerate(blueprint.attention):
        for name in ("layers", "query_heads", "kv_heads", "key_dim", "value_dim"):
            if not getattr(group, name):
                yield f"attention.{index}.{name} is below 1"
        if not -1 <= group.caching_layers <= group.layers:
            yield f"attention.{index}.caching_layers is above its layers"
    for index, state in enumerate(blueprint.recurrent):
        if not state.layers:
            yield f"recurrent.{index}.layers is below 1"
    yield from _weights(blueprint)


def _weights(blueprint: Blueprint) -> Iterator[str]:
    if not sum(blueprint.parameters.values()):
        yield "parameters are missing"
    moe = blueprint.moe
    if moe is not None and not 1 <= moe.experts_per_token <= moe.experts:
        yield "moe.experts_per_token is not between 1 and its experts"
    if blueprint.quantisation is not None:
        for kind, bits in blueprint.quantisation.bits.items():
            if not 0 < bits <= 64:
                yield f"quantisation.bits.{kind} is not between 0 and 64"


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Numbers and texts with their places; of what is too long, only that it is."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from _leaves(getattr(value, one.name), f"{path}.{one.name}".lstrip("."))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, tuple):
        if len(value) > MOST_ENTRIES:
            yield path, "x" * (MOST_TEXT + 1)
            return
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}.{index}")
    elif value is not None and not isinstance(value, Enum | bool):
        yield path, value


def _leaf(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) > MOST_TEXT:
            yield f"{path} is too long"
    elif not math.isfinite(value) or value > MOST_NUMBER:
        yield f"{path} is too large"
    elif value < (-1 if path.endswith("caching_layers") else 0):
        yield f"{path} is below 0"
