"""Whether a blueprint can be that of a model: one that was stored or sent is no more trusted than a model file."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from core.architecture.blueprint import Blueprint
from core.architecture.fields import MOST_LAYERS
from core.architecture.header_stream import shown
from core.errors import Phrase

MOST_NUMBER = 10**16  # parameters of all models together are fewer
MOST_TEXT = 300
MOST_ENTRIES = 200  # groups of layers, notes


def impossible(blueprint: Blueprint) -> Phrase | None:
    """What is wrong with a blueprint, as "attention.0.kv_heads is below 1"; None where nothing is.

    >>> from core.architecture.config import read_config
    >>> tiny = dict(model_type="llama", num_hidden_layers=2, hidden_size=8, num_attention_heads=2, vocab_size=10)
    >>> impossible(read_config(tiny | {"intermediate_size": 16}))
    """
    return next(_complaints(blueprint), None)


def _complaints(blueprint: Blueprint) -> Iterator[Phrase]:
    for path, value in _leaves(blueprint, ""):
        yield from _leaf(path, value)
    if not 1 <= blueprint.layers <= MOST_LAYERS:
        yield Phrase(
            "{place} is not between {least:,} and {most:,}", {"place": "layers", "least": 1, "most": MOST_LAYERS}
        )
    if not blueprint.hidden_size:
        yield Phrase("{place} is below {least:,}", {"place": "hidden_size", "least": 1})
    if not (blueprint.attention or blueprint.recurrent):
        yield Phrase("there is neither attention nor a recurrent layer")
    for index, group in enumerate(blueprint.attention):
        for name in ("layers", "query_heads", "kv_heads", "key_dim", "value_dim"):
            if not getattr(group, name):
                place = f"attention.{index}.{name}"
                yield Phrase("{place} is below {least:,}", {"place": place, "least": 1})
        if not -1 <= group.caching_layers <= group.layers:
            place = f"attention.{index}.caching_layers"
            yield Phrase("{place} is above its layers", {"place": place})
    for index, state in enumerate(blueprint.recurrent):
        if not state.layers:
            place = f"recurrent.{index}.layers"
            yield Phrase("{place} is below {least:,}", {"place": place, "least": 1})
    yield from _weights(blueprint)


def _weights(blueprint: Blueprint) -> Iterator[Phrase]:
    if not sum(blueprint.parameters.values()):
        yield Phrase("{place} are missing", {"place": "parameters"})
    moe = blueprint.moe
    if moe is not None and not 1 <= moe.experts_per_token <= moe.experts:
        yield Phrase("{place} is not between 1 and its experts", {"place": "moe.experts_per_token"})
    if blueprint.quantisation is not None:
        for kind, bits in blueprint.quantisation.bits.items():
            if not 0 < bits <= 64:
                place = f"quantisation.bits.{kind}"
                yield Phrase("{place} is not between {least:,} and {most:,}", {"place": place, "least": 0, "most": 64})


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


def _leaf(path: str, value: Any) -> Iterator[Phrase]:
    path = shown(path)
    if isinstance(value, str):
        if len(value) > MOST_TEXT:
            yield Phrase("{place} is too long", {"place": path})
    elif not math.isfinite(value) or value > MOST_NUMBER:
        yield Phrase("{place} is too large", {"place": path})
    elif value < (-1 if path.endswith("caching_layers") else 0):
        yield Phrase("{place} is below {least:,}", {"place": path, "least": 0})
