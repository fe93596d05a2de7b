"""The catalogue in memory: records by id, found by any of their names.

A `Catalogue` is a value. The user's own records are laid over the shipped ones with `with_overlay`, which makes
another value; nothing is ever changed in place. What is costly (blueprints, bits, the index of names) is worked out on
first use.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from core.architecture.blueprint import Blueprint, Quantisation, TensorClass
from core.catalogue.facts import NO_FACTS, Facts
from core.catalogue.naming import Names
from core.catalogue.overlay import Overlay
from core.catalogue.precision import compose_bits
from core.catalogue.recipes import Asked, find_recipe, quantisation_by
from core.catalogue.records import (
    Checkpoint,
    Confidence,
    Device,
    Engine,
    Entry,
    KvFormat,
    Link,
    Model,
    Recipe,
    Source,
    WeightFormat,
)
from core.catalogue.tables import Table, table_of
from core.errors import CatalogueError
from core.trace import Origin, OriginKind

E = TypeVar("E", bound=Entry)

_ONE = {
    Table.DEVICES: "device",
    Table.LINKS: "link",
    Table.MODELS: "model",
    Table.ENGINES: "engine",
    Table.WEIGHT_FORMATS: "weight format",
    Table.KV_FORMATS: "KV cache format",
}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model that is known by name but has no usable config."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A hit of the search, best first: where it is, and the name that matched."""

    table: Table
    entry: Entry
    matched: str


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue:
    """Everything that exists, by id."""

    version: str
    devices: Mapping[str, Device]
    links: Mapping[str, Link]
    weight_formats: Mapping[str, WeightFormat]
    kv_formats: Mapping[str, KvFormat]
    engines: Mapping[str, Engine]
    models: Mapping[str, Model]
    recipes: tuple[Recipe, ...] = ()  # what quantisers leave out, particular ones first
    left_out: tuple[LeftOut, ...] = ()
    facts: Facts = NO_FACTS  # prices and usage, read when asked for
    shipped: "Catalogue | None" = None  # what the user's records lie over
    _blueprints: dict[str, Blueprint] = field(default_factory=dict)
    _bits: dict[tuple[str, str], Mapping[TensorClass, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Catalogue({self.version}, {len(self.devices)} devices, {len(self.models)} models)"

    # ---- lookups by id, name or alias, in any case

    def device(self, id: str) -> Device:
        return self._find(Table.DEVICES, self.devices, id)

    def link(self, id: str) -> Link:
        return self._find(Table.LINKS, self.links, id)

    def model(self, id: str) -> Model:
        return self._find(Table.MODELS, self.models, id)

    def engine(self, id: str) -> Engine:
        return self._find(Table.ENGINES, self.engines, id)

    def weight_format(self, id: str) -> WeightFormat:
        return self._find(Table.WEIGHT_FORMATS, self.weight_formats, id)

    def kv_format(self, id: str) -> KvFormat:
        return self._find(Table.KV_FORMATS, self.kv_formats, id)

    def table(self, table: Table) -> Mapping[str, Entry]:
        """The records of a table by id."""
        records: Mapping[str, Entry] = getattr(self, table.value)
        return records

    @cached_property
    def names(self) -> Names:
        """Index of all names, for lookups and search."""
        return Names({table: self.table(table).values() for table in Table})

    def _find(self, table: Table, records: Mapping[str, E], id: str) -> E:
        record = records.get(id)
        if record is None:
            found = self.names.resolve(table, id)
            if found is None:
                raise CatalogueError(self._unknown(table, id))
            record = records[found]
        return record

    def _unknown(self, table: Table, id: str) -> str:
        for entry in self.left_out if table is Table.MODELS else ():
            if entry.id.casefold() == id.casefold():
                return f"The catalogue knows “{entry.id}” by name only: {entry.reason}. Import its config.json."
        near = [hit.entry.id for hit in self.search(id, [table], limit=3)] or self.names.near(table, id)
        closest = f" Closest: {', '.join(near)}." if near else ""
        return f"The catalogue has no {_ONE[table]} “{id[:80]}”.{closest}"

    def search(self, text: str, tables: Iterable[Table] = tuple(Table), limit: int = 50) -> list[Found]:
        """Type-ahead over names, ids and aliases; all words must match, in any order. Nothing typed: all, by name."""
        hits = self.names.search(text, tuple(tables))
        return [Found(table, self.table(table)[id], matched) for table, id, matched in hits[:limit]]

    # ---- devices

    def accelerator(self, device: Device | str) -> Device:
        """The single accelerator of a system, with the memory and rates that it has in that system.

        A card is its own accelerator. The record keeps the id of the system, so that its sources can be opened;
        `accelerator_id` names the card.
        """
        record = self.device(device) if isinstance(device, str) else device
        if record.accelerators == 1:
            return record
        return record.model_copy(update={"accelerators": 1, "price": None, "system_power_w": None})

    # ---- models and their precision

    def blueprint(self, model: Model | str) -> Blueprint:
        """What a model is made of: as its weight files say, else read from its config on first use."""
        record = self.model(model) if isinstance(model, str) else model
        if record.blueprint is not None:
            return record.blueprint
        known = self._blueprints.get(record.id) if self._holds(record) else None
        if known is None:
            from core.architecture.config import read_config  # not before it is needed: it reads one config, not all

            known = read_config(record.config, record.name)
            if self._holds(record):
                self._blueprints[record.id] = known
        return known

    def blueprints_of(self, models: Mapping[str, Entry]) -> dict[str, Blueprint]:
        """The blueprints that were worked out already and hold for these records too."""
        return {id: plan for id, plan in self._blueprints.items() if models.get(id) is self.models.get(id)}

    def _holds(self, record: Model) -> bool:
        """Is this very record the one of its id? What follows from another must not be taken for it."""
        return self.models.get(record.id) is record

    def format_for(self, weight_format: WeightFormat | str, engine: Engine | str | None = None) -> WeightFormat:
        """The format as the files of an engine hold it: MXFP4 means the GGUF variant for llama.cpp.

        Where the engine loads no variant of the format, the format itself.
        """
        wanted = self.weight_format(weight_format) if isinstance(weight_format, str) else weight_format
        loads = self.engine(engine) if isinstance(engine, str) else engine
        if loads is None or wanted.container == "any" or wanted.container in loads.containers:
            return wanted
        variants = (f for f in self.weight_formats.values() if f.variant_of == wanted.id)
        return next((f for f in variants if f.container in loads.containers), wanted)

    def bits(
        self,
        model: Model | str | None,
        weight_format: WeightFormat | str,
        engine: Engine | str | None = None,
    ) -> Mapping[TensorClass, float]:
        """Bits per weight of every class of tensor of a model in a format.

        From the general to the particular, each replacing what it says: the format's usual bits, the quantisation that
        the config of the checkpoint or of the model states for it or that its publisher's tool makes, the checkpoint's
        record. Without a model: the usual.
        `engine` chooses the variant of the format, see `format_for`.
        """
        chosen = self.format_for(weight_format, engine)
        record = self.model(model) if isinstance(model, str) else model
        key = ("" if record is None else record.id, chosen.id)
        own = (record is None or self._holds(record)) and self.weight_formats.get(chosen.id) is chosen
        known = self._bits.get(key) if own else None
        if known is None:
            known = self._composed(record, chosen)
            if own:
                self._bits[key] = known
        return known

    def _composed(self, record: Model | None, chosen: WeightFormat) -> Mapping[TensorClass, float]:
        if record is None:
            return compose_bits(chosen)
        published = self.checkpoint(record, chosen)
        return compose_bits(chosen, self.blueprint(record), self.quantisation(record, chosen), published)

    def quantisation(self, model: Model, chosen: WeightFormat, day: str = "") -> Quantisation | None:
        """What is quantised in this format, and how: what the checkpoint's own record states, else what its publisher's
        tool does with such models (on this day), else what the model's config states, else what tools usually do."""
        checkpoint = self.checkpoint(model, chosen)
        repository = checkpoint.repository if checkpoint is not None else ""
        own = model if repository == model.id else self.models.get(repository)
        stated = self._stated(own, chosen)
        if stated is not None:
            return stated
        recipe = self.recipe(model, chosen, repository, day)
        if recipe is None or not recipe.publishers:
            stated = self._stated(model, chosen)
        return quantisation_by(recipe, model) if stated is None and recipe is not None else stated

    def recipe(self, model: Model, chosen: WeightFormat, repository: str, day: str = "") -> Recipe | None:
        """What is known of the tool that a checkpoint was made with, by the owner and name of its repository."""
        mixture, family = self.blueprint(model).moe is not None, str(model.config.get("model_type", ""))
        return find_recipe(self.recipes, Asked(repository, self._related(chosen), family, mixture, day))

    def _stated(self, record: Model | None, chosen: WeightFormat) -> Quantisation | None:
        stated = self.blueprint(record).quantisation if record is not None else None
        return stated if stated is not None and stated.format_id in self._related(chosen) else None

    def checkpoint(self, model: Model | str, weight_format: WeightFormat | str) -> Checkpoint | None:
        """The published weights of a model in a format; of several, the one about which most is known."""
        record = self.model(model) if isinstance(model, str) else model
        wanted = self.weight_format(weight_format) if isinstance(weight_format, str) else weight_format
        same = [c for c in record.checkpoints if c.weights == wanted.id]
        if not same:
            related = self._related(wanted)
            same = [c for c in record.checkpoints if c.weights in related]
        known = [(bool(c.bits), c.repository in self.models, c.file_bytes is not None) for c in same]
        return same[known.index(max(known))] if same else None

    def published_formats(self, model: Model | str) -> tuple[str, ...]:
        """The weight formats in which a model can be had, its own first."""
        record = self.model(model) if isinstance(model, str) else model
        return tuple(dict.fromkeys(c.weights for c in record.checkpoints))

    def _related(self, chosen: WeightFormat) -> frozenset[str]:
        """Ids that mean the same kind of file: the format, its variants or what it is a variant of."""
        base = chosen.variant_of or chosen.id
        kin = (f for f in self.weight_formats.values() if f.id == base or f.variant_of == base)
        return frozenset(f.id for f in kin if f.container == chosen.container)

    # ---- sources

    def source(self, entry: Entry, field: str = "") -> Source | None:
        """Where a figure of a record was found."""
        return entry.source_of(field)

    def origin(self, entry: Entry, field: str = "") -> Origin:
        """The origin of a figure for the trace, with the place of its record."""
        source = entry.source_of(field) or Source(title=entry.name, confidence=Confidence.UNVERIFIED)
        return Origin(
            OriginKind.CATALOGUE,
            source.title,
            source.address,
            source.date,
            source.confidence.value,
            f"{table_of(entry).value}/{entry.id}",
        )

    # ---- the user's records

    def with_overlay(self, overlay: Overlay) -> "Catalogue":
        """This catalogue with the user's records added, or in place of shipped ones of the same id."""
        base = self.shipped or self
        tables = {
            table.value: {**base.table(table), **{entry.id: entry for entry in overlay.table(table)}} for table in Table
        }
        kept = self.blueprints_of(tables["models"])
        more = {
            "facts": base.facts,
            "recipes": base.recipes,
            "left_out": base.left_out,
            "shipped": base,
            "_blueprints": kept,
        }
        return Catalogue(base.version, **tables, **more)  # type: ignore[arg-type]

    def with_kept(self, kept: Overlay) -> "Catalogue":
        """This catalogue with records of an earlier state in place of its own; the user's others stay."""
        tables = {
            table.value: {**self.table(table), **{entry.id: entry for entry in kept.table(table)}} for table in Table
        }
        plans = self.blueprints_of(tables["models"])
        base = self.shipped or self
        more = {
            "facts": self.facts,
            "recipes": self.recipes,
            "left_out": self.left_out,
            "shipped": base,
            "_blueprints": plans,
        }
        return Catalogue(self.version, **tables, **more)  # type: ignore[arg-type]

    def is_yours(self, entry: Entry) -> bool:
        """Was the record added or changed by the user?"""
        return self.shipped is not None and self.shipped.table(table_of(entry)).get(entry.id) is not entry

    def changed_fields(self, entry: Entry) -> tuple[str, ...]:
        """Fields in which a record differs from the shipped one; of an added record, those that are set."""
        original = (self.shipped or self).table(table_of(entry)).get(entry.id)
        if original is None:
            return tuple(name for name in type(entry).model_fields if name in entry.model_fields_set)
        return tuple(name for name in type(entry).model_fields if getattr(entry, name) != getattr(original, name))
