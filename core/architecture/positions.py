"""Tables that engines prepare from a model's config and no checkpoint holds: rotary positions, and rows for images."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.architecture.fields import MOST_TOKENS, MOST_WIDTH, Fields

#: Fields of a model that turns its queries and keys by their position.
_ROTARY = ("rope_theta", "rope_parameters", "rope_scaling", "rope_local_base_freq", "rotary_pct", "rotary_dim")
_VIDEO_FACTOR = 4  # vLLM makes the table of a model with three kinds of positions four times as long, for videos


def rotary_elements(fields: Fields) -> int:
    """Sines and cosines for every position, one table for each kind of layers; 0 where the file names no rotation.

    >>> rotary_elements(Fields({"rope_theta": 500000, "max_position_embeddings": 131072, "head_dim": 128}))
    16777216
    """
    if fields.first(_ROTARY) is None:
        return 0
    return sum(round(positions * width) for positions, width in _tables(fields.values))


def image_levels(wrapper: Fields) -> int:
    """Layers that receive features of images beside the first: engines keep rows of a prompt chunk for each of them."""
    tower = wrapper.section("vision_config")
    return len(tower.integers("deepstack_visual_indexes") or []) if tower else 0


def _tables(values: Mapping[str, Any]) -> Iterator[tuple[int, float]]:
    parameters = _mapping(values, "rope_parameters")
    kinds = {name: part for name, part in parameters.items() if isinstance(part, Mapping)}
    for name, part in kinds.items():
        wide = name == "full_attention" and _number(values, "global_head_dim")
        yield _positions(values, part), (wide or _width(values)) * _part_of_width(values, part)
    if not kinds:
        scaling = parameters or _mapping(values, "rope_scaling")
        tables = 2 if _number(values, "rope_local_base_freq") else 1
        rotated = _number(values, "qk_rope_head_dim") or _number(values, "rotary_dim")
        width = rotated or _width(values) * _part_of_width(values, scaling)
        yield tables * _positions(values, scaling), width


def _positions(values: Mapping[str, Any], scaling: Mapping[str, Any]) -> int:
    """The longest context, or what stretching makes of the first one where that is longer."""
    longest = _number(values, "max_position_embeddings", MOST_TOKENS)
    if str(scaling.get("rope_type", scaling.get("type", ""))) == "yarn":
        first = _number(scaling, "original_max_position_embeddings", MOST_TOKENS)
        longest = max(longest, min(MOST_TOKENS, first * _number(scaling, "factor", 1_000)))
    return round(longest) * (_VIDEO_FACTOR if scaling.get("mrope_section") else 1)


def _part_of_width(values: Mapping[str, Any], scaling: Mapping[str, Any]) -> float:
    for place in (scaling, values):
        for name in ("partial_rotary_factor", "rotary_pct"):
            if _number(place, name, 1):
                return _number(place, name, 1)
    return 1.0


def _width(values: Mapping[str, Any]) -> float:
    heads = _number(values, "num_attention_heads")
    return _number(values, "head_dim") or (_number(values, "hidden_size") // heads if heads else 0)


def _mapping(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = values.get(name)
    return value if isinstance(value, Mapping) else {}


def _number(values: Mapping[str, Any], name: str, most: float = MOST_WIDTH) -> float:
    """A number within its bounds, or 0: what engines prepare is no reason to refuse a file."""
    value = values.get(name)
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= most
    return float(value) if usable and value is not None else 0.0
