"""Reading single fields of a model file that nobody vouches for: typed, bounded, and named when they are wrong."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import InvalidInput, Phrase

MOST_LAYERS = 4_096
MOST_HEADS = 65_536
MOST_EXPERTS = 65_536
MOST_WIDTH = 10_000_000  # hidden sizes, intermediate sizes, head widths
MOST_TOKENS = 1_000_000_000  # vocabularies, contexts, windows


class MissingField(InvalidInput):
    """A field that the reader needs is not in the file."""


class Fields:
    """The fields of one JSON object in a file; every error names field and file.

    A field that is `null` counts as missing, as the model libraries have it.
    """

    def __init__(self, values: Mapping[str, Any], file: str = "config.json", path: str = "") -> None:
        self.values = values
        self.file = file
        self.path = path

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def first(self, names: Sequence[str]) -> str | None:
        """The first of the names that the file states."""
        return next((name for name in names if self.has(name)), None)

    def integer(self, *names: str, default: int | None = None, least: int = 1, most: int = MOST_WIDTH) -> int:
        """A whole number under the first of the names that is there.

        >>> Fields({"num_hidden_layers": 32}).integer("num_hidden_layers")
        32
        """
        name = self.first(names)
        if name is None:
            if default is None:
                raise self.missing(names[0])
            return default
        return self._bounded(self.values[name], name, least, most)

    def layers(self, *names: str) -> int:
        return self.integer(*names, most=MOST_LAYERS)

    def heads(self, *names: str, default: int | None = None) -> int:
        return self.integer(*names, default=default, most=MOST_HEADS)

    def tokens(self, *names: str, default: int | None = None, least: int = 1) -> int:
        return self.integer(*names, default=default, least=least, most=MOST_TOKENS)

    def flag(self, name: str, default: bool = False) -> bool:
        if not self.has(name):
            return default
        value = self.values[name]
        if not isinstance(value, bool):
            raise self.wrong(name, "is not true or false")
        return value

    def text(self, name: str, default: str = "") -> str:
        if not self.has(name):
            return default
        value = self.values[name]
        if not isinstance(value, str) or len(value) > 10_000:
            raise self.wrong(name, "is not a text")
        return value

    def texts(self, name: str, most: int = 200_000) -> list[str] | None:
        """A list of texts, or None where the file has none."""
        items = self.items(name, most)
        if items is None:
            return None
        if not all(isinstance(item, str) for item in items):
            raise self.wrong(name, "is not a list of texts")
        return items

    def integers(self, name: str, least: int = 0, most: int = MOST_WIDTH) -> list[int] | None:
        """A list of whole numbers, or None where the file has none; true and false count as 1 and 0."""
        items = self.items(name, MOST_LAYERS)
        if items is None:
            return None
        plain = [int(item) if isinstance(item, bool) else item for item in items]
        return [self._bounded(item, name, least, most) for item in plain]

    def items(self, name: str, most: int) -> list[Any] | None:
        if not self.has(name):
            return None
        value = self.values[name]
        if not isinstance(value, list | tuple):
            raise self.wrong(name, "is not a list")
        if len(value) > most:
            raise self.wrong(name, "has more than {most:,} entries", most=most)
        return list(value)

    def per_layer(self, name: str, layers: int, least: int = 0, most: int = MOST_WIDTH) -> list[int]:
        """A number for each layer: a list with at least as many entries, or one number for all."""
        if isinstance(self.values.get(name), list | tuple):
            numbers = self.integers(name, least, most) or []
            self.long_enough(name, len(numbers), layers)
            return numbers[:layers]
        return [self.integer(name, least=least, most=most)] * layers

    def layer_types(self, name: str, layers: int) -> list[str] | None:
        """A text for each layer, or None where the file has none."""
        kinds = self.texts(name)
        if kinds is None:
            return None
        self.long_enough(name, len(kinds), layers)
        return kinds[:layers]

    def section(self, name: str) -> "Fields | None":
        """The object under a name."""
        if not self.has(name):
            return None
        value = self.values[name]
        if not isinstance(value, Mapping):
            raise self.wrong(name, "is not an object")
        return Fields(value, self.file, f"{self.path}{name}.")

    def of_layer(self, index: int) -> "Fields":
        """The fields of one layer, where the file states some of them apart, as Transformers 5 writes them.

        >>> Fields({"head_dim": 256, "per_layer_config": {"05": {"head_dim": 512}}}).of_layer(5).integer("head_dim")
        512
        """
        layers = self.section("per_layer_config")
        for name in layers.values if layers else ():
            if layers and name.isdecimal() and int(name) == index:
                own = layers.section(name)
                return Fields({**self.values, **(own.values if own else {})}, self.file, self.path)
        return self

    def stated_by_layer(self) -> set[str]:
        """Names of the fields that the file states apart for some layers."""
        layers = self.section("per_layer_config")
        own = [layers.section(name) for name in layers.values] if layers else []
        return {name for part in own if part for name in part.values}

    def long_enough(self, name: str, entries: int, layers: int) -> None:
        if entries < layers:
            raise self.wrong(name, "has {entries} entries for {layers} layers", entries=entries, layers=layers)

    def missing(self, name: str) -> MissingField:
        return MissingField(
            '{file} has no "{path}{name}".', self.path + name, file=self.file, path=self.path, name=name
        )

    def wrong(self, name: str, what: str, /, **values: object) -> InvalidInput:
        """The error that a field is not as it has to be: `what` goes on after its name, with places for values."""
        said = Phrase(what, values)
        return InvalidInput(
            '"{name}" in {file} {what}.', self.path + name, name=self.path + name, file=self.file, what=said
        )

    def _bounded(self, value: Any, name: str, least: int, most: int) -> int:
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(name, "is not a whole number")
        if value < least:
            raise self.wrong(name, "is below {least:,}", least=least)
        if value > most:
            raise self.wrong(name, "is above {most:,}", most=most)
        return value
