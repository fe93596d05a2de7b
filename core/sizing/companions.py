"""The models beside the model: embedding and reranking on the same card."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.architecture.blueprint import TensorClass
from core.catalogue.records import Model, WeightFormat
from core.physics.memory import sum_bytes
from core.physics.weights import weights_bytes
from core.scenario import CompanionRole, Mode, Placement
from core.sizing.origins import ARTICLE, catalogue_origin, model_origin
from core.sizing.precision import flat_bits
from core.sizing.situation import Setup
from core.trace import Recipe
from core.units import Unit

COMPANION_ITEMS = {CompanionRole.EMBEDDING: "memory_item.embedding", CompanionRole.RERANKER: "memory_item.reranker"}


@dataclass(frozen=True, slots=True)
class PlacedCompanion:
    """A companion that takes memory of the accelerator, counted class by class.

    model   its record; None when only a number of parameters is known, all of them one class
    """

    role: CompanionRole
    model: Model | None
    weight_format: WeightFormat
    parameters: Mapping[TensorClass, int]
    bits: Mapping[TensorClass, float]

    @property
    def weights_bytes(self) -> int:
        return sum(weights_bytes(n, self.bits[c]) for c, n in self.parameters.items())


def placed_companions(s: Setup) -> list[PlacedCompanion]:
    """The companions that share the card, with their tensors; those elsewhere are not sized here."""
    article = s.mode is Mode.ARTICLE
    placed = []
    for companion in s.companions:
        if companion.placement is Placement.SAME_CARD:
            weight_format = s.catalogue.weight_format(companion.weights)
            model = s.catalogue.model(companion.model) if companion.model else None
            if model is None:
                parameters: Mapping[TensorClass, int] = {TensorClass.FEED_FORWARD: companion.parameters or 0}
            else:
                parameters = s.catalogue.blueprint(model).parameters
            bits = flat_bits(weight_format, parameters) if article else s.catalogue.bits(model, weight_format)
            placed.append(PlacedCompanion(companion.role, model, weight_format, parameters, bits))
    return placed


def record_companions(trace: Recipe, s: Setup) -> None:
    """The bytes of the companions by role, from their tensors."""
    items: dict[CompanionRole, list[str]] = {role: [] for role in CompanionRole}
    for number, companion in enumerate(placed_companions(s)):
        items[companion.role].extend(_companion(trace, s, f"companion.{number}", companion))
    for role, key in COMPANION_ITEMS.items():
        if items[role]:
            trace.compute(key, sum_bytes, items=items[role])
        else:
            trace.given(key, 0, Unit.BYTE)


def _companion(trace: Recipe, s: Setup, prefix: str, companion: PlacedCompanion) -> list[str]:
    """The tensors of a companion, class by class; returns the keys of their bytes."""
    source = model_origin(companion.model)
    bits_source = ARTICLE if s.mode is Mode.ARTICLE else catalogue_origin(companion.weight_format, "bits")
    sizes = []
    for kind, number in companion.parameters.items():
        keys = {"parameters": f"{prefix}.parameters.{kind}", "bits": f"{prefix}.bits.{kind}"}
        trace.given(keys["parameters"], number, Unit.PARAMETER, source)
        trace.given(keys["bits"], companion.bits[kind], Unit.BIT_PER_WEIGHT, bits_source)
        sizes.append(f"{prefix}.weights_bytes.{kind}")
        trace.compute(sizes[-1], weights_bytes, **keys)
    return sizes
