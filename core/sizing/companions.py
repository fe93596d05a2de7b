"""The models beside the model: embedding and reranking on the same card."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.architecture.blueprint import Blueprint, TensorClass
from core.catalogue.records import Model, WeightFormat
from core.physics.weights import weights_bytes
from core.scenario import CompanionRole, Mode, Placement, Scenario
from core.sizing.precision import own_bits, weight_bits


class ModelSource(Protocol):
    def model(self, id: str, /) -> Model: ...
    def weight_format(self, id: str, /) -> WeightFormat: ...
    def blueprint(self, id: str, /) -> Blueprint: ...


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


def placed_companions(scenario: Scenario, catalogue: ModelSource) -> list[PlacedCompanion]:
    """The companions that share the card, with their tensors; those elsewhere are not sized here."""
    article = scenario.mode is Mode.ARTICLE
    placed = []
    for companion in scenario.companions:
        if companion.placement is not Placement.SAME_CARD:
            continue
        weight_format = catalogue.weight_format(companion.weights)
        if companion.model is None:
            parameters: Mapping[TensorClass, int] = {TensorClass.FEED_FORWARD: companion.parameters or 0}
            bits = {TensorClass.FEED_FORWARD: float(weight_format.bits)}
            if article:
                bits = {TensorClass.FEED_FORWARD: float(int(weight_format.bits))}
            placed.append(PlacedCompanion(companion.role, None, weight_format, parameters, bits))
            continue
        model, blueprint = catalogue.model(companion.model), catalogue.blueprint(companion.model)
        own = own_bits(blueprint, model, weight_format.id)
        placed.append(
            PlacedCompanion(
                companion.role, model, weight_format, blueprint.parameters,
                weight_bits(blueprint, weight_format, own, article),
            )
        )  # fmt: skip
    return placed
