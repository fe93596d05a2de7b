"""A record as a question to the core: a scenario, and the catalogue that it is answered from."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

from pydantic import ValidationError

from core import RESOURCES
from core.catalogue.catalogue import Catalogue
from core.catalogue.loading import load_shipped
from core.catalogue.overlay import Overlay
from core.catalogue.recipes import quantisation_by
from core.catalogue.records import Checkpoint, Device, Engine, Model, WeightFormat
from core.errors import TonnageError
from core.scenario import CatalogueModel, Deployment, Scenario, Workload
from core.sizing.engine_defaults import cache_of_checkpoint
from core.sizing.loaded import TABLE_BYTES
from core.sizing.report import Sizing
from core.sizing.size import size
from tests.accuracy import formats, machines, models
from tests.accuracy.names import says_storage
from tests.accuracy.records import Record, Unusable


@cache
def shipped() -> Catalogue:
    """The catalogue that comes with Tonnage."""
    return load_shipped(RESOURCES / "catalogue")


@dataclass(frozen=True, slots=True)
class Case:
    """What a record says, in the catalogue's terms.

    weights_known   the record states how the weights are stored
    weights_usual   they can be told by the model's usual format, or by the size of their file
    file_known      it states how large the checkpoint is, so that the size of the weights is no prediction
    device_known    it names the device, or at least the size of its memory
    """

    record: Record
    scenario: Scenario
    catalogue: Catalogue
    engine: Engine
    cache: formats.Cache
    weights_known: bool = True
    weights_usual: bool = True
    file_known: bool = False
    device_known: bool = True
    file_bytes: int | None = None

    def sized(self, **changes: object) -> Sizing:
        """The core's answer, with changes to the scenario as `Scenario.edited` takes them."""
        return answer(self.scenario.edited(**changes) if changes else self.scenario, self.catalogue)


@contextmanager
def refusals() -> Iterator[None]:
    """What a scenario or the core refuses becomes the reason of a skip."""
    try:
        yield
    except TonnageError as error:
        raise Unusable(f"the core refuses: {error.message}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Unusable(f"no scenario can have this: {place}: {first['msg']}") from error


def answer(scenario: Scenario, catalogue: Catalogue) -> Sizing:
    """`size`; what the core refuses is the reason of a skip."""
    with refusals():
        return size(scenario, catalogue)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a case is put together from."""

    model: Model
    weights: formats.Weights
    cache: formats.Cache
    engine: Engine
    device: Device
    spread: machines.Spread
    file_bytes: int | None = None
    predicts: bool = False  # with layers that guess ahead
    as_loaded: bool = False  # a stated size is what the engine reported after loading


def build(record: Record, parts: Parts, workload: Workload, deployment: Deployment, **known: bool) -> Case:
    """The case of a record: an overlay for what the catalogue does not have, and the scenario."""
    parts = _of_named_checkpoint(record, parts)
    weight_format = parts.weights.made or shipped().weight_format(_format_id(parts))
    parts = _of_known_publisher(record, parts, weight_format)
    parts = replace(parts, cache=_cache(parts, weight_format, deployment.release, record.text("date")))
    overlay = Overlay(
        models=_models(parts, weight_format),
        devices=() if shipped().devices.get(parts.device.id) is parts.device else (parts.device,),
        engines=() if shipped().engines.get(parts.engine.id) is parts.engine else (parts.engine,),
        weight_formats=(parts.weights.made,) if parts.weights.made else (),
        kv_formats=(parts.cache.made,) if parts.cache.made else (),
    )
    scenario = Scenario(
        name=record.id[:200],
        model=CatalogueModel(id=parts.model.id),
        weights=weight_format.id,
        kv_format=parts.cache.format_id,
        workload=workload,
        deployment=deployment,
    )
    catalogue = shipped() if overlay.is_empty else shipped().with_overlay(overlay)
    size_known = parts.weights.file_bytes or parts.file_bytes
    return Case(record, scenario, catalogue, parts.engine, parts.cache, file_bytes=size_known, **known)


def _cache(parts: Parts, weight_format: WeightFormat, release: str | None, day: str) -> formats.Cache:
    """The stated cache format; where none is, what the engine takes from the config of the checkpoint."""
    if parts.cache.stated or parts.model.id not in shipped().models:
        return parts.cache
    stated = shipped().quantisation(parts.model, weight_format, day)
    asked = cache_of_checkpoint(stated, parts.engine.allocator, release or parts.engine.version)
    return formats.Cache(asked, key=asked, value=asked, stated=False) if asked in shipped().kv_formats else parts.cache


def _of_named_checkpoint(record: Record, parts: Parts) -> Parts:
    """With that checkpoint alone, where the record names the repository of one: others of the format may differ."""
    name = record.text("model_id").casefold()
    named = [c for c in parts.model.checkpoints if c.repository.casefold() == name]
    if len(named) != 1 or name == parts.model.id.casefold():
        return parts
    others = [c for c in parts.model.checkpoints if c.weights != named[0].weights]
    return replace(parts, model=parts.model.model_copy(update={"checkpoints": (named[0], *others)}))


def _of_known_publisher(record: Record, parts: Parts, weight_format: WeightFormat) -> Parts:
    """With the checkpoint that the record's names tell, where the tool of its publisher is known.

    A repository that the catalogue describes, or a config of its own, needs no such rule.
    """
    catalogue = shipped()
    if parts.weights.made or parts.model.id not in catalogue.models or not parts.weights.stated:
        return parts
    for name in (record.text("model_id"), record.text("model")):
        described = catalogue.models.get(name)
        if described is not None and catalogue.blueprint(described).quantisation is not None:
            return parts
        recipe = catalogue.recipe(parts.model, weight_format, name, record.text("date")) if says_storage(name) else None
        made = quantisation_by(recipe, parts.model) if recipe is not None and recipe.publishers else None
        if made is not None:
            own = Checkpoint(weights=weight_format.id, repository=name, bits=made.bits)
            others = tuple(c for c in parts.model.checkpoints if c.weights != weight_format.id)
            return replace(parts, model=parts.model.model_copy(update={"checkpoints": (own, *others)}))
    return parts


def _format_id(parts: Parts) -> str:
    """The stated format, or the one of its kind that the model is published in; else the usual one of the model."""
    published = shipped().published_formats(parts.model) if parts.model.id in shipped().models else ()
    stated = parts.weights.format_id
    if not stated:
        return published[0] if published else "bf16"
    wanted = shipped().weight_format(stated)
    if stated in published or wanted.container != "safetensors":  # names of GGUF mixtures mean themselves
        return stated
    alike = [name for name in published if _is_alike(shipped().weight_format(name), wanted)]
    return alike[0] if len(alike) == 1 else stated


def _is_alike(one: WeightFormat, other: WeightFormat) -> bool:
    return (one.container, one.format_class) == (other.container, other.format_class)


def _models(parts: Parts, weight_format: WeightFormat) -> tuple[Model, ...]:
    own = () if parts.model.id in shipped().models else (parts.model,)
    size_known = parts.weights.file_bytes or parts.file_bytes
    if size_known is None or own:  # what is made from the shape of its layers has no weights to speak of
        return own or (() if shipped().models[parts.model.id] is parts.model else (parts.model,))
    loaded = shipped().format_for(weight_format, parts.engine) if not parts.weights.made else weight_format
    each = TABLE_BYTES.get(parts.engine.allocator, 0) if parts.as_loaded else 0
    prepared = shipped().blueprint(parts.model).rotary_elements * each
    return (models.with_file(parts.model, loaded, size_known - prepared, shipped(), parts.predicts),)
