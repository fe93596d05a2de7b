"""The choices beside the hardware: engine, weight format, cache format, and where the retrieval models stand."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Engine
from core.errors import TonnageError
from core.scenario import CatalogueModel, Mode, Placement, Scenario
from core.sizing.search.request import SearchRequest

#: Formats that anyone can make of a model, by the kind of file that an engine loads; the rest must be published.
USUAL_WEIGHTS = {
    "safetensors": ("bf16", "fp8", "int4"),
    "gguf": ("Q8_0", "Q4_K_M"),
    "mlx": ("mlx8", "mlx4"),
}
USUAL_CACHES = {"serving": ("fp16", "fp8"), "llama.cpp": ("fp16", "q8_0"), "mlx": ("fp16", "mlx8")}
#: Engines that a search takes where the request leaves it open, beside the serving engine.
OTHER_ENGINES = ("llama.cpp", "mlx")
SERVING_ENGINE = "vllm"


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One choice of software and formats.

    published   are there weights in this format, or must they be made?
    apart       retrieval models stand on one more card of the same kind
    """

    engine: Engine
    weights: str
    kv_format: str
    published: bool
    apart: bool


def variants(request: SearchRequest, catalogue: Catalogue) -> tuple[Variant, ...]:
    """Every combination that the engines support, in an order that does not depend on the catalogue's."""
    found = (
        Variant(engine, weights, cache, published, apart)
        for engine in _engines(request, catalogue)
        for weights, published in _weights(request, catalogue, engine)
        for cache in _caches(request, catalogue, engine)
        for apart in _placements(request.scenario)
    )
    return tuple(found)


def _engines(request: SearchRequest, catalogue: Catalogue) -> list[Engine]:
    if request.engines is not None:
        return [catalogue.engine(name) for name in request.engines]
    own = catalogue.engine(request.scenario.deployment.engine)
    serving = own.id if own.group == "serving" else SERVING_ENGINE
    return [catalogue.engines[name] for name in (serving, *OTHER_ENGINES) if name in catalogue.engines]


def _weights(request: SearchRequest, catalogue: Catalogue, engine: Engine) -> Iterator[tuple[str, bool]]:
    """Weight formats with whether they are published."""
    chosen, scenario = request.scenario.model, request.scenario
    published = catalogue.published_formats(chosen.id) if isinstance(chosen, CatalogueModel) else ()
    usual = tuple(name for box in engine.containers for name in USUAL_WEIGHTS.get(box, ()))
    wanted = request.weights if request.weights is not None else tuple(dict.fromkeys((*published, *usual)))
    if request.weights is None and scenario.mode is Mode.ARTICLE:
        wanted = (scenario.weights,)
    given = set()
    for name in wanted:
        try:
            loaded = catalogue.format_for(name, engine)
        except TonnageError:
            if request.weights is not None:
                raise
            continue
        supported = loaded.id in engine.weight_formats and (
            loaded.container == "any" or loaded.container in engine.containers
        )
        enough = request.weights is not None or loaded.bits >= request.least_bits
        if supported and enough and loaded.id not in given:
            given.add(loaded.id)
            yield loaded.id, name in published or loaded.id in published


def _caches(request: SearchRequest, catalogue: Catalogue, engine: Engine) -> list[str]:
    wanted = request.kv_formats if request.kv_formats is not None else USUAL_CACHES.get(engine.group, ("fp16",))
    known = [catalogue.kv_format(name).id for name in wanted if request.kv_formats or name in catalogue.kv_formats]
    return [name for name in known if name in engine.kv_formats]


def _placements(scenario: Scenario) -> tuple[bool, ...]:
    """Retrieval models on the same card, and on one more card."""
    return (False, True) if any(c.placement is not Placement.CPU for c in scenario.companions) else (False,)
