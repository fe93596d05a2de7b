"""What quantisers leave in 16 bit, where no config of a checkpoint says it: by tool, publisher and family of models.

A repository's owner and name tell the tool, and its default list of ignored modules tells the classes. The lists stand
in `recipes.json` in the tools' own form, so that the reader of such configs counts them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.architecture.blueprint import Quantisation
from core.catalogue.records import Model, Recipe

_SEPARATORS = re.compile(r"[\s_.:()]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """The checkpoint that a recipe is looked for.

    repository  "owner/name", or a name alone; empty where none is known
    formats     ids of weight formats that mean this kind of file
    family      `model_type` of the model's config
    mixture     does the model have routed experts?
    day         the checkpoint is of this day at the latest; empty: of today
    """

    repository: str
    formats: frozenset[str]
    family: str
    mixture: bool
    day: str = ""

    @property
    def owner(self) -> str:
        return self.repository.rpartition("/")[0].casefold()

    @property
    def name(self) -> str:
        return _SEPARATORS.sub("-", self.repository.rpartition("/")[2].casefold()).strip("-")


def find_recipe(recipes: Iterable[Recipe], asked: Asked) -> Recipe | None:
    """The first recipe that is for this checkpoint: particular ones stand before general ones.

    >>> from core.catalogue.records import Recipe, Source
    >>> told = {"tool": "x", "weights": "int4", "config": {}, "source": Source(title="x")}
    >>> own = Recipe(id="own", publishers=("*",), called="w4a16", **told)
    >>> found = find_recipe([own], Asked("someone/Model-8B-W4A16", frozenset({"int4"}), "llama", False))
    >>> found.id if found else None
    'own'
    """
    return next((recipe for recipe in recipes if _is_for(recipe, asked)), None)


def _is_for(recipe: Recipe, asked: Asked) -> bool:
    return (
        recipe.weights in asked.formats
        and (not recipe.publishers or _is_by(recipe, asked))
        and (not recipe.called or re.search(recipe.called, asked.name) is not None)
        and (not recipe.families or asked.family in recipe.families)
        and recipe.mixture in (None, asked.mixture)
        and (not asked.day or not recipe.since or asked.day >= recipe.since)
    )


def _is_by(recipe: Recipe, asked: Asked) -> bool:
    named = bool(asked.repository)
    return named and (asked.owner in recipe.publishers or ("*" in recipe.publishers and asked.owner != ""))


def quantisation_by(recipe: Recipe, model: Model) -> Quantisation | None:
    """What the recipe makes of a model's config; None for a model without one."""
    if not model.config:
        return None
    from core.architecture.config import read_config  # not before it is needed, as in `Catalogue.blueprint`

    plain = {name: value for name, value in model.config.items() if name != "quantization_config"}
    read = read_config({**plain, "quantization_config": recipe.config}, model.name).quantisation
    if read is None:
        return None
    kept = {kind: bits for kind, bits in recipe.kept.items() if kind in read.bits}
    return replace(read, format_id=recipe.weights, bits={**read.bits, **kept})
