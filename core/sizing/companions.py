"""The models beside the model: embedding and reranking on the same card."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.architecture.blueprint import TensorClass
from core.catalogue.records import Model, WeightFormat
from core.physics.weights import weights_bytes
from core.scenario import CompanionRole, Mode, Placement
from core.sizing.precision import flat_bits
from core.sizing.situation import Setup


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
